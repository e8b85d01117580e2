// SPDX-License-Identifier: GPL-2.0
/* The CPUs of a result: nearly all of its text, so several threads read them. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "read/cpus.h"
#include "read/fields.h"
#include "read/pairs.h"
#include "result/tables.h"

#define MAX_THREADS	8U
#define THREAD_BYTES	(256U << 10)	/* less is not worth a thread of its own */

static bool same_cpu(const struct result_cpu *a, const struct result_cpu *b)
{
	return a->cpu == b->cpu && (a->host && b->host ?
				    !strcmp(a->host, b->host) :
				    a->host == b->host);
}

static void check_cpus(struct reader *rd, const struct result *r)
{
	size_t i, k;

	for (i = 1; i < r->ncpus; i++)
		for (k = 0; k < i; k++)
			if (same_cpu(&r->cpu[i], &r->cpu[k]))
				reader_fail(rd, "cpu", "%d stands there twice",
					    r->cpu[i].cpu);
}

/* Shared by the threads. Each takes the next piece until all are taken, or one is wrong. */
struct share {
	const struct piece *piece;
	struct result_cpu *cpu;
	size_t n;
	size_t next;			/* atomic; @n and above: no more */
};

struct part {
	struct share *share;
	struct reader reader;
	size_t at;			/* of the error in @reader */
	pthread_t thread;
	bool running;
};

/* Histograms are large, but memory of a missing bucket is never touched. */
static void read_piece(struct reader *rd, const struct piece *piece, size_t i,
		       struct result_cpu *c)
{
	/* of histograms, and of slices: nearly all numbers of a file */
	static const char *const keys[] = { "buckets", "wake", "response", NULL };
	size_t place = reader_enter(rd, "cpu", (int)i);
	struct pair_lists lists;
	struct json_object *o = NULL;

	if (pairs_take(&lists, piece->text, piece->n, keys, (size_t)TLOB_HIST_BUCKETS)) {
		o = reader_parse(rd, lists.text, lists.size);
		rd->taken = &lists;
		/* the text as it is gives the right place of an error */
		if (!o)
			*rd->error = 0;
	}
	if (!o) {
		rd->taken = NULL;
		o = reader_parse(rd, piece->text, piece->n);
	}
	if (o)
		c->hist = calloc(RESULT_METRICS, sizeof(*c->hist));
	if (c->hist)
		record_read(rd, o, &cpu_record, c);
	else
		reader_fail(rd, "", "out of memory");
	rd->taken = NULL;
	pairs_free(&lists);
	json_object_put(o);
	reader_leave(rd, place);
}

static void *read_part(void *arg)
{
	struct part *part = arg;
	struct share *s = part->share;
	size_t i;

	while ((i = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) < s->n) {
		read_piece(&part->reader, &s->piece[i], i, &s->cpu[i]);
		if (*part->reader.error) {
			part->at = i;
			__atomic_store_n(&s->next, s->n, __ATOMIC_RELAXED);
			break;
		}
	}
	return NULL;
}

/* The CPUs of this process, or fewer for a short text. The caller is one of them. */
static unsigned int nthreads(const struct piece *piece, size_t n)
{
	size_t bytes = 0, i, most = n < MAX_THREADS ? n : MAX_THREADS;
	cpu_set_t allowed;

	for (i = 0; i < n; i++)
		bytes += piece[i].n;
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return 1;
	if (most > (size_t)CPU_COUNT(&allowed))
		most = (size_t)CPU_COUNT(&allowed);
	if (most > bytes / THREAD_BYTES)
		most = bytes / THREAD_BYTES;
	return most ? (unsigned int)most : 1;
}

/*
 * The error that one thread alone would have found: pieces are taken in order, so
 * each one before the first wrong piece has been read.
 */
static void keep_first_error(struct reader *rd, const struct part *part, unsigned int n)
{
	const struct part *first = NULL;
	unsigned int i;

	for (i = 0; i < n; i++)
		if (*part[i].reader.error && (!first || part[i].at < first->at))
			first = &part[i];
	if (first)
		memcpy(rd->error, first->reader.error, sizeof(rd->error));
}

void read_cpus(struct reader *rd, const struct piece *piece, size_t n, struct result *r)
{
	struct share share = { .piece = piece, .n = n };
	struct part part[MAX_THREADS];
	static const int none[1];
	unsigned int i, threads;

	if (n < 1 || n > RESULT_CPUS) {
		reader_fail(rd, "cpu", "not 1 to %u", RESULT_CPUS);
		return;
	}
	if (result_init(r, none, 0)) {
		reader_fail(rd, "", "out of memory");
		return;
	}
	free(r->cpu);
	r->cpu = calloc(n, sizeof(*r->cpu));
	if (!r->cpu) {
		reader_fail(rd, "", "out of memory");
		return;
	}
	r->ncpus = n;
	share.cpu = r->cpu;
	threads = nthreads(piece, n);
	for (i = 0; i < threads; i++)
		part[i] = (struct part){ .share = &share, .reader = *rd };
	for (i = 1; i < threads; i++)
		part[i].running = !pthread_create(&part[i].thread, NULL, read_part, &part[i]);
	read_part(&part[0]);
	for (i = 1; i < threads; i++)
		if (part[i].running)
			pthread_join(part[i].thread, NULL);
	keep_first_error(rd, part, threads);
	if (!*rd->error)
		check_cpus(rd, r);
}
