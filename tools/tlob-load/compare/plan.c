// SPDX-License-Identifier: GPL-2.0
/* Writing a plan as a script or as JSON, and carrying it out. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compare/decision.h"
#include "compare/plan.h"
#include "result/comparable.h"
#include "result/read.h"
#include "util/error.h"
#include "util/file.h"
#include "util/json_write.h"
#include "util/markup.h"
#include "util/process.h"
#include "util/random.h"
#include "util/text.h"

#define SIDES	2			/* A, B */
#define PLAN_ID	17
#define ID_FILE	"plan.id"		/* next to the results */

int plan_draw_order(struct plan *p)
{
	p->order = calloc(p->pairs * SIDES, sizeof(*p->order));
	if (!p->order)
		return fail(-ENOMEM, "out of memory");
	random_blocks(p->order, p->pairs, SIDES, p->seed);
	return 0;
}

/* The name of a result. A shell sorts them by their pairs. */
static void file_name(char *buf, size_t size, const struct plan *p,
		      size_t pair, unsigned int side)
{
	snprintf(buf, size, "%s/%c-%03zu.json", p->dir, side ? 'b' : 'a',
		 pair + 1);
}

/* Each run starts at its own phase. */
static uint64_t run_seed(const struct plan *p, size_t slot)
{
	return random_derived(p->seed, slot) >> 32;
}

static bool has_arguments(const struct plan *p)
{
	return *p->arguments[0] || *p->arguments[1];
}

/* --vary only says how to compare, so it may change while the plan continues. */
static int write_json(FILE *f, const struct plan *p, bool with_vary)
{
	char vary[VARY_TEXT];
	struct json_object *o = json_object_new_object(), *list, *run;
	struct builder b = { .err = 0 };
	char name[PATH_MAX];
	size_t slot;
	int i;

	put_text(&b, o, "format", "tlob-load plan");
	put_int(&b, o, "version", 2);
	put_text(&b, o, "a", p->name[0]);
	put_text(&b, o, "b", p->name[1]);
	put_u64(&b, o, "pairs", p->pairs);
	put_u64(&b, o, "seed", p->seed);
	put_text(&b, o, "setup", p->setup);
	if (with_vary)
		put_text(&b, o, "vary", p->vary.n ? vary_text(vary, &p->vary) : NULL);
	list = put_array(&b, o, "options");
	for (i = 0; i < p->noptions; i++)
		put_text(&b, list, NULL, p->options[i]);
	list = put_array(&b, o, "runs");
	for (slot = 0; slot < p->pairs * SIDES; slot++) {
		run = put_object(&b, list, NULL);
		put_u64(&b, run, "pair", slot / SIDES + 1);
		put_text(&b, run, "side", p->order[slot] ? "b" : "a");
		put_text(&b, run, "name", p->name[p->order[slot]]);
		if (has_arguments(p))
			put_text(&b, run, "kernel_arguments", p->arguments[p->order[slot]]);
		put_u64(&b, run, "seed", run_seed(p, slot));
		if (p->tune)
			put_bool(&b, run, "tune", p->order[slot]);
		file_name(name, sizeof(name), p, slot / SIDES, p->order[slot]);
		put_text(&b, run, "result", name);
	}
	return json_end(&b, f, o);
}

int plan_write_json(FILE *f, const struct plan *p)
{
	return write_json(f, p, true);
}

/* Identifies the plan in the directory of its results. */
static int plan_id(const struct plan *p, char id[PLAN_ID])
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int err = f ? write_json(f, p, false) : -ENOMEM;

	if (f && fclose(f) && !err)
		err = -ENOMEM;
	if (!err)
		snprintf(id, PLAN_ID, "%016" PRIx64, file_fingerprint(text));
	free(text);
	return err;
}

static void put_word(FILE *f, const char *word)
{
	fputc(' ', f);
	shell_word(f, word);
}

/* Each word of @words, with a space between, as a word of the shell. */
static void put_words(FILE *f, const char *words)
{
	char word[sizeof(((struct plan *)0)->arguments[0])];
	size_t n;

	for (; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		snprintf(word, sizeof(word), "%.*s", (int)n, words);
		put_word(f, word);
	}
}

/* The results of one side, in the order of their pairs. */
static void put_results(FILE *f, const struct plan *p, unsigned int side)
{
	char name[PATH_MAX];
	size_t pair;

	for (pair = 0; pair < p->pairs; pair++) {
		file_name(name, sizeof(name), p, pair, side);
		fputs(" \\\n	", f);
		shell_word(f, name);
	}
}

/*
 * A --setup that does not boot, or boots the wrong kernel, would compare a kernel with
 * itself. An argument that only the other side has must be missing.
 */
static void put_check_arguments(FILE *f, const struct plan *p)
{
	fputs("booted() {	# RESULT ARGUMENTS\n"
	      "	list=\" $(sed -n 's/.*\"kernel_arguments\":\"\\([^\"]*\\)\".*/\\1/p' \"$1\") \"\n"
	      "	for argument in", f);
	put_words(f, p->arguments[0]);
	put_words(f, p->arguments[1]);
	fputs("; do\n"
	      "		case \" $2 \" in *\" $argument \"*) wanted=with ;; *) wanted=without ;; esac\n"
	      "		case $list in *\" $argument \"*) is=with ;; *) is=without ;; esac\n"
	      "		[ $is = $wanted ] ||\n"
	      "			{ echo \"$1: the kernel ran $is $argument: let --setup boot it $wanted\" >&2; exit 1; }\n"
	      "	done\n}\n", f);
}

/*
 * What so many pairs find, of p99.9 without --margin, where it has a standard deviation of 17 % from
 * run to run: "runs differ by 10 %" in docs/explanation/error-rates.txt.
 */
static void put_power(FILE *f, uint64_t pairs)
{
	static const struct {
		unsigned int pairs, margin, power;
	} at[] = { { 40, 19, 92 }, { 30, 24, 90 }, { 20, 33, 87 }, { 10, 50, 94 } };
	size_t i;

	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		if (pairs < at[i].pairs)
			continue;
		fprintf(f, "# Where p99.9 differs by 17 %% from run to run, %u pairs find a growth of %u %% in %u %%.\n",
			at[i].pairs, 2 * at[i].margin, at[i].power);
		return;
	}
}

/* The directory, which belongs to this plan from its first result on. */
static void put_head(FILE *f, const struct plan *p, const char *id)
{
	fprintf(f, "#!/bin/sh\n"
		"# %" PRIu64 " pairs of A and B in random order, seed %" PRIu64 ".\n", p->pairs, p->seed);
	put_power(f, p->pairs);
	fputs("# A run that already has a result is skipped.\n"
	      "set -eu\ndir=", f);
	shell_word(f, p->dir);
	fprintf(f, "\nid=%s\nmkdir -p \"$dir\"\n"
		"[ ! -e \"$dir/" ID_FILE "\" ] || [ \"$(cat \"$dir/" ID_FILE "\")\" = $id ] ||\n"
		"	{ echo \"$dir has results of another plan\" >&2; exit 1; }\n", id);
}

static void put_setup(FILE *f, const struct plan *p)
{
	if (p->tune) {
		fputs("	tune=; [ \"$1\" !=", f);
		put_word(f, p->name[1]);
		fputs(" ] || tune=--tune\n", f);
	}
	if (p->setup) {
		fputs("	sh -c", f);
		put_word(f, p->setup);
		fputs(has_arguments(p) ? " setup \"$1\" \"${4-}\"\n" :
					 " setup \"$1\"\n", f);
	}
}

/* The function that makes one run, unless it has a result. */
static void put_run(FILE *f, const struct plan *p)
{
	int i;

	fprintf(f, "run() {	# NAME SEED RESULT%s\n"
		"	[ ! -s \"$3\" ] || return 0\n", has_arguments(p) ? " ARGUMENTS" : "");
	put_setup(f, p);
	fputs("	tlob-load run", f);
	for (i = 0; i < p->noptions; i++)
		put_word(f, p->options[i]);
	if (p->tune)
		fputs(" $tune", f);
	/*
	 * A failed assertion leaves a complete result, which has no other exit code in the
	 * next attempt. A run that was cut short is made again.
	 */
	fputs(" -q --seed \"$2\" --json \"$3.part\" ||\n"
	      "		{ status=$?; [ $status -eq 2 ] || exit $status; }	# 2: an assertion failed\n"
	      "	grep -q '\"stopped_by\":null' \"$3.part\"\n", f);
	if (has_arguments(p))
		fputs("	booted \"$3.part\" \"${4-}\"\n", f);
	fputs("	echo $id > \"$dir/" ID_FILE "\"\n"
	      "	mv \"$3.part\" \"$3\"\n}\n", f);
}

static void put_slot(FILE *f, const struct plan *p, size_t slot)
{
	unsigned int side = p->order[slot];
	char name[PATH_MAX];

	file_name(name, sizeof(name), p, slot / SIDES, side);
	fputs("run", f);
	put_word(f, p->name[side]);
	fprintf(f, " %" PRIu64, run_seed(p, slot));
	put_word(f, name);
	if (*p->arguments[side])
		put_word(f, p->arguments[side]);
	fputc('\n', f);
}

static void put_verdict(FILE *f, const struct plan *p)
{
	char vary[VARY_TEXT];

	fputs("exec tlob-load compare", f);
	if (p->vary.n) {
		fputs(" --vary", f);
		put_word(f, vary_text(vary, &p->vary));
	}
	put_results(f, p, 0);
	fputs(" --", f);
	put_results(f, p, 1);
	fputc('\n', f);
}

int plan_write_script(FILE *f, const struct plan *p)
{
	char id[PLAN_ID];
	size_t slot;
	int err;

	err = plan_id(p, id);
	if (err)
		return err;
	put_head(f, p, id);
	if (has_arguments(p))
		put_check_arguments(f, p);
	put_run(f, p);
	for (slot = 0; slot < p->pairs * SIDES; slot++)
		put_slot(f, p, slot);
	put_verdict(f, p);
	return ferror(f) ? -EIO : 0;
}

static int call_setup(const struct plan *p, unsigned int side)
{
	const char *name = p->name[side];
	char *argv[] = {
		(char *)"sh", (char *)"-c", (char *)p->setup, (char *)"setup",
		(char *)name, has_arguments(p) ? (char *)p->arguments[side] : NULL,
		NULL,
	};
	int status = process_call(argv, NULL);

	if (status > 0)
		return fail(-ECANCELED, "--setup for %s failed with exit code %d", name,
			    status);
	return status;
}

/*
 * Refuses a run of a kernel that lacks an argument of its side, or has one that only the
 * other side has: put_check_arguments() does the same.
 */
static int check_arguments(const struct plan *p, unsigned int side, const char *result,
			   const struct result *r)
{
	const char *list = tuning_of(r, "kernel_arguments"), *word;
	unsigned int i;
	bool wanted;
	size_t n;

	for (i = 0; i < SIDES; i++) {
		for (word = p->arguments[i]; *word; word += n + (word[n] == ' ')) {
			n = strcspn(word, " ");
			wanted = has_word_of(p->arguments[side], word, n);
			if (has_word_of(list, word, n) != wanted)
				return fail(-EINVAL, "%s: the kernel ran %s %.*s: let --setup boot it %s",
					    result, wanted ? "without" : "with", (int)n,
					    word, wanted ? "with" : "without");
		}
	}
	return 0;
}

/*
 * Refuses a run of a build that fell back to another one, which would compare a build with itself. A
 * build that was compiled anew has its release only, which does where releases differ.
 */
static int check_kernel(const struct plan *p, unsigned int side, const char *result, const struct result *r)
{
	const char *const *k = p->kernel, *is = r->kernel ? r->kernel : "";
	size_t n;

	if (!k[0] || !k[1] || !strcmp(k[0], k[1]))
		return 0;
	n = strcspn(k[side], " ");
	if (n == strcspn(k[!side], " ") && !strncmp(k[0], k[1], n))
		n = strlen(k[side]);
	if (!strncmp(is, k[side], n) && (!is[n] || is[n] == ' '))
		return 0;
	return fail(-EINVAL, "%s: it ran on the kernel %s, but %s has %s: let --switch boot that",
		    result, is, p->name[side], k[side]);
}

/* Refuses a run of another host, or with other settings or tuning than before. */
static int check_like(const struct plan *p, const char *result, const struct result *r)
{
	static const struct vary none;
	int err = p->like ? plan_refuse_facts(p->like, r, result, &none) : 0;

	if (err == -EINVAL)
		fail(err, "the runs of a confirmation need the facts of the session: restore them, and give the same command again");
	return err;
}

/*
 * Refuses a directory with results of another plan. The first result claims it, so that a plan whose
 * --setup does not work can be corrected.
 */
static int check_dir(const struct plan *p, bool claim)
{
	char path[PATH_MAX], id[PLAN_ID], was[64];
	FILE *f;
	int err = plan_id(p, id);

	if (err)
		return fail(err, "out of memory");
	snprintf(path, sizeof(path), "%.4000s/" ID_FILE, p->dir);
	if (!file_read_line(path, was, sizeof(was)))
		return !strcmp(was, id) ? 0 :
		       fail(-EEXIST, "%s has results of another plan: repeat its --seed and options to continue it, or remove it or give another --dir",
			    p->dir);
	if (!claim)
		return 0;
	f = fopen(path, "we");
	if (!f)
		return fail(-errno, "%s: %s", path, strerror(errno));
	fprintf(f, "%s\n", id);
	return fclose(f) ? fail(-EIO, "%s cannot be written", path) : 0;
}

/* Refuses the result of a run that was cut short, or of another kernel. */
static int keep_result(const struct plan *p, unsigned int side, const char *part,
		       const char *result)
{
	struct result r;
	int err = result_load(&r, part);

	if (err)
		return err;
	if (r.stopped_by)
		err = fail(-ECANCELED, "the run for %s was cut short by %s",
			   result, r.stopped_by);
	else if (check_arguments(p, side, result, &r) || check_kernel(p, side, result, &r) ||
		 check_like(p, result, &r))
		err = -EINVAL;
	else if (check_dir(p, true))
		err = -EEXIST;
	else if (rename(part, result))
		err = fail(-errno, "%s: %s", result, strerror(errno));
	result_free(&r);
	return err;
}

static int make_run(const struct plan *p, unsigned int side, const char *result, uint64_t seed)
{
	struct call c = { 0 };
	char part[PATH_MAX];
	int status;

	snprintf(part, sizeof(part), "%.4000s.part", result);
	call_tool(&c, "run");
	call_add_all(&c, p->options, p->noptions);
	if (p->tune && side)
		call_add(&c, "--tune");
	call_add(&c, "-q");
	call_add(&c, "--seed=%" PRIu64, seed);
	call_add(&c, "--json=%s", part);
	status = call_make(&c, NULL);
	/* A failed --assert leaves a complete result. */
	if (!status || status == EXIT_ASSERTION)
		return keep_result(p, side, part, result);
	return status > 0 ? fail(-ECANCELED, "the run for %s failed with exit code %d",
				 result, status) : status;
}

static void add_vary(struct call *c, const struct plan *p)
{
	char vary[VARY_TEXT];

	if (p->vary.n)
		call_add(c, "--vary=%s", vary_text(vary, &p->vary));
}

/* The results of the first @pairs: A... -- B... */
static void add_results(struct call *c, const struct plan *p, uint64_t pairs)
{
	char name[PATH_MAX];
	unsigned int side;
	size_t pair;

	for (side = 0; side < SIDES; side++) {
		for (pair = 0; pair < pairs; pair++) {
			file_name(name, sizeof(name), p, pair, side);
			call_add(c, "%s", name);
		}
		if (!side)
			call_add(c, "--");
	}
}

static int call_compare(const struct plan *p)
{
	struct call c = { 0 };
	int err;

	call_tool(&c, "compare");
	add_vary(&c, p);
	add_results(&c, p, p->pairs);
	err = call_error(&c);
	if (!err) {
		fflush(stdout);
		execv(c.argv[0], c.argv);
		err = fail(-errno, "%s: %s", c.argv[0], strerror(errno));
	}
	call_free(&c);
	return err;
}

int plan_refuse_facts(const struct result *a, const struct result *b, const char *name,
		      const struct vary *vary)
{
	char **list = NULL, **at;
	int err = facts_differ(&list, a, b, name, vary, false);

	if (err)
		fail(err, "out of memory");
	for (at = list; at && *at; at++)
		err = fail(-EINVAL, "%s", *at);
	notes_free(list);
	return err;
}

/* Says early what compare would say after all runs. */
static int check_first_pair(const struct plan *p)
{
	struct result r[SIDES] = { { 0 }, { 0 } };
	char name[SIDES][PATH_MAX];
	unsigned int i;
	int err = 0;

	for (i = 0; i < SIDES && !err; i++) {
		file_name(name[i], sizeof(name[i]), p, 0, i);
		err = result_load(&r[i], name[i]);
	}
	if (!err) {
		err = plan_refuse_facts(&r[0], &r[1], name[1], &p->vary);
		if (err == -EINVAL)
			fail(err, "A and B differ in more than --vary names: add those facts to it, or make A and B equal in them in a new --dir");
	}
	for (i = 0; i < SIDES; i++)
		result_free(&r[i]);
	return err;
}

/* The runs of the pairs from @from to @to that have no result yet. */
static int make_runs(const struct plan *p, uint64_t from, uint64_t to)
{
	char name[PATH_MAX];
	const char *side;
	struct stat st;
	size_t slot;
	int err = 0;

	for (slot = from * SIDES; slot < to * SIDES && !err; slot++) {
		side = p->name[p->order[slot]];
		file_name(name, sizeof(name), p, slot / SIDES, p->order[slot]);
		if (slot == SIDES)
			err = check_first_pair(p);
		if (err || (!stat(name, &st) && st.st_size))
			continue;
		put_printable(stderr, "run %zu of %s%" PRIu64 ": %s\n", slot + 1,
			      p->sequential ? "at most " : "", p->pairs * SIDES, side);
		if (p->setup)
			err = call_setup(p, p->order[slot]);
		if (!err)
			err = make_run(p, p->order[slot], name, run_seed(p, slot));
	}
	return err;
}

/* The exit code of gate for the first @pairs, or -errno, printed. */
static int call_gate(const struct plan *p, uint64_t pairs, const char *output)
{
	struct call c = { 0 };
	unsigned int i;

	call_tool(&c, "gate");
	if (p->quiet)
		call_add(&c, "--quiet");
	call_add(&c, "--sequential");
	call_add(&c, "--margin=%s", p->margin);
	for (i = 0; i < p->nmetrics; i++)
		call_add(&c, "--metric=%s", p->metric[i].text);
	add_vary(&c, p);
	add_results(&c, p, pairs);
	return call_make(&c, output);
}

/* Gate is asked at each look. Only the last answer is shown. */
static int carry_out_looks(const struct plan *p, enum exit_code *code)
{
	uint64_t pairs = 0, next;
	int status = 0, err;

	for (next = SEQUENTIAL_FIRST; next <= p->pairs; next += SEQUENTIAL_STEP) {
		err = make_runs(p, pairs, next);
		if (err)
			return err;
		pairs = next;
		status = call_gate(p, pairs, "/dev/null");
		if (status != EXIT_INCONCLUSIVE)
			break;
	}
	status = call_gate(p, pairs, NULL);
	if (status < 0)
		return status;
	fprintf(stderr, "%" PRIu64 " of %" PRIu64 " runs were made, %" PRIu64 " were saved\n",
		pairs * SIDES, p->pairs * SIDES, (p->pairs - pairs) * SIDES);
	*code = (enum exit_code)status;
	return 0;
}

int plan_carry_out(const struct plan *p, enum exit_code *code)
{
	int err;

	if (mkdir(p->dir, 0777) && errno != EEXIST)
		return fail(-errno, "%s: %s", p->dir, strerror(errno));
	err = check_dir(p, false);
	if (err)
		return err;
	fprintf(stderr, "seed %" PRIu64 "\n", p->seed);
	if (p->sequential)
		return carry_out_looks(p, code);
	err = make_runs(p, 0, p->pairs);
	return err ? err : call_compare(p);
}
