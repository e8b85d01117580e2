// SPDX-License-Identifier: GPL-2.0
/* A child keeps none of the tool's files, whatever the kernel or a filter refuses. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "util/process.h"

#define FIRST	20
#define LACKS	77			/* the exit of a child that has no filters: qemu-user */

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* From here on the two calls fail with @err. */
static bool refuse(unsigned int call, unsigned int other, unsigned int err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { .len = ARRAY_SIZE(code), .filter = code };

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

/* The exit of a child that closes its files: 0, or LACKS. */
static int closing(unsigned int call, unsigned int other, unsigned int err)
{
	static const int from[] = { FIRST, FIRST + 1, 99, 700 };
	int status;
	size_t i;
	pid_t pid = fork();

	if (!pid) {
		for (i = 0; i < ARRAY_SIZE(from); i++)
			if (dup2(2, from[i]) < 0)
				_exit(2);
		if (dup2(2, FIRST - 1) < 0)
			_exit(2);
		if (err && !refuse(call, other, err))
			_exit(LACKS);
		close_from(FIRST);
		for (i = 0; i < ARRAY_SIZE(from); i++)
			if (is_open(from[i]))
				_exit(3);
		_exit(is_open(FIRST - 1) ? 0 : 4);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(test_call)
{
	assert_int_equal(closing(0, 0, 0), 0);
}

/* Linux before 5.9; and a container runtime that is older than the call. */
TEST(test_without)
{
	int status = closing(SYS_close_range, SYS_close_range, ENOSYS);

	if (status == LACKS)
		skip();
	assert_int_equal(status, 0);
	assert_int_equal(closing(SYS_close_range, SYS_close_range, EPERM), 0);
}

/* Without /proc, too. */
TEST(test_without_list)
{
	int status = closing(SYS_close_range, SYS_openat, EPERM);

	if (status == LACKS)
		skip();
	assert_int_equal(status, 0);
}

UNIT_MAIN(NULL, NULL)
