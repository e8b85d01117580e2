// SPDX-License-Identifier: GPL-2.0
/* `top` of a tool that is built without ncurses. */
#ifdef TLOB_LACKS_TOP
#include <errno.h>
#include <stddef.h>

#include "report/top.h"
#include "util/error.h"

int top_begin(struct top **top)
{
	*top = NULL;
	return fail(-EOPNOTSUPP, "top needs ncurses, and this tlob-load was built without " TLOB_LACKS_TOP);
}

void top_end(struct top *top)
{
	(void)top;
}

bool top_keys(struct top *top, const struct snapshot *s)
{
	(void)top;
	(void)s;
	return true;
}

void top_draw(struct top *top, const struct snapshot *s)
{
	(void)top;
	(void)s;
}

bool top_is_paused(const struct top *top)
{
	(void)top;
	return false;
}
#endif
