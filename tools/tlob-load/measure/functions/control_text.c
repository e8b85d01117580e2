// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions/control_text.h"
#include "util/units.h"

/* "set NAME addresses N calls N ... missed N": names and numbers in turn. */
static int parse_set(struct functions_text *t, char *line)
{
	struct function_set *set = &t->set[t->sets];
	char *rest, *word = strtok_r(line, " ", &rest), *value;
	const struct {
		const char *name;
		uint64_t *to;
	} numbers[] = {
		{ "addresses", &set->functions }, { "open", &set->open },
		{ "unreturned", &set->unreturned }, { "missed", &set->missed },
	};
	size_t i;

	if (!word || t->sets == FUNCTION_SETS || strlen(word) >= sizeof(set->name))
		return -EINVAL;
	*set = (struct function_set){ .functions = 0 };
	snprintf(set->name, sizeof(set->name), "%s", word);
	t->sets++;
	while ((word = strtok_r(NULL, " ", &rest))) {
		value = strtok_r(NULL, " ", &rest);
		if (!value)
			return -EINVAL;
		for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
			if (!strcmp(word, numbers[i].name) && count_parse(value, numbers[i].to))
				return -EINVAL;
	}
	return 0;
}

int functions_text_parse(struct functions_text *t, char *text)
{
	char *line, *rest, *value;
	int err = 0;

	*t = (struct functions_text){ .sets = 0 };
	for (line = strtok_r(text, "\n", &rest); line && !err; line = strtok_r(NULL, "\n", &rest)) {
		value = strchr(line, ' ');
		if (!value)
			return -EINVAL;
		*value++ = 0;
		if (!strcmp(line, "mechanism:"))
			snprintf(t->mechanism, sizeof(t->mechanism), "%s", value);
		else if (!strcmp(line, "limit:"))
			err = count_parse(value, &t->limit);
		else if (!strcmp(line, "probe_ns:"))
			err = count_parse(value, &t->probe_ns);
		else if (!strcmp(line, "refused:"))
			snprintf(t->refused, sizeof(t->refused), "%s", value);
		else if (!strcmp(line, "set"))
			err = parse_set(t, value);
	}
	return err || !*t->mechanism ? -EINVAL : 0;
}
