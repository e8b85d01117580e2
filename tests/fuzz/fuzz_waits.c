// SPDX-License-Identifier: GPL-2.0
/* Results of waits: one that is read can be compared with itself, printed and drawn. */
#include "fuzz.h"
#include "page_check.h"
#include "read/waits.h"
#include "report/waits_render.h"

static const char *const name[] = { "one.json", "<z\"two.json" };

static int print_two(FILE *f, const struct waits_result *r)
{
	return waits_compare_text(f, r, name);
}

static int print_page(FILE *f, const struct waits_result *r)
{
	return page_waits(f, r, name, 1 + r->n % 2);
}

static char *printed(int (*print)(FILE *, const struct waits_result *),
		     const struct waits_result *r)
{
	struct fuzz_output o;

	CHECK(!print(fuzz_output_open(&o), r));
	fuzz_output_close(&o);
	CHECK(o.size && o.text[o.size - 1] == '\n');
	return o.text;
}

/* No byte of a foreign file may reach a terminal as it is. */
static void check_text(char *text)
{
	char *at;

	for (at = text; *at; at++)
		CHECK((unsigned char)*at >= ' ' || *at == '\n');
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *json = fuzz_text(data, size), *page, why[160];
	struct waits_result r[2], again;
	struct reader reader;
	size_t i;

	if (waits_parse(&r[0], json, &reader)) {
		CHECK(*reader.error && !r[0].n);
		free(json);
		return 0;
	}
	CHECK(!waits_parse(&again, json, &reader));
	r[1] = again;
	for (i = 1; i < r[0].n; i++)
		CHECK(strcmp(r[0].entry[i - 1].text, r[0].entry[i].text) < 0);
	CHECK(!waits_comparable(&r[0], &r[1], why, sizeof(why)));
	check_text(printed(print_two, r));
	check_text(printed(waits_result_text, r));
	page = printed(print_page, r);
	check_page(page);
	free(page);
	waits_result_free(&r[0]);
	waits_result_free(&r[1]);
	free(json);
	return 0;
}
