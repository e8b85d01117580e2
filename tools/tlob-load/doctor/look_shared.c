// SPDX-License-Identifier: GPL-2.0
/* The readers that many rules share. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/look.h"
#include "tuning/tree.h"

/* The next word of @list, which is separated by single blanks. NULL at the end. */
static const char *next_word(const char **list, char *buf, size_t size)
{
	size_t n = strcspn(*list, " ");

	if (!n)
		return NULL;
	snprintf(buf, size, "%.*s", (int)n, *list);
	*list += n + ((*list)[n] == ' ');
	return buf;
}

static bool is_word(const char *list, const char *value)
{
	char word[128];

	while (list && next_word(&list, word, sizeof(word)))
		if (!strcmp(word, value))
			return true;
	return false;
}

/* 1: as wanted, 0: not, -EINVAL: the rule wants a number, and this is none. */
static int judge(const struct check *c, const char *value)
{
	bool number = c->at_least || c->at_most;
	long long n;
	char *end;

	if (!*value)
		return -EINVAL;
	if (is_word(c->words, value) || c->severity == SEVERITY_INFO)
		return 1;
	if (!number)
		return 0;
	n = strtoll(value, &end, 10);
	if (end == value || *end)
		return -EINVAL;
	return n >= c->at_least && (!c->at_most || n <= c->at_most);
}

/* What came of several files of one rule. */
struct verdict {
	FILE	*text;
	char	*buf;
	size_t	 size;
	unsigned int read;
	bool	 bad;
	char	 missing[LOOK_PATH_LEN];	/* the first one */
};

/* False: this file is unreadable, and with it the rule. */
static bool add_value(struct doctor *d, const struct check *c, struct finding *f,
		      struct verdict *v, const char *path)
{
	char *text, *value;
	int err = tree_read(d->root, path, &text), good;

	if (err == -ENOENT) {
		if (!*v->missing)
			snprintf(v->missing, sizeof(v->missing), "%s", path);
		return true;
	}
	if (err) {
		found_unreadable(d, f, path, err);
		return false;
	}
	value = chosen(text);
	good = judge(c, value);
	if (good < 0)
		found_unreadable(d, f, path, good);
	else if (v->text)
		fprintf(v->text, "%s%s%s%s", v->read ? ", " : "",
			strchr(c->path, ' ') ? strrchr(path, '/') + 1 : "",
			strchr(c->path, ' ') ? " " : "", value);
	v->read++;
	v->bad = v->bad || !good;
	free(text);
	return good >= 0;
}

void look_value(struct doctor *d, const struct check *c, struct finding *f)
{
	struct verdict v = { 0 };
	const char *paths = c->path;
	char path[LOOK_PATH_LEN];
	bool readable = true;

	v.text = open_memstream(&v.buf, &v.size);
	while (readable && next_word(&paths, path, sizeof(path)))
		readable = add_value(d, c, f, &v, path);
	v.buf = text_end(d, v.text, &v.buf);
	/* one bad value is a finding whatever the others are */
	if (!readable && !v.bad) {
		free(v.buf);
		return;
	}
	found_path(d, f, c->path);
	if (!v.read)
		look_missing(d, c, f, v.missing, -ENOENT);
	else if (*v.missing && !v.bad && c->missing != MISSING_GOOD)
		found_unreadable(d, f, v.missing, -ENOENT);
	else
		found_if(d, f, !v.bad, "%s", v.buf ? v.buf : "");
	free(v.buf);
}

void look_each_cpu(struct doctor *d, const struct check *c, struct finding *f)
{
	struct groups g = { 0 };
	char path[LOOK_PATH_LEN], first[LOOK_PATH_LEN] = "", *text, *value;
	bool bad = false, any = false;
	int cpu, err, good, why = 0;

	for_each_cpu(cpu, &d->measured) {
		err = tree_read(d->root, cpu_path(path, c->path, cpu), &text);
		value = err ? NULL : chosen(text);
		good = err ? err : judge(c, value);
		if (good >= 0) {
			any = true;
			bad = bad || !good;
			groups_add(d, &g, cpu, value);
		} else if (!why || why == -ENOENT) {
			why = good;
			snprintf(first, sizeof(first), "%s", path);
		}
		if (!err)
			free(text);
	}
	text = groups_format(d, &g);
	found_path(d, f, c->path);
	/* where some CPUs have the file, a missing one tells nothing */
	if (why == -ENOENT && !any)
		look_missing(d, c, f, first, why);
	else if (why && !bad)
		found_unreadable(d, f, first, why);
	else
		found_if(d, f, !bad, "%s", text ? text : "");
	free(text);
}

void look_config_off(struct doctor *d, const struct check *c, struct finding *f)
{
	const char *names = c->words;
	char name[128], *text = NULL;
	unsigned int n = 0;
	size_t size;
	FILE *mem;

	if (!look_config(d, f))
		return;
	mem = open_memstream(&text, &size);
	while (next_word(&names, name, sizeof(name)))
		if (kconfig_is_on(&d->config, name) && mem)
			fprintf(mem, "%sCONFIG_%s=y", n++ ? ", " : "", name);
	text = text_end(d, mem, &text);
	found_if(d, f, !n, "%s", n ? text : "none of them");
	free(text);
}

void look_arguments(struct doctor *d, const struct check *c, struct finding *f)
{
	const char *words = c->words, *value;
	char word[128], name[128], buf[256], *equals;

	if (!look_cmdline(d, f))
		return;
	while (next_word(&words, word, sizeof(word))) {
		snprintf(name, sizeof(name), "%s", word);
		equals = strchr(name, '=');
		if (equals)
			*equals = '\0';
		value = cmdline_value(d, name, buf, sizeof(buf));
		if (value && (!equals || !strcmp(value, equals + 1)))
			continue;
		if (value)
			found_if(d, f, false, "%s=%s", name, value);
		else
			found_if(d, f, false, "%s is missing", word);
		return;
	}
	found_if(d, f, true, "%s", c->words);
}

void look_outside(struct doctor *d, const struct check *c, struct finding *f)
{
	const char *paths = c->path;
	char path[LOOK_PATH_LEN], *list, *all = NULL;
	struct cpulist cpus, inside;
	FILE *mem;
	size_t size;
	bool readable = true, bad = false;

	mem = open_memstream(&all, &size);
	while (readable && next_word(&paths, path, sizeof(path))) {
		readable = look_list(d, c, f, path, true, &cpus);
		if (!readable)
			break;
		inside = cpulist_and(&cpus, &d->measured);
		bad = bad || !cpulist_is_empty(&inside);
		list = cpulist_format(&cpus);
		if (mem && list)
			fprintf(mem, "%s%s has CPUs %s", ftell(mem) ? "; " : "", path, list);
		free(list);
	}
	all = text_end(d, mem, &all);
	if (readable || bad) {
		found_path(d, f, c->path);
		found_if(d, f, !bad, "%s", all ? all : "");
	}
	free(all);
}
