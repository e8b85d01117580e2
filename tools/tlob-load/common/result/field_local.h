/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by reading and writing by tables of fields. */
#ifndef TLOB_RESULT_FIELD_LOCAL_H
#define TLOB_RESULT_FIELD_LOCAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/field.h"

/* A number without sign in 1, 2, 4 or 8 bytes. */
uint64_t number_load(const void *at, size_t size);
void	 number_store(void *at, size_t size, uint64_t value);

/* The value of a member that is a pointer. */
void	*field_pointer(const struct field *f, const void *data);

/* Whether its key is written, and with a value. */
enum presence field_presence(const struct field *f, const void *data);

/* Returns true if @f's mask says that word @i is not measured. */
bool	 field_lacks(const struct field *f, const void *data, unsigned int i);

#endif /* TLOB_RESULT_FIELD_LOCAL_H */
