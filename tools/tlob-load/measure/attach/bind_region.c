// SPDX-License-Identifier: GPL-2.0
/* The binding of a region: writing, checking, reading; and the sets of functions in it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/bind_region.h"
#include "backend/tlob.h"
#include "functions/sets.h"
#include "result/attached.h"
#include "util/error.h"

/* knobs_set() for a control file. 0 or -errno, printed. */
static int set(const struct control *c, struct knobs *k, const char *file,
	       const char *wanted, const char *saved)
{
	char *path = control_path(c, -1, file);
	int err;

	if (!path)
		return fail(-ENOMEM, "out of memory");
	if (access(path, F_OK))
		err = control_missing(c, file);
	else if ((err = knobs_set(k, path, wanted, saved)))
		control_error(c, file, wanted, err);
	free(path);
	return err;
}

int region_bind(struct region *b, const struct control *c, struct knobs *k,
		const struct result *r)
{
	char line[TLOB_BINDING_MAX], undo[TLOB_BINDING_NAME + 2];
	struct tlob_binding_line binding = {
		.path = r->attached->file,
		.start = r->attached->start.at,
		.stop = r->attached->stop.at,
		.threshold_ns = r->budget_ns,
	};
	int err;

	b->control = c;
	snprintf(binding.name, sizeof(binding.name), "attach_%d", getpid());
	if (tlob_format_binding(line, sizeof(line), &binding) < 0)
		return fail(-ENAMETOOLONG, "%s: the name is too long for the kernel",
			    r->attached->file);
	snprintf(undo, sizeof(undo), "-:%s", binding.name);
	err = set(b->control, k, "monitor", line, undo);
	if (!err)
		memcpy(b->name, binding.name, sizeof(b->name));
	return err;
}

int region_enable(const struct region *b, struct knobs *k)
{
	return set(b->control, k, "monitor_enable", "1", "0");
}

int region_profile_waits(const struct region *b, struct knobs *k)
{
	return set(b->control, k, "waits", "on windows", "off");
}

/* True if a line of @text has @name, which consists of letters, digits and _. */
static bool is_listed(const char *text, const char *name)
{
	char word[TLOB_BINDING_NAME + 4];

	snprintf(word, sizeof(word), "p:%s ", name);
	return strstr(text, word);
}

int region_check(const struct region *b)
{
	char *text;
	bool there;
	int err;

	err = control_read(b->control, "monitor_enable", &text);
	if (err)
		return err;
	there = *text == '1';
	free(text);
	if (!there)
		return fail(-ECANCELED, "another process switched the monitor off");
	if (!*b->name)
		return 0;
	err = control_read(b->control, "monitor", &text);
	if (err)
		return err;
	there = is_listed(text, b->name);
	free(text);
	return there ? 0 :
	       fail(-ECANCELED, "another process removed the binding %s", b->name);
}

int region_read_counts(const struct region *b, struct result *r)
{
	char *text;
	int err;

	if (!*b->name)
		return 0;
	err = control_read(b->control, "monitor_stat", &text);
	if (err)
		return err;
	err = attach_stat(r, text, b->name);
	free(text);
	/* -ENOENT: the binding is gone, which region_check() reports */
	return err == -ENOENT ? 0 : err;
}

int attach_functions_find(struct attach_functions *a, struct result *r,
			  const struct function_requests *requests)
{
	int err;
	char **note;

	if (!requests->n)
		return 0;
	err = traced_expand(&a->traced, requests, "");
	if (err)
		return err;
	r->functions = function_sets_new(&a->traced);
	r->cpu->functions = function_totals_new(a->traced.n);
	if (!r->functions || !r->cpu->functions)
		return fail(-ENOMEM, "out of memory");
	r->functions->of_tasks = true;
	function_totals_set_step(r->cpu->functions, r->clock_resolution_ns);
	for (note = a->traced.notes; note && *note && !err; note++)
		err = notes_add(&r->notes, "%s", *note);
	return err ? fail(err, "out of memory") : 0;
}

int attach_functions_begin(struct attach_functions *a, const struct control *c,
			   struct knobs *k)
{
	int fd;

	if (!a->traced.n)
		return 0;
	fd = functions_own(c, &a->traced);
	if (fd < 0)
		return fd;
	a->owner = fd;
	a->control = c;
	return set(c, k, "functions_monitor", "1", "0");
}

const struct window_functions *attach_functions_take(const struct attach_functions *a,
						     const struct tlob_task_functions *from,
						     struct window_functions *to)
{
	unsigned int k;
	size_t i;

	if (!a->traced.n || from->sets != a->traced.n)
		return NULL;
	*to = (struct window_functions){ .missed = from->missed, .n = a->traced.n };
	for (i = 0; i < to->n; i++) {
		const struct tlob_task_function_time *t = &from->set[i];

		for (k = 0; k < TLOB_NR_TASK_PARTS; k++)
			to->at[i].part_ns[attach_part_of(k)] = t->part_ns[k];
		to->at[i].calls = t->calls;
		to->at[i].unreturned = t->unreturned;
		function_time_longest(&to->at[i], &a->traced, t->max_ns, t->max_function);
	}
	return to;
}

int attach_functions_count(const struct attach_functions *a, struct result *r)
{
	return a->control ? functions_read(a->control, r->functions) : 0;
}

void attach_functions_end(struct attach_functions *a)
{
	if (a->control)
		close(a->owner);
	a->control = NULL;
}

void attach_functions_free(struct attach_functions *a)
{
	traced_free(&a->traced);
}
