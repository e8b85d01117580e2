// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "waits/of_windows.h"

#define STACKS_FROM_NS	50000		/* as the module's, in windows */

int attach_profile_open(struct attach_profile *p, const struct control *c)
{
	char *status;
	bool is_on;
	int err = control_read(c, "status", &status);

	if (err)
		return err;
	is_on = strstr(status, "waits: on ");
	free(status);
	if (is_on)
		return fail(-EBUSY, "--waits: the wait profiler is in use: end it, for example by writing 'off' to the file waits");
	err = wait_profile_init(&p->profile);
	if (err)
		return err;
	p->source.backend = &wait_backend_tlob;
	return wait_records_open(&p->source.records, c);
}

int attach_profile_begin(struct attach_profile *p, const struct wait_backend *backend,
			 struct wait_scope *scope)
{
	int err = wait_profile_init(&p->profile);

	if (err)
		return err;
	scope->threshold_ns = STACKS_FROM_NS;
	p->source.backend = backend;
	err = backend->open(&p->source, scope);
	return err ? err : backend->on(&p->source, scope);
}

void attach_profile_close(struct attach_profile *p)
{
	if (p->source.backend)
		p->source.backend->close(&p->source);
	p->source.backend = NULL;
	wait_profile_free(&p->profile);
}

static int read_records(struct attach_profile *p)
{
	return p->source.backend->read(&p->source, wait_profile_take_copy, &p->profile);
}

int attach_profile_take(struct attach_profile *p)
{
	const struct wait_backend *backend = p->source.backend;
	int err;

	if (!backend)
		return 0;
	err = backend->take(&p->source, wait_profile_take_copy, &p->profile);
	if (err || !wait_profile_is_full(&p->profile))
		return err;
	err = read_records(p);
	if (!err)
		wait_profile_forget(&p->profile, &p->source.records);
	return err;
}

static const struct tlob_wait_stack *find_stack(const struct attach_profile *p, uint64_t id)
{
	size_t i;

	for (i = 0; i < p->source.records.nstack; i++)
		if (p->source.records.stack[i].id == id)
			return &p->source.records.stack[i];
	return NULL;
}

static int take_frames(struct attach_wait *to, const struct wait_frame **frame, size_t nkernel,
		       size_t n)
{
	to->frame = calloc(n + 1, sizeof(*to->frame));
	if (!to->frame)
		return -ENOMEM;
	for (; to->nframe < n; to->nframe++) {
		struct attach_frame *f = &to->frame[to->nframe];

		f->kernel = to->nframe < nkernel;
		f->name = strdup(frame[to->nframe]->name);
		if (!f->name)
			return -ENOMEM;
	}
	return 0;
}

/* A stack that the last snapshot does not have is newer. One that a reset has taken is gone. */
static int look_up(struct attach_profile *p, uint64_t id, struct attach_wait *to)
{
	const struct wait_frame *frame[WAIT_PATH_FRAMES];
	const struct tlob_wait_stack *s = find_stack(p, id);
	size_t nkernel, n;
	int err = 0;

	if (!s) {
		err = read_records(p);
		s = find_stack(p, id);
	}
	if (err || !s)
		return err;
	n = wait_profile_frames(&p->profile, s, frame, &nkernel);
	return take_frames(to, frame, nkernel, n) ? fail(-ENOMEM, "out of memory") : 0;
}

int attach_profile_name(void *profile, const struct tlob_window_wait *w, struct attach_wait *to)
{
	struct attach_profile *p = profile;
	int err = 0;

	*to = (struct attach_wait){ .ns = 0 };
	if (!p->source.backend || !w->ns)
		return 0;
	to->ns = w->ns;
	to->waker = w->waker;
	if (w->stack)
		err = look_up(profile, w->stack, to);
	if (err)
		attach_wait_clear(to);
	return err;
}
