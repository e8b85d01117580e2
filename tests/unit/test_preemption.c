// SPDX-License-Identifier: GPL-2.0
/* The preemption model of machines that show some of its sources, and the source that counts. */
#include "doctor_tree.h"
#include "machine/kconfig.h"
#include "machine/preemption.h"

#define VERSION(words)	{ "/proc/version", "Linux version 6.12.0 (gcc) #1 SMP " words " Debian\n", 0 }
#define RELEASE		{ "/proc/sys/kernel/osrelease", "6.12.0\n", 0 }
#define DEBUGFS(text)	{ "/sys/kernel/debug/sched/preempt", text "\n", 0 }
#define ARGUMENTS(text)	{ "/proc/cmdline", text "\n", 0 }
#define LOG(text)	{ "/dev/kmsg", "<6>[0.1] a\n<6>[0.2] Dynamic Preempt: " text "\n<6>[0.3] b\n", 0 }
#define CONFIG(text)	{ "/boot/config-6.12.0", text "\n", 0 }
#define MOST		8

static const struct {
	struct file tree[MOST];
	const char *model, *source;	/* NULL: unknown */
} machines[] = {
	/* PREEMPT_RT, whatever debugfs says of ordinary threads */
	{ { { "/sys/kernel/realtime", "1\n", 0 }, DEBUGFS("(full) lazy") }, "rt", "/sys/kernel/realtime" },
	{ { VERSION("PREEMPT_RT"), DEBUGFS("full (lazy)") }, "rt", "/proc/version" },
	{ { VERSION("PREEMPT_DYNAMIC"), DEBUGFS("(none) voluntary full"), ARGUMENTS("preempt=full"), LOG("full") },
	  "none", "/sys/kernel/debug/sched/preempt" },
	/* debugfs is closed: the case that was taken for full */
	{ { VERSION("PREEMPT_DYNAMIC"), ARGUMENTS("quiet preempt=none"), LOG("none"), RELEASE, CONFIG("CONFIG_PREEMPT=y") },
	  "none", "/proc/cmdline" },
	{ { VERSION("PREEMPT_DYNAMIC"), ARGUMENTS("preempt=full preempt=voluntary xpreempt=none -- preempt=none"), LOG("none") },
	  "voluntary", "/proc/cmdline" },
	{ { VERSION("PREEMPT_DYNAMIC"), ARGUMENTS("preempt=often"), LOG("lazy") }, "lazy", "/dev/kmsg" },
	{ { VERSION("PREEMPT_DYNAMIC"), ARGUMENTS("quiet"), RELEASE, CONFIG("CONFIG_PREEMPT_BUILD=y\nCONFIG_PREEMPT_VOLUNTARY=y\nCONFIG_PREEMPT_DYNAMIC=y") },
	  "voluntary", "/boot/config-6.12.0" },
	/* an argument may have changed the default, and could not be read */
	{ { VERSION("PREEMPT_DYNAMIC"), RELEASE, CONFIG("CONFIG_PREEMPT_VOLUNTARY=y") }, NULL, "" },
	{ { VERSION("PREEMPT_DYNAMIC"), ARGUMENTS("quiet"), RELEASE }, NULL, "" },
	/* a kernel that ignores the argument */
	{ { VERSION("PREEMPT"), ARGUMENTS("preempt=none"), RELEASE, CONFIG("CONFIG_PREEMPT=y") }, "full", "/boot/config-6.12.0" },
	{ { VERSION(""), ARGUMENTS("preempt=full"), RELEASE, CONFIG("CONFIG_PREEMPT_NONE=y") }, "none", "/boot/config-6.12.0" },
	{ { VERSION("PREEMPT"), ARGUMENTS("quiet"), RELEASE }, NULL, "" },
	{ { ARGUMENTS("preempt=full"), LOG("full") }, NULL, "" },
	{ { RELEASE }, NULL, "" },
};

static void read_tree(struct preemption *p)
{
	struct kconfig config = { 0 };

	assert_int_equal(preemption_read(p, tree_root, &config), 0);
	kconfig_free(&config);
}

TEST(test_machines)
{
	struct preemption p;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(machines); i++) {
		tree_clear();
		for (k = 0; k < MOST && machines[i].tree[k].path; k++)
			tree_put(&machines[i].tree[k]);
		read_tree(&p);
		if (strcmp(p.model ? p.model : "unknown", machines[i].model ? machines[i].model : "unknown") ||
		    strcmp(p.source, machines[i].model ? machines[i].source : ""))
			fail_msg("machine %zu: '%s' from '%s'", i, p.model ? p.model : "unknown", p.source);
	}
}

/* A file that exists and cannot be read leaves the answer to the next one. */
TEST(test_unreadable)
{
	static const struct file files[] = {
		VERSION("PREEMPT_DYNAMIC"), DEBUGFS("(full)"), ARGUMENTS("preempt=none"), LOG("voluntary"),
	};
	struct preemption p;
	size_t i;

	tree_clear();
	for (i = 0; i < ARRAY_SIZE(files); i++)
		tree_put(&files[i]);
	tree_spoil(files[1].path);
	read_tree(&p);
	assert_string_equal(p.model, "none");
	tree_spoil(files[2].path);
	read_tree(&p);
	assert_string_equal(p.model, "voluntary");
	tree_spoil(files[3].path);
	read_tree(&p);
	assert_null(p.model);
}

UNIT_MAIN(tree_setup, tree_teardown)
