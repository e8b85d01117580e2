// SPDX-License-Identifier: GPL-2.0
/*
 * `tlob-load plan`: the order of the runs of a comparison, for a shell, for a
 * program, or carried out.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "describe.h"
#include "file.h"
#include "json.h"
#include "option_value.h"
#include "options.h"
#include "order.h"
#include "plan.h"
#include "result_read.h"
#include "stats.h"

#define SIDES	3			/* A, A', B */
#define CALL_MAX 256			/* words of the run that is planned */
#define PLAN_ID	17
#define ID_FILE	"plan.id"		/* beside the results */

struct plan {
	const char *name[2];		/* of A and B, as --setup gets them */
	uint64_t blocks, seed;
	const char *dir, *setup;
	bool	 json, run, help;
	char	**options;		/* of the runs */
	int	 noptions;
	unsigned int *order;		/* [blocks * SIDES] */
};

enum { OPT_SEED = 256, OPT_DIR, OPT_SETUP, OPT_FORMAT, OPT_RUN };

static const struct option long_options[] = {
	{ "pairs",  required_argument, NULL, 'n' },
	{ "seed",   required_argument, NULL, OPT_SEED },
	{ "dir",    required_argument, NULL, OPT_DIR },
	{ "setup",  required_argument, NULL, OPT_SETUP },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "run",    no_argument,       NULL, OPT_RUN },
	{ "help",   no_argument,       NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char plan_help[] =
"Usage: tlob-load plan [OPTION]... A B [-- OPTION OF run]...\n"
"Write the order in which the runs of a comparison are to be made: blocks of A,\n"
"A' and B, each in random order. A against A' tells how much runs differ by\n"
"themselves, A against B what is compared; neighbours share what drifts.\n"
"A and B are names: --setup makes them true.\n"
"\n"
"  -n, --pairs N     blocks, 1 to 400                                    [20]\n"
"      --setup CMD   before each run: sh -c CMD with the name as $1, as in\n"
"                    './boot-setting \"$1\"'\n"
"      --dir DIR     where results go                             [tlob-plan]\n"
"      --seed N      of the order, to have it again or go on with it  [random]\n"
"      --format F    sh, a script that goes on where it was stopped, or json [sh]\n"
"      --run         carry it out here, and compare\n"
"  -h, --help        this text\n"
"\n"
"Exit codes\n"
"  0 written, or carried out and compared   1 error   129 usage\n"
"\n"
"Example\n"
"  tlob-load plan 0 1 --setup 'sysctl -w kernel.timer_migration=$1' --run \\\n"
"      -- -c 2-3 -p 250us -w loops:20000 -d 30s\n";

/* A result's name. Sorted as a shell sorts them, A and A' alternate. */
static void file_name(char *buf, size_t size, const struct plan *p,
		      size_t block, unsigned int side)
{
	if (side == 2)
		snprintf(buf, size, "%s/b-%03zu.json", p->dir, block + 1);
	else
		snprintf(buf, size, "%s/a-%03zu-%u.json", p->dir, block + 1,
			 side + 1);
}

static int write_json(FILE *f, const struct plan *p);

/* What tells a plan from another, for the directory of its results. */
static int plan_id(const struct plan *p, char id[PLAN_ID])
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int err = f ? write_json(f, p) : -ENOMEM;

	if (f && fclose(f) && !err)
		err = -ENOMEM;
	if (!err)
		snprintf(id, PLAN_ID, "%016" PRIx64, file_fingerprint(text));
	free(text);
	return err;
}

/* Each run starts in a phase of its own. */
static uint64_t run_seed(const struct plan *p, size_t slot)
{
	return order_derived(p->seed, slot) >> 32;
}

static void put_word(FILE *f, const char *word)
{
	fputc(' ', f);
	describe_word(f, word);
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
		describe_word(f, name);
	}
}

static int write_script(FILE *f, const struct plan *p)
{
	char name[PATH_MAX], id[PLAN_ID];
	size_t slot;
	int i, err;

	err = plan_id(p, id);
	if (err)
		return err;
	fprintf(f, "#!/bin/sh\n"
		"# %" PRIu64 " blocks of A, A' and B in random order, seed %" PRIu64 ".\n"
		"# A run whose result is there is not made again.\n"
		"set -eu\ndir=", p->blocks, p->seed);
	describe_word(f, p->dir);
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
	/* one that was cut short is made again */
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
	/* what --setup sets is tuning that differs: it is shown */
	fprintf(f, "exec tlob-load compare%s", p->setup ? " --force" : "");
	put_results(f, p, false);
	fputs(" --", f);
	put_results(f, p, true);
	fputc('\n', f);
	return ferror(f) ? -EIO : 0;
}

static int write_json(FILE *f, const struct plan *p)
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

static int call_setup(const struct plan *p, const char *name)
{
	char *argv[] = {
		(char *)"sh", (char *)"-c", (char *)p->setup, (char *)"setup",
		(char *)name, NULL,
	};
	int status = command_call(argv, NULL);

	if (status > 0)
		return fail(-ECANCELED, "--setup for %s ended with %d", name,
			    status);
	return status;
}

/* A run that was cut short has a result, too, which is none of the plan's. */
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
	char *argv[CALL_MAX], number[24], part[PATH_MAX];
	int n = 0, i, status;

	snprintf(part, sizeof(part), "%.4000s.part", result);
	snprintf(number, sizeof(number), "%" PRIu64, seed);
	argv[n++] = (char *)self;
	argv[n++] = (char *)"run";
	for (i = 0; i < p->noptions; i++)
		argv[n++] = p->options[i];
	argv[n++] = (char *)"-q";
	argv[n++] = (char *)"--seed";
	argv[n++] = number;
	argv[n++] = (char *)"--json";
	argv[n++] = part;
	argv[n] = NULL;
	status = command_call(argv, NULL);
	/* after an assertion that failed the result is there all the same */
	if (!status || status == EXIT_ASSERTION)
		return keep_result(part, result);
	return status > 0 ? fail(-ECANCELED, "the run for %s ended with %d",
				 result, status) : status;
}

static int call_compare(const struct plan *p, const char *self)
{
	size_t files = (size_t)p->blocks * SIDES, n = 0, block;
	char **argv = calloc(files + 5, sizeof(*argv));
	char name[PATH_MAX];
	unsigned int side;
	int err = 0;

	if (!argv)
		return fail(-ENOMEM, "out of memory");
	argv[n++] = (char *)self;
	argv[n++] = (char *)"compare";
	if (p->setup)
		argv[n++] = (char *)"--force";
	for (side = 0; side < SIDES && !err; side += 2) {
		for (block = 0; block < p->blocks * (side ? 1 : 2); block++) {
			file_name(name, sizeof(name), p,
				  side ? block : block / 2,
				  side ? side : block % 2);
			argv[n] = strdup(name);
			if (!argv[n++])
				err = -ENOMEM;
		}
		if (!side)
			argv[n++] = (char *)"--";
	}
	if (!err) {
		fflush(stdout);
		execv(self, argv);
		err = -errno;
	}
	free(argv);
	return fail(err, "%s: %s", self, strerror(-err));
}

/* Results of another plan are not to be taken for those of this one. */
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
		       fail(-EEXIST, "%s has results of another plan: --seed and the same options go on with it, another --dir begins anew",
			    p->dir);
	f = fopen(path, "we");
	if (!f)
		return fail(-errno, "%s: %s", path, strerror(errno));
	fprintf(f, "%s\n", id);
	return fclose(f) ? fail(-EIO, "%s cannot be written", path) : 0;
}

static int carry_out(const struct plan *p)
{
	char self[PATH_MAX], name[PATH_MAX];
	const char *side;
	struct stat st;
	size_t slot;
	int err;

	err = command_self(self, sizeof(self));
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

static int set_option(void *data, int val, const struct value *v)
{
	struct plan *p = data;

	switch (val) {
	case 'n':
		return value_count(v, 1, STATS_MAX_PAIRS, &p->blocks);
	case OPT_SEED:
		return value_count(v, 0, UINT32_MAX, &p->seed);
	case OPT_DIR:
		if (*v->arg == '-' || strlen(v->arg) > PATH_MAX - 100)
			return value_error(v, "--dir: too long, or begins with -: as in ./%.20s",
					   v->arg);
		return value_text(v, "the name of a directory", &p->dir);
	case OPT_SETUP:
		return value_text(v, "a command", &p->setup);
	case OPT_FORMAT:
		p->json = !strcmp(v->arg, "json");
		if (!p->json && strcmp(v->arg, "sh"))
			return value_error(v, "--format: '%s' is none: use sh or json",
					   v->arg);
		return 0;
	case OPT_RUN:
		p->run = true;
		return 0;
	case 'h':
		p->help = true;
		return 1;
	case 1:				/* an argument, in its place */
		if (p->name[0] && p->name[1])
			return value_error(v, "'%s' is one name too many: options of the runs follow --",
					   v->arg);
		p->name[!!p->name[0]] = v->arg;
		return 0;
	}
	return value_error(v, "unknown option --%s", v->name);
}

/* The options of the runs must be some, and leave what the plan decides alone. */
static int check_options(struct plan *p, int argc, char **argv,
			 const struct value *v)
{
	char why[REASON_LEN];
	struct options o;

	p->options = argv + optind;
	p->noptions = argc - optind;
	if (!p->name[0] || !p->name[1])
		return value_error(v, "two names are needed: what is A, and what is B?");
	if (!*p->name[0] || !*p->name[1])
		return value_error(v, "a name is empty");
	if (!strcmp(p->name[0], p->name[1]) && p->setup)
		return value_error(v, "both sides are %s: there is nothing to compare",
				   p->name[0]);
	if (p->noptions > CALL_MAX - 8)
		return value_error(v, "too many options");
	argv[optind - 1] = (char *)"run";
	if (options_parse(&o, p->noptions + 1, argv + optind - 1, why,
			  sizeof(why)))
		return value_error(v, "behind --: %s", why);
	if (o.help || o.version || o.json || o.has_seed || o.hist || o.trace)
		return value_error(v, "behind --: --json, --hist, --trace, --seed, --help and --version are not for a plan");
	if (!o.duration_ns && !o.windows)
		return value_error(v, "behind --: say how long a run is, as in -d 30s");
	return 0;
}

static int parse(struct plan *p, int argc, char **argv, char *err,
		 unsigned int size)
{
	struct value v = { .options = long_options, .err = err, .size = size };
	int ret;

	*p = (struct plan){
		.blocks = 20, .dir = "tlob-plan", .seed = order_seed(),
	};
	ret = options_read(p, argc, argv, "-:n:h", &v, set_option);
	if (ret)
		return ret < 0 ? ret : 0;
	return check_options(p, argc, argv, &v);
}

enum exit_code command_plan(int argc, char **argv)
{
	struct plan p;
	char why[1024];
	int err = 0;

	if (parse(&p, argc, argv, why, sizeof(why)))
		return exit_code_of(fail(-EUSAGE, "%s (tlob-load plan --help)",
					 why));
	if (p.help) {
		fputs(plan_help, stdout);
		return EXIT_PASS;
	}
	p.order = calloc(p.blocks * SIDES, sizeof(*p.order));
	if (!p.order)
		return exit_code_of(fail(-ENOMEM, "out of memory"));
	order_blocks(p.order, p.blocks, SIDES, p.seed);
	if (p.run)
		err = carry_out(&p);
	else if (p.json)
		err = write_json(stdout, &p);
	else
		err = write_script(stdout, &p);
	if (err && !p.run)
		fail(err, "the plan cannot be written");
	free(p.order);
	return exit_code_of(err);
}
