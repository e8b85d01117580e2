/* SPDX-License-Identifier: GPL-2.0 */
/* What the result files are built of: docs/reference/result.md describes them. */
#ifndef TLOB_SHOW_JSON_H
#define TLOB_SHOW_JSON_H

#include "result/result.h"
#include "util/json_write.h"

/* A key for each counter of @list, in its order; @data is a struct of it. */
void put_counters(struct builder *b, struct json_object *to,
		  const struct counters *list, const void *data);

/* @h must not change before @to is printed. */
void put_hist(struct builder *b, struct json_object *to, const char *key,
	      const struct tlob_hist *h);

/* A key that only merged results of several hosts have. */
void put_host(struct builder *b, struct json_object *to, const char *host);
void put_counts(struct builder *b, struct json_object *to, const char *key,
		const __u32 count[TLOB_NR_NOISE]);
void put_offenders(struct builder *b, struct json_object *to, const char *key,
		   const struct offenders *list);

/* "causes" of violations; of regions of a program if @of_task. */
void put_causes(struct builder *b, struct json_object *to, const struct causes *all, bool of_task);

/* An interruption; if there was none, null, and NULL is returned. */
struct json_object *put_noise(struct builder *b, struct json_object *to,
			      const char *key, const struct tlob_noise *n);

/*
 * The key "functions" of a result, @key of a CPU, of all or of attach, and "functions" of a
 * window; no key without @sets.
 */
void put_function_sets(struct builder *b, struct json_object *to, const struct function_sets *sets);
void put_function_totals(struct builder *b, struct json_object *to,
			 const struct function_sets *sets, const struct function_totals *t,
			 const char *key);
void put_window_functions(struct builder *b, struct json_object *to,
			  const struct function_sets *sets, const struct window_functions *f);

/* "assertions", if there are any: each condition, whether it holds, and its value. */
void put_assertions(struct builder *b, struct json_object *to, const struct assertions *all);

#endif /* TLOB_SHOW_JSON_H */
