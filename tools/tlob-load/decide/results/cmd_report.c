// SPDX-License-Identifier: GPL-2.0
/* `tlob-load report`: shows results as a page, Markdown, CSV or text. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare/campaign.h"
#include "options/command.h"
#include "read/anonymize.h"
#include "read/names.h"
#include "read/read.h"
#include "read/samples.h"
#include "read/stacks.h"
#include "read/waits.h"
#include "report/render.h"
#include "report/report.h"
#include "results/config.h"
#include "results/export.h"
#include "results/hosts.h"
#include "util/file.h"
#include "util/text.h"

/* A file of run or of attach. */
struct loaded {
	const char *file;
	const char *name;	/* how it is called on the page */
	char	 number[32];	/* the same with --anonymize: a file's name may be a host's */
	struct result r;
};

static int anonymize(struct loaded *l, struct aliases *aliases)
{
	int err = result_anonymize(&l->r, aliases);

	if (err)
		result_free(&l->r);
	return err;
}

static const char *label_of(const struct report_config *o, size_t i)
{
	return i < o->nlabels ? o->label[i] : NULL;
}

/* What was read of the result with index @i. @err: of the reading. */
static int take(struct loaded *l, const struct report_config *o, const char *file, size_t i, int err)
{
	if (!err && o->anonymize)
		err = anonymize(l, o->aliases);
	snprintf(l->number, sizeof(l->number), "result %zu", i + 1);
	l->file = o->anonymize ? l->number : file;
	l->name = label_of(o, i) ? label_of(o, i) : l->r.label ? l->r.label : l->file;
	return err;
}

static int load(struct loaded *l, const struct report_config *o, const char *file, size_t i)
{
	return take(l, o, file, i, result_load(&l->r, file));
}

/* Folders say nothing on a page, unless two files differ only in them. */
static void shorten_names(struct loaded *l, size_t n)
{
	bool alike = false;
	size_t i, k;

	for (i = 1; i < n; i++)
		for (k = 0; k < i; k++)
			alike = alike || !strcmp(without_folders(l[i].file),
						 without_folders(l[k].file));
	for (i = 0; i < n && !alike; i++)
		if (l[i].name == l[i].file)
			l[i].name = without_folders(l[i].file);
}

static void unload(struct loaded *l)
{
	result_free(&l->r);
}

static int show_one(FILE *f, struct loaded *l, enum report_format format)
{
	const struct report one = { .r = &l->r, .name = &l->name, .n = 1 };

	switch (format) {
	case FORMAT_JSON: return render_json(f, &l->r);
	case FORMAT_TEXT: return render_text(f, &l->r, true);
	default: return report_markdown(f, &one);
	}
}

/* Text, Markdown and JSON show any number of results, one after the other. */
static int show_each(FILE *f, const struct report_config *o, char *const *files,
		     size_t n)
{
	struct loaded l;
	size_t i;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		err = load(&l, o, files[i], i);
		if (err)
			break;
		if (i && o->format != FORMAT_JSON)
			fputc('\n', f);
		err = show_one(f, &l, o->format);
		if (err)
			output_failed(f, "the output", err);
		unload(&l);
	}
	return err;
}

/* A page shows runs or attach: they share no plot. */
static int show_page(FILE *f, struct loaded *l, size_t n, const struct flames *flames,
		     const struct samples_plot *samples)
{
	struct result r[REPORT_MAX];
	const char *name[REPORT_MAX];
	const struct report rep = { .r = r, .name = name, .n = n, .flames = flames, .samples = samples };
	size_t i;
	int err;

	if (flames && l[0].r.attached)
		return fail(-EINVAL, "%s is a result of attach: --stacks needs results of run", l[0].file);
	for (i = 0; i < n; i++) {
		if (!l[i].r.attached != !l[0].r.attached)
			return fail(-EINVAL, "%s is a result of %s, and %s of %s: make a page of each",
				    l[0].file, l[0].r.attached ? "attach" : "run", l[i].file,
				    l[i].r.attached ? "attach" : "run");
		r[i] = l[i].r;		/* a shallow copy: @l keeps what it points to */
		name[i] = l[i].name;
	}
	err = page_results(f, &rep);
	return err ? output_failed(f, "the page", err) : 0;
}

static int show_together(FILE *f, const struct report_config *o, char *const *files,
			 size_t n)
{
	struct loaded *l = calloc(n ? n : 1, sizeof(*l));
	struct samples_plot samples = { 0 };
	struct flames flames = { 0 };
	size_t loaded = 0;
	int err;

	if (!l)
		return fail(-ENOMEM, "out of memory");
	err = flames_read(&flames, o->stacks, o->nstacks);
	if (!err && o->samples)
		err = samples_plot_read(&samples, o->samples);
	while (loaded < n && !err) {
		err = load(&l[loaded], o, files[loaded], loaded);
		loaded += !err;
	}
	if (!err) {
		shorten_names(l, n);
		err = show_page(f, l, n, o->nstacks ? &flames : NULL, o->samples ? &samples : NULL);
	}
	while (loaded)
		unload(&l[--loaded]);
	flames_free(&flames);
	samples_plot_free(&samples);
	free(l);
	return err;
}

/* A row for each: one result is in memory at a time. */
static int show_rows(FILE *f, const struct report_config *o, char *const *files, size_t n)
{
	struct rows rows = { 0 };
	struct loaded l;
	size_t i;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		err = load(&l, o, files[i], i);
		if (err)
			break;
		err = rows_add(&rows, &l.r, l.name);
		if (err)
			fail(err, "out of memory");
		unload(&l);
	}
	if (!err) {
		err = page_rows(f, &rows);
		if (err)
			output_failed(f, "the page", err);
	}
	rows_free(&rows);
	return err;
}

struct reading {
	struct hosts hosts;
	struct aliases *aliases;	/* NULL: without --anonymize */
};

static int add_host_text(void *to, const char *text, const char *name)
{
	struct reading *all = to;
	struct reader reader;
	struct result r;
	int err;

	if (result_parse_sum(&r, text, &reader))
		return fail(-EINVAL, "%s: %s", name, reader.error);
	if (r.attached) {
		result_free(&r);
		return fail(-EINVAL, "%s: a result of attach: --hosts takes those of run", name);
	}
	err = all->aliases ? result_anonymize(&r, all->aliases) : 0;
	if (!err)
		return hosts_add(&all->hosts, &r, name);
	result_free(&r);
	return err;
}

static int show_hosts(FILE *f, const struct report_config *o, char *const *files, size_t n)
{
	struct reading all = { .aliases = o->anonymize ? o->aliases : NULL };
	size_t i;
	int err = 0;

	for (i = 0; i < n && !err; i++)
		err = result_each(files[i], add_host_text, &all);
	if (!err && !all.hosts.n)
		err = fail(-ENODATA, "no result: give the results of hosts");
	if (!err) {
		err = hosts_sort(&all.hosts);
		if (!err)
			err = hosts_print(f, &all.hosts);
		if (err)
			output_failed(f, "the table", err);
	}
	hosts_free(&all.hosts);
	return err;
}

/* They share nothing with windows: no row, no line of CSV. */
static int show_waits(FILE *f, const struct report_config *o, char *const *names, size_t n)
{
	const char *label[] = { label_of(o, 0), label_of(o, 1) };

	if (o->anonymize)
		return fail(-EUSAGE, "--anonymize is for results of run and attach: waits have names of functions");
	if (o->rows || (o->format != FORMAT_HTML && o->format != FORMAT_TEXT))
		return fail(-EUSAGE, "results of waits are shown as a page, or with --format text as a table");
	return waits_files_report(f, names, label, n, o->format == FORMAT_HTML);
}

static int export_one(FILE *f, const struct report_config *o, const struct loaded *l)
{
	unsigned int metric = o->metric == REPORT_IRQ ? TLOB_METRIC_IRQ : TLOB_METRIC_WAKE;

	if (o->format == FORMAT_OPENMETRICS)
		return export_openmetrics(f, &l->r);
	if (l->r.attached)
		return fail(-EINVAL, "%s is a result of attach: cyclictest has no region", l->file);
	if (!l->r.all.windows)
		return fail(-EINVAL, "%s: no window was measured", l->file);
	if (!l->r.all.hist[metric].n)
		return fail(-EINVAL, "%s has no %s: give --metric %s", l->file, tlob_metric_names[metric],
			    o->metric == REPORT_IRQ ? "wake" : "irq");
	return export_rt_tests(f, &l->r, metric);
}

static int export_verdict(FILE *f, const struct report_config *o, const struct verdict_file *v,
			  const char *file)
{
	if (o->format == FORMAT_RT_TESTS)
		return fail(-EINVAL, "%s is a verdict: cyclictest has none: give a result of run", file);
	return export_verdict_openmetrics(f, v);
}

/* In a format of others. It is read once: a pipe can be no second time. */
static int show_export(FILE *f, const struct report_config *o, const char *file)
{
	struct verdict_file v;
	struct loaded l;
	char *text;
	int err = result_read_text(file, &text);

	if (err)
		return err;
	err = verdict_file_parse(&v, file, text);
	if (err > 0) {
		err = o->anonymize ? fail(-EINVAL, "%s is a verdict: --anonymize is for results of run and attach", file) :
			export_verdict(f, o, &v, file);
		verdict_file_free(&v);
	} else if (!err) {
		err = take(&l, o, file, 0, result_parse_named(&l.r, text, file));
		if (!err) {
			err = export_one(f, o, &l);
			unload(&l);
		}
	}
	free(text);
	return err == -EIO || err == -ENOMEM ? output_failed(f, "the output", err) : err;
}

/* Without a result. */
static int show_samples(FILE *f, const char *path)
{
	struct samples_plot samples;
	int err = samples_plot_read(&samples, path);

	if (!err) {
		err = samples_plot_page(f, &samples);
		if (err)
			output_failed(f, "the page", err);
	}
	samples_plot_free(&samples);
	return err;
}

static int show_csv(FILE *f, const struct report_config *o, char *const *names, size_t n)
{
	int err = csv_results(f, names, n, o->commit);

	return err && ferror(f) ? output_failed(f, "the output", err) : err;
}

static int show(const struct report_config *o, char *const *names, size_t n)
{
	struct output out = { 0 };
	int err;

	err = output_open(&out, o->output);
	if (err)
		return err;
	if (o->hosts)
		err = show_hosts(out.f, o, names, n);
	else if (o->format >= FORMAT_RT_TESTS)
		err = show_export(out.f, o, names[0]);
	else if (!n && o->samples)
		err = show_samples(out.f, o->samples);
	else if (o->samples && (n > REPORT_MAX || waits_files_any(names, n)))
		err = fail(-EUSAGE, "--samples is for a page of up to %d results of run", REPORT_MAX);
	else if (waits_files_any(names, n))
		err = o->nstacks ? fail(-EUSAGE, "--stacks needs results of run; results of waits have their own stacks") :
			show_waits(out.f, o, names, n);
	else if (o->format == FORMAT_HTML && (o->rows || n > REPORT_MAX))
		err = o->nstacks ? fail(-EUSAGE, "--stacks is for a page of up to %d results", REPORT_MAX) :
			show_rows(out.f, o, names, n);
	else if (o->format == FORMAT_HTML)
		err = show_together(out.f, o, names, n);
	else if (o->format == FORMAT_CSV)
		err = show_csv(out.f, o, names, n);
	else
		err = show_each(out.f, o, names, n);
	if (!err)
		err = output_commit(&out);
	output_discard(&out);
	return err;
}

/* Refuses an output that would overwrite an input: a result, stacks or samples. */
static int check_output(const struct report_config *o, const struct names *names)
{
	const char *path = o->append ? o->append : o->output;
	char *others[sizeof(o->stacks) / sizeof(o->stacks[0]) + 1];
	size_t n = 0, i;
	int err = names_check_output(path, names->at, names->n);

	for (i = 0; i < o->nstacks; i++)
		others[n++] = (char *)o->stacks[i];
	if (o->samples)
		others[n++] = (char *)o->samples;
	return err ? err : names_check_output(path, others, n);
}

static int show_files(const struct report_config *o)
{
	struct names names = { .n = 0 };
	int err = *o->files || o->list ? names_find(&names, o->files, o->list) : 0;

	if (!err && o->nlabels > names.n)
		err = fail(-EUSAGE, "--label is given %zu times for %zu result%s", o->nlabels, names.n,
			   names.n == 1 ? "" : "s");
	if (!err)
		err = check_output(o, &names);
	if (!err && o->append)
		err = csv_append_results(o->append, names.at, names.n, o->commit);
	else if (!err)
		err = show(o, names.at, names.n);
	names_free(&names);
	return err;
}

/* Nobody reads HTML on a terminal. */
static bool wants_text(const struct report_config *o)
{
	return !o->has_format && !o->html && !o->rows && !o->hosts && !o->samples && !o->nstacks && !o->append &&
	       !strcmp(o->output, "-") && isatty(STDOUT_FILENO);
}

static enum exit_code call(void *config, int argc, char **argv)
{
	struct report_config *o = config;
	struct aliases aliases;
	char **file;
	int err;

	(void)argc;
	(void)argv;
	aliases_begin(&aliases);
	o->aliases = &aliases;
	for (file = o->files; *file; file++)
		if (!strcmp(*file, "-") && !o->hosts)
			*file = (char *)"/dev/stdin";
	if (wants_text(o))
		o->format = FORMAT_TEXT;
	err = show_files(o);
	aliases_free(&aliases);
	return exit_code_of(err);
}

const struct command cmd_report = { .manual = &manual_report, .run = call };
