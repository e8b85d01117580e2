// SPDX-License-Identifier: GPL-2.0
/* What doctor found, for a terminal of 80 columns. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings_render.h"
#include "report/layout.h"
#include "report/parts_text.h"
#include "result/result.h"
#include "util/markup.h"
#include "util/memstream.h"
#include "util/printable.h"
#include "util/wrap.h"

#define WIDTH	82		/* two columns of them are for separators, which come first here */
#define INDENT	11		/* the longest path of a rule fits behind it */
#define FIRST_SHOWN 5		/* findings at the first look */
#define CPUS_IN_FULL	8		/* with more only those with something to show */

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

/* "1 fatal, 2 high and 3 medium findings" */
static void put_findings(FILE *f, const struct findings_tally *t)
{
	unsigned int all = tally_sum(t->findings), left = 0;
	int s;

	for (s = SEVERITY_MEDIUM; s <= SEVERITY_FATAL; s++)
		left += !!t->findings[s];
	for (s = SEVERITY_FATAL; s >= SEVERITY_MEDIUM; s--) {
		if (!t->findings[s])
			continue;
		fprintf(f, "%u %s%s", t->findings[s], severity_name((unsigned int)s),
			--left > 1 ? ", " : left ? " and " : "");
	}
	fprintf(f, all ? " finding%s" : "no finding", all == 1 ? "" : "s");
}

static void write_outcome(FILE *f, const struct examination *e, bool colour)
{
	static const char * const outcomes[NR_OUTCOMES] = {
		[EXIT_PASS] = "FIT: ", [EXIT_ERROR] = "UNDECIDED: ", [EXIT_ASSERTION] = "NOT FIT: ",
	};
	unsigned int unknown = tally_sum(e->tally.unknown);
	unsigned int high = e->tally.unknown[SEVERITY_HIGH] + e->tally.unknown[SEVERITY_FATAL];

	if (colour)
		fputs(e->outcome ? colour_of(SEVERITY_HIGH) : "\033[1;32m", f);
	fputs(outcomes[e->outcome], f);
	put_findings(f, &e->tally);
	if (unknown)
		fprintf(f, "; %u of %zu rules not read", unknown, e->n);
	else
		fprintf(f, " in %zu rules", e->n);
	if (high)
		fprintf(f, ", %u high", high);
	fprintf(f, "%s\n", colour ? "\033[0m" : "");
}

static int put_outcome(FILE *f, const struct examination *e, bool colour)
{
	char *text = NULL;
	size_t len;
	FILE *m = open_memstream(&text, &len);

	if (m)
		write_outcome(m, e, colour);
	if (!memstream_text(m, &text))
		return -ENOMEM;
	wrap_put(f, text);
	free(text);
	return 0;
}

/* "label  text", wrapped behind the label. */
static void put_field(FILE *f, const char *label, const char *text)
{
	struct line l = { .f = f };

	l.col = (unsigned int)fprintf(f, "  %-*s", INDENT - 2, label);
	put_words(&l, "", text);
	line_end(&l);
}

/* Why no advice for it works now. */
static const char *no_advice(const struct finding *one)
{
	return one->lacks_cpu ? "nothing: every online CPU is measured; measure fewer: --cpus" :
				"nothing: it takes another boot, or cannot be set";
}

/* @whole: with the reasons and the sources. */
static void put_rule(FILE *f, const struct finding *one, bool whole, bool colour)
{
	wrap_print(f, "\n%s%s%s %s: %s\n", colour ? colour_of(one->severity) : "",
		   severity_name(one->severity), colour ? "\033[0m" : "", one->id, one->title);
	put_field(f, "found", one->found);
	if (one->tried)
		put_field(f, "tried", one->tried);
	if (whole)
		put_field(f, "path", one->path);
	put_field(f, "wanted", one->wanted);
	if (whole)
		put_field(f, "why", one->why);
	put_field(f, "now", one->now ? one->now : no_advice(one));
	if (whole || one->for_good)
		put_field(f, "for good", one->for_good ? one->for_good : "nothing to set");
	if (whole)
		put_field(f, "rule of", one->source);
}

/* "high governor: COMMAND": what mends it now, or else for good. */
static void put_first(FILE *f, const struct finding *one, bool colour)
{
	const char *text = one->now ? one->now : one->for_good;
	struct line l = { .f = f };

	fprintf(f, "  %s%s%s %s:", colour ? colour_of(one->severity) : "", severity_name(one->severity),
		colour ? "\033[0m" : "", one->id);
	l.col = (unsigned int)(strlen(severity_name(one->severity)) + strlen(one->id) + strlen("   :"));
	put_words(&l, " ", text);
	if (one->tried)
		put_words(&l, "; tried here: ", one->tried);
	line_end(&l);
}

/* Prints the findings that can be mended here, the worst first. Returns how many are left out. */
static unsigned int put_firsts(FILE *f, const struct examination *e, bool colour)
{
	const struct finding *one;
	unsigned int shown = 0, left = 0;

	for (one = e->at; one < e->at + e->n; one++) {
		if (one->status != STATUS_FINDING)
			continue;
		if (shown == FIRST_SHOWN || !(one->now || one->for_good)) {
			left++;
			continue;
		}
		if (!shown++)
			fputc('\n', f);
		put_first(f, one, colour);
	}
	return left;
}

static void put_head(FILE *f, const struct examination *e)
{
	struct line l = { .f = f };

	wrap_printable(f, "doctor     Linux %s, CPUs %s, pattern %s%s\n", e->kernel ? e->kernel : "unknown", e->cpus,
		       pattern_name(e->pattern), e->root ? ", a copy" : "");
	if (!e->container)
		return;
	l.col = (unsigned int)fprintf(f, "%-*s", INDENT, "container");
	put_words(&l, "", e->container);
	put_words(&l, " ", "shows one: what it hides is among the rules not read");
	line_end(&l);
}

/* Findings of a status, each with what was found, or why not. */
static void put_list(FILE *f, const struct examination *e, enum finding_status status, const char *head, bool colour)
{
	const struct finding *one;
	struct line l = { .f = f };
	bool any = false, loud;

	for (one = e->at; one < e->at + e->n; one++) {
		if (one->status != status)
			continue;
		if (!any)
			fprintf(f, "\n%s\n", head);
		any = true;
		loud = status == STATUS_UNKNOWN && one->severity >= SEVERITY_HIGH;
		l.col = (unsigned int)fprintf(f, "  %s%s", loud ? severity_name(one->severity) : "", loud ? " " : "");
		if (loud && colour)
			fputs(colour_of(one->severity), f);
		l.col += (unsigned int)fprintf(f, "%s:", one->id);
		if (loud && colour)
			fputs("\033[0m", f);
		put_words(&l, " ", one->found);
		line_end(&l);
	}
}

static void put_passed(FILE *f, const struct examination *e)
{
	struct line l = { .f = f, .col = INDENT };
	const struct finding *one;
	const char *sep = "";

	for (one = e->at; one < e->at + e->n; one++) {
		if (one->status != STATUS_PASS)
			continue;
		if (!*sep)
			fprintf(f, "\n%-*s", INDENT, "as wanted");
		put_words(&l, sep, one->id);
		sep = " ";
	}
	if (*sep)
		line_end(&l);
}

static void put_all(FILE *f, const struct examination *e, bool colour)
{
	const struct finding *one;

	for (one = e->at; one < e->at + e->n; one++)
		if (one->status == STATUS_FINDING)
			put_rule(f, one, false, colour);
	put_list(f, e, STATUS_UNKNOWN, "not read, so neither good nor bad", colour);
	put_list(f, e, STATUS_NOTED, "noted", colour);
	put_list(f, e, STATUS_ABSENT, "not on this machine", colour);
	put_passed(f, e);
	fputs("\n--why RULE has the reason and the source of one\n", f);
}

int examination_text(FILE *f, const struct examination *e, bool all, bool colour)
{
	unsigned int left;

	if (put_outcome(f, e, colour))
		return -ENOMEM;
	fputc('\n', f);
	put_head(f, e);
	if (all) {
		put_all(f, e, colour);
		return ferror(f) ? -EIO : 0;
	}
	left = put_firsts(f, e, colour);
	fputc('\n', f);
	if (left)
		fprintf(f, "%u more finding%s: ", left, left == 1 ? "" : "s");
	fputs("--all shows every rule, --why RULE the reason of one\n", f);
	return ferror(f) ? -EIO : 0;
}

int examination_rule(FILE *f, const struct finding *one, bool colour)
{
	fputs(status_name(one->status), f);
	put_rule(f, one, true, colour);
	return ferror(f) ? -EIO : 0;
}

void findings_words(FILE *f, const struct findings *from)
{
	struct findings_tally t;

	findings_count(&t, from->at, from->n);
	put_findings(f, &t);
	fprintf(f, " in %u rules, %u not read", from->rules, tally_sum(t.unknown));
}

void render_bearings(FILE *f, const struct result *r, size_t most)
{
	size_t i, n = r->findings ? r->findings->nbearings : 0;

	for (i = 0; i < n && i < most; i++)
		render_note_wrapped(f, "because", r->findings->bearing[i].text);
}

static bool has_something(const struct machine_counts *c)
{
	return c->value[MACHINE_SMI] || c->value[MACHINE_THROTTLED] || c->value[MACHINE_INTERRUPTS] ||
	       c->value[MACHINE_FAULTS] || c->value[MACHINE_STEAL];
}

int render_counts(FILE *f, enum table_form form, const struct findings *from)
{
	struct table t = {
		.title = "what the machine counted during the run", .align = "rrrrrrrrr", .gap = 2,
		.form = form,
	};
	unsigned int k;
	size_t i;

	table_cell(&t, "cpu");
	for (k = 0; k < NR_MACHINE_COUNTS; k++)
		table_cell(&t, "%s", machine_count_titles[k]);
	for (i = 0; i < from->ncounts; i++) {
		const struct machine_counts *c = &from->count[i];

		if (form != TABLE_PAGE && from->ncounts > CPUS_IN_FULL && !has_something(c))
			continue;
		table_cell(&t, "%d", c->cpu);
		for (k = 0; k < NR_MACHINE_COUNTS; k++)
			if (c->known & 1U << k)
				table_cell(&t, "%" PRIu64, c->value[k]);
			else
				table_cell(&t, "-");
	}
	return table_print(&t, f);
}

int render_finding(FILE *f, const struct finding *one)
{
	char *line;

	if (asprintf(&line, "%s: %s; wanted: %s%s%s", one->id, one->found, one->wanted,
		     one->now ? "; now: " : "", one->now ? one->now : "") < 0)
		return -ENOMEM;
	render_note_wrapped(f, severity_name(one->severity), line);
	free(line);
	return 0;
}

int render_findings(FILE *f, const struct result *r)
{
	const struct findings *from = r->findings;
	size_t i;
	int err;

	if (!from)
		return 0;
	err = render_counts(f, TABLE_TEXT, from);
	if (err)
		return err;
	fputs("\ndoctor  ", f);
	findings_words(f, from);
	fputc('\n', f);
	for (i = 0; i < from->n && !err; i++)
		if (from->at[i].status == STATUS_FINDING)
			err = render_finding(f, &from->at[i]);
	if (from->rt_throttled == RT_THROTTLED_YES)
		render_note_wrapped(f, "note", "the kernel said during the run that it throttles real-time threads");
	render_bearings(f, r, from->nbearings);
	return err;
}
