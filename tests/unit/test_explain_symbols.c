// SPDX-License-Identifier: GPL-2.0
/* Where an explanation has its names from: a guest, a System.map and a program. */
#include <errno.h>
#include <stdlib.h>

#include "unit.h"
#include "code/ksyms.h"
#include "explain/symbols.h"
#include "explain/unwind.h"

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* --symbols: the kernel's from a file, the modules' from the guest. */
static void test_symbols_of_two(void **state)
{
	static const char guest[] = "ffffffff81000000 T schedule\nffffffffc0000000 t probe\t[mine]\n";
	char map[] = "/tmp/tlob-map.XXXXXX", saved[] = "/tmp/tlob-saved.XXXXXX", *text;
	struct ksyms k;

	assert_true(mkstemp(map) >= 0);
	assert_true(mkstemp(saved) >= 0);
	/* without a newline at the end, as an editor may leave it */
	write_file(map, "ffffffff81000000 T schedule\nffffffff81000100 t inner");
	write_file(saved, guest);
	assert_int_equal(symbols_read(saved, map, NULL, &text), 0);
	assert_int_equal(ksyms_parse(&k, text), 0);
	assert_string_equal(ksyms_at(&k, 0xffffffff81000104)->name, "inner");
	assert_string_equal(ksyms_at(&k, 0xffffffffc0000004)->module, "mine");
	ksyms_free(&k);
	free(text);
	/* a guest without kallsyms */
	write_file(saved, "");
	assert_int_equal(symbols_read(saved, map, NULL, &text), 0);
	assert_contains(text, "inner");
	free(text);
	/* of another kernel */
	write_file(saved, guest);
	write_file(map, "ffffffff81000010 T schedule\n");
	text = NULL;
	assert_int_equal(symbols_read(saved, map, NULL, &text), -EINVAL);
	assert_null(text);
	/* what Debian has in /boot */
	write_file(map, "ffffffffffffffff B The real System.map is in the linux-image-dbg package\n");
	assert_int_equal(symbols_read(saved, map, NULL, &text), -EINVAL);
	assert_int_equal(remove(map), 0);
	assert_int_equal(symbols_read(saved, map, NULL, &text), -ENOENT);
	assert_int_equal(remove(saved), 0);
}

/* The functions of a program: this one, where a guest would load it. */
#ifdef __aarch64__
#define PROGRAMS	0xaaaa		/* upper half of where they begin */
#define A_LIBRARY	0xfffff7dd0000
#else
#define PROGRAMS	0x5555
#define A_LIBRARY	0x7ffff7dd0000
#endif

static void test_symbols_of_a_program(void **state)
{
	char saved[] = "/tmp/tlob-saved.XXXXXX", *text = NULL;
	const struct ksym *s;
	struct ksyms k;

	assert_true(mkstemp(saved) >= 0);
	write_file(saved, "ffffffff81000000 T schedule\n");
	assert_int_equal(symbols_read(saved, NULL, "/proc/self/exe", &text), 0);
	assert_int_equal(ksyms_parse(&k, text), 0);
	s = ksyms_named(&k, "ksyms_parse");
	assert_non_null(s);
	assert_string_equal(s->module, "exe");
	assert_int_equal(s->address >> 32, PROGRAMS);
	assert_string_equal(ksyms_at(&k, s->address + 1)->name, "ksyms_parse");
	/* a library, and below the program */
	assert_string_equal(ksyms_at(&k, A_LIBRARY)->name, "[user]");
	assert_null(ksyms_at(&k, 0x1000));
	assert_string_equal(ksyms_at(&k, 0xffffffff81000004)->name, "schedule");
	ksyms_free(&k);
	free(text);
	text = NULL;
	/* not a program */
	assert_int_equal(symbols_read(saved, NULL, saved, &text), -EINVAL);
	assert_null(text);
	assert_int_equal(remove(saved), 0);
}

/* A program below, the kernel above, and neither takes what the other lacks. */
static void test_places(void **state)
{
	char text[] = "555555554100 t work\t[prog]\n555555556000 t [user]\nffffffff81000000 T schedule\n";
	struct segment segment[] = {
		{ .start = 0x1000 }, { .start = 0x555555554100 }, { .start = 0x555555554108 },
		{ .start = 0x7ffff7dd0000 }, { .start = 0xffffffff80000000 }, { .start = 0xffffffff81000000 },
	};
	static const char * const wanted[] = { "[user]", "work", "work", "[user]", "[unknown]", "schedule" };
	const struct profile p = { .segment = segment, .segments = ARRAY_SIZE(segment) };
	struct place *place;
	struct ksyms k;
	size_t i;

	assert_int_equal(ksyms_parse(&k, text), 0);
	place = places_of(&p, &k);
	assert_non_null(place);
	for (i = 0; i < ARRAY_SIZE(segment); i++)
		assert_string_equal(place[i].function->name, wanted[i]);
	assert_true(place[1].start);
	assert_false(place[2].start);
	free(place);
	ksyms_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols_of_two),
		cmocka_unit_test(test_symbols_of_a_program),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
