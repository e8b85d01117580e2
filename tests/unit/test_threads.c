// SPDX-License-Identifier: GPL-2.0
/* attach: how many threads were not watched. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"
#include "attach/threads.h"
#include "attach/watch_bpf.h"
#include "machine/cgroup.h"
#include "options/attach_config.h"
#include "result/result.h"

#define ADDED_ONCE	1

static int answer, watched;		/* to all but the one that is watched */
static int added;			/* with ADDED_ONCE */

static int answer_add(struct watch_bpf_run *run, int tid)
{
	if (answer == ADDED_ONCE) {
		if (added == tid)
			return -EBUSY;
		added = tid;
	}
	return answer == ADDED_ONCE || tid == watched ? 0 : answer;
}

/* test_cgroup.c has the real one. */
int cgroup_find(const char *path, char **dir, const char **below)
{
	*dir = strdup(path);
	return *dir ? 0 : -ENOMEM;
}

static void no_sweep(struct watch_bpf_run *run)
{
}

static const struct watch_bpf_calls answers = { .add = answer_add, .sweep = no_sweep };

/* Threads that had no slot may end before the last scan. They were not watched all the same. */
TEST(test_unwatched_stay)
{
	static const int scans[] = { 0, -ENOSPC, 0, -ESRCH, -EBUSY };
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

/* A control group and one in it, with the same thread. */
static char dir[32], group[64], child[80];

static void put_thread(const char *of)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cgroup.threads", of);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%d\n", getppid());
	assert_int_equal(fclose(f), 0);
}

static int make_groups(void **state)
{
	strcpy(dir, "/tmp/tlob-threads-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(group, sizeof(group), "%s/group", dir);
	snprintf(child, sizeof(child), "%s/child", group);
	assert_int_equal(mkdir(group, 0700) || mkdir(child, 0700), 0);
	put_thread(group);
	put_thread(child);
	return 0;
}

static int remove_groups(void **state)
{
	const char *of[] = { child, group };
	char path[128];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(of); i++) {
		snprintf(path, sizeof(path), "%s/cgroup.threads", of[i]);
		assert_int_equal(unlink(path) || rmdir(of[i]), 0);
	}
	return rmdir(dir);
}

/* The threads of a control group are watched, and those of groups in it. */
TEST_WITH(test_cgroup, make_groups, remove_groups)
{
	const struct attach_config o = { .budget_ns = 1, .cgroup = group };
	struct threads t = { .bpf = &answers };

	answer = -ENOSPC;	/* each one that is found is counted */
	assert_int_equal(threads_begin(&t, &o), 0);
	assert_int_equal(threads_scan(&t), 0);
	assert_int_equal(t.refused, 2);
	threads_end(&t);
}

/* A thread that the first scan meets twice is watched already; one of another program is refused. */
TEST_WITH(test_met_twice, make_groups, remove_groups)
{
	const struct attach_config o = { .budget_ns = 1, .cgroup = group };
	struct threads t = { .bpf = &answers };

	answer = ADDED_ONCE;
	assert_int_equal(threads_begin(&t, &o), 0);
	assert_int_equal(threads_scan(&t), 0);
	assert_int_equal(added, getppid());
	threads_end(&t);
}

static void assert_notes(const struct threads *t, const char *said)
{
	char **notes = NULL;

	assert_int_equal(threads_notes(t, &notes), 0);
	if (said)
		assert_contains(notes[0], said);
	else
		assert_null(notes);
	notes_free(notes);
}

/*
 * --until does not apply to some threads. If only such threads were chosen, attach refuses. If there
 * are others, or if such a thread starts later, it is skipped and a note says so.
 */
TEST(test_until_of_others)
{
	static const struct {
		int answer;
		const char *note;
	} left_out[] = {
		{ -EINVAL, "kernel threads" }, { -EOPNOTSUPP, "32-bit" }, { -EACCES, "CAP_SYS_PTRACE" },
	};
	const struct attach_config chosen[] = {
		{ .budget_ns = 1, .nuntil = 1, .tid = getppid() },
		{ .budget_ns = 1, .nuntil = 1, .pid = getppid() },
		{ .budget_ns = 1, .nuntil = 1, .comm = "*" },
	};
	struct threads t;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(left_out); i++) {
		for (k = 0; k < ARRAY_SIZE(chosen); k++) {
			t = (struct threads){ .bpf = &answers };
			assert_int_equal(threads_begin(&t, &chosen[k]), 0);
			answer = left_out[i].answer;
			assert_int_equal(threads_scan(&t), answer);
			threads_end(&t);
		}
		t = (struct threads){ .bpf = &answers };
		assert_int_equal(threads_begin(&t, &chosen[1]), 0);
		answer = 0;
		assert_int_equal(threads_scan(&t), 0);
		assert_notes(&t, NULL);
		answer = left_out[i].answer;
		assert_int_equal(threads_scan(&t), 0);
		assert_notes(&t, left_out[i].note);
		threads_end(&t);
	}
}

/* One of several on the first scan. Of a program that cannot be read it may be any of these. */
TEST(test_until_of_some)
{
	const struct attach_config o = { .budget_ns = 1, .nuntil = 1, .comm = "*" };
	static const int answers_of_add[] = { -EINVAL, -EOPNOTSUPP, -EACCES };
	struct threads t;
	size_t i;

	watched = getppid();
	for (i = 0; i < ARRAY_SIZE(answers_of_add); i++) {
		t = (struct threads){ .bpf = &answers };
		answer = answers_of_add[i];
		assert_int_equal(threads_begin(&t, &o), 0);
		assert_int_equal(threads_scan(&t), answer == -EACCES ? answer : 0);
		if (answer != -EACCES)
			assert_notes(&t, answer == -EINVAL ? "kernel threads" : "32-bit");
		threads_end(&t);
	}
	watched = 0;
}

UNIT_MAIN(NULL, NULL)
