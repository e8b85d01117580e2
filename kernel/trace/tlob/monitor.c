// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor over arbitrary tasks: it allocates slots and opens, ends and
 * takes away windows. monitor.h has the locks; places.h has the table that
 * finds the windows of a task.
 */
#include <linux/capability.h>
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/moduleparam.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/vmalloc.h>

#include "noise.h"
#include "places.h"
#include "report.h"

static unsigned int slots = 1024;
module_param(slots, uint, 0444);
MODULE_PARM_DESC(slots, "windows of the monitor at the same time, 1 ... 32768");

static unsigned int slots_per_user = 64;
module_param(slots_per_user, uint, 0644);
MODULE_PARM_DESC(slots_per_user, "of these by START, for a user without CAP_SYS_RESOURCE");

/* At most a fourth of the table is used, so keys stay near their hash. */
#define TLOB_PLACES_PER_SLOT	4U
#define TLOB_SLOTS_MAX		32768U

/*
 * Divisors of all slots: the share of one user's bindings, and the reserve for
 * CAP_SYS_RESOURCE.
 */
#define TLOB_BOUND_SHARE	4U
#define TLOB_RESERVE_SHARE	8U

/* A user with windows, and their number. tlob_slots_lock protects it. */
struct tlob_holder {
	struct hlist_node node;		/* in use */
	struct tlob_holder *next;	/* free */
	kuid_t	uid;
	unsigned int started, bound;	/* windows by START and by bindings */
};

static DEFINE_RAW_SPINLOCK(tlob_slots_lock);

static struct tlob_slot *tlob_slots __read_mostly;	/* [slots] */
struct tlob_place *tlob_places __read_mostly;
unsigned int tlob_places_bits __read_mostly;

u32 tlob_monitor_used ____cacheline_aligned_in_smp;

static struct tlob_monitor {
	struct tlob_slot *free;
	unsigned int nr_free;
	/* one per slot: enough for every user with a window */
	struct tlob_holder *holders, *free_holder;
	struct hlist_head *holder_hash;	/* [1 << holder_bits] */
	unsigned int holder_bits;
	bool	on;			/* windows may be opened */
	unsigned int wanted;		/* TLOB_WANTED_BY_*; under tlob_mutex */
	u32	unavailable;		/* 1 << enum tlob_task_part */
	/* under tlob_slots_lock: */
	u64	windows, violations, cut, no_slot, over_quota;
	u64	sum_failures, errors, adjusted_ns, clock_steps;
} tlob_monitor ____cacheline_aligned_in_smp;

/*
 * Takes a place for @task, the current task. Under tlob_slots_lock. Returns
 * NULL if no place is within reach.
 */
static struct tlob_place *tlob_place_take(struct task_struct *task)
{
	u32 hash = tlob_place_hash(task), i;
	struct tlob_place *home = tlob_place_at(hash, 0), *p;

	p = tlob_place_find(task);
	if (p)
		return p;
	for (i = 0; i < U8_MAX; i++) {
		p = tlob_place_at(hash, i);
		if (p->task)
			continue;
		home->nr_keys++;
		if (i >= home->reach)
			WRITE_ONCE(home->reach, i + 1);
		WRITE_ONCE(p->task, task);
		return p;
	}
	return NULL;
}

/* Frees a place without windows. Under tlob_slots_lock and the place's lock. */
static void tlob_place_give_up(struct tlob_place *p)
{
	struct tlob_place *home = tlob_place_at(tlob_place_hash(p->task), 0);

	WRITE_ONCE(p->task, NULL);
	if (!--home->nr_keys)
		WRITE_ONCE(home->reach, 0);
}

/*
 * Writes the parts of an account at @now, in ns, in the order of enum
 * tlob_task_part.
 */
static void tlob_slot_parts(const struct tlob_account *a, u64 now, u64 *part)
{
	u64 all[TLOB_NR_PARTS];
	unsigned int i;

	tlob_account_parts(a, now, all);
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		part[i] = all[tlob_task_part_of[i]];
}

/*
 * Fills in the record of a window at @now. The window is open or was just
 * closed. Under its place's lock.
 */
static void tlob_slot_fill(const struct tlob_slot *s, u64 now,
			   unsigned int state, u32 flags,
			   struct tlob_task_window *w)
{
	const struct tlob_account *a = &s->account;
	const struct task_struct *task = s->place->task;

	memset(w, 0, sizeof(*w));
	w->version = TLOB_EVENT_VERSION;
	w->size = sizeof(*w);
	w->flags = flags;
	w->tid = task->pid;
	w->tgid = task->tgid;
	w->state = state;
	w->switches = a->split.switches;
	w->tag = s->begin.tag;
	w->start_ns = a->split.t0;
	w->elapsed_ns = tlob_account_elapsed(a, now);
	w->threshold_ns = a->budget;
	tlob_slot_parts(a, now, w->part_ns);
	memcpy(w->count, a->split.count[1], sizeof(w->count));
	w->count[TLOB_NOISE_THREAD] = 0;
	w->unavailable = tlob_monitor.unavailable;
	w->cpu = raw_smp_processor_id();
	w->largest = a->split.largest;
	if (a->split.lasting_name)
		tlob_split_copy_name(&w->largest, a->split.lasting_name);
	w->adjusted_ns = a->split.adjusted;
	w->clock_steps = a->split.steps;
	w->errors = a->split.errors;
	memcpy(w->comm, task->comm, sizeof(w->comm));
	if (s->begin.binding)
		strscpy(w->binding, s->begin.binding, sizeof(w->binding));
	if (a->over)
		w->flags |= TLOB_TASK_VIOLATION;
	if (w->adjusted_ns || w->clock_steps || w->errors)
		w->flags |= TLOB_TASK_INEXACT;
}

/* Sends a record to the ring of the window. Under its place's lock. */
static void tlob_slot_notify(struct tlob_slot *s, const struct tlob_task_window *w)
{
	if (s->begin.ring)
		tlob_ring_write_event(s->begin.ring, s->place->task, w);
}

/*
 * The timer of a budget has expired, on any CPU. The clock of the windows may
 * be a little behind the clock of the timers. The slot may also belong to
 * another task by now: then this checks that task's window, which does no harm.
 */
static enum hrtimer_restart tlob_slot_is_due(struct tlob_slot *s,
					     struct hrtimer *timer)
{
	enum hrtimer_restart restart = HRTIMER_NORESTART;
	struct tlob_place *p = READ_ONCE(s->place);
	struct tlob_task_window w;
	enum states_tlob state;
	unsigned long flags;
	bool over = false;
	u64 now;

	if (!p)
		return restart;
	raw_spin_lock_irqsave(&p->lock, flags);
	now = tlob_clock();
	if (READ_ONCE(s->place) != p || !tlob_account_is_open(&s->account))
		goto unlock;
	switch (tlob_account_verdict(&s->account, now)) {
	case TLOB_VERDICT_FIRST:
		over = true;
		state = tlob_account_due(&s->account, &now);
		tlob_slot_fill(s, now, state, 0, &w);
		/* the task had not left its CPU at that moment */
		w.switches -= state == running_tlob &&
			      s->account.state != running_tlob;
		tlob_slot_notify(s, &w);
		tlob_report_event(p->task, s->account.state,
				  budget_expired_tlob, s->account.state);
		break;
	case TLOB_VERDICT_WITHIN:
		/* a START may have armed the timer again meanwhile */
		if (!hrtimer_is_queued(timer)) {
			hrtimer_forward_now(timer, ns_to_ktime(NSEC_PER_USEC));
			restart = HRTIMER_RESTART;
		}
		break;
	case TLOB_VERDICT_KNOWN:
		break;
	}
unlock:
	raw_spin_unlock_irqrestore(&p->lock, flags);
	if (over)
		tlob_report_task(&w);
	return restart;
}

static enum hrtimer_restart tlob_slot_expired(struct hrtimer *timer)
{
	return tlob_slot_is_due(container_of(timer, struct tlob_slot, timer[0]),
				timer);
}

static enum hrtimer_restart tlob_slot_expired_soft(struct hrtimer *timer)
{
	return tlob_slot_is_due(container_of(timer, struct tlob_slot, timer[1]),
				timer);
}

/*
 * Arms the timer one ns after the budget, when elapsed > budget holds.
 *
 * On PREEMPT_RT the timers of a task without a real-time policy expire in a
 * thread, like the kernel's own. Any user may have many timers that are due at
 * once. A real-time task of another user must not wait for them. STOP gives the
 * exact verdict, no matter when the timer expires.
 */
static void tlob_slot_arm(struct tlob_slot *s, u64 now)
{
	u64 due = now + s->account.budget + 1;

	s->soft = IS_ENABLED(CONFIG_PREEMPT_RT) &&
		  current->normal_prio >= MAX_RT_PRIO;
	hrtimer_start(&s->timer[s->soft], ns_to_ktime(due), s->soft ?
		      HRTIMER_MODE_ABS_PINNED_SOFT :
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Closes an open window. Under its place's lock; the caller calls
 * tlob_slot_free() after it has released the lock. @c is this CPU if the task
 * runs on it, or NULL on any other CPU. @ended: the task itself ends the
 * window. Returns true if this call found the budget over; the caller then
 * calls tlob_report_task().
 */
static bool tlob_slot_close(struct tlob_cpu *c, struct tlob_slot *s, bool ended,
			    struct tlob_task_window *w)
{
	u64 now = c ? tlob_place_boundary(c, s->place) : tlob_clock();
	enum tlob_verdict verdict = TLOB_VERDICT_WITHIN;
	unsigned int state = s->account.state;

	if (ended && tlob_account_stop(&s->account, now, &verdict)) {
		tlob_report_event(s->place->task, state, stop_tlob,
				  s->account.state);
	} else {
		/*
		 * A STOP that the state does not accept gets its verdict, too.
		 */
		if (ended)
			verdict = tlob_account_verdict(&s->account, now);
		tlob_account_reset(&s->account, now);
	}
	tlob_slot_fill(s, now, state, ended ? TLOB_TASK_ENDED : TLOB_TASK_CUT,
		       w);
	if (verdict == TLOB_VERDICT_FIRST || s->begin.every)
		tlob_slot_notify(s, w);
	return verdict == TLOB_VERDICT_FIRST;
}

static struct hlist_head *tlob_holder_head(kuid_t uid)
{
	return &tlob_monitor.holder_hash[hash_32(__kuid_val(uid),
						 tlob_monitor.holder_bits)];
}

static struct tlob_holder *tlob_holder_find(kuid_t uid)
{
	struct tlob_holder *h;

	hlist_for_each_entry(h, tlob_holder_head(uid), node)
		if (uid_eq(h->uid, uid))
			return h;
	return NULL;
}

/*
 * Checks whether the user of @b may have one more window. @h is the user's
 * holder or NULL. Under tlob_slots_lock. Returns 0, -EDQUOT or -ENOSPC.
 */
static int tlob_holder_allows(const struct tlob_holder *h, const struct tlob_begin *b)
{
	unsigned int has = 0, may = READ_ONCE(slots_per_user);

	if (!b->limited)
		return 0;
	if (b->binding)
		may = DIV_ROUND_UP(slots, TLOB_BOUND_SHARE);
	if (h)
		has = b->binding ? h->bound : h->started;
	if (has >= may)
		return -EDQUOT;
	return tlob_monitor.nr_free > slots / TLOB_RESERVE_SHARE ? 0 : -ENOSPC;
}

/*
 * Counts a new window. The caller has a free slot, so a free holder exists,
 * too.
 */
static void tlob_holder_take(struct tlob_holder *h, const struct tlob_begin *b)
{
	struct tlob_monitor *m = &tlob_monitor;

	if (!h) {
		h = m->free_holder;
		m->free_holder = h->next;
		h->uid = b->uid;
		hlist_add_head(&h->node, tlob_holder_head(b->uid));
	}
	if (b->binding)
		h->bound++;
	else
		h->started++;
}

static void tlob_holder_give(const struct tlob_begin *b)
{
	struct tlob_monitor *m = &tlob_monitor;
	struct tlob_holder *h = tlob_holder_find(b->uid);

	if (b->binding)
		h->bound--;
	else
		h->started--;
	if (h->bound || h->started)
		return;
	hlist_del(&h->node);
	h->next = m->free_holder;
	m->free_holder = h;
}

static void tlob_monitor_count(const struct tlob_task_window *w)
{
	struct tlob_monitor *m = &tlob_monitor;
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		sum += w->part_ns[i];
	m->sum_failures += sum != w->elapsed_ns;
	m->windows++;
	m->violations += !!(w->flags & TLOB_TASK_VIOLATION);
	m->cut += !!(w->flags & TLOB_TASK_CUT);
	m->adjusted_ns += w->adjusted_ns;
	m->clock_steps += w->clock_steps;
	m->errors += w->errors;
}

/*
 * Frees the slot after tlob_slot_close() has filled @w. The caller must not
 * enable preemption in between: tlob_monitor_stop() waits for this. Takes both
 * locks.
 */
static void tlob_slot_free(struct tlob_slot *s, const struct tlob_task_window *w)
{
	struct tlob_monitor *m = &tlob_monitor;
	struct tlob_place *p = s->place;
	struct tlob_ring *ring = s->begin.ring;
	struct tlob_slot **link;
	unsigned long flags;

	/* a timer that runs right now finds a closed window or another one */
	hrtimer_try_to_cancel(&s->timer[s->soft]);

	raw_spin_lock_irqsave(&tlob_slots_lock, flags);
	tlob_monitor_count(w);
	raw_spin_lock(&p->lock);
	for (link = &p->windows; *link != s; link = &(*link)->next)
		;
	*link = s->next;
	WRITE_ONCE(s->place, NULL);
	if (!p->windows)
		tlob_place_give_up(p);
	raw_spin_unlock(&p->lock);
	tlob_holder_give(&s->begin);
	s->next = m->free;
	m->free = s;
	m->nr_free++;
	WRITE_ONCE(tlob_monitor_used, tlob_monitor_used - TLOB_SLOT_USED);
	raw_spin_unlock_irqrestore(&tlob_slots_lock, flags);
	/* must not run under a lock of the monitor */
	tlob_ring_put_atomic(ring);
}

/* Returns whether @p has an open window of @source. Under tlob_slots_lock. */
static bool tlob_place_has(struct tlob_place *p, const void *source)
{
	struct tlob_slot *s;

	raw_spin_lock(&p->lock);
	for (s = p->windows; s; s = s->next)
		if (s->begin.source == source &&
		    tlob_account_is_open(&s->account))
			break;
	raw_spin_unlock(&p->lock);
	return s;
}

/*
 * Takes a slot for the current task. Under tlob_slots_lock. Returns 0, -ENODEV,
 * -EEXIST, -EDQUOT or -ENOSPC.
 */
static int tlob_slot_take(const struct tlob_begin *b, struct tlob_slot **slot)
{
	struct tlob_monitor *m = &tlob_monitor;
	struct tlob_slot *s = m->free;
	struct tlob_holder *h;
	struct tlob_place *p;
	int err;

	if (!m->on)
		return -ENODEV;
	p = tlob_place_find(current);
	if (p && tlob_place_has(p, b->source))
		return -EEXIST;
	h = tlob_holder_find(b->uid);
	err = tlob_holder_allows(h, b);
	if (err)
		return err;
	if (s)
		p = tlob_place_take(current);
	if (!s || !p)
		return -ENOSPC;
	m->free = s->next;
	m->nr_free--;
	WRITE_ONCE(tlob_monitor_used, tlob_monitor_used + TLOB_SLOT_USED);
	s->begin = *b;
	tlob_holder_take(h, b);
	if (b->ring)
		tlob_ring_get(b->ring);
	WRITE_ONCE(s->place, p);
	*slot = s;
	return 0;
}

static int tlob_monitor_try(const struct tlob_begin *b)
{
	struct tlob_slot *s = NULL;
	struct tlob_place *p;
	struct tlob_cpu *c;
	unsigned long flags;
	int err;
	u64 now;

	raw_spin_lock_irqsave(&tlob_slots_lock, flags);
	err = tlob_slot_take(b, &s);
	if (err) {
		raw_spin_unlock_irqrestore(&tlob_slots_lock, flags);
		return err;
	}
	c = tlob_this_cpu();
	p = s->place;
	raw_spin_lock(&p->lock);
	/* no STOP or START of another CPU must wait until our timer is armed */
	raw_spin_unlock(&tlob_slots_lock);
	s->next = p->windows;
	p->windows = s;
	if (!c->monitored || c->place != p)
		tlob_cpu_set_place(c, p);
	/* open windows get their nmis before the new one begins */
	now = tlob_place_boundary(c, p);
	tlob_account_start(&s->account, now, b->threshold_ns, false);
	tlob_report_event(current, unmonitored_tlob, start_tlob, running_tlob);
	tlob_slot_arm(s, now);
	raw_spin_unlock_irqrestore(&p->lock, flags);
	return 0;
}

static void tlob_monitor_refused(int err)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&tlob_slots_lock, flags);
	tlob_monitor.no_slot += err == -ENOSPC;
	tlob_monitor.over_quota += err == -EDQUOT;
	raw_spin_unlock_irqrestore(&tlob_slots_lock, flags);
}

int tlob_monitor_begin(const struct tlob_begin *b)
{
	int err = tlob_monitor_try(b);

	if (likely(err != -ENOSPC && err != -EDQUOT))
		return err;
	/* only after a refusal, because each start pays for the first try */
	if (b->may_ask && ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE)) {
		struct tlob_begin unlimited = *b;

		unlimited.limited = false;
		err = tlob_monitor_try(&unlimited);
	}
	tlob_monitor_refused(err);
	return err;
}

/* Selects windows. */
typedef bool (*tlob_slot_match)(const struct tlob_slot *s, const void *arg);

static bool tlob_slot_of(const struct tlob_slot *s, const void *owner)
{
	return s->begin.owner == owner;
}

static bool tlob_slot_any(const struct tlob_slot *s, const void *arg)
{
	return true;
}

static bool tlob_slot_bound(const struct tlob_slot *s, const void *arg)
{
	return s->begin.binding;
}

static bool tlob_slot_limited(const struct tlob_slot *s, const void *arg)
{
	return s->begin.limited;
}

/*
 * Closes one open window of the current task that @match accepts. Writes its
 * record to *@w and to *@over whether the caller must report it. Returns the
 * slot, which the caller frees, or NULL if no window matches.
 */
static struct tlob_slot *tlob_current_close(tlob_slot_match match,
					    const void *arg, bool ended,
					    struct tlob_task_window *w,
					    bool *over)
{
	struct tlob_place *p = tlob_place_find(current);
	struct tlob_slot *s;
	unsigned long flags;

	if (!p)
		return NULL;
	raw_spin_lock_irqsave(&p->lock, flags);
	for (s = tlob_place_is_of(p, current) ? p->windows : NULL; s; s = s->next)
		if (tlob_account_is_open(&s->account) && match(s, arg))
			break;
	if (s)
		*over = tlob_slot_close(tlob_this_cpu(), s, ended, w);
	raw_spin_unlock_irqrestore(&p->lock, flags);
	return s;
}

int tlob_monitor_end(const void *owner, struct tlob_task_window *w)
{
	struct tlob_slot *s;
	bool over;

	preempt_disable();
	s = tlob_current_close(tlob_slot_of, owner, true, w, &over);
	if (s)
		tlob_slot_free(s, w);
	preempt_enable();
	if (!s)
		return -ESRCH;
	if (over)
		tlob_report_task(w);
	return !!(w->flags & TLOB_TASK_VIOLATION);
}

static void tlob_current_cut(tlob_slot_match match)
{
	struct tlob_task_window w;
	struct tlob_slot *s;
	bool over;

	do {
		preempt_disable();
		s = tlob_current_close(match, NULL, false, &w, &over);
		if (s)
			tlob_slot_free(s, &w);
		preempt_enable();
	} while (s);
}

/* Takes all windows of the current task away as it exits. */
void tlob_monitor_exited(void)
{
	tlob_current_cut(tlob_slot_any);
}

/*
 * Takes windows away as the current task becomes another program. The new
 * program never reaches the stop of a region of the old one. @secure: the
 * program has other credentials. The user who started the window must not learn
 * what it does; perf ends its events there, too.
 */
void tlob_monitor_exec(bool secure)
{
	tlob_current_cut(tlob_slot_bound);
	if (secure)
		tlob_current_cut(tlob_slot_limited);
}

/* Takes @s away if it is open and belongs to @owner (NULL: to anybody). */
static void tlob_slot_cut(struct tlob_slot *s, const void *owner)
{
	struct tlob_place *p = READ_ONCE(s->place);
	struct tlob_task_window w;
	unsigned long flags;
	bool mine;

	/* avoids waiting for the locks of other owners; checked again below */
	if (!p || (owner && data_race(s->begin.owner) != owner))
		return;
	preempt_disable();
	raw_spin_lock_irqsave(&p->lock, flags);
	mine = READ_ONCE(s->place) == p &&
	       tlob_account_is_open(&s->account) &&
	       (!owner || s->begin.owner == owner);
	if (mine)
		tlob_slot_close(NULL, s, false, &w);
	raw_spin_unlock_irqrestore(&p->lock, flags);
	if (mine)
		tlob_slot_free(s, &w);
	preempt_enable();
}

void tlob_monitor_close(const void *owner)
{
	unsigned int i;

	if (!READ_ONCE(tlob_monitor_used))
		return;
	for (i = 0; i < slots; i++) {
		tlob_slot_cut(&tlob_slots[i], owner);
		cond_resched();
	}
}

bool tlob_monitor_wanted_by(unsigned int who)
{
	return READ_ONCE(tlob_monitor.wanted) & who;
}

bool tlob_monitor_is_on(void)
{
	return READ_ONCE(tlob_monitor.on);
}

static void tlob_monitor_set(bool on)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&tlob_slots_lock, flags);
	WRITE_ONCE(tlob_monitor.on, on);
	raw_spin_unlock_irqrestore(&tlob_slots_lock, flags);
}

static int tlob_monitor_start(void)
{
	unsigned int i;
	u32 missing;
	int err;

	err = tlob_noise_attach_monitor(&missing);
	if (err)
		return err;
	tlob_monitor.unavailable = 1U << TLOB_TASK_PART_HW;
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		if (missing & (1U << tlob_task_part_of[i]))
			tlob_monitor.unavailable |= 1U << i;
	tlob_monitor_set(true);
	return 0;
}

/* Takes all windows away. Afterwards no hook and no timer of a window runs. */
static void tlob_monitor_stop(void)
{
	unsigned int i;

	tlob_monitor_set(false);
	tlob_monitor_close(NULL);
	/* a task may have closed its window but not yet freed the slot */
	while (READ_ONCE(tlob_monitor_used))
		usleep_range(50, 200);
	tlob_noise_detach_monitor();
	for (i = 0; i < slots; i++) {
		hrtimer_cancel(&tlob_slots[i].timer[0]);
		hrtimer_cancel(&tlob_slots[i].timer[1]);
	}
}

int tlob_monitor_want(unsigned int who, bool on)
{
	struct tlob_monitor *m = &tlob_monitor;
	unsigned int wanted = on ? m->wanted | who : m->wanted & ~who;
	int err = 0;

	lockdep_assert_held(&tlob_mutex);
	if (wanted && !m->wanted) {
		err = tlob_monitor_start();
		if (!err) {
			tlob_device_switched(true);
			tlob_bits_update(true);
		}
	} else if (!wanted && m->wanted) {
		tlob_bits_update(false);
		tlob_monitor_stop();
		tlob_device_switched(false);
	}
	if (!err)
		WRITE_ONCE(m->wanted, wanted);
	return err;
}

/* Prints the monitor's lines of `status`. */
void tlob_monitor_show(struct seq_file *m)
{
	static const char * const wanted_by[] = {
		[0] = "nobody",
		[TLOB_WANTED_BY_FILE] = "file",
		[TLOB_WANTED_BY_RV] = "rv",
		[TLOB_WANTED_BY_FILE | TLOB_WANTED_BY_RV] = "file,rv",
	};
	struct tlob_monitor mon;
	unsigned long flags;

	raw_spin_lock_irqsave(&tlob_slots_lock, flags);
	mon = tlob_monitor;
	raw_spin_unlock_irqrestore(&tlob_slots_lock, flags);
	seq_printf(m, "monitor: %s wanted_by=%s slots=%u used=%u windows=%llu violations=%llu cut=%llu no_slot=%llu over_quota=%llu",
		   mon.on ? "enabled" : "disabled",
		   wanted_by[mon.wanted], slots,
		   READ_ONCE(tlob_monitor_used) / TLOB_SLOT_USED, mon.windows, mon.violations,
		   mon.cut, mon.no_slot, mon.over_quota);
	seq_printf(m, " sum_failures=%llu errors=%llu adjusted_ns=%llu clock_steps=%llu\n",
		   mon.sum_failures, mon.errors, mon.adjusted_ns,
		   mon.clock_steps);
}

int __init tlob_monitor_init(void)
{
	struct tlob_monitor *m = &tlob_monitor;
	unsigned int i, places;

	if (!slots || slots > TLOB_SLOTS_MAX)
		return -EINVAL;
	places = roundup_pow_of_two(slots * TLOB_PLACES_PER_SLOT);
	tlob_places_bits = ilog2(places);
	tlob_slots = vzalloc(array_size(slots, sizeof(*tlob_slots)));
	tlob_places = vzalloc(array_size(places, sizeof(*tlob_places)));
	m->holder_bits = ilog2(roundup_pow_of_two(slots));
	m->holders = vzalloc(array_size(slots, sizeof(*m->holders)));
	m->holder_hash = vzalloc(array_size(1U << m->holder_bits,
					    sizeof(*m->holder_hash)));
	if (!tlob_slots || !tlob_places || !m->holders || !m->holder_hash) {
		tlob_monitor_exit();
		return -ENOMEM;
	}
	for (i = 0; i < places; i++)
		raw_spin_lock_init(&tlob_places[i].lock);
	for (i = 0; i < slots; i++) {
		tlob_hrtimer_setup(&tlob_slots[i].timer[0], tlob_slot_expired,
				   HRTIMER_MODE_ABS_PINNED_HARD);
		tlob_hrtimer_setup(&tlob_slots[i].timer[1],
				   tlob_slot_expired_soft,
				   HRTIMER_MODE_ABS_PINNED_SOFT);
		tlob_slots[i].next = m->free;
		m->free = &tlob_slots[i];
		m->holders[i].next = m->free_holder;
		m->free_holder = &m->holders[i];
	}
	m->nr_free = slots;
	return 0;
}

/* The monitor is off, and nothing can enable it any more. */
void tlob_monitor_exit(void)
{
	vfree(tlob_slots);
	vfree(tlob_places);
	vfree(tlob_monitor.holders);
	vfree(tlob_monitor.holder_hash);
}
