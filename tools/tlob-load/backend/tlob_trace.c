// SPDX-License-Identifier: GPL-2.0
/* Making, filtering and saving the trace instance. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracefs.h>

#include "machine/knobs.h"
#include "backend/config.h"
#include "backend/tlob_trace.h"
#include "util/error.h"
#include "util/file.h"

#define INSTANCE	"tlob-load"

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

/* @name is SYSTEM or SYSTEM:EVENT. */
static int enable_event(struct trace *t, const char *name)
{
	char *file, *colon;
	int err;

	if (strchr(name, '/') || *name == '.' || *name == ':' || !*name)
		return fail(-EINVAL, "invalid event '%s': give SYSTEM or SYSTEM:EVENT",
			    name);
	if (asprintf(&file, "events/%s/enable", name) < 0)
		return fail(-ENOMEM, "out of memory");
	colon = strchr(file, ':');
	if (colon)
		*colon = '/';
	err = write_file(t, file, "1");
	free(file);
	if (err == -ENOENT)
		return fail(err, "event '%s' does not exist in this kernel",
			    name);
	return err ? fail(err, "cannot enable event '%s': %s", name,
			  strerror(-err)) : 0;
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
 * tlob_stack comes after tlob_budget_exceeded, so with --print-stack it is the last.
 */
int trace_stop_at_violation(struct trace *t, const struct run_config *config)
{
	if (!t->instance)
		return 0;
	return add_trigger(t, config->print_stack ? "tlob_stack" :
			   "tlob_budget_exceeded", "monitor == 0");
}

int trace_begin(struct trace *t, struct knobs *k, const struct run_config *config)
{
	const char *dir = tracefs_tracing_dir();
	unsigned int i;
	char *path;
	int err;

	t->instance = NULL;
	if (!config->trace)
		return 0;
	if (!dir)
		return fail(-EOPNOTSUPP, "--trace: cannot mount tracefs");
	if (asprintf(&path, "%s/instances/" INSTANCE, dir) < 0)
		return fail(-ENOMEM, "out of memory");
	err = knobs_instance(k, path);
	if (err)
		fail(err, "%s: %s", path, err == -EEXIST ?
		     "exists, but was not left by a killed run: remove it with rmdir" :
		     strerror(-err));
	free(path);
	if (err)
		return err;
	t->instance = tracefs_instance_alloc(NULL, INSTANCE);
	if (!t->instance)
		return fail(-ENOMEM, "out of memory");

	/* The clock of the records, so that t0 can be found in the trace. */
	err = write_file(t, "trace_clock", "mono");
	if (err)
		return fail(err, "trace_clock: %s", strerror(-err));
	err = enable_event(t, "tlob_load");
	for (i = 0; i < config->nevents && !err; i++)
		err = enable_event(t, config->events[i]);
	if (!err)
		err = stop_at_window(t, config);
	return err;
}

int trace_save(struct trace *t, FILE *out)
{
	char buf[65536];
	ssize_t n;
	int fd, err = 0;

	if (!t->instance)
		return 0;
	tracefs_trace_off(t->instance);
	fd = tracefs_instance_file_open(t->instance, "trace", O_RDONLY);
	if (fd < 0)
		return fail(-errno, "trace: %s", strerror(errno));
	for (;;) {
		n = read(fd, buf, sizeof(buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (fwrite(buf, 1, n, out) != (size_t)n)
			break;	/* output_commit() reports it */
	}
	if (n < 0)
		err = fail(-errno, "trace: %s", strerror(errno));
	close(fd);
	return err;
}

void trace_free(struct trace *t)
{
	if (t->instance)
		tracefs_instance_free(t->instance);
	t->instance = NULL;
}
