// SPDX-License-Identifier: GPL-2.0
/* Saved knobs: changing and recording them. See knobs.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "machine/knobs_local.h"
#include "machine/proc_counts.h"
#include "util/array.h"
#include "util/error.h"
#include "util/file.h"
#include "util/printable.h"
#include "util/signals.h"
#include "util/text.h"

#define STATE_HEADER	"tlob-load-state "
#define STATE_VERSION	2
#define RUN_DIR		"/run"
#define BOOT_ID		"/proc/sys/kernel/random/boot_id"

static const char * const kind_names[] = {
	[KNOB_FILE] = "file", [KNOB_OURS] = "ours", [KNOB_IRQ] = "irq", [KNOB_SHARED] = "shared",
	[KNOB_COMMAND] = "command", [KNOB_INSTANCE] = "instance", [KNOB_CGROUP] = "cgroup",
};

void knob_free(struct knob *knob)
{
	free(knob->path);
	free(knob->wanted);
	free(knob->saved);
	free(knob->effective);
}

/* Drops the last knob, which has not been changed. */
static void knobs_drop_last(struct knobs *k)
{
	knob_free(&k->at[--k->n]);
}

static void knobs_drop_all(struct knobs *k)
{
	while (k->n)
		knobs_drop_last(k);
}

static void knobs_close(struct knobs *k)
{
	knobs_drop_all(k);
	free(k->at);
	if (k->fd >= 0)
		close(k->fd);	/* gives up the lock */
	*k = (struct knobs){ .fd = -1 };
}

/* Appends a knob to the table in memory only. 0 or -ENOMEM. */
static int knobs_add(struct knobs *k, enum knob_kind kind, const char *path, const char *wanted,
		     const char *saved, const char *effective)
{
	struct knob *knob = array_add(k->at, k->n, k->room);
	int err = 0;

	if (!knob)
		return -ENOMEM;
	*knob = (struct knob){ .kind = kind };
	knob->path = text_copy(path, &err);
	knob->wanted = text_copy(wanted, &err);
	knob->saved = text_copy(saved, &err);
	knob->effective = text_copy(effective, &err);
	k->n++;
	if (err)
		knobs_drop_last(k);
	return err;
}

/* The start time of process @pid, in ticks since boot; 0: no such process, or it has ended. */
static unsigned long long start_time(int pid)
{
	char path[64], *text;
	uint64_t start;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (file_read(path, &text))
		return 0;
	if (proc_is_dead(text) || proc_start_time(text, &start))
		start = 0;
	free(text);
	return start;
}

/* Escaped: a setting may have several values with tabs between. False: no memory. */
static bool put_value(FILE *f, char before, const char *value)
{
	char *text = printable_dup(value);

	if (!text)
		return false;
	fprintf(f, "%c%s", before, text);
	free(text);
	return true;
}

static bool put_knob(FILE *f, const struct knob *knob)
{
	fputs(kind_names[knob->kind], f);
	if (!put_value(f, ' ', knob->path) ||
	    (!knob_is_directory(knob) && !put_value(f, '\t', knob->saved)) ||
	    (knob_is_guarded(knob) && !put_value(f, '\t', knob->wanted)) ||
	    (knob->kind == KNOB_IRQ && !put_value(f, '\t', knob->effective)))
		return false;
	fputc('\n', f);
	return true;
}

/*
 * Writes the whole table to a new file and locks it before it takes the name of
 * the state file. So the file under that name is always complete and locked.
 */
static int state_write(struct knobs *k)
{
	char *tmp = NULL, boot[64];
	FILE *f = NULL;
	int fd = -1, err = 0;
	size_t i;

	if (asprintf(&tmp, "%s.new", k->state) < 0)
		return -ENOMEM;
	/* From a former run, or from another user in a directory that all may write. */
	unlink(tmp);
	fd = open(tmp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB))
		goto error;
	f = fdopen(dup(fd), "w");
	if (!f)
		goto error;
	fprintf(f, STATE_HEADER "%d\nowner %d %llu\n", STATE_VERSION, getpid(),
		start_time(getpid()));
	if (!file_read_line(BOOT_ID, boot, sizeof(boot)))
		fprintf(f, "boot %s\n", boot);
	for (i = 0; i < k->n; i++)
		if (!put_knob(f, &k->at[i]))
			goto error;
	if (fflush(f) || fsync(fd) || rename(tmp, k->state))
		goto error;
	if (k->fd >= 0)
		close(k->fd);
	k->fd = fd;
	fd = -1;
	goto out;
error:
	err = errno ? -errno : -EIO;
	unlink(tmp);
out:
	if (f)
		fclose(f);
	if (fd >= 0)
		close(fd);
	free(tmp);
	return err;
}

/* A line of the state file: a kind, a path and as many values as the kind has. */
static int state_line(struct knobs *k, char *line)
{
	static const unsigned int nvalues[] = {
		[KNOB_FILE] = 1, [KNOB_OURS] = 2, [KNOB_IRQ] = 2, [KNOB_SHARED] = 2,
		[KNOB_COMMAND] = 1, [KNOB_INSTANCE] = 0, [KNOB_CGROUP] = 0,
	};
	char *path = strchr(line, ' '), *at, *value[2] = { NULL, NULL };
	enum knob_kind kind = KNOB_FILE;
	unsigned int i;

	if (!path)
		return -EINVAL;
	*path++ = '\0';
	while (kind <= KNOB_CGROUP && strcmp(kind_names[kind], line))
		kind++;
	if (*path != '/' || kind > KNOB_CGROUP)
		return -EINVAL;
	for (at = path, i = 0; i < nvalues[kind]; i++) {
		at = strchr(at, '\t');
		if (!at)
			return -EINVAL;
		*at++ = '\0';
		value[i] = at;
	}
	/* a setting may be empty; what comes behind it may not */
	if (strchr(at, '\t') || (value[1] && !*value[1]))
		return -EINVAL;
	printable_undo(path);
	for (i = 0; i < nvalues[kind]; i++)
		printable_undo(value[i]);
	return knobs_add(k, kind, path, kind == KNOB_IRQ ? NULL : value[1], value[0],
			 kind == KNOB_IRQ ? value[1] : NULL);
}

/* Returns whether this is boot @id. If that cannot be read, it is assumed. */
static bool is_this_boot(const char *id)
{
	char now[64];

	return file_read_line(BOOT_ID, now, sizeof(now)) || !strcmp(now, id);
}

/*
 * The head of the table that an earlier run left. @pid is its owner; 0 for an empty
 * file, whose owner was killed before its first write. @other_boot: the kernel that had
 * these settings is gone.
 */
struct state {
	int	 version, pid;
	unsigned long long start;
	bool	 other_boot;
};

/* Reads the table. -EINVAL: damaged; -EPROTO: of another version. */
static int state_read(struct knobs *k, struct state *s)
{
	char *text, *line, *rest = NULL;
	int err, end = 0;

	*s = (struct state){ .version = STATE_VERSION };
	err = file_read(k->state, &text);
	if (err)
		return err;
	if (!*text)
		goto out;
	err = -EINVAL;
	/* A line that was cut off could name a wrong path or value. */
	if (text[strlen(text) - 1] != '\n')
		goto out;
	line = strtok_r(text, "\n", &rest);
	if (!line || sscanf(line, STATE_HEADER "%d%n", &s->version, &end) != 1 || line[end])
		goto out;
	if (s->version != STATE_VERSION) {
		err = -EPROTO;
		goto out;
	}
	line = strtok_r(NULL, "\n", &rest);
	if (!line || sscanf(line, "owner %d %llu%n", &s->pid, &s->start, &end) != 2 ||
	    line[end] || s->pid <= 0)
		goto out;
	err = 0;
	while (!err && (line = strtok_r(NULL, "\n", &rest)))
		if (!strncmp(line, "boot ", strlen("boot ")))
			s->other_boot = !is_this_boot(line + strlen("boot "));
		else
			err = state_line(k, line);
out:
	free(text);
	return err;
}

/* Root writes what the file says, so only its owner may write it. 0, or -EPERM, printed. */
static int state_check(const struct knobs *k, const struct stat *have)
{
	if (!S_ISREG(have->st_mode))
		return fail(-EPERM, "%s is not a regular file: remove it", k->state);
	if (have->st_uid != geteuid())
		return fail(-EPERM, "%s belongs to user %u, not %u, and cannot be trusted; inspect and remove it",
			    k->state, have->st_uid, geteuid());
	if (have->st_mode & (S_IWGRP | S_IWOTH))
		return fail(-EPERM, "%s (mode %o) is writable by others and cannot be trusted; inspect and remove it",
			    k->state, have->st_mode & 07777);
	return 0;
}

static int cannot_open(const struct knobs *k, int err)
{
	if (err == -ELOOP)
		return fail(err, "%s is a symbolic link, which is not followed: remove it", k->state);
	if (err == -EACCES && geteuid())
		return fail(err, "%s: permission denied: run as root", k->state);
	return fail(err, "%s: %s%s", k->state, strerror(-err),
		    err == -EROFS ? ": name another file in TLOB_STATE_FILE" : "");
}

/* A killed process gives up the lock only when all of it has ended. */
#define PATIENCE_MS	2000
#define PATIENCE_ENDLESS UINT_MAX
#define PAUSE_MS	50

/* The owner of the state file; 0: it has not said so yet. */
static int owner_of(struct knobs *k)
{
	struct state s;

	state_read(k, &s);
	knobs_drop_all(k);
	return s.pid;
}

/* @flags: of the request, which may have been for --wait. */
static int is_running(struct knobs *k, int flags)
{
	const char *advice = flags & O_CREAT ? ": wait for its end; run and attach do so with --wait" : "";
	int pid = owner_of(k);

	return pid ? fail(-EBUSY, "another tlob-load is running (pid %d)%s", pid, advice) :
		     fail(-EBUSY, "another tlob-load is starting%s", advice);
}

/*
 * Returns whether the owner may still be waited for. *@patience_ms is what is left: a multiple of
 * PAUSE_MS, or PATIENCE_ENDLESS.
 */
static bool waits_on(struct knobs *k, unsigned int *patience_ms, bool *said)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };

	if (!*patience_ms || signal_end())
		return false;
	if (*patience_ms != PATIENCE_ENDLESS)
		*patience_ms -= PAUSE_MS;
	else if (!*said)
		warning("waiting for the end of another tlob-load (pid %d)", owner_of(k));
	*said = true;
	nanosleep(&pause, NULL);
	return true;
}

/* A root with nothing but this program has no /run. Returns whether it is there now. */
static bool made_run(const struct knobs *k, int flags)
{
	return errno == ENOENT && flags & O_CREAT && !strcmp(k->state, KNOBS_STATE_FILE) &&
	       !mkdir(RUN_DIR, 0755);
}

/*
 * Opens and locks the state file. Its owner replaces the file by renames, so a
 * lock is valid only while the name still leads to the locked file. -ENOENT is not
 * printed: there is none, and @flags do not make one. Waits for the lock as waits_on() does.
 */
static int state_lock(struct knobs *k, int flags, unsigned int *patience_ms, bool *said)
{
	struct stat have, named;
	int fd, err;

	for (;;) {
		fd = open(k->state, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW,
			  0600);
		if (fd < 0 && made_run(k, flags))
			continue;
		if (fd < 0)
			return errno == ENOENT && !(flags & O_CREAT) ? -ENOENT : cannot_open(k, -errno);
		err = fstat(fd, &have) ? cannot_open(k, -errno) : state_check(k, &have);
		if (!err && flock(fd, LOCK_EX | LOCK_NB)) {
			bool taken = errno == EWOULDBLOCK;

			if (taken && waits_on(k, patience_ms, said)) {
				close(fd);
				continue;
			}
			err = !taken ? cannot_open(k, -errno) :
			      signal_check("waiting for another tlob-load");
			if (!err)
				err = is_running(k, flags);
		}
		if (err) {
			close(fd);
			return err;
		}
		if (!lstat(k->state, &named) && have.st_ino == named.st_ino &&
		    have.st_dev == named.st_dev)
			break;
		close(fd);
	}
	k->fd = fd;
	return 0;
}

/*
 * Keeps in the state file the knobs that were not restored, or may come back. @err:
 * why they were not restored; 0: they may come back, which has been printed.
 */
static void knobs_keep(struct knobs *k, int err)
{
	int err2 = state_write(k);

	if (err2)
		warning("%s: %s", k->state, strerror(-err2));
	else if (err)
		warning("%s lists what is left: run tlob-load restore to try again, or remove the file to give up",
			k->state);
}

/*
 * Locks and reads the state file. Its owner has ended: a second guard, for file systems whose locks do
 * not work.
 */
static int state_take(struct knobs *k, int flags, unsigned int patience_ms, struct state *s)
{
	bool said = false;
	int err;

	for (;;) {
		err = state_lock(k, flags, &patience_ms, &said);
		if (err)
			return err;
		err = state_read(k, s);
		if (err == -EPROTO)
			return fail(err, "%s has version %d, but this tlob-load reads version %d: run restore of the tlob-load that wrote it",
				    k->state, s->version, STATE_VERSION);
		if (err)
			return err == -EINVAL ?
				fail(err, "%s: damaged: restore what it lists by hand, then remove it", k->state) :
				fail(err, "%s: %s", k->state, strerror(-err));
		if (s->other_boot || !s->pid || !s->start || s->pid == getpid() ||
		    start_time(s->pid) != s->start)
			return 0;
		if (!waits_on(k, &patience_ms, &said))
			break;
		knobs_drop_all(k);
		close(k->fd);
		k->fd = -1;
	}
	err = signal_check("waiting for another tlob-load");
	return err ? err : is_running(k, flags);
}

/* Locks, reads and replays the state file. *@restored: the number of restored knobs. */
static int knobs_recover(struct knobs *k, int flags, unsigned int patience_ms, size_t *restored)
{
	const char *state = getenv("TLOB_STATE_FILE");
	struct state s;
	int err;

	*k = (struct knobs){ .fd = -1 };
	k->state = state && *state ? state : KNOBS_STATE_FILE;
	*restored = 0;
	err = state_take(k, flags, patience_ms, &s);
	if (err)
		return err;
	if (k->n && s.other_boot) {
		warning("%s is from another boot: nothing that it lists is left", k->state);
		knobs_drop_all(k);
	}
	if (!k->n)
		return 0;
	err = knobs_replay(k, restored);
	if (*restored)
		warning("restored %zu setting%s that an earlier run (pid %d) had changed",
			*restored, *restored == 1 ? "" : "s", s.pid);
	if (k->n)
		knobs_keep(k, err);
	return err;
}

int knobs_begin(struct knobs *k, bool wait)
{
	size_t restored;
	int err;

	err = knobs_recover(k, O_CREAT, wait ? PATIENCE_ENDLESS : 0, &restored);
	if (!err) {
		err = state_write(k);
		if (err)
			fail(err, "%s: %s", k->state, strerror(-err));
	}
	if (err)
		knobs_close(k);
	return err;
}

int knobs_restore(void)
{
	struct knobs k;
	size_t restored;
	int err;

	err = knobs_recover(&k, 0, PATIENCE_MS, &restored);
	if (err == -ENOENT)
		err = 0;	/* no state file: nothing was left */
	else if (!err && k.n)
		err = -EBUSY;
	else if (!err && unlink(k.state))
		err = fail(-errno, "%s: %s", k.state, strerror(errno));
	if (!err && !restored)
		puts("nothing to restore");
	knobs_close(&k);
	return err;
}

/* Writes @wanted after the last knob, whose change it is, has been recorded. 0 or -errno. */
static int write_last(struct knobs *k, const char *path, const char *wanted)
{
	int err = state_write(k);

	if (!err)
		err = file_write(path, wanted);
	if (err)
		knobs_drop_last(k);
	return err;
}

int knobs_set(struct knobs *k, const char *path, const char *wanted,
	      const char *saved)
{
	char now[4096];
	int err;

	err = file_read_line(path, now, sizeof(now));
	if (err && !saved)
		return err;
	if (!err && !strcmp(now, wanted))
		return 0;
	err = knobs_add(k, KNOB_FILE, path, wanted, saved ? saved : now, NULL);
	return err ? err : write_last(k, path, wanted);
}

/* What the file of knob @i has when its turn to be restored comes: after later ones of that file. */
static int value_before_restoring(const struct knobs *k, size_t i, char *line, size_t size)
{
	size_t later;

	for (later = i + 1; later < k->n; later++)
		if (k->at[later].saved && !strcmp(k->at[later].path, k->at[i].path)) {
			snprintf(line, size, "%s", k->at[later].saved);
			return 0;
		}
	return file_read_line(k->at[i].path, line, size);
}

/* Until all are listed as ours they are restored in any case: what was read back decides later. */
int knobs_are_ours(struct knobs *k, size_t from)
{
	char now[4096], *wanted;
	size_t i;

	for (i = from; i < k->n; i++) {
		if (k->at[i].kind != KNOB_FILE || value_before_restoring(k, i, now, sizeof(now)) || !*now)
			continue;
		wanted = strdup(now);
		if (!wanted)
			return -ENOMEM;
		free(k->at[i].wanted);
		k->at[i].wanted = wanted;
		k->at[i].kind = KNOB_OURS;
	}
	return from < k->n ? state_write(k) : 0;
}

int knobs_command(struct knobs *k, const char *on, const char *off)
{
	int err = knobs_add(k, KNOB_COMMAND, KNOB_SHELL, NULL, off, NULL);

	if (!err) {
		err = state_write(k);
		if (err)
			knobs_drop_last(k);
	}
	return err ? err : knob_command(on);
}

int knobs_set_irq(struct knobs *k, const char *path, const char *wanted, const char *saved)
{
	char cpus[4096];
	int err;

	/* Nothing: it is not started, and comes to no CPU. */
	if (knob_effective(path, cpus, sizeof(cpus)) || !*cpus)
		return knobs_set(k, path, wanted, saved);
	err = knobs_add(k, KNOB_IRQ, path, wanted, saved, cpus);
	return err ? err : write_last(k, path, wanted);
}

int knobs_set_shared(struct knobs *k, const char *path, const char *wanted,
		     const char *saved)
{
	int err = knobs_add(k, KNOB_SHARED, path, wanted, saved, NULL);

	return err ? err : write_last(k, path, wanted);
}

static int make_directory(struct knobs *k, enum knob_kind kind, const char *path)
{
	int err;

	/* Ours is gone after the replay, so another process made this one. */
	if (!access(path, F_OK))
		return -EEXIST;
	err = knobs_add(k, kind, path, NULL, NULL, NULL);
	if (err)
		return err;
	err = state_write(k);
	if (!err && mkdir(path, 0750))
		err = -errno;
	if (err)
		knobs_drop_last(k);
	return err;
}

int knobs_instance(struct knobs *k, const char *path)
{
	return make_directory(k, KNOB_INSTANCE, path);
}

int knobs_cgroup(struct knobs *k, const char *path)
{
	return make_directory(k, KNOB_CGROUP, path);
}

int knobs_undo(struct knobs *k, const char *path)
{
	bool changed;
	size_t i;
	int err;

	for (i = k->n; i-- > 0 && strcmp(k->at[i].path, path);)
		;
	if (i >= k->n)
		return 0;
	err = knob_restore(&k->at[i], &changed);
	if (err) {
		knob_cannot_restore(&k->at[i], err);
		return err;
	}
	knob_free(&k->at[i]);
	memmove(&k->at[i], &k->at[i + 1], (--k->n - i) * sizeof(k->at[i]));
	err = state_write(k);
	return err ? fail(err, "%s: %s", k->state, strerror(-err)) : 0;
}

int knobs_end(struct knobs *k)
{
	size_t restored;
	int err;

	if (!k->state)
		return 0;
	err = knobs_replay(k, &restored);
	if (k->n) {
		knobs_keep(k, err);
	} else if (unlink(k->state)) {
		err = fail(-errno, "%s: %s", k->state, strerror(errno));
	}
	knobs_close(k);
	return err;
}
