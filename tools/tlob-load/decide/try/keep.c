// SPDX-License-Identifier: GPL-2.0
/* The settings to keep, as files, each line with its evidence; and what doctor reads later. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result/tried.h"
#include "try/trial.h"
#include "util/error.h"
#include "util/file.h"
#include "util/markup.h"

const char * const trial_keep_names[NR_KEEP] = {
	[KEEP_COMMAND] = "settings.sh", [KEEP_SYSCTL] = "90-tlob-load.conf",
	[KEEP_ARGUMENTS] = "90-tlob-load.cfg",
};

static const char * const heads[NR_KEEP] = {
	[KEEP_COMMAND] = "#!/bin/sh\n# Run it at each boot, as root.\n",
	[KEEP_SYSCTL] = "# Copy it to /etc/sysctl.d/.\n",
	[KEEP_ARGUMENTS] = "# Copy it to /etc/default/grub.d/, run update-grub, and boot.\n",
};

bool trial_keeps_any(const struct trial *t, enum keep keep)
{
	unsigned int i;

	for (i = 0; i < t->e.nsettings; i++)
		if (t->setting[i].keep == keep && experiment_verdict(&t->e, i) == TRY_HELPS)
			return true;
	return false;
}

static int write_file(const struct trial *t, enum keep keep)
{
	char path[PATH_MAX], line[TRIAL_LINE];
	struct output out;
	unsigned int i;
	int err;

	snprintf(path, sizeof(path), "%.4000s/%s", t->dir, trial_keep_names[keep]);
	/* one of an earlier start must not pass for one of this */
	if (!trial_keeps_any(t, keep))
		return unlink(path) && errno != ENOENT ? fail(-errno, "%s: %s", path, strerror(errno)) : 0;
	err = output_open(&out, path);
	if (err)
		return err;
	fputs(heads[keep], out.f);
	put_printable(out.f, "# Written by tlob-load on Linux %s, CPUs %s.\n", t->kernel, t->cpus);
	for (i = 0; i < t->e.nsettings; i++)
		if (t->setting[i].keep == keep && experiment_verdict(&t->e, i) == TRY_HELPS) {
			/* a second line of a load would be no comment: root runs it */
			put_printable(out.f, "\n# %s: %s\n", t->setting[i].name, trial_evidence(line, t, i));
			fputs(t->setting[i].line, out.f);
		}
	err = output_commit(&out);
	output_discard(&out);
	return err;
}

/* Without the right to write there the rest is still useful. */
static int tell_doctor(const struct trial *t)
{
	struct tried tried[TRY_SETTINGS];
	char text[TRY_SETTINGS][TRIAL_LINE];
	unsigned int i;
	size_t n = 0;
	int err;

	for (i = 0; i < t->e.nsettings; i++) {
		if (!t->setting[i].rule || t->setting[i].gone || experiment_verdict(&t->e, i) == TRY_OPEN)
			continue;
		tried[n] = (struct tried){ .rule = t->setting[i].rule, .kernel = t->kernel, .when = t->started };
		tried[n++].text = trial_evidence(text[i], t, i);
	}
	err = n ? tried_add(tried, n) : 0;
	if (err && !t->quiet)
		warning("%s: %s: doctor will not know what was tried", tried_path(), strerror(-err));
	return err == -ENOMEM ? fail(err, "out of memory") : 0;
}

int trial_keep(const struct trial *t)
{
	unsigned int k;
	int err = 0;

	for (k = 0; k < NR_KEEP && !err; k++)
		err = write_file(t, k);
	return err ? err : tell_doctor(t);
}
