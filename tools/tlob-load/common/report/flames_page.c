// SPDX-License-Identifier: GPL-2.0
/* The section with the flame graph. */
#include <string.h>

#include "report/flames_page.h"

int flame_print(FILE *f, const struct folded *stacks, const struct flame_words *w)
{
	struct json_object *o = json_object_new_object(), *list, *one;
	struct builder b = { 0 };
	size_t i;
	int err;

	put_text(&b, o, "title", w->title);
	put_text(&b, o, "text", w->text);
	put_text(&b, o, "unit", w->unit);
	list = put_array(&b, o, "sides");
	for (i = 0; i < 2 && w->side[i]; i++)
		put_text(&b, list, NULL, w->side[i]);
	list = put_array(&b, o, "stacks");
	for (i = 0; i < stacks->n; i++) {
		one = put_array(&b, list, NULL);
		put_printed(&b, one, NULL, strdup(stacks->stack[i].text));
		put_u64(&b, one, NULL, stacks->stack[i].n[0]);
		if (w->side[1])
			put_u64(&b, one, NULL, stacks->stack[i].n[1]);
	}
	fputs(",\n", f);
	err = b.err ? b.err : json_print_part(f, o, true);
	json_object_put(o);
	return err;
}

int flames_put(struct html *p, const struct flames *fl)
{
	const struct flame_words w = {
		.title = "Flame graph", .unit = "",
		.text = "A box is as wide as what was spent in the function and in what it called, its caller is below it.",
		.side = { fl->name[0], fl->name[1] },
	};
	int err;

	if (!fl->stacks.n)
		return 0;
	html_key(p, "flames");
	fputs("[null", p->json);
	err = flame_print(p->json, &fl->stacks, &w);
	fputs("]", p->json);
	return err;
}
