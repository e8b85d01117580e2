// SPDX-License-Identifier: GPL-2.0
/* The data that a run keeps of each window beyond its record. beside.h has the rules. */
#include <linux/bug.h>
#include <linux/kernel.h>

#include "beside.h"
#include "window.h"

const struct tlob_beside *tlob_besides[5] = { &tlob_timelines_beside, &tlob_lates_beside };

void tlob_beside_add(const struct tlob_beside *b)
{
	unsigned int i = 0;

	while (tlob_besides[i])
		i++;
	if (!WARN_ON(i + 1 >= ARRAY_SIZE(tlob_besides)))
		tlob_besides[i] = b;
}

static bool tlob_beside_is_kept(const struct tlob_beside *b)
{
	return !b->wanted || b->wanted();
}

bool tlob_beside_is_wanted(void)
{
	const struct tlob_beside *b, **i;

	tlob_for_each_beside(b, i)
		if (b->wanted && b->wanted())
			return true;
	return false;
}

bool tlob_beside_needs_order(void)
{
	const struct tlob_beside *b, **i;

	tlob_for_each_beside(b, i)
		if (b->ordered && b->wanted())
			return true;
	return false;
}

size_t tlob_beside_bytes(void)
{
	const struct tlob_beside *b, **i;
	size_t bytes = 0;

	tlob_for_each_beside(b, i)
		if (tlob_beside_is_kept(b))
			bytes += b->bytes();
	return bytes;
}

/* Returns 0, or the error of the first that fails; then none is attached. */
int tlob_beside_attach(void)
{
	const struct tlob_beside *b, **i;
	int err = 0;

	tlob_for_each_beside(b, i)
		if (!err && b->attach && b->wanted())
			err = b->attach();
	if (err)
		tlob_beside_detach();
	return err;
}

void tlob_beside_detach(void)
{
	const struct tlob_beside *b, **i;

	tlob_for_each_beside(b, i)
		if (b->detach && b->wanted())
			b->detach();
}

int tlob_beside_alloc(struct tlob_cpu *c, int node)
{
	const struct tlob_beside *b, **i;
	int err;

	tlob_for_each_beside(b, i) {
		err = tlob_beside_is_kept(b) ? b->alloc(c, node) : 0;
		if (err)
			return err;
	}
	return 0;
}

/* tlob_beside_NAME(): calls NAME() of each that has one. */
#define TLOB_BESIDE_ALL(_name, _parameters, ...)			\
void tlob_beside_##_name _parameters					\
{									\
	const struct tlob_beside *b, **i;				\
									\
	tlob_for_each_beside(b, i)					\
		if (b->_name)						\
			b->_name(__VA_ARGS__);				\
}

TLOB_BESIDE_ALL(free, (struct tlob_cpu *c), c)
TLOB_BESIDE_ALL(forget, (struct tlob_cpu *c), c)
TLOB_BESIDE_ALL(begin, (struct tlob_cpu *c), c)
TLOB_BESIDE_ALL(close, (struct tlob_cpu *c), c)
TLOB_BESIDE_ALL(write, (struct tlob_cpu *c, u64 activation, bool warm_up), c, activation, warm_up)
TLOB_BESIDE_ALL(end, (const struct tlob_cpu *c), c)
TLOB_BESIDE_ALL(exited, (struct tlob_cpu *c, pid_t pid), c, pid)
