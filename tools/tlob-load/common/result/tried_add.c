// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "result/tried.h"
#include "util/file.h"
#include "util/markup.h"
#include "util/text.h"

static bool is_replaced(const char *line, const struct tried *tried, size_t n)
{
	while (n--)
		if (tried_is_about(line, tried[n].rule))
			return true;
	return false;
}

static void put_line(FILE *f, const struct tried *one)
{
	char date[16];
	struct tm tm;

	localtime_r(&one->when, &tm);
	strftime(date, sizeof(date), "%Y-%m-%d", &tm);
	/* the text may name a load of several lines */
	put_printable(f, "%s\t%s\t%s\t%s\n", one->rule, date, one->kernel, one->text);
}

/* The directory of the file, if that is ours. */
static void make_dir(const char *path)
{
	char dir[] = TRIED_FILE;

	if (strcmp(path, TRIED_FILE))
		return;
	*strrchr(dir, '/') = 0;
	mkdir(dir, 0755);		/* opening the file reports the error */
}

int tried_add(const struct tried *tried, size_t n)
{
	const char *path = tried_path();
	char *tmp, *old = NULL, *rest, *line;
	FILE *f;
	size_t i;
	int err = 0;

	make_dir(path);
	if (file_read(path, &old))
		old = NULL;
	if (asprintf(&tmp, "%s.new", path) < 0) {
		free(old);
		return -ENOMEM;
	}
	f = file_create(tmp);
	if (!f)
		err = -errno;
	for (rest = old; f && (line = text_line(&rest)); )
		if (!is_replaced(line, tried, n))
			fprintf(f, "%s\n", line);
	for (i = 0; f && i < n; i++)
		put_line(f, &tried[i]);
	if (f && fclose(f))
		err = -errno;
	if (!err && rename(tmp, path))
		err = -errno;
	free(tmp);
	free(old);
	return err;
}
