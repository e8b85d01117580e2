// SPDX-License-Identifier: GPL-2.0
/*
 * The work is really done, in the kernel and in user space: its time follows its number. Its
 * check sums equal an independent calculation's.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

struct tlob_work_env { int unused; };

static inline __u64 tlob_env_clock(struct tlob_work_env *env)
{
	(void)env;
	return now_ns();
}

static inline __u64 tlob_env_interference(struct tlob_work_env *env)
{
	(void)env;
	return 0;
}

static inline void tlob_env_hw(struct tlob_work_env *env, __u64 ns)
{
	(void)env;
	(void)ns;
}

static inline bool tlob_env_relax(struct tlob_work_env *env)
{
	(void)env;
	return false;
}

struct tlob_work;

/* The kernel part executes none of these. */
static inline __u64 tlob_env_user(struct tlob_work_env *env, const struct tlob_work *w)
{
	(void)env;
	(void)w;
	return 0;
}

#include "workloop.h"

#define GROUP	"work"

#define MS	1000000ULL
#define N	20

static struct tlob_window win[N];

/* The least on_cpu of N windows with @work; the sum stays in `status`. */
static uint64_t kernel_on_cpu(const char *work)
{
	uint64_t least = UINT64_MAX;
	int fd, i;

	setup("kthread", "0", 20 * MS, 20 * MS, work);
	enable();
	fd = open_cpu(0, "windows", O_RDONLY);
	read_windows(fd, win, N);
	close(fd);
	disable();
	for (i = 0; i < N; i++) {
		check_window(&win[i]);
		if (win[i].part_ns[TLOB_WORK_ON_CPU] < least)
			least = win[i].part_ns[TLOB_WORK_ON_CPU];
	}
	return least;
}

static void check_ratio(const char *where, uint64_t n, uint64_t twice)
{
	uint64_t permille = twice * 1000 / n;

	note("%s: loops:N %" PRIu64 " ns, loops:2N %" PRIu64 " ns, ratio %" PRIu64 ".%03" PRIu64,
	     where, n, twice, permille / 1000, permille % 1000);
	check(permille >= 1990 && permille <= 2010);
}

TEST(loops_scale_in_the_kernel)
{
	check_ratio("kernel", kernel_on_cpu("loops:1000000"),
		    kernel_on_cpu("loops:2000000"));
}

static uint64_t user_loops(uint64_t n)
{
	struct tlob_work_env env = { 0 };
	uint64_t least = UINT64_MAX;
	int i;

	for (i = 0; i < 10; i++) {
		uint64_t start = now_ns(), ns;

		tlob_run_loops(&env, n);
		ns = now_ns() - start;
		if (ns < least)
			least = ns;
	}
	return least;
}

TEST(loops_scale_in_user_space)
{
	uint64_t n, twice;

	pin(0);
	n = user_loops(1000000);
	twice = user_loops(2000000);
	unpin();
	check_ratio("user space", n, twice);
}

/* Computes the check sum round by round, without workloop.h's loop. */
TEST(loops_sum)
{
	uint64_t x = 1;
	int i;

	kernel_on_cpu("loops:100000");
	for (i = 0; i < 100000; i++)
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
	check_eq(status(0, "work_sum"), x);
}

TEST(chase_sum)
{
	uint64_t lines = 65536 / 64, at = 0, i;
	uint64_t *mem = calloc(1, 65536);
	char *seen = calloc(1, lines);

	tlob_chase_init(mem, lines, 1);
	/* one cycle through every line */
	for (i = 0; i < lines; i++) {
		check(at < lines && !seen[at]);
		seen[at] = 1;
		at = mem[at * 8];
	}
	check_eq(at, 0);
	for (i = 0; i < 1000; i++)
		at = mem[at * 8];
	kernel_on_cpu("mem:chase,ws=64K,n=1000");
	check_eq(status(0, "work_sum"), at);
	free(seen);
	free(mem);
}

/* Each pass adds one to each word, so the sum after r runs of two passes is known. */
TEST(stream_sum)
{
	uint64_t words = 65536 / 8, runs;

	kernel_on_cpu("mem:stream,ws=64K,n=2");
	/* six runs for the calibration; a window that was cut stores no sum */
	runs = 6 + status(0, "windows");
	check_eq(status(0, "work_sum"), words * (2 * runs - 1 + 2 * runs));
}

TEST(demand_is_measured)
{
	uint64_t on_cpu = kernel_on_cpu("loops:1000000");
	uint64_t demand = status(0, "demand_ns");
	uint64_t spread = status(0, "demand_spread_ns");

	needs_sizes();
	note("demand %" PRIu64 " ns, spread %" PRIu64 " ns, window's on_cpu %" PRIu64 " ns",
	     demand, spread, on_cpu);
	check(on_cpu + 2000 > demand && on_cpu < demand + 2000);
	check(spread < demand / 10);
	kernel_on_cpu("spin:100us");
	check_eq(status(0, "demand_ns"), 0);
}

TEST(spin_is_own_time)
{
	uint64_t on_cpu;

	/* below the shortest interrupt, which would otherwise count as the work's own time */
	set("hw_threshold_ns", "1000");
	on_cpu = kernel_on_cpu("spin:1ms");
	/* on_cpu has the way into an interrupt, which is longer on a debug kernel */
	needs_sizes();
	note("on_cpu %" PRIu64 " ns", on_cpu);
	check(on_cpu >= MS && on_cpu < MS + 5000);
}

TEST(elapsed_is_wall_time)
{
	int i;

	needs_no_stops();
	kernel_on_cpu("elapsed:1ms");
	for (i = 0; i < N; i++) {
		uint64_t work = win[i].response_ns - win[i].wake_ns;

		check(work >= MS && work < MS + 20000);
	}
}

/* In a guest that counts instructions nothing takes the CPU behind the kernel's back. */
TEST(no_hw_without_hardware)
{
	int i;

	needs_no_stops();
	kernel_on_cpu("spin:1ms");
	for (i = 0; i < N; i++)
		check_eq(win[i].part_ns[TLOB_WORK_HW], 0);
}
