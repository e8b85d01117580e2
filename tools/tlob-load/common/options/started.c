// SPDX-License-Identifier: GPL-2.0
/* The options of a command that another command starts, such as of run behind the -- of plan. */

#include "options/started.h"
#include "util/process.h"
#include "util/text.h"

static int check_one(const struct value *v, const struct manual_option *o, const char *arg,
		     const char *only)
{
	const char *starter = v->command->name;

	if (arg && !strcmp(arg, "list") && has_word(o->words, arg))
		return value_error(v, "after --: --%s=list prints a list and is not for %s: leave it out",
				   o->name, starter);
	if (only ? has_word(only, o->name) : !has_word(o->not_for, starter))
		return 0;
	if (o->kind == ARGUMENT_FILE || o->kind == ARGUMENT_DIR)
		return value_error(v, "after --: --%s is not for %s, which keeps the results of its runs in --dir: leave it out",
				   o->name, starter);
	if (manual_option_find(v->command, o->name))
		return value_error(v, "after --: --%s is an option of %s itself: put it before --",
				   o->name, starter);
	return value_error(v, "after --: --%s is not for %s: leave it out", o->name, starter);
}

struct checked {
	const struct value *v;
	const char *only;
	int	 err;
};

static int check_next(void *data, const struct manual_option *o, const char *arg)
{
	struct checked *c = data;

	c->err = check_one(c->v, o, arg, c->only);
	return c->err;
}

int options_started(const struct value *v, void *config, int argc, char **argv, const char *only)
{
	const struct manual *m = strcmp(argv[0], "attach") ? &manual_run : &manual_attach;
	struct checked c = { v, only, 0 };
	char why[REASON_LEN] = "";
	int bad;

	/* it stops at what the parser then refuses */
	options_each(m, argc, argv, check_next, &c);
	if (c.err)
		return c.err;
	if (options_parse_at(m, config, argc, argv, why, sizeof(why), &bad))
		return value_error(v, "%s%s", bad && bad >= argc - v->nrest ? "after --: " : "", why);
	return 0;
}

int value_started(const struct value *v, void *to)
{
	call_add(to, "--%s%s%s", v->option->name, v->arg ? "=" : "", v->arg ? v->arg : "");
	return 0;
}

int options_begin(struct call *line, const char *duration, const struct value *v)
{
	struct call run = { 0 };

	call_add(&run, "run");
	call_add(&run, "--duration=%s", duration);
	call_add_all(&run, line->argv, (int)line->n);
	call_add_all(&run, v->rest, v->nrest);
	if (line->err)
		run.err = line->err;
	call_free(line);
	*line = run;
	return run.err ? value_error(v, "out of memory") : 0;
}
