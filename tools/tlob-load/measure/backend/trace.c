// SPDX-License-Identifier: GPL-2.0
/* Making, filtering and saving the trace instance. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracefs.h>

#include "backend/trace.h"
#include "machine/knobs.h"
#include "machine/rights.h"
#include "options/run_config.h"
#include "result/result.h"
#include "util/error.h"
#include "util/file.h"
#include "util/random.h"

#define MARK		"tracing_mark_write: tlob-load: activation"
#define INSTANCE	"tlob-load"	/* and a random number: runs do not meet */

/* Writes to a file of the instance. 0 or -errno, prints nothing. */
static int write_file(struct trace *t, const char *file, const char *value)
{
	char *path = tracefs_instance_get_file(t->instance, file);
	int err;

	if (!path)
		return -ENOMEM;
	err = file_write(path, value);
	tracefs_put_tracing_file(path);
	return err;
}

/* What the kernel says about a filter that it refused: the file has it. */
static int filter_error(struct trace *t, const char *file, const char *event)
{
	char *path = tracefs_instance_get_file(t->instance, file), why[200];

	if (!path || file_last_line(path, why, sizeof(why)))
		snprintf(why, sizeof(why), "invalid filter");
	tracefs_put_tracing_file(path);
	return fail(-EINVAL, "--event '%s': %s", event, why);
}

/* The part of @event between slashes, for "events/SYSTEM/EVENT" in @dir. */
static int set_filter(struct trace *t, const char *event, const char *dir)
{
	const char *slash = strchr(event, '/');
	char *file, *filter;
	int err = -ENOMEM;

	if (!slash)
		return 0;
	if (asprintf(&file, "%s/filter", dir) < 0)
		return fail(err, "out of memory");
	filter = strndup(slash + 1, strlen(slash) - 2);
	if (filter)
		err = write_file(t, file, filter);
	if (err == -EINVAL)
		filter_error(t, file, event);
	else if (err && err != -ENOENT)		/* enabling it says so */
		fail(err, "--event '%s': the filter: %s", event, strerror(-err));
	free(filter);
	free(file);
	return err == -ENOENT ? 0 : err;
}

/* @event is SYSTEM or SYSTEM:EVENT, and may have /FILTER/ behind it. */
static int enable_event(struct trace *t, const char *event)
{
	int n = (int)strcspn(event, "/"), err;
	char *dir, *file, *colon;

	if (asprintf(&dir, "events/%.*s", n, event) < 0)
		return fail(-ENOMEM, "out of memory");
	colon = strchr(dir, ':');
	if (colon)
		*colon = '/';
	err = set_filter(t, event, dir);
	if (!err && asprintf(&file, "%s/enable", dir) < 0)
		err = fail(-ENOMEM, "out of memory");
	if (err) {
		free(dir);
		return err;
	}
	err = write_file(t, file, "1");
	free(file);
	free(dir);
	if (err == -ENOENT)
		return fail(err, "event '%.*s' does not exist in this kernel%s", n, event,
			    memchr(event, ':', (size_t)n) ? "" :
			    ": to name one event give SYSTEM:EVENT, as in sched:sched_switch");
	return err ? fail(err, "cannot enable event '%.*s': %s", n, event, strerror(-err)) : 0;
}

static int add_trigger(struct trace *t, const char *event, const char *filter)
{
	char *file, *trigger = NULL;
	int err = -ENOMEM;

	if (asprintf(&file, "events/tlob_load/%s/trigger", event) < 0)
		return fail(err, "out of memory");
	if (asprintf(&trigger, "traceoff if %s", filter) < 0)
		trigger = NULL;
	else
		err = write_file(t, file, trigger);
	if (err)
		fail(err, "%s: cannot write '%s': %s", file,
		     trigger ? trigger : "", strerror(-err));
	free(trigger);
	free(file);
	return err;
}

/*
 * Freezes the trace at the first measured window that meets a condition. An event
 * has only one traceoff trigger, so it gets the filters of all conditions. With a
 * warm-up this includes violations, because trace_stop_at_violation() may come too
 * late for the first windows after it.
 */
static int stop_at_window(struct trace *t, const struct run_config *config)
{
	char *filter = NULL, one[128];
	unsigned int i;
	size_t size;
	int err = 0;
	FILE *f;

	f = open_memstream(&filter, &size);
	if (!f)
		return fail(-ENOMEM, "out of memory");
	for (i = 0; i < config->nstop_on && !err; i++) {
		if (config->stop_on[i].metric < 0) {
			if (config->warm_up && condition_violation(&config->stop_on[i]))
				fprintf(f, "%s(flags & %u)",
					ftell(f) ? " || " : "",
					TLOB_WINDOW_VIOLATION);
			continue;
		}
		/* the event does not have it: the trace continues until the tool stops the run */
		if (condition_is_function(&config->stop_on[i]))
			continue;
		err = condition_filter(&config->stop_on[i], one, sizeof(one));
		if (err)
			fail(err, "--stop-on '%s': too long for a trigger",
			     config->stop_on[i].text);
		else
			fprintf(f, "%s(%s)", ftell(f) ? " || " : "", one);
	}
	if (fclose(f) && !err)
		err = fail(-ENOMEM, "out of memory");
	if (!err && *filter) {
		char *all;

		if (asprintf(&all, "!(flags & %u) && (%s)",
			     TLOB_WINDOW_WARM_UP, filter) < 0) {
			err = fail(-ENOMEM, "out of memory");
		} else {
			err = add_trigger(t, "tlob_window", all);
			free(all);
		}
	}
	free(filter);
	return err;
}

/*
 * The filter has two reasons. It excludes the windows of the monitor. And a trigger
 * with a filter runs after its event is written, so the trace contains the event.
 */
int trace_stop_at_violation(struct trace *t)
{
	if (!t->instance)
		return 0;
	return add_trigger(t, "tlob_budget_exceeded", "monitor == 0");
}

static int set_size(struct trace *t, uint64_t bytes)
{
	char kb[24];
	int err;

	if (!bytes)
		return 0;
	snprintf(kb, sizeof(kb), "%" PRIu64, bytes >> 10);
	err = write_file(t, "buffer_size_kb", kb);
	return err ? fail(err, "--trace-size: %s kB for each CPU: %s", kb, strerror(-err)) : 0;
}

int trace_begin(struct trace *t, struct knobs *k, const struct run_config *config, bool module)
{
	const char *dir;
	unsigned int i;
	int err;

	*t = (struct trace){ .instance = NULL };
	if (!config->trace)
		return 0;
	dir = tracefs_tracing_dir();
	if (!dir)
		return fail(-EOPNOTSUPP, "--trace: cannot mount tracefs");
	if (asprintf(&t->dir, "%s/instances/" INSTANCE ".%08" PRIx64, dir, random_seed()) < 0) {
		t->dir = NULL;
		return fail(-ENOMEM, "out of memory");
	}
	err = knobs_instance(k, t->dir);
	if (err && rights_locked_down())
		return fail(-EOPNOTSUPP, "--trace: lockdown=confidentiality forbids tracing");
	if (err)
		return fail(err, "%s: %s", t->dir, strerror(-err));
	t->instance = tracefs_instance_alloc(NULL, strrchr(t->dir, '/') + 1);
	if (!t->instance)
		return fail(-ENOMEM, "out of memory");

	/* The clock of the records, so that t0 can be found in the trace. */
	err = write_file(t, "trace_clock", "mono");
	if (err)
		return fail(err, "trace_clock: %s", strerror(-err));
	err = set_size(t, config->trace_size);
	if (!err && module)
		err = enable_event(t, "tlob_load");
	for (i = 0; i < config->nevents && !err; i++)
		err = enable_event(t, config->events[i]);
	if (!err && module)
		err = stop_at_window(t, config);
	return err;
}

void trace_off(struct trace *t)
{
	if (t->instance)
		tracefs_trace_off(t->instance);
}

/* "task-1 [000] d..2.  1220.448217: event: ...": the time in ns; 0: the line has none. */
static uint64_t time_of(const char *line)
{
	const char *colon = line, *p;

	while ((colon = strchr(colon, ':'))) {
		for (p = colon; p > line && ((p[-1] >= '0' && p[-1] <= '9') || p[-1] == '.'); p--)
			;
		if (colon - p > 7 && colon[-7] == '.' && p > line && p[-1] == ' ')
			return strtoull(p, NULL, 10) * 1000000000 + strtoull(colon - 6, NULL, 10) * 1000;
		colon++;
	}
	return 0;
}

static struct trace_line *more_lines(struct trace_lines *lines)
{
	size_t room = lines->room ? 2 * lines->room : 16;
	struct trace_line *at = lines->at;

	if (lines->n == lines->room) {
		at = reallocarray(lines->at, room, sizeof(*at));
		if (!at)
			return NULL;
		lines->at = at;
		lines->room = room;
	}
	return &at[lines->n];
}

void trace_line_add(struct trace_lines *lines, uint64_t at_ns, uint32_t cpu, int pid, const char *fmt, ...)
{
	struct trace_line *line = more_lines(lines);
	char name[TLOB_NAME_LEN], *event;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&event, fmt, ap) < 0)
		event = NULL;
	va_end(ap);
	snprintf(name, sizeof(name), "tlob/%" PRIu32, cpu);
	if (!line || !event || asprintf(&line->text, "%16s-%-7d [%03" PRIu32 "] .....  %" PRIu64 ".%06" PRIu64
					": %s\n", name, pid, cpu, at_ns / 1000000000,
					at_ns / 1000 % 1000000, event) < 0) {
		lines->err = -ENOMEM;
	} else {
		line->at_ns = at_ns;
		lines->n++;
	}
	free(event);
}

static void free_lines(struct trace_lines *lines)
{
	size_t i;

	for (i = 0; i < lines->n; i++)
		free(lines->at[i].text);
	free(lines->at);
}

static int by_time(const void *a, const void *b)
{
	const struct trace_line *x = a, *y = b;

	return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

/* As the kernel prints what somebody has written to trace_marker. */
static void mark(struct trace_lines *lines, const struct tlob_window *w, uint64_t ns, const char *what)
{
	trace_line_add(lines, w->t0_ns + ns, w->cpu, 0, MARK " %" PRIu64 ": %s", (uint64_t)w->activation, what);
}

/* A file to which the lines go, and where in it the marks are. */
struct marked {
	FILE	*f;
	unsigned long n, first, last;	/* lines from 1; 0: none */
};

static void put_line(struct marked *m, const char *text)
{
	const char *c;

	if (strstr(text, ": " MARK)) {
		m->last = m->n + 1;
		m->first = m->first ? m->first : m->last;
	}
	fputs(text, m->f);		/* output_commit() reports an error */
	for (c = text; *c; c++)
		m->n += *c == '\n';
}

/* The trace as the kernel prints it, in @f or nowhere, with @lines in between. 0 or -errno, printed. */
static int mix(struct marked *m, FILE *f, const struct trace_lines *lines)
{
	char *line = NULL;
	size_t i = 0, room = 0;
	uint64_t at;

	while (f && getline(&line, &room, f) >= 0) {
		at = i < lines->n ? time_of(line) : 0;
		for (; at && i < lines->n && lines->at[i].at_ns <= at; i++)
			put_line(m, lines->at[i].text);
		put_line(m, line);
	}
	for (; i < lines->n; i++)
		put_line(m, lines->at[i].text);
	free(line);
	return f && ferror(f) ? fail(-EIO, "trace: it cannot be read to its end") : 0;
}

/* Returns the trace as a file; NULL, printed: it cannot be opened. */
static FILE *open_text(struct trace *t)
{
	FILE *f;
	int fd;

	trace_off(t);
	fd = tracefs_instance_file_open(t->instance, "trace", O_RDONLY);
	f = fd < 0 ? NULL : fdopen(fd, "r");
	if (!f)
		fail(-errno, "trace: %s", strerror(errno));
	return f;
}

int trace_save(struct trace *t, FILE *out, struct trace_lines *lines, struct result *r)
{
	const struct tlob_window *w = r->stopped ? &r->stopped->w : NULL;
	FILE *f = t->instance ? open_text(t) : NULL;
	struct marked m = { .f = out, .n = lines->before };
	int err = t->instance && !f ? -EIO : 0;

	if (w) {
		mark(lines, w, 0, "expiry");
		mark(lines, w, w->wake_ns, "wake-up");
		mark(lines, w, w->response_ns, "end");
	}
	if (lines->n)
		qsort(lines->at, lines->n, sizeof(*lines->at), by_time);
	if (lines->err)
		keep_error(&err, fail(lines->err, "out of memory"));
	if (!err)
		err = mix(&m, f, lines);
	if (f)
		fclose(f);
	free_lines(lines);
	if (!err && m.first && result_note(r, "trace: its lines %lu to %lu are of the window that stopped the run",
					   m.first, m.last))
		err = fail(-ENOMEM, "out of memory");
	return err;
}

void trace_free(struct trace *t)
{
	if (t->instance)
		tracefs_instance_free(t->instance);
	free(t->dir);
	*t = (struct trace){ .instance = NULL };
}
