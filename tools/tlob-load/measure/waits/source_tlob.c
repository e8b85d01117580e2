// SPDX-License-Identifier: GPL-2.0
/* Waits from the module: its control file switches them, waits_records has them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine/control.h"
#include "util/error.h"
#include "waits/source.h"

struct module {
	struct control control;
	bool	on;
};

static int module_open(struct wait_source *s, const struct wait_scope *scope)
{
	struct module *m = calloc(1, sizeof(*m));
	int err;

	(void)scope;
	if (!m)
		return fail(-ENOMEM, "out of memory");
	s->data = m;
	err = control_find(&m->control);
	return err ? err : wait_records_open(&s->records, &m->control);
}

static int module_on(struct wait_source *s, const struct wait_scope *scope)
{
	const char *key = scope->in_windows ? " windows" : "", *value = "";
	struct module *m = s->data;
	char pid[16];
	int err;

	if (scope->pid) {
		snprintf(pid, sizeof(pid), "%d", scope->pid);
		key = " pids=";
		value = pid;
	} else if (scope->pids) {
		key = " pids=";
		value = scope->pids;
	} else if (scope->cgroup) {
		key = " cgroup=";
		value = scope->cgroup;
	}
	err = control_write(&m->control, "waits", "on threshold=%lluns%s%s",
			    (unsigned long long)scope->threshold_ns, key, value);
	m->on = !err;
	return err;
}

static int module_take(struct wait_source *s, wait_copy_taker take, void *arg)
{
	return wait_records_take(&s->records, take, arg);
}

static int module_read(struct wait_source *s, wait_copy_taker take, void *arg)
{
	return wait_records_read(&s->records, take, arg);
}

static int module_off(struct wait_source *s)
{
	struct module *m = s->data;

	m->on = false;
	return control_write(&m->control, "waits", "off");
}

static void module_close(struct wait_source *s)
{
	struct module *m = s->data;

	if (m && m->on)
		module_off(s);
	wait_records_close(&s->records);
	if (m)
		control_free(&m->control);
	free(m);
	s->data = NULL;
}

const struct wait_backend wait_backend_tlob = {
	.name = "tlob",
	.open = module_open,
	.on = module_on,
	.take = module_take,
	.read = module_read,
	.off = module_off,
	.close = module_close,
};
