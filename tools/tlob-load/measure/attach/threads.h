/* SPDX-License-Identifier: GPL-2.0 */
/* Threads by tid, process, name or cgroup, which BPF programs watch. */
#ifndef TLOB_ATTACH_THREADS_H
#define TLOB_ATTACH_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "result/activation.h"

struct attach_config;
struct watch_bpf_calls;
struct watch_bpf_run;

#define THREADS_WITHOUT_CALLS	3	/* reasons to be left out by --until */
#define THREADS_READ	"run as root, or with CAP_SYS_PTRACE," /* to read what a program is */

struct threads {
	const struct attach_config *o;
	const struct watch_bpf_calls *bpf;
	struct watch_bpf_run *bpf_run;
	char	*cgroup;		/* its directory, or NULL */
	uint64_t refused;		/* by no_slot: the most of any scan, as threads may end */
	uint64_t refused_now;		/* in the last scan */
	uint64_t deadline_ns;		/* of threads_deadline() */
	bool	 first;			/* no scan has ended */
	bool	 found;			/* a thread was chosen, whether it could be watched or not */
	bool	 others;		/* one was not left out by --until */
	int	 without_calls[THREADS_WITHOUT_CALLS]; /* one that it left out, for each reason; 0: none */
};

/* Returns whether @o chooses threads, not a region. */
bool threads_are_chosen(const struct attach_config *o);

/* The pid of the process of the thread @tid, also of one of the kernel; 0: no such thread. */
int  threads_tgid(int tid);

/* The process of the thread @tid; 0: it belongs to the kernel; or -ESRCH, printed. */
int  threads_process_of(int tid);

/*
 * The deadline that all chosen threads of --tid or --pid have now, which is a budget. 0: they are none, or not all
 * of them are SCHED_DEADLINE with the same one.
 */
uint64_t threads_deadline(const struct attach_config *o);

/* "thread 4711", "real-time threads of process 4711": malloc(), or NULL. */
char *threads_text(const struct attach_config *o);

/* "sleep", "sleep in epoll_wait or futex": malloc(), or NULL. */
char *threads_rest_text(const struct attach_config *o);

/*
 * Finds the number of each system call in @list, comma-separated names or numbers. 0; -EINVAL: a
 * word is neither, and *@bad its length-limited place; -E2BIG: more than TLOB_WATCH_UNTIL.
 */
int  threads_until(const char *list, uint32_t until[TLOB_WATCH_UNTIL], unsigned int *n,
		   const char **bad);

/*
 * The caller has set what watches: @bpf and @bpf_run. 0 or -errno, printed. threads_end()
 * accepts what has failed.
 */
int  threads_begin(struct threads *t, const struct attach_config *o);
void threads_end(struct threads *t);

/*
 * Watches each chosen thread that is not watched yet. The first call fails if a thread that was
 * named does not exist, if --until leaves out all that were found, or if it is not known whether it
 * must. 0 or -errno, printed.
 */
int  threads_scan(struct threads *t);

/* Adds to @notes whom --until left out. 0 or -ENOMEM. */
int  threads_notes(const struct threads *t, char ***notes);

#endif /* TLOB_ATTACH_THREADS_H */
