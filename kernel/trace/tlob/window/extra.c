// SPDX-License-Identifier: GPL-2.0
/* The data that a run keeps of each window beyond its record. extra.h has the rules. */
#include <linux/bug.h>
#include <linux/kernel.h>

#include "extra.h"
#include "window.h"

const struct tlob_extra *tlob_extras[5] = { &tlob_timelines_extra, &tlob_lates_extra };

void tlob_extra_add(const struct tlob_extra *e)
{
	unsigned int i = 0;

	while (tlob_extras[i])
		i++;
	if (!WARN_ON(i + 1 >= ARRAY_SIZE(tlob_extras)))
		tlob_extras[i] = e;
}

static bool tlob_extra_is_kept(const struct tlob_extra *e)
{
	return !e->wanted || e->wanted();
}

bool tlob_extra_is_wanted(void)
{
	const struct tlob_extra *e, **i;

	tlob_for_each_extra(e, i)
		if (e->wanted && e->wanted())
			return true;
	return false;
}

bool tlob_extra_needs_order(void)
{
	const struct tlob_extra *e, **i;

	tlob_for_each_extra(e, i)
		if (e->ordered && e->wanted())
			return true;
	return false;
}

size_t tlob_extra_bytes(void)
{
	const struct tlob_extra *e, **i;
	size_t bytes = 0;

	tlob_for_each_extra(e, i)
		if (tlob_extra_is_kept(e))
			bytes += e->bytes();
	return bytes;
}

/* Returns 0, or the error of the first that fails; then none is attached. */
int tlob_extra_attach(void)
{
	const struct tlob_extra *e, **i;
	int err = 0;

	tlob_for_each_extra(e, i)
		if (!err && e->attach && e->wanted())
			err = e->attach();
	if (err)
		tlob_extra_detach();
	return err;
}

void tlob_extra_detach(void)
{
	const struct tlob_extra *e, **i;

	tlob_for_each_extra(e, i)
		if (e->detach && e->wanted())
			e->detach();
}

int tlob_extra_alloc(struct tlob_cpu *c, int node)
{
	const struct tlob_extra *e, **i;
	int err;

	tlob_for_each_extra(e, i) {
		err = tlob_extra_is_kept(e) ? e->alloc(c, node) : 0;
		if (err)
			return err;
	}
	return 0;
}

/* tlob_extra_NAME(): calls NAME() of each that has one. */
#define TLOB_EXTRA_ALL(_name, _parameters, ...)				\
void tlob_extra_##_name _parameters					\
{									\
	const struct tlob_extra *e, **i;				\
									\
	tlob_for_each_extra(e, i)					\
		if (e->_name)						\
			e->_name(__VA_ARGS__);				\
}

TLOB_EXTRA_ALL(free, (struct tlob_cpu *c), c)
TLOB_EXTRA_ALL(forget, (struct tlob_cpu *c), c)
TLOB_EXTRA_ALL(begin, (struct tlob_cpu *c), c)
TLOB_EXTRA_ALL(close, (struct tlob_cpu *c), c)
TLOB_EXTRA_ALL(write, (struct tlob_cpu *c, u64 activation, bool warm_up), c, activation, warm_up)
TLOB_EXTRA_ALL(end, (const struct tlob_cpu *c), c)
TLOB_EXTRA_ALL(exited, (struct tlob_cpu *c, pid_t pid), c, pid)
