// SPDX-License-Identifier: GPL-2.0
/* Noise sources: the choice, its probes, and what `status` says of them. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

#define GROUP	"noise"

#define MS	1000000ULL

static bool have_osnoise(void)
{
	return strcmp(source, "hooks");
}

static bool in_status(const char *text)
{
	static char buf[65536];

	read_file(tlob_path("status"), buf, sizeof(buf));
	return strstr(buf, text);
}

/* The timer's name, and whether its interrupt has tracepoints of its own. */
#ifdef __x86_64__
static const char timer[] = "local_timer";
static const bool vectors = true, nmis = true;
#else
static const char timer[] = "arch_timer";
static const bool vectors, nmis;
#endif

static void run(const char *wanted)
{
	setup("kthread", "0", MS, MS, "spin:200us");
	set("noise_source", "%s", wanted);
	enable();
	sleep_ns(50 * MS);
}

TEST(hooks)
{
	run("hooks");
	check(in_status("noise_source: hooks\n"));
	check_eq(in_status(" local_timer_entry local_timer_exit "), vectors);
	check_eq(in_status(" irq_handler_exit ipi_entry"), !vectors);
	check(in_status(" irq_handler_entry irq_handler_exit "));
	check(!in_status("irq_noise"));
	check(in_status("notes: nmi: "));
	disable();
	check(in_status("noise_source: none\n"));
	check(in_status("tracepoints:\n"));
	check_no_defect(0);
}

TEST(osnoise)
{
	if (!have_osnoise()) {
		setup("kthread", "0", MS, MS, "none");
		set("noise_source", "osnoise");
		check_eq(put("enable", "1"), -EOPNOTSUPP);
		set("noise_source", "both");
		check_eq(put("enable", "1"), -EOPNOTSUPP);
		check(in_status("state: disabled"));
		check(in_status("tracepoints:\n"));
		return;
	}
	run("osnoise");
	check(in_status("noise_source: osnoise\n"));
	check(in_status(" irq_noise "));
	check(!in_status("local_timer_entry"));
	disable();
	check_no_defect(0);
}

TEST(automatic)
{
	run("auto");
	check(in_status(have_osnoise() ? "noise_source: osnoise\n" :
			"noise_source: hooks\n"));
	disable();
}

/* auto takes hooks when osnoise is there but emits no events. */
TEST(automatic_without_events)
{
	const char *on = "/sys/kernel/tracing/instances/tlob-test-osnoise/tracing_on";

	if (!have_osnoise())
		skip("no osnoise in this kernel or run");
	check(!write_file(on, "0"));
	run("auto");
	check(in_status("noise_source: hooks\n"));
	disable();
	set("noise_source", "osnoise");
	check_eq(put("enable", "1"), -EOPNOTSUPP);
	check(!write_file(on, "1"));
	run("auto");
	check(in_status("noise_source: osnoise\n"));
}

/*
 * Both sources charge the same, within 1 us for each event in the window or 2 % of the part.
 * They read the clock at different instructions.
 */
TEST(both_agree)
{
	static struct tlob_window win[500];
	uint64_t bound[TLOB_NR_PARTS] = { 0 };
	unsigned int i, k;
	int fd;

	needs_no_stops();
	if (!have_osnoise())
		skip("no osnoise in this kernel or run");
	setup("kthread", "0", 10 * MS, 10 * MS, "loops:1000000");
	set("noise_source", "both");
	enable();
	check(in_status("noise_source: both\n"));
	check(in_status(" irq_noise "));
	check_eq(in_status(" local_timer_entry "), vectors);
	fd = open_cpu(0, "windows", O_RDONLY);
	read_windows(fd, win, 500);
	close(fd);
	disable();
	for (k = 0; k < 500; k++) {
		uint64_t events = 1;

		check_window(&win[k]);
		for (i = 0; i < TLOB_NR_NOISE; i++)
			events += win[k].wake_count[i] + win[k].work_count[i];
		for (i = 0; i < TLOB_NR_PARTS; i++) {
			uint64_t b = win[k].part_ns[i] / 50;

			if (b < events * 1000)
				b = events * 1000;
			if (b > bound[i])
				bound[i] = b;
		}
	}
	for (i = 0; i < TLOB_NR_PARTS; i++) {
		const char *name = tlob_metric_names[TLOB_METRIC_PARTS + i];
		char key[64];
		uint64_t difference;
		static char buf[65536], *p;

		read_file(tlob_path("status"), buf, sizeof(buf));
		snprintf(key, sizeof(key), " %s=", name);
		p = strstr(buf, "max_difference_ns:");
		check(p);
		p = strstr(p, key);
		check(p);
		difference = strtoull(p + strlen(key), NULL, 10);
		if (difference)
			note("%s: largest difference %llu ns of at most %llu", name,
			     (unsigned long long)difference,
			     (unsigned long long)bound[i]);
		if (deterministic())
			check(difference <= bound[i]);
	}
	check_no_defect(0);
}

/* No guest has a clock of stolen time. */
TEST(softirq_availability)
{
	run("hooks");
	if (preempt_rt()) {
		check(in_status(nmis ? "unavailable: wake.softirq wake.steal work.softirq work.steal\n" :
				"unavailable: wake.softirq wake.nmi wake.steal work.softirq work.nmi work.steal\n"));
		check(in_status("unavailable_because: softirqs run in threads"));
		check(!in_status("softirq_entry"));
	} else {
		check(in_status(nmis ? "unavailable: wake.steal work.steal\n" :
				"unavailable: wake.nmi wake.steal work.nmi work.steal\n"));
		check(in_status(" softirq_entry softirq_exit"));
	}
	check(in_status("KVM steal time is not available\n"));
	check_eq(in_status("nmis have no tracepoint on this architecture\n"), !nmis);
}

/* On an idle CPU the largest noise is the run's own timer, by name. */
TEST(timer_is_named)
{
	static struct tlob_window win[50];
	unsigned int i, named = 0;
	int fd;

	setup("kthread", "0", MS, MS, "none");
	enable();
	fd = open_cpu(0, "windows", O_RDONLY);
	read_windows(fd, win, 50);
	close(fd);
	for (i = 0; i < 50; i++) {
		check_window(&win[i]);
		check(win[i].wake_count[TLOB_NOISE_IRQ] >= 1);
		named += win[i].largest.kind == TLOB_NOISE_IRQ &&
			 !strcmp(win[i].largest.name, timer);
	}
	check(named > 25);
}

#define SWITCHES	50	/* between two readings of the clock: shorter than a tick */
#define SERIES		20

static atomic_bool begun, over;

static void *yields(void *unused)
{
	(void)unused;
	while (!over)
		sched_yield();
	return NULL;
}

/* The least instructions of SWITCHES to another thread of this priority, and back. */
static uint64_t switches(void)
{
	uint64_t least = UINT64_MAX, start;
	pthread_t other;
	int i, n;

	pin(0);
	over = false;
	check_eq(pthread_create(&other, NULL, yields, NULL), 0);
	for (i = 0; i < SERIES; i++) {
		start = now_ns();
		for (n = 0; n < SWITCHES; n++)
			sched_yield();
		start = now_ns() - start;
		/* the first one finds no other thread yet */
		if (i && start < least)
			least = start;
	}
	over = true;
	check_eq(pthread_join(other, NULL), 0);
	unpin();
	return least;
}

/* Sleeps in its first window, or in read() until the second one. */
static void *sleeps(void *arg)
{
	const atomic_bool *armed = arg;
	struct tlob_window w;
	int fd;

	pin(0);
	fd = open_cpu(0, "tlob_fd", O_RDONLY);
	check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	begun = true;
	if (armed)
		check_eq(read(fd, &w, sizeof(w)), sizeof(w));
	else
		sleep_ns(500 * MS);
	close(fd);
	return NULL;
}

static uint64_t switches_while(bool armed)
{
	pthread_t thread;
	uint64_t ns;

	setup("user", "0", 1000 * MS, 1000 * MS, "none");
	begun = false;
	enable();
	check_eq(pthread_create(&thread, NULL, sleeps, armed ? &begun : NULL), 0);
	while (!begun)
		sleep_ns(10 * MS);
	sleep_ns(10 * MS);
	ns = switches();
	check_eq(pthread_join(thread, NULL), 0);
	disable();
	return ns;
}

/* Until the timer fires a switch needs no clock, with any source. */
TEST(switch_is_short)
{
	const uint64_t n = 2UL * SWITCHES;
	uint64_t none, armed, open;

	if (!deterministic())
		skip("sizes mean nothing in this guest");
	needs_sizes();
	if (!strcmp(source, "both"))
		skip("with both sources no switch is short");
	switches();
	none = switches();
	armed = switches_while(true) - none;
	open = switches_while(false) - none;
	note("a switch: %llu instructions of the hooks before the timer, %llu in a window",
	     (unsigned long long)(armed / n), (unsigned long long)(open / n));
	check(armed + 40 * n < open);
}
