// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>

#include "result/causes.h"
#include "result/parts.h"
#include "result/result.h"
#include "run/lates.h"
#include "util/error.h"

void lates_free(struct lates *l)
{
	late_names_end(&l->names);
	free(l->at);
	*l = (struct lates){ .n = 0 };
}

struct late *lates_add(struct lates *l, const struct late *late)
{
	size_t room = l->room ? 2 * l->room : 16;
	struct late *at;

	if (l->n == l->room) {
		at = reallocarray(l->at, room, sizeof(*at));
		if (!at) {
			fail(-ENOMEM, "out of memory");
			return NULL;
		}
		l->at = at;
		l->room = room;
	}
	l->at[l->n] = *late;
	return &l->at[l->n++];
}

void lates_counts(struct lates *l, const struct tlob_window *w)
{
	size_t n;

	for (n = 0; n < l->n; n++)
		if (window_is_same(&l->at[n].of.w, w))
			l->at[n].counts = true;
}

struct kernel_place lates_place(struct lates *l, const struct late *late)
{
	struct kernel_place place = { .function = "" };
	struct cause cause;

	if (cause_of(&cause, &late->of.w, late->usual_ns))
		late_names_place(&l->names, &cause, &late->of.stacks, &place);
	return place;
}

static void settle(struct lates *l, const struct late *late, struct result *r,
		   struct kept_window *stopped)
{
	const struct tlob_window *w = &late->of.w;
	struct kept_window *worst = result_worst_of(r, w);
	struct kernel_place place;
	struct cause cause;

	/* a thread that counts by itself does not know of it: no function kept the CPU */
	if (worst && worst->w.flags & WINDOW_CONTINUED)
		return;
	place = lates_place(l, late);
	if (!place_is_known(&place))
		return;
	if (w->flags & TLOB_WINDOW_VIOLATION && cause_of(&cause, w, late->usual_ns))
		causes_place(&r->places, &cause, &place);
	if (worst)
		worst->kept.place = place;
	if (stopped && window_is_same(&stopped->w, w))
		stopped->kept.place = place;
}

int lates_settle(struct lates *l, bool may_read, struct result *r, struct kept_window *stopped)
{
	size_t n, left = 0;

	if (!l->names.read && !may_read && l->n < LATES_MOST)
		return 0;
	for (n = 0; n < l->n; n++)
		if (l->at[n].counts)
			settle(l, &l->at[n], r, stopped);
		else
			l->at[left++] = l->at[n];
	l->n = left;
	if (late_names_note(&l->names) && result_note(r, LATE_NAMES_HIDDEN))
		return fail(-ENOMEM, "out of memory");
	return 0;
}
