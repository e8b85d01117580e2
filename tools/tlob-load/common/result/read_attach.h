/* SPDX-License-Identifier: GPL-2.0 */
/* Result files of attach back into memory. */
#ifndef TLOB_RESULT_READ_ATTACH_H
#define TLOB_RESULT_READ_ATTACH_H

#include "result/attach_result.h"
#include "util/json_read.h"

/*
 * Parses a result of attach, with the checks of result_parse(). Windows that are still
 * open are in @r->worst, but not in @r->at. 0, or -EINVAL with the reason in @reader; @r
 * is empty then.
 */
int attach_parse(struct attach_result *r, const char *text, struct reader *reader);

/*
 * Reads a file of run or of attach: @is_attach says which of the two it fills in. 0 or
 * -errno, printed.
 */
int result_load_any(struct result *r, struct attach_result *a, bool *is_attach,
		    const char *path);

/* The same for the text of such a file, which messages call @path. */
int result_parse_any(struct result *r, struct attach_result *a, bool *is_attach,
		     const char *path, const char *json);

/*
 * Makes a result of a run with the same numbers, for a comparison: the time of the region is
 * the response of one CPU, its parts belong to the work phase, and the binding is the work. A
 * window that never ended is a missed expiry: later than all that did. 0 or -ENOMEM.
 */
int attach_as_result(struct result *r, const struct attach_result *a);

/*
 * The same, to be shown: with the worst windows, names, causes, assertions and notes. It borrows
 * from @a, which is @r->region, until attach_view_free(). 0 or -ENOMEM.
 */
int  attach_view(struct result *r, const struct attach_result *a);
void attach_view_free(struct result *r);

/* The word for such a result in @r->workload. */
#define WORKLOAD_ATTACH	"attach"

/* True for what attach_as_result() has made. */
static inline bool result_is_of_attach(const struct result *r)
{
	return r->workload && !strcmp(r->workload, WORKLOAD_ATTACH);
}

#endif /* TLOB_RESULT_READ_ATTACH_H */
