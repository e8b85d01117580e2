// SPDX-License-Identifier: LGPL-2.1
/*
 * A periodic thread that gives each activation a budget. Switch the monitor on while
 * it runs. It then prints which activations took too long, and where their time went:
 *
 *	echo 1 > /sys/kernel/debug/tlob_load/monitor_enable
 *
 * Usage: tlob-budget [PERIODS [PERIOD_US [WORK_US [BUDGET_US]]]]
 * Exit: 0 all were within the budget, 1 some were over it, 2 no window began.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tlob.h>

static unsigned long argument(int argc, char **argv, int i, unsigned long value)
{
	return argc > i ? strtoul(argv[i], NULL, 0) : value;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	struct timespec t = {
		.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000,
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
		;
}

static void work(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

static void show(const struct tlob_task_window *w)
{
	static const char * const part[TLOB_NR_TASK_PARTS] = {
		"running", "irq", "softirq", "nmi", "hw", "waiting", "sleeping", "timer",
		"steal",
	};
	int i;

	printf("activation %llu took %llu ns:", (unsigned long long)w->tag,
	       (unsigned long long)w->elapsed_ns);
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		if (w->part_ns[i])
			printf(" %s %llu", part[i],
			       (unsigned long long)w->part_ns[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	unsigned long periods = argument(argc, argv, 1, 1000);
	uint64_t period = argument(argc, argv, 2, 10000) * 1000;
	uint64_t length = argument(argc, argv, 3, 1000) * 1000;
	uint64_t budget = argument(argc, argv, 4, 2000) * 1000;
	uint64_t next = now_ns();
	unsigned long windows = 0, late = 0, i;
	struct tlob_task_window w;
	int err = tlob_open();

	/* Not fatal: without libtlob the program works as before. */
	if (err)
		fprintf(stderr, "/dev/tlob: %s\n", strerror(-err));
	for (i = 0; i < periods; i++) {
		next += period;
		sleep_until(next);
		tlob_begin(budget, i);
		work(length);
		err = tlob_end_window(&w);
		windows += err >= 0;
		if (err == 1) {
			show(&w);
			late++;
		}
	}
	printf("%lu windows, %lu over their budget\n", windows, late);
	tlob_close();
	return !windows ? 2 : !!late;
}
