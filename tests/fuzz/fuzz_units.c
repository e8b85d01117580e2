// SPDX-License-Identifier: GPL-2.0
/* Durations and counts: from text, and back to text in each form. */
#include "fuzz.h"
#include "util/units.h"

static uint64_t parse(const char *text)
{
	char err[256];
	uint64_t ns;

	CHECK(!duration_parse(text, &ns, err, sizeof(err)));
	return ns;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The ns of a text from duration_format(), decimals included. */
static uint64_t parse_decimal(const char *text)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 },
	};
	uint64_t step, ns;
	char *end;
	size_t i;

	ns = strtoull(text, &end, 10);
	for (i = 0; i < 4; i++)
		if (!strcmp(end + (*end == '.' ? strspn(end, ".0123456789") : 0),
			    units[i].name))
			break;
	CHECK(i < 4);
	CHECK(!__builtin_mul_overflow(ns, units[i].ns, &ns));
	if (*end == '.') {
		CHECK(end[1] >= '0' && end[1] <= '9');
		for (step = units[i].ns / 10, end++; *end >= '0' && *end <= '9';
		     step /= 10, end++) {
			CHECK(step);
			ns += (uint64_t)(*end - '0') * step;
		}
		CHECK(end[-1] != '0');
	}
	return ns;
}

static void check_forms(uint64_t ns)
{
	char buf[DURATION_LEN], *dot;
	uint64_t shown;

	CHECK(duration_exact(buf, ns) == buf);
	CHECK(strlen(buf) < DURATION_LEN && parse(buf) == ns);
	duration_format(buf, ns);
	CHECK(strlen(buf) < DURATION_LEN);
	shown = parse_decimal(buf);
	/* three digits, so the error is at most half of the last: 1/200 of 100, the smallest */
	CHECK(distance(shown, ns) <= ns / 200);
	duration_us(buf, ns);
	CHECK(strlen(buf) < DURATION_LEN);
	dot = strchr(buf, '.');
	CHECK(dot && strlen(dot) == 4);
	CHECK(strtoull(buf, NULL, 10) * 1000 + strtoull(dot + 1, NULL, 10) == ns);
}

static void check_tail(const char *text, const char *tail)
{
	char *longer = fuzz_append(text, tail), err[256];
	uint64_t v;

	CHECK(duration_parse(longer, &v, err, sizeof(err)));
	CHECK(count_parse(longer, &v));
	free(longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	char *text = fuzz_text(data, size), err[256] = "", buf[24];
	uint64_t ns = 42, n = 42;
	int ret;

	check_forms(fuzz_take(&bytes, 8));
	if (duration_parse(text, &ns, err, sizeof(err))) {
		CHECK(ns == 42 && *err && !strchr(err, '\n'));
		/* a short buffer is not overrun */
		CHECK(duration_parse(text, &ns, err, 5) && strlen(err) < 5);
	} else {
		check_forms(ns);
		check_tail(text, " ");
		check_tail(text, "x");
		check_tail(text, "\n");
	}
	ret = count_parse(text, &n);
	if (ret) {
		CHECK(n == 42 && (ret == -EINVAL || ret == -ERANGE));
	} else {
		snprintf(buf, sizeof(buf), "%llu", (unsigned long long)n);
		CHECK(!strcmp(text + strspn(text, "0"), buf + (*buf == '0')));
		check_tail(text, " ");
		check_tail(text, "x");
	}
	free(text);
	return 0;
}
