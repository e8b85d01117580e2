// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "read/fields.h"
#include "read/waits.h"
#include "result/tables.h"
#include "util/error.h"
#include "util/file.h"

#define MOST		1000000U	/* tasks, and stacks of a task: a limit for foreign files */
#define MOST_FRAMES	256U

static void read_total(struct reader *rd, struct json_object *parent, const char *key,
		       struct tlob_wait_total *t)
{
	struct json_object *o = reader_object(rd, parent, key);
	size_t place = reader_enter(rd, key, -1);

	t->count = reader_u64(rd, o, "count");
	t->total_ns = reader_u64(rd, o, "total_ns");
	t->max_ns = reader_u64(rd, o, "max_ns");
	if (t->max_ns > t->total_ns)
		reader_fail(rd, "max_ns", "more than total_ns");
	reader_leave(rd, place);
}

static void put_frames(struct reader *rd, struct json_object *o, FILE *f)
{
	struct json_object *list = reader_list(rd, o, "frames", MOST_FRAMES);
	size_t i = list ? json_object_array_length(list) : 0, place;
	char *name;

	while (i-- && !*rd->error) {
		place = reader_enter(rd, "frames", (int)i);
		fputc(';', f);
		name = reader_escaped(rd, reader_object_at(rd, list, i), "name", false);
		waits_put_name(f, name ? name : "");
		free(name);
		reader_leave(rd, place);
	}
}

static void read_stack(struct reader *rd, struct json_object *o, const char *task,
		       struct waits_result *r)
{
	struct tlob_wait_total blocked;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f) {
		reader_fail(rd, "", "out of memory");
		return;
	}
	read_total(rd, o, "blocked", &blocked);
	waits_put_name(f, task);
	put_frames(rd, o, f);
	if (fclose(f))
		reader_fail(rd, "", "out of memory");
	if (reader_bool(rd, o, "idle")) {
		r->idle++;
		free(text);
	} else if (*rd->error)
		free(text);
	else if (waits_result_add(r, text, &blocked))
		reader_fail(rd, "", "out of memory");
}

/* Threads of the kernel wait for work: what is behind that says nothing. */
static void read_longest(struct reader *rd, struct json_object *o, const char *task, struct waits_result *r)
{
	struct attach_wait wait = { 0 };
	uint64_t tid;

	if (!json_object_object_get_ex(o, "longest", NULL))
		return;
	tid = reader_u64(rd, o, "tid");
	record_read_in(rd, o, "longest", &chain_wait_record, &wait);
	if (*rd->error || reader_bool(rd, o, "kthread"))
		attach_wait_clear(&wait);
	else if (waits_result_add_chain(r, strdup(task), (uint32_t)tid, &wait))
		reader_fail(rd, "", "out of memory");
}

static void read_task(struct reader *rd, struct json_object *o, struct waits_result *r)
{
	struct json_object *list = reader_list(rd, o, "stacks", MOST);
	char *name = reader_escaped(rd, o, "name", false);
	size_t i, n = list ? json_object_array_length(list) : 0, place;

	if (!*rd->error)
		read_longest(rd, o, name, r);
	for (i = 0; i < n && !*rd->error; i++) {
		place = reader_enter(rd, "stacks", (int)i);
		read_stack(rd, reader_object_at(rd, list, i), name, r);
		reader_leave(rd, place);
	}
	free(name);
}

static void read_tasks(struct reader *rd, struct json_object *o, struct waits_result *r)
{
	struct json_object *list = reader_list(rd, o, "tasks", MOST);
	size_t i, n = list ? json_object_array_length(list) : 0, place;

	for (i = 0; i < n && !*rd->error; i++) {
		place = reader_enter(rd, "tasks", (int)i);
		read_task(rd, reader_object_at(rd, list, i), r);
		reader_leave(rd, place);
	}
	waits_result_sort(r);
}

static void read_head(struct reader *rd, struct json_object *o, struct waits_result *r)
{
	if (strcmp(reader_word(rd, o, "format"), WAITS_FORMAT))
		reader_fail(rd, "", "not a result of waits");
	reader_version(rd, o, WAITS_VERSION);
	r->command = reader_escaped(rd, o, "command", false);
	r->kernel = reader_escaped(rd, o, "kernel", false);
	r->machine = reader_escaped(rd, o, "machine", false);
	r->scope = reader_escaped(rd, o, "scope", false);
	r->backend = reader_escaped(rd, o, "backend", false);
	r->duration_ns = reader_u64(rd, o, "duration_ns");
	r->threshold_ns = reader_u64(rd, o, "threshold_ns");
	r->lost = reader_u64(rd, o, "lost_tasks");
	r->lost += reader_u64(rd, o, "lost_stacks");
}

int waits_parse(struct waits_result *r, const char *json, struct reader *rd)
{
	struct json_object *o;

	memset(rd, 0, sizeof(*rd));
	memset(r, 0, sizeof(*r));
	o = reader_parse(rd, json, strlen(json));
	if (!*rd->error)
		read_head(rd, o, r);
	if (!*rd->error)
		read_tasks(rd, o, r);
	if (!*rd->error && json_object_object_get_ex(o, "critical", NULL))
		record_read_in(rd, o, "critical", &critical_record, &r->critical);
	json_object_put(o);
	if (!*rd->error)
		return 0;
	waits_result_free(r);
	return -EINVAL;
}

int waits_load(struct waits_result *r, const char *path)
{
	struct reader reader;
	char *json;
	int err = file_read_text(path, &json);

	memset(r, 0, sizeof(*r));
	if (err)
		return fail(err, "%s: %s", path, err == -EILSEQ ? "not a text: it contains a NUL" :
			    strerror(-err));
	err = waits_parse(r, json, &reader);
	free(json);
	return err ? fail(err, "%s: %s", path, reader.error) : 0;
}

bool waits_is_file(const char *path)
{
	char format[32], quote;
	struct stat st;
	bool is;
	FILE *f;

	/* what is read from a pipe here would be missing later */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	f = fopen(path, "r");
	if (!f)
		return false;
	/* a blank stands for any white space, and none: jq indents what it prints */
	is = fscanf(f, " { \"format\" : \"%31[^\"]%c", format, &quote) == 2 && quote == '"' &&
	     !strcmp(format, WAITS_FORMAT);
	fclose(f);
	return is;
}
