// SPDX-License-Identifier: GPL-2.0
/*
 * The files in tlob_load/. docs/reference/kernel-interface.md describes each. A
 * table has one row per setting. A value is parsed whole before any setting
 * changes.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../base/options.h"
#include "../base/room.h"
#include "../noise/noise.h"
#include "../ring/ring.h"
#include "../split/ranges.h"
#include "../window/extra.h"
#include "run.h"

struct tlob_option {
	const char *name;
	int  (*set)(const struct tlob_option *o, const char *text);
	void (*show)(const struct tlob_option *o, struct seq_file *m);
	u64  *val;			/* numbers and choices */
	u64  min, max;			/* numbers */
	const char * const *choices;	/* NULL-terminated; *val is the index */
	bool running;			/* may be written during a run */
};

static int tlob_set_u64(const struct tlob_option *o, const char *text)
{
	u64 val;
	int err = kstrtou64(text, 10, &val);

	if (err)
		return err;
	if (val < o->min || val > o->max)
		return -ERANGE;
	WRITE_ONCE(*o->val, val);
	return 0;
}

/* A flag is 0 or 1; all other values give EINVAL, not ERANGE. */
static int tlob_set_flag(const struct tlob_option *o, const char *text)
{
	int err = tlob_set_u64(o, text);

	return err == -ERANGE ? -EINVAL : err;
}

/* Every build has this setting, so that a tool can write 0 to all of them. */
static int tlob_set_longest_wait(const struct tlob_option *o, const char *text)
{
	int err = tlob_set_flag(o, text);

#ifndef TLOB_HAS_WAITS
	if (!err && tlob_config.longest_wait) {
		tlob_config.longest_wait = 0;
		err = -EOPNOTSUPP;
	}
#endif
	return err;
}

static void tlob_show_u64(const struct tlob_option *o, struct seq_file *m)
{
	seq_printf(m, "%llu\n", READ_ONCE(*o->val));
}

/* Accepts a number or "none". */
static int tlob_set_phase(const struct tlob_option *o, const char *text)
{
	if (strcmp(text, "none"))
		return tlob_set_u64(o, text);
	*o->val = TLOB_NO_PHASE;
	return 0;
}

static void tlob_show_phase(const struct tlob_option *o, struct seq_file *m)
{
	if (*o->val == TLOB_NO_PHASE)
		seq_puts(m, "none\n");
	else
		tlob_show_u64(o, m);
}

static int tlob_set_choice(const struct tlob_option *o, const char *text)
{
	u64 i;

	for (i = 0; o->choices[i]; i++) {
		if (strcmp(o->choices[i], text))
			continue;
		*o->val = i;
		return 0;
	}
	return -EINVAL;
}

static void tlob_show_choice(const struct tlob_option *o, struct seq_file *m)
{
	seq_printf(m, "%s\n", o->choices[*o->val]);
}

static int tlob_set_cpus(const struct tlob_option *o, const char *text)
{
	cpumask_var_t mask;
	int err;

	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	err = cpulist_parse(text, mask);
	if (!err && cpumask_empty(mask))
		err = -EINVAL;
	if (!err && !cpumask_subset(mask, cpu_possible_mask))
		err = -ERANGE;
	if (!err)
		cpumask_copy(&tlob_config.cpus, mask);
	free_cpumask_var(mask);
	return err;
}

static void tlob_show_cpus(const struct tlob_option *o, struct seq_file *m)
{
	seq_printf(m, "%*pbl\n", cpumask_pr_args(&tlob_config.cpus));
}

static int tlob_set_work(const struct tlob_option *o, const char *text)
{
	struct tlob_work work;
	int err;

	if (strlen(text) >= sizeof(tlob_config.work_text))
		return -EINVAL;
	err = tlob_parse_work(text, &work);
	if (err)
		return err;
	if (tlob_work_is_user(&work))
		return -EOPNOTSUPP;
	if (work.node != TLOB_WORK_NO_NODE &&
	    (work.node >= MAX_NUMNODES || !node_online(work.node)))
		return -ERANGE;
	tlob_config.work = work;
	strscpy(tlob_config.work_text, text, sizeof(tlob_config.work_text));
	return 0;
}

static void tlob_show_work(const struct tlob_option *o, struct seq_file *m)
{
	seq_printf(m, "%s\n", tlob_config.work_text);
}

static int tlob_set_policy(const struct tlob_option *o, const char *text)
{
	return tlob_parse_policy(text, &tlob_config.policy);
}

static void tlob_option_show_policy(const struct tlob_option *o,
				    struct seq_file *m)
{
	tlob_show_policy(m, &tlob_config.policy);
}

static const char * const tlob_workload_names[] = {
	[TLOB_KTHREAD] = "kthread", [TLOB_USER] = "user", NULL,
};

static const char * const tlob_source_names[] = {
	[TLOB_AUTO] = "auto", [TLOB_OSNOISE] = "osnoise",
	[TLOB_HOOKS] = "hooks", [TLOB_BOTH] = "both", NULL,
};

#define TLOB_NUMBER(_name, _min, _max)					\
	{ .name = #_name, .set = tlob_set_u64, .show = tlob_show_u64,	\
	  .val = &tlob_config._name, .min = (_min), .max = (_max) }
#define TLOB_FLAG(_name)						\
	{ .name = #_name, .set = tlob_set_flag, .show = tlob_show_u64,	\
	  .val = &tlob_config._name, .max = 1, .running = true }
#define TLOB_CHOICE(_name, _choices)					\
	{ .name = #_name, .set = tlob_set_choice,			\
	  .show = tlob_show_choice, .val = &tlob_config._name,		\
	  .choices = (_choices) }

static const struct tlob_option tlob_options[] = {
	TLOB_CHOICE(workload, tlob_workload_names),
	{ .name = "cpus", .set = tlob_set_cpus, .show = tlob_show_cpus },
	TLOB_NUMBER(period_ns, TLOB_PERIOD_MIN, TLOB_PERIOD_MAX),
	TLOB_NUMBER(budget_ns, TLOB_BUDGET_MIN, TLOB_BUDGET_MAX),
	{ .name = "work", .set = tlob_set_work, .show = tlob_show_work },
	{ .name = "policy", .set = tlob_set_policy,
	  .show = tlob_option_show_policy },
	TLOB_NUMBER(align_ns, 0, TLOB_ALIGN_MAX),
	{ .name = "phase_ns", .set = tlob_set_phase, .show = tlob_show_phase,
	  .val = &tlob_config.phase_ns, .max = TLOB_PHASE_MAX },
	TLOB_NUMBER(warm_up, 0, TLOB_WARM_UP_MAX),
	TLOB_CHOICE(noise_source, tlob_source_names),
	TLOB_NUMBER(hw_threshold_ns, TLOB_HW_THRESHOLD_MIN,
		    TLOB_HW_THRESHOLD_MAX),
	/* unlike the other flags only between runs: they need memory */
	{ .name = "timeline", .set = tlob_set_flag, .show = tlob_show_u64,
	  .val = &tlob_config.timeline, .max = 1 },
	{ .name = "longest_wait", .set = tlob_set_longest_wait, .show = tlob_show_u64,
	  .val = &tlob_config.longest_wait, .max = 1 },
	TLOB_FLAG(stop_on_exceed),
};

static int tlob_option_show(struct seq_file *m, void *v)
{
	const struct tlob_option *o = m->private;

	mutex_lock(&tlob_mutex);
	o->show(o, m);
	mutex_unlock(&tlob_mutex);
	return 0;
}

static int tlob_option_open(struct inode *inode, struct file *file)
{
	return tlob_may_open() ?:
	       single_open(file, tlob_option_show, inode->i_private);
}

static ssize_t tlob_option_write(struct file *file, const char __user *buf,
				 size_t size, loff_t *pos)
{
	struct seq_file *m = file->private_data;
	const struct tlob_option *o = m->private;
	char *text, *copy = tlob_control_text(buf, size, &text);
	int err;

	if (IS_ERR(copy))
		return PTR_ERR(copy);
	mutex_lock(&tlob_mutex);
	if (tlob_run.state == TLOB_ENABLED && !o->running)
		err = -EBUSY;
	else
		err = o->set(o, text);
	mutex_unlock(&tlob_mutex);
	kfree(copy);
	return err ?: size;
}

static const struct file_operations tlob_option_fops = {
	.owner = THIS_MODULE,
	.open = tlob_option_open,
	.read = seq_read,
	.write = tlob_option_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int tlob_enable_show(struct seq_file *m, void *v)
{
	mutex_lock(&tlob_mutex);
	if (tlob_run.state == TLOB_ENABLED && READ_ONCE(tlob_run.stopping))
		seq_puts(m, "stopped\n");
	else
		seq_printf(m, "%d\n", tlob_run.state == TLOB_ENABLED);
	mutex_unlock(&tlob_mutex);
	return 0;
}

static int tlob_enable_open(struct inode *inode, struct file *file)
{
	return tlob_may_open() ?: single_open(file, tlob_enable_show, NULL);
}

static ssize_t tlob_enable_write(struct file *file, const char __user *buf,
				 size_t size, loff_t *pos)
{
	int on = tlob_control_switch(buf, size), err = 0;

	if (on < 0)
		return on;
	if (on)
		err = tlob_run_start();
	else
		tlob_run_stop();
	return err ?: size;
}

static const struct file_operations tlob_enable_fops = {
	.owner = THIS_MODULE,
	.open = tlob_enable_open,
	.read = seq_read,
	.write = tlob_enable_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static void tlob_show_differences(struct seq_file *m)
{
	unsigned int i;
	int cpu;

	if (!tlob_run.compared)
		return;
	seq_puts(m, "max_difference_ns:");
	for (i = 0; i < TLOB_NR_PARTS; i++) {
		u64 max = 0;

		for_each_cpu(cpu, &tlob_run.cpus)
			max = max(max, READ_ONCE(tlob_cpu(cpu)->stats.difference[i]));
		seq_printf(m, " %s=%llu",
			   tlob_metric_names[TLOB_METRIC_PARTS + i], max);
	}
	seq_putc(m, '\n');
}

static void tlob_show_cpu(struct seq_file *m, const struct tlob_cpu *c)
{
	static const char * const states[] = {
		[TLOB_CLOSED] = "closed", [TLOB_OPEN] = "open",
		[TLOB_ARMED] = "armed", [TLOB_FIRED] = "fired",
		[TLOB_IN_WINDOW] = "in_window", [TLOB_ENDED] = "ended",
	};
	const struct tlob_stats *st = &c->stats;
	u64 expiries = READ_ONCE(c->armed_once) ?
		       READ_ONCE(c->activation) -
		       READ_ONCE(st->first_activation) + 1 : 0;

	seq_printf(m, "cpu%d: state=%s windows=%llu violations=%llu missed=%llu aborted=%llu expiries=%llu",
		   c->cpu, states[READ_ONCE(c->state)], READ_ONCE(st->windows),
		   READ_ONCE(st->violations), READ_ONCE(st->missed),
		   READ_ONCE(st->aborted), expiries);
	seq_printf(m, " lost=%llu sum_failures=%llu errors=%llu adjusted_ns=%llu clock_steps=%llu",
		   c->ring ? tlob_ring_lost(c->ring) : st->lost,
		   READ_ONCE(st->sum_failures),
		   READ_ONCE(st->errors), READ_ONCE(st->adjusted_ns),
		   READ_ONCE(st->clock_steps));
	seq_printf(m, " demand_ns=%llu demand_spread_ns=%llu migrated=%llu work_sum=%llu overhead_ns=%llu",
		   READ_ONCE(st->demand_ns), READ_ONCE(st->demand_spread_ns),
		   READ_ONCE(st->migrated), READ_ONCE(st->work_sum),
		   READ_ONCE(st->overhead_ns));
	seq_printf(m, " start_ns=%llu first_activation=%llu offline=%d pid=%d\n",
		   c->grid_start, READ_ONCE(st->first_activation),
		   READ_ONCE(c->gone), READ_ONCE(c->pid));
}

/* Lists the options that this build has. */
static void tlob_show_options(struct seq_file *m)
{
	const struct tlob_room * const *room;

	seq_puts(m, "options:");
	for (room = tlob_rooms; *room; room++)
		seq_printf(m, " %s", (*room)->name);
#ifdef TLOB_INLINE_CLOCK
	seq_puts(m, " inline_clock\n");
#else
	seq_puts(m, *tlob_rooms ? "\n" : " none\n");
#endif
}

static int tlob_status_show(struct seq_file *m, void *v)
{
	const struct tlob_room * const *room;
	int cpu, stopped;

	mutex_lock(&tlob_mutex);
	/* pairs with the release in tlob_window_exceeded() */
	stopped = smp_load_acquire(&tlob_run.stopped_cpu);
	seq_printf(m, "state: %s\n",
		   tlob_run.state != TLOB_ENABLED ? "disabled" :
		   READ_ONCE(tlob_run.stopping) ? "stopped" : "enabled");
	if (stopped < 0)
		seq_puts(m, "stopped_by: none\n");
	else
		seq_printf(m, "stopped_by: cpu%d activation %llu\n", stopped,
			   tlob_run.stopped_activation);
	seq_printf(m, "workload: %s\n",
		   tlob_workload_names[tlob_config.workload]);
	seq_printf(m, "clock_resolution_ns: %u\n", tlob_clock_resolution());
	tlob_show_options(m);
	tlob_noise_show(m);
	seq_printf(m, "ring_bytes: %zu\n", tlob_ring_bytes(&tlob_windows_kind));
	seq_printf(m, "bytes_per_cpu: %zu\n", tlob_ring_bytes(&tlob_windows_kind) +
		   tlob_hist_bytes(tlob_run.unavailable) + PAGE_SIZE +
		   sizeof(struct tlob_cpu) + tlob_extra_bytes());
	seq_printf(m, "memory_bytes: %ld\n", atomic_long_read(&tlob_memory));
	tlob_show_differences(m);
	for (room = tlob_rooms; *room; room++)
		if ((*room)->show)
			(*room)->show(m);
	for_each_cpu(cpu, &tlob_run.cpus)
		tlob_show_cpu(m, tlob_cpu(cpu));
	mutex_unlock(&tlob_mutex);
	return 0;
}

/* The kernel's lockdown leaves it open: it shows nothing of programs. */
static int tlob_status_open(struct inode *inode, struct file *file)
{
	return READ_ONCE(tlob_loaded) ? single_open(file, tlob_status_show, NULL) : -ENODEV;
}

static const struct file_operations tlob_status_fops = {
	.owner = THIS_MODULE,
	.open = tlob_status_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static const struct tlob_file_entry tlob_first_files[] = {
	{ "status", 0400, &tlob_status_fops },
	{}
};

/* Comes last: from here on a run can begin. */
static const struct tlob_file_entry tlob_last_files[] = {
	{ "enable", 0600, &tlob_enable_fops },
	{}
};

static const struct tlob_file_entry tlob_cpu_files[] = {
	{ "tlob_fd", 0600, &tlob_fd_fops, .raw = true },
	{ "windows", 0600, &tlob_windows_fops, .raw = true },
	{ "hist", 0400, &tlob_hist_fops },
	{}
};

static struct dentry *tlob_root;

/*
 * Creates the @files, which may be NULL. @data is for files without their own. Returns 0 or
 * -ENOMEM.
 */
static int tlob_create_all(struct dentry *dir, const struct tlob_file_entry *f, void *data)
{
	struct dentry *d;

	for (; f && f->name; f++) {
		void *of = f->data ? (void *)f->data : data;

		d = f->raw ? tlob_create_raw_file(f->name, f->mode, dir, of, f->fops) :
			     tlob_create_file(f->name, f->mode, dir, of, f->fops);
		if (IS_ERR_OR_NULL(d))
			return -ENOMEM;
	}
	return 0;
}

static int tlob_cpu_files_create(struct dentry *dir, int cpu)
{
	struct tlob_cpu *c = tlob_cpu(cpu);
	const struct tlob_room * const *room;
	const struct tlob_extra *e, **i;
	char name[16];
	int err;

	snprintf(name, sizeof(name), "cpu%d", cpu);
	dir = tlob_create_dir(name, dir);
	if (IS_ERR_OR_NULL(dir))
		return -ENOMEM;
	err = tlob_create_all(dir, tlob_cpu_files, c);
	tlob_for_each_extra(e, i) {
		const struct tlob_file_entry ring[] = {
			{ e->file, 0600, e->fops, .raw = true }, {}
		};

		err = err ?: tlob_create_all(dir, ring, c);
	}
	for (room = tlob_rooms; *room; room++)
		err = err ?: tlob_create_all(dir, (*room)->cpu_files, c);
	return err;
}

static int tlob_per_cpu_create(struct dentry *root)
{
	struct dentry *dir = tlob_create_dir("per_cpu", root);
	int cpu, err = IS_ERR_OR_NULL(dir) ? -ENOMEM : 0;

	for_each_possible_cpu(cpu)
		err = err ?: tlob_cpu_files_create(dir, cpu);
	return err;
}

static int tlob_options_create(struct dentry *root)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(tlob_options); i++) {
		const struct tlob_file_entry f[] = {
			{ tlob_options[i].name, 0600, &tlob_option_fops, &tlob_options[i] }, {}
		};

		err = err ?: tlob_create_all(root, f, NULL);
	}
	return err;
}

/*
 * Returns 0, -ENOMEM, or -ENODEV if the kernel has no debugfs (tracefs). After an error
 * the caller calls tlob_files_remove().
 */
int tlob_files_create(void)
{
	const struct tlob_room * const *room;
	struct dentry *root = tlob_create_dir("tlob_load", NULL);
	int err;

	if (IS_ERR_OR_NULL(root))
		return root ? PTR_ERR(root) : -ENODEV;
	tlob_root = root;
	err = tlob_options_create(root);
	err = err ?: tlob_create_all(root, tlob_first_files, NULL);
	for (room = tlob_rooms; *room; room++)
		err = err ?: tlob_create_all(root, (*room)->files, NULL);
	err = err ?: tlob_per_cpu_create(root);
	return err ?: tlob_create_all(root, tlob_last_files, NULL);
}

/* Waits for file operations that run. Afterwards no file can be opened. */
void tlob_files_remove(void)
{
	tlob_remove(tlob_root);
	tlob_root = NULL;
}
