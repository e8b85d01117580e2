// SPDX-License-Identifier: GPL-2.0
/* `tlob-load merge`: adds results up into one file. */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/command.h"
#include "read/anonymize.h"
#include "read/names.h"
#include "read/read.h"
#include "report/render.h"
#include "result/merge.h"
#include "results/config.h"
#include "util/file.h"
#include "util/host.h"

/* bytes: what glibc may keep for the next result. It takes no larger M_MMAP_THRESHOLD. */
#define KEPT_FREE	(32 << 20)

static int merge_one(void *to, const char *json, const char *name)
{
	struct merger *m = to;
	struct reader reader;
	struct result one;
	int err = result_parse(&one, json, &reader);

	if (err)
		return fail(err, "%s: %s", name, reader.error);
	if (!one.partial && !one.attached)
		return merger_add(m, &one, name);
	err = one.attached ? fail(-EINVAL, "%s: a result of attach: merge adds up those of run", name) :
	      fail(-EINVAL, "%s: partial: it was written before the run had ended: give the final result",
		   name);
	result_free(&one);
	return err;
}

static int write_sum(struct merger *m, struct output *out, const char *path)
{
	int err = render_json(out->f, &m->sum);

	if (err)
		return output_failed(out->f, strcmp(path, "-") ? path : "stdout", err);
	return output_commit(out);
}

static int anonymize(struct result *sum)
{
	struct aliases aliases;
	int err;

	aliases_begin(&aliases);
	err = result_anonymize(sum, &aliases);
	aliases_free(&aliases);
	return err;
}

/* Writes into the sum by which command it was made. */
static int describe(struct result *sum, const struct merge_config *o, int argc, char **argv)
{
	free(sum->command);
	sum->command = host_command(argc, argv);
	free(sum->trace_file);
	sum->trace_file = NULL;
	return o->anonymize ? anonymize(sum) : 0;
}

static int merge_to(const struct merge_config *o, const struct names *in, int argc,
		    char **argv)
{
	struct merger all = { .across = o->across_hosts };
	struct output out = { 0 };
	int err = output_open(&out, o->json);
	size_t i;

	for (i = 0; i < in->n && !err; i++)
		err = result_each(in->at[i], merge_one, &all);
	if (!err && !all.sum.runs)
		err = fail(-ENODATA, "no result: give the files to merge");
	if (!err)
		err = merger_end(&all);
	if (!err)
		err = describe(&all.sum, o, argc, argv);
	if (!err)
		err = write_sum(&all, &out, o->json);
	output_discard(&out);
	merger_free(&all);
	return err;
}

static int merge_files(const struct merge_config *o, int argc, char **argv)
{
	struct names in;
	int err = names_find(&in, o->files, o->list);

	/*
	 * json-c frees a result in a hundred thousand small blocks, and the next result needs as many.
	 * glibc would merge the blocks in its fast bins again and again, and give their pages back each
	 * time: half of the time. musl has no such settings.
	 */
#ifdef M_MXFAST
	mallopt(M_MXFAST, 0);
	mallopt(M_TRIM_THRESHOLD, KEPT_FREE);
	mallopt(M_MMAP_THRESHOLD, KEPT_FREE);
#endif
	if (!err)
		err = names_check_output(o->json, in.at, in.n);
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
