// SPDX-License-Identifier: GPL-2.0
/* The page of waits: of what report finds in the file of profile_json.c, and nothing else. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/waits_render.h"
#include "util/memstream.h"
#include "waits/fold.h"
#include "waits/profile_render.h"

static char *stack_text(const char *task, const struct wait_path *path)
{
	size_t size, i = path->nframe;
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	waits_put_name(f, task);
	while (i--) {
		fputc(';', f);
		waits_put_name(f, path->frame[i]->name);
	}
	return memstream_text(f, &text);
}

static int add_longest(struct waits_result *r, const struct wait_row *row, const char *task)
{
	struct attach_wait wait = *row->longest;

	wait.chain = malloc(wait.nchain * sizeof(*wait.chain));
	if (!wait.chain)
		return -ENOMEM;
	memcpy(wait.chain, row->longest->chain, wait.nchain * sizeof(*wait.chain));
	return waits_result_add_chain(r, strdup(task), row->task.tid, &wait);
}

static int add_row(struct waits_result *r, const struct wait_row *row)
{
	char task[TLOB_NAME_LEN + 1] = "";
	int err = 0;
	size_t i;

	memcpy(task, row->task.comm, TLOB_NAME_LEN);
	if (row->longest && !(row->task.flags & TLOB_WAIT_KTHREAD))
		err = add_longest(r, row, task);
	for (i = 0; i < row->npath && !err; i++) {
		if (row->task.flags & TLOB_WAIT_KTHREAD && wait_path_is_idle(&row->path[i]))
			r->idle++;
		else
			err = waits_result_add(r, stack_text(task, &row->path[i]), &row->path[i].blocked);
	}
	return err;
}

static int copy_critical(struct critical_path *to, const struct critical_path *path)
{
	*to = *path;
	to->row = malloc((path->nrow + 1) * sizeof(*to->row));
	if (!to->row)
		return -ENOMEM;
	memcpy(to->row, path->row, path->nrow * sizeof(*to->row));
	return 0;
}

int waits_page(FILE *f, const struct wait_profile *p, const struct waits_facts *facts)
{
	struct waits_result r = {
		.command = strdup(facts->command), .kernel = strdup(facts->kernel),
		.machine = strdup(facts->machine), .scope = strdup(facts->scope),
		.backend = strdup(facts->backend), .duration_ns = facts->duration_ns,
		.threshold_ns = p->status.threshold_ns,
		.lost = p->status.lost_tasks + p->status.lost_stacks,
	};
	int err = r.command && r.kernel && r.machine && r.scope && r.backend ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < p->nrow && !err; i++)
		if (!(p->row[i].task.flags & TLOB_WAIT_OTHERS))
			err = add_row(&r, &p->row[i]);
	if (!err && facts->critical)
		err = copy_critical(&r.critical, facts->critical);
	waits_result_sort(&r);
	if (!err)
		err = page_waits(f, &r, (const char *const[]){ "waits" }, 1);
	waits_result_free(&r);
	return err;
}
