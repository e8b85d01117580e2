// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "hist.h"
#include "result/causes.h"
#include "result/parts.h"
#include "result/timeline.h"

#define NEARLY_ALL	90	/* percent of a part: a name stands for the whole of it */
#define SMALL		10	/* percent of a window: less is no cause unless it is late */

static const char *short_name(unsigned int part)
{
	return strchr(tlob_metric_names[TLOB_METRIC_PARTS + part], '.') + 1;
}

/* The part of the other phase with the same name, or @part itself. */
static unsigned int twin(unsigned int part)
{
	unsigned int i;

	for (i = 0; i < TLOB_NR_PARTS; i++)
		if (i != part && !strcmp(short_name(i), short_name(part)))
			return i;
	return part;
}

static uint64_t in_both_phases(const struct tlob_window *w, unsigned int part)
{
	unsigned int other = twin(part);

	return w->part_ns[part] + (other == part ? 0 : w->part_ns[other]);
}

/* @most_ns: what the part has beyond what is usual. */
static unsigned int largest_excess(const struct tlob_window *w, uint64_t usual_ns, uint64_t *most_ns)
{
	uint64_t own = w->part_ns[TLOB_WORK_ON_CPU], most;
	unsigned int worst = TLOB_WORK_ON_CPU, i;

	most = own > w->budget_ns ? own : own > usual_ns ? own - usual_ns : 0;
	for (i = 0; i < TLOB_NR_PARTS; i++) {
		if (i == TLOB_WORK_ON_CPU || in_both_phases(w, i) <= most)
			continue;
		worst = i;
		most = in_both_phases(w, i);
	}
	*most_ns = most;
	if (w->response_ns <= w->budget_ns && most <= w->response_ns / 100 * SMALL &&
	    own > most)
		return TLOB_WORK_ON_CPU;
	return worst;
}

static void set_name(struct cause *c, unsigned int kind, int32_t id, const char *name)
{
	c->has_name = true;
	c->kind = (uint8_t)kind;
	c->id = id;
	memcpy(c->name, name, strnlen(name, TLOB_NAME_LEN - 1));
}

/* The CPU was idle in an earlier wait, and not in most of the time: that says nothing of this one. */
static bool is_earlier_idle(const struct cause *c, const struct tlob_noise *largest)
{
	return noise_is_idle(largest->kind, largest->id) &&
	       !noise_is_kept(largest->kind, largest->id, largest->name) && largest->ns <= c->ns / 2;
}

static void name_who(struct cause *c, const struct tlob_window *w)
{
	unsigned int kind = part_noise(c->part);
	bool waits = c->part == TLOB_WAKE_SCHED || kind == TLOB_NOISE_THREAD;

	if (w->flags & WINDOW_CONTINUED &&
	    (waits || c->part == TLOB_WAKE_IRQ_DELAY || c->part == TLOB_WORK_SLEEP)) {
		set_name(c, TLOB_NOISE_THREAD, 0, TLOB_STOPPED);
		c->nearly_all = true;
	} else if (c->part == TLOB_WAKE_IRQ_DELAY) {
		c->soft = w->flags & WINDOW_SOFT_TIMER;
		/* which task that was is chance */
		if (window_met_user(w))
			return;
		set_name(c, TLOB_NOISE_THREAD, w->delayed_by_pid,
			 w->delayed_by_pid ? w->delayed_by : "idle");
		c->nearly_all = true;
	} else if (w->flags & TLOB_WINDOW_THROTTLED && waits) {
		/* what ran meanwhile is no cause */
		set_name(c, TLOB_NOISE_THREAD, 0, TLOB_THROTTLED);
		c->nearly_all = true;
	} else if (c->part == TLOB_WORK_SLEEP && w->flags & WINDOW_LOCK) {
		set_name(c, TLOB_NOISE_THREAD, 0, SLEPT_FOR_LOCK);
	} else if (c->part == TLOB_WORK_SLEEP && w->largest.ns > c->ns / 2 &&
		   noise_is_kept(w->largest.kind, w->largest.id, w->largest.name)) {
		set_name(c, TLOB_NOISE_THREAD, 0, w->largest.name);
	} else if (kind != TLOB_NR_NOISE && kind != TLOB_NOISE_NMI && w->largest.ns &&
		   w->largest.kind == kind && !is_earlier_idle(c, &w->largest)) {
		set_name(c, kind, w->largest.id, w->largest.name);
		c->nearly_all = w->largest.ns >= c->ns / 100 * NEARLY_ALL;
	}
}

bool cause_of(struct cause *c, const struct tlob_window *w, uint64_t usual_ns)
{
	const uint32_t all = (1U << TLOB_NR_PARTS) - 1;
	unsigned int part, other;
	uint64_t most;

	*c = (struct cause){ .part = TLOB_WORK_ON_CPU };
	if ((w->unavailable & all) == all)
		return false;
	part = largest_excess(w, usual_ns, &most);
	c->is_minor = w->budget_ns && w->response_ns > w->budget_ns &&
		      most < (w->response_ns - w->budget_ns) / 2;
	other = twin(part);
	c->ns = in_both_phases(w, part);
	c->part = (uint8_t)(w->part_ns[other] > w->part_ns[part] ? other : part);
	name_who(c, w);
	return true;
}

/* Like the offenders of a result: a thread's name identifies it, an irq's number does as well. */
static bool is_same_cause(const struct cause_count *a, const struct cause_count *b)
{
	if (a->part != b->part || a->has_name != b->has_name || a->soft != b->soft)
		return false;
	return !a->has_name || (a->kind == b->kind && !strcmp(a->name, b->name) &&
				(a->kind == TLOB_NOISE_THREAD || a->id == b->id));
}

static bool is_same(const struct cause_count *a, const struct cause_count *b)
{
	return is_same_cause(a, b) && !strcmp(a->place.function, b->place.function) &&
	       !strcmp(a->place.entry, b->place.entry);
}

/* Adds @one to the cause that is the same. */
static void causes_add(struct causes *all, const struct cause_count *one)
{
	size_t i, fewest = 0;

	for (i = 0; i < all->n; i++) {
		if (is_same(&all->at[i], one)) {
			all->at[i].windows += one->windows;
			return;
		}
		if (all->at[i].windows < all->at[fewest].windows)
			fewest = i;
	}
	if (all->n < CAUSES_KEPT) {
		all->at[all->n++] = *one;
		return;
	}
	all->others += all->at[fewest].windows;
	all->at[fewest] = *one;
}

static struct cause_count count_as(const struct cause *c)
{
	struct cause_count one = { .windows = 1 };

	one.part = (uint8_t)(twin(c->part) < c->part ? twin(c->part) : c->part);
	one.has_name = c->has_name;
	one.soft = c->soft;
	one.kind = c->kind;
	one.id = c->id;
	memcpy(one.name, c->name, sizeof(one.name));
	return one;
}

/* Returns false if @w counts for no cause. */
static bool count_of(const struct causes *all, const struct tlob_window *w, struct cause_count *one)
{
	struct cause c;

	if (!(w->flags & TLOB_WINDOW_VIOLATION) ||
	    !cause_of(&c, w, all->work_ns / all->windows))
		return false;
	*one = count_as(&c);
	return true;
}

void causes_window(struct causes *all, const struct tlob_window *w)
{
	struct cause_count one;

	all->windows++;
	all->work_ns += w->part_ns[TLOB_WORK_ON_CPU];
	if (count_of(all, w, &one))
		causes_add(all, &one);
}

void causes_continued(struct causes *all, struct tlob_window *w)
{
	struct cause_count was, is;
	bool counted = count_of(all, w, &was);
	size_t i = 0;

	w->flags |= WINDOW_CONTINUED;
	while (counted && i < all->n && !is_same(&all->at[i], &was))
		i++;
	/* its cause has made room for others, or the mean of the work has changed since: it stays */
	if (!counted || i == all->n || !count_of(all, w, &is))
		return;
	if (!--all->at[i].windows)
		all->at[i] = all->at[--all->n];
	causes_add(all, &is);
}

void causes_place(struct causes *all, const struct cause *c, const struct kernel_place *place)
{
	struct cause_count one = count_as(c);

	one.place = *place;
	causes_add(all, &one);
}

const struct cause_count *causes_place_of(const struct causes *places,
					  const struct cause_count *cause)
{
	const struct cause_count *most = NULL;
	size_t i;

	for (i = 0; i < places->n; i++)
		if (is_same_cause(&places->at[i], cause) &&
		    (!most || places->at[i].windows > most->windows))
			most = &places->at[i];
	return most;
}

void causes_merge(struct causes *all, const struct causes *from)
{
	size_t i;

	all->others += from->others;
	for (i = 0; i < from->n; i++)
		causes_add(all, &from->at[i]);
}
