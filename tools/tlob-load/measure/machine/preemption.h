/* SPDX-License-Identifier: GPL-2.0 */
/* The preemption model of a kernel, and the file that says so. */
#ifndef TLOB_MACHINE_PREEMPTION_H
#define TLOB_MACHINE_PREEMPTION_H

struct kconfig;

struct preemption {
	const char *model;	/* rt, full, lazy, voluntary or none; NULL: no file says */
	char source[128];	/* the file; "" if no file says */
};

/* The files that are asked below a root, in the order of trust. */
#define PREEMPTION_FILES \
	"/sys/kernel/realtime /proc/version /sys/kernel/debug/sched/preempt /proc/cmdline /dev/kmsg " \
	"/proc/config.gz /boot/config-RELEASE"

/*
 * @config is the kernel's configuration, which is read here if no other file says, and it has not been
 * read. 0 or -ENOMEM, prints nothing.
 */
int preemption_read(struct preemption *p, const char *root, struct kconfig *config);

#endif /* TLOB_MACHINE_PREEMPTION_H */
