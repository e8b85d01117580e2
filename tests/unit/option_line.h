/* SPDX-License-Identifier: GPL-2.0 */
/* Command lines for the tables of options, and lines that they refuse. */
#ifndef OPTION_LINE_H
#define OPTION_LINE_H

#include <errno.h>

#include "unit.h"
#include "options/option_value.h"

#define MAX_ARGS	80

static char message[1000];		/* of the last line */

/* The name of the command and the words of @line, which one space separates. */
static inline int parse_line(const struct manual *m, void *config, const char *line)
{
	static char copy[4000], name[32];
	static char *argv[MAX_ARGS + 1];
	char *word, *rest = copy;
	int argc = 1;

	snprintf(copy, sizeof(copy), "%s", line);
	snprintf(name, sizeof(name), "%s", m->name);
	argv[0] = name;
	while (*line && (word = strsep(&rest, " "))) {
		assert_true(argc < MAX_ARGS);
		argv[argc++] = word;
	}
	argv[argc] = NULL;
	message[0] = 0;
	return options_parse(m, config, argc, argv, message, sizeof(message));
}

static inline void accept_line(const struct manual *m, void *config, const char *line)
{
	if (parse_line(m, config, line))
		fail_msg("%s: %s", line, message);
	assert_string_equal(message, "");
}

struct refused_line {
	const char *line, *part[3];	/* what the message has */
};

/* Each is refused by one line. */
static inline void refuse_lines(const struct manual *m, void *config, const struct refused_line *t,
				size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		if (parse_line(m, config, t[i].line) != -EINVAL)
			fail_msg("'%s' is accepted", t[i].line);
		assert_true(*message);
		for (k = 0; k < ARRAY_SIZE(t[i].part) && t[i].part[k]; k++)
			assert_contains(message, t[i].part[k]);
		assert_null(strchr(message, '\n'));
	}
}

#endif /* OPTION_LINE_H */
