/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Static probes that a program was built with (USDT, <sys/sdt.h>): a nop in its code,
 * and a note that names it. They are the places that its authors meant to be watched.
 */
#ifndef TLOB_CODE_USDT_H
#define TLOB_CODE_USDT_H

#include <stdbool.h>
#include <stdint.h>

#include "binding.h"
#include "code/elfobj.h"

/*
 * The file offsets of the probe @place, PROVIDER:NAME. A probe in a template, a macro
 * or an inlined function has several. Returns 0, or -EINVAL with one line in @why: no
 * such probe, more places than a binding takes, or one that counts its users in a
 * semaphore. The kernel part does not count there, so the probe would stay off.
 */
int usdt_find(const struct elfobj *o, const char *place, struct tlob_offsets *places,
	      char *why, unsigned int size);

#endif /* TLOB_CODE_USDT_H */
