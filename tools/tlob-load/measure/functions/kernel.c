// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions/control_text.h"
#include "functions/kernel.h"
#include "util/array.h"
#include "util/error.h"
#include "util/file.h"
#include "util/ksyms.h"
#include "util/text.h"

/* The place that is patched lies behind a landing pad or a padding, if there is one. */
#define PATCHED_WITHIN	32

static const char * const tracefs[] = { "sys/kernel/tracing", "sys/kernel/debug/tracing" };

/* Reads @root/@dir/@file. Returns as file_read(), and prints nothing. */
static int read_below(const char *root, const char *dir, const char *file, char **text)
{
	char *path;
	int err;

	if (asprintf(&path, "%s/%s/%s", root, dir, file) < 0)
		return -ENOMEM;
	err = file_read(path, text);
	free(path);
	return err;
}

/* Cuts "NAME\t[MODULE]" up. Returns the module, "" without one. */
static char *cut_module(char *name)
{
	char *end = name + strcspn(name, " \t"), *module;

	if (!*end)
		return end;
	*end++ = 0;
	module = end + strspn(end, " \t[");
	module[strcspn(module, "]")] = 0;
	return module;
}

static int by_address(const void *pa, const void *pb)
{
	const struct kernel_function *a = pa, *b = pb;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int read_symbols(struct kernel_functions *k, const char *root)
{
	struct kernel_function *f;
	char *line, *rest;
	size_t room = 0;
	bool seen = false;
	struct ksym s;
	int err;

	err = read_below(root, "proc", "kallsyms", &k->symbols);
	if (err)
		return fail(err, "%s/proc/kallsyms: %s", root, strerror(-err));
	for (rest = k->symbols; (line = text_line(&rest));) {
		if (!ksyms_line(line, &s))
			continue;
		seen = true;
		if (!s.address)
			continue;
		f = array_add(k->at, k->n, room);
		if (!f)
			return fail(-ENOMEM, "out of memory");
		*f = (struct kernel_function){
			.address = s.address, .name = s.name, .module = s.module,
		};
		k->n++;
	}
	if (!k->n)
		return seen ? fail(-EPERM, "kernel addresses are hidden in %s/proc/kallsyms: run as root", root) :
			      fail(-ENODATA, "%s/proc/kallsyms has no functions: a kernel without CONFIG_KALLSYMS",
				   root);
	qsort(k->at, k->n, sizeof(*k->at), by_address);
	return 0;
}

/* Counts the functions that begin at @address or before it. */
static size_t up_to(const struct kernel_functions *k, uint64_t address)
{
	return array_first(i, k->n, k->at[i].address > address);
}

/* "ADDRESS NAME [MODULE]": the address of the place that is patched. */
static void mark_addresses(struct kernel_functions *k)
{
	char *line, *rest = k->list, *end;
	uint64_t at, start;
	size_t i;

	while ((line = text_line(&rest))) {
		at = strtoull(line, &end, 16);
		i = end == line ? 0 : up_to(k, at);
		if (!i || at - k->at[i - 1].address > PATCHED_WITHIN)
			continue;
		for (start = k->at[i - 1].address; i && k->at[i - 1].address == start; i--)
			k->at[i - 1].traceable = TRACEABLE_YES;
	}
}

static int by_name(const void *pa, const void *pb)
{
	const struct kernel_function *const *a = pa, *const *b = pb;

	return strcmp((*a)->name, (*b)->name);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All of one address can be traced if one of them can. */
static void spread(struct kernel_functions *k)
{
	enum traceable best;
	size_t i, end, first;

	for (first = 0; first < k->n; first = end) {
		best = TRACEABLE_NOT;
		for (end = first; end < k->n && k->at[end].address == k->at[first].address; end++)
			if (k->at[end].traceable > best)
				best = k->at[end].traceable;
		for (i = first; i < end; i++)
			k->at[i].traceable = best;
	}
}

/* The names of the list, each as often as it stands there, and the symbols with them. */
static void match_names(struct kernel_function **sym, size_t nsym, char **name, size_t nname)
{
	size_t i = 0, k = 0, ie, ke;
	bool all;
	int order;

	while (i < nsym && k < nname) {
		order = strcmp(sym[i]->name, name[k]);
		if (order) {
			i += order < 0;
			k += order > 0;
			continue;
		}
		for (ie = i; ie < nsym && !strcmp(sym[ie]->name, name[k]); ie++)
			;
		for (ke = k; ke < nname && !strcmp(name[ke], name[k]); ke++)
			;
		all = ke - k >= ie - i;
		for (k = ke; i < ie; i++)
			sym[i]->traceable = all ? TRACEABLE_YES : TRACEABLE_UNSURE;
	}
}

/* "NAME [MODULE]": if several functions have the name, all of them must be traceable to be sure. */
static int mark_names(struct kernel_functions *k)
{
	struct kernel_function **sym = calloc(k->n, sizeof(struct kernel_function *));
	char **name = NULL, **new, *line, *rest = k->list;
	size_t i, nsym = 0, nname = 0, room = 0;
	int err = sym ? 0 : -ENOMEM;

	while (!err && (line = text_line(&rest))) {
		if (*cut_module(line))
			continue;
		new = array_add(name, nname, room);
		if (new)
			name[nname++] = line;
		else
			err = -ENOMEM;
	}
	for (i = 0; !err && i < k->n; i++)
		if (!*k->at[i].module)
			sym[nsym++] = &k->at[i];
	if (!err && nname) {
		qsort(sym, nsym, sizeof(struct kernel_function *), by_name);
		qsort(name, nname, sizeof(*name), by_text);
		match_names(sym, nsym, name, nname);
		spread(k);
	}
	free(name);
	free(sym);
	return err ? fail(err, "out of memory") : 0;
}

static int read_traceable(struct kernel_functions *k, const char *root)
{
	size_t i;
	int err = -ENOENT;

	for (i = 0; i < 2; i++)
		if (!read_below(root, tracefs[i], "available_filter_functions_addrs", &k->list)) {
			mark_addresses(k);
			return 0;
		}
	/* what the first forbids is not missing in the second */
	for (i = 0; i < 2 && err == -ENOENT; i++)
		err = read_below(root, tracefs[i], "available_filter_functions", &k->list);
	if (err == -EACCES)
		return fail(err, "--functions: only root can read the list of traceable functions: run as root");
	if (err && err != -ENOENT)
		return fail(-EOPNOTSUPP, "--functions: %s/%s/available_filter_functions: %s: run on the host, not in a container, and without lockdown",
			    root, tracefs[i - 1], strerror(-err));
	if (err)
		return fail(-EOPNOTSUPP, "--functions: no available_filter_functions in %s/%s: mount tracefs there, or use a kernel with CONFIG_DYNAMIC_FTRACE",
			    root, tracefs[0]);
	return mark_names(k);
}

/* Returns whether the kernel part that is loaded, if any, measures by kretprobes. */
static bool uses_kretprobes(const char *root)
{
	static const char * const dirs[] = {
		"sys/kernel/tracing/tlob_load", "sys/kernel/debug/tlob_load",
	};
	struct functions_text text = { .sets = 0 };
	char *s;
	size_t i;

	for (i = 0; i < 2; i++) {
		if (read_below(root, dirs[i], "functions", &s))
			continue;
		if (functions_text_parse(&text, s))
			*text.mechanism = 0;
		free(s);
		return !strcmp(text.mechanism, "kretprobe");
	}
	return false;
}

/* Kprobes refuse a copy or a part, NAME.SUFFIX, if they refuse NAME. */
static void mark_copies(struct kernel_functions *k)
{
	const char *name, *suffix;
	size_t i, other, n;

	for (i = 0; i < k->n; i++) {
		name = k->at[i].name;
		suffix = strchr(name, '.');
		n = suffix ? (size_t)(suffix - name) : 0;
		for (other = 0; n && other < k->n && !k->at[i].no_kprobe; other++)
			k->at[i].no_kprobe = k->at[other].no_kprobe &&
					     !strncmp(k->at[other].name, name, n) &&
					     !k->at[other].name[n];
	}
}

/* "0xBEGIN-0xEND\tNAME": a probe in between is refused when the run begins. */
static void mark_blacklist(struct kernel_functions *k, const char *root)
{
	char *list, *line, *rest, *end;
	uint64_t begin, behind;
	size_t i;

	if (!uses_kretprobes(root) || read_below(root, "sys/kernel/debug/kprobes", "blacklist", &list))
		return;
	for (rest = list; (line = text_line(&rest));) {
		begin = strtoull(line, &end, 16);
		if (end == line || *end != '-')
			continue;
		behind = strtoull(end + 1, NULL, 16);
		for (i = up_to(k, behind - 1); i && k->at[i - 1].address >= begin; i--)
			k->at[i - 1].no_kprobe = true;
	}
	mark_copies(k);
	free(list);
}

int kernel_functions_read(struct kernel_functions *k, const char *root)
{
	int err;

	*k = (struct kernel_functions){ .at = NULL };
	err = read_symbols(k, root);
	if (!err)
		err = read_traceable(k, root);
	if (!err)
		mark_blacklist(k, root);
	if (err)
		kernel_functions_free(k);
	return err;
}

void kernel_functions_free(struct kernel_functions *k)
{
	free(k->at);
	free(k->symbols);
	free(k->list);
	*k = (struct kernel_functions){ .at = NULL };
}
