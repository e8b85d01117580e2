// SPDX-License-Identifier: GPL-2.0
/* The control group of --cgroup, by all ways to name it. */
#include <sys/stat.h>

#include "machine/cgroup.c"
#include "unit.h"

static char dir[PATH_MAX], mounted[PATH_MAX + 8];

static const char *in(const char *name)
{
	static char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void make_group(const char *name)
{
	char file[PATH_MAX + 64];
	FILE *f;

	assert_int_equal(mkdir(in(name), 0700), 0);
	snprintf(file, sizeof(file), "%s/cgroup.threads", in(name));
	f = fopen(file, "w");
	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
}

/* The mount has groups a and a/b. The other directories are none, though files have their names. */
static int make_tree(void **state)
{
	char path[] = "/tmp/tlob-cgroup-XXXXXX";

	assert_non_null(mkdtemp(path));
	assert_non_null(realpath(path, dir));
	snprintf(mounted, sizeof(mounted), "%s/mnt", dir);
	make_group("mnt");
	make_group("mnt/a");
	make_group("mnt/a/b");
	make_group("mnt2");		/* its name begins with that of the mount */
	assert_int_equal(mkdir(in("mnt/none"), 0700) || mkdir(in("elsewhere"), 0700), 0);
	assert_int_equal(mkdir(in("elsewhere/a"), 0700) || symlink("mnt/a/b", in("link")), 0);
	assert_int_equal(chdir(in("elsewhere")), 0);
	return 0;
}

static int remove_tree(void **state)
{
	static const char * const files[] = {
		"link", "mnt/a/b/cgroup.threads", "mnt/a/cgroup.threads", "mnt/cgroup.threads", "mnt2/cgroup.threads",
	};
	static const char * const dirs[] = { "mnt/a/b", "mnt/a", "mnt/none", "mnt", "mnt2", "elsewhere/a", "elsewhere", "" };
	size_t i;

	assert_int_equal(chdir("/"), 0);
	for (i = 0; i < ARRAY_SIZE(files); i++)
		assert_int_equal(unlink(in(files[i])), 0);
	for (i = 0; i < ARRAY_SIZE(dirs); i++)
		assert_int_equal(rmdir(in(dirs[i])), 0);
	return 0;
}

static void assert_found(const char *path, const char *below)
{
	char *found = NULL;

	assert_int_equal(find_below(mounted, path, &found), 0);
	assert_memory_equal(found, mounted, strlen(mounted));
	assert_string_equal(found + strlen(mounted), below);
	free(found);
}

TEST_WITH(test_ways, make_tree, remove_tree)
{
	static const char * const with[] = { "mnt", "mnt/a/b", "mnt/a/", "link" };
	static const char * const below[] = { "", "/a/b", "/a", "/a/b" };
	size_t i;

	assert_found("a", "/a");	/* also ./a exists */
	assert_found("/a", "/a");
	assert_found("a/b/", "/a/b");
	assert_found("/", "");
	for (i = 0; i < ARRAY_SIZE(with); i++)
		assert_found(in(with[i]), below[i]);
}

TEST_WITH(test_refused, make_tree, remove_tree)
{
	static const char * const paths[] = { "none", "/none", "nowhere", "../mnt2", "../elsewhere/a", ".." };
	char *found = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(paths); i++)
		assert_int_equal(find_below(mounted, paths[i], &found), -ENOENT);
	assert_int_equal(find_below(mounted, in("mnt2"), &found), -ENOENT);
	assert_int_equal(find_below(mounted, in("elsewhere/a"), &found), -ENOENT);
	assert_int_equal(find_below(mounted, "a/cgroup.threads", &found), -ENOTDIR);
	assert_null(found);
}

UNIT_MAIN(NULL, NULL)
