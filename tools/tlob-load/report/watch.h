/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What only a screen shows while a run goes on: of each CPU the window that is to
 * blame, and its worst ones. A result keeps the worst windows of all CPUs together.
 */
#ifndef TLOB_REPORT_WATCH_H
#define TLOB_REPORT_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/tlob.h>

#define WATCH_WORST	8

struct watch_cpu {
	/* The last violation; before the first one, the longest response. */
	struct tlob_window last;
	bool	violated;
	size_t	nworst;			/* largest response first */
	struct tlob_window worst[WATCH_WORST];
};

struct watch {
	size_t	n;
	struct watch_cpu *cpu;		/* [n] */
};

/* 0 or -ENOMEM. watch_free() takes a zeroed one, too. */
int  watch_init(struct watch *w, size_t ncpus);
void watch_free(struct watch *w);

/* Takes window @record of the CPU with index @i. Ignores those of the warm-up. */
void watch_window(struct watch *w, size_t i, const struct tlob_window *record);

#endif /* TLOB_REPORT_WATCH_H */
