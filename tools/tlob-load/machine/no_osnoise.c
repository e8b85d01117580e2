// SPDX-License-Identifier: GPL-2.0
/* A tool that is built without libtracefs cannot see who uses osnoise. */
#ifdef TLOB_LACKS
#include "machine/osnoise.h"

bool osnoise_user(char *who, size_t size)
{
	(void)who;
	(void)size;
	return false;
}
#endif
