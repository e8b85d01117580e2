// SPDX-License-Identifier: GPL-2.0
/* The stacks of an explanation, for its files of flame graphs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"
#include "explain/flame.h"
#include "util/error.h"

#define STACK_LEN	4096
#define MOST_DEEP	128

/* True if the stacks of a comparison begin here. */
static bool is_root(const struct node *n)
{
	return n->entered || folded_is_root(n->function->name, strlen(n->function->name));
}

static void stack_text(char text[STACK_LEN], const struct tree *t,
		       const struct node *n, bool cut)
{
	const struct node *stack[MOST_DEEP];
	char name[FUNCTION_LEN];
	size_t depth = 0, used = 0;

	for (; n && depth < MOST_DEEP; n = tree_caller(t, n)) {
		stack[depth++] = n;
		if (cut && is_root(n))
			break;
	}
	*text = 0;
	while (depth-- && used < STACK_LEN - 1)
		used += (size_t)snprintf(text + used, STACK_LEN - used, "%s%s",
			function_name(name, stack[depth]->function->name,
				      stack[depth]->function->module),
			depth ? ";" : "");
}

static int add_path(struct folded *f, struct executed *e, size_t path, uint64_t times,
		    unsigned int side, bool cut)
{
	const struct tree *t = executed_tree(e, path);
	char *text = malloc(STACK_LEN);
	uint64_t n;
	size_t i;
	int err = t && text ? 0 : -ENOMEM;

	for (i = 0; !err && i < t->n; i++) {
		n = e->region ? t->node[i].net[PHASE_WORK] :
				t->node[i].net[PHASE_IRQ] + t->node[i].net[PHASE_WAKE];
		if (!n || !t->node[i].function)
			continue;
		stack_text(text, t, &t->node[i], cut);
		err = folded_add(f, text, side, n * times);
	}
	free(text);
	return err;
}

/* The windows of the first boot that are explained, by their paths. */
static int add_windows(struct folded *f, const struct explanation *x,
		       unsigned int side, bool cut)
{
	const struct side *s = &x->side[side];
	struct executed *e = &s->boot[0];
	uint64_t *times = calloc(e->profile.paths, sizeof(*times));
	unsigned int last = x->mean ? x->pairs : 1, i;
	size_t path;
	int err = times ? 0 : -ENOMEM;

	for (i = 0; i < last && !err; i += s->boots)
		times[e->profile.window[s->window[i]].path]++;
	for (path = 0; path < e->profile.paths && !err; path++)
		if (times[path])
			err = add_path(f, e, path, times[path], side, cut);
	free(times);
	return err;
}

static int failed(int err)
{
	return err ? fail(err, "cannot write the stacks: %s", strerror(-err)) : 0;
}

int explain_folded(FILE *f, const struct explanation *x, unsigned int side)
{
	struct folded stacks = { 0 };
	int err = add_windows(&stacks, x, side, false);

	if (!err) {
		folded_sort(&stacks);
		err = folded_print(f, &stacks, side);
	}
	folded_free(&stacks);
	return failed(err);
}

int explain_flame(FILE *f, const struct explanation *x)
{
	struct folded stacks = { 0 };
	bool two = x->sides > 1;
	char title[512];
	struct flame how = {
		.title = title,
		.side = { x->side[0].name, two ? x->side[1].name : NULL },
	};
	int err = add_windows(&stacks, x, 0, two);

	if (!err && two)
		err = add_windows(&stacks, x, 1, true);
	snprintf(title, sizeof(title), "Instructions from %.100s to %.100s, %s window%s",
		 x->region ? x->region->start : "the expiry", x->region ? x->region->stop : "t2",
		 x->which, two ? ": the difference" : "");
	if (!err) {
		folded_sort(&stacks);
		err = flame_write(f, &stacks, &how);
	}
	folded_free(&stacks);
	return failed(err);
}
