// SPDX-License-Identifier: GPL-2.0
/*
 * Test only: delays at random instructions of tlob_load, since many a race is otherwise a few
 * instructions wide. Each time that tlob_load comes, SITES other instructions of it get a kprobe,
 * its functions for init included. One of four hits takes 10 us to 2 ms, but a site delays at most
 * once in 100 ms: a hook would take all time otherwise.
 *
 * The same SEED finds the same sites in the same tlob_load. Parameters count: `placed` and
 * `refused` sites since tlob_load came last, `delays` since this module came. An instruction is
 * refused if the kernel lets nothing probe it.
 */
#include <linux/ctype.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/prandom.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#define TRIES	16	/* a site; most addresses are in the middle of an instruction */

static u64 seed = 1;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "of the random choice of sites and delays (1)");

static unsigned int sites = 100;
module_param(sites, uint, 0444);
MODULE_PARM_DESC(sites, "instructions that get a delay, other ones at each load (100)");

static unsigned int placed, refused, delays;
module_param(placed, uint, 0444);
module_param(refused, uint, 0444);
module_param(delays, uint, 0444);

struct site {
	struct kprobe probe;
	u32	random;
	unsigned long next;	/* jiffies: no delay before */
};

static struct site *all;
static struct kprobe **probes;	/* the first @placed are registered */
static struct rnd_state random;

/* In any context, on several CPUs at once: what they lose of each other does no harm. */
static int on_hit(struct kprobe *probe, struct pt_regs *regs)
{
	struct site *s = container_of(probe, struct site, probe);
	u32 r = READ_ONCE(s->random) * 1664525 + 1013904223, us;

	WRITE_ONCE(s->random, r);
	if (r >> 30 || time_before(jiffies, READ_ONCE(s->next)))
		return 0;
	WRITE_ONCE(s->next, jiffies + HZ / 10);
	/* short ones are as frequent as long ones */
	us = 10 << (r >> 27 & 7);
	us = min(us + (r >> 8) % us, 2000U);
	udelay(us);
	WRITE_ONCE(delays, READ_ONCE(delays) + 1);
	return 0;
}

/* A place in a function of @mod, which comes right now; of its functions for init, too. */
static void *any_place(const struct module *mod)
{
	const struct mod_kallsyms *k = rcu_dereference_raw(mod->kallsyms);
	unsigned int i;

	do
		i = prandom_u32_state(&random) % k->num_symtab;
	while (tolower(k->typetab[i]) != 't' || !k->symtab[i].st_size);
	return (void *)(k->symtab[i].st_value +
			prandom_u32_state(&random) % k->symtab[i].st_size);
}

static void place(const struct module *mod)
{
	unsigned int i;
	int err;

	refused = 0;
	for (i = 0; i < sites * TRIES && placed < sites; i++) {
		struct site *s = &all[placed];

		memset(s, 0, sizeof(*s));
		s->random = prandom_u32_state(&random);
		s->next = jiffies;
		s->probe.pre_handler = on_hit;
		s->probe.addr = any_place(mod);
		err = register_kprobe(&s->probe);
		/* EILSEQ: in the middle of an instruction */
		if (err)
			refused += err != -EILSEQ;
		else
			probes[placed++] = &s->probe;
	}
	pr_info("tlob_delays: seed %llu: %u sites, %u refused; %u delays so far\n", seed, placed,
		refused, delays);
}

static void displace(void)
{
	unregister_kprobes(probes, placed);
	placed = 0;
}

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *mod = data;

	if (strcmp(mod->name, "tlob_load"))
		return NOTIFY_DONE;
	if (state == MODULE_STATE_COMING)
		place(mod);
	/* its exit is over; kprobes have forgotten its text before, since they are told first */
	if (state == MODULE_STATE_GOING)
		displace();
	return NOTIFY_DONE;
}

static struct notifier_block notifier = { .notifier_call = on_module };

static int __init delays_init(void)
{
	int err = -ENOMEM;

	if (!sites || sites > 10000)
		return -ERANGE;
	prandom_seed_state(&random, seed);
	all = kvcalloc(sites, sizeof(*all), GFP_KERNEL);
	probes = kvcalloc(sites, sizeof(*probes), GFP_KERNEL);
	if (all && probes)
		err = register_module_notifier(&notifier);
	if (err) {
		kvfree(all);
		kvfree(probes);
	}
	return err;
}

static void __exit delays_exit(void)
{
	unregister_module_notifier(&notifier);
	displace();
	kvfree(all);
	kvfree(probes);
}

module_init(delays_init);
module_exit(delays_exit);
MODULE_DESCRIPTION("Test only: delays at random instructions of tlob_load");
MODULE_LICENSE("GPL");
