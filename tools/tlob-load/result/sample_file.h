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
 * The suffix of the name chooses the form: .gz is compressed by zlib, .raw has the records that
 * jitterdebugger writes and jitterplot reads (the wake-up in us; missed expiries are left out).
 */
#ifndef TLOB_RESULT_SAMPLE_FILE_H
#define TLOB_RESULT_SAMPLE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sample_form { SAMPLES_CSV, SAMPLES_GZ, SAMPLES_RAW };

enum sample_verdict { SAMPLE_OK, SAMPLE_VIOLATION, SAMPLE_MISSED };

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

/* 0; -EOPNOTSUPP: this build or this version cannot write it, printed. */
int  sample_form_of(const char *path, enum sample_form *form);

/*
 * Reads struct sample from @from until its end, and writes rows to @to: at most @limit bytes. What
 * does not fit, also on a full disk, is counted, and the file is whole without it.
 */
void sample_convert(int from, int to, enum sample_form form, uint64_t limit, uint64_t period_ns,
		    struct sample_counts *counts);

/* Reads a row without its newline. False: it is none. */
bool sample_parse(const char *line, struct sample *s);

/* Calls @row for each row of a CSV file, compressed or not. 0 or -errno, printed. */
int  sample_each(const char *path, void (*row)(void *data, const struct sample *s), void *data);

#endif /* TLOB_RESULT_SAMPLE_FILE_H */
