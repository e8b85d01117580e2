// SPDX-License-Identifier: GPL-2.0
/*
 * Windows name and count each kind of interrupt between CPUs as /proc/interrupts does.
 * Needs tests/modules/inject and two CPUs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define GROUP	"ipi"

#define MS	1000000ULL
#define US	1000ULL
#define PLAN	"/sys/kernel/debug/tlob_inject/plan"
#define SENT	500U
#define LONG	(200 * US)	/* of each interrupt; the timer's takes some 20 us */

/* The name in a window and a text in its row of /proc/interrupts. Two names share a row. */
static const struct kind {
	const char *name, *row;
} kinds[] = {
#ifdef __x86_64__
	{ "reschedule", "RES:" },
	{ "call_function", "CAL:" },
	{ "call_function_single", "CAL:" },
	{ "irq_work", "IWI:" },
	{ "local_timer", "LOC:" },
#else
	{ "reschedule", "Rescheduling interrupts" },
	{ "call_function", "Function call interrupts" },
	{ "irq_work", "IRQ work interrupts" },
	{ "arch_timer", "arch_timer" },
#endif
};

#define KINDS	(sizeof(kinds) / sizeof(*kinds))
#define TIMER	(KINDS - 1)

/* Returns whether a kind shares its row with the next one. */
static bool shared(unsigned int kind)
{
	return kind + 1 < KINDS && !strcmp(kinds[kind].row, kinds[kind + 1].row);
}

/* CPU 1's count in a row. */
static uint64_t row(const char *wanted)
{
	FILE *f = fopen("/proc/interrupts", "r");
	unsigned long long zero, one, found = 0;
	char line[1024], name[32];

	check(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, " %31[^:]: %llu %llu", name, &zero, &one) == 3 &&
		    strstr(line, wanted))
			found = one;
	fclose(f);
	return found;
}

static struct tlob_window w;

/*
 * CPU 1 works in windows without a pause while CPU 0 sends. A window names its largest irq only,
 * so these take longer than the timer's. @seen counts those in the work phase by kind. Returns
 * the number of irqs in all windows.
 */
static uint64_t run(int fd, const struct kind *kind, uint64_t *seen)
{
	uint64_t irqs = 0;
	char plan[64];
	pid_t pid;
	int st;

	snprintf(plan, sizeof(plan), "ipi %s %u %llu\n", kind->name, SENT, LONG);
	pid = fork();
	if (!pid) {
		pin(0);
		_exit(-write_file(PLAN, plan));
	}
	while (waitpid(pid, &st, WNOHANG) != pid) {
		unsigned int i;

		spin_ns(400 * US);
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		check_window(&w);
		check_eq(w.errors, 0);
		irqs += w.work_count[TLOB_NOISE_IRQ] +
			w.wake_count[TLOB_NOISE_IRQ];
		if (w.largest.kind != TLOB_NOISE_IRQ ||
		    !w.largest.in_work)
			continue;
		for (i = 0; i < KINDS; i++)
			if (!strncmp(w.largest.name, kinds[i].name,
				     TLOB_NAME_LEN - 1) &&
			    strlen(w.largest.name) == strnlen(kinds[i].name,
							      TLOB_NAME_LEN - 1))
				seen[i]++;
	}
	check_eq(st, 0);
	return irqs;
}

TEST_ON(named_and_counted, 2)
{
	unsigned int i, k;
	int fd;

	if (access(PLAN, F_OK))
		skip("tlob_inject is not loaded");
	setup("user", "1", 500 * US, 10000 * MS, "none");
	enable();
	pin(1);
	fd = open_cpu(1, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	for (i = 0; i < TIMER; i++) {
		uint64_t before[KINDS], seen[KINDS] = { 0 };
		uint64_t came, irqs = 0, all;
		unsigned int rounds = 0;

		/* the counts start before the windows, so they include all of their irqs */
		for (k = 0; k < KINDS; k++)
			before[k] = row(kinds[k].row);
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		/*
		 * Irqs that wait for the same CPU become one, those between two windows are in none,
		 * and a window with several names one: on a busy host again, until there are enough.
		 */
		do {
			irqs += run(fd, &kinds[i], seen);
			came = row(kinds[i].row) - before[i];
		} while ((came <= SENT / 10 || seen[i] <= SENT / 50) && ++rounds < 50);
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
		irqs += w.work_count[TLOB_NOISE_IRQ] + w.wake_count[TLOB_NOISE_IRQ];
		all = 0;
		for (k = 0; k < KINDS; k++) {
			uint64_t now = row(kinds[k].row) - before[k];

			/* no kind has another's name */
			if (seen[k] > now)
				fail("%s: %llu in windows, %llu in /proc/interrupts",
				     kinds[k].name, (unsigned long long)seen[k],
				     (unsigned long long)now);
			/* two kinds share a row: count it once */
			if (!shared(k))
				all += now;
		}
		note("%u of %s sent, %llu came, largest in %llu windows; %llu irqs in windows, %llu in all",
		     SENT, kinds[i].name, (unsigned long long)came,
		     (unsigned long long)seen[i], (unsigned long long)irqs,
		     (unsigned long long)all);
		check(came > SENT / 10 && seen[i] > SENT / 50);
		check(irqs >= seen[i] && irqs <= all);
	}
	close(fd);
	unpin();
	disable();
}
