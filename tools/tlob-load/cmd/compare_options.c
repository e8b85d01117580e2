// SPDX-License-Identifier: GPL-2.0
/* Parsing the options of `tlob-load compare` and `gate`, and their help. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/compare_options.h"
#include "cmd/option_value.h"

#define LOOKS_MAX	20

enum {
	OPT_MARGIN = 256,
	OPT_ALPHA, OPT_LOOKS, OPT_FORCE, OPT_JSON, OPT_JUNIT, OPT_KTAP,
	OPT_MARKDOWN, OPT_APPEND, OPT_COMMIT,
};

static const struct option long_options[] = {
	{ "metric",	required_argument, NULL, 'm' },
	{ "margin",	required_argument, NULL, OPT_MARGIN },
	{ "alpha",	required_argument, NULL, OPT_ALPHA },
	{ "looks",	required_argument, NULL, OPT_LOOKS },
	{ "force",	no_argument,	   NULL, OPT_FORCE },
	{ "quiet",	no_argument,	   NULL, 'q' },
	{ "json",	required_argument, NULL, OPT_JSON },
	{ "junit",	required_argument, NULL, OPT_JUNIT },
	{ "ktap",	required_argument, NULL, OPT_KTAP },
	{ "markdown",	required_argument, NULL, OPT_MARKDOWN },
	{ "append",	required_argument, NULL, OPT_APPEND },
	{ "commit",	required_argument, NULL, OPT_COMMIT },
	{ "help",	no_argument,	   NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

#define OPTIONS_OF_BOTH \
"  -m, --metric STAT   statistic that decides (repeatable): pNN(METRIC) or\n" \
"                      avg(METRIC) of the worst CPU, or miss-rate\n" \
"                      [p99.9(response); for counted instructions p50(wake) and\n" \
"                      p99(wake)]\n" \
"      --margin P%     slowdown that does not matter, 0.01% to 1000%; for\n" \
"                      miss-rate P more of 100 expiries  [from the spread of A]\n" \
"      --alpha P%      risk of each wrong verdict, 0.01% to 20%              [5%]\n" \
"      --looks N       how often you may look while pairs are added, 1 to 20;\n" \
"                      each look gets alpha / N; needs --margin               [1]\n" \
"      --force         compare even if settings or tuning differ; the output\n" \
"                      lists the differences\n" \
"      --json FILE     write JSON, see docs/reference/comparison.md\n" \
"      --junit FILE    write JUnit XML\n" \
"      --ktap FILE     write KTAP, the kernel's test format\n" \
"      --markdown FILE write a summary in Markdown\n" \
"      --append FILE   append a line for each run to a CSV file, for tools that\n" \
"                      look for changes in a series\n" \
"      --commit TEXT   the column commit of the lines of B               [empty]\n" \
"  -q, --quiet         print no text, only write the files\n" \
"  -h, --help          print this text\n" \
"FILE may be - for stdout. Defaults are in brackets.\n"

#define HOW_PAIRS \
"Runs are compared in pairs, in the order given: the first of A with the first of\n" \
"B. With twice as many results before --, they are A and A' in turn: a block of\n" \
"A, A' and B is one pair. tlob-load plan writes such blocks, and a script that\n" \
"runs them.\n"

const char compare_help[] =
"Usage: tlob-load compare [OPTION]... A... -- B...\n"
"Decide whether the latencies of B are worse than those of A, from several runs\n"
"of each. One run of each decides nothing.\n"
"\n"
HOW_PAIRS
"\n"
OPTIONS_OF_BOTH
"\n"
"The verdict\n"
"  REGRESSION    slower by more than the margin, beyond chance\n"
"  OK            not slower by more than the margin, beyond chance\n"
"  INCONCLUSIVE  these runs cannot decide; more pairs may\n"
"docs/explanation/statistics.md describes the method and its error rates.\n"
"\n"
"Exit codes\n"
"  0 compared, whatever the verdict   1 error   129 usage\n";

const char gate_help[] =
"Usage: tlob-load gate [OPTION]... A... -- B...\n"
"The same as compare, with an exit code for each verdict, for CI.\n"
"\n"
HOW_PAIRS
"\n"
OPTIONS_OF_BOTH
"\n"
"If the pairs cannot resolve --margin, the verdict is INCONCLUSIVE, with the\n"
"number of pairs that would. A result that is missing or cut off, or whose run\n"
"failed, is an error. Nothing passes without data.\n"
"\n"
"Exit codes\n"
"  0 OK   1 error   2 REGRESSION   3 INCONCLUSIVE   129 usage\n";

static int add_statistic(const struct value *v, struct compare_config *o)
{
	char why[REASON_LEN];
	unsigned int i;

	if (o->nstatistics == STATISTICS_MAX)
		return value_error(v, "--metric is given more than %d times: leave some out",
				   STATISTICS_MAX);
	if (statistic_parse(&o->statistic[o->nstatistics], v->arg, why, sizeof(why)))
		return value_error(v, "--metric: %s", why);
	for (i = 0; i < o->nstatistics; i++)
		if (!strcmp(o->statistic[i].text, o->statistic[o->nstatistics].text))
			return value_error(v, "--metric %s is given twice",
					   o->statistic[i].text);
	o->nstatistics++;
	return 0;
}

static int get_looks(const struct value *v, struct compare_config *o)
{
	uint64_t n = 0;
	int err = value_count(v, 1, LOOKS_MAX, &n);

	o->looks = (unsigned int)n;
	return err;
}

static int get_file(const struct value *v, const char **name)
{
	return value_text(v, "the name of a file, or - for stdout", name);
}

static int set_option(void *data, int val, const struct value *v)
{
	struct compare_config *o = data;

	switch (val) {
	case 'm':
		return add_statistic(v, o);
	case OPT_MARGIN:
		return value_percent(v, 10, &o->margin);
	case OPT_ALPHA:
		return value_percent(v, 0.2, &o->alpha);
	case OPT_LOOKS:
		return get_looks(v, o);
	case OPT_FORCE:
		o->force = true;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case OPT_JSON:
		return get_file(v, &o->json);
	case OPT_JUNIT:
		return get_file(v, &o->junit);
	case OPT_KTAP:
		return get_file(v, &o->ktap);
	case OPT_MARKDOWN:
		return get_file(v, &o->markdown);
	case OPT_APPEND:
		return value_text(v, "the name of a file", &o->append);
	case OPT_COMMIT:
		return value_text(v, "a name", &o->commit);
	case 'h':
		o->help = true;
		return 1;
	}
	return value_error(v, "unknown option --%s", v->name);
}

/* Splits the results into those before and those after --. */
static int split(struct compare_config *o, int argc, char **argv,
		 const struct value *v)
{
	int i = optind;

	o->a = argv + i;
	while (i < argc && strcmp(argv[i], "--"))
		i++;
	o->na = (size_t)(argv + i - o->a);
	if (i == argc)
		return value_error(v, "-- is missing: put it between the results of A and the results of B");
	o->b = argv + i + 1;
	o->nb = (size_t)(argv + argc - o->b);
	for (i++; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return value_error(v, "-- is given twice");
	if (!o->na || !o->nb)
		return value_error(v, "no results %s --", o->na ? "after" : "before");
	if (o->looks > 1 && !(o->margin > 0))
		return value_error(v, "--looks needs --margin: a margin from the spread changes with each look");
	if (o->append && !strcmp(o->append, "-"))
		return value_error(v, "--append cannot write to stdout: give the name of a file");
	return 0;
}

int compare_options_parse(struct compare_config *o, int argc, char **argv,
			  char *err, unsigned int size)
{
	struct value v = { .options = long_options, .err = err, .size = size };
	int ret;

	*o = (struct compare_config){ .alpha = 0.05, .looks = 1 };
	ret = options_read(o, argc, argv, "+:m:qh", &v, set_option);
	if (ret)
		return ret < 0 ? ret : 0;
	/* In "compare -- B" getopt has taken the -- for the end of the options. */
	if (optind > 1 && !strcmp(argv[optind - 1], "--"))
		optind--;
	return split(o, argc, argv, &v);
}
