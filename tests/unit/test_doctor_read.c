// SPDX-License-Identifier: GPL-2.0
/* Readers of the facts of doctor's rules: lists of CPUs, lines of /proc, configurations. */
#include <zlib.h>

#include "doctor/tasks.h"
#include "doctor_tree.h"
#include "machine/kconfig.h"
#include "util/cpulist.h"

TEST(test_lists)
{
	static const char * const bad[] = { "1,", "a", "-1", "2-1", "1-", "8192", "1 2", "1--2", "99999999999" };
	struct cpulist s;
	char *text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (!cpulist_parse(&s, bad[i]))
			fail_msg("'%s' is accepted", bad[i]);
	assert_int_equal(cpulist_parse(&s, "0,2-5,8191\n"), 0);
	assert_int_equal(cpulist_count(&s), 6);
	text = cpulist_format(&s);
	assert_string_equal(text, "0,2-5,8191");
	free(text);
	assert_int_equal(cpulist_parse_mask(&s, "1,80000003\n"), 0);
	text = cpulist_format(&s);
	assert_string_equal(text, "0-1,31-32");
	free(text);
	text = cpulist_format_mask(&s);
	assert_string_equal(text, "1,80000003");
	free(text);
	assert_int_equal(cpulist_parse_mask(&s, ""), -EINVAL);
	assert_int_equal(cpulist_parse_mask(&s, "fg"), -EINVAL);
	assert_int_equal(cpulist_parse(&s, "(null)"), 0);
	assert_true(cpulist_is_empty(&s));
	text = cpulist_format_mask(&s);
	assert_string_equal(text, "0");
	free(text);
}

/* A name may have blanks and brackets; a line that is cut short is refused. */
TEST(test_stat)
{
	static const char line[] = STAT(7, "a) (b", USER, 5, 2);
	struct task t = { 0 };
	char cut[sizeof(line)], policy[TASK_POLICY_LEN];
	size_t n;

	assert_int_equal(task_parse(&t, line), 0);
	assert_string_equal(t.comm, "a) (b");
	assert_string_equal(task_policy(policy, &t), "rr:5");
	assert_false(t.kthread);
	for (n = 0; n < strlen(line) - strlen(" 2 0 0\n"); n++) {
		snprintf(cut, sizeof(cut), "%.*s", (int)n, line);
		if (!task_parse(&t, cut))
			fail_msg("'%s' is accepted", cut);
	}
}

/* The packed file comes first; one that is cut short does not count, and then /boot does. */
TEST(test_config)
{
	static const char packed[] = "CONFIG_PREEMPT_RT=y\nCONFIG_RV=m\n# CONFIG_KASAN is not set\nCONFIG_HZ=250\n";
	static const struct file boot = { "/boot/config-6.12", "CONFIG_KASAN=y\n", 0 };
	static const struct file release = { "/proc/sys/kernel/osrelease", "6.12\n", 0 },
				 other = { "/proc/sys/kernel/osrelease", "6.13\n", 0 };
	struct kconfig k = { 0 };
	struct stat st;
	gzFile f;

	tree_clear();
	tree_make_dirs("/proc/");
	f = gzopen(tree_path("/proc/config.gz"), "wb");
	assert_non_null(f);
	assert_int_equal(gzputs(f, packed), strlen(packed));
	assert_int_equal(gzclose(f), Z_OK);
	tree_put(&boot);
	tree_put(&release);
	assert_int_equal(kconfig_read(&k, tree_root), 0);
	assert_string_equal(k.path, "/proc/config.gz");
	assert_true(kconfig_is_on(&k, "PREEMPT_RT") && kconfig_is_on(&k, "RV"));
	assert_false(kconfig_is_on(&k, "KASAN") || kconfig_is_on(&k, "PREEMPT") || kconfig_is_on(&k, "HZ"));

	/* it is read once */
	assert_int_equal(stat(tree_path("/proc/config.gz"), &st), 0);
	assert_int_equal(truncate(tree_path("/proc/config.gz"), st.st_size - 9), 0);
	assert_int_equal(kconfig_read(&k, tree_root), 0);
	assert_string_equal(k.path, "/proc/config.gz");
	kconfig_free(&k);
	assert_int_equal(kconfig_read(&k, tree_root), 0);
	assert_string_equal(k.path, "/boot/config-6.12");
	assert_true(kconfig_is_on(&k, "KASAN"));
	kconfig_free(&k);

	tree_put(&other);
	assert_int_equal(kconfig_read(&k, tree_root), 0);
	assert_null(k.text);
	assert_contains(k.why, "/proc/config.gz: ");
	assert_contains(k.why, "/boot/config-6.13: No such file");
	kconfig_free(&k);
}

UNIT_MAIN(tree_setup, tree_teardown)
