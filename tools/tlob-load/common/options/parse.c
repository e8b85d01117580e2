// SPDX-License-Identifier: GPL-2.0
/* Reads a command line by a table of options, and says what is wrong with it. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "options/option_value.h"
#include "util/near.h"

/* Room for the names of some options. */
#define NAMES_LEN	120

/* getopt_long() returns a letter, or this and the number of the row, or: */
#define FIRST_ROW	256
#define OPERAND		1

const struct manual_option *manual_option_find(const struct manual *m, const char *name)
{
	const struct manual_option *o;

	manual_each_option(o, m)
		if (!strcmp(o->name, name))
			return o;
	return NULL;
}

#define MOST_WORDS	3

/* Our names for options of cyclictest, rtla, earlier versions and our other commands. */
static const struct {
	const char *word[MOST_WORDS];
	const char *needs;		/* an option that the command must have */
	const char *instead;
} peers[] = {
	{ { "-i", "--interval", "--irq" }, "period",
	  "cyclictest's interval is --period T; rtla's --irq is --stop-on 'irq>T'" },
	{ { "-l", "--loops" }, "windows", "the number of activations is --windows N" },
	{ { "-D" }, "duration", "the duration is --duration T, as in -d 10s" },
	{ { "-t", "--threads" }, "cpus",
	  "one thread runs on each CPU of --cpus LIST; rtla's -t is --trace FILE" },
	{ { "-S", "--smp" }, "cpus", "one thread runs on each CPU of --cpus LIST anyhow" },
	{ { "-a", "--affinity", "--auto" }, "cpus",
	  "cyclictest's CPUs are --cpus LIST; rtla's --auto is --stop-on 'wake>T' --trace FILE" },
	{ { "-P", "--priority", "--prio" }, "policy", "the priority is --policy fifo:P" },
	{ { "-T", "--thread" }, "stop-on", "rtla's --thread is --stop-on 'wake>T'" },
	{ { "-b", "--breaktrace" }, "stop-on", "cyclictest's --breaktrace is --stop-on 'wake>T'" },
	{ { "-H", "--house-keeping" }, "housekeeping", "the tool's own CPUs are --housekeeping LIST" },
	{ { "-C" }, "cgroup", "the cgroup is --cgroup PATH" },
	{ { "-u", "--user-threads" }, "workload", "user threads are --workload user, the default" },
	{ { "-k", "--kernel-threads" }, "workload", "kernel threads are --workload kthread" },
	{ { "-m", "--mlockall" }, "workload", "memory is always locked" },
	{ { "--histogram", "--histfile" }, "hist", "histograms go to a file by --hist FILE" },
	{ { "--deepest-idle-state" }, "idle-state", "the deepest idle state is --idle-state N" },
	{ { "--latency" }, "dma-latency", "the limit in /dev/cpu_dma_latency is --dma-latency T" },
	{ { "--looks" }, "sequential", "it is called --sequential now, and takes no number" },
	{ { "-o", "--output" }, "html", "the page goes to a file by --html FILE" },
};

/*
 * Returns what to use instead of @word, "-i" or "--interval", which @m does not have, or NULL.
 * Peers disagree about some letters; then the text names both.
 */
static const char *peer_option(const struct manual *m, const char *word)
{
	size_t n = strcspn(word, "="), i;
	int k;

	for (i = 0; i < sizeof(peers) / sizeof(peers[0]); i++)
		for (k = 0; k < MOST_WORDS && peers[i].word[k]; k++)
			if (strlen(peers[i].word[k]) == n &&
			    !strncmp(peers[i].word[k], word, n) &&
			    manual_option_find(m, peers[i].needs))
				return peers[i].instead;
	return NULL;
}

/* "--hist or --housekeeping": the options that begin with @word, at most three. */
static unsigned int beginning(const struct manual *m, const char *word, char names[NAMES_LEN])
{
	const size_t n = strcspn(word, "=");
	const struct manual_option *o;
	unsigned int found = 0;
	size_t len = 0;

	*names = 0;
	manual_each_option(o, m) {
		if (strncmp(o->name, word, n))
			continue;
		if (found++ < 3)
			len += (size_t)snprintf(names + len, NAMES_LEN - len, "%s--%s",
						found > 1 ? " or " : "", o->name);
	}
	return found;
}

/* The option whose name is nearest to @word, or NULL. */
static const char *nearest(const struct manual *m, const char *word)
{
	const struct manual_option *o;
	const char *name = NULL;
	unsigned int best = NEAR_NOT, d;
	char wanted[NAMES_LEN];

	snprintf(wanted, sizeof(wanted), "%.*s", (int)strcspn(word, "="), word);
	manual_each_option(o, m) {
		d = near_edits(o->name, wanted);
		if (d < best) {
			best = d;
			name = o->name;
		}
	}
	return name;
}

/* getopt_long() does not know @word, as in -x or --word=value. */
static int unknown_option(const struct value *v, const char *word)
{
	const char *peer = peer_option(v->command, word), *name;
	char names[NAMES_LEN];

	if (peer)
		return value_error(v, "unknown option %s: %s", word, peer);
	if (strncmp(word, "--", 2))
		return value_error(v, "unknown option %s", word);
	if (beginning(v->command, word + 2, names) > 1)
		return value_error(v, "ambiguous option %s: %s", word, names);
	name = nearest(v->command, word + 2);
	if (name)
		return value_error(v, "unknown option %s: did you mean --%s?", word, name);
	return value_error(v, "unknown option %s", word);
}

/* The row of what getopt_long() returned, or NULL. */
static const struct manual_option *row_of(const struct manual *m, int val)
{
	const struct manual_option *o;

	if (val >= FIRST_ROW)
		return &m->options[val - FIRST_ROW];
	manual_each_option(o, m)
		if (val && o->letter == val)
			return o;
	return NULL;
}

/* The error after getopt_long() returned @c, '?' or ':', at @word. */
static int bad_option(const struct value *v, int c, const char *word)
{
	const struct manual_option *o = row_of(v->command, optopt);
	const char letter[] = { '-', (char)optopt, 0 };

	if (c == ':')
		return value_error(v, "--%s needs a value", o->name);
	if (o)				/* --quiet=yes */
		return value_error(v, "--%s takes no value", o->name);
	return unknown_option(v, optopt ? letter : word);
}

/* The word of the long option that getopt_long() has just read. Its value may be a word of its own. */
static const char *word_read(char **argv)
{
	return argv[optind - (optarg && optarg == argv[optind - 1] ? 2 : 1)];
}

/* Returns whether getopt_long() took another tool's option for the beginning of one of ours. */
static bool is_of_peer(const struct manual *m, const struct manual_option *o, const char *word)
{
	return strcspn(word, "=") != strlen("--") + strlen(o->name) && peer_option(m, word);
}

/* The table as getopt_long() takes it. */
struct getopt_table {
	struct option rows[OPTIONS_MAX];
	char	 letters[2 * OPTIONS_MAX];
};

static void fill_table(struct getopt_table *t, const struct manual *m)
{
	const struct manual_option *o;
	struct option *row = t->rows;
	char *letter = t->letters;

	letter += sprintf(letter, "%s:", m->operand ? "-" : m->options_first ? "+" : "");
	manual_each_option(o, m) {
		*row++ = (struct option){
			.name = o->name, .val = FIRST_ROW + (int)(o - m->options),
			.has_arg = !o->argument ? no_argument :
				   manual_is_optional(o) ? optional_argument : required_argument,
		};
		if (!o->letter)
			continue;
		/* after a letter an optional value would swallow the letters of a cluster */
		*letter++ = o->letter;
		if (o->argument && !manual_is_optional(o))
			*letter++ = ':';
	}
	*row = (struct option){ NULL, 0, NULL, 0 };
	*letter = 0;
}

static int read_option(const struct value *v, char *config)
{
	const struct manual_option *o = v->option;

	if (o->given)
		*(bool *)(config + o->given) = true;
	return o->read(v, config + o->at);
}

void options_given(const struct manual *m, int argc, char **argv, bool given[OPTIONS_MAX])
{
	const struct manual_option *o;
	struct getopt_table t;
	int c;

	fill_table(&t, m);
	opterr = 0;
	optind = 0;			/* glibc: start again */
	while ((c = getopt_long(argc, argv, t.letters, t.rows, NULL)) != -1 && c != '?' && c != ':') {
		o = c == OPERAND ? NULL : row_of(m, c);
		if (o)
			given[o - m->options] = true;
	}
}

int options_each(const struct manual *m, int argc, char **argv,
		 int (*take)(void *to, const struct manual_option *o, const char *arg), void *to)
{
	struct getopt_table t;
	int c, ret = 0;

	fill_table(&t, m);
	opterr = 0;
	optind = 0;			/* glibc: start again */
	while (!ret && (c = getopt_long(argc, argv, t.letters, t.rows, NULL)) != -1)
		if (c != OPERAND)
			ret = c == '?' || c == ':' ? -EINVAL : take(to, row_of(m, c), optarg);
	return ret ? ret : optind < argc ? -EINVAL : 0;
}

int options_parse(const struct manual *m, void *config, int argc, char **argv, char *err,
		  unsigned int size)
{
	int bad;

	return options_parse_at(m, config, argc, argv, err, size, &bad);
}

int options_parse_at(const struct manual *m, void *config, int argc, char **argv, char *err,
		     unsigned int size, int *bad)
{
	struct value v = { .command = m, .err = err, .size = size };
	struct getopt_table t;
	int c, ret = 0;

	*bad = 0;
	if (m->defaults)
		memcpy(config, m->defaults, m->size);
	else
		memset(config, 0, m->size);
	fill_table(&t, m);
	opterr = 0;
	optind = 0;			/* glibc: start again */
	while (!ret && (c = getopt_long(argc, argv, t.letters, t.rows, NULL)) != -1) {
		*bad = optind - 1;
		if (c == '?' || c == ':')
			return bad_option(&v, c, argv[optind - 1]);
		v.option = c == OPERAND ? NULL : row_of(m, c);
		if (c >= FIRST_ROW && is_of_peer(m, v.option, word_read(argv)))
			return unknown_option(&v, word_read(argv));
		v.arg = optarg;
		ret = c == OPERAND ? m->operand(&v, config) : read_option(&v, config);
	}
	if (ret)
		return ret;
	*bad = 0;
	v.rest = argv + optind;
	v.nrest = argc - optind;
	return m->check ? m->check(config, &v) : 0;
}
