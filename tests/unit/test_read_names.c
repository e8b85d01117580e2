// SPDX-License-Identifier: GPL-2.0
/* The names of results: folders, lists, and files that are there twice. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"
#include "read/names.h"

#define HEAD	((size_t)4096)	/* what is compared first */

static char dir[] = "/tmp/tlob-unit.XXXXXX";

/* @size bytes, all 'x' but the one at @at. */
static void make_file(const char *name, size_t size, size_t at, char byte)
{
	FILE *f = fopen(name, "w");
	size_t i;

	assert_non_null(f);
	for (i = 0; i < size; i++)
		assert_true(fputc(i == at ? byte : 'x', f) != EOF);
	assert_int_equal(fclose(f), 0);
}

static int copies(char *a, char *b)
{
	char *at[] = { "other", a, b };
	const struct names names = { .at = at, .n = ARRAY_SIZE(at) };

	return names_check_copies(&names);
}

/* Two files of a size that differ in one byte: in the head, at its end, behind it, at the end. */
TEST(test_bytes)
{
	static const size_t at[] = { 0, 1, HEAD - 1, HEAD, HEAD + 1, 2 * HEAD - 1 };
	size_t i;

	make_file("other", 7, 0, 'o');
	make_file("a", 2 * HEAD, 0, 'x');
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		make_file("b", 2 * HEAD, at[i], 'y');
		if (copies("a", "b"))
			fail_msg("byte %zu is not compared", at[i]);
	}
	make_file("b", 2 * HEAD, 0, 'x');
	assert_int_equal(copies("a", "b"), -EINVAL);
	/* bytes alone; and the same beginning of another size */
	make_file("b", 2 * HEAD + 1, 0, 'x');
	assert_int_equal(copies("a", "b"), 0);
	make_file("a", 1, 0, 'x');
	make_file("b", 1, 0, 'x');
	assert_int_equal(copies("a", "b"), -EINVAL);
	make_file("b", 1, 0, 'y');
	assert_int_equal(copies("a", "b"), 0);
	/* a hash of the heads may be that of others: their last bit is set in each */
	make_file("a", 1, 0, 'a');
	make_file("b", 1, 0, 'b');
	assert_int_equal(copies("a", "b"), 0);
}

/* A link is the file; empty files, missing ones and pipes are not compared. */
TEST(test_inodes)
{
	make_file("a", 9, 0, 'x');
	assert_int_equal(symlink("a", "link"), 0);
	assert_int_equal(link("a", "hard"), 0);
	assert_int_equal(copies("a", "link"), -EINVAL);
	assert_int_equal(copies("hard", "a"), -EINVAL);
	assert_int_equal(copies("a", "./a"), -EINVAL);
	make_file("empty", 0, 0, 'x');
	make_file("b", 0, 0, 'x');
	assert_int_equal(copies("empty", "b"), 0);
	assert_int_equal(copies("empty", "empty"), -EINVAL);
	assert_int_equal(copies("gone", "gone"), 0);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(copies("pipe", "pipe"), 0);
	assert_int_equal(copies("pipe", "gone"), 0);
}

TEST(test_output)
{
	char *names[] = { "a", "gone", "b" };

	make_file("a", 9, 0, 'x');
	make_file("b", 9, 0, 'x');
	make_file("c", 9, 0, 'x');
	assert_int_equal(names_check_output("c", names, 3), 0);
	assert_int_equal(names_check_output("b", names, 3), -EUSAGE);
	assert_int_equal(names_check_output("b", names, 2), 0);
	assert_int_equal(names_check_output("./a", names, 3), -EUSAGE);
	assert_int_equal(names_check_output("link", names, 3), -EUSAGE);
	assert_int_equal(names_check_output("gone", names, 3), 0);
	assert_int_equal(names_check_output("-", names, 3), 0);
	make_file("-", 9, 0, 'x');
	names[1] = "-";
	assert_int_equal(names_check_output("-", names, 3), 0);
	assert_int_equal(names_check_output(NULL, names, 3), 0);
	/* what is no file is written to, and nothing is lost */
	names[0] = "pipe";
	assert_int_equal(names_check_output("pipe", names, 3), 0);
	names[0] = dir;
	assert_int_equal(names_check_output(dir, names, 3), 0);
}

/* Returns the names with a blank behind each, or the error. */
static const char *found(char **operands, const char *list)
{
	static char text[2000];
	struct names names;
	int err = names_find(&names, operands, list);
	size_t i, n = 0;

	for (i = 0, *text = 0; i < names.n && !err; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s ", names.at[i]);
	names_free(&names);
	if (err)
		snprintf(text, sizeof(text), "%d", err);
	return text;
}

TEST(test_find)
{
	static const char *const file[] = {
		"folder/b.json", "folder/a.json.gz", "folder/c.txt", "folder/.d.json", "folder/.json",
		"folder/json", "folder/e.json.gz.bak", "folder/.json.gz", "folder/a.json", "folder/xjson", "folder/B.json",
	};
	FILE *f;
	size_t i;

	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(mkdir("none", 0700), 0);
	for (i = 0; i < ARRAY_SIZE(file); i++)
		make_file(file[i], 1, 0, 'x');
	/* in the order of their bytes, whatever the locale */
	assert_string_equal(found((char *[]){ "z", "folder", "gone", NULL }, NULL),
			    "z folder/B.json folder/a.json folder/a.json.gz folder/b.json gone ");
	assert_string_equal(found((char *[]){ "none", NULL }, NULL), "-2");
	f = fopen("list", "w");
	assert_non_null(f);
	fputs("\none\n\n two \nfolder\nlast", f);
	fclose(f);
	/* a list names files, each as it is */
	assert_string_equal(found((char *[]){ "first", NULL }, "list"), "first one  two  folder last ");
	assert_string_equal(found((char *[]){ NULL }, "list"), "one  two  folder last ");
	assert_string_equal(found((char *[]){ NULL }, "nowhere"), "-2");
	assert_string_equal(found((char *[]){ NULL }, "/dev/null"), "-4096");
	assert_string_equal(found((char *[]){ "none", NULL }, "list"), "-2");
}

/* Room is made for more names than there is room at first. */
TEST(test_many)
{
	char *operands[201];
	struct names names;
	size_t i;

	for (i = 0; i < 200; i++)
		operands[i] = (char *[]){ "p", "q", "r" }[i % 3];
	operands[200] = NULL;
	assert_int_equal(names_find(&names, operands, NULL), 0);
	assert_int_equal(names.n, 200);
	for (i = 0; i < 200; i++)
		assert_ptr_equal(names.at[i], operands[i]);
	names_free(&names);
}

static int set_up(void **state)
{
	return !mkdtemp(dir) || chdir(dir);
}

static int tear_down(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return chdir("/") || system(command) ? -1 : 0; // NOLINT(cert-env33-c): a fixed command
}

UNIT_MAIN(set_up, tear_down)
