// SPDX-License-Identifier: GPL-2.0
/* Reads sched_waking and sched_switch by perf. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <linux/perf_event.h>

#include "guest.h"
#include "sched_events.h"

#define PAGES	256UL			/* of a ring, a power of two */
#define BYTES	(PAGES * 4096)

static const char * const names[NR_SCHED_EVENTS] = { "sched_waking", "sched_switch" };

/* PERF_SAMPLE_TIME | PERF_SAMPLE_RAW; the raw part as in events/sched/NAME/format. */
struct sample {
	struct perf_event_header header;
	uint64_t time;
	uint32_t size;
	union {
		struct {
			uint64_t common;
			char comm[16];
			int32_t pid;
		} __attribute__((packed)) waking;
		struct {
			uint64_t common;
			char prev_comm[16];
			int32_t prev_pid, prev_prio;
			int64_t prev_state;
			char next_comm[16];
			int32_t next_pid;
		} __attribute__((packed)) change;
	};
} __attribute__((packed));

void sched_events_begin(struct sched_events *e, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW, .use_clockid = 1,
		.clockid = CLOCK_MONOTONIC, .watermark = 1, .wakeup_watermark = BYTES,
	};
	char path[128], id[32];
	int k;

	memset(e, 0, sizeof(*e));
	for (k = 0; k < NR_SCHED_EVENTS; k++) {
		snprintf(path, sizeof(path), "/sys/kernel/tracing/events/sched/%s/id", names[k]);
		read_file(path, id, sizeof(id));
		attr.config = strtoul(id, NULL, 10);
		e->fd[k] = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);
		if (e->fd[k] < 0)
			fail("perf_event_open for %s failed", names[k]);
		e->ring[k] = mmap(NULL, BYTES + 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
				  e->fd[k], 0);
		check(e->ring[k] != MAP_FAILED);
	}
}

static void take(struct sched_events *e, int kind, const struct sample *s)
{
	struct sched_event *to = &e->event[e->n++];

	to->ns = s->time;
	to->kind = kind;
	to->tid = kind == SCHED_WAKING ? s->waking.pid : s->change.prev_pid;
	to->next = kind == SCHED_SWITCH ? s->change.next_pid : 0;
	to->state = kind == SCHED_SWITCH ? (unsigned long)s->change.prev_state : 0;
}

static void take_ring(struct sched_events *e, int kind)
{
	struct perf_event_mmap_page *page = e->ring[kind];
	const char *data = (char *)e->ring[kind] + 4096;
	uint64_t at = 0, head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), i;
	union {
		struct sample s;
		char bytes[256];
	} sample;

	/* the ring was large enough: nothing was overwritten or lost */
	check(head < BYTES);
	while (at < head) {
		for (i = 0; i < sizeof(sample); i++)
			sample.bytes[i] = data[(at + i) % BYTES];
		check_eq(sample.s.header.type, PERF_RECORD_SAMPLE);
		take(e, kind, &sample.s);
		at += sample.s.header.size;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct sched_event *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

void sched_events_end(struct sched_events *e)
{
	int k;

	for (k = 0; k < NR_SCHED_EVENTS; k++)
		ioctl(e->fd[k], PERF_EVENT_IOC_DISABLE, 0);
	e->event = calloc(NR_SCHED_EVENTS * BYTES / 64, sizeof(*e->event));
	check(e->event);
	for (k = 0; k < NR_SCHED_EVENTS; k++)
		take_ring(e, k);
	qsort(e->event, e->n, sizeof(*e->event), by_time);
}
