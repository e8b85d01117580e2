// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz SECONDS SEED: several threads share all descriptors and mappings of tlob_fd, `windows`,
 * /dev/tlob and the control files. They make random system calls with random lengths and bytes.
 * Each call must return, and the kernel must log nothing; the caller checks the log.
 *
 * Prints TAP, and for each call how often it was made, how often it worked, and its failures by
 * errno. A call that never worked fails, since it tested little. Next to tlob_delays it does not
 * have to: each takes long there.
 * Exit: 0 passed, 1 failed, 129 usage.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <linux/tlob.h>

#include "fuzz.h"

#define THREADS		6
#define FDS		24
#define MAPS		16
#define BYTES		(2U << 20)
#define MAX_ERRNO	134

enum call {
	OPEN, CLOSE, READ, READV, PREAD, WRITE, IOCTL, MMAP, MUNMAP, MPROTECT,
	MADVISE, SCRIBBLE, POLL, LSEEK, DUP, FCNTL, FSTAT, SPLICE, SENDFILE,
	AFFINITY, LIFE, RUN, OPTION, DEVICE, START, FINISH, SETUP, REGISTER, BIND,
	SWITCH, USER, FUNCTIONS, FUNCTIONS_ON, FUNCTIONS_OFF, NR_CALLS,
};

static const char * const calls[NR_CALLS] = {
	[OPEN] = "open", [CLOSE] = "close",
	[READ] = "read", [READV] = "readv",
	/* status and hist can be read at a position */
	[PREAD] = "pread", [WRITE] = "write",
	[IOCTL] = "ioctl", [MMAP] = "mmap",
	[MUNMAP] = "munmap", [MPROTECT] = "mprotect",
	[MADVISE] = "madvise", [SCRIBBLE] = "scribble",
	[POLL] = "poll", [LSEEK] = "lseek",
	[DUP] = "dup", [FCNTL] = "fcntl",
	[FSTAT] = "fstat", [SPLICE] = "splice",
	[SENDFILE] = "sendfile", [AFFINITY] = "affinity", [LIFE] = "life",
	[RUN] = "run", [OPTION] = "option",
	[DEVICE] = "device", [START] = "start", [FINISH] = "finish",
	[SETUP] = "setup", [REGISTER] = "register", [BIND] = "bind",
	[USER] = "user", [SWITCH] = "switch", [FUNCTIONS] = "functions",
	[FUNCTIONS_ON] = "functions_on", [FUNCTIONS_OFF] = "functions_off",
};

static uint64_t attempts[NR_CALLS], failures[NR_CALLS][MAX_ERRNO];
const char *dir;
static int cpus;
static _Atomic int fds[FDS];
/* Reserved once and never given back, so a random mmap() replaces nothing else. */
static char *arena;
static unsigned char *bytes;
static volatile bool stop;
static __thread uint64_t seed;
static __thread unsigned int self;
static uint64_t first_seed;

uint32_t rnd(uint32_t below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return below ? (seed >> 33) % below : seed >> 33;
}

static size_t length(void)
{
	static const size_t some[] = {
		0, 1, sizeof(struct tlob_window) - 1, sizeof(struct tlob_window),
		sizeof(struct tlob_window) + 1, 4096, 65536, BYTES / 2,
	};

	return rnd(3) ? some[rnd(8)] : rnd(BYTES / 2);
}

int any_fd(void)
{
	return fds[rnd(FDS)];
}

/* Good memory, unaligned or not, or bad. */
void *memory(void)
{
	switch (rnd(8)) {
	case 0:
		return (void *)(uintptr_t)(seed & 0x7fffffffffffULL);
	case 1:
		return (void *)(uintptr_t)(0xffff800000000000ULL | seed >> 17);
	case 2:
		return NULL;
	case 3:
		return arena + rnd(MAPS) * (size_t)BYTES;
	default:
		return bytes + rnd(4096);
	}
}

static const char *path(char *buf, size_t size)
{
	static const char * const files[] = {
		"tlob_fd", "tlob_fd", "tlob_fd", "windows", "windows", "timelines", "hist",
		"functions", "functions_hist", "late_windows",
	};
	static const char * const others[] = {
		"status", "enable", "work", "cpus", "policy", "waits",
		"waits_records", "waits_records", "functions", "functions",
	};

	if (rnd(4))
		snprintf(buf, size, "%s/per_cpu/cpu%u/%s", dir, rnd(cpus),
			 files[rnd(10)]);
	else
		snprintf(buf, size, "%s/%s", dir, others[rnd(10)]);
	return buf;
}

/* Mostly one of the thread's own, since only the opener of a tlob_fd may read it. */
static unsigned int any_slot(void)
{
	return rnd(4) ? self * (FDS / THREADS) + rnd(FDS / THREADS) : rnd(FDS);
}

/* Mostly opens a closed descriptor, which would give EBADF. Lets runs last for a while. */
static enum call choose(unsigned int slot)
{
	enum call c = rnd(NR_CALLS);

	if ((c == RUN || c == OPTION) && rnd(16))
		c = READ;
	/* a binding takes the kernel long, a monitor that is off refuses much, a process is slow */
	if ((c == BIND || c == SWITCH || c == USER) && rnd(16))
		c = START;
	/* a run with sets takes long to begin, and probes to come and go */
	if ((c == FUNCTIONS || c == FUNCTIONS_ON || c == FUNCTIONS_OFF) && rnd(8))
		c = READ;
	/* while the monitor has the sets, none can be written, and runs have none */
	if (c == FUNCTIONS_ON && rnd(3))
		c = FUNCTIONS_OFF;
	if (c == LIFE && rnd(4))
		c = SCRIBBLE;
	if (fds[slot] < 0 && c < AFFINITY && rnd(8))
		c = OPEN;
	return c;
}

/* Puts @fd into the slot and closes the old one; a failed open changes nothing. */
static int keep(unsigned int slot, int fd)
{
	if (fd < 0)
		return -1;
	fd = atomic_exchange(&fds[slot], fd);
	if (fd >= 0)
		close(fd);
	return 0;
}

long set_file(const char *file, const char *value, size_t size)
{
	char name[256];
	long n;
	int fd;

	snprintf(name, sizeof(name), "%s/%s", dir, file);
	fd = open(name, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = write(fd, value, size);
	close(fd);
	return n;
}

static long call(enum call c, unsigned int slot)
{
	int fd = fds[slot];
	char name[256];

	switch (c) {
	case OPEN: {
		static const int modes[] = { O_RDONLY, O_RDWR, O_WRONLY };

		fd = open(path(name, sizeof(name)), O_CLOEXEC | modes[rnd(3)] |
			  (rnd(4) ? O_NONBLOCK : 0));
		/* tlob_fd refuses O_NONBLOCK */
		if (fd < 0 && errno == EINVAL)
			fd = open(name, O_CLOEXEC | O_RDWR);
		return keep(slot, fd);
	}
	case CLOSE:
		return close(atomic_exchange(&fds[slot], -1));
	case READ:
		return read(fd, memory(), length());
	case READV: {
		struct iovec v[4] = {
			{ memory(), length() }, { memory(), length() },
			{ memory(), length() }, { memory(), length() },
		};

		return rnd(2) ? readv(fd, v, rnd(5)) :
				preadv2(fd, v, rnd(5), -1, rnd(64));
	}
	case PREAD:
		return pread(fd, memory(), length(), rnd(2) ? (off_t)rnd(0) : -1);
	case WRITE:
		return rnd(2) ? write(fd, bytes + rnd(4096), rnd(64)) :
				write(fd, "0", 1);
	case IOCTL: {
		int err = ioctl(fd, rnd(3) ? TLOB_IOC_STOP :
				_IOC(rnd(4), TLOB_IOC_MAGIC, rnd(12), rnd(512)),
				memory());

		/* EOVERFLOW: it ended a window that was over its budget */
		return err && errno == EOVERFLOW ? 0 : err;
	}
	case MMAP: {
		/* one page, a ring's exact length, or any length */
		static const size_t ring = 4096 +
			(4096 * sizeof(struct tlob_window) + 4095) / 4096 * 4096;
		size_t size = rnd(3) ? ring : rnd(2) ? 4096 : rnd(BYTES);
		void *p = mmap(arena + rnd(MAPS) * (size_t)BYTES, size,
			       rnd(8), (rnd(8) ? MAP_SHARED : MAP_PRIVATE) |
			       MAP_FIXED, fd, rnd(8) ? 0 : rnd(4) * 4096);

		return p == MAP_FAILED ? -1 : 0;
	}
	case MUNMAP:
		/* maps anonymous memory over it: the address stays ours */
		return mmap(arena + rnd(MAPS) * (size_t)BYTES + (rnd(2) ? 4096 : 0),
			    1 + rnd(BYTES - 4096), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
			    -1, 0) == MAP_FAILED ? -1 : 0;
	case MPROTECT:
		return mprotect(arena + rnd(MAPS) * (size_t)BYTES, 4096,
				rnd(8));
	case MADVISE:
		return madvise(arena + rnd(MAPS) * (size_t)BYTES,
			       rnd(BYTES), rnd(26));
	case SCRIBBLE: {
		/* a system call writes: a bad address gives EFAULT and no signal */
		int pipes[2];
		long n;

		if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK))
			return -1;
		n = write(pipes[1], bytes + rnd(BYTES / 2), 64) < 0 ? -1 :
		    read(pipes[0], arena + rnd(MAPS) * (size_t)BYTES +
			 (rnd(2) ? rnd(64) : rnd(BYTES - 64)), 64);
		close(pipes[0]);
		close(pipes[1]);
		return n;
	}
	case POLL: {
		struct pollfd p = { .fd = fd, .events = rnd(0x10000) };

		return poll(&p, 1, rnd(3));
	}
	case LSEEK:
		return lseek(fd, rnd(0) - (1 << 30), rnd(5));
	case DUP:
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		return keep(slot, fd);
	case FCNTL:
		return fcntl(fd, F_SETFL, rnd(2) ? O_NONBLOCK : 0);
	case FSTAT: {
		struct stat st;

		return fstat(fd, &st);
	}
	case SPLICE: {
		int pipes[2];
		long n;

		if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK))
			return -1;
		n = splice(fd, NULL, pipes[1], NULL, length(), rnd(16));
		close(pipes[0]);
		close(pipes[1]);
		return n;
	}
	case SENDFILE: {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		long n = sendfile(null, fd, NULL, length());

		close(null);
		return n;
	}
	case AFFINITY: {
		cpu_set_t mask;

		CPU_ZERO(&mask);
		CPU_SET(rnd(cpus), &mask);
		if (!rnd(4))
			CPU_SET(rnd(cpus), &mask);
		return sched_setaffinity(0, sizeof(mask), &mask);
	}
	case LIFE: {
		/* the intended use, up to a window that is stopped */
		int cpu = rnd(cpus);
		cpu_set_t mask;

		CPU_ZERO(&mask);
		CPU_SET(cpu, &mask);
		if (sched_setaffinity(0, sizeof(mask), &mask))
			return -1;
		/* others change the run rarely, and it may be one without user threads for long */
		if (!rnd(4) && (set_file("enable", "0", 1) < 0 ||
				set_file("workload", "user", 4) < 0 ||
				set_file("enable", "1", 1) < 0))
			return -1;
		snprintf(name, sizeof(name), "%s/per_cpu/cpu%d/tlob_fd", dir, cpu);
		fd = open(name, O_CLOEXEC | O_RDWR);
		if (keep(slot, fd))
			return -1;
		if (read(fd, bytes, BYTES / 2) < 0 || read(fd, bytes, BYTES / 2) < 0)
			return -1;
		if (ioctl(fd, TLOB_IOC_STOP, bytes) && errno != EOVERFLOW)
			return -1;
		return 0;
	}
	case RUN:
		/* mostly on, since a disabled run refuses most calls */
		return set_file("enable", rnd(4) ? "1" : "0", 1);
	case OPTION: {
		static const char * const text[] = {
			"workload=user", "workload=user", "workload=kthread",
			"period_ns=2000000", "period_ns=10000000", "work=none",
			"work=spin:20us", "budget_ns=1000000000", "noise_source=hooks",
			"stop_on_exceed=0", "warm_up=0", "cpus=0-63",
			"waits=on threshold=1us", "waits=reset", "waits=off",
		};
		const char *t = text[rnd(15)], *is = strchr(t, '=') + 1;
		char value[64];
		size_t n;

		snprintf(name, sizeof(name), "%.*s", (int)(is - t - 1), t);
		n = snprintf(value, sizeof(value), "%s", is);
		/* sometimes with one byte changed */
		if (!rnd(8))
			value[rnd(n)] = rnd(256);
		return set_file(name, value, n);
	}
	case DEVICE:
		return keep(slot, open("/dev/tlob", O_RDWR | O_CLOEXEC |
				       (rnd(4) ? O_NONBLOCK : 0)));
	case START:
		return monitor_start(fd);
	case FINISH:
		return monitor_stop(fd);
	case SETUP:
		return monitor_setup(fd);
	case REGISTER:
		return monitor_register(fd);
	case BIND:
		return monitor_bind();
	case SWITCH:
		return monitor_switch();
	case USER:
		return monitor_user();
	case FUNCTIONS:
		return functions_write();
	case FUNCTIONS_ON:
		/* a run that is enabled has them, and mostly there are none */
		if (rnd(2) && (set_file("enable", "0", 1) < 0 || functions_write() < 0))
			return -1;
		return functions_lend(true);
	case FUNCTIONS_OFF:
		return functions_lend(false);
	default:
		return 0;
	}
}

static void *fuzz(void *arg)
{
	unsigned int last_read = 0;

	self = (uintptr_t)arg - 1;
	seed = first_seed + (uintptr_t)arg * 0x9e3779b97f4a7c15ULL;
	rnd(1);
	while (!stop) {
		unsigned int slot = any_slot();
		enum call c = choose(slot);
		int e = 0;

		/* a window begins with a read(), and only its reader can stop it */
		if (c == IOCTL) {
			slot = last_read;
			call(READ, slot);
		} else if (c == READ) {
			last_read = slot;
		}
		errno = 0;
		if (call(c, slot) < 0)
			e = errno < MAX_ERRNO ? errno : 0;
		__atomic_add_fetch(&attempts[c], 1, __ATOMIC_RELAXED);
		if (e)
			__atomic_add_fetch(&failures[c][e], 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* A signal ends a read() that waits for an expiry. */
static void wake(int sig)
{
	(void)sig;
}

static uint64_t worked(int c)
{
	uint64_t bad = 0;
	int e;

	for (e = 0; e < MAX_ERRNO; e++)
		bad += failures[c][e];
	return attempts[c] - bad;
}

/* A random ioctl() meets a window only by luck; LIFE stops its own. */
static bool by_luck(int c)
{
	return c == IOCTL;
}

static bool all_worked(void)
{
	int c;

	for (c = 0; c < NR_CALLS; c++)
		if (!by_luck(c) && !worked(c))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = wake };
	pthread_t threads[THREADS];
	bool delayed = !access("/sys/module/tlob_delays", F_OK), fails;
	unsigned int failed = 0, e;
	uintptr_t i;
	time_t end, seconds;
	int c;

	if (argc != 3) {
		fprintf(stderr, "usage: fuzz SECONDS SEED\n");
		return 129;
	}
	seed = first_seed = strtoull(argv[2], NULL, 0);
	cpus = sysconf(_SC_NPROCESSORS_CONF);
	dir = "/sys/kernel/tracing/tlob_load";
	if (access(dir, F_OK))
		dir = "/sys/kernel/debug/tlob_load";
	bytes = malloc((size_t)2 * BYTES);
	arena = mmap(NULL, (size_t)MAPS * BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!bytes || arena == MAP_FAILED) {
		perror("memory");
		return 1;
	}
	for (i = 0; i < (size_t)2 * BYTES; i++)
		bytes[i] = rnd(256);
	for (i = 0; i < FDS; i++)
		fds[i] = -1;
	sigaction(SIGUSR1, &sa, NULL);
	/* a descriptor that was just closed may be another thread's pipe now */
	signal(SIGPIPE, SIG_IGN);
	printf("TAP version 13\n# %s s, seed %s, %d CPUs, %d threads\n", argv[1],
	       argv[2], cpus, THREADS);
	fflush(stdout);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, fuzz, (void *)(i + 1))) {
			perror("thread");
			return 1;
		}
	seconds = strtol(argv[1], NULL, 10);
	end = time(NULL) + seconds;
	/* On a busy host a rare call needs longer to work once. */
	while (time(NULL) < end || (time(NULL) < end + 9 * seconds && !all_worked())) {
		usleep(20000);
		pthread_kill(threads[rnd(THREADS)], SIGUSR1);
	}
	stop = true;
	for (i = 0; i < THREADS; i++) {
		struct timespec t;

		/* the thread may be waiting in read() */
		do {
			pthread_kill(threads[i], SIGUSR1);
			clock_gettime(CLOCK_REALTIME, &t);
			t.tv_nsec += 100000000;
			t.tv_sec += t.tv_nsec / 1000000000;
			t.tv_nsec %= 1000000000;
		} while (pthread_timedjoin_np(threads[i], NULL, &t));
	}
	for (c = 0; c < NR_CALLS; c++) {
		printf("# %s: %llu calls, %llu worked", calls[c],
		       (unsigned long long)attempts[c],
		       (unsigned long long)worked(c));
		for (e = 1; e < MAX_ERRNO; e++)
			if (failures[c][e])
				printf(", %s %llu", strerrorname_np(e),
				       (unsigned long long)failures[c][e]);
		fails = !worked(c) && !by_luck(c);
		printf("\n%sok %d - fuzz.%s%s\n", fails && !delayed ? "not " : "", c + 1, calls[c],
		       fails && delayed ? " # SKIP delays leave it no time" : "");
		failed += fails && !delayed;
	}
	printf("1..%d\n", NR_CALLS);
	return failed != 0;
}
