// SPDX-License-Identifier: GPL-2.0
/* The memory of a run goes back at its end, and the results stay readable. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

#define GROUP	"memory"

#define MS	1000000ULL
#define RUNS	20

static char text[1 << 20];

/* Bytes of vmalloc that the module has. */
static uint64_t mapped(void)
{
	char *line, *next;
	uint64_t sum = 0;

	if (access("/proc/vmallocinfo", R_OK))
		skip("no /proc/vmallocinfo");
	read_file("/proc/vmallocinfo", text, sizeof(text));
	for (line = text; *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next && (*next = 0, 1);
		if (strstr(line, " tlob_"))
			sum += strtoull(line + strcspn(line, " "), NULL, 10);
	}
	return sum;
}

/* After a run: what `hist` needs, and nothing else. */
static uint64_t left_by_a_run(uint64_t before)
{
	uint64_t now = status(-1, "memory_bytes");

	check(now >= before && now - before < 65536);
	return now - before;
}

static void one_run(const char *workload)
{
	setup(workload, "0", MS, MS, "none");
	enable();
	check(status(-1, "memory_bytes") >= status(-1, "ring_bytes"));
	if (!strcmp(workload, "kthread"))
		sleep_ns(20 * MS);
	disable();
}

TEST(goes_back)
{
	uint64_t before, empty, most = 0;
	int i;

	/* without windows the last run leaves its bare totals */
	one_run("user");
	empty = mapped();
	before = status(-1, "memory_bytes");
	for (i = 0; i < RUNS; i++) {
		uint64_t left;

		one_run(i % 2 ? "user" : "kthread");
		left = left_by_a_run(before);
		if (left > most)
			most = left;
	}
	check_eq(status(-1, "memory_bytes"), before);
	check_eq(mapped(), empty);
	note("a run with windows leaves at most %llu bytes", (unsigned long long)most);
}

/* The ring stays for a reader that has it open, and goes with it. */
TEST(reader_keeps_ring)
{
	struct tlob_window w[64];
	uint64_t before, ring;
	ssize_t got, n = 0;
	int fd;

	one_run("user");
	before = status(-1, "memory_bytes");
	ring = status(-1, "ring_bytes");
	setup("kthread", "0", MS, MS, "none");
	enable();
	fd = open_cpu(0, "windows", O_RDONLY);
	sleep_ns(20 * MS);
	disable();
	check(status(-1, "memory_bytes") >= before + ring);
	check_errno(open(tlob_path("per_cpu/cpu0/windows"), O_RDONLY), ENODEV);
	while ((got = read(fd, w, sizeof(w))) > 0)
		n += got / (ssize_t)sizeof(*w);
	check_eq(got, 0);
	check_eq(n, status(0, "windows"));
	close(fd);
	left_by_a_run(before);
}

/* Counts of `response` in `hist`. */
static uint64_t responses(void)
{
	char *line;

	read_file(tlob_path("per_cpu/cpu0/hist"), text, sizeof(text));
	line = strstr(text, "response n=");
	check(line);
	return strtoull(line + strlen("response n="), NULL, 10);
}

/* `hist` and `status` are the same after the run, as often as they are read. */
TEST(results_stay)
{
	static char first[1 << 20];
	int fd;

	setup("kthread", "0", 50000, MS, "none");
	enable();
	/* a ring without a reader overflows */
	fd = open_cpu(0, "windows", O_RDONLY);
	while (!status(0, "lost"))
		sleep_ns(10 * MS);
	disable();
	close(fd);
	check(status(0, "lost") > 0);
	check_eq(responses(), status(0, "windows"));
	memcpy(first, text, sizeof(first));
	check_eq(responses(), status(0, "windows"));
	check(!memcmp(first, text, strlen(first) + 1));
	check_expiries(0);
}

/* The ring of late windows, and what it is filled from. */
static uint64_t late_bytes(void)
{
	uint64_t page = (uint64_t)getpagesize(), records = 64 * sizeof(struct tlob_late_window);

	return page + (records + page - 1) / page * page + sizeof(void *) +
	       sizeof(struct tlob_late_window);
}

/* A part that this kernel cannot measure takes no memory. */
TEST(unavailable_parts)
{
	uint64_t before, hist, nr = TLOB_NR_METRICS;
	char *p;

	one_run("user");
	before = status(-1, "memory_bytes");
	setup("user", "0", MS, MS, "none");
	enable();
	/* one page belongs to tlob_fd, which is no ring and no histogram */
	hist = status(-1, "memory_bytes") - status(-1, "ring_bytes") - late_bytes();
	read_file(tlob_path("status"), text, sizeof(text));
	disable();
	check_eq(status(-1, "memory_bytes"), before);
	p = strstr(text, "unavailable:");
	check(p);
	p[strcspn(p, "\n")] = 0;
	for (; (p = strchr(p, '.')); p++)
		nr--;
	check_eq(hist % nr, 0);
	check(hist / nr >= sizeof(struct tlob_hist));
	check(hist / nr < sizeof(struct tlob_hist) + (size_t)getpagesize());
}
