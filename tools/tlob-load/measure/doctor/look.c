// SPDX-License-Identifier: GPL-2.0
/* For all readers: files of the tree, and the words for what was found. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/look.h"
#include "machine/rights.h"
#include "util/memstream.h"
#include "util/tree.h"

const char *while_what(const struct doctor *d)
{
	return d->of_run ? "during the run" : "while doctor ran";
}

static void set_text(struct doctor *d, struct finding *f, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

static void set_text(struct doctor *d, struct finding *f, const char *fmt, va_list ap)
{
	free(f->found);
	if (vasprintf(&f->found, fmt, ap) < 0) {
		f->found = NULL;
		d->err = -ENOMEM;
	}
}

void found(struct doctor *d, struct finding *f, enum finding_status status, const char *fmt, ...)
{
	va_list ap;

	f->status = status;
	va_start(ap, fmt);
	set_text(d, f, fmt, ap);
	va_end(ap);
}

void found_if(struct doctor *d, struct finding *f, bool good, const char *fmt, ...)
{
	va_list ap;

	f->status = f->check->severity == SEVERITY_INFO ? STATUS_NOTED :
		    good ? STATUS_PASS : STATUS_FINDING;
	va_start(ap, fmt);
	set_text(d, f, fmt, ap);
	va_end(ap);
}

void found_path(struct doctor *d, struct finding *f, const char *path)
{
	free(f->path);
	f->path = strdup(path);
	if (!f->path)
		d->err = -ENOMEM;
}

void found_unreadable(struct doctor *d, struct finding *f, const char *path, int err)
{
	if (err == -ENOMEM)
		d->err = err;
	found_path(d, f, path);
	found(d, f, STATUS_UNKNOWN, "%s: %s", path, err == -EINVAL ? "unknown format" :
	      strerror(-err));
}

void look_missing(struct doctor *d, struct finding *f, const char *path, int err)
{
	const struct check *c = f->check;
	bool seen = err == -ENOENT && c->witness && tree_has_entries(d->root, c->witness);

	found_unreadable(d, f, path, err);
	if (!seen || c->missing == MISSING_UNKNOWN)
		return;
	found(d, f, c->missing == MISSING_GOOD ? STATUS_ABSENT : STATUS_FINDING, "%s",
	      c->missing_why);
}

/* As tree_read(). What several rules ask for is read for the first of them. */
static int read_once(struct doctor *d, const char *path, char **text)
{
	const bool is_status = !strcmp(path, "/proc/self/status");
	char **kept = is_status ? &d->status : &d->limits;
	int err;

	if (!is_status && strcmp(path, "/proc/self/limits"))
		return tree_read(d->root, path, text);
	err = *kept ? 0 : tree_read(d->root, path, kept);
	if (err)
		return err;
	*text = strdup(*kept);
	return *text ? 0 : -ENOMEM;
}

bool look_read(struct doctor *d, struct finding *f, const char *path, char **text)
{
	int err = read_once(d, path, text);

	if (err)
		look_missing(d, f, path, err);
	else
		found_path(d, f, path);
	return !err;
}

bool look_twice(struct doctor *d, struct finding *f)
{
	if (!d->after.n)
		found(d, f, STATUS_UNKNOWN, "a copy of a machine: read only once");
	return d->after.n;
}

void found_list(struct doctor *d, struct finding *f, bool good, const char *what,
		const struct cpulist *cpus)
{
	char *list = cpulist_format(cpus);

	if (list)
		found_if(d, f, good, "%s%s", what, list);
	else
		d->err = -ENOMEM;
	free(list);
}

bool look_list(struct doctor *d, struct finding *f, const char *path, bool mask,
	       struct cpulist *cpus)
{
	char *text;
	int err;

	if (!look_read(d, f, path, &text))
		return false;
	err = mask ? cpulist_parse_mask(cpus, text) : cpulist_parse(cpus, text);
	free(text);
	if (err)
		found_unreadable(d, f, path, err);
	return !err;
}

bool look_processes(struct doctor *d, struct finding *f)
{
	found_path(d, f, "/proc");
	if (d->tasks.err)
		found_unreadable(d, f, "/proc", d->tasks.err);
	else if (d->tasks.unreadable)
		found_unreadable(d, f, d->tasks.path, d->tasks.path_err);
	else if (!d->tasks.kthreads)
		found(d, f, STATUS_UNKNOWN, "/proc shows no kernel thread: another PID namespace, or hidepid");
	else
		return true;
	return false;
}

bool look_config(struct doctor *d, struct finding *f)
{
	if (d->config.text) {
		found_path(d, f, d->config.path);
		return true;
	}
	found(d, f, STATUS_UNKNOWN, "%s", d->config.why);
	return false;
}

bool look_cmdline(struct doctor *d, struct finding *f)
{
	found_path(d, f, "/proc/cmdline");
	if (!d->cmdline)
		found_unreadable(d, f, "/proc/cmdline", d->cmdline_err);
	return d->cmdline;
}

const char *look_capability(struct doctor *d, const char *status, int cap)
{
	const char *line = strstr(status, "\nCapEff:");
	bool first = true;
	char *map;

	if (!line)
		return NULL;
	if (!(strtoull(line + strlen("\nCapEff:"), NULL, 16) >> cap & 1))
		return "no";
	/* real-time priority and locked memory take the right in the first namespace: capable() */
	if (!tree_read(d->root, "/proc/self/uid_map", &map)) {
		first = rights_first_map(map);
		free(map);
	}
	return first ? "yes" : "only in its user namespace";
}

const char *cmdline_value(const struct doctor *d, const char *name, char *buf, size_t size)
{
	const char *at = d->cmdline, *value = NULL;

	while (cmdline_next(&at, name, buf, size))
		value = buf;
	return value;
}

const char *cpu_path(char buf[LOOK_PATH_LEN], const char *path, int cpu)
{
	size_t n = 0;

	for (; *path && n < LOOK_PATH_LEN - 12; path++)
		if (*path == 'N')
			n += (size_t)sprintf(buf + n, "%d", cpu);
		else
			buf[n++] = *path;
	buf[n] = '\0';
	return buf;
}

void groups_add(struct doctor *d, struct groups *g, int cpu, const char *text)
{
	unsigned int i;

	for (i = 0; i < g->n; i++)
		if (!strcmp(g->text[i], text))
			break;
	if (i == GROUPS_MAX) {
		g->more = true;
		return;
	}
	if (i == g->n) {
		g->text[i] = strdup(text);
		g->cpus[i] = (struct cpulist){ 0 };
		if (!g->text[i]) {
			d->err = -ENOMEM;
			return;
		}
		g->n++;
	}
	cpulist_add(&g->cpus[i], cpu);
}

char *groups_format(struct doctor *d, struct groups *g)
{
	char *text = NULL, *list;
	unsigned int i;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; i < g->n; i++) {
		list = cpulist_format(&g->cpus[i]);
		if (f && list)
			fprintf(f, "%s%s on CPU%s %s", i ? ", " : "", g->text[i],
				cpulist_count(&g->cpus[i]) > 1 ? "s" : "", list);
		if (!list)
			d->err = -ENOMEM;
		free(list);
		free(g->text[i]);
	}
	if (f && g->more)
		fputs(", and more", f);
	/* a new group clears its own CPUs, and all of them are half a megabyte */
	g->n = 0;
	g->more = false;
	return text_end(d, f, &text);
}

void found_groups(struct doctor *d, struct finding *f, bool good, struct groups *g,
		  const char *none)
{
	char *text = groups_format(d, g);

	found_if(d, f, good, "%s", text && *text ? text : none);
	free(text);
}

char *text_end(struct doctor *d, FILE *mem, char **text)
{
	if (memstream_text(mem, text))
		return *text;
	d->err = -ENOMEM;
	return strdup("");
}
