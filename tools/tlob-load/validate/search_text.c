// SPDX-License-Identifier: GPL-2.0
/* What a search found, as a sentence, a table and JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "report/layout.h"
#include "report/parts_text.h"
#include "result/result.h"
#include "util/json_write.h"
#include "util/memstream.h"
#include "util/units.h"
#include "validate/search_render.h"

static const struct search_run *run_of(const struct search *s, uint64_t x)
{
	unsigned int i;

	for (i = s->n; i-- > 0; )
		if (s->run[i].x == x && !s->run[i].probe)
			return &s->run[i];
	return NULL;
}

static void put_sentence(FILE *f, const void *data)
{
	const struct search *s = data;
	const struct search_run *good = run_of(s, s->good);
	char value[SEARCH_VALUE], work[DURATION_LEN], budget[DURATION_LEN], share[SHARE_LEN];

	if (!good) {
		fprintf(f, "nothing that was tried keeps the budget: see the runs");
		return;
	}
	fprintf(f, "%s %s", s->period ? "period" : "work", search_value(value, s, s->good));
	if (!s->period)
		fprintf(f, " (%s of CPU time)", duration_prose(work, good->work_ns));
	fprintf(f, " keeps the budget of %s: with 95 %% confidence less than %s of the expiries are over it or missed",
		s->budget_ns ? duration_prose_exact(budget, s->budget_ns) : "a period",
		share_prose(share, good->upper));
	if (s->bad)
		fprintf(f, "; %s does not", search_value(value, s, s->bad));
}

char *search_sentence(const struct search *s)
{
	return memstream_of(put_sentence, s);
}

static int put_runs(FILE *f, const struct search *s)
{
	struct table t = { .align = "rlrrrrrl", .gap = 2 };
	char value[SEARCH_VALUE], late[DURATION_LEN], work[DURATION_LEN], share[SHARE_LEN];
	unsigned int i;

	table_cell(&t, "run\t%s\texpiries\tover\tless than\tresponse, us\twork, us\tkept",
		   s->period ? "period" : "work");
	for (i = 0; i < s->n; i++) {
		const struct search_run *r = &s->run[i];

		table_cell(&t, "%u\t%s\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s\t%s\t%s", i + 1,
			   search_value(value, s, r->x), r->of, r->over, share_prose(share, r->upper),
			   r->late_ns ? duration_us(late, r->late_ns) : "missed",
			   duration_us(work, r->work_ns), r->probe ? "probe" : r->kept ? "yes" : "no");
	}
	return table_print(&t, f);
}

int search_text(FILE *f, const struct search *s)
{
	char *text = search_sentence(s), share[SHARE_LEN];
	int err;

	if (!text)
		return -ENOMEM;
	render_note_wrapped(f, "", text);
	free(text);
	fputc('\n', f);
	err = put_runs(f, s);
	fprintf(f, "\nresponse: all but %s of the expiries are answered in this time\n",
		share_prose(share, s->miss));
	if (s->clock_ns > 1)
		fprintf(f, RESULT_CLOCK_STEPS "\n", s->clock_ns);
	return err ? err : ferror(f) ? -EIO : 0;
}

static void put_value(struct builder *b, struct json_object *to, const char *key, const struct search *s, uint64_t x)
{
	char value[SEARCH_VALUE];

	put_text(b, to, key, x ? search_value(value, s, x) : NULL);
}

int search_json(FILE *f, const struct search *s)
{
	struct json_object *o = json_object_new_object(), *list, *one;
	const struct search_run *good = run_of(s, s->good);
	struct builder b = { 0 };
	unsigned int i;

	put_text(&b, o, "format", "tlob-load search");
	put_int(&b, o, "version", 1);
	put_text(&b, o, "for", s->period ? "period" : "work");
	put_known(&b, o, "budget_ns", s->budget_ns, s->budget_ns);
	put_double(&b, o, "miss", s->miss);
	put_double(&b, o, "confidence", 1 - SEARCH_ALPHA);
	put_double(&b, o, "resolution", s->resolution);
	put_known(&b, o, "clock_resolution_ns", s->clock_ns, s->clock_ns);
	put_u64(&b, o, "windows", s->windows);
	put_value(&b, o, "keeps", s, s->good);
	put_value(&b, o, "exceeds", s, s->bad);
	put_known(&b, o, "work_ns", good, good ? good->work_ns : 0);
	list = put_array(&b, o, "runs");
	for (i = 0; i < s->n; i++) {
		const struct search_run *r = &s->run[i];

		one = put_object(&b, list, NULL);
		put_value(&b, one, "value", s, r->x);
		put_bool(&b, one, "probe", r->probe);
		put_u64(&b, one, "over", r->over);
		put_u64(&b, one, "of", r->of);
		put_double(&b, one, "upper_95", r->upper);
		put_known(&b, one, "response_ns", r->late_ns, r->late_ns);
		put_u64(&b, one, "work_ns", r->work_ns);
		put_bool(&b, one, "kept", r->kept);
	}
	return json_end(&b, f, o);
}
