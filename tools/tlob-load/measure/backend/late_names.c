// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>

#include "backend/late_names.h"
#include "culprit/culprit.h"
#include "late_limit.h"
#include "result/causes.h"
#include "result/kept.h"

_Static_assert(TLOB_LATE_WORST == RESULT_WORST, "the windows that are kept have stacks");

void late_names_read(struct late_names *n)
{
	/* a run that has its windows does not fail because a name cannot be had: that is printed */
	if (!n->read && !access(KALLSYMS, R_OK))
		ksyms_load(&n->ksyms, KALLSYMS);
	n->read = true;
}

bool late_names_note(struct late_names *n)
{
	bool note = n->missed && !n->noted;

	n->noted |= note;
	return note;
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

void late_names_place(struct late_names *n, const struct cause *cause,
		      const struct tlob_late *stacks, struct kernel_place *to)
{
	*to = (struct kernel_place){ 0 };
	if (!culprit_has_stack(cause, stacks))
		return;
	late_names_read(n);
	n->missed |= !n->ksyms.n;
	culprit_place(to, cause, stacks, &n->ksyms);
}
