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

#include "result/read.h"
#include "series/plan.h"
#include "util/error.h"
#include "util/file.h"
#include "util/json_write.h"
#include "util/process.h"
#include "util/random.h"

#define SIDES	3			/* A, A', B */
#define PLAN_ID	17
#define ID_FILE	"plan.id"		/* beside the results */

int plan_draw_order(struct plan *p)
{
	p->order = calloc(p->blocks * SIDES, sizeof(*p->order));
	if (!p->order)
		return fail(-ENOMEM, "out of memory");
	random_blocks(p->order, p->blocks, SIDES, p->seed);
	return 0;
}

/* The name of a result. In a shell's sorting order A and A' alternate. */
static void file_name(char *buf, size_t size, const struct plan *p,
		      size_t block, unsigned int side)
{
	if (side == 2)
		snprintf(buf, size, "%s/b-%03zu.json", p->dir, block + 1);
	else
		snprintf(buf, size, "%s/a-%03zu-%u.json", p->dir, block + 1,
			 side + 1);
}

/* Each run starts at its own phase. */
static uint64_t run_seed(const struct plan *p, size_t slot)
{
	return random_derived(p->seed, slot) >> 32;
}

int plan_write_json(FILE *f, const struct plan *p)
{
	struct json_object *o = json_object_new_object(), *list, *run;
	struct builder b = { .err = 0 };
	char name[PATH_MAX];
	size_t slot;
	int i, err;

	put_text(&b, o, "format", "tlob-load plan");
	put_int(&b, o, "version", 1);
	put_text(&b, o, "a", p->name[0]);
	put_text(&b, o, "b", p->name[1]);
	put_u64(&b, o, "pairs", p->blocks);
	put_u64(&b, o, "seed", p->seed);
	put_text(&b, o, "setup", p->setup);
	list = put_array(&b, o, "options");
	for (i = 0; i < p->noptions; i++)
		put_text(&b, list, NULL, p->options[i]);
	list = put_array(&b, o, "runs");
	for (slot = 0; slot < p->blocks * SIDES; slot++) {
		run = put_object(&b, list, NULL);
		put_u64(&b, run, "block", slot / SIDES + 1);
		put_text(&b, run, "side", p->order[slot] == 2 ? "b" : "a");
		put_text(&b, run, "name", p->name[p->order[slot] == 2]);
		put_u64(&b, run, "seed", run_seed(p, slot));
		file_name(name, sizeof(name), p, slot / SIDES, p->order[slot]);
		put_text(&b, run, "result", name);
	}
	err = b.err ? b.err : json_print(f, o);
	json_object_put(o);
	return err;
}

/* Identifies the plan in the directory of its results. */
static int plan_id(const struct plan *p, char id[PLAN_ID])
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int err = f ? plan_write_json(f, p) : -ENOMEM;

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

/* The results of one side, in the order of their pairs. */
static void put_results(FILE *f, const struct plan *p, bool b)
{
	char name[PATH_MAX];
	size_t block;

	for (block = 0; block < p->blocks * (b ? 1 : 2); block++) {
		file_name(name, sizeof(name), p, b ? block : block / 2,
			  b ? 2 : block % 2);
		fputs(" \\\n	", f);
		shell_word(f, name);
	}
}

int plan_write_script(FILE *f, const struct plan *p)
{
	char name[PATH_MAX], id[PLAN_ID];
	size_t slot;
	int i, err;

	err = plan_id(p, id);
	if (err)
		return err;
	fprintf(f, "#!/bin/sh\n"
		"# %" PRIu64 " blocks of A, A' and B in random order, seed %" PRIu64 ".\n"
		"# A run that already has a result is skipped.\n"
		"set -eu\ndir=", p->blocks, p->seed);
	shell_word(f, p->dir);
	fprintf(f, "\nmkdir -p \"$dir\"\n"
		"[ ! -e \"$dir/" ID_FILE "\" ] || [ \"$(cat \"$dir/" ID_FILE "\")\" = %s ] ||\n"
		"	{ echo \"$dir has results of another plan\" >&2; exit 1; }\n"
		"echo %s > \"$dir/" ID_FILE "\"\n"
		"run() {	# NAME SEED RESULT\n"
		"	[ ! -s \"$3\" ] || return 0\n", id, id);
	if (p->setup) {
		fputs("	sh -c", f);
		put_word(f, p->setup);
		fputs(" setup \"$1\"\n", f);
	}
	fputs("	tlob-load run", f);
	for (i = 0; i < p->noptions; i++)
		put_word(f, p->options[i]);
	/* A run that was cut short is made again. */
	fputs(" -q --seed \"$2\" --json \"$3.part\"\n"
	      "	grep -q '\"stopped_by\":null' \"$3.part\"\n"
	      "	mv \"$3.part\" \"$3\"\n}\n", f);
	for (slot = 0; slot < p->blocks * SIDES; slot++) {
		file_name(name, sizeof(name), p, slot / SIDES, p->order[slot]);
		fputs("run", f);
		put_word(f, p->name[p->order[slot] == 2]);
		fprintf(f, " %" PRIu64, run_seed(p, slot));
		put_word(f, name);
		fputc('\n', f);
	}
	/* --setup changes the tuning, which compare would refuse. */
	fprintf(f, "exec tlob-load compare%s", p->setup ? " --force" : "");
	put_results(f, p, false);
	fputs(" --", f);
	put_results(f, p, true);
	fputc('\n', f);
	return ferror(f) ? -EIO : 0;
}

static int call_setup(const struct plan *p, const char *name)
{
	char *argv[] = {
		(char *)"sh", (char *)"-c", (char *)p->setup, (char *)"setup",
		(char *)name, NULL,
	};
	int status = process_call(argv, NULL);

	if (status > 0)
		return fail(-ECANCELED, "--setup for %s failed with exit code %d", name,
			    status);
	return status;
}

/* Refuses the result of a run that was cut short. */
static int keep_result(const char *part, const char *result)
{
	struct result r;
	int err = result_load(&r, part);

	if (err)
		return err;
	if (r.stopped_by)
		err = fail(-ECANCELED, "the run for %s was cut short by %s",
			   result, r.stopped_by);
	else if (rename(part, result))
		err = fail(-errno, "%s: %s", result, strerror(errno));
	result_free(&r);
	return err;
}

static int make_run(const struct plan *p, const char *self, const char *result,
		    uint64_t seed)
{
	struct call c = { 0 };
	char part[PATH_MAX];
	int i, status;

	snprintf(part, sizeof(part), "%.4000s.part", result);
	call_add(&c, "%s", self);
	call_add(&c, "run");
	for (i = 0; i < p->noptions; i++)
		call_add(&c, "%s", p->options[i]);
	call_add(&c, "-q");
	call_add(&c, "--seed=%" PRIu64, seed);
	call_add(&c, "--json=%s", part);
	status = call_error(&c);
	if (!status)
		status = process_call(c.argv, NULL);
	call_free(&c);
	/* A failed --assert leaves a complete result. */
	if (!status || status == EXIT_ASSERTION)
		return keep_result(part, result);
	return status > 0 ? fail(-ECANCELED, "the run for %s failed with exit code %d",
				 result, status) : status;
}

static int call_compare(const struct plan *p, const char *self)
{
	char name[PATH_MAX];
	struct call c = { 0 };
	unsigned int side;
	size_t block;
	int err;

	call_add(&c, "%s", self);
	call_add(&c, "compare");
	if (p->setup)
		call_add(&c, "--force");
	for (side = 0; side < SIDES; side += 2) {
		for (block = 0; block < p->blocks * (side ? 1 : 2); block++) {
			file_name(name, sizeof(name), p,
				  side ? block : block / 2,
				  side ? side : block % 2);
			call_add(&c, "%s", name);
		}
		if (!side)
			call_add(&c, "--");
	}
	err = call_error(&c);
	if (!err) {
		fflush(stdout);
		execv(self, c.argv);
		err = fail(-errno, "%s: %s", self, strerror(errno));
	}
	call_free(&c);
	return err;
}

/* Refuses a directory with results of another plan. */
static int claim_dir(const struct plan *p)
{
	char path[PATH_MAX], id[PLAN_ID], was[64];
	FILE *f;
	int err;

	if (mkdir(p->dir, 0777) && errno != EEXIST)
		return fail(-errno, "%s: %s", p->dir, strerror(errno));
	err = plan_id(p, id);
	if (err)
		return fail(err, "out of memory");
	snprintf(path, sizeof(path), "%.4000s/" ID_FILE, p->dir);
	if (!file_read_line(path, was, sizeof(was)))
		return !strcmp(was, id) ? 0 :
		       fail(-EEXIST, "%s has results of another plan: repeat its --seed and options to continue it, or give another --dir",
			    p->dir);
	f = fopen(path, "we");
	if (!f)
		return fail(-errno, "%s: %s", path, strerror(errno));
	fprintf(f, "%s\n", id);
	return fclose(f) ? fail(-EIO, "%s cannot be written", path) : 0;
}

int plan_carry_out(const struct plan *p)
{
	char self[PATH_MAX], name[PATH_MAX];
	const char *side;
	struct stat st;
	size_t slot;
	int err;

	err = process_self(self, sizeof(self));
	if (!err)
		err = claim_dir(p);
	if (!err)
		fprintf(stderr, "seed %" PRIu64 "\n", p->seed);
	for (slot = 0; slot < p->blocks * SIDES && !err; slot++) {
		side = p->name[p->order[slot] == 2];
		file_name(name, sizeof(name), p, slot / SIDES, p->order[slot]);
		if (!stat(name, &st) && st.st_size)
			continue;
		fprintf(stderr, "run %zu of %" PRIu64 ": %s\n", slot + 1,
			p->blocks * SIDES, side);
		if (p->setup)
			err = call_setup(p, side);
		if (!err)
			err = make_run(p, self, name, run_seed(p, slot));
	}
	return err ? err : call_compare(p, self);
}
