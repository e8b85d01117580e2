// SPDX-License-Identifier: GPL-2.0
/* Comparing names of the source with mangled ones. libiberty knows the manglings. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "code/demangle.h"

/* From libiberty, whose demangle.h Debian packages, and Fedora and RHEL do not. */
#define DMGL_PARAMS	(1 << 0)	/* with the arguments */
#define DMGL_ANSI	(1 << 1)	/* with const and the like */
#define DMGL_RET_DROP	(1 << 6)	/* without the type of the result */
#define DMGL_AUTO	(1 << 8)	/* any of its manglings */

char *cplus_demangle(const char *mangled, int options);

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

/* The end of the "<...>" that begins at @s, or NULL. The > of -> ends nothing. */
static char *end_of_types(char *s)
{
	unsigned int depth = 0;

	for (; *s; s++)
		if (*s == '<')
			depth++;
		else if (*s == '>' && s[-1] != '-' && !--depth)
			return s;
	return NULL;
}

/* Turns "<A as B>::f" and "<A>::f" at @text into "A::f". */
static bool unwrap(char *text)
{
	char *end = *text == '<' ? end_of_types(text) : NULL, *as, *s, *inner;

	if (!end || strncmp(end, ">::", 3))
		return false;
	*end = '\0';
	/* the last " as " that is in no <> of its own */
	as = end;
	for (s = text + 1; *s; s++) {
		inner = *s == '<' ? end_of_types(s) : NULL;
		if (inner)
			s = inner;
		else if (!strncmp(s, " as ", 4))
			as = s;
	}
	memmove(text, text + 1, (size_t)(as - text) - 1);
	memmove(as - 1, end + 1, strlen(end + 1) + 1);
	return true;
}

char *demangle_plain(char *text)
{
	char *s, *end;

	while (unwrap(text))
		;
	for (s = text; *s; s++) {
		end = *s == '<' ? end_of_types(s) : NULL;
		if (!end)
			continue;
		if (s - text > 2 && !strncmp(s - 2, "::", 2))
			s -= 2;
		memmove(s, end + 1, strlen(end + 1) + 1);
		s -= s > text;
	}
	return text;
}

/* Rust's older mangling is C++'s, with a hash behind the name: 17h0123456789abcdefE. */
static bool is_rust(const char *name)
{
	const char *hash;

	if (name[1] == 'R')
		return true;
	for (hash = strstr(name, "17h"); hash; hash = strstr(hash + 1, "17h"))
		if (strspn(hash + 3, "0123456789abcdef") == 16 && hash[19] == 'E')
			return true;
	return false;
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
 * Returns whether a symbol may have this name, without translating it: most of a large
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

/* The same for a name of Rust without types; @wanted may have types, as in "<A>::f". */
static enum name_fit fit_plain(char *text, const char *wanted)
{
	char *copy = strdup(wanted);
	enum name_fit how = NAME_DIFFERS;

	if (text && copy) {
		if (!strstr(copy, " as "))
			unwrap(copy);
		how = fit(text, copy);
		if (how == NAME_DIFFERS) {
			how = fit(demangle_plain(text), copy);
			how = how == NAME_IS ? NAME_IS_PLAIN : how;
		}
	}
	free(copy);
	return how;
}

enum name_fit demangle_fit(const char *name, const char *wanted)
{
	enum name_fit whole, bare;
	char *text;

	if (!may_fit(name, wanted))
		return NAME_DIFFERS;
	text = demangle(name);
	whole = fit(text, wanted);
	if (whole == NAME_DIFFERS && is_rust(name))
		whole = fit_plain(text, wanted);
	free(text);
	/* a clone, as in work.cold, is another place: only its whole text names it */
	if (whole == NAME_IS || is_rust(name) || strchr(name, '.'))
		return whole;
	text = translate(name, 0);
	bare = fit(text, wanted);
	free(text);
	return whole > bare ? whole : bare;
}
