// SPDX-License-Identifier: GPL-2.0
/* Writes the result file of waits: docs/reference/waits.schema.json. */
#include <errno.h>
#include <string.h>

#include "report/waits_result.h"
#include "result/tables.h"
#include "result/wait_names.h"
#include "util/json_write.h"
#include "waits/fold.h"
#include "waits/profile_render.h"

static void put_total(struct builder *b, struct json_object *to, const char *key,
		      const struct tlob_wait_total *t)
{
	struct json_object *o = put_object(b, to, key);

	put_u64(b, o, "count", t->count);
	put_u64(b, o, "total_ns", t->total_ns);
	put_u64(b, o, "max_ns", t->max_ns);
}

static void put_waker(struct builder *b, struct json_object *to,
		      const struct tlob_wait_waker *w)
{
	struct json_object *o = put_object(b, to, "woken_by");

	put_text(b, o, "kind", waker_kinds[w->kind <= TLOB_WAKER_NMI ? w->kind : 0]);
	if (w->kind != TLOB_WAKER_TASK)
		return;
	put_name(b, o, "name", w->comm);
	put_u64(b, o, "tid", w->tid);
	put_u64(b, o, "pid", w->tgid);
}

static const char * const ends[] = {
	[WAIT_ENDS_WHOLE] = "whole", [WAIT_ENDS_CUT] = "cut",
	[WAIT_ENDS_32BIT] = "32bit", [WAIT_ENDS_UNREAD] = "unread",
};

static void put_path(struct builder *b, struct json_object *to, const struct wait_path *path, bool kthread)
{
	struct json_object *o = put_object(b, to, NULL), *list, *frame;
	size_t i;

	put_total(b, o, "blocked", &path->blocked);
	put_bool(b, o, "idle", kthread && wait_path_is_idle(path));
	put_waker(b, o, &path->waker);
	put_text(b, o, "ends", ends[path->ends]);
	list = put_array(b, o, "frames");
	for (i = 0; i < path->nframe; i++) {
		const struct wait_frame *f = path->frame[i];

		frame = put_object(b, list, NULL);
		put_text(b, frame, "name", f->name);
		put_bool(b, frame, "kernel", i < path->nkernel);
		put_text(b, frame, "file", *f->file && i >= path->nkernel ? f->file : NULL);
		put_text(b, frame, "build_id", *f->build_id ? f->build_id : NULL);
		put_bool(b, frame, "inlined", f->inlined);
	}
}

static void put_row(struct builder *b, struct json_object *o, const struct wait_row *row)
{
	struct json_object *list;
	const struct tlob_wait_task *t = &row->task;
	size_t i;

	put_name(b, o, "name", t->comm);
	put_u64(b, o, "tid", t->tid);
	put_u64(b, o, "pid", t->tgid);
	put_u64(b, o, "start_ns", t->start_ns);
	put_bool(b, o, "kthread", t->flags & TLOB_WAIT_KTHREAD);
	put_bool(b, o, "exited", t->flags & TLOB_WAIT_EXITED);
	put_total(b, o, "blocked", &t->blocked);
	put_total(b, o, "runnable", &t->runnable);
	put_u64(b, o, "asleep_ns", t->asleep_ns);
	if (row->longest)
		record_put(b, put_object(b, o, "longest"), &chain_wait_record, row->longest);
	list = put_array(b, o, "stacks");
	for (i = 0; i < row->npath; i++)
		put_path(b, list, &row->path[i], t->flags & TLOB_WAIT_KTHREAD);
}

static void put_counters(struct builder *b, struct json_object *o, const struct wait_profile *p)
{
	put_u64(b, o, "lost_tasks", p->status.lost_tasks);
	put_u64(b, o, "lost_stacks", p->status.lost_stacks);
	put_u64(b, o, "evicted", p->status.evicted);
	put_u64(b, o, "unreadable", p->status.unreadable);
	put_u64(b, o, "uncopied", p->status.uncopied);
	put_u64(b, o, "skipped", p->skipped);
	put_u64(b, o, "limited", p->left_unread);
	put_u64(b, o, "barred", p->barred);
	put_u64(b, o, "gone", p->gone);
	put_u64(b, o, "broken", p->broken);
	put_u64(b, o, "bits32", p->bits32);
}

/* Exited tasks that gave way, whose rows and stacks are gone. */
static void put_others(struct builder *b, struct json_object *to, const struct wait_profile *p)
{
	struct json_object *o = put_object(b, to, "others");
	struct tlob_wait_total blocked = { 0 }, runnable = { 0 };
	size_t i;

	for (i = 0; i < p->nrow; i++) {
		if (p->row[i].task.flags & TLOB_WAIT_OTHERS) {
			blocked = p->row[i].task.blocked;
			runnable = p->row[i].task.runnable;
		}
	}
	put_u64(b, o, "tasks", p->status.evicted);
	put_total(b, o, "blocked", &blocked);
	put_total(b, o, "runnable", &runnable);
}

/* Their waits have not ended, so they have no row. */
static void put_blocked(struct builder *b, struct json_object *to, const struct waits_facts *facts)
{
	struct json_object *list, *o;
	size_t i;

	if (!facts->nblocked)
		return;
	list = put_array(b, to, "blocked");
	for (i = 0; i < facts->nblocked; i++) {
		o = put_object(b, list, NULL);
		put_u64(b, o, "tid", facts->blocked[i].tid);
		put_text(b, o, "comm", facts->blocked[i].comm);
		put_text(b, o, "function", *facts->blocked[i].function ? facts->blocked[i].function : NULL);
	}
}

static int print_rows(FILE *f, const struct wait_profile *p)
{
	const char *comma = "";
	size_t i;
	int err = 0;

	for (i = 0; !err && i < p->nrow; i++) {
		struct json_object *o;
		struct builder b = { .err = 0 };

		if (p->row[i].task.flags & TLOB_WAIT_OTHERS)
			continue;
		o = json_object_new_object();
		put_row(&b, o, &p->row[i]);
		fputs(comma, f);
		comma = ",";
		err = b.err ? b.err : json_print_part(f, o, true);
		json_object_put(o);
	}
	return err;
}

int waits_json(FILE *f, const struct wait_profile *p, const struct waits_facts *facts)
{
	struct json_object *o = json_object_new_object();
	struct builder b = { .err = 0 };
	int err;

	put_text(&b, o, "format", WAITS_FORMAT);
	put_int(&b, o, "version", WAITS_VERSION);
	put_time(&b, o, "started", facts->started);
	put_u64(&b, o, "duration_ns", facts->duration_ns);
	put_text(&b, o, "command", facts->command);
	put_text(&b, o, "kernel", facts->kernel);
	put_text(&b, o, "machine", facts->machine);
	put_text(&b, o, "scope", facts->scope);
	put_text(&b, o, "backend", facts->backend);
	put_u64(&b, o, "threshold_ns", p->status.threshold_ns);
	put_counters(&b, o, p);
	/* the module does not count them */
	if (facts->backend && !strcmp(facts->backend, "bpf"))
		put_u64(&b, o, "unseen", p->unseen);
	put_others(&b, o, p);
	put_blocked(&b, o, facts);
	if (facts->critical)
		record_put(&b, put_object(&b, o, "critical"), &critical_record, facts->critical);
	fputc('{', f);
	err = b.err ? b.err : json_print_part(f, o, false);
	json_object_put(o);
	fputs(",\"tasks\":[", f);
	if (!err)
		err = print_rows(f, p);
	fputs("]}\n", f);
	return err ? err : ferror(f) ? -EIO : 0;
}
