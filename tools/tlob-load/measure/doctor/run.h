/* SPDX-License-Identifier: GPL-2.0 */
/* The rules that doctor applies before and after a run. */
#ifndef TLOB_DOCTOR_RUN_H
#define TLOB_DOCTOR_RUN_H

struct doctor;
struct result;

/*
 * Before the threads of a run: applies the rules that need neither the list of all
 * threads, nor the kernel's configuration, nor a search, and reads the counters. @cpus
 * is a list; @priority is the workload's, 1 to 99, or 0 without one. 0 or -errno,
 * printed. Call run_doctor_free() in any case; it also takes NULL.
 */
int  run_doctor_begin(struct doctor **doctor, const char *cpus, int priority);
void run_doctor_free(struct doctor *d);

/*
 * After the run: reads the counters again, and gives @r its findings. 0 or -ENOMEM,
 * printed.
 */
int  run_doctor_end(struct doctor *d, struct result *r);

/*
 * Adds to windows over their budget the findings that bear on them. 0 or -ENOMEM.
 * Part of run_doctor_end().
 */
int  run_doctor_bear(const struct doctor *d, struct result *r);

#endif /* TLOB_DOCTOR_RUN_H */
