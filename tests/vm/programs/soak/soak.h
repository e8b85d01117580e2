/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the actors of the soak: counters by action, and small helpers. */
#ifndef SOAK_H
#define SOAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/tlob.h>

#include "../guest/write_file.h"

#define MAX_ERRNO	134
#define MAX_ACTORS	64
#define STATUS_MAX	65536		/* bytes of a control file that is read */

enum action {
	ENABLE, DISABLE, OPTION, BAD_OPTION, CPU_OFF, CPU_ON, UNLOAD, LOAD,
	STATUS, HIST,
	FD_OPEN, FD_READ, FD_STOP, FD_BAD, FD_MMAP, FD_MIGRATE, FD_FORK, FD_KILL,
	RING_OPEN, RING_READ, RING_POLL, RING_MMAP, RING_SCRIBBLE,
	MONITOR_ON, MONITOR_OFF, DEV_OPEN, DEV_START, DEV_STOP, REGISTER, BIND,
	UNBIND,
	USER_START, USER_STOP, USER_REGISTER, DAEMON, FUSE_MOUNT, FUSE_REGISTER,
	WAITS_ON, WAITS_OFF, WAITS_LIST, WAITS_RECORDS,
	FUNCTIONS_ADD, FUNCTIONS_CLEAR, FUNCTIONS_LIST, FUNCTIONS_READ,
	FUNCTIONS_MONITOR, FUNCTIONS_MONITOR_OFF, TASK_FUNCTIONS_RING, TASK_FUNCTIONS,
	FUNCTIONS_MOVE, FUNCTIONS_SLEEP,
	USER_NAMESPACE, RUN_BOUND, RUN_BOUND_SETUID, BOUND_WINDOWS, FORK_STORM, EXEC_STORM,
	WAITS_HELD, RT_BUDGET, OTHER_BUDGET,
	NR_ACTIONS,
};

/* Actors that need each other. ALL: any time is theirs, or everybody's. */
enum group { ALL, WORKLOAD, MONITOR, PROFILERS, PROGRAMS, NR_GROUPS };

/* In memory shared by all processes; only incremented. */
struct counts {
	uint64_t attempts, successes;
	uint64_t by_errno[MAX_ERRNO];
};

/* An actor and its children. */
struct doings {
	uint64_t attempts, successes;
	uint64_t late_us;		/* the longest it took to come to the gate */
	bool rests;			/* at the gate */
};

struct shared {
	struct counts count[NR_ACTIONS];
	struct doings doings[MAX_ACTORS];
	unsigned int resting;		/* actors at the gate, see rest_at_gate() */
	uint64_t gates, gates_us;	/* how often it was closed, and how long */
	uint64_t closed_at_us;
	uint64_t resting_us, loads_us;	/* until all were there; of unloads and loads */
	/* tries at the gate: all actors rested, and the module went; see unload_at_gate() */
	uint64_t unloaded, outrun, restless, stayed;
	uint64_t windows, missed, runs;	/* of the runs that were checked */
	uint64_t uncounted;		/* runs in which an expiry was lost */
	uint64_t defects;		/* sum_failures, errors; bad records */
	volatile uint32_t unloading;	/* 1: the gate is closed: actors close the module's files */
	volatile bool stop;
	volatile enum group turn;
	/* a futex: how often sets of functions moved; odd: the monitor has them */
	uint32_t moves;
	unsigned int asleep;		/* tasks with windows that wait for the next move */
};

extern struct shared *shared;
extern int cpus;			/* of the guest, online or not */
extern bool can_load;			/* tlob_load is a module, at @module_path */
extern const char *module_path;
extern bool can_fuse;			/* this kernel has FUSE */
extern unsigned int gated;		/* so many actors come to the gate */
extern bool can_functions;		/* it has fprobe or kretprobes */

/* Counts an attempt: @result >= 0 or -errno. Returns @result. */
int count(enum action action, int result);
/* A finding that fails the soak, printed. */
void defect(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

unsigned int rnd(unsigned int below);	/* 0 ... below - 1 */
void other_choices(unsigned int number);	/* than other forks of the parent */
void sleep_us(unsigned int us);
uint64_t now_us(void);
/*
 * While the gate is closed, or another group has its turn, an actor that has no file of the module
 * open any more, and nothing bound or switched on, waits here.
 */
void rest_at_gate(void);
void close_gate(void);
/* Prints the actors that should rest and do not, on one line. */
void print_restless(void);
void open_gate(void);
/*
 * Lets others have the module's lock: sleeps up to @us and twice the time since @began, when this
 * actor asked for it. Returns when the gate is closed.
 */
void live_on(uint64_t began, unsigned int us);

/*
 * Sleeps until the sets have moved since @moves, or a minute has passed. The actor that lent them to
 * the monitor heeds the gate, so sleepers come there after the move.
 */
void wait_for_move(uint32_t moves);
/* The sets have moved: the sleepers go on. */
void wake_sleepers(void);

/* tlob_load/FILE in tracefs or debugfs, in a static buffer. */
const char *control(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Reads a whole text file and terminates it. 0 or -errno. */
int  read_text(const char *path, char *buf, size_t size);
/* Prints who has files of the module open, or mapped. */
void print_holders(void);
int  pin(int cpu);					/* 0 or -errno */

/* The actors: each runs in a process of its own until shared->stop. */
void act_enable(void);
void act_options(void);
void act_hotplug(void);
void act_module(void);
void act_look(void);
void act_fd(void);
void act_ring(void);
void act_tasks(void);
void act_bindings(void);
void act_monitor(void);
void act_users(void);
void act_fuse(void);
void act_waits(void);
void act_wait_readers(void);
void act_functions(void);
void act_sleepers(void);
void act_programs(void);
void act_storms(void);
void act_held(void);
void act_timers(void);

/* Unloads and loads the module when all actors have ended. 0 or -errno. */
int  unload_at_end(void);
/* Becomes one of two users, or one of them in a user namespace of its own. 0 or -errno. */
int  become_user(void);
/* The module may go at any time; when it comes, only root may open its device. */
bool let_users_in(void);
/* Registers a bit of @word with file @fd of /dev/tlob. 0 or -errno. */
int  enroll(int fd, const uint32_t *word, unsigned int bit);
/* Runs as a program that the soak executes: @argv[1] names it. Returns its exit code. */
int  run_program(char **argv);
/* A binding by @name on task_region() in @file, this program or a copy. 0 or -errno. */
int  bind_region(const char *name, const char *file);

/* Removes all sets of functions. 0 or -errno. */
int functions_clear(void);
/* System calls and faults, so that probes of functions have something to do. */
void make_calls(void);
/* The ring of @device gets records with times in functions. 0 or -errno. */
int  functions_ring(int device);
void check_task_functions(const struct tlob_task_window_functions *w);
/* The parts of a window of the monitor add up, and no event was out of order. */
void check_task_window(const struct tlob_task_window *w);

/* A region of this program, which is bound now and then. */
void task_region(void);

#endif /* SOAK_H */
