// SPDX-License-Identifier: GPL-2.0
/* Applies and shows the rows of --tune. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/knobs.h"
#include "tuning/tune.h"
#include "util/error.h"
#include "util/file.h"
#include "util/memstream.h"

static int give_problem(struct tune_row *row, const char *why)
{
	free(row->problem);
	row->problem = strdup(why);
	return row->problem ? 0 : -ENOMEM;
}

int tune_leave_out(struct tune *t, const char *what, const char *why)
{
	size_t i;
	int err = 0;

	for (i = 0; i < t->n && !err; i++)
		if (!strcmp(t->row[i].what, what)) {
			err = give_problem(&t->row[i], why);
			t->row[i].overruled = true;
		}
	return err;
}

static int write_in(const char *dir, const char *file, const char *value)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", dir, file) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return file_write(path, value);
}

/*
 * The kernel takes "isolated" in any case, and says behind it why the partition is not
 * valid: "isolated invalid (Parent is not a partition root)".
 */
static int make_partition(struct tune *t, struct tune_row *row, struct knobs *k, const char *path)
{
	char file[PATH_MAX], state[256] = "", self[16];
	int err;

	err = knobs_cgroup(k, path);
	if (err)
		return err;
	err = write_in(path, "cgroup.type", "threaded");
	if (!err)
		err = write_in(path, "cpuset.cpus", row->wanted);
	if (!err)
		err = write_in(path, "cpuset.cpus.partition", "isolated");
	if (!err && snprintf(file, sizeof(file), "%s/cpuset.cpus.partition", path) < (int)sizeof(file))
		err = file_read_line(file, state, sizeof(state));
	if (!err && strcmp(state, "isolated")) {
		err = give_problem(row, state);
		err = err ? err : -EINVAL;
	}
	/* Threads may go there only from a process in the cgroup above it. */
	snprintf(self, sizeof(self), "%d", getpid());
	if (!err && snprintf(file, sizeof(file), "%s/sys/fs/cgroup", t->root) < (int)sizeof(file))
		err = write_in(file, "cgroup.procs", self);
	if (err)
		knobs_undo(k, path);
	else
		t->partition = true;
	return err;
}

static int apply_row(struct tune *t, struct tune_row *row, struct knobs *k)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s%s", t->root, row->path) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	switch (row->kind) {
	case TUNE_FILE:
		return knobs_set(k, path, row->wanted, row->saved);
	case TUNE_IRQ:
		return knobs_set_irq(k, path, row->wanted, row->saved);
	case TUNE_HOLD:
		return access(path, W_OK) ? -errno : 0;
	case TUNE_PARTITION:
		return make_partition(t, row, k, path);
	case TUNE_COMMAND:
		return knobs_command(k, row->wanted, row->saved);
	}
	return -EINVAL;
}

int tune_apply(struct tune *t, struct knobs *k)
{
	size_t i, tried = 0, done = 0, from = k->n;
	int err, first = 0;

	for (i = 0; i < t->n; i++) {
		struct tune_row *row = &t->row[i];

		if (row->problem)
			continue;
		tried++;
		err = apply_row(t, row, k);
		done += !err;
		if (!err)
			continue;
		keep_error(&first, err);
		if (!row->problem && give_problem(row, err == -ECANCELED ? "its command failed" : strerror(-err)))
			return fail(-ENOMEM, "out of memory");
	}
	err = knobs_are_ours(k, from);
	if (err)
		return fail(err, "%s: %s", k->state, strerror(-err));
	return tried && !done ? fail(first, "none of %zu settings can be changed: %s: %s", tried,
				     t->row[0].what, t->row[0].problem) : 0;
}

int tune_print(FILE *f, const struct tune *t)
{
	const char *what = "";
	size_t i;

	for (i = 0; i < t->n; i++) {
		const struct tune_row *row = &t->row[i];

		if (strcmp(what, row->what))
			fprintf(f, "%s%s\n", i ? "\n" : "", row->what);
		what = row->what;
		fprintf(f, "  %s%s", t->root, row->path);
		if (row->problem)
			fprintf(f, ": left out: %s\n", row->problem);
		else if (row->kind == TUNE_HOLD)
			fprintf(f, ": held at %s during the run\n", row->wanted);
		else if (row->kind == TUNE_PARTITION)
			fprintf(f, ": an isolated partition of CPUs %s, made and removed\n", row->wanted);
		else if (row->kind == TUNE_COMMAND)
			fprintf(f, "%s, then %s\n", row->wanted, row->saved);
		else
			fprintf(f, ": %s, back to %s\n", row->wanted, row->saved);
	}
	return fflush(f) || ferror(f) ? -EIO : 0;
}

/* Counts of rows by name, without a problem, or (@bad) with one that no other option made. */
static char *counts(const struct tune *t, bool bad)
{
	char *text = NULL;
	size_t size, i, k, n;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; f && i < t->n; i = k) {
		const char *why = NULL;

		for (n = 0, k = i; k < t->n && !strcmp(t->row[k].what, t->row[i].what); k++)
			if (!t->row[k].problem == !bad && !t->row[k].overruled) {
				n++;
				why = why ? why : t->row[k].problem;
			}
		if (!n)
			continue;
		fprintf(f, "%s%s %zu", ftell(f) ? ", " : "", t->row[i].what, n);
		if (why)
			fprintf(f, " (%s)", why);
	}
	return memstream_text(f, &text);
}

char *tune_text(const struct tune *t)
{
	return counts(t, false);
}

char *tune_problems(const struct tune *t)
{
	char *text = counts(t, true);

	if (text && *text)
		return text;
	free(text);
	return NULL;
}

const char *tune_problem(const struct tune *t, const char *what)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if (!strcmp(t->row[i].what, what) && t->row[i].problem)
			return t->row[i].problem;
	return NULL;
}

bool tune_has(const struct tune *t, const char *what)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if (!strcmp(t->row[i].what, what) && !t->row[i].problem)
			return true;
	return false;
}
