// SPDX-License-Identifier: GPL-2.0
/* `tlob-load fleet`: which hosts are unlike the others. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/config.h"
#include "fleet/fleet.h"
#include "options/command.h"
#include "result/anonymize.h"
#include "result/read.h"
#include "result/read_names.h"
#include "util/file.h"

struct reading {
	struct fleet f;
	struct aliases *aliases;	/* NULL: without --anonymize */
};

static int add_text(void *to, const char *text, const char *name)
{
	struct reading *all = to;
	struct reader reader;
	struct result r;
	int err;

	if (result_parse_sum(&r, text, &reader))
		return fail(-EINVAL, "%s: %s", name, reader.error);
	err = all->aliases ? result_anonymize(&r, all->aliases) : 0;
	if (!err)
		return fleet_add(&all->f, &r, name);
	result_free(&r);
	return err;
}

/* Refuses an output that would overwrite one of the results. */
static int check_outputs(const struct fleet_config *o, const struct names *in)
{
	int i, err = 0;

	for (i = 0; i < NR_OUTPUTS && !err; i++)
		err = names_check_output(o->out[i], in->at, in->n);
	return err;
}

static int read_all(struct reading *all, const struct names *in)
{
	size_t i;
	int err = 0;

	for (i = 0; i < in->n && !err; i++)
		err = result_each(in->at[i], add_text, all);
	if (!err && !all->f.nruns)
		err = fail(-ENODATA, "no result: give the files to compare");
	return err;
}

static int write_all(struct output out[NR_OUTPUTS], const struct fleet *f)
{
	static int (* const render[NR_OUTPUTS])(FILE *, const struct fleet *) = {
		[OUT_JSON] = fleet_json, [OUT_HTML] = fleet_page,
	};
	bool stdout_taken = false;
	int i, err = 0;

	for (i = 0; i < NR_OUTPUTS && !err; i++) {
		if (!out[i].f)
			continue;
		stdout_taken = stdout_taken || out[i].f == stdout;
		err = render[i](out[i].f, f);
		err = err ? output_failed(out[i].f, "the output", err) : output_commit(&out[i]);
	}
	if (!err && !stdout_taken) {
		err = fleet_text(stdout, f);
		if (err)
			output_failed(stdout, "the output", err);
	}
	return err;
}

static enum exit_code call(void *config, int argc, char **argv)
{
	const struct fleet_config *o = config;
	struct output out[NR_OUTPUTS] = { { 0 } };
	struct aliases aliases;
	struct reading all = { .aliases = NULL };
	struct names in;
	int err = names_find(&in, o->files, o->list);
	size_t named, decided;

	(void)argc;
	(void)argv;
	aliases_begin(&aliases);
	if (o->anonymize)
		all.aliases = &aliases;
	if (!err)
		err = check_outputs(o, &in);
	if (!err)
		err = outputs_open(out, o->out, NR_OUTPUTS);
	if (!err)
		err = read_all(&all, &in);
	if (!err)
		err = fleet_judge(&all.f);
	if (!err)
		err = write_all(out, &all.f);
	named = all.f.nnamed;
	decided = all.f.ndecided;
	outputs_discard(out, NR_OUTPUTS);
	fleet_free(&all.f);
	aliases_free(&aliases);
	names_free(&in);
	if (err)
		return exit_code_of(err);
	return named ? EXIT_ASSERTION : decided ? EXIT_PASS : EXIT_INCONCLUSIVE;
}

const struct command cmd_fleet = { .manual = &manual_fleet, .run = call };
