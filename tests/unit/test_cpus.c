// SPDX-License-Identifier: GPL-2.0
/* CPU lists, on a machine with any CPUs: only CPU 0 is certain. */
#include <errno.h>
#include <unistd.h>

#include "unit.h"
#include "machine/cpus.h"
#include "util/error.h"

static int choose(const char *list)
{
	struct cpus c = { 0 };
	int err;

	alarm(10);		/* a call that takes longer hangs */
	err = cpus_choose(&c, list, "0");
	alarm(0);
	cpus_free(&c);
	return err;
}

static void test_lists(void **state)
{
	static const struct {
		const char *list;
		int err;
	} t[] = {
		{ "0", 0 }, { "0-0", 0 }, { "0,0", 0 }, { "all", 0 },
		{ "", -EUSAGE }, { "x", -EUSAGE }, { "0,", -EUSAGE },
		{ "0-", -EUSAGE }, { "0 ", -EUSAGE }, { "0x0", -EUSAGE },
		{ "-1", -EUSAGE }, { "0,all", -EUSAGE }, { "0,!0", -EUSAGE },
		{ "99999999", -ENODEV }, { "0-99999999", -ENODEV },
		/* libnuma would count through the range for days */
		{ "1-100000000000000", -ENODEV },
		{ "0,1-0100000000000000", -ENODEV },
		{ "!1-100000000000000", -ENODEV },
		{ "18446744073709551616", -ENODEV },
		{ "0-18446744073709551616", -ENODEV },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		int err = choose(t[i].list);

		if (err != t[i].err)
			fail_msg("'%s': %d, not %d", t[i].list, err, t[i].err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
