/* SPDX-License-Identifier: GPL-2.0 */
/* Arrays that grow. */
#ifndef TLOB_UTIL_ARRAY_H
#define TLOB_UTIL_ARRAY_H

#include <stdlib.h>

static inline void *array_grown(void *array, size_t size, size_t *room)
{
	size_t more = *room ? 2 * *room : 64;

	array = reallocarray(array, more, size);
	if (array)
		*room = more;
	return array;
}

/*
 * A pointer to @array[@n], for which @array is moved if its @room (a size_t that starts with 0)
 * is used up. NULL: out of memory, @array is as it was.
 */
#define array_add(array, n, room) ({					\
	void *grown_ = (n) < (room) ? (array) :				\
		       array_grown((array), sizeof(*(array)), &(room));	\
	if (grown_)							\
		(array) = grown_;					\
	grown_ ? &(array)[n] : NULL;					\
})

#endif /* TLOB_UTIL_ARRAY_H */
