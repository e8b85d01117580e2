/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples: a row for each window of a run, for programs that plot themselves. CSV:
 *
 *	cpu,time_ns,irq_ns,wake_ns,response_ns,verdict
 *	2,1220448217256,571,17722,218891,violation
 *	2,1220449217256,,,,missed
 *
 * time_ns is the expiry t0, CLOCK_MONOTONIC; the others begin there. verdict is ok, violation, or
 * missed: an expiry without a window, which has no times. irq_ns is empty if it is not measured.
 *
 * A file whose name ends with .gz is compressed by zlib.
 */
#ifndef TLOB_RESULT_SAMPLE_FILE_H
#define TLOB_RESULT_SAMPLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLE_HEAD	"cpu,time_ns,irq_ns,wake_ns,response_ns,verdict"
#define SAMPLE_ROW	128U		/* five numbers of 20 digits, a verdict */

enum sample_verdict { SAMPLE_OK, SAMPLE_VIOLATION, SAMPLE_MISSED };
extern const char *const sample_verdicts[];

struct sample {
	uint64_t t0_ns, irq_ns, wake_ns, response_ns;
	uint64_t missed;		/* expiries before it; 0 when it is read */
	uint32_t cpu;
	uint8_t	 verdict;		/* enum sample_verdict */
	uint8_t	 no_irq;		/* irq_ns is not known */
	uint8_t	 unused[2];
};

struct sample_counts {
	uint64_t written, left_out;	/* rows */
	int	 error;			/* -errno of what ended the writing; 0: none, or the limit */
};

/* Sets whether @path is to be compressed. 0; -EOPNOTSUPP: this build cannot write it, printed. */
int  sample_is_gz(const char *path, bool *gz);

/*
 * Reads struct sample from @from until its end, and writes rows to @to: at most @limit bytes. What
 * does not fit, also on a full disk, is counted. After an error the file has the rows that were
 * written, and a compressed one lacks its end.
 */
void sample_convert(int from, int to, bool gz, uint64_t limit, uint64_t period_ns,
		    struct sample_counts *counts);

#endif /* TLOB_RESULT_SAMPLE_FILE_H */
