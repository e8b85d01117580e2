/* SPDX-License-Identifier: GPL-2.0 */
/* Writes the tables of a program's help for others: man, and the shells' completion. */
#ifndef MANUAL_FORMAT_H
#define MANUAL_FORMAT_H

#include <stdio.h>

#include "options/manual.h"

/* The Makefile of another program says otherwise. */
#ifndef TOOL
#define TOOL	"tlob-load"
#define TOOL_ID	"tlob_load"		/* in names of functions */
#endif

/* The page of @m, in mdoc(7). @date: as in "November 21, 2026". */
void format_man(FILE *f, const struct manual *m, const char *date);

/* The tables of all commands; complete.bash, .zsh and .fish have the functions. */
void format_bash(FILE *f);
void format_zsh(FILE *f);
void format_fish(FILE *f);

/* The name of an argument in complete.*: "file", "cpus", ... */
const char *argument_name(enum argument_kind kind);

#endif /* MANUAL_FORMAT_H */
