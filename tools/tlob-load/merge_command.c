// SPDX-License-Identifier: GPL-2.0
/* `tlob-load merge`. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "describe.h"
#include "file.h"
#include "merge.h"
#include "render.h"
#include "result_read.h"

static const char merge_help[] =
"Usage: tlob-load merge [OPTION]... RESULT...\n"
"Add results of several runs, CPUs or machines up into one, exactly: histograms\n"
"and counters add. Results of different backends, works or settings are refused.\n"
"\n"
"  -o, --json FILE   where the sum goes; - is stdout                     [-]\n"
"  -h, --help        this text\n"
"\n"
"A quantile of the sum is one of all windows together. For a comparison give\n"
"compare the single results: it needs to know how much runs differ.\n"
"\n"
"Exit codes\n"
"  0 merged   1 error   129 usage\n";

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
				err = fail(-EINVAL, "%s and %s are the same: its windows would count twice",
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
		all.command = describe_command(argc, argv);
		free(all.trace_file);
		all.trace_file = NULL;
		err = render_json(out.f, &all);
		err = err ? fail(err, "%s cannot be written", path) :
			    output_commit(&out);
	}
	output_discard(&out);
	result_free(&all);
	return err;
}

enum exit_code command_merge(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *path = "-";
	int c;

	opterr = 0;
	optind = 0;
	while ((c = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
		if (c == 'h') {
			fputs(merge_help, stdout);
			return EXIT_PASS;
		}
		if (c != 'o')
			return exit_code_of(fail(-EUSAGE, "merge: '%s' is no option, or lacks its value (tlob-load merge --help)",
						 argv[optind - 1]));
		path = optarg;
	}
	if (optind == argc)
		return exit_code_of(fail(-EUSAGE, "merge: no result to merge (tlob-load merge --help)"));
	return exit_code_of(merge_to(path, argc, argv));
}
