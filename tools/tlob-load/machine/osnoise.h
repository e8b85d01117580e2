/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's osnoise tracer as a noise source, in an instance of our own. */
#ifndef TLOB_OSNOISE_H
#define TLOB_OSNOISE_H

struct cpus;
struct knobs;
struct result;

/*
 * Prepares the source @wanted (auto, osnoise, hooks, both). *@source gets what
 * the kernel part is to be told. All changes are knobs. An osnoise or timerlat
 * run of somebody else is never touched: auto then takes hooks, with a note.
 * 0; -EOPNOTSUPP: this kernel has no osnoise tracer; -EBUSY: somebody else
 * uses it; -errno. Errors have been printed.
 */
int osnoise_begin(struct knobs *k, struct result *r, const struct cpus *cpus,
		  const char *wanted, const char **source);

#endif /* TLOB_OSNOISE_H */
