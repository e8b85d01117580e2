/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_ATTACH_H
#define TLOB_ATTACH_H

#include "msg.h"

/* `tlob-load attach`; @argv[0] is "attach". All errors have been printed. */
enum exit_code command_attach(int argc, char **argv);

#endif /* TLOB_ATTACH_H */
