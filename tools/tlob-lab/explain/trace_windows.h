/* SPDX-License-Identifier: GPL-2.0 */
/* The windows of a run as its trace has them. Pure: no I/O. */
#ifndef TLOB_EXPLAIN_TRACE_WINDOWS_H
#define TLOB_EXPLAIN_TRACE_WINDOWS_H

#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

struct record {
	uint64_t activation;
	uint64_t t0;			/* ns of CLOCK_MONOTONIC */
	uint64_t irq, wake, response;	/* ns from t0 to t1, t2 and t3; of a region 0, 0 and elapsed */
	uint64_t part[TLOB_NR_PARTS];	/* ns */
	uint32_t flags;			/* TLOB_WINDOW_* */
	uint32_t step;			/* of the clock, ns: each time is a multiple of it, rounded down */
};

struct records {
	struct record *record;
	size_t	 n;
};

/*
 * None of both readers knows a record's step: it is 1.
 *
 * Reads the events tlob_window of a trace, which are all that `run --trace` writes. 0, -ENOMEM, or
 * -EINVAL with what is wrong in @why, also if the trace has lost events.
 */
int  records_read(struct records *r, const char *trace, char *why, size_t size);

/*
 * Reads what `attach --windows` writes: the windows over a region, which begin at t0 = t2 and end
 * at t3. 0, -ENOMEM, or -EINVAL with what is wrong in @why, also if windows overlap or were cut.
 */
int  records_read_region(struct records *r, const char *windows, char *why, size_t size);
void records_free(struct records *r);

#endif /* TLOB_EXPLAIN_TRACE_WINDOWS_H */
