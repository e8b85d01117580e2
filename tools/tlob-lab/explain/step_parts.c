// SPDX-License-Identifier: GPL-2.0
/* The module's hooks in a path. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain/step_parts.h"

#define LEVELS	8			/* of nested irqs; the module has 4 */

/* The state that split.h of the module keeps, as far as a path shows it. */
struct cursor {
	unsigned int depth;
	uint8_t	 level[LEVELS];		/* enum tlob_part */
	uint8_t	 base;			/* below all levels */
	bool	 softirq;		/* the hook that began last is one of a softirq */
};

/* A path does not show what the CPU did at the expiry. */
struct guess {
	bool	 in_irq;		/* an interrupt had begun before */
	uint8_t	 base;			/* from t1 on: another task, or idle, was interrupted */
};

/* A function of the module, or of a kernel that has it built in. */
static bool is_ours(const struct ksym *f)
{
	return !strncmp(f->name, "tlob_", strlen("tlob_"));
}

static uint8_t cause(const struct cursor *c)
{
	return c->depth ? c->level[c->depth - 1] : c->base;
}

/* A hook has read the clock: what comes next belongs to another part. */
static void boundary(struct cursor *c, const char *hook)
{
	if (strstr(hook, "enter") || strstr(hook, "entry")) {
		if (c->depth < LEVELS)
			c->level[c->depth++] = c->softirq ? TLOB_WAKE_SOFTIRQ : TLOB_WAKE_IRQ;
	} else if (strstr(hook, "exit") && c->depth) {
		c->depth--;
	}
}

/* The state before a hook's last reading, which held from the step @from on. */
struct attempt {
	struct cursor before;
	size_t	 from;			/* 0: none that this hook has made */
};

/*
 * A hook reads the clock for its plain case. If the case is not plain, it calls one of these
 * functions, which reads the clock again. Only the second reading counts. A name that must be
 * copied is not plain, such as the name of arm64's timer.
 */
static bool tries_again(const char *name)
{
	return !strcmp(name, "tlob_window_exit_slow") || !strcmp(name, "tlob_window_enter");
}

static void take_back(struct cursor *c, struct attempt *a, uint8_t *part, size_t to)
{
	if (!a->from)
		return;
	*c = a->before;
	for (; a->from <= to; a->from++)
		part[a->from] = cause(c);
	a->from = 0;
}

static void divide(uint8_t *part, const struct profile *p,
		   const struct place *place, const struct path *path,
		   const struct guess *g)
{
	struct cursor c = { .base = TLOB_WAKE_IRQ_DELAY };
	struct attempt a = { 0 };
	size_t i;

	if (g->in_irq)
		c.level[c.depth++] = TLOB_WAKE_IRQ;
	for (i = 0; i < path->end[PHASE_WAKE]; i++) {
		const struct place *at = &place[path->step[i].segment];
		const char *name = at->function->name;

		part[i] = cause(&c);
		if (i + 1 == path->end[PHASE_IRQ])
			c.base = g->base;
		if (!is_ours(at->function))
			continue;
		if (at->start && tries_again(name)) {
			take_back(&c, &a, part, i);
		} else if (at->start && (strstr(name, "_entry") || strstr(name, "_exit"))) {
			c.softirq |= strstr(name, "softirq") != NULL;
			a.from = 0;
		}
		if (p->segment[path->step[i].segment].ending != 't')
			continue;
		a = (struct attempt){ c, i + 1 };
		boundary(&c, name);
		/* a switch away from what was interrupted; other tasks would not add up */
		if (strstr(name, "switch") && i >= path->end[PHASE_IRQ])
			c.base = TLOB_WAKE_SCHED;
		c.softirq = false;
	}
}

/*
 * Each reading of the clock is rounded to a ns, or down to its step. Then each of the @runs that
 * are the part is up to a step shorter or longer.
 */
static bool is_about(uint64_t instructions, uint64_t ns, uint32_t step, unsigned int runs)
{
	uint64_t off = instructions > ns ? instructions - ns : ns - instructions;

	return off <= 4 + (uint64_t)(step - 1) * runs + ns / 50000;
}

static bool agree(const uint8_t *part, const struct profile *p,
		  const struct path *path, const struct record *r, uint64_t asleep)
{
	uint64_t n[WAKE_PARTS] = { 0 };
	unsigned int runs[WAKE_PARTS] = { 0 }, k;
	size_t i;

	for (i = 0; i < path->end[PHASE_WAKE]; i++) {
		n[part[i]] += (uint64_t)path->step[i].times *
			      p->segment[path->step[i].segment].n;
		runs[part[i]] += !i || part[i] != part[i - 1];
	}
	/* a sleeping CPU is not in an interrupt yet */
	n[TLOB_WAKE_IRQ_DELAY] += asleep;
	for (k = 0; k < WAKE_PARTS; k++)
		if (!is_about(n[k], r->part[k], r->step, runs[k]))
			return false;
	return true;
}

int parts_divide(struct path *path, const struct profile *p,
		 const struct place *place, const struct record *r, uint64_t asleep)
{
	static const struct guess guess[] = {
		{ false, TLOB_WAKE_SCHED }, { false, TLOB_WAKE_THREAD },
		{ true, TLOB_WAKE_SCHED }, { true, TLOB_WAKE_THREAD },
	};
	uint8_t *part = malloc(path->end[PHASE_WAKE] + 1);
	size_t i;

	if (!part)
		return -ENOMEM;
	for (i = 0; i < sizeof(guess) / sizeof(guess[0]); i++) {
		divide(part, p, place, path, &guess[i]);
		if (agree(part, p, path, r, asleep)) {
			path->part = part;
			return 0;
		}
	}
	free(part);
	return 0;
}

bool parts_agree(const struct path *path, const struct profile *p,
		 const struct record *r, uint64_t asleep)
{
	return agree(path->part, p, path, r, asleep);
}
