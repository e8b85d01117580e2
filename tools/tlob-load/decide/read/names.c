// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "read/names.h"
#include "util/error.h"
#include "util/file.h"

static int add(struct names *names, char *name)
{
	char **more;

	if (!names->at || names->n == names->room) {
		names->room = names->room ? 2 * names->room : 64;
		more = reallocarray(names->at, names->room, sizeof(*more));
		if (!more)
			return fail(-ENOMEM, "out of memory");
		names->at = more;
	}
	names->at[names->n++] = name;
	return 0;
}

static int is_result(const struct dirent *entry)
{
	const char *name = entry->d_name;
	size_t n = strlen(name);

	return *name != '.' && ((n > 5 && !strcmp(name + n - 5, ".json")) ||
				(n > 8 && !strcmp(name + n - 8, ".json.gz")));
}

static int add_own(struct names *names, char *name)
{
	char **more = name ? reallocarray(names->own, names->nown + 1, sizeof(*more)) : NULL;

	if (!more) {
		free(name);
		return fail(-ENOMEM, "out of memory");
	}
	names->own = more;
	more[names->nown++] = name;
	return add(names, name);
}

static int add_folder(struct names *names, const char *dir)
{
	struct dirent **entry;
	int n = scandir(dir, &entry, is_result, alphasort), i, err = 0;
	char *name;

	if (n < 0)
		return fail(-errno, "%s: %s", dir, strerror(errno));
	for (i = 0; i < n; i++) {
		if (!err)
			err = add_own(names, asprintf(&name, "%s/%s", dir, entry[i]->d_name) < 0 ? NULL : name);
		free(entry[i]);
	}
	free(entry);
	return !n ? fail(-ENOENT, "%s has no file *.json or *.json.gz", dir) : err;
}

static int add_operand(struct names *names, char *name)
{
	struct stat st;

	return !stat(name, &st) && S_ISDIR(st.st_mode) ? add_folder(names, name) : add(names, name);
}

static int read_list(struct names *names, const char *path)
{
	char *name, *rest;
	int err;

	err = file_read(strcmp(path, "-") ? path : "/dev/stdin", &names->text);
	if (err)
		return fail(err, "--files-from %s: %s", path, strerror(-err));
	for (name = strtok_r(names->text, "\n", &rest); name && !err;
	     name = strtok_r(NULL, "\n", &rest))
		err = add(names, name);
	return err;
}

int names_find(struct names *names, char **operands, const char *list)
{
	int err = 0;

	*names = (struct names){ .at = NULL };
	for (; *operands && !err; operands++)
		err = add_operand(names, *operands);
	if (!err && list)
		err = read_list(names, list);
	if (!err && !names->n)
		err = fail(-EUSAGE, "--files-from %s: the list is empty", list);
	return err;
}

#define HEAD	4096U			/* has the time and the id of a run */

struct seen {
	dev_t	 dev;
	ino_t	 ino;
	off_t	 size;			/* -1: not a regular file */
	uint64_t head;			/* a hash of its first bytes, once it was needed; 0: not yet */
};

/* FNV-1a. 0 if there are none: reading the file later reports an error. */
static uint64_t hash_of_head(const char *name)
{
	FILE *f = fopen(name, "r");
	unsigned char head[HEAD];
	uint64_t hash = 0xcbf29ce484222325ULL;
	size_t n = f ? fread(head, 1, sizeof(head), f) : 0, i;

	if (f)
		fclose(f);
	for (i = 0; i < n; i++)
		hash = (hash ^ head[i]) * 0x100000001b3ULL;
	return n ? hash | 1 : 0;
}

/* Both have the same size. */
static bool same_files(const char *a, const char *b)
{
	char *of_a = NULL, *of_b = NULL;
	size_t na, nb;
	bool same = !file_read_bytes(a, &of_a, &na) && !file_read_bytes(b, &of_b, &nb) &&
		    na == nb && !memcmp(of_a, of_b, na);

	free(of_a);
	free(of_b);
	return same;
}

/* Runs of one kind have files of one size: most differ at their beginning. */
static bool same_bytes(struct seen *a, const char *name_a, struct seen *b, const char *name_b)
{
	if (!a->head)
		a->head = hash_of_head(name_a);
	if (!b->head)
		b->head = hash_of_head(name_b);
	return a->head && a->head == b->head && same_files(name_a, name_b);
}

int names_check_copies(const struct names *names)
{
	struct seen *seen = calloc(names->n, sizeof(*seen));
	struct stat st;
	int err = 0;
	size_t i, k;

	if (!seen)
		return fail(-ENOMEM, "out of memory");
	for (i = 0; i < names->n && !err; i++) {
		seen[i].size = -1;
		if (stat(names->at[i], &st) || !S_ISREG(st.st_mode))
			continue;
		seen[i] = (struct seen){ .dev = st.st_dev, .ino = st.st_ino, .size = st.st_size };
		for (k = 0; k < i && !err; k++)
			if (seen[k].size == seen[i].size &&
			    ((seen[k].dev == seen[i].dev && seen[k].ino == seen[i].ino) ||
			     same_bytes(&seen[k], names->at[k], &seen[i], names->at[i])))
				err = fail(-EINVAL, "%s and %s are the same: the windows would count twice",
					   names->at[k], names->at[i]);
	}
	free(seen);
	return err;
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* By its inode: a link or another path to a result is that result. */
int names_check_output(const char *output, char *const *names, size_t n)
{
	struct stat out, in;
	size_t i;

	if (!output || !strcmp(output, "-") || stat(output, &out) || !S_ISREG(out.st_mode))
		return 0;
	for (i = 0; i < n; i++)
		if (!stat(names[i], &in) && same_inode(&in, &out))
			return fail(-EUSAGE, "%s is one of the inputs: give the output another name",
				    output);
	return 0;
}

void names_free(struct names *names)
{
	while (names->nown)
		free(names->own[--names->nown]);
	free(names->own);
	free(names->at);
	free(names->text);
}
