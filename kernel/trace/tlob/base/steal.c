// SPDX-License-Identifier: GPL-2.0
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/io.h>

#include "arch.h"
#include "steal.h"

const u64 tlob_no_steal;

static bool tlob_steal_counts __ro_after_init;

void __init tlob_steal_init(void)
{
	tlob_steal_counts = tlob_arch_counts_steal();
}

noinline __noclone u64 tlob_steal_told(void)
{
	return tlob_steal_counts ? tlob_arch_steal() : 0;
}

const u64 *tlob_steal_find(void)
{
	u64 told = tlob_steal_told();

	return told & 1 ? phys_to_virt(told & ~1ULL) : &tlob_no_steal;
}
