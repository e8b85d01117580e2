// SPDX-License-Identifier: GPL-2.0
/* The options of an experiment with kernel arguments. */
#include <stdlib.h>
#include <string.h>

#include "compare/decision.h"
#include "lab/lab_try.h"
#include "options/run_config.h"

#define BOOT_S		10		/* of a guest, about; measured later */

/* The words are separated by one space each: an experiment that is resumed compares the text. */
static bool is_list(const char *words)
{
	size_t n = strlen(words);

	return n && words[0] != ' ' && words[n - 1] != ' ' && !strstr(words, "  ");
}

/* Returns whether the argument that begins at @word is among @words, with any value. */
static bool names(const char *words, const char *word)
{
	size_t n = strcspn(word, "= ");

	for (; words; words = strchr(words, ' '), words = words ? words + 1 : NULL)
		if (strcspn(words, "= ") == n && !strncmp(words, word, n))
			return true;
	return false;
}

/* The last of two values would win when both are set. */
static int check_repeated(const struct value *v, const struct lab_experiment *e)
{
	const char *word;
	unsigned int i;

	for (word = v->arg; word; word = strchr(word, ' '), word = word ? word + 1 : NULL)
		for (i = 0; i < e->n; i++)
			if (names(e->arguments[i], word))
				return value_error(v, "--try '%.60s': %.*s is also in --try '%.60s': give each argument once",
						   v->arg, (int)strcspn(word, "= "), word, e->arguments[i]);
	return 0;
}

int lab_read_try(const struct value *v, void *config)
{
	struct lab_experiment *e = &((struct lab_config *)config)->try;

	if (!is_list(v->arg))
		return value_error(v, "--try '%.60s': give kernel arguments with one space between them, as in 'nohz_full=1 rcu_nocbs=1'",
				   v->arg);
	if (strpbrk(v->arg, "\"'\\$`\n\t"))
		return value_error(v, "--try '%.60s': a quote, a backslash, a $ or a tab cannot be passed on: leave it out", v->arg);
	if (e->n == TRY_SETTINGS)
		return value_error(v, "--try is given more than %d times: leave some out", TRY_SETTINGS);
	if (check_repeated(v, e))
		return -EINVAL;
	e->arguments[e->n++] = v->arg;
	return 0;
}

/* They come after those of the kernel. */
static int check_room(const struct lab_config *o, const struct value *v)
{
	size_t n = strlen(o->kernel[0].arguments);
	unsigned int i;

	for (i = 0; i < o->try.n; i++)
		if (n + 1 + strlen(o->try.arguments[i]) >= LAB_ARGUMENTS)
			return value_error(v, "--try '%.60s': with the kernel's arguments it is longer than %d bytes: try fewer at once",
					   o->try.arguments[i], LAB_ARGUMENTS - 1);
	return 0;
}

static int take_decision(struct lab_config *o, const struct value *v)
{
	char why[REASON_LEN];
	const char *refused;

	if (o->nmetrics > 1)
		return value_error(v, "--try needs one --metric: leave out the others");
	if (!o->nmetrics++)
		statistic_parse(&o->metric[0], "p99.9(response)", why, sizeof(why));
	o->try.margin = o->margin ? strtod(o->margin, NULL) / 100 : TRIAL_MARGIN;
	refused = trial_refuses(&o->metric[0], o->try.margin);
	return refused ? value_error(v, "%s", refused) : 0;
}

int lab_check_try(struct lab_config *o, const struct value *v)
{
	const struct lab_experiment *e = &o->try;

	if (!e->n && (e->within_ns || e->resume || e->dry_run))
		return value_error(v, "--within, --resume and --dry-run need --try");
	if (!e->n)
		return 0;
	if (o->nkernels > 1)
		return value_error(v, "--try needs one KERNEL, which boots with and without the arguments");
	if (o->compare || o->pairs)
		return value_error(v, "--try excludes --compare and --pairs: it boots as often as its verdicts need");
	o->pairs = SEQUENTIAL_MOST;
	return check_room(o, v) ? -EINVAL : take_decision(o, v);
}

void lab_describe_try(struct lab_config *o, const struct run_config *run)
{
	uint64_t ns = run->duration_ns ? run->duration_ns : run->windows * run->period_ns;
	struct lab_experiment *e = &o->try;

	e->run_s = ((double)ns / NSEC_PER_SEC + BOOT_S) / (double)o->jobs;
	e->condition = !run->nload ? "idle" : run->nload == 1 ? run->load[0] : "all loads";
	/* as run chooses */
	if (run->cpus)
		snprintf(e->cpus, sizeof(e->cpus), "%s", run->cpus);
	else if (o->smp == 1)
		snprintf(e->cpus, sizeof(e->cpus), "0");
	else
		snprintf(e->cpus, sizeof(e->cpus), "1-%u", (unsigned int)o->smp - 1);
}
