/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every change that the tool makes to the system goes through here, so that it
 * can be taken back even if the tool is killed. A state file lists what to
 * restore. It is rewritten (temporary file, fsync, rename) before each change
 * and removed after the restoration; the next start and `tlob-load restore`
 * replay what a killed run has left, last saved first.
 *
 *	tlob-load-state 1
 *	owner PID START-TIME
 *	file PATH <tab> VALUE		write VALUE; of the kernel's list of
 *					bindings, -:NAME takes one off it
 *	instance PATH			rmdir: a trace instance
 *
 * The owner holds a flock on the file for as long as it runs: nobody restores
 * the knobs of a run that lives.
 */
#ifndef TLOB_KNOBS_H
#define TLOB_KNOBS_H

#include <stddef.h>

#define KNOBS_STATE_FILE	"/run/tlob-load.state"	/* or $TLOB_STATE_FILE */

enum knob_kind { KNOB_FILE, KNOB_INSTANCE };

struct knob {
	enum knob_kind kind;
	char *path;
	char *wanted;		/* KNOB_FILE: in force now */
	char *saved;		/* KNOB_FILE: written back at the end */
};

struct knobs {
	const char *state;	/* the path of the state file; NULL: not begun */
	int	fd;		/* of it, locked */
	size_t	n, room;
	struct knob *at;
};

/*
 * Locks the state file and restores what a killed run has left. 0; -EBUSY:
 * another tlob-load runs; -errno. All errors have been printed.
 */
int knobs_begin(struct knobs *k);

/*
 * Writes @wanted to the file @path if it says something else now. @saved is
 * what to write at the end; NULL: its first line now. 0 or -errno, in silence.
 */
int knobs_set(struct knobs *k, const char *path, const char *wanted,
	      const char *saved);

/* Makes the trace instance @path. 0 or -errno, in silence. */
int knobs_instance(struct knobs *k, const char *path);

/*
 * Restores everything, last first, and gives up the state file. What could not
 * be restored is printed and stays in the file. 0 or the first -errno.
 */
int knobs_end(struct knobs *k);

/* `tlob-load restore`: 0, also if there is nothing; -EBUSY or -errno. */
int knobs_restore(void);

#endif /* TLOB_KNOBS_H */
