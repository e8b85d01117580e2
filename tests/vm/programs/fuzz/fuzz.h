/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the parts of the fuzzer. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern const char *dir;			/* tlob_load/ */

uint32_t rnd(uint32_t below);		/* 0: 31 bits */
void *memory(void);			/* good, unaligned or bad */
int  any_fd(void);			/* one that the threads share, or -1 */

/* Calls on /dev/tlob, @fd or the thread's own. They fail with -1 and errno. */
long monitor_start(int fd);
long monitor_stop(int fd);
long monitor_setup(int fd);
long monitor_register(int fd);
/* The files `monitor` and `monitor_enable`. */
long monitor_bind(void);
long monitor_switch(void);
/* Some of these calls as another user. */
long monitor_user(void);
/* The files `functions` and `functions_monitor`. */
long functions_write(void);
long functions_lend(bool on);

/* Writes @size bytes to a control file with one write(). Their number, or -1. */
long set_file(const char *file, const char *value, size_t size);

#endif /* FUZZ_H */
