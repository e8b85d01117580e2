// SPDX-License-Identifier: GPL-2.0
/* Child processes, and the words of their command lines. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/error.h"
#include "util/file.h"
#include "util/process.h"

void shell_word(FILE *f, const char *word)
{
	if (*word && !word[strspn(word, SHELL_PLAIN)]) {
		fputs(word, f);
		return;
	}
	fputc('\'', f);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", f);
		else
			fputc(*word, f);
	fputc('\'', f);
}

/* The parent may ignore SIGCHLD. Then the kernel would forget how our children ended. */
static void want_ends(void)
{
	struct sigaction was;

	if (!sigaction(SIGCHLD, NULL, &was) && was.sa_handler == SIG_IGN)
		signal(SIGCHLD, SIG_DFL);
}

/* In the child: stdin has nothing. */
static bool open_nothing(void)
{
	int file = open("/dev/null", O_RDONLY);

	return file == 0 || (file > 0 && dup2(file, 0) == 0 && !close(file));
}

/* In the child. Returns only if @argv is not executed; errno says why. @log: the file of its output, or -1. */
static void become(char *const argv[], int log, pid_t parent)
{
	/* A run that outlives what started it keeps its settings, and the next start out. */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM))
		return;
	if (getppid() != parent)
		_exit(127);
	/* A guest must not read the input of the script that started us. */
	if (!open_nothing() || (log >= 0 && (dup2(log, 1) < 0 || dup2(log, 2) < 0)))
		return;
	execvp(argv[0], argv);
}

/* Reads the child's errno at @fd: nothing comes if the program was executed. */
static int child_error(int fd)
{
	int err = 0;
	ssize_t n;

	do
		n = read(fd, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	return n == sizeof(err) ? err : 0;
}

pid_t process_start(char *const argv[], const char *log)
{
	int failed[2], err, out = log ? file_open_output(log, O_WRONLY | O_TRUNC) : -1;
	pid_t parent = getpid(), pid;

	if (log && out < 0)
		return fail(out, "%s: %s", log, strerror(-out));
	want_ends();
	if (pipe2(failed, O_CLOEXEC)) {
		err = errno;
		if (out >= 0)
			close(out);
		return fail(-err, "%s: %s", argv[0], strerror(err));
	}
	pid = fork();
	if (!pid) {
		become(argv, out, parent);
		err = errno;
		_exit(write(failed[1], &err, sizeof(err)) == sizeof(err) ? 127 : 126);
	}
	err = pid < 0 ? errno : 0;
	close(failed[1]);
	if (out >= 0)
		close(out);
	if (!err) {
		err = child_error(failed[0]);
		if (err)
			waitpid(pid, NULL, 0);
	}
	close(failed[0]);
	return err ? fail(-err, "%s: %s", argv[0], strerror(err)) : pid;
}

int process_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail(-errno, "waitpid: %s", strerror(errno));
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

int process_call(char *const argv[], const char *log)
{
	pid_t pid = process_start(argv, log);

	return pid < 0 ? pid : process_wait(pid);
}

#define FILES_MOST	(1 << 20)	/* fs.nr_open, unless somebody has raised it */

/* False: /proc cannot be read. */
static bool close_listed(int first)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;
	int fd;

	if (!dir)
		return false;
	while ((e = readdir(dir))) {
		fd = *e->d_name == '.' ? -1 : (int)strtol(e->d_name, NULL, 10);
		if (fd >= first && fd != dirfd(dir))
			close(fd);
	}
	closedir(dir);
	return true;
}

void close_from(int first)
{
	struct rlimit limit;
	int fd, end = FILES_MOST;

	/* Linux before 5.9 does not know it, and filters older than it answer EPERM. */
	if (!syscall(SYS_close_range, (unsigned int)first, ~0U, 0) || close_listed(first))
		return;
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < FILES_MOST)
		end = (int)limit.rlim_cur;
	for (fd = first; fd < end; fd++)
		close(fd);
}

bool process_can_start(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

char *process_find(const char *name)
{
	const char *dir = getenv("PATH"), *end;
	char *path;

	if (strchr(name, '/'))
		return strdup(name);
	for (dir = dir ? dir : "/usr/bin:/bin"; *dir; dir = *end ? end + 1 : end) {
		end = strchrnul(dir, ':');
		/* an empty entry is the current directory */
		if (asprintf(&path, "%.*s/%s", end > dir ? (int)(end - dir) : 1,
			     end > dir ? dir : ".", name) < 0)
			return NULL;
		if (process_can_start(path))
			return path;
		free(path);
	}
	return NULL;
}
