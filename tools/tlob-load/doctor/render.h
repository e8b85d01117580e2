/* SPDX-License-Identifier: GPL-2.0 */
/* The reports of `tlob-load doctor`, for people and for programs. */
#ifndef TLOB_DOCTOR_RENDER_H
#define TLOB_DOCTOR_RENDER_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

struct doctor;
struct finding;

/*
 * The outcome and the first findings, a line each with what mends it here. With @all each
 * finding with what is wanted, and lists of the rest. 0, -ENOMEM or -EIO.
 */
int doctor_report_text(FILE *f, const struct doctor *d, bool all, bool colour);

/* docs/reference/doctor.schema.json describes it. 0, -ENOMEM or -EIO. */
int doctor_report_json(FILE *f, const struct doctor *d, time_t started);

/* All of one rule, and what it found. 0, -ENOMEM or -EIO. */
int doctor_report_rule(FILE *f, const struct doctor *d, const struct finding *finding, bool colour);

/* "fit", "not fit" or "undecided", for an exit status of doctor_exit(). */
const char *doctor_outcome(int status);

#endif /* TLOB_DOCTOR_RENDER_H */
