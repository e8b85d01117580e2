/* SPDX-License-Identifier: GPL-2.0 */
/* A CPU that a cpuset isolates. */
#ifndef ISOLATED_H
#define ISOLATED_H

#include <stdbool.h>

/*
 * CPU 1 is isolated from here on, or not any more. Returns whether that is so. Skips the test where
 * drivers are not told.
 */
bool isolate(bool on);
/* The caller runs on the isolated CPU from here on. */
void isolated_enter(void);

#endif /* ISOLATED_H */
