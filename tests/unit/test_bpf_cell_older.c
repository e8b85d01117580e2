// SPDX-License-Identifier: GPL-2.0
/* The same of the programs for kernels before 5.19, whose mailbox has no atomics. */
#define TLOB_BPF_OLDER
#include "test_bpf_cell.c"
