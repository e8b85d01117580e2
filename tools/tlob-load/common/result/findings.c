// SPDX-License-Identifier: GPL-2.0
#include "result/findings.h"

#define TITLE(name, key, title, ...)	[MACHINE_##name] = title,
const char * const machine_count_titles[NR_MACHINE_COUNTS] = { MACHINE_COUNTS(TITLE) };

const char *severity_name(unsigned int severity)
{
	static const char * const names[NR_SEVERITIES] = {
		[SEVERITY_INFO] = "info", [SEVERITY_MEDIUM] = "medium",
		[SEVERITY_HIGH] = "high", [SEVERITY_FATAL] = "fatal",
	};

	return names[severity];
}

const char *status_name(unsigned int status)
{
	static const char * const names[NR_STATUSES] = {
		[STATUS_PASS] = "pass", [STATUS_FINDING] = "finding",
		[STATUS_UNKNOWN] = "unknown", [STATUS_NOTED] = "noted",
		[STATUS_ABSENT] = "absent",
	};

	return names[status];
}

const char *pattern_name(unsigned int pattern)
{
	static const char * const names[NR_PATTERNS] = {
		[PATTERN_PERIODIC] = "periodic", [PATTERN_POLLING] = "polling",
	};

	return names[pattern];
}

const char *outcome_name(unsigned int outcome)
{
	static const char * const names[NR_OUTCOMES] = {
		[EXIT_PASS] = "fit", [EXIT_ERROR] = "undecided", [EXIT_ASSERTION] = "not fit",
	};

	return names[outcome];
}

void findings_count(struct findings_tally *t, const struct finding *at, size_t n)
{
	const struct finding *f;

	*t = (struct findings_tally){ 0 };
	for (f = at; f < at + n; f++) {
		t->findings[f->severity] += f->status == STATUS_FINDING;
		t->unknown[f->severity] += f->status == STATUS_UNKNOWN;
		t->passed += f->status == STATUS_PASS;
		t->noted += f->status == STATUS_NOTED;
		t->absent += f->status == STATUS_ABSENT;
	}
}

unsigned int tally_sum(const unsigned int n[NR_SEVERITIES])
{
	return n[SEVERITY_INFO] + n[SEVERITY_MEDIUM] + n[SEVERITY_HIGH] + n[SEVERITY_FATAL];
}

enum exit_code tally_outcome(const struct findings_tally *t)
{
	if (t->findings[SEVERITY_HIGH] || t->findings[SEVERITY_FATAL])
		return EXIT_ASSERTION;
	if (t->unknown[SEVERITY_HIGH] || t->unknown[SEVERITY_FATAL])
		return EXIT_ERROR;
	return EXIT_PASS;
}

void examination_count(struct examination *e)
{
	findings_count(&e->tally, e->at, e->n);
	e->outcome = tally_outcome(&e->tally);
}
