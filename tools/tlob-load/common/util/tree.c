// SPDX-License-Identifier: GPL-2.0
/* Reading files below a root directory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <unistd.h>

#include "util/array.h"
#include "util/file.h"
#include "util/tree.h"

#define LINK_LEN	4096
/* Actions of syslog(2). */
#define SYSLOG_READ_ALL	3
#define SYSLOG_SIZE_BUFFER 10

static char *full_path(const char *root, const char *path)
{
	char *full;

	return asprintf(&full, "%s%s", root, path) < 0 ? NULL : full;
}

int tree_read(const char *root, const char *path, char **text)
{
	char *full = full_path(root, path);
	size_t len;
	int err = full ? file_read_text(full, text) : -ENOMEM;

	free(full);
	if (err)
		return err;
	len = strlen(*text);
	if (len && (*text)[len - 1] == '\n')
		(*text)[len - 1] = '\0';
	return 0;
}

char *tree_chosen(char *text)
{
	char *from = strpbrk(text, "[("), *to = from ? strpbrk(from, "])") : NULL;

	if (!to)
		return text;
	*to = '\0';
	return from + 1;
}

bool tree_can_read(const char *root, const char *path)
{
	char *text;
	int err = tree_read(root, path, &text);

	if (!err)
		free(text);
	return !err;
}

int tree_read_number(const char *root, const char *path, uint64_t *n)
{
	char *text, *end;
	int err = tree_read(root, path, &text);

	if (err)
		return err;
	*n = strtoull(text, &end, 10);
	err = end == text || *end ? -EINVAL : 0;
	free(text);
	return err;
}

int tree_read_list(const char *root, const char *path, struct cpulist *cpus)
{
	char *text;
	int err = tree_read(root, path, &text);

	if (err)
		return err;
	err = cpulist_parse(cpus, text);
	free(text);
	return err;
}

int tree_log(const char *root, char **text)
{
	int size, len;

	if (*root)
		return tree_read(root, "/dev/kmsg", text);
	size = klogctl(SYSLOG_SIZE_BUFFER, NULL, 0);
	if (size <= 0)
		return size < 0 ? -errno : -ENODATA;
	*text = malloc((size_t)size + 1);
	if (!*text)
		return -ENOMEM;
	len = klogctl(SYSLOG_READ_ALL, *text, size);
	if (len < 0) {
		len = -errno;
		free(*text);
		return len;
	}
	(*text)[len] = '\0';
	return 0;
}

int tree_read_at(const char *root, const char *path, long offset, void *to, size_t size)
{
	char *full = full_path(root, path);
	ssize_t n = -1;
	int fd, err = 0;

	if (!full)
		return -ENOMEM;
	fd = open(full, O_RDONLY | O_CLOEXEC);
	free(full);
	if (fd < 0)
		return -errno;
	n = pread(fd, to, size, offset);
	if (n < 0)
		err = -errno;
	else if ((size_t)n != size)
		err = -ENODATA;
	close(fd);
	return err;
}

/* Numbers in their order, as in cpu2 and cpu10. */
static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(char * const *)a, *(char * const *)b);
}

static int read_names(DIR *dir, char ***names)
{
	size_t n = 0, room = 0;
	struct dirent *e;

	char **list = calloc(1, sizeof(*list));

	*names = list;
	if (!list)
		return -ENOMEM;
	while ((e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		/* one more, for the NULL */
		if (!array_add(list, n + 1, room))
			return -ENOMEM;
		*names = list;
		list[n + 1] = NULL;
		list[n] = strdup(e->d_name);
		if (!list[n++])
			return -ENOMEM;
	}
	if (n)
		qsort(list, n, sizeof(*list), compare_names);
	return 0;
}

int tree_list(const char *root, const char *path, char ***names)
{
	char *full = full_path(root, path);
	DIR *dir;
	int err;

	*names = NULL;
	if (!full)
		return -ENOMEM;
	dir = opendir(full);
	free(full);
	if (!dir)
		return -errno;
	err = read_names(dir, names);
	closedir(dir);
	if (err) {
		tree_list_free(*names);
		*names = NULL;
	}
	return err;
}

void tree_list_free(char **names)
{
	char **name;

	for (name = names; name && *name; name++)
		free(*name);
	free(names);
}

bool tree_has_entries(const char *root, const char *path)
{
	char **names;
	bool any;

	if (tree_list(root, path, &names) || !names)
		return false;
	any = *names;
	tree_list_free(names);
	return any;
}

int tree_link(const char *root, const char *path, char **target)
{
	char *full = full_path(root, path), buf[LINK_LEN];
	ssize_t n = full ? readlink(full, buf, sizeof(buf)) : -1;
	int err = full ? -errno : -ENOMEM;

	free(full);
	if (n < 0)
		return err;
	*target = strndup(buf, (size_t)n);
	return *target ? 0 : -ENOMEM;
}

const char *cmdline_next(const char **at, const char *name, char *buf, size_t size)
{
	size_t len = strlen(name), n;
	const char *word;

	while (**at) {
		word = *at + strspn(*at, " \t\n");
		n = strcspn(word, " \t\n");
		if (n == 2 && !strncmp(word, "--", 2))
			break;		/* what follows is for init */
		*at = word + n;
		if (n < len || strncmp(word, name, len) || (n > len && word[len] != '='))
			continue;
		snprintf(buf, size, "%.*s", (int)(n > len ? n - len - 1 : 0),
			 word + len + (n > len));
		return buf;
	}
	return NULL;
}

bool release_is_since(const char *release, unsigned long major, unsigned long minor)
{
	char *rest;
	unsigned long is = release ? strtoul(release, &rest, 10) : 0;

	return is > major || (is && is == major && *rest == '.' && strtoul(rest + 1, NULL, 10) >= minor);
}
