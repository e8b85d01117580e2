// SPDX-License-Identifier: GPL-2.0
/* Command lines, word by word. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/error.h"
#include "util/process.h"

/* Takes a word of a quoted line to @word, which has room for it. Returns its end, or NULL. */
static const char *take_word(char *word, const char *at)
{
	bool quoted = false;

	for (; *at && (quoted || *at != ' '); at++) {
		if (*at == '\'')
			quoted = !quoted;
		else if (!quoted && at[0] == '\\' && at[1] == '\'')
			*word++ = *++at;
		else if (quoted || strchr(SHELL_PLAIN, *at))
			*word++ = *at;
		else
			return NULL;
	}
	*word = 0;
	return quoted ? NULL : at;
}

int call_add_line(struct call *c, const char *line)
{
	char *word = malloc(strlen(line) + 1);
	int err = word ? 0 : -ENOMEM;

	while (!err && *(line += strspn(line, " "))) {
		line = take_word(word, line);
		if (line)
			call_add(c, "%s", word);
		err = line ? 0 : -EINVAL;
		if (!line)
			break;
	}
	free(word);
	return err;
}

/* One more pointer than words: argv ends with NULL. */
static bool call_grow(struct call *c)
{
	size_t room = c->room ? 2 * c->room : 32;
	char **argv;

	if (c->n + 1 < c->room)
		return true;
	argv = reallocarray(c->argv, room, sizeof(*argv));
	if (!argv)
		return false;
	c->argv = argv;
	c->room = room;
	return true;
}

void call_add(struct call *c, const char *fmt, ...)
{
	va_list ap;

	if (c->err)
		return;
	c->err = -ENOMEM;
	if (!call_grow(c))
		return;
	va_start(ap, fmt);
	if (vasprintf(&c->argv[c->n], fmt, ap) >= 0) {
		c->n++;
		c->err = 0;
	}
	va_end(ap);
	c->argv[c->n] = NULL;
}

void call_add_all(struct call *c, char *const words[], int n)
{
	int i;

	for (i = 0; i < n; i++)
		call_add(c, "%s", words[i]);
}

void call_tool(struct call *c, const char *command)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		c->err = fail(-errno, "/proc/self/exe: %s", strerror(errno));
	else
		call_add(c, "%.*s", (int)n, self);
	call_add(c, "%s", command);
}

int call_error(const struct call *c)
{
	return c->err == -ENOMEM ? fail(c->err, "out of memory") : c->err;
}

void call_free(struct call *c)
{
	while (c->n)
		free(c->argv[--c->n]);
	free(c->argv);
	*c = (struct call){ 0 };
}

int call_make(struct call *c, const char *log)
{
	int status = call_error(c);

	if (!status)
		status = process_call(c->argv, log);
	call_free(c);
	return status;
}
