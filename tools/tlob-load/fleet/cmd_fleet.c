// SPDX-License-Identifier: GPL-2.0
/* `tlob-load fleet`: which hosts are unlike the others. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/config.h"
#include "fleet/fleet.h"
#include "options/command.h"
#include "result/read.h"
#include "result/read_names.h"
#include "util/file.h"

static int add_text(struct fleet *f, const char *text, const char *name)
{
	struct reader reader;
	struct result r;

	return result_parse_sum(&r, text, &reader) ? fail(-EINVAL, "%s: %s", name, reader.error) :
	       fleet_add(f, &r, name);
}

/* Results on stdin have a line each, as tlob-load writes them. */
static int add_lines(struct fleet *f, FILE *in)
{
	char *line = NULL, name[32];
	size_t room = 0, n = 0;
	int err = 0;

	while (!err && getline(&line, &room, in) > 0) {
		snprintf(name, sizeof(name), "line %zu of stdin", ++n);
		if (line[strspn(line, " \t\r\n")])
			err = add_text(f, line, name);
	}
	free(line);
	return err;
}

static int add_file(struct fleet *f, const char *name)
{
	char *text;
	int err;

	if (!strcmp(name, "-"))
		return add_lines(f, stdin);
	err = result_read_text(name, &text);
	if (err)
		return err;
	err = add_text(f, text, name);
	free(text);
	return err;
}

static int read_all(struct fleet *f, const struct fleet_config *o)
{
	struct names names;
	int err = names_find(&names, o->files, o->list);
	size_t i;

	for (i = 0; i < names.n && !err; i++)
		err = add_file(f, names.at[i]);
	names_free(&names);
	if (!err && !f->nruns)
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
	struct fleet f = { .nhosts = 0 };
	int err = outputs_open(out, o->out, NR_OUTPUTS);
	size_t named;

	(void)argc;
	(void)argv;
	if (!err)
		err = read_all(&f, o);
	if (!err)
		err = fleet_judge(&f);
	if (!err)
		err = write_all(out, &f);
	named = f.nnamed;
	outputs_discard(out, NR_OUTPUTS);
	fleet_free(&f);
	return !err && named ? EXIT_ASSERTION : exit_code_of(err);
}

const struct command cmd_fleet = { .manual = &manual_fleet, .run = call };
