// SPDX-License-Identifier: GPL-2.0
/* `tlob-load merge`: adds results up into one file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/option_value.h"
#include "result/merge.h"
#include "result/read.h"
#include "run/metadata.h"
#include "show/render.h"
#include "util/file.h"

struct merge_options {
	const char *json;
	bool	 help;
};

static int merge_files(struct result *all, char **names)
{
	struct result one;
	uint64_t *seen;
	size_t n, i;
	int err;

	for (n = 0; names[n]; n++)
		;
	seen = calloc(n + 1, sizeof(*seen));
	if (!seen)
		return fail(-ENOMEM, "out of memory");
	err = result_load(all, names[0]);
	seen[0] = all->fingerprint;
	for (n = 1; !err && names[n]; n++) {
		err = result_load(&one, names[n]);
		if (err)
			break;
		seen[n] = one.fingerprint;
		for (i = 0; i < n && !err; i++)
			if (seen[i] == seen[n])
				err = fail(-EINVAL, "%s and %s are the same: the windows would count twice",
					   names[i], names[n]);
		if (!err)
			err = result_merge(all, &one, names[n]);
		result_free(&one);
	}
	free(seen);
	return err;
}

static int merge_to(const char *path, int argc, char **argv)
{
	struct output out = { 0 };
	struct result all = { 0 };
	int err;

	err = output_open(&out, path);
	if (!err)
		err = merge_files(&all, argv + optind);
	if (!err) {
		free(all.command);
		all.command = metadata_command(argc, argv);
		free(all.trace_file);
		all.trace_file = NULL;
		err = render_json(out.f, &all);
		err = err ? fail(err, "cannot write %s",
				 strcmp(path, "-") ? path : "stdout") :
			    output_commit(&out);
	}
	output_discard(&out);
	result_free(&all);
	return err;
}

static int set_option(void *data, int val, const struct value *v)
{
	struct merge_options *o = data;

	if (val == 'h') {
		o->help = true;
		return 1;
	}
	return value_text(v, "the name of a file, or - for stdout", &o->json);
}

static enum exit_code call(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct merge_options o = { .json = "-" };
	char why[1024];
	struct value v = {
		.options = options, .err = why, .size = sizeof(why),
	};
	int ret;

	ret = options_read(&o, argc, argv, ":o:h", &v, set_option);
	if (o.help)
		return command_help(&cmd_merge);
	if (!ret && optind == argc)
		ret = value_error(&v, "no result: give the files to merge");
	if (ret)
		return command_usage(&cmd_merge, why);
	return exit_code_of(merge_to(o.json, argc, argv));
}

const struct command cmd_merge = {
	.name = "merge",
	.summary = "add up results of several runs or machines",
	.help =
"Usage: tlob-load merge [OPTION]... RESULT...\n"
"Add up results of several runs, CPUs or machines. The sum is exact: it adds\n"
"histograms and counters. Results with different backends, work or settings are\n"
"refused.\n"
"\n"
"  -o, --json FILE   file for the sum; - is stdout                            [-]\n"
"  -h, --help        print this text\n"
"\n"
"A quantile of the sum is the quantile of all windows together. compare needs the\n"
"single results instead, because it measures how much runs differ.\n"
"\n"
"Exit codes\n"
"  0 merged   1 error   129 usage\n",
	.run = call,
};
