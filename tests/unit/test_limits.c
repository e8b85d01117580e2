// SPDX-License-Identifier: GPL-2.0
/* Limits of groups on CPU time, in trees of cgroup v2 and v1, and what they did. */
#include "doctor_tree.h"
#include "machine/limits.h"
#include "result/result.h"

#define V2	CGROUP_DIR
#define V1	CGROUP_DIR "/cpu"

static void put_all(const struct file *files)
{
	for (; files->path; files++)
		tree_put(files);
}

static void limits_are(unsigned int of, const char *text)
{
	struct cpu_limits l;
	char *found;

	assert_int_equal(limits_read(&l, tree_root, 0, of), 0);
	found = limits_text(&l);
	if (text)
		assert_string_equal(found, text);
	else
		assert_null(found);
	free(found);
	limits_free(&l);
}

static const struct file v2[] = {
	{ "/proc/self/cgroup", "0::/work.slice/plc\n", 0 },
	{ V2 "/work.slice/cpu.max", "20000 100000\n", 0 },
	{ V2 "/work.slice/cpu.stat", "usage_usec 7\nnr_periods 9\nnr_throttled 3\nthrottled_usec 50\n", 0 },
	{ V2 "/work.slice/plc/cpu.max", "max 100000\n", 0 },
	{ NULL, NULL, 0 },
};

/* A group has the limits of its parents too; "max" is none. cgroup v2 limits no real-time thread. */
TEST(nested_v2)
{
	(void)state;
	limits_are(LIMIT_OF_FAIR, NULL);	/* no cgroup at all */
	put_all(v2);
	limits_are(LIMIT_OF_FAIR, "cpu.max 20ms per 100ms");
	limits_are(LIMIT_OF_RT, NULL);
	tree_put(&(struct file){ V2 "/work.slice/plc/cpu.max", "1500 10000\n", 0 });
	limits_are(LIMIT_OF_FAIR, "cpu.max 1500us per 10ms; cpu.max 20ms per 100ms");
	/* a container sees the limit of its own root */
	tree_put(&(struct file){ "/proc/self/cgroup", "0::/\n", 0 });
	limits_are(LIMIT_OF_FAIR, NULL);
	tree_put(&(struct file){ V2 "/cpu.max", "50000 100000\n", 0 });
	limits_are(LIMIT_OF_FAIR, "cpu.max 50ms per 100ms");
	/* a file without numbers */
	tree_put(&(struct file){ V2 "/cpu.max", "\n", 0 });
	limits_are(LIMIT_OF_FAIR, NULL);
	tree_clear();
}

TEST(nested_v1)
{
	static const struct file v1[] = {
		{ "/proc/self/cgroup", "9:memory:/other\n4:cpu,cpuacct:/a/b\n0::/\n", 0 },
		{ V1 "/cpu.rt_runtime_us", "950000\n", 0 }, { V1 "/cpu.rt_period_us", "1000000\n", 0 },
		{ V1 "/a/cpu.cfs_quota_us", "20000\n", 0 }, { V1 "/a/cpu.cfs_period_us", "100000\n", 0 },
		{ V1 "/a/b/cpu.cfs_quota_us", "-1\n", 0 }, { V1 "/a/b/cpu.cfs_period_us", "100000\n", 0 },
		{ V1 "/a/b/cpu.rt_runtime_us", "0\n", 0 }, { V1 "/a/b/cpu.rt_period_us", "1000000\n", 0 },
		{ NULL, NULL, 0 },
	};

	(void)state;
	put_all(v1);
	limits_are(LIMIT_OF_FAIR, "cpu.cfs_quota_us 20ms per 100ms");
	limits_are(LIMIT_OF_RT, "cpu.rt_runtime_us 0ns per 1s");
	tree_clear();
}

static void did(const struct cpu_limits *l, const char *by, uint64_t count, uint64_t ns)
{
	struct result_limits r = { .text = NULL };

	assert_int_equal(limits_result(l, &r), 0);
	/* once more, as at a checkpoint */
	assert_int_equal(limits_result(l, &r), 0);
	assert_string_equal(r.by, by);
	assert_int_equal(r.nr_throttled, count);
	assert_int_equal(r.throttled_ns, ns);
	free(r.text);
	free(r.by);
}

/* Only what came after the first reading; of nested groups the one that throttled longest. */
TEST(what_they_did)
{
	struct cpu_limits l;

	(void)state;
	put_all(v2);
	tree_put(&(struct file){ V2 "/work.slice/plc/cpu.max", "50000 100000\n", 0 });
	tree_put(&(struct file){ V2 "/work.slice/plc/cpu.stat", "nr_throttled 0\nthrottled_usec 0\n", 0 });
	assert_int_equal(limits_read(&l, tree_root, 0, LIMIT_OF_FAIR), 0);
	did(&l, "group /work.slice/plc has 50ms per 100ms (cpu.max)", 0, 0);
	tree_put(&(struct file){ V2 "/work.slice/cpu.stat", "nr_throttled 8\nthrottled_usec 1050\n", 0 });
	did(&l, "group /work.slice has 20ms per 100ms (cpu.max)", 5, 1000000);
	tree_put(&(struct file){ V2 "/work.slice/plc/cpu.stat", "nr_throttled 1\nthrottled_usec 1001\n", 0 });
	did(&l, "group /work.slice/plc has 50ms per 100ms (cpu.max)", 1, 1001000);
	tree_clear();	/* the group went */
	did(&l, "group /work.slice/plc has 50ms per 100ms (cpu.max)", 0, 0);
	limits_free(&l);
}

/* An ordinary thread has none, nor has one that has exited. */
TEST(of_a_thread)
{
	char *by = limit_own_text(300000, 10000000);

	(void)state;
	assert_string_equal(by, "its own runtime 300us/10ms");
	free(by);
	assert_int_equal(limit_of_thread(&by, getpid()), 0);
	assert_null(by);
	by = tree_root;
	assert_int_equal(limit_of_thread(&by, -1), 0);
	assert_null(by);
}

UNIT_MAIN(tree_setup, tree_teardown)
