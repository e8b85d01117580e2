// SPDX-License-Identifier: GPL-2.0
/* Finding and reading the configuration of a kernel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TLOB_LACKS
#include <zlib.h>
#endif

#include "machine/kconfig.h"
#include "util/tree.h"

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

static int read_unpacked(struct kconfig *k, const char *root, int packed)
{
	int err = -ENOENT;
	char *release;

	if (tree_read(root, "/proc/sys/kernel/osrelease", &release))
		release = NULL;
	if (release)
		err = take_file(k, root, "/boot/config-%s", release);
	if (release && err && err != -ENOMEM)
		err = take_file(k, root, "/lib/modules/%s/build/.config", release);
	if (err && err != -ENOMEM) {
		err = asprintf(&k->why, CONFIG_GZ ": %s; /boot/config-%s: %s", packed_error(packed),
			       release ? release : "RELEASE", strerror(-err)) < 0 ? -ENOMEM : 0;
		if (err)
			k->why = NULL;
	}
	free(release);
	return err;
}

int kconfig_read(struct kconfig *k, const char *root)
{
	int err;

	if (k->text || k->why)
		return 0;
	err = read_packed(root, &k->text);
	if (err)
		return read_unpacked(k, root, err);
	k->path = strdup(CONFIG_GZ);
	return k->path ? 0 : -ENOMEM;
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
	char line[160];
	const char *at;
	int n = snprintf(line, sizeof(line), "CONFIG_%s=", name);

	for (at = k->text; (at = strstr(at, line)); at += n)
		if (at == k->text || at[-1] == '\n')
			return at[n] == 'y' || at[n] == 'm';
	return false;
}
