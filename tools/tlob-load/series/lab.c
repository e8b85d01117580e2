// SPDX-License-Identifier: GPL-2.0
/* Booting the kernels in random order, collecting the results, comparing them. */
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/signals.h"
#include "series/lab.h"
#include "series/lab_explain.h"
#include "util/error.h"
#include "util/file.h"
#include "util/process.h"
#include "util/random.h"

#define LEAST_MB	512
#define MORE_MB		64		/* range of the memory that varies by pair */
#define REASON		300		/* of a failure, one line */
#define PAD_BYTES	1024		/* range of the stack offset that varies by pair */

struct lab {
	const struct lab_config *o;
	char	dir[LAB_MAX_KERNELS][PATH_MAX];	/* for the results */
	char	own[LAB_MAX_KERNELS][PATH_MAX];	/* tlob_load.ko of an image, or "" */
	char	plugin[PATH_MAX];	/* for QEMU, of --explain */
	bool	with_plugin;		/* this boot */
	double	cpu_s[2];		/* of all guests, without and with the plugin */
	unsigned int *order;		/* [pairs * nkernels]: which kernel runs when */
	struct job {
		pid_t pid;
		size_t slot;
	} job[LAB_MAX_JOBS];
	unsigned int running;
};

/* The last line of a log, which says why a script failed. */
static const char *reason(char buf[REASON], const char *log)
{
	if (file_last_line(log, buf, REASON))
		snprintf(buf, REASON, "it has said nothing");
	return buf;
}

/* What the script prints goes to DIR/SCRIPT.log. */
static int call_script(const struct lab *lab, const char *script,
		       const char *argument)
{
	char path[PATH_MAX], log[PATH_MAX], why[REASON];
	char *argv[] = { path, (char *)argument, NULL };
	int status = process_script(path, sizeof(path), script);

	snprintf(log, sizeof(log), "%.4000s/%s.log", lab->o->dir, script);
	if (!status)
		status = process_call(argv, log);
	return status > 0 ? fail(-EIO, "%s %s failed with exit code %d: %s: see %s",
				 script, argument, status, reason(why, log), log) :
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

/* As scripts/vm sees it: the name of a kernel, or the magic number of an image. */
static bool is_arm64(const struct lab_kernel *k)
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
	const bool first = is_arm64(&o->kernel[0]);
	unsigned int i;

	for (i = 1; i < o->nkernels; i++)
		if (is_arm64(&o->kernel[i]) != first)
			return fail(-EINVAL, "%s is of %s, %s is of %s: a path has other instructions there; give kernels of one architecture",
				    o->kernel[0].text, first ? "arm64" : "x86-64",
				    o->kernel[i].text, first ? "x86-64" : "arm64");
	if (first && o->explain)
		return fail(-EOPNOTSUPP, "--explain %s: the plugin for QEMU knows the instructions of x86-64 only; leave out --explain",
			    o->kernel[0].text);
	return 0;
}

/* Gets kernels and modules. The scripts do nothing for what is up to date. */
static int prepare(struct lab *lab)
{
	unsigned int i;
	int err = 0;

	/* this machine's tool is running */
	if (is_arm64(&lab->o->kernel[0]))
		err = call_script(lab, "build-tool", "arm64");
	for (i = 0; i < lab->o->nkernels && !err; i++) {
		if (lab->o->kernel[i].image) {
			err = find_module(lab, i);
			continue;
		}
		err = call_script(lab, "fetch-kernel", lab->o->kernel[i].name);
		if (!err)
			err = call_script(lab, "build-module",
					  lab->o->kernel[i].name);
	}
	return err;
}

/* "1-6.12-rt": the number separates two kernels of the same name. */
static int make_dirs(struct lab *lab)
{
	const char *last;
	unsigned int i;

	if (mkdir(lab->o->dir, 0777) && errno != EEXIST)
		return fail(-errno, "%s: %s", lab->o->dir, strerror(errno));
	for (i = 0; i < lab->o->nkernels; i++) {
		last = strrchr(lab->o->kernel[i].name, '/');
		last = last ? last + 1 : lab->o->kernel[i].name;
		if (snprintf(lab->dir[i], sizeof(lab->dir[i]), "%s/%u-%s",
			     lab->o->dir, i + 1, last) >= PATH_MAX - 32)
			return fail(-ENAMETOOLONG, "%s: the path is too long", lab->o->dir);
		if (mkdir(lab->dir[i], 0777) && errno != EEXIST)
			return fail(-errno, "%s: %s", lab->dir[i],
				    strerror(errno));
	}
	return 0;
}

static const char *suffix(const struct lab *lab)
{
	return lab->with_plugin ? EXPLAIN_SUFFIX : "";
}

static uint64_t pair_seed(const struct lab *lab, size_t pair)
{
	return random_derived(lab->o->seed, pair) >> 32;
}

static void add_modules(struct call *c, const struct lab_kernel *k,
			const char *own, const char *tree)
{
	unsigned int i;

	if (k->image && *own) {
		call_add(c, "--module");
		call_add(c, "%s", own);
	}
	/* The first --module replaces the default one, so that comes first. */
	if (k->nmodules && !k->image) {
		call_add(c, "--module");
		call_add(c, "%s/build/modules/%s/kernel/tlob_load.ko", tree,
		    k->name);
	}
	for (i = 0; i < k->nmodules; i++) {
		call_add(c, "--module");
		call_add(c, "%s", k->module[i]);
	}
}

/* Where the plugin's files are, which explain the boot before without it. */
static void add_plugin(struct call *c, const struct lab *lab, const char *dir,
		       size_t pair)
{
	call_add(c, "--plugin=%s,marks=%s/%03zu" EXPLAIN_SUFFIX "/marks,out=%s/%03zu" EXPLAIN_SUFFIX "/executed",
		 lab->plugin, dir, pair + 1, dir, pair + 1);
}

static void add_run(struct call *c, const struct lab_config *o, uint64_t seed)
{
	int i;

	call_add(c, "run");
	for (i = 0; i < o->noptions; i++)
		call_add(c, "%s", o->options[i]);
	if (o->hooks)
		call_add(c, "--noise-source=hooks");
	call_add(c, "-q");
	call_add(c, "--seed=%" PRIu64, seed);
	call_add(c, "--json=/out/result.json");
	if (o->explain)
		call_add(c, "--trace=/out/trace");
}

/*
 * Things that must not matter are the same within a pair and differ between pairs:
 * the random numbers and the memory of the guest, the phase and the stack of the
 * run.
 */
static int build_call(const struct lab *lab, size_t slot, struct call *c)
{
	const struct lab_config *o = lab->o;
	unsigned int kernel = lab->order[slot];
	size_t pair = slot / o->nkernels;
	uint64_t seed = pair_seed(lab, pair), layout = random_derived(seed, 1);
	char script[PATH_MAX], *end;
	int i, err;

	err = process_script(script, sizeof(script), "vm");
	if (err)
		return err;
	call_add(c, "%s", script);
	end = strrchr(script, '/');	/* TREE/scripts/vm */
	*end = 0;
	*strrchr(script, '/') = 0;
	call_add(c, "%s", o->kernel[kernel].name);
	add_modules(c, &o->kernel[kernel], lab->own[kernel], script);
	if (*o->kernel[kernel].arguments)
		call_add(c, "--append=%s", o->kernel[kernel].arguments);
	if (o->deterministic)
		call_add(c, "--deterministic");
	call_add(c, "--smp=%" PRIu64, o->smp);
	call_add(c, "--timeout=%" PRIu64, o->timeout);
	call_add(c, "--seed=%" PRIu64, seed);
	call_add(c, "--mem=%" PRIu64, LEAST_MB + layout % MORE_MB);
	call_add(c, "--out=%s/%03zu%s", lab->dir[kernel], pair + 1, suffix(lab));
	if (lab->with_plugin)
		add_plugin(c, lab, lab->dir[kernel], pair);
	err = o->region ? lab_region_program(c, &o->attach) : 0;
	if (err)
		return err;
	call_add(c, "--");
	for (i = 0; o->explain && lab_explain_prefix[i]; i++)
		call_add(c, "%s", lab_explain_prefix[i]);
	call_add(c, "env");
	call_add(c, "TLOB_PAD=%0*d", 1 + (int)(layout / MORE_MB % PAD_BYTES), 0);
	call_add(c, "tlob-load");
	if (o->region)
		lab_region_command(c, o);
	else
		add_run(c, o, seed);
	return call_error(c);
}

static void paths(const struct lab *lab, size_t slot, char result[PATH_MAX],
		  char log[PATH_MAX])
{
	const char *dir = lab->dir[lab->order[slot]];
	size_t pair = slot / lab->o->nkernels + 1;

	snprintf(result, PATH_MAX, "%.4000s/%03zu.json", dir, pair);
	snprintf(log, PATH_MAX, "%.4000s/%03zu%s.log", dir, pair, suffix(lab));
}

/* Where scripts/vm leaves the result of the guest. */
static void guest_path(const struct lab *lab, size_t slot, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%.4000s/%03zu%s/result.json",
		 lab->dir[lab->order[slot]], slot / lab->o->nkernels + 1,
		 suffix(lab));
}

static int start(struct lab *lab, size_t slot)
{
	char result[PATH_MAX], log[PATH_MAX], guest[PATH_MAX];
	struct call c = { 0 };
	unsigned int i;
	pid_t pid = 0;
	int err;

	paths(lab, slot, result, log);
	guest_path(lab, slot, guest);
	/* An old result must not pass for the result of this run. */
	if ((!lab->with_plugin && unlink(result) && errno != ENOENT) ||
	    (unlink(guest) && errno != ENOENT && errno != ENOTDIR))
		return fail(-errno, "%s: %s", result, strerror(errno));
	err = build_call(lab, slot, &c);
	if (!err) {
		pid = process_start(c.argv, log);
		err = pid < 0 ? pid : 0;
	}
	call_free(&c);
	if (err)
		return err;
	for (i = 0; lab->job[i].pid; i++)
		;
	lab->job[i] = (struct job){ .pid = pid, .slot = slot };
	lab->running++;
	return 0;
}

/* Moves a result out of the guest's directory. It is complete or missing. */
static int collect(const struct lab *lab, size_t slot, int status)
{
	char result[PATH_MAX], log[PATH_MAX], out[PATH_MAX], why[REASON];
	struct stat st;

	paths(lab, slot, result, log);
	if (status && status != EXIT_ASSERTION)
		return fail(-EIO, "%s: run %zu failed with exit code %d: %s: see %s",
			    lab->o->kernel[lab->order[slot]].text,
			    slot / lab->o->nkernels + 1, status,
			    reason(why, log), log);
	guest_path(lab, slot, out);
	if (stat(out, &st) || (!lab->with_plugin && rename(out, result)))
		return fail(-errno, "%s: %s", out, strerror(errno));
	*strrchr(out, '/') = 0;
	rmdir(out);
	return 0;
}

/* scripts/vm ends its guest on SIGTERM. */
static void end_guests(const struct lab *lab)
{
	int i;

	for (i = 0; i < LAB_MAX_JOBS; i++)
		if (lab->job[i].pid)
			kill(lab->job[i].pid, SIGTERM);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static int finish_one(struct lab *lab)
{
	struct rusage used;
	int status, i;
	pid_t pid;

	while ((pid = wait4(-1, &status, 0, &used)) < 0 && errno == EINTR)
		if (signal_end())
			end_guests(lab);
	if (pid < 0)
		return fail(-errno, "wait: %s", strerror(errno));
	for (i = 0; i < LAB_MAX_JOBS && lab->job[i].pid != pid; i++)
		;
	if (i == LAB_MAX_JOBS)
		return 0;
	lab->job[i].pid = 0;
	lab->running--;
	lab->cpu_s[lab->with_plugin] += seconds(used.ru_utime) + seconds(used.ru_stime);
	return collect(lab, lab->job[i].slot, WIFSIGNALED(status) ?
		       128 + WTERMSIG(status) : WEXITSTATUS(status));
}

static int measure(struct lab *lab)
{
	size_t slots = lab->o->pairs * lab->o->nkernels, slot;
	int err = 0;

	err = signals_catch();
	for (slot = 0; slot < slots && !err; slot++) {
		if (!lab->o->quiet)
			fprintf(stderr, "run %zu of %zu: %s%s\n", slot + 1, slots,
				lab->o->kernel[lab->order[slot]].text,
				lab->with_plugin ? ", with the plugin" : "");
		err = start(lab, slot);
		while (!err && lab->running == lab->o->jobs)
			err = finish_one(lab);
		if (!err && signal_end())
			err = fail(-EINTR, "interrupted by a signal");
	}
	if (err)
		end_guests(lab);
	while (lab->running)
		keep_error(&err, finish_one(lab));
	return err;
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
	err = measure(lab);
	lab->with_plugin = false;
	if (!err && !lab->o->quiet)
		fprintf(stderr, "CPU time of the guests: %.1f s without the plugin, %.1f s with it: %.2f times\n",
			lab->cpu_s[0], lab->cpu_s[1], lab->cpu_s[1] / lab->cpu_s[0]);
	return err ? err : lab_explain(lab->o, lab->dir);
}

/* What to give to compare, gate and report. */
static void show_results(const struct lab *lab)
{
	unsigned int i;

	for (i = 0; i < lab->o->nkernels; i++)
		printf("%s: %" PRIu64 " result%s in %s\n", lab->o->kernel[i].text,
		       lab->o->pairs, lab->o->pairs == 1 ? "" : "s", lab->dir[i]);
}

static int compare(const struct lab *lab, unsigned int other)
{
	char self[PATH_MAX];
	struct call c = { 0 };
	unsigned int side;
	size_t i;
	int status;

	status = process_self(self, sizeof(self));
	if (status)
		return status;
	call_add(&c, "%s", self);
	call_add(&c, "gate");
	for (i = 0; i < lab->o->nmetrics; i++)
		call_add(&c, "--metric=%s", lab->o->metric[i]);
	if (lab->o->margin)
		call_add(&c, "--margin=%s", lab->o->margin);
	/* The arguments that were given are what is compared. */
	if (strcmp(lab->o->kernel[0].arguments, lab->o->kernel[other].arguments))
		call_add(&c, "--vary=kernel_arguments");
	for (side = 0; side < 2; side++) {
		for (i = 0; i < lab->o->pairs; i++)
			call_add(&c, "%s/%03zu.json",
				 lab->dir[side ? other : 0], i + 1);
		if (!side)
			call_add(&c, "--");
	}
	status = call_error(&c);
	if (!status)
		status = process_call(c.argv, NULL);
	call_free(&c);
	return status;
}

/* How to learn which functions of @other make it slower than the first. */
static void suggest_explain(const struct lab_config *o, unsigned int other)
{
	const struct lab_kernel *k;
	unsigned int i;
	int n;

	fputs("\nWhich functions make the difference:\n  tlob-load lab --explain", stdout);
	printf(" --seed %" PRIu64, o->seed);
	for (i = 0; i <= other; i += other) {
		k = &o->kernel[i];
		fputs(k->image ? " --image " : " ", stdout);
		shell_word(stdout, k->text);
		if (k->modules) {
			fputs(" --modules ", stdout);
			shell_word(stdout, k->modules);
		}
		if (k->symbols) {
			fputs(" --symbols ", stdout);
			shell_word(stdout, k->symbols);
		}
	}
	fputs(" --", stdout);
	for (n = 0; n < o->noptions; n++) {
		putchar(' ');
		shell_word(stdout, o->options[n]);
	}
	putchar('\n');
}

/* Compares each kernel with the first. Returns the worst exit code. */
static enum exit_code compare_all(const struct lab *lab)
{
	static const enum exit_code order[] = {
		EXIT_ERROR, EXIT_ASSERTION, EXIT_INCONCLUSIVE, EXIT_PASS,
	};
	bool seen[4] = { false };
	unsigned int other, i;
	int status;

	for (other = 1; other < lab->o->nkernels; other++) {
		printf("%s%s against %s\n\n", other > 1 ? "\n" : "",
		       lab->o->kernel[other].text, lab->o->kernel[0].text);
		fflush(stdout);
		status = compare(lab, other);
		for (i = 0; i < 4 && (int)order[i] != status; i++)
			;
		seen[i == 4 ? 0 : i] = true;
		if (status == EXIT_ASSERTION && lab->o->deterministic && !lab->o->explain)
			suggest_explain(lab->o, other);
	}
	for (i = 0; !seen[i]; i++)
		;
	return order[i];
}

enum exit_code lab_carry_out(const struct lab_config *o)
{
	struct lab *lab = calloc(1, sizeof(*lab));
	enum exit_code code;
	int err = -ENOMEM;

	if (lab) {
		lab->o = o;
		lab->order = calloc(o->pairs * o->nkernels, sizeof(*lab->order));
	}
	if (!lab || !lab->order) {
		free(lab);
		return exit_code_of(fail(err, "out of memory"));
	}
	err = check_architectures(o);
	if (!err && o->explain)
		err = lab_explain_plugin(lab->plugin);
	if (!err)
		err = make_dirs(lab);
	if (!err)
		err = prepare(lab);
	if (!err) {
		random_blocks(lab->order, o->pairs, o->nkernels, o->seed);
		if (!o->quiet)
			fprintf(stderr, "seed %" PRIu64 "\n", o->seed);
		err = measure(lab);
	}
	if (!err && !o->compare && !o->explain && !o->quiet)
		show_results(lab);
	if (!err && o->explain)
		err = explain(lab);
	code = err || !o->compare ? exit_code_of(err) : compare_all(lab);
	free(lab->order);
	free(lab);
	return code;
}
