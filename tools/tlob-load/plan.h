/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_PLAN_H
#define TLOB_PLAN_H

#include "msg.h"

/* `tlob-load plan`. */
enum exit_code command_plan(int argc, char **argv);

#endif /* TLOB_PLAN_H */
