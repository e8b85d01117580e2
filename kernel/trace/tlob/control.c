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

#include "monitor.h"
#include "noise.h"
#include "ranges.h"
#include "waits.h"

#define TLOB_CONTROL_MAX	4096	/* bytes; a long CPU list fits */

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
	{ .name = "longest_wait", .set = tlob_set_flag, .show = tlob_show_u64,
	  .val = &tlob_config.longest_wait, .max = 1 },
	TLOB_FLAG(stop_on_exceed),
	TLOB_FLAG(print_stack),
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

char *tlob_control_text(const char __user *buf, size_t size, char **text)
{
	char *copy;

	if (size > TLOB_CONTROL_MAX)
		return ERR_PTR(-EINVAL);
	copy = memdup_user_nul(buf, size);
	if (IS_ERR(copy))
		return copy;
	/* a NUL would hide the text after it; only a final NUL is accepted */
	if (strlen(copy) + 1 < size) {
		kfree(copy);
		return ERR_PTR(-EINVAL);
	}
	*text = strim(copy);
	return copy;
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

/* Returns the 0 or 1 of a write, or a negative errno. */
static int tlob_control_switch(const char __user *buf, size_t size)
{
	char *text, *copy = tlob_control_text(buf, size, &text);
	int on = -EINVAL;

	if (IS_ERR(copy))
		return PTR_ERR(copy);
	if (!strcmp(text, "0") || !strcmp(text, "1"))
		on = *text == '1';
	kfree(copy);
	return on;
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

/* A file that is 0 or 1, and nothing else. Both are called under tlob_mutex. */
struct tlob_switch {
	bool (*get)(void);
	int  (*set)(bool on);
};

static int tlob_switch_show(struct seq_file *m, void *v)
{
	const struct tlob_switch *s = m->private;

	mutex_lock(&tlob_mutex);
	seq_printf(m, "%d\n", s->get());
	mutex_unlock(&tlob_mutex);
	return 0;
}

static int tlob_switch_open(struct inode *inode, struct file *file)
{
	return tlob_may_open() ?:
	       single_open(file, tlob_switch_show, inode->i_private);
}

static ssize_t tlob_switch_write(struct file *file, const char __user *buf,
				 size_t size, loff_t *pos)
{
	const struct seq_file *m = file->private_data;
	const struct tlob_switch *s = m->private;
	int on = tlob_control_switch(buf, size), err;

	if (on < 0)
		return on;
	mutex_lock(&tlob_mutex);
	err = s->set(on);
	mutex_unlock(&tlob_mutex);
	return err ?: size;
}

static const struct file_operations tlob_switch_fops = {
	.owner = THIS_MODULE,
	.open = tlob_switch_open,
	.read = seq_read,
	.write = tlob_switch_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static bool tlob_monitor_wanted_by_file(void)
{
	return tlob_monitor_wanted_by(TLOB_WANTED_BY_FILE);
}

static int tlob_monitor_want_by_file(bool on)
{
	return tlob_monitor_want(TLOB_WANTED_BY_FILE, on);
}

static const struct tlob_switch tlob_file_monitor_enable = {
	.get = tlob_monitor_wanted_by_file, .set = tlob_monitor_want_by_file,
};

static const struct tlob_switch tlob_file_functions_monitor = {
	.get = tlob_functions_of_monitor, .set = tlob_functions_monitor,
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

static int tlob_status_show(struct seq_file *m, void *v)
{
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
	tlob_noise_show(m);
	seq_printf(m, "ring_bytes: %zu\n", tlob_ring_bytes(TLOB_RING_WINDOWS));
	seq_printf(m, "bytes_per_cpu: %zu\n", tlob_ring_bytes(TLOB_RING_WINDOWS) +
		   tlob_hist_bytes(tlob_run.unavailable) + PAGE_SIZE +
		   sizeof(struct tlob_cpu) +
		   (tlob_config.timeline ? tlob_timelines_bytes() : 0) +
		   (tlob_config.longest_wait ? tlob_run_waits_bytes() : 0) +
		   tlob_functions_bytes());
	seq_printf(m, "memory_bytes: %ld\n", atomic_long_read(&tlob_memory));
	tlob_show_differences(m);
	tlob_monitor_show(m);
	tlob_bits_show(m);
	tlob_waits_show(m);
	for_each_cpu(cpu, &tlob_run.cpus)
		tlob_show_cpu(m, tlob_cpu(cpu));
	mutex_unlock(&tlob_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(tlob_status);

static struct dentry *tlob_root;

static int tlob_cpu_files_create(struct dentry *dir, int cpu)
{
	struct tlob_cpu *c = tlob_cpu(cpu);
	struct dentry *d;
	char name[16];

	snprintf(name, sizeof(name), "cpu%d", cpu);
	dir = tlob_create_dir(name, dir);
	if (IS_ERR_OR_NULL(dir))
		return -ENOMEM;
	d = tlob_create_raw_file("tlob_fd", 0600, dir, c, &tlob_fd_fops);
	if (IS_ERR_OR_NULL(d))
		return -ENOMEM;
	d = tlob_create_raw_file("windows", 0600, dir, c, &tlob_windows_fops);
	if (IS_ERR_OR_NULL(d))
		return -ENOMEM;
	d = tlob_create_raw_file("timelines", 0600, dir, c, &tlob_timelines_fops);
	if (IS_ERR_OR_NULL(d))
		return -ENOMEM;
	d = tlob_create_raw_file("longest_waits", 0600, dir, c,
				 &tlob_longest_waits_fops);
	if (IS_ERR_OR_NULL(d))
		return -ENOMEM;
	d = tlob_create_raw_file("functions", 0600, dir, c, &tlob_functions_ring_fops);
	if (IS_ERR_OR_NULL(d))
		return -ENOMEM;
	d = tlob_create_file("functions_hist", 0400, dir, c, &tlob_functions_hist_fops);
	if (IS_ERR_OR_NULL(d))
		return -ENOMEM;
	d = tlob_create_file("hist", 0400, dir, c, &tlob_hist_fops);
	return IS_ERR_OR_NULL(d) ? -ENOMEM : 0;
}

/* Returns 0, -ENOMEM, or -ENODEV if the kernel has no debugfs (tracefs). */
int tlob_files_create(void)
{
	struct dentry *root = tlob_create_root(), *d;
	unsigned int i;
	int cpu, err = -ENOMEM;

	if (IS_ERR_OR_NULL(root))
		return root ? PTR_ERR(root) : -ENODEV;
	tlob_root = root;
	for (i = 0; i < ARRAY_SIZE(tlob_options); i++) {
		d = tlob_create_file(tlob_options[i].name, 0600, root,
				     (void *)&tlob_options[i],
				     &tlob_option_fops);
		if (IS_ERR_OR_NULL(d))
			goto remove;
	}
	d = tlob_create_file("status", 0400, root, NULL, &tlob_status_fops);
	if (IS_ERR_OR_NULL(d))
		goto remove;
	d = tlob_create_file("monitor", 0600, root, NULL, &tlob_bindings_fops);
	if (IS_ERR_OR_NULL(d))
		goto remove;
	d = tlob_create_file("monitor_stat", 0400, root, NULL,
			     &tlob_binding_stats_fops);
	if (IS_ERR_OR_NULL(d))
		goto remove;
	d = tlob_create_file("functions", 0600, root, NULL, &tlob_functions_fops);
	if (IS_ERR_OR_NULL(d))
		goto remove;
	d = tlob_create_file("functions_monitor", 0600, root,
			     (void *)&tlob_file_functions_monitor, &tlob_switch_fops);
	if (IS_ERR_OR_NULL(d))
		goto remove;
	d = tlob_create_file("waits", 0600, root, NULL, &tlob_waits_fops);
	if (IS_ERR_OR_NULL(d))
		goto remove;
	d = tlob_create_file("waits_records", 0400, root, NULL,
			     &tlob_wait_records_fops);
	if (IS_ERR_OR_NULL(d))
		goto remove;
	d = tlob_create_dir("per_cpu", root);
	if (IS_ERR_OR_NULL(d))
		goto remove;
	for_each_possible_cpu(cpu) {
		err = tlob_cpu_files_create(d, cpu);
		if (err)
			goto remove;
	}
	d = tlob_create_file("monitor_enable", 0600, root,
			     (void *)&tlob_file_monitor_enable, &tlob_switch_fops);
	if (IS_ERR_OR_NULL(d))
		goto remove;
	/* must come last: from here on a run can begin */
	d = tlob_create_file("enable", 0600, root, NULL, &tlob_enable_fops);
	if (!IS_ERR_OR_NULL(d))
		return 0;
	err = -ENOMEM;
remove:
	tlob_files_remove();
	return err;
}

/* Waits for file operations that run. Afterwards no file can be opened. */
void tlob_files_remove(void)
{
	tlob_remove(tlob_root);
	tlob_root = NULL;
}
