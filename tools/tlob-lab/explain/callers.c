// SPDX-License-Identifier: GPL-2.0
/* Stacks from a list of straight runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain/callers.h"
#include "util/array.h"
#include "util/text.h"

#define RESUME_ANY	0		/* no code is there */

const struct ksym ksym_user = { .name = "[user]", .module = "" };
const struct ksym ksym_unknown = { .name = "[unknown]", .module = "" };

struct frame {
	uint32_t node;
	uint64_t resume;		/* where its return goes */
	bool	 entered;		/* ends with iret or sysret */
	bool	 switches;		/* its return goes to another task */
};

/* frame[0] is never known: it stands for who called frame[1], or was interrupted. */
struct walk {
	struct tree *t;
	size_t	 nodes_room;
	struct frame *frame;
	size_t	 frames, frames_room;
	bool	 failed;
};

/* ---- places ---- */

/* Tables of arm64 with 128 bytes of code for each kind of exception. */
static bool is_vector(const struct ksym *s, uint64_t address)
{
	return !((address - s->address) & 127) &&
	       (!strcmp(s->name, "vectors") || !strcmp(s->name, "tramp_vectors") ||
		!strcmp(s->name, "__bp_harden_el1_vectors"));
}

/*
 * Where the CPU enters kernels. x86-64: the interrupt table has asm_NAME, and for the vectors of
 * devices short entries that jump there.
 */
static bool is_entry(const struct ksym *s, uint64_t address, bool start)
{
	if (is_vector(s, address))
		return true;
	if (!strcmp(s->name, "irq_entries_start") ||
	    !strcmp(s->name, "spurious_entries_start"))
		return true;
	return start && (begins_with(s->name, "asm_sysvec_") ||
			 begins_with(s->name, "asm_exc_") ||
			 begins_with(s->name, "asm_common_interrupt") ||
			 begins_with(s->name, "asm_spurious_interrupt") ||
			 begins_with(s->name, "entry_SYSCALL_64") ||
			 begins_with(s->name, "entry_SYSCALL_compat") ||
			 begins_with(s->name, "asm_int80_emulation"));
}

struct place *places_of(const struct profile *p, const struct ksyms *k)
{
	struct place *place = calloc(p->segments + !p->segments, sizeof(*place));
	const struct ksym *s;
	uint64_t address;
	size_t i;

	for (i = 0; place && i < p->segments; i++) {
		address = p->segment[i].start;
		s = ksyms_at(k, address);
		if (!(address >> 63)) {
			/* below the program, or no program is known */
			place[i].function = s && !(s->address >> 63) ? s : &ksym_user;
			place[i].start = s && s->address == address;
		} else if (!s || !(s->address >> 63)) {
			place[i].function = &ksym_unknown;
		} else {
			place[i].start = s->address == address;
			place[i].entry = is_entry(s, address, place[i].start);
			place[i].function = ksyms_whole(k, s);
			/* the start of NAME.cold is not the start of NAME */
			if (place[i].function != s)
				place[i].start = false;
		}
	}
	return place;
}

/* ---- tree ---- */

static void node_link(struct tree *t, uint32_t node, uint32_t parent)
{
	t->node[node].parent = parent;
	if (parent == NODE_NONE)
		return;
	t->node[node].before = t->node[parent].below;
	t->node[parent].below = node + 1;
}

static uint32_t node_new(struct walk *w, const struct ksym *function,
			 uint32_t parent, bool entered)
{
	struct node *n = array_add(w->t->node, w->t->n, w->nodes_room);

	if (!n) {
		w->failed = true;
		return 0;
	}
	*n = (struct node){ .function = function, .entered = entered };
	node_link(w->t, w->t->n, parent);
	return w->t->n++;
}

/*
 * Calls of one function by one other are one node. The search stays below @parent, because each
 * switch to a task begins a tree of its own, and a region may have many thousands.
 */
static uint32_t node_below(struct walk *w, uint32_t parent, const struct ksym *function,
			   bool entered, uint32_t jumped_from)
{
	uint32_t node, at;

	for (at = w->t->node[parent].below; at; at = w->t->node[at - 1].before)
		if (w->t->node[at - 1].function == function &&
		    w->t->node[at - 1].entered == entered &&
		    w->t->node[at - 1].jumped_from == jumped_from)
			return at - 1;
	node = node_new(w, function, parent, entered);
	if (!w->failed)
		w->t->node[node].jumped_from = jumped_from;
	return node;
}

/* The thunk of an indirect jump is no function that calls. */
static bool is_thunk(const struct ksym *s)
{
	return begins_with(s->name, "__x86_indirect_");
}

/* @from: not a root. @tail: its code ended with the jump; else a thunk returned to here. */
static uint32_t node_jumped(struct walk *w, uint32_t from, const struct ksym *function, bool tail)
{
	const struct node *n = &w->t->node[from];
	uint32_t at;

	/* it jumped back */
	for (at = from + 1; at; at = w->t->node[at - 1].jumped_from)
		if (w->t->node[at - 1].function == function)
			return at - 1;
	return node_below(w, n->parent, function, n->entered,
			  tail && !is_thunk(n->function) ? from + 1 : n->jumped_from);
}

static struct frame *top(struct walk *w)
{
	return &w->frame[w->frames - 1];
}

static void push(struct walk *w, struct frame f)
{
	struct frame *to = array_add(w->frame, w->frames, w->frames_room);

	if (!to) {
		w->failed = true;
		return;
	}
	*to = f;
	w->frames++;
}

static void call(struct walk *w, const struct place *to, uint64_t resume,
		 bool entered)
{
	uint32_t node = node_below(w, top(w)->node, to->function, entered, 0);

	push(w, (struct frame){
		.node = node, .resume = resume, .entered = entered,
		.switches = !strcmp(to->function->name, "__switch_to_asm") ||
			    !strcmp(to->function->name, "cpu_switch_to"),
	});
}

/* Another task runs now, in @function (NULL: not known). Nothing else is known of its stack. */
static void begin_task(struct walk *w, const struct ksym *function)
{
	uint32_t root = node_new(w, NULL, NODE_NONE, false);

	w->frames = 0;
	push(w, (struct frame){ .node = root });
	if (function && !w->failed)
		push(w, (struct frame){
			.node = node_new(w, function, root, false),
		});
}

/* The one that was not known turns out to be @function. */
static void learn(struct walk *w, const struct ksym *function)
{
	uint32_t known = w->frame[0].node, root;

	root = node_new(w, NULL, NODE_NONE, false);
	if (w->failed)
		return;
	w->t->node[known].function = function;
	node_link(w->t, known, root);
	w->frames = 1;
	w->frame[0].node = root;
	push(w, (struct frame){ .node = known });
}

/* The code of the top frame is @function's: it was jumped to. */
static void replace(struct walk *w, const struct place *to, bool tail)
{
	struct frame *f = top(w);

	if (w->frames == 1)
		learn(w, to->function);
	else if (w->t->node[f->node].function != to->function)
		f->node = node_jumped(w, f->node, to->function, tail);
}

/* ---- steps ---- */

static void returned(struct walk *w, const struct place *to, uint64_t address)
{
	size_t i;

	if (top(w)->switches) {
		begin_task(w, to->function);
		return;
	}
	for (i = w->frames; i-- > 1;) {
		if (w->frame[i].entered)
			break;		/* a return does not end an interrupt */
		if (w->frame[i].resume == address) {
			w->frames = i;
			return;
		}
	}
	if (to->start)
		return;			/* a retpoline: it jumps by a return */
	for (i = w->frames; i-- > 1;)
		if (w->t->node[w->frame[i].node].function == to->function) {
			w->frames = i + 1;
			return;
		}
	learn(w, to->function);
}

static void left_entry(struct walk *w)
{
	size_t i;

	for (i = w->frames; i-- > 1;)
		if (w->frame[i].entered) {
			w->frames = i;
			return;
		}
	/* it was entered before the path began */
	w->frames = 1;
}

/*
 * @from_entry: @from began at an entry of the kernel. The entries of the devices' vectors jump to
 * asm_common_interrupt, which is an entry as well: that is one interrupt, not two.
 */
static void step(struct walk *w, const struct segment *from, bool from_entry,
		 const struct segment *to, const struct place *at)
{
	uint64_t behind = from->start + from->bytes;

	if (from->ending == 's' ||
	    (at->entry && from->ending != 'c' && !(from_entry && from->ending == 'j')))
		call(w, at, RESUME_ANY, true);
	else if (from->ending == 'c' &&
		 (at->start ||
		  w->t->node[top(w)->node].function != at->function))
		call(w, at, behind, false);
	else if (from->ending == 'r')
		returned(w, at, to->start);
	else if (from->ending == 'l')
		left_entry(w);
	if (!w->failed)
		replace(w, at, from->ending == 'j' || from->ending == 'b');
}

int unwind(struct tree *t, const struct profile *p, const struct place *place,
	   const struct path *path)
{
	struct walk w = { .t = t };
	const struct segment *last = NULL;
	enum phase phase = PHASE_IRQ;
	bool from_entry = false;
	struct node *in;
	uint64_t n;
	size_t i;

	*t = (struct tree){ 0 };
	begin_task(&w, NULL);
	for (i = 0; i < path->steps && !w.failed; i++) {
		uint32_t number = path->step[i].segment;
		const struct segment *s = &p->segment[number];

		while (phase < PHASE_WORK && i >= path->end[phase])
			phase++;
		if (last)
			step(&w, last, from_entry, s, &place[number]);
		else if (place[number].entry)
			call(&w, &place[number], RESUME_ANY, true);
		else
			replace(&w, &place[number], false);
		if (w.failed)
			break;
		/* what repeats is a loop within the function */
		n = (uint64_t)s->n * path->step[i].times;
		in = &t->node[top(&w)->node];
		in->net[phase] += n;
		if (path->part && phase < PHASE_WORK)
			in->part[path->part[i]] += n;
		last = s;
		from_entry = place[number].entry;
	}
	free(w.frame);
	if (w.failed) {
		tree_free(t);
		return -ENOMEM;
	}
	return 0;
}

void tree_free(struct tree *t)
{
	free(t->node);
	*t = (struct tree){ 0 };
}

const struct node *tree_above(const struct tree *t, const struct node *n)
{
	return n->jumped_from ? &t->node[n->jumped_from - 1] : tree_caller(t, n);
}

const struct node *tree_caller(const struct tree *t, const struct node *n)
{
	const struct node *up;

	if (n->parent == NODE_NONE)
		return NULL;
	up = &t->node[n->parent];
	return up->function ? up : NULL;
}
