// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "options/backend_names.h"

#define NAME_TEXT(name)	#name,

static const char * const names[] = { BACKEND_AUTO, BACKENDS(NAME_TEXT) };

#define NR_NAMES	(sizeof(names) / sizeof(names[0]))

const char *backend_names(void)
{
	static char text[64];
	size_t i, n = 0;

	for (i = 0; i < NR_NAMES && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s",
				      !i ? "" : i + 1 < NR_NAMES ? ", " : " or ",
				      names[i]);
	return text;
}
