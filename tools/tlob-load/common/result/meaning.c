// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/meaning.h"
#include "util/host.h"
#include "util/memstream.h"
#include "util/text.h"
#include "util/units.h"

static bool is_real_time(const char *policy)
{
	return begins_with(policy, "fifo") || begins_with(policy, "rr") || begins_with(policy, "deadline");
}

void result_put_conditions(FILE *f, const void *data)
{
	const struct result *r = data;
	char time[DURATION_LEN];

	if (r->policy && *r->policy)
		fprintf(f, "%s%s, ", is_real_time(r->policy) ? "" : "policy ", r->policy);
	if (r->work && *r->work)
		fprintf(f, "%s ", r->work);
	if (r->period_ns)
		fprintf(f, "every %s, ", duration_prose_exact(time, r->period_ns));
	fprintf(f, "budget %s", duration_prose_exact(time, r->budget_ns));
	if (r->cpus && *r->cpus)
		fprintf(f, ", CPUs %s", r->cpus);
	if (r->backend)
		fprintf(f, ", backend %s", r->backend);
}

char *result_conditions(const struct result *r)
{
	return memstream_of(result_put_conditions, r);
}

/* A region of a program has the policies of its threads, which no field names. */
static bool has_policy(const struct result *r)
{
	return r->policy && *r->policy && r->workload && *r->workload;
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
	return err ? err : add_virtual(r, list);
}

const char *result_undecidable(const struct result *r, char buf[MEANING_LINE])
{
	if (!has_policy(r) || !r->policy_asked || is_real_time(r->policy))
		return NULL;
	snprintf(buf, MEANING_LINE, "measured with policy %.30s, because %.30s was not permitted: that says nothing about %.30s",
		 r->policy, r->policy_asked, r->policy_asked);
	return buf;
}
