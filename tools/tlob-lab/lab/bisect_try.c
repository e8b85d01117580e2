// SPDX-License-Identifier: GPL-2.0
/* Building and measuring one commit. What an earlier lab has measured in this directory stays. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lab/bisect.h"
#include "read/read.h"
#include "util/error.h"
#include "util/file.h"
#include "util/process.h"
#include "util/signals.h"

#define LEAST_FREE	(64ULL << 20)	/* bytes */

/* A full disk is no fault of the commit. */
static int check_room(const char *dir)
{
	struct statvfs st;

	if (statvfs(dir, &st) || (uint64_t)st.f_bavail * st.f_frsize >= LEAST_FREE)
		return 0;
	return fail(-ENOSPC, "%s: the disk is full: make room, then repeat the command", dir);
}

/* Results of other options, or with another seed, are in another directory. */
static uint64_t options_fingerprint(const struct lab_config *o)
{
	struct call c = { 0 };
	char *text = NULL;
	size_t size = 0, i;
	FILE *f = open_memstream(&text, &size);
	uint64_t print = 0;

	call_add(&c, "%" PRIu64 " %s", o->seed, strchr(o->kernel[0].text, '+') ?: "");
	call_add_all(&c, o->options, o->noptions);
	if (f && !call_error(&c)) {
		for (i = 0; i < c.n; i++)
			fprintf(f, "%s\n", c.argv[i]);
		fclose(f);
		print = file_fingerprint(text);
	}
	free(text);
	call_free(&c);
	return print;
}

/* The kernel of this boot, in the place of its commit, and where its results are. */
static int set_kernel(struct bisect *b, const struct bisect_commit *c)
{
	struct lab *lab = &b->lab;
	struct lab_kernel *k = &lab->config.kernel[0];
	char place[PATH_MAX];

	kernel_source_place(lab, c->hash, place);
	k->text = c->subject;
	k->image = true;
	if (snprintf(k->name, sizeof(k->name), "%s/vmlinuz", place) >= (int)sizeof(k->name))
		return fail(-ENAMETOOLONG, "%s: the path is too long", place);
	snprintf(lab->own[0], sizeof(lab->own[0]), "%.4000s/tlob_load.ko", place);
	snprintf(lab->dir[0], sizeof(lab->dir[0]), "%.4000s/%016" PRIx64, place,
		 options_fingerprint(b->o));
	if (mkdir(lab->dir[0], 0777) && errno != EEXIST)
		return fail(-errno, "%s: %s", lab->dir[0], strerror(errno));
	return 0;
}

static void result_path(const struct bisect *b, uint64_t pair, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%.4000s/%03" PRIu64 ".json", b->lab.dir[0], pair + 1);
}

static bool is_measured(const struct bisect *b)
{
	char path[PATH_MAX];
	uint64_t i;

	for (i = 0; i < b->o->pairs; i++) {
		result_path(b, i, path);
		if (access(path, R_OK))
			return false;
	}
	return true;
}

/* Why a commit could not be measured, from an earlier lab: then *@c is skipped. */
static bool failed_before(const struct bisect *b, struct bisect_commit *c)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.4000s/failed", b->lab.dir[0]);
	c->skipped = !file_last_line(path, c->why, sizeof(c->why));
	return c->skipped;
}

/* The last line of the first boot without a result. */
static void read_reason(const struct bisect *b, char why[LAB_REASON])
{
	char path[PATH_MAX];
	uint64_t i = 0;

	do {
		result_path(b, i, path);
	} while (!access(path, R_OK) && ++i < b->o->pairs);
	snprintf(path, sizeof(path), "%.4000s/%03" PRIu64 ".log", b->lab.dir[0], i + 1);
	lab_reason(why, path);
}

static int note_failure(struct bisect *b, struct bisect_commit *c)
{
	char path[PATH_MAX];
	struct output out = { 0 };
	int err;

	c->skipped = true;
	snprintf(path, sizeof(path), "%.4000s/failed", b->lab.dir[0]);
	err = output_open(&out, path);
	if (err)
		return err;
	fprintf(out.f, "%s\n", c->why);
	err = output_commit(&out);
	output_discard(&out);
	return err;
}

static int measure(struct bisect *b, struct bisect_commit *c)
{
	int failed = lab_measure(&b->lab, 0, b->o->pairs), err;

	if (failed != -EIO || signal_end())
		return failed;
	err = check_room(b->o->dir);
	if (!err)
		err = check_room(file_temporary_dir());
	read_reason(b, c->why);
	if (err || lab_blames_machine(c->why))
		return err ? err : failed;
	return note_failure(b, c);
}

static int read_value(struct bisect *b, struct bisect_commit *c, uint64_t pair)
{
	char path[PATH_MAX], why[200];
	struct result r;
	int err;

	result_path(b, pair, path);
	err = result_load(&r, path);
	if (err)
		return err;
	err = statistic_value(&b->metric, &r, &c->value[pair], why, sizeof(why));
	c->windows = r.ncpus ? r.cpu[0].windows : 0;
	result_free(&r);
	return err ? fail(err, "%s: %s: give longer runs, as in -- -d 10s", path, why) : 0;
}

static int read_values(struct bisect *b, struct bisect_commit *c)
{
	uint64_t i;
	int err = 0;

	free(c->value);
	c->value = calloc(b->o->pairs, sizeof(*c->value));
	if (!c->value)
		return fail(-ENOMEM, "out of memory");
	for (i = 0; i < b->o->pairs && !err; i++)
		err = read_value(b, c, i);
	return err;
}

int bisect_try(struct bisect *b, struct bisect_commit *c)
{
	int err = kernel_source_build(&b->lab, b->o->tree, c->hash, c->why);

	if (err == -ENOEXEC) {
		c->skipped = true;
		return 0;
	}
	if (!err)
		err = set_kernel(b, c);
	if (!err && !is_measured(b) && !failed_before(b, c))
		err = measure(b, c);
	return err || c->skipped ? err : read_values(b, c);
}

void bisect_forget(struct bisect_commit *c)
{
	free(c->value);
	c->value = NULL;
}
