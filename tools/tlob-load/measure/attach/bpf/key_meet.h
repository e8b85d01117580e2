/* SPDX-License-Identifier: GPL-2.0 */
/* Pure C: whose time a window has that begins on one thread and ends on another. key.h has the rules. */
#ifndef TLOB_ATTACH_BPF_KEY_MEET_H
#define TLOB_ATTACH_BPF_KEY_MEET_H

#include <stdbool.h>
#include <linux/types.h>

struct key_times {
	__u64	start, end;		/* of the window */
	__u64	until;			/* the first thread worked for it from @start on; @start: not known */
	__u64	on_cpu;			/* of that time */
	__u64	anchor, stretch;	/* the second one began to work, and its present stretch; up to @end */
};

struct key_meet {
	bool	first;			/* the time of the first thread counts ... */
	__u64	both;			/* ... but for so much, on its CPU, in which the second one worked */
	bool	before;			/* the second one's time before its present stretch counts, and that */
	bool	second;			/* that stretch counts */
	__u64	elsewhere;
};

static inline void key_meet(struct key_meet *m, const struct key_times *t)
{
	__u64 begins = t->stretch, until = t->until;

	m->second = true;
	m->before = t->anchor >= t->start && (until <= t->anchor || until > t->stretch);
	if (m->before) {
		begins = t->anchor;
	} else if (begins < t->start) {
		/* it worked for others before: since when for this one is not known */
		m->second = false;
		begins = t->end;
	}
	m->both = until > begins ? until - begins : 0;
	m->first = until > t->start && m->both <= t->on_cpu;
	if (!m->first) {
		m->both = 0;
		until = t->start;
	}
	m->elsewhere = begins > until ? begins - until : 0;
}

#endif /* TLOB_ATTACH_BPF_KEY_MEET_H */
