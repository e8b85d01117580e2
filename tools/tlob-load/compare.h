/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_COMPARE_H
#define TLOB_COMPARE_H

#include "msg.h"

/* `tlob-load compare` and `tlob-load gate`. */
enum exit_code command_compare(int argc, char **argv);
enum exit_code command_gate(int argc, char **argv);

#endif /* TLOB_COMPARE_H */
