// SPDX-License-Identifier: GPL-2.0
/* The section with the flame graph. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/flame.h"
#include "report/flames_page.h"
#include "util/error.h"
#include "util/file.h"
#include "util/markup.h"
#include "util/text.h"

int flames_read(struct flames *fl, const char *const *files, size_t n)
{
	char *text, why[100];
	size_t i;
	int err = 0;

	*fl = (struct flames){ 0 };
	for (i = 0; i < n && !err; i++) {
		fl->name[i] = files[i];
		err = file_load_text(files[i], &text);
		if (err)
			break;
		err = folded_read(&fl->stacks, text, (unsigned int)i, n > 1, why, sizeof(why));
		free(text);
		if (err)
			err = fail(err, "%s: %s", files[i], err == -ENOMEM ? "out of memory" : why);
	}
	/* folders distinguish the files of two directories */
	if (n == 1 || (n == 2 && strcmp(without_folders(files[0]), without_folders(files[1]))))
		for (i = 0; i < n; i++)
			fl->name[i] = without_folders(files[i]);
	if (err)
		flames_free(fl);
	return err;
}

void flames_free(struct flames *fl)
{
	folded_free(&fl->stacks);
}

int flames_put(FILE *f, const struct flames *fl)
{
	struct flame how = {
		.title = fl->name[1] ? "What the stacks differ in" : "Stacks", .unit = NULL,
		.side = { fl->name[0], fl->name[1] },
	};
	int err;

	if (!fl->stacks.n)
		return 0;
	fputs("<section><h2>Flame graph</h2>\n<p class=\"dim\">A box is as wide as what was spent in the function and in what it called, its caller is below it. ", f);
	if (fl->name[1]) {
		markup_text(f, fl->name[0]);
		fputs(" is A, ", f);
		markup_text(f, fl->name[1]);
		fputs(" is B. ", f);
	}
	fputs("A pointer over a box shows its numbers.</p>\n<div class=\"scroll\">", f);
	err = flame_write(f, &fl->stacks, &how);
	fputs("</div></section>\n", f);
	return err;
}
