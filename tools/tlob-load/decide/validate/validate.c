// SPDX-License-Identifier: GPL-2.0
/* The phases of a validation and its verdict. Pure: no I/O but of PATH, for presets. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/load_presets.h"
#include "result/parts.h"
#include "result/stats.h"
#include "util/text.h"
#include "validate/validate.h"

uint64_t validate_windows(double miss)
{
	return miss > 0 ? (uint64_t)(VALIDATE_EPISODE * stats_rate_upper(0, VALIDATE_ALPHA) / miss) + 1 : 1;
}

unsigned int validate_tests(const struct validate *v, size_t ncpus)
{
	unsigned int i, phases = 0;

	for (i = 0; i < v->n; i++)
		phases += v->phase[i].state != PHASE_SKIPPED;
	return phases * (unsigned int)ncpus;
}

/*
 * A phase with k episodes is kept if more than @most expiries are allowed. The first k will do that
 * phases with half of @most in the mean seldom exceed.
 */
double validate_windows_half(double miss, unsigned int tests, double length)
{
	double open = -expm1(log(VALIDATE_FIT) / tests), largest = fmax(length, VALIDATE_EPISODE), most, k = 0;

	do
		most = stats_weighted_upper(k * length, k * length * length, largest, VALIDATE_ALPHA);
	while (most / 2 / length > stats_rate_lower(++k, open));
	return most / miss + 1;
}

/* "DIR/3-cpu.json"; a command has only its number. */
static int name_file(const struct validate *v, struct validate_phase *p, size_t i)
{
	const char *name = *p->name == '@' ? p->name + 1 : p->nload == 1 ? "load" : p->nload ? "all" : "idle";

	return asprintf(&p->file, "%s/%zu-%s.json", v->dir, i + 1, name) < 0 ? -ENOMEM : 0;
}

static int skip(struct validate_phase *p, const char *why)
{
	p->state = PHASE_SKIPPED;
	p->because = strdup(why);
	return p->because ? 0 : -ENOMEM;
}

static int add_load_phase(struct validate_phase *p, const char *load)
{
	const struct load_preset *preset = *load == '@' ? load_preset_find(load + 1) : NULL;
	const char *program;
	char why[160];

	p->name = load;
	p->load[p->nload++] = load;
	if (!preset || load_preset_command(preset->name, &program))
		return 0;
	snprintf(why, sizeof(why), "not installed: %s", preset->made_of);
	return skip(p, why);
}

static int add_all(const struct validate *v, struct validate_phase *all)
{
	const struct validate_phase *p;

	all->name = "all together";
	for (p = v->phase + 1; p < all; p++)
		if (p->state != PHASE_SKIPPED)
			all->load[all->nload++] = p->load[0];
	if (all->nload > 1)
		return 0;
	return skip(all, all->nload ? "there is only one load" : "there is no load");
}

int validate_prepare(struct validate *v)
{
	size_t i;
	int err = 0;

	v->phase[v->n++].name = "idle";
	for (i = 0; i < v->nload && !err; i++)
		err = add_load_phase(&v->phase[v->n++], v->load[i]);
	if (!err && v->nload)
		err = add_all(v, &v->phase[v->n++]);
	for (i = 0; i < v->n && !err; i++)
		err = name_file(v, &v->phase[i], i);
	return err ? fail(err, "out of memory") : 0;
}

void validate_free(struct validate *v)
{
	struct validate_phase *p;

	for (p = v->phase; p < v->phase + v->n; p++) {
		if (p->state == PHASE_DONE)
			result_free(&p->r);
		free(p->file);
		free(p->expected);
		free(p->because);
	}
	v->n = 0;
	examination_free(&v->doctor);
}

/* What was lost may have been one episode. */
static struct episodes episodes_of(const struct result_cpu *c, uint64_t over)
{
	struct episodes e = c->episodes;
	struct episode_track t;

	if (!e.n) {
		episodes_begin(&t, EPISODE_FIRST_NS);
		e = t.e;
	}
	if (over > e.over)
		episodes_unseen(&e, over - e.over);
	return e;
}

/*
 * A run most of whose expiries are over is one long episode, which bounds nothing, and yet no accident:
 * at a share of @miss, half of the expiries are over in at most 2 @miss of all runs, however they come
 * (Markov's inequality).
 */
static bool is_exceeded(const struct episodes *e, uint64_t of, double miss, double alpha)
{
	return episodes_share_lower(e, of, alpha) > miss || (double)e->over >= (1 + miss) / 2 * (double)of;
}

double validate_episodes(const struct validate_phase *p)
{
	const struct episodes *e = &p->r.episodes;

	return episodes_per_hour(e, e->over ? VALIDATE_ALPHA / 2 : VALIDATE_ALPHA).upper;
}

void validate_take_cpu(const struct validate *v, struct validate_phase *p, const struct result_cpu *c,
		       const struct episodes *e, uint64_t of)
{
	double upper = episodes_share_upper(e, of, VALIDATE_EPISODE, VALIDATE_ALPHA);
	bool exceeds = !c->windows ||
		       (v->miss > 0 ? is_exceeded(e, of, v->miss, VALIDATE_ALPHA / validate_tests(v, p->r.ncpus)) : e->over);

	if (!c->windows || (v->miss > 0 ? upper >= v->miss : e->over))
		p->kept = false;
	if (c == p->r.cpu || (exceeds == p->exceeds ? upper > p->upper : exceeds)) {
		p->upper = upper;
		p->over = e->over;
		p->of = of;
		p->cpu = c->cpu;
		p->length = e->over ? fmax((double)episodes_chosen(e)[1].squares / (double)e->over, 1) : VALIDATE_EPISODE;
	}
	p->exceeds |= exceeds;
}

void validate_take(const struct validate *v, struct validate_phase *p)
{
	const struct result *r = &p->r;
	const struct result_cpu *c;
	struct episodes e;
	uint64_t over, of;

	p->state = PHASE_DONE;
	p->exceeds = false;
	*p->undecidable = 0;
	result_undecidable(r, p->undecidable);
	p->kept = r->ncpus;
	for (c = r->cpu; c < r->cpu + r->ncpus; c++) {
		/* a lost window may have been over; the histograms of kernel threads have all */
		over = c->violations + result_missed(c, TLOB_METRIC_RESPONSE);
		of = result_expiries(c, TLOB_METRIC_RESPONSE);
		if (strcmp(r->workload, "kthread")) {
			over += c->lost;
			of += c->lost;
		}
		e = episodes_of(c, over);
		validate_take_cpu(v, p, c, &e, of);
	}
}

const struct validate_phase *validate_undecidable(const struct validate *v)
{
	const struct validate_phase *p;

	for (p = v->phase; p < v->phase + v->n; p++)
		if (p->state == PHASE_DONE && *p->undecidable)
			return p;
	return NULL;
}

enum fitness validate_judge(const struct validate *v)
{
	const struct validate_phase *p;
	bool missing = false, loaded = false, open = false;

	if (validate_undecidable(v))
		return FITNESS_UNDECIDED;

	for (p = v->phase; p < v->phase + v->n; p++) {
		if (p->state == PHASE_DONE && p->exceeds)
			return FITNESS_NOT;
		open |= p->state == PHASE_DONE && !p->kept;
		missing |= p->state == PHASE_MISSING;
		loaded |= p->state == PHASE_DONE && p->nload;
	}
	return missing || open || !loaded ? FITNESS_UNDECIDED : FITNESS_FIT;
}

const char *validate_word(enum fitness fit)
{
	return fit == FITNESS_FIT ? "fit" : fit == FITNESS_NOT ? "not fit" : "undecided";
}

enum exit_code validate_exit(enum fitness fit)
{
	return fit == FITNESS_FIT ? EXIT_PASS : fit == FITNESS_NOT ? EXIT_ASSERTION : EXIT_INCONCLUSIVE;
}

static uint64_t longest(const struct validate_phase *p)
{
	return p->r.all.hist[TLOB_METRIC_RESPONSE].max;
}

static bool is_worse(const struct validate_phase *a, const struct validate_phase *b)
{
	if (a->exceeds != b->exceeds)
		return a->exceeds;
	if (a->kept != b->kept)
		return b->kept;
	/* if no expiry is over, the bound only says how long the phase was */
	if ((a->over || b->over) && a->upper != b->upper)
		return a->over && (!b->over || a->upper > b->upper);
	return longest(a) > longest(b);
}

const struct validate_phase *validate_worst(const struct validate *v)
{
	const struct validate_phase *p, *worst = NULL;

	for (p = v->phase; p < v->phase + v->n; p++)
		if (p->state == PHASE_DONE && (!worst || is_worse(p, worst)))
			worst = p;
	return worst;
}

/* The rules about other threads: kernel work, threads of interrupts, and all others. */
static const char *rules_of_thread(const char *name)
{
	if (begins_with(name, "kworker"))
		return "workqueues stat_interval vm isolated partition";
	if (begins_with(name, "irq/"))
		return "irqs irq_threads irqbalance irq_default workload_priority";
	return "rt_throttling fair_server isolated partition foreign workload_priority helpers daemons rcu_priority";
}

/* The rules that a part depends on, the likeliest first. */
static const char *rules_of(const struct tlob_window *w, unsigned int part)
{
	switch (part) {
	case TLOB_WAKE_IRQ_DELAY:
		if (window_met_user(w))
			return "smi steal vm mce thermal efi";
		return w->delayed_by_pid ? "heavy_debug latency_tracers preempt_rt smi steal" :
		       "idle_states pm_qos governor frequency smi steal vm";
	case TLOB_WAKE_IRQ: case TLOB_WORK_IRQ:
		return begins_with(w->largest.name, "local_timer") ? "nohz_full skew_tick timer_migration" :
		       "irqs irqbalance irq_default managed_irq threadirqs";
	case TLOB_WAKE_SOFTIRQ: case TLOB_WORK_SOFTIRQ:
		return "rcu_nocbs timer_migration irqs threadirqs preempt_rt";
	case TLOB_WAKE_NMI: case TLOB_WORK_NMI:
		return "lockup_detector mce";
	case TLOB_WAKE_THREAD: case TLOB_WORK_THREAD:
		return rules_of_thread(w->largest.name);
	case TLOB_WAKE_SCHED:
		return "idle_states pm_qos governor preempt_rt";
	case TLOB_WORK_ON_CPU:
		return "smt governor frequency turbo cache thermal cycles epp epb";
	case TLOB_WORK_SLEEP:
		return "page_faults locked_memory swap rt_throttling";
	case TLOB_WAKE_STEAL: case TLOB_WORK_STEAL:
		return "steal vm";
	case TLOB_WORK_HW:
		return "smi steal vm mce thermal efi";
	default:
		return "";
	}
}

static const struct finding *find(const struct examination *e, const char *id, size_t len)
{
	const struct finding *f;

	for (f = e->at; f < e->at + e->n; f++)
		if (f->status == STATUS_FINDING && strlen(f->id) == len && !strncmp(f->id, id, len))
			return f;
	return NULL;
}

size_t validate_findings(const struct examination *e, const struct tlob_window *w, unsigned int part,
			 struct finding found[], size_t most)
{
	const char *rule = parts_are_unavailable(w->unavailable) ? "" : rules_of(w, part);
	const struct finding *one;
	size_t n = 0, len;

	for (; *rule && n < most; rule += len + strspn(rule + len, " ")) {
		len = strcspn(rule, " ");
		one = find(e, rule, len);
		if (one)
			found[n++] = *one;
	}
	return n;
}
