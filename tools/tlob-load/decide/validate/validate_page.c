// SPDX-License-Identifier: GPL-2.0
/* The page of a validation: its JSON, and of each phase the worst window and the histogram. */
#include <errno.h>
#include <inttypes.h>

#include "report/findings_render.h"
#include "report/html.h"
#include "report/parts_text.h"
#include "result/hist_json.h"
#include "result/tables.h"
#include "util/units.h"
#include "validate/validate.h"

/* What page.js draws of a result, with the keys of a result. */
static void put_phase(struct builder *b, struct json_object *list, const struct validate_phase *p)
{
	struct json_object *o = put_object(b, list, NULL);

	put_text(b, o, "name", p->name);
	if (p->state != PHASE_DONE)
		return;
	put_u64(b, o, "budget_ns", p->r.budget_ns);
	record_put(b, put_object(b, o, "all"), &all_record, &p->r.all);
	if (p->r.nworst)
		record_put(b, put_object(b, o, "worst"), &window_record, &p->r.worst[0]);
}

static int put_says(struct html *p, const struct validate *v)
{
	static const char * const classes[] = {
		[FITNESS_UNDECIDED] = "unsure", [FITNESS_FIT] = "good", [FITNESS_NOT] = "bad",
	};
	struct json_object *o = json_object_new_object(), *list;
	struct builder b = { .page = true };
	char text[300];
	unsigned int i;

	put_text(&b, o, "class", classes[validate_judge(v)]);
	put_made(&b, o, "gaps", validate_gaps(v));
	snprintf(text, sizeof(text), "Each row is of one CPU: the one with the largest bound, and if some have too many late expiries, of those. Episodes are those of all CPUs. Both bounds have 95 %% confidence and hold in the phase; that of the share if no episode is longer than %d or the longest seen.",
		 VALIDATE_EPISODE);
	put_text(&b, o, "bounds", text);
	if (validate_clock(v) > 1) {
		snprintf(text, sizeof(text), RESULT_CLOCK_STEPS, validate_clock(v));
		put_text(&b, o, "clock", text);
	}
	list = put_array(&b, o, "phases");
	for (i = 0; i < v->n; i++)
		put_phase(&b, list, &v->phase[i]);
	return html_put(p, "says", &b, o);
}

static int print_tables(FILE *f, const struct validate *v)
{
	struct main_offender o;
	int err = 0;

	validate_offender(&o, v);
	if (o.phase)
		err = page_rules(f, "doctor's findings about that", o.finding, o.nfindings);
	if (!err && o.phase)
		err = render_offenders(f, TABLE_PAGE, &o.phase->r.noise, OFFENDERS_ON_PAGE, NOISE_TITLE);
	return err ? err : page_rules(f, "what doctor found", v->doctor.at, v->doctor.n);
}

static int put_text_of(FILE *f, const void *data)
{
	return validate_text(f, data);
}

int page_validate(FILE *f, const struct validate *v)
{
	struct html p;
	int err = html_begin(&p, f, "validate", "validation", put_text_of, v);

	if (!err)
		err = put_says(&p, v);
	html_key(&p, "validation");
	if (!err)
		err = validate_json(p.json, v);
	html_key(&p, "tables");
	fputs("[null", p.json);
	if (!err)
		err = print_tables(p.json, v);
	fputs("]", p.json);
	return html_end(&p, err);
}
