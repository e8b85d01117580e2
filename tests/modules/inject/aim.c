// SPDX-License-Identifier: GPL-2.0
/*
 * Test only: one nmi of known size at a chosen instruction on CPU 0.
 *
 * /sys/kernel/debug/tlob_inject/aim takes:
 *
 *	probe SYMBOL N	puts a kprobe on each of the first N instructions of the function
 *	shot AT NS N	arms one nmi of NS in front of the Nth of them; it comes when CPU 0 gets
 *			there first in the ms after AT (ns of CLOCK_MONOTONIC)
 *	off		removes the probes
 *
 * Reading gives "PROBES HITS OFFSET": the number of probes, whether the shot has hit, and where.
 *
 * All probes stay while each is shot at in turn, so the function takes the same time with an
 * nmi and without.
 */
#include <linux/debugfs.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include "inject.h"

#define PROBES	512U

static struct kprobe probe[PROBES];
static unsigned int probes;
static unsigned int target;
static u64 shot_at, shot_ns;
static bool hit;
static bool pending;		/* the nmi is on its way */
static DEFINE_MUTEX(lock);

/* The nmi comes before this returns, so in front of the instruction. */
static int on_probe(struct kprobe *p, struct pt_regs *regs)
{
	u64 now;

	if (p != &probe[target] || hit || raw_smp_processor_id())
		return 0;
	now = ktime_get_mono_fast_ns();
	if (now < shot_at || now > shot_at + NSEC_PER_MSEC)
		return 0;
	hit = true;
	pending = true;
	apic->send_IPI(0, NMI_VECTOR);
	return 0;
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	u64 begun;

	if (raw_smp_processor_id() || !xchg(&pending, false))
		return NMI_DONE;
	begun = ktime_get_mono_fast_ns();
	while (ktime_get_mono_fast_ns() - begun < shot_ns)
		;
	return NMI_HANDLED;
}

static void off(void)
{
	while (probes)
		unregister_kprobe(&probe[--probes]);
}

/* The size of the function at @addr in bytes, or 0. */
static unsigned long function_size(void *addr)
{
	char name[KSYM_SYMBOL_LEN], *size;
	unsigned long offset, bytes;

	sprint_symbol(name, (unsigned long)addr);
	size = strrchr(name, '+');
	return size && sscanf(size, "+0x%lx/0x%lx", &offset, &bytes) == 2 ?
	       bytes : 0;
}

static int probe_function(const char *symbol, unsigned int most)
{
	unsigned long size, offset;
	int err;

	off();
	target = PROBES;
	probe[0] = (struct kprobe) {
		.symbol_name = symbol, .pre_handler = on_probe,
	};
	err = register_kprobe(&probe[0]);
	/* the name belongs to the caller */
	probe[0].symbol_name = NULL;
	if (err)
		return err;
	probes = 1;
	size = function_size(probe[0].addr);
	/*
	 * An offset inside an instruction gets no probe, but asking costs millions of instructions.
	 * So the size of the last one is taken, where its probe knows it.
	 */
	offset = max_t(int, 1, probe[0].ainsn.size);
	while (offset < size && probes < min(most, PROBES)) {
		probe[probes] = (struct kprobe) {
			.addr = (void *)probe[0].addr + offset,
			.pre_handler = on_probe,
		};
		if (!register_kprobe(&probe[probes]))
			offset += max_t(int, 1, probe[probes++].ainsn.size);
		else
			offset++;
	}
	return 0;
}

static int aim_command(const char *text)
{
	unsigned long long at, ns;
	char symbol[64];
	unsigned int n;
	int err = 0;

	mutex_lock(&lock);
	if (sscanf(text, "probe %63s %u", symbol, &n) == 2) {
		err = probe_function(symbol, n);
	} else if (sscanf(text, "shot %llu %llu %u", &at, &ns, &n) == 3) {
		shot_at = at;
		shot_ns = ns;
		hit = false;
		if (n < probes)
			target = n;
		else
			err = -EINVAL;
	} else if (!strncmp(text, "off", 3)) {
		off();
	} else {
		err = -EINVAL;
	}
	mutex_unlock(&lock);
	return err;
}

static ssize_t aim_write(struct file *file, const char __user *buf,
			 size_t size, loff_t *pos)
{
	return inject_write(buf, size, aim_command);
}

static ssize_t aim_read(struct file *file, char __user *buf, size_t size,
			loff_t *pos)
{
	unsigned long offset = 0;
	char text[64];
	int n;

	mutex_lock(&lock);
	if (target < probes)
		offset = (void *)probe[target].addr - (void *)probe[0].addr;
	n = scnprintf(text, sizeof(text), "%u %u %lu\n", probes, hit, offset);
	mutex_unlock(&lock);
	return simple_read_from_buffer(buf, size, pos, text, n);
}

static const struct file_operations aim_fops = {
	.owner = THIS_MODULE,
	.read = aim_read,
	.write = aim_write,
};

int inject_aim_init(struct dentry *dir)
{
	int err = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "tlob_aim");

	if (!err)
		debugfs_create_file("aim", 0600, dir, NULL, &aim_fops);
	return err;
}

/* Call it after the file is removed. */
void inject_aim_exit(void)
{
	off();
	unregister_nmi_handler(NMI_LOCAL, "tlob_aim");
}
