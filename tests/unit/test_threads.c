// SPDX-License-Identifier: GPL-2.0
/* attach: how many threads were not watched. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"
#include "attach/threads.h"
#include "attach/watch_bpf.h"
#include "options/attach_config.h"

static int answer;

static int answer_add(struct watch_bpf_run *run, int tid)
{
	return answer;
}

static void no_sweep(struct watch_bpf_run *run)
{
}

static const struct watch_bpf_calls answers = { .add = answer_add, .sweep = no_sweep };

/* Threads that had no slot may end before the last scan. They were not watched all the same. */
TEST(test_unwatched_stay)
{
	static const int scans[] = { 0, -ENOSPC, -EDQUOT, 0, -ESRCH, -EBUSY };
	struct attach_config o = { .budget_ns = 1, .tid = getppid() };
	struct threads t = { .bpf = &answers };
	size_t i;

	assert_int_equal(threads_begin(&t, &o), 0);
	for (i = 0; i < ARRAY_SIZE(scans); i++) {
		answer = scans[i];
		assert_int_equal(threads_scan(&t), 0);
		assert_int_equal(t.refused, i > 0);
	}
	threads_end(&t);
}

/* A link to a control group is that group: its threads are watched, and those of groups in it. */
TEST(test_cgroup_link)
{
	char dir[] = "/tmp/tlob-threads-XXXXXX", group[64], child[80], link[64], file[2][128];
	struct attach_config o = { .budget_ns = 1, .cgroup = link };
	struct threads t = { .bpf = &answers };
	size_t i;
	FILE *f;

	assert_non_null(mkdtemp(dir));
	snprintf(group, sizeof(group), "%s/group", dir);
	snprintf(child, sizeof(child), "%s/child", group);
	snprintf(link, sizeof(link), "%s/link", dir);
	snprintf(file[0], sizeof(file[0]), "%s/cgroup.threads", group);
	snprintf(file[1], sizeof(file[1]), "%s/cgroup.threads", child);
	assert_int_equal(mkdir(group, 0700) || mkdir(child, 0700) || symlink("group", link), 0);
	for (i = 0; i < 2; i++) {
		f = fopen(file[i], "w");
		assert_non_null(f);
		fprintf(f, "%d\n", getppid());
		assert_int_equal(fclose(f), 0);
	}
	answer = -ENOSPC;	/* each one that is found is counted */
	assert_int_equal(threads_begin(&t, &o), 0);
	assert_int_equal(threads_scan(&t), 0);
	assert_int_equal(t.refused, 2);
	threads_end(&t);
	assert_int_equal(unlink(file[1]) || rmdir(child) || unlink(file[0]) || rmdir(group) || unlink(link) || rmdir(dir), 0);
}

/* A wrong --until is an error before the first window, and not later. */
TEST(test_until_of_others)
{
	struct attach_config o = { .budget_ns = 1, .tid = getppid(), .nuntil = 1 };
	static const int answers_of_add[] = { -EINVAL, -EOPNOTSUPP };
	struct threads t;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(answers_of_add); i++) {
		t = (struct threads){ .bpf = &answers };
		assert_int_equal(threads_begin(&t, &o), 0);
		for (k = 0; k < 2; k++) {
			answer = answers_of_add[i];
			assert_int_equal(threads_scan(&t), k ? 0 : answer);
		}
		assert_int_equal(t.narrow, answer == -EOPNOTSUPP);
		threads_end(&t);
	}
}

UNIT_MAIN(NULL, NULL)
