// SPDX-License-Identifier: GPL-2.0
/*
 * mdoc(7). Its rules for text: a sentence ends its line; a line is at most 80
 * characters; a period or an apostrophe that begins a line, and a backslash, are escaped.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"

#define WIDTH	78

static void put_char(FILE *f, char c)
{
	if (c == '\\')
		fputs("\\e", f);
	else if (c == '-')
		fputs("\\-", f);	/* a minus, not a hyphen: commands are copied */
	else
		fputc(c, f);
}

/* "... end." but not "e.g." or "...": a sentence that ends here. */
static bool ends_sentence(const char *word, size_t n)
{
	return n > 1 && strchr(".!?", word[n - 1]) && (n < 3 || word[n - 2] != '.');
}

/* Prints @text, whose newlines separate paragraphs. */
static void put_text(FILE *f, const char *text)
{
	size_t n, i, col = 0;

	for (; *text; text += n) {
		if (*text == '\n') {
			fputs("\n.Pp", f);
			col = WIDTH;
		}
		text += *text == ' ' || *text == '\n';
		n = strcspn(text, " \n");
		if (col && col + n > WIDTH - 20) {
			fputc('\n', f);
			col = 0;
		} else if (col) {
			fputc(' ', f);
			col++;
		}
		if (!col && strchr(".'", *text))
			fputs("\\&", f);
		for (i = 0; i < n; i++)
			put_char(f, text[i]);
		col += n;
		if (ends_sentence(text, n))
			col = WIDTH;
		else if (n && text[n - 1] == '.')
			fputs("\\&", f);	/* "p50 ... p99" continues */
	}
	fputc('\n', f);
}

/* Prints @text with a period, also where the screen has none. */
static void put_sentence(FILE *f, const char *text)
{
	char sentence[400];

	snprintf(sentence, sizeof(sentence), "%s.", text);
	put_text(f, sentence);
}

/* A macro's argument: words that mdoc would take for macros, and quotes, are protected. */
static void put_argument(FILE *f, const char *s)
{
	fputs(" \"\\&", f);
	for (; *s; s++)
		if (*s == '"')
			fputs("\\(dq", f);
		else
			put_char(f, *s);
	fputc('"', f);
}

static void put_entries(FILE *f, const struct manual_entry *e)
{
	fputs(".Bl -tag -width Ds\n", f);
	for (; e->term; e++) {
		fputs(".It Li", f);
		put_argument(f, e->term);
		fputc('\n', f);
		if (e->meaning)
			put_text(f, e->meaning);
	}
	fputs(".El\n", f);
}

static void put_option(FILE *f, const struct manual_option *o)
{
	fputs(".It", f);
	if (o->letter)
		fprintf(f, " Fl %c ,", o->letter);
	fputs(" Fl", f);
	fprintf(f, " \\-");
	for (const char *s = o->name; *s; s++)
		put_char(f, *s);
	if (manual_is_optional(o)) {
		fprintf(f, " Ns Op Ns = Ns Ar %.*s", (int)strcspn(o->argument + 2, "]"),
			o->argument + 2);
	} else if (o->argument) {
		fputs(" Ar", f);
		put_argument(f, o->argument);
	}
	fputc('\n', f);
	/* "longest time allowed" begins a sentence here. */
	fprintf(f, "%c", toupper((unsigned char)*o->brief));
	put_sentence(f, o->brief + 1);
	if (o->more)
		put_text(f, o->more);
	if (o->fallback) {
		fputs("The default is ", f);
		put_sentence(f, o->fallback);
	}
	if (o->list)
		put_entries(f, o->list);
}

static void put_section(FILE *f, const struct manual_option *title)
{
	const struct manual_option *first = title + 1, *o;

	fprintf(f, ".Ss %s\n", title->title);
	if (title->text)
		put_text(f, title->text);
	if (first->name) {
		fputs(".Bl -tag -width Ds\n", f);
		for (o = first; o->name; o++)
			put_option(f, o);
		fputs(".El\n", f);
	}
	if (title->list)
		put_entries(f, title->list);
	if (title->after && (first->name || title->list))
		fputs(".Pp\n", f);
	if (title->after)
		put_text(f, title->after);
}

static void put_head(FILE *f, const struct manual *m, const char *date)
{
	const char *dash = *m->name ? "-" : "", *s;

	fprintf(f, ".\\\" SPDX-License-Identifier: GPL-2.0\n.\\\" Written by tlob-manual: do not edit.\n.Dd %s\n.Dt ",
		date);
	for (s = TOOL; *s; s++)
		fputc(toupper((unsigned char)*s), f);
	fputs(dash, f);
	for (s = m->name; *s; s++)
		fputc(toupper((unsigned char)*s), f);
	fprintf(f, " 1\n.Os\n.Sh NAME\n.Nm " TOOL "%s%s\n.Nd ", dash, m->name);
	put_text(f, m->summary);
}

/* One form of the command; its words are typed as they are, or a name for something. */
static void put_usage(FILE *f, const char *usage)
{
	size_t n;

	fputs(".Nm " TOOL "\n", f);
	for (; *usage; usage += n + (usage[n] == ' ')) {
		n = strcspn(usage, " ");
		fputs(isupper((unsigned char)*usage) ? ".Ar " : ".No ", f);
		for (size_t i = 0; i < n; i++)
			put_char(f, usage[i]);
		fputs("\\&\n", f);	/* a bracket at the end is no delimiter */
	}
}

static void put_commands(FILE *f)
{
	const struct manual *const *m;

	fputs(".Sh COMMANDS\n.Bl -tag -width Ds\n", f);
	for (m = manual_tool.commands; *m; m++) {
		fprintf(f, ".It Xr " TOOL "-%s 1\n", (*m)->name);
		put_text(f, (*m)->summary);
	}
	fputs(".El\n", f);
}

static void put_environment(FILE *f, const struct manual *m)
{
	const struct manual_option *o;
	char name[VARIABLE_LEN];

	fputs(".Sh ENVIRONMENT\n", f);
	put_text(f, ENVIRONMENT_TEXT);
	fputs(".Bl -tag -width Ds\n", f);
	manual_each_option(o, m)
		if (o->env)
			fprintf(f, ".It Ev %s\n.Fl \\-%s%s\n", manual_variable(name, o), o->name,
				o->env == ENV_LIST ? "\n(a list)" : "");
	fputs(".El\n", f);
}

static void put_examples(FILE *f, const struct manual_entry *e)
{
	fputs(".Sh EXAMPLES\n", f);
	for (; e->term; e++) {
		put_text(f, e->meaning);
		fputs(".Pp\n.Dl", f);
		put_argument(f, e->term);
		fputs(e[1].term ? "\n.Pp\n" : "\n", f);
	}
}

#define MOST_PAGES	32

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct manual *const *)a)->name,
		      (*(const struct manual *const *)b)->name);
}

/* The other pages, sorted as mdoc asks. */
static void put_see_also(FILE *f, const struct manual *m)
{
	const struct manual *page[MOST_PAGES] = { &manual_tool };
	const struct manual *const *other;
	size_t n = m != &manual_tool, i;

	fputs(".Sh SEE ALSO\n", f);
	for (other = manual_tool.commands; *other && n < MOST_PAGES; other++)
		if (*other != m)
			page[n++] = *other;
	qsort(page, n, sizeof(page[0]), by_name);
	for (i = 0; i < n; i++)
		fprintf(f, ".Xr " TOOL "%s%s 1 ,\n", *page[i]->name ? "-" : "", page[i]->name);
	if (strcmp(TOOL, "tlob-load"))
		fputs(".Xr tlob-load 1 ,\n", f);
	fputs(".Xr tlob_load 4\n", f);
}

void format_man(FILE *f, const struct manual *m, const char *date)
{
	const struct manual_option *o;
	const char *const *u;

	put_head(f, m, date);
	if (m->is) {
		fprintf(f, ".Sh DESCRIPTION\nThis is another name of\n.Xr tlob-load-%s 1 .\n", m->is);
		return;
	}
	fputs(".Sh SYNOPSIS\n", f);
	for (u = m->usage; *u; u++)
		put_usage(f, *u);
	fputs(".Sh DESCRIPTION\n", f);
	put_text(f, m->brief);
	if (m->more) {
		fputs(".Pp\n", f);
		put_text(f, m->more);
	}
	for (o = m->options; o->title || o->name; o++)
		if (o->title && manual_has_section(m, o))
			put_section(f, o);
	if (!*m->name)
		put_commands(f);
	if (m->environment)
		put_environment(f, m);
	fputs(".Sh EXIT STATUS\n", f);
	put_entries(f, m->exits);
	if (m->after_exits) {
		fputs(".Pp\n", f);
		put_text(f, m->after_exits);
	}
	if (m->examples)
		put_examples(f, m->examples);
	put_see_also(f, m);
}
