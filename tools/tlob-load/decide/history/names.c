// SPDX-License-Identifier: GPL-2.0

#include "history/names.h"
#include "util/error.h"
#include "util/text.h"

int session_label(const struct value *v, void *to)
{
	struct session_names *names = to;

	if (names->nlabels == SESSION_LABELS)
		return value_error(v, "--label is given more than %d times", SESSION_LABELS);
	return value_text(v, &names->label[names->nlabels++]);
}

int session_name(struct session *s, const struct session_names *names)
{
	unsigned int i;
	int err = 0;

	s->build = text_copy(names->build ? names->build : names->commit, &err);
	s->commit = text_copy(names->commit, &err);
	for (i = 0; i < names->nlabels && !err; i++)
		err = notes_add(&s->labels, "%s", names->label[i]);
	return err ? fail(err, "out of memory") : 0;
}
