// SPDX-License-Identifier: GPL-2.0
/* Showing the progress of attach. */
#include "result/attach_result.h"
#include "terminal/progress_local.h"
#include "util/units.h"

static void put_line(const struct progress *p, const struct attach_result *r,
		     uint64_t elapsed_ns)
{
	char windows[COUNT_LEN], violations[COUNT_LEN], budget[DURATION_LEN];
	char worst[DURATION_LEN];

	progress_put_time(p, elapsed_ns);
	fprintf(stderr, "%s windows, %s over %s", count_prose(windows, r->windows),
		count_prose(violations, r->violations),
		duration_prose_exact(budget, r->budget_ns));
	if (r->nworst)
		fprintf(stderr, ", worst %s", duration_prose(worst, r->worst[0].elapsed_ns));
	fputc('\n', stderr);
}

void progress_attach(struct progress *p, const struct attach_result *r,
		     uint64_t elapsed_ns)
{
	struct view v;
	FILE *f;

	if (!progress_is_due(p, elapsed_ns))
		return;
	if (p->how == PROGRESS_LINES) {
		put_line(p, r, elapsed_ns);
		return;
	}
	progress_put_lines(p);
	progress_view(p, &v);
	f = progress_open(p);
	if (!f)
		return;
	screen_attach(f, r, elapsed_ns, p->duration_ns, &v);
	progress_draw(p, f);
}
