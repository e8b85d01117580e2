// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>

#include "attach/act.h"
#include "machine/actions.h"
#include "result/attach_result.h"
#include "result/tables.h"
#include "util/error.h"
#include "util/printable.h"
#include "util/time.h"

/* Names that cannot configure a tlob-load which the command starts. */
static void set_variables(struct action_env *env, const struct tlob_task_window *w)
{
	char name[PRINTABLE_NAME];

	action_env_add(env, "TLOB_WINDOW_CONDITION=violations>0");
	action_env_add(env, "TLOB_WINDOW_NAME=%s", printable(name, w->comm, sizeof(w->comm)));
	action_env_add(env, "TLOB_WINDOW_TID=%" PRIu32, w->tid);
	action_env_add(env, "TLOB_WINDOW_PID=%" PRIu32, w->tgid);
	action_env_add(env, "TLOB_WINDOW_START_NS=%" PRIu64, (uint64_t)w->start_ns);
	action_env_add(env, "TLOB_WINDOW_ELAPSED_NS=%" PRIu64, (uint64_t)w->elapsed_ns);
	action_env_add(env, "TLOB_WINDOW_BUDGET_NS=%" PRIu64, (uint64_t)w->threshold_ns);
}

int act_region(struct actions *a, const struct attach_result *r, const struct kept_region *k)
{
	struct action_env env = { .n = 0 };

	if (!actions_want(a, now_ns()))
		return 0;
	set_variables(&env, &k->w);
	return actions_take(a, &region_record, k, r->functions, &env);
}

int act_region_finish(struct actions *a, struct attach_result *r)
{
	char news[ACTIONS_NEWS];

	actions_finish(a);
	if (!*actions_news(a, news) || !notes_add(&r->notes, "%s", news))
		return 0;
	return fail(-ENOMEM, "out of memory");
}
