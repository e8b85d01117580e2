// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compare/decidable.h"
#include "lab/kernel_source.h"
#include "lab/lab_guests.h"
#include "lab/lab_try.h"
#include "util/error.h"
#include "util/file.h"
#include "util/memstream.h"
#include "util/random.h"
#include "util/signals.h"
#include "util/text.h"

struct guests {
	struct lab lab;
	struct lab_kernel base;		/* the kernel without what is tried */
	struct trial *t;
};

/* The guest boots with the arguments of the kernel, and after them those of the setting. */
static void set_kernel(struct guests *g, unsigned int at, const struct trial_run *r)
{
	struct lab_kernel *k = &g->lab.config.kernel[at];
	size_t n;

	*k = g->base;
	n = strlen(k->arguments);
	if (r->setting != TRIAL_NONE)
		snprintf(k->arguments + n, sizeof(k->arguments) - n, "%s%s", n ? " " : "", g->t->setting[r->setting].name);
	snprintf(g->lab.dir[at], sizeof(g->lab.dir[at]), "%s", r->dir);
	memcpy(g->lab.own[at], g->lab.own[0], sizeof(g->lab.own[at]));
}

static void path_of(const char *dir, size_t pair, const char *suffix, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%.4000s/%03zu.%s", dir, pair + 1, suffix);
}

static bool is_missing(const char *dir, size_t pair)
{
	char path[PATH_MAX];

	path_of(dir, pair, "json", path);
	return access(path, R_OK);
}

/* Boots one side of the pairs from that of @r to @to, or both. 0 or -errno; -EIO: a guest failed. */
static int boot(struct guests *g, const struct trial_run *r, bool both, size_t to)
{
	struct lab_config *o = &g->lab.config;

	set_kernel(g, 0, r);
	if (both)
		set_kernel(g, 1, r->other);
	o->nkernels = 1 + both;
	/* that of the first start */
	o->seed = g->t->claim.seed;
	random_blocks(g->lab.order, o->pairs, o->nkernels, o->seed);
	return lab_measure(&g->lab, r->pair, to);
}

/* With --jobs the pairs up to the next look that lack a result are booted at once. */
static size_t end_of_batch(const struct guests *g, const struct trial_run *r, bool both)
{
	size_t most = g->lab.o->jobs / (both ? 2 : 1), to = r->pair + 1;

	while (to < r->pair + most && !try_is_look(to) && is_missing(r->dir, to))
		to++;
	return to;
}

/* Says in r->why what the log says; what is not the guest's fault ends the experiment. */
static int take_failure(struct trial_run *r)
{
	char log[PATH_MAX];

	path_of(r->dir, r->pair, "log", log);
	lab_reason(r->why, log);
	return lab_blames_machine(r->why) ? fail(-EIO, "%s: see %s", r->why, log) : -ECANCELED;
}

/* In a batch another guest may have failed; this one then shows it alone. */
static int boot_all(struct guests *g, struct trial_run *r)
{
	bool both = g->lab.o->jobs > 1 && is_missing(r->other->dir, r->pair);
	size_t to = end_of_batch(g, r, both);
	int err = boot(g, r, both, to);

	if (err == -EIO && (both || to > r->pair + 1))
		err = is_missing(r->dir, r->pair) ? boot(g, r, false, r->pair + 1) : 0;
	else
		r->made = (1 + both) * (to - r->pair);
	return err;
}

/* Returns whether @word is among those that the kernel did not know, in its messages. */
static bool is_unknown(const char *messages, const char *word)
{
	static const char says[] = "Unknown kernel command line parameters \"";
	const char *list = strstr(messages, says);
	char known[LAB_ARGUMENTS];

	if (!list)
		return false;
	list += sizeof(says) - 1;
	snprintf(known, sizeof(known), "%.*s", (int)strcspn(list, "\""), list);
	return has_word(known, word);
}

/* The first of these arguments that the kernel did not know, or NULL; @arguments is cut there. */
static const char *unknown_of(char *arguments, const char *messages)
{
	char *word, *rest = NULL;

	for (word = strtok_r(arguments, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (is_unknown(messages, word))
			return word;
	return NULL;
}

/* An argument that the kernel does not know would be said to make no difference. */
static int check_arguments(const struct guests *g, struct trial_run *r, const char *messages)
{
	char arguments[LAB_ARGUMENTS];
	const char *unknown;

	if (r->setting == TRIAL_NONE)
		return 0;
	snprintf(arguments, sizeof(arguments), "%s", g->t->setting[r->setting].name);
	unknown = unknown_of(arguments, messages);
	if (!unknown)
		return 0;
	snprintf(r->why, sizeof(r->why), "this kernel does not know %.200s", unknown);
	return -ESTALE;
}

static int check_messages(const struct guests *g, struct trial_run *r)
{
	char path[PATH_MAX], *messages;
	int err;

	path_of(r->dir, r->pair, "dmesg", path);
	err = file_read(path, &messages);
	if (err)
		return fail(err, "%s: %s", path, strerror(-err));
	err = check_arguments(g, r, messages);
	free(messages);
	return err;
}

/* Nobody has looked at the messages of most runs of a batch, nor of those that a signal cut off. */
static int read_old(void *data, struct trial_run *r)
{
	const struct guests *g = data;
	char path[PATH_MAX];

	path_of(r->dir, r->pair, "dmesg", path);
	if (!access(path, R_OK) && check_messages(g, r))
		return -ENOENT;
	return access(r->file, R_OK) || trial_values(r, r->file, g->t, NULL) ? -ENOENT : 0;
}

static int measure(void *data, struct trial_run *r)
{
	struct guests *g = data;
	int err = boot_all(g, r);

	if (signal_end())
		return -EINTR;
	if (err == -EIO)
		return take_failure(r);
	if (!err)
		err = check_messages(g, r);
	if (err)
		return err;
	return trial_values(r, r->file, g->t, NULL) ? -ECANCELED : 0;
}

static const struct trial_ops guest_ops = { .measure = measure, .read = read_old };

/* For trial_identify(): the time of a kernel image is included. */
static void put_id(FILE *f, const void *data)
{
	const struct lab_config *o = data;
	struct stat st;
	unsigned int i;
	int n;

	fprintf(f, "%s\n%d %" PRIu64 " %s\n", o->kernel[0].text, o->deterministic, o->smp, o->metric[0].text);
	if (o->kernel[0].image && !stat(o->kernel[0].name, &st))
		fprintf(f, "%jd %jd\n", (intmax_t)st.st_size, (intmax_t)st.st_mtime);
	if (o->has_seed)
		fprintf(f, "%" PRIu64 "\n", o->seed);
	for (i = 0; i < o->try.n; i++)
		fprintf(f, "--try=%s\n", o->try.arguments[i]);
	for (n = 0; n < o->noptions; n++)
		fprintf(f, "%s\n", o->options[n]);
}

/* update-grub sources the line as root: the argument stands in quotes of its shell. */
static char *grub_line(const char *argument)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fputs("GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT ", f);
	for (; *argument; argument++)
		fprintf(f, strchr("\"\\$`", *argument) ? "\\%c" : "%c", *argument);
	fputs("\"\n", f);
	return memstream_text(f, &text);
}

static int describe_settings(struct trial *t, const struct lab_config *o)
{
	unsigned int i;

	for (i = 0; i < o->try.n; i++) {
		struct trial_setting *s = &t->setting[i];

		s->name = o->try.arguments[i];
		s->keep = KEEP_ARGUMENTS;
		s->line = grub_line(s->name);
		if (!s->line)
			return -ENOMEM;
	}
	return 0;
}

static int describe(struct trial *t, const struct lab_config *o)
{
	t->e = (struct experiment){
		.nsettings = o->try.n, .nconditions = 1, .alpha = DEFAULT_ALPHA, .margin = o->try.margin,
		.run_s = o->try.run_s,
		/* else what drifts between settings would look like an effect */
		.shared = o->deterministic,
		.within_s = o->try.within_ns ? (double)o->try.within_ns / NSEC_PER_SEC : INFINITY,
	};
	t->statistic = o->metric[0];
	t->condition[0] = o->try.condition;
	t->dir = o->dir;
	t->resume = o->try.resume;
	t->quiet = o->quiet;
	t->claim.seed = o->seed;
	t->cpus = strdup(o->try.cpus);
	if (asprintf(&t->kernel, "%s in guests%s", o->kernel[0].text, o->deterministic ? " that count instructions" : "") < 0)
		t->kernel = NULL;
	return !t->cpus || !t->kernel || describe_settings(t, o) ? fail(-ENOMEM, "out of memory") : 0;
}

static int carry_out(struct guests *g, struct output out[NR_TRIAL_OUTPUTS])
{
	int err = lab_claim_dir(&g->lab);

	if (!err)
		err = signals_catch();
	if (!err)
		err = lab_prepare(&g->lab);
	if (!err)
		err = trial_identify(g->t, put_id, g->lab.o);
	g->base = g->lab.config.kernel[0];
	/* findings of an earlier start must not pass for those of one that fails; as in trial_conduct() */
	if (err && (g->t->resume || !trial_is_begun(g->t)))
		outputs_remove(out, NR_TRIAL_OUTPUTS);
	if (!err)
		err = trial_conduct(g->t, out);
	g->lab.config.nkernels = 1;
	return !err && !g->lab.o->keep ? kernel_source_tidy(&g->lab) : err;
}

static void print_plan(const struct guests *g)
{
	const struct lab_config *o = g->lab.o;
	unsigned int i;

	printf("%s, in guests with and without\n", o->kernel[0].text);
	for (i = 0; i < o->try.n; i++)
		printf("  %s\n", o->try.arguments[i]);
	trial_print_plan(stdout, g->t, o->options, o->noptions);
}

static enum exit_code run(struct guests *g)
{
	const struct lab_config *o = g->lab.o;
	struct output out[NR_TRIAL_OUTPUTS] = { 0 };
	int err = describe(g->t, o);

	/* try prints the progress */
	g->lab.config.quiet = true;
	if (!err && o->try.dry_run)
		err = trial_check_time(g->t);
	if (!err && o->try.dry_run) {
		print_plan(g);
		return EXIT_PASS;
	}
	if (!err)
		err = outputs_open(out, &o->out[OUT_JSON], NR_TRIAL_OUTPUTS);
	if (!err)
		err = carry_out(g, out);
	outputs_discard(out, NR_TRIAL_OUTPUTS);
	return err ? exit_code_of(err) : trial_exit(g->t);
}

enum exit_code lab_try(const struct lab_config *o)
{
	struct guests *g = calloc(1, sizeof(*g));
	struct trial *t = calloc(1, sizeof(*t));
	enum exit_code code;

	if (g) {
		g->lab = (struct lab){ .config = *o, .tries = true, .claim = -1 };
		g->lab.o = &g->lab.config;
		g->lab.order = calloc(2 * o->pairs, sizeof(*g->lab.order));
	}
	if (g && g->lab.order && t) {
		g->t = t;
		t->ops = &guest_ops;
		t->data = g;
		code = run(g);
	} else {
		code = exit_code_of(fail(-ENOMEM, "out of memory"));
	}
	if (t)
		trial_free(t);
	if (g)
		free(g->lab.order);
	free(g);
	free(t);
	return code;
}
