/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Enable bits: words of this program that the kernel sets while the monitor is on.
 * A bit whose page is not there when the monitor is switched comes a little later,
 * so the tests wait for it; one that is there is right at once.
 */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MS	1000000ULL
#define PATIENCE	(10000 * MS)
#define BIT	5
#define OTHERS	0x80000001U	/* bits of the word that are the program's */

/* /dev/tlob, open; the monitor is off, whatever a test left. */
int  words_begin(void);
/* Of a register or unregister: 0, or -1 and errno. */
int  enroll(const void *addr, unsigned int bit);
int  leave(const void *addr, unsigned int bit);

uint32_t load(const uint32_t *word);
/* The kernel's last try is after a second; but a busy host may stop the guest. */
void check_comes(const uint32_t *word, uint32_t value);
uint32_t *pages(size_t n, int prot);

/* A field of the words' line in `status`. */
uint64_t counter(const char *name);
/* It gets there, and not beyond. */
void check_counter(const char *name, uint64_t value);

/* Waits for a child that must end with 0. */
void reap(pid_t pid);

#endif /* WORDS_H */
