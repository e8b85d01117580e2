// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>

#include "result/result.h"
#include "run/checkpoint.h"
#include "run/collect_local.h"
#include "util/error.h"

/*
 * A kernel thread counts on between the last drain and the reading of its histograms.
 * The file's windows are the samples of its histograms; the run counts records.
 */
static uint64_t match_windows(struct result_cpu *c)
{
	uint64_t records = c->windows, n = c->hist[TLOB_METRIC_RESPONSE].n;

	if (n > records)
		c->windows = n;
	else if (records - n > c->lost)
		c->lost = records - n;
	return records;
}

/* Expiries up to now: expiries of open windows come with their records. */
static int take_expiries(struct collector *c, const struct status *s, uint64_t end_ns)
{
	const struct status_cpu *cpu;
	size_t i;
	int err = 0;

	for (i = 0; i < c->r->ncpus && !err; i++) {
		cpu = status_find(s, c->r->cpu[i].cpu);
		if (!cpu || !cpu->start_ns)
			continue;
		err = collect_expiries(c, s, cpu, i, end_ns);
		c->r->cpu[i].due -= c->r->cpu[i].unaccounted;
		c->r->cpu[i].unaccounted = 0;
	}
	return err;
}

static int write_partial(struct collector *c, uint64_t end_ns,
			 int (*write)(void *data), void *data)
{
	struct status s;
	unsigned int m;
	int err;

	err = collect_status(c, &s);
	if (!err)
		err = take_expiries(c, &s, end_ns);
	status_free(&s);
	if (err)
		return err;
	result_sum(c->r);
	for (m = 0; m < TLOB_NR_METRICS; m++)
		samples_sort(&c->r->exact[m]);
	c->r->partial = true;
	err = write(data);
	c->r->partial = false;
	return err;
}

int checkpoint(struct collector *c, uint64_t end_ns, int (*write)(void *data),
	       void *data)
{
	struct result *r = c->r;
	uint64_t *records = calloc(r->ncpus, sizeof(*records));
	size_t i;
	int err;

	if (!records)
		return fail(-ENOMEM, "out of memory");
	err = collect_snapshot(c);
	for (i = 0; i < r->ncpus && !err; i++)
		records[i] = match_windows(&r->cpu[i]);
	if (!err) {
		err = write_partial(c, end_ns, write, data);
		for (i = 0; i < r->ncpus; i++)
			r->cpu[i].windows = records[i];
	}
	free(records);
	return err;
}
