// SPDX-License-Identifier: GPL-2.0
/*
 * The probes of a binding: a task that reaches its start has a window until it
 * reaches its stop.
 */
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/rcupdate.h>

#include "monitor.h"
#include "uprobe.h"

static enum tlob_binding_count tlob_binding_begin(struct tlob_binding *b)
{
	const struct tlob_binding_listener *listener;
	struct tlob_begin begin = {
		.source = b, .owner = b,
		.threshold_ns = b->line.threshold_ns,
		.tag = b->line.start,
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

static int tlob_binding_at_start(TLOB_UPROBE_PROTO)
{
	struct tlob_binding *b = container_of(self, struct tlob_binding,
					      start.consumer);

	atomic64_inc(&b->count[tlob_binding_begin(b)]);
	return 0;
}

static int tlob_binding_at_stop(TLOB_UPROBE_PROTO)
{
	struct tlob_binding *b = container_of(self, struct tlob_binding,
					      stop.consumer);
	struct tlob_task_window w;

	if (tlob_monitor_end(b, &w, NULL) == -ESRCH && tlob_monitor_is_on())
		atomic64_inc(&b->count[TLOB_BINDING_UNMATCHED]);
	return 0;
}

/* Registers the stop first, so every start has a stop. */
int tlob_binding_attach(struct tlob_binding *b)
{
	int err;

	b->start.consumer.handler = tlob_binding_at_start;
	b->stop.consumer.handler = tlob_binding_at_stop;
	err = tlob_uprobe_register(&b->stop, b->inode, b->line.stop);
	if (err)
		return err;
	err = tlob_uprobe_register(&b->start, b->inode, b->line.start);
	if (!err)
		return 0;
	tlob_uprobe_unregister(&b->stop, b->inode, b->line.stop);
	tlob_uprobe_sync();
	/* some processes may already have hit the start */
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

	list_for_each_entry(b, gone, node) {
		tlob_uprobe_unregister(&b->start, b->inode, b->line.start);
		tlob_uprobe_unregister(&b->stop, b->inode, b->line.stop);
	}
	tlob_uprobe_sync();
	list_for_each_entry(b, gone, node)
		tlob_monitor_close(b);
}
