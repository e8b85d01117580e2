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
	char raw[];
} __attribute__((packed));

/* 5.10 PREEMPT_RT has more in front of the fields. */
enum { WAKING_PID, PREV_PID, PREV_STATE, NEXT_PID, NR_FIELDS };
static const struct {
	int kind;
	const char *name;
} fields[NR_FIELDS] = {
	[WAKING_PID] = { SCHED_WAKING, " pid;" }, [PREV_PID] = { SCHED_SWITCH, " prev_pid;" },
	[PREV_STATE] = { SCHED_SWITCH, " prev_state;" }, [NEXT_PID] = { SCHED_SWITCH, " next_pid;" },
};
static size_t offset[NR_FIELDS];

static void find_fields(void)
{
	char path[128], text[4096];
	const char *at;
	int i;

	for (i = 0; i < NR_FIELDS; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/tracing/events/sched/%s/format", names[fields[i].kind]);
		read_file(path, text, sizeof(text));
		at = strstr(text, fields[i].name);
		at = at ? strstr(at, "offset:") : NULL;
		if (!at)
			fail("%s has no field%s", path, fields[i].name);
		offset[i] = strtoul(at + strlen("offset:"), NULL, 10);
	}
}

static int64_t field(const struct sample *s, int i)
{
	int64_t wide;
	int32_t narrow;

	if (i == PREV_STATE) {
		memcpy(&wide, s->raw + offset[i], sizeof(wide));
		return wide;
	}
	memcpy(&narrow, s->raw + offset[i], sizeof(narrow));
	return narrow;
}

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
	find_fields();
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
	to->tid = (int)field(s, kind == SCHED_WAKING ? WAKING_PID : PREV_PID);
	to->next = kind == SCHED_SWITCH ? (int)field(s, NEXT_PID) : 0;
	to->state = kind == SCHED_SWITCH ? (unsigned long)field(s, PREV_STATE) : 0;
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
