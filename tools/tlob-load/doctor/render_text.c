// SPDX-License-Identifier: GPL-2.0
/* The report of doctor for a terminal of 80 columns. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"
#include "doctor/render.h"
#include "report/layout.h"
#include "util/error.h"
#include "util/printable.h"

#define WIDTH	82		/* two columns of them are for separators, which come first here */
#define INDENT	11		/* the longest path of a rule fits behind it */
#define FIRST_SHOWN 5		/* findings at the first look */

/* Foreign text, made printable, behind @sep. It continues in column INDENT of the next line. */
static void put_words(struct line *l, const char *sep, const char *text)
{
	char *clean = printable_dup(text ? text : "-");

	l->indent = INDENT;
	l->width = WIDTH;
	if (clean)
		line_words(l, sep, clean);
	free(clean);
}

static const char *colour_of(enum severity s)
{
	static const char * const sequences[] = {
		[SEVERITY_INFO] = "\033[2m", [SEVERITY_MEDIUM] = "\033[1;33m",
		[SEVERITY_HIGH] = "\033[1;31m", [SEVERITY_FATAL] = "\033[1;37;41m",
	};

	return sequences[s];
}

const char *doctor_outcome(int status)
{
	return status == EXIT_PASS ? "fit" : status == EXIT_ASSERTION ? "not fit" : "undecided";
}

static unsigned int sum(const unsigned int n[])
{
	return n[SEVERITY_INFO] + n[SEVERITY_MEDIUM] + n[SEVERITY_HIGH] + n[SEVERITY_FATAL];
}

/* "1 fatal, 2 high and 3 medium findings" */
static void put_findings(FILE *f, const struct doctor_tally *t)
{
	unsigned int all = sum(t->findings), left = 0;
	int s;

	for (s = SEVERITY_MEDIUM; s <= SEVERITY_FATAL; s++)
		left += !!t->findings[s];
	for (s = SEVERITY_FATAL; s >= SEVERITY_MEDIUM; s--) {
		if (!t->findings[s])
			continue;
		fprintf(f, "%u %s%s", t->findings[s], severity_name((enum severity)s),
			--left > 1 ? ", " : left ? " and " : "");
	}
	fprintf(f, all ? " finding%s" : "no finding", all == 1 ? "" : "s");
}

static void put_outcome(FILE *f, const struct doctor *d, bool colour)
{
	struct doctor_tally t;
	unsigned int unknown, high;
	int status;

	doctor_count(d, &t);
	status = doctor_exit(&t);
	unknown = sum(t.unknown);
	high = t.unknown[SEVERITY_HIGH] + t.unknown[SEVERITY_FATAL];
	if (colour)
		fputs(status ? colour_of(SEVERITY_HIGH) : "\033[1;32m", f);
	fputs(status == EXIT_PASS ? "FIT: " : status == EXIT_ASSERTION ? "NOT FIT: " : "UNDECIDED: ", f);
	put_findings(f, &t);
	if (unknown)
		fprintf(f, "; %u of %zu rules not read", unknown, d->n);
	else
		fprintf(f, " in %zu rules", d->n);
	if (high)
		fprintf(f, ", %u high", high);
	fprintf(f, "%s\n", colour ? "\033[0m" : "");
}

/* "label  text", wrapped behind the label. */
static void put_field(FILE *f, const char *label, const char *text)
{
	struct line l = { .f = f };

	l.col = (unsigned int)fprintf(f, "  %-*s", INDENT - 2, label);
	put_words(&l, "", text);
	line_end(&l);
}

static void put_advice(FILE *f, const struct doctor *d, const char *label, const char *text)
{
	char *filled = doctor_text(d, text);

	put_field(f, label, filled);
	free(filled);
}

/* @whole: with the reasons and the sources. */
static void put_rule(FILE *f, const struct doctor *d, const struct finding *one, bool whole, bool colour)
{
	const struct check *c = one->check;

	fprintf(f, "\n%s%s%s %s: %s\n", colour ? colour_of(c->severity) : "",
		severity_name(c->severity), colour ? "\033[0m" : "", c->id, c->title);
	put_field(f, "found", one->found);
	if (one->tried)
		put_field(f, "tried", one->tried);
	if (whole)
		put_field(f, "path", one->path);
	put_field(f, "wanted", c->wanted);
	if (whole)
		put_field(f, "why", c->why);
	put_advice(f, d, "now", one->now ? one->now : doctor_no_advice(d, one));
	if (whole || one->for_good)
		put_advice(f, d, "for good", one->for_good ? one->for_good : "nothing to set");
	if (whole)
		put_field(f, "rule of", c->source);
}

/* "high governor: COMMAND": what mends it now, or else for good. */
static void put_first(FILE *f, const struct doctor *d, const struct finding *one, bool colour)
{
	const struct check *c = one->check;
	char *text = doctor_text(d, one->now ? one->now : one->for_good);
	struct line l = { .f = f };

	fprintf(f, "  %s%s%s %s:", colour ? colour_of(c->severity) : "", severity_name(c->severity),
		colour ? "\033[0m" : "", c->id);
	l.col = (unsigned int)(strlen(severity_name(c->severity)) + strlen(c->id) + strlen("   :"));
	put_words(&l, " ", text);
	if (one->tried)
		put_words(&l, "; tried here: ", one->tried);
	line_end(&l);
	free(text);
}

/* Prints the findings that can be mended here, the worst first. Returns how many are left out. */
static unsigned int put_firsts(FILE *f, const struct doctor *d, bool colour)
{
	const struct finding *one;
	unsigned int shown = 0, left = 0;

	for (one = d->finding; one < d->finding + d->n; one++) {
		if (one->status != STATUS_FINDING)
			continue;
		if (shown == FIRST_SHOWN || !(one->now || one->for_good)) {
			left++;
			continue;
		}
		if (!shown++)
			fputc('\n', f);
		put_first(f, d, one, colour);
	}
	return left;
}

static void put_head(FILE *f, const struct doctor *d)
{
	struct line l = { .f = f };

	l.col = (unsigned int)fprintf(f, "%-*s", INDENT, "doctor");
	put_words(&l, "", "Linux");
	put_words(&l, " ", d->release ? d->release : "unknown");
	fprintf(f, ", CPUs %s, pattern %s%s\n", d->cpus, pattern_name(d->pattern), *d->root ? ", a copy" : "");
	if (!d->container)
		return;
	l.col = (unsigned int)fprintf(f, "%-*s", INDENT, "container");
	put_words(&l, "", d->container);
	put_words(&l, " ", "shows one: what it hides is among the rules not read");
	line_end(&l);
}

/* Findings of a status, each with what was found, or why not. */
static void put_list(FILE *f, const struct doctor *d, enum status status, const char *head, bool colour)
{
	const struct finding *one;
	struct line l = { .f = f };
	bool any = false, loud;

	for (one = d->finding; one < d->finding + d->n; one++) {
		if (one->status != status)
			continue;
		if (!any)
			fprintf(f, "\n%s\n", head);
		any = true;
		loud = status == STATUS_UNKNOWN && one->check->severity >= SEVERITY_HIGH;
		l.col = (unsigned int)fprintf(f, "  %s%s", loud ? severity_name(one->check->severity) : "", loud ? " " : "");
		if (loud && colour)
			fputs(colour_of(one->check->severity), f);
		l.col += (unsigned int)fprintf(f, "%s:", one->check->id);
		if (loud && colour)
			fputs("\033[0m", f);
		put_words(&l, " ", one->found);
		line_end(&l);
	}
}

static void put_passed(FILE *f, const struct doctor *d)
{
	struct line l = { .f = f, .col = INDENT };
	const struct finding *one;
	const char *sep = "";

	for (one = d->finding; one < d->finding + d->n; one++) {
		if (one->status != STATUS_PASS)
			continue;
		if (!*sep)
			fprintf(f, "\n%-*s", INDENT, "as wanted");
		put_words(&l, sep, one->check->id);
		sep = " ";
	}
	if (*sep)
		line_end(&l);
}

static void put_all(FILE *f, const struct doctor *d, bool colour)
{
	const struct finding *one;

	for (one = d->finding; one < d->finding + d->n; one++)
		if (one->status == STATUS_FINDING)
			put_rule(f, d, one, false, colour);
	put_list(f, d, STATUS_UNKNOWN, "not read, so neither good nor bad", colour);
	put_list(f, d, STATUS_NOTED, "noted", colour);
	put_list(f, d, STATUS_ABSENT, "not on this machine", colour);
	put_passed(f, d);
	fputs("\n--why RULE has the reason and the source of one\n", f);
}

int doctor_report_text(FILE *f, const struct doctor *d, bool all, bool colour)
{
	unsigned int left;

	put_outcome(f, d, colour);
	fputc('\n', f);
	put_head(f, d);
	if (all) {
		put_all(f, d, colour);
		return ferror(f) ? -EIO : 0;
	}
	left = put_firsts(f, d, colour);
	fputc('\n', f);
	if (left)
		fprintf(f, "%u more finding%s: ", left, left == 1 ? "" : "s");
	fputs("--all shows every rule, --why RULE the reason of one\n", f);
	return ferror(f) ? -EIO : 0;
}

int doctor_report_rule(FILE *f, const struct doctor *d, const struct finding *finding, bool colour)
{
	fprintf(f, "%s", status_name(finding->status));
	put_rule(f, d, finding, true, colour);
	return ferror(f) ? -EIO : 0;
}
