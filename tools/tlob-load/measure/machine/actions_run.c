// SPDX-License-Identifier: GPL-2.0
/* The runner: takes the actions of one window after the other. It is on housekeeping CPUs. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/actions_local.h"
#include "machine/cpus.h"
#include "machine/shell.h"
#include "util/file.h"
#include "util/printable.h"

#define GRACE_MS	500		/* between SIGTERM and SIGKILL */

struct runner {
	const struct actions_setup *set;
	int	 tool;			/* the socket */
	int	 pidfd[ACTIONS_MAX];	/* a number may be another process's by then */
	struct shell shell;
	const struct action *list;	/* of which the next one is list[next] */
	unsigned int n, next;
	bool	 under_way;
	int	 input;			/* the window's JSON, or -1 */
	char	 env[ACTIONS_ENV];
	unsigned int ntraces;
	struct answer answer;
};

__attribute__((format(printf, 3, 4)))
static void failed(struct runner *r, const struct action *a, const char *fmt, ...)
{
	char reason[ACTIONS_REASON / 2], *shown;
	va_list ap;

	if (r->answer.failed++)
		return;
	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	/* a command may print anything */
	shown = printable_dup(reason);
	snprintf(r->answer.reason, sizeof(r->answer.reason), "'%.120s': %s", a->text,
		 shown ? shown : "");
	free(shown);
}

static void send_signal(struct runner *r, const struct action *a)
{
	int fd = r->pidfd[a - r->set->config->at];

	if (syscall(SYS_pidfd_send_signal, fd, a->signo, NULL, 0))
		failed(r, a, "process %d: %s", action_target(r->set, a),
		       errno == EBADF ? "it was gone before the run began" : strerror(errno));
}

/* Copies all of @from. 0 or -errno. */
static int copy(int from, FILE *to)
{
	char buf[65536];
	ssize_t n;

	for (;;) {
		n = read(from, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return 0;
		if (fwrite(buf, 1, (size_t)n, to) != (size_t)n)
			return errno ? -errno : -EIO;
	}
}

/* The window that it is about stands before the trace, in a line that readers skip. */
static int write_trace(struct runner *r, FILE *f, const char *dir)
{
	char path[300];
	int fd, err = 0;

	fputs("# window: ", f);
	if (r->input >= 0 && lseek(r->input, 0, SEEK_SET) == 0)
		err = copy(r->input, f);
	snprintf(path, sizeof(path), "%.250s/trace", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (!err)
		err = copy(fd, f);
	close(fd);
	return err;
}

/* The trace stands still meanwhile, and begins anew behind it. */
static void save_trace(struct runner *r, const struct action *a)
{
	const char *dir = r->set->trace_dir;
	char name[4096], path[300];
	FILE *f;
	int err, fd;

	snprintf(path, sizeof(path), "%.250s/tracing_on", dir);
	err = file_write(path, "0");
	if (err) {
		failed(r, a, "%s: %s", path, strerror(-err));
		return;
	}
	snprintf(name, sizeof(name), "%.4000s.%u", r->set->trace, ++r->ntraces);
	f = file_create(name);
	err = f ? write_trace(r, f, dir) : -errno;
	if (f && fclose(f) && !err)
		err = -errno;
	if (err) {
		failed(r, a, "%.100s: %s", name, strerror(-err));
		if (f)
			unlink(name);
	}
	snprintf(path, sizeof(path), "%.250s/trace", dir);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	snprintf(path, sizeof(path), "%.250s/tracing_on", dir);
	file_write(path, "1");
}

/* In the child that becomes the command. */
static bool set_variables(const void *data)
{
	char *line = strtok((char *)data, "\n");

	for (; line; line = strtok(NULL, "\n"))
		putenv(line);
	return true;
}

static void finished(struct runner *r)
{
	if (r->input >= 0)
		close(r->input);
	r->input = -1;
	r->under_way = false;
	send(r->tool, &r->answer, sizeof(r->answer), MSG_NOSIGNAL);
}

/* Takes what comes next, up to a command: its end continues. */
static void proceed(struct runner *r)
{
	const struct action *a;
	int err;

	while (r->next < r->n) {
		a = &r->list[r->next++];
		if (a->kind == ACTION_SIGNAL)
			send_signal(r, a);
		else if (a->kind == ACTION_TRACE)
			save_trace(r, a);
		if (a->kind != ACTION_SHELL)
			continue;
		if (r->input >= 0)
			lseek(r->input, 0, SEEK_SET);
		if (r->shell.said >= 0)
			close(r->shell.said);
		err = shell_start(&r->shell, a->command, r->input, set_variables, r->env);
		if (!err)
			return;
		failed(r, a, "fork: %s", strerror(-err));
	}
	finished(r);
}

static void take_end(struct runner *r)
{
	char text[ACTIONS_REASON / 2];
	int status;

	if (!shell_reap(&r->shell, &status) || !r->under_way)
		return;
	shell_how_ended(&r->shell, status, text, sizeof(text));
	if (status)
		failed(r, &r->list[r->next - 1], "%s", text);
	proceed(r);
}

static void begin(struct runner *r, enum ask kind, int input)
{
	const struct action_config *c = r->set->config;

	r->list = kind == ASK_END ? c->end : c->at;
	r->n = kind == ASK_END ? c->nend : c->n;
	r->next = 0;
	r->input = input;
	r->answer = (struct answer){ 0 };
	r->under_way = true;
	proceed(r);
}

/* False: the tool has closed its side, or it is gone. */
static bool hear_tool(struct runner *r)
{
	char control[CMSG_SPACE(sizeof(int))], kind = 0;
	struct iovec part[2] = {
		{ .iov_base = &kind, .iov_len = 1 },
		{ .iov_base = r->env, .iov_len = sizeof(r->env) },
	};
	struct msghdr m = {
		.msg_iov = part, .msg_iovlen = 2, .msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	ssize_t n = recvmsg(r->tool, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	int input = -1;
	pid_t left;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (!n)
		return false;
	c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(&input, CMSG_DATA(c), sizeof(input));
	if (kind != ASK_KILL) {
		begin(r, kind, input);
	} else if (r->under_way) {
		left = shell_end(&r->shell, GRACE_MS);
		r->answer.killed = !left;
		if (left)
			failed(r, &r->list[r->next - 1], "pid %d " SHELL_LEFT, left);
		finished(r);
	}
	return true;
}

static void open_targets(struct runner *r)
{
	const struct action_config *c = r->set->config;
	unsigned int i;

	for (i = 0; i < c->n; i++)
		r->pidfd[i] = c->at[i].kind == ACTION_SIGNAL ?
			      (int)syscall(SYS_pidfd_open, action_target(r->set, &c->at[i]), 0) : -1;
}

void actions_run(const struct actions_setup *set, bool later, int tool)
{
	struct runner r = { .set = set, .tool = tool, .shell.said = -1, .input = -1 };
	struct cpulist cpus;

	if (set->cpus) {
		cpus = later ? set->cpus->housekeeping :
			       cpulist_without(&set->cpus->housekeeping, &set->cpus->measured);
		if (cpus_confine(&cpus))
			_exit(1);
	}
	open_targets(&r);
	for (;;) {
		bool asked = shell_wait(&r.shell, tool);

		take_end(&r);
		if (asked && !hear_tool(&r))
			break;
	}
	shell_exit(&r.shell, GRACE_MS);
}
