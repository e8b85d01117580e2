// SPDX-License-Identifier: GPL-2.0
/* The tool's side: which windows get the actions, and what became of them. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/actions_local.h"
#include "machine/cpus.h"
#include "machine/shell.h"
#include "result/field.h"
#include "result/result.h"
#include "util/error.h"
#include "util/file.h"
#include "util/time.h"
#include "util/units.h"

/* What the socket takes at once, and a way out if the runner is stuck in a system call. */
#define SLACK_MS	30000

/* A process that a signal goes to must be there, or the first violation would find that out. */
static int check_targets(const struct actions_setup *set)
{
	const struct action *a;
	pid_t pid;

	for (a = set->config->at; a < set->config->at + set->config->n; a++) {
		if (a->kind != ACTION_SIGNAL)
			continue;
		pid = action_target(set, a);
		if (pid <= 1 && !a->pid)
			return pid ? fail(-ESRCH, ACTION_OF_INIT, a->text, a->text) :
				     fail(-ESRCH, "--on-violation %s: no process gets it by default here: name the process, as in %s:PID",
					  a->text, a->text);
		if (kill(pid, 0))
			return fail(-errno, "--on-violation %s: process %d: %s", a->text, pid, strerror(errno));
	}
	return 0;
}

int actions_start(struct actions *a, const struct actions_setup *setup)
{
	struct cpulist left;
	pid_t pid;
	int err;

	*a = (struct actions)ACTIONS_NONE;
	a->set = *setup;
	a->set.counts->asked = setup->config->n;
	if (!action_needs_runner(setup->config))
		return 0;
	if (setup->cpus) {
		left = cpulist_without(&setup->cpus->housekeeping, &setup->cpus->measured);
		a->later = cpulist_is_empty(&left);
	}
	err = check_targets(setup);
	if (err)
		return err;
	pid = shell_keeper("tlob-actions", &a->fd);
	if (!pid)
		actions_run(&a->set, a->later, a->fd);
	if (pid < 0)
		return fail(pid, "--on-violation: no process for the actions: %s", strerror(-pid));
	a->runner = pid;
	return 0;
}

static void take_answer(struct actions *a, const struct answer *answer)
{
	struct action_counts *c = a->set.counts;

	a->busy = false;
	c->failed += answer->failed;
	c->killed += answer->killed;
	/* a command may print anything */
	if (answer->failed && !*a->reason)
		snprintf(a->reason, sizeof(a->reason), "%s", answer->reason);
}

/* Waits @ms for the answer. Returns whether the runner is free. */
static bool wait_for_answer(struct actions *a, int ms)
{
	struct pollfd p = { .fd = a->fd, .events = POLLIN };
	uint64_t until = now_ns() + (uint64_t)ms * 1000000;
	struct answer answer;
	ssize_t n;

	while (a->busy) {
		/* a signal ends the wait of a user who does not want to wait */
		if (poll(&p, 1, ms) < 0 && errno != EINTR)
			return false;
		n = recv(a->fd, &answer, sizeof(answer), MSG_DONTWAIT);
		if (n == (ssize_t)sizeof(answer)) {
			answer.reason[sizeof(answer.reason) - 1] = 0;
			take_answer(a, &answer);
		} else if (n >= 0 || (errno != EAGAIN && errno != EINTR)) {
			/* somebody killed the runner */
			take_answer(a, &(struct answer){ .failed = 1, .reason = "the process that takes the actions has ended" });
			close(a->fd);
			a->fd = -1;
		}
		if (now_ns() >= until)
			break;
		ms = (int)((until - now_ns()) / 1000000) + 1;
	}
	return !a->busy;
}

/* Whether one more is within --at-most; then it counts. */
static bool within_limit(struct actions *a, uint64_t now)
{
	const struct action_config *c = a->set.config;
	uint64_t *at;

	if (!c->most)
		return true;
	/* the one that was taken N times ago */
	at = &a->taken_ns[a->set.counts->taken % c->most];
	if (a->set.counts->taken >= c->most && now - *at < c->per_ns)
		return false;
	*at = now;
	return true;
}

bool actions_want(struct actions *a, uint64_t now)
{
	struct action_counts *c = a->set.counts;

	c->met++;
	if (!a->runner)
		return false;
	if (a->later ? a->nheld == ACTIONS_HELD : !wait_for_answer(a, 0)) {
		c->busy++;
		return false;
	}
	if (a->fd < 0) {
		c->not_run++;
		return false;
	}
	if (!within_limit(a, now)) {
		c->limited++;
		return false;
	}
	c->taken++;
	return true;
}

/* @input may be -1. False: the runner is gone, or the message does not fit. */
static bool ask(struct actions *a, enum ask kind, int input, const char *env)
{
	char letter = (char)kind, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec part[2] = {
		{ .iov_base = &letter, .iov_len = 1 },
		{ .iov_base = (void *)env, .iov_len = strlen(env) + 1 },
	};
	struct msghdr m = { .msg_iov = part, .msg_iovlen = 2 };
	struct cmsghdr *c;

	if (a->fd < 0) {
		errno = EPIPE;
		return false;
	}
	if (input >= 0) {
		m.msg_control = control;
		m.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &input, sizeof(input));
	}
	if (sendmsg(a->fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return false;
	a->busy = a->busy || kind != ASK_KILL;
	return true;
}

/* Asks for the actions of a window or of the end. They fail if the runner is gone. */
static void order(struct actions *a, enum ask kind, int input, const char *env)
{
	struct answer answer = { .failed = 1 };

	if (ask(a, kind, input, env))
		return;
	snprintf(answer.reason, sizeof(answer.reason), "the process that takes the actions: %s", strerror(errno));
	take_answer(a, &answer);
}

/* The JSON of a window, in a file without a name. Its descriptor, or -errno. */
static int write_json(const struct fields *record, const void *data, const void *about)
{
	struct json_object *o = json_object_new_object();
	struct builder b = { .about = about };
	int fd = memfd_create("tlob-window", MFD_CLOEXEC), err = fd < 0 ? -errno : 0;
	FILE *f = NULL;

	if (!err) {
		f = fdopen(dup(fd), "w");
		err = f && o ? 0 : -ENOMEM;
	}
	if (!err) {
		record_put(&b, o, record, data);
		err = json_end(&b, f, o);
	} else {
		json_object_put(o);
	}
	if (f && fclose(f))
		keep_error(&err, -errno);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

int actions_at(struct actions *a, const struct fields *record, const void *data, const void *about,
	       const char *fmt, ...)
{
	char env[ACTIONS_ENV];
	va_list ap;
	int fd;

	if (!actions_want(a, now_ns()))
		return 0;
	fd = write_json(record, data, about);
	if (fd < 0)
		return fail(fd, "the JSON of a window for --on-violation: %s", strerror(-fd));
	va_start(ap, fmt);
	vsnprintf(env, sizeof(env), fmt, ap);
	va_end(ap);
	if (a->later) {
		a->held[a->nheld].fd = fd;
		memcpy(a->held[a->nheld++].env, env, sizeof(env));
		return 0;
	}
	order(a, ASK_VIOLATION, fd, env);
	close(fd);
	return 0;
}

/* Kills what runs, after @ms. */
static void wait_or_kill(struct actions *a, int ms)
{
	if (!wait_for_answer(a, ms) && ask(a, ASK_KILL, -1, ""))
		wait_for_answer(a, SLACK_MS);
}

static int left_ms(uint64_t until)
{
	uint64_t now = now_ns();

	return now < until ? (int)((until - now) / 1000000) + 1 : 0;
}

const char *actions_news(const struct actions *a, char buf[ACTIONS_NEWS])
{
	const struct action_counts *c = a->set.counts;
	size_t n, size = ACTIONS_NEWS;

	*buf = 0;
	if (!a->runner || !c->met)
		return buf;
	n = (size_t)snprintf(buf, size, "the actions were taken at %" PRIu64 " of %" PRIu64 " windows that met the condition",
			     c->taken, c->met);
	if (a->later && n < size)
		n += (size_t)snprintf(buf + n, size - n, ", after the run: all CPUs were measured");
	if (c->busy && n < size)
		n += (size_t)snprintf(buf + n, size - n, "; %" PRIu64 " came while %s", c->busy,
				      a->later ? "16 waited" : "one was under way");
	if (c->limited && n < size)
		n += (size_t)snprintf(buf + n, size - n, "; %" PRIu64 " were over --at-most", c->limited);
	if (c->not_run && n < size)
		n += (size_t)snprintf(buf + n, size - n, "; %" PRIu64 " came after their process was killed", c->not_run);
	if (c->failed && n < size)
		n += (size_t)snprintf(buf + n, size - n, "; %" PRIu64 " action%s failed: %s", c->failed,
				      c->failed == 1 ? "" : "s", a->reason);
	if (c->killed && n < size)
		snprintf(buf + n, size - n, "; %" PRIu64 " still ran and %s killed", c->killed,
			 c->killed == 1 ? "was" : "were");
	return buf;
}

int actions_finish(struct actions *a, char ***notes)
{
	uint64_t until = now_ns() + a->set.config->wait_ns;
	char news[ACTIONS_NEWS];
	unsigned int i;

	if (!a->runner)
		return 0;
	for (i = 0; i < a->nheld; i++) {
		order(a, ASK_VIOLATION, a->held[i].fd, a->held[i].env);
		close(a->held[i].fd);
		wait_or_kill(a, left_ms(until));
	}
	a->nheld = 0;
	wait_or_kill(a, left_ms(until));
	if (!*actions_news(a, news) || !notes_add(notes, "%s", news))
		return 0;
	return fail(-ENOMEM, "out of memory");
}

int actions_end(struct actions *a, int (*write)(FILE *f, const void *data), const void *data)
{
	const struct action_config *c = a->set.config;
	struct action_counts counts = { 0 };
	char wait[DURATION_LEN];
	FILE *f = NULL;
	int err;

	if (!a->runner || !c->nend)
		return 0;
	a->set.counts = &counts;	/* the result is written */
	*a->reason = 0;
	err = file_temporary(&f);
	if (!err)
		err = write(f, data);
	if (!err && (fflush(f) || fseek(f, 0, SEEK_SET)))
		err = -errno;
	if (err) {
		fail(err, "--on-end: cannot give it the result: %s", strerror(-err));
	} else {
		order(a, ASK_END, fileno(f), "");
		wait_or_kill(a, left_ms(now_ns() + c->wait_ns));
	}
	if (f)
		fclose(f);
	if (!err && counts.killed)
		err = fail(-EIO, "--on-end: a command still ran after %s and was killed: give a longer --action-wait",
			   duration_exact(wait, c->wait_ns));
	else if (!err && counts.failed)
		err = fail(-EIO, "--on-end %s", a->reason);
	a->set.counts = NULL;
	return err;
}

void actions_free(struct actions *a)
{
	if (a->fd >= 0)
		close(a->fd);
	while (a->nheld)
		close(a->held[--a->nheld].fd);
	while (a->runner > 0 && waitpid(a->runner, NULL, 0) < 0 && errno == EINTR)
		;
	*a = (struct actions)ACTIONS_NONE;
}
