/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_LAB_H
#define TLOB_LAB_H

#include "msg.h"

/* `tlob-load lab`. */
enum exit_code command_lab(int argc, char **argv);

#endif /* TLOB_LAB_H */
