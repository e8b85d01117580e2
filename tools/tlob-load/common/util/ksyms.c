// SPDX-License-Identifier: GPL-2.0
/* Symbols of a kernel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/error.h"
#include "util/file.h"
#include "util/ksyms.h"
#include "util/text.h"

#define COLD	".cold"

static bool is_function(char type, const char *name)
{
	return strchr("tTwW", type) && strncmp(name, "__pfx_", 6) &&
	       strncmp(name, "__cfi_", 6);
}

bool ksyms_line(char *line, struct ksym *s)
{
	char *at, *module;

	s->address = strtoull(line, &at, 16);
	if (at == line || *at != ' ' || !at[1] || at[2] != ' ' || !at[3] ||
	    !is_function(at[1], at + 3))
		return false;
	s->global = at[1] == 'T' || at[1] == 'W';
	s->own = at + 3;
	s->name = s->own;
	s->module = "";
	at += 3 + strcspn(at + 3, "\t ");
	if (*at) {
		*at++ = 0;
		module = at + strspn(at, "\t [");
		module[strcspn(module, "]")] = 0;
		s->module = module;
	}
	return true;
}

/* A name that the linker gives to a place, as in __softirqentry_text_end. */
static bool is_linkers(const char *name)
{
	const char *end = strrchr(name, '_');

	return !strncmp(name, "__", 2) && end &&
	       (!strcmp(end, "_start") || !strcmp(end, "_end") || !strcmp(end, "_begin"));
}

static int order(const void *pa, const void *pb)
{
	const struct ksym *a = pa, *b = pb;
	size_t ua, ub;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (is_linkers(a->name) != is_linkers(b->name))
		return is_linkers(a->name) ? 1 : -1;
	if (a->global != b->global)
		return a->global ? -1 : 1;
	ua = strspn(a->name, "_");
	ub = strspn(b->name, "_");
	if (ua != ub)
		return ua < ub ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int part_aliases(struct ksyms *k)
{
	size_t i, n = 0;

	for (i = 1; i < k->n; i++)
		k->aliases += k->sym[i - 1].address == k->sym[i].address;
	k->alias = calloc(k->aliases + 1, sizeof(*k->alias));
	if (!k->alias)
		return -ENOMEM;
	k->aliases = 0;
	for (i = 0; i < k->n; i++)
		if (!n || k->sym[n - 1].address != k->sym[i].address)
			k->sym[n++] = k->sym[i];
		else
			k->alias[k->aliases++] = k->sym[i];
	k->n = n;
	return 0;
}

const struct ksym *ksyms_aliases(const struct ksyms *k, const struct ksym *s, size_t *n)
{
	size_t first = array_first(i, k->aliases, k->alias[i].address >= s->address);

	for (*n = 0; first + *n < k->aliases && k->alias[first + *n].address == s->address; ++*n)
		;
	return k->alias + first;
}

int ksyms_parse(struct ksyms *k, char *text)
{
	char *line, *rest = text;
	size_t lines = 1;
	bool seen = false;

	*k = (struct ksyms){ 0 };
	for (line = text; (line = strchr(line, '\n')); line++)
		lines++;
	k->sym = calloc(lines, sizeof(*k->sym));
	if (!k->sym)
		return -ENOMEM;
	while ((line = text_line(&rest))) {
		if (!ksyms_line(line, &k->sym[k->n]))
			continue;
		seen = true;
		/* the others are offsets in a CPU's own memory */
		k->n += k->sym[k->n].address != 0;
	}
	if (!k->n) {
		ksyms_free(k);
		return seen ? -EPERM : -ENODATA;
	}
	qsort(k->sym, k->n, sizeof(*k->sym), order);
	if (part_aliases(k)) {
		ksyms_free(k);
		return -ENOMEM;
	}
	return 0;
}

int ksyms_load(struct ksyms *k, const char *path)
{
	char *text;
	int err = file_read(path, &text);

	*k = (struct ksyms){ 0 };
	if (err)
		return fail(err, "%s: %s", path, strerror(-err));
	err = ksyms_parse(k, text);
	if (!err) {
		k->text = text;
		return 0;
	}
	free(text);
	return err == -ENOMEM ? fail(err, "out of memory") : 0;
}

void ksyms_free(struct ksyms *k)
{
	free(k->sym);
	free(k->alias);
	free(k->text);
	*k = (struct ksyms){ 0 };
}

/* Behind it is no code of the kernel's own file: what is there has no name, or one that came later. */
static bool is_end(const struct ksym *s)
{
	return !strcmp(s->name, "_etext") || !strcmp(s->name, "_einittext");
}

const struct ksym *ksyms_at(const struct ksyms *k, uint64_t address)
{
	size_t behind = array_first(i, k->n, k->sym[i].address > address);

	return behind && !is_end(&k->sym[behind - 1]) ? &k->sym[behind - 1] : NULL;
}

const struct ksym *ksyms_whole(const struct ksyms *k, const struct ksym *s)
{
	const char *end = strstr(s->name, COLD);
	size_t i, length;

	if (!end || end[strlen(COLD)])
		return s;
	length = end - s->name;
	for (i = 0; i < k->n; i++)
		if (!strncmp(k->sym[i].name, s->name, length) &&
		    !k->sym[i].name[length] &&
		    !strcmp(k->sym[i].module, s->module))
			return &k->sym[i];
	return s;
}
