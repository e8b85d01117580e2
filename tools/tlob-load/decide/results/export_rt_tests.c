// SPDX-License-Identifier: GPL-2.0
/*
 * The JSON of cyclictest (rt-tests 2.x, src/lib/rt-utils.c and src/cyclictest/cyclictest.c): each
 * CPU is a thread, with a histogram by us. Two of the keys end with a colon there, and readers
 * know them so.
 */
#include <string.h>
#include <time.h>

#include "report/render.h"
#include "result/meaning.h"
#include "results/export.h"
#include "util/json_write.h"

static void put_when(struct builder *b, struct json_object *o, const char *key, time_t t)
{
	char text[64] = "";
	struct tm tm;

	if (gmtime_r(&t, &tm))
		strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S +0000", &tm);
	put_text(b, o, key, text);
}

/* uname's release and version are one text in a result. */
static void put_system(struct builder *b, struct json_object *to, const struct result *r)
{
	struct json_object *o = put_object(b, to, "sysinfo");
	size_t n = strcspn(r->kernel, " ");
	char release[128];

	snprintf(release, sizeof(release), "%.*s", (int)n, r->kernel);
	put_text(b, o, "sysname", "Linux");
	put_text(b, o, "nodename", r->host ? r->host : "");
	put_text(b, o, "release", release);
	put_text(b, o, "version", r->kernel[n] ? r->kernel + n + 1 : "");
	put_text(b, o, "machine", r->machine);
	/* maybe of another machine, whose files cannot be asked; old kernels have a blank there */
	put_int(b, o, "realtime", strstr(r->kernel, "PREEMPT_RT") || strstr(r->kernel, "PREEMPT RT"));
}

/* Values of one us may lie in many buckets, or a bucket is wider than that: it goes up. */
static void put_histogram(struct builder *b, struct json_object *to, const struct tlob_hist *h)
{
	struct json_object *o = put_object(b, to, "histogram");
	uint64_t us, last = 0, n = 0;
	char key[24];
	unsigned int i;

	for (i = 0; i <= TLOB_HIST_BUCKETS; i++) {
		if (i < TLOB_HIST_BUCKETS && !h->bucket[i])
			continue;
		us = i < TLOB_HIST_BUCKETS - 1 && hist_upper(h, i) < h->max ?
		     hist_upper(h, i) / 1000 : h->max / 1000;
		if (n && (i == TLOB_HIST_BUCKETS || us != last)) {
			snprintf(key, sizeof(key), "%llu", (unsigned long long)last);
			put_u64(b, o, key, n);
			n = 0;
		}
		n += i < TLOB_HIST_BUCKETS ? h->bucket[i] : 0;
		last = us;
	}
}

static void put_thread(struct builder *b, struct json_object *to, const struct result_cpu *c,
		       size_t i, unsigned int metric)
{
	const struct tlob_hist *h = &c->hist[metric];
	struct json_object *o;
	char key[24];

	snprintf(key, sizeof(key), "%zu", i);
	o = put_object(b, to, key);
	put_histogram(b, o, h);
	put_u64(b, o, "cycles", h->n);
	put_u64(b, o, "min", h->n ? h->min / 1000 : 0);
	put_u64(b, o, "max", h->n ? h->max / 1000 : 0);
	put_double(b, o, "avg", h->n ? (double)h->sum / (double)h->n / 1000 : 0);
	put_int(b, o, "cpu", c->cpu);
	put_int(b, o, "node", 0);
}

/* Readers take 0 for a pass: not for a run that had not ended, or was not what was asked for. */
static int return_code(const struct result *r)
{
	const struct verdicts v = verdicts_of(&r->assertions, &r->said);

	return v.failed ? EXIT_ASSERTION : v.undecided || outcome_doubt(r) ? 1 : 0;
}

int export_rt_tests(FILE *f, const struct result *r, unsigned int metric)
{
	struct json_object *o = json_object_new_object(), *threads;
	struct builder b = { 0 };
	char **lowered = NULL;
	size_t i;

	b.err = result_lowered(r, &lowered);
	put_int(&b, o, "file_version", 1);
	put_text(&b, o, "cmdline:", r->command);
	put_text(&b, o, "rt_test_version:", TLOB_VERSION);
	put_when(&b, o, "start_time", r->started);
	put_when(&b, o, "end_time", r->started + (time_t)(r->duration_ns / 1000000000));
	put_int(&b, o, "return_code", return_code(r));
	put_made(&b, o, "conditions", result_conditions(r));
	put_texts(&b, o, "lowered", lowered);
	notes_free(lowered);
	put_system(&b, o, r);
	put_u64(&b, o, "num_threads", r->ncpus);
	put_u64(&b, o, "resolution_in_ns", 0);
	threads = put_object(&b, o, "thread");
	for (i = 0; i < r->ncpus; i++)
		put_thread(&b, threads, &r->cpu[i], i, metric);
	return json_end(&b, f, o);
}
