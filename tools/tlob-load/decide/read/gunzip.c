// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#ifdef TLOB_ZLIB
#include <zlib.h>
#endif

#include "read/gunzip.h"

bool gunzip_is(const char *bytes, size_t n)
{
	return n > 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

#ifdef TLOB_ZLIB
#define GZIP	(16 + MAX_WBITS)	/* with its header, for inflateInit2() */

/* Makes room for twice as much, at most @most. 0 or -errno. */
static int grow(char **text, size_t *room, size_t most)
{
	size_t more = *room * 2 < most ? *room * 2 : most;
	char *moved = *room < most ? realloc(*text, more + 1) : NULL;

	if (!moved)
		return *room < most ? -ENOMEM : -EFBIG;
	*text = moved;
	*room = more;
	return 0;
}

int gunzip(const char *bytes, size_t n, size_t most, char **text, size_t *length)
{
	z_stream z = { .next_in = (unsigned char *)bytes, .avail_in = (unsigned int)n };
	size_t room = n * 4 < most ? n * 4 : most, used = 0;
	char *out = malloc(room + 1);
	int err = out && inflateInit2(&z, GZIP) == Z_OK ? 0 : -ENOMEM, state = Z_OK;

	while (!err && (state == Z_OK || z.avail_in)) {
		/* the next of several that were written one after the other */
		if (state == Z_STREAM_END)
			inflateReset(&z);
		if (used == room)
			err = grow(&out, &room, most);
		if (err)
			break;
		z.next_out = (unsigned char *)out + used;
		z.avail_out = (unsigned int)(room - used);
		state = inflate(&z, Z_NO_FLUSH);
		used = room - z.avail_out;
		if (state != Z_OK && state != Z_STREAM_END)
			err = -EBADMSG;
	}
	inflateEnd(&z);
	if (err) {
		free(out);
		return err;
	}
	out[used] = 0;
	*text = out;
	*length = used;
	return 0;
}
#else
int gunzip(const char *bytes, size_t n, size_t most, char **text, size_t *length)
{
	(void)bytes;
	(void)n;
	(void)most;
	(void)text;
	(void)length;
	return -EOPNOTSUPP;
}
#endif
