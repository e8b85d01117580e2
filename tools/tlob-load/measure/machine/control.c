// SPDX-License-Identifier: GPL-2.0
/* Finding, reading and writing the control files, and what their errors mean. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <tracefs.h>

#include "machine/control.h"
#include "machine/rights.h"
#include "util/error.h"
#include "util/file.h"

#define DEBUGFS		"/sys/kernel/debug"
#define TRACEFS		"/sys/kernel/tracing"
#define OLD_TRACEFS	DEBUGFS "/tracing"
#define MISC		"/sys/class/misc/tlob"	/* of a loaded module, for everybody */
#define LOCKDOWN	"/sys/kernel/security/lockdown"
#define OLDEST		"6.1"	/* that the module builds for; no header is here to be asked */
#define LOCKED_DOWN	"the kernel is locked down (Secure Boot) and debugfs is closed to the module: use a kernel with tlob_load built in, or switch Secure Boot off"

/* Also false where securityfs is not mounted. */
static bool locked_down(void)
{
	char line[128];

	return !file_read_line(LOCKDOWN, line, sizeof(line)) &&
	       !strstr(line, "[none]");
}

static int debugfs_mount(void)
{
	struct statfs fs;
	int err;

	if (!statfs(DEBUGFS, &fs) && fs.f_type == DEBUGFS_MAGIC)
		return 0;
	if (!mount("debugfs", DEBUGFS, "debugfs", 0, NULL))
		return 0;
	err = -errno;
	if (err == -EPERM || err == -EACCES)
		return fail(-EACCES, "debugfs is not mounted, and mounting it is not permitted: run as root");
	if (err == -ENODEV || err == -ENOENT)
		return fail(-EOPNOTSUPP, "this kernel has no debugfs, and no tlob_load built in");
	return fail(err, "cannot mount debugfs on %s: %s", DEBUGFS,
		    strerror(-err));
}

/* Opens `enable` for writing, which fails if anything is wrong with the directory. */
static int try_dir(const char *parent, char **dir)
{
	char path[PATH_MAX];
	int fd;

	*dir = NULL;
	snprintf(path, sizeof(path), "%s/tlob_load/enable", parent);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	*dir = strndup(path, strlen(path) - strlen("/enable"));
	return *dir ? 0 : -ENOMEM;
}

/* True for a file of the running kernel, a module in it or built in. */
static bool is_installed(void)
{
	static const char * const lists[] = { "modules.dep", "modules.builtin" };
	struct utsname u;
	char path[160], *text;
	bool found = false;
	size_t i;

	uname(&u);
	for (i = 0; i < 2 && !found; i++) {
		snprintf(path, sizeof(path), "/lib/modules/%s/%s", u.release, lists[i]);
		if (file_read(path, &text))
			continue;
		found = strstr(text, "/tlob_load.ko");
		free(text);
	}
	return found;
}

static int not_loaded(char *why, unsigned int size)
{
	struct utsname u;

	uname(&u);
	if (locked_down())
		snprintf(why, size, LOCKED_DOWN);
	else if (is_installed())
		snprintf(why, size, "the module is not loaded: modprobe tlob_load");
	else if (strverscmp(u.release, OLDEST) < 0)
		snprintf(why, size, "the module tlob_load needs Linux " OLDEST " or later, and this is %s", u.release);
	else
		snprintf(why, size, "the module is not installed for Linux %s: make && make install, or the package tlob-load-dkms; then modprobe tlob_load",
			 u.release);
	return -EOPNOTSUPP;
}

/* Root of a user namespace is not root for the kernel's files. */
static bool is_root(void)
{
	return !geteuid() && rights_of_first_namespace();
}

int control_probe(char *why, unsigned int size)
{
	static const char * const parents[] = { TRACEFS, OLD_TRACEFS, DEBUGFS };
	bool missing = access(MISC, F_OK) != 0;
	char *dir;
	size_t i;
	int err;

	for (i = 0; i < sizeof(parents) / sizeof(parents[0]); i++) {
		err = try_dir(parents[i], &dir);
		if (!err) {
			free(dir);
			return 0;
		}
		if (err == -EPERM && is_root()) {
			snprintf(why, size, LOCKED_DOWN);
			return -EOPNOTSUPP;
		}
	}
	if (missing)
		return not_loaded(why, size);
	if (is_root())
		return 0;	/* control_find() mounts what is missing */
	snprintf(why, size, "the module is loaded, but its files are for root: run as root");
	return -EOPNOTSUPP;
}

int control_find(struct control *c)
{
	const char *tracing;
	int err;

	tracing = tracefs_tracing_dir();
	err = tracing ? try_dir(tracing, &c->dir) : -ENOENT;
	if (err == -ENOENT) {
		err = debugfs_mount();
		if (err)
			return err;
		err = try_dir(DEBUGFS, &c->dir);
	}
	switch (err) {
	case 0:
		return 0;
	case -ENOENT:
		if (!locked_down())
			return fail(-EOPNOTSUPP, "the module is not loaded: modprobe tlob_load");
		/* Lockdown refuses modprobe, or else the files of the module. */
		return fail(-EOPNOTSUPP, LOCKED_DOWN);
	case -EPERM:
		/* File modes give EACCES, so EPERM for root comes from lockdown. */
		if (locked_down() || !geteuid())
			return fail(-EOPNOTSUPP, LOCKED_DOWN);
		/* fall through */
	case -EACCES:
		return fail(-EACCES, "permission denied for tlob_load/enable: run as root");
	default:
		return fail(err, "cannot open tlob_load/enable: %s",
			    strerror(-err));
	}
}

void control_free(struct control *c)
{
	free(c->dir);
	c->dir = NULL;
}

char *control_path(const struct control *c, int cpu, const char *file)
{
	char *path;
	int n;

	if (cpu < 0)
		n = asprintf(&path, "%s/%s", c->dir, file);
	else
		n = asprintf(&path, "%s/per_cpu/cpu%d/%s", c->dir, cpu, file);
	return n < 0 ? NULL : path;
}

int control_missing(const struct control *c, const char *file)
{
	/* by how the file's name begins */
	static const struct { const char *file, *what, *option; } options[] = {
		{ "monitor", "the monitor", "MONITOR" },
		{ "functions_monitor", "functions in windows of the monitor", "MONITOR" },
		{ "functions", "functions", "FUNCTIONS" },
		{ "waits", "waits", "WAITS" },
	};
	char *path = control_path(c, -1, "status"), *status = NULL;
	const char *what = NULL, *option = NULL;
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(*options) && !what; i++)
		if (!strncmp(file, options[i].file, strlen(options[i].file))) {
			what = options[i].what;
			option = options[i].option;
		}
	/* without that line it cannot leave anything out */
	if (!path || file_read(path, &status) || !strstr(status, "\noptions:"))
		what = NULL;
	free(status);
	free(path);
	if (what)
		return fail(-EOPNOTSUPP, "%s/%s does not exist: the kernel part was built without %s (CONFIG_TLOB_LOAD_%s)",
			    c->dir, file, what, option);
	return fail(-EOPNOTSUPP, "%s/%s does not exist: the kernel part is older than this tool",
		    c->dir, file);
}

/* Returns whether @file is not there, which an error of a write to it may mean. */
static bool is_missing(const struct control *c, const char *file)
{
	char *path = control_path(c, -1, file);
	bool missing = path && access(path, F_OK) && errno == ENOENT;

	free(path);
	return missing;
}

int control_error(const struct control *c, const char *file,
		  const char *value, int err)
{
	static const struct {
		const char *file;	/* NULL: any */
		int err;
		const char *meaning;
	} meanings[] = {
		{ "enable", -ENODEV, "a measured CPU is offline" },
		{ "enable", -EOPNOTSUPP,
		  "this kernel does not have the requested noise source" },
		{ "enable", -EPERM, "the scheduler refused the policy" },
		{ "enable", -EBUSY,
		  "another run is in progress, or the scheduler refused the policy" },
		{ "enable", -ENOMEM, "not enough memory" },
		{ "monitor", -EEXIST,
		  "this place already has a budget" },
		{ "monitor", -ENOENT, "the kernel cannot find the file" },
		{ "monitor", -ENOSPC, "too many bindings, or too many places in them" },
		{ "monitor", -EOPNOTSUPP, "this kernel has no uprobes" },
		{ "monitor_enable", -EOPNOTSUPP,
		  "this kernel lacks tracepoints that the monitor needs" },
		{ "monitor_enable", -ENOMEM, "not enough memory" },
		{ "longest_wait", -EOPNOTSUPP,
		  "the kernel part was built without waits (CONFIG_TLOB_LOAD_WAITS)" },
		{ NULL, -EINVAL, "the kernel part rejects this value" },
		{ NULL, -ERANGE, "out of the range that the kernel part allows" },
		{ NULL, -EBUSY, "another run is in progress" },
		{ NULL, -ENOENT, "the kernel part does not match this tool" },
		{ NULL, -EACCES, "permission denied: run as root" },
		{ NULL, -EPERM, "not permitted: is the kernel locked down?" },
	};
	const char *meaning = strerror(-err);
	size_t i;

	if (err == -ENOENT && is_missing(c, file))
		return control_missing(c, file);
	for (i = 0; i < sizeof(meanings) / sizeof(*meanings); i++)
		if (meanings[i].err == err &&
		    (!meanings[i].file || !strcmp(meanings[i].file, file))) {
			meaning = meanings[i].meaning;
			break;
		}
	return fail(err, "%s/%s: cannot write '%s': %s", c->dir, file, value,
		    meaning);
}

int control_write(const struct control *c, const char *file,
		  const char *fmt, ...)
{
	char *value, *path = NULL;
	va_list ap;
	int err;

	va_start(ap, fmt);
	if (vasprintf(&value, fmt, ap) < 0)
		value = NULL;
	va_end(ap);
	if (value)
		path = control_path(c, -1, file);
	err = path ? file_write(path, value) : -ENOMEM;
	if (err)
		control_error(c, file, value ? value : "", err);
	free(path);
	free(value);
	return err;
}

int control_read(const struct control *c, const char *file, char **text)
{
	char *path = control_path(c, -1, file);
	int err;

	err = path ? file_read(path, text) : -ENOMEM;
	if (err == -ENOENT)
		err = control_missing(c, file);
	else if (err)
		fail(err, "%s/%s: %s", c->dir, file, strerror(-err));
	free(path);
	return err;
}
