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

static int read_all(struct reading *all, const struct fleet_config *o)
{
	struct names names;
	int err = names_find(&names, o->files, o->list);
	size_t i;

	for (i = 0; i < names.n && !err; i++)
		err = result_each(names.at[i], add_text, all);
	names_free(&names);
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
		err = err ? fail(err, "cannot write the output: %s", strerror(-err)) : output_commit(&out[i]);
	}
	if (!err && !stdout_taken) {
		err = fleet_text(stdout, f);
		if (err)
			fail(err, "cannot write the output: %s", strerror(-err));
	}
	return err;
}

static enum exit_code call(void *config, int argc, char **argv)
{
	const struct fleet_config *o = config;
	struct output out[NR_OUTPUTS] = { { 0 } };
	struct aliases aliases;
	struct reading all = { .aliases = NULL };
	int err = outputs_open(out, o->out, NR_OUTPUTS);
	size_t named;

	(void)argc;
	(void)argv;
	aliases_begin(&aliases);
	if (o->anonymize)
		all.aliases = &aliases;
	if (!err)
		err = read_all(&all, o);
	if (!err)
		err = fleet_judge(&all.f);
	if (!err)
		err = write_all(out, &all.f);
	named = all.f.nnamed;
	outputs_discard(out, NR_OUTPUTS);
	fleet_free(&all.f);
	aliases_free(&aliases);
	return !err && named ? EXIT_ASSERTION : exit_code_of(err);
}

const struct command cmd_fleet = { .manual = &manual_fleet, .run = call };
