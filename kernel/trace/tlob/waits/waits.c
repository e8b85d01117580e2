// SPDX-License-Identifier: GPL-2.0
/*
 * The wait profiler on and off: its memory, its settings, its counters. waits.h
 * has the rules.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>

#include "../base/probes.h"
#include "../base/room.h"
#include "waits.h"

struct tlob_wait_counters tlob_wait_count;

/* Under tlob_mutex: */
static bool tlob_wait_owed_ever;
static u64 tlob_waits_since, tlob_waits_until;

/*
 * Forgets what was measured. No probe is attached. A task that runs its works just
 * now may still owe a stack: its work finds that its sleeper is gone.
 */
static void tlob_waits_clear(void)
{
	struct tlob_wait_counters *c = &tlob_wait_count;

	if (!tlob_waits_nr_slots())
		return;
	tlob_sleepers_clear();
	tlob_wait_stacks_clear();
	tlob_wait_copies_clear();
	atomic64_set(&c->lost_tasks, 0);
	atomic64_set(&c->lost_stacks, 0);
	atomic64_set(&c->evicted, 0);
	atomic64_set(&c->unreadable, 0);
	atomic64_set(&c->uncopied, 0);
	tlob_waits_since = tlob_clock();
}

static void tlob_waits_free(void)
{
	tlob_sleepers_free();
	tlob_wait_works_free();
	tlob_wait_stacks_free();
	tlob_wait_copies_free();
}

static int tlob_waits_alloc(void)
{
	if (tlob_waits_nr_slots())
		return 0;
	if (tlob_sleepers_alloc() || tlob_wait_works_alloc() ||
	    tlob_wait_stacks_alloc() || tlob_wait_copies_alloc()) {
		tlob_waits_free();
		return -ENOMEM;
	}
	return 0;
}

/* Afterwards no hook of the waits runs on any CPU, and no task owes a stack. */
static void tlob_waits_detach(void)
{
	tlob_probes_detach(&tlob_waits_probes, TLOB_FOR_WAITS);
	tlob_clock_detach(TLOB_FOR_WAITS);
	tracepoint_synchronize_unregister();
	tlob_wait_works_cancel();
}

/* Afterwards nothing is measured, and nothing is held but what was measured. */
static void tlob_waits_end(void)
{
	WRITE_ONCE(tlob_waits_on, false);
	tlob_waits_until = tlob_clock();
	tlob_waits_detach();
	tlob_wait_owed_ever = true;
	tlob_cgroup_put(tlob_wait_config.cgroup);
	tlob_wait_config.cgroup = NULL;
}

static void tlob_waits_stop(void)
{
	if (tlob_waits_on)
		tlob_waits_end();
}

/* On an error the settings are also gone. */
static int tlob_waits_attach(void)
{
	int err;

	tlob_waits_clear();
	tlob_clock_attach(TLOB_FOR_WAITS);
	err = tlob_probes_attach(&tlob_waits_probes, TLOB_FOR_WAITS);
	if (err)
		tlob_waits_end();
	else
		WRITE_ONCE(tlob_waits_on, true);
	return err;
}

static int tlob_waits_start(const struct tlob_wait_line *line)
{
	struct cgroup *cgroup = NULL;
	int err = tlob_waits_alloc();

	if (!err && line->scope == TLOB_WAIT_CGROUP) {
		cgroup = tlob_cgroup_get(line->cgroup);
		err = PTR_ERR_OR_ZERO(cgroup);
	}
	if (err)
		return err;
	tlob_waits_stop();
	WRITE_ONCE(tlob_wait_config.scope, line->scope);
	tlob_wait_config.threshold_ns = line->threshold_ns;
	tlob_wait_config.nr_pids = line->nr_pids;
	memcpy(tlob_wait_config.pid, line->pid, sizeof(line->pid));
	tlob_wait_config.cgroup = cgroup;
	return tlob_waits_attach();
}

static int tlob_waits_reset(void)
{
	if (!tlob_waits_on) {
		tlob_waits_clear();
		return 0;
	}
	tlob_waits_detach();
	return tlob_waits_attach();
}

int tlob_waits_command(const struct tlob_wait_line *line)
{
	lockdep_assert_held(&tlob_mutex);
	switch (line->op) {
	case TLOB_WAIT_ON:
		return tlob_waits_start(line);
	case TLOB_WAIT_OFF:
		tlob_waits_stop();
		return 0;
	case TLOB_WAIT_RESET:
		return tlob_waits_reset();
	}
	return -EINVAL;
}

u64 tlob_waits_ended(void)
{
	lockdep_assert_held(&tlob_mutex);
	return tlob_waits_on ? 0 : tlob_waits_until;
}

void tlob_waits_status(struct tlob_wait_status *status)
{
	const struct tlob_wait_counters *c = &tlob_wait_count;

	*status = (struct tlob_wait_status) {
		.type = TLOB_WAIT_STATUS,
		.size = sizeof(*status),
		.version = TLOB_WAIT_VERSION,
		.flags = tlob_waits_on ? TLOB_WAIT_IS_ON : 0,
		.owed = atomic_read(&c->owed),
		.now_ns = tlob_clock(),
		.since_ns = tlob_waits_since,
		.threshold_ns = tlob_wait_config.threshold_ns,
		.lost_tasks = atomic64_read(&c->lost_tasks),
		.lost_stacks = atomic64_read(&c->lost_stacks),
		.evicted = atomic64_read(&c->evicted),
		.unreadable = atomic64_read(&c->unreadable),
		.uncopied = atomic64_read(&c->uncopied),
	};
}

static void tlob_waits_show(struct seq_file *m)
{
	static const char * const scopes[] = {
		[TLOB_WAIT_ALL] = "all", [TLOB_WAIT_WINDOWS] = "windows",
		[TLOB_WAIT_PIDS] = "pids", [TLOB_WAIT_CGROUP] = "cgroup",
	};
	struct tlob_wait_status s;

	tlob_waits_status(&s);
	seq_printf(m, "waits: %s scope=%s threshold_ns=%llu slots=%u lost_tasks=%llu lost_stacks=%llu evicted=%llu unreadable=%llu uncopied=%llu owed=%u\n",
		   tlob_waits_on ? "on" : "off",
		   scopes[tlob_wait_config.scope], s.threshold_ns, tlob_waits_slots(),
		   s.lost_tasks, s.lost_stacks, s.evicted, s.unreadable,
		   s.uncopied, s.owed);
}

/* Returns 0, -EINVAL, or -EOPNOTSUPP if a tracepoint is missing. */
static int tlob_waits_init(void)
{
	unsigned int i;

	if (!tlob_sleepers_valid())
		return -EINVAL;
	tlob_wait_config.threshold_ns = TLOB_WAIT_THRESHOLD;
	tlob_probes_find(&tlob_waits_probes);
	for (i = 0; i < tlob_waits_probes.probes; i++)
		if (!tlob_waits_probes.probe[i].tp)
			return -EOPNOTSUPP;
	tlob_extra_add(&tlob_run_waits_extra);
	return 0;
}

/*
 * No file is open and no task owes a work, because each holds the module. A task may be
 * between its module_put() and the end of tlob_wait_returns().
 */
static void tlob_waits_exit(void)
{
	mutex_lock(&tlob_mutex);
	tlob_waits_stop();
	mutex_unlock(&tlob_mutex);
	if (tlob_wait_owed_ever)
		synchronize_rcu_tasks();
	tlob_waits_free();
}

static const struct tlob_file_entry tlob_waits_files[] = {
	{ "waits", 0600, &tlob_waits_fops },
	{ "waits_records", 0400, &tlob_wait_records_fops },
	{}
};

const struct tlob_room tlob_waits_room = {
	.name = "waits",
	.init = tlob_waits_init,
	.files = tlob_waits_files,
	.show = tlob_waits_show,
	.exit = tlob_waits_exit,
};
