/* SPDX-License-Identifier: GPL-2.0 */
/* Of split_cursor.h, for programs that keep no timeline and no functions. */
#ifndef TLOB_BACKEND_BPF_NO_TRACK_H
#define TLOB_BACKEND_BPF_NO_TRACK_H

static inline struct tlob_track *tlob_split_find_track(const struct tlob_split *s)
{
	return NULL;
}

static inline struct tlob_calls *tlob_split_find_calls(const struct tlob_split *s)
{
	return NULL;
}

#endif /* TLOB_BACKEND_BPF_NO_TRACK_H */
