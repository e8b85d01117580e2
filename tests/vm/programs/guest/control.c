// SPDX-License-Identifier: GPL-2.0
/* Every control file: what it accepts, what it refuses, and when. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

#define GROUP	"control"

static const struct {
	const char *file, *value;
	int err;		/* 0: accepted and read back */
	const char *reads;	/* NULL: as it was written */
} writes[] = {
	{ "workload", "user", 0, NULL },
	{ "workload", "kthread", 0, NULL },
	{ "workload", "kthreads", EINVAL, NULL },
	{ "workload", "", EINVAL, NULL },
	{ "cpus", "0", 0, NULL },
	{ "cpus", "0\n", 0, "0" },
	{ "cpus", "", EINVAL, NULL },
	{ "cpus", "0-", EINVAL, NULL },
	{ "cpus", "zero", EINVAL, NULL },
	{ "cpus", "100000", ERANGE, NULL },
	{ "period_ns", "50000", 0, NULL },
	{ "period_ns", "1000000000", 0, NULL },
	{ "period_ns", "49999", ERANGE, NULL },
	{ "period_ns", "1000000001", ERANGE, NULL },
	{ "period_ns", "99999999999999999999999", ERANGE, NULL },
	{ "period_ns", "1ms", EINVAL, NULL },
	{ "budget_ns", "1000", 0, NULL },
	{ "budget_ns", "3600000000000", 0, NULL },
	{ "budget_ns", "999", ERANGE, NULL },
	{ "budget_ns", "3600000000001", ERANGE, NULL },
	{ "work", "spin:1ms", 0, NULL },
	{ "work", "mem:chase,ws=4K", 0, NULL },
	{ "work", "spin:0", ERANGE, NULL },
	{ "work", "fpu:1", EOPNOTSUPP, NULL }, { "work", "@x", EOPNOTSUPP, NULL },
	{ "work", "mem:chase,ws=1M,node=1023", ERANGE, NULL },
	{ "policy", "fifo:1", 0, NULL },
	{ "policy", "rr:99", 0, NULL },
	{ "policy", "other", 0, NULL },
	{ "policy", "deadline:200000/900000/1000000", 0, NULL },
	{ "policy", "fifo:0", ERANGE, NULL },
	{ "policy", "fifo", EINVAL, NULL },
	{ "align_ns", "0", 0, NULL },
	{ "align_ns", "1000000000", 0, NULL },
	{ "align_ns", "1000000001", ERANGE, NULL },
	{ "phase_ns", "0", 0, NULL },
	{ "phase_ns", "1000000000", 0, NULL },
	{ "phase_ns", "1000000001", ERANGE, NULL },
	{ "phase_ns", "nonesuch", EINVAL, NULL },
	{ "phase_ns", "none", 0, NULL },
	{ "warm_up", "1000000", 0, NULL },
	{ "warm_up", "1000001", ERANGE, NULL },
	{ "noise_source", "auto", 0, NULL },
	{ "noise_source", "osnoise", 0, NULL },
	{ "noise_source", "hooks", 0, NULL },
	{ "noise_source", "both", 0, NULL },
	{ "noise_source", "none", EINVAL, NULL },
	{ "hw_threshold_ns", "100", 0, NULL },
	{ "hw_threshold_ns", "99", ERANGE, NULL },
	{ "hw_threshold_ns", "1000000001", ERANGE, NULL },
	{ "stop_on_exceed", "1", 0, NULL },
	{ "stop_on_exceed", "2", EINVAL, NULL },
	{ "stop_on_exceed", "yes", EINVAL, NULL },
	{ "timeline", "1", 0, NULL },
	{ "timeline", "0", 0, NULL },
	{ "timeline", "2", EINVAL, NULL },
	{ "enable", "2", EINVAL, "0" },
	{ "enable", "", EINVAL, "0" },
};

#define WRITES	(sizeof(writes) / sizeof(*writes))

/* A refused write changes nothing. */
TEST(values)
{
	char before[4096];
	size_t i;
	int err;

	for (i = 0; i < WRITES; i++) {
		const char *file = writes[i].file, *value = writes[i].value;

		snprintf(before, sizeof(before), "%s", get(file));
		err = put(file, "%s", value);
		if (err != -writes[i].err)
			fail("%s < '%s': %d (%s), expected %d", file, value,
			     err, strerror(-err), -writes[i].err);
		if (!err)
			snprintf(before, sizeof(before), "%s",
				 writes[i].reads ? writes[i].reads : value);
		if (strcmp(get(file), before))
			fail("%s reads '%s', expected '%s'", file, get(file),
			     before);
	}
	note("%zu writes", WRITES);
}

TEST(too_long)
{
	char text[4200];

	memset(text, '0', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	check_eq(put("cpus", "%s", text), -EINVAL);
	text[80] = 0;
	memcpy(text, "spin:", 5);
	check_eq(put("work", "%s", text), -EINVAL);
}

/* Nothing stands behind a NUL but in vain. */
TEST(behind_a_nul)
{
	static const char junk[] = "1\0 junk", ended[] = "1";
	int fd = open(tlob_path("stop_on_exceed"), O_WRONLY | O_CLOEXEC);

	check(fd >= 0);
	check_errno(write(fd, junk, sizeof(junk) - 1), EINVAL);
	check(!strcmp(get("stop_on_exceed"), "0"));
	check_eq(write(fd, ended, sizeof(ended)), sizeof(ended));
	check(!strcmp(get("stop_on_exceed"), "1"));
	close(fd);
	fd = open(tlob_path("enable"), O_WRONLY | O_CLOEXEC);
	check_errno(write(fd, junk, sizeof(junk) - 1), EINVAL);
	check_errno(write(fd, "\0\0", 2), EINVAL);
	close(fd);
	check(!strcmp(get("enable"), "0"));
}

TEST(read_only)
{
	check(put("status", "1") < 0);
	check(put("per_cpu/cpu0/hist", "1") < 0);
}

/* While a run is enabled, all files but three return EBUSY and do not change. */
TEST(while_enabled)
{
	char before[4096];
	size_t i;

	setup("kthread", "0", 1000000, 1000000, "spin:50us");
	enable();
	for (i = 0; i < WRITES; i++) {
		const char *file = writes[i].file;

		if (!strcmp(file, "stop_on_exceed") || !strcmp(file, "enable"))
			continue;
		snprintf(before, sizeof(before), "%s", get(file));
		check_eq(put(file, "%s", writes[i].value), -EBUSY);
		check(!strcmp(get(file), before));
	}
	set("stop_on_exceed", "1");
	set("stop_on_exceed", "0");
	check_eq(put("enable", "1"), -EBUSY);
	check(!strcmp(get("enable"), "1"));
	more_windows(0, 1);
	disable();
	disable();
	check(status(0, "windows") > 0);
	check_no_defect(0);
}

TEST(enable_disable)
{
	int i;

	setup("kthread", "0", 50000, 1000000, "spin:10us");
	for (i = 0; i < 50; i++) {
		enable();
		if (i & 1)
			sleep_ns(1000000);
		disable();
		check_expiries(0);
	}
	check_no_defect(0);
}
