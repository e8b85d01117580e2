// SPDX-License-Identifier: GPL-2.0
/* The grammar of `work`, which is the same in the kernel and in the tool. */
#include "unit.h"
#include "workspec.h"

TEST(test_accepted)
{
	static const struct {
		const char *text;
		struct tlob_work work;
	} t[] = {
		{ "none", { TLOB_KIND_NONE, -1, 0, 0 } },
		{ "spin:100us", { TLOB_KIND_SPIN, -1, 100000, 0 } },
		{ "spin:7", { TLOB_KIND_SPIN, -1, 7, 0 } },
		{ "spin:1ns", { TLOB_KIND_SPIN, -1, 1, 0 } },
		{ "spin:3600s", { TLOB_KIND_SPIN, -1, 3600000000000ULL, 0 } },
		{ "elapsed:2ms", { TLOB_KIND_ELAPSED, -1, 2000000, 0 } },
		{ "loops:1", { TLOB_KIND_LOOPS, -1, 1, 0 } },
		{ "loops:1000000000000", { TLOB_KIND_LOOPS, -1, 1000000000000ULL, 0 } },
		{ "mem:chase,ws=1M", { TLOB_KIND_CHASE, -1, 16384, 1 << 20 } },
		{ "mem:chase,ws=4096", { TLOB_KIND_CHASE, -1, 64, 4096 } },
		{ "mem:chase,ws=4097", { TLOB_KIND_CHASE, -1, 65, 4160 } },
		{ "mem:chase,n=5,ws=4K", { TLOB_KIND_CHASE, -1, 5, 4096 } },
		{ "mem:chase,node=0,ws=4K", { TLOB_KIND_CHASE, 0, 64, 4096 } },
		{ "mem:stream,ws=1G", { TLOB_KIND_STREAM, -1, 1, 1 << 30 } },
		{ "mem:stream,ws=8K,n=3,node=1023", { TLOB_KIND_STREAM, 1023, 3, 8192 } },
		{ "fpu:1000", { TLOB_KIND_FPU, -1, 1000, 0 } },
		{ "syscall:1", { TLOB_KIND_SYSCALL, -1, 1, 0 } },
		{ "sleep:50us", { TLOB_KIND_SLEEP, -1, 50000, 0 } },
		{ "@phases.json", { TLOB_KIND_PHASES, -1, 1, 0 } },
	};
	struct tlob_work w;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		memset(&w, 0xff, sizeof(w));
		if (tlob_parse_work(t[i].text, &w))
			fail_msg("%s is refused", t[i].text);
		assert_int_equal(w.type, t[i].work.type);
		assert_int_equal(w.node, t[i].work.node);
		assert_int_equal(w.amount, t[i].work.amount);
		assert_int_equal(w.ws, t[i].work.ws);
	}
}

TEST(test_refused)
{
	static const struct {
		const char *text;
		int err;
	} t[] = {
		{ "", -EINVAL }, { " none", -EINVAL }, { "none ", -EINVAL },
		{ "nonesuch", -EINVAL }, { "None", -EINVAL },
		{ "@", -EINVAL }, { "fpu", -EINVAL }, { "fpu:1us", -EINVAL }, { "syscall:0", -ERANGE },
		{ "sleep:2h", -ERANGE }, { "spin", -EINVAL }, { "spin:", -EINVAL },
		{ "spin:us", -EINVAL }, { "spin:-1us", -EINVAL },
		{ "spin:+1us", -EINVAL }, { "spin: 1us", -EINVAL },
		{ "spin:1us ", -EINVAL }, { "spin:1us\n", -EINVAL },
		{ "spin:1.5ns", -EINVAL }, { "spin:1.", -EINVAL }, { "spin:0x10", -EINVAL },
		{ "spin:1.05ns", -EINVAL }, { "spin:1000.05", -EINVAL },
		{ "spin:1.00005us", -EINVAL }, { "spin:1.00000000001s", -EINVAL },
		{ "spin:1M", -EINVAL }, { "spin:2h", -ERANGE }, { "spin:1us,", -EINVAL },
		{ "spin:0", -ERANGE }, { "spin:0us", -ERANGE },
		{ "spin:3601s", -ERANGE }, { "spin:3600000000001", -ERANGE },
		{ "elapsed:0", -ERANGE }, { "elapsed:3601s", -ERANGE },
		/* 2^64 and 2^64 / 10^9 + 1 must not wrap */
		{ "spin:18446744073709551616", -ERANGE },
		{ "spin:18446744074s", -ERANGE },
		{ "spin:99999999999999999999999999", -ERANGE },
		{ "loops:", -EINVAL }, { "loops:1us", -EINVAL },
		{ "loops:0", -ERANGE }, { "loops:1000000000001", -ERANGE },
		{ "mem:", -EINVAL }, { "mem:chase", -EINVAL },
		{ "mem:chase,", -EINVAL }, { "mem:chase,n=5", -EINVAL },
		{ "mem:walk,ws=4K", -EINVAL }, { "mem:chasews=4K", -EINVAL },
		{ "mem:chase,ws=", -EINVAL }, { "mem:chase,ws=4096k", -EINVAL },
		{ "mem:chase,ws=4KB", -EINVAL }, { "mem:chase,ws=4K,", -EINVAL },
		{ "mem:chase,ws=4K,ws=4K", -EINVAL },
		{ "mem:chase,ws=4K,n=1,n=2", -EINVAL },
		{ "mem:chase,ws=4K,node=0,node=0", -EINVAL },
		{ "mem:chase,ws=4K,node=-1", -EINVAL },
		{ "mem:chase,ws=4095", -ERANGE }, { "mem:chase,ws=2G", -ERANGE },
		{ "mem:chase,ws=0", -ERANGE },
		{ "mem:chase,ws=17179869185G", -ERANGE },
		{ "mem:chase,ws=4K,n=0", -ERANGE },
		{ "mem:chase,ws=4K,n=1000000000001", -ERANGE },
		{ "mem:chase,ws=4K,node=1024", -ERANGE },
		{ "mem:chase,ws=4K,node=4294967296", -ERANGE },
	};
	struct tlob_work w, before;
	size_t i;
	int err;

	memset(&before, 0x5a, sizeof(before));
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		w = before;
		err = tlob_parse_work(t[i].text, &w);
		if (err != t[i].err)
			fail_msg("'%s': %d, not %d", t[i].text, err, t[i].err);
		assert_memory_equal(&w, &before, sizeof(w));
	}
}

TEST(test_duration)
{
	const char *s = "12us,rest", *start;
	__u64 ns = 1;

	assert_int_equal(tlob_parse_duration(&s, &ns), 0);
	assert_int_equal(ns, 12000);
	assert_string_equal(s, ",rest");
	s = "18446744073709551615ns";
	assert_int_equal(tlob_parse_duration(&s, &ns), 0);
	assert_true(ns == UINT64_MAX);
	s = start = "18446744073709551616ns";
	assert_int_equal(tlob_parse_duration(&s, &ns), -ERANGE);
	assert_ptr_equal(s, start);
	s = start = "us";
	assert_int_equal(tlob_parse_duration(&s, &ns), -EINVAL);
	assert_ptr_equal(s, start);
	s = "1.25us/2";
	assert_int_equal(tlob_parse_duration(&s, &ns), 0);
	assert_int_equal(ns, 1250);
	assert_string_equal(s, "/2");
	s = start = "0.5";
	assert_int_equal(tlob_parse_duration(&s, &ns), -EINVAL);
	assert_ptr_equal(s, start);
}

TEST(test_kinds)
{
	static const struct {
		const char *text;
		bool fixed, memory;
	} t[] = {
		{ "none", false, false }, { "spin:1us", false, false },
		{ "elapsed:1us", false, false }, { "loops:1", true, false },
		{ "mem:chase,ws=4K", true, true },
		{ "mem:stream,ws=4K", true, true },
	};
	struct tlob_work w;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		assert_int_equal(tlob_parse_work(t[i].text, &w), 0);
		assert_int_equal(!!tlob_work_is_fixed(&w), t[i].fixed);
		assert_int_equal(!!tlob_work_needs_memory(&w), t[i].memory);
	}
}

/* A name must not be the beginning of a later one: it would be taken for it. */
TEST(test_names)
{
	unsigned int i, k;

	for (i = 0; i < TLOB_NR_WORK; i++) {
		const char *name = tlob_work_kinds[i].name;

		assert_non_null(name);
		assert_memory_equal(tlob_work_kinds[i].form, name, strlen(name));
		for (k = i + 1; k < TLOB_NR_WORK; k++)
			if (!strncmp(tlob_work_kinds[k].name, name, strlen(name)))
				fail_msg("%s begins like %s",
					 tlob_work_kinds[k].name, name);
	}
}

UNIT_MAIN(NULL, NULL)
