// SPDX-License-Identifier: GPL-2.0
/* Adds up stacks of the kernel's table that have the same frames. */
#include <errno.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "util/array.h"
#include "util/error.h"
#include "waits/profile.h"
#include "waitstack.h"

/* Lists of frames have pointers: each frame exists once. */
#define FRAME_REF	sizeof(void *)
#define USERS_MIN	65536U	/* so many need no look at who is gone */
#define UNWIND_MEMORY	(4ULL << 30)	/* a program's debug file may have a GiB */

/* libdw ends the whole tool where it gets no memory for a table, so it must not run out of it. */
static bool memory_is_limited(void)
{
	static const int of[] = { RLIMIT_AS, RLIMIT_DATA };
	struct rlimit limit;
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(*of); i++)
		if (!getrlimit(of[i], &limit) && limit.rlim_cur < UNWIND_MEMORY)
			return true;
	return false;
}

int wait_profile_init(struct wait_profile *p)
{
	memset(p, 0, sizeof(*p));
	p->unwind = unwind_new(UNWIND_DWARF);
	if (!p->unwind)
		return fail(-ENOMEM, "out of memory");
	p->unread = memory_is_limited();
	if (p->unread)
		warning("programs are not unwound: that takes up to %llu GiB: ulimit -v unlimited -d unlimited",
			UNWIND_MEMORY >> 30);
	return ksyms_load(&p->kernel, KALLSYMS);
}

static void free_rows(struct wait_profile *p)
{
	size_t i, k;

	for (i = 0; i < p->nrow; i++) {
		for (k = 0; k < p->row[i].npath; k++)
			free(p->row[i].path[k].frame);
		free(p->row[i].path);
	}
	free(p->row);
	p->row = NULL;
	p->nrow = 0;
}

void wait_profile_free(struct wait_profile *p)
{
	free_rows(p);
	tdestroy(p->users, free);
	ksyms_free(&p->kernel);
	unwind_free(p->unwind);
	memset(p, 0, sizeof(*p));
}

static int by_stack(const void *pa, const void *pb)
{
	const struct wait_user *a = pa, *b = pb;

	return (a->stack > b->stack) - (a->stack < b->stack);
}

static struct wait_user *find_user(const struct wait_profile *p, uint64_t stack)
{
	const struct wait_user key = { .stack = stack };
	struct wait_user **found = tfind(&key, &p->users, by_stack);

	return found ? *found : NULL;
}

/* Keeps @n frames for @stack. Returns 0 or -ENOMEM. */
static int keep_user(struct wait_profile *p, uint64_t stack, const struct wait_frame *const *frame,
		     size_t n, enum wait_ends ends)
{
	struct wait_user *u = malloc(sizeof(*u) + n * FRAME_REF), *old = find_user(p, stack);

	if (!u)
		return -ENOMEM;
	*u = (struct wait_user){ .stack = stack, .n = n, .ends = ends, .round = p->round };
	memcpy(u->frame, frame, n * FRAME_REF);
	if (old) {
		tdelete(old, &p->users, by_stack);
		free(old);
	}
	p->nuser += !old;
	if (tsearch(u, &p->users, by_stack))
		return 0;
	p->nuser--;
	free(u);
	return -ENOMEM;
}

void wait_profile_take_copy(void *profile, const struct tlob_wait_copy *copy)
{
	const struct wait_frame *frame[UNWIND_FRAMES];
	struct wait_profile *p = profile;
	bool is_32bit = copy->flags & TLOB_WAIT_32BIT, whole = true;
	size_t n;

	if (p->unread) {
		p->left_unread++;
		return;
	}
	if (is_32bit)
		n = unwind_innermost(p->unwind, copy, frame);
	else
		n = unwind_copy(p->unwind, copy, frame, &whole);
	p->bits32 += is_32bit;
	if (!n && !is_32bit) {
		if (kill((pid_t)copy->tgid, 0) && errno == ESRCH)
			p->gone++;
		else
			p->barred++;
	}
	p->broken += n && !whole;
	/* what is known of a 32-bit program that is gone is its address */
	if (!n && is_32bit)
		frame[n++] = unwind_raw(p->unwind, copy->reg[TLOB_WAIT_REG_IP]);
	/* without memory the stack stays unread */
	if (n && frame[0])
		keep_user(p, copy->stack, frame, n, is_32bit ? WAIT_ENDS_32BIT :
			  whole ? WAIT_ENDS_WHOLE : WAIT_ENDS_CUT);
}

/* Returns a number for the trace of @s in the process @tgid, which no stack has as its id; or 0. */
static uint64_t trace_of(const struct tlob_wait_stack *s, uint32_t tgid)
{
	uint64_t hash = s->nr_code > TLOB_WAIT_CODE ? 0 :
			tlob_wait_trace_hash(s->code, s->nr_code, tgid);

	return hash ? hash | 1ULL << 63 : 0;
}

/* The first stack of @task: records are in the order of their tasks' ids. */
static size_t first_stack(const struct wait_records *r, uint64_t task)
{
	return array_first(i, r->nstack, r->stack[i].task >= task);
}

/* Frames of another thread that waits alike, or NULL. */
static const struct wait_user *find_trace(const struct wait_profile *p,
					  const struct tlob_wait_stack *s, uint32_t tgid)
{
	uint64_t trace = trace_of(s, tgid);

	return trace ? find_user(p, trace) : NULL;
}

/* Lets threads that wait alike share what one of them was unwound to. */
static int share_traces(struct wait_profile *p, const struct wait_records *r)
{
	const struct wait_row *row;
	struct wait_user *u;
	uint64_t trace;
	size_t i;
	int err = 0;

	for (row = p->row; !err && row < p->row + p->nrow; row++) {
		i = first_stack(r, row->task.id);
		for (; !err && i < r->nstack && r->stack[i].task == row->task.id; i++) {
			u = find_user(p, r->stack[i].id);
			trace = trace_of(&r->stack[i], row->task.tgid);
			if (u && trace && !find_user(p, trace))
				err = keep_user(p, trace, u->frame, u->n, u->ends);
		}
	}
	return err;
}

bool wait_profile_is_full(const struct wait_profile *p)
{
	return p->nuser > USERS_MIN && p->nuser / 2 > p->nkept;
}

static struct wait_profile *sifting;	/* tdestroy() passes nothing on */

static void sift(void *user)
{
	struct wait_user *u = user;

	u->kept = false;
	if (u->round == sifting->round && tsearch(u, &sifting->users, by_stack))
		sifting->nuser++;
	else
		free(u);
}

static void still_there(struct wait_profile *p, uint64_t stack)
{
	struct wait_user *u = find_user(p, stack);

	if (!u)
		return;
	p->nkept += !u->kept;
	u->kept = true;
	u->round = p->round;
}

void wait_profile_forget(struct wait_profile *p, const struct wait_records *r)
{
	const struct tlob_wait_task *t;
	void *users = p->users;
	size_t i;

	p->nkept = 0;
	for (t = r->task; t < r->task + r->ntask; t++)
		for (i = first_stack(r, t->id); i < r->nstack && r->stack[i].task == t->id; i++) {
			still_there(p, r->stack[i].id);
			still_there(p, trace_of(&r->stack[i], t->tgid));
		}
	p->users = NULL;
	p->nuser = 0;
	sifting = p;
	tdestroy(users, sift);
	p->round++;
}

static size_t kernel_frames(struct wait_profile *p, const struct tlob_wait_stack *s,
			    const struct wait_frame **frame)
{
	const struct ksym *function;
	char hex[32];
	size_t n;

	for (n = 0; n < s->nr_kernel && n < TLOB_WAIT_FRAMES; n++) {
		snprintf(hex, sizeof(hex), "0x%llx", (unsigned long long)s->kernel[n]);
		/* a return address may be the first one of the next function */
		function = ksyms_at(&p->kernel, s->kernel[n] - 1);
		frame[n] = unwind_kernel(p->unwind, function ? function->name : hex);
		if (!frame[n])
			break;
	}
	return n;
}

/* Without a copy only the instruction pointer is certain. */
static size_t user_frames(struct wait_profile *p, const struct tlob_wait_stack *s, uint32_t tgid,
			  const struct wait_frame **frame, enum wait_ends *ends)
{
	const struct wait_user *u = find_user(p, s->id);

	if (!u)
		u = find_trace(p, s, tgid);
	if (u) {
		memcpy(frame, u->frame, u->n * FRAME_REF);
		*ends = u->ends;
		return u->n;
	}
	*ends = WAIT_ENDS_WHOLE;
	if (!s->nr_code)
		return 0;
	*ends = WAIT_ENDS_UNREAD;
	frame[0] = unwind_raw(p->unwind, s->code[0]);
	return !!frame[0];
}

size_t wait_profile_frames(struct wait_profile *p, const struct tlob_wait_stack *s,
			   const struct wait_frame *frame[WAIT_PATH_FRAMES], size_t *nkernel)
{
	enum wait_ends ends;

	*nkernel = kernel_frames(p, s, frame);
	return *nkernel + user_frames(p, s, 0, frame + *nkernel, &ends);
}

static struct wait_path *find_path(struct wait_row *row, const struct wait_frame **frame,
				   size_t nkernel, size_t nframe)
{
	size_t i;

	for (i = 0; i < row->npath; i++) {
		struct wait_path *path = &row->path[i];

		if (path->nkernel == nkernel && path->nframe == nframe &&
		    !memcmp(path->frame, frame, nframe * FRAME_REF))
			return path;
	}
	return NULL;
}

static struct wait_path *add_path(struct wait_row *row, const struct wait_frame **frame,
				  size_t nkernel, size_t nframe)
{
	struct wait_path *more = reallocarray(row->path, row->npath + 1, sizeof(*more));
	struct wait_path *path;

	if (!more)
		return NULL;
	row->path = more;
	path = &more[row->npath];
	memset(path, 0, sizeof(*path));
	path->frame = malloc((nframe + 1) * FRAME_REF);
	if (!path->frame)
		return NULL;
	memcpy(path->frame, frame, nframe * FRAME_REF);
	path->nkernel = nkernel;
	path->nframe = nframe;
	row->npath++;
	return path;
}

static int take_stack(struct wait_profile *p, struct wait_row *row,
		      const struct tlob_wait_stack *s, enum wait_profile_side side)
{
	const struct wait_frame *frame[WAIT_PATH_FRAMES];
	enum wait_ends ends = WAIT_ENDS_WHOLE;
	size_t nkernel = 0, n;
	struct wait_path *path;

	if (side != PROFILE_USER)
		nkernel = kernel_frames(p, s, frame);
	n = nkernel;
	if (side != PROFILE_KERNEL)
		n += user_frames(p, s, row->task.tgid, frame + nkernel, &ends);
	path = find_path(row, frame, nkernel, n);
	if (!path)
		path = add_path(row, frame, nkernel, n);
	if (!path)
		return -ENOMEM;
	path->ends = ends;
	if (s->blocked.max_ns >= path->blocked.max_ns) {
		path->blocked.max_ns = s->blocked.max_ns;
		path->waker = s->waker;
	}
	path->blocked.count += s->blocked.count;
	path->blocked.total_ns += s->blocked.total_ns;
	return 0;
}

/* Chains are in the order of their tasks' ids. */
static const struct attach_wait *find_longest(const struct wait_records *r, uint64_t task)
{
	size_t at = array_first(i, r->nchain, r->chain[i].task >= task);

	return at < r->nchain && r->chain[at].task == task ? &r->chain[at].wait : NULL;
}

static int by_total(const void *a, const void *b)
{
	const struct wait_path *l = a, *r = b;

	return l->blocked.total_ns < r->blocked.total_ns ? 1 :
	       -(l->blocked.total_ns > r->blocked.total_ns);
}

static int fill_row(struct wait_profile *p, const struct wait_records *r, struct wait_row *row,
		    enum wait_profile_side side)
{
	size_t i = first_stack(r, row->task.id);
	int err = 0;

	row->longest = find_longest(r, row->task.id);
	for (; !err && i < r->nstack && r->stack[i].task == row->task.id; i++)
		err = take_stack(p, row, &r->stack[i], side);
	if (row->npath)
		qsort(row->path, row->npath, sizeof(*row->path), by_total);
	return err;
}

int wait_profile_fill(struct wait_profile *p, const struct wait_records *r, enum wait_profile_side side)
{
	int err = 0;
	size_t i;

	free_rows(p);
	p->status = r->status;
	p->skipped = r->skipped;
	p->unseen = r->unseen;
	p->row = calloc(r->ntask + 1, sizeof(*p->row));
	if (!p->row)
		return fail(-ENOMEM, "out of memory");
	p->nrow = r->ntask;
	for (i = 0; i < r->ntask; i++)
		p->row[i].task = r->task[i];
	err = share_traces(p, r);
	for (i = 0; !err && i < r->ntask; i++)
		err = fill_row(p, r, &p->row[i], side);
	return err ? fail(err, "out of memory") : 0;
}
