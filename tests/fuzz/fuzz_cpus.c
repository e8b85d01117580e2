// SPDX-License-Identifier: GPL-2.0
/* CPU lists: an invalid list is never taken for a missing CPU, and what is printed is a list. */
#include "fuzz.h"
#include "util/error.h"
#include "util/file.h"

/* Prints nothing. */
static int fuzz_fail(int err, const char *fmt, ...)
{
	(void)fmt;
	return err;
}

#define fail fuzz_fail
#include "machine/cpus.c"

/* Digits, and numactl(8)'s other forms: all, a leading ! or +. */
static bool could_be_list(const char *s)
{
	return s[strspn(s, "0123456789,-!+al")] == '\0';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *formatted;
	struct cpulist online, cpus, again;
	int err;

	CHECK(!cpulist_parse(&online, "0-3,8191"));
	err = parse_list("--cpus", text, &online, &cpus);
	CHECK(!err || err == -EUSAGE || err == -ENODEV);
	/* an invalid list is never reported as a CPU that does not exist */
	if (err == -ENODEV)
		CHECK(could_be_list(text));
	if (!err) {
		CHECK(could_be_list(text));
		CHECK(!cpulist_is_empty(&cpus) && cpulist_covers(&online, &cpus));
		formatted = cpulist_format(&cpus);
		CHECK(formatted && is_plain_list(formatted));
		CHECK(!parse_list("--cpus", formatted, &online, &again));
		CHECK(!memcmp(&cpus, &again, sizeof(cpus)));
		free(formatted);
	}
	free(text);
	return 0;
}
