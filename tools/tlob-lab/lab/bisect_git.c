// SPDX-License-Identifier: GPL-2.0
/* git does the bookkeeping of `tlob-lab bisect`, in a worktree without files. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/bisect.h"
#include "util/error.h"
#include "util/file.h"
#include "util/printable.h"
#include "util/process.h"
#include "util/signals.h"

static void path_in_dir(const struct bisect *b, const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%.4000s/%s", b->o->dir, name);
}

/* Starts `git -C DIR WORD...`, whose messages must be English. Its exit status, or -errno, printed. */
static int git_words(const struct bisect *b, const char *dir, const char *log, ...)
{
	char path[PATH_MAX];
	struct call c = { 0 };
	const char *word;
	va_list ap;
	int status;

	path_in_dir(b, log, path);
	call_add(&c, "env");
	call_add(&c, "LC_ALL=C");
	call_add(&c, "git");
	call_add(&c, "-C");
	call_add(&c, "%s", dir);
	va_start(ap, log);
	while ((word = va_arg(ap, const char *)))
		call_add(&c, "%s", word);
	va_end(ap);
	status = call_error(&c);
	if (!status)
		status = lab_call(c.argv, path);
	call_free(&c);
	return signal_end() ? fail(-EINTR, "interrupted by %s", signal_name(signal_end())) : status;
}

#define git(...)	git_words(__VA_ARGS__, (const char *)NULL)

/* The last line of what git has said to @log. */
static int git_failed(const struct bisect *b, const char *what, const char *log)
{
	char path[PATH_MAX], why[LAB_REASON];

	path_in_dir(b, log, path);
	return fail(-EIO, "%s: git %s failed: %s: see %s", b->o->tree, what, lab_reason(why, path), path);
}

#define GIT_LOG	"git.log"

int bisect_find(struct bisect *b, const char *rev, struct bisect_commit *c)
{
	char path[PATH_MAX], line[400];
	int err = kernel_source_commit(&b->lab, b->o->tree, rev, c->hash);

	if (err)
		return err;
	err = git(b, b->o->tree, GIT_LOG, "log", "-1", "--abbrev=12", "--format=%h %s", c->hash);
	if (err)
		return err < 0 ? err : git_failed(b, "log", GIT_LOG);
	path_in_dir(b, GIT_LOG, path);
	if (file_last_line(path, line, sizeof(line)))
		snprintf(line, sizeof(line), "%.12s", c->hash);
	snprintf(c->subject, sizeof(c->subject), "%.90s", line);
	return 0;
}

static int warn_dirty(struct bisect *b)
{
	char path[PATH_MAX], line[200];
	int err = git(b, b->o->tree, GIT_LOG, "status", "--porcelain", "-uno");

	path_in_dir(b, GIT_LOG, path);
	if (err < 0)
		return err;
	if (!err && !file_read_line(path, line, sizeof(line)) && *line)
		warning("%s has uncommitted changes: they are not built", b->o->tree);
	return 0;
}

int bisect_check(struct bisect *b)
{
	char path[PATH_MAX], base[COMMIT_LEN] = "";
	int err;

	if (!strcmp(b->good.hash, b->bad.hash))
		return fail(-EINVAL, "GOOD and BAD are the same commit, %s: give two", b->good.subject);
	err = git(b, b->o->tree, GIT_LOG, "merge-base", b->good.hash, b->bad.hash);
	path_in_dir(b, GIT_LOG, path);
	if (err < 0)
		return err;
	if (err || file_read_line(path, base, sizeof(base)))
		return fail(-EINVAL, "GOOD and BAD have no common ancestor: give a GOOD that is an ancestor of BAD");
	if (strcmp(base, b->good.hash))
		return fail(-EINVAL, "GOOD is not an ancestor of BAD: give %s",
			    strcmp(base, b->bad.hash) ? base : "them in the other order");
	return warn_dirty(b);
}

/* ---- steps ---- */

static bool read_hash(const char *from, char hash[COMMIT_LEN])
{
	size_t n = strspn(from, "0123456789abcdef");

	if (n != COMMIT_LEN - 1)
		return false;
	memcpy(hash, from, n);
	hash[n] = 0;
	return true;
}

static unsigned int number_after(const char *line, const char *words)
{
	const char *at = strstr(line, words);

	return at ? (unsigned int)strtoul(at + strlen(words), NULL, 10) : 0;
}

/*
 * "Bisecting: 7 revisions left to test after this (roughly 3 steps)" and "[HASH] subject", or
 * "HASH is the first bad commit", or the list of skipped commits.
 */
static void read_said(char *text, struct bisect_next *next)
{
	static const char begin[] = "Bisecting: ";
	char *line, *rest = text;

	*next = (struct bisect_next){ 0 };
	while ((line = strsep(&rest, "\n"))) {
		if (!strncmp(line, begin, strlen(begin))) {
			next->left = number_after(line, begin);
			next->steps = number_after(line, "(roughly ");
		}
		if (*line == '[')
			read_hash(line + 1, next->hash);
		if (strstr(line, " is the first bad commit") && read_hash(line, next->hash))
			next->found = true;
		next->only_skipped |= !!strstr(line, "only 'skip'ped commits left");
	}
}

#define SAID	"bisect.said"

static void place(const struct bisect *b, char dir[PATH_MAX])
{
	path_in_dir(b, "bisect", dir);
}

/* @status: of git bisect, which says 2 where only skipped commits are left. */
static int take_said(struct bisect *b, int status, struct bisect_next *next)
{
	char path[PATH_MAX], *text;
	int err = status < 0 ? status : 0;

	path_in_dir(b, SAID, path);
	if (!err)
		err = file_load_text(path, &text);
	if (err)
		return err;
	read_said(text, next);
	free(text);
	return next->found || next->only_skipped || *next->hash ? 0 : git_failed(b, "bisect", SAID);
}

/*
 * The worktree is where git keeps the state, apart from a bisection of the user. An interrupted
 * `git worktree add` leaves a .git that points to nothing. -f -f: and a lock.
 */
static int add_worktree(struct bisect *b, const char *dir)
{
	char file[PATH_MAX], whole[PATH_MAX];
	int err;

	snprintf(file, sizeof(file), "%.4000s/.git", dir);
	if (!access(file, F_OK)) {
		err = git(b, dir, GIT_LOG, "rev-parse", "-q", "--verify", "HEAD");
		if (err <= 0)
			return err;
		unlink(file);
	}
	if ((mkdir(dir, 0777) && errno != EEXIST) || !realpath(dir, whole))
		return fail(-errno, "%s: %s", dir, strerror(errno));
	err = git(b, b->o->tree, GIT_LOG, "worktree", "add", "-f", "-f", "--detach", "--no-checkout",
		  whole, b->good.hash);
	return err > 0 ? git_failed(b, "worktree add", GIT_LOG) : err;
}

int bisect_start(struct bisect *b, struct bisect_next *next)
{
	char dir[PATH_MAX];
	int status;

	place(b, dir);
	status = add_worktree(b, dir);
	if (!status)
		status = git(b, dir, GIT_LOG, "bisect", "reset");
	if (status)
		return status < 0 ? status : git_failed(b, "bisect reset", GIT_LOG);
	return take_said(b, git(b, dir, SAID, "bisect", "start", "--no-checkout", b->bad.hash,
				b->good.hash), next);
}

int bisect_mark(struct bisect *b, const char *mark, const char *hash, struct bisect_next *next)
{
	char dir[PATH_MAX];

	place(b, dir);
	return take_said(b, git(b, dir, SAID, "bisect", mark, hash), next);
}

void bisect_print_said(const struct bisect *b, FILE *f)
{
	char path[PATH_MAX], *text, *line, *rest, hash[COMMIT_LEN];

	path_in_dir(b, SAID, path);
	if (file_load_text(path, &text))
		return;
	for (rest = text; (line = strsep(&rest, "\n"));)
		if (read_hash(line, hash))
			fprintf(f, "  %s\n", hash);
	free(text);
}

int bisect_end(struct bisect *b)
{
	char dir[PATH_MAX], whole[PATH_MAX];
	int status;

	place(b, dir);
	if (!realpath(dir, whole))
		return fail(-errno, "%s: %s", dir, strerror(errno));
	status = git(b, dir, "bisect.log", "bisect", "log");
	if (!status)
		status = git(b, b->o->tree, GIT_LOG, "worktree", "remove", "-f", "-f", whole);
	return status > 0 ? git_failed(b, "worktree remove", GIT_LOG) : status;
}
