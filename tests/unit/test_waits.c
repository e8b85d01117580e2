// SPDX-License-Identifier: GPL-2.0
/* `tlob-load waits`: options, kernel symbols, and stacks whose frames are the same. */
#include "unit.h"

#include <errno.h>
#include <unistd.h>

#include "cmd/waits_options.h"
#include "waits/kallsyms.h"
#include "waits/render.h"

static int parse(struct waits_config *o, char *err, ...)
{
	char *argv[16] = { (char *)"waits" };
	int argc = 1;
	va_list ap;

	va_start(ap, err);
	while ((argv[argc] = va_arg(ap, char *)))
		argc++;
	va_end(ap);
	return waits_options_parse(o, argc, argv, err, 512);
}

static void test_options(void **state)
{
	struct waits_config o;
	char err[512] = "";

	assert_int_equal(parse(&o, err, (char *)NULL), 0);
	assert_int_equal(o.threshold_ns, 50000);
	assert_int_equal(o.rows, 20);
	assert_null(o.command);
	assert_string_equal(o.backend, "auto");
	assert_int_equal(parse(&o, err, "--backend", "bpf", (char *)NULL), 0);
	assert_string_equal(o.backend, "bpf");
	assert_int_equal(parse(&o, err, "--backend", "posix", (char *)NULL), -EINVAL);
	assert_non_null(strstr(err, "auto, tlob or bpf"));
	assert_int_equal(parse(&o, err, "-d", "2s", "--threshold", "10us", "--pid", "1,22", (char *)NULL), 0);
	assert_int_equal(o.duration_ns, 2000000000);
	assert_int_equal(o.threshold_ns, 10000);
	assert_string_equal(o.pids, "1,22");
	assert_int_equal(parse(&o, err, "--cgroup", "/sys/fs/cgroup/a/b", "--kernel", (char *)NULL), 0);
	assert_string_equal(o.cgroup, "/a/b");
	assert_int_equal(o.side, PROFILE_KERNEL);
	/* what follows COMMAND is its own */
	assert_int_equal(parse(&o, err, "-n", "3", "sleep", "-d", (char *)NULL), 0);
	assert_int_equal(o.rows, 3);
	assert_string_equal(o.command[0], "sleep");
	assert_string_equal(o.command[1], "-d");
	assert_null(o.command[2]);
}

static void test_refused(void **state)
{
	struct waits_config o;
	char err[512] = "";

	assert_int_equal(parse(&o, err, "--pid", "0", (char *)NULL), -EINVAL);
	assert_contains(err, "--pid '0'");
	assert_int_equal(parse(&o, err, "--pid", "1,x", (char *)NULL), -EINVAL);
	assert_int_equal(parse(&o, err, "--cgroup", "a", (char *)NULL), -EINVAL);
	assert_int_equal(parse(&o, err, "--threshold", "500ns", (char *)NULL), -EINVAL);
	assert_int_equal(parse(&o, err, "--kernel", "--user", (char *)NULL), -EINVAL);
	assert_contains(err, "exclude each other");
	assert_int_equal(parse(&o, err, "--pid", "1", "sleep", "1", (char *)NULL), -EINVAL);
	assert_contains(err, "more than one of");
	assert_int_equal(parse(&o, err, "--in-windows", "--cgroup", "/a", (char *)NULL), -EINVAL);
	assert_int_equal(parse(&o, err, "--json", "-", "--folded", "-", (char *)NULL), -EINVAL);
	assert_int_equal(parse(&o, err, "-n", "0", (char *)NULL), -EINVAL);
	assert_int_equal(parse(&o, err, "--follow=1", (char *)NULL), -EINVAL);
}

static void test_kallsyms(void **state)
{
	char path[] = "/tmp/test_waits.XXXXXX";
	int fd = mkstemp(path);
	struct kallsyms k;

	assert_true(fd >= 0);
	dprintf(fd, "ffffffff81000200 T second\nffffffff81000000 t first\nffffffff81000100 d data\n"
		"ffffffffc0000000 t third\t[module]\n0000000000000000 T hidden\nnonsense\n");
	close(fd);
	assert_int_equal(kallsyms_read(&k, path), 0);
	unlink(path);
	assert_int_equal(k.n, 3);
	assert_null(kallsyms_name(&k, 0xffffffff80ffffffULL));
	assert_string_equal(kallsyms_name(&k, 0xffffffff81000000ULL), "first");
	assert_string_equal(kallsyms_name(&k, 0xffffffff810001ffULL), "first");
	assert_string_equal(kallsyms_name(&k, 0xffffffff81000200ULL), "second");
	assert_string_equal(kallsyms_name(&k, 0xffffffffc0000001ULL), "third");
	kallsyms_free(&k);
}

static struct tlob_wait_stack stack(uint64_t id, uint64_t task, uint64_t kernel, uint64_t ns)
{
	return (struct tlob_wait_stack) {
		.id = id, .task = task, .nr_kernel = 1, .nr_code = 1,
		.kernel = { kernel }, .code = { 0x1234 },
		.blocked = { .count = 1, .total_ns = ns, .max_ns = ns },
		.waker = { .kind = TLOB_WAKER_TASK, .tid = (uint32_t)id, .comm = "waker" },
	};
}

/* Two traces of the same function are one stack; the longest wait tells the waker. */
static void test_profile(void **state)
{
	static struct kernel_symbol symbols[] = {
		{ 0x1000, "schedule" }, { 0x2000, "pipe_read" }, { 0x3000, "do_wait" },
	};
	struct tlob_wait_task tasks[] = {
		{ .id = 9, .tid = 90, .comm = "a;b",
		  .blocked = { .count = 3, .total_ns = 12000000, .max_ns = 7000000 } },
		{ .id = 5, .tid = 50, .comm = "never" },
	};
	struct tlob_wait_stack stacks[] = {
		stack(1, 9, 0x2010, 3000000), stack(2, 9, 0x3010, 2000000),
		stack(3, 9, 0x2020, 7000000),
	};
	struct wait_records r = {
		.status = { .threshold_ns = 50000, .evicted = 4 },
		.task = tasks, .ntask = 2, .stack = stacks, .nstack = 3,
	};
	struct wait_profile p = { .kallsyms = { .symbol = symbols, .n = 3 } };
	char *text = NULL;
	size_t size;
	FILE *f;

	p.unwind = unwind_new();
	assert_non_null(p.unwind);
	assert_int_equal(wait_profile_fill(&p, &r, PROFILE_BOTH), 0);
	assert_int_equal(p.nrow, 2);
	assert_int_equal(p.row[0].npath, 2);
	assert_int_equal(p.row[0].path[0].blocked.total_ns, 10000000);
	assert_int_equal(p.row[0].path[0].blocked.count, 2);
	assert_int_equal(p.row[0].path[0].waker.tid, 3);
	assert_int_equal(p.row[0].path[0].nkernel, 1);
	assert_string_equal(p.row[0].path[0].frame[0]->name, "pipe_read");
	assert_string_equal(p.row[0].path[0].frame[1]->name, "0x1234");
	assert_string_equal(p.row[0].path[1].frame[0]->name, "do_wait");

	f = open_memstream(&text, &size);
	assert_int_equal(waits_folded(f, &p), 0);
	fclose(f);
	assert_string_equal(text, "a:b;0x1234;pipe_read 10000\na:b;0x1234;do_wait 2000\n");
	free(text);

	f = open_memstream(&text, &size);
	assert_int_equal(waits_text(f, &p, 20), 0);
	fclose(f);
	assert_contains(text, "a;b/90                     12ms        3      7ms");
	assert_contains(text, "waker/3\n    pipe_read < 0x1234 < (not read)\n");
	assert_contains(text, "4 exited tasks gave way");
	assert_lacks(text, "never");
	free(text);

	/* one side only: all traces of the program are one */
	assert_int_equal(wait_profile_fill(&p, &r, PROFILE_USER), 0);
	assert_int_equal(p.row[0].npath, 1);
	assert_int_equal(p.row[0].path[0].blocked.count, 3);
	p.kallsyms.symbol = NULL;
	wait_profile_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_kallsyms),
		cmocka_unit_test(test_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
