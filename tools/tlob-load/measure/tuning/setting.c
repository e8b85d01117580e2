// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "tuning/setting.h"
#include "tuning/tune.h"
#include "util/text.h"
#include "util/usage.h"

#define BETWEEN	" / "			/* the commands that switch it on and off */

/* False: it does not fit. */
static bool copy_part(char to[SETTING_LEN], const char *from, size_t n)
{
	return snprintf(to, SETTING_LEN, "%.*s", (int)n, from) < SETTING_LEN;
}

static bool is_word(const char *text, size_t n)
{
	static const char may[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

	return n && strspn(text, may) >= n;
}

static int parse_commands(struct setting *s, const char *text, size_t name, char *why, unsigned int size)
{
	const char *on = text + name + 2, *between = strstr(on, BETWEEN), *off;

	if (!between || strstr(between + 1, BETWEEN) || strpbrk(text, "\n\t"))
		return usage_error(why, size, "'%.100s': give one line with two commands and one '" BETWEEN "', as in 'mine: sh on.sh / sh off.sh'", text);
	off = between + strlen(BETWEEN);
	if (between == on || !*off)
		return usage_error(why, size, "'%.100s': one of the two commands is empty: the second one puts back what the first one does", text);
	s->kind = SETTING_COMMANDS;
	if (!copy_part(s->name, text, name) || !copy_part(s->on, on, (size_t)(between - on)) || !copy_part(s->off, off, strlen(off)))
		return usage_error(why, size, "'%.100s...': give less than %d bytes for each command: put longer ones in a script", text, SETTING_LEN);
	copy_part(s->what, text, name);
	return 0;
}

/* "vm.stat_interval" is /proc/sys/vm/stat_interval. */
static bool take_path(struct setting *s, const char *name, size_t n)
{
	char *dot;

	if (*name == '/')
		return copy_part(s->path, name, n);
	if (snprintf(s->path, sizeof(s->path), "/proc/sys/%.*s", (int)n, name) >= (int)sizeof(s->path))
		return false;
	while ((dot = strchr(s->path, '.')))
		*dot = '/';
	return true;
}

static bool is_tune_name(const char *text, size_t n)
{
	size_t i;

	for (i = 0; tune_names[i]; i++)
		if (strlen(tune_names[i]) == n && !strncmp(tune_names[i], text, n))
			return true;
	return false;
}

static int unknown(const char *text, char *why, unsigned int size)
{
	char names[160] = "";
	size_t i, n = 0;

	for (i = 0; tune_names[i]; i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i ? ", " : "", tune_names[i]);
	return usage_error(why, size, "unknown setting '%.60s': give %s, SYSCTL=VALUE, /PATH=VALUE or 'NAME: ON COMMAND / OFF COMMAND'",
			   text, names);
}

int setting_parse(struct setting *s, const char *text, char *why, unsigned int size)
{
	size_t colon = strcspn(text, ":"), equal = strcspn(text, "=");

	*s = (struct setting){ .kind = SETTING_ROWS };
	if (text[colon] && text[colon + 1] == ' ' && is_word(text, colon))
		return parse_commands(s, text, colon, why, size);
	if (strpbrk(text, "\n\t") || !copy_part(s->name, text, strlen(text)))
		return usage_error(why, size, "'%.60s...': give one line of less than %d bytes", text, SETTING_LEN);
	copy_part(s->what, text, equal);
	if (text[equal])
		s->value = text + equal + 1;
	if (is_tune_name(text, equal) && (!s->value || (equal == strlen("governor") && !strncmp(text, "governor", equal) && *s->value)))
		return 0;
	s->kind = SETTING_FILE;
	if (!s->value || !*s->value || strstr(text, "..") || (*text != '/' && (!is_word(text, equal) || !memchr(text, '.', equal))) ||
	    !take_path(s, text, equal))
		return unknown(text, why, size);
	return 0;
}

int setting_add(struct tune *t, const struct setting *s)
{
	switch (s->kind) {
	case SETTING_ROWS:
		tune_drop(t, s->what, NULL);
		t->governor = s->value;
		return tune_rows(t, s->what);
	case SETTING_FILE:
		tune_drop(t, s->what, s->path);
		return tune_add_file(t, s->what, s->path, s->value);
	case SETTING_COMMANDS:
		return tune_add_command(t, s->what, s->on, s->off);
	}
	return 0;
}
