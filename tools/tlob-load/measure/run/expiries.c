// SPDX-License-Identifier: GPL-2.0
#include "result/result.h"
#include "run/expiries.h"

uint64_t expiries_before(const struct cpu_grid *g, uint64_t end_ns)
{
	return end_ns > g->start_ns ?
	       (end_ns - g->start_ns - 1) / g->period_ns : 0;
}

/*
 * The kernel closes the CPU after @end_ns, so it may have counted more expiries.
 * They were also due.
 */
void expiries_account(struct result_cpu *c, const struct cpu_grid *g,
		      uint64_t end_ns)
{
	uint64_t due = expiries_before(g, end_ns), counted;

	c->startup = g->first ? g->first - 1 : due;
	counted = c->startup + c->warm_up + c->warm_up_missed + c->windows +
		  c->missed;
	c->due = due > counted ? due : counted;
	c->unaccounted = c->due - counted;
}
