// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/cpus.h"
#include "read/fields.h"
#include "read/gunzip.h"
#include "read/pieces.h"
#include "read/read.h"
#include "result/tables.h"
#include "util/error.h"
#include "util/file.h"

/* @c->hist has what the counters say, but for windows whose records were lost. */
static void check_violations(struct reader *rd, const struct result *r)
{
	const struct result_cpu *c;
	size_t i, place;

	for (i = 0; i < r->ncpus && !*rd->error; i++) {
		c = &r->cpu[i];
		place = reader_enter(rd, "cpu", (int)i);
		if (c->violations && !r->budget_ns)
			reader_fail(rd, "violations", "of no budget");
		else if (c->violations > c->lost &&
			 c->hist[TLOB_METRIC_RESPONSE].max <= r->budget_ns)
			reader_fail(rd, "violations", "but all responses are within the budget");
		reader_leave(rd, place);
	}
}

static const char *format_of(struct json_object *o)
{
	struct json_object *format = o ? reader_find(o, "format") : NULL;

	return json_object_is_type(format, json_type_string) ?
	       json_object_get_string(format) : "";
}

static void read_format(struct reader *rd, struct json_object *o)
{
	if (strcmp(format_of(o), RESULT_FORMAT))
		reader_fail(rd, "", "not a result of tlob-load");
	else
		reader_version(rd, o, RESULT_VERSION);
}

/* The sum that the file has, of CPUs that are not read. */
static void read_sum(struct reader *rd, struct json_object *o, struct result *r)
{
	r->all.hist = calloc(RESULT_METRICS, sizeof(*r->all.hist));
	if (r->all.hist)
		record_read_in(rd, o, "all", &all_record, &r->all);
	else
		reader_fail(rd, "", "out of memory");
}

static int parse(struct result *r, const char *json, struct reader *rd, bool sum_only)
{
	struct json_object *o = NULL;
	struct function_sets *sets = NULL;
	struct piece *piece = NULL;
	size_t n = 0;

	memset(rd, 0, sizeof(*rd));
	memset(r, 0, sizeof(*r));
	if (!json[strspn(json, " \t\r\n")])
		reader_fail(rd, "", "empty");
	else
		o = reader_parse_but(rd, json, "cpu", &piece, &n);
	if (!*rd->error)
		read_format(rd, o);
	if (!*rd->error)
		sets = read_function_sets(rd, o);
	rd->about = sets;
	if (!*rd->error && sum_only)
		read_sum(rd, o, r);
	else if (!*rd->error)
		read_cpus(rd, piece, n, r);
	r->functions = sets;
	if (!*rd->error && sets && function_sets_describe(r))
		reader_fail(rd, "functions", "out of memory");
	if (!*rd->error) {
		if (!sum_only)
			result_sum(r);
		record_read(rd, o, &result_record, r);
		r->all.episodes = r->episodes;
		if (sets)
			sets->of_tasks = r->attached;
		result_set_clock(r, r->clock_resolution_ns);
		check_violations(rd, r);
	}
	free(piece);
	json_object_put(o);
	if (!*rd->error)
		return 0;
	result_free(r);
	return -EINVAL;
}

int result_parse(struct result *r, const char *json, struct reader *rd)
{
	return parse(r, json, rd, false);
}

int result_parse_sum(struct result *r, const char *json, struct reader *rd)
{
	return parse(r, json, rd, true);
}

/* A few bytes of gzip may be a thousand times as many; a result has about ten. */
static size_t most_of_packed(size_t n)
{
	return n < FILE_MAX / 32 ? FILE_MAX : n < FILE_LARGEST / 32 ? 32 * n : FILE_LARGEST;
}

int result_read_text(const char *path, char **json)
{
	char *packed;
	size_t n;
	int err = file_read_bytes(path, json, &n);

	if (!err && gunzip_is(*json, n)) {
		packed = *json;
		err = gunzip(packed, n, most_of_packed(n), json, &n);
		free(packed);
		if (err == -EBADMSG)
			return fail(-EINVAL, "%s: damaged: gzip cannot read it", path);
		if (err == -EOPNOTSUPP)
			return fail(-EINVAL, "%s is compressed, and this build has no zlib: zcat it", path);
	}
	if (err)
		return fail(err, "%s: %s", path, strerror(-err));
	if (strlen(*json) == n)
		return 0;
	free(*json);
	return fail(-EINVAL, "%s: not a text: it contains a NUL", path);
}

/* tlob-load writes a result as one line. */
static int each_line(FILE *in, result_taker take, void *to)
{
	char *line = NULL, name[32];
	size_t room = 0, n = 0;
	ssize_t length;
	int err = 0;

	while (!err && (length = getline(&line, &room, in)) > 0) {
		snprintf(name, sizeof(name), "line %zu of stdin", ++n);
		if (length > (ssize_t)FILE_LARGEST)
			err = fail(-EFBIG, "%s: %s", name, strerror(EFBIG));
		else if (strlen(line) != (size_t)length)
			err = fail(-EINVAL, "%s: not a text: it contains a NUL", name);
		else if (line[strspn(line, " \t\r\n")])
			err = take(to, line, name);
	}
	free(line);
	return !err && ferror(in) ? fail(-EIO, "cannot read stdin: %s", strerror(errno)) : err;
}

int result_each(const char *path, result_taker take, void *to)
{
	char *json;
	int err;

	if (!strcmp(path, "-"))
		return each_line(stdin, take, to);
	err = result_read_text(path, &json);
	if (err)
		return err;
	err = take(to, json, path);
	free(json);
	return err;
}

int result_parse_named(struct result *r, const char *json, const char *name)
{
	struct reader reader;
	int err = result_parse(r, json, &reader);

	if (err)
		return fail(err, "%s: %s", name, reader.error);
	r->fingerprint = result_fingerprint(r);
	return 0;
}

int result_load(struct result *r, const char *path)
{
	char *json;
	int err;

	memset(r, 0, sizeof(*r));
	err = result_read_text(path, &json);
	if (err)
		return err;
	err = result_parse_named(r, json, path);
	free(json);
	return err;
}
