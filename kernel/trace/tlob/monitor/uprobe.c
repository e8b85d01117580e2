// SPDX-License-Identifier: GPL-2.0
/*
 * The probes of a binding: a task that reaches one of its starts has a window
 * until it reaches one of its stops.
 */
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/rcupdate.h>

#include "monitor.h"
#include "uprobe.h"

static enum tlob_binding_count
tlob_binding_begin(struct tlob_binding *b, u64 start)
{
	const struct tlob_binding_listener *listener;
	struct tlob_begin begin = {
		.source = b, .owner = b,
		.threshold_ns = b->line.threshold_ns,
		.tag = start,
		.binding = b->line.name,
		.payers = tlob_payers_of(current_cred()),
		.limited = true,
		/* only CAP_SYS_ADMIN can listen to a binding */
		.names = true,
	};
	int err;

	/* RCU keeps the ring until the window has its own reference */
	rcu_read_lock();
	listener = rcu_dereference(b->listener);
	if (listener) {
		begin.ring = listener->ring;
		begin.every = listener->every;
	}
	err = tlob_monitor_begin(&begin);
	rcu_read_unlock();

	switch (err) {
	case 0:
		return TLOB_BINDING_WINDOWS;
	case -EEXIST:
		/*
		 * Recursion, or a longjmp() past the stop: the first start
		 * counts.
		 */
		return TLOB_BINDING_NESTED;
	case -ENODEV:
		return TLOB_BINDING_OFF;
	default:
		return TLOB_BINDING_NO_SLOT;
	}
}

static struct tlob_binding_probe *
tlob_binding_probe(struct uprobe_consumer *self)
{
	return container_of(self, struct tlob_binding_probe, uprobe.consumer);
}

static int tlob_binding_at_start(TLOB_UPROBE_PROTO)
{
	struct tlob_binding_probe *probe = tlob_binding_probe(self);
	struct tlob_binding *b = probe->binding;

	atomic64_inc(&b->count[tlob_binding_begin(b, probe->offset)]);
	return 0;
}

static int tlob_binding_at_stop(TLOB_UPROBE_PROTO)
{
	struct tlob_binding *b = tlob_binding_probe(self)->binding;
	struct tlob_task_window w;

	if (tlob_monitor_end(b, &w, NULL) == -ESRCH && tlob_monitor_is_on())
		atomic64_inc(&b->count[TLOB_BINDING_UNMATCHED]);
	return 0;
}

/* Unregisters the first @nr probes of @b, the starts first. */
static void tlob_binding_unregister(struct tlob_binding *b, unsigned int nr)
{
	struct tlob_binding_probe *probe;

	while (nr) {
		probe = &b->probe[--nr];
		tlob_uprobe_unregister(&probe->uprobe, b->inode, probe->offset);
	}
}

/* Registers the stops first, so every start has all stops. */
int tlob_binding_attach(struct tlob_binding *b)
{
	struct tlob_binding_probe *probe;
	unsigned int i, stops = b->line.stop.nr;
	int err = 0;

	for (i = 0; i < b->nr_probes; i++) {
		probe = &b->probe[i];
		probe->binding = b;
		if (i < stops) {
			probe->offset = b->line.stop.at[i];
			probe->uprobe.consumer.handler = tlob_binding_at_stop;
		} else {
			probe->offset = b->line.start.at[i - stops];
			probe->uprobe.consumer.handler = tlob_binding_at_start;
		}
		err = tlob_uprobe_register(&probe->uprobe, b->inode,
					   probe->offset);
		if (err)
			break;
	}
	if (!err)
		return 0;
	tlob_binding_unregister(b, i);
	tlob_uprobe_sync();
	/* some processes may already have hit a start */
	tlob_monitor_close(b);
	return err;
}

/*
 * A handler that runs while the probes are removed may still open a window. No
 * handler runs after tlob_uprobe_sync(). tlob_monitor_close() then takes all
 * windows that are still open. So no window outlives its binding, and no
 * reference to the binding is left.
 */
void tlob_bindings_detach(struct list_head *gone)
{
	struct tlob_binding *b;

	list_for_each_entry(b, gone, node)
		tlob_binding_unregister(b, b->nr_probes);
	tlob_uprobe_sync();
	list_for_each_entry(b, gone, node)
		tlob_monitor_close(b);
}
