// SPDX-License-Identifier: GPL-2.0
/* Child processes, and the words of their command lines. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/error.h"
#include "util/process.h"

extern char **environ;

/* Characters that a shell does not interpret. */
#define PLAIN \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,=+-@%"

void shell_word(FILE *f, const char *word)
{
	if (*word && !word[strspn(word, PLAIN)]) {
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

/* One more pointer than words: argv ends with NULL. */
static bool call_grow(struct call *c)
{
	size_t room = c->room ? 2 * c->room : 32;
	char **argv;

	if (c->n + 1 < c->room)
		return true;
	argv = reallocarray(c->argv, room, sizeof(*argv));
	if (!argv)
		return false;
	c->argv = argv;
	c->room = room;
	return true;
}

void call_add(struct call *c, const char *fmt, ...)
{
	va_list ap;

	if (c->failed)
		return;
	c->failed = true;
	if (!call_grow(c))
		return;
	va_start(ap, fmt);
	if (vasprintf(&c->argv[c->n], fmt, ap) >= 0) {
		c->n++;
		c->failed = false;
	}
	va_end(ap);
	c->argv[c->n] = NULL;
}

int call_error(const struct call *c)
{
	return c->failed ? fail(-ENOMEM, "out of memory") : 0;
}

void call_free(struct call *c)
{
	while (c->n)
		free(c->argv[--c->n]);
	free(c->argv);
	*c = (struct call){ 0 };
}

/* What started us may ignore the ends of its children. Then the kernel would forget those of ours. */
static void want_ends(void)
{
	struct sigaction was;

	if (!sigaction(SIGCHLD, NULL, &was) && was.sa_handler == SIG_IGN)
		signal(SIGCHLD, SIG_DFL);
}

pid_t process_start(char *const argv[], const char *log)
{
	posix_spawn_file_actions_t actions;
	pid_t pid = -1;
	int err;

	want_ends();
	err = posix_spawn_file_actions_init(&actions);
	if (err)
		return fail(-err, "%s: %s", argv[0], strerror(err));
	/* A guest must not read the input of the script that started us. */
	err = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null",
					       O_RDONLY, 0);
	if (!err && log)
		err = posix_spawn_file_actions_addopen(&actions, 1, log,
						       O_WRONLY | O_CREAT | O_TRUNC,
						       0666);
	if (!err && log)
		err = posix_spawn_file_actions_adddup2(&actions, 1, 2);
	if (!err)
		err = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
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

int process_self(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);

	if (n < 0)
		return fail(-errno, "/proc/self/exe: %s", strerror(errno));
	path[n] = 0;
	return 0;
}

/* Built in the tree this program is TREE/tools/tlob-load/tlob-load; installed it needs TLOB_TREE. */
static int tree_of_self(char *tree, size_t size)
{
	int up = 3, err;

	err = process_self(tree, size);
	while (!err && up-- && strrchr(tree, '/'))
		*strrchr(tree, '/') = 0;
	return err;
}

int process_script(char *path, size_t size, const char *script)
{
	const char *named = getenv("TLOB_TREE");
	char tree[PATH_MAX], self[PATH_MAX];
	int err = named ? 0 : tree_of_self(tree, sizeof(tree));

	if (err)
		return err;
	if (snprintf(path, size, "%s/scripts/%s", named ? named : tree,
		     script) >= (int)size)
		return fail(-ENAMETOOLONG, "%s: the path is too long",
			    named ? named : tree);
	if (!access(path, X_OK))
		return 0;
	if (named)
		return fail(-EOPNOTSUPP, "lab needs the source tree of tlob-load: TLOB_TREE is %s, which has no scripts/%s",
			    named, script);
	err = process_self(self, sizeof(self));
	return err ? err : fail(-EOPNOTSUPP, "lab needs the source tree of tlob-load, and %s is not in one: name it with TLOB_TREE=DIR",
				self);
}
