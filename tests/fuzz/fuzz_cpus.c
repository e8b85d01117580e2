// SPDX-License-Identifier: GPL-2.0
/* CPU lists: libnuma parses them, and cpus.c tells an invalid list from a missing CPU. */
#include <numa.h>

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

/* Digits, and numactl(8)'s other forms: all, same, a leading ! or +. */
static bool could_be_list(const char *s)
{
	return s[strspn(s, "0123456789,-!+alsme")] == '\0';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct bitmask *possible;
	struct bitmask *mask = NULL, *again = NULL;
	const struct bitmask *online;
	char *text = fuzz_text(data, size), *formatted;
	int err;

	if (!possible)
		possible = numa_parse_cpustring_all("all");
	online = possible;
	CHECK(online);
	err = parse_list("--cpus", text, online, &mask);
	CHECK(!err || err == -EUSAGE || err == -ENODEV);
	/* an invalid list is never reported as a CPU that does not exist */
	if (err == -ENODEV)
		CHECK(could_be_list(text));
	if (!err) {
		CHECK(could_be_list(text));
		CHECK(numa_bitmask_weight(mask) > 0);
		formatted = cpus_format(mask);
		CHECK(formatted && is_plain_list(formatted));
		CHECK(!parse_list("--cpus", formatted, online, &again));
		CHECK(numa_bitmask_equal(mask, again));
		free(formatted);
	}
	if (mask)
		numa_bitmask_free(mask);
	if (again)
		numa_bitmask_free(again);
	free(text);
	return 0;
}
