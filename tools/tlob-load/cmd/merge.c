// SPDX-License-Identifier: GPL-2.0
/* `tlob-load merge`: adds results up into one file. */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/config.h"
#include "options/command.h"
#include "result/merge.h"
#include "result/read.h"
#include "result/read_names.h"
#include "show/render.h"
#include "util/file.h"
#include "util/host.h"

/* @seen: the fingerprints of the files before. */
static int merge_one(struct merger *m, const struct names *in, size_t i, uint64_t seen[])
{
	const char *file = in->at[i];
	struct result one;
	size_t k;
	int err;

	err = result_load(&one, file);
	if (err)
		return err;
	if (one.partial) {
		result_free(&one);
		return fail(-EINVAL, "%s: partial: the run had not ended when it was written: give the result that its end leaves",
			    file);
	}
	seen[i] = one.fingerprint;
	for (k = 0; k < i; k++)
		if (seen[k] == seen[i]) {
			result_free(&one);
			return fail(-EINVAL, "%s and %s are the same: the windows would count twice",
				    in->at[k], file);
		}
	return merger_add(m, &one, file);
}

/* A sum of many machines is more than our own readers take into memory. */
static void check_size(FILE *f, const char *path)
{
	off_t size = ftello(f);

	if (size > (off_t)FILE_MAX)
		warning("%s has %lld MiB: report, compare and merge read up to %u MiB; jq and others read it",
			path, (long long)size >> 20, FILE_MAX >> 20);
}

static int write_sum(struct merger *m, struct output *out, const char *path)
{
	const struct packed_source source = { .read = merger_unpack, .data = m };
	int err = render_json_from(out->f, &m->sum, &source);

	if (err)
		return fail(err, "cannot write %s: %s",
			    strcmp(path, "-") ? path : "stdout", strerror(-err));
	check_size(out->f, path);
	return output_commit(out);
}

static int merge_to(const struct merge_config *o, const struct names *in, int argc,
		    char **argv)
{
	uint64_t *seen = calloc(in->n, sizeof(*seen));
	struct output out = { 0 };
	struct merger m;
	size_t i;
	int err;

	if (!seen)
		return fail(-ENOMEM, "out of memory");
	err = merger_begin(&m);
	if (!err)
		err = output_open(&out, o->json);
	for (i = 0; i < in->n && !err; i++)
		err = merge_one(&m, in, i, seen);
	if (!err)
		err = merger_end(&m);
	if (!err) {
		free(m.sum.command);
		m.sum.command = host_command(argc, argv);
		free(m.sum.trace_file);
		m.sum.trace_file = NULL;
		err = write_sum(&m, &out, o->json);
	}
	output_discard(&out);
	merger_free(&m);
	free(seen);
	return err;
}

static int merge_files(const struct merge_config *o, int argc, char **argv)
{
	struct names in;
	int err = names_find(&in, o->files, o->list);

	/*
	 * json-c frees a hundred thousand small blocks at a time. glibc would collect them
	 * in its fast bins and then merge them all, again and again: a tenth of the time.
	 * musl has no such bins.
	 */
#ifdef M_MXFAST
	mallopt(M_MXFAST, 0);
#endif
	if (!err)
		err = names_check_copies(&in);
	if (!err)
		err = merge_to(o, &in, argc, argv);
	names_free(&in);
	return err;
}

static enum exit_code call(void *config, int argc, char **argv)
{
	return exit_code_of(merge_files(config, argc, argv));
}

const struct command cmd_merge = { .manual = &manual_merge, .run = call };
