// SPDX-License-Identifier: GPL-2.0
/* `tlob-load waits`: options, kernel symbols, and stacks whose frames are the same. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <json.h>
#include <pty.h>
#include <unistd.h>

#include "terminal.h"
#include "sample.h"
#include "options/option_value.h"
#include "read/waits.h"
#include "report/waits_render.h"
#include "util/ksyms.h"
#include "waits/config.h"
#include "waits/fold.h"
#include "waits/profile_render.h"

static int parse(struct waits_config *o, char *err, ...)
{
	char *argv[16] = { (char *)"waits" };
	int argc = 1;
	va_list ap;

	va_start(ap, err);
	while ((argv[argc] = va_arg(ap, char *)))
		argc++;
	va_end(ap);
	return options_parse(&manual_waits, o, argc, argv, err, 512);
}

TEST(test_options)
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
	assert_int_equal(o.chain, WAITS_CHAIN_ON);
	assert_int_equal(parse(&o, err, "--chain", "off", (char *)NULL), 0);
	assert_int_equal(o.chain, WAITS_CHAIN_OFF);
	assert_int_equal(parse(&o, err, "--critical", "22", (char *)NULL), 0);
	assert_string_equal(o.critical, "22");
	assert_int_equal(parse(&o, err, "--cgroup", "/sys/fs/cgroup/a/b", "--kernel", (char *)NULL), 0);
	assert_string_equal(o.cgroup, "/sys/fs/cgroup/a/b");
	assert_int_equal(o.side, PROFILE_KERNEL);
	assert_int_equal(parse(&o, err, "--html", "waits.html", "--json", "-", (char *)NULL), 0);
	assert_string_equal(o.html, "waits.html");
	/* what follows COMMAND is its own */
	assert_int_equal(parse(&o, err, "-n", "3", "sleep", "-d", (char *)NULL), 0);
	assert_int_equal(o.rows, 3);
	assert_string_equal(o.command[0], "sleep");
	assert_string_equal(o.command[1], "-d");
	assert_null(o.command[2]);
}

TEST(test_refused)
{
	struct waits_config o;
	char err[512] = "";

	assert_int_equal(parse(&o, err, "--pid", "0", (char *)NULL), -EINVAL);
	assert_contains(err, "--pid '0'");
	assert_int_equal(parse(&o, err, "--pid", "1,x", (char *)NULL), -EINVAL);
	assert_int_equal(parse(&o, err, "--threshold", "500ns", (char *)NULL), -EINVAL);
	assert_int_equal(parse(&o, err, "--kernel", "--user", (char *)NULL), -EINVAL);
	assert_contains(err, "exclude each other");
	assert_int_equal(parse(&o, err, "--pid", "1", "sleep", "1", (char *)NULL), -EINVAL);
	assert_contains(err, "more than one of");
	assert_int_equal(parse(&o, err, "--in-windows", "--cgroup", "/a", (char *)NULL), -EINVAL);
	assert_int_equal(parse(&o, err, "--critical", "1,2", (char *)NULL), -EINVAL);
	assert_contains(err, "the number of one process or thread");
	assert_int_equal(parse(&o, err, "--critical", "1", "--pid", "1", (char *)NULL), -EINVAL);
	assert_contains(err, "more than one of");
	assert_int_equal(parse(&o, err, "--critical", "1", "--chain", "off", (char *)NULL), -EINVAL);
	assert_contains(err, "leave --chain off out");
	assert_int_equal(parse(&o, err, "--json", "-", "--folded", "-", (char *)NULL), -EINVAL);
	assert_int_equal(parse(&o, err, "--html", "-", "--folded", "-", (char *)NULL), -EINVAL);
	assert_contains(err, "give only one of them -");
	assert_int_equal(parse(&o, err, "-n", "0", (char *)NULL), -EINVAL);
	assert_int_equal(parse(&o, err, "--follow=1", (char *)NULL), -EINVAL);
}

TEST(test_kallsyms)
{
	char path[] = "/tmp/test_waits.XXXXXX";
	int fd = mkstemp(path);
	struct ksyms k;

	assert_true(fd >= 0);
	dprintf(fd, "ffffffff81000200 T second\nffffffff81000000 t first\nffffffff81000100 d data\n"
		"ffffffffc0000000 t third\t[module]\nffffffff81000300 T _etext\n0000000000000000 T hidden\nnonsense\n");
	close(fd);
	assert_int_equal(ksyms_load(&k, path), 0);
	unlink(path);
	assert_int_equal(k.n, 4);
	assert_null(ksyms_at(&k, 0xffffffff80ffffffULL));
	assert_string_equal(ksyms_at(&k, 0xffffffff81000000ULL)->name, "first");
	assert_string_equal(ksyms_at(&k, 0xffffffff810001ffULL)->name, "first");
	assert_string_equal(ksyms_at(&k, 0xffffffff81000200ULL)->name, "second");
	assert_null(ksyms_at(&k, 0xffffffff81000300ULL));
	assert_null(ksyms_at(&k, 0xffffffffbfffffffULL));
	assert_string_equal(ksyms_at(&k, 0xffffffffc0000001ULL)->name, "third");
	ksyms_free(&k);
}

static void assert_begins(const char *text, const char *start)
{
	if (strncmp(text, start, strlen(start)))
		fail_msg("'%s' does not begin:\n%s", start, text);
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

/* Two traces of the same function are one stack; the longest wait has the waker. */
TEST(test_profile)
{
	static struct ksym symbols[] = {
		{ .address = 0x1000, .name = "schedule" },
		{ .address = 0x2000, .name = "pipe_read" },
		{ .address = 0x3000, .name = "do_wait" },
	};
	struct tlob_wait_task tasks[] = {
		{ .id = 9, .tid = 90, .comm = "a;b",
		  .blocked = { .count = 5, .total_ns = 15000000, .max_ns = 7000000 } },
		{ .id = 5, .tid = 50, .comm = "never" },
	};
	struct tlob_wait_stack stacks[] = {
		stack(1, 9, 0x2010, 3000000), stack(2, 9, 0x3010, 2000000),
		stack(3, 9, 0x2020, 7000000),
	};
	struct wait_records r = {
		.status = { .threshold_ns = 50000, .evicted = 4, .lost_stacks = 2 },
		.task = tasks, .ntask = 2, .stack = stacks, .nstack = 3,
	};
	struct wait_profile p = { .kernel = { .sym = symbols, .n = 3 } };
	char *text = NULL;
	size_t size;
	FILE *f;

	p.unwind = unwind_new(UNWIND_DWARF);
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
	assert_int_equal(waits_text(f, &p, &(struct waits_view){ .rows = 20 }), 0);
	fclose(f);
	assert_contains(text, "a;b/90                     15ms        5      7ms");
	assert_begins(text, "5 waits of 1 task; longest 7 ms: a;b/90 in pipe_read, woken by waker/3; but\n"
		      "  100 % of the time has no callers\n\ntask ");
	assert_contains(text, "waker/3\n    pipe_read < 0x1234 < (not read)\n");
	assert_contains(text, "\n2 waits, at most 20 % of the time, are in no stack:\n    give a higher");
	assert_contains(text, "\n100 % of the time has no callers (not read)");
	assert_contains(text, "4 exited tasks gave way");
	assert_contains(text, "larger wait_tasks");
	assert_lacks(text, "never");
	free(text);

	/* one side only: all traces of the program are one */
	assert_int_equal(wait_profile_fill(&p, &r, PROFILE_USER), 0);
	assert_int_equal(p.row[0].npath, 1);
	assert_int_equal(p.row[0].path[0].blocked.count, 3);
	p.kernel.sym = NULL;
	wait_profile_free(&p);
}

static struct tlob_wait_task pool_task(uint64_t id, const char *name, uint64_t ns)
{
	struct tlob_wait_task t = {
		.id = id, .tid = (uint32_t)id, .tgid = 7,
		.blocked = { .count = 1, .total_ns = ns, .max_ns = ns },
		.runnable = { .count = 1, .total_ns = 1000, .max_ns = 1000 },
	};

	memcpy(t.comm, name, strlen(name));
	return t;
}

static char *table(const struct wait_profile *p, bool threads, bool bpf)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(waits_text(f, p, &(struct waits_view){ .rows = 3, .threads = threads, .bpf = bpf }), 0);
	fclose(f);
	return text;
}

/* A pool's threads are one row with the sum of each stack; alone, each has its number. */
/* Tasks go in the order of their exit, with all their stacks. Their ids do not matter. */
TEST(test_evict)
{
	static const uint64_t ids[] = { 9, 2, 7, 1, 8 };
	struct wait_records r = WAIT_RECORDS_NONE;
	struct tlob_wait_task others = { .id = UINT64_MAX };
	size_t i;

	for (i = 0; i < 2 * ARRAY_SIZE(ids); i++) {
		struct tlob_wait_task t = { .id = ids[i / 2], .blocked.count = 1, .blocked.total_ns = ids[i / 2] };
		struct tlob_wait_stack s = { .task = t.id };

		assert_int_equal(i % 2 ? 0 : wait_records_add_task(&r, &t), 0);
		assert_int_equal(wait_records_add_stack(&r, &s), 0);
		assert_int_equal(i % 2 ? 0 : wait_records_add_chain(&r, &(struct wait_chain){
			.task = t.id, .wait = { .ns = t.id, .chain = &(struct chain_segment){ .ns = t.id }, .nchain = 1 } }), 0);
	}
	wait_records_evict(&r, 3, &others);
	assert_int_equal(r.ntask, 2);
	assert_int_equal(r.task[0].id, 1);
	assert_int_equal(r.task[1].id, 8);
	assert_int_equal(r.nstack, 4);
	for (i = 0; i < r.nstack; i++)
		assert_int_equal(r.stack[i].task, r.task[i / 2].id);
	assert_int_equal(r.nchain, 2);
	for (i = 0; i < r.nchain; i++) {
		assert_int_equal(r.chain[i].task, r.task[i].id);
		assert_int_equal(r.chain[i].wait.chain[0].ns, r.task[i].id);
	}
	assert_int_equal(others.blocked.count, 3);
	assert_int_equal(others.blocked.total_ns, 9 + 2 + 7);
	wait_records_close(&r);
}

TEST(test_fold)
{
	static struct ksym symbols[] = {
		{ .address = 0x2000, .name = "pipe_read" }, { .address = 0x3000, .name = "do_wait" },
	};
	struct tlob_wait_task tasks[] = {
		pool_task(1, "9", 9000000), pool_task(2, "pool-2", 6000000),
		pool_task(3, "same", 5000000), pool_task(4, "pool-17", 4000000),
		pool_task(5, "pool-3", 4000000), pool_task(6, "same", 3000000),
	};
	struct tlob_wait_stack stacks[] = {
		stack(12, 2, 0x2010, 6000000), stack(14, 4, 0x3010, 4000000),
		stack(15, 5, 0x3010, 4000000),
	};
	struct wait_records r = {
		.status = { .threshold_ns = 50000, .lost_tasks = 1 },
		.task = tasks, .ntask = 6, .stack = stacks, .nstack = 3,
	};
	struct wait_profile p = { .kernel = { .sym = symbols, .n = 2 } };
	char *text;

	p.unwind = unwind_new(UNWIND_DWARF);
	assert_non_null(p.unwind);
	assert_int_equal(wait_profile_fill(&p, &r, PROFILE_BOTH), 0);
	text = table(&p, false, false);
	assert_begins(text, "6 waits of 6 tasks; longest 9 ms: 9/1; but 100 % of the time has no callers\n");
	assert_contains(text, "pool-# (3)                 14ms        3      6ms      3us  waker/14\n    do_wait < 0x1234");
	assert_contains(text, "\n9/1                         9ms");
	assert_contains(text, "\nsame (2)                    8ms        2");
	assert_contains(text, "--threads lists each");
	assert_contains(text, "load the module with a larger wait_tasks");
	assert_lacks(text, "--rows");
	free(text);
	text = table(&p, true, true);
	assert_contains(text, "\npool-2/2                    6ms");
	assert_contains(text, "--rows N shows more");
	assert_contains(text, "--pid or --cgroup");
	assert_lacks(text, "--threads");
	assert_lacks(text, "wait_tasks");
	free(text);
	p.kernel.sym = NULL;
	wait_profile_free(&p);
}

/* A wait for a lock is longer than any of the many sleeps of a period: its stack is shown as well. */
TEST(test_longest)
{
	static struct ksym symbols[] = {
		{ .address = 0x2000, .name = "hrtimer_nanosleep" }, { .address = 0x3000, .name = "futex_wait" },
	};
	struct tlob_wait_task task = pool_task(1, "cycle", 21000000);
	struct tlob_wait_stack stacks[] = {
		stack(11, 1, 0x2010, 900000), stack(12, 1, 0x2010, 900000),
		stack(13, 1, 0x2010, 800000), stack(14, 1, 0x3010, 2400000),
	};
	struct wait_records r = {
		.status = { .threshold_ns = 50000 }, .task = &task, .ntask = 1, .stack = stacks, .nstack = 4,
	};
	struct wait_profile p = { .kernel = { .sym = symbols, .n = 2 } };
	char *text;

	task.blocked = (struct tlob_wait_total){ .count = 4, .total_ns = 5000000, .max_ns = 2400000 };
	p.unwind = unwind_new(UNWIND_DWARF);
	assert_non_null(p.unwind);
	assert_int_equal(wait_profile_fill(&p, &r, PROFILE_BOTH), 0);
	text = table(&p, false, false);
	assert_begins(text, "4 waits of 1 task; longest 2.4 ms: cycle/1 in futex_wait, woken by waker/14;");
	assert_contains(text, "\n    hrtimer_nanosleep < 0x1234 < (not read)\n"
			"    longest 2.4ms, woken by waker/14:\n    futex_wait < 0x1234 < (not read)\n");
	free(text);
	/* the most frequent one may be the longest: what a timer of the thread's own does not end is next */
	stacks[0].blocked.max_ns = 2500000;
	assert_int_equal(wait_profile_fill(&p, &r, PROFILE_BOTH), 0);
	text = table(&p, false, false);
	assert_contains(text, "\n    longest other wait 2.4ms, woken by waker/14:\n    futex_wait < 0x1234 < (not read)\n");
	free(text);
	symbols[0].name = "ep_poll";
	assert_int_equal(wait_profile_fill(&p, &r, PROFILE_BOTH), 0);
	text = table(&p, false, false);
	assert_lacks(text, "\n    longest ");
	free(text);
	p.kernel.sym = NULL;
	wait_profile_free(&p);
}

/* The page is the one that report draws of the file. */
static void check_page(const struct wait_profile *p)
{
	static const struct waits_facts facts = {
		.command = "c", .kernel = "k", .machine = "m", .scope = "all", .backend = "tlob", .duration_ns = 7,
	};
	const char *const name[] = { "waits" };
	char *json = sample_render(waits_json, p, &facts), *page = sample_render(waits_page, p, &facts), *other;
	struct waits_result r;
	struct reader reader;

	assert_int_equal(waits_parse(&r, json, &reader), 0);
	other = sample_render(page_waits, &r, name, 1);
	assert_string_equal(page, other);
	waits_result_free(&r);
	free(other);
	free(page);
	free(json);
}

/* Behind the longest wait that no timer ended: the one who was late. Nothing if that says no more than the waker. */
TEST(test_behind)
{
	static struct ksym symbols[] = { { .address = 0x3000, .name = "futex_wait" } };
	struct tlob_wait_task tasks[] = { pool_task(1, "cycle", 5000000), pool_task(2, "idle", 4000000) };
	struct tlob_wait_stack stacks[] = { stack(11, 1, 0x3010, 5000000), stack(12, 2, 0x3010, 4000000) };
	struct chain_segment behind[] = {
		{ .ns = 3900000, .kind = SEGMENT_RUN, .tid = 30, .comm = "first", .policy = "FIFO 10" },
		{ .ns = 100000, .kind = SEGMENT_RUN, .tid = 31, .comm = "second" },
	};
	struct chain_segment timer = { .ns = 4000000, .kind = SEGMENT_SLEEP, .by = END_TIMER, .tid = 2, .comm = "idle" };
	struct wait_chain chains[] = {
		{ 1, { .ns = 4000000, .chain = behind, .nchain = 2 } }, { 2, { .ns = 4000000, .chain = &timer, .nchain = 1 } },
	};
	struct wait_records r = {
		.task = tasks, .ntask = 2, .stack = stacks, .nstack = 2, .chain = chains, .nchain = 2,
	};
	struct wait_profile p = { .kernel = { .sym = symbols, .n = 1 } };
	char *text;

	p.unwind = unwind_new(UNWIND_DWARF);
	assert_non_null(p.unwind);
	assert_int_equal(wait_profile_fill(&p, &r, PROFILE_BOTH), 0);
	text = table(&p, false, true);
	assert_begins(text, "2 waits of 2 tasks; longest 5 ms: cycle/1 in futex_wait, woken by waker/11;");
	assert_contains(text, "\n    behind the longest that no timer ended: 3.9 ms of 4 ms: first/30 (FIFO 10)\n"
			"    computed, then woke second/31, which woke it\nidle/2 ");
	assert_lacks(text, "slept until");
	free(text);
	chains[0].wait.ns = 5000000;
	behind[0].ns = 4900000;
	text = table(&p, false, true);
	assert_begins(text, "2 waits of 2 tasks; longest 5 ms: cycle/1 in futex_wait; 4.9 ms of 5 ms:\n"
		      "  first/30 (FIFO 10) computed, then woke second/31, which woke it;");
	assert_contains(text, "\n    behind the longest: 4.9 ms of 5 ms: first/30 (FIFO 10)");
	free(text);
	check_page(&p);
	p.kernel.sym = NULL;
	wait_profile_free(&p);
}

/* The rows of a path, as many as are asked for; the last line has the time of the others. */
TEST(test_path)
{
	struct chain_segment rows[] = {
		{ .ns = 6000000, .kind = SEGMENT_RUN, .tid = 30, .comm = "first", .policy = "FIFO 10" },
		{ .ns = 3000000, .kind = SEGMENT_SLEEP, .by = END_MEASURED, .tid = 1, .comm = "cycle" },
		{ .ns = 1000000 },
	};
	const struct critical_path path = { .ns = 10000000, .pid = 1, .comm = "cycle", .lost = 4, .row = rows, .nrow = 3 };
	const struct wait_profile p = { .row = NULL };
	struct waits_view view = { .rows = 3, .critical = &path };
	char *text = sample_render(waits_text, &p, &view);

	assert_contains(text, "\nwho had the time of cycle/1, 10 ms:\n     time    share  task ");
	assert_contains(text, "\n      6ms   60.0 %  first/30               FIFO 10      computed\n");
	assert_contains(text, "\n      3ms   30.0 %  cycle/1                ordinary     slept until the\n  measurement ended\n");
	assert_contains(text, "\n      1ms   10.0 %  ?                                   not known\n");
	assert_contains(text, "\n4 nodes of chains were overwritten");
	free(text);
	view.rows = 1;
	text = sample_render(waits_text, &p, &view);
	assert_contains(text, "\n      4ms   40.0 %  2 more: --rows N shows them\n");
	free(text);
}

/*
 * What a terminal of @cols x 24 shows of two tasks that wait for a lock. The function of the program
 * that asks for it is the answer.
 */
static char *locked_tasks(unsigned short cols, bool file)
{
	static const struct wait_frame frames[] = {
		{ .name = "futex_do_wait", .file = "" }, { .name = "__futex_wait", .file = "" },
		{ .name = "futex_wait", .file = "" }, { .name = "do_futex", .file = "" },
		{ .name = "__x64_sys_futex", .file = "" },
		{ .name = "__lll_lock_wait", .file = "/lib/x86_64-linux-gnu/libc.so.6" },
		{ .name = "lll_mutex_lock_optimized", .file = "/lib/x86_64-linux-gnu/libc.so.6" },
		{ .name = "__pthread_mutex_lock", .file = "/lib/x86_64-linux-gnu/libc.so.6" },
		{ .name = "account_withdraw", .file = "/usr/bin/bank" },
		{ .name = "serve_request", .file = "/usr/bin/bank" },
		{ .name = "std::execute_native_thread_routine_of_a_long_name", .file = "/lib/libstdc++.so.6" },
		{ .name = "start_thread_of_libc_with_a_long_name", .file = "/lib/x86_64-linux-gnu/libc.so.6" },
		{ .name = "__clone3_of_libc_with_a_long_name_as_well", .file = "/lib/x86_64-linux-gnu/libc.so.6" },
	};
	const struct wait_frame *refs[ARRAY_SIZE(frames)];
	struct wait_path path = {
		.frame = refs, .nkernel = 5, .nframe = ARRAY_SIZE(frames),
		.blocked = { .count = 2, .total_ns = 4000000, .max_ns = 3000000 },
	};
	struct wait_row rows[] = {
		{ .task = pool_task(1, "teller", 4000000), .path = &path, .npath = 1 },
		{ .task = pool_task(2, "clerk", 4000000), .path = &path, .npath = 1 },
	};
	const struct wait_profile p = { .row = rows, .nrow = 2, .status.threshold_ns = 50000 };
	const struct waits_view view = { .rows = 10 };
	struct winsize size = { .ws_col = cols, .ws_row = 24 };
	int master = -1, fd = -1;
	char *text = NULL;
	size_t i, len;
	FILE *f;

	for (i = 0; i < ARRAY_SIZE(frames); i++)
		refs[i] = &frames[i];
	if (!file) {
		assert_int_equal(openpty(&master, &fd, NULL, NULL, &size), 0);
		assert_int_equal(fcntl(master, F_SETFL, O_NONBLOCK), 0);
	}
	f = file ? open_memstream(&text, &len) : fdopen(fd, "w");
	assert_non_null(f);
	assert_int_equal(waits_text(f, &p, &view), 0);
	fflush(f);
	if (!file)
		text = strdup(terminal_read(master));
	fclose(f);
	if (!file)
		close(master);
	return text;
}

/* A stack that has no room as a whole keeps what the task waits in and the program's own functions. */
TEST(test_own_frames)
{
	static const unsigned short widths[] = { 60, 80, 100 };
	const char *line;
	char *text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		text = locked_tasks(widths[i], false);
		assert_contains(text, "\n    futex_do_wait < ");
		assert_contains(text, "account_withdraw < serve_request");
		assert_contains(text, " < ...");
		/* both tasks, each with its stack */
		assert_contains(text, "\nteller/1 ");
		assert_contains(text, "\nclerk/2 ");
		line = strstr(text, "account_withdraw");
		assert_non_null(strstr(line + 1, "account_withdraw"));
		for (line = text; *line; line += strcspn(line, "\n") + 1)
			assert_in_range(strcspn(line, "\r\n"), 0, widths[i]);
		free(text);
	}
	text = locked_tasks(0, true);
	assert_lacks(text, "...");
	free(text);
}

static struct tlob_wait_stack kernel_stack(uint64_t id, uint64_t task, const uint64_t *frame, uint64_t ns)
{
	struct tlob_wait_stack s = stack(id, task, 0, ns);

	s.nr_code = 0;
	for (s.nr_kernel = 0; frame[s.nr_kernel]; s.nr_kernel++)
		s.kernel[s.nr_kernel] = frame[s.nr_kernel];
	return s;
}

/* A thread of the kernel that waits for work has no row; what it waits for in its work has. */
TEST(test_idle)
{
	static struct ksym symbols[] = {
		{ .address = 0x1000, .name = "schedule" }, { .address = 0x2000, .name = "worker_thread" },
		{ .address = 0x3000, .name = "kthread" }, { .address = 0x4000, .name = "process_one_work" },
		{ .address = 0x5000, .name = "rcu_gp_fqs_loop" }, { .address = 0x6000, .name = "rcu_gp_kthread" },
	};
	static const uint64_t rests[] = { 0x1001, 0x2001, 0x3001, 0 };
	static const uint64_t works[] = { 0x1001, 0x4001, 0x2001, 0x3001, 0 };
	static const uint64_t rcu[] = { 0x1001, 0x5001, 0x6001, 0x3001, 0 };
	struct tlob_wait_task tasks[] = {
		pool_task(1, "rcu_preempt", 9000000), pool_task(2, "kworker/0:1", 8000000),
		pool_task(3, "parked", 7000000), pool_task(4, "worker", 6000000),
	};
	struct tlob_wait_stack stacks[] = {
		kernel_stack(11, 1, rcu, 9000000), kernel_stack(12, 2, rests, 7000000),
		kernel_stack(13, 2, works, 1000000), kernel_stack(14, 3, rests, 7000000),
		/* a program's thread is never left out */
		kernel_stack(15, 4, rests, 6000000),
	};
	struct wait_records r = {
		.status = { .threshold_ns = 50000 }, .task = tasks, .ntask = 4, .stack = stacks, .nstack = 5,
	};
	struct wait_profile p = { .kernel = { .sym = symbols, .n = 6 } };
	struct wait_group *group;
	size_t n, i;
	char *text;

	for (i = 0; i < 3; i++)
		r.task[i].flags = TLOB_WAIT_KTHREAD;
	r.task[1].blocked.count = 2;
	r.task[3].comm[2] = ';';
	r.status.lost_stacks = 3;
	p.unwind = unwind_new(UNWIND_DWARF);
	assert_non_null(p.unwind);
	assert_int_equal(wait_profile_fill(&p, &r, PROFILE_BOTH), 0);
	text = table(&p, false, false);
	assert_contains(text, "\nwo;ker/4 ");
	assert_contains(text, "\nkworker/0:1/2               1ms        1      1ms");
	assert_contains(text, "process_one_work < worker_thread < kthread");
	assert_contains(text, "\n2 idle threads of the kernel left out: --idle shows them.\n");
	assert_lacks(text, "rcu_preempt");
	assert_lacks(text, "parked");
	free(text);
	check_page(&p);
	assert_int_equal(wait_fold(&p, true, true, &group, &n), 0);
	assert_int_equal(n, 4);
	assert_int_equal(group[0].blocked.total_ns, 9000000);
	assert_int_equal(group[1].blocked.total_ns, 8000000);
	free(group);
	p.kernel.sym = NULL;
	wait_profile_free(&p);
}

/*
 * One thread's stack was read. Another one of the process with the same trace has its frames. One
 * of another process has not, and neither has one whose instruction pointer alone is known.
 */
TEST(test_shared_trace)
{
	struct tlob_wait_task tasks[] = {
		pool_task(1, "a", 9000), pool_task(2, "a", 8000), pool_task(3, "a", 7000),
		pool_task(4, "a", 6000), pool_task(5, "a", 5000),
	};
	struct tlob_wait_stack stacks[] = {
		stack(11, 1, 0, 1000), stack(12, 2, 0, 1000), stack(13, 3, 0, 1000),
		stack(14, 4, 0, 1000), stack(15, 5, 0, 1000),
	};
	struct wait_records r = {
		.task = tasks, .ntask = 5, .stack = stacks, .nstack = 5,
	};
	/* a 32-bit program that is gone: its frame is its address */
	struct tlob_wait_copy copy = {
		.flags = TLOB_WAIT_32BIT, .stack = 11, .tgid = 0x7fffffff,
		.reg = { [TLOB_WAIT_REG_IP] = 0x5678 },
	};
	struct wait_profile p = { .row = NULL };
	size_t i;

	for (i = 0; i < 5; i++) {
		stacks[i].nr_kernel = 0;
		stacks[i].nr_code = 2;
		stacks[i].code[1] = 0x4321;
	}
	tasks[2].tgid = 8;
	stacks[3].code[1] = 0x4322;
	stacks[4].nr_code = 1;
	p.unwind = unwind_new(UNWIND_DWARF);
	assert_non_null(p.unwind);
	wait_profile_take_copy(&p, &copy);
	assert_int_equal(wait_profile_fill(&p, &r, PROFILE_BOTH), 0);
	for (i = 0; i < 5; i++) {
		assert_int_equal(p.row[i].npath, 1);
		assert_string_equal(p.row[i].path[0].frame[0]->name, i < 2 ? "0x5678" : "0x1234");
		assert_int_equal(p.row[i].path[0].ends, i < 2 ? WAIT_ENDS_32BIT : WAIT_ENDS_UNREAD);
	}
	wait_profile_free(&p);
}

/* Frames go with their stack. Those of a copy that came since the last call stay once. */
TEST(test_forget)
{
	struct tlob_wait_task task = pool_task(1, "a", 9000);
	struct tlob_wait_stack stacks[] = { stack(11, 1, 0, 1000), stack(12, 1, 0, 1000) };
	struct wait_records r = { .task = &task, .ntask = 1, .stack = stacks, .nstack = 2 };
	struct tlob_wait_copy copy = { .flags = TLOB_WAIT_32BIT, .tgid = 0x7fffffff };
	struct wait_profile p = { .unwind = unwind_new(UNWIND_DWARF) };
	/* two stacks, their trace, and a stack that no snapshot has; then one that keeps the trace */
	static const size_t left[] = { 4, 2, 2 };
	size_t i;

	assert_non_null(p.unwind);
	stacks[0].nr_code = stacks[1].nr_code = 2;
	for (copy.stack = 11; copy.stack < 14; copy.stack++)
		wait_profile_take_copy(&p, &copy);
	assert_int_equal(wait_profile_fill(&p, &r, PROFILE_BOTH), 0);
	assert_int_equal(p.nuser, 4);
	for (i = 0; i < ARRAY_SIZE(left); i++) {
		wait_profile_forget(&p, &r);
		assert_int_equal(p.nuser, left[i]);
		r.nstack = 1;
	}
	assert_false(wait_profile_is_full(&p));
	for (copy.stack = 1; copy.stack <= 65536; copy.stack++)
		wait_profile_take_copy(&p, &copy);
	assert_true(wait_profile_is_full(&p));
	wait_profile_forget(&p, &r);
	wait_profile_forget(&p, &r);
	assert_int_equal(p.nuser, 2);
	wait_profile_free(&p);
}

/* The longest write to a stream without a buffer. */
struct sink {
	size_t	largest, bytes;
	char	*text;
};

static ssize_t sink_write(void *cookie, const char *from, size_t n)
{
	struct sink *s = cookie;

	s->text = realloc(s->text, s->bytes + n + 1);
	memcpy(s->text + s->bytes, from, n);
	s->bytes += n;
	s->text[s->bytes] = '\0';
	if (n > s->largest)
		s->largest = n;
	return (ssize_t)n;
}

/* Evicted tasks are one object, and all together add up. No two tasks are in memory as JSON. */
TEST(test_json)
{
	enum { TASKS = 100 };
	const struct waits_facts facts = {
		.command = "c", .kernel = "k", .machine = "m", .scope = "all", .backend = "tlob",
	};
	struct tlob_wait_task tasks[TASKS + 1];
	struct wait_records r = { .status.evicted = 5, .task = tasks, .ntask = TASKS + 1 };
	struct wait_profile p = { .row = NULL };
	struct json_object *o, *others, *list, *v;
	struct sink sink = { 0 };
	size_t i;
	FILE *f;

	for (i = 0; i <= TASKS; i++)
		tasks[i] = pool_task(i + 1, "t", 1000);
	tasks[50].flags = TLOB_WAIT_OTHERS;
	tasks[50].blocked.total_ns = 777;
	p.unwind = unwind_new(UNWIND_DWARF);
	assert_int_equal(wait_profile_fill(&p, &r, PROFILE_BOTH), 0);
	f = fopencookie(&sink, "w", (cookie_io_functions_t){ .write = sink_write });
	assert_non_null(f);
	setvbuf(f, NULL, _IONBF, 0);
	assert_int_equal(waits_json(f, &p, &facts), 0);
	fclose(f);
	assert_true(sink.largest * 10 < sink.bytes);
	o = json_tokener_parse(sink.text);
	assert_non_null(o);
	assert_true(json_object_object_get_ex(o, "others", &others));
	assert_true(json_object_object_get_ex(others, "tasks", &v));
	assert_int_equal(json_object_get_int64(v), 5);
	assert_true(json_object_object_get_ex(others, "blocked", &v));
	assert_true(json_object_object_get_ex(v, "total_ns", &v));
	assert_int_equal(json_object_get_int64(v), 777);
	assert_true(json_object_object_get_ex(o, "tasks", &list));
	assert_int_equal(json_object_array_length(list), TASKS);
	json_object_put(o);
	free(sink.text);
	wait_profile_free(&p);
}

UNIT_MAIN(NULL, NULL)
