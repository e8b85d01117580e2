// SPDX-License-Identifier: GPL-2.0
/* What a result has of its actions and samples: counts. */
#include "result/result.h"
#include "result/tables.h"

static const struct field action_fields[] = {
	ROW(action_counts, met, COUNT, .flags = FIELD_SUM,
	    .text = "windows that met the condition; with `stop` only the last"),
	ROW(action_counts, taken, COUNT, .flags = FIELD_SUM),
	ROW(action_counts, busy, COUNT, .flags = FIELD_SUM),
	ROW(action_counts, limited, COUNT, .flags = FIELD_SUM),
	ROW(action_counts, not_run, COUNT, .flags = FIELD_SUM,
	    .text = "of these: with actions taken; while others were under way; beyond `--at-most`; "
	    "after the process that takes them was killed"),
	ROW(action_counts, failed, COUNT, .flags = FIELD_SUM,
	    .text = "actions that failed, such as a command with an exit status other than 0"),
	ROW(action_counts, killed, COUNT, .flags = FIELD_SUM,
	    .text = "commands that still ran `--action-wait` after the end, and were killed"),
};

static const struct field samples_fields[] = {
	ROW(sample_totals, written, COUNT, .flags = FIELD_SUM),
	ROW(sample_totals, left_out, COUNT, .flags = FIELD_SUM,
	    .text = "rows that are in the file, and rows that are not: it has its `--samples-size`, "
	    "the disk was full, or they came faster than they could be written"),
};

const struct fields samples_record = RECORD(sample_totals, "sample_totals", samples_fields);

const struct fields actions_record = RECORD(action_counts, "actions", action_fields);
