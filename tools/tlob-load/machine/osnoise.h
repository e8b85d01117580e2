/* SPDX-License-Identifier: GPL-2.0 */
/* Starts the kernel's osnoise tracer as a noise source, in its own trace instance. */
#ifndef TLOB_MACHINE_OSNOISE_H
#define TLOB_MACHINE_OSNOISE_H

struct cpus;
struct knobs;
struct result;

/*
 * Prepares the noise source @wanted: auto, osnoise, hooks or both. *@source is
 * what to write to the control file noise_source. All changes are knobs. Another
 * user of osnoise or timerlat is left alone: auto then uses hooks and adds a note.
 * 0; -EOPNOTSUPP: this kernel has no osnoise tracer; -EBUSY: another user has it;
 * -errno. Printed.
 */
int osnoise_begin(struct knobs *k, struct result *r, const struct cpus *cpus,
		  const char *wanted, const char **source);

#endif /* TLOB_MACHINE_OSNOISE_H */
