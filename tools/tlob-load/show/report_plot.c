// SPDX-License-Identifier: GPL-2.0
/* Writing a gnuplot script with its data, and running it. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "show/report_plot.h"
#include "util/error.h"
#include "util/file.h"
#include "util/printable.h"
#include "util/process.h"

#define PPM	1000000U
#define BELOW_ONE "0.7"		/* where the axis of the histogram crosses */

/* The palette of Okabe & Ito, which colour-blind people can distinguish. */
const char *report_colour(size_t i)
{
	static const char * const colours[REPORT_MAX] = {
		"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
		"#56b4e9", "#8a6d3b", "#808080",
	};

	return colours[i % REPORT_MAX];
}

static const enum tlob_metric lines[] = {
	TLOB_METRIC_IRQ, TLOB_METRIC_WAKE, TLOB_METRIC_RESPONSE,
};

#define NR_LINES (sizeof(lines) / sizeof(lines[0]))

static const struct tlob_hist *hist_of(const struct report *rep, size_t i,
				       unsigned int line)
{
	return &rep->r[i].all.hist[lines[line]];
}

static double us(uint64_t ns)
{
	return (double)ns / 1000;
}

/* A logarithmic axis has no 0. */
static double at_least_1ns(uint64_t ns)
{
	return us(ns ? ns : 1);
}

/*
 * A bucket is 1/64 of its value wide at the start of an octave and 1/128 at its end.
 * Plain counts would look like a saw, so they are scaled to a width of 1/64.
 */
static double density(unsigned int i, uint64_t n)
{
	double lower = (double)tlob_hist_lower(i);
	double width = (double)tlob_hist_lower(i + 1) - lower;

	return (double)n * (i < 2 * TLOB_HIST_SUB ? 1 :
			    lower / TLOB_HIST_SUB / width);
}

static void histogram_data(FILE *f, const struct tlob_hist *h)
{
	uint64_t last = 0, n;
	unsigned int i;

	for (i = 0; i < TLOB_HIST_BUCKETS - 1; i++, last = n) {
		n = h->bucket[i];
		if (!n && !last)
			continue;
		/* drop to the axis at an empty bucket, and end the curve there */
		if (!last || !n)
			fprintf(f, "%.6f " BELOW_ONE "\n",
				at_least_1ns(tlob_hist_lower(i)));
		if (!n) {
			fputc('\n', f);
			continue;
		}
		fprintf(f, "%.6f %.6g\n%.6f %.6g\n",
			at_least_1ns(tlob_hist_lower(i)), density(i, n),
			us(tlob_hist_lower(i + 1)), density(i, n));
	}
}

/* The share of windows above each bucket: a step at its upper edge. */
static void tail_data(FILE *f, const struct tlob_hist *h)
{
	uint64_t left = h->n;
	unsigned int i;

	fprintf(f, "%.6f 1\n", at_least_1ns(h->min));
	for (i = 0; i < TLOB_HIST_BUCKETS && left; i++) {
		if (!h->bucket[i])
			continue;
		left -= h->bucket[i];
		/* nothing lies above the last one, so the curve ends at its own share */
		fprintf(f, "%.6f %.9g\n",
			at_least_1ns(left && tlob_hist_upper(i) < h->max ?
				     tlob_hist_upper(i) : h->max),
			(double)(left ? left : 1) / (double)h->n);
	}
}

static void shift_data(FILE *f, const struct tlob_hist *a,
		       const struct tlob_hist *b)
{
	unsigned int ppm;

	/* tenths of a nine: 50 %, 60 %, ... 90 %, 92 % ... */
	for (ppm = 500000; ppm < PPM;
	     ppm += (PPM - ppm) / 10 ? (PPM - ppm) / 10 : 1) {
		if (!hist_has_quantile(a, ppm) || !hist_has_quantile(b, ppm))
			break;
		fprintf(f, "%.9g %.6f\n", (double)(PPM - ppm) / PPM,
			us(hist_quantile(b, ppm)) - us(hist_quantile(a, ppm)));
	}
}

/*
 * Prints @text in single quotes, doubled inside, without control characters. In
 * double quotes gnuplot would execute what stands in backquotes.
 */
static void quoted(FILE *f, const char *text)
{
	char *s = printable_dup(text), *p;

	fputc('\'', f);
	for (p = s; p && *p; p++) {
		if (*p == '\'')
			fputc('\'', f);
		fputc(*p, f);
	}
	fputc('\'', f);
	free(s);
}

static void key(FILE *f, const struct report *rep, size_t i, unsigned int line)
{
	char title[300];

	snprintf(title, sizeof(title), "%s%s%.200s",
		 tlob_metric_names[lines[line]], rep->n > 1 ? ", " : "",
		 rep->n > 1 ? rep->name[i] : "");
	fputs(" title ", f);
	quoted(f, title);
}

/* One result: a colour for each line. Several: a colour for each result, a dash for each line. */
static void style(FILE *f, const struct report *rep, size_t i,
		  unsigned int line)
{
	static const int dash[NR_LINES] = { 3, 2, 1 };

	fprintf(f, " with lines lw %s dt %d lc rgb \"%s\"",
		line == 2 ? "2" : "1.4", rep->n > 1 ? dash[line] : 1,
		report_colour(rep->n > 1 ? i : line));
}

static void quantile_tics(FILE *f, const char *axis)
{
	fprintf(f, "set %stics (\"p50\" 0.5, \"p90\" 0.1, \"p99\" 0.01, \"p99.9\" 1e-3, \"p99.99\" 1e-4, \"p99.999\" 1e-5, \"p99.9999\" 1e-6)\n",
		axis);
}

static void common(FILE *f, const char *out)
{
	fputs("set terminal svg size 900,380 dynamic font \"sans-serif,13\"\n"
	      "set output ", f);
	quoted(f, out);
	fputs("\nset border 3 lc rgb \"#808080\"\n"
	      "set tics nomirror out\n"
	      "set grid lc rgb \"#80808080\" lw 0.5 dt 1\n"
	      "set key outside top horizontal left noenhanced reverse Left samplen 2\n"
	      "set encoding utf8\n", f);
}

static void each_data(FILE *f, const struct report *rep,
		      void (*data)(FILE *, const struct tlob_hist *))
{
	unsigned int line;
	size_t i;

	for (i = 0; i < rep->n; i++)
		for (line = 0; line < NR_LINES; line++) {
			fprintf(f, "$d%zu_%u << EOD\n", i, line);
			data(f, hist_of(rep, i, line));
			fputs("EOD\n", f);
		}
}

static void each_line(FILE *f, const struct report *rep)
{
	unsigned int line;
	size_t i;

	fputs("plot ", f);
	for (i = 0; i < rep->n; i++)
		for (line = 0; line < NR_LINES; line++) {
			fprintf(f, "%s$d%zu_%u using 1:2", i || line ? ", " : "",
				i, line);
			key(f, rep, i, line);
			style(f, rep, i, line);
		}
	fputc('\n', f);
}

static void plot_histogram(FILE *f, const struct report *rep)
{
	each_data(f, rep, histogram_data);
	fputs("set logscale xy\nset yrange [" BELOW_ONE ":*]\nset format y \"%.0f\"\n"
	      "set format x \"%g\"\nset xlabel \"us\"\nset ylabel \"windows for each 1/64 of latency\"\n", f);
	each_line(f, rep);
}

/* The share of one window in the result with the most windows. */
static double least_share(const struct report *rep)
{
	uint64_t n = 2;
	size_t i;

	for (i = 0; i < rep->n; i++)
		if (rep->r[i].all.windows > n)
			n = rep->r[i].all.windows;
	return 1.0 / (double)n;
}

static void plot_tail(FILE *f, const struct report *rep)
{
	each_data(f, rep, tail_data);
	fprintf(f, "set logscale xy\nset yrange [1:%.3g]\n"
		"set format x \"%%g\"\nset xlabel \"us\"\n",
		0.7 * least_share(rep));
	quantile_tics(f, "y");
	each_line(f, rep);
}

static void plot_shift(FILE *f, const struct report *rep)
{
	unsigned int line;

	for (line = 0; line < NR_LINES; line++) {
		fprintf(f, "$d%u << EOD\n", line);
		shift_data(f, hist_of(rep, 0, line), hist_of(rep, 1, line));
		fputs("EOD\n", f);
	}
	fprintf(f, "set logscale x\nset xrange [0.5:%.3g]\n",
		least_share(rep));
	fputs("set ylabel \"us, second - first\"\nset xzeroaxis lc rgb \"#808080\"\n",
	      f);
	quantile_tics(f, "x");
	fputs("plot ", f);
	for (line = 0; line < NR_LINES; line++) {
		fprintf(f, "%s$d%u using 1:2 title \"%s\" with lines lw 2 lc rgb \"%s\"",
			line ? ", " : "", line,
			tlob_metric_names[lines[line]], report_colour(line));
	}
	fputc('\n', f);
}

static int write_script(const char *path, const char *out,
			const struct report *rep, enum report_plot plot)
{
	static void (* const draw[NR_PLOTS])(FILE *, const struct report *) = {
		plot_histogram, plot_tail, plot_shift,
	};
	FILE *f = fopen(path, "w");
	bool failed;

	if (!f)
		return -errno;
	common(f, out);
	draw[plot](f, rep);
	failed = ferror(f);
	return fclose(f) || failed ? -EIO : 0;
}

/* Removes the XML declaration, and the title, which browsers show as a tooltip. */
static void strip(char *svg)
{
	char *from = strstr(svg, "<svg"), *title, *end;

	if (from)
		memmove(svg, from, strlen(from) + 1);
	title = strstr(svg, "<title>");
	end = title ? strstr(title, "</desc>") : NULL;
	if (end)
		memmove(title, end + 7, strlen(end + 7) + 1);
}

static int call_gnuplot(const char *script, const char *log)
{
	/* -d: do not read a user's start-up file */
	char *argv[] = {
		(char *)"gnuplot", (char *)"-d", (char *)script, NULL,
	};
	char *said = NULL;
	int status = process_call(argv, log);

	if (status == -ENOENT)
		return fail(-EOPNOTSUPP, "plots need gnuplot: install gnuplot-nox, or use --format text, md or csv");
	if (status <= 0)
		return status;
	file_read(log, &said);
	status = fail(-EIO, "gnuplot failed with exit code %d: %.*s", status,
		      said ? (int)strcspn(said + strspn(said, "\n"), "\n") : 0,
		      said ? said + strspn(said, "\n") : "");
	free(said);
	return status;
}

int report_plot(char **svg, const struct report *rep, enum report_plot plot)
{
	const char *tmp = getenv("TMPDIR");
	char dir[256], script[280], out[280], log[280];
	int err;

	*svg = NULL;
	if (snprintf(dir, sizeof(dir), "%s/tlob-load.XXXXXX",
		     tmp && *tmp ? tmp : "/tmp") >= (int)sizeof(dir))
		return fail(-ENAMETOOLONG, "TMPDIR is too long");
	if (!mkdtemp(dir))
		return fail(-errno, "%s: %s", dir, strerror(errno));
	snprintf(script, sizeof(script), "%s/plot", dir);
	snprintf(out, sizeof(out), "%s/svg", dir);
	snprintf(log, sizeof(log), "%s/log", dir);
	err = write_script(script, out, rep, plot);
	if (err)
		fail(err, "%s: %s", script, strerror(-err));
	else
		err = call_gnuplot(script, log);
	if (!err) {
		err = file_read(out, svg);
		if (err)
			fail(err, "%s: %s", out, strerror(-err));
		else
			strip(*svg);
	}
	unlink(script);
	unlink(out);
	unlink(log);
	rmdir(dir);
	return err;
}
