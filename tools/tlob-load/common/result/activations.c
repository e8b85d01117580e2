// SPDX-License-Identifier: GPL-2.0
/* The threads whose activations are watched. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/activations.h"
#include "result/result.h"

#define P5	50000
#define P50	500000
#define P95	950000
#define SAMPLES_MIN	20	/* below this, p5 and p95 say nothing */

static struct activation_thread *find(struct activations *a, uint32_t tid)
{
	struct activation_thread *t;

	for (t = a->thread; t < a->thread + a->n; t++)
		if (t->tid == tid)
			return t;
	return NULL;
}

/* NULL: no memory, or ACTIVATION_THREADS exist. */
static struct activation_thread *add(struct activations *a, uint32_t tid)
{
	struct activation_thread *t;

	if (a->n == ACTIVATION_THREADS)
		return NULL;
	t = realloc(a->thread, (a->n + 1) * sizeof(*t));
	if (!t)
		return NULL;
	a->thread = t;
	t += a->n++;
	memset(t, 0, sizeof(*t));
	t->tid = tid;
	return t;
}

static const char *waker_name(const struct tlob_task_activation *w)
{
	if (w->timer_ns)
		return "timer";
	switch (w->waker.kind) {
	case TLOB_WAKER_TASK:
		return *w->waker.comm ? w->waker.comm : "unknown";
	case TLOB_WAKER_IRQ:
		return "irq";
	case TLOB_WAKER_SOFTIRQ:
		return "softirq";
	case TLOB_WAKER_NMI:
		return "nmi";
	default:
		return "unknown";
	}
}

static void count_waker(struct activation_thread *t, const struct tlob_task_activation *w)
{
	const char *name = waker_name(w);
	size_t i;

	for (i = 0; i < t->nwaker; i++)
		if (!strncmp(t->waker[i].name, name, sizeof(t->waker[i].name)))
			break;
	if (i == ACTIVATION_WAKERS) {
		t->other_wakers++;
		return;
	}
	if (i == t->nwaker) {
		t->nwaker++;
		memcpy(t->waker[i].name, name, strnlen(name, sizeof(t->waker[i].name) - 1));
	}
	t->waker[i].count++;
}

static void count_end(struct activation_thread *t, const struct tlob_task_activation *w)
{
	struct activation_place *p;

	if (!(w->window.flags & TLOB_TASK_ENDED) || w->window.flags & TLOB_TASK_UNCLEAR)
		return;
	t->ends++;
	for (p = t->place; p < t->place + t->nplace; p++)
		if (p->call == w->call && p->stack == w->call_stack)
			break;
	if (p == t->place + ACTIVATION_PLACES)
		return;
	if (p == t->place + t->nplace) {
		*p = (struct activation_place){ .call = w->call, .stack = w->call_stack };
		t->nplace++;
	}
	p->ends++;
}

/* A thread with the same tid as one that has ended begins to count anew. */
static void count_interval(struct activation_thread *t, const struct tlob_task_activation *w)
{
	uint64_t start = w->window.start_ns;

	if (t->last_nr && w->nr > t->last_nr) {
		t->gaps += w->nr - t->last_nr - 1;
		if (w->nr == t->last_nr + 1 && start > t->last_ns)
			tlob_hist_add(&t->interval, start - t->last_ns);
	}
	t->last_nr = w->nr;
	t->last_ns = start;
}

void activations_rests(struct activations *a, uint32_t tid, uint64_t began_ns, uint64_t now_ns)
{
	struct activation_thread *t = find(a, tid);

	if (t && t->interval.n && began_ns == t->last_ns && now_ns > began_ns + t->interval.max)
		tlob_hist_add(&t->interval, now_ns - began_ns);
}

int activations_add(struct activations *a, const struct tlob_task_activation *w)
{
	struct activation_thread *t = find(a, w->window.tid);

	if (!t && a->n == ACTIVATION_THREADS) {
		a->further++;
		return 0;
	}
	if (!t)
		t = add(a, w->window.tid);
	if (!t)
		return -ENOMEM;
	memcpy(t->comm, w->window.comm, sizeof(t->comm));
	t->windows += !!(w->window.flags & TLOB_TASK_ENDED);
	t->violations += !!(w->window.flags & TLOB_TASK_VIOLATION);
	if (w->window.elapsed_ns > t->max_ns)
		t->max_ns = w->window.elapsed_ns;
	count_waker(t, w);
	count_interval(t, w);
	count_end(t, w);
	/* 0: it never ran, or no hook saw the wake-up */
	if (w->wake_ns)
		tlob_hist_add(&t->wake, w->wake_ns);
	return 0;
}

static void find_period(struct activation_thread *t)
{
	const struct tlob_hist *h = &t->interval;
	uint64_t median = hist_quantile(h, P50), each;
	unsigned int i;

	t->period_ns = 0;
	t->skipped = 0;
	if (h->n < SAMPLES_MIN || hist_quantile(h, P5) < median - median / 10 ||
	    hist_quantile(h, P95) > median + median / 10)
		return;
	for (i = 0; i < TLOB_HIST_BUCKETS; i++) {
		/* the middle of the bucket, in periods */
		each = (tlob_hist_lower(i) / 2 + tlob_hist_upper(i) / 2 + median / 2) / median;
		if (h->bucket[i] && each > 1)
			t->skipped += h->bucket[i] * (each - 1);
	}
	/* finer than a bucket */
	t->period_ns = h->sum / (h->n + t->skipped);
}

uint64_t activations_end(struct activations *a, struct tlob_hist *interval)
{
	uint64_t skipped = 0;
	size_t i;

	for (i = 0; i < a->n; i++) {
		find_period(&a->thread[i]);
		skipped += a->thread[i].skipped;
		hist_merge(interval, &a->thread[i].interval);
	}
	return skipped;
}

uint64_t activations_elsewhere(const struct activations *a)
{
	const struct activation_place *p;
	uint64_t most, sum = 0;
	size_t i;

	for (i = 0; i < a->n; i++) {
		most = 0;
		for (p = a->thread[i].place; p < a->thread[i].place + a->thread[i].nplace; p++)
			if (p->ends > most)
				most = p->ends;
		sum += a->thread[i].ends - most;
	}
	return sum;
}

static bool comes_before(const struct activation_thread *x, const struct activation_thread *y)
{
	if (x->violations != y->violations)
		return x->violations > y->violations;
	return x->max_ns > y->max_ns;
}

void activations_sort(const struct activations *a, size_t order[ACTIVATION_THREADS])
{
	size_t i, k;

	for (i = 0; i < a->n; i++) {
		for (k = i; k && comes_before(&a->thread[i], &a->thread[order[k - 1]]); k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
}
