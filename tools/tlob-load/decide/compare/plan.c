// SPDX-License-Identifier: GPL-2.0
/* Carrying out a plan, or printing its commands. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compare/decision.h"
#include "compare/plan.h"
#include "read/read.h"
#include "result/comparable.h"
#include "result/stats.h"
#include "util/claim.h"
#include "util/error.h"
#include "util/file.h"
#include "util/markup.h"
#include "util/process.h"
#include "util/random.h"
#include "util/text.h"
#include "util/time.h"
#include "util/units.h"

#define SIDES	2			/* A, B */
#define ID_FILE	"plan.id"		/* next to the results */
#define LOG_FILE "plan.log"		/* a line for each run that was begun: its file */

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

static void add_setup(struct call *c, const struct plan *p, unsigned int side)
{
	call_add(c, "sh");
	call_add(c, "-c");
	call_add(c, "%s", p->setup);
	call_add(c, "setup");
	call_add(c, "%s", p->name[side]);
	if (has_arguments(p))
		call_add(c, "%s", p->arguments[side]);
}

/* A run that writes the file @json. */
static void add_run(struct call *c, const struct plan *p, size_t slot, const char *json)
{
	call_tool(c, "run");
	call_add_all(c, p->options, p->noptions);
	if (p->tune && p->order[slot])
		call_add(c, "--tune");
	call_add(c, "-q");
	call_add(c, "--seed=%" PRIu64, run_seed(p, slot));
	call_add(c, "--json=%s", json);
}

/* A line for a shell, with the name of the program instead of its path. Frees the call. */
static int print_call(FILE *f, struct call *c)
{
	const char *word;
	size_t i;
	int err = call_error(c);

	for (i = 0; i < c->n && !err; i++) {
		word = i ? c->argv[i] : basename(c->argv[i]);
		if (i)
			fputc(' ', f);
		shell_word(f, word);
	}
	fputc('\n', f);
	call_free(c);
	return err;
}

/* The commands of one run. */
static int print_run(FILE *f, const struct plan *p, size_t slot, const char *json)
{
	struct call c = { 0 };
	int err = 0;

	if (p->setup) {
		add_setup(&c, p, p->order[slot]);
		err = print_call(f, &c);
	}
	if (err)
		return err;
	add_run(&c, p, slot, json);
	return print_call(f, &c);
}

/*
 * Identifies the plan in the directory of its results: the names, and all commands that make runs.
 * How they are compared may change while the plan continues.
 */
static int identify(const struct plan *p, struct claim *c)
{
	char *text = NULL, name[PATH_MAX];
	size_t size, slot;
	FILE *f = open_memstream(&text, &size);
	int err = f ? 0 : -ENOMEM;

	if (!err)
		fprintf(f, "%s\n%s\n", p->name[0], p->name[1]);
	for (slot = 0; slot < p->pairs * SIDES && !err; slot++) {
		file_name(name, sizeof(name), p, slot / SIDES, p->order[slot]);
		err = print_run(f, p, slot, name);
	}
	if (f && fclose(f) && !err)
		err = -ENOMEM;
	if (!err)
		claim_identify(c, text);
	free(text);
	return err;
}

static int call_setup(const struct plan *p, unsigned int side)
{
	struct call c = { 0 };
	int status;

	add_setup(&c, p, side);
	status = call_make(&c, NULL);
	if (status > 0)
		return fail(-ECANCELED, "--setup for %s failed with exit code %d", p->name[side],
			    status);
	return status;
}

/*
 * A --setup that does not boot, or boots the wrong kernel, would compare a kernel with
 * itself. An argument that only the other side has must be missing.
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
		fail(err, "the runs of a confirmation need the settings of the session: restore them, and give the same command again");
	return err;
}

/*
 * Refuses a directory with results of another plan. The first result claims it, so that a plan whose
 * --setup does not work can be corrected.
 */
static int check_dir(const struct plan *p, bool claim)
{
	struct claim c = { .dir = p->dir, .file = ID_FILE };
	int err = identify(p, &c);

	if (err)
		return fail(err, "out of memory");
	switch (claim_read(&c)) {
	case CLAIM_OURS:
		return 0;
	case CLAIM_OTHER:
		return fail(-EEXIST, "%s has results of another plan: repeat its --seed and options to continue it, or remove it or give another --dir",
			    p->dir);
	default:
		return claim ? claim_take(&c) : 0;
	}
}

static const char *log_path(char path[PATH_MAX], const struct plan *p)
{
	snprintf(path, PATH_MAX, "%.4000s/" LOG_FILE, p->dir);
	return path;
}

static bool is_claimed(const struct plan *p)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.4000s/" ID_FILE, p->dir);
	return !access(path, F_OK);
}

/*
 * Runs do not fail at random, so those that are made again are counted. A line is written before
 * the run: also one that ends with the machine has it. Before the directory is claimed nothing
 * was measured, and what fails is the command.
 */
static int log_run(const struct plan *p, const char *result)
{
	char path[PATH_MAX];
	int fd;

	if (!is_claimed(p))
		return 0;
	fd = file_open_output(log_path(path, p), O_WRONLY | O_APPEND);
	if (fd < 0)
		return fail(fd, "%s: %s", path, strerror(-fd));
	dprintf(fd, "%s\n", basename(result));
	return close(fd) ? fail(-errno, "cannot write %s: %s", path, strerror(errno)) : 0;
}

/* The runs of each side that were begun and left no result, or were made again. */
static int count_cut_short(const struct plan *p, uint64_t pairs, uint64_t n[SIDES])
{
	char path[PATH_MAX], line[64];
	unsigned int side;
	unsigned long pair;
	uint64_t *begun = calloc(pairs * SIDES + 1, sizeof(*begun));
	FILE *f = fopen(log_path(path, p), "re");

	n[0] = n[1] = 0;
	if (!begun && f)
		fclose(f);
	if (!begun)
		return fail(-ENOMEM, "out of memory");
	while (f && fgets(line, sizeof(line), f)) {
		pair = strlen(line) > 2 ? strtoul(line + 2, NULL, 10) : 0;
		side = *line == 'b';
		if ((*line == 'a' || side) && pair && pair <= pairs)
			n[side] += begun[(pair - 1) * SIDES + side]++ > 0 && n[side] < STATS_MAX_PAIRS;
	}
	if (f)
		fclose(f);
	free(begun);
	return 0;
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
		err = fail(-ECANCELED, "the run for %s was cut short by %s: the same command makes it again%s",
			   result, r.stopped_by, is_claimed(p) ? ", and counts it as the worst of its side" : "");
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

/* @left: how long the rest will take, or "". */
static int make_run(const struct plan *p, size_t slot, const char *result, const char *left)
{
	unsigned int side = p->order[slot];
	struct call c = { 0 };
	char part[PATH_MAX];
	int status;

	put_printable(stderr, "run %zu of %s%" PRIu64 ": %s%s\n", slot + 1,
		      p->sequential ? "at most " : "", p->pairs * SIDES, p->name[side], left);
	status = p->setup ? call_setup(p, side) : 0;
	if (!status)
		status = log_run(p, result);
	if (status)
		return status;
	snprintf(part, sizeof(part), "%.4000s.part", result);
	add_run(&c, p, slot, part);
	status = call_make(&c, NULL);
	/* A failed --assert leaves a complete result. */
	if (exit_has_result(status))
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

/* What is compared, and the results of the first @pairs: A... -- B... 0 or -ENOMEM, printed. */
static int add_comparison(struct call *c, const struct plan *p, uint64_t pairs)
{
	char name[PATH_MAX];
	uint64_t cut_short[SIDES];
	unsigned int side, i;
	size_t pair;

	if (p->margin)
		call_add(c, "--margin=%s", p->margin);
	for (i = 0; i < p->nmetrics; i++)
		call_add(c, "--metric=%s", p->metric[i].text);
	add_vary(c, p);
	if (count_cut_short(p, pairs, cut_short))
		return -ENOMEM;
	if (cut_short[0] || cut_short[1])
		call_add(c, "--cut-short=%" PRIu64 ",%" PRIu64, cut_short[0], cut_short[1]);
	for (side = 0; side < SIDES; side++) {
		for (pair = 0; pair < pairs; pair++) {
			file_name(name, sizeof(name), p, pair, side);
			call_add(c, "%s", name);
		}
		if (!side)
			call_add(c, "--");
	}
	return 0;
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
			fail(err, "A and B differ in more than --vary names: add those settings to it, or make A and B equal in them in a new --dir");
	}
	for (i = 0; i < SIDES; i++)
		result_free(&r[i]);
	return err;
}

/* The runs of the pairs from @from to @to that have no result yet. */
static int make_runs(const struct plan *p, uint64_t from, uint64_t to)
{
	char name[PATH_MAX], left[LEFT_LEN];
	uint64_t began = now_ns();
	size_t slot, made = 0;
	struct stat st;
	int err = 0;

	for (slot = from * SIDES; slot < to * SIDES && !err; slot++) {
		file_name(name, sizeof(name), p, slot / SIDES, p->order[slot]);
		if (slot == SIDES && !p->dry_run)
			err = check_first_pair(p);
		if (err || (!stat(name, &st) && st.st_size))
			continue;
		err = p->dry_run ? print_run(stdout, p, slot, name) :
		      make_run(p, slot, name, left_text(left, now_ns() - began, made++, to * SIDES - slot));
	}
	return err;
}

/* The exit code of compare for the first @pairs, or -errno, printed. */
static int call_compare(const struct plan *p, uint64_t pairs, const char *output)
{
	struct call c = { 0 };

	call_tool(&c, "compare");
	if (p->quiet)
		call_add(&c, "--quiet");
	if (p->sequential)
		call_add(&c, "--sequential");
	if (add_comparison(&c, p, pairs)) {
		call_free(&c);
		return -ENOMEM;
	}
	return p->dry_run ? print_call(stdout, &c) : call_make(&c, output);
}

/* Makes the pairs of each look, until one decides. Returns its pairs, or -errno, printed. */
static int carry_out_looks(const struct plan *p)
{
	uint64_t pairs = 0;
	unsigned int look;
	int err;

	for (look = 0; look < SEQUENTIAL_LOOKS; look++) {
		err = make_runs(p, pairs, sequential_pairs[look]);
		if (err)
			return err;
		pairs = sequential_pairs[look];
		err = call_compare(p, pairs, "/dev/null");
		if (err < 0)
			return err;
		if (err != EXIT_INCONCLUSIVE && !p->dry_run)
			break;
	}
	return (int)pairs;
}

/* The directory would be made first. */
static int print_head(const struct plan *p)
{
	struct call c = { 0 };

	call_add(&c, "mkdir");
	call_add(&c, "-p");
	call_add(&c, "%s", p->dir);
	return print_call(stdout, &c);
}

int plan_carry_out(const struct plan *p, enum exit_code *code)
{
	int err, status, pairs = (int)p->pairs;

	if (!p->dry_run && mkdir(p->dir, 0777) && errno != EEXIST)
		return fail(-errno, "%s: %s", p->dir, strerror(errno));
	err = check_dir(p, false);
	if (!err && p->dry_run)
		err = print_head(p);
	if (err)
		return err;
	fprintf(stderr, "seed %" PRIu64 "\n", p->seed);
	if (p->sequential)
		pairs = carry_out_looks(p);
	else
		err = make_runs(p, 0, p->pairs);
	if (err || pairs < 0 || (p->sequential && p->dry_run))
		return err ? err : pairs < 0 ? pairs : 0;
	/* only the last answer is shown */
	status = call_compare(p, (uint64_t)pairs, NULL);
	if (status < 0)
		return status;
	if (p->sequential)
		fprintf(stderr, "%d of %" PRIu64 " runs were made, %" PRIu64 " were saved\n", pairs * SIDES,
			p->pairs * SIDES, (p->pairs - (uint64_t)pairs) * SIDES);
	*code = (enum exit_code)status;
	return 0;
}
