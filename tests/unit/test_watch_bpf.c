// SPDX-License-Identifier: GPL-2.0
/* attach --backend bpf: which slots the tool gives to other threads. The test is the BPF programs. */
#if __has_include(<bpf/bpf.h>)
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "result/attached.h"

static unsigned int part_in_between(unsigned int part);
static int open_auxv(const char *path, int flags);
static int programs_run(unsigned int us);
#define open(path, flags)	open_auxv(path, flags)
#define usleep(us)		programs_run(us)
#define attach_part_of(part)	part_in_between(part)
#include "attach/watch_bpf.c"
#undef open
#undef usleep
#undef attach_part_of
#include "unit.h"

static int why_not;			/* errno of open() */
static const char *auxv;		/* or this file */
static bool file_opens;			/* the program's */

static int open_auxv(const char *path, int flags)
{
	if (strstr(path, "/exe") && file_opens)
		return open(path, flags);
	assert_true(strstr(path, "/auxv") || strstr(path, "/exe"));
	errno = why_not;
	return why_not ? -1 : open(auxv ? auxv : path, flags);
}

static struct watch_bpf_run run;

int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	errno = ENOENT;
	return -1;
}

#define QUEUE_OF_RECORDS	7
#define QUEUE_OF_ENTRIES	8

#define QUEUE_OF_SLOTS		9

static struct watch_record queued[2];
static unsigned int in_queue;
static uint32_t given_back, free_slot;
static int no_slots;			/* 1: all are taken */

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	if (fd == QUEUE_OF_ENTRIES)
		given_back = *(const uint32_t *)value;
	if (fd == QUEUE_OF_SLOTS)
		free_slot = *(const uint32_t *)value;
	return 0;
}

int bpf_map_lookup_and_delete_elem(int fd, const void *key, void *value)
{
	assert_null(key);
	if (fd != QUEUE_OF_RECORDS) {
		*(uint32_t *)value = free_slot;
		return -no_slots;
	}
	if (!in_queue)
		return -ENOENT;
	*(struct watch_record *)value = queued[--in_queue];
	return 0;
}

int bpf_map_delete_elem(int fd, const void *key)
{
	return 0;
}

int bpf_names_read(void)
{
	return 0;
}

void bpf_names_free(void)
{
}

void bpf_name_noise(unsigned int kind, int32_t *id, char name[TLOB_NAME_LEN])
{
}

uint64_t bpf_misses(const struct bpf_object *object, bool (*is_left_out)(const struct bpf_program *p))
{
	return 0;
}

int watch_bpf_load(struct watch_bpf_run *of, const struct attach_config *o)
{
	return 0;
}

void watch_bpf_unload(struct watch_bpf_run *of)
{
}

int watch_bpf_begin_waits(struct watch_bpf_run *of, struct attach_profile *p)
{
	(void)of;
	(void)p;
	return 0;
}

int watch_bpf_chain_take(const struct watch_bpf_run *of, struct attach_wait *wait)
{
	return 0;
}

static uint64_t open_key;

bool watch_bpf_key_is_open(const struct watch_bpf_run *of, uint64_t start_ns)
{
	return start_ns == open_key;
}

void watch_bpf_region_count(const struct watch_bpf_run *of, struct watch_bpf_counts *to)
{
	to->left = 3;
}

static struct watch_bpf shared;

static struct watch_task *watch_with_window(void)
{
	struct watch_task *t = shared.task;

	run = (struct watch_bpf_run){ .shared = &shared };
	memset(&shared, 0, sizeof(shared));
	assert_int_equal(add_task(&run, getpid()), 0);
	assert_int_equal(t->tgid, getpid());
	t->open = 1;
	t->nr = 1;
	sweep(&run);
	assert_int_equal(t->state, WATCH_ON);
	t->tid = INT_MAX;		/* no thread has it */
	sweep(&run);
	t->tid = (uint32_t)getpid();
	return t;
}

static struct tlob_late got;
static unsigned int took, without;

static void take(void *data, const union task_record *record, const struct tlob_late *late)
{
	took++;
	without += !late;
	if (late)
		got = *late;
}

static struct watch_task *switches;	/* in the middle of a copy */

static unsigned int part_in_between(unsigned int part)
{
	if (switches && !part)
		switches->changing += 2;
	return attach_part_of(part);
}

#define SECOND	1000000000ULL

static struct tlob_wait_waker said;

static void take_holder(void *data, const union task_record *record, const struct tlob_late *late)
{
	took++;
	said = record->a.holder;
}

/* @task is over its budget, and has slept for its last lock for @ns. Returns how often it is reported. */
static unsigned int report_holder(struct watch_task *task, uint64_t ns)
{
	task->left_ns = timens_kernel_ns(now_ns()) - ns;
	run.reported[0] = 0;
	took = 0;
	report_open(&run, take_holder, NULL);
	return took;
}

/* An open window has the holder of its longest wait for a lock so far. Plain sleeps do not count. */
TEST(test_holder)
{
	struct watch_task *t = watch_with_window();

	t->split.t0 = 1;
	t->lock_holder = (struct tlob_wait_waker){ .kind = TLOB_WAKER_TASK, .tid = 7 };
	t->longest_lock_ns = 10 * SECOND;
	t->phase = WATCH_SLEEPS;
	assert_int_equal(report_holder(t, 20 * SECOND), 1);
	assert_int_equal(said.tid, 7);
	t->lock = 1;
	t->holder = (struct tlob_wait_waker){ .kind = TLOB_WAKER_TASK, .tid = 8 };
	assert_int_equal(report_holder(t, 20 * SECOND), 1);
	assert_int_equal(said.tid, 8);
	assert_int_equal(report_holder(t, 0), 1);
	assert_int_equal(said.tid, 7);
	t->phase = WATCH_RUNS;
	assert_int_equal(report_holder(t, 20 * SECOND), 1);
	assert_int_equal(said.tid, 7);
}

/* The kernel did not report that a thread left its CPU: it sleeps, and its window is not said to run. */
TEST(test_asleep)
{
	struct watch_task *t = watch_with_window();
	pid_t pid = fork();
	unsigned int i, seen;

	if (!pid) {
		pause();
		_exit(0);
	}
	t->split.t0 = 1;
	t->phase = WATCH_RUNS;
	assert_int_equal(report_holder(t, 0), 1);
	t->tid = (uint32_t)pid;
	for (i = 0, seen = 1; i < 5000 && seen; i++) {
		seen = report_holder(t, 0);
		usleep(1000);
	}
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(seen, 0);
	/* what it waits for is known */
	t->phase = WATCH_SLEEPS;
	assert_int_equal(report_holder(t, 0), 1);
}

/* What a switch changes meanwhile is not reported: before, and in the middle of the copy. */
TEST(test_switched)
{
	struct watch_task *t = watch_with_window();

	t->split.t0 = 1;
	t->changing = 1;
	assert_int_equal(report_holder(t, 0), 0);
	t->changing = 2;
	assert_int_equal(report_holder(t, 0), 1);
	switches = t;
	assert_int_equal(report_holder(t, 0), 0);
	switches = NULL;
	assert_int_equal(report_holder(t, 0), 1);
}

/* A record has the stacks that were taken in its window, and their entry is free again. */
TEST(test_stacks)
{
	struct watch_task *t = watch_with_window();
	struct watch_bpf *shared = run.shared;
	struct watch_late *late = &shared->late[5];
	struct watch_record *r = shared->record;

	late->taken = 1;
	late->stacks.at[TLOB_LATE_MET].pid = late->stacks.at[TLOB_LATE_LEFT].pid = 42;
	r[0].late_entry = 5 + 1;
	r[0].looked = 1U << TLOB_LATE_LEFT;
	r[0].state = r[1].state = WATCH_READY;
	t->state = WATCH_FREE;
	took = without = 0;
	drain(&run, take, NULL);
	assert_int_equal(took, 2);
	assert_int_equal(without, 1);
	assert_int_equal(got.at[TLOB_LATE_LEFT].pid, 42);
	assert_int_equal(got.at[TLOB_LATE_MET].pid, 0);	/* of an earlier window */
	assert_int_equal(late->taken, 0);
	/* a thread that goes gives back what it has */
	late->taken = 1;
	t->state = WATCH_GONE;
	t->late_entry = 5 + 1;
	sweep(&run);
	assert_int_equal(late->taken, 0);
}

/* The programs for kernels before 5.19: queues, and a thread that has gone is left alone for one more sweep. */
TEST(test_older)
{
	struct watch_task *t = watch_with_window();

	run.older = true;
	run.records = QUEUE_OF_RECORDS;
	run.entries = QUEUE_OF_ENTRIES;
	run.shared->late[5].stacks.at[TLOB_LATE_LEFT].pid = 42;
	queued[0] = (struct watch_record){ .late_entry = 5 + 1, .looked = 1U << TLOB_LATE_LEFT };
	queued[1] = (struct watch_record){ .a.nr = 1 };
	in_queue = 2;
	took = without = given_back = 0;
	t->open = 0;
	drain(&run, take, NULL);
	assert_int_equal(took, 2);
	assert_int_equal(without, 1);
	assert_int_equal(got.at[TLOB_LATE_LEFT].pid, 42);
	assert_int_equal(given_back, 5 + 1);
	t->late_entry = 9;
	t->state = WATCH_GONE;
	run.missing[0] = false;
	sweep(&run);
	assert_int_equal(t->state, WATCH_GONE);
	sweep(&run);
	assert_int_equal(t->state, WATCH_FREE);
	assert_int_equal(given_back, 9);
	assert_int_equal(run.vanished, 0);
}

/*
 * A thread that may not be read is not one that has gone. With --until it is refused, else it
 * is watched and counted.
 */
TEST(test_unread)
{
	static const struct {
		int why_not, until;
	} threads[] = { { EACCES, -EACCES }, { EPERM, -EACCES }, { ENOENT, -ESRCH }, { EMFILE, -EMFILE } };
	struct watch_bpf_counts counts;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		run = (struct watch_bpf_run){ .shared = &shared };
		memset(&shared, 0, sizeof(shared));
		why_not = threads[i].why_not;
		shared.nr_until = 1;
		assert_int_equal(add_task(&run, getpid()), threads[i].until);
		assert_int_equal(shared.task[0].state, WATCH_FREE);
		count(&run, &counts);
		assert_int_equal(counts.unread, 0);
		shared.nr_until = 0;
		assert_int_equal(add_task(&run, getpid()), 0);
		count(&run, &counts);
		assert_int_equal(counts.unread, threads[i].until == -EACCES);
	}
	/* another user's: the program's file says that it is a 64-bit one */
	why_not = EACCES;
	file_opens = true;
	shared.nr_until = 1;
	run = (struct watch_bpf_run){ .shared = &shared };
	assert_int_equal(add_task(&run, getpid()), 0);
	assert_int_equal(shared.task[0].compat, 0);
	file_opens = false;
	why_not = 0;
}

/* Two words of a 32-bit program are no small number. One that has gone has none. */
TEST(test_compat)
{
	static const struct {
		uint32_t words[2];
		int until;
	} programs[] = { { { 33, 0 }, 0 }, { { 32, 0xf7f01000 }, -EOPNOTSUPP }, { { 16, 0x10 }, -EOPNOTSUPP } };
	char path[] = "/tmp/tlob-auxv-XXXXXX";
	int fd = mkstemp(path);
	size_t i;

	assert_true(fd >= 0);
	auxv = path;
	run = (struct watch_bpf_run){ .shared = &shared };
	for (i = 0; i < ARRAY_SIZE(programs); i++) {
		memset(&shared, 0, sizeof(shared));
		assert_int_equal(pwrite(fd, programs[i].words, 8, 0), 8);
		shared.nr_until = 1;
		assert_int_equal(add_task(&run, getpid()), programs[i].until);
		memset(&shared, 0, sizeof(shared));
		assert_int_equal(add_task(&run, getpid()), 0);
		assert_int_equal(shared.task[0].compat, programs[i].until != 0);
	}
	assert_int_equal(ftruncate(fd, 0), 0);
	shared.nr_until = 1;
	assert_int_equal(add_task(&run, getpid()), -ESRCH);
	auxv = NULL;
	assert_int_equal(close(fd) || unlink(path), 0);
}

/* A window that is over its budget and still open is reported once, and none of a slot that is not on. */
TEST(test_open_once)
{
	struct watch_task *t = watch_with_window();

	t->split.t0 = 1;
	in_queue = took = without = 0;
	t->state = WATCH_FREE;
	drain(&run, take, NULL);
	assert_int_equal(took, 0);
	t->state = WATCH_ON;
	drain(&run, take, NULL);
	drain(&run, take, NULL);
	assert_int_equal(took, 1);
	assert_int_equal(without, 1);
}

/*
 * A window of a key is reported once, when its budget is over: with what its first thread had until it left
 * it, or as that thread's, if it has not. Its thread's slot is none.
 */
TEST(test_open_key)
{
	static struct watch_key keys[WATCH_KEYS];
	static uint64_t reported[WATCH_KEYS];
	struct watch_task *t = watch_with_window();
	uint64_t now = timens_kernel_ns(now_ns());
	struct tlob_task_activation a;

	run.key = keys;
	run.reported_key = reported;
	shared.budget_ns = SECOND;
	keys[7] = (struct watch_key){ .start_ns = now - 2 * SECOND, .until_ns = now - SECOND, .tid = 5 };
	keys[7].first.part[TLOB_WORK_THREAD] = SECOND;
	assert_true(key_is_over(&run, &keys[7], now, &a));
	assert_int_equal(a.window.part_ns[TLOB_TASK_PART_WAITING], SECOND);
	assert_int_equal(a.window.part_ns[TLOB_TASK_PART_SLEEPING], SECOND);
	assert_int_equal(a.elsewhere_ns, SECOND);
	assert_int_equal(a.window.elapsed_ns, 2 * SECOND);
	assert_false(key_is_over(&run, &keys[7], now - SECOND, &a));
	/* just written */
	keys[7].first.part[TLOB_WORK_THREAD]--;
	assert_false(key_is_over(&run, &keys[7], now, &a));
	keys[7].first.part[TLOB_WORK_THREAD]++;
	in_queue = took = without = 0;
	t->split.t0 = 1;
	drain(&run, take, NULL);
	drain(&run, take, NULL);
	assert_int_equal(took, 1);
	/* its thread has not left it */
	keys[7].until_ns = 0;
	assert_false(key_is_over(&run, &keys[7], now, &a));
	t->split.t0 = keys[7].start_ns;
	t->phase = WATCH_SLEEPS;
	assert_true(key_is_over(&run, &keys[7], now, &a));
	assert_int_equal(a.elsewhere_ns, 0);
	assert_int_equal(a.window.part_ns[TLOB_TASK_PART_SLEEPING], 2 * SECOND);
	open_key = 9;
	assert_true(is_open(&run, t->tid, 9));
	assert_false(is_open(&run, t->tid, t->split.t0));
	/* a thread that goes takes no window with it */
	t->tid = INT_MAX;
	sweep(&run);
	sweep(&run);
	assert_int_equal(run.vanished, 0);
	shared.budget_ns = 0;
}

/* A thread that exits: its last switch comes after a sweep that does not find it in /proc. */
TEST(test_last_switch_cuts)
{
	struct watch_task *t = watch_with_window();

	assert_int_equal(t->state, WATCH_ON);
	assert_int_equal(t->open, 1);
	t->open = 0;
	t->state = WATCH_GONE;
	sweep(&run);
	assert_int_equal(t->state, WATCH_FREE);
	assert_int_equal(run.vanished, 0);
}

static unsigned int slept_ms, last_switch_ms;

static int programs_run(unsigned int us)
{
	slept_ms += us / 1000;
	if (slept_ms == last_switch_ms) {
		shared.task->open = 0;
		shared.task->state = WATCH_GONE;
	}
	return 0;
}

/* The tool hears of the end of a process before the last switch, which may also not be seen. */
TEST(test_ended_before_last_switch)
{
	struct watch_task *t;
	unsigned int reported;

	for (reported = 0; reported < 2; reported++) {
		t = watch_with_window();
		run.reported[0] = reported;
		slept_ms = 0;
		last_switch_ms = 7;
		await_last_switches(&run, (int)t->tgid + 1);
		assert_int_equal(slept_ms, 0);
		await_last_switches(&run, (int)t->tgid);
		assert_int_equal(slept_ms, 7);
		assert_int_equal(run.vanished, 0);
		t = watch_with_window();
		run.reported[0] = reported;
		last_switch_ms = 0;
		await_last_switches(&run, (int)t->tgid);
		assert_int_equal(run.vanished, !reported);
		/* and is no violation besides */
		assert_int_equal(run.reported[0], t->nr);
	}
}

/* The slot of a region's thread that has gone is empty, and programs may take it again. */
TEST(test_region)
{
	static const struct attached region;
	static const struct watch_task empty;
	struct watch_bpf_counts counts;
	struct watch_task *t = watch_with_window();

	free_slot = WATCH_TASKS;
	t->state = WATCH_GONE;
	sweep(&run);
	assert_int_equal(free_slot, WATCH_TASKS);
	count(&run, &counts);
	assert_int_equal(counts.left, 0);
	run.region = &region;
	run.free_slots = QUEUE_OF_SLOTS;
	t[7] = (struct watch_task){ .state = WATCH_GONE, .tid = 8, .depth = 2, .sp = 1, .nr = 5 };
	shared.hint[8] = 1;
	run.reported[7] = 5;
	sweep(&run);
	assert_int_equal(free_slot, 7);
	assert_memory_equal(&t[7], &empty, sizeof(empty));
	assert_int_equal(run.reported[7], 0);
	assert_int_equal(shared.hint[8], 0);
	count(&run, &counts);
	assert_int_equal(counts.left, 3);
	t[7] = (struct watch_task){ .state = WATCH_ON, .tid = 8, .open = 1, .split.t0 = 5 };
	assert_true(is_open(&run, 8, 5));
	assert_false(is_open(&run, 8, 4));
	assert_false(is_open(&run, 9, 5));
	t[7].open = 0;
	assert_false(is_open(&run, 8, 5));
}

/* A thread without a slot is counted by who asked. Slots that are free go back to those that come. */
TEST(test_full)
{
	run = (struct watch_bpf_run){ .shared = &shared, .free_slots = QUEUE_OF_SLOTS };
	memset(&shared, 0, sizeof(shared));
	no_slots = 1;
	assert_int_equal(add_task(&run, getpid()), -ENOSPC);
	no_slots = 0;
	free_slot = 5;
	assert_int_equal(add_task(&run, getpid()), 0);
	assert_int_equal(shared.task[5].state, WATCH_ON);
	assert_int_equal(shared.births, 0);
	shared.task[5].state = WATCH_GONE;
	free_slot = 0;
	drain(&run, take, NULL);
	assert_int_equal(shared.task[5].state, WATCH_FREE);
	assert_int_equal(free_slot, 5);
	sweep(&run);
	assert_int_equal(shared.births, 1);
	free_slot = 0;
}

/* Records that come all the time keep nothing else waiting; many of them, and the next drain is at once. */
TEST(test_many)
{
	unsigned int i;

	watch_with_window();
	took = 0;
	for (i = 0; i < WATCH_RECORDS; i++)
		shared.record[i].state = WATCH_READY;
	assert_true(drain(&run, take, NULL));
	assert_int_equal(took, WATCH_RECORDS + 1);	/* and the open window */
	shared.record[0].state = WATCH_READY;
	assert_false(drain(&run, take, NULL));
}

/* An exec gave the thread another tid. One that was reported as a violation counts as open already. */
TEST(test_other_tid)
{
	struct watch_task *t;
	unsigned int reported;

	for (reported = 0; reported < 2; reported++) {
		t = watch_with_window();
		t->tid = INT_MAX;	/* no thread has it */
		run.reported[0] = reported;
		sweep(&run);
		assert_int_equal(t->state, WATCH_FREE);
		assert_int_equal(run.vanished, !reported);
	}
}
#else
#include "unit.h"
#endif

UNIT_MAIN(NULL, NULL)
