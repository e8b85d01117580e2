/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A FUSE file system of an unprivileged user with one file, whose bytes are 0. Its server may
 * stop answering reads. The soak and the fuzz also have one.
 */
#ifndef FUSE_SERVER_H
#define FUSE_SERVER_H

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "write_file.h"

#define FUSE_FILE	"words"
#define FUSE_FILE_BYTES	(1ULL << 20)
#define FUSE_NODE	2

/* In memory that the server shares with others. */
struct fuse_server {
	bool mute;			/* no READ is answered any more */
	uint64_t think_ns;		/* before each answer to READ */
	uint64_t thought_ns;		/* before the last one, really */
	unsigned int unanswered;
};

static inline struct fuse_attr fuse_attributes(uint64_t node)
{
	bool file = node == FUSE_NODE;

	return (struct fuse_attr){
		.ino = node, .nlink = 1, .blksize = 4096,
		.mode = file ? S_IFREG | 0600 : S_IFDIR | 0700,
		.size = file ? FUSE_FILE_BYTES : 0,
	};
}

/* @err: 0 or an errno. The process that asked may be gone: no error here is one of ours. */
static inline void fuse_answer(int fd, uint64_t unique, int err, const void *data,
			       size_t size)
{
	static char reply[FUSE_FILE_BYTES + 4096];
	struct fuse_out_header out = {
		.len = sizeof(out) + (err ? 0 : size), .error = -err, .unique = unique,
	};

	if (out.len > sizeof(reply))
		return;
	memcpy(reply, &out, sizeof(out));
	if (!err && size)
		memcpy(reply + sizeof(out), data, size);
	if (write(fd, reply, out.len) < 0)
		return;
}

static inline void fuse_answer_read(int fd, struct fuse_server *s, uint64_t unique,
				    const struct fuse_read_in *in)
{
	static const char zeros[FUSE_FILE_BYTES];
	const struct timespec think = {
		.tv_sec = (time_t)(s->think_ns / 1000000000),
		.tv_nsec = (long)(s->think_ns % 1000000000),
	};

	if (s->think_ns) {
		struct timespec from, to;

		clock_gettime(CLOCK_MONOTONIC, &from);
		nanosleep(&think, NULL);
		clock_gettime(CLOCK_MONOTONIC, &to);
		s->thought_ns = (uint64_t)((to.tv_sec - from.tv_sec) * 1000000000 +
					   to.tv_nsec - from.tv_nsec);
	}
	if (__atomic_load_n(&s->mute, __ATOMIC_ACQUIRE))
		__atomic_add_fetch(&s->unanswered, 1, __ATOMIC_RELAXED);
	else
		fuse_answer(fd, unique, 0, zeros, in->size);
}

static inline void fuse_answer_one(int fd, struct fuse_server *s,
				   const struct fuse_in_header *in)
{
	const void *arg = in + 1;
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096,
		.max_readahead = 65536,
	};
	struct fuse_entry_out entry = {
		.nodeid = FUSE_NODE, .entry_valid = 1000, .attr_valid = 1000,
		.attr = fuse_attributes(FUSE_NODE),
	};
	struct fuse_attr_out attr = {
		.attr_valid = 1000, .attr = fuse_attributes(in->nodeid),
	};
	struct fuse_open_out opened = { 0 };

	switch (in->opcode) {
	case FUSE_INIT:
		fuse_answer(fd, in->unique, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		fuse_answer(fd, in->unique, strcmp(arg, FUSE_FILE) ? ENOENT : 0,
			    &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		fuse_answer(fd, in->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		fuse_answer(fd, in->unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		fuse_answer_read(fd, s, in->unique, arg);
		break;
	case FUSE_RELEASE:
	case FUSE_FLUSH:
		fuse_answer(fd, in->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		fuse_answer(fd, in->unique, ENOSYS, NULL, 0);
	}
}

/* Serves until the file system is unmounted or its parent ends. Does not return. */
static inline void fuse_serve(int fd, struct fuse_server *s)
{
	static char request[FUSE_FILE_BYTES] __attribute__((aligned(8)));

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(fd, request, sizeof(request)) > 0)
		fuse_answer_one(fd, s, (const struct fuse_in_header *)request);
	_exit(0);
}

/* Becomes @uid, as root of a user namespace of its own, with more namespaces by @flags. */
static inline int enter_user_namespace(unsigned int uid, int flags)
{
	char map[32];
	int err;

	if (setresgid(uid, uid, uid) || setresuid(uid, uid, uid) ||
	    prctl(PR_SET_DUMPABLE, 1) || unshare(CLONE_NEWUSER | flags))
		return -errno;
	snprintf(map, sizeof(map), "0 %u 1", uid);
	err = write_file("/proc/self/setgroups", "deny");
	if (!err)
		err = write_file("/proc/self/uid_map", map);
	if (!err)
		err = write_file("/proc/self/gid_map", map);
	return err;
}

/*
 * Becomes @uid and mounts the file system at @dir, in namespaces of its own, where an
 * unprivileged user may do so. @dir and /dev/fuse must be open to that user. Returns the file
 * for fuse_serve(), or -errno.
 */
static inline int fuse_mount(const char *dir, unsigned int uid)
{
	char options[128];
	int fd, err;

	err = enter_user_namespace(uid, CLONE_NEWNS);
	if (err)
		return err;
	fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	if (mount("words", dir, "fuse", MS_NOSUID | MS_NODEV, options)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

#endif /* FUSE_SERVER_H */
