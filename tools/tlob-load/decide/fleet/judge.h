/* SPDX-License-Identifier: GPL-2.0 */
/* The statistics of a fleet: docs/explanation/fleet.md has the simulation. */
#ifndef TLOB_FLEET_JUDGE_H
#define TLOB_FLEET_JUDGE_H

#include "fleet/fleet.h"

/*
 * Fills in what the hosts of @group have in fleet_value, p, named and worst, and what the group has
 * in decided, undecidable, nnamed, centre and spread. They are zeroed before. 0 or -ENOMEM, not printed.
 */
int judge_group(struct fleet *f, size_t group);

#endif /* TLOB_FLEET_JUDGE_H */
