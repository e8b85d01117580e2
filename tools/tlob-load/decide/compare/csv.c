// SPDX-License-Identifier: GPL-2.0
/*
 * Runs as lines of a CSV file that grows: a time, what ran, numbers. Other programs
 * read it and look for changes in the series.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compare/campaign.h"
#include "result/meaning.h"
#include "util/error.h"
#include "util/file.h"
#include "util/memstream.h"
#include "util/printable.h"

/* The columns of every file. A changed header keeps lines of two versions apart. */
static const struct {
	unsigned int metric, at;
} columns[] = {
	{ TLOB_METRIC_IRQ, AT_P50 }, { TLOB_METRIC_IRQ, AT_P99 },
	{ TLOB_METRIC_IRQ, AT_P999 },
	{ TLOB_METRIC_WAKE, AT_P50 }, { TLOB_METRIC_WAKE, AT_P99 },
	{ TLOB_METRIC_WAKE, AT_P999 },
	{ TLOB_METRIC_RESPONSE, AT_P50 }, { TLOB_METRIC_RESPONSE, AT_P99 },
	{ TLOB_METRIC_RESPONSE, AT_P999 },
};

void csv_header(FILE *f)
{
	size_t i;

	fputs("time,commit,kernel,host,work,conditions,lowered,windows,violations,missed", f);
	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		fprintf(f, ",%s_%s_ns", tlob_metric_names[columns[i].metric],
			campaign_at_names[columns[i].at]);
	fputc('\n', f);
}

/*
 * RFC 4180: fields with commas or quotes are quoted, and quotes are doubled. A spreadsheet takes a
 * field that begins like a formula for one, so an apostrophe comes before it.
 */
static void field(FILE *f, const char *text)
{
	char *s = printable_dup(text ? text : ""), *p;
	bool quote = s && strpbrk(s, ",\"");

	if (quote)
		fputc('"', f);
	if (s && *s && strchr("=+-@", *s))
		fputc('\'', f);
	for (p = s; p && *p; p++) {
		if (*p == '"')
			fputc('"', f);
		fputc(*p, f);
	}
	fputs(quote ? "\"," : ",", f);
	free(s);
}

static void put_reasons(FILE *f, const void *lowered)
{
	char *const *at = lowered;

	for (; at && *at; at++)
		fprintf(f, "%s%s", at == (char *const *)lowered ? "" : "; ", *at);
}

/* Without memory the fields are empty: the numbers are there. */
static void put_meaning(FILE *f, const struct result *r)
{
	char **lowered = NULL, *text = result_conditions(r);

	field(f, text);
	free(text);
	text = result_lowered(r, &lowered) ? NULL : memstream_of(put_reasons, lowered);
	field(f, text);
	free(text);
	notes_free(lowered);
}

static void put_line(FILE *f, const struct campaign_run *run, const char *commit)
{
	const struct result *r = &run->r;
	char release[128], when[32] = "";
	struct tm tm;
	size_t i;

	if (gmtime_r(&r->started, &tm))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	snprintf(release, sizeof(release), "%.*s",
		 (int)strcspn(r->kernel, " "), r->kernel);
	fprintf(f, "%s,", when);
	field(f, commit);
	field(f, release);
	field(f, r->host);
	field(f, r->work);
	put_meaning(f, r);
	fprintf(f, "%" PRIu64 ",%" PRIu64 ",%" PRIu64, r->all.windows,
		r->all.violations, r->all.missed);
	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		double ns = run->at[columns[i].metric][columns[i].at];

		if (isnan(ns))
			fputc(',', f);
		else if (isinf(ns))
			fputs(",missed", f);
		else
			fprintf(f, ",%.0f", ns);
	}
	fputc('\n', f);
}

int csv_lines(FILE *f, char *const *names, size_t n, const char *commit)
{
	struct campaign_run run;
	size_t i;
	int err = 0;

	for (i = 0; i < n && !err; i++) {
		memset(&run, 0, sizeof(run));
		err = campaign_run_load(&run, names[i], NULL, 0);
		if (!err)
			put_line(f, &run, commit);
		campaign_run_free(&run);
	}
	return err ? err : ferror(f) ? -EIO : 0;
}

int csv_results(FILE *f, char *const *names, size_t n, const char *commit)
{
	csv_header(f);
	return csv_lines(f, names, n, commit);
}

/* Writes everything or nothing: an incomplete write is cut off again. */
static int write_all(int fd, off_t end, const char *text, size_t n)
{
	ssize_t written = write(fd, text, n);

	if (written == (ssize_t)n)
		return fsync(fd) && errno != EINVAL ? -errno : 0;
	written = written < 0 ? -errno : -ENOSPC;
	if (ftruncate(fd, end))
		warning("the CSV file may end in a partial line: %s", strerror(errno));
	return (int)written;
}

static int append(int fd, const char *text, size_t n)
{
	struct stat st;
	const char *rest = strchr(text, '\n') + 1;
	size_t header = (size_t)(rest - text);
	char first[1024], last;

	if (flock(fd, LOCK_EX) || fstat(fd, &st))
		return -errno;
	if (st.st_size) {
		/* other columns, or cut off */
		if (header > sizeof(first) ||
		    pread(fd, first, header, 0) != (ssize_t)header ||
		    memcmp(first, text, header) ||
		    pread(fd, &last, 1, st.st_size - 1) != 1 || last != '\n')
			return -EBADMSG;
		n -= header;
		text = rest;
	}
	return write_all(fd, st.st_size, text, n);
}

/*
 * Adds @text, a header and lines, to the file; only an empty file gets the header. It takes a
 * lock and writes once, so two writers do not mix their lines, and a full disk leaves the file
 * as it was. 0 or -errno, printed.
 */
static int append_text(const char *path, const char *text, size_t n)
{
	int fd = file_open_output(path, O_RDWR | O_APPEND);
	int err;

	if (fd < 0)
		return fail(fd, "%s: %s", path, strerror(-fd));
	err = append(fd, text, n);
	if (close(fd) && !err)
		err = -errno;
	if (err == -EBADMSG)
		return fail(err, "%s has other columns or ends in a partial line: nothing was added",
			    path);
	return err ? fail(err, "%s: %s", path, strerror(-err)) : 0;
}

/* Ends @f, whose text open_memstream() keeps, and adds it to the file, unless @err is set. */
static int append_stream(const char *path, FILE *f, char **text, const size_t *size, int err)
{
	if (!memstream_text(f, text) && !err)
		err = fail(-ENOMEM, "out of memory");
	if (!err)
		err = append_text(path, *text, *size);
	free(*text);
	return err;
}

int csv_append_results(const char *path, char *const *names, size_t n, const char *commit)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	return append_stream(path, f, &text, &size, f ? csv_results(f, names, n, commit) : 0);
}

int csv_append_campaign(const char *path, const struct campaign *c, const char *commit)
{
	char *text = NULL;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	if (f)
		csv_header(f);
	for (i = 0; f && i < c->nruns; i++)
		put_line(f, &c->run[i], i < c->n ? "" : commit);
	return append_stream(path, f, &text, &size, 0);
}
