// SPDX-License-Identifier: GPL-2.0
/* Probe sets: finds their tracepoints, attaches and detaches their probes. */
#include <linux/string.h>

#include "probes.h"

static void tlob_probe_found(struct tracepoint *tp, void *priv)
{
	struct tlob_probe_set *set = priv;
	unsigned int i;

	for (i = 0; i < set->probes; i++)
		if (!strcmp(set->probe[i].name, tp->name))
			set->probe[i].tp = tp;
}

void tlob_probes_find(struct tlob_probe_set *set)
{
	for_each_kernel_tracepoint(tlob_probe_found, set);
}

bool tlob_probe_attached(const struct tlob_probe_set *set,
			 const char *name)
{
	unsigned int i;

	for (i = 0; i < set->probes; i++)
		if (!strcmp(set->probe[i].name, name))
			return set->probe[i].attached;
	return false;
}

static void tlob_probes_remove(struct tlob_probe_set *set)
{
	unsigned int i;

	/* the last one first, as probes.h says */
	for (i = set->probes; i--; ) {
		struct tlob_probe *p = &set->probe[i];

		if (p->attached)
			tracepoint_probe_unregister(p->tp, p->fn, NULL);
		p->attached = false;
	}
}

static int tlob_probes_add(struct tlob_probe_set *set)
{
	unsigned int i;
	int err;

	for (i = 0; i < set->probes; i++) {
		struct tlob_probe *p = &set->probe[i];

		if (!p->tp || (p->not_rt && IS_ENABLED(CONFIG_PREEMPT_RT)))
			continue;
		err = tracepoint_probe_register_prio(p->tp, p->fn, NULL, p->last ?
						     TRACEPOINT_DEFAULT_PRIO - 1 :
						     TRACEPOINT_DEFAULT_PRIO);
		if (err) {
			tlob_probes_remove(set);
			return err;
		}
		p->attached = true;
	}
	return 0;
}

int tlob_probes_attach(struct tlob_probe_set *set, unsigned int user)
{
	int err = set->users ? 0 : tlob_probes_add(set);

	if (!err)
		set->users |= user;
	return err;
}

void tlob_probes_detach(struct tlob_probe_set *set, unsigned int user)
{
	if (!(set->users & user))
		return;
	set->users &= ~user;
	if (!set->users)
		tlob_probes_remove(set);
}
