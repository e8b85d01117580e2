/* SPDX-License-Identifier: GPL-2.0 */
/* Arrays that grow, and sorted ones. */
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

/*
 * The first number @i below @n for which @holds, an expression of @i, is true; @n: none. It must
 * also be true for all numbers behind it, as in a sorted array.
 */
#define array_first(i, n, holds) ({					\
	size_t low_ = 0, high_ = (n);					\
	while (low_ < high_) {						\
		size_t i = low_ + (high_ - low_) / 2;			\
		if (holds)						\
			high_ = i;					\
		else							\
			low_ = i + 1;					\
	}								\
	low_;								\
})

#endif /* TLOB_UTIL_ARRAY_H */
