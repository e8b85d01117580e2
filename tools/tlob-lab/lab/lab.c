// SPDX-License-Identifier: GPL-2.0
/* Getting kernels and modules ready for their boots, and comparing the results. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compare/plan.h"
#include "lab/kernel_source.h"
#include "lab/lab.h"
#include "lab/lab_explain.h"
#include "lab/lab_guests.h"
#include "lab/tree.h"
#include "read/read.h"
#include "result/comparable.h"
#include "result/stats.h"
#include "util/error.h"
#include "util/file.h"
#include "util/process.h"
#include "util/random.h"
#include "util/signals.h"
#include "util/wrap.h"

int lab_call(char *const argv[], const char *log)
{
	pid_t pid = process_start(argv, log);

	if (pid < 0)
		return pid;
	signals_wait_child();
	if (signal_end())
		kill(pid, SIGTERM);
	return process_wait(pid);
}

/* The output of the script goes to DIR/SCRIPT.log. */
static int call_script(const struct lab *lab, const char *script,
		       const char *argument)
{
	char path[PATH_MAX], log[PATH_MAX], why[LAB_REASON];
	char *argv[] = { path, (char *)argument, NULL };
	int status = tree_script(path, script);

	snprintf(log, sizeof(log), "%.4000s/%s.log", lab->o->dir, script);
	if (!status)
		status = lab_call(argv, log);
	if (signal_end())
		return fail(-EINTR, "interrupted by %s during %s %s: see %s", signal_name(signal_end()),
			    script, argument, log);
	return status > 0 ? fail(-EIO, "%s %s failed with exit code %d: %s: see %s",
				 script, argument, status, lab_reason(why, log), log) :
			    status;
}

static char found[PATH_MAX];		/* nftw() has no argument for it */

static int look(const char *path, const struct stat *st, int type,
		struct FTW *ftw)
{
	(void)st;
	if (type != FTW_F || strcmp(path + ftw->base, "tlob_load.ko"))
		return 0;
	snprintf(found, sizeof(found), "%s", path);
	return 1;
}

/* Finds the module for --image in --modules. Without --modules it is built in. */
static int find_module(struct lab *lab, unsigned int i)
{
	const struct lab_kernel *k = &lab->o->kernel[i];
	struct stat st;

	if (stat(k->name, &st) || access(k->name, R_OK))
		return fail(-errno, "--image %s: %s", k->name, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail(-EINVAL, "--image %s: not a file: give a bzImage or a vmlinuz", k->name);
	/* it is read after the first boot */
	if (k->symbols && access(k->symbols, R_OK))
		return fail(-errno, "--symbols %s: %s", k->symbols, strerror(errno));
	if (!k->modules)
		return 0;
	found[0] = 0;
	if (nftw(k->modules, look, 16, FTW_PHYS) < 0)
		return fail(-errno, "--modules %s: %s", k->modules,
			    strerror(errno));
	if (!found[0])
		return fail(-ENOENT, "--modules %s: the directory contains no tlob_load.ko",
			    k->modules);
	snprintf(lab->own[i], sizeof(lab->own[i]), "%s", found);
	return 0;
}

/* scripts/vm decides in the same way: by the name of a kernel, or the magic number of an image. */
bool lab_is_arm64(const struct lab_kernel *k)
{
	static const char end[] = "-arm64";
	size_t n = strlen(k->name);
	char magic[4] = "";
	FILE *f;

	if (!k->image)
		return n >= sizeof(end) - 1 && !strcmp(k->name + n - (sizeof(end) - 1), end);
	f = fopen(k->name, "rbe");
	if (f && (fseek(f, 56, SEEK_SET) || fread(magic, sizeof(magic), 1, f) != 1))
		magic[0] = 0;
	if (f)
		fclose(f);
	return !memcmp(magic, "ARMd", sizeof(magic));
}

/* The same path has other instructions elsewhere, so nothing could be compared. */
static int check_architectures(const struct lab_config *o)
{
	const bool first = lab_is_arm64(&o->kernel[0]);
	unsigned int i;

	for (i = 1; i < o->nkernels; i++)
		if (lab_is_arm64(&o->kernel[i]) != first)
			return fail(-EINVAL, "%s is for %s, and %s for %s: their instructions cannot be compared; give kernels of one architecture",
				    o->kernel[0].text, first ? "arm64" : "x86-64",
				    o->kernel[i].text, first ? "x86-64" : "arm64");
	return 0;
}

static int prepare_kernel(struct lab *lab, unsigned int i)
{
	const struct lab_kernel *k = &lab->o->kernel[i];
	int err = !k->image && kernel_source_is(k->name) ? kernel_source_take(lab, i) : 0;

	if (err || k->image)
		return err ? err : find_module(lab, i);
	err = call_script(lab, "fetch-kernel", k->name);
	return err ? err : call_script(lab, "build-module", k->name);
}

int lab_prepare(struct lab *lab)
{
	unsigned int i;
	int err = 0;

	/* this machine's tool is running */
	if (lab_is_arm64(&lab->o->kernel[0]))
		err = call_script(lab, "build-tool", "arm64");
	for (i = 0; i < lab->o->nkernels && !err; i++)
		err = prepare_kernel(lab, i);
	return err;
}

/* Two labs in one directory would mix their results. */
int lab_claim_dir(struct lab *lab)
{
	if (mkdir(lab->o->dir, 0777) && errno != EEXIST)
		return fail(-errno, "%s: %s", lab->o->dir, strerror(errno));
	lab->claim = open(lab->o->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* else the first script that cannot write its log would be named */
	if (lab->claim < 0 || access(lab->o->dir, W_OK))
		return fail(-errno, "%s: %s", lab->o->dir, strerror(errno));
	/* some file systems have no locks */
	return flock(lab->claim, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK ?
	       fail(-EBUSY, "%s: another lab is writing there: give another --dir", lab->o->dir) : 0;
}

/*
 * Whoever gives all results of a directory to gate would mix two labs. explain, which judge()
 * suggests after more runs, has its answer elsewhere.
 */
static int check_left(const struct lab *lab, unsigned int i)
{
	char path[PATH_MAX];
	uint64_t pair;

	if (lab->o->explain)
		return 0;
	for (pair = lab->o->pairs + 1; pair <= STATS_MAX_PAIRS; pair++) {
		snprintf(path, sizeof(path), "%.4000s/%03" PRIu64 ".json", lab->dir[i], pair);
		if (!access(path, F_OK))
			return fail(-EEXIST, "%s is from an earlier lab with more runs: remove %s, or give another --dir",
				    path, lab->dir[i]);
	}
	return 0;
}

/* "1-6.12-rt": the number separates two kernels of the same name. */
static int make_dirs(struct lab *lab)
{
	const char *last;
	unsigned int i;
	int err = lab_claim_dir(lab);

	if (err)
		return err;
	for (i = 0; i < lab->o->nkernels; i++) {
		last = strrchr(lab->o->kernel[i].name, '/');
		last = last ? last + 1 : lab->o->kernel[i].name;
		if (snprintf(lab->dir[i], sizeof(lab->dir[i]), "%s/%u-%s",
			     lab->o->dir, i + 1, last) >= PATH_MAX - 32)
			return fail(-ENAMETOOLONG, "%s: the path is too long", lab->o->dir);
		if (mkdir(lab->dir[i], 0777) && errno != EEXIST)
			return fail(-errno, "%s: %s", lab->dir[i],
				    strerror(errno));
		err = check_left(lab, i);
		if (err)
			return err;
	}
	return 0;
}

/* The same runs once more, with the plugin, and what it has seen. */
static int explain(struct lab *lab)
{
	unsigned int i;
	uint64_t pair;
	int err = 0;

	for (i = 0; i < lab->o->nkernels; i++)
		for (pair = 0; pair < lab->o->pairs && !err; pair++)
			err = lab_explain_marks(lab->o, i, lab->dir[i], pair);
	if (err)
		return err;
	lab->with_plugin = true;
	err = lab_measure(lab, 0, lab->o->pairs);
	lab->with_plugin = false;
	if (!err && !lab->o->quiet)
		wrap_print(stderr, "CPU time of the guests: %.1f s without the plugin, %.1f s with it: %.2f times\n",
			   lab->cpu_s[0], lab->cpu_s[1], lab->cpu_s[1] / lab->cpu_s[0]);
	return err ? err : lab_explain(lab->o, lab->dir);
}

/* Prints what to give to compare, gate and report. */
static void show_results(const struct lab *lab)
{
	unsigned int i;

	for (i = 0; i < lab->o->nkernels; i++)
		printf("%s: %" PRIu64 " result%s in %s\n", lab->o->kernel[i].text,
		       lab->o->pairs, lab->o->pairs == 1 ? "" : "s", lab->dir[i]);
}

static int load_first(struct result *r, char name[PATH_MAX], const struct lab *lab,
		      unsigned int kernel)
{
	snprintf(name, PATH_MAX, "%.4000s/001.json", lab->dir[kernel]);
	return result_load(r, name);
}

/*
 * Guests differ in their kernel, its arguments and modules only. So other tuning in a guest comes
 * from these: it is what is compared, and gate reports it. Gate checks that all guests of a kernel
 * have the same. Other differences it would refuse after all boots.
 */
static int check_with_first(struct lab *lab, unsigned int other)
{
	struct result a = { 0 }, b = { 0 };
	char name[PATH_MAX], why[LAB_REASON], *facts = NULL;
	int err = load_first(&a, name, lab, 0);

	if (!err)
		err = load_first(&b, name, lab, other);
	if (!err) {
		facts = tuning_refused(&a, &b);
		err = facts ? 0 : fail(-ENOMEM, "out of memory");
	}
	if (!err && *facts && vary_add(&lab->vary[other], facts, why, sizeof(why)))
		err = fail(-EINVAL, "%s: %s", name, why);
	if (!err) {
		err = plan_refuse_facts(&a, &b, name, &lab->vary[other]);
		if (err == -EINVAL)
			fail(err, "%s and %s measured with different settings, so they cannot be compared: name these settings after --, as in -- --backend tlob",
			     lab->o->kernel[0].text, lab->o->kernel[other].text);
	}
	free(facts);
	result_free(&a);
	result_free(&b);
	return err;
}

/* After the first pair it is known whether the kernels can be compared. */
static int measure(struct lab *lab)
{
	unsigned int other;
	int err = lab_measure(lab, 0, 1);

	for (other = 1; lab->o->compare && other < lab->o->nkernels && !err; other++)
		err = check_with_first(lab, other);
	return err ? err : lab_measure(lab, 1, lab->o->pairs);
}

static int compare(const struct lab *lab, unsigned int other)
{
	static const char * const forms[NR_OUTPUTS] = {
		[OUT_JSON] = "json", [OUT_JUNIT] = "junit", [OUT_KTAP] = "ktap", [OUT_MARKDOWN] = "markdown", [OUT_HTML] = "html",
	};
	char vary[VARY_TEXT], tool[PATH_MAX];
	struct call c = { 0 };
	unsigned int side;
	size_t i;

	c.err = tree_path(tool, "tools/tlob-load/tlob-load");
	call_add(&c, "%s", tool);
	call_add(&c, "gate");
	for (i = 0; i < NR_OUTPUTS; i++)
		if (lab->o->out[i])
			call_add(&c, "--%s=%s", forms[i], lab->o->out[i]);
	for (i = 0; i < lab->o->nmetrics; i++)
		call_add(&c, "--metric=%s", lab->o->metric[i].text);
	if (lab->o->margin)
		call_add(&c, "--margin=%s", lab->o->margin);
	if (lab->vary[other].n)
		call_add(&c, "--vary=%s", vary_text(vary, &lab->vary[other]));
	for (side = 0; side < 2; side++) {
		for (i = 0; i < lab->o->pairs; i++)
			call_add(&c, "%s/%03zu.json",
				 lab->dir[side ? other : 0], i + 1);
		if (!side)
			call_add(&c, "--");
	}
	return call_make(&c, NULL);
}

void lab_print_options(const struct lab_config *o)
{
	int n;

	if (o->config) {
		fputs(" --config ", stdout);
		shell_word(stdout, o->config);
	}
	if (!o->default_options)
		fputs(" --", stdout);
	for (n = 0; n < o->noptions && !o->default_options; n++) {
		putchar(' ');
		shell_word(stdout, o->options[n]);
	}
	putchar('\n');
}

/* Prints the command that shows which functions of @other make it slower than the first. */
static void suggest_explain(const struct lab_config *o, unsigned int other)
{
	const struct lab_kernel *k;
	unsigned int i;

	fputs("\nWhich functions make the difference:\n  tlob-lab explain", stdout);
	printf(" --seed %" PRIu64, o->seed);
	for (i = 0; i <= other; i += other) {
		k = &o->kernel[i];
		fputs(k->image && !k->taken ? " --image " : " ", stdout);
		shell_word(stdout, k->text);
		if (k->modules) {
			fputs(" --modules ", stdout);
			shell_word(stdout, k->modules);
		}
	}
	lab_print_options(o);
}

/*
 * With --compare each kernel with the first. Returns the worst exit code, also of the guests.
 * @text: no file takes stdout.
 */
static enum exit_code judge(const struct lab *lab, bool text)
{
	static const enum exit_code order[] = {
		EXIT_ERROR, EXIT_ASSERTION, EXIT_INCONCLUSIVE, EXIT_PASS,
	};
	bool seen[4] = { [1] = lab->assertions_failed, [2] = lab->assertions_undecided, [3] = true };
	unsigned int other, i;
	int status;

	for (other = 1; lab->o->compare && other < lab->o->nkernels; other++) {
		if (text)
			printf("%s%s against %s\n\n", other > 1 ? "\n" : "",
			       lab->o->kernel[other].text, lab->o->kernel[0].text);
		fflush(stdout);
		status = compare(lab, other);
		for (i = 0; i < 4 && (int)order[i] != status; i++)
			;
		seen[i == 4 ? 0 : i] = true;
		if (status == EXIT_ASSERTION && lab->o->deterministic && text)
			suggest_explain(lab->o, other);
	}
	for (i = 0; !seen[i]; i++)
		;
	return order[i];
}

static struct lab *lab_new(const struct lab_config *o)
{
	struct lab *lab = calloc(1, sizeof(*lab));

	if (!lab)
		return NULL;
	lab->config = *o;
	lab->o = &lab->config;
	lab->claim = -1;
	lab->order = calloc(o->pairs * o->nkernels, sizeof(*lab->order));
	if (lab->order)
		return lab;
	free(lab);
	return NULL;
}

static void lab_free(struct lab *lab)
{
	if (lab->claim >= 0)
		close(lab->claim);
	free(lab->order);
	free(lab);
}

/* Everything that can be refused, before anything else is said or made. */
static int prepare(struct lab *lab)
{
	char script[PATH_MAX];
	int err;

	err = tree_script(script, "vm");
	if (!err)
		err = check_architectures(lab->o);
	if (!err && lab->o->explain)
		err = lab_explain_plugin(lab->plugin);
	if (!err)
		err = make_dirs(lab);
	if (!err)
		err = signals_catch();
	return err ? err : lab_prepare(lab);
}

static int measure_all(struct lab *lab)
{
	const struct lab_config *o = lab->o;

	random_blocks(lab->order, o->pairs, o->nkernels, o->seed);
	if (!o->quiet && o->windows)
		wrap_print(stderr, "each run ends after %" PRIu64 " windows: the trace that explain reads holds few more\n",
			   o->windows);
	if (!o->quiet)
		wrap_print(stderr, "seed %" PRIu64 "\n", o->seed);
	return measure(lab);
}

enum exit_code lab_carry_out(const struct lab_config *o)
{
	struct output out[NR_OUTPUTS] = { 0 };
	struct lab *lab = lab_new(o);
	enum exit_code code;
	int err;

	if (!lab)
		return exit_code_of(fail(-ENOMEM, "out of memory"));
	/* compare writes them, but a wrong path fails before the boots */
	err = outputs_open(out, o->out, NR_OUTPUTS);
	if (!err)
		err = prepare(lab);
	if (!err)
		err = measure_all(lab);
	if (!err && !o->compare && !o->explain && !o->quiet)
		show_results(lab);
	if (!err && o->explain)
		err = explain(lab);
	if (!err && lab->assertions_failed + lab->assertions_undecided)
		warning("an assertion failed in %zu of %" PRIu64 " runs, and was undecided in %zu",
			lab->assertions_failed, o->pairs * o->nkernels, lab->assertions_undecided);
	code = err ? exit_code_of(err) : judge(lab, outputs_people(out, NR_OUTPUTS) == stdout);
	outputs_drop(out, NR_OUTPUTS, err);
	if (!err && !o->keep && kernel_source_tidy(lab))
		code = EXIT_ERROR;
	lab_free(lab);
	return code;
}
