// SPDX-License-Identifier: GPL-2.0
/* Values of options: durations, counts, texts, percentages, conditions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/option_value.h"
#include "help/peer_options.h"
#include "util/near.h"
#include "util/units.h"

/* Room for the names of some options. */
#define NAMES_LEN	120

#define MISS_MIN	1e-7
#define MISS_MAX	0.5

const char *value_name(const struct value *v, int val)
{
	const struct option *o = v->options;

	while (o->name && o->val != val)
		o++;
	return o->name;
}

int value_duration(const struct value *v, uint64_t min, uint64_t max,
		   uint64_t *ns)
{
	char reason[REASON_LEN], lo[DURATION_LEN], hi[DURATION_LEN];
	/* people think of the length of a run in seconds, or longer */
	uint64_t likely = max == NO_LIMIT ? NSEC_PER_SEC : min;
	uint64_t val;

	if (duration_parse_within(v->arg, likely, max, &val, reason, sizeof(reason)))
		return value_error(v, "--%s: %s", v->name, reason);
	if (val >= min && val <= max) {
		*ns = val;
		return 0;
	}
	if (max == NO_LIMIT)
		return value_error(v, "--%s %s is too short: give %s or more",
				   v->name, v->arg, duration_exact(lo, min));
	return value_error(v, "--%s %s is out of range: give %s to %s", v->name,
			   v->arg, duration_exact(lo, min),
			   duration_exact(hi, max));
}

int value_progress(const struct value *v, uint64_t *ns)
{
	*ns = 0;
	return strcmp(v->arg, "off") ?
	       value_duration(v, 100 * NSEC_PER_MSEC, NO_LIMIT, ns) : 0;
}

int value_count(const struct value *v, uint64_t min, uint64_t max,
		uint64_t *n)
{
	uint64_t val = 0;
	int err = count_parse(v->arg, &val);

	if (err != -EINVAL && (err || val < min || val > max))
		return value_error(v, "--%s %s is out of range: give %" PRIu64 " to %" PRIu64,
				   v->name, v->arg, min, max);
	if (err)
		return value_error(v, "--%s: invalid number '%s': give a whole number from %" PRIu64 " to %" PRIu64,
				   v->name, v->arg, min, max);
	*n = val;
	return 0;
}

int value_text(const struct value *v, const char *what, const char **text)
{
	if (!*v->arg)
		return value_error(v, "--%s is empty: give %s", v->name, what);
	*text = v->arg;
	return 0;
}

int value_output(const struct value *v, const char **file)
{
	return value_text(v, "the name of a file, or - for stdout", file);
}

int value_miss(const struct value *v, double *miss)
{
	char *end;
	double x = strtod(v->arg, &end);

	if (end != v->arg && !strcmp(end, "%")) {
		x /= 100;
		end++;
	}
	if (end == v->arg || *end || !(x >= MISS_MIN && x <= MISS_MAX))
		return value_error(v, "--%s %s: give a share of 1e-7 to 0.5, as in 1e-4 or 0.01%%", v->name, v->arg);
	*miss = x;
	return 0;
}

int value_help(const struct value *v, enum help_wanted *help)
{
	if (v->arg && strcmp(v->arg, "all"))
		return value_error(v, "--help=%s: unknown part '%s': give --help or --help=all",
				   v->arg, v->arg);
	*help = v->arg ? HELP_ALL : HELP_SHORT;
	return 1;
}

int value_vary(const struct value *v, struct vary *vary)
{
	char why[REASON_LEN];

	return vary_add(vary, v->arg, why, sizeof(why)) ?
	       value_error(v, "--vary: %s", why) : 0;
}

int value_condition(const struct value *v, condition_parser parse, struct condition list[],
	       unsigned int *n)
{
	char reason[REASON_LEN];

	if (*n == CONDITIONS_MAX)
		return value_error(v, "--%s is given more than %d times: leave some out",
				   v->name, CONDITIONS_MAX);
	if (parse(&list[*n], v->arg, reason, sizeof(reason)))
		return value_error(v, "--%s '%s': %s", v->name, v->arg, reason);
	(*n)++;
	return 0;
}

int value_bind_functions(const struct value *v, const struct function_requests *requests,
			 struct condition *list, unsigned int n)
{
	unsigned int i, set;

	for (i = 0; i < n; i++) {
		if (!condition_is_function(&list[i]))
			continue;
		for (set = 0; set < requests->n; set++)
			if (condition_bind(&list[i], requests->at[set].name, set))
				break;
		if (set == requests->n)
			return value_error(v, "'%s': there is no set %s: give --functions %s=PATTERN",
					   list[i].text, list[i].function, list[i].function);
	}
	return 0;
}

/* "--hist or --housekeeping": the options that begin with @word, at most three. */
static unsigned int beginning(const struct value *v, const char *word, char names[NAMES_LEN])
{
	const size_t n = strcspn(word, "=");
	const struct option *o;
	unsigned int found = 0;
	size_t len = 0;

	*names = 0;
	for (o = v->options; o->name; o++) {
		if (strncmp(o->name, word, n))
			continue;
		if (found++ < 3)
			len += (size_t)snprintf(names + len, NAMES_LEN - len, "%s--%s",
						found > 1 ? " or " : "", o->name);
	}
	return found;
}

/* The option whose name is nearest to @word, or NULL. */
static const char *nearest(const struct value *v, const char *word)
{
	const struct option *o;
	const char *name = NULL;
	unsigned int best = NEAR_NOT, d;
	char wanted[NAMES_LEN];

	snprintf(wanted, sizeof(wanted), "%.*s", (int)strcspn(word, "="), word);
	for (o = v->options; o->name; o++) {
		d = near_edits(o->name, wanted);
		if (d < best) {
			best = d;
			name = o->name;
		}
	}
	return name;
}

/* getopt_long() does not know @word, as in -x or --word=value. */
static int unknown_option(const struct value *v, const char *word)
{
	const char *peer = peer_option(v->options, word), *name;
	char names[NAMES_LEN];

	if (peer)
		return value_error(v, "unknown option %s: %s", word, peer);
	if (strncmp(word, "--", 2))
		return value_error(v, "unknown option %s", word);
	if (beginning(v, word + 2, names) > 1)
		return value_error(v, "ambiguous option %s: %s", word, names);
	name = nearest(v, word + 2);
	if (name)
		return value_error(v, "unknown option %s: did you mean --%s?", word, name);
	return value_error(v, "unknown option %s", word);
}

int value_bad(const struct value *v, int c, const char *word)
{
	const char *name = optopt ? value_name(v, optopt) : NULL;
	const char letter[] = { '-', (char)optopt, 0 };

	if (c == ':')
		return value_error(v, "--%s needs a value", name);
	if (name)			/* --quiet=yes */
		return value_error(v, "--%s takes no value", name);
	return unknown_option(v, optopt ? letter : word);
}

/* strtod() also accepts nan, 0x1 and 1e1, so the characters are checked first. */
int value_percent(const struct value *v, double max, double *share)
{
	size_t n = strspn(v->arg, "0123456789.");
	char *end;
	double x;

	x = strtod(v->arg, &end);
	if (!n || n > 12 || end != v->arg + n || strcmp(end, "%"))
		return value_error(v, "--%s: invalid percentage '%s': give one as in 5%%",
				   v->name, v->arg);
	x /= 100;
	if (!(x >= 0.0001) || x > max)
		return value_error(v, "--%s %s is out of range: give 0.01%% to %g%%",
				   v->name, v->arg, 100 * max);
	*share = x;
	return 0;
}

int options_read(void *o, int argc, char **argv, const char *letters,
		 struct value *v, option_setter set)
{
	int c, ret = 0;

	opterr = 0;
	optind = 0;			/* glibc: start again */
	while (!ret && (c = getopt_long(argc, argv, letters, v->options,
					NULL)) != -1) {
		if (c == '?' || c == ':')
			return value_bad(v, c, argv[optind - 1]);
		v->name = value_name(v, c);
		v->arg = optarg;
		ret = set(o, c, v);
	}
	return ret;
}
