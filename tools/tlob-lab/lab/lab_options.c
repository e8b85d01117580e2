// SPDX-License-Identifier: GPL-2.0
/* The commands of tlob-lab: their options and their manuals. */
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
static int check_region(struct lab_config *o, const struct value *v)
{
	o->region = true;
	o->options = v->rest + 1;
	o->noptions = v->nrest - 1;
	return options_started(v, &o->attach, v->nrest, v->rest, "start stop budget duration");
}

/* The windows of the warm-up are in the trace as well. */
static int fit_explained(struct lab_config *o, struct run_config *r, const struct value *v)
{
	uint64_t windows = r->windows, most = LAB_EXPLAINED;

	if (strcmp(r->backend, "auto") && strcmp(r->backend, "tlob"))
		return value_error(v, "after --: --backend %s: %s reads the module's trace: leave it out",
				   r->backend, v->command->name);
	if (r->warm_up >= most)
		return value_error(v, "after --: --warm-up %" PRIu64 ": a run that is explained has at most %d windows: give fewer",
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

/* The options of run, and what they say; those of a run of @length unless the line has some. */
static int read_run(struct lab_config *o, struct run_config *r, const char *length, const struct value *v)
{
	static char *defaults[] = {
		(char *)"run", (char *)"--work", (char *)"none",
		(char *)"--period", (char *)"1ms", (char *)"-d", NULL, NULL,
	};
	char **run = v->rest - 1;

	o->noptions = v->nrest;
	if (!o->noptions) {
		run = defaults;
		run[6] = (char *)length;
		o->noptions = 6;
		o->default_options = true;
	} else {
		run[0] = (char *)"run";
	}
	o->options = run + 1;
	if (options_started(v, r, o->noptions + 1, run, NULL))
		return -EINVAL;
	/* posix refuses a noise source */
	o->hooks = !strcmp(r->noise_source, "auto") && strcmp(r->backend, BACKEND_POSIX);
	return r->duration_ns || r->windows ? 0 :
	       value_error(v, "after --: the length of a run is missing: give one, as in -d 3s");
}

static bool has_revision(const struct lab_config *o)
{
	unsigned int i;

	for (i = 0; i < o->nkernels; i++)
		if (strchr(o->kernel[i].name, '@'))
			return true;
	return false;
}

/* The options that run and explain share. */
static int check_kernels(struct lab_config *o, const struct value *v)
{
	if (!o->has_seed)
		o->seed = random_seed();
	if (!o->nkernels)
		return value_error(v, "no kernel: give one, as in 6.12-rt");
	if ((o->config || o->keep) && !has_revision(o))
		return value_error(v, "--config and --keep need a revision, as in ./linux@v6.12");
	return 0;
}

/* The plugin writes to it. */
static int check_dir(const struct lab_config *o, const struct value *v)
{
	return !strchr(o->dir, ',') ? 0 :
	       value_error(v, "--dir %s: %s passes the name to QEMU, which ends it at a comma",
			   o->dir, v->command->name);
}

static int check_outputs(const struct lab_config *o, const struct value *v)
{
	bool json = o->out[OUT_JSON], others = false;
	int i;

	for (i = OUT_JSON + 1; i < NR_OUTPUTS; i++)
		others = others || o->out[i];
	if (others && !o->compare)
		return value_error(v, "--junit, --ktap, --markdown and --html need --compare");
	if (json && !o->compare && !o->try.n)
		return value_error(v, "--json needs --compare or --try");
	if ((json || others) && o->nkernels > 2)
		return value_error(v, "a file has one comparison, and these kernels make %u: give two kernels, or compare the results in %s with tlob-load compare",
				   o->nkernels - 1, o->dir);
	return 0;
}

static int check_lab(void *config, const struct value *v)
{
	struct lab_config *o = config;
	struct run_config r;

	if (check_kernels(o, v))
		return -EINVAL;
	if (o->compare && o->nkernels < 2)
		return value_error(v, "--compare needs two kernels; give the same one twice to check the lab itself");
	if ((o->nmetrics || o->margin) && !o->compare && !o->try.n)
		return value_error(v, "--metric and --margin need --compare or --try");
	if (check_outputs(o, v) || lab_check_try(o, v))
		return -EINVAL;
	if (!o->pairs)
		o->pairs = 10;
	if (o->deterministic && o->smp > 1)
		return value_error(v, "--deterministic needs one CPU: leave out --smp");
	if (read_run(o, &r, o->try.n ? "4s" : "10s", v) || (o->try.n && check_length(o, &r, v)))
		return -EINVAL;
	if (o->try.n)
		lab_describe_try(o, &r);
	return o->compare ? check_comparison(o, &r, v) : 0;
}

static int check_explain(void *config, const struct value *v)
{
	struct lab_config *o = config;
	struct run_config r;

	if (check_kernels(o, v) || check_dir(o, v))
		return -EINVAL;
	if (v->nrest && !strcmp(v->rest[0], "attach"))
		return check_region(o, v);
	return read_run(o, &r, "1s", v) ? -EINVAL : fit_explained(o, &r, v);
}

/* The statistic of each step. A mean has all instructions of all windows. */
static int choose_metric(struct lab_config *o, const struct value *v)
{
	char why[160];

	if (o->nmetrics > 1)
		return value_error(v, "bisect needs one --metric: leave out the others");
	if (!o->nmetrics++)
		return statistic_parse(&o->metric[0], BISECT_METRIC, why, sizeof(why));
	if (o->metric[0].kind == STATISTIC_MISS_RATE)
		return value_error(v, "--metric miss-rate is not for bisect: give a time, as in p99(wake)");
	return 0;
}

static int check_bisect(void *config, const struct value *v)
{
	struct lab_config *o = config;
	struct run_config r;

	if (o->nkernels != 2)
		return value_error(v, "two revisions are needed: give GOOD and BAD");
	if (!o->tree)
		return value_error(v, "--tree LINUX is missing: give a git repository of Linux");
	if (o->margin && o->instructions)
		return value_error(v, "--margin and --instructions both say what is bad: give one");
	if (strcmp(strchrnul(o->kernel[0].text, '+'), strchrnul(o->kernel[1].text, '+')))
		return value_error(v, "GOOD and BAD differ in the words after +: give them the same");
	if (check_dir(o, v) || choose_metric(o, v) || read_run(o, &r, "4s", v) || check_length(o, &r, v))
		return -EINVAL;
	return fit_explained(o, &r, v);
}

/* Rows that several commands have. */
#define KERNELS_SECTION \
	{ .title = "Kernels", \
	  .text = "KERNEL is an argument of scripts/fetch-kernel: 6.1, 6.12, 6.12-rt, a Debian package linux-image-..., or a kernel that scripts/build-kernel makes. It may also be your own: TREE@REV builds a revision of a Linux git repository; with a / in its name, a built tree, or a bzImage; FILE.deb a package with its headers' package next to it. +FILE.ko adds a module to load after tlob_load, any other +WORD a kernel argument: 6.12-rt+./mine.ko+mine.debug=1+nohz=off. run --compare names the arguments that differ, and the tuning that results." }, \
	{ READ("image", 0, "FILE", read_image), .kind = ARGUMENT_FILE, \
	  .brief = "a bzImage in place of a KERNEL; +FILE.ko and +WORD as above" }, \
	{ READ("modules", 0, "DIR", read_modules), .noun = "a directory", .kind = ARGUMENT_DIR, \
	  .brief = "directory with the tlob_load.ko for that image", \
	  .more = "It may be at any depth, and is not needed if it is built in." }

#define BUILD_OPTIONS \
	{ TEXT("config", 0, "FILE", config, "a file"), .kind = ARGUMENT_FILE, \
	  .brief = "configuration of the kernels that are built, on top of a small one", \
	  .more = "Lines like in .config: CONFIG_PREEMPT_RT=y." }, \
	{ FLAG("keep", 0, keep), .brief = "keep the worktree and the objects in DIR, 2.1 GB", \
	  .more = "The next lab in this directory then compiles only what differs." }

#define PAIRS_OPTION(fallback_) \
	{ COUNT("pairs", 'n', "N", pairs, 1, STATS_MAX_PAIRS), .basic = true, \
	  .fallback = fallback_, .brief = "runs of each, 1 to 400" }

#define METRIC_OPTION(brief_) \
	READ("metric", 'm', "STAT", read_metric), .basic = true, .brief = brief_

#define GUESTS_OPTIONS(seed_) \
	{ TEXT("dir", 0, "DIR", dir, "the name of a directory"), .kind = ARGUMENT_DIR, \
	  .basic = true, .fallback = "tlob-lab", \
	  .brief = "directory for the results, DIR/KERNEL/NNN.json" }, \
	{ COUNT("seed", 0, "N", seed, 0, UINT32_MAX), GIVEN(has_seed), .fallback = seed_, \
	  .brief = "seed of all random choices, 0 to 4294967295" }, \
	{ COUNT("jobs", 'j', "N", jobs, 1, LAB_MAX_JOBS), .basic = true, .fallback = "1", \
	  .brief = "guests at a time, 1 to 64" }, \
	{ COUNT("timeout", 0, "S", timeout, 10, 3600), .fallback = "300", \
	  .brief = "seconds for each guest, 10 to 3600" }, \
	{ FLAG("quiet", 'q', quiet), .brief = "print neither the progress nor where the results are" }

#define RUN_SECTION(length, more_) \
	{ .title = "Options of run", \
	  .text = "As for tlob-load run, without --seed, --trace and options that write files. The default is --work none --period 1ms -d " length ". " more_ "The noise source is hooks unless the options name one, or --backend posix, which has none: some kernels lack osnoise, and with osnoise a wake-up takes longer." }

#define EXITS_OF_ASSERTIONS_IN_GUESTS \
	"An assertion that fails in a guest makes the exit status 2, one that is undecided 3. "
#define EXPLAINED_WINDOWS \
	"A run that is explained ends after 5000 windows, because its trace holds few more. "
#define GUESTS_DEFAULTS	.jobs = 1, .smp = 1, .timeout = 300, .dir = "tlob-lab"

static const struct manual_option lab_options[] = {
	KERNELS_SECTION,
	BUILD_OPTIONS,
	{ .title = "Options" },
	PAIRS_OPTION("10"),
	{ FLAG("deterministic", 0, deterministic), .basic = true,
	  .brief = "count instructions instead of time, on one CPU",
	  .more = "Every machine gives the same numbers. Each pair of runs has its own seed, phase, memory size and stack." },
	{ FLAG("compare", 0, compare), .basic = true,
	  .brief = "compare the first kernel with each of the others" },
	{ METRIC_OPTION("for --compare and --try: as in tlob-load compare and try"), .more = "Repeatable for --compare." },
	{ PERCENT_TEXT("margin", margin, 1000), .basic = true,
	  .brief = "for --compare and --try: as in tlob-load compare and try" },
	GUESTS_OPTIONS("random"),
	{ COUNT("smp", 0, "N", smp, 1, 64), .fallback = "1", .brief = "CPUs of a guest, 1 to 64" },
	{ .title = "Experiment",
	  .text = "With --try, guests measure the KERNEL with and without arguments, as tlob-load try measures settings, and each argument gets a verdict. In deterministic guests the boots without arguments serve all comparisons, because they are copies; otherwise each comparison boots its own, in random order." },
	{ READ("try", 0, "ARGUMENTS", lab_read_try), .basic = true,
	  .brief = "find out whether these kernel arguments help (repeatable)",
	  .more = "The arguments of one --try are set together, e.g. --try 'nohz_full=1 rcu_nocbs=1'." },
	{ DURATION("within", 0, try.within_ns, NSEC_PER_SEC, 365 * 86400ULL * NSEC_PER_SEC),
	  .fallback = "no limit", .brief = "end after this time; 1s to 365d" },
	{ FLAG("resume", 0, try.resume), .brief = "make only the runs that are missing in DIR" },
	{ FLAG("dry-run", 0, try.dry_run), .basic = true, .brief = "print the plan and boot nothing" },
	{ .title = "Files", .text = "Of --compare with two kernels; --json also of --try. FILE may be - for stdout." },
	COMPARISON_OUTPUTS(out, "docs/reference/comparison.md describes it, and docs/reference/try.schema.json that of --try."),
	HELP_OPTION,
	RUN_SECTION("10s, with --try -d 4s", EXITS_OF_ASSERTIONS_IN_GUESTS "But not with --try. "),
	{ 0 },
};

const struct manual manual_lab = {
	.name = "run",
	.summary = "make the same runs on several kernels, in virtual machines",
	.usage = { "run [OPTION]... KERNEL... [-- OPTION OF run]...",
		   "run --try ARGUMENTS [OPTION]... KERNEL [-- OPTION OF run]..." },
	.operands = ARGUMENT_KERNEL,
	.brief = "Boot each kernel in a virtual machine and measure in it, several times, in random order. With --compare, decide whether a kernel is worse than the first.",
	.options = lab_options,
	.exits = ENTRIES({ "0", "all ran, with --compare OK, with --try all decided" }, { "1", "error" },
			 { "2", "REGRESSION, or an assertion of a guest failed" },
			 { "3", "INCONCLUSIVE, an assertion of a guest is undecided, or an argument of --try is still open" }, { "77", "not supported on this machine" }, { "129", "usage error" }),
	.examples = ENTRIES(
		{ "tlob-lab run --deterministic --compare 6.12 6.12-rt",
		  "Did the wake-up path get longer?" },
		{ "tlob-lab run --try 'nohz_full=1 rcu_nocbs=1' --try mitigations=off 6.12-rt",
		  "Which arguments help?" }),
	.behind = &manual_run,
	.size = sizeof(CONFIG),
	.defaults = &(const CONFIG){ GUESTS_DEFAULTS },
	.operand = CALL(read_kernel),
	.check = CALL(check_lab),
};

static const struct manual_option explain_options[] = {
	KERNELS_SECTION,
	{ READ("symbols", 0, "FILE", read_symbols), .noun = "a file", .kind = ARGUMENT_FILE,
	  .brief = "the System.map of that image, or a copy of its /proc/kallsyms",
	  .more = "Not needed if the guest has /proc/kallsyms. Symbols of modules come from the guest." },
	BUILD_OPTIONS,
	{ .title = "Options" },
	{ WORD("window", "W", "p50 p99 max mean", explain, "window"), .basic = true, .fallback = "p50",
	  .brief = "p50, p99 or max of wake; mean: all windows" },
	PAIRS_OPTION("1"),
	GUESTS_OPTIONS("random"),
	HELP_OPTION,
	RUN_SECTION("1s", EXPLAINED_WINDOWS EXITS_OF_ASSERTIONS_IN_GUESTS),
	{ .title = "Regions of a program",
	  .text = "With the word attach after --, the guests run tlob-load attach, and the instructions of that region are counted, with the functions of the program: tlob-lab explain 6.12-rt -- attach ./orders --start handle --stop reply -b 1s -- ARGUMENT... PROGRAM is a path on this machine. Its options are --start, --stop, --budget and --duration." },
	{ 0 },
};

const struct manual manual_explain = {
	.name = "explain",
	.summary = "count the instructions of each function, in virtual machines",
	.usage = { "explain [OPTION]... KERNEL... [-- OPTION OF run]...",
		   "explain [OPTION]... KERNEL... -- attach PROGRAM OPTION OF attach..." },
	.operands = ARGUMENT_KERNEL,
	.brief = "Boot each kernel and count the instructions of each function in a window. With several kernels it says which functions make the difference.",
	.options = explain_options,
	.exits = ENTRIES({ "0", "explained" }, { "1", "error" }, { "2", "an assertion of a guest failed" },
			 { "3", "an assertion of a guest is undecided" },
			 { "77", "not supported on this machine" }, { "129", "usage error" }),
	.examples = ENTRIES({ "tlob-lab explain --seed 1 6.12 6.12-rt", "What does PREEMPT_RT add to a wake-up?" }),
	.behind = &manual_run,
	.size = sizeof(CONFIG),
	.defaults = &(const CONFIG){ GUESTS_DEFAULTS, .explain = "p50", .pairs = 1, .deterministic = true },
	.operand = CALL(read_kernel),
	.check = CALL(check_explain),
};

static const struct manual_option bisect_options[] = {
	{ .title = "Options",
	  .text = "The same command continues after an interruption. It ends with the first bad commit, and which functions it made longer: docs/how-to/bisect.md." },
	{ TEXT("tree", 0, "LINUX", tree, "a directory"), .kind = ARGUMENT_DIR, .basic = true,
	  .brief = "the git repository",
	  .more = "Its files and branches are not changed." },
	{ COUNT("instructions", 0, "N", instructions, 1, 1000000), .basic = true,
	  .fallback = "half of what BAD has", .brief = "so many more than GOOD are bad" },
	{ PERCENT_TEXT("margin", margin, 1000), .basic = true, .brief = "so much more than GOOD is bad" },
	{ METRIC_OPTION("a time, as in tlob-load compare"), .fallback = BISECT_METRIC },
	PAIRS_OPTION("1"),
	BUILD_OPTIONS,
	GUESTS_OPTIONS("1"),
	HELP_OPTION,
	RUN_SECTION("4s", EXPLAINED_WINDOWS),
	{ 0 },
};

const struct manual manual_bisect = {
	.name = "bisect",
	.summary = "find the commit that made a wake-up longer, in virtual machines",
	.usage = { "bisect GOOD BAD --tree LINUX [OPTION]... [-- OPTION OF run]..." },
	.brief = "Build commits between GOOD and BAD, revisions of a git repository of Linux, with the module, and boot each with the same seed as GOOD. A +WORD behind both is a kernel argument.",
	.options = bisect_options,
	.exits = ENTRIES({ "0", "found" }, { "1", "error" },
			 { "3", "BAD is not worse than GOOD, or only skipped commits are left" },
			 { "77", "not supported on this machine" }, { "129", "usage error" }),
	.examples = ENTRIES({ "tlob-lab bisect v6.12 v6.13 --tree ~/linux", "Which commit made the wake-up longer?" }),
	.behind = &manual_run,
	.size = sizeof(CONFIG),
	/* so that the same command continues */
	.defaults = &(const CONFIG){ GUESTS_DEFAULTS, .seed = 1, .pairs = 1, .deterministic = true },
	.operand = CALL(read_kernel),
	.check = CALL(check_bisect),
};

static enum exit_code call_lab(void *config, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	const struct lab_config *o = config;

	return o->try.n ? lab_try(o) : lab_carry_out(o);
}

static enum exit_code call_bisect(void *config, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return bisect_carry_out(config);
}

const struct command cmd_lab = { .manual = &manual_lab, .run = CALL(call_lab) };
const struct command cmd_explain = { .manual = &manual_explain, .run = CALL(call_lab) };
const struct command cmd_bisect = { .manual = &manual_bisect, .run = CALL(call_bisect) };
