// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>

#include "page/pieces.h"
#include "page/run_waits.h"
#include "show/attach_wait.h"
#include "util/markup.h"

/* As text, so that names are escaped. */
static void cell_wait(FILE *f, const struct result *r, const struct tlob_window *w)
{
	char *text = NULL;
	size_t size;
	FILE *m = open_memstream(&text, &size);

	fputs("<td class=\"l\">", f);
	if (m) {
		run_wait_text(m, r, w);
		if (!fclose(m))
			markup_text(f, text);
	}
	free(text);
}

void page_run_waits(FILE *f, const struct result *r, size_t n)
{
	size_t i;

	if (!r->waits.measured || !r->nworst)
		return;
	fputs("<h2>What they waited for</h2>\n<div class=\"wide\"><table>\n<tr><th>CPU<th>activation<th>response<th>asleep<th class=\"l\">longest wait\n",
	      f);
	for (i = 0; i < r->nworst && i < n; i++) {
		const struct tlob_window *w = &r->worst[i];

		fprintf(f, "<tr><td>%" PRIu32 "<td>%" PRIu64, (uint32_t)w->cpu,
			(uint64_t)w->activation);
		cell_time(f, true, w->response_ns);
		cell_time(f, true, w->part_ns[TLOB_WORK_SLEEP]);
		cell_wait(f, r, w);
		fputc('\n', f);
	}
	fputs("</table></div>\n", f);
}
