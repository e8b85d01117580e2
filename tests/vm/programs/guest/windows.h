/* SPDX-License-Identifier: GPL-2.0 */
/* N windows of a run on CPU 0, each checked for the invariants. */
#ifndef WINDOWS_H
#define WINDOWS_H

#include <stdint.h>

#include <linux/tlob.h>

#define N	200

extern struct tlob_window win[N];

/* A run of kernel threads, which ends when win[] is full. Times in ns. */
void run_kthread(uint64_t period, uint64_t budget, const char *work);

/* A user thread that does @work between its reads. */
void run_user(uint64_t period, uint64_t budget, void (*work)(void));

#endif /* WINDOWS_H */
