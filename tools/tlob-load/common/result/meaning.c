// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/attached.h"
#include "result/meaning.h"
#include "util/host.h"
#include "util/memstream.h"
#include "util/text.h"
#include "util/units.h"

static bool is_real_time(const char *policy)
{
	return begins_with(policy, "fifo") || begins_with(policy, "rr") || begins_with(policy, "deadline");
}

void result_each_condition(const struct result *r, condition_put put, void *to)
{
	char period[DURATION_LEN] = "", budget[DURATION_LEN];
	const struct {
		const char *key, *before, *value;
		bool joins;		/* what came before it */
	} at[] = {
		{ "policy", r->policy && is_real_time(r->policy) ? "" : "policy ", r->policy, false },
		{ "work", "", r->work, false },
		{ "period", "every ", period, r->work && *r->work },
		{ "budget", "budget ", budget, false },
		{ "cpus", "CPUs ", r->cpus, false },
		{ "backend", "backend ", r->backend, false },
		{ "dma_latency", "dma_latency ", r->dma_latency, false },
		{ "tune", "tuned: ", r->tune, false },
		{ "load", "load ", r->load, false },
		{ "load_cpus", "on CPUs ", r->load_cpus, true },
	};
	bool any = false;
	size_t i;

	if (r->period_ns)
		duration_prose_exact(period, r->period_ns);
	duration_prose_exact(budget, r->budget_ns);
	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		if (!at[i].value || !*at[i].value)
			continue;
		put(to, !any ? "" : at[i].joins ? " " : ", ", at[i].before, at[i].key, at[i].value);
		any = true;
	}
}

static void put_word(void *to, const char *between, const char *before, const char *key, const char *value)
{
	(void)key;
	fprintf(to, "%s%s%s", between, before, value);
}

void result_put_conditions(FILE *f, const void *data)
{
	result_each_condition(data, put_word, f);
}

char *result_conditions(const struct result *r)
{
	return memstream_of(result_put_conditions, r);
}

/* A region of a program has the policies of its threads, which no field names. */
static bool has_policy(const struct result *r)
{
	return r->policy && *r->policy && r->workload && *r->workload && !r->attached;
}

/* Adds the line unless the list has it: many runs have the same reason. */
__attribute__((format(printf, 2, 3)))
static int add(char ***list, const char *fmt, ...)
{
	char line[512], **at;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	for (at = *list; at && *at; at++)
		if (!strcmp(*at, line))
			return 0;
	return notes_add(list, "%s", line);
}

static int add_policy(const struct result *r, char ***list)
{
	if (!has_policy(r))
		return 0;
	if (r->policy_asked)
		return add(list, "policy %s, because %s was not permitted", r->policy, r->policy_asked);
	return is_real_time(r->policy) ? 0 :
	       add(list, "policy %s, as asked for: any other task may delay the windows", r->policy);
}

/* In steps, so that many runs have few lines. */
static int add_inexact(const struct result *r, char ***list)
{
	static const unsigned int steps[] = { 1, 10 };
	const struct result_cpu *all = &r->all;
	unsigned int i;

	if (!all->inexact || !all->windows)
		return 0;
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if ((double)all->inexact * 100 < (double)all->windows * steps[i])
			return add(list, "parts are inexact in less than %u %% of the windows", steps[i]);
	return add(list, "parts are inexact in 10 %% of the windows or more");
}

static int add_verdicts(const struct result *r, char ***list)
{
	const struct verdicts v = verdicts_of(&r->assertions, &r->said);
	int err = 0;

	if (v.failed)
		err = add(list, "a run failed %u assertion%s", v.failed, v.failed == 1 ? "" : "s");
	if (!err && v.undecided)
		err = add(list, "a run left %u assertion%s undecided", v.undecided, v.undecided == 1 ? "" : "s");
	return err;
}

/* A run notes it, unless it counts instructions. doctor never has it as a finding. */
static int add_virtual(const struct result *r, char ***list)
{
	char **note;

	for (note = r->notes; note && *note; note++)
		if (strstr(*note, HOST_VIRTUAL))
			return add(list, "measured in a virtual machine: its host may take the CPUs");
	return 0;
}

int result_lowered(const struct result *r, char ***list)
{
	int err = add_policy(r, list);

	if (!err && r->policy_changed)
		err = add(list, "another process changed the policy to %s", r->policy_changed);
	if (!err && r->partial)
		err = add(list, "a run had not ended when its result was written");
	if (!err && r->stopped_by)
		err = add(list, "a run was cut short by %s", r->stopped_by);
	if (!err && r->tune_left_out)
		err = add(list, "settings that could not be changed: %s", r->tune_left_out);
	if (!err && r->limits.nr_throttled)
		err = add(list, "throttled by a limit on the CPU time: %s", r->limits.by ? r->limits.by : "unknown");
	if (!err)
		err = add_inexact(r, list);
	if (!err)
		err = add_verdicts(r, list);
	return err ? err : add_virtual(r, list);
}

/* Nobody knows whether windows that were not measured were late. */
static const char *too_few_measured(const struct result *r, char buf[MEANING_LINE])
{
	uint64_t of = r->all.windows + r->all.missed + r->all.unmeasured;
	char n[COUNT_LEN], all[COUNT_LEN];

	if ((double)r->all.unmeasured * 1e6 <= (double)r->attached->unmeasured_most * (double)of)
		return NULL;
	snprintf(buf, MEANING_LINE, "%s of %s windows were not measured, more than %g %%: events of their threads are missing",
		 count_prose(n, r->all.unmeasured), count_prose(all, of), (double)r->attached->unmeasured_most / 10000);
	return buf;
}

const char *result_unpaired(const struct result *r, char buf[MEANING_LINE])
{
	const struct attached *a = r->attached;
	const struct result_cpu *c = &r->all;
	bool bpf = r->backend && !strcmp(r->backend, "bpf");
	const struct {
		uint64_t n;
		const char *what;
	} at[] = {
		{ c->left, "windows left before their stop" },
		/* the module also counts the stops of threads that were inside as it began */
		{ bpf ? c->unmatched : 0, "stops without a start" },
		{ a && a->ended ? c->unfinished : 0, "windows without an end" },
		{ c->no_slot, "starts without a free slot" },
	};
	size_t i, n = 0;

	if (!a || a->of_threads)
		return NULL;
	for (i = 0; i < sizeof(at) / sizeof(*at) && n < MEANING_LINE; i++)
		if (at[i].n)
			n += (size_t)snprintf(buf + n, MEANING_LINE - n, "%s%s: %" PRIu64, n ? ", " : "", at[i].what,
					      at[i].n);
	return n ? buf : NULL;
}

const char *result_undecidable(const struct result *r, char buf[MEANING_LINE])
{
	if (r->attached)
		return result_unpaired(r, buf) ? buf : too_few_measured(r, buf);
	if (!has_policy(r) || !r->policy_asked || is_real_time(r->policy))
		return NULL;
	snprintf(buf, MEANING_LINE, "measured with policy %.30s, because %.30s was not permitted: that says nothing about %.30s",
		 r->policy, r->policy_asked, r->policy_asked);
	return buf;
}
