// SPDX-License-Identifier: GPL-2.0
/* Booting the kernels in random order, and collecting the results. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/lab_explain.h"
#include "lab/lab_guests.h"
#include "lab/tree.h"
#include "util/error.h"
#include "util/file.h"
#include "util/process.h"
#include "util/random.h"
#include "util/signals.h"
#include "util/time.h"
#include "util/units.h"
#include "util/wrap.h"

#define LEAST_MB	512
#define MORE_MB		64		/* range of the memory that varies by pair */
#define PAD_BYTES	1024		/* range of the stack offset that varies by pair */

const char *lab_reason(char buf[LAB_REASON], const char *log)
{
	if (file_last_line(log, buf, LAB_REASON))
		snprintf(buf, LAB_REASON, "it has said nothing");
	return buf;
}

bool lab_blames_machine(const char *why)
{
	return strstr(why, "QEMU was killed") || strstr(why, "cannot make the guest");
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

/* The plugin's files explain the boot before, which had no plugin. */
static void add_plugin(struct call *c, const struct lab *lab, const char *dir,
		       size_t pair)
{
	call_add(c, "--plugin=%s,marks=%s/%03zu" EXPLAIN_SUFFIX "/marks,out=%s/%03zu" EXPLAIN_SUFFIX "/executed",
		 lab->plugin, dir, pair + 1, dir, pair + 1);
}

static void add_run(struct call *c, const struct lab_config *o, uint64_t seed)
{
	call_add(c, "run");
	call_add_all(c, o->options, o->noptions);
	if (o->windows)
		call_add(c, "--windows=%" PRIu64, o->windows);
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
	char script[PATH_MAX], out[PATH_MAX], *end;
	int i, err;

	err = tree_script(script, "vm");
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
	snprintf(out, sizeof(out), "%.4000s/%03zu%s", lab->dir[kernel], pair + 1, suffix(lab));
	call_add(c, "--out=%s", out);
	if (lab->tries)
		call_add(c, "--dmesg=%s.dmesg", out);
	if (lab->with_plugin)
		add_plugin(c, lab, lab->dir[kernel], pair);
	err = o->region ? lab_region_program(c, &o->attach, out) : 0;
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

/* scripts/vm leaves the result of the guest there. */
static void guest_path(const struct lab *lab, size_t slot, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%.4000s/%03zu%s/result.json",
		 lab->dir[lab->order[slot]], slot / lab->o->nkernels + 1,
		 suffix(lab));
}

/* Writes next to the log how to boot this guest by hand. */
static int write_command(const struct call *c, const char *log)
{
	char path[PATH_MAX];
	struct output out = { 0 };
	size_t i;
	int err;

	snprintf(path, sizeof(path), "%.*s.command", (int)(strlen(log) - strlen(".log")), log);
	err = output_open(&out, path);
	if (err)
		return err;
	for (i = 0; c->argv[i]; i++) {
		if (i)
			fputc(' ', out.f);
		shell_word(out.f, c->argv[i]);
	}
	fputc('\n', out.f);
	err = output_commit(&out);
	output_discard(&out);
	return err;
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
	if (!err)
		err = write_command(&c, log);
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

/* Reports a boot without a result. Its log's last line says why. */
static int failed(const struct lab *lab, size_t slot, const char *how, const char *log)
{
	const char *kernel = lab->o->kernel[lab->order[slot]].text;
	char why[LAB_REASON];
	size_t run = slot / lab->o->nkernels + 1;

	if (lab->tries)
		return -EIO;
	if (signal_end())
		return fail(-EINTR, "%s: run %zu was interrupted by %s: see %s", kernel, run,
			    signal_name(signal_end()), log);
	return fail(-EIO, "%s: run %zu %s: %s: see %s", kernel, run, how, lab_reason(why, log),
		    log);
}

/* The guest has measured, but an assertion does not hold. Its log's last line says why. */
static void no_pass(struct lab *lab, size_t slot, int status, const char *log)
{
	char why[LAB_REASON];

	if (lab->tries)
		return;
	lab->assertions_failed += status == EXIT_ASSERTION;
	lab->assertions_undecided += status == EXIT_INCONCLUSIVE;
	warning("%s: run %zu: %s: see %s", lab->o->kernel[lab->order[slot]].text,
		slot / lab->o->nkernels + 1, lab_reason(why, log), log);
}

/*
 * Moves a result out of the guest's directory. It is complete or missing. @status comes from
 * waitpid().
 */
static int collect(struct lab *lab, size_t slot, int status)
{
	char result[PATH_MAX], log[PATH_MAX], out[PATH_MAX], how[64];
	struct stat st;

	paths(lab, slot, result, log);
	guest_path(lab, slot, out);
	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "was killed by signal %d", WTERMSIG(status));
	else
		snprintf(how, sizeof(how), "failed with exit code %d", WEXITSTATUS(status));
	if (WIFSIGNALED(status) || !exit_has_result(WEXITSTATUS(status)))
		return failed(lab, slot, how, log);
	if (stat(out, &st) || !st.st_size)
		return failed(lab, slot, status ? how : "left no result", log);
	if (!lab->with_plugin && rename(out, result))
		return fail(-errno, "%s: %s", result, strerror(errno));
	/* the boot with the plugin repeats what this one has said */
	if (status && !lab->with_plugin)
		no_pass(lab, slot, WEXITSTATUS(status), log);
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

	signals_wait_child();
	if (signal_end())
		end_guests(lab);
	do {
		pid = wait4(-1, &status, 0, &used);
	} while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return fail(-errno, "wait: %s", strerror(errno));
	for (i = 0; i < LAB_MAX_JOBS && lab->job[i].pid != pid; i++)
		;
	if (i == LAB_MAX_JOBS)
		return 0;
	lab->job[i].pid = 0;
	lab->running--;
	lab->cpu_s[lab->with_plugin] += seconds(used.ru_utime) + seconds(used.ru_stime);
	return collect(lab, lab->job[i].slot, status);
}

int lab_measure(struct lab *lab, size_t from, size_t to)
{
	size_t slots = lab->o->pairs * lab->o->nkernels, slot, first = from * lab->o->nkernels;
	uint64_t began = now_ns();
	char left[LEFT_LEN];
	int err = 0;

	for (slot = first; slot < to * lab->o->nkernels && !err; slot++) {
		if (!lab->o->quiet)
			wrap_print(stderr, "run %zu of %zu: %s%s%s\n", slot + 1, slots,
				   lab->o->kernel[lab->order[slot]].text,
				   lab->with_plugin ? ", with the plugin" : "",
				   left_text(left, now_ns() - began, slot - first - lab->running,
						 slots - slot + lab->running));
		err = start(lab, slot);
		while (!err && lab->running == lab->o->jobs)
			err = finish_one(lab);
		if (!err && signal_end())
			err = lab->tries ? -EINTR : fail(-EINTR, "interrupted by %s", signal_name(signal_end()));
	}
	if (err)
		end_guests(lab);
	while (lab->running)
		keep_error(&err, finish_one(lab));
	return err;
}
