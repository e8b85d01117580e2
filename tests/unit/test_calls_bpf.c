// SPDX-License-Identifier: GPL-2.0
/* test_calls.c with the calls as BPF programs have them: indexes, and a shorter list. */
#define TLOB_SPLIT_BPF
#include "test_calls.c"
