/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_REPORT_RATE_H
#define TLOB_REPORT_RATE_H

#include "result/episodes.h"
#include "util/units.h"

#define RATE_PROSE	80

/*
 * How often episodes are to be expected, with confidence 1 - BOUNDS_ALPHA: "fewer than 180 episodes
 * an hour" if there was none, else "37 to 526 episodes an hour". Rounded outwards. @e->time_ns is
 * not 0. Returns @buf.
 */
const char *rate_prose(char buf[RATE_PROSE], const struct episodes *e);

/* Such a bound alone, rounded up. Returns @buf. */
const char *rate_number(char buf[COUNT_LEN], double upper);

#endif /* TLOB_REPORT_RATE_H */
