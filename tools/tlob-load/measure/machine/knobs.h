/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changes system settings so that they are restored even if the tool is killed.
 * A state file lists what to restore. It is rewritten (temporary file, fsync,
 * rename) before each change and removed after everything is restored. After a
 * killed run the next start, or `tlob-load restore`, replays the file, the last
 * change first.
 *
 *	tlob-load-state 2
 *	owner PID START-TIME
 *	boot ID				of the kernel; in another boot nothing is restored,
 *					since the kernel keeps none of these settings
 *	file PATH <tab> VALUE		write VALUE to PATH; the VALUE -:NAME
 *					removes a binding of the monitor
 *	ours PATH <tab> VALUE <tab> WANTED
 *					write VALUE to PATH, but only while its first
 *					line is still WANTED
 *	irq PATH <tab> VALUE <tab> EFFECTIVE
 *					write VALUE to PATH, the smp_affinity_list of an
 *					interrupt, after it came to the CPUs EFFECTIVE again
 *	shared PATH <tab> VALUE <tab> WANTED
 *					write VALUE to PATH, but only while its first
 *					line still has the word WANTED
 *	command SHELL <tab> COMMAND	run COMMAND by SHELL -c
 *	instance PATH			rmdir of a trace instance
 *	cgroup PATH			kill what runs in a cgroup that the tool made, and
 *					rmdir it
 *
 * Paths and values are escaped by printable(), since a setting may have tabs, as kernel.printk
 * does.
 *
 * An interrupt stays on its CPU as long as its mask has that CPU. So the old mask alone
 * does not bring it back from the CPU that another mask moved it to: EFFECTIVE is written
 * as the mask first. With some interrupt controllers only an interrupt that comes makes
 * the move, so the restoring waits for one. A mask without EFFECTIVE is a line `file`.
 *
 * A shared knob is a setting of osnoise. Another user of osnoise saves it at its
 * start and puts it back at its end, and so may bring our value back after we have
 * restored ours. As long as there is such a user, the knob stays in the file.
 *
 * The owner holds a flock on the file while it runs, so no other process restores
 * the knobs of a live run.
 */
#ifndef TLOB_MACHINE_KNOBS_H
#define TLOB_MACHINE_KNOBS_H

#include <stdbool.h>
#include <stddef.h>

#define KNOBS_STATE_FILE	"/run/tlob-load.state"	/* or $TLOB_STATE_FILE */

enum knob_kind {
	KNOB_FILE, KNOB_OURS, KNOB_IRQ, KNOB_SHARED, KNOB_COMMAND, KNOB_INSTANCE, KNOB_CGROUP,
};

struct knob {
	enum knob_kind kind;
	char *path;
	char *wanted;		/* the value now; NULL: a directory */
	char *saved;		/* the value to restore; NULL: a directory */
	char *effective;	/* of KNOB_IRQ: the CPUs that it came to; NULL: others */
	bool asked;		/* of KNOB_IRQ: its mask is effective, so that it moves there */
	int stays;		/* of KNOB_IRQ: -errno, why it does not; -ETIMEDOUT: none came */
};

struct knobs {
	const char *state;	/* the path of the state file; NULL: not begun */
	int	fd;		/* of the state file, locked; -1: closed */
	size_t	n, room;
	struct knob *at;
};

/*
 * Locks the state file and restores what a killed run has changed. 0; -EBUSY:
 * another tlob-load is running; -errno. Printed. With @wait it waits for its end, or
 * -EINTR; after signals_catch().
 */
int knobs_begin(struct knobs *k, bool wait);

/*
 * Writes @wanted to the file @path unless that is its value already. @saved is
 * the value to restore; NULL: the current first line. 0 or -errno, prints nothing.
 */
int knobs_set(struct knobs *k, const char *path, const char *wanted,
	      const char *saved);

/*
 * What another program writes from now on to a file that was set stays: knobs_set() of the knobs
 * from @from on (knobs.n before them) becomes `ours`. 0 or -errno, prints nothing.
 */
int knobs_are_ours(struct knobs *k, size_t from);

/*
 * Runs the command @on by /bin/sh, and @off to restore, also if @on fails. No line end may be in
 * @off. 0; -ECANCELED: @on failed; -errno. Prints nothing but what they print.
 */
int knobs_command(struct knobs *k, const char *on, const char *off);

/*
 * knobs_set() for @path, the smp_affinity_list of an interrupt, with the CPU that the
 * interrupt comes to.
 */
int knobs_set_irq(struct knobs *k, const char *path, const char *wanted, const char *saved);

/*
 * Moves the interrupts of knobs_set_irq() back to their CPUs, and waits up to KNOBS_IRQ_MS
 * for those that only an interrupt moves. Their masks are left to knobs_end(). Call it
 * while what makes interrupts still runs.
 */
#define KNOBS_IRQ_MS	1000
void knobs_irqs_back(struct knobs *k);

/*
 * Writes @wanted, a word, to a file of osnoise. @saved is the word to restore. 0 or
 * -errno, prints nothing.
 */
int knobs_set_shared(struct knobs *k, const char *path, const char *wanted,
		     const char *saved);

/* Makes the trace instance @path. 0; -EEXIST; -errno. Prints nothing. */
int knobs_instance(struct knobs *k, const char *path);

/* Makes the cgroup @path, for processes that end with the run. As knobs_instance(). */
int knobs_cgroup(struct knobs *k, const char *path);

/*
 * Restores the last change of @path now, and not with the others. If that fails it
 * stays in the table. 0, also for a path that was not changed; -errno, printed.
 */
int knobs_undo(struct knobs *k, const char *path);

/*
 * Restores everything, the last change first, and removes the state file. What
 * cannot be restored, or may come back, is printed and stays in the file. 0, also if
 * something may come back, or the first -errno.
 */
int knobs_end(struct knobs *k);

/*
 * `tlob-load restore`. 0, also with nothing to restore; -EBUSY: a run is in progress,
 * or something may come back; -errno. Printed.
 */
int knobs_restore(void);

#endif /* TLOB_MACHINE_KNOBS_H */
