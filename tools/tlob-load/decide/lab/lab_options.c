// SPDX-License-Identifier: GPL-2.0
/* `tlob-load lab`: its options and its manual. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compare/decidable.h"
#include "compare/statistic.h"
#include "lab/bisect.h"
#include "lab/lab.h"
#include "lab/lab_try.h"
#include "options/backend_names.h"
#include "options/command.h"
#include "options/rows.h"
#include "options/run_config.h"
#include "options/started.h"
#include "result/stats.h"
#include "util/random.h"

#define CONFIG	struct lab_config

/* "+./a.ko" or "+nohz=off": a module's file ends in .ko, an argument of the kernel does not. */
static int add_to_kernel(const struct value *v, struct lab_kernel *k,
			 const char *word, size_t n)
{
	size_t have = strlen(k->arguments), name = strcspn(word, "=");

	if (n > 3 && !strncmp(word + n - 3, ".ko", 3)) {
		if (n >= sizeof(k->module[0]) || k->nmodules == LAB_MAX_MODULES)
			return value_error(v, "invalid kernel '%.60s': give at most %d modules, with names below %zu bytes",
					   v->arg, LAB_MAX_MODULES, sizeof(k->module[0]));
		memcpy(k->module[k->nmodules++], word, n);
		return 0;
	}
	if (!n || memchr(word, '/', name < n ? name : n))
		return value_error(v, "invalid kernel '%.60s': put the .ko file of a module or a kernel argument after each +",
				   v->arg);
	if (memchr(word, ' ', n))
		return value_error(v, "invalid kernel '%.60s': put a + instead of the space",
				   v->arg);
	if (have + n + 2 > sizeof(k->arguments))
		return value_error(v, "invalid kernel '%.60s': give at most %zu bytes of kernel arguments",
				   v->arg, sizeof(k->arguments) - 2);
	snprintf(k->arguments + have, sizeof(k->arguments) - have, "%s%.*s",
		 have ? " " : "", (int)n, word);
	return 0;
}

/* The name becomes a part of a path and an argument of a script. */
static int add_kernel(const struct value *v, struct lab_config *o, bool image)
{
	struct lab_kernel *k = &o->kernel[o->nkernels];
	const char *from = v->arg;
	size_t n = strcspn(from, "+");

	if (o->nkernels == LAB_MAX_KERNELS)
		return value_error(v, "extra kernel %s: give at most %d", v->arg,
				   LAB_MAX_KERNELS);
	if (!n || n >= sizeof(k->name))
		return value_error(v, "invalid kernel '%.60s': give one as in 6.12-rt, 6.12-rt+./mine.ko or 6.12-rt+nohz=off",
				   v->arg);
	if (!image && memchr(from, ':', n))
		return value_error(v, "invalid kernel '%.60s': put a + instead of the ':' before a kernel argument",
				   v->arg);
	k->text = v->arg;
	k->image = image;
	memcpy(k->name, from, n);
	for (from += n; *from == '+'; from += n) {
		n = strcspn(++from, "+");
		if (add_to_kernel(v, k, from, n))
			return -EINVAL;
	}
	o->nkernels++;
	return 0;
}

/* Reads into a field of the last kernel, which must be the file of an image without it. */
static int read_for_image(const struct value *v, struct lab_config *o, size_t field)
{
	struct lab_kernel *k = o->nkernels ? &o->kernel[o->nkernels - 1] : NULL;
	const char **to = k ? (const char **)((char *)k + field) : NULL;

	if (!to || (!k->image && !strchr(k->name, '/')) || *to)
		return value_error(v, "--%s %s: give it once, after its --image",
				   v->option->name, v->arg);
	return value_text(v, to);
}

static int read_modules(const struct value *v, void *to)
{
	return read_for_image(v, to, offsetof(struct lab_kernel, modules));
}

static int read_symbols(const struct value *v, void *to)
{
	return read_for_image(v, to, offsetof(struct lab_kernel, symbols));
}

static int read_metric(const struct value *v, void *to)
{
	struct lab_config *o = to;

	return add_statistic(v, o->metric, &o->nmetrics);
}

static int read_explain(const struct value *v, void *to)
{
	const char *window = v->arg ? v->arg : "p50";

	if (strcmp(window, "p50") && strcmp(window, "p99") && strcmp(window, "max") && strcmp(window, "mean"))
		return value_error(v, "--explain=%s: invalid window: give p50, p99, max or mean", v->arg);
	*(const char **)to = window;
	return 0;
}

/* A word among the options. */
static int read_kernel(const struct value *v, void *config)
{
	return add_kernel(v, config, false);
}

static int read_image(const struct value *v, void *to)
{
	return add_kernel(v, to, true);
}

static int check_comparison(const struct lab_config *o,
			    const struct run_config *run, const struct value *v)
{
	struct statistic s[STATISTICS_MAX];

	if (o->nmetrics)
		return check_decidable(v, o->pairs, o->metric, o->nmetrics, run);
	return check_decidable(v, o->pairs, s, default_statistics(s, o->deterministic), run);
}

/* "attach PROGRAM ...": a region is explained. */
static int check_region(struct lab_config *o, char **attach, const struct value *v)
{
	if (!o->explain || o->compare)
		return value_error(v, "after --: attach is for --explain without --compare");
	o->region = true;
	o->options = attach + 1;
	o->noptions--;
	return options_started(v, &o->attach, o->noptions + 1, attach, "start stop budget duration");
}

/* The windows of the warm-up are in the trace as well. */
static int fit_explained(struct lab_config *o, struct run_config *r, const struct value *v)
{
	uint64_t windows = r->windows, most = LAB_EXPLAINED;

	if (strcmp(r->backend, "auto") && strcmp(r->backend, "tlob"))
		return value_error(v, "after --: --backend %s: --explain reads the module's trace: leave it out",
				   r->backend);
	if (r->warm_up >= most)
		return value_error(v, "after --: --warm-up %" PRIu64 ": with --explain a run has at most %d windows: give fewer",
				   r->warm_up, LAB_EXPLAINED);
	most -= r->warm_up;
	if (r->duration_ns && (!windows || windows > r->duration_ns / r->period_ns))
		windows = r->duration_ns / r->period_ns;
	if (windows > most)
		o->windows = r->windows = most;
	return 0;
}

/* Each run of a bisection, or of an experiment, must have the statistic. */
static int check_length(const struct lab_config *o, const struct run_config *r, const struct value *v)
{
	uint64_t windows = r->duration_ns ? r->duration_ns / r->period_ns : r->windows;
	uint64_t least = statistic_fewest(&o->metric[0]);

	if (r->windows && r->windows < windows)
		windows = r->windows;
	return windows >= least ? 0 :
	       value_error(v, "after --: %s needs %" PRIu64 " windows, but a run has %" PRIu64 ": give longer ones, as in -- -d %" PRIu64 "s",
			   o->metric[0].text, least, windows,
			   (uint64_t)(least * r->period_ns / NSEC_PER_SEC + 1));
}

static int check_run(struct lab_config *o, char **run, const struct value *v)
{
	struct run_config r;

	o->options = run + 1;
	if (options_started(v, &r, o->noptions + 1, run, NULL))
		return -EINVAL;
	/* posix refuses a noise source */
	o->hooks = !strcmp(r.noise_source, "auto") &&
		   strcmp(r.backend, BACKEND_POSIX);
	if (!r.duration_ns && !r.windows)
		return value_error(v, "after --: the length of a run is missing: give one, as in -d 3s");
	if ((o->bisect || o->try.n) && check_length(o, &r, v))
		return -EINVAL;
	if (o->try.n)
		lab_describe_try(o, &r);
	if ((o->explain || o->bisect) && fit_explained(o, &r, v))
		return -EINVAL;
	return o->compare ? check_comparison(o, &r, v) : 0;
}

/* The statistic of each step. A mean has all instructions of all windows. */
static int choose_metric(struct lab_config *o, const struct value *v)
{
	char why[160];

	if (o->nmetrics > 1)
		return value_error(v, "--bisect needs one --metric: leave out the others");
	if (!o->nmetrics++)
		return statistic_parse(&o->metric[0], BISECT_METRIC, why, sizeof(why));
	if (o->metric[0].kind == STATISTIC_MISS_RATE)
		return value_error(v, "--metric miss-rate is not for --bisect: give a time, as in p99(wake)");
	return 0;
}

static int check_bisect(struct lab_config *o, const struct value *v)
{
	const char *words[2];
	unsigned int i;

	if (o->nkernels != 2)
		return value_error(v, "--bisect needs two revisions, GOOD and BAD");
	if (!o->tree)
		return value_error(v, "--bisect needs --tree LINUX, a git repository");
	if (o->compare || o->explain)
		return value_error(v, "--bisect excludes --compare and --explain");
	if (o->margin && o->instructions)
		return value_error(v, "--bisect takes either --margin or --instructions");
	for (i = 0; i < 2; i++) {
		if (o->kernel[i].image)
			return value_error(v, "--image is not for --bisect: give a revision of --tree");
		words[i] = strchrnul(o->kernel[i].text, '+');
	}
	if (strcmp(words[0], words[1]))
		return value_error(v, "--bisect: give GOOD and BAD the same words after +");
	/* so that the same command continues a bisection */
	if (!o->has_seed)
		o->seed = 1;
	if (!o->pairs)
		o->pairs = 1;
	o->deterministic = true;
	return choose_metric(o, v);
}

static bool has_revision(const struct lab_config *o)
{
	unsigned int i;

	for (i = 0; i < o->nkernels; i++)
		if (strchr(o->kernel[i].name, '@'))
			return true;
	return false;
}

/* Options that only kernels from a tree of the user have. */
static int check_sources(struct lab_config *o, const struct value *v)
{
	if (o->bisect)
		return check_bisect(o, v);
	if (o->tree || o->instructions)
		return value_error(v, "--tree and --instructions need --bisect");
	if ((o->config || o->keep) && !has_revision(o))
		return value_error(v, "--config and --keep need --bisect or a revision, as in ./linux@v6.12");
	return 0;
}

/* The run that lab makes without options of run. */
static const char *default_length(const struct lab_config *o)
{
	if (o->bisect || o->try.n)
		return "4s";
	return o->explain && !o->compare ? "1s" : "10s";
}

static int check(void *config, const struct value *v)
{
	static char *defaults[] = {
		(char *)"run", (char *)"--work", (char *)"none",
		(char *)"--period", (char *)"1ms", (char *)"-d", NULL, NULL,
	};
	struct lab_config *o = config;
	char **run = v->rest - 1;

	o->noptions = v->nrest;
	if (!o->has_seed)
		o->seed = random_seed();
	if (!o->nkernels)
		return value_error(v, "no kernel: give one, as in 6.12-rt");
	if (o->compare && o->nkernels < 2)
		return value_error(v, "--compare needs two kernels; give the same one twice to check the lab itself");
	if ((o->nmetrics || o->margin) && !o->compare && !o->bisect && !o->try.n)
		return value_error(v, "--metric and --margin need --compare, --bisect or --try");
	if (check_sources(o, v) || lab_check_try(o, v))
		return -EINVAL;
	/* it counts instructions, and one boot is as good as ten: they are copies */
	o->deterministic |= !!o->explain;
	if (!o->pairs)
		o->pairs = o->explain && !o->compare ? 1 : 10;
	if (o->deterministic && o->smp > 1)
		return value_error(v, "--deterministic needs one CPU: leave out --smp");
	if ((o->explain || o->bisect) && strchr(o->dir, ','))
		return value_error(v, "--dir %s: --explain passes the name to QEMU, which ends it at a comma",
				   o->dir);
	if (o->noptions && !strcmp(run[1], "attach"))
		return check_region(o, run + 1, v);
	if (!o->noptions) {
		run = defaults;
		run[6] = (char *)default_length(o);
		o->noptions = 6;
		o->default_options = true;
	} else {
		run[0] = (char *)"run";
	}
	return check_run(o, run, v);
}

static const struct manual_option options[] = {
	{ .title = "Kernels",
	  .text = "KERNEL is an argument of scripts/fetch-kernel: 6.1, 6.12, 6.12-rt, a Debian package linux-image-..., or a kernel that scripts/build-kernel makes. It may also be your own: TREE@REV builds a revision of a Linux git repository; with a / in its name, a built tree, or a bzImage; FILE.deb a package with its headers' package next to it. +FILE.ko adds a module to load after tlob_load, any other +WORD a kernel argument: 6.12-rt+./mine.ko+mine.debug=1+nohz=off. --compare names the arguments that differ, and the tuning that results." },
	{ READ("image", 0, "FILE", read_image), .kind = ARGUMENT_FILE,
	  .brief = "a bzImage in place of a KERNEL; +FILE.ko and +WORD as above" },
	{ READ("modules", 0, "DIR", read_modules), .noun = "a directory", .kind = ARGUMENT_DIR,
	  .brief = "directory with the tlob_load.ko for that image",
	  .more = "It may be at any depth, and is not needed if it is built in." },
	{ READ("symbols", 0, "FILE", read_symbols), .noun = "a file", .kind = ARGUMENT_FILE,
	  .brief = "for --explain: System.map of that image, or a copy of its /proc/kallsyms",
	  .more = "Not needed if the guest has /proc/kallsyms. Symbols of modules come from the guest." },
	{ TEXT("config", 0, "FILE", config, "a file"), .kind = ARGUMENT_FILE,
	  .brief = "configuration of the kernels that are built, on top of a small one",
	  .more = "Lines like in .config: CONFIG_PREEMPT_RT=y." },
	{ FLAG("keep", 0, keep), .brief = "keep the worktree and the objects in DIR, 2.1 GB",
	  .more = "The next lab in this directory then compiles only what differs." },
	{ .title = "Bisection",
	  .text = "--bisect builds commits between GOOD and BAD, revisions of a git repository of Linux, with the module, and boots each with the same seed as GOOD. It needs no --deterministic. The same command continues after an interruption. It ends with the first bad commit, and which functions it made longer: docs/how-to/bisect.md." },
	{ FLAG("bisect", 0, bisect), .basic = true,
	  .brief = "find the commit that made a wake-up longer" },
	{ TEXT("tree", 0, "LINUX", tree, "a directory"), .kind = ARGUMENT_DIR, .basic = true,
	  .brief = "the git repository",
	  .more = "Its files and branches are not changed." },
	{ COUNT("instructions", 0, "N", instructions, 1, 1000000),
	  .fallback = "half of the increase in BAD",
	  .brief = "for --bisect: this many more than GOOD are bad, instead of --margin" },
	{ .title = "Options" },
	{ COUNT("pairs", 'n', "N", pairs, 1, STATS_MAX_PAIRS), .basic = true,
	  .fallback = "10; --explain, --bisect: 1", .brief = "runs of each, 1 to 400" },
	{ FLAG("deterministic", 0, deterministic), .basic = true,
	  .brief = "count instructions instead of time, on one CPU",
	  .more = "Every machine gives the same numbers. Each pair of runs has its own seed, phase, memory size and stack." },
	{ READ("explain", 0, "[=W]", read_explain), .at = AT(const char *, explain),
	  WORDS("p50 p99 max mean"), .basic = true, .fallback = "p50",
	  .brief = "count the instructions of each function in a window",
	  .more = "W is p50, p99 or max of wake, or mean, over all windows. With several kernels it says which functions make the difference. Implies --deterministic." },
	{ FLAG("compare", 0, compare), .basic = true,
	  .brief = "compare the first kernel with each of the others" },
	{ READ("metric", 'm', "STAT", read_metric), .basic = true,
	  .brief = "for --compare and --try: as in tlob-load compare and try", .more = "Repeatable for --compare." },
	{ PERCENT_TEXT("margin", margin, 1000), .basic = true,
	  .brief = "for --compare and --try: as in tlob-load compare and try" },
	{ TEXT("dir", 0, "DIR", dir, "the name of a directory"), .kind = ARGUMENT_DIR,
	  .basic = true, .fallback = "tlob-lab",
	  .brief = "directory for the results, DIR/KERNEL/NNN.json" },
	{ COUNT("seed", 0, "N", seed, 0, UINT32_MAX), GIVEN(has_seed), .fallback = "random; --bisect: 1",
	  .brief = "seed of all random choices, 0 to 4294967295" },
	{ COUNT("smp", 0, "N", smp, 1, 64), .fallback = "1", .brief = "CPUs of a guest, 1 to 64" },
	{ COUNT("jobs", 'j', "N", jobs, 1, LAB_MAX_JOBS), .basic = true, .fallback = "1",
	  .brief = "guests at a time, 1 to 64" },
	{ COUNT("timeout", 0, "S", timeout, 10, 3600), .fallback = "300",
	  .brief = "seconds for each guest, 10 to 3600" },
	{ FLAG("quiet", 'q', quiet), .brief = "print neither the progress nor where the results are" },
	{ .title = "Experiment",
	  .text = "With --try, guests measure the KERNEL with and without arguments, as tlob-load try measures settings, and each argument gets a verdict. In deterministic guests the boots without arguments serve all comparisons, because they are copies; otherwise each comparison boots its own, in random order." },
	{ READ("try", 0, "ARGUMENTS", lab_read_try), .basic = true,
	  .brief = "find out whether these kernel arguments help (repeatable)",
	  .more = "The arguments of one --try are set together, e.g. --try 'nohz_full=1 rcu_nocbs=1'." },
	{ DURATION("within", 0, try.within_ns, NSEC_PER_SEC, 365 * 86400ULL * NSEC_PER_SEC),
	  .fallback = "no limit", .brief = "end after this time; 1s to 365d" },
	{ FLAG("resume", 0, try.resume), .brief = "make only the runs that are missing in DIR" },
	{ FLAG("dry-run", 0, try.dry_run), .basic = true, .brief = "print the plan and boot nothing" },
	JSON_OPTION(try.out[TRIAL_JSON], "docs/reference/try.schema.json describes it."),
	HELP_OPTION,
	{ .title = "Options of run",
	  .text = "As for tlob-load run, without --seed, --trace and options that write files. The default is --work none --period 1ms -d 10s; -d 4s for --bisect and --try, -d 1s for --explain alone. With --explain a run ends after 5000 windows, because its trace holds few more. An assertion that fails in a guest makes lab exit with 2, one that is undecided with 3, but not with --bisect and --try. The noise source is hooks unless the options name one, or --backend posix, which has none: some kernels lack osnoise, and with osnoise a wake-up takes longer." },
	{ .title = "Regions of a program",
	  .text = "With --explain and the word attach after --, the guests run tlob-load attach, and the instructions of that region are counted, with the functions of the program: lab --explain 6.12-rt -- attach ./orders --start handle --stop reply -b 1s -- ARGUMENT... PROGRAM is a path on this machine. Its options are --start, --stop, --budget and --duration." },
	{ .title = "Requirements",
	  .text = "lab needs the source tree and the packages of scripts/deps demo; to build kernels, those of scripts/deps debug. Set TLOB_TREE to the tree if tlob-load is not started from it." },
	{ 0 },
};

const struct manual manual_lab = {
	.name = "lab",
	.summary = "make the same runs on several kernels, in virtual machines",
	.usage = { "lab [OPTION]... KERNEL... [-- OPTION OF run]...",
		   "lab --try ARGUMENTS [OPTION]... KERNEL [-- OPTION OF run]...",
		   "lab --bisect GOOD BAD --tree LINUX [-- OPTION OF run]..." },
	.operands = ARGUMENT_KERNEL,
	.behind = &manual_run,
	.brief = "Boot each kernel in a virtual machine and measure in it, several times, in random order. With --compare, decide whether a kernel is worse than the first.",
	.options = options,
	.exits = ENTRIES({ "0", "all ran, with --compare OK, with --try all decided" }, { "1", "error" },
			 { "2", "REGRESSION, or an assertion of a guest failed" },
			 { "3", "INCONCLUSIVE, an assertion of a guest is undecided, or an argument of --try is still open" }, { "77", "not supported on this machine" }, { "129", "usage error" }),
	.examples = ENTRIES(
		{ "tlob-load lab --deterministic --compare 6.12 6.12-rt",
		  "Did the wake-up path get longer?" },
		{ "tlob-load lab --try 'nohz_full=1 rcu_nocbs=1' --try mitigations=off 6.12-rt",
		  "Which arguments help?" }),
	.size = sizeof(CONFIG),
	.defaults = &(const CONFIG){ .jobs = 1, .smp = 1, .timeout = 300, .dir = "tlob-lab" },
	.operand = CALL(read_kernel),
	.check = CALL(check),
};

static enum exit_code call(void *config, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	const struct lab_config *o = config;

	return o->try.n ? lab_try(o) : o->bisect ? bisect_carry_out(o) : lab_carry_out(o);
}

const struct command cmd_lab = { .manual = &manual_lab, .run = CALL(call) };
