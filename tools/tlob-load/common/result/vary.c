// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "result/vary.h"
#include "util/usage.h"

bool vary_has(const struct vary *v, const char *fact)
{
	unsigned int i;

	for (i = 0; i < v->n; i++)
		if (!strcmp(v->fact[i], fact))
			return true;
	return false;
}

int vary_add(struct vary *v, const char *list, char *err, unsigned int size)
{
	char fact[VARY_LEN];
	size_t n;

	for (;; list++) {
		n = strcspn(list, ",");
		if (!n || n >= sizeof(fact))
			return usage_error(err, size, "invalid setting '%.*s': give names as in smt or smt,governor",
					   (int)(n < 60 ? n : 60), list);
		snprintf(fact, sizeof(fact), "%.*s", (int)n, list);
		if (vary_has(v, fact))
			return usage_error(err, size, "%s is given twice", fact);
		if (v->n == VARY_MAX)
			return usage_error(err, size, "more than %d settings: leave some out",
					   VARY_MAX);
		snprintf(v->fact[v->n++], sizeof(v->fact[0]), "%s", fact);
		list += n;
		if (!*list)
			return 0;
	}
}

const char *vary_text(char buf[VARY_TEXT], const struct vary *v)
{
	unsigned int i;
	size_t n = 0;

	buf[0] = 0;
	for (i = 0; i < v->n; i++)
		n += (size_t)snprintf(buf + n, VARY_TEXT - n, i ? ",%s" : "%s",
				      v->fact[i]);
	return buf;
}
