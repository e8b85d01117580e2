// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>

#include "backend/late_names.h"
#include "culprit/culprit.h"
#include "late_limit.h"
#include "result/kept.h"
#include "result/result.h"

#define KALLSYMS	"/proc/kallsyms"

_Static_assert(TLOB_LATE_WORST == RESULT_WORST, "the windows that are kept have stacks");

int late_names_begin(struct late_names *n)
{
	return access(KALLSYMS, R_OK) ? 0 : ksyms_load(&n->ksyms, KALLSYMS);
}

void late_names_end(struct late_names *n)
{
	ksyms_free(&n->ksyms);
}

void late_names_looked(struct tlob_late *stacks, uint64_t looked)
{
	unsigned int i;

	for (i = 0; i < TLOB_NR_LATE; i++)
		if (!(looked & 1U << i))
			stacks->at[i].pid = 0;
}

void late_names_place(const struct late_names *n, const struct cause *cause,
		      const struct tlob_late *stacks, struct kernel_place *to)
{
	culprit_place(to, cause, stacks, &n->ksyms);
}

/* Once, and only if a name is missed. */
static int note_hidden(struct late_names *n, struct backend_run *b)
{
	if (n->noted || n->ksyms.n)
		return 0;
	n->noted = true;
	return result_note(b->r, "the functions that kept the CPU cannot be named, because /proc/kallsyms hides addresses: set kernel.kptr_restrict to 1, and run as root or with CAP_SYSLOG");
}

int late_names_find(struct late_names *n, struct backend_run *b, const struct tlob_window *w,
		    const struct tlob_late *stacks, uint64_t usual_ns, struct late_window *to)
{
	struct cause cause;

	to->w = *w;
	to->place = (struct kernel_place){ 0 };
	if (cause_of(&cause, w, usual_ns))
		late_names_place(n, &cause, stacks, &to->place);
	return note_hidden(n, b);
}
