// SPDX-License-Identifier: GPL-2.0
/* The tables for completion. What is offered for an argument is decided in complete.*. */
#include <string.h>

#include "format.h"

const char *argument_name(enum argument_kind kind)
{
	static const char *const names[] = {
		[ARGUMENT_TEXT] = "text", [ARGUMENT_FILE] = "file", [ARGUMENT_DIR] = "dir",
		[ARGUMENT_PROGRAM] = "program", [ARGUMENT_PID] = "pid",
		[ARGUMENT_CPUS] = "cpus", [ARGUMENT_KERNEL] = "kernel",
		[ARGUMENT_SYMBOL] = "symbol", [ARGUMENT_EVENT] = "event",
		[ARGUMENT_WORDS] = "words",
	};

	return names[kind];
}

/*
 * The name in the tables of the command whose options stand behind the -- of @m. It may be one of
 * another program.
 */
static const char *behind(const struct manual *m)
{
	const struct manual *const *own;

	for (own = manual_tool.commands; *own; own++)
		if (*own == m->behind)
			return m->behind->name;
	return "--";
}

/* That of another program, or NULL. */
static const struct manual *foreign(void)
{
	const struct manual *const *m;

	for (m = manual_tool.commands; *m; m++)
		if ((*m)->behind && !strcmp(behind(*m), "--"))
			return (*m)->behind;
	return NULL;
}

static void put_behind(FILE *f)
{
	const struct manual *const *m;

	fputs("# Whose options follow the -- of COMMAND.\n_" TOOL_ID "_behind()\n{\n\tcase $1 in\n", f);
	for (m = manual_tool.commands; *m; m++)
		if ((*m)->behind)
			fprintf(f, "\t%s) echo %s ;;\n", (*m)->name, behind(*m));
	fputs("\tesac\n}\n\n", f);
}

/* In single quotes of a shell; an apostrophe would end them. */
static void put_quoted(FILE *f, const char *text)
{
	fputc('\'', f);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", f);
		else
			fputc(*text, f);
	fputc('\'', f);
}

/* A case of a shell: all options of a subcommand. */
static void put_names(FILE *f, const struct manual *m, const char *name)
{
	const struct manual_option *o;

	fprintf(f, "\t%s) echo", name);
	manual_each_option(o, m) {
		fprintf(f, " --%s", o->name);
		if (o->letter)
			fprintf(f, " -%c", o->letter);
	}
	fputs(" ;;\n", f);
}

static void put_kind(FILE *f, const char *name, const struct manual_option *o)
{
	if (!o->argument || manual_is_optional(o))
		return;
	fprintf(f, "\t%s:--%s", name, o->name);
	if (o->letter)
		fprintf(f, "|%s:-%c", name, o->letter);
	fprintf(f, ") echo ");
	if (o->words)
		fprintf(f, "words '%s'", o->words);
	else
		fputs(argument_name(o->kind), f);
	fputs(" ;;\n", f);
}

static void put_kinds(FILE *f, const struct manual *m, const char *name)
{
	const struct manual_option *o;

	manual_each_option(o, m)
		put_kind(f, name, o);
	fprintf(f, "\t%s:) echo %s ;;\n", name, argument_name(m->operands));
}

void format_bash(FILE *f)
{
	const struct manual *const *commands = manual_tool.commands, *const *m;

	fputs("# bash completion for " TOOL ". Written by tlob-manual: do not edit.\n\n"
	      "_" TOOL_ID "_commands='help version", f);
	for (m = commands; *m; m++)
		fprintf(f, " %s", (*m)->name);
	fputs("'\n\n_" TOOL_ID "_options()\n{\n\tcase $1 in\n", f);
	put_names(f, &manual_tool, "''");
	for (m = commands; *m; m++)
		put_names(f, *m, (*m)->name);
	if (foreign())
		put_names(f, foreign(), "--");
	fputs("\tesac\n}\n\n# What the argument of COMMAND:OPTION, or of a COMMAND, is.\n"
	      "_" TOOL_ID "_kind()\n{\n\tcase $1 in\n", f);
	for (m = commands; *m; m++)
		put_kinds(f, *m, (*m)->name);
	if (foreign())
		put_kinds(f, foreign(), "--");
	fputs("\tesac\n}\n\n", f);
	put_behind(f);
}

/* "[brief]:ARGUMENT:action": _arguments gives brackets and colons a meaning. */
static void put_zsh_text(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (strchr("[]:\\", *text))
			fputc('\\', f);
		if (*text == '\'')
			fputs("'\\''", f);
		else
			fputc(*text, f);
	}
}

static void put_zsh_option(FILE *f, const struct manual_option *o)
{
	if (!strcmp(o->name, "help")) {
		fprintf(f, "\t\t'(- *)-h[%s]'\n\t\t'(- *)--help=-[%s]::what:(all)'\n", o->brief,
			o->brief);
		return;
	}
	if (manual_is_optional(o)) {
		fprintf(f, "\t\t'*--%s=-[%s]::what:(%s)'\n", o->name, o->brief,
			o->words);
		return;
	}
	/* An option may be repeated: the parser knows which. */
	if (o->letter)
		fprintf(f, "\t\t'*'{-%c,--%s%s}", o->letter, o->name, o->argument ? "=" : "");
	else
		fprintf(f, "\t\t'*'--%s%s", o->name, o->argument ? "=" : "");
	fputs("'[", f);
	put_zsh_text(f, o->brief);
	fputc(']', f);
	if (o->argument) {
		fputc(':', f);
		put_zsh_text(f, o->argument);
		/* after a blank _arguments adds no words of its own */
		fprintf(f, ": _" TOOL_ID "_%s", argument_name(o->kind));
		if (o->words) {
			fputc(' ', f);
			put_zsh_text(f, o->words);
		}
	}
	fputs("'\n", f);
}

static void put_zsh_options(FILE *f, const struct manual *m, const char *name)
{
	const struct manual_option *o;

	fprintf(f, "\t%s) specs=(\n", name);
	manual_each_option(o, m)
		put_zsh_option(f, o);
	fprintf(f, "\t\t'*:operand:_" TOOL_ID "_%s'\n\t\t) ;;\n", argument_name(m->operands));
}

void format_zsh(FILE *f)
{
	const struct manual *const *m;

	fputs("#compdef " TOOL "\n# Written by tlob-manual: do not edit.\n\n"
	      "_" TOOL_ID "_commands=(\n\t'help:print the help of a command'\n"
	      "\t'version:print the version, and what this build lacks'\n", f);
	for (m = manual_tool.commands; *m; m++) {
		fprintf(f, "\t'%s:", (*m)->name);
		put_zsh_text(f, (*m)->summary);
		fputs("'\n", f);
	}
	fputs(")\n\n_" TOOL_ID "_options()\n{\n\tlocal -a specs\n\tcase $1 in\n", f);
	for (m = manual_tool.commands; *m; m++)
		put_zsh_options(f, *m, (*m)->name);
	if (foreign())
		put_zsh_options(f, foreign(), "--");
	fputs("\tesac\n\t_arguments -s $specs\n}\n\n", f);
	put_behind(f);
}

static void put_fish_option(FILE *f, const struct manual *m, const struct manual_option *o)
{
	fprintf(f, "complete -c " TOOL " -n '__" TOOL_ID "_in \"%s\"' -l %s", m->name, o->name);
	if (o->letter)
		fprintf(f, " -s %c", o->letter);
	fputs(" -d ", f);
	put_quoted(f, o->brief);
	if (o->argument && !manual_is_optional(o)) {
		if (o->kind == ARGUMENT_FILE)
			fputs(" -rF", f);
		else
			fprintf(f, " -xa '(__" TOOL_ID "_%s%s%s)'", argument_name(o->kind),
				o->words ? " " : "", o->words ? o->words : "");
	}
	fputc('\n', f);
}

static void put_fish_command(FILE *f, const struct manual *m)
{
	fprintf(f, "complete -c " TOOL " -n '__" TOOL_ID "_in \"\"' -a %s -d ", m->name);
	put_quoted(f, m->summary);
	fprintf(f, "\ncomplete -c " TOOL " -n '__" TOOL_ID "_in \"%s\"' ", m->name);
	if (m->operands == ARGUMENT_FILE)
		fputs("-F\n", f);
	else
		fprintf(f, "-a '(__" TOOL_ID "_%s)'\n", argument_name(m->operands));
}

void format_fish(FILE *f)
{
	const struct manual *const *m;
	const struct manual_option *o;

	fputs("# fish completion for " TOOL ". Written by tlob-manual: do not edit.\n\n"
	      "set -g __" TOOL_ID "_commands help version", f);
	for (m = manual_tool.commands; *m; m++)
		fprintf(f, " %s", (*m)->name);
	fputs("\n\ncomplete -c " TOOL " -f\n", f);
	manual_each_option(o, &manual_tool)
		put_fish_option(f, &manual_tool, o);
	for (m = manual_tool.commands; *m; m++) {
		put_fish_command(f, *m);
		manual_each_option(o, *m)
			put_fish_option(f, *m, o);
	}
	fputc('\n', f);
}
