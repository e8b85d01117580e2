// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "culprit/culprit.h"
#include "culprit/telling.h"
#include "result/causes.h"
#include "util/ksyms.h"

static void push(struct trail *t, const char *name)
{
	if (t->n < TRAIL_FRAMES)
		t->name[t->n++] = name;
}

/*
 * The bits of pointer authentication are those above the address, which are all 1 in the kernel. Bit
 * 55 is not among them: it is 1 in the kernel. Returns 0 if @link is no address of the kernel.
 */
static uint64_t plain(uint64_t link, uint64_t kernel)
{
	return link >> 55 & 1 ? link | ~(UINT64_MAX >> __builtin_clzll(~kernel | 1)) : 0;
}

/*
 * Pushes the caller of @function, into which an interrupt came, if @frame, from that place on, has
 * not got it. A function that uses the register for something else has its frame by then.
 */
static void push_hidden(struct trail *t, const struct ksyms *k, const struct ksym *function,
			const __u64 *frame, size_t n, uint64_t link)
{
	const struct ksym *caller, *at;

	if (!link) {
		push(t, trail_gap);
		return;
	}
	link = plain(link, *frame);
	caller = link ? ksyms_at(k, link - 1) : NULL;
	/* a tracer puts its trampoline's first address there */
	at = link ? ksyms_at(k, link) : NULL;
	if (at && telling_is_trampoline(at->name)) {
		push(t, trail_gap);
		return;
	}
	if (!caller || (function && ksyms_whole(k, caller) == ksyms_whole(k, function)) ||
	    (n > 1 && frame[1] == link))
		return;
	push(t, caller->name);
}

/* The names of a stack's functions; none if it was not taken. */
static void trail_of(struct trail *t, const struct ksyms *k, const struct tlob_late_stack *stack)
{
	size_t n = stack->pid && stack->size > 0 ? (size_t)stack->size / sizeof(*stack->frame) : 0, i;
	uint64_t link = stack->link;
	const char *before = NULL;
	const struct ksym *s;

	t->n = 0;
	t->cut = n >= TLOB_LATE_FRAMES;
	t->call = stack->call;
	for (i = 0; i < n && i < TLOB_LATE_FRAMES; i++) {
		/* a function that has not begun: its caller called it there */
		s = telling_is_thunk(before) ? ksyms_at(k, stack->frame[i]) : NULL;
		if (s && s->address == stack->frame[i])
			continue;
		s = ksyms_at(k, stack->frame[i] - (i && !telling_is_interrupt(before)));
		push(t, s ? s->name : NULL);
		if (telling_hides_caller(before)) {
			push_hidden(t, k, s, &stack->frame[i], n - i, link);
			link = 0;
		}
		before = s ? s->name : NULL;
	}
}

static void put_name(struct kernel_place *to, const char *function)
{
	snprintf(to->function, sizeof(to->function), "%.*s", (int)strcspn(function, "."), function);
}

/* From the end of the text on, because @t begins with the innermost frame. */
static void put_stack(struct kernel_place *to, const struct trail *t, const char *function)
{
	char *at = to->stack + sizeof(to->stack) - 1;
	size_t i = 0, n;

	*at = 0;
	while (i < t->n && t->name[i] != function)
		i++;
	for (; i < t->n; i++) {
		const char *name = t->name[i] ? t->name[i] : "?";

		n = strcspn(name, ".");
		if ((size_t)(at - to->stack) < n + 1)
			break;
		if (*at)
			*--at = ';';
		at -= n;
		memcpy(at, name, n);
	}
	memmove(to->stack, at, strlen(at) + 1);
}

/* @function is a name of @t, or NULL. */
static void put(struct kernel_place *to, const struct trail *t, const char *function)
{
	if (function) {
		put_name(to, function);
		put_stack(to, t, function);
	}
	telling_entry(to->entry, sizeof(to->entry), t, function, t->call);
}

static bool is_of(const struct tlob_late_stack *s, const struct cause *cause)
{
	return s->pid && s->pid == cause->id;
}

/* The stack that knows where @cause was. NULL: none can. */
static const struct tlob_late_stack *stack_of(const struct cause *cause, const struct tlob_late *late)
{
	if (!cause->has_name)
		return NULL;
	if (cause->part == TLOB_WAKE_SOFTIRQ)
		return &late->at[TLOB_LATE_TICK];
	if (cause->kind != TLOB_NOISE_THREAD)
		return NULL;
	return &late->at[cause->part == TLOB_WAKE_IRQ_DELAY ? TLOB_LATE_MET : TLOB_LATE_LEFT];
}

bool culprit_has_stack(const struct cause *cause, const struct tlob_late *late)
{
	const struct tlob_late_stack *s = stack_of(cause, late);

	return s && (cause->part == TLOB_WAKE_SOFTIRQ ? s->pid != 0 : is_of(s, cause));
}

/* The task that had the CPU longest is the one that left it last. */
static void put_task(struct kernel_place *to, const struct cause *cause,
		     const struct tlob_late *late, const struct ksyms *k)
{
	const struct tlob_late_stack *s = &late->at[TLOB_LATE_LEFT];
	const struct tlob_late_stack *met = &late->at[TLOB_LATE_TICK];
	struct trail left, tick = { .n = 0 };
	const struct trail *in;
	const char *function;

	trail_of(&left, k, s);
	if (is_of(met, cause))
		trail_of(&tick, k, met);
	function = telling_kept(&left, s->blocked, &tick, &in);
	if (in)
		put(to, in, function);
}

/* The sentence names the softirq already: a function of its own. */
static void put_softirq(struct kernel_place *to, const struct cause *cause,
			const struct tlob_late *late, const struct ksyms *k)
{
	const char *function;
	struct trail tick;

	trail_of(&tick, k, &late->at[TLOB_LATE_TICK]);
	function = telling_softirq(&tick, cause->id);
	if (function) {
		put_name(to, function);
		put_stack(to, &tick, function);
	}
}

static void put_delay(struct kernel_place *to, const struct tlob_late *late, const struct ksyms *k)
{
	const char *function;
	struct trail met;

	trail_of(&met, k, &late->at[TLOB_LATE_MET]);
	function = telling_enabled(&met);
	if (function)
		put(to, &met, function);
}

void culprit_place(struct kernel_place *to, const struct cause *cause, const struct tlob_late *late,
		   const struct ksyms *k)
{
	*to = (struct kernel_place){ 0 };
	if (!culprit_has_stack(cause, late))
		return;
	if (cause->part == TLOB_WAKE_SOFTIRQ)
		put_softirq(to, cause, late, k);
	else if (cause->part == TLOB_WAKE_IRQ_DELAY)
		put_delay(to, late, k);
	else
		put_task(to, cause, late, k);
}
