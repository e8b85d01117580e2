/* SPDX-License-Identifier: GPL-2.0 */
/* The CPUs of a result file. */
#ifndef TLOB_READ_CPUS_H
#define TLOB_READ_CPUS_H

#include "read/pieces.h"
#include "result/result.h"

/*
 * Reads the CPUs, the elements of the list "cpu", into @r->cpu, with the sets @rd->about. A large file is read
 * by as many threads as this process has CPUs, 8 at most, which have ended when this
 * returns. Errors are left in @rd: the first one in the order of the file.
 */
void read_cpus(struct reader *rd, const struct piece *piece, size_t n, struct result *r);

#endif /* TLOB_READ_CPUS_H */
