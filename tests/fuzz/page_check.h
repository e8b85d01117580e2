/* SPDX-License-Identifier: GPL-2.0 */
/* Checks what holds for every page of HTML, for any result. */
#ifndef TLOB_FUZZ_PAGE_CHECK_H
#define TLOB_FUZZ_PAGE_CHECK_H

#include <ctype.h>

#include "fuzz.h"

#define PAGE_LARGEST	(1U << 20)

/* The name behind "<" or "</" belongs to an element that pages have. */
static inline bool page_has_element(const char *name)
{
	static const char * const names[] = {
		"html", "head", "meta", "style", "title", "body", "h1", "h2", "p", "div", "span",
		"abbr", "b", "s", "i", "br", "table", "tr", "th", "td", "dl", "dt", "dd", "svg", "path",
		"text", "polyline", "rect", "circle", "g", "use", "pre", "button", "script", "details",
		"summary",
	};
	size_t n = 0, i;

	while (isalnum((unsigned char)name[n]))
		n++;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == n && !strncmp(names[i], name, n))
			return true;
	return false;
}

/*
 * No text of a result is an element or ends an attribute, no number is nan, no control
 * character is left, and the page is small. Names are to have "<z\"" in the corpus.
 */
static inline void check_page(const char *text)
{
	const char *script = strstr(text, "<script>"), *at;

	CHECK(script && !strstr(script + 1, "<script>"));
	CHECK(strlen(text) < PAGE_LARGEST);
	for (at = text; *at; at++)
		CHECK((unsigned char)*at >= ' ' || *at == '\n');
	for (at = text; at < script; at++) {
		if (*at != '<')
			continue;
		CHECK(at[1] == '!' || page_has_element(at[1] == '/' ? at + 2 : at + 1));
		/* quotes of an element's attributes come in pairs */
		unsigned int quotes = 0;

		for (; *at != '>'; at++) {
			CHECK(*at && at < script);
			quotes += *at == '"';
		}
		CHECK(quotes % 2 == 0);
	}
	CHECK(!strstr(text, "=\"nan") && !strstr(text, ",nan ") && !strstr(text, ":nan%"));
}

#endif /* TLOB_FUZZ_PAGE_CHECK_H */
