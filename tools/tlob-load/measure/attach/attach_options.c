// SPDX-License-Identifier: GPL-2.0
/* The options and the manual of `tlob-load attach`. */
#include <limits.h>
#include <string.h>

#include "attach/threads.h"
#include "options/attach_config.h"
#include "options/backend_names.h"
#include "options/function_presets.h"
#include "options/rows.h"
#include "binding.h"
#include "result/condition.h"
#include "util/text.h"

#define CONFIG	struct attach_config
#define PLACE	"SYMBOL, SYMBOL+OFFSET or 0xOFFSET"

static int parse_condition(struct condition *c, const char *text, char *err,
			   unsigned int size)
{
	return condition_parse_words(c, &condition_attach_words, text, err, size);
}

/* A uprobe needs one instruction, and a function may return from several. */
static int read_place(const struct value *v, void *to)
{
	if (!strcmp(v->arg, "return") || !strncmp(v->arg, "return:", 7))
		return value_error(v, "--%s %s: a return is not a place: give the offset of a ret instruction, as in work+0x4a (objdump -d shows it)",
				   v->option->name, v->arg);
	return value_text(v, to);
}

static int read_pid(const struct value *v, void *to)
{
	uint64_t n = 0;
	int err = value_count_in(v, 1, INT_MAX, &n);

	*(int *)to = (int)n;
	return err;
}

static int read_until(const struct value *v, void *to)
{
	struct attach_config *o = to;
	const char *bad;
	int err = threads_until(v->arg, o->until_nr, &o->nuntil, &bad);

	o->until = v->arg;
	if (err == -E2BIG)
		return value_error(v, "--until has more than %d system calls", TLOB_WATCH_UNTIL);
	if (err)
		return value_error(v, "--until: '%.*s' is not a system call in which threads wait: give one as in epoll_wait, or its number",
				   (int)strcspn(bad, ","), bad);
	return 0;
}

static int read_key_word(const struct value *v, const char *word, size_t n, enum tlob_key *to)
{
	static const char * const names[] = { "", "arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "ret", "goroutine" };
	unsigned int i;

	for (i = 1; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == n && !memcmp(names[i], word, n)) {
			*to = i;
			return 0;
		}
	return value_error(v, "--key: '%.*s' is not arg1 to arg6, ret or goroutine: give where the key is at --start, and after a comma where it is at --stop if elsewhere",
			   (int)n, word);
}

static int read_key(const struct value *v, void *to)
{
	size_t n = strcspn(v->arg, ",");
	struct attach_config *o = to;
	int err = read_key_word(v, v->arg, n, &o->key_start);

	o->key = v->arg;
	o->key_stop = o->key_start;
	return err || !v->arg[n] ? err : read_key_word(v, v->arg + n + 1, strlen(v->arg + n + 1), &o->key_stop);
}

static int read_assertion(const struct value *v, void *to)
{
	struct attach_config *o = to;

	return value_condition(v, parse_condition, o->assertion, &o->nassertion);
}

/* A word among the options. */
static int read_program(const struct value *v, void *config)
{
	struct attach_config *o = config;

	if (o->program)
		return value_error(v, "extra argument '%s': put the arguments of the program after --",
				   v->arg);
	o->program = v->arg;
	return 0;
}

/* What a region has and an activation has not. */
static int check_threads(const struct attach_config *o, const struct value *v)
{
	if (!!o->tid + !!o->pid + !!o->cgroup > 1)
		return value_error(v, "--tid, --pid and --cgroup exclude each other: give one of them");
	if (o->tid && (o->rt || o->comm))
		return value_error(v, "--tid is one thread: --%s chooses among several",
				   o->rt ? "rt" : "comm");
	if (o->program || *v->rest)
		return value_error(v, "extra argument '%s': threads are watched, and no program is started",
				   o->program ? o->program : *v->rest);
	if (o->start || o->stop || o->library)
		return value_error(v, "--%s belongs to a region, and --%s chooses threads: give one of them",
				   o->start ? "start" : o->stop ? "stop" : "library",
				   o->tid ? "tid" : o->comm ? "comm" : "cgroup");
	if (o->functions.n)
		return value_error(v, "--functions is for regions: an activation has no times in functions");
	if (o->mappings || o->all || o->key)
		return value_error(v, "--%s is for regions", o->mappings ? "mappings" : o->all ? "all" : "key");
	return 0;
}

/* A SCHED_DEADLINE thread has a budget of its own. */
static int find_budget(struct attach_config *o, const struct value *v)
{
	if (o->budget_ns)
		return 0;
	o->budget_ns = threads_deadline(o);
	o->by_deadline = o->budget_ns;
	if (o->budget_ns > TLOB_THRESHOLD_MAX || (o->budget_ns && o->budget_ns < TLOB_THRESHOLD_MIN))
		o->budget_ns = 0;
	return o->budget_ns ? 0 : value_error(v, "--budget is missing: give the longest time allowed, as in 5ms; only of SCHED_DEADLINE threads, all with one deadline, is that the default");
}

static int check_actions(const struct attach_config *o, const struct value *v)
{
	bool any_process = threads_are_chosen(o) && !o->tid && !o->pid;
	const struct action *a;

	if (action_has(&o->act, ACTION_TRACE) || action_has(&o->act, ACTION_CONTINUE))
		return value_error(v, "--on-violation trace and continue are for run: attach has no trace, and stops only at stop");
	if (o->act.most && !o->act.n)
		return value_error(v, "--at-most limits the actions of --on-violation: give one");
	for (a = o->act.at; any_process && a < o->act.at + o->act.n; a++)
		if (a->kind == ACTION_SIGNAL && !a->pid)
			return value_error(v, "--on-violation %s: --%s chooses threads of any process: name the process that gets it, as in %s:PID",
					   a->text, o->comm ? "comm" : "cgroup", a->text);
	return 0;
}

/*
 * A function has its arguments at its first instruction. Without an offset its return value is known as it
 * returns; with one, at that instruction.
 */
static int check_key(const struct attach_config *o, const struct value *v)
{
	const char * const place[] = { o->start, o->stop };
	const enum tlob_key at[] = { o->key_start, o->key_stop };
	size_t i;

	if (o->key && !strcmp(o->backend, "tlob"))
		return value_error(v, "--key needs BPF: the module has windows of threads only");
	if (o->key && o->functions.n)
		return value_error(v, "--key needs BPF, and --functions of a region the module: give one of them");
	for (i = 0; i < 2 && o->key; i++) {
		if (at[i] != TLOB_KEY_GOROUTINE && is_probe_name(place[i]))
			return value_error(v, "--key %s: %s is a static probe, which has its arguments anywhere: give a function, or goroutine",
					   o->key, place[i]);
		if (at[i] <= TLOB_KEY_ARGS && strchr(place[i], '+'))
			return value_error(v, "--key %s: %s is inside of a function, which has its arguments at its first instruction",
					   o->key, place[i]);
	}
	return 0;
}

static int check(void *config, const struct value *v)
{
	struct attach_config *o = config;
	char **rest = v->rest;		/* the words after --, up to NULL */
	int err;

	if (!o->program && *rest)
		o->program = *rest++;
	o->args = rest;
	if (o->json && o->output_dir)
		return value_error(v, "--json and --output-dir both say where the result goes: give one");
	if (o->functions.list)
		return 0;
	err = check_actions(o, v);
	if (!err && threads_are_chosen(o)) {
		err = check_threads(o, v);
		return err ? err : find_budget(o, v);
	}
	if (err)
		return err;
	if (o->rt || o->until)
		return value_error(v, "--%s is for activations of threads: give --tid, --pid, --comm or --cgroup, and no region",
				   o->rt ? "rt" : "until");
	if (!strcmp(o->backend, "bpf") && o->functions.n)
		return value_error(v, "--functions needs the module: --backend bpf measures no functions in a region");
	if (!o->program && !o->pid)
		return value_error(v, "no program: give PROGRAM, or --pid PID of a running process");
	if (o->program && !*o->program)
		return value_error(v, "PROGRAM is empty: give its name");
	if (o->pid && *rest)
		return value_error(v, "extra argument '%s': --pid is a running process, which takes no arguments",
				   *rest);
	if (o->pid && o->program && o->library)
		return value_error(v, "extra argument '%s': --pid and --library already name process and file",
				   o->program);
	if (!o->start && o->program && !o->program[strspn(o->program, "0123456789")])
		return value_error(v, "'%s' is a program here: --pid %s is the running process", o->program, o->program);
	if (!o->start || !o->stop)
		return value_error(v, "--%s is missing: give the place where the region %s",
				   o->start ? "stop" : "start",
				   o->start ? "ends" : "begins");
	if (!strcmp(o->start, o->stop))
		return value_error(v, "--start and --stop are both %s: give two different places",
				   o->start);
	if (!o->budget_ns)
		return value_error(v, "--budget is missing: give the longest time allowed, as in 5ms");
	err = check_key(o, v);
	return err ? err : function_requests_bind(&o->functions, o->assertion, o->nassertion, v->err,
				      v->size);
}

static const struct manual_option options[] = {
	{ .title = "Target",
	  .text = "PROGRAM is started with the arguments after --, and watched until it ends." },
	{ READ("pid", 'p', "PID", read_pid), .at = AT(int, pid), .kind = ARGUMENT_PID,
	  .basic = true, .brief = "watch a running process",
	  .more = "PROGRAM then only names the file with the symbols; by default it is the executable of PID." },
	{ READ("tid", 0, "TID", read_pid), .at = AT(int, tid),
	  .basic = true, .brief = "watch the activations of a thread",
	  .more = "Without --start and --stop a window is an activation: from the wake-up of a thread to the sleep in which it waits for the next one." },
	{ TEXT("comm", 0, "GLOB", comm, "a name of threads"),
	  .basic = true, .brief = "watch those of all threads with a matching name",
	  .more = "Example: 'pipewire*'." },
	CGROUP_OPTION(.brief = "watch the activations of all threads in a cgroup and below it"),
	{ FLAG("rt", 0, rt),
	  .brief = "of these threads, only those with a real-time policy",
	  .more = "With --pid and neither --start nor --stop: of the threads of the process. Threads that start later are watched from their first sleep on." },
	{ READ("until", 0, "CALL[,CALL]...", read_until),
	  .fallback = "any sleep, except for a lock",
	  .brief = "only a sleep in one of these system calls ends an activation",
	  .more = "Example: epoll_wait,clock_nanosleep. Other sleeps are then part of the activation, and futex stands for every wait in it, also for a mutex. Without it an activation ends at the next interruptible sleep, but not at a wait for a disk or a lock. The summary counts the activations that may have ended at a lock. Kernel threads and threads of 32-bit programs are skipped, with a note." },
	{ BACKEND_OF_OTHERS("cannot observe other threads"), .fallback = "auto", .brief = "tlob, bpf or auto",
	  .list = ENTRIES(
		{ "tlob", "the module" },
		{ "bpf", "BPF programs, no module" },
		{ "auto", "bpf where it is available; else tlob, for a region" }) },
	{ TEXT("library", 'l', "PATH", library, "the path of a library"), .kind = ARGUMENT_FILE,
	  .fallback = "PROGRAM",
	  .brief = "the shared library that contains both places" },
	{ READ("start", 0, "PLACE", read_place), .at = AT(const char *, start), .noun = PLACE,
	  .kind = ARGUMENT_SYMBOL, .basic = true, .brief = "where a window opens",
	  .more = "SYMBOL may be a C++ or Rust name, or the end of one: 'audio::Engine::process(int)', 'process(int)'.",
	  .list = ENTRIES(
		{ "SYMBOL", "the first instruction of a function" },
		{ "SYMBOL+OFFSET", "OFFSET bytes after it" },
		{ "0xOFFSET", "OFFSET bytes into the file" },
		{ "PROVIDER:NAME", "a static probe (USDT), at all its locations" }) },
	{ READ("stop", 0, "PLACE", read_place), .at = AT(const char *, stop), .noun = PLACE,
	  .kind = ARGUMENT_SYMBOL, .basic = true, .brief = "where it ends; PLACE as for --start" },
	{ READ("key", 0, "KEY[,KEY]", read_key), .fallback = "the thread",
	  .brief = "with bpf: a window belongs to this value, and may end on another thread",
	  .more = "The stop ends the window of the start that had the same value, as the address of a request. Where it is at --start, and after a comma where it is at --stop if elsewhere. At most 4096 windows are open at a time.",
	  .list = ENTRIES(
		{ "arg1 ... arg6", "an argument of the function, a number or an address" },
		{ "ret", "what the function returns: the window begins or ends there; at SYMBOL+OFFSET or 0xOFFSET, which is a ret instruction then" },
		{ "goroutine", "the goroutine of a Go program" }) },
	{ DURATION("budget", 'b', budget_ns, TLOB_THRESHOLD_MIN, TLOB_THRESHOLD_MAX),
	  .basic = true, .brief = "longest time allowed; 1us to 3600s",
	  .more = "Without it the deadline of the threads of --tid or --pid, if all of them are SCHED_DEADLINE and have the same one." },
	{ FLAG("all", 'a', all), .basic = true,
	  .brief = "count every process that executes the file",
	  .more = "This includes children. Without it only the process itself counts, with all its threads, and a note gives the number of excluded windows." },
	{ FLAG("waits", 0, waits), .basic = true,
	  .brief = "name the call in which a window waited longest, and who woke it",
	  .more = "This makes every context switch a little slower: docs/how-to/waits.md. Waits under 50us have no stack." },
	{ CHOICE("chain", 0, "HOW", "on off all", chain, "how"), .fallback = "on",
	  .brief = "with bpf: say what was behind the longest wait; on, off or all",
	  .more = "For the longest sleep inside of a late window: who computed, waited for a CPU or slept, and then woke whom, up to the thread. Kernels before 5.18 have none.",
	  .list = ENTRIES(
		{ "on", "follow the tasks that wake a watched thread, those that wake these, and so on: of a task that did it for the first time only the last turn on a CPU is known" },
		{ "all", "follow all tasks, at a higher cost" }) },
	FUNCTIONS_OPTION(" This counts the time of the task in them, and of interrupts while it runs:"),
	{ .title = "Duration", .text = "Without -d, until the process ends or SIGINT." },
	{ DURATION("duration", 'd', duration_ns, NSEC_PER_MSEC, NO_LIMIT), .basic = true,
	  .fallback = "no limit", .brief = "stop after T; 1ms or more",
	  .more = "A PROGRAM that was started gets SIGTERM; a PID keeps running." },
	{ .title = "Actions" },
	ACTION_OPTIONS("stop signal: shell:", "the program that is watched",
		{ "stop", "end the measurement there; the remaining actions follow" },),
	{ .title = "Output",
	  .after = "A started PROGRAM keeps its stdout, so the tool writes to stderr. With --pid it writes to stdout." },
	JSON_OPTION(json, "docs/reference/result.md describes it."),
	SITE_OPTIONS,
	{ OUTPUT("windows", 0, windows),
	  .brief = "write a line for each window, comma-separated, with its parts in ns" },
	{ OUTPUT("mappings", 0, mappings),
	  .brief = "write which files the process maps as code, like /proc/PID/maps",
	  .more = "It also catches programs that exit at once. Every mapping of any process is a little slower meanwhile." },
	HTML_OPTION(html, "write the HTML page that report would make"),
	ASSERTION_OPTIONS,
	{ FLAG("quiet", 'q', quiet),
	  .brief = "print only the summary, not a line for each violation" },
	PROGRESS_OPTION("10s; with --pid on a terminal, a table"),
	VERBOSE_OPTION,
	{ PERCENT("inexact", inexact, 100), .fallback = "1%",
	  .brief = "no verdict if more windows are not measured",
	  .more = "In those, events of the thread are missing: some kernels do not report every switch to tracers. They count as unmeasured and as nothing else. With more of them the first line does not say OK, and an assertion that holds is undecided." },
	{ READ("assert", 0, "COND", read_assertion), .basic = true,
	  .brief = "exit with 2 unless COND holds (repeatable)",
	  .more = "Examples: 'violations==0', 'missed==0', 'p99(response)<3ms', 'max(interval)<6ms'." },
	HELP_OPTION,
	VERSION_OPTION,
	{ .title = "Where a function returns",
	  .text = "No PLACE means \"on return\", because the kernel places a breakpoint on a single instruction. As --stop, use the function that is called next, or the offset of a ret instruction:",
	  .list = ENTRIES({ "objdump -d --disassemble=work PROGRAM | grep -w ret", NULL }),
	  .after = "OFFSET must be the first byte of an instruction; anywhere else it breaks the program." },
	{ .title = "Conditions",
	  .list = ENTRIES(
		{ "--assert", "STAT(METRIC) OP T; STAT is min, avg, max, p50 ... p99.9999 or es99 (expected shortfall: the mean of what is above p99), METRIC is response (from the start to the stop), interval (from the start of an activation to that of the next one of its thread), a part: wake.irq_delay work.on_cpu work.irq work.softirq work.nmi work.thread work.sleep work.steal, or func.NAME, a set of --functions. Or COUNTER OP N; COUNTER is windows violations missed lost inexact errors sum_failures clock_steps cut open unclear unmeasured skipped others. violations are of windows that ended; missed are those over the budget that did not; skipped are periods in which a thread with regular activations had none. Or adjusted_ns OP T. Or episodes/h OP N: responses over the budget that are at most a gap apart form one episode, and the 95 % confidence bound of the rate of episodes in this run is compared. An assertion without data is undecided, and so is a quantile of too few windows: p99.9 needs 2995." },
		{ "OP", "< <= > >= == !=" }) },
	{ 0 },
};

const struct manual manual_attach = {
	.name = "attach",
	.summary = "put a budget on threads or code of a program, show where time goes",
	.usage = {
		"attach PROGRAM --start PLACE --stop PLACE --budget T [OPTION]... [-- ARGUMENT...]",
		"attach --pid PID --start PLACE --stop PLACE --budget T [OPTION]...",
		"attach --tid TID|--pid PID|--comm GLOB|--cgroup PATH -b T",
	},
	.operands = ARGUMENT_PROGRAM,
	.brief = "Put a budget on a region of an unmodified program, or on each activation of threads. When it takes longer, show where the time went.",
	.more = "A window opens when a thread reaches --start and ends when the same thread reaches --stop, or with --key any thread with the same key. Reaching --start again deeper in the stack is a part of the window, which its outermost --stop ends; elsewhere the window begins anew, and the verdict is undecided.\n" DURATIONS,
	.options = options,
	.exits = EXITS_OF_ASSERTIONS,
	.after_exits = "Violations alone exit with 0, and so does a failed PROGRAM: the summary shows its exit status. A run without any window is an error.",
	.examples = ENTRIES(
		{ "tlob-load attach ./server --start handle --stop reply -b 5ms -- -p 8080",
		  "Start a server and watch its answers:" },
		{ "tlob-load attach -p 4242 --start work --stop work+0x4a -b 200us -d 60s",
		  "Watch one function of a running process:" },
		{ "tlob-load attach --pid 4242 --rt -b 1ms",
		  "Watch each wake-up of a process's real-time threads:" },
		{ "tlob-load attach -p 4242 -l /lib/x86_64-linux-gnu/libfoo.so.1 --start lock --stop unlock -b 1ms -q --json r.json --assert 'p99.9(work.thread)<100us'",
		  "Watch a library, and check a limit:" }),
	.size = sizeof(CONFIG),
	.defaults = &(const CONFIG){ .backend = BACKEND_AUTO, .act.wait_ns = ACTION_WAIT_NS, .inexact = 0.01 },
	.operand = CALL(read_program),
	.check = CALL(check),
};
