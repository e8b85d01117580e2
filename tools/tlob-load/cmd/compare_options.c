// SPDX-License-Identifier: GPL-2.0
/* Parsing the options of `tlob-load compare` and `gate`. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/compare_options.h"
#include "cmd/decidable.h"
#include "cmd/option_value.h"

enum {
	OPT_MARGIN = 256,
	OPT_ALPHA, OPT_SEQUENTIAL, OPT_VARY, OPT_FORCE, OPT_JSON, OPT_JUNIT, OPT_KTAP,
	OPT_MARKDOWN, OPT_HTML, OPT_APPEND, OPT_COMMIT,
};

const char compare_short_options[] = "+:m:vqh";

const struct option compare_long_options[] = {
	{ "metric",	required_argument, NULL, 'm' },
	{ "margin",	required_argument, NULL, OPT_MARGIN },
	{ "alpha",	required_argument, NULL, OPT_ALPHA },
	{ "sequential",	no_argument,	   NULL, OPT_SEQUENTIAL },
	{ "vary",	required_argument, NULL, OPT_VARY },
	{ "force",	no_argument,	   NULL, OPT_FORCE },
	{ "quiet",	no_argument,	   NULL, 'q' },
	{ "verbose",	no_argument,	   NULL, 'v' },
	{ "json",	required_argument, NULL, OPT_JSON },
	{ "junit",	required_argument, NULL, OPT_JUNIT },
	{ "ktap",	required_argument, NULL, OPT_KTAP },
	{ "markdown",	required_argument, NULL, OPT_MARKDOWN },
	{ "html",	required_argument, NULL, OPT_HTML },
	{ "append",	required_argument, NULL, OPT_APPEND },
	{ "commit",	required_argument, NULL, OPT_COMMIT },
	{ "help",	optional_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

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

static int get_file(const struct value *v, const char **name)
{
	return value_output(v, name);
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
	case OPT_VARY:
		return value_vary(v, &o->vary);
	case OPT_SEQUENTIAL:
		o->sequential = true;
		return 0;
	case OPT_FORCE:
		o->force = true;
		return 0;
	case 'q':
		o->quiet = true;
		return 0;
	case 'v':
		o->verbose = true;
		return 0;
	case OPT_JSON:
		return get_file(v, &o->json);
	case OPT_JUNIT:
		return get_file(v, &o->junit);
	case OPT_KTAP:
		return get_file(v, &o->ktap);
	case OPT_MARKDOWN:
		return get_file(v, &o->markdown);
	case OPT_HTML:
		return get_file(v, &o->html);
	case OPT_APPEND:
		return value_text(v, "the name of a file", &o->append);
	case OPT_COMMIT:
		return value_text(v, "a name", &o->commit);
	case 'h':
		return value_help(v, &o->help);
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
	for (i = optind; i < argc; i++)
		if (*argv[i] == '-' && argv[i][1] && strcmp(argv[i], "--"))
			return value_error(v, "%s stands behind a result: put options before the first one, and give a file of that name as ./%s",
					   argv[i], argv[i]);
	if (!o->na || !o->nb)
		return value_error(v, "no results %s --", o->na ? "after" : "before");
	if (o->sequential && !(o->margin > 0))
		return value_error(v, "--sequential needs --margin: a margin from the spread changes with each look");
	if (o->append && !strcmp(o->append, "-"))
		return value_error(v, "--append cannot write to stdout: give the name of a file");
	return 0;
}

int compare_options_parse(struct compare_config *o, int argc, char **argv,
			  char *err, unsigned int size)
{
	struct value v = { .options = compare_long_options, .err = err, .size = size };
	int ret;

	*o = (struct compare_config){ .alpha = DEFAULT_ALPHA };
	ret = options_read(o, argc, argv, compare_short_options, &v, set_option);
	if (ret)
		return ret < 0 ? ret : 0;
	/* In "compare -- B" getopt has taken the -- for the end of the options. */
	if (optind > 1 && !strcmp(argv[optind - 1], "--"))
		optind--;
	return split(o, argc, argv, &v);
}
