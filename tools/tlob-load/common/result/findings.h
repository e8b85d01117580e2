/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What doctor found: the rules of its report with their outcomes; and for a run those that were not
 * kept, with the counts of the machine while it ran. These are circumstances: compare does not look
 * at them.
 */
#ifndef TLOB_RESULT_FINDINGS_H
#define TLOB_RESULT_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "util/error.h"

#define FINDINGS_MAX	128		/* as many as a reader takes of each list */

/* From harmless to unusable. A rule with SEVERITY_INFO only records: it is never a finding. */
enum severity { SEVERITY_INFO, SEVERITY_MEDIUM, SEVERITY_HIGH, SEVERITY_FATAL, NR_SEVERITIES };

enum finding_status {
	STATUS_PASS,		/* read, and as wanted */
	STATUS_FINDING,		/* read, and not as wanted */
	STATUS_UNKNOWN,		/* could not be read */
	STATUS_NOTED,		/* read; there is nothing to want */
	STATUS_ABSENT,		/* this machine lacks the thing, which is as good: found says why */
	NR_STATUSES
};

/* The outcomes are the exit codes of doctor, up to EXIT_ASSERTION. */
#define NR_OUTCOMES	(EXIT_ASSERTION + 1)

/* Between two windows the workload sleeps until a timer, or asks again and again. */
enum pattern { PATTERN_PERIODIC = 1, PATTERN_POLLING, NR_PATTERNS };

struct check;

/* A rule, and what it found. A run keeps less of it: see fields_findings.c. */
struct finding {
	const struct check *check;	/* for doctor, while it looks */
	enum severity severity;
	enum finding_status status;
	char	*id, *title;
	char	*path;			/* what was read */
	char	*found;			/* the value, or why there is none */
	char	*tried;			/* what try found about it on this machine; NULL: nothing */
	char	*wanted, *why;
	char	*now, *for_good;	/* how to mend it here, or NULL */
	char	*source;
	bool	 lacks_cpu;		/* an advice is left out: no CPU is left for it. Not in files */
};

/* The number of findings of each severity, and of rules of each status. */
struct findings_tally {
	unsigned int findings[NR_SEVERITIES], unknown[NR_SEVERITIES];
	unsigned int passed, noted, absent;
};

/* The report of doctor. */
struct examination {
	time_t	 started;
	char	*kernel;		/* NULL: unknown */
	char	*cpus;
	enum pattern pattern;
	char	*root;			/* of a copy; NULL: this machine */
	char	*container;		/* the sign of one, or NULL */
	/* From the rules, by examination_count(). */
	enum exit_code outcome;
	struct findings_tally tally;
	struct finding *at;		/* the worst first */
	size_t	 n;
};

/* Counts of one CPU over the run: COUNT(enumerator, key, head of a column, meaning). */
#define MACHINE_COUNTS(COUNT) \
	COUNT(SMI, "smi", "SMIs", "system management interrupts") \
	COUNT(THROTTLED, "throttled", "throttled", "times of throttling because of heat") \
	COUNT(INTERRUPTS, "device_interrupts", "device irqs", "interrupts of devices") \
	COUNT(FAULTS, "page_faults", "page faults", "page faults of the measured thread") \
	COUNT(STEAL, "steal_ticks", "stolen ticks", "ticks that a hypervisor gave to others") \
	COUNT(KHZ_BEFORE, "khz_before", "kHz before", "the frequency before the run") \
	COUNT(KHZ_AFTER, "khz_after", "kHz after", "the frequency after it") \
	COUNT(CYCLES, "nominal_percent", "% of nominal", "the mean frequency while not idle, by APERF and MPERF")

#define MACHINE_COUNT_ENUM(name, ...)	MACHINE_##name,
enum machine_count { MACHINE_COUNTS(MACHINE_COUNT_ENUM) NR_MACHINE_COUNTS };
#undef MACHINE_COUNT_ENUM

extern const char * const machine_count_titles[NR_MACHINE_COUNTS];

struct machine_counts {
	int	 cpu;
	unsigned int known;		/* 1 << enum machine_count; the others are 0 */
	uint64_t value[NR_MACHINE_COUNTS];
};

/* How a finding bears on a window over its budget. */
struct bearing {
	int	 cpu;
	uint64_t activation;		/* of the window */
	char	*id;			/* of the finding */
	char	*text;			/* a sentence without a full stop */
};

enum rt_throttled { RT_THROTTLED_UNKNOWN, RT_THROTTLED_NO, RT_THROTTLED_YES };

struct findings {
	unsigned int rules;		/* that were applied */
	uint64_t took_ns;		/* all of it, before and after the run */
	enum rt_throttled rt_throttled;	/* the kernel said so during the run */
	struct finding *at;		/* what was found, the worst first; then what is unread */
	size_t	 n;
	struct machine_counts *count;
	size_t	 ncounts;
	struct bearing *bearing;	/* the longest response first */
	size_t	 nbearings;
};

void findings_free(struct findings *f);	/* NULL does nothing */

void finding_free(struct finding *f);
void examination_free(struct examination *e);

void findings_count(struct findings_tally *t, const struct finding *at, size_t n);
unsigned int tally_sum(const unsigned int n[NR_SEVERITIES]);

/*
 * Fills the tally and the outcome. EXIT_ASSERTION: a finding is high or fatal; EXIT_ERROR: no such
 * finding, but a rule of such a severity could not be read; EXIT_PASS: neither.
 */
void examination_count(struct examination *e);
enum exit_code tally_outcome(const struct findings_tally *t);

#define EXAMINATION_FORMAT	"tlob-load doctor"

/* docs/reference/doctor.schema.json describes it. 0, -ENOMEM or -EIO. */
int  examination_json(FILE *f, const struct examination *e);

/* "fatal", "high", ...; "pass", "finding", ...; "periodic" or "polling"; "fit", "not fit", ... */
const char *severity_name(unsigned int severity);
const char *status_name(unsigned int status);
const char *pattern_name(unsigned int pattern);
const char *outcome_name(unsigned int outcome);

#endif /* TLOB_RESULT_FINDINGS_H */
