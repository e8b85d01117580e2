// SPDX-License-Identifier: GPL-2.0
/*
 * Test only: the last step of tlob_load's init fails, the registration of /dev/tlob. A write to
 * /sys/kernel/debug/tlob_inject/load:
 *
 *	fail	from here on it stops there, until a task writes "go" or the file is closed, and
 *		then fails with ENOMEM
 *	await	waits until it has stopped
 *	go	see fail
 */
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "inject.h"

static DECLARE_WAIT_QUEUE_HEAD(changed);
static bool fails, stopped;

/* Instead of misc_register(). */
static int refuse(struct miscdevice *device)
{
	WRITE_ONCE(stopped, true);
	wake_up_all(&changed);
	/* killed, it closes the file */
	return wait_event_killable(changed, !READ_ONCE(fails)) ?: -ENOMEM;
}

static int at_register(struct kprobe *probe, struct pt_regs *regs)
{
	const struct miscdevice *device = (void *)regs_get_kernel_argument(regs, 0);

	if (strcmp(device->name, "tlob"))
		return 0;
	instruction_pointer_set(regs, (unsigned long)refuse);
	return 1;
}

static struct kprobe probe;

static void go(void)
{
	if (!fails)
		return;
	unregister_kprobe(&probe);
	WRITE_ONCE(fails, false);
	wake_up_all(&changed);
}

static int fail(void)
{
	int err;

	if (fails)
		return -EBUSY;
	stopped = false;
	fails = true;
	probe = (struct kprobe){ .symbol_name = "misc_register", .pre_handler = at_register };
	err = register_kprobe(&probe);
	if (err)
		fails = false;
	return err;
}

static int load_command(const char *text)
{
	if (!strcmp(text, "fail"))
		return fail();
	if (!strcmp(text, "await"))
		return wait_event_killable(changed, READ_ONCE(stopped));
	if (strcmp(text, "go"))
		return -EINVAL;
	go();
	return 0;
}

static ssize_t load_write(struct file *file, const char __user *buf,
			  size_t size, loff_t *pos)
{
	return inject_write(buf, size, load_command);
}

static int load_release(struct inode *inode, struct file *file)
{
	go();
	return 0;
}

static const struct file_operations load_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = load_write,
	.release = load_release,
};

void inject_load_init(struct dentry *dir)
{
	debugfs_create_file("load", 0600, dir, NULL, &load_fops);
}
