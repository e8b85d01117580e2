// SPDX-License-Identifier: GPL-2.0
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
"  -m, --metric STAT   what decides (repeatable): pNN(METRIC), avg(METRIC), each\n" \
"                      of the worst CPU, or miss-rate    [p99.9(response); where\n" \
"                      instructions are counted p50(wake) and p99(wake)]\n" \
"      --margin P%     the growth that does not matter, as in 5%; of miss-rate\n" \
"                      that many more of 100 expiries      [from A's own spread]\n" \
"      --alpha P%      the risk of each wrong verdict, 0.01% to 20%          [5%]\n" \
"      --looks N       how often the growing number of pairs may be looked at:\n" \
"                      each look gets alpha / N; 1 to 20, with --margin       [1]\n" \
"      --force         compare though settings or tuning differ, and say so\n" \
"      --json FILE     the comparison for programs, docs/reference/comparison.md\n" \
"      --junit FILE    as a test in JUnit's XML\n" \
"      --ktap FILE     as a test in the kernel's test protocol\n" \
"      --markdown FILE as a summary in Markdown\n" \
"      --append FILE   a line for each run to a CSV, for tools that find changes\n" \
"                      in a series\n" \
"      --commit TEXT   what its column commit is to say of the runs of B\n" \
"  -q, --quiet         no text, only the exit code and the files\n" \
"  -h, --help          this text\n" \
"FILE may be - for stdout.\n"

#define HOW_PAIRS \
"Runs are compared in pairs, in the order given: the first of A with the first of\n" \
"B. With twice as many before --, each two of them are A and A', of one block\n" \
"with a B: tlob-load plan writes such an order, and a script that runs it.\n"

const char compare_help[] =
"Usage: tlob-load compare [OPTION]... A... -- B...\n"
"Decide whether B's latencies are worse than A's, from results of several runs\n"
"of each. The run is the replicate: one of each decides nothing.\n"
"\n"
HOW_PAIRS
"\n"
OPTIONS_OF_BOTH
"\n"
"The verdict\n"
"  REGRESSION    the growth is more than the margin, whichever the luck\n"
"  OK            it is less\n"
"  INCONCLUSIVE  these runs cannot tell: more pairs may\n"
"docs/explanation/statistics.md says how it is found, and how often it is wrong.\n"
"\n"
"Exit codes\n"
"  0 compared, whatever the verdict   1 error   129 usage\n";

const char gate_help[] =
"Usage: tlob-load gate [OPTION]... A... -- B...\n"
"The same as compare, with an exit code for each verdict: for a CI.\n"
"\n"
HOW_PAIRS
"\n"
OPTIONS_OF_BOTH
"\n"
"A named margin that so many pairs of such runs cannot resolve is refused as\n"
"inconclusive, with the number of pairs that could. A result that is missing, cut\n"
"off or of a run that failed is an error, and nothing passes without data.\n"
"\n"
"Exit codes\n"
"  0 OK   1 error   2 REGRESSION   3 INCONCLUSIVE   129 usage\n";

static int add_statistic(const struct value *v, struct compare_config *o)
{
	char why[REASON_LEN];
	unsigned int i;

	if (o->nstatistics == STATISTICS_MAX)
		return value_error(v, "--metric: at most %d", STATISTICS_MAX);
	if (statistic_parse(&o->statistic[o->nstatistics], v->arg, why, sizeof(why)))
		return value_error(v, "--metric: %s", why);
	for (i = 0; i < o->nstatistics; i++)
		if (!strcmp(o->statistic[i].text, o->statistic[o->nstatistics].text))
			return value_error(v, "--metric %s is there twice",
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

/* What is before -- and what is behind it. */
static int split(struct compare_config *o, int argc, char **argv,
		 const struct value *v)
{
	int i = optind;

	o->a = argv + i;
	while (i < argc && strcmp(argv[i], "--"))
		i++;
	o->na = (size_t)(argv + i - o->a);
	if (i == argc)
		return value_error(v, "-- is missing between the results of A and those of B");
	o->b = argv + i + 1;
	o->nb = (size_t)(argv + argc - o->b);
	for (i++; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return value_error(v, "-- is there twice");
	if (!o->na || !o->nb)
		return value_error(v, "no result %s --", o->na ? "behind" : "before");
	if (o->looks > 1 && !(o->margin > 0))
		return value_error(v, "--looks needs a --margin: one that comes from the spread changes from look to look");
	if (o->append && !strcmp(o->append, "-"))
		return value_error(v, "--append adds to a file: give its name");
	return 0;
}

/* The first -- ends the options for getopt: it is looked for before. */
int compare_options_parse(struct compare_config *o, int argc, char **argv,
			  char *err, unsigned int size)
{
	struct value v = { .options = long_options, .err = err, .size = size };
	int ret;

	*o = (struct compare_config){ .alpha = 0.05, .looks = 1 };
	ret = options_read(o, argc, argv, "+:m:qh", &v, set_option);
	if (ret)
		return ret < 0 ? ret : 0;
	/* "compare -- B": getopt has eaten what stands between nothing and B */
	if (optind > 1 && !strcmp(argv[optind - 1], "--"))
		optind--;
	return split(o, argc, argv, &v);
}
