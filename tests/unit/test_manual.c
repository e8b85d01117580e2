// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of options: each row is complete, the short help has 23 lines, no line has more
 * than 80 columns, and the help has all names that a value may have.
 */
#include <ctype.h>
#include <stdlib.h>

#include "hist.h"
#include "unit.h"
#include "lab/lab.h"
#include "options/option_value.h"
#include "options/manual_text.h"
#include "result/attached.h"
#include "result/counters.h"
#include "result/field.h"
#include "workspec.h"

#define COLUMNS	80
#define LINES	23	/* and one for the prompt */

static char *print(void (*how)(FILE *, const struct manual *), const struct manual *m)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	how(f, m);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* How many lines @text has; each ends and is narrow enough. */
static unsigned int lines(const char *text)
{
	const char *end;
	unsigned int n;

	for (n = 0; *text; text = end + 1, n++) {
		end = strchr(text, '\n');
		assert_non_null(end);
		if (end - text > COLUMNS)
			fail_msg("too wide: %.*s", (int)(end - text), text);
		if (end != text && end[-1] == ' ')
			fail_msg("a blank ends: %.*s", (int)(end - text), text);
	}
	return n;
}

/* Assumptions of getopt_long() and of the printers. */
static void check_row(const struct manual *m, const struct manual_option *o)
{
	const struct manual_option *other;

	if (!o->read)
		fail_msg("%s: no function reads --%s", m->name, o->name);
	for (other = m->options; other < o; other++)
		if (other->name && (!strcmp(other->name, o->name) ||
				    (o->letter && other->letter == o->letter)))
			fail_msg("%s: --%s and --%s have one name or letter", m->name, o->name,
				 other->name);
	assert_true(o->min <= o->max);
	assert_true(o->at < m->size || !o->at);
	assert_true(o->given < m->size || !o->given);
	assert_true(!o->words || o->kind == ARGUMENT_WORDS);
	assert_true(islower((unsigned char)*o->brief) || isdigit((unsigned char)*o->brief) ||
		    !strncmp(o->brief, "CPU", 3));
	assert_true(o->brief[strlen(o->brief) - 1] != '.');
	assert_true(!o->more || strrchr(o->more, '.') == o->more + strlen(o->more) - 1);
}

/* The manuals of tlob-load and of tlob-lab. */
#define MANUAL(name)	&manual_##name,
static const struct manual * const every[] = { COMMANDS(MANUAL) &manual_lab, &manual_explain, &manual_bisect, NULL };

TEST(test_options)
{
	const struct manual * const *m;
	const struct manual_option *o;

	for (m = every; *m; m++) {
		assert_non_null((*m)->options->title);
		manual_each_option(o, *m)
			check_row(*m, o);
		assert_ptr_equal(manual_option_find(*m, "help")->read, value_help);
		/* the parser has room for so many */
		for (o = (*m)->options; o->title || o->name; o++)
			assert_true(o - (*m)->options < OPTIONS_MAX);
	}
}

/* Each has the name of its variables. */
TEST(test_commands)
{
#define NAME(name) #name,
	static const char * const commands[] = { COMMANDS(NAME) NULL };
	const char * const *name = commands;
	const struct manual * const *m;

	assert_string_equal(manual_tool.name, "");
	for (m = manual_tool.commands; *m; m++)
		assert_string_equal((*m)->name, *name++);
	assert_null(*name);
}

TEST(test_size)
{
	const struct manual * const *m;
	char *text, usage[64];

	for (m = every; *m; m++) {
		text = print(manual_print_short, *m);
		if (lines(text) > LINES)
			fail_msg("%s: its short help has %u lines", (*m)->name, lines(text));
		snprintf(usage, sizeof(usage), "Usage: tlob-load %s", (*m)->is ? (*m)->is : (*m)->name);
		assert_contains(text, usage);
		free(text);
		text = print(manual_print_all, *m);
		lines(text);
		free(text);
	}
}

TEST(test_list)
{
	const struct manual * const *m;
	char *text = print(manual_print_list, &manual_tool);

	assert_true(lines(text) <= LINES);
	for (m = manual_tool.commands; *m; m++)
		assert_contains(text, (*m)->summary);
	free(text);
}

/* Returns whether @text has @option, and not only a longer one that begins with it. */
static bool names(const char *text, const char *option)
{
	while ((text = strstr(text, option)) && !strchr(" \n", *(text += strlen(option))))
		;
	return text;
}

TEST(test_shown)
{
	const struct manual * const *m;
	const struct manual_option *o;
	char *brief, *all, option[OPTION_LEN];

	for (m = every; *m; m++) {
		brief = print(manual_print_short, *m);
		all = print(manual_print_all, *m);
		manual_each_option(o, *m) {
			manual_option_text(option, o);
			assert_true(names(brief, option) == o->basic);
			assert_true(names(all, option));
		}
		free(brief);
		free(all);
	}
}

static void check_counters(const char *text, const struct condition_words *words)
{
	const struct fields *list = words->counters;
	size_t i;

	for (i = 0; i < list->nfields; i++)
		if (list->field[i].flags & FIELD_ASSERT && !(list->field[i].flags & words->without))
			assert_contains(text, list->field[i].key);
}

TEST(test_names_of_run)
{
	char *text = print(manual_print_all, &manual_run);
	size_t i;

	for (i = 0; i < TLOB_METRIC_PARTS; i++)
		assert_contains(text, tlob_metric_names[i]);
	assert_contains(text, "wake: irq_delay irq softirq nmi thread sched steal\n");
	for (i = 0; i < TLOB_NR_WORK; i++)
		assert_contains(text, tlob_work_kinds[i].form);
	check_counters(text, &condition_run_words);
	free(text);
}

TEST(test_names_of_attach)
{
	char *text = print(manual_print_all, &manual_attach);
	size_t i;

	for (i = 0; i < TLOB_NR_METRICS; i++)
		if (!(condition_attach_words.never & 1U << i))
			assert_contains(text, tlob_metric_names[i]);
	check_counters(text, &condition_attach_words);
	free(text);
}

UNIT_MAIN(NULL, NULL)
