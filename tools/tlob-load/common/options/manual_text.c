// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "options/manual_text.h"
#include "util/error.h"
#include "util/tty.h"

#define WIDEST_OPTION	24	/* a wider one has its text on the next line */
#define LEAST_TEXT	30	/* columns; where a list has less, its texts begin at LEFT_TEXT */
#define LEFT_TEXT	8
#define LONGEST_WORD	40	/* the path of a schema */

/* Text that is wrapped at words. Lines after the first begin at @indent. */
struct wrap {
	FILE	*f;
	unsigned int width, col, indent;
	bool	 begun;			/* the line has a word */
};

static struct wrap wrap_at(FILE *f, unsigned int indent)
{
	return (struct wrap){ .f = f, .width = tty_page_width(fileno(f)), .indent = indent };
}

static void new_line(struct wrap *w)
{
	fprintf(w->f, "\n%*s", (int)w->indent, "");
	w->col = w->indent;
	w->begun = false;
}

static void put_word(struct wrap *w, const char *word, size_t n)
{
	if (w->begun && w->col + 1 + n > w->width)
		new_line(w);
	w->col += (unsigned int)fprintf(w->f, "%s%.*s", w->begun ? " " : "", (int)n, word);
	w->begun = true;
}

/* A newline in @text begins a new line. */
static void put_text(struct wrap *w, const char *text)
{
	size_t n;

	for (; text && *text; text += n) {
		if (*text == '\n')
			new_line(w);
		text += *text == ' ' || *text == '\n';
		n = strcspn(text, " \n");
		if (n)
			put_word(w, text, n);
	}
}

/* Paragraphs, each followed by an end of line. */
static void print_paragraphs(FILE *f, const char *text)
{
	struct wrap w = wrap_at(f, 0);

	if (!text)
		return;
	put_text(&w, text);
	fputc('\n', f);
}

const char *manual_option_text(char buf[OPTION_LEN], const struct manual_option *o)
{
	const char letter[] = { '-', o->letter, ',', ' ', 0 };

	snprintf(buf, OPTION_LEN, "%s--%s%s%s", o->letter ? letter : "    ", o->name,
		 o->argument && !manual_is_optional(o) ? " " : "",
		 o->argument ? o->argument : "");
	return buf;
}

static void print_usage(FILE *f, const struct manual *m)
{
	struct wrap w = wrap_at(f, 24);
	const char *const *u;

	for (u = m->usage; *u; u++) {
		w.col = (unsigned int)fprintf(f, "%s %s ", u == m->usage ? "Usage:" : "      ", tool_name);
		w.begun = false;
		put_text(&w, *u);
		fputc('\n', f);
	}
	print_paragraphs(f, m->brief);
}

/* Puts the cursor where the text of an option or a term begins. */
static void begin_text(struct wrap *w, unsigned int col, unsigned int indent)
{
	w->indent = indent;
	w->begun = false;
	if (col + 2 > indent)
		new_line(w);
	else
		w->col = col + (unsigned int)fprintf(w->f, "%*s", (int)(indent - col), "");
}

static void print_list_of(FILE *f, const struct manual_entry *e, unsigned int indent)
{
	unsigned int widest = 0, n, col, text;
	const struct manual_entry *i;
	struct wrap w = wrap_at(f, 0);

	for (i = e; i->term; i++) {
		n = (unsigned int)strlen(i->term);
		if (n > widest && n <= 20)
			widest = n;
	}
	text = indent + widest + 2;
	if (text + LEAST_TEXT > w.width)
		text = LEFT_TEXT;
	for (; e->term; e++) {
		col = (unsigned int)fprintf(f, "%*s%s", (int)indent, "", e->term);
		if (e->meaning) {
			begin_text(&w, col, text);
			put_text(&w, e->meaning);
		}
		fputc('\n', f);
	}
}

static void put_default(struct wrap *w, const struct manual_option *o)
{
	char buf[64];

	if (!o->fallback)
		return;
	snprintf(buf, sizeof(buf), "[%s]", o->fallback);
	put_text(w, buf);
}

static void print_option(FILE *f, const struct manual_option *o, unsigned int indent, bool all)
{
	struct wrap w = wrap_at(f, 0);
	char buf[OPTION_LEN], brief[160];

	begin_text(&w, (unsigned int)fprintf(f, "  %s", manual_option_text(buf, o)), indent);
	snprintf(brief, sizeof(brief), "%s%s", o->brief, all && o->more ? "." : "");
	put_text(&w, brief);
	if (all)
		put_text(&w, o->more);
	put_default(&w, o);
	fputc('\n', f);
	if (all && o->list)
		print_list_of(f, o->list, indent + 2);
}

static unsigned int widest_option(FILE *f)
{
	unsigned int room = tty_page_width(fileno(f)) - LONGEST_WORD;

	return room > WIDEST_OPTION ? WIDEST_OPTION : room > LEFT_TEXT ? room : LEFT_TEXT;
}

/* The column at which the texts of the options begin. */
static unsigned int text_column(FILE *f, const struct manual *m, bool all)
{
	const struct manual_option *o;
	unsigned int column = 0, n;
	char buf[OPTION_LEN];

	manual_each_option(o, m) {
		n = 4 + (unsigned int)strlen(manual_option_text(buf, o));
		if ((all || o->basic) && n > column && n <= widest_option(f))
			column = n;
	}
	return column;
}

void manual_print_short(FILE *f, const struct manual *m)
{
	unsigned int indent = text_column(f, m, false), options = 0, left_out = 0;
	const struct manual_option *o;
	char end[128];
	int n = 0;

	print_usage(f, m);
	fputc('\n', f);
	manual_each_option(o, m) {
		options++;
		left_out += !o->basic;
		if (o->basic)
			print_option(f, o, indent, false);
	}
	fputc('\n', f);
	if (left_out)
		n = snprintf(end, sizeof(end), "The usual ones of %u options. ", options);
	snprintf(end + n, sizeof(end) - (size_t)n, "Everything: %s %s --help=all", tool_name, m->name);
	print_paragraphs(f, end);
}

static void print_section(FILE *f, const struct manual_option *title, unsigned int indent)
{
	const struct manual_option *o;

	fprintf(f, "\n%s\n", title->title);
	print_paragraphs(f, title->text);
	for (o = title + 1; o->name; o++)
		print_option(f, o, indent, true);
	if (title->list)
		print_list_of(f, title->list, 2);
	print_paragraphs(f, title->after);
}

/* The length of the next word; blanks in quotes do not end it. */
static size_t word_length(const char *command)
{
	bool quoted = false;
	size_t n;

	for (n = 0; command[n] && (quoted || command[n] != ' '); n++)
		quoted ^= command[n] == '\'';
	return n;
}

/* A line that is too long continues after a backslash, so that it can be copied. */
static void print_command(FILE *f, const char *command)
{
	unsigned int col = (unsigned int)fprintf(f, "    "), width = tty_page_width(fileno(f));
	size_t n;

	for (; *command; command += n + (command[n] == ' ')) {
		n = word_length(command);
		if (col + n > width - 2)
			col = (unsigned int)fprintf(f, "\\\n        ") - 2;
		col += (unsigned int)fprintf(f, "%.*s%s", (int)n, command, command[n] ? " " : "");
	}
	fputc('\n', f);
}

static void print_commands(FILE *f, const struct manual * const *m)
{
	struct wrap w = wrap_at(f, 14);

	for (; *m; m++) {
		w.begun = false;
		w.col = (unsigned int)fprintf(f, "  %-10s  ", (*m)->name);
		put_text(&w, (*m)->summary);
		fputc('\n', f);
	}
}

static void print_environment(FILE *f, const struct manual *m)
{
	const struct manual_option *o;
	char name[VARIABLE_LEN];

	fputs("\nEnvironment\n", f);
	print_paragraphs(f, ENVIRONMENT_TEXT);
	manual_each_option(o, m)
		if (o->env)
			fprintf(f, "  %-*s--%s%s\n", 24, manual_variable(name, o), o->name,
				o->env == ENV_LIST ? ", a list" : "");
}

static bool has_default(const struct manual *m)
{
	const struct manual_option *o;

	manual_each_option(o, m)
		if (o->fallback)
			return true;
	return false;
}

void manual_print_all(FILE *f, const struct manual *m)
{
	unsigned int indent = text_column(f, m, true);
	const struct manual_option *o;
	const struct manual_entry *e;

	print_usage(f, m);
	if (m->commands) {
		fputs("\nCommands\n", f);
		print_commands(f, m->commands);
	}
	if (m->more) {
		fputc('\n', f);
		print_paragraphs(f, m->more);
	}
	if (has_default(m))
		fputs(m->more ? "Defaults are in brackets.\n" : "\nDefaults are in brackets.\n", f);
	for (o = m->options; o->title || o->name; o++)
		if (o->title && manual_has_section(m, o))
			print_section(f, o, indent);
	if (m->environment)
		print_environment(f, m);
	fputs("\nExit codes\n", f);
	print_list_of(f, m->exits, 2);
	print_paragraphs(f, m->after_exits);
	if (!m->examples)
		return;
	fputs("\nExamples\n", f);
	for (e = m->examples; e->term; e++) {
		fprintf(f, "  %s\n", e->meaning);
		print_command(f, e->term);
	}
}

void manual_print_list(FILE *f, const struct manual *m)
{
	char end[256];

	print_usage(f, m);
	fputc('\n', f);
	print_commands(f, m->commands);
	fputc('\n', f);
	snprintf(end, sizeof(end), "%s help COMMAND prints the help of a command, %s version the version. Each command has a manual page, as in: man %s-run",
		 tool_name, tool_name, tool_name);
	print_paragraphs(f, end);
}
