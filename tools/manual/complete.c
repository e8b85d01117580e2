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
static void put_names(FILE *f, const struct manual *m)
{
	const struct manual_option *o;

	fprintf(f, "\t%s) echo", *m->name ? m->name : "''");
	manual_each_option(o, m) {
		fprintf(f, " --%s", o->name);
		if (o->letter)
			fprintf(f, " -%c", o->letter);
	}
	fputs(" ;;\n", f);
}

static void put_kind(FILE *f, const struct manual *m, const struct manual_option *o)
{
	if (!o->argument || manual_is_optional(o))
		return;
	fprintf(f, "\t%s:--%s", m->name, o->name);
	if (o->letter)
		fprintf(f, "|%s:-%c", m->name, o->letter);
	fprintf(f, ") echo ");
	if (o->words)
		fprintf(f, "words '%s'", o->words);
	else
		fputs(argument_name(o->kind), f);
	fputs(" ;;\n", f);
}

void format_bash(FILE *f)
{
	const struct manual *const *commands = manual_tool.commands, *const *m;
	const struct manual_option *o;

	fputs("# bash completion for tlob-load. Written by tlob-manual: do not edit.\n\n"
	      "_tlob_load_commands='help version", f);
	for (m = commands; *m; m++)
		fprintf(f, " %s", (*m)->name);
	fputs("'\n\n_tlob_load_options()\n{\n\tcase $1 in\n", f);
	put_names(f, &manual_tool);
	for (m = commands; *m; m++)
		put_names(f, *m);
	fputs("\tesac\n}\n\n# What the argument of COMMAND:OPTION, or of a COMMAND, is.\n"
	      "_tlob_load_kind()\n{\n\tcase $1 in\n", f);
	for (m = commands; *m; m++) {
		manual_each_option(o, *m)
			put_kind(f, *m, o);
		fprintf(f, "\t%s:) echo %s ;;\n", (*m)->name, argument_name((*m)->operands));
	}
	fputs("\tesac\n}\n\n", f);
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
		fprintf(f, ": _tlob_load_%s", argument_name(o->kind));
		if (o->words) {
			fputc(' ', f);
			put_zsh_text(f, o->words);
		}
	}
	fputs("'\n", f);
}

void format_zsh(FILE *f)
{
	const struct manual *const *m;
	const struct manual_option *o;

	fputs("#compdef tlob-load\n# Written by tlob-manual: do not edit.\n\n"
	      "_tlob_load_commands=(\n\t'help:print the help of a command'\n"
	      "\t'version:print the version, and what this build lacks'\n", f);
	for (m = manual_tool.commands; *m; m++) {
		fprintf(f, "\t'%s:", (*m)->name);
		put_zsh_text(f, (*m)->summary);
		fputs("'\n", f);
	}
	fputs(")\n\n_tlob_load_options()\n{\n\tlocal -a specs\n\tcase $1 in\n", f);
	for (m = manual_tool.commands; *m; m++) {
		fprintf(f, "\t%s) specs=(\n", (*m)->name);
		manual_each_option(o, *m)
			put_zsh_option(f, o);
		fprintf(f, "\t\t'*:operand:_tlob_load_%s'\n\t\t) ;;\n",
			argument_name((*m)->operands));
	}
	fputs("\tesac\n\t_arguments -s $specs\n}\n\n", f);
}

static void put_fish_option(FILE *f, const struct manual *m, const struct manual_option *o)
{
	fprintf(f, "complete -c tlob-load -n '__tlob_load_in \"%s\"' -l %s", m->name, o->name);
	if (o->letter)
		fprintf(f, " -s %c", o->letter);
	fputs(" -d ", f);
	put_quoted(f, o->brief);
	if (o->argument && !manual_is_optional(o)) {
		if (o->kind == ARGUMENT_FILE)
			fputs(" -rF", f);
		else
			fprintf(f, " -xa '(__tlob_load_%s%s%s)'", argument_name(o->kind),
				o->words ? " " : "", o->words ? o->words : "");
	}
	fputc('\n', f);
}

static void put_fish_command(FILE *f, const struct manual *m)
{
	fprintf(f, "complete -c tlob-load -n '__tlob_load_in \"\"' -a %s -d ", m->name);
	put_quoted(f, m->summary);
	fprintf(f, "\ncomplete -c tlob-load -n '__tlob_load_in \"%s\"' ", m->name);
	if (m->operands == ARGUMENT_FILE)
		fputs("-F\n", f);
	else
		fprintf(f, "-a '(__tlob_load_%s)'\n", argument_name(m->operands));
}

void format_fish(FILE *f)
{
	const struct manual *const *m;
	const struct manual_option *o;

	fputs("# fish completion for tlob-load. Written by tlob-manual: do not edit.\n\n"
	      "set -g __tlob_load_commands help version", f);
	for (m = manual_tool.commands; *m; m++)
		fprintf(f, " %s", (*m)->name);
	fputs("\n\ncomplete -c tlob-load -f\n", f);
	manual_each_option(o, &manual_tool)
		put_fish_option(f, &manual_tool, o);
	for (m = manual_tool.commands; *m; m++) {
		put_fish_command(f, *m);
		manual_each_option(o, *m)
			put_fish_option(f, *m, o);
	}
	fputc('\n', f);
}
