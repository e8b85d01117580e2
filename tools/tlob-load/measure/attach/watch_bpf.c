// SPDX-License-Identifier: GPL-2.0
/*
 * Watches by BPF programs: gives threads slots, and completes the programs' records.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "attach/threads.h"
#include "attach/watch_bpf_local.h"
#include "backend/bpf.h"
#include "backend/late_names.h"
#include "machine/bpf_load.h"
#include "machine/timens.h"
#include "result/attached.h"
#include "util/error.h"
#include "util/file.h"
#include "util/time.h"

#define LAST_SWITCH_MS	1000
#define PF_KTHREAD	0x00200000	/* of <linux/sched.h>, which is the kernel's own */

static int open_run(struct watch_bpf_run **run, const struct attach_config *o, const struct attached *region)
{
	int err;

	*run = calloc(1, sizeof(**run));
	if (!*run)
		return fail(-ENOMEM, "out of memory");
	(*run)->region = region;
	(*run)->waits = o->waits;
	(*run)->of = (uint32_t)o->pid;
	err = bpf_names_read();
	return err ? err : watch_bpf_load(*run, o);
}

static void close_run(struct watch_bpf_run *run)
{
	if (!run)
		return;
	watch_bpf_unload(run);
	bpf_names_free();
	free(run);
}

/* A thread that exits has no file either, so its flags say it. */
static bool is_of_kernel(int tid)
{
	char path[64], line[512] = "", *end;
	unsigned int flags = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	file_read_line(path, line, sizeof(line));
	end = strrchr(line, ')');
	return end && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
	       flags & PF_KTHREAD;
}

/* What the file of the program says: another user's auxv takes CAP_DAC_READ_SEARCH as well. */
static int check_file(int tid)
{
	unsigned char ident[EI_NIDENT] = { 0 };
	ssize_t n = 0;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, ident, sizeof(ident));
		close(fd);
	}
	if (n != sizeof(ident) || memcmp(ident, ELFMAG, SELFMAG))
		return -EACCES;
	return sizeof(long) == 8 && ident[EI_CLASS] != ELFCLASS64 ? -EOPNOTSUPP : 0;
}

/*
 * The numbers of system calls are those of 64-bit programs. The first word of what the kernel gave
 * the program is small, or two words of a 32-bit one. 0; -EINVAL: of the kernel; -EOPNOTSUPP: of a
 * 32-bit program; -EACCES: not known; -ESRCH; or another -errno.
 */
static int check_calls(int tid)
{
	uint64_t first = 0;
	ssize_t n = 0;
	char path[64];
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%d/auxv", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 ? -errno : -ESRCH;
	if (fd >= 0) {
		n = read(fd, &first, sizeof(first));
		close(fd);
	}
	if (n != sizeof(first) && is_of_kernel(tid))
		return -EINVAL;
	if (err == -EACCES)
		return check_file(tid);
	if (n != sizeof(first))
		return err == -ENOENT ? -ESRCH : err == -EPERM ? -EACCES : err;
	return sizeof(long) == 8 && first > UINT32_MAX ? -EOPNOTSUPP : 0;
}

static bool exists(uint32_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u", tid);
	return !access(path, F_OK);
}

/* The entry @n of the stacks, plus 1, belongs to programs again; 0: none. */
static void free_late(struct watch_bpf_run *run, uint32_t n)
{
	if (n && run->older)
		bpf_map_update_elem(run->entries, NULL, &n, BPF_ANY);
	else if (n)
		__atomic_store_n(&run->shared->late[(n - 1) % WATCH_LATE].taken, 0, __ATOMIC_RELEASE);
}

/* Programs do not find it any more. */
static void forget(struct watch_bpf_run *run, struct watch_task *t)
{
	uint32_t slot = (uint32_t)(t - run->shared->task), now;

	free_late(run, t->late_entry);
	/* a program may have given the next thread with this tid another one */
	if (!bpf_map_lookup_elem(run->slots, &t->tid, &now) && now == slot)
		bpf_map_delete_elem(run->slots, &t->tid);
	/* it may have waited for a CPU when it was dropped */
	if (t->away_cpu)
		__atomic_fetch_sub(&run->shared->cpu[(t->away_cpu - 1) % WATCH_CPUS].awaiting, 1, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&run->shared->hint[t->tid % WATCH_HINTS], 1, __ATOMIC_RELAXED);
	memset(t, 0, sizeof(*t));
	run->reported[slot] = 0;
	run->missing[slot] = false;
	bpf_map_update_elem(run->free_slots, NULL, &slot, BPF_ANY);
}

static int add_task(struct watch_bpf_run *run, int tid)
{
	struct watch_task *t = run->shared->task;
	uint32_t key = (uint32_t)tid, slot;
	int tgid, err, calls;

	if (!bpf_map_lookup_elem(run->slots, &key, &slot))
		return -EBUSY;
	if (bpf_map_lookup_and_delete_elem(run->free_slots, NULL, &slot))
		return -ENOSPC;
	calls = check_calls(tid);
	tgid = threads_tgid(tid);
	err = calls && run->shared->nr_until ? calls : tgid ? 0 : -ESRCH;
	if (err) {
		bpf_map_update_elem(run->free_slots, NULL, &slot, BPF_ANY);
		return err;
	}
	t[slot].tid = key;
	t[slot].tgid = (uint32_t)tgid;
	t[slot].left_ns = timens_kernel_ns(now_ns());
	/* a sleep that restart_syscall() continues right now may be in any call */
	t[slot].rested = 1;
	t[slot].compat = calls == -EOPNOTSUPP;
	__atomic_fetch_add(&run->shared->hint[key % WATCH_HINTS], 1, __ATOMIC_RELAXED);
	__atomic_store_n(&t[slot].state, WATCH_ON, __ATOMIC_RELEASE);
	if (!bpf_map_update_elem(run->slots, &key, &slot, BPF_NOEXIST)) {
		run->unread += calls == -EACCES;
		return 0;
	}
	/* or it has taken one meanwhile */
	err = errno == EEXIST ? -EBUSY : -errno;
	forget(run, &t[slot]);
	return err;
}

/*
 * A thread that exits leaves /proc before its last switch, which cuts its window; by the next sweep
 * it has come. A thread that an exec gave another tid has none.
 */
static void sweep(struct watch_bpf_run *run)
{
	struct watch_task *t = run->shared->task;
	bool missing, again, gone;
	unsigned int i;

	for (i = 0; i < WATCH_TASKS; i++, t++) {
		gone = t->state == WATCH_GONE;
		/* the older programs have no barrier before they say it */
		missing = (t->state == WATCH_ON && !exists(t->tid)) || (gone && run->older);
		again = missing && run->missing[i];
		run->missing[i] = missing && !again;
		if (!again && (!gone || run->older))
			continue;
		/* one that was said to be over its budget counts as open */
		run->vanished += !run->key && again && t->open && run->reported[i] != t->nr;
		forget(run, t);
	}
	/* the first scan is over: who is not watched now comes later */
	run->shared->births = run->of ? run->of : 1;
}

/* Threads may come and go faster than sweeps. */
static void free_gone(struct watch_bpf_run *run)
{
	unsigned int i;

	for (i = 0; i < WATCH_TASKS; i++)
		if (__atomic_load_n(&run->shared->task[i].state, __ATOMIC_ACQUIRE) == WATCH_GONE)
			forget(run, &run->shared->task[i]);
}

static bool still_open(const struct watch_task *t, int tgid)
{
	return __atomic_load_n(&t->state, __ATOMIC_ACQUIRE) == WATCH_ON && t->tgid == (uint32_t)tgid && t->open;
}

static bool any_open(const struct watch_bpf_run *run, int tgid)
{
	unsigned int i = run->key ? WATCH_TASKS : 0;

	while (i < WATCH_TASKS && !still_open(&run->shared->task[i], tgid))
		i++;
	return i < WATCH_TASKS;
}

static void await_last_switches(struct watch_bpf_run *run, int tgid)
{
	const struct watch_task *t = run->shared->task;
	unsigned int ms, i;

	for (ms = 0; ms < LAST_SWITCH_MS && any_open(run, tgid); ms++)
		usleep(1000);
	/* those that were said to be over their budget have been counted, and no other is reported now */
	for (i = 0; i < WATCH_TASKS && !run->key; i++)
		if (still_open(&t[i], tgid) && run->reported[i] != t[i].nr) {
			run->reported[i] = t[i].nr;
			run->vanished++;
		}
}

static void complete(const struct watch_bpf_run *run, struct tlob_task_activation *a)
{
	struct tlob_task_window *w = &a->window;

	w->version = TLOB_EVENT_VERSION;
	w->size = sizeof(*w);
	w->unavailable = run->unavailable | 1U << TLOB_TASK_PART_HW;
	if (w->largest.ns)
		bpf_name_noise(w->largest.kind, &w->largest.id, w->largest.name);
}

/* The holder of the longest sleep of @t for a lock, which may be the present one. */
static const struct tlob_wait_waker *holder_of(const struct watch_task *t, uint64_t lock_ns)
{
	return lock_ns > t->longest_lock_ns ? &t->holder : &t->lock_holder;
}

/*
 * Whether the thread runs by /proc. By its slot one runs that sleeps, if the kernel did not report the
 * switch.
 */
static bool runs(uint32_t tid)
{
	char path[64], text[512], *end;
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/stat", tid);
	f = fopen(path, "re");
	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = 0;
	/* a name may have any character */
	end = strrchr(text, ')');
	return end && end[1] && end[2] == 'R';
}

/*
 * Makes the record of the window of @t at @now, if it is over its budget: as far as its last
 * switch has charged it. A thread that waits for its first CPU has no window yet. One that is just
 * switched is looked at the next time.
 */
static bool is_over(const struct watch_bpf_run *run, const struct watch_task *t, uint64_t now,
		    struct tlob_task_activation *a)
{
	const struct tlob_split *s = &t->split;
	uint32_t changing = __atomic_load_n(&t->changing, __ATOMIC_ACQUIRE), phase = t->phase;
	uint64_t start = s->t0, sum = 0, lock_ns, ns;
	unsigned int i;

	if (changing & 1 || !t->open || now <= start || now - start <= run->shared->budget_ns)
		return false;
	lock_ns = phase == WATCH_SLEEPS && t->lock && now > t->left_ns ? now - t->left_ns : 0;
	*a = (struct tlob_task_activation){
		.nr = t->nr, .waker = t->waker, .wake_ns = t->wake_ns, .timer_ns = t->timer_ns,
		.holder = *holder_of(t, lock_ns),
		.window = {
			.flags = TLOB_TASK_VIOLATION, .tid = t->tid, .tgid = t->tgid,
			.start_ns = start, .elapsed_ns = now - start, .threshold_ns = run->shared->budget_ns,
			.switches = s->switches, .errors = s->errors,
			.state = phase == WATCH_SLEEPS ? TLOB_TASK_SLEEPING :
				 phase == WATCH_WAITS ? TLOB_TASK_WAITING : TLOB_TASK_RUNNING,
		},
	};
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++) {
		ns = i == TLOB_TASK_PART_HW ? 0 : s->part[attach_part_of(i)];
		a->window.part_ns[i] = ns;
		sum += ns;
	}
	i = phase == WATCH_SLEEPS ? TLOB_TASK_PART_SLEEPING :
	    phase == WATCH_WAITS ? TLOB_TASK_PART_WAITING : TLOB_TASK_PART_RUNNING;
	if (sum <= a->window.elapsed_ns)
		a->window.part_ns[i] += a->window.elapsed_ns - sum;
	if (t->lock_ns + lock_ns > a->window.part_ns[TLOB_TASK_PART_SLEEPING] / 2)
		a->window.flags |= TLOB_TASK_LOCK;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	/* if it has ended meanwhile, its record comes */
	return t->open && t->nr == a->nr && s->t0 == start &&
	       __atomic_load_n(&t->changing, __ATOMIC_RELAXED) == changing;
}

/* The same of a window of a key. What its thread has had since it left it is not known. */
static bool key_is_over(const struct watch_bpf_run *run, const struct watch_key *k, uint64_t now,
			struct tlob_task_activation *a)
{
	uint64_t start = __atomic_load_n(&k->start_ns, __ATOMIC_ACQUIRE), until, sum = 0;
	unsigned int i;

	if (!start || now <= start || now - start <= run->shared->budget_ns)
		return false;
	until = __atomic_load_n(&k->until_ns, __ATOMIC_ACQUIRE);
	if (!until)
		return is_over(run, &run->shared->task[k->slot % WATCH_TASKS], now, a) && a->window.start_ns == start;
	*a = (struct tlob_task_activation){
		.elsewhere_ns = now > until ? now - until : 0,
		.window = {
			.flags = TLOB_TASK_VIOLATION, .tid = k->tid, .tgid = k->tgid,
			.start_ns = start, .elapsed_ns = now - start, .threshold_ns = run->shared->budget_ns,
			.switches = k->first.switches, .state = TLOB_TASK_SLEEPING,
		},
	};
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		sum += a->window.part_ns[i] = i == TLOB_TASK_PART_HW ? 0 : k->first.part[attach_part_of(i)];
	a->window.part_ns[TLOB_TASK_PART_SLEEPING] += a->elsewhere_ns;
	/* else a program has just changed it: the next time */
	return sum + a->elsewhere_ns == a->window.elapsed_ns && k->start_ns == start;
}

static void name_task(struct tlob_task_window *w)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/comm", w->tid);
	f = fopen(path, "re");
	if (f && fgets(w->comm, sizeof(w->comm), f))
		w->comm[strcspn(w->comm, "\n")] = 0;
	if (f)
		fclose(f);
}

static void report_open_keys(struct watch_bpf_run *run, watch_take *take, void *data)
{
	union task_record record;
	unsigned int i;

	for (i = 0; i < WATCH_KEYS; i++) {
		memset(&record, 0, sizeof(record));
		if (run->reported_key[i] == run->key[i].start_ns ||
		    !key_is_over(run, &run->key[i], timens_kernel_ns(now_ns()), &record.a))
			continue;
		run->reported_key[i] = record.a.window.start_ns;
		record.a.begun_by = record.a.window.tid;
		name_task(&record.a.window);
		complete(run, &record.a);
		take(data, &record, NULL);
	}
}

static void report_open(struct watch_bpf_run *run, watch_take *take, void *data)
{
	const struct watch_task *t = run->shared->task;
	union task_record record;
	unsigned int i;

	if (run->key) {
		report_open_keys(run, take, data);
		return;
	}
	for (i = 0; i < WATCH_TASKS; i++) {
		if (t[i].state != WATCH_ON || run->reported[i] == t[i].nr)
			continue;
		memset(&record, 0, sizeof(record));
		if (!is_over(run, &t[i], timens_kernel_ns(now_ns()), &record.a))
			continue;
		if (record.a.window.state == TLOB_TASK_RUNNING && !runs(t[i].tid))
			continue;
		run->reported[i] = record.a.nr;
		name_task(&record.a.window);
		complete(run, &record.a);
		take(data, &record, NULL);
	}
}

/* Copies the stacks of entry @n, plus 1, that are in @looked. Returns false if it has none. */
static bool copy_late(const struct watch_bpf_run *run, uint32_t n, uint32_t looked, struct tlob_late *to)
{
	if (!n)
		return false;
	*to = run->shared->late[(n - 1) % WATCH_LATE].stacks;
	late_names_looked(to, looked);
	return true;
}

/* Takes the next record into @to. Returns false if there is none. */
static bool next_record(const struct watch_bpf_run *run, struct watch_record *to)
{
	struct watch_bpf *shared = run->shared;
	struct watch_record *r = &shared->record[shared->tail % WATCH_RECORDS];

	if (run->older)
		return !bpf_map_lookup_and_delete_elem(run->records, NULL, to);
	if (__atomic_load_n(&r->state, __ATOMIC_ACQUIRE) != WATCH_READY)
		return false;
	*to = *r;
	r->state = WATCH_EMPTY;
	__atomic_store_n(&shared->tail, shared->tail + 1, __ATOMIC_RELEASE);
	return true;
}

static bool drain(struct watch_bpf_run *run, watch_take *take, void *data)
{
	union task_record record;
	unsigned int n = 0;
	struct watch_record r;
	struct tlob_late late;
	bool has_late;

	memset(&record, 0, sizeof(record));
	/* more may come all the time */
	for (; n < WATCH_RECORDS && next_record(run, &r); n++) {
		record.a = r.a;
		has_late = copy_late(run, r.late_entry, r.looked, &late);
		free_late(run, r.late_entry);
		complete(run, &record.a);
		run->chain_of = r.chain;
		take(data, &record, has_late ? &late : NULL);
	}
	run->chain_of.head = 0;
	if (!run->older)
		free_gone(run);
	report_open(run, take, data);
	return n > WATCH_RECORDS / 4;
}

static void rests(const struct watch_bpf_run *run, watch_rest_take *take, void *data)
{
	const struct watch_task *t = run->shared->task;
	struct watch_rest rest;
	uint32_t slot, now;

	for (slot = 0; slot < WATCH_TASKS; slot++, t++) {
		if (__atomic_load_n(&t->state, __ATOMIC_ACQUIRE) != WATCH_ON || t->open ||
		    bpf_map_lookup_elem(run->slots, &t->tid, &now) || now != slot)
			continue;
		rest = (struct watch_rest){
			.tid = t->tid, .unseen = t->phase == WATCH_UNSEEN,
			.began_ns = t->nr ? t->split.t0 : 0, .now_ns = timens_kernel_ns(now_ns()),
		};
		take(data, &rest);
	}
}

static bool is_open(const struct watch_bpf_run *run, uint32_t tid, uint64_t start_ns)
{
	const struct watch_task *t = run->shared->task;
	unsigned int i = 0;

	if (run->key)
		return watch_bpf_key_is_open(run, start_ns);
	while (i < WATCH_TASKS && !(t[i].state == WATCH_ON && t[i].tid == tid && t[i].open && t[i].split.t0 == start_ns))
		i++;
	return i < WATCH_TASKS;
}

static void count(const struct watch_bpf_run *run, struct watch_bpf_counts *to)
{
	*to = (struct watch_bpf_counts){ 0 };
	to->dropped = __atomic_load_n(&run->shared->dropped, __ATOMIC_RELAXED);
	to->vanished = run->vanished;
	to->unread = run->unread;
	to->skipped = bpf_misses(run->object, NULL);
	to->unseen = __atomic_load_n(&run->shared->unseen, __ATOMIC_RELAXED);
	to->no_slot = __atomic_load_n(&run->shared->region.no_slot, __ATOMIC_RELAXED);
	to->forgot = __atomic_load_n(&run->shared->chain_forgot, __ATOMIC_RELAXED);
	to->lacks_chain = run->lacks_chain;
	if (run->region)
		watch_bpf_region_count(run, to);
}

const struct watch_bpf_calls watch_bpf = {
	.open = open_run,
	.close = close_run,
	.begin_waits = watch_bpf_begin_waits,
	.add = add_task,
	.sweep = sweep,
	.await_last_switches = await_last_switches,
	.drain = drain,
	.rests = rests,
	.is_open = is_open,
	.chain = watch_bpf_chain_take,
	.count = count,
};
