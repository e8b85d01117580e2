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
		"html", "head", "meta", "style", "title", "body", "noscript", "pre", "script",
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
 * What stands before the page's own script: no text of a result is an element or ends an attribute,
 * none in the data begins one, no number is nan, and no control character is left. The page is small.
 * Names are to have "<z\"" in the corpus.
 */
static inline void check_page(const char *text)
{
	const char *script = strstr(text, "<script>"), *data = strstr(text, " id=\"data\">"), *at;
	const char *style = strstr(text, "<style>"), *styled = strstr(text, "</style>");

	CHECK(script && data && data < script && !strstr(script + 1, "<script>"));
	CHECK(strlen(text) < PAGE_LARGEST);
	data = strchr(data, '>');
	CHECK(strchr(data, '<') == strstr(data, "</script>"));
	for (at = text; at < script; at++) {
		/* tests have the style as it is in the source, with indents */
		CHECK((unsigned char)*at >= ' ' || *at == '\n' || (*at == '\t' && at > style && at < styled));
		CHECK(at < data || (strncmp(at, ":nan", 4) && strncmp(at, ",nan", 4) && strncmp(at, "[nan", 4)));
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
}

#endif /* TLOB_FUZZ_PAGE_CHECK_H */
