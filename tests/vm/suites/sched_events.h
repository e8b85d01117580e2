/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's own events of wake-ups and switches, by perf, with times in ns. */
#ifndef SCHED_EVENTS_H
#define SCHED_EVENTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum sched_event_kind { SCHED_WAKING, SCHED_SWITCH, NR_SCHED_EVENTS };

struct sched_event {
	uint64_t ns;			/* CLOCK_MONOTONIC */
	enum sched_event_kind kind;
	pid_t tid, next;		/* who is woken, or leaves; who comes */
	unsigned long state;		/* of who leaves */
};

struct sched_events {
	int fd[NR_SCHED_EVENTS];
	void *ring[NR_SCHED_EVENTS];
	struct sched_event *event;	/* by time */
	size_t n;
};

/* Events of @cpu. end() fills in all that came since begin(). */
void sched_events_begin(struct sched_events *e, int cpu);
void sched_events_end(struct sched_events *e);

#endif /* SCHED_EVENTS_H */
