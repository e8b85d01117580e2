// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of `monitor`, parsed by the header that the kernel compiles. Regular expressions decide
 * independently if a text has the form of a line. An accepted line, written in canonical form,
 * must read the same.
 */
#include <regex.h>

#include "binding.h"
#include "fuzz.h"

#define B	"[ \t]"
#define OFFSET	"(0x[0-9a-fA-F]+|[0-9]+)"
#define OFFSETS	OFFSET "(," OFFSET ")*"
#define PATH	"/[^\n]*"
#define NAME	"[A-Za-z0-9_]+"

static bool has_form(const char *text)
{
	static const char pattern[] =
		"^" B "*("
		"p(:" NAME ")?" B "+" PATH ":" OFFSETS B "+" OFFSETS B "+threshold=[0-9]+"
		"|-" PATH ":" OFFSET
		"|-:" NAME
		")" B "*\n?$";
	static regex_t form;
	static bool compiled;

	if (!compiled) {
		CHECK(!regcomp(&form, pattern, REG_EXTENDED | REG_NOSUB));
		compiled = true;
	}
	return !regexec(&form, text, 0, NULL, 0);
}

static int parse(char *line, struct tlob_binding_line *b)
{
	return tlob_parse_binding(line, strlen(line), b);
}

static void check_places(const struct tlob_offsets *p)
{
	unsigned int i, j;

	CHECK(p->nr <= TLOB_BINDING_OFFSETS);
	for (i = 0; i < p->nr; i++) {
		CHECK(p->at[i] <= INT64_MAX);
		for (j = 0; j < i; j++)
			CHECK(p->at[i] != p->at[j]);
	}
}

static bool same_places(const struct tlob_offsets *a, const struct tlob_offsets *b)
{
	return a->nr == b->nr && !memcmp(a->at, b->at, a->nr * sizeof(a->at[0]));
}

static void check_ranges(const struct tlob_binding_line *b)
{
	unsigned int i;

	CHECK(memchr(b->name, 0, sizeof(b->name)));
	CHECK(strspn(b->name, "0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") ==
	      strlen(b->name));
	check_places(&b->start);
	check_places(&b->stop);
	if (b->op == TLOB_BINDING_REMOVE_NAME) {
		CHECK(!b->path && *b->name && !b->start.nr);
	} else {
		CHECK(b->start.nr >= 1);
		CHECK(*b->path == '/' && strlen(b->path) < PATH_MAX);
		CHECK(!strchr(b->path, '\n'));
	}
	if (b->op == TLOB_BINDING_ADD) {
		CHECK(b->stop.nr >= 1);
		for (i = 0; i < b->stop.nr; i++)
			CHECK(!tlob_offsets_have(&b->start, b->stop.at[i]));
		CHECK(b->threshold_ns >= 1000);
		CHECK(b->threshold_ns <= 3600000000000ULL);
	} else {
		CHECK(b->start.nr <= 1 && !b->stop.nr && !b->threshold_ns);
		CHECK(!*b->name || b->op == TLOB_BINDING_REMOVE_NAME);
	}
}

static bool same(const struct tlob_binding_line *a,
		 const struct tlob_binding_line *b)
{
	return a->op == b->op && !a->path == !b->path &&
	       (!a->path || !strcmp(a->path, b->path)) &&
	       !strcmp(a->name, b->name) && same_places(&a->start, &b->start) &&
	       same_places(&a->stop, &b->stop) && a->threshold_ns == b->threshold_ns;
}

static void check_again(const char *text, const char *tail,
			const struct tlob_binding_line *b)
{
	char *longer = fuzz_append(text, tail);
	struct tlob_binding_line again;

	if (b) {
		CHECK(!parse(longer, &again) && same(b, &again));
	} else {
		CHECK(parse(longer, &again) == -EINVAL);
	}
	free(longer);
}

static void check_format(const struct tlob_binding_line *b)
{
	char buf[TLOB_BINDING_MAX];
	int n = tlob_format_binding(buf, sizeof(buf), b);

	CHECK(n > 0 && (size_t)n == strlen(buf));
	check_again(buf, "", b);
	check_again(buf, "\n", b);
	check_again(buf, "x", NULL);
	check_again(buf, " 1", NULL);
	CHECK(tlob_format_binding(buf, (size_t)n, b) == -ENOSPC);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *line = fuzz_append(text, "");
	static const struct tlob_binding_line before = {
		.op = TLOB_BINDING_REMOVE, .path = "before", .name = "before",
		.start = { 1, { 42 } }, .stop = { 1, { 42 } }, .threshold_ns = 42,
	};
	struct tlob_binding_line b = before;
	bool form = has_form(text);
	int err;

	err = parse(line, &b);
	if (err) {
		CHECK(err == -EINVAL || err == -ERANGE || err == -ENAMETOOLONG ||
		      err == -E2BIG);
		CHECK(same(&b, &before) && !strcmp(line, text));
		/* a line that adds may have the form and be EINVAL: an offset is there twice */
		CHECK(form == (err != -EINVAL) ||
		      (form && text[strspn(text, " \t")] != '-'));
	} else {
		CHECK(form);
		check_ranges(&b);
		if (text[strlen(text) - 1] != '\n') {
			check_again(text, " \t\n", &b);
			check_again(text, "\n\n", NULL);
		} else {
			check_again(text, " ", NULL);
		}
		if (b.op == TLOB_BINDING_ADD)
			check_format(&b);
	}
	free(line);
	free(text);
	return 0;
}
