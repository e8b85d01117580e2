// SPDX-License-Identifier: GPL-2.0
/* `tlob-load report`: shows results as a page, Markdown, CSV or text. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/option_value.h"
#include "result/read.h"
#include "show/csv.h"
#include "show/render.h"
#include "show/report.h"
#include "util/file.h"

enum report_format { FORMAT_HTML, FORMAT_MD, FORMAT_CSV, FORMAT_TEXT };

static const char * const formats[] = { "html", "md", "csv", "text" };

struct report_options {
	enum report_format format;
	const char *output, *append, *commit;
	bool	 help;
};

enum { OPT_APPEND = 256, OPT_COMMIT };

static const struct option long_options[] = {
	{ "format", required_argument, NULL, 'f' },
	{ "output", required_argument, NULL, 'o' },
	{ "append", required_argument, NULL, OPT_APPEND },
	{ "commit", required_argument, NULL, OPT_COMMIT },
	{ "help",   no_argument,       NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int set_option(void *data, int val, const struct value *v)
{
	struct report_options *o = data;
	unsigned int i;

	switch (val) {
	case 'f':
		for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
			if (!strcmp(v->arg, formats[i])) {
				o->format = (enum report_format)i;
				return 0;
			}
		return value_error(v, "--format: unknown format '%s': use html, md, csv or text",
				   v->arg);
	case 'o':
		return value_text(v, "the name of a file, or - for stdout",
				  &o->output);
	case OPT_APPEND:
		return value_text(v, "the name of a file", &o->append);
	case OPT_COMMIT:
		return value_text(v, "a name", &o->commit);
	case 'h':
		o->help = true;
		return 1;
	}
	return value_error(v, "unknown option --%s", v->name);
}

static int csv(FILE *f, char *const *names, size_t n, const char *commit)
{
	struct campaign_run run;
	size_t i;
	int err;

	err = csv_header(f);
	for (i = 0; i < n && !err; i++) {
		memset(&run, 0, sizeof(run));
		err = campaign_run_load(&run, names[i], NULL, 0);
		if (!err)
			err = csv_line(f, &run, commit);
		campaign_run_free(&run);
	}
	return err;
}

static int append(const struct report_options *o, char *const *names, size_t n)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int err;

	if (!f)
		return fail(-ENOMEM, "out of memory");
	err = csv(f, names, n, o->commit);
	if (fclose(f) && !err)
		err = fail(-ENOMEM, "out of memory");
	if (!err)
		err = csv_append(o->append, text, size);
	free(text);
	return err;
}

/* Text and Markdown show any number of results, one after the other. */
static int show_each(FILE *f, char *const *names, size_t n,
		     enum report_format format)
{
	struct result r;
	size_t i;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		struct report one = {
			.r = &r, .name = (const char *const *)&names[i], .n = 1,
		};

		err = result_load(&r, names[i]);
		if (err)
			break;
		if (i)
			fputc('\n', f);
		err = format == FORMAT_TEXT ? render_text(f, &r, true) :
					      report_markdown(f, &one);
		if (err)
			fail(err, "cannot write the output");
		result_free(&r);
	}
	return err;
}

static int show_together(FILE *f, char *const *names, size_t n)
{
	struct result r[REPORT_MAX];
	struct report rep = {
		.r = r, .name = (const char *const *)names, .n = n,
	};
	size_t loaded = 0;
	int err = 0;

	while (loaded < n && !err) {
		err = result_load(&r[loaded], names[loaded]);
		loaded += !err;
	}
	if (!err)
		err = report_html(f, &rep);
	while (loaded)
		result_free(&r[--loaded]);
	return err;
}

static int show(const struct report_options *o, char *const *names, size_t n)
{
	struct output out = { 0 };
	int err;

	err = output_open(&out, o->output);
	if (err)
		return err;
	if (o->format == FORMAT_HTML)
		err = show_together(out.f, names, n);
	else if (o->format == FORMAT_CSV)
		err = csv(out.f, names, n, o->commit);
	else
		err = show_each(out.f, names, n, o->format);
	if (!err)
		err = output_commit(&out);
	output_discard(&out);
	return err;
}

static enum exit_code call(int argc, char **argv)
{
	struct report_options o = { .output = "-" };
	char why[1024] = "";
	struct value v = {
		.options = long_options, .err = why, .size = sizeof(why),
	};
	size_t n;
	int ret;

	ret = options_read(&o, argc, argv, ":f:o:h", &v, set_option);
	if (o.help) {
		return command_help(&cmd_report);
	}
	n = (size_t)(argc - optind);
	if (!ret && !n)
		ret = value_error(&v, "no result: give the files to show");
	if (!ret && o.format == FORMAT_HTML && !o.append && n > REPORT_MAX)
		ret = value_error(&v, "%zu results are too many for a page: give at most %d", n,
				  REPORT_MAX);
	if (ret)
		return command_usage(&cmd_report, why);
	return exit_code_of(o.append ? append(&o, argv + optind, n) :
				       show(&o, argv + optind, n));
}

const struct command cmd_report = {
	.name = "report",
	.summary = "show results as an HTML page, Markdown, CSV or text",
	.help =
"Usage: tlob-load report [OPTION]... RESULT...\n"
"Show results on one self-contained HTML page, or as text. Several results share\n"
"the plots; with two of them a plot shows how each quantile moved.\n"
"\n"
"  -f, --format F     html, md (Markdown), csv (a line each) or text       [html]\n"
"  -o, --output FILE  output file; - is stdout                                [-]\n"
"      --append FILE  append a line for each result to a CSV file instead, for\n"
"                     tools that look for changes in a series\n"
"      --commit TEXT  the column commit of the CSV                        [empty]\n"
"  -h, --help         print this text\n"
"\n"
"HTML takes at most 8 results and needs gnuplot. Two results cannot show whether\n"
"B is worse than A: tlob-load compare decides from several of each.\n"
"\n"
"Exit codes\n"
"  0 shown   1 error   77 no gnuplot   129 usage\n",
	.run = call,
};
