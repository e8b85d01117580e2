/* SPDX-License-Identifier: GPL-2.0 */
/* SIGINT, SIGTERM, SIGHUP end a run, a second one kills; SIGUSR1: a table. */
#ifndef TLOB_SIGNALS_H
#define TLOB_SIGNALS_H

#include <stdbool.h>

/* 0 or -errno, printed. */
int signals_catch(void);

/* The signal that is to end the run; 0: none has come. */
int signal_end(void);

/* True once for each request of a table. */
bool signal_snapshot(void);

#endif /* TLOB_SIGNALS_H */
