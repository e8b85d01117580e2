// SPDX-License-Identifier: GPL-2.0
/* `attach`, `waits` and `run --waits` of a tool that is built without the backend tlob. */
#ifdef TLOB_LACKS
#include <errno.h>

#include "machine/control.h"
#include "options/command.h"
#include "waits/of_windows.h"

const struct command cmd_attach = {
	.manual = &manual_attach,
	.lacks = "attach needs the module, and this tlob-load was built without " TLOB_LACKS,
};

const struct command cmd_waits = {
	.manual = &manual_waits,
	.lacks = "waits needs the module or BPF, and this tlob-load was built without " TLOB_LACKS,
};

/*
 * No backend here has --waits, so run has refused it. What it calls without --waits does
 * nothing, and the others are never called.
 */
int control_find(struct control *c)
{
	(void)c;
	return -EOPNOTSUPP;
}

void control_free(struct control *c)
{
	(void)c;
}

int attach_profile_open(struct attach_profile *p, const struct control *c)
{
	(void)p;
	(void)c;
	return -EOPNOTSUPP;
}

int attach_profile_take(struct attach_profile *p)
{
	(void)p;
	return 0;
}

void attach_profile_close(struct attach_profile *p)
{
	(void)p;
}

int attach_profile_name(void *profile, const struct tlob_window_wait *w, struct attach_wait *to)
{
	(void)profile;
	(void)w;
	(void)to;
	return -EOPNOTSUPP;
}
#endif
