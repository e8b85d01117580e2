// SPDX-License-Identifier: GPL-2.0
/* The longest wait of each window of a run: how long, on which stack, in which window. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"
#include "waits.h"

#define GROUP	"waits_run"

#define MS	1000000ULL
#define US	1000ULL
#define N	20

/* A run of user threads whose windows have waits, if @profiled. */
static void begin(uint64_t period, bool profiled)
{
	setup("user", "0", period, period, "none");
	set("longest_wait", "1");
	set("waits", profiled ? "on windows" : "off");
	enable();
}

static void end(void)
{
	disable();
	set("waits", "off");
}

/* The option, and what a run without it refuses. */
TEST(option)
{
	struct tlob_run_wait r;
	int fd;

	setup("kthread", "0", MS, MS, "none");
	check(!strcmp(get("longest_wait"), "0"));
	check_eq(put("longest_wait", "2"), -EINVAL);
	enable();
	check_eq(put("longest_wait", "1"), -EBUSY);
	check_errno(open(tlob_path("per_cpu/cpu0/longest_waits"), O_RDONLY), ENODEV);
	disable();

	set("longest_wait", "1");
	set("waits", "on");
	enable();
	fd = open_cpu(0, "longest_waits", O_RDONLY);
	check_errno(open(tlob_path("per_cpu/cpu0/longest_waits"), O_RDONLY), EBUSY);
	check_errno(read(fd, &r, sizeof(r) - 1), EINVAL);
	while (status(0, "windows") < 20)
		sleep_ns(5 * MS);
	end();
	/* its thread sleeps between its windows, but never in one */
	check_eq(read(fd, &r, sizeof(r)), 0);
	close(fd);
	check_errno(open(tlob_path("per_cpu/cpu0/longest_waits"), O_RDONLY), ENODEV);
}

/* The second wait is the longest one. The last one is below the threshold. */
static void three_sleeps(void)
{
	sleep_ns(200 * US);
	sleep_ns(3 * MS);
	sleep_ns(10 * US);
}

static uint64_t interrupted_ns(const struct tlob_window *w)
{
	return w->part_ns[TLOB_WORK_IRQ] + w->part_ns[TLOB_WORK_SOFTIRQ] +
	       w->part_ns[TLOB_WORK_NMI] + w->part_ns[TLOB_WORK_THREAD];
}

static void check_wait(const struct tlob_run_wait *r, const struct tlob_window *w)
{
	check_eq(r->version, TLOB_RUN_WAIT_VERSION);
	check_eq(r->size, sizeof(*r));
	check_eq(r->cpu, w->cpu);
	check_eq(r->activation, w->activation);
	check_eq(r->wait.reserved, 0);
	check(r->wait.ns);
	/* a timer's interrupt or its thread; a thread has a name */
	check(r->wait.waker.kind == TLOB_WAKER_TASK || !*r->wait.waker.comm);
	check(r->wait.ns <= w->response_ns);
	/*
	 * Both end with the wake-up. Interruptions in between are parts of their own; the clock is
	 * read once more by another hook, before which the host may take the CPU away.
	 */
	if (deterministic())
		check(r->wait.ns <= w->part_ns[TLOB_WORK_SLEEP] + interrupted_ns(w) + 100 * US);
}

/* Every window has its own wait, and windows without a sleep have none. */
TEST(each_its_own)
{
	struct tlob_run_wait r;
	int fd, list, records, i;
	struct tlob_window w;
	uint64_t most = 0;
	struct waits *all;

	begin(20 * MS, true);
	records = records_open();
	list = open_cpu(0, "longest_waits", O_RDONLY | O_NONBLOCK);
	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	for (i = 0; i < N; i++) {
		if (i % 2)
			three_sleeps();
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		check_window(&w);
		if (!(i % 2)) {
			check_eq(w.part_ns[TLOB_WORK_SLEEP], 0);
			check_errno(read(list, &r, sizeof(r)), EAGAIN);
			continue;
		}
		check_eq(read(list, &r, sizeof(r)), sizeof(r));
		check_wait(&r, &w);
		check_eq(r.wait.flags, TLOB_WAIT_IS_ON);
		check(r.wait.ns > 2 * MS && r.wait.stack);
		if (r.wait.ns > most)
			most = r.wait.ns;
		check_errno(read(list, &r, sizeof(r)), EAGAIN);
	}
	/* only waits inside windows are of the scope `windows`: not those for an expiry */
	all = waits_read(records);
	check_eq(waits_task(all, (pid_t)syscall(SYS_gettid))->blocked.max_ns, most);
	if (deterministic())
		check_eq(waits_task(all, (pid_t)syscall(SYS_gettid))->blocked.count, 3 * (N / 2));
	close(fd);
	unpin();
	close(list);
	close(records);
	end();
	check_no_defect(0);
}

/* The stack of the wait is the one in the profile, with the same maximum and waker. */
TEST(on_its_stack)
{
	const struct tlob_wait_stack *s;
	struct tlob_run_wait r;
	struct tlob_window w;
	unsigned int nr, i;
	int fd, list, records;
	struct waits *all;

	begin(20 * MS, true);
	records = records_open();
	list = open_cpu(0, "longest_waits", O_RDONLY);
	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	three_sleeps();
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	check_eq(read(list, &r, sizeof(r)), sizeof(r));
	check_wait(&r, &w);
	all = waits_read(records);
	s = waits_stacks(all, waits_task(all, (pid_t)syscall(SYS_gettid))->id, &nr);
	for (i = 0; i < nr && s[i].id != r.wait.stack; i++)
		;
	check(i < nr);
	check_eq(s[i].blocked.max_ns, r.wait.ns);
	check(!memcmp(&s[i].waker, &r.wait.waker, sizeof(r.wait.waker)));
	check(s[i].nr_kernel && s[i].nr_code);
	close(fd);
	unpin();
	close(list);
	close(records);
	end();
}

/* Without the profiler there is no record. A full ring drops new ones, and no window. */
TEST(full_ring)
{
	unsigned int i, records = 0, windows = 1100;
	struct tlob_run_wait r;
	struct tlob_window w;
	uint64_t last = 0;
	int fd, list;

	begin(2 * MS, false);
	list = open_cpu(0, "longest_waits", O_RDONLY);
	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	for (i = 0; i <= windows; i++) {
		sleep_ns(10 * US);
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		/* the first window had no profiler */
		if (!i)
			set("waits", "on windows");
	}
	close(fd);
	unpin();
	end();
	while (read(list, &r, sizeof(r)) == sizeof(r)) {
		check(r.activation > last);
		last = r.activation;
		records++;
	}
	note("%u windows, %u waits", windows, records);
	/* on a busy host a timer may fire before its thread sleeps */
	check(records <= 1024 && (!deterministic() || records == 1024));
	check(records);
	close(list);
}

/* The profiler outlives runs: its hooks must not look at the memory of one that ended. */
TEST(runs_end)
{
	struct tlob_window w;
	int fd, i;

	set("waits", "on");
	for (i = 0; i < 20; i++) {
		setup("user", "0", MS, MS, "none");
		set("longest_wait", i % 2 ? "1" : "0");
		enable();
		pin(0);
		fd = open_cpu(0, "tlob_fd", O_RDONLY);
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		sleep_ns(100 * US);
		disable();
		/* in no window any more */
		sleep_ns(100 * US);
		close(fd);
		unpin();
	}
	set("waits", "off");
}

#define CROWD	4000
static pthread_t crowd[CROWD];
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *wait_at_gate(void *arg)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return arg;
}

/* Tasks from @from on to @to sleep, and the profiler knows them. It is off then. */
static void crowd_grows(unsigned int from, unsigned int to)
{
	pthread_attr_t small;
	unsigned int i;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, SMALL_STACK);
	set("waits", "on pids=%d", getpid());
	for (i = from; i < to; i++)
		check_eq(pthread_create(&crowd[i], &small, wait_at_gate, NULL), 0);
	sleep_ns(20 * MS);
	set("waits", "off");
}

/* The longest that a timer interrupt of a run came late, while somebody reads. */
static uint64_t irq_delay_beside_reader(void)
{
	static char hist[1 << 20];
	unsigned int reads = 0;
	uint64_t max, until;
	char text[16], *line;
	int fd;

	/* comes at each place of the reader */
	setup("kthread", "0", 97 * US + 13, MS, "none");
	set("policy", "fifo:95");
	enable();
	for (until = now_ns() + 300 * MS; now_ns() < until; reads++) {
		fd = open(tlob_path("waits"), O_RDONLY);
		check(fd >= 0);
		/* all is copied before the first byte */
		check_eq(read(fd, text, sizeof(text)), sizeof(text));
		close(fd);
	}
	read_file(tlob_path("per_cpu/cpu0/hist"), hist, sizeof(hist));
	disable();
	line = strstr(hist, "wake.irq_delay n=");
	check(line);
	line = strstr(line, " max=");
	check(line);
	max = strtoull(line + 5, NULL, 10);
	note("%u reads next to %llu ns of irq_delay", reads, (unsigned long long)max);
	return max;
}

/*
 * The reader holds a lock, which switches spin on, with irqs off and for one task: however many
 * there are, no interrupt comes later.
 */
TEST(reader_holds_for_one)
{
	uint64_t few, many;
	unsigned int i;

	needs_sizes();
	if (!deterministic())
		skip("sizes mean nothing in this guest");
	if (!preempt_rt())
		skip("without PREEMPT_RT the kernel itself has irqs off for longer");
	check_eq(write_file("/proc/sys/kernel/threads-max", "20000"), 0);
	pthread_mutex_lock(&gate);
	crowd_grows(0, 64);
	few = irq_delay_beside_reader();
	crowd_grows(64, CROWD);
	many = irq_delay_beside_reader();
	pthread_mutex_unlock(&gate);
	for (i = 0; i < CROWD; i++)
		pthread_join(crowd[i], NULL);
	check(many <= few + 2 * US);
}
