// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "util/action.h"
#include "util/units.h"
#include "util/usage.h"

#define SIGNAL_MAX	64		/* of Linux */

static const struct {
	const char *name;
	int	 signo;
} signals[] = {
	{ "HUP", SIGHUP }, { "INT", SIGINT }, { "QUIT", SIGQUIT }, { "ABRT", SIGABRT },
	{ "KILL", SIGKILL }, { "USR1", SIGUSR1 }, { "USR2", SIGUSR2 }, { "ALRM", SIGALRM },
	{ "TERM", SIGTERM }, { "CONT", SIGCONT }, { "STOP", SIGSTOP }, { "TSTP", SIGTSTP },
	{ "TRAP", SIGTRAP }, { "WINCH", SIGWINCH },
};

/* @n characters of @text. 0: no such signal. */
static int find_signal(const char *text, size_t n)
{
	uint64_t number;
	char copy[24];
	size_t i;

	if (n > 3 && !strncasecmp(text, "SIG", 3)) {
		text += 3;
		n -= 3;
	}
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (strlen(signals[i].name) == n && !strncasecmp(text, signals[i].name, n))
			return signals[i].signo;
	snprintf(copy, sizeof(copy), "%.*s", n < sizeof(copy) ? (int)n : 0, text);
	return !count_parse(copy, &number) && number <= SIGNAL_MAX ? (int)number : 0;
}

static int parse_signal(struct action *a, const char *text, char *err, unsigned int size)
{
	size_t n = strcspn(text, ":");
	uint64_t pid = 0;

	a->signo = find_signal(text, n);
	if (!a->signo)
		return usage_error(err, size, "unknown signal '%.*s': give a name such as USR1 or TERM, or 1 to %d",
				   (int)n, text, SIGNAL_MAX);
	if (text[n] && (count_parse(text + n + 1, &pid) || !pid || pid > INT_MAX))
		return usage_error(err, size, "invalid process '%s': give a number, as in signal:USR1:4242",
				   text + n + 1);
	a->pid = (int)pid;
	return 0;
}

int action_parse(struct action *a, const char *text, char *err, unsigned int size)
{
	static const struct {
		const char *word;
		enum action_kind kind;
	} words[] = {
		{ "stop", ACTION_STOP }, { "continue", ACTION_CONTINUE }, { "trace", ACTION_TRACE },
	};
	size_t i;

	*a = (struct action){ .text = text };
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(text, words[i].word))
			continue;
		a->kind = words[i].kind;
		return 0;
	}
	if (!strncmp(text, "signal:", 7)) {
		a->kind = ACTION_SIGNAL;
		return parse_signal(a, text + 7, err, size);
	}
	if (strncmp(text, "shell:", 6))
		return usage_error(err, size, "unknown action: give stop, continue, trace, signal:SIG[:PID] or shell:COMMAND");
	a->kind = ACTION_SHELL;
	a->command = text + 6;
	return *a->command ? 0 : usage_error(err, size, "the command is empty: give one, as in 'shell:cat >> log'");
}

int action_limit_parse(struct action_config *c, const char *text, char *err, unsigned int size)
{
	const char *slash = strchr(text, '/');
	char number[24];
	uint64_t n, per;

	if (!slash)
		return usage_error(err, size, "no time: give N/T, as in 5/1m");
	snprintf(number, sizeof(number), "%.*s", slash - text < 24 ? (int)(slash - text) : 0, text);
	if (count_parse(number, &n) || !n || n > ACTIONS_MOST)
		return usage_error(err, size, "invalid number '%.*s': give 1 to %d, as in 5/1m",
				   (int)(slash - text), text, ACTIONS_MOST);
	if (duration_parse_within(slash + 1, 1000000, 86400000000000ULL, &per, err, size))
		return -EINVAL;
	if (per < 1000000)
		return usage_error(err, size, "'%s' is too short: give 1ms or more", slash + 1);
	c->most = n;
	c->per_ns = per;
	return 0;
}

bool action_has(const struct action_config *c, enum action_kind kind)
{
	unsigned int i;

	for (i = 0; i < c->n; i++)
		if (c->at[i].kind == kind)
			return true;
	return false;
}

bool action_needs_runner(const struct action_config *c)
{
	return c->nend || action_has(c, ACTION_TRACE) || action_has(c, ACTION_SIGNAL) ||
	       action_has(c, ACTION_SHELL);
}
