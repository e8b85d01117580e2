// SPDX-License-Identifier: GPL-2.0
/* Kernels from a revision, a built tree, a file or a package. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/kernel_source.h"
#include "lab/tree.h"
#include "util/error.h"
#include "util/file.h"
#include "util/process.h"
#include "util/signals.h"
#include "util/wrap.h"

#define NOT_BUILT	2		/* exit code of scripts/build-revision */

static bool is_package(const char *name)
{
	size_t n = strlen(name);

	return n > 4 && !strcmp(name + n - 4, ".deb");
}

bool kernel_source_is(const char *name)
{
	return strpbrk(name, "@/") || is_package(name);
}

/* ---- calls ---- */

/* What the script or git says goes to @log. Its exit status, or -errno, printed. */
static int call(struct call *c, const char *log)
{
	int status = call_error(c);

	if (!status)
		status = lab_call(c->argv, log);
	call_free(c);
	if (signal_end())
		return fail(-EINTR, "interrupted by %s: see %s", signal_name(signal_end()), log);
	return status;
}

static int begin_script(struct call *c, const char *script)
{
	char path[PATH_MAX];
	int err = tree_script(path, script);

	if (!err)
		call_add(c, "%s", path);
	return err;
}

static void log_of(const struct lab *lab, const char *script, char log[PATH_MAX])
{
	snprintf(log, PATH_MAX, "%.4000s/%s.log", lab->o->dir, script);
}

/* ---- where things are ---- */

/* "linux-5b656fea": the same name in different directories has another number. */
static int name_of_path(const char *path, char name[64])
{
	char whole[PATH_MAX], *last;

	if (!realpath(path, whole))
		return fail(-errno, "%s: %s", path, strerror(errno));
	last = strrchr(whole, '/');
	snprintf(name, 64, "%.40s-%08" PRIx32, last + 1, (uint32_t)file_fingerprint(whole));
	return 0;
}

static void place_named(const struct lab *lab, const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%.3900s/kernels/%s", lab->o->dir, name);
}

void kernel_source_place(const struct lab *lab, const char *commit, char path[PATH_MAX])
{
	place_named(lab, commit, path);
}

static int work_place(const struct lab *lab, const char *tree, char work[PATH_MAX])
{
	char name[64];
	int err = name_of_path(tree, name);

	snprintf(work, PATH_MAX, "%.3900s/%s", lab->o->dir, err ? "" : name);
	return err;
}

/* ---- a revision ---- */

/* Splits TREE@REV: the first @ behind the name of a directory. */
static bool split(const char *name, char tree[PATH_MAX], const char **rev)
{
	const char *at;
	struct stat st;

	for (at = strchr(name, '@'); at; at = strchr(at + 1, '@')) {
		snprintf(tree, PATH_MAX, "%.*s", (int)(at - name), name);
		*rev = at + 1;
		if (!stat(tree, &st) && S_ISDIR(st.st_mode))
			return true;
	}
	return false;
}

int kernel_source_commit(const struct lab *lab, const char *tree, const char *rev,
			 char commit[COMMIT_LEN])
{
	char log[PATH_MAX], why[LAB_REASON];
	struct call c = { 0 };
	int err;

	log_of(lab, "git", log);
	call_add(&c, "git");
	call_add(&c, "-C");
	call_add(&c, "%s", tree);
	call_add(&c, "rev-parse");
	call_add(&c, "--git-dir");
	err = call(&c, log);
	if (err)
		return err < 0 ? err : fail(-EINVAL, "%s: not a git repository: %s", tree,
					    lab_reason(why, log));
	call_add(&c, "git");
	call_add(&c, "-C");
	call_add(&c, "%s", tree);
	call_add(&c, "rev-parse");
	call_add(&c, "-q");
	call_add(&c, "--verify");
	call_add(&c, "%s^{commit}", rev);
	err = call(&c, log);
	if (!err)
		err = file_read_line(log, commit, COMMIT_LEN);
	return err ? fail(err < 0 ? err : -EINVAL, "%s has no revision '%s'", tree, rev) : 0;
}

/* The script's last line without its name. */
static void keep_reason(char why[LAB_REASON], const char *log)
{
	static const char name[] = "build-revision: ";

	lab_reason(why, log);
	if (!strncmp(why, name, strlen(name)))
		memmove(why, why + strlen(name), strlen(why + strlen(name)) + 1);
}

int kernel_source_build(const struct lab *lab, const char *tree, const char *commit,
			char why[LAB_REASON])
{
	char work[PATH_MAX], out[PATH_MAX], log[PATH_MAX];
	struct call c = { 0 };
	int status = work_place(lab, tree, work);

	log_of(lab, "build-revision", log);
	kernel_source_place(lab, commit, out);
	if (!status)
		status = begin_script(&c, "build-revision");
	if (status)
		return status;
	if (lab->o->config) {
		call_add(&c, "--config");
		call_add(&c, "%s", lab->o->config);
	}
	call_add(&c, "%s", tree);
	call_add(&c, "%s", commit);
	call_add(&c, "%s", work);
	call_add(&c, "%s", out);
	status = call(&c, log);
	if (status <= 0)
		return status;
	keep_reason(why, log);
	return status == NOT_BUILT ? -ENOEXEC : fail(-EIO, "%s: %s: see %s", tree, why, log);
}

static int remove_work(const struct lab *lab, const char *tree)
{
	char work[PATH_MAX], log[PATH_MAX], why[LAB_REASON];
	struct call c = { 0 };
	int status = work_place(lab, tree, work);

	log_of(lab, "build-revision", log);
	if (!status)
		status = begin_script(&c, "build-revision");
	if (status)
		return status;
	call_add(&c, "--remove");
	call_add(&c, "%s", tree);
	call_add(&c, "%s", work);
	status = call(&c, log);
	return status > 0 ? fail(-EIO, "%s cannot be removed: %s", work, lab_reason(why, log)) : status;
}

int kernel_source_tidy(struct lab *lab)
{
	char tree[PATH_MAX];
	const char *rev;
	unsigned int i;
	int err = 0;

	if (lab->o->tree)
		return remove_work(lab, lab->o->tree);
	for (i = 0; i < lab->o->nkernels && !err; i++)
		if (lab->o->kernel[i].taken && split(lab->o->kernel[i].text, tree, &rev))
			err = remove_work(lab, tree);
	return err;
}

/* ---- what is to be booted ---- */

/* The files of @place are the kernel. Without a module there it is built in. */
static int use(struct lab *lab, unsigned int i, const char *place)
{
	struct lab_kernel *k = &lab->config.kernel[i];

	if (k->modules)
		return fail(-EINVAL, "%s: the module is built for it: leave out --modules", k->text);
	if (snprintf(k->name, sizeof(k->name), "%s/vmlinuz", place) >= (int)sizeof(k->name))
		return fail(-ENAMETOOLONG, "%s: the path is too long", place);
	snprintf(lab->own[i], sizeof(lab->own[i]), "%.4000s/tlob_load.ko", place);
	if (access(lab->own[i], R_OK))
		lab->own[i][0] = 0;
	k->image = k->taken = true;
	return 0;
}

static int take_revision(struct lab *lab, unsigned int i, const char *tree, const char *rev)
{
	char commit[COMMIT_LEN], place[PATH_MAX], why[LAB_REASON];
	int err = kernel_source_commit(lab, tree, rev, commit);

	if (!err && !lab->o->quiet)
		wrap_print(stderr, "building %s: the first time takes 7 to 18 minutes on two CPUs\n",
			   lab->o->kernel[i].text);
	if (!err)
		err = kernel_source_build(lab, tree, commit, why);
	if (err == -ENOEXEC)
		fail(err, "%s: %s", lab->o->kernel[i].text, why);
	kernel_source_place(lab, commit, place);
	return err ? err : use(lab, i, place);
}

/* A built tree or a package. */
static int take_path(struct lab *lab, unsigned int i, const char *path)
{
	char name[64], place[PATH_MAX], log[PATH_MAX], why[LAB_REASON];
	struct call c = { 0 };
	int status = name_of_path(path, name);

	log_of(lab, "take-kernel", log);
	if (!status)
		status = begin_script(&c, "take-kernel");
	if (status)
		return status;
	place_named(lab, name, place);
	call_add(&c, "%s", path);
	call_add(&c, "%s", place);
	status = call(&c, log);
	if (status > 0)
		return fail(-EIO, "%s: %s: see %s", path, lab_reason(why, log), log);
	return status ? status : use(lab, i, place);
}

int kernel_source_take(struct lab *lab, unsigned int i)
{
	struct lab_kernel *k = &lab->config.kernel[i];
	char tree[PATH_MAX], name[LAB_NAME];
	const char *rev;
	struct stat st;

	snprintf(name, sizeof(name), "%s", k->name);
	if (split(name, tree, &rev))
		return take_revision(lab, i, tree, rev);
	if (stat(name, &st))
		return fail(-errno, "%s: %s%s", name, strerror(errno),
			    strchr(name, '@') ? ": give a git repository in front of the @" : "");
	if (S_ISDIR(st.st_mode) || is_package(name))
		return take_path(lab, i, name);
	k->image = k->taken = true;
	return 0;
}
