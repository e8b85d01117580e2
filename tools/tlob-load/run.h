/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_RUN_H
#define TLOB_RUN_H

#include "msg.h"

/* `tlob-load run`; @argv[0] is "run". All errors have been printed. */
enum exit_code command_run(int argc, char **argv);

#endif /* TLOB_RUN_H */
