// SPDX-License-Identifier: GPL-2.0
/* Starting the osnoise tracer without disturbing another user of it. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracefs.h>

#include "machine/cpus.h"
#include "machine/knobs.h"
#include "machine/osnoise.h"
#include "result/result.h"
#include "util/error.h"
#include "util/file.h"
#include "util/text.h"

#define INSTANCE	"tlob-load-osnoise"
#define NO_WORKLOAD	"NO_OSNOISE_WORKLOAD"	/* none of its threads run */

static bool is_noise_tracer(const char *tracer)
{
	return !strncmp(tracer, "osnoise", 7) ||
	       !strncmp(tracer, "timerlat", 8);
}

/* Another user of osnoise or timerlat, which share one set of hooks and options. */
struct user {
	char where[256];
	char tracer[32];
};

static bool uses_noise_tracer(struct tracefs_instance *instance,
			      struct user *user, const char *where)
{
	char *tracer = tracefs_instance_file_read(instance, "current_tracer",
						  NULL);
	bool uses = tracer && is_noise_tracer(tracer);

	if (uses) {
		snprintf(user->where, sizeof(user->where), "%s", where);
		snprintf(user->tracer, sizeof(user->tracer), "%.*s",
			 (int)strcspn(tracer, "\n"), tracer);
	}
	free(tracer);
	return uses;
}

static int check_instance(const char *name, void *data)
{
	struct tracefs_instance *instance;
	struct user *user = data;
	char where[192];
	int found;

	if (!strcmp(name, INSTANCE))
		return 0;
	instance = tracefs_instance_alloc(NULL, name);
	if (!instance)
		return 0;
	snprintf(where, sizeof(where), "the trace instance %s", name);
	found = uses_noise_tracer(instance, user, where);
	tracefs_instance_free(instance);
	return found;
}

static bool find_user(struct user *user)
{
	return uses_noise_tracer(NULL, user, "the top trace instance") ||
	       tracefs_instances_walk(check_instance, user) == 1;
}

bool osnoise_user(char *who, size_t size)
{
	struct user user;

	if (!find_user(&user))
		return false;
	snprintf(who, size, "%s", user.where);
	return true;
}

/*
 * Sets @option and saves its opposite. The options file lists each option, set or
 * not: "OSNOISE_WORKLOAD NO_PANIC_ON_STOP ...".
 */
static int set_option(struct knobs *k, const char *path, const char *option,
		      const char *opposite)
{
	char line[1024];
	int err = file_read_line(path, line, sizeof(line));

	if (err || has_word(line, option))
		return err;
	/* before 6.3: the workload cannot be left out */
	return has_word(line, opposite) ? knobs_set_shared(k, path, option, opposite) :
					  -EOPNOTSUPP;
}

/* osnoise reports events only on the CPUs in @path. */
static int cover_cpus(struct knobs *k, const char *path, const struct cpus *cpus)
{
	char line[4096], *wanted;
	bool covered;
	int err = file_read_line(path, line, sizeof(line));

	if (err)
		return err;
	wanted = cpus_with(cpus, line, &covered);
	if (!wanted)
		err = -ENOMEM;
	else if (!covered)
		err = knobs_set_shared(k, path, wanted, line);
	free(wanted);
	return err;
}

/*
 * The order matters. The option must come before the tracer, whose threads would
 * otherwise spin on every CPU. Knobs are restored last first, so the tracer also
 * stops before the option is restored.
 */
static int start_tracer(struct knobs *k, const struct cpus *cpus)
{
	const char *dir = tracefs_tracing_dir();
	char *options = tracefs_get_tracing_file("osnoise/options");
	char *mask = tracefs_get_tracing_file("osnoise/cpus");
	char instance[PATH_MAX], tracer[PATH_MAX], buffer[PATH_MAX];
	int err = -ENOMEM;

	if (!options || !mask)
		goto out;
	snprintf(instance, sizeof(instance), "%s/instances/" INSTANCE, dir);
	snprintf(tracer, sizeof(tracer), "%s/instances/" INSTANCE "/current_tracer", dir);
	snprintf(buffer, sizeof(buffer), "%s/instances/" INSTANCE "/buffer_size_kb", dir);
	err = knobs_instance(k, instance);
	if (err)
		goto out;
	file_write(buffer, "8");	/* nothing reads it; removed with the instance */
	err = set_option(k, options, NO_WORKLOAD, "OSNOISE_WORKLOAD");
	if (!err)
		err = cover_cpus(k, mask, cpus);
	if (!err)
		err = knobs_set(k, tracer, "osnoise", "nop");
out:
	if (mask)
		tracefs_put_tracing_file(mask);
	if (options)
		tracefs_put_tracing_file(options);
	return err;
}

/* auto falls back to hooks, with a note; a requested osnoise is an error. */
static int without(bool required, struct result *r, const char **source,
		   int err, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

static int without(bool required, struct result *r, const char **source,
		   int err, const char *fmt, ...)
{
	char why[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	if (required)
		return fail(err, "--noise-source: %s", why);
	*source = "hooks";
	return result_note(r, "noise source hooks: %s", why);
}

int osnoise_begin(struct knobs *k, struct result *r, const struct cpus *cpus,
		  const char *wanted, const char **source)
{
	bool required = strcmp(wanted, "auto");
	struct user user;
	int err;

	*source = wanted;
	if (!strcmp(wanted, "hooks"))
		return 0;
	if (!tracefs_tracer_available(NULL, "osnoise"))
		return without(required, r, source, -EOPNOTSUPP,
			       "this kernel has no osnoise tracer");
	if (find_user(&user))
		return without(required, r, source, -EBUSY,
			       "the %s tracer is already in use, by %s",
			       user.tracer, user.where);
	err = start_tracer(k, cpus);
	if (err == -EEXIST)
		return without(required, r, source, err,
			       "the trace instance " INSTANCE " exists, but was not left by a killed run: remove it with rmdir");
	if (err)
		return without(required, r, source, err,
			       "cannot start the osnoise tracer: %s",
			       strerror(-err));
	return 0;
}

int osnoise_watch_begin(struct osnoise_watch *w, const struct cpus *cpus,
			const char *source)
{
	if (!strcmp(source, "hooks"))
		return 0;
	w->options = tracefs_get_tracing_file("osnoise/options");
	w->mask = tracefs_get_tracing_file("osnoise/cpus");
	if (!w->options || !w->mask)
		return fail(-ENOMEM, "out of memory");
	w->cpus = cpus;
	return 0;
}

void osnoise_watch_end(struct osnoise_watch *w)
{
	if (w->options)
		tracefs_put_tracing_file(w->options);
	if (w->mask)
		tracefs_put_tracing_file(w->mask);
	*w = (struct osnoise_watch){ .cpus = NULL };
}

void osnoise_look(struct osnoise_watch *w)
{
	char line[4096], *all;
	bool covered;

	if (!w->cpus)
		return;
	if (!file_read_line(w->options, line, sizeof(line)) &&
	    !strstr(line, NO_WORKLOAD))
		w->changed_options = true;
	if (!file_read_line(w->mask, line, sizeof(line))) {
		all = cpus_with(w->cpus, line, &covered);
		w->changed_cpus |= !covered;
		free(all);
	}
	if (!*w->user)
		osnoise_user(w->user, sizeof(w->user));
}

int osnoise_note(const struct osnoise_watch *w, struct result *r)
{
	const char *user = *w->user ? w->user : "a user that is gone";

	if (w->changed_options || w->changed_cpus)
		return result_note(r, "osnoise/%s changed during the run, by %s: osnoise did not report all noise, so windows are inexact (--noise-source hooks does not depend on it)",
				   w->changed_options ? "options" : "cpus", user);
	if (*w->user)
		return result_note(r, "%s also used osnoise: its threads measured nothing while this run set " NO_WORKLOAD " (--noise-source hooks does not)",
				   w->user);
	return 0;
}
