// SPDX-License-Identifier: GPL-2.0
/* The module's late windows and their stacks: per_cpu/cpuN/late_windows. */
#include <errno.h>
#include <stdlib.h>

#include "backend/late_names.h"
#include "backend/tlob.h"
#include "backend/tlob_rings.h"
#include "util/error.h"

struct tlob_late_reader {
	struct late_names names;
	struct tlob_rings *rings;
};

int tlob_late_begin(struct backend_run *b)
{
	struct tlob_late_reader *l = calloc(1, sizeof(*l));

	if (!l)
		return fail(-ENOMEM, "out of memory");
	tlob_of(b)->late_reader = l;
	return late_names_begin(&l->names);
}

int tlob_late_open(struct backend_run *b)
{
	return tlob_rings_open(&tlob_of(b)->late_reader->rings, b, "late_windows",
			       sizeof(struct tlob_late_window));
}

int tlob_late_find(struct backend_run *b, size_t i, const struct tlob_window *w,
		   uint64_t usual_ns, struct late_window *to)
{
	struct tlob_late_reader *l = tlob_of(b)->late_reader;
	const struct tlob_late_window *found;
	int err;

	found = w ? tlob_rings_find(l->rings, i, w) : tlob_rings_next(l->rings, i);
	if (!found)
		return 0;
	err = late_names_find(&l->names, b, &found->window, &found->late, usual_ns, to);
	return err ? err : 1;
}

void tlob_late_close(struct backend_run *b)
{
	struct tlob_late_reader *l = tlob_of(b)->late_reader;

	if (!l)
		return;
	tlob_rings_close(l->rings);
	late_names_end(&l->names);
	free(l);
	tlob_of(b)->late_reader = NULL;
}
