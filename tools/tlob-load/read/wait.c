// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "blocked/names.h"
#include "read/read.h"
#include "read/wait.h"
#include "read/window.h"

static void read_waker(struct reader *rd, struct json_object *parent, struct tlob_wait_waker *w)
{
	struct json_object *o = reader_object(rd, parent, "woken_by"), *known;
	size_t place = reader_enter(rd, "woken_by", -1);

	w->kind = reader_choice(rd, o, "kind", waker_kinds, TLOB_WAKER_NMI + 1);
	if (o && json_object_object_get_ex(o, "tid", &known)) {
		read_name(rd, o, "name", w->comm);
		w->tid = reader_u32(rd, o, "tid");
		w->tgid = reader_u32(rd, o, "pid");
	}
	reader_leave(rd, place);
}

static void read_frames(struct reader *rd, struct json_object *parent, struct attach_wait *wait)
{
	struct json_object *list = reader_list(rd, parent, "frames", ATTACH_WAIT_FRAMES), *o;
	size_t n = list ? json_object_array_length(list) : 0, place;

	wait->frame = calloc(n + 1, sizeof(*wait->frame));
	if (!wait->frame)
		reader_fail(rd, "", "out of memory");
	for (; wait->frame && wait->nframe < n; wait->nframe++) {
		struct attach_frame *frame = &wait->frame[wait->nframe];

		place = reader_enter(rd, "frames", (int)wait->nframe);
		o = reader_object_at(rd, list, wait->nframe);
		frame->name = read_text(rd, o, "name", false);
		frame->kernel = reader_bool(rd, o, "kernel");
		reader_leave(rd, place);
		if (!frame->name)
			return;
	}
}

bool wait_is_there(struct json_object *parent)
{
	return parent && json_object_object_get_ex(parent, "wait", NULL);
}

bool read_window_wait(struct reader *rd, struct json_object *parent, struct attach_wait *wait)
{
	struct json_object *o;
	size_t place;

	if (!parent || !json_object_object_get_ex(parent, "wait", &o) || !o)
		return false;
	o = reader_object(rd, parent, "wait");
	place = reader_enter(rd, "wait", -1);
	wait->ns = reader_u64(rd, o, "ns");
	if (!wait->ns)
		reader_fail(rd, "ns", "is 0");
	read_waker(rd, o, &wait->waker);
	read_frames(rd, o, wait);
	reader_leave(rd, place);
	return true;
}
