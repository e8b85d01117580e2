// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/run_config.h"
#include "run/phases.h"
#include "util/error.h"
#include "util/file.h"
#include "util/json_read.h"

#define WORK_LEN	128

/*
 * One phase is an object with one key: {"loops": 20000} is loops:20000 in --work. No
 * phase has phases of its own.
 */
static void read_phase(struct reader *rd, struct json_object *o, struct tlob_work *w, FILE *text)
{
	char work[WORK_LEN] = "";

	if (json_object_object_length(o) != 1) {
		reader_fail(rd, "", "a phase has one key, as in {\"loops\": 20000}");
		return;
	}
	json_object_object_foreach(o, key, val) {
		if (json_object_is_type(val, json_type_int) || json_object_is_type(val, json_type_string))
			snprintf(work, sizeof(work), "%s:%s", key, json_object_get_string(val));
		else
			reader_fail(rd, key, "neither a number nor a text");
	}
	if (*rd->error)
		return;
	if (strlen(work) + 1 == sizeof(work) || *work == '@' || tlob_parse_work(work, w))
		reader_fail(rd, "", "not a phase: %s: use a work of --work, as in {\"mem\": \"chase,ws=1M\"} or {\"sleep\": \"50us\"}",
			    work);
	else if (tlob_work_kinds[w->type].flags & TLOB_KIND_TIME && strchr("0123456789", work[strlen(work) - 1]))
		reader_fail(rd, "", "%s: give a unit, as in 50us", work);
	else
		fprintf(text, "%s%s", ftell(text) ? ", " : "", work);
}

/* A key with a typing error would be a phase that goes missing unnoticed. */
static void refuse_others(struct reader *rd, struct json_object *o)
{
	json_object_object_foreach(o, key, val) {
		(void)val;
		if (strcmp(key, "format") && strcmp(key, "version") && strcmp(key, "phases"))
			reader_fail(rd, "", "unknown key '%.30s': format, version and phases are known", key);
	}
}

static void read_all(struct reader *rd, struct json_object *o, struct phases *p, FILE *text)
{
	struct json_object *list;
	size_t n, i, place;

	if (strcmp(reader_word(rd, o, "format"), PHASES_FORMAT))
		reader_fail(rd, "format", "not \"" PHASES_FORMAT "\"");
	reader_version(rd, o, PHASES_VERSION);
	if (!*rd->error)
		refuse_others(rd, o);
	list = reader_list(rd, o, "phases", PHASES_MAX);
	n = list && !*rd->error ? json_object_array_length(list) : 0;
	if (!n)
		reader_fail(rd, "phases", "none");
	for (i = 0; i < n && !*rd->error; i++) {
		place = reader_enter(rd, "phases", (int)i);
		o = reader_object_at(rd, list, i);
		if (!*rd->error)
			read_phase(rd, o, &p->at[p->n++], text);
		reader_leave(rd, place);
	}
}

int phases_parse(struct phases *p, const char *json, const char *path)
{
	struct reader rd = { 0 };
	struct json_object *o;
	size_t size;
	FILE *text;

	*p = (struct phases){ 0 };
	text = open_memstream(&p->text, &size);
	if (!text)
		return fail(-ENOMEM, "out of memory");
	o = reader_parse(&rd, json, strlen(json));
	if (!*rd.error)
		read_all(&rd, o, p, text);
	json_object_put(o);
	if (fclose(text))
		return fail(-ENOMEM, "out of memory");
	return *rd.error ? fail(-EUSAGE, "--work @%s: %s", path, rd.error) : 0;
}

int phases_read(struct phases *p, const char *path)
{
	char *json;
	int err;

	*p = (struct phases){ 0 };
	err = file_read_text(path, &json);
	if (err)
		return fail(err, "--work @%s: %s", path, err == -EILSEQ ? "not a text" : strerror(-err));
	err = phases_parse(p, json, path);
	free(json);
	return err;
}

int phases_of_work(struct phases *p, struct run_config *o)
{
	int err = 0;

	if (o->work.type == TLOB_KIND_PHASES) {
		/* behind the @ */
		err = phases_read(p, o->work_text + 1);
		o->phases = p;
	}
	return err;
}

void phases_free(struct phases *p)
{
	free(p->text);
	*p = (struct phases){ 0 };
}
