// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/comparable.h"
#include "result/merge.h"
#include "result/os_counts.h"
#include "result/tables.h"
#include "util/error.h"

#define NOTES_MAX	(RESULT_NOTES - 1)	/* and one that says how many are left out */

/* Of 128 bits: compilers for 32-bit machines have no such type. */
struct wide {
	uint64_t high, low;
};

struct merge_cpu {
	struct result_cpu c;		/* the sum; without @hist: nothing was added yet */
	struct wide demand;		/* ns, summed over its windows */
	bool	 has_demand, has_slices;
};

static bool same_text(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* Compares two struct merge_cpu: the first member has the key. */
static int by_host_and_cpu(const void *a, const void *b)
{
	const struct result_cpu *x = a, *y = b;
	int order = strcmp(x->host, y->host);

	return order ? order : (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void free_cpu(void *data)
{
	struct merge_cpu *cpu = data;

	record_free(&cpu_record, &cpu->c);
	free(cpu->c.functions);
	free(cpu->c.hist);
	free(cpu);
}

void merger_free(struct merger *m)
{
	tdestroy(m->cpus, free_cpu);
	notes_free(m->ids);
	notes_free(m->from);
	/* until the end the CPUs are in the tree, and the sum only has their number */
	if (!m->sum.cpu)
		m->sum.ncpus = 0;
	result_free(&m->sum);
	*m = (struct merger){ 0 };
}

/* *@cpu: the entry of @c's CPU, which may be new. 0 or -errno, printed. */
static int find_cpu(struct merger *m, const struct result_cpu *c, const char *host,
		    struct merge_cpu **cpu)
{
	struct merge_cpu *new = calloc(1, sizeof(*new)), **at = NULL;

	if (new) {
		*new = (struct merge_cpu){
			.c.cpu = c->cpu, .c.host = strdup(host), .has_demand = true,
			.has_slices = true,
		};
		at = new->c.host ? tsearch(new, &m->cpus, by_host_and_cpu) : NULL;
	}
	if (new && (!at || *at != new))
		free_cpu(new);
	if (!at)
		return fail(-ENOMEM, "out of memory");
	*cpu = *at;
	if (*at != new)
		return 0;
	if (m->sum.ncpus++ < RESULT_CPUS)
		return 0;
	return fail(-E2BIG, "the sum has more than %u CPUs: give --across-hosts, which adds up the CPUs of one number",
		    RESULT_CPUS);
}

static void wide_add(struct wide *to, uint64_t n)
{
	to->high += __builtin_add_overflow(to->low, n, &to->low);
}

static void wide_add_product(struct wide *to, uint64_t a, uint64_t b)
{
	uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX);
	uint64_t one = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
	uint64_t other = (a & UINT32_MAX) * (b >> 32) + (one & UINT32_MAX);

	to->high += (a >> 32) * (b >> 32) + (one >> 32) + (other >> 32);
	wide_add(to, other << 32 | (low & UINT32_MAX));
}

/* Divides bit by bit. The quotient must have 64 bits. */
static uint64_t wide_divide(struct wide sum, uint64_t n)
{
	unsigned int i;
	bool carry;

	for (i = 0; i < 64; i++) {
		carry = sum.high >> 63;
		sum.high = sum.high << 1 | sum.low >> 63;
		sum.low <<= 1;
		if (carry || sum.high >= n) {
			sum.high -= n;
			sum.low |= 1;
		}
	}
	return sum.low;
}

/* As in the sum of all CPUs: the mean over the windows. */
static void add_demand(struct merge_cpu *to, const struct result_cpu *c)
{
	to->has_demand = to->has_demand && c->demand_ns;
	wide_add_product(&to->demand, c->demand_ns, c->windows);
	if (!to->c.windows)
		to->c.demand_ns = c->demand_ns;
}

static void set_demand(struct merge_cpu *to)
{
	uint64_t n = to->c.windows;

	if (!to->has_demand) {
		to->c.demand_ns = 0;
	} else if (n) {
		wide_add(&to->demand, n / 2);
		to->c.demand_ns = wide_divide(to->demand, n);
	}
}

/* Takes over what the first result of a CPU has: most CPUs have one result, and no second copy. */
static void add_hist(struct merge_cpu *to, struct result_cpu *c)
{
	unsigned int i;

	to->has_slices = to->has_slices && c->slices;
	if (!to->c.hist) {
		to->c.hist = c->hist;
		to->c.slices = c->slices;
		to->c.episodes = c->episodes;
		c->hist = NULL;
		c->slices = NULL;
		return;
	}
	for (i = 0; i < RESULT_METRICS; i++)
		hist_merge(&to->c.hist[i], &c->hist[i]);
	if (to->c.slices && c->slices)
		slices_add(to->c.slices, c->slices);
	episodes_merge(&to->c.episodes, &c->episodes);
}

static int add_cpus(struct merger *m, struct result *r, const char *host)
{
	struct merge_cpu *to = NULL;
	unsigned int i;
	size_t k;
	int err;

	for (k = 0; k < r->ncpus; k++) {
		struct result_cpu *c = &r->cpu[k];

		err = find_cpu(m, c, m->across ? "" : c->host ? c->host : host, &to);
		if (err)
			return err;
		add_demand(to, c);
		result_add_counters(&to->c, c);
		if (os_counts_add(&to->c.os, c->os) ||
		    function_totals_add(&to->c.functions, c->functions))
			return fail(-ENOMEM, "out of memory");
		for (i = 0; i < RESULT_METRICS; i++)
			hist_merge(&m->sum.all.hist[i], &c->hist[i]);
		add_hist(to, c);
	}
	return 0;
}

/* Windows and names get their host, like CPUs. */
static void name_host(struct result *r, const char *host)
{
	struct offenders *list[] = { &r->noise, &r->delay };
	size_t i, k;

	for (i = 0; i < r->nworst; i++)
		if (!*r->worst[i].kept.host)
			snprintf(r->worst[i].kept.host, RESULT_HOST, "%s", host);
	for (i = 0; i < 2; i++)
		for (k = 0; k < list[i]->n; k++)
			if (!*list[i]->at[k].host)
				snprintf(list[i]->at[k].host, RESULT_HOST, "%s", host);
}

/* With one host, only the result has its name. */
static void forget_hosts(struct result *r)
{
	size_t i;

	for (i = 0; i < r->nworst; i++)
		*r->worst[i].kept.host = 0;
	for (i = 0; i < r->noise.n; i++)
		*r->noise.at[i].host = 0;
	for (i = 0; i < r->delay.n; i++)
		*r->delay.at[i].host = 0;
}

static bool has_waits(const struct result *r)
{
	return r->nworst && r->worst[0].kept.waits;
}

/* Moves the worst windows of both to @a. */
static void merge_worst(struct result *a, struct result *b)
{
	bool waits = has_waits(a) || has_waits(b);
	struct kept_window all[RESULT_KEPT] = { { .kept.waits = false } };
	size_t i = 0, j = 0, n = 0;

	while (n < RESULT_KEPT && (i < a->nworst || j < b->nworst)) {
		bool first = j == b->nworst ||
			     (i < a->nworst &&
			      a->worst[i].w.response_ns >= b->worst[j].w.response_ns);
		struct kept_window *from = first ? &a->worst[i++] : &b->worst[j++];

		if (!result_keeps(n, &from->w, from->kept.timeline))
			continue;
		all[n] = *from;
		all[n++].kept.waits = waits;
		from->kept = (struct kept){ .timeline = NULL };
	}
	for (i = 0; i < a->nworst; i++)
		record_free(&window_record, &a->worst[i]);
	memcpy(a->worst, all, n * sizeof(all[0]));
	a->nworst = n;
}

static void merge_exact(struct result *a, const struct result *b)
{
	unsigned int m;
	size_t i;

	a->keeps_exact = a->keeps_exact && b->keeps_exact && a->ncpus == 1;
	for (m = 0; m < RESULT_METRICS; m++) {
		if (!a->keeps_exact) {
			samples_drop(&a->exact[m]);
			continue;
		}
		for (i = 0; i < b->exact[m].n; i++)
			samples_add(&a->exact[m], b->exact[m].v[i]);
		samples_sort(&a->exact[m]);
	}
}

static int merge_note(struct merger *m, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Notes of a thousand results would be more than a reader takes. */
static int merge_note(struct merger *m, const char *fmt, ...)
{
	va_list ap;
	char *note;
	size_t n;
	int err;

	va_start(ap, fmt);
	n = vasprintf(&note, fmt, ap) < 0 ? 0 : 1;
	va_end(ap);
	if (!n)
		return -ENOMEM;
	for (n = 0; m->sum.notes && m->sum.notes[n]; n++)
		;
	if (n < NOTES_MAX) {
		err = result_note(&m->sum, "%s", note);
	} else {
		m->left_out++;
		err = 0;
	}
	free(note);
	return err;
}

/* The sum has the facts that are the same everywhere. */
static int merge_tuning(struct merger *m, const struct result *b,
			const char *name)
{
	struct result *a = &m->sum;
	size_t i, kept = 0;
	int err = 0;

	for (i = 0; i < a->ntuning; i++) {
		struct fact *f = &a->tuning[i];

		if (same_text(f->value, tuning_of(b, f->name))) {
			a->tuning[kept++] = *f;
			continue;
		}
		if (!err)
			err = merge_note(m, "%s differs in %s", f->name, name);
		free(f->name);
		free(f->value);
		free(f->source);
	}
	a->ntuning = kept;
	return err;
}

/* Returns where @text is in @list, or a negative number. */
static ssize_t place_of(char *const *list, const char *text)
{
	size_t i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(list[i], text))
			return (ssize_t)i;
	return -1;
}

/* The sum has the text that all results have. */
static void merge_text(char **a, const char *b)
{
	if (same_text(*a, b))
		return;
	free(*a);
	*a = NULL;
}

/* One note for each kernel, however many results it has. */
static int note_kernel(struct merger *m, const struct result *b, const char *name)
{
	char **note, *at;
	static const char other[] = " ran on another kernel: ";

	if (same_text(m->sum.kernel, b->kernel))
		return 0;
	for (note = m->sum.notes; note && *note; note++) {
		at = strstr(*note, other);
		if (at && !strcmp(at + strlen(other), b->kernel))
			return 0;
	}
	return merge_note(m, "%s%s%s", name, other, b->kernel);
}

static int merge_notes(struct merger *m, const struct result *b,
		       const char *name)
{
	struct result *a = &m->sum;
	char **note;
	int err = 0;

	for (note = b->notes; note && *note && !err; note++)
		if (place_of(a->notes, *note) < 0)
			err = merge_note(m, "%s", *note);
	/* a sum with a part of a run is not the sum of runs */
	if (!err && b->stopped_by && !a->stopped_by) {
		a->stopped_by = strdup(b->stopped_by);
		err = a->stopped_by ? 0 : -ENOMEM;
	}
	/* if one run allows no verdict, the sum allows none */
	if (!err && b->policy_asked && !a->policy_asked) {
		a->policy_asked = strdup(b->policy_asked);
		err = a->policy_asked ? 0 : -ENOMEM;
	}
	if (!err && b->tune_left_out && !a->tune_left_out) {
		a->tune_left_out = strdup(b->tune_left_out);
		err = a->tune_left_out ? 0 : -ENOMEM;
	}
	if (!err && b->stopped_by)
		err = merge_note(m, "%s was stopped by %s", name,
				 b->stopped_by);
	return err ? err : note_kernel(m, b, name);
}

/* Returns true if @list has @one already. */
static bool has_list(const char *list, const char *one)
{
	size_t n = strlen(one);

	for (; list; list = strstr(list, " and ")) {
		list += strncmp(list, " and ", 5) ? 0 : 5;
		if (!strncmp(list, one, n) && (!list[n] || list[n] == ' '))
			return true;
	}
	return false;
}

/* "0-3", or "0-3 and 4-7" where they differ: text, for people. */
static int merge_list(char **a, const char *b)
{
	char *both;

	if (!*a || !b || has_list(*a, b))
		return 0;
	if (asprintf(&both, "%s and %s", *a, b) < 0)
		return -ENOMEM;
	free(*a);
	*a = both;
	return 0;
}

/* Merges all but the CPUs. */
static int merge(struct merger *m, struct result *b, const char *name)
{
	struct result *a = &m->sum;
	size_t i;
	int err;

	err = merge_list(&a->cpus, b->cpus);
	if (!err)
		err = merge_list(&a->housekeeping, b->housekeeping);
	if (!err)
		err = merge_tuning(m, b, name);
	if (!err)
		err = merge_notes(m, b, name);
	merge_text(&a->label, b->label);
	tags_keep(&a->tags, &b->tags);
	merge_text(&a->boot_id, b->boot_id);
	merge_text(&a->machine_id, b->machine_id);
	free(a->run_id);
	a->run_id = NULL;
	if (err)
		return err;
	/* findings belong to one run: counters before one run and after another mean nothing */
	findings_free(a->findings);
	a->findings = NULL;
	said_free(&a->said);
	merge_exact(a, b);
	merge_worst(a, b);
	function_sets_add(a->functions, b->functions);
	for (i = 0; i < b->noise.n; i++)
		offenders_add(&a->noise, &b->noise.at[i]);
	for (i = 0; i < b->delay.n; i++)
		offenders_add(&a->delay, &b->delay.at[i]);
	causes_merge(&a->causes, &b->causes);
	causes_merge(&a->places, &b->places);
	episodes_merge(&a->episodes, &b->episodes);
	record_add(&result_record, a, b);
	a->samples.asked = a->samples.asked || b->samples.asked;
	a->actions.asked = a->actions.asked || b->actions.asked;
	if (a->clock_resolution_ns < b->clock_resolution_ns)
		a->clock_resolution_ns = b->clock_resolution_ns;
	a->has_seed = false;
	if (!b->has_phase || a->phase_ns != b->phase_ns) {
		a->has_phase = false;
		a->phase_ns = 0;
	}
	/* a window of one of several runs did not stop the sum of them */
	if (a->stopped)
		record_free(&window_record, a->stopped);
	free(a->stopped);
	a->stopped = NULL;
	return 0;
}

/* The first result becomes the sum, with its CPUs in the tree instead of the list. */
static int begin_with(struct merger *m, struct result *r, const char *host)
{
	struct result first = *r;
	size_t i;
	int err;

	*r = (struct result){ 0 };
	m->sum = first;
	m->sum.ncpus = 0;
	m->sum.cpu = NULL;
	m->sum.all.slices = NULL;
	m->sum.all.hist = calloc(RESULT_METRICS, sizeof(*m->sum.all.hist));
	/* a sum across hosts has none */
	m->several = (m->across && !first.host) || (first.ncpus && first.cpu[0].host);
	err = m->sum.all.hist ? add_cpus(m, &first, host) :
				fail(-ENOMEM, "out of memory");
	for (i = 0; i < first.ncpus; i++) {
		free(first.cpu[i].hist);
		free(first.cpu[i].functions);
		record_free(&cpu_record, &first.cpu[i]);
	}
	free(first.cpu);
	free(first.all.hist);
	free(first.all.slices);
	return err;
}

static int check_settings(const struct result *a, const struct result *b,
			  const char *name)
{
	char **list = NULL;
	int err = settings_differ(&list, a, b, name);

	if (err)
		err = fail(err, "out of memory");
	else if (list)
		err = fail(-EINVAL, "not the same measurement: %s", list[0]);
	notes_free(list);
	return err;
}

static int add_run(struct merger *m, const char *id, const char *name)
{
	ssize_t at = place_of(m->ids, id);
	int err;

	if (at >= 0)
		return fail(-EINVAL, "%s and %s have a run in common: the windows would count twice",
			    m->from[at], name);
	if (m->nids == RESULT_RUN_IDS)
		return 0;
	err = notes_add(&m->ids, "%s", id);
	if (!err)
		err = notes_add(&m->from, "%s", name);
	m->nids++;
	return err ? fail(err, "out of memory") : 0;
}

/* The runs in @r, by what does not change when they are copied or added up. */
static int add_runs(struct merger *m, const struct result *r, const char *name)
{
	char hash[20], **id;
	int err = 0;

	snprintf(hash, sizeof(hash), "%016" PRIx64, result_fingerprint(r));
	if (!r->run_ids)
		return add_run(m, r->run_id ? r->run_id : hash, name);
	for (id = r->run_ids; *id && !err; id++)
		err = add_run(m, *id, name);
	return err;
}

int merger_add(struct merger *m, struct result *r, const char *name)
{
	char *host = strdup(r->host ? r->host : "unknown");
	int err = host ? 0 : fail(-ENOMEM, "out of memory");

	if (!err && m->sum.runs)
		err = check_settings(&m->sum, r, name);
	if (!err)
		err = add_runs(m, r, name);
	if (!err)
		name_host(r, host);
	if (!err && !m->sum.runs) {
		err = begin_with(m, r, host);
	} else if (!err) {
		m->several = m->several || !same_text(m->sum.host, r->host);
		err = add_cpus(m, r, host);
		if (!err) {
			err = merge(m, r, name);
			if (err)
				fail(err, "out of memory");
		}
	}
	free(host);
	result_free(r);
	return err;
}

/* twalk() has no argument for its function, and musl has no twalk_r(). */
static struct result *walked;

static void take_cpu(const void *node, VISIT which, int depth)
{
	struct merge_cpu *cpu = *(struct merge_cpu * const *)node;

	(void)depth;
	if (which != postorder && which != leaf)
		return;
	set_demand(cpu);
	if (!cpu->has_slices) {
		free(cpu->c.slices);
		cpu->c.slices = NULL;
	}
	walked->cpu[walked->ncpus++] = cpu->c;
	cpu->c = (struct result_cpu){ .cpu = cpu->c.cpu };
}

int merger_end(struct merger *m)
{
	struct result *r = &m->sum;
	size_t i;

	r->cpu = calloc(r->ncpus ? r->ncpus : 1, sizeof(*r->cpu));
	r->ncpus = 0;
	if (!r->cpu)
		return fail(-ENOMEM, "out of memory");
	walked = r;
	twalk(m->cpus, take_cpu);
	for (i = 0; i < r->ncpus && (!m->several || m->across); i++) {
		free(r->cpu[i].host);
		r->cpu[i].host = NULL;
	}
	if (r->runs > 1) {
		notes_free(r->run_ids);
		r->run_ids = m->ids;
		m->ids = NULL;
	}
	result_sum_counters(r);
	result_set_clock(r, r->clock_resolution_ns);
	if (m->several) {
		free(r->host);
		r->host = NULL;
	} else {
		forget_hosts(r);
	}
	if (m->left_out && result_note(r, "%" PRIu64 " more notes are left out",
				       m->left_out))
		return fail(-ENOMEM, "out of memory");
	return 0;
}
