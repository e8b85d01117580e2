// SPDX-License-Identifier: GPL-2.0
/* `tlob-load search`: its options, and what it prints and writes. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/option_value.h"
#include "cmd/run_options.h"
#include "page/search.h"
#include "ranges.h"
#include "util/file.h"
#include "verdict/search.h"

#define WINDOWS_MAX	1000000000ULL

enum { OPT_MISS = 256, OPT_FOR, OPT_RESOLUTION, OPT_JSON, OPT_HTML };
enum { OUT_JSON, OUT_HTML, NR_OUTPUTS };

struct search_options {
	struct search search;
	const char *out[NR_OUTPUTS];
	enum help_wanted help;
};

static const char short_options[] = ":b:n:qh";

static const struct option long_options[] = {
	{ "for",	required_argument, NULL, OPT_FOR },
	{ "budget",	required_argument, NULL, 'b' },
	{ "miss",	required_argument, NULL, OPT_MISS },
	{ "resolution",	required_argument, NULL, OPT_RESOLUTION },
	{ "windows",	required_argument, NULL, 'n' },
	{ "json",	required_argument, NULL, OPT_JSON },
	{ "html",	required_argument, NULL, OPT_HTML },
	{ "quiet",	no_argument,	   NULL, 'q' },
	{ "help",	optional_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int set_option(void *data, int val, const struct value *v)
{
	struct search_options *o = data;
	struct search *s = &o->search;

	switch (val) {
	case OPT_FOR:
		s->period = !strcmp(v->arg, "period");
		if (!s->period && strcmp(v->arg, "work"))
			return value_error(v, "--for '%s': give work or period", v->arg);
		return 0;
	case 'b':
		return value_duration(v, TLOB_BUDGET_MIN, TLOB_BUDGET_MAX, &s->budget_ns);
	case OPT_MISS:
		return value_miss(v, &s->miss);
	case OPT_RESOLUTION:
		return value_percent(v, 0.5, &s->resolution);
	case 'n':
		return value_count(v, 1, WINDOWS_MAX, &s->windows);
	case OPT_JSON:
		return value_output(v, &o->out[OUT_JSON]);
	case OPT_HTML:
		return value_output(v, &o->out[OUT_HTML]);
	case 'q':
		s->quiet = true;
		return 0;
	case 'h':
		return value_help(v, &o->help);
	}
	return value_error(v, "unknown option --%s", v->name);
}

/* What varies must come from the search, and what does not from the options of run. */
static int take_run_options(struct search *s, char **argv, const struct value *v)
{
	char why[REASON_LEN];
	struct run_config r;

	argv[-1] = (char *)"run";
	if (run_options_parse(&r, s->noptions + 1, argv - 1, why, sizeof(why)))
		return value_error(v, "options of run: %s", why);
	if (r.json || r.windows || r.duration_ns || r.nstop_on || r.nassertion)
		return value_error(v, "options of run: search sets --windows and --json, and takes no --duration, --stop-on and --assert");
	if (run_options_only_print(&r))
		return value_error(v, "options of run: --tune=list, --functions=list, --help and --version are not for search: leave them out");
	s->work = r.work;
	if (!s->period && (r.work.type == TLOB_WORK_NONE || r.work.type == TLOB_WORK_PHASES))
		return value_error(v, "options of run: --work %s has no amount that search could change", r.work_text);
	s->first = s->period ? r.period_ns : r.work.amount;
	/* without --budget it is the period, which varies with --for period */
	if (!s->budget_ns && !s->period)
		s->budget_ns = r.budget_ns;
	return 0;
}

static int parse_options(struct search_options *o, int argc, char **argv, char *err, unsigned int size)
{
	struct value v = { .options = long_options, .err = err, .size = size };
	struct search *s = &o->search;
	uint64_t least;
	int ret;

	*o = (struct search_options){ .search = { .miss = 1e-4, .resolution = 0.01 } };
	ret = options_read(o, argc, argv, short_options, &v, set_option);
	if (ret)
		return ret < 0 ? ret : 0;
	if (optind < argc && strcmp(argv[optind - 1], "--"))
		return value_error(&v, "extra argument '%.60s': put the options of run after --", argv[optind]);
	s->options = argv + optind;
	s->noptions = argc - optind;
	ret = take_run_options(s, argv + optind, &v);
	if (ret)
		return ret;
	least = search_windows(s->miss);
	if (!s->windows)
		s->windows = least;
	if (s->windows < least)
		return value_error(&v, "--windows %llu cannot show a share below %g with 95 %% confidence: give %llu or more",
				   (unsigned long long)s->windows, s->miss, (unsigned long long)least);
	if (o->out[OUT_JSON] && o->out[OUT_HTML] && !strcmp(o->out[OUT_JSON], o->out[OUT_HTML]))
		return value_error(&v, "--json and --html both write to %s: give two names", o->out[OUT_JSON]);
	return 0;
}

static int write_outputs(struct output out[], const struct search *s)
{
	static int (*const write[NR_OUTPUTS])(FILE *f, const struct search *s) = {
		[OUT_JSON] = search_json, [OUT_HTML] = page_search,
	};
	bool stdout_taken = out[OUT_JSON].f == stdout || out[OUT_HTML].f == stdout;
	int err = search_text(stdout_taken ? stderr : stdout, s), i;

	for (i = 0; i < NR_OUTPUTS; i++) {
		if (!out[i].f)
			continue;
		keep_error(&err, write[i](out[i].f, s));
		keep_error(&err, output_commit(&out[i]));
	}
	if (fflush(stdout))
		keep_error(&err, -errno);
	return err ? fail(err, "cannot write what was found: %s", strerror(-err)) : 0;
}

static enum exit_code carry_out(struct search_options *o)
{
	char dir[PATH_MAX];
	struct output out[NR_OUTPUTS] = { 0 };
	enum exit_code code;
	int err = outputs_open(out, o->out, NR_OUTPUTS), claim;

	if (err)
		return exit_code_of(err);
	if (snprintf(dir, sizeof(dir), "%s/" SEARCH_DIR "XXXXXX", file_temporary_dir()) >= (int)sizeof(dir)) {
		code = exit_code_of(fail(-ENAMETOOLONG, "TMPDIR=%.60s...: the name is too long", dir));
	} else if (!mkdtemp(dir)) {
		code = exit_code_of(fail(-errno, "%s: %s", dir, strerror(errno)));
	} else {
		claim = search_claim(dir);
		search_sweep();
		code = search_carry_out(&o->search, dir);
		if ((code == EXIT_PASS || code == EXIT_ASSERTION) && write_outputs(out, &o->search))
			code = EXIT_ERROR;
		remove(dir);
		if (claim >= 0)
			close(claim);
	}
	/* an old answer must not pass for that of a search which failed */
	if (code != EXIT_PASS && code != EXIT_ASSERTION)
		outputs_remove(out, NR_OUTPUTS);
	outputs_discard(out, NR_OUTPUTS);
	return code;
}

static enum exit_code call(int argc, char **argv)
{
	struct search_options o;
	char line[REASON_LEN + 64];

	if (parse_options(&o, argc, argv, line, sizeof(line)))
		return command_usage(&cmd_search, line);
	if (o.help)
		return command_help(&cmd_search, o.help);
	return carry_out(&o);
}

const struct command cmd_search = {
	.name = "search",
	.manual = &manual_search,
	.options = long_options,
	.letters = short_options,
	.run = call,
};
