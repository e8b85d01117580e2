/* SPDX-License-Identifier: GPL-2.0 */
/* Starts the kernel's osnoise tracer as a noise source, in its own trace instance. */
#ifndef TLOB_MACHINE_OSNOISE_H
#define TLOB_MACHINE_OSNOISE_H

#include <stdbool.h>
#include <stddef.h>

struct cpus;
struct knobs;
struct result;

/*
 * Prepares the noise source @wanted: auto, osnoise, hooks or both. *@source is
 * what to write to the control file noise_source. All changes are knobs. Settings
 * that osnoise has already are not changed. Another user of osnoise or timerlat is
 * left alone: auto then uses hooks and adds a note.
 * 0; -EOPNOTSUPP: this kernel has no osnoise tracer; -EBUSY: another user has it;
 * -errno. Printed.
 */
int osnoise_begin(struct knobs *k, struct result *r, const struct cpus *cpus,
		  const char *wanted, const char **source);

/* Changes by other users of osnoise during a run whose noise source it is. */
struct osnoise_watch {
	const struct cpus *cpus;	/* NULL: osnoise is not the source */
	char *options, *mask;		/* paths */
	bool changed_options, changed_cpus;
	char user[256];			/* another user of osnoise; "": none seen */
};

/* 0 or -ENOMEM, printed. Call osnoise_watch_end() in any case. */
int osnoise_watch_begin(struct osnoise_watch *w, const struct cpus *cpus,
			const char *source);

/* Looks once. */
void osnoise_look(struct osnoise_watch *w);

/* Adds a note to @r for what was seen. 0 or -ENOMEM. */
int osnoise_note(const struct osnoise_watch *w, struct result *r);

void osnoise_watch_end(struct osnoise_watch *w);

/*
 * Returns whether anything but this tool uses osnoise or timerlat. @who: where, as in "the
 * trace instance rtla_osnoise". A tool that is built without libtracefs cannot see it.
 */
#ifndef TLOB_LACKS
bool osnoise_user(char *who, size_t size);
#else
static inline bool osnoise_user(char *who, size_t size)
{
	(void)who;
	(void)size;
	return false;
}
#endif

#endif /* TLOB_MACHINE_OSNOISE_H */
