// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options/environment.h"
#include "options/option_value.h"

static bool is_ours(const char *variable)
{
	return !strncmp(variable, VARIABLE_PREFIX, strlen(VARIABLE_PREFIX));
}

/* The value in "TLOB_OPT_NAME=VALUE", if that is the variable of @o, or NULL. */
static const char *value_of(const struct manual_option *o, const char *variable)
{
	char name[VARIABLE_LEN];
	size_t n = strlen(manual_variable(name, o));

	return o->env && !strncmp(name, variable, n) && variable[n] == '=' ? variable + n + 1 : NULL;
}

/* The value of the variable of @o, or "". */
static const char *look_up(const struct manual_option *o, char **env)
{
	const char *value = NULL;

	for (; !value && *env; env++)
		value = is_ours(*env) ? value_of(o, *env) : NULL;
	return value ? value : "";
}

/* A misspelled variable must not pass for an option that was not given. */
static int check_names(const struct manual *m, char **env, char *err, unsigned int size)
{
	const struct manual_option *o;
	const char *value;

	for (; *env; env++) {
		if (!is_ours(*env))
			continue;
		value = NULL;
		manual_each_option(o, m)
			value = value ? value : value_of(o, *env);
		if (!value)
			return usage_error(err, size, "%.*s: no option comes from such a variable: --help=all lists those that do",
					   (int)strcspn(*env, "="), *env);
	}
	return 0;
}

/* Adds --NAME=VALUE, of @n bytes of @value. */
static int add(struct environment *e, const struct manual_option *o, const char *value, size_t n,
	       char *err, unsigned int size)
{
	char name[VARIABLE_LEN];

	if (e->n == ENVIRONMENT_MAX)
		return usage_error(err, size, "%s: the environment has more than %d options: leave some out",
				   manual_variable(name, o), ENVIRONMENT_MAX);
	if (asprintf(&e->argv[1 + e->n], "--%s=%.*s", o->name, (int)n, value) < 0)
		return -ENOMEM;
	e->n++;
	return 0;
}

static int add_variable(struct environment *e, const struct manual_option *o, const char *value,
			char *err, unsigned int size)
{
	size_t n;
	int ret = 0;

	if (o->env == ENV_ONE)
		return *value ? add(e, o, value, strlen(value), err, size) : 0;
	for (; !ret && *value; value += n + (value[n] == '\n')) {
		n = strcspn(value, "\n");
		if (n)
			ret = add(e, o, value, n, err, size);
	}
	return ret;
}

int environment_read(struct environment *e, const struct manual *m, char **env, int argc,
		     char **argv, char *err, unsigned int size)
{
	const struct manual_option *o;
	bool given[OPTIONS_MAX] = { false };
	int ret;

	*e = (struct environment){ .argv = calloc((size_t)argc + ENVIRONMENT_MAX + 1, sizeof(char *)) };
	if (!e->argv)
		return -ENOMEM;
	e->argv[0] = argv[0];
	options_given(m, argc, argv, given);
	ret = check_names(m, env, err, size);
	manual_each_option(o, m)
		if (!ret && !given[o - m->options])
			ret = add_variable(e, o, look_up(o, env), err, size);
	memcpy(&e->argv[1 + e->n], argv + 1, (size_t)argc * sizeof(char *));
	e->argc = argc + e->n;
	return ret;
}

/* unsetenv() needs a copy of the name, of any length, and leaves an entry without a "=". */
void environment_forget(void)
{
	char **v, **kept = environ;

	for (v = environ; *v; v++)
		if (!is_ours(*v))
			*kept++ = *v;
	*kept = NULL;
}

void environment_free(struct environment *e)
{
	while (e->n)
		free(e->argv[e->n--]);
	free(e->argv);
	*e = (struct environment){ 0 };
}

/* The row of the argument @i of @e, one of ours. */
static const struct manual_option *row(const struct environment *e, const struct manual *m, int i)
{
	char name[VARIABLE_LEN];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(e->argv[i] + 2, "="), e->argv[i] + 2);
	return manual_option_find(m, name);
}

void environment_explain(const struct environment *e, const struct manual *m, int bad, char *err,
			 unsigned int size)
{
	size_t n = strlen(err);
	char name[VARIABLE_LEN];
	int i;

	if (bad > e->n)
		return;
	for (i = bad ? bad : 1; i <= (bad ? bad : e->n) && n < size; i++)
		n += (size_t)snprintf(err + n, size - n, "%s%s", i == bad || i == 1 ? "; from the environment: " : ", ",
				      manual_variable(name, row(e, m, i)));
}
