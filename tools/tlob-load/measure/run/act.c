// SPDX-License-Identifier: GPL-2.0
#include "machine/actions.h"
#include "options/run_config.h"
#include "result/tables.h"
#include "run/act.h"

const char *act_condition(const struct run_config *o, const struct tlob_window *w,
			  const struct window_functions *f)
{
	unsigned int i;

	for (i = 0; i < o->nact_on && !(w->flags & TLOB_WINDOW_WARM_UP); i++)
		if (condition_window_functions(&o->act_on[i], w, f))
			return o->act_on[i].text;
	return NULL;
}

int act_window(struct actions *a, const struct result *r, const struct kept_window *k,
	       const char *condition)
{
	const struct tlob_window *w = &k->w;

	/* names that cannot configure a tlob-load which the command starts */
	return actions_at(a, &window_record, k, r->functions,
			  "TLOB_WINDOW_CPU=%u\nTLOB_WINDOW_ACTIVATION=%llu\nTLOB_WINDOW_T0_NS=%llu\n"
			  "TLOB_WINDOW_WAKE_NS=%llu\nTLOB_WINDOW_RESPONSE_NS=%llu\n"
			  "TLOB_WINDOW_BUDGET_NS=%llu\nTLOB_WINDOW_CONDITION=%s\n"
			  "TLOB_WINDOW_FUNCTION=%s\nTLOB_WINDOW_ENTRY=%s",
			  w->cpu, w->activation, w->t0_ns, w->wake_ns, w->response_ns, w->budget_ns, condition,
			  k->kept.place.function, k->kept.place.entry);
}
