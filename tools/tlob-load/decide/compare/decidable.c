// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <string.h>

#include "compare/decidable.h"
#include "compare/decision.h"
#include "options/run_config.h"
#include "util/cpulist.h"
#include "util/units.h"

int add_statistic(const struct value *v, struct statistic s[STATISTICS_MAX], unsigned int *n)
{
	char why[REASON_LEN];
	unsigned int i;

	if (*n == STATISTICS_MAX)
		return value_error(v, "--metric is given more than %d times: leave some out",
				   STATISTICS_MAX);
	if (statistic_parse(&s[*n], v->arg, why, sizeof(why)))
		return value_error(v, "--metric: %s", why);
	for (i = 0; i < *n; i++)
		if (!strcmp(s[i].text, s[*n].text))
			return value_error(v, "--metric %s is given twice", s[i].text);
	++*n;
	return 0;
}

unsigned int default_statistics(struct statistic s[STATISTICS_MAX], bool counted)
{
	static const char * const names[2][4] = {
		{ "p99.9(response)", "miss-rate" },
		{ "p50(wake)", "p99(wake)", "p99.9(wake)", "es99(wake)" },
	};
	char why[REASON_LEN];
	unsigned int n;

	for (n = 0; n < 4 && names[counted][n]; n++)
		if (statistic_parse(&s[n], names[counted][n], why, sizeof(why)))
			break;
	return n;
}

/* The most windows that a CPU can have: every expiry becomes one. */
static uint64_t most_windows(const struct run_config *run)
{
	uint64_t n = run->duration_ns ? run->duration_ns / run->period_ns :
					UINT64_MAX;

	n = n > run->warm_up ? n - run->warm_up : 0;
	return run->windows && run->windows < n ? run->windows : n;
}

static int check_windows(const struct value *v, const struct statistic *s,
			 const struct run_config *run)
{
	uint64_t most = most_windows(run), fewest = statistic_fewest(s);
	char length[DURATION_LEN];

	if (most >= fewest)
		return 0;
	duration_format(length, (fewest + run->warm_up) * run->period_ns);
	return value_error(v, "%s needs %" PRIu64 " windows of each CPU, but a run has %" PRIu64 " at most: give -n %" PRIu64 ", or -d above %s",
			   s->text, fewest, most, fewest, length);
}

/* 1 if they are not named: what a run would measure is not known before it. */
static size_t cpus_of(const struct run_config *run)
{
	struct cpulist cpus;

	return run->cpus && !cpulist_parse(&cpus, run->cpus) ? cpulist_count(&cpus) : 1;
}

int check_decidable(const struct value *v, uint64_t pairs,
		    const struct statistic s[], unsigned int n,
		    const struct run_config *run)
{
	size_t ncpus = cpus_of(run), fewest = decision_fewest_pairs(DEFAULT_ALPHA / n, ncpus);
	char each[48] = "";
	unsigned int i;
	int err = 0;

	if (ncpus > 1)
		snprintf(each, sizeof(each), " of %zu CPUs", ncpus);
	if (pairs < fewest)
		return value_error(v, "%" PRIu64 " pair%s cannot decide on %u metric%s%s: give --pairs %zu or more",
				   pairs, pairs == 1 ? "" : "s", n,
				   n == 1 ? "" : "s", each, fewest);
	for (i = 0; i < n && !err; i++)
		err = check_windows(v, &s[i], run);
	return err;
}
