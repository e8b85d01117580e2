// SPDX-License-Identifier: GPL-2.0
#include "backend/config.h"
#include "cmd/run_profile.h"
#include "result/attach_wait.h"

static int name_wait(void *namer, const struct tlob_window_wait *w, struct attach_wait *to)
{
	struct run_profile *p = namer;

	return attach_profile_name(&p->profile, w, to);
}

int run_profile_open(struct run_profile *p, struct collector *c)
{
	int err;

	if (!c->config->waits)
		return 0;
	c->name_wait = name_wait;
	c->namer = p;
	err = control_find(&p->control);
	return err ? err : attach_profile_open(&p->profile, &p->control);
}

int run_profile_take(struct run_profile *p)
{
	return attach_profile_take(&p->profile);
}

void run_profile_close(struct run_profile *p)
{
	attach_profile_close(&p->profile);
	control_free(&p->control);
}
