/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The windows of a run: what was executed since the CPU was last idle, from the expiry to t2 and
 * to t3. Or the windows over a region of a program: what was executed from its start to its stop.
 * plugin.c reports which blocks and which memory QEMU executes; this writes what it makes of them.
 * Nothing here knows QEMU.
 */
#ifndef TLOB_PLUGIN_WINDOW_H
#define TLOB_PLUGIN_WINDOW_H

#include <stdint.h>
#include <stdio.h>

#include "ending.h"

/* The event at the first instruction of a block, if it begins one of these functions. */
enum mark {
	MARK_NONE,
	MARK_ARM,		/* tlob_window_arm: waits for the expiry */
	MARK_FIRE,		/* tlob_period_fire: its first reading of the clock is t1 */
	MARK_BEGIN,		/* tlob_window_begin: t2. Of a region: tlob_place_boundary */
	MARK_END,		/* tlob_window_end: t3. Of a region: tlob_slot_close */
	NR_MARKS,
};

/* Code as QEMU has translated it. It never goes away: the visits point to it. */
struct block {
	uint64_t address;
	uint32_t n;			/* instructions */
	enum ending ending;		/* of the last one */
	enum mark mark;
	uint16_t offset[];		/* of each instruction, and of the end */
};

/*
 * @addresses: by enum mark; a region has no MARK_ARM and no MARK_FIRE, 0. @wakes: `wake` of each window of the run in ns, by which a window is
 * cut whose CPU was not idle at the expiry; kept. Returns 0.
 */
int windows_init(FILE *out, const uint64_t addresses[NR_MARKS],
		 const uint64_t *wakes, unsigned long n);

enum mark mark_of(uint64_t address);

/* Before the first instruction of @b. @executed: instructions before it, from any start. */
void block_begins(const struct block *b, uint64_t executed);

/* An access of @size bytes, by the block that began last. */
void memory_accessed(uint64_t address, unsigned int size);

/* The number of complete windows, also of those that are given up. */
unsigned long windows_seen(void);

/* Writes the end. 0, -EIO or -ENOMEM: the file is not to be used. */
int windows_finish(void);

#endif /* TLOB_PLUGIN_WINDOW_H */
