// SPDX-License-Identifier: GPL-2.0
/* The chains behind waits of threads that attach watches. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach/watch_bpf_local.h"
#include "result/kept.h"
#include "util/error.h"

int watch_bpf_chain_choose(struct watch_bpf_run *run)
{
	bool can = chain_can();

	run->lacks_chain |= run->has_chain && !can;
	run->has_chain &= can;
	return run->older ? 0 : chain_choose(run->object, run->has_chain, run->chain_all, WATCH_CPUS, &run->chain);
}

int watch_bpf_chain_map(struct watch_bpf_run *run)
{
	run->chain.seq = (const uint64_t *)&run->shared->cpu[0].chain_seq;
	run->chain.stride = sizeof(run->shared->cpu[0]) / sizeof(uint64_t);
	return chain_map(run->object, &run->chain);
}

int watch_bpf_chain_take(const struct watch_bpf_run *run, struct attach_wait *wait)
{
	struct chain_segment found[CHAIN_SEGMENTS];
	size_t n = chain_walk(&run->chain, &run->chain_of, found, CHAIN_SEGMENTS);

	if (!n)
		return 0;
	wait->chain = calloc(n, sizeof(*found));
	if (!wait->chain)
		return fail(-ENOMEM, "out of memory");
	memcpy(wait->chain, found, n * sizeof(*found));
	wait->nchain = n;
	return 0;
}
