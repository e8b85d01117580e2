// SPDX-License-Identifier: GPL-2.0
/* `tlob-load gate`: two series of results, or a session and its history. */
#include <string.h>

#include "compare/compare.h"
#include "compare/compare_rows.h"
#include "history/gate.h"
#include "history/names.h"
#include "options/command.h"

#define CONFIG	struct gate_config

/* The rules of a history are fixed, so that its error rates hold. */
static int check_history(struct gate_config *o, const struct value *v)
{
	struct compare_config *c = &o->compare;
	int i;

	if (c->alpha != DEFAULT_ALPHA || c->sequential || c->vary.n || c->force || c->verbose ||
	    c->out[OUT_HTML] || c->append)
		return value_error(v, "--history: leave out --alpha, --sequential, --vary, --force, --verbose, --html and --append");
	for (i = 0; i < v->nrest; i++)
		if (!strcmp(v->rest[i], "--"))
			return value_error(v, "--history needs the results of one session: leave out --");
	if (!v->nrest)
		return value_error(v, "--history needs the results of the new session");
	if (!(c->margin > 0))
		c->margin = SCREEN_MARGIN;
	o->names.commit = c->commit;
	c->a = v->rest;
	c->na = (size_t)v->nrest;
	return 0;
}

static int check(void *config, const struct value *v)
{
	struct gate_config *o = config;

	if (o->history)
		return check_history(o, v);
	if (o->switch_to || o->names.build || o->names.nlabels)
		return value_error(v, "--switch, --build and --label are for --history");
	return compare_check(&o->compare, v);
}

static enum exit_code call(void *config, int argc, char **argv)
{
	struct gate_config *o = config;
	struct gating g;
	int err;

	(void)argc;
	(void)argv;
	if (!o->history)
		return compare_carry_out(&o->compare, true);
	err = compare_check_outputs(&o->compare);
	if (err)
		return exit_code_of(err);
	err = gate_judge(&g, o);
	if (!err)
		err = gate_print(&g);
	gate_end(&g, err);
	return err ? exit_code_of(err) : verdict_exit(g.verdict);
}

static const struct manual_option options[] = {
	{ .title = "With a history",
	  .text = "The session is added to the history and screened. If it is more than 20 % over the median of the last 10 accepted sessions of its machine, settings and tuning, has more episodes than all of them by more than chance, or continues a step upward, its build is measured again against the third last accepted one, or the third last before the step, by plan --sequential --margin 10%. Only a REGRESSION there fails. Until the comparison is made the verdict is INCONCLUSIVE; the same command continues it, also after a reboot." },
	{ TEXT("history", 0, "DIR", history, "the folder of a history"), .kind = ARGUMENT_DIR, .basic = true,
	  .brief = "screen the results of one session with the history in DIR" },
	{ TEXT("switch", 0, "CMD", switch_to, "a command"), .basic = true, .fallback = "none",
	  .brief = "command that boots or starts a build, to confirm",
	  .more = "It is run as sh -c CMD before each run, with {build} replaced, e.g. './boot-kernel {build}'. It must return at once if that build is already running." },
	{ TEXT("build", 0, "NAME", names.build, "a name"),
	  .fallback = "--commit, else the kernel's release", .brief = "the build of the session, for {build}" },
	SESSION_LABEL_OPTION,
	{ .title = "Options", .after = "FILE may be - for stdout." },
	COMPARISON_OPTIONS(compare.),
	HELP_OPTION,
	{ 0 },
};

const struct manual manual_gate = {
	.name = "gate",
	.summary = "compare for CI, with an exit code for each verdict",
	.usage = { "gate [OPTION]... A... -- B...", "gate --history DIR [OPTION]... RESULT..." },
	.operands = ARGUMENT_FILE,
	.brief = "The same as compare, with an exit code for each verdict, for CI. With --history, decide on one session by what its machine measured before.",
	.more = COMPARED_PAIRS "\nA result that is missing or cut off, or whose run failed, is an error. Nothing passes without data.\nRuns of A that all came before those of B are INCONCLUSIVE: for successive nights, use --history.\n" COMPARED_ATTACH,
	.options = options,
	.exits = ENTRIES({ "0", "OK" }, { "1", "error" }, { "2", "REGRESSION" },
			 { "3", "INCONCLUSIVE" }, { "129", "usage error" }),
	.examples = ENTRIES(
		{ "tlob-load gate before-*.json -- after-*.json",
		  "Is the change worse? With the results of tlob-load plan:" },
		{ "for i in 1 2 3 4 5; do tlob-load run -q -c 2-3 -d 1m --json night-$i.json; done",
		  "A nightly job: five runs," },
		{ "tlob-load gate --history nights night-*.json",
		  "and the nights before; the first are INCONCLUSIVE:" }),
	.size = sizeof(CONFIG),
	.defaults = &(const CONFIG){ .compare = { .alpha = DEFAULT_ALPHA } },
	.options_first = true,
	.check = CALL(check),
};

const struct command cmd_gate = { .manual = &manual_gate, .run = CALL(call) };
