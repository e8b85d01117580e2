/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the longest wait of a window, as put_attach_wait() writes it. */
#ifndef TLOB_READ_WAIT_H
#define TLOB_READ_WAIT_H

#include "result/attach_wait.h"
#include "util/json_read.h"

/* Whether @parent has the key, which may be null. Older files do not, nor those without --waits. */
bool wait_is_there(struct json_object *parent);

/* Reads it to @wait, which was zeroed. False: there is none. Then attach_wait_clear(). */
bool read_window_wait(struct reader *rd, struct json_object *parent, struct attach_wait *wait);

#endif /* TLOB_READ_WAIT_H */
