// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>

#include "backend/config.h"
#include "machine/actions.h"
#include "result/tables.h"
#include "run/act.h"
#include "util/error.h"
#include "util/time.h"

const char *act_condition(const struct run_config *o, const struct tlob_window *w,
			  const struct window_functions *f)
{
	unsigned int i;

	for (i = 0; i < o->nact_on && !(w->flags & TLOB_WINDOW_WARM_UP); i++)
		if (condition_window_functions(&o->act_on[i], w, f))
			return o->act_on[i].text;
	return NULL;
}

/* Names that cannot configure a tlob-load which the command starts. */
static void set_variables(struct action_env *env, const struct tlob_window *w, const char *condition)
{
	action_env_add(env, "TLOB_WINDOW_CONDITION=%s", condition);
	action_env_add(env, "TLOB_WINDOW_CPU=%" PRIu32, w->cpu);
	action_env_add(env, "TLOB_WINDOW_ACTIVATION=%" PRIu64, (uint64_t)w->activation);
	action_env_add(env, "TLOB_WINDOW_T0_NS=%" PRIu64, (uint64_t)w->t0_ns);
	action_env_add(env, "TLOB_WINDOW_WAKE_NS=%" PRIu64, (uint64_t)w->wake_ns);
	action_env_add(env, "TLOB_WINDOW_RESPONSE_NS=%" PRIu64, (uint64_t)w->response_ns);
	action_env_add(env, "TLOB_WINDOW_BUDGET_NS=%" PRIu64, (uint64_t)w->budget_ns);
}

int act_window(struct actions *a, const struct result *r, const struct kept_window *k,
	       const char *condition)
{
	struct action_env env = { .n = 0 };

	if (!actions_want(a, now_ns()))
		return 0;
	set_variables(&env, &k->w, condition);
	return actions_take(a, &window_record, k, r->functions, &env);
}

int act_finish(struct actions *a, struct result *r)
{
	char news[ACTIONS_NEWS];

	actions_finish(a);
	if (!*actions_news(a, news) || !result_note(r, "%s", news))
		return 0;
	return fail(-ENOMEM, "out of memory");
}
