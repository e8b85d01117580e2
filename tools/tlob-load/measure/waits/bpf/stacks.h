/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Takes the stacks on which a task waited: take_stacks(). A part of waits.bpf.c, which has the
 * maps and measures how long.
 */
#ifndef TLOB_WAITS_BPF_STACKS_H
#define TLOB_WAITS_BPF_STACKS_H

/* The first frames belong to programs and tracepoints; the wait begins in __schedule(). */
static int take_frame(__u32 i, struct scratch **arg)
{
	struct scratch *s = *arg;
	__u64 ip;

	if (i >= RAW_FRAMES || !s->raw[i])
		return 1;
	ip = s->raw[i];
	if (ip >= waits.schedule_start && ip < waits.schedule_end)
		s->inside = 1;
	/* as the kernel's own stack_trace_save_tsk(), which the module calls */
	if (!s->inside || (ip >= waits.sched_start && ip < waits.sched_end))
		return 0;
	if (s->nr_kernel >= TLOB_WAIT_FRAMES)
		return 1;
	s->kernel[s->nr_kernel++] = ip;
	s->key.kernel = mix(s->key.kernel, ip);
	return 0;
}

/*
 * True if the instruction before @addr is a call. Memory that cannot be read may be code
 * if it is where code usually is. The words left out are no return addresses; where a
 * signal interrupted code is one of them.
 */
static inline bool follows_call(const struct scratch *s, __u64 addr)
{
	__u64 bytes = 0;

	if (bpf_probe_read_user(&bytes, sizeof(bytes), (void *)(addr - sizeof(bytes))))
		return (addr >= s->start_code && addr < s->end_code) ||
		       addr - s->mmap_base + LIBRARIES < 2 * LIBRARIES;
/* Byte N before the address; and an indirect call, FF /2, whose first byte is that. */
#define BEFORE(n)	(bytes >> (64 - 8 * (n)) & 0xff)
#define INDIRECT(n)	(BEFORE(n) == 0xff && (BEFORE((n) - 1) & 0x38) == 0x10)
	return BEFORE(5) == 0xe8 || INDIRECT(2) || INDIRECT(3) || INDIRECT(4) ||
	       INDIRECT(6) || INDIRECT(7);
}

static int take_word(__u32 i, struct scratch **arg)
{
	struct scratch *s = *arg;
	__u64 word;

	if (i >= TLOB_WAIT_COPY_MAX / sizeof(word) || i >= s->length / sizeof(word))
		return 1;
	word = s->word[i];
	/* small numbers, addresses of the kernel, of this stack */
	if (word < 16 * PAGE || word >> 56 || word - s->sp < s->length)
		return 0;
	if (!follows_call(s, word))
		return 0;
	if (s->nr_code >= TLOB_WAIT_CODE)
		return 1;
	s->code[s->nr_code++] = word;
	s->key.user = mix(s->key.user, word);
	return 0;
}

/* Reads to the end of the page, then the rest: the next page may be absent. The bytes read. */
static inline __u32 read_stack(void *to, __u64 sp)
{
	__u32 part = PAGE - (sp & (PAGE - 1)), rest = TLOB_WAIT_COPY_MAX - part;

	if (part > TLOB_WAIT_COPY_MAX || bpf_probe_read_user(to, part, (void *)sp))
		return 0;
	rest &= TLOB_WAIT_COPY_MAX - 1;
	if (!rest || bpf_probe_read_user(to + part, rest, (void *)(sp + part)))
		return part;
	return TLOB_WAIT_COPY_MAX;
}

static NOINLINE int take_user(struct scratch *s, struct task_struct *task,
			      const struct pt_regs *regs)
{
	struct mm_struct *mm = task->mm;
	struct scratch *arg = s;

	s->ip = regs->ip;
	s->sp = regs->sp;
	s->code[0] = s->ip;
	s->nr_code = 1;
	s->key.user = mix(0, s->ip);
	if (regs->cs != USER_CS)
		return 0;
	s->length = read_stack(s->word, s->sp);
	if (!s->length) {
		count(&waits.unreadable);
		return 0;
	}
	s->mmap_base = mm->mmap_base;
	s->start_code = mm->start_code;
	s->end_code = mm->end_code;
	bpf_loop(TLOB_WAIT_COPY_MAX / sizeof(__u64), take_word, &arg, 0);
	/* as trace_of() of profile.c: the instruction pointer alone may be of any stack */
	if (s->nr_code > 1)
		s->trace = mix(s->key.user, task->tgid);
	return 0;
}

static NOINLINE struct wait_bpf_stack *make_stack(struct scratch *s, __u32 owner)
{
	struct wait_bpf_stack *e;
	__u32 slot;

	slot = take_slot(&waits.free_stacks, waits.free_stack, WAIT_BPF_STACKS, &waits.next_stack);
	if (slot >= WAIT_BPF_STACKS)
		return NULL;
	e = &waits.stack[slot];
	/* the key of a task that is gone: no other task has its id, so nothing looked it up since */
	if (e->key.task)
		bpf_map_delete_elem(&stack_slots, &e->key);
	e->key = s->key;
	e->slot = owner;
	e->copied = 0;
	e->nr_kernel = s->nr_kernel;
	e->nr_code = s->nr_code;
	__builtin_memset(&e->blocked, 0, sizeof(e->blocked));
	__builtin_memset(&e->waker, 0, sizeof(e->waker));
	__builtin_memcpy(e->kernel, s->kernel, sizeof(e->kernel));
	__builtin_memcpy(e->code, s->code, sizeof(e->code));
	e->id = __sync_fetch_and_add(&waits.last_id, 1) + 1;
	/* if that fails, the task's next wait of this kind makes another record */
	bpf_map_update_elem(&stack_slots, &s->key, &slot, BPF_ANY);
	return e;
}

static inline struct wait_bpf_copy *claim_copy(void)
{
	unsigned int i;

	for (i = 0; i < COPY_TRIES; i++) {
		__u32 n = __sync_fetch_and_add(&waits.next_copy, 1) % WAIT_BPF_COPIES;

		if (!__sync_val_compare_and_swap(&waits.copy[n].state, WAIT_COPY_FREE,
						 WAIT_COPY_WRITTEN))
			return &waits.copy[n];
	}
	return NULL;
}

/*
 * Copies the stack of @e for the tool, which unwinds it. A stack that another thread's copy
 * explains leaves the second half of the copies to others.
 */
static NOINLINE int hand_over(struct wait_bpf_stack *e, const struct scratch *s,
			      struct task_struct *task, const struct pt_regs *regs)
{
	__u64 *known = &waits.trace[s->trace % WAIT_BPF_TRACES];
	bool shares = s->trace && *known == s->trace;
	struct wait_bpf_copy *c;

	if (shares && waits.claimed - waits.freed > WAIT_BPF_COPIES / 2)
		return 0;
	c = claim_copy();
	if (!c) {
		if (!shares)
			count(&waits.uncopied);
		return 0;
	}
	__sync_fetch_and_add(&waits.claimed, 1);
	if (s->trace)
		*known = s->trace;
	e->copied = 1;
	c->copy.type = TLOB_WAIT_COPY;
	c->copy.size = sizeof(c->copy);
	c->copy.stack = e->id;
	c->copy.tgid = task->tgid;
	c->copy.reg[TLOB_WAIT_REG_IP] = regs->ip;
	c->copy.reg[TLOB_WAIT_REG_SP] = regs->sp;
	c->copy.reg[TLOB_WAIT_REG_BP] = regs->bp;
	c->copy.reg[TLOB_WAIT_REG_BX] = regs->bx;
	c->copy.reg[TLOB_WAIT_REG_R12] = regs->r12;
	c->copy.reg[TLOB_WAIT_REG_R13] = regs->r13;
	c->copy.reg[TLOB_WAIT_REG_R14] = regs->r14;
	c->copy.reg[TLOB_WAIT_REG_R15] = regs->r15;
	c->copy.flags = regs->cs == USER_CS ? 0 : TLOB_WAIT_32BIT;
	c->copy.length = c->copy.flags ? 0 : read_stack(c->copy.data, regs->sp);
	__sync_lock_test_and_set(&c->state, WAIT_COPY_READY);
	return 0;
}

/* In the context of the task that waited. @ctx: of the program. */
static NOINLINE int take_stacks(void *ctx, struct pending *pending)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	const struct pt_regs *regs = (void *)bpf_task_pt_regs(task);
	__u32 zero = 0, owner = pending->slot, *slot;
	struct scratch *s = bpf_map_lookup_elem(&scratches, &zero), *arg;
	struct wait_bpf_stack *e;
	struct wait_bpf_task *t;
	bool user;
	long n;

	pending->wait = 0;
	pending->stack = 0;
	if (!s || owner >= WAIT_BPF_TASKS)
		return 0;
	t = &waits.task[owner];
	__builtin_memset(s, 0, offsetof(struct scratch, raw));
	s->key.task = t->id;
	n = bpf_get_stack(ctx, s->raw, sizeof(s->raw), 0);
	if (n < 0)
		n = 0;
	if (n < (long)sizeof(s->raw))
		s->raw[n / sizeof(__u64) % RAW_FRAMES] = 0;
	arg = s;
	bpf_loop(RAW_FRAMES, take_frame, &arg, 0);
	user = task->mm && !(task->flags & PF_NEVER_USER);
	if (user)
		take_user(s, task, regs);
	slot = bpf_map_lookup_elem(&stack_slots, &s->key);
	if (slot && *slot < WAIT_BPF_STACKS)
		e = &waits.stack[*slot];
	else
		e = make_stack(s, owner);
	if (!e) {
		count(&waits.lost_stacks);
	} else {
		pending->stack = e->id;
		if (pending->blocked >= e->blocked.max_ns)
			e->waker = t->waker;
		add(&e->blocked, pending->blocked);
		/* without the stack a trace fits many stacks, so no copy may stand for it */
		if (user && !e->copied && (s->length || regs->cs != USER_CS))
			hand_over(e, s, task, regs);
	}
	/* fails, and clears: secrets of a user's */
	if (s->length)
		bpf_probe_read_user(s->word, TLOB_WAIT_COPY_MAX, (void *)-PAGE);
	return 0;
}

#endif /* TLOB_WAITS_BPF_STACKS_H */
