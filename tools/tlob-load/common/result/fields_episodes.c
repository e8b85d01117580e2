// SPDX-License-Identifier: GPL-2.0
/* Episodes in a result: what was counted for each gap, and what follows from it. */
#include <math.h>

#include "result/result.h"
#include "result/tables.h"

static const struct field gap_fields[] = {
	ROW(episode_row, gap_ns, COUNT),
	ROW(episode_row, n, COUNT),
	ROW(episode_row, longest, COUNT),
	ROW(episode_row, squares, COUNT),
	ROW(episode_row, covered_ns, COUNT),
};

const struct fields episode_gap_record = RECORD(episode_row, "episode_gap", gap_fields);

static void put_chosen(struct builder *b, struct json_object *o, const struct field *f,
		       const void *data)
{
	put_u64(b, o, f->key, field_get(f, episodes_chosen(data)));
}

/* With an episode each bound has half of alpha. */
static void put_per_hour(struct builder *b, struct json_object *to, const struct field *f,
			 const void *data)
{
	const struct episodes *e = data;
	struct episode_rate rate = episodes_per_hour(e, e->over ? BOUNDS_ALPHA / 2 : BOUNDS_ALPHA);
	struct json_object *o;

	if (isnan(rate.found)) {
		put_null(b, to, f->key);
		return;
	}
	o = put_object(b, to, f->key);
	put_double(b, o, "found", rate.found);
	put_double(b, o, "lower", rate.lower);
	put_double(b, o, "upper", rate.upper);
}

#define CHOSEN(member, line)							\
	ROW(episode_row, member, COUNT, .flags = FIELD_NOT_READ, .put = put_chosen, .text = (line))

static const struct field episodes_fields[] = {
	ROW(episodes, time_ns, COUNT),
	ROW(episodes, over, COUNT,
	    .text = "how long expiries were observed, and how many were over the budget or missed"),
	CHOSEN(gap_ns, "the [gap](../explanation/statistics.md#episodes) that was chosen"),
	CHOSEN(n, NULL),
	CHOSEN(longest, NULL),
	CHOSEN(squares, "with that gap: the number of episodes, the length of the longest, and the "
	       "sum of their squared lengths, in expiries"),
	ROW_WITHOUT("per_hour", OWN, .flags = FIELD_NOT_READ | FIELD_PUBLIC, .put = put_per_hour,
		    .def = "{\"anyOf\": [{\"type\": \"null\"}, {\"type\": \"object\", "
		    "\"additionalProperties\": false, \"required\": [\"found\", \"lower\", \"upper\"], "
		    "\"properties\": {\"found\": {\"type\": \"number\"}, \"lower\": {\"type\": "
		    "\"number\"}, \"upper\": {\"type\": \"number\"}}}]}",
		    .text = "episodes in an hour: `found`, and the 95 % bounds `lower` and `upper` "
		    "in this run; null if no expiry was observed"),
	ROW_AS("gaps", episodes, at, LIST, FIELD_N(episodes, n), .of = &episode_gap_record,
	       .max = EPISODE_GAPS,
	       .text = "the same for each gap; `covered_ns`: from the first expiry of each episode "
	       "until the gap after its last"),
};

const struct fields episodes_record = RECORD(episodes, "episodes", episodes_fields);
