// SPDX-License-Identifier: GPL-2.0
/* Finding and reading the configuration of a kernel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TLOB_LACKS
#include <zlib.h>
#endif

#include "tuning/kconfig.h"
#include "tuning/tree.h"

#define CONFIG_GZ	"/proc/config.gz"
#define CONFIG_MAX	(4U << 20)

#ifndef TLOB_LACKS
static int read_packed(const char *root, char **text)
{
	char *full, *buf = NULL;
	gzFile f = NULL;
	int n = -1, err = 0;

	if (asprintf(&full, "%s" CONFIG_GZ, root) < 0)
		return -ENOMEM;
	errno = 0;
	f = gzopen(full, "re");
	if (!f)
		err = errno ? -errno : -ENOMEM;
	free(full);
	if (err)
		return err;
	buf = malloc(CONFIG_MAX + 1);
	if (!buf)
		err = -ENOMEM;
	else
		n = gzread(f, buf, CONFIG_MAX);
	if (!err && n <= 0)
		err = -EIO;
	/* a file that is cut short fails here */
	if (gzclose_r(f) != Z_OK && !err)
		err = -EIO;
	if (err) {
		free(buf);
		return err;
	}
	buf[n] = '\0';
	*text = buf;
	return 0;
}

static const char *packed_error(int err)
{
	return strerror(-err);
}
#else
static int read_packed(const char *root, char **text)
{
	char *packed;
	int err = tree_read(root, CONFIG_GZ, &packed);

	(void)text;
	if (!err)
		free(packed);
	/* it has a NUL, so it is no text */
	return err == -EILSEQ || !err ? -EOPNOTSUPP : err;
}

static const char *packed_error(int err)
{
	return err == -EOPNOTSUPP ? "this tlob-load was built without zlib" : strerror(-err);
}
#endif

static int take_file(struct kconfig *k, const char *root, const char *format, const char *release)
{
	char *path;
	int err;

	if (asprintf(&path, format, release) < 0)
		return -ENOMEM;
	err = tree_read(root, path, &k->text);
	if (err)
		free(path);
	else
		k->path = path;
	return err;
}

int kconfig_read(struct kconfig *k, const char *root, const char *release)
{
	int err, boot = -ENOENT;

	*k = (struct kconfig){ 0 };
	err = read_packed(root, &k->text);
	if (!err) {
		k->path = strdup(CONFIG_GZ);
		return k->path ? 0 : -ENOMEM;
	}
	if (release) {
		boot = take_file(k, root, "/boot/config-%s", release);
		if (boot && boot != -ENOMEM)
			boot = take_file(k, root, "/lib/modules/%s/build/.config", release);
		if (!boot || boot == -ENOMEM)
			return boot;
	}
	if (asprintf(&k->why, CONFIG_GZ ": %s; /boot/config-%s: %s", packed_error(err),
		     release ? release : "RELEASE", strerror(-boot)) < 0) {
		k->why = NULL;
		return -ENOMEM;
	}
	return 0;
}

void kconfig_free(struct kconfig *k)
{
	free(k->text);
	free(k->path);
	free(k->why);
	*k = (struct kconfig){ 0 };
}

bool kconfig_is_on(const struct kconfig *k, const char *name)
{
	size_t len = strlen(name);
	const char *line;

	for (line = k->text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, "CONFIG_", 7) && !strncmp(line + 7, name, len) &&
		    line[7 + len] == '=')
			return line[8 + len] == 'y' || line[8 + len] == 'm';
		if (!*line)
			break;
	}
	return false;
}
