// SPDX-License-Identifier: GPL-2.0
/*
 * The probes of functions in a window, and what is kept of their times: a record
 * for each window in a ring of its own, totals and histograms.
 *
 * The measured thread writes the record after t3, before the window's record, as
 * with timelines. All memory is allocated when the run begins.
 */
#include <linux/error-injection.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../base/steal.h"
#include "../ring/ring.h"
#include "functions.h"

/* The state of one CPU, during a run. */
struct tlob_functions_cpu {
	struct rcu_head rcu;		/* the monitor's hooks may still look */
	struct tlob_calls calls;	/* the hooks' and the probes' */
	u64	in_nmi[TLOB_FUNCTION_SETS]; /* calls; only nmis write it */
	u64	missed;			/* up to the last record */
	struct tlob_ring *ring;
	struct tlob_functions record;	/* of the last window; the thread's */
};

/* The results of one CPU, until the next run. The thread writes; readers may look. */
struct tlob_functions_kept {
	struct tlob_function_total total[TLOB_FUNCTION_SETS];
	struct tlob_hist *hist[TLOB_FUNCTION_SETS];
};

/* The highest serial of calls that were retired. Under tlob_mutex. */
static u64 tlob_function_serial;

void tlob_function_calls_init(struct tlob_calls *calls)
{
	tlob_calls_init(calls, tlob_function_serial);
}

void tlob_function_calls_retire(const struct tlob_calls *calls)
{
	tlob_function_serial = max(tlob_function_serial, calls->serial);
}

static const struct tlob_ring_kind tlob_functions_kind = {
	1024, sizeof(struct tlob_functions), TLOB_FUNCTIONS_VERSION,
};

/* Returns the bytes that a CPU takes with the present sets. */
size_t tlob_functions_bytes(void)
{
	return sizeof(struct tlob_functions_cpu) +
	       tlob_ring_bytes(&tlob_functions_kind) +
	       sizeof(struct tlob_functions_kept) +
	       tlob_function_sets * PAGE_ALIGN(sizeof(struct tlob_hist));
}

/* Returns 0 or -ENOMEM; then tlob_functions_free() and tlob_functions_forget(). */
int tlob_functions_alloc(struct tlob_cpu *c, int node)
{
	struct tlob_functions_cpu *f;
	unsigned int i;

	c->functions_kept = kzalloc_node(sizeof(*c->functions_kept), GFP_KERNEL, node);
	if (!c->functions_kept)
		return -ENOMEM;
	tlob_memory_add(sizeof(*c->functions_kept));
	for (i = 0; i < tlob_function_sets; i++) {
		c->functions_kept->hist[i] =
			vzalloc_node(sizeof(*c->functions_kept->hist[i]), node);
		if (!c->functions_kept->hist[i])
			return -ENOMEM;
		tlob_memory_add(PAGE_ALIGN(sizeof(struct tlob_hist)));
	}
	f = kzalloc_node(sizeof(*f), GFP_KERNEL, node);
	if (!f)
		return -ENOMEM;
	tlob_memory_add(sizeof(*f));
	tlob_function_calls_init(&f->calls);
	/* the hook of exiting tasks may run for the monitor */
	smp_store_release(&c->functions, f);
	f->ring = tlob_ring_alloc(&tlob_functions_kind, node);
	return f->ring ? 0 : -ENOMEM;
}
ALLOW_ERROR_INJECTION(tlob_functions_alloc, ERRNO);

static u64 tlob_functions_missed(const struct tlob_functions_cpu *f)
{
	u64 missed = 0;
	unsigned int i;

	for (i = 0; i < tlob_function_sets; i++)
		missed += f->calls.full[i] + READ_ONCE(f->in_nmi[i]);
	return missed;
}

/* Adds to @to what is counted outside of the windows' records. */
static void tlob_functions_count(const struct tlob_functions_cpu *f, unsigned int set,
				 struct tlob_function_total *to)
{
	const struct tlob_calls *calls = &f->calls;
	u32 i;

	for (i = 0; i < TLOB_CALLS; i++)
		to->open += !tlob_call_is_gone(&calls->call[i]) &&
			    (READ_ONCE(calls->call[i].key) & 0xff) == set;
	to->unreturned += READ_ONCE(calls->lost[set]);
	to->missed += READ_ONCE(calls->full[set]) + READ_ONCE(f->in_nmi[set]);
}

/* No probe, no hook and no thread uses them. A reader keeps its own reference. */
void tlob_functions_free(struct tlob_cpu *c)
{
	struct tlob_functions_cpu *f = c->functions;
	unsigned int i;

	if (!f)
		return;
	for (i = 0; c->functions_kept && i < tlob_function_sets; i++) {
		struct tlob_function_total *t = &c->functions_kept->total[i];

		tlob_functions_count(f, i, t);
		/* nothing waits for their exits any more */
		t->unreturned += t->open;
		t->open = 0;
	}
	tlob_ring_put(f->ring);
	tlob_memory_sub(sizeof(*f));
	tlob_function_calls_retire(&f->calls);
	WRITE_ONCE(c->functions, NULL);
	kfree_rcu(f, rcu);
}

/* The next run begins, the sets change, or the module goes. */
void tlob_functions_forget(struct tlob_cpu *c)
{
	struct tlob_functions_kept *k = c->functions_kept;
	unsigned int i;

	if (!k)
		return;
	for (i = 0; i < TLOB_FUNCTION_SETS; i++) {
		if (k->hist[i])
			tlob_memory_sub(PAGE_ALIGN(sizeof(struct tlob_hist)));
		vfree(k->hist[i]);
	}
	tlob_memory_sub(sizeof(*k));
	kfree(k);
	c->functions_kept = NULL;
}

/* Returns the ring for a reader, or NULL. Under tlob_mutex. */
static struct tlob_ring *tlob_functions_ring(const struct tlob_cpu *c)
{
	return c->functions ? c->functions->ring : NULL;
}

/* The split was just armed. Irqs off. */
void tlob_functions_begin(struct tlob_cpu *c)
{
	if (c->functions)
		tlob_calls_begin(&c->functions->calls, c->split, tlob_function_sets);
}

/* At t3, with irqs off: no probe charges from here on. */
void tlob_functions_close(struct tlob_cpu *c)
{
	if (c->functions)
		tlob_calls_end(&c->functions->calls);
}

/* @ip, where a probe was hit, is a few bytes behind the start of its function. */
u64 tlob_function_start(unsigned int set, u64 ip)
{
	const struct tlob_function_set *s = &tlob_function_set[set];
	unsigned int low = 0, high = s->nr;

	while (high - low > 1) {
		unsigned int middle = (low + high) / 2;

		if (s->address[middle] <= ip)
			low = middle;
		else
			high = middle;
	}
	return s->address[low];
}

static void tlob_functions_keep(struct tlob_functions_kept *k, unsigned int set,
				struct tlob_function_time *time, bool warm_up)
{
	struct tlob_function_total *t = &k->total[set];
	u64 net = 0;
	unsigned int i;

	for (i = 0; i < TLOB_NR_PARTS; i++)
		net += time->part_ns[i];
	if (time->max_function)
		time->max_function = tlob_function_start(set, time->max_function);
	tlob_count(&t->calls, time->calls);
	tlob_count(&t->net_ns, net);
	if (time->max_ns > t->max_ns) {
		WRITE_ONCE(t->max_ns, time->max_ns);
		WRITE_ONCE(t->max_function, time->max_function);
	}
	if (!warm_up)
		tlob_hist_add(k->hist[set], net);
}

/* After t3, in the measured task. */
void tlob_functions_write(struct tlob_cpu *c, u64 activation, bool warm_up)
{
	struct tlob_functions_cpu *f = c->functions;
	struct tlob_functions *record;
	unsigned int i;
	u64 missed;

	if (!f)
		return;
	record = &f->record;
	missed = tlob_functions_missed(f);
	tlob_calls_copy(record, &f->calls, tlob_function_sets);
	record->cpu = c->cpu;
	record->activation = activation;
	record->missed = missed - f->missed;
	f->missed = missed;
	for (i = 0; i < tlob_function_sets; i++)
		tlob_functions_keep(c->functions_kept, i, &record->set[i], warm_up);
	tlob_ring_write(f->ring, record, sizeof(*record));
}

/* No record follows. */
void tlob_functions_end(const struct tlob_cpu *c)
{
	if (c->functions)
		tlob_ring_end(c->functions->ring);
}

void tlob_function_add_total(const struct tlob_cpu *c, unsigned int set,
			     struct tlob_function_total *to)
{
	const struct tlob_function_total *t;
	u64 max;

	if (!c->functions_kept)
		return;
	t = &c->functions_kept->total[set];
	to->calls += READ_ONCE(t->calls);
	to->net_ns += READ_ONCE(t->net_ns);
	to->unreturned += t->unreturned;
	to->missed += t->missed;
	max = READ_ONCE(t->max_ns);
	if (max > to->max_ns) {
		to->max_ns = max;
		to->max_function = READ_ONCE(t->max_function);
	}
	if (c->functions)
		tlob_functions_count(c->functions, set, to);
}

/*
 * Moves the cursor to now, which is returned, before another call becomes the
 * active one. Irqs off, in an open window.
 */
static __always_inline u64 tlob_function_boundary(struct tlob_cpu *c,
						  struct tlob_split *s,
						  struct tlob_calls *calls)
{
	u64 now, ns;

	if (unlikely(!tlob_boundary_inline(c, &now) || now == s->last ||
		     tlob_split_is_long(s, now) ||
		     s->nmi_ns || s->stolen_ns || s->track)) {
		now = tlob_boundary(c);
		tlob_split_charge_slow(s, now);
		return now;
	}
	ns = now - s->last;
	s->last = now;
	tlob_split_add(s, ns);
	tlob_calls_settle(calls, s);
	tlob_calls_charge(calls, s->cause, ns);
	return now;
}

/*
 * @c is this CPU, or stands for it in a calibration.
 *
 * raw_: lockdep and the tracers of irqs would be called in contexts that they do
 * not know, and the state is the same afterwards.
 */
static __always_inline bool tlob_enter_on(struct tlob_cpu *c, struct tlob_function_call *ref,
					  enum tlob_call_owner owner, unsigned int set,
					  unsigned long function, unsigned long sp)
{
	unsigned int level = interrupt_context_level();
	struct tlob_call *call = NULL;
	struct tlob_calls *calls;
	unsigned long flags;
	u64 now, key;

	/* it may have interrupted a half-moved cursor */
	if (unlikely(level > TLOB_CALL_IRQ)) {
		if (READ_ONCE(c->active))
			c->functions->in_nmi[set]++;
		return false;
	}
	raw_local_irq_save(flags);
	if (unlikely(!READ_ONCE(c->active)))
		goto out;
	calls = &c->functions->calls;
	key = tlob_call_key(c->split, level, set);
	if (tlob_calls_nested(calls, key, sp))
		goto out;
	now = tlob_function_boundary(c, c->split, calls);
	call = tlob_calls_enter(calls, c->split, now, key, sp, function);
	if (unlikely(!call))
		goto out;
	ref->serial = call->serial;
	ref->place = c->cpu;
	ref->owner = owner;
	ref->index = call - calls->call;
out:
	raw_local_irq_restore(flags);
	return call;
}

notrace bool tlob_function_enter(struct tlob_function_call *ref, unsigned int set,
				 unsigned long function, unsigned long sp)
{
	return tlob_enter_on(tlob_this_cpu(), ref, TLOB_CALL_OF_RUN, set, function, sp);
}

/* The call began on another CPU, whose probes will find that it has left. */
static noinline notrace void tlob_function_leave_remote(const struct tlob_function_call *ref)
{
	struct tlob_functions_cpu *f;

	if (ref->place >= nr_cpu_ids || !cpu_possible(ref->place))
		return;
	f = READ_ONCE(tlob_cpu(ref->place)->functions);
	if (f)
		cmpxchg(&f->calls.call[ref->index].serial, ref->serial,
			ref->serial | TLOB_CALL_LEFT);
}

static __always_inline void tlob_leave_on(struct tlob_cpu *c,
					  const struct tlob_function_call *ref)
{
	struct tlob_functions_cpu *f;
	struct tlob_call *call;
	unsigned long flags;

	raw_local_irq_save(flags);
	f = c->functions;
	if (unlikely(ref->place != c->cpu || !f)) {
		tlob_function_leave_remote(ref);
		goto out;
	}
	call = &f->calls.call[ref->index];
	/* the entry belongs to another call: the call of @ref was dropped */
	if (unlikely(call->serial != ref->serial))
		goto out;
	if (likely(READ_ONCE(c->active))) {
		tlob_function_boundary(c, c->split, &f->calls);
		tlob_calls_leave(&f->calls, c->split, call);
	} else {
		/* between windows: the next one looks for its active call */
		tlob_calls_unlink(&f->calls, call);
	}
out:
	raw_local_irq_restore(flags);
}

notrace void tlob_function_leave(const struct tlob_function_call *ref)
{
	tlob_leave_on(tlob_this_cpu(), ref);
}

notrace bool tlob_function_enter_model(struct tlob_cpu *c, struct tlob_function_call *ref,
				       unsigned long function, unsigned long sp)
{
	return tlob_enter_on(c, ref, TLOB_CALL_OF_MODEL, 0, function, sp);
}

notrace void tlob_function_leave_model(struct tlob_cpu *c, const struct tlob_function_call *ref)
{
	if (ref->owner == TLOB_CALL_OF_MODEL && ref->index < TLOB_CALLS)
		tlob_leave_on(c, ref);
}

/* A CPU in a window that nothing else knows. NULL: no memory. */
struct tlob_cpu *tlob_functions_model(void)
{
	struct tlob_cpu *c = kzalloc(sizeof(*c), GFP_KERNEL);
	u64 now = tlob_clock();

	if (!c)
		return NULL;
	c->functions = kzalloc(sizeof(*c->functions), GFP_KERNEL);
	if (!c->functions) {
		kfree(c);
		return NULL;
	}
	c->steal_at = &tlob_no_steal;
	tlob_split_arm(c->split, now, now, current->pid, false);
	tlob_split_set_phase(c->split, TLOB_PHASE_WORK);
	c->split->fired = true;
	tlob_split_set_base(c->split, TLOB_WORK_ON_CPU);
	tlob_function_calls_init(&c->functions->calls);
	tlob_calls_begin(&c->functions->calls, c->split, 1);
	c->active = true;
	return c;
}

void tlob_functions_model_free(struct tlob_cpu *c)
{
	tlob_function_calls_retire(&c->functions->calls);
	kfree(c->functions);
	kfree(c);
}

/*
 * @pid is about to die, or has run for the last time. Irqs off, on @c, perhaps
 * while the run ends.
 */
void tlob_functions_exited(struct tlob_cpu *c, pid_t pid)
{
	struct tlob_functions_cpu *f = READ_ONCE(c->functions);

	if (f)
		tlob_calls_exited(&f->calls, c->split, pid);
}

static void tlob_functions_hist_print(struct seq_file *m, const char *name,
				      const struct tlob_hist *h)
{
	unsigned int i;

	if (!READ_ONCE(h->n))
		return;
	seq_printf(m, "%s n=%llu sum=%llu min=%llu max=%llu\n", name,
		   READ_ONCE(h->n), READ_ONCE(h->sum), READ_ONCE(h->min),
		   READ_ONCE(h->max));
	for (i = 0; i < TLOB_HIST_BUCKETS; i++) {
		u64 count = READ_ONCE(h->bucket[i]);

		if (count)
			seq_printf(m, "%s %llu %llu %llu\n", name,
				   tlob_hist_lower(i), tlob_hist_upper(i), count);
	}
}

/* During a run a line may be one window ahead of another, as in hist. */
static int tlob_functions_hist_show(struct seq_file *m, void *v)
{
	const struct tlob_cpu *c = m->private;
	unsigned int i;

	mutex_lock(&tlob_mutex);
	for (i = 0; c->functions_kept && i < tlob_function_sets; i++)
		tlob_functions_hist_print(m, tlob_function_set[i].name,
					  c->functions_kept->hist[i]);
	mutex_unlock(&tlob_mutex);
	return 0;
}

static int tlob_functions_hist_open(struct inode *inode, struct file *file)
{
	return tlob_may_open() ?:
	       single_open(file, tlob_functions_hist_show, inode->i_private);
}

const struct file_operations tlob_functions_hist_fops = {
	.owner = THIS_MODULE,
	.open = tlob_functions_hist_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static int tlob_functions_ring_open(struct inode *inode, struct file *file)
{
	return tlob_ring_open(inode, file, tlob_functions_ring);
}

const struct file_operations tlob_functions_ring_fops = {
	TLOB_RING_FOPS(tlob_functions_ring_open),
};
