// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/read_names.h"
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
		err = add(names, *operands);
	if (!err && list)
		err = read_list(names, list);
	if (!err && !names->n)
		err = fail(-EUSAGE, "--files-from %s: the list is empty", list);
	return err;
}

void names_free(struct names *names)
{
	free(names->at);
	free(names->text);
}
