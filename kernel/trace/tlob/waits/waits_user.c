// SPDX-License-Identifier: GPL-2.0
/*
 * User stacks of tasks that waited. A task on its way to user mode copies the
 * top of its own stack into a buffer and finds the code words in it. It never
 * waits: absent pages stay absent, and mmap_lock is at most tried.
 *
 * The copy may hold secrets. Only a listener gets it, by one read, and
 * every buffer is cleared before it is free. Who opens the file has CAP_PERFMON:
 * the kernel would also let it sample these stacks by perf.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "../base/compat.h"
#include "waits.h"

/*
 * Buffers: one for each second task that may wait, so that a burst of waits, as at a
 * barrier, finds them. The listener leaves some to tasks that only need a trace.
 */
#define TLOB_WAIT_COPIES_MIN	128U
#define TLOB_WAIT_COPIES_MAX	4096U
#define TLOB_WAIT_COPIES_KEPT	64U
#define TLOB_WAIT_TRACES	1024U

static struct {
	raw_spinlock_t lock;
	struct list_head free;
	struct list_head ready;		/* for the listener, oldest first */
	unsigned int nr_ready;
	struct tlob_shares shares;	/* of copies ready or being read */
	u64	listeners;		/* so far */
	bool	listens;
	/* of copies that were queued, each at one place: a newer one replaces it */
	u64	trace[TLOB_WAIT_TRACES];
} tlob_copies = {
	.lock = __RAW_SPIN_LOCK_UNLOCKED(tlob_copies.lock),
	.free = LIST_HEAD_INIT(tlob_copies.free),
	.ready = LIST_HEAD_INIT(tlob_copies.ready),
};

static struct tlob_wait_buffer *tlob_wait_buffers;

static unsigned int tlob_wait_copies(void)
{
	return clamp(tlob_waits_slots() / 2, TLOB_WAIT_COPIES_MIN,
		     TLOB_WAIT_COPIES_MAX);
}

int tlob_wait_copies_alloc(void)
{
	unsigned int i;

	tlob_wait_buffers = vzalloc(array_size(tlob_wait_copies(),
					       sizeof(*tlob_wait_buffers)));
	if (!tlob_wait_buffers)
		return -ENOMEM;
	for (i = 0; i < tlob_wait_copies(); i++)
		tlob_wait_copy_give(&tlob_wait_buffers[i]);
	return 0;
}

/* No reader has the file open, and no task owes a stack. */
void tlob_wait_copies_free(void)
{
	INIT_LIST_HEAD(&tlob_copies.free);
	vfree(tlob_wait_buffers);
	tlob_wait_buffers = NULL;
}

static struct tlob_wait_buffer *tlob_wait_copy_take(void)
{
	struct tlob_wait_buffer *b;
	unsigned long flags;

	raw_spin_lock_irqsave(&tlob_copies.lock, flags);
	b = list_first_entry_or_null(&tlob_copies.free, struct tlob_wait_buffer,
				     list);
	if (b)
		list_del(&b->list);
	raw_spin_unlock_irqrestore(&tlob_copies.lock, flags);
	return b;
}

void tlob_wait_copy_give(struct tlob_wait_buffer *b)
{
	unsigned long flags;

	memzero_explicit(b->copy.data, b->copy.length);
	memzero_explicit(b->copy.reg, sizeof(b->copy.reg));
	b->copy.length = 0;
	raw_spin_lock_irqsave(&tlob_copies.lock, flags);
	tlob_share_give(&tlob_copies.shares, b->share);
	b->share = 0;
	list_add(&b->list, &tlob_copies.free);
	raw_spin_unlock_irqrestore(&tlob_copies.lock, flags);
}

u64 tlob_wait_listener(void)
{
	return READ_ONCE(tlob_copies.listens) ? READ_ONCE(tlob_copies.listeners) : 0;
}

bool tlob_wait_copy_queue(struct tlob_wait_buffer *b, const struct tlob_payer *user,
			  u64 listener, u64 trace)
{
	unsigned int room = tlob_wait_copies() - TLOB_WAIT_COPIES_KEPT;
	u64 *known = &tlob_copies.trace[trace % TLOB_WAIT_TRACES];
	bool queued, full, shares, listens;
	unsigned long flags;
	int share = 0;

	raw_spin_lock_irqsave(&tlob_copies.lock, flags);
	/* a stack that another thread's copy explains leaves the second half to others */
	shares = trace && *known == trace;
	full = tlob_copies.nr_ready >= (shares ? room / 2 : room);
	listens = tlob_copies.listens && tlob_copies.listeners == listener;
	if (!full && listens)
		share = tlob_share_take(&tlob_copies.shares, user, room - tlob_copies.nr_ready);
	full |= share < 0;
	queued = !full && listens;
	if (queued) {
		b->share = share;
		list_add_tail(&b->list, &tlob_copies.ready);
		tlob_copies.nr_ready++;
		if (trace)
			*known = trace;
	}
	raw_spin_unlock_irqrestore(&tlob_copies.lock, flags);
	/* the next wait on this stack tries again */
	if (full && !shares)
		atomic64_inc(&tlob_wait_count.uncopied);
	return queued;
}

struct tlob_wait_buffer *tlob_wait_copy_next(void)
{
	struct tlob_wait_buffer *b;
	unsigned long flags;

	raw_spin_lock_irqsave(&tlob_copies.lock, flags);
	b = list_first_entry_or_null(&tlob_copies.ready, struct tlob_wait_buffer,
				     list);
	if (b) {
		list_del(&b->list);
		tlob_copies.nr_ready--;
	}
	raw_spin_unlock_irqrestore(&tlob_copies.lock, flags);
	return b;
}

void tlob_wait_copy_unread(struct tlob_wait_buffer *b)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&tlob_copies.lock, flags);
	list_add(&b->list, &tlob_copies.ready);
	tlob_copies.nr_ready++;
	raw_spin_unlock_irqrestore(&tlob_copies.lock, flags);
}

/* Under one lock: the copies of a listener that comes next are not among them. */
static void tlob_wait_copies_drop(bool deafen)
{
	struct tlob_wait_buffer *b, *next;
	LIST_HEAD(unread);

	raw_spin_lock_irq(&tlob_copies.lock);
	if (deafen)
		WRITE_ONCE(tlob_copies.listens, false);
	list_splice_init(&tlob_copies.ready, &unread);
	tlob_copies.nr_ready = 0;
	memset(tlob_copies.trace, 0, sizeof(tlob_copies.trace));
	raw_spin_unlock_irq(&tlob_copies.lock);
	list_for_each_entry_safe(b, next, &unread, list)
		tlob_wait_copy_give(b);
}

void tlob_wait_copies_clear(void)
{
	tlob_wait_copies_drop(false);
}

int tlob_wait_listen(void)
{
	int err = -EBUSY;

	raw_spin_lock_irq(&tlob_copies.lock);
	if (!tlob_copies.listens) {
		WRITE_ONCE(tlob_copies.listeners, tlob_copies.listeners + 1);
		WRITE_ONCE(tlob_copies.listens, true);
		err = 0;
	}
	raw_spin_unlock_irq(&tlob_copies.lock);
	return err;
}

void tlob_wait_deafen(void)
{
	tlob_wait_copies_drop(true);
}

static void tlob_wait_copy_regs(struct tlob_wait_copy *copy, struct pt_regs *regs)
{
	memset(copy, 0, offsetof(struct tlob_wait_copy, data));
	copy->type = TLOB_WAIT_COPY;
	copy->size = sizeof(*copy);
	copy->tgid = current->tgid;
	copy->reg[TLOB_WAIT_REG_IP] = instruction_pointer(regs);
	copy->reg[TLOB_WAIT_REG_SP] = user_stack_pointer(regs);
#ifdef CONFIG_X86_64
	copy->reg[TLOB_WAIT_REG_BP] = regs->bp;
	copy->reg[TLOB_WAIT_REG_BX] = regs->bx;
	copy->reg[TLOB_WAIT_REG_R12] = regs->r12;
	copy->reg[TLOB_WAIT_REG_R13] = regs->r13;
	copy->reg[TLOB_WAIT_REG_R14] = regs->r14;
	copy->reg[TLOB_WAIT_REG_R15] = regs->r15;
#elif defined(CONFIG_ARM64)
	copy->reg[TLOB_WAIT_REG_FP] = regs->regs[29];
	copy->reg[TLOB_WAIT_REG_LR] = regs->regs[30];
#endif
}

/* Copies to the end of the page, then the rest: the next page may be absent. */
static u32 tlob_wait_copy_stack(u8 *to, unsigned long sp)
{
	u32 length = 0;

	while (length < TLOB_WAIT_COPY_MAX) {
		u32 part = min_t(u32, TLOB_WAIT_COPY_MAX - length,
				 PAGE_SIZE - offset_in_page(sp + length));

		if (copy_from_user_nofault(to + length, (void __user *)(sp + length),
					   part)) {
			/* another thread may unmap the page in the midst of it */
			memzero_explicit(to + length, part);
			break;
		}
		length += part;
	}
	return length;
}

/* Ranges of the address space that were looked up last, executable or not. */
struct tlob_wait_ranges {
	struct mm_struct *mm;
	unsigned int next;
	struct {
		unsigned long start, last;
		bool code;
	} range[8];
};

/*
 * Between tlob_mappings_try() and tlob_mappings_done(). Gaps between mappings are also
 * ranges. Where only RCU protects the tree, a mapping may change meanwhile, or its
 * memory be one of another process by now. Then the trace has a word more or less, and
 * the stack is counted apart from its equals.
 */
static bool tlob_wait_look_up(struct tlob_wait_ranges *ranges, unsigned long addr)
{
	MA_STATE(at, &ranges->mm->mm_mt, addr, addr);
	struct vm_area_struct *vma = mas_walk(&at);
	unsigned int i = ranges->next++ % ARRAY_SIZE(ranges->range);

	ranges->range[i].start = at.index;
	ranges->range[i].last = at.last;
	/* mprotect() may change them now: see above */
	ranges->range[i].code = vma && data_race(READ_ONCE(vma->vm_flags)) & VM_EXEC;
	return ranges->range[i].code;
}

static bool tlob_wait_is_code(struct tlob_wait_ranges *ranges, unsigned long addr)
{
	unsigned int i;

	if (addr < PAGE_SIZE || addr >= TASK_SIZE_MAX)
		return false;
	for (i = 0; i < ARRAY_SIZE(ranges->range); i++)
		if (addr >= ranges->range[i].start && addr <= ranges->range[i].last)
			return ranges->range[i].code;
	return tlob_wait_look_up(ranges, addr);
}

/* A signature depends on the stack pointer: with it equal stacks would differ. */
static u64 tlob_wait_code(void *arg, u64 word)
{
	unsigned long addr = tlob_user_code(word);

	return tlob_wait_is_code(arg, addr) ? addr : 0;
}

/*
 * Completes @key. If the mappings cannot be read, it only has the instruction pointer,
 * and this returns false.
 */
static bool tlob_wait_user_trace(struct tlob_wait_key *key,
				 const struct tlob_wait_copy *copy)
{
	struct tlob_wait_ranges ranges = { .mm = current->mm };

	if (!tlob_mappings_try(ranges.mm))
		return false;
	tlob_wait_trace(key, (const u64 *)copy->data, copy->length / sizeof(u64),
			tlob_wait_code, &ranges);
	tlob_mappings_done(ranges.mm);
	return true;
}

/* A key that is not complete fits many stacks, so no copy may stand for it. */
struct tlob_wait_buffer *tlob_wait_read_user(struct tlob_wait_key *key)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct tlob_wait_buffer *b;

	key->frame[key->nr_kernel] = instruction_pointer(regs);
	key->nr_code = 1;
	b = tlob_wait_copy_take();
	if (!b) {
		atomic64_inc(&tlob_wait_count.uncopied);
		return NULL;
	}
	tlob_wait_copy_regs(&b->copy, regs);
	if (!tlob_user_is_64bit(regs)) {
		b->copy.flags = TLOB_WAIT_32BIT;
		return b;
	}
	b->copy.length = tlob_wait_copy_stack(b->copy.data,
					      user_stack_pointer(regs));
	if (b->copy.length && tlob_wait_user_trace(key, &b->copy))
		return b;
	atomic64_inc(&tlob_wait_count.unreadable);
	tlob_wait_copy_give(b);
	return NULL;
}
