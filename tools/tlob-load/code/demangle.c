// SPDX-License-Identifier: GPL-2.0
/* Comparing names of the source with mangled ones. libiberty knows the manglings. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "code/demangle.h"

/* Itanium's mangling of C++, also of older Rust, and Rust's own. */
static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

static char *translate(const char *name, int options)
{
	return is_mangled(name) ? cplus_demangle(name, options | DMGL_AUTO | DMGL_ANSI) : NULL;
}

char *demangle(const char *name)
{
	return translate(name, DMGL_PARAMS | DMGL_RET_DROP);
}

/*
 * Compares from the ends, because what a name begins with may be left out. Returns
 * what is left of @name, or NULL if @wanted is not its end.
 */
static const char *end_of(const char *name, const char *wanted)
{
	const char *n = name + strlen(name), *w = wanted + strlen(wanted);

	for (;;) {
		while (n > name && n[-1] == ' ')
			n--;
		while (w > wanted && w[-1] == ' ')
			w--;
		if (w == wanted)
			return n;
		if (n == name || *--n != *--w)
			return NULL;
	}
}

static enum name_fit fit(const char *name, const char *wanted)
{
	const char *rest = name ? end_of(name, wanted) : NULL;

	if (!rest)
		return NAME_DIFFERS;
	if (rest == name)
		return NAME_IS;
	return rest - name > 2 && !strncmp(rest - 2, "::", 2) ? NAME_ENDS_SO : NAME_DIFFERS;
}

/*
 * Whether a symbol may have this name, without translating it: most of a large
 * program's symbols need not be. A plain name stands in the mangled one as it is.
 */
static bool may_fit(const char *name, const char *wanted)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	size_t n = strspn(wanted, plain);
	char first[64];

	if (!is_mangled(name))
		return false;
	/* an operator, a destructor, or a part that may be abbreviated: St is std */
	if (!n || n >= sizeof(first) || !strncmp(wanted, "operator", 8) ||
	    !strncmp(wanted, "std::", 5))
		return true;
	memcpy(first, wanted, n);
	first[n] = '\0';
	return strstr(name, first);
}

enum name_fit demangle_fit(const char *name, const char *wanted)
{
	enum name_fit whole, bare;
	char *text;

	if (!may_fit(name, wanted))
		return NAME_DIFFERS;
	text = demangle(name);
	whole = fit(text, wanted);
	free(text);
	/* a clone, as in work.cold, is another place: only its whole text names it */
	if (whole == NAME_IS || strchr(name, '.'))
		return whole;
	text = translate(name, DMGL_NO_OPTS);
	bare = fit(text, wanted);
	free(text);
	return whole > bare ? whole : bare;
}
