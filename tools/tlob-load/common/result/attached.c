// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel sends a record when a window's budget is over and another when the
 * window ends; one record if the end finds the window over its budget. Thread and
 * start identify the window. It counts once in each case:
 *
 *	open, over budget		missed, and kept until the window ends
 *	ended, over budget		violations, and no longer missed
 *	cut, over budget		missed
 *
 * One in which events are missing counts as unmeasured when it ends, and as nothing before.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/attached.h"
#include "result/parts.h"
#include "result/tables.h"
#include "util/text.h"

int attach_begin(struct result *r)
{
	static const int no_cpu[] = { -1 };
	int err = result_init(r, no_cpu, 1);

	if (err)
		return err;
	/* a window is on several CPUs, and when it happened is not kept */
	free(r->cpu->slices);
	r->cpu->slices = NULL;
	r->cpu->unavailable = ATTACH_LACKS;
	r->workload = strdup(WORKLOAD_ATTACH);
	r->noise_source = strdup("hooks");
	r->policy = strdup("of the program");
	r->cpus = strdup("any");
	r->attached = calloc(1, sizeof(*r->attached));
	if (r->attached)
		r->attached->at = calloc(ATTACH_OPEN, sizeof(*r->attached->at));
	if (!r->workload || !r->noise_source || !r->policy || !r->cpus || !r->attached ||
	    !r->attached->at) {
		result_free(r);
		return -ENOMEM;
	}
	episodes_begin(&r->attached->episodes, EPISODE_FIRST_NS);
	return 0;
}

/*
 * Without folders: two builds of a program are in two. For activations the program replaces the
 * number of its process or thread: each start has others.
 */
int attach_describe(struct result *r)
{
	const struct attached *a = r->attached;
	const char *file = without_folders(a->file), *program = "";
	size_t n = strlen(file), word = n;

	free(r->work);
	while (word && isdigit((unsigned char)file[word - 1]))
		word--;
	if (a->of_threads && word && file[word - 1] == ' ' && *a->program) {
		program = without_folders(a->program);
		n = word;
	}
	if (asprintf(&r->work, "%s to %s in %.*s%s%s%s%s", a->start.text, a->stop.text, (int)n, file,
		     program, a->all && !a->of_threads ? ", all processes" : "", a->key ? ", key " : "",
		     a->key ? a->key : "") < 0) {
		r->work = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* The task that the interrupt of a late timer has met had no CPU in a wait for one. */
static void take_delay(struct tlob_window *to, const struct tlob_task_window *w)
{
	to->delayed_by_pid = -1;	/* not known */
	if (!w->part_ns[TLOB_TASK_PART_TIMER] || w->largest.kind != TLOB_NOISE_THREAD ||
	    w->largest.ns != w->part_ns[TLOB_TASK_PART_TIMER])
		return;
	to->delayed_by_pid = w->largest.id;
	memcpy(to->delayed_by, w->largest.name, sizeof(to->delayed_by));
	to->largest.ns = 0;
}

unsigned int attach_part_of(unsigned int part)
{
	static const unsigned int parts[TLOB_NR_TASK_PARTS] = TLOB_TASK_PARTS_IN_A_RUN;

	return parts[part];
}

static uint32_t flags_of(const struct tlob_task_window *w)
{
	static const uint32_t flag[][2] = {
		{ TLOB_TASK_VIOLATION, TLOB_WINDOW_VIOLATION }, { TLOB_TASK_INEXACT, TLOB_WINDOW_INEXACT },
		{ TLOB_TASK_CUT, WINDOW_CUT }, { TLOB_TASK_LOCK, WINDOW_LOCK },
		{ TLOB_TASK_UNCLEAR, WINDOW_UNCLEAR }, { TLOB_TASK_SOFT_TIMER, WINDOW_SOFT_TIMER },
	};
	uint32_t flags = WINDOW_OF_TASK;
	size_t i;

	if (!(w->flags & (TLOB_TASK_ENDED | TLOB_TASK_CUT)))
		flags |= WINDOW_OPEN;
	for (i = 0; i < sizeof(flag) / sizeof(flag[0]); i++)
		if (w->flags & flag[i][0])
			flags |= flag[i][1];
	return flags;
}

void attach_kept(struct kept_window *to, const struct tlob_task_window *w)
{
	unsigned int i;

	*to = (struct kept_window){
		.kept.task = { .tid = w->tid, .tgid = w->tgid, .switches = w->switches },
		.w = {
			.version = TLOB_WINDOW_VERSION, .size = sizeof(to->w), .cpu = w->cpu,
			.t0_ns = w->start_ns, .response_ns = w->elapsed_ns,
			.budget_ns = w->threshold_ns, .flags = flags_of(w),
			.unavailable = ATTACH_LACKS, .largest = w->largest,
			.delayed_by_idle_state = -1, .adjusted_ns = w->adjusted_ns,
			.clock_steps = w->clock_steps, .errors = w->errors,
		},
	};
	memcpy(to->kept.task.comm, w->comm, sizeof(to->kept.task.comm));
	memcpy(to->w.work_count, w->count, sizeof(to->w.work_count));
	to->w.largest.in_work = 1;
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++) {
		to->w.part_ns[attach_part_of(i)] = w->part_ns[i];
		if (w->unavailable & 1U << i)
			to->w.unavailable |= 1U << attach_part_of(i);
	}
	take_delay(&to->w, w);
}

bool attach_cause_of(const struct result *r, const struct kept_window *k, struct cause *c)
{
	return k->w.response_ns &&
	       cause_of(c, &k->w, hist_mean(&r->cpu->hist[TLOB_METRIC_PARTS + TLOB_WORK_ON_CPU]));
}

static void count_other(struct result *r, uint32_t tgid, bool ended)
{
	struct attached *a = r->attached;
	size_t i;

	r->cpu->others += ended;
	for (i = 0; i < a->nother; i++)
		if (a->other[i] == tgid)
			return;
	if (a->nother < ATTACH_OTHERS)
		a->other[a->nother++] = tgid;
}

/* One of a key is open on one thread, and may end on another. */
static bool is_same(const struct result *r, const struct kept_window *a, const struct kept_window *b)
{
	return (r->attached->key || a->kept.task.tid == b->kept.task.tid) && a->w.t0_ns == b->w.t0_ns;
}

/* The kept violation that @k belongs to, or NULL. */
static struct attach_open *find_open(struct result *r, const struct kept_window *k)
{
	struct attached *a = r->attached;
	size_t i;

	for (i = 0; i < a->nopen; i++)
		if (is_same(r, &a->at[i].k, k))
			return &a->at[i];
	return NULL;
}

/* Records come in the order of the ends, or of the moments when budgets were over. */
static void add_episode(struct attached *a, const struct tlob_window *w)
{
	const struct episode_piece p = {
		.from_ns = w->t0_ns, .to_ns = w->t0_ns + w->response_ns, .count = 1,
	};

	episodes_add(&a->episodes, &p);
}

static enum attach_event still_open(struct result *r, uint64_t now_ns, uint32_t state,
				    const struct kept_window *k)
{
	struct attached *a = r->attached;

	r->cpu->missed++;
	add_episode(a, &k->w);
	/* without room here, the window counts again when it ends */
	if (a->nopen < ATTACH_OPEN)
		a->at[a->nopen++] = (struct attach_open){
			.seen_ns = now_ns, .state = state, .k = *k,
		};
	return ATTACH_OVER;
}

void attach_drop(struct result *r, size_t i)
{
	struct attached *a = r->attached;

	a->at[i] = a->at[--a->nopen];
	r->cpu->missed--;
}

/* No longer kept: it has ended. */
static bool drop_open(struct result *r, const struct kept_window *k)
{
	struct attach_open *open = find_open(r, k);

	if (open)
		attach_drop(r, (size_t)(open - r->attached->at));
	return open;
}

enum attach_event attach_record(struct result *r, uint64_t now_ns,
				const struct tlob_task_window *w,
				const struct window_functions *f)
{
	bool ended = w->flags & (TLOB_TASK_ENDED | TLOB_TASK_CUT);
	bool violation = w->flags & TLOB_TASK_VIOLATION;
	struct attached *a = r->attached;
	struct result_cpu *c = r->cpu;
	struct kept_window k;

	if (!a->all && w->tgid != (uint32_t)a->pid) {
		count_other(r, w->tgid, ended);
		return ATTACH_OTHER;
	}
	attach_kept(&k, w);
	if (w->errors && !ended)
		return ATTACH_UNMEASURED;
	if (!ended)
		return still_open(r, now_ns, w->state, &k);
	if (w->errors) {
		drop_open(r, &k);
		c->unmeasured++;
		c->errors += w->errors;
		return ATTACH_UNMEASURED;
	}
	if (!drop_open(r, &k) && violation)
		add_episode(a, &k.w);
	c->unclear += !!(k.w.flags & WINDOW_UNCLEAR);
	c->cut += !!(k.w.flags & WINDOW_CUT);
	result_task_window(r, &k, f);
	return violation ? ATTACH_VIOLATION : ATTACH_WITHIN;
}

uint64_t attach_late(const struct result *r)
{
	return r->cpu->violations + r->cpu->missed;
}

void attach_end(struct result *r)
{
	struct attached *a = r->attached;
	size_t i;

	r->cpu->skipped = activations_end(&a->activations, &r->cpu->hist[RESULT_INTERVAL]);
	for (i = 0; i < a->nopen; i++) {
		r->cpu->missed--;	/* until it is added here */
		result_task_window(r, &a->at[i].k, NULL);
		attach_holder(r, &a->at[i].k, &a->at[i].k.kept.holder);
	}
	r->cpu->open = a->nopen;
	a->nopen = 0;
	a->episodes.e.time_ns = r->duration_ns;
	/* of windows whose record was lost nothing is known */
	if (!r->cpu->lost)
		r->episodes = r->cpu->episodes = a->episodes.e;
	result_sum(r);
}

/* The value of @key in @line, up to its end; 0 without one. */
static uint64_t count_of(const char *line, const char *key)
{
	const char *at = line, *end = line + strcspn(line, "\n");
	size_t n = strlen(key);

	while ((at = memmem(at, (size_t)(end - at), key, n))) {
		if (at > line && at[-1] == ' ' && at[n] == '=')
			return strtoull(at + n + 1, NULL, 10);
		at += n;
	}
	return 0;
}

/* The number of windows that the binding opened and no record has reported. */
static uint64_t unfinished(const struct result_cpu *c, uint64_t opened)
{
	uint64_t known = c->windows + c->unmeasured + c->cut + c->open + c->lost + c->others;

	return opened > known ? opened - known : 0;
}

int attach_stat(struct result *r, const char *text, const char *name)
{
	struct result_cpu *c = r->cpu;
	size_t n = strlen(name);
	const char *line;

	for (line = text; *line; line += strcspn(line, "\n"), line += !!*line) {
		if (strncmp(line, name, n) || line[n] != ' ')
			continue;
		c->starts = count_of(line, "hits");
		c->nested = count_of(line, "nested");
		c->no_slot = count_of(line, "no_slot");
		c->unmatched = count_of(line, "unmatched");
		c->unfinished = unfinished(c, count_of(line, "windows"));
		return 0;
	}
	return -ENOENT;
}

void attach_wait_clear(struct attach_wait *wait)
{
	record_free(&wait_record, wait);
	*wait = (struct attach_wait){ .ns = 0 };
}

struct kept_window *attach_worst_of(struct result *r, const struct kept_window *k)
{
	struct kept_window *worst;

	for (worst = r->worst; worst < r->worst + r->nworst; worst++)
		if (is_same(r, worst, k))
			return worst;
	return NULL;
}

void attach_holder(struct result *r, const struct kept_window *k,
		   const struct tlob_wait_waker *holder)
{
	struct kept_window *worst = attach_worst_of(r, k);
	struct attach_open *open = find_open(r, k);

	if (worst)
		worst->kept.holder = *holder;
	if (open)
		open->k.kept.holder = *holder;
}

void attach_begun(struct result *r, const struct kept_window *k, uint32_t begun_by, uint64_t elsewhere_ns)
{
	struct kept_window *worst = attach_worst_of(r, k);
	struct attach_open *open = find_open(r, k);

	if (worst) {
		worst->kept.task.begun_by = begun_by;
		worst->kept.task.elsewhere_ns = elsewhere_ns;
	}
	if (open) {
		open->k.kept.task.begun_by = begun_by;
		open->k.kept.task.elsewhere_ns = elsewhere_ns;
	}
}

void attach_place(struct result *r, const struct kept_window *k,
		  const struct kernel_place *place)
{
	struct kept_window *worst = attach_worst_of(r, k);
	struct cause c;

	if (!place_is_known(place) || !attach_cause_of(r, k, &c))
		return;
	if (k->w.flags & TLOB_WINDOW_VIOLATION)
		causes_place(&r->places, &c, place);
	if (worst)
		worst->kept.place = *place;
}
