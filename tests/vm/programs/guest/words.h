/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Enable bits: the kernel sets them in words of this program while the monitor is on.
 * A bit in a present page changes at once. Any other waits until its page is faulted in,
 * so the tests wait with check_comes().
 */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MS	1000000ULL
#define BIT	5
#define OTHERS	0x80000001U	/* the program's own bits of the word */

/* Opens /dev/tlob and switches the monitor off. */
int  words_begin(void);
/* Only /dev/tlob: what another user does instead. */
int  words_open(void);
/* Registers or unregisters: 0, or -1 and errno. */
int  enroll(const void *addr, unsigned int bit);
int  leave(const void *addr, unsigned int bit);

uint32_t load(const uint32_t *word);
/* Waits for PATIENCE, which is longer than the kernel tries (a second). */
void check_comes(const uint32_t *word, uint32_t value);
uint32_t *pages(size_t n, int prot);

/* A field of the words' line in `status`. */
uint64_t counter(const char *name);
/* Waits until the counter has the value. */
void check_counter(const char *name, uint64_t value);

#endif /* WORDS_H */
