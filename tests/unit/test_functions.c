// SPDX-License-Identifier: GPL-2.0
/* --functions: from patterns to addresses, in kernels of fake files; records with names. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"
#include "functions/control_text.h"
#include "functions/expand.h"
#include "functions/refused.h"
#include "functions/sets.h"
#include "result/result.h"

/* Aliases, copies, a name of two functions, what must not be probed, a module. */
static const char kallsyms[] =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000100 T mutex_lock\n"
	"ffffffff81000200 T mutex_unlock\n"
	"ffffffff81000300 t __mutex_lock_slowpath\n"
	"ffffffff81000400 t __mutex_lock.constprop.0\n"
	"ffffffff81000500 T __x64_sys_getppid\n"
	"ffffffff81000500 t __do_sys_getppid\n"
	"ffffffff81000500 T __ia32_sys_getppid\n"
	"ffffffff81000600 t twin\n"
	"ffffffff81000700 t twin\n"
	"ffffffff81000800 T preempt_count_add\n"
	"ffffffff81000900 T preempt_schedule_irq\n"
	"ffffffff81000a00 T hidden_notrace\n"
	"ffffffff81000b00 t half\n"
	"ffffffff81000c00 t half\n"
	"ffffffff81000cf0 t __pfx_rt_spin_lock\n"
	"ffffffff81000d00 T rt_spin_lock\n"
	"ffffffff81000e00 t alias_of_refused\n"
	"ffffffff81000e00 t ftrace_thing\n"
	"ffffffff82000000 D some_data\n"
	"ffffffffc0000100 t mod_lock\t[mod]\n";

/* As in Linux 6.5 and later: the place that is patched, behind a landing pad. */
static const char addresses[] =
	"ffffffff81000104 mutex_lock\nffffffff81000204 mutex_unlock\n"
	"ffffffff81000304 __mutex_lock_slowpath\nffffffff81000404 __mutex_lock.constprop.0\n"
	"ffffffff81000504 __do_sys_getppid\nffffffff81000604 twin\nffffffff81000704 twin\n"
	"ffffffff81000804 preempt_count_add\nffffffff81000904 preempt_schedule_irq\n"
	"ffffffff81000b04 half\nffffffff81000d04 rt_spin_lock\nffffffff81000e04 ftrace_thing\n"
	"ffffffffc0000104 mod_lock [mod]\n";

static const char names[] =
	"mutex_lock\nmutex_unlock\n__mutex_lock_slowpath\n__mutex_lock.constprop.0\n"
	"__do_sys_getppid\ntwin\ntwin\npreempt_count_add\npreempt_schedule_irq\nhalf\n"
	"rt_spin_lock\nftrace_thing\nmod_lock [mod]\n";

static char root[64];

static void put_file(const char *path, const char *text)
{
	char full[256];
	int fd;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	unlink(full);
	if (!text)
		return;
	fd = open(full, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static const char * const dirs[] = {
	"proc", "sys", "sys/kernel", "sys/kernel/tracing", "sys/kernel/debug",
	"sys/kernel/debug/kprobes", "sys/kernel/debug/tlob_load",
};

static int make_tree(void **state)
{
	char path[256];
	size_t i;

	strcpy(root, "/tmp/test_functions.XXXXXX");
	assert_non_null(mkdtemp(root));
	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	return 0;
}

static int remove_tree(void **state)
{
	char path[256];
	size_t i = ARRAY_SIZE(dirs);

	put_file("stderr", NULL);
	put_file("proc/kallsyms", NULL);
	put_file("sys/kernel/tracing/available_filter_functions", NULL);
	put_file("sys/kernel/tracing/available_filter_functions_addrs", NULL);
	put_file("sys/kernel/debug/kprobes/blacklist", NULL);
	put_file("sys/kernel/debug/tlob_load/functions", NULL);
	while (i--) {
		snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
		assert_int_equal(rmdir(path), 0);
	}
	return rmdir(root);
}

static void make_kernel(bool with_addresses)
{
	put_file("proc/kallsyms", kallsyms);
	put_file("sys/kernel/tracing/available_filter_functions_addrs",
		 with_addresses ? addresses : NULL);
	put_file("sys/kernel/tracing/available_filter_functions", names);
}

/* Expands @a, and @b unless it is NULL. What was printed is in @said. */
static int expand(struct traced_sets *t, struct function_requests *r, const char *a,
		  const char *b, char said[512])
{
	char err[512], path[128];
	int fd, saved = dup(STDERR_FILENO), ret;
	ssize_t n;

	*r = (struct function_requests){ .n = 0 };
	assert_int_equal(function_request_add(r, a, err, sizeof(err)), 0);
	if (b)
		assert_int_equal(function_request_add(r, b, err, sizeof(err)), 0);
	snprintf(path, sizeof(path), "%s/stderr", root);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0 && saved >= 0);
	dup2(fd, STDERR_FILENO);
	ret = traced_expand(t, r, root);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	n = pread(fd, said, 511, 0);
	said[n > 0 ? n : 0] = 0;
	close(fd);
	return ret;
}

/* "100 300": the low bits of the addresses of set @i. */
static const char *addresses_of(const struct traced_sets *t, size_t i)
{
	static char text[512];
	size_t k, n = 0;

	*text = 0;
	for (k = 0; k < t->at[i].n; k++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%x", k ? " " : "",
				      (unsigned int)(t->at[i].at[k].address & 0xffff));
	return text;
}

static void check_expands(const char *request, const char *wanted)
{
	struct function_requests r;
	struct traced_sets t;
	char said[512];

	if (expand(&t, &r, request, NULL, said))
		fail_msg("%s: %s", request, said);
	assert_string_equal(addresses_of(&t, 0), wanted);
	traced_free(&t);
}

static void check_refuses(const char *request, int err, const char *why)
{
	struct function_requests r;
	struct traced_sets t;
	char said[512];

	assert_int_equal(expand(&t, &r, request, NULL, said), err);
	assert_contains(said, why);
	traced_free(&t);
}

static void check_both_lists(void)
{
	check_expands("a=mutex_lock", "100");
	check_expands("a=*mutex_lock*", "100 300 400");
	check_expands("a=mutex_*lock,rt_spin_lock,mutex_lock", "100 200 d00");
	check_expands("a=[rm]*_lock", "100 d00");
	/* copies of the compiler's, by the name in the source */
	check_expands("a=__mutex_lock", "400");
	/* an alias, though the tracer lists another name of it */
	check_expands("a=__x64_sys_getppid", "500");
	check_expands("a=*_sys_getppid", "500");
	/* two functions of one name */
	check_expands("a=twin", "600 700");
	/* without what must not be probed */
	check_expands("a=preempt_*", "900");
	check_refuses("a=preempt_count_add", -EPERM, "must not be probed");
	check_refuses("a=mutex_lock,preempt_count_add", -EPERM, "must not be probed");
	check_refuses("a=alias_of_refused", -EPERM, "must not be probed");
	check_refuses("a=mod_lock", -EINVAL, "of the module mod");
	check_refuses("a=hidden_notrace", -EINVAL, "cannot trace it");
	check_refuses("a=mutx_lock", -ENOENT, "did you mean mutex_lock");
	check_refuses("a=nothing_like_it", -ENOENT, "no such function");
	check_refuses("a=some_data", -ENOENT, "no such function");
}

TEST(test_addresses)
{
	make_kernel(true);
	check_both_lists();
	/* the addresses show which of two can be traced */
	check_expands("a=half", "b00");
}

TEST(test_names)
{
	make_kernel(false);
	check_both_lists();
	check_refuses("a=half", -EINVAL, "several functions have this name");
}

/* A function is in the first set that names it. */
TEST(test_overlap)
{
	struct function_requests r;
	struct traced_sets t;
	char said[512];

	make_kernel(true);
	assert_int_equal(expand(&t, &r, "a=mutex_lock", "b=*mutex_lock*", said), 0);
	assert_string_equal(addresses_of(&t, 0), "100");
	assert_string_equal(addresses_of(&t, 1), "300 400");
	assert_int_equal(t.total, 3);
	assert_string_equal(traced_name(&t, 0xffffffff81000400), "__mutex_lock.constprop.0");
	assert_null(traced_name(&t, 0xffffffff81000404));
	traced_free(&t);
	assert_int_equal(expand(&t, &r, "a=*mutex_lock*", "b=mutex_lock", said), -EINVAL);
	assert_contains(said, "earlier sets have all of its functions");
	traced_free(&t);
}

/* A kernel need not have all functions of a preset. */
TEST(test_presets)
{
	struct function_requests r;
	struct traced_sets t;
	char said[512];

	make_kernel(true);
	assert_int_equal(expand(&t, &r, "@locks", "more=@locks,twin", said), 0);
	assert_string_equal(r.at[0].name, "locks");
	assert_string_equal(addresses_of(&t, 0), "100 300 d00");
	assert_string_equal(addresses_of(&t, 1), "600 700");
	traced_free(&t);
	check_refuses("@rcu", -ENOENT, "this kernel can trace none");
}

/* Surprises become notes. */
TEST(test_notes)
{
	struct function_requests r;
	struct traced_sets t;
	char said[512];

	make_kernel(true);
	assert_int_equal(expand(&t, &r, "a=preempt_*,twin,*_lock", NULL, said), 0);
	assert_string_equal(t.notes[0], "a=preempt_*: left out 1 that must not be probed: every probe calls it: kernels hang without a word");
	assert_string_equal(t.notes[1], "a=twin: 2 functions have this name, or copies of it: all are taken");
	assert_string_equal(t.notes[2], "a=*_lock: left out 1 of modules");
	assert_null(t.notes[3]);
	traced_free(&t);
}

/* Functions that kprobes refuse matter where the kernel part measures by them. */
TEST(test_blacklist)
{
	struct function_requests r;
	struct traced_sets t;
	char said[512];

	make_kernel(false);
	put_file("sys/kernel/debug/kprobes/blacklist",
		 "0xffffffff81000100-0xffffffff81000180\tmutex_lock\n"
		 "0xffffffff81000600-0xffffffff81000800\t__kprobes_text_start\nnoise\n");
	put_file("sys/kernel/debug/tlob_load/functions", "mechanism: fprobe\nlimit: 1000\n");
	check_expands("a=*mutex_lock*", "100 300 400");
	put_file("sys/kernel/debug/tlob_load/functions", "mechanism: kretprobe\nlimit: 50\n");
	check_refuses("a=mutex_lock", -EPERM, "they refuse it (/sys/kernel/debug/kprobes/blacklist)");
	check_refuses("a=twin", -EPERM, "they refuse it");
	/* the one behind a range is not in it */
	check_expands("a=preempt_*,mutex_unlock", "200 900");
	check_refuses("a=*mutex_lock*,tw*", -EPERM, "they refuse it");
	assert_int_equal(expand(&t, &r, "a=*mutex_lock*", NULL, said), 0);
	assert_string_equal(addresses_of(&t, 0), "300 400");
	assert_string_equal(t.notes[0], "a=*mutex_lock*: left out 1 that kprobes refuse (/sys/kernel/debug/kprobes/blacklist)");
	traced_free(&t);
	/* a copy is refused with its original */
	put_file("proc/kallsyms", "ffffffff81000300 t nmi\nffffffff81000400 t nmi.part.0\n"
		 "ffffffff81000500 t nmi_not.part.0\nffffffff81000600 t n.part.0\n");
	put_file("sys/kernel/tracing/available_filter_functions",
		 "nmi\nnmi.part.0\nnmi_not.part.0\nn.part.0\n");
	put_file("sys/kernel/debug/kprobes/blacklist", "0xffffffff81000300-0xffffffff81000380\tnmi\n");
	check_expands("a=n*", "500 600");
	check_refuses("a=nmi.part.0", -EPERM, "they refuse it");
	make_kernel(false);
	/* without debugfs nothing says so */
	put_file("sys/kernel/debug/kprobes/blacklist", NULL);
	check_expands("a=mutex_lock", "100");
	put_file("sys/kernel/debug/tlob_load/functions", NULL);
}

TEST(test_too_many)
{
	struct function_requests r;
	struct traced_sets t;
	char *text = NULL, said[512];
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; i < 1500; i++)
		fprintf(f, "%zx t many_%zu\n", 0xffffffff81000000 + 64 * i, i);
	fclose(f);
	put_file("proc/kallsyms", text);
	free(text);
	f = open_memstream(&text, &size);
	for (i = 0; i < 1500; i++)
		fprintf(f, "many_%zu\n", i);
	fclose(f);
	put_file("sys/kernel/tracing/available_filter_functions_addrs", NULL);
	put_file("sys/kernel/tracing/available_filter_functions", text);
	free(text);
	check_refuses("a=*", -E2BIG, "1500 functions in all sets, at most 1000");
	/* a list changes nothing */
	r = (struct function_requests){ .list = true };
	assert_int_equal(function_request_add(&r, "a=*", said, sizeof(said)), 0);
	assert_int_equal(traced_expand(&t, &r, root), 0);
	f = open_memstream(&text, &size);
	assert_int_equal(traced_list(f, &t), 0);
	fclose(f);
	assert_contains(text, "many_1499");
	assert_contains(text, "1500 functions in all sets: at most 1000 can be measured");
	free(text);
	traced_free(&t);
	assert_int_equal(expand(&t, &r, "a=many_1*", NULL, said), 0);
	assert_int_equal(t.total, 611);
	traced_free(&t);
}

/* Kernels that hide or lack what is needed. */
TEST(test_no_kernel)
{
	char list[256];

	make_kernel(true);
	put_file("proc/kallsyms", "0000000000000000 T mutex_lock\n");
	check_refuses("a=mutex_lock", -EPERM, "kernel addresses are hidden");
	put_file("proc/kallsyms", "");
	check_refuses("a=mutex_lock", -ENODATA, "has no functions");
	put_file("proc/kallsyms", NULL);
	check_refuses("a=mutex_lock", -ENOENT, "/proc/kallsyms");
	make_kernel(false);
	put_file("sys/kernel/tracing/available_filter_functions", NULL);
	check_refuses("a=mutex_lock", -EOPNOTSUPP, "no available_filter_functions");
	/* one that may not be read is not missing */
	snprintf(list, sizeof(list), "%s/sys/kernel/tracing/available_filter_functions", root);
	assert_int_equal(mkdir(list, 0700), 0);
	check_refuses("a=mutex_lock", -EOPNOTSUPP, "available_filter_functions: Is a directory: run on the host");
	assert_int_equal(rmdir(list), 0);
}

TEST(test_requests)
{
	static const char * const wrong[][2] = {
		{ "", "missing the name of the set" }, { "mutex_lock", "give NAME=mutex_lock" },
		{ "=a", "invalid name of a set" }, { "A=a", "invalid name of a set" },
		{ "1a=a", "invalid name of a set" }, { "a2345678901234567=a", "at most 15" },
		{ "a=", "a name is empty" }, { "a=b,,c", "a name is empty" },
		{ "a=b,", "a name is empty" }, { "a=b c", "not a pattern" },
		{ "a=/x", "not a pattern" }, { "@none", "unknown preset '@none': use @locks" },
		{ "a=b,@none", "unknown preset" }, { "@", "unknown preset" },
	};
	struct function_requests r = { .n = 0 };
	char err[512], text[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(function_request_add(&r, wrong[i][0], err, sizeof(err)), -EINVAL);
		assert_contains(err, wrong[i][1]);
	}
	assert_int_equal(r.n, 0);
	for (i = 0; i < FUNCTION_SETS; i++) {
		snprintf(text, sizeof(text), "set_%zu=a", i);
		assert_int_equal(function_request_add(&r, strdup(text), err, sizeof(err)), 0);
	}
	assert_string_equal(r.at[7].name, "set_7");
	assert_string_equal(r.at[7].words, "a");
	assert_int_equal(function_request_add(&r, "one_more=a", err, sizeof(err)), -EINVAL);
	assert_contains(err, "more than 8 times");
	assert_int_equal(function_request_add(&r, "set_3=b", err, sizeof(err)), -EINVAL);
	assert_contains(err, "given twice");
	assert_false(r.list);
	assert_int_equal(function_request_add(&r, "list", err, sizeof(err)), 0);
	assert_true(r.list);
	for (i = 0; i < FUNCTION_SETS; i++)
		free((char *)r.at[i].words - strlen("set_0="));
}

TEST(test_list)
{
	struct function_requests r;
	struct traced_sets t;
	char *text, said[512];
	size_t size;
	FILE *f;

	make_kernel(true);
	assert_int_equal(expand(&t, &r, "lock=*mutex_lock*", "pid=__do_sys_getppid", said), 0);
	f = open_memstream(&text, &size);
	assert_int_equal(traced_list(f, &t), 0);
	fclose(f);
	assert_string_equal(text, "lock: 3 functions (*mutex_lock*)\n"
			    "  0xffffffff81000100  mutex_lock\n"
			    "  0xffffffff81000300  __mutex_lock_slowpath\n"
			    "  0xffffffff81000400  __mutex_lock.constprop.0\n"
			    "\npid: 1 function (__do_sys_getppid)\n"
			    "  0xffffffff81000500  __do_sys_getppid\n");
	free(text);
	traced_free(&t);
}

/* The control file of the kernel part. */
TEST(test_control)
{
	static const char good[] =
		"mechanism: fprobe\nlimit: 1000\nrefused: preempt_count_add must not be probed\n"
		"set lock addresses 12 calls 90 net_ns 4000 max_ns 70 max_function 0xffffffff81000100 "
		"open 1 unreturned 2 missed 3 tomorrow 4\nset alloc addresses 2 calls 0 net_ns 0 "
		"max_ns 0 max_function 0x0 open 0 unreturned 0 missed 0\n";
	static const char * const wrong[] = {
		"", "limit: 3\n", "mechanism: fprobe\nlimit: many\n", "mechanism\n",
		"mechanism: fprobe\nset a open\n", "mechanism: fprobe\nset a open x\n",
		"mechanism: fprobe\nset abcdefghijklmnopq open 1\n",
	};
	struct functions_text t;
	char text[1024];
	size_t i;

	snprintf(text, sizeof(text), "%s", good);
	assert_int_equal(functions_text_parse(&t, text), 0);
	assert_string_equal(t.mechanism, "fprobe");
	assert_string_equal(t.refused, "preempt_count_add must not be probed");
	assert_int_equal(t.limit, 1000);
	assert_int_equal(t.sets, 2);
	assert_string_equal(t.set[0].name, "lock");
	assert_int_equal(t.set[0].functions, 12);
	assert_int_equal(t.set[0].open, 1);
	assert_int_equal(t.set[0].unreturned, 2);
	assert_int_equal(t.set[0].missed, 3);
	assert_string_equal(t.set[1].name, "alloc");
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		snprintf(text, sizeof(text), "%s", wrong[i]);
		assert_int_equal(functions_text_parse(&t, text), -EINVAL);
	}
}

/* Addresses become names, and are nowhere in the result. */
TEST(test_record)
{
	struct tlob_functions record = {
		.version = TLOB_FUNCTIONS_VERSION, .size = sizeof(record), .sets = 1, .missed = 4,
	};
	struct function_requests r;
	struct window_functions f;
	struct traced_sets t;
	struct result result;
	int cpu = 0;
	char said[512];

	make_kernel(true);
	assert_int_equal(expand(&t, &r, "lock=*mutex_lock*", NULL, said), 0);
	assert_int_equal(result_init(&result, &cpu, 1), 0);
	assert_int_equal(functions_begin(&result, &t), 0);
	assert_string_equal(result.function_words, "lock=*mutex_lock*");
	assert_int_equal(result.functions->at[0].functions, 3);
	record.set[0].part_ns[TLOB_WAKE_SCHED] = 70;
	record.set[0].part_ns[TLOB_WORK_ON_CPU] = 30;
	record.set[0].max_ns = 60;
	record.set[0].max_function = 0xffffffff81000300;
	record.set[0].calls = 2;
	record.set[0].unreturned = 1;
	assert_int_equal(functions_take(&f, &record, &t), 0);
	assert_int_equal(function_net_ns(&f.at[0]), 100);
	assert_string_equal(f.at[0].longest, "__mutex_lock_slowpath");
	assert_int_equal(f.at[0].calls, 2);
	assert_int_equal(f.at[0].unreturned, 1);
	assert_int_equal(f.missed, 4);
	/* one that the tool did not ask for */
	record.set[0].max_function = 1;
	assert_int_equal(functions_take(&f, &record, &t), 0);
	assert_string_equal(f.at[0].longest, "");
	record.sets = 2;
	assert_int_equal(functions_take(&f, &record, &t), -EINVAL);
	record.sets = 1;
	record.version++;
	assert_int_equal(functions_take(&f, &record, &t), -EINVAL);
	result_free(&result);
	traced_free(&t);
}

UNIT_MAIN(make_tree, remove_tree)
