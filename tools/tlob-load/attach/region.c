// SPDX-License-Identifier: GPL-2.0
/* Writing, checking and reading the binding of a region. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/region.h"
#include "result/attach_result.h"
#include "util/error.h"
#include "util/file.h"

int region_set(const struct control *c, struct knobs *k, const char *file,
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
		const struct attach_result *r)
{
	char line[TLOB_BINDING_MAX], undo[TLOB_BINDING_NAME + 2];
	struct tlob_binding_line binding = {
		.path = r->file,
		.start = r->start.at,
		.stop = r->stop.at,
		.threshold_ns = r->budget_ns,
	};
	int err;

	b->control = c;
	snprintf(binding.name, sizeof(binding.name), "attach_%d", getpid());
	if (tlob_format_binding(line, sizeof(line), &binding) < 0)
		return fail(-ENAMETOOLONG, "%s: the name is too long for the kernel",
			    r->file);
	snprintf(undo, sizeof(undo), "-:%s", binding.name);
	err = region_set(b->control, k, "monitor", line, undo);
	if (!err)
		memcpy(b->name, binding.name, sizeof(b->name));
	return err;
}

int region_enable(const struct region *b, struct knobs *k)
{
	return region_set(b->control, k, "monitor_enable", "1", "0");
}

int region_profile_waits(const struct region *b, struct knobs *k)
{
	return region_set(b->control, k, "waits", "on windows", "off");
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
	err = control_read(b->control, "monitor", &text);
	if (err)
		return err;
	there = is_listed(text, b->name);
	free(text);
	return there ? 0 :
	       fail(-ECANCELED, "another process removed the binding %s", b->name);
}

int region_read_counts(const struct region *b, struct attach_result *r)
{
	char *text;
	int err;

	err = control_read(b->control, "monitor_stat", &text);
	if (err)
		return err;
	err = attach_stat(r, text, b->name);
	free(text);
	/* -ENOENT: the binding is gone, which region_check() reports */
	return err == -ENOENT ? 0 : err;
}
