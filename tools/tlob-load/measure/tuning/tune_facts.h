/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_TUNING_TUNE_FACTS_H
#define TLOB_TUNING_TUNE_FACTS_H

/*
 * The facts of a result that --tune changes on this machine, as --vary takes them: "tune" and those
 * of the tuning that it has rows for. @cpus, @housekeeping: lists as for run, or NULL. malloc();
 * NULL: an error, printed.
 */
char *tune_facts(const char *cpus, const char *housekeeping);

#endif /* TLOB_TUNING_TUNE_FACTS_H */
