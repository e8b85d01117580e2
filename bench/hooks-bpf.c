// SPDX-License-Identifier: GPL-2.0
/*
 * Measures what the BPF programs of the backend bpf add to a context switch, to an
 * interrupt and to a wake-up on CPU 0, as hooks.c does for the module. Needs
 * tests/modules/inject. Prints lines "bpf STATE switch-ns irq-ns wakeup-ns". The states are
 * set by hand in the cell, as a thread and its timer would leave them.
 */
#define _GNU_SOURCE
#include <stdio.h>

#include <linux/types.h>

#include "measure.h"

static inline __u64 tlob_cell_clock(void)
{
	return now_ns();
}

struct tlob_cell;

static inline __u64 tlob_cell_steal(const struct tlob_cell *c);

#include "backend/bpf.h"
#include "backend/bpf/cell.h"

static inline __u64 tlob_cell_steal(const struct tlob_cell *c)
{
	return c->steal;
}

#define FAR_NS		3600000000000ULL
#define NOBODY		0x3fffffff	/* a pid beyond all */

/* Without programs. */
static struct {
	double of_switch, of_irq, of_wakeup;
} base;

static void report(const char *state)
{
	double s = one_switch(NULL, NULL), t = one_irq(), w = one_wakeup();

	printf("bpf %s %.1f %.1f %.1f\n", state, s - base.of_switch, t - base.of_irq,
	       w - base.of_wakeup);
}

int main(void)
{
	struct bpf bpf = { 0 };
	struct tlob_cell *c;
	__u64 now;

	pin();
	/* twice, since the first time may allocate */
	one_switch(NULL, NULL);
	base.of_switch = one_switch(NULL, NULL);
	base.of_irq = one_irq();
	base.of_wakeup = one_wakeup();
	printf("bpf none %.1f %.1f %.1f\n", base.of_switch, base.of_irq, base.of_wakeup);

	if (bpf_object_open(&bpf))
		return 1;
	c = &bpf.cells[0];
	report("not_measured");

	c->pid = NOBODY;
	tlob_cell_arm(c, now_ns() + FAR_NS, FAR_NS, 1);
	report("armed");
	c->active = 0;

	now = now_ns();
	tlob_cell_arm(c, now, FAR_NS, 2);
	tlob_split_t1(&c->split, now);
	tlob_split_t2(&c->split, now);
	tlob_split_set_base(&c->split, TLOB_WORK_SLEEP);
	report("open");
	c->active = 0;
	if (bpf_object_misses(&bpf))
		die("calls of programs were skipped");
	bpf_object_close(&bpf);
	return 0;
}
