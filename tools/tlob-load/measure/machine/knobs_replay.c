// SPDX-License-Identifier: GPL-2.0
/* Restoring saved knobs. See knobs.h. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/cgroup.h"
#include "machine/knobs_local.h"
#include "machine/osnoise.h"
#include "util/error.h"
#include "util/file.h"
#include "util/process.h"
#include "util/text.h"

/* Returns whether the first line of @path has the word @word. */
static bool file_has_word(const char *path, const char *word)
{
	char line[4096];

	return !file_read_line(path, line, sizeof(line)) && has_word(line, word);
}

#define IRQ_STEP_MS	10

int knob_effective(const char *path, char *line, size_t size)
{
	const char *slash = strrchr(path, '/');
	char file[PATH_MAX];

	if (!slash || snprintf(file, sizeof(file), "%.*s/effective_affinity_list", (int)(slash - path),
			       path) >= (int)sizeof(file))
		return -EINVAL;
	return file_read_line(file, line, size);
}

/* True also for what has no such CPUs, and for an interrupt whose files are gone. */
static bool is_back(const struct knob *knob)
{
	char now[4096];

	return knob->kind != KNOB_IRQ || knob_effective(knob->path, now, sizeof(now)) ||
	       !strcmp(now, knob->effective);
}

void knobs_irqs_back(struct knobs *k)
{
	unsigned int ms, left = 0;
	size_t i;

	for (i = 0; i < k->n; i++) {
		struct knob *knob = &k->at[i];

		if (knob->kind != KNOB_IRQ || knob->asked)
			continue;
		/* Also one that has not moved yet: its next interrupt would obey our mask. */
		knob->asked = true;
		/* -EINVAL: the CPU is offline, and the mask is all that can be restored. */
		knob->stays = file_write(knob->path, knob->effective);
		left += !knob->stays && !is_back(knob);
	}
	if (!left)
		return;
	for (ms = 0; left && ms < KNOBS_IRQ_MS; ms += IRQ_STEP_MS) {
		usleep(IRQ_STEP_MS * 1000);
		for (left = 0, i = 0; i < k->n; i++)
			left += !k->at[i].stays && !is_back(&k->at[i]);
	}
	for (i = 0; i < k->n; i++)
		if (!k->at[i].stays && !is_back(&k->at[i]))
			k->at[i].stays = -ETIMEDOUT;
}

/* The mask is back: warns if the interrupt is not. */
static void irq_check(const struct knob *knob)
{
	char now[4096];

	if (is_back(knob) || knob_effective(knob->path, now, sizeof(now)))
		return;
	warning("%s is %s again, but the interrupt comes to CPU %s, not %s as before: %s", knob->path,
		knob->saved, now, knob->effective, knob->stays == -ETIMEDOUT ?
		"it moves only when it comes, and it did not within a second" :
		knob->stays == -EINVAL ? "that one is offline" : "the kernel chose it");
}

static int file_restore(const struct knob *knob, bool *changed)
{
	int err = file_write(knob->path, knob->saved);
	char now[4096];

	*changed = !err;
	/* The knob went away with its driver or module. */
	if (err == -ENOENT || err == -ENODEV)
		return 0;
	/* Killed before the change. The kernel would have refused it as well, like for IRQ 0. */
	if (err && !file_read_line(knob->path, now, sizeof(now)) && !strcmp(now, knob->saved))
		err = 0;
	if (!err)
		irq_check(knob);
	return err;
}

static int instance_remove(const char *path)
{
	int tries, err;

	for (tries = 0; ; tries++) {
		err = rmdir(path) ? -errno : 0;
		if (err != -EBUSY || tries == 20)
			break;
		usleep(10000);	/* the tracer still has readers */
	}
	return err == -ENOENT ? 0 : err;
}

int knob_command(const char *command)
{
	char *argv[] = { (char *)KNOB_SHELL, (char *)"-c", (char *)command, NULL };
	int status = process_call(argv, NULL);

	return status > 0 ? -ECANCELED : status;
}

/* Returns whether the knob has our value; what cannot be read is restored, which says why it fails. */
static bool is_still_ours(const struct knob *knob)
{
	char now[4096];

	if (knob->kind == KNOB_SHARED)
		return file_has_word(knob->path, knob->wanted);
	return knob->kind != KNOB_OURS || file_read_line(knob->path, now, sizeof(now)) ||
	       !strcmp(now, knob->wanted);
}

int knob_restore(const struct knob *knob, bool *changed)
{
	*changed = is_still_ours(knob);
	if (!*changed) {
		if (knob->kind == KNOB_OURS)
			warning("%s is not restored to %s: another program has changed it meanwhile", knob->path,
				knob->saved);
		return 0;
	}
	if (knob->kind == KNOB_COMMAND)
		return knob_command(knob->saved);
	if (knob->kind == KNOB_CGROUP)
		return cgroup_remove(knob->path);
	return knob->kind == KNOB_INSTANCE ? instance_remove(knob->path) :
					     file_restore(knob, changed);
}

void knob_cannot_restore(const struct knob *knob, int err)
{
	warning("cannot restore %s%s%s: %s", knob->path,
		knob->saved ? " to " : "", knob->saved ? knob->saved : "",
		strerror(-err));
}

/* Another user of osnoise may bring a shared knob back at its end. */
static bool may_come_back(const struct knob *knob)
{
	char user[256];

	if (knob->kind != KNOB_SHARED || !osnoise_user(user, sizeof(user)))
		return false;
	warning("%s uses osnoise, and may put %s back into %s at its end: then run tlob-load restore",
		user, knob->wanted, knob->path);
	return true;
}

int knobs_replay(struct knobs *k, size_t *restored)
{
	size_t i, kept = 0;
	int err, first = 0;
	bool changed;

	*restored = 0;
	knobs_irqs_back(k);
	for (i = k->n; i-- > 0;) {
		err = knob_restore(&k->at[i], &changed);
		if (err)
			knob_cannot_restore(&k->at[i], err);
		else
			*restored += changed;
		if (err || may_come_back(&k->at[i])) {
			keep_error(&first, err);
			continue;
		}
		knob_free(&k->at[i]);
		k->at[i].path = NULL;
	}
	for (i = 0; i < k->n; i++)
		if (k->at[i].path)
			k->at[kept++] = k->at[i];
	k->n = kept;
	return first;
}
