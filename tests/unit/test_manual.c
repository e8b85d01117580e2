// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of the help: the same options as the parsers take, a short help of 23 lines,
 * no line above 80 columns, and all names that a value may have.
 */
#include <ctype.h>
#include <stdlib.h>

#include "hist.h"
#include "unit.h"
#include "cmd/command.h"
#include "help/screen.h"
#include "result/attach_result.h"
#include "result/counters.h"
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

static const struct option *long_option(const struct command *c, const char *name)
{
	const struct option *o;

	for (o = c->options; o->name; o++)
		if (!strcmp(o->name, name))
			return o;
	return NULL;
}

/* The parser takes @o as it is described. */
static void check_described(void *data, const struct manual_option *o)
{
	const struct command *c = data;
	const struct option *taken = long_option(c, o->name);
	const char *letter = o->letter ? strchr(c->letters, o->letter) : NULL;
	int wanted = !o->argument ? no_argument :
		     manual_is_optional(o) ? optional_argument : required_argument;

	if (!taken) {
		fail_msg("%s: --%s is in the help and not in the parser", c->name, o->name);
		return;
	}
	if (taken->has_arg != wanted)
		fail_msg("%s: --%s: help and parser differ in its argument", c->name, o->name);
	if (o->letter && (!letter || taken->val != o->letter))
		fail_msg("%s: -%c is not --%s", c->name, o->letter, o->name);
	if (letter && (letter[1] == ':') != (wanted == required_argument))
		fail_msg("%s: -%c: help and parser differ in its argument", c->name, o->letter);
	assert_true(!o->words || o->kind == ARGUMENT_WORDS);
	assert_true(islower((unsigned char)*o->brief) || isdigit((unsigned char)*o->brief) ||
		    !strncmp(o->brief, "CPU", 3));
	assert_true(o->brief[strlen(o->brief) - 1] != '.');
	assert_true(!o->more || strrchr(o->more, '.') == o->more + strlen(o->more) - 1);
}

static void count_letter(void *data, const struct manual_option *o)
{
	*(unsigned int *)data += !!o->letter;
}

static void test_options(void **state)
{
	const struct command * const *c;
	const struct option *o;
	unsigned int letters, taken;
	const char *p;

	for (c = commands; *c; c++) {
		if (!(*c)->options)
			continue;	/* not in this build */
		manual_each_option((*c)->manual, check_described, (void *)*c);
		for (o = (*c)->options; o->name; o++)
			if (!manual_option_find((*c)->manual, o->name))
				fail_msg("%s: --%s is in the parser and not in the help",
					 (*c)->name, o->name);
		letters = taken = 0;
		manual_each_option((*c)->manual, count_letter, &letters);
		for (p = (*c)->letters; *p; p++)
			taken += !!isalpha((unsigned char)*p);
		assert_int_equal(letters, taken);
	}
}

/* All commands have a manual, and the other way round. */
static void test_commands(void **state)
{
	const struct manual * const *m = manuals + 1;
	const struct command * const *c;

	assert_string_equal(manuals[0]->name, "");
	for (c = commands; *c; c++, m++) {
		assert_ptr_equal((*c)->manual, *m);
		assert_string_equal((*c)->name, (*m)->name);
		assert_ptr_equal(command_find((*c)->name), *c);
	}
	assert_null(*m);
	assert_null(command_find("runs"));
}

static void test_size(void **state)
{
	const struct manual * const *m;
	char *text, usage[64];

	for (m = manuals + 1; *m; m++) {
		text = print(manual_print_short, *m);
		if (lines(text) > LINES)
			fail_msg("%s: its short help has %u lines", (*m)->name, lines(text));
		snprintf(usage, sizeof(usage), "Usage: tlob-load %s", (*m)->name);
		assert_contains(text, usage);
		free(text);
		text = print(manual_print_all, *m);
		lines(text);
		free(text);
	}
}

static void print_list(FILE *f, const struct manual *m)
{
	manual_print_list(f);
}

static void test_list(void **state)
{
	const struct manual * const *m;
	char *text = print(print_list, NULL);

	assert_true(lines(text) <= LINES);
	for (m = manuals + 1; *m; m++)
		assert_contains(text, (*m)->summary);
	free(text);
}

struct shown {
	const char *text, *command;
	bool all;
};

static void check_shown(void *data, const struct manual_option *o)
{
	const struct shown *s = data;
	char option[OPTION_LEN];

	manual_option_text(option, o);
	if (!s->all && !o->basic) {
		assert_null(strstr(s->text, option));
		return;
	}
	if (!strstr(s->text, option))
		fail_msg("%s: the help lacks %s", s->command, option);
}

static void test_shown(void **state)
{
	const struct manual * const *m;

	for (m = manuals + 1; *m; m++) {
		struct shown s = { .command = (*m)->name };

		s.text = print(manual_print_short, *m);
		manual_each_option(*m, check_shown, &s);
		free((char *)s.text);
		s.text = print(manual_print_all, *m);
		s.all = true;
		manual_each_option(*m, check_shown, &s);
		free((char *)s.text);
	}
}

static void check_counters(const char *text, const struct counters *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (list->at[i].flags & COUNTER_ASSERT)
			assert_contains(text, list->at[i].name);
}

static void test_names_of_run(void **state)
{
	char *text = print(manual_print_all, &manual_run);
	size_t i;

	for (i = 0; i < TLOB_METRIC_PARTS; i++)
		assert_contains(text, tlob_metric_names[i]);
	assert_contains(text, "wake: irq_delay irq softirq nmi thread sched\n");
	for (i = 0; i < TLOB_NR_WORK; i++)
		assert_contains(text, tlob_work_kinds[i].form);
	check_counters(text, &result_counters);
	free(text);
}

static void test_names_of_attach(void **state)
{
	char *text = print(manual_print_all, &manual_attach);
	size_t i;

	for (i = 0; i < ATTACH_NR_METRICS; i++)
		if (strcmp(attach_metric_names[i], "hw"))	/* never measured */
			assert_contains(text, attach_metric_names[i]);
	check_counters(text, &attach_counters);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_shown),
		cmocka_unit_test(test_names_of_run),
		cmocka_unit_test(test_names_of_attach),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
