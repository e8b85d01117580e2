// SPDX-License-Identifier: GPL-2.0
/* attach by BPF: the programs know a name from others as fnmatch() does. */
#if __has_include(<bpf/bpf.h>)
#include "attach/watch_bpf_born.c"
#include "result/attached.h"
#include "unit.h"

struct bpf_program *bpf_object__find_program_by_name(const struct bpf_object *object, const char *name)
{
	return NULL;
}

int bpf_program__set_autoload(struct bpf_program *program, bool autoload)
{
	return 0;
}

struct bpf_map *bpf_object__find_map_by_name(const struct bpf_object *object, const char *name)
{
	return NULL;
}

int bpf_object__find_map_fd_by_name(const struct bpf_object *object, const char *name)
{
	return -1;
}

int bpf_map__set_autocreate(struct bpf_map *map, bool autocreate)
{
	return 0;
}

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	return 0;
}

static struct watch_chosen chosen;

int bpf_set_value(const struct bpf_object *object, const char *name, const void *value, size_t size)
{
	chosen = *(const struct watch_chosen *)value;
	return 0;
}

static const char * const globs[] = {
	"", "*", "job", "job*", "*job", "j*b", "j?b", "?*", "**", "*o*b*", "[h-k]ob", "[!h-k]ob", "[^j]ob",
	"[]j]ob", "[!]j]ob", "[[:alpha:]]ob", "[j", "job[", "\\*ob", "j\\ob", "job\\", "\\[job", "data-loop.*",
	"exactly-fifteen", "exactly-fifteen*", "more than fifteen", "*more than fifteen", "\xff*", "a/b", ".a", "*[0-9]",
};

static const char * const names[] = {
	"", "job", "jo", "jobs", "xjob", "jxb", "jb", "*ob", "[j", "job[", "[job", "]ob", "job\\", "data-loop.0",
	"exactly-fifteen", "exactly-fiftee", "\xff\xfe", "a/b", ".a", "kworker/u8:3", "jooooooooooooob",
};

static bool matches(const struct watch_chosen *c, const char *name)
{
	unsigned int at = 1;

	for (; *name; name++)
		at = WATCH_NAME_STEP(*c, at, (unsigned char)*name);
	return at >> c->end & 1;
}

TEST(test_names)
{
	static const struct watch_bpf_run run;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(globs); i++) {
		assert_int_equal(watch_bpf_born_choose(&run, &(const struct attach_config){ .comm = globs[i] }), 0);
		for (k = 0; k < ARRAY_SIZE(names); k++)
			if ((chosen.on && matches(&chosen, names[k])) != !fnmatch(globs[i], names[k], 0))
				fail_msg("'%s' '%s'", globs[i], names[k]);
	}
}

/* One thread that was named is no choice, and a region takes its threads at its start. */
TEST(test_chosen)
{
	struct watch_bpf_run run = { .region = NULL };
	static const struct attached region;

	assert_int_equal(watch_bpf_born_choose(&run, &(const struct attach_config){ .pid = 7, .rt = true }), 0);
	assert_true(chosen.on && chosen.rt && !chosen.by_name && !chosen.by_cgroup && chosen.tgid == 7);
	assert_int_equal(watch_bpf_born_choose(&run, &(const struct attach_config){ .tid = 7 }), 0);
	assert_false(chosen.on);
	run.region = &region;
	assert_int_equal(watch_bpf_born_choose(&run, &(const struct attach_config){ .pid = 7 }), 0);
	assert_false(chosen.on);
}

#else
#include "unit.h"
#endif

UNIT_MAIN(NULL, NULL)
