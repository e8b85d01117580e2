// SPDX-License-Identifier: GPL-2.0
/* /dev/tlob: verdicts on budgets that a thread sets itself, and the parts of its windows. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "monitor.h"

#define GROUP	"monitor"

#define MS	1000000ULL
#define US	1000ULL
#define INJECT_PLAN	"/sys/kernel/debug/tlob_inject/plan"

int monitor_open(void)
{
	int fd;

	set("monitor_enable", "1");
	fd = open("/dev/tlob", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		fail("/dev/tlob: %s", strerror(errno));
	return fd;
}

int monitor_open_windows(void)
{
	struct tlob_ring_setup request = { .format = TLOB_FORMAT_WINDOW };
	int fd = monitor_open();

	check_eq(ioctl(fd, TLOB_IOC_RING, &request), 0);
	check_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	return fd;
}

int start_ns(int fd, uint64_t ns, int notify, unsigned int flags)
{
	struct tlob_start_ns s = {
		.threshold_ns = ns, .tag = 42, .notify_fd = notify,
		.flags = flags,
	};

	return ioctl(fd, TLOB_IOC_START_NS, &s);
}

int start_us(int fd, uint64_t us, int notify, uint64_t tag)
{
	struct tlob_start s = {
		.threshold_us = us, .tag = tag, .notify_fd = notify,
	};

	return ioctl(fd, TLOB_IOC_TRACE_START, &s);
}

int stop_window(int fd)
{
	return ioctl(fd, TLOB_IOC_TRACE_STOP);
}

void check_task_window(const struct tlob_task_window *w)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		sum += w->part_ns[i];
	check_eq(w->version, TLOB_EVENT_VERSION);
	check_eq(w->size, sizeof(*w));
	check_eq(sum, w->elapsed_ns);
	check_eq(w->errors, 0);
	if (deterministic())
		check_eq(w->flags & TLOB_TASK_INEXACT, 0);
	/* a window that was taken away has no verdict */
	if (w->flags & (TLOB_TASK_VIOLATION | TLOB_TASK_ENDED))
		check_eq(!!(w->flags & TLOB_TASK_VIOLATION),
			 w->elapsed_ns > w->threshold_ns);
}

uint64_t monitor_stat(const char *field)
{
	return status_field("monitor", field);
}

void monitor_off(void)
{
	set("monitor_enable", "0");
	check_eq(monitor_stat("used"), 0);
	check_eq(monitor_stat("sum_failures"), 0);
	check_eq(monitor_stat("errors"), 0);
}

/* Each error, and no window is left behind. */
TEST(errors)
{
	int fd, other = open("/dev/null", O_RDWR), i;
	struct tlob_start s = { .threshold_us = 1000, .notify_fd = -1 };
	struct tlob_start_ns ns = { .threshold_ns = 1000, .notify_fd = -1 };

	set("monitor_enable", "0");
	fd = open("/dev/tlob", O_RDWR);
	check(fd >= 0);
	check_errno(start_us(fd, 1000, -1, 0), ENODEV);
	check_errno(stop_window(fd), ESRCH);
	set("monitor_enable", "1");
	set("monitor_enable", "1");
	check(!strcmp(get("monitor_enable"), "1"));
	check_eq(put("monitor_enable", "2"), -EINVAL);

	check_errno(stop_window(fd), ESRCH);
	check_errno(start_us(fd, 0, -1, 0), EINVAL);
	s.flags = 1;
	check_errno(ioctl(fd, TLOB_IOC_TRACE_START, &s), EINVAL);
	ns.flags = 2;
	check_errno(ioctl(fd, TLOB_IOC_START_NS, &ns), EINVAL);
	check_errno(start_us(fd, 3600000001ULL, -1, 0), ERANGE);
	check_errno(start_us(fd, UINT64_MAX, -1, 0), ERANGE);
	check_errno(start_ns(fd, UINT64_MAX, -1, 0), ERANGE);
	check_errno(start_ns(fd, 3600000000001ULL, -1, 0), ERANGE);
	check_errno(start_ns(fd, 999, -1, 0), ERANGE);
	check_errno(start_ns(fd, 0, -1, 0), EINVAL);
	check_errno(start_us(fd, 1000, other, 0), EINVAL);
	check_errno(start_us(fd, 1000, 999, 0), EBADF);
	check_errno(start_us(fd, 1000, -2, 0), EBADF);
	check_errno(ioctl(fd, TLOB_IOC_TRACE_START, (void *)8), EFAULT);
	check_errno(ioctl(fd, TLOB_IOC_STOP, NULL), ENOTTY);
	check_eq(monitor_stat("used"), 0);

	/* the longest budget; a second window is refused on any file */
	check_eq(start_us(fd, 3600000000ULL, -1, 0), 0);
	check_errno(start_us(fd, 1000, -1, 0), EEXIST);
	i = open("/dev/tlob", O_RDWR);
	check_errno(start_us(i, 1000, -1, 0), EEXIST);
	check_errno(stop_window(i), ESRCH);
	close(i);
	check_eq(monitor_stat("used"), 1);
	check_eq(stop_window(fd), 0);
	check_errno(stop_window(fd), ESRCH);
	/* the record cannot be stored, yet the window ends */
	check_eq(start_us(fd, 1000, -1, 0), 0);
	check_errno(ioctl(fd, TLOB_IOC_STOP_NS, (void *)8), EFAULT);
	check_errno(stop_window(fd), ESRCH);
	close(fd);
	monitor_off();
}

/* STOP, the ring and the event agree on windows within the budget and over it. */
TEST(verdicts)
{
	struct tlob_event e;
	int fd = monitor_open();

	check_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	trace_on("tlob_budget_exceeded");
	check_eq(start_us(fd, 1000000, fd, 7), 0);
	check_eq(stop_window(fd), 0);
	check_errno(read(fd, &e, sizeof(e)), EAGAIN);
	check_errno(read(fd, &e, sizeof(e) - 1), EINVAL);
	check_eq(trace_count("tlob_budget_exceeded"), 0);

	check_eq(start_us(fd, 500, fd, 8), 0);
	spin_ns(2 * MS);
	/* the record is there before STOP */
	check_eq(read(fd, &e, sizeof(e)), sizeof(e));
	check_eq(e.tid, getpid());
	check_eq(e.pad, 0);
	check_eq(e.threshold_us, 500);
	check_eq(e.state, TLOB_TASK_RUNNING);
	check_eq(e.tag, 8);
	check(e.on_cpu_us + e.off_cpu_us >= 499);
	if (deterministic() && !debug_kernel) {
		check(e.on_cpu_us >= 500 && e.on_cpu_us < 510);
		check_eq(e.off_cpu_us, 0);
		check_eq(e.switches, 0);
	}
	check_errno(stop_window(fd), EOVERFLOW);
	/* a violation has one record */
	check_errno(read(fd, &e, sizeof(e)), EAGAIN);
	check_eq(trace_count("tlob_budget_exceeded"), 1);
	trace_off();
	close(fd);
	monitor_off();
}

/* Runs @region in a window with a budget of an hour, and returns its record. */
static void measured(int fd, struct tlob_task_window *w, void (*region)(void))
{
	check_eq(start_ns(fd, 3600 * (1000 * MS), -1, 0), 0);
	region();
	check_eq(ioctl(fd, TLOB_IOC_STOP_NS, w), 0);
	check_task_window(w);
	check_eq(w->flags & TLOB_TASK_ENDED, TLOB_TASK_ENDED);
	check_eq(w->tag, 42);
	check_eq(w->tid, syscall(SYS_gettid));
	check_eq(w->tgid, getpid());
	check_eq(w->state, TLOB_TASK_RUNNING);
}

static uint64_t part(const struct tlob_task_window *w, enum tlob_task_part p)
{
	return w->part_ns[p];
}

static void spin_20ms(void)
{
	spin_ns(20 * MS);
}

static void sleep_20ms(void)
{
	sleep_ns(20 * MS);
}

/* A task that spins is charged to running, a task that sleeps to sleeping. */
TEST(own_doing)
{
	struct tlob_task_window w;
	int fd = monitor_open();

	pin(0);
	measured(fd, &w, spin_20ms);
	check(w.elapsed_ns >= 20 * MS);
	check(part(&w, TLOB_TASK_PART_RUNNING) > w.elapsed_ns * 8 / 10);
	check_eq(part(&w, TLOB_TASK_PART_SLEEPING), 0);
	/* the ticks of these 20 ms */
	check(w.count[TLOB_NOISE_IRQ] > 0);
	check(part(&w, TLOB_TASK_PART_IRQ) > 0);
	/* a softirq may be the longest where the kernel checks each memory access */
	check(w.largest.kind == TLOB_NOISE_IRQ ||
	      w.largest.kind == TLOB_NOISE_SOFTIRQ);
	note("spin: running %llu of %llu ns, irq %llu, %u irqs",
	     (unsigned long long)part(&w, TLOB_TASK_PART_RUNNING),
	     (unsigned long long)w.elapsed_ns,
	     (unsigned long long)part(&w, TLOB_TASK_PART_IRQ),
	     w.count[TLOB_NOISE_IRQ]);

	measured(fd, &w, sleep_20ms);
	check(part(&w, TLOB_TASK_PART_SLEEPING) > w.elapsed_ns * 8 / 10);
	check(part(&w, TLOB_TASK_PART_SLEEPING) > 19 * MS);
	check(w.switches >= 1);
	note("sleep: sleeping %llu of %llu ns, waiting %llu",
	     (unsigned long long)part(&w, TLOB_TASK_PART_SLEEPING),
	     (unsigned long long)w.elapsed_ns,
	     (unsigned long long)part(&w, TLOB_TASK_PART_WAITING));
	unpin();
	close(fd);
	monitor_off();
}

/* The child of hog() says here that it is ready, and reads when it may go. */
static int go[2];

/* A child that runs for a moment after the hog, so that the last one to run is not the hog. */
static void follow(int fd)
{
	struct sched_param param = { .sched_priority = 98 };
	char c;

	sched_setscheduler(0, SCHED_FIFO, &param);
	check_eq(read(fd, &c, 1), 1);
	spin_ns(MS / 100);
	_exit(0);
}

/*
 * A child that spins for 40 ms at FIFO 99 when go_and_spin() lets it go. main.c kills it with
 * the process group.
 */
static pid_t hog(void)
{
	struct sched_param param = { .sched_priority = 99 };
	int after[2];
	pid_t pid;
	char c;

	check_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, go), 0);
	pid = fork();
	check(pid >= 0);
	if (pid) {
		check_eq(read(go[1], &c, 1), 1);
		return pid;
	}
	check_eq(pipe(after), 0);
	if (!fork())
		follow(after[0]);
	sched_setscheduler(0, SCHED_FIFO, &param);
	check_eq(write(go[0], "", 1), 1);
	check_eq(read(go[0], &c, 1), 1);
	spin_ns(40 * MS);
	check_eq(write(after[1], "", 1), 1);
	_exit(0);
}

/*
 * Inside of the window: however long a fork or the way into the window takes, the hog has the
 * CPU in it.
 */
static void go_and_spin(void)
{
	check_eq(write(go[1], "", 1), 1);
	spin_20ms();
}

static void hog_ends(pid_t pid)
{
	waitpid(pid, NULL, 0);
	close(go[0]);
	close(go[1]);
}

/* While a task of higher priority has the CPU, the window is charged to waiting. */
TEST(preempted)
{
	struct tlob_task_window w;
	int fd = monitor_open();
	pid_t pid;

	pin(0);
	pid = hog();
	measured(fd, &w, go_and_spin);
	hog_ends(pid);
	check(part(&w, TLOB_TASK_PART_WAITING) > 30 * MS);
	check(part(&w, TLOB_TASK_PART_WAITING) > w.elapsed_ns / 2);
	check_eq(part(&w, TLOB_TASK_PART_SLEEPING), 0);
	/* root may know who ran meanwhile; the last one was another */
	check_eq(w.largest.kind, TLOB_NOISE_THREAD);
	check_eq(w.largest.id, pid);
	check(w.largest.ns > 30 * MS);
	check(w.largest.ns <= part(&w, TLOB_TASK_PART_WAITING));
	unpin();
	close(fd);
	monitor_off();
}

/* A user does not learn who ran while the window's task waited. */
TEST(preempted_user)
{
	struct tlob_task_window w;
	int fd = monitor_open(), user, st;
	pid_t pid, other;

	pin(0);
	pid = hog();
	check_eq(chmod("/dev/tlob", 0666), 0);
	other = fork();
	if (!other) {
		check_eq(setresuid(1000, 1000, 1000), 0);
		user = open("/dev/tlob", O_RDWR | O_CLOEXEC);
		check(user >= 0);
		measured(user, &w, go_and_spin);
		check(part(&w, TLOB_TASK_PART_WAITING) > 30 * MS);
		check(w.largest.kind != TLOB_NOISE_THREAD);
		_exit(0);
	}
	check(waitpid(other, &st, 0) == other && !st);
	hog_ends(pid);
	check_eq(chmod("/dev/tlob", 0660), 0);
	unpin();
	close(fd);
	monitor_off();
}

static void inject_asleep(void)
{
	check_eq(write_file(INJECT_PLAN, "asleep 3000000"), 0);
}

/* A task preempted on its way to sleep is waiting, though its state is not running. */
TEST(preempted_asleep)
{
	struct tlob_task_window w;
	int fd = monitor_open();

	if (access(INJECT_PLAN, F_OK))
		skip("tlob_inject is not loaded");
	pin(0);
	measured(fd, &w, inject_asleep);
	check(part(&w, TLOB_TASK_PART_WAITING) >= 3 * MS);
	check_eq(part(&w, TLOB_TASK_PART_SLEEPING), 0);
	check_eq(w.switches, 1);
	unpin();
	close(fd);
	monitor_off();
}

/* A budget is for one window: four windows of 1 s are within a budget of 2 s. */
TEST(budget_is_of_one)
{
	struct tlob_event e;
	int fd = monitor_open(), i;

	check_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	for (i = 0; i < 4; i++) {
		check_eq(start_us(fd, 2000000, fd, i), 0);
		sleep_ns(1000 * MS);
		check_eq(stop_window(fd), 0);
	}
	check_errno(read(fd, &e, sizeof(e)), EAGAIN);
	/* the fifth exceeds its budget while the task sleeps */
	check_eq(start_us(fd, 500000, fd, 5), 0);
	sleep_ns(1500 * MS);
	check_errno(stop_window(fd), EOVERFLOW);
	check_eq(read(fd, &e, sizeof(e)), sizeof(e));
	check_eq(e.state, TLOB_TASK_SLEEPING);
	check_eq(e.tag, 5);
	check(e.off_cpu_us > 90000);
	check_eq(e.switches, 1);
	check_errno(read(fd, &e, sizeof(e)), EAGAIN);
	close(fd);
	monitor_off();
}

/*
 * Windows end at every ns from 1 us before the budget to 1 us after it. STOP returns EOVERFLOW
 * exactly when its record is a violation, and each violation has one record.
 */
TEST(stop_swept)
{
	unsigned int over = 0, wrong = 0, records = 0, i;
	struct tlob_task_window w, r;
	uint64_t lo = UINT64_MAX, hi = 0;
	int fd, err;

	if (!deterministic())
		skip("needs a guest that counts instructions");
	needs_sizes();
	fd = monitor_open_windows();
	pin(0);
	for (i = 0; i < 10000; i++) {
		uint64_t end;

		check_eq(start_ns(fd, 20 * US, fd, 0), 0);
		/* STOP reads the clock some hundred ns after its call */
		end = now_ns() + 20 * US - 3 * US - 200 + i % 3700;
		while (now_ns() + 60 < end)
			;
		for (unsigned int k = i % 61; k; k--)
			asm volatile("" : : "r" (k));
		err = ioctl(fd, TLOB_IOC_STOP_NS, &w) ? errno : 0;
		check_task_window(&w);
		wrong += err != (w.elapsed_ns > 20 * US ? EOVERFLOW : 0);
		over += !!err;
		if (w.elapsed_ns < lo)
			lo = w.elapsed_ns;
		if (w.elapsed_ns > hi)
			hi = w.elapsed_ns;
		while (read(fd, &r, sizeof(r)) == sizeof(r)) {
			records++;
			check(r.flags & TLOB_TASK_VIOLATION);
		}
	}
	unpin();
	note("%u of 10000 over, %u records, %llu ... %llu ns", over, records,
	     (unsigned long long)lo, (unsigned long long)hi);
	check_eq(wrong, 0);
	check_eq(records, over);
	check(over > 1000 && over < 9000);
	check(lo <= 19 * US && hi >= 21 * US);
	close(fd);
	monitor_off();
}

/*
 * A fixed number of instructions in a window with an interruption of @ns. Takes the least of
 * each part over several windows, since a tick comes into some of them.
 */
static void least_parts(int fd, const char *kind, uint64_t ns, uint64_t *least)
{
	struct tlob_task_window w;
	unsigned int i, p;
	char plan[64];

	memset(least, 0xff, TLOB_NR_TASK_PARTS * sizeof(*least));
	for (i = 0; i < 5; i++) {
		snprintf(plan, sizeof(plan), "%s %llu %llu", kind,
			 (unsigned long long)now_ns() + 400 * US,
			 (unsigned long long)ns);
		check_eq(write_file(INJECT_PLAN, plan), 0);
		check_eq(start_ns(fd, 1000 * MS, -1, 0), 0);
		for (unsigned int n = 1000000; n; n--)
			asm volatile("" : : "r" (n));
		check_eq(ioctl(fd, TLOB_IOC_STOP_NS, &w), 0);
		check_task_window(&w);
		for (p = 0; p < TLOB_NR_TASK_PARTS; p++)
			if (w.part_ns[p] < least[p])
				least[p] = w.part_ns[p];
	}
}

/* Noise of known size grows its own part by that size, and no other part. */
TEST(injected)
{
	static const struct {
		const char *kind;
		enum tlob_task_part part;
		uint64_t ns, tolerance;
	} in[] = {
		{ "irq", TLOB_TASK_PART_IRQ, 20 * US, 2 * US },
		{ "softirq", TLOB_TASK_PART_SOFTIRQ, 30 * US, 2 * US },
		{ "thread", TLOB_TASK_PART_WAITING, 50 * US, 4 * US },
#ifdef __x86_64__	/* where a module can make one */
		{ "nmi", TLOB_TASK_PART_NMI, 20 * US, 2 * US },
#endif
	};
	uint64_t without[TLOB_NR_TASK_PARTS], with[TLOB_NR_TASK_PARTS];
	unsigned int i, p;
	int fd;

	if (!deterministic() || access(INJECT_PLAN, F_OK))
		skip("needs a guest that counts instructions, and tlob_inject");
	needs_sizes();
	fd = monitor_open();
	pin(0);
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		/* PREEMPT_RT runs softirqs in a thread, which cannot preempt this one */
		bool hidden = preempt_rt() &&
			      in[i].part == TLOB_TASK_PART_SOFTIRQ;

		least_parts(fd, in[i].kind, 0, without);
		least_parts(fd, in[i].kind, in[i].ns, with);
		for (p = 0; p < TLOB_NR_TASK_PARTS; p++) {
			long long grown = with[p] - without[p], want = 0;

			if (p == in[i].part && !hidden)
				want = in[i].ns;
			if (llabs(grown - want) > (long long)in[i].tolerance)
				fail("%s: part %u grew by %lld, not %lld",
				     in[i].kind, p, grown, want);
		}
		note("%s of %llu us: %llu -> %llu ns", in[i].kind,
		     (unsigned long long)in[i].ns / 1000,
		     (unsigned long long)without[in[i].part],
		     (unsigned long long)with[in[i].part]);
	}
	unpin();
	close(fd);
	monitor_off();
}

/* Stolen time has its own part, to the nanosecond. It is stolen while a task waits, or in an irq. */
TEST(stolen)
{
	static const char * const kinds[] = { "steal", "irq_steal" };
	uint64_t without[TLOB_NR_TASK_PARTS], with[TLOB_NR_TASK_PARTS];
	unsigned int i, p;
	int fd;

	if (!deterministic() || access(INJECT_PLAN, F_OK))
		skip("needs a guest that counts instructions, and tlob_inject");
	/* before the monitor asks for the clock */
	if (write_file(INJECT_PLAN, "steal 1"))
		skip("tlob_inject has no clock of stolen time here");
	fd = monitor_open();
	pin(0);
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		least_parts(fd, kinds[i], 0, without);
		least_parts(fd, kinds[i], 50 * US, with);
		check_eq(with[TLOB_TASK_PART_STEAL], 50 * US);
		for (p = 0; p < TLOB_NR_TASK_PARTS; p++)
			if (p != TLOB_TASK_PART_STEAL)
				check(llabs((long long)(with[p] - without[p])) < (long long)(4 * US));
	}
	unpin();
	close(fd);
	monitor_off();
	check_eq(write_file(INJECT_PLAN, "steal 0"), 0);
}

/* A run on the same CPU: each accounts for its own windows; the run's thread is waiting time. */
TEST(beside_a_run)
{
	struct tlob_task_window w;
	uint64_t before;
	int fd = monitor_open();

	setup("kthread", "0", MS, MS, "spin:100us");
	enable();
	before = status(0, "windows");
	measured(fd, &w, spin_20ms);
	/* the run takes a tenth of the CPU */
	check(part(&w, TLOB_TASK_PART_WAITING) > w.elapsed_ns / 20);
	check(w.switches >= 10);
	/* the monitor goes first, then the run */
	monitor_off();
	more_windows(0, 1);
	check(status(0, "windows") > before);
	set("monitor_enable", "1");
	disable();
	check_no_defect(0);
	check_expiries(0);
	measured(fd, &w, sleep_20ms);
	check(part(&w, TLOB_TASK_PART_SLEEPING) > 10 * MS);
	close(fd);
	monitor_off();
}

static void sleep_for_3s(void)
{
	sleep_ns(3000 * MS);
}

/*
 * The kernel looks every second whether windows are left, and the hooks rest if there is none.
 * Neither a long window nor the first one after a pause may miss a switch.
 */
TEST(after_a_pause)
{
	struct tlob_task_window w;
	int fd = monitor_open(), i;

	for (i = 0; i < 3; i++) {
		measured(fd, &w, sleep_for_3s);
		check(part(&w, TLOB_TASK_PART_SLEEPING) > 2900 * MS);
		/* 2.5 s: none is left, or just one that begins while the kernel looks */
		sleep_ns(2500 * MS);
		measured(fd, &w, sleep_20ms);
		check(part(&w, TLOB_TASK_PART_SLEEPING) > 10 * MS);
	}
	/* at each phase of that second */
	for (i = 0; i < 200; i++) {
		sleep_ns(i % 8 * (130 * MS) + i * MS / 5);
		measured(fd, &w, sleep_20ms);
		check(part(&w, TLOB_TASK_PART_SLEEPING) > 10 * MS);
	}
	close(fd);
	monitor_off();
}
