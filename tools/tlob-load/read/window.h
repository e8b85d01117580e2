/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of run and of attach have in common. */
#ifndef TLOB_READ_WINDOW_H
#define TLOB_READ_WINDOW_H

#include "result/result.h"
#include "util/json_read.h"

/* Errors are left in @rd. Texts are from malloc(). */
char *read_text(struct reader *rd, struct json_object *o, const char *key, bool null);
/* The same for a key that older files lack: then NULL. */
char *read_new_text(struct reader *rd, struct json_object *o, const char *key);
time_t read_time(struct reader *rd, struct json_object *o, const char *key);
void read_notes(struct reader *rd, struct json_object *o, char ***notes);
void read_hist(struct reader *rd, struct json_object *parent, const char *key,
	       struct tlob_hist *h);
void read_name(struct reader *rd, struct json_object *o, const char *key,
	       char name[TLOB_NAME_LEN]);
uint32_t read_mask(struct reader *rd, struct json_object *o, const char *key,
		   const char *const *words, unsigned int n);
void read_counts(struct reader *rd, struct json_object *parent, const char *key,
		 __u32 count[TLOB_NR_NOISE]);
/* Older files lack them. @of_task: of attach. */
void read_causes(struct reader *rd, struct json_object *parent, struct causes *all, bool of_task);
void read_largest(struct reader *rd, struct json_object *parent, struct tlob_noise *n,
		  bool has_phase);

/* Of run only. */
uint32_t read_unavailable(struct reader *rd, struct json_object *o);
void read_stopped_window(struct reader *rd, struct json_object *o,
			 struct result *r);
void read_worst(struct reader *rd, struct json_object *o, struct result *r);
void read_offenders(struct reader *rd, struct json_object *parent,
		    const char *key, struct offenders *all);

#endif /* TLOB_READ_WINDOW_H */
