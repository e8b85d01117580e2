/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tables of result files: a key, its place in memory, and its meaning, in one row each.
 * A row also has the meaning of its key, in words. fields_*.c have the tables.
 */
#ifndef TLOB_RESULT_TABLES_H
#define TLOB_RESULT_TABLES_H

#include <linux/tlob.h>
#include "result/field.h"
#include "result/result.h"

extern const struct fields result_record;	/* struct result */
extern const struct fields cpu_record;		/* struct result_cpu */
extern const struct fields all_record;		/* the same, as the sum */
extern const struct fields attached_record;	/* struct attached */
extern const struct fields window_record;	/* struct kept_window */

extern const struct fields os_record;		/* struct os_counts */
extern const struct fields slices_record;	/* struct slices */
extern const struct fields episodes_record;	/* struct episodes */
extern const struct fields findings_record;	/* struct findings */
extern const struct fields function_sets_record; /* struct function_sets */
extern const struct fields function_set_record;	/* struct function_set */
extern const struct fields function_total_record; /* struct function_total */
extern const struct fields blocked_thread_record;	/* struct blocked_thread */
extern const struct fields activations_record;	/* struct activations */
extern const struct fields offenders_record;	/* struct offenders */
extern const struct fields places_record;	/* struct causes, with places */
extern const struct fields kernel_place_record;	/* struct kernel_place */
extern const struct fields causes_record;	/* struct causes */
extern const struct fields wait_record;		/* struct attach_wait */
extern const struct fields critical_record;	/* struct critical_path, of files of waits */
extern const struct fields chain_wait_record;	/* the same, of files of waits */
extern const struct fields segment_record, chain_other_record; /* struct chain_segment, chain_other */
extern const struct fields assertion_record;	/* struct assertion */
extern const struct fields samples_record;	/* struct sample_totals */
extern const struct fields actions_record;	/* struct action_counts */
extern const struct fields largest_record;	/* struct tlob_noise */

/* Elements of lists, with a table of their own in the reference. */
extern const struct fields slice_record, offender_record, cause_record, cause_at_record, timeline_record;
extern const struct fields machine_counts_record, activation_thread_record;

/* Parts of these, which read/special_*.c name. */
extern const struct fields attach_place_record, process_record, os_name_record, result_counters, episode_gap_record;
extern const struct fields function_time_record, window_task_record, span_noise_record, frame_record;
extern const struct fields cause_name_record, said_list_record;

extern const struct fields examination_record;	/* struct examination: the report of doctor */

extern const struct words noise_kinds, part_words, metric_words;

/*
 * The keys that have times in functions. What names the sets is @about of the reader and of the
 * builder: struct function_sets, or NULL without --functions.
 */
extern const struct fields function_totals_record, window_functions_record;
void put_window_functions(struct builder *b, struct json_object *o, const struct field *f,
			  const void *kept);
/* @f->n: of the windows that the totals add up. */
void put_function_totals(struct builder *b, struct json_object *o, const struct field *f,
			 const void *data);

/* --tag: struct tags. */
void put_tags(struct builder *b, struct json_object *o, const struct field *f, const void *data);

/*
 * --assert: written from struct assertions, or from struct said of a file that was read, which is
 * @f->n.
 */
void put_assertions(struct builder *b, struct json_object *o, const struct field *f,
		    const void *data);

#endif /* TLOB_RESULT_TABLES_H */
