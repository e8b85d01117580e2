// SPDX-License-Identifier: GPL-2.0
/* The readers that many rules share. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/look.h"
#include "util/text.h"
#include "util/tree.h"

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

/* 1: as wanted, 0: not, -EINVAL: the rule wants a number, and the value is not one. */
static int judge(const struct check *c, const char *value)
{
	bool number = c->at_least || c->at_most;
	long long n;
	char *end;

	if (!*value)
		return -EINVAL;
	if (has_word(c->words, value) || c->severity == SEVERITY_INFO)
		return 1;
	if (!number)
		return 0;
	n = strtoll(value, &end, 10);
	if (end == value || *end)
		return -EINVAL;
	return n >= c->at_least && (!c->at_most || n <= c->at_most);
}

/* The values in several files of one rule. */
struct verdict {
	FILE	*text;
	char	*buf;
	size_t	 size;
	unsigned int read;
	bool	 bad;
	char	 missing[LOOK_PATH_LEN];	/* the first one */
};

/* False: this file is unreadable, and with it the rule. */
static bool add_value(struct doctor *d, struct finding *f,
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
	value = tree_chosen(text);
	good = judge(f->check, value);
	if (good < 0)
		found_unreadable(d, f, path, good);
	else if (v->text)
		fprintf(v->text, "%s%s%s%s", v->read ? ", " : "",
			strchr(f->check->path, ' ') ? strrchr(path, '/') + 1 : "",
			strchr(f->check->path, ' ') ? " " : "", value);
	v->read++;
	v->bad = v->bad || !good;
	free(text);
	return good >= 0;
}

void look_value(struct doctor *d, struct finding *f)
{
	struct verdict v = { 0 };
	const char *paths = f->check->path;
	char path[LOOK_PATH_LEN];
	bool readable = true;

	v.text = open_memstream(&v.buf, &v.size);
	while (readable && next_word(&paths, path, sizeof(path)))
		readable = add_value(d, f, &v, path);
	v.buf = text_end(d, v.text, &v.buf);
	/* one bad value is a finding whatever the others are */
	if (!readable && !v.bad) {
		free(v.buf);
		return;
	}
	found_path(d, f, f->check->path);
	if (!v.read)
		look_missing(d, f, v.missing, -ENOENT);
	else if (*v.missing && !v.bad && f->check->missing != MISSING_GOOD)
		found_unreadable(d, f, v.missing, -ENOENT);
	else
		found_if(d, f, !v.bad, "%s", v.buf ? v.buf : "");
	free(v.buf);
}

/* The value of the file at check.path. */
static int read_value(struct doctor *d, struct finding *f, int cpu, struct cpu_look *l)
{
	int err, good;
	char *text;

	err = tree_read(d->root, cpu_path(l->path, f->check->path, cpu), &text);
	if (err)
		return err == -ENOENT ? CPU_LACKS_IT : err;
	snprintf(l->line, sizeof(l->line), "%s", tree_chosen(text));
	free(text);
	good = judge(f->check, l->line);
	l->bad = l->bad || !good;
	return good < 0 ? good : 0;
}

void look_each_cpu(struct doctor *d, struct finding *f)
{
	char first[LOOK_PATH_LEN] = "";
	struct cpu_look l = { 0 };
	struct groups g = { 0 };
	int cpu, err, why = 0;
	bool any;

	for_each_cpu(cpu, &d->measured) {
		err = (f->check->read ? f->check->read : read_value)(d, f, cpu, &l);
		if (!err) {
			groups_add(d, &g, cpu, l.line);
		} else if (!why || why == CPU_LACKS_IT) {
			why = err;
			snprintf(first, sizeof(first), "%s", l.path);
		}
	}
	any = g.n;
	found_path(d, f, f->check->path);
	found_groups(d, f, !l.bad, &g, "");
	/* if some CPUs have it, its absence on others proves nothing */
	err = why == CPU_LACKS_IT ? -ENOENT : why;
	if (why == CPU_LACKS_IT && !any)
		look_missing(d, f, first, err);
	else if (why && !l.bad)
		found_unreadable(d, f, first, err);
}

static const struct count *count_in(const struct cpu_counts *counts, const struct check *c)
{
	return (const struct count *)((const char *)counts + c->counter);
}

void look_counter(struct doctor *d, struct finding *f)
{
	const struct check *c = f->check;
	const char *unit = c->unit ? c->unit : "", *paths = c->path;
	char first[LOOK_PATH_LEN], path[LOOK_PATH_LEN];
	unsigned long long came = 0, all = 0;
	unsigned int i;

	for (i = 0; i < d->before.n; i++) {
		const struct count *a = count_in(&d->before.cpu[i], c);
		const struct count *b = d->after.n ? count_in(&d->after.cpu[i], c) : a;

		if (a->err || b->err) {
			next_word(&paths, first, sizeof(first));
			look_missing(d, f, cpu_path(path, first, d->before.cpu[i].cpu),
				     a->err ? a->err : b->err);
			return;
		}
		came += count_since(a, b);
		all += b->value;
	}
	if (look_twice(d, f))
		found_if(d, f, !came, "%llu %s%s, %llu since the boot", came, unit,
			 while_what(d), all);
}

void look_config_off(struct doctor *d, struct finding *f)
{
	const char *names = f->check->words;
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

void look_arguments(struct doctor *d, struct finding *f)
{
	const char *words = f->check->words, *value;
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
	found_if(d, f, true, "%s", f->check->words);
}

void look_outside(struct doctor *d, struct finding *f)
{
	const char *paths = f->check->path;
	char path[LOOK_PATH_LEN], *list, *all = NULL;
	struct cpulist cpus, inside;
	FILE *mem;
	size_t size;
	bool readable = true, bad = false;

	mem = open_memstream(&all, &size);
	while (readable && next_word(&paths, path, sizeof(path))) {
		readable = look_list(d, f, path, true, &cpus);
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
		found_path(d, f, f->check->path);
		found_if(d, f, !bad, "%s", all ? all : "");
	}
	free(all);
}
