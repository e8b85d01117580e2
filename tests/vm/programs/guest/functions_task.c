// SPDX-License-Identifier: GPL-2.0
/* Time in kernel functions, in windows of the monitor: /dev/tlob with functions_monitor. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bound.h"
#include "functions.h"
#include "guest.h"
#include "monitor.h"

#define GROUP	"functions_task"

#define MS	1000000ULL
#define US	1000ULL
#define DYNAMIC_EVENTS "/sys/kernel/tracing/dynamic_events"
#define KEPT	"tlob_test/kept"

static struct tlob_task_window_functions w;
static int device;
static size_t ring_length;

static int open_functions(void)
{
	struct tlob_ring_setup request = { .format = TLOB_FORMAT_FUNCTIONS };
	int file = open("/dev/tlob", O_RDWR | O_NONBLOCK);

	check(file >= 0);
	check_eq(ioctl(file, TLOB_IOC_RING, &request), 0);
	check_eq(request.length > 100 * sizeof(w), 1);
	ring_length = request.length;
	return file;
}

static void begin(void)
{
	check_eq(put("functions_monitor", "1"), 0);
	close(monitor_open());
	device = open_functions();
}

static void end(void)
{
	close(device);
	monitor_off();
	check_eq(put("functions_monitor", "0"), 0);
	functions_clear();
}

/* Checks what holds for each window. */
static void check_record(void)
{
	const struct tlob_task_functions *f = &w.functions;
	unsigned int i, part;

	check_task_window(&w.window);
	check(f->sets <= TLOB_FUNCTION_SETS);
	for (part = 0; part < TLOB_NR_TASK_PARTS; part++) {
		uint64_t sum = 0;

		for (i = 0; i < TLOB_FUNCTION_SETS; i++)
			sum += f->set[i].part_ns[part];
		if (sum > w.window.part_ns[part])
			fail("part %u is %llu, but the functions have %llu", part,
			     (unsigned long long)w.window.part_ns[part],
			     (unsigned long long)sum);
	}
	for (i = 0; i < TLOB_FUNCTION_SETS; i++) {
		check(i < f->sets || !f->set[i].calls);
		check(f->set[i].unreturned <= f->set[i].calls);
	}
}

static volatile bool scribbling;

/* Changes the number of sets in the record that comes next. */
static void *scribble(void *mapping)
{
	struct tlob_ring_page *page = mapping;
	volatile uint32_t *sets;

	while (scribbling) {
		uint32_t at = __atomic_load_n(&page->data_head, __ATOMIC_RELAXED) &
			      (page->capacity - 1);

		sets = (void *)((char *)mapping + page->data_offset +
				(size_t)at * page->record_size +
				offsetof(struct tlob_task_window_functions, functions.sets));
		*sets = TLOB_FUNCTION_SETS + 1;
	}
	return NULL;
}

/* The reader may write to the ring: what it writes there leads the kernel nowhere. */
TEST_ON(hostile_reader, 2)
{
	uint64_t until = now_ns() + 3000 * MS;
	struct tlob_ring_page *page;
	volatile uint64_t *behind;
	pthread_t thread;

	needs_functions();
	check_eq(functions_add("leaf", "leaf"), 0);
	begin();
	page = mmap(NULL, ring_length, PROT_READ | PROT_WRITE, MAP_SHARED, device, 0);
	check(page != MAP_FAILED);
	scribbling = true;
	check_eq(pthread_create(&thread, NULL, scribble, page), 0);
	while (now_ns() < until) {
		uint32_t at = (page->data_head + 1) & (page->capacity - 1);

		behind = (void *)((char *)page + page->data_offset +
				  (size_t)at * page->record_size);
		*behind = 0x5555555555555555ULL;
		check_eq(start_ns(device, HOUR, device, TLOB_START_EVERY), 0);
		check_eq(stop_window(device), 0);
		check_eq(*behind, 0x5555555555555555ULL);
		page->data_tail = page->data_head;
	}
	scribbling = false;
	check_eq(pthread_join(thread, NULL), 0);
	check_eq(munmap(page, ring_length), 0);
	end();
}

/* A window around a command of tlob_inject; the second one, when all is warm. */
static void window_with(const char *command)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		check_eq(start_ns(device, HOUR, device, TLOB_START_EVERY), 0);
		check_eq(write_file(INJECT, command), 0);
		check_eq(stop_window(device), 0);
		check_eq(read(device, &w, sizeof(w)), sizeof(w));
		check_record();
	}
}

static uint64_t net(unsigned int set)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		sum += w.functions.set[set].part_ns[i];
	return sum;
}

/* Who may have the sets, and when. */
TEST(control)
{
	struct tlob_ring_setup request = { .format = TLOB_FORMAT_FUNCTIONS };
	struct tlob_window of_run;
	int file, functions, cpu;

	needs_functions();
	check_eq(put("functions_monitor", "1"), -ENODATA);
	check_eq(put("functions_monitor", "2"), -EINVAL);
	check_eq(functions_add("leaf", "leaf"), 0);
	begin();
	check_eq(put("functions_monitor", "1"), -EBUSY);
	check_eq(functions_add("outer", "outer"), -EBUSY);
	check_errno(open(tlob_path("functions"), O_WRONLY | O_TRUNC), EBUSY);
	/* a run has no sets meanwhile, and no records of them */
	setup("user", "0", 5 * MS, 5 * MS, "none");
	enable();
	functions = open(tlob_path("per_cpu/cpu0/functions"), O_RDONLY | O_NONBLOCK);
	check(functions < 0);
	pin(0);
	cpu = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(cpu, &of_run, sizeof(of_run)), sizeof(of_run));
	window_with("leaf 1000");
	check_eq(w.functions.set[0].calls, 1);
	check_eq(read(cpu, &of_run, sizeof(of_run)), sizeof(of_run));
	close(cpu);
	unpin();
	disable();
	/* off in an open window: no times, and no defect */
	check_eq(start_ns(device, HOUR, device, TLOB_START_EVERY), 0);
	check_eq(write_file(INJECT, "leaf 1000"), 0);
	check_eq(put("functions_monitor", "0"), 0);
	check_eq(stop_window(device), 0);
	check_eq(read(device, &w, sizeof(w)), sizeof(w));
	check_record();
	check_eq(w.functions.sets, 0);
	/* addresses of the kernel are not for everybody */
	file = fork();
	if (!file) {
		check_eq(chmod("/dev/tlob", 0666), 0);
		check_eq(setresuid(1000, 1000, 1000), 0);
		file = open("/dev/tlob", O_RDWR);
		_exit(file < 0 || !ioctl(file, TLOB_IOC_RING, &request) || errno != EPERM);
	}
	check_eq(waitpid(file, &functions, 0), file);
	check_eq(functions, 0);
	end();
}

TEST(nested)
{
	needs_sized_functions();
	check_eq(functions_add("leaf", "leaf"), 0);
	check_eq(functions_add("outer", "outer"), 0);
	begin();
	window_with("outer 20000");
	functions_is_about("leaf", net(0), 20 * US, 1);
	functions_is_about("outer without leaf", net(1), 20 * US, 2);
	check_eq(w.functions.sets, 2);
	check_eq(net(1), w.functions.set[1].part_ns[TLOB_TASK_PART_RUNNING]);
	check_eq(w.functions.set[0].calls, 1);
	check_eq(w.functions.set[1].calls, 1);
	check_eq(w.functions.set[1].max_ns, net(1));
	check_eq(w.functions.set[1].max_function, function_of_inject("outer"));
	check_eq(w.functions.set[1].unreturned + w.functions.missed, 0);
	end();
}

#define GREEDY		64	/* windows that may have times */

static unsigned int have_windows;
static bool windows_over;

/* The user @arg: its file and its window are its own, the record is for @device. */
static void *user_window(void *arg)
{
	long uid = (long)arg;
	int file;

	/* of this thread only */
	check_eq(syscall(SYS_setresuid, uid, uid, uid), 0);
	file = open("/dev/tlob", O_RDWR);
	check(file >= 0);
	check_eq(start_ns(file, HOUR, device, TLOB_START_EVERY), 0);
	__atomic_add_fetch(&have_windows, 1, __ATOMIC_RELEASE);
	while (uid == 1000 && !__atomic_load_n(&windows_over, __ATOMIC_ACQUIRE))
		sleep_ns(10 * MS);
	check_eq(stop_window(file), 0);
	close(file);
	return NULL;
}

/* The windows of one user leave times in functions to those of another one. */
TEST(users_share)
{
	pthread_t thread, greedy[GREEDY];
	pthread_attr_t attr;
	unsigned int i, with = 0;

	needs_functions();
	check_eq(functions_add("leaf", "leaf"), 0);
	begin();
	check_eq(chmod("/dev/tlob", 0666), 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, SMALL_STACK);
	for (i = 0; i < GREEDY; i++)
		check_eq(pthread_create(&greedy[i], &attr, user_window, (void *)1000), 0);
	while (__atomic_load_n(&have_windows, __ATOMIC_ACQUIRE) < GREEDY)
		sleep_ns(MS);
	check_eq(pthread_create(&thread, &attr, user_window, (void *)1001), 0);
	check_eq(pthread_join(thread, NULL), 0);
	check_eq(read(device, &w, sizeof(w)), sizeof(w));
	check_record();
	check_eq(w.functions.sets, 1);
	__atomic_store_n(&windows_over, true, __ATOMIC_RELEASE);
	for (i = 0; i < GREEDY; i++) {
		check_eq(pthread_join(greedy[i], NULL), 0);
		check_eq(read(device, &w, sizeof(w)), sizeof(w));
		with += w.functions.sets;
	}
	check_eq(with, GREEDY / 2);
	check_eq(chmod("/dev/tlob", 0660), 0);
	end();
}

/*
 * The call's exit comes while the kernel part holds the lock of the thread's windows, so it
 * cannot move the cursor. The time after it is not the call's.
 */
TEST(left_under_lock)
{
	static const char * const locks[] = { "_raw_spin_lock", "_raw_spin_lock_irqsave" };
	struct program p;
	size_t i;

	needs_sized_functions();
	this_program(&p);
	for (i = 0; i < 2; i++) {
		check_eq(put("functions", "lock %llx\n", function_of_kernel(locks[i])), 0);
		begin();
		bind_region("inner", &p, p.inner, HOUR);
		check_eq(start_ns(device, HOUR, device, TLOB_START_EVERY), 0);
		p.inner_start();
		spin_ns(500 * US);
		p.inner_stop();
		check_eq(stop_window(device), 0);
		check_eq(read(device, &w, sizeof(w)), sizeof(w));
		check_record();
		check(w.window.part_ns[TLOB_TASK_PART_RUNNING] > 400 * US);
		note("%s: %llu ns in %u calls", locks[i], (unsigned long long)net(0),
		     w.functions.set[0].calls);
		check(net(0) < 100 * US);
		unbind_all();
		end();
	}
}

/* The task sleeps in a call: the sleep is of the call. */
TEST(sleeping)
{
	const struct tlob_task_function_time *nap = &w.functions.set[0];

	needs_sized_functions();
	check_eq(functions_add("nap", "nap"), 0);
	begin();
	window_with("sleep 50000");
	check_eq(nap->calls, 1);
	check(nap->part_ns[TLOB_TASK_PART_RUNNING] >= 100 * US);
	check(nap->part_ns[TLOB_TASK_PART_SLEEPING] >= 40 * US);
	check_eq(nap->part_ns[TLOB_TASK_PART_SLEEPING],
		 w.window.part_ns[TLOB_TASK_PART_SLEEPING]);
	check_eq(nap->part_ns[TLOB_TASK_PART_WAITING], 0);
	end();
}

/* A call of the kernel's that begins before STOP, and continues behind it. */
TEST(unreturned)
{
	needs_functions();
	check_eq(put("functions", "ioctl %llx\n",
		     function_of_kernel("__x64_sys_ioctl")), 0);
	begin();
	window_with("leaf 1000");
	check_eq(w.functions.set[0].calls, 1);
	check_eq(w.functions.set[0].unreturned, 1);
	end();
}

/* Enters on one CPU, returns on another. */
TEST_ON(migrating, 2)
{
	int i;

	needs_functions();
	check_eq(functions_add("move", "move"), 0);
	begin();
	for (i = 0; i < 5; i++) {
		pin(0);
		window_with("migrate 1 20000");
		check_eq(w.functions.set[0].calls, 1);
		check_eq(w.functions.set[0].unreturned, 0);
		check(net(0) >= 20 * US);
	}
	unpin();
	end();
}

static volatile bool over;
static unsigned int others;

/* One of the windows that have all calls but the first ones. */
static void *window_of_other(void *unused)
{
	check_eq(start_ns(device, HOUR, device, TLOB_START_EVERY), 0);
	__atomic_add_fetch(&others, 1, __ATOMIC_RELEASE);
	while (!over)
		sleep_ns(5 * MS);
	check_eq(stop_window(device), 0);
	return unused;
}

static void *end_soon(void *unused)
{
	sleep_ns(20 * MS);
	functions_other_end();
	return unused;
}

/* A call enters in a window of the monitor, and returns in a run. */
static void moved_to_run(void)
{
	begin();
	functions_other_start(0, "wait", device);
	check_eq(put("functions_monitor", "0"), 0);
	functions_begin(100 * MS);
	functions_other_end();
	functions_next();
	functions_end();
	check_eq(function_total("call", "calls"), 0);
	check_eq(function_total("call", "unreturned"), 0);
	while (read(device, &w, sizeof(w)) == sizeof(w))
		check_record();
}

/*
 * The only call of the window has all of its @ns. Interruptions are not the call's. How much of it
 * is a sleep depends on the guest: between arming the timer and falling asleep the thread may be
 * preempted, and a busy host, or a slow kernel next to 63 threads, makes that long.
 */
static void check_call_lasts(uint64_t ns)
{
	const __u64 *part = w.window.part_ns;
	uint64_t all = net(0) + part[TLOB_TASK_PART_IRQ] + part[TLOB_TASK_PART_SOFTIRQ] +
		       part[TLOB_TASK_PART_NMI];

	part = w.functions.set[0].part_ns;
	note("the call ran %llu ns, waited %llu, slept %llu; with all interruptions %llu",
	     (unsigned long long)part[TLOB_TASK_PART_RUNNING],
	     (unsigned long long)part[TLOB_TASK_PART_WAITING],
	     (unsigned long long)part[TLOB_TASK_PART_SLEEPING], (unsigned long long)all);
	/* the timer's clock and the fast one may differ a little */
	check(all + MS >= ns);
	if (deterministic() && !debug_kernel)
		check(part[TLOB_TASK_PART_SLEEPING] >= 40 * MS);
}

/*
 * A call enters in a run, on CPU 0, and returns while the window with the calls number 0 is in
 * its own call. The other call continues.
 */
static void moved_to_monitor(void)
{
	pthread_t thread[63], late;
	unsigned int i;

	functions_begin(100 * MS);
	functions_other_start(0, "wait", -1);
	functions_next();
	check_eq(function_total("call", "open"), 1);
	functions_end();
	check_eq(put("functions_monitor", "1"), 0);
	over = false;
	others = 0;
	for (i = 0; i < 63; i++)
		check_eq(pthread_create(&thread[i], NULL, window_of_other, NULL), 0);
	while (__atomic_load_n(&others, __ATOMIC_ACQUIRE) < 63)
		sleep_ns(MS);
	check_eq(start_ns(device, HOUR, device, TLOB_START_EVERY), 0);
	check_eq(pthread_create(&late, NULL, end_soon, NULL), 0);
	check_eq(write_file(INJECT, "sleep 50000000"), 0);
	check_eq(stop_window(device), 0);
	check_eq(pthread_join(late, NULL), 0);
	check_eq(read(device, &w, sizeof(w)), sizeof(w));
	check_record();
	check_eq(w.functions.sets, 1);
	check_eq(w.functions.set[0].calls, 1);
	check_call_lasts(150 * MS);
	over = true;
	for (i = 0; i < 63; i++)
		pthread_join(thread[i], NULL);
}

/*
 * The kernel gives its last prober's place up with it, and the next one's is another: then it
 * reports no end of a call that began before. So another probe of a return stays.
 */
static bool keep_place(void)
{
	return !write_file(DYNAMIC_EVENTS, "f:" KEPT " vfs_mkdir%return") &&
	       !write_file("/sys/kernel/tracing/events/" KEPT "/enable", "1");
}

static void give_place_up(void)
{
	check_eq(write_file("/sys/kernel/tracing/events/" KEPT "/enable", "0"), 0);
	check_eq(write_file(DYNAMIC_EVENTS, "-:" KEPT), 0);
}

/* A call that began while others had the sets: its exit is not theirs. */
TEST(moved)
{
	bool kept;

	needs_functions();
	kept = keep_place();
	if (!kept)
		note("no probe of another");
	check_eq(functions_add("call", "hold nap"), 0);
	moved_to_run();
	moved_to_monitor();
	end();
	if (kept)
		give_place_up();
}

static void *windows(void *unused)
{
	int file = open_functions();
	char text[64];

	while (!over) {
		if (start_ns(file, HOUR, file, TLOB_START_EVERY))
			continue;
		read_file("/proc/self/stat", text, sizeof(text));
		sleep_ns(50 * US);
		stop_window(file);
	}
	close(file);
	return unused;
}

/* Functions that all contexts call, while windows and their times come and go. */
TEST_ON(race, 2)
{
	static const char * const names[] = {
		"_raw_spin_lock", "_raw_spin_unlock", "rt_spin_lock", "schedule", "try_to_wake_up",
		"hrtimer_interrupt", "vfs_read", "__task_pid_nr_ns", "finish_task_switch.isra.0",
	};
	unsigned int i, n = 0, seen = 0, round;
	pthread_t thread[3];
	int pid;

	needs_functions();
	if (deterministic())
		skip("it takes minutes where instructions are counted");
	for (i = 0; i < sizeof(names) / sizeof(*names) && n < TLOB_FUNCTION_SETS; i++)
		if (function_of_kernel(names[i]))
			n += !put("functions", "o%u %llx\n", i,
				  function_of_kernel(names[i]));
	check(n > 2);
	begin();
	pid = functions_disturb();
	over = false;
	for (i = 0; i < 3; i++)
		check_eq(pthread_create(&thread[i], NULL, windows, NULL), 0);
	for (round = 0; round < 4; round++) {
		for (i = 0; i < 300; i++) {
			check_eq(start_ns(device, HOUR, device, TLOB_START_EVERY), 0);
			sleep_ns(50 * US);
			check_eq(stop_window(device), 0);
			check_eq(read(device, &w, sizeof(w)), sizeof(w));
			check_record();
			seen += w.functions.sets && w.functions.set[0].calls;
		}
		check_eq(put("functions_monitor", "0"), 0);
		check_eq(put("functions_monitor", "1"), 0);
	}
	over = true;
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	functions_disturb_end(pid);
	note("%u windows with calls, of %u sets", seen, n);
	check(seen > 0);
	end();
}
