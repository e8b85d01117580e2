// SPDX-License-Identifier: GPL-2.0
/* Conditions of --assert and --stop-on, and the kernel's filter made of one. */
#include "fuzz.h"
#include "hist.h"
#include "result/condition_local.h"

static const char * const ops[] = {
	[CONDITION_LT] = "<", [CONDITION_LE] = "<=", [CONDITION_GT] = ">",
	[CONDITION_GE] = ">=", [CONDITION_EQ] = "==", [CONDITION_NE] = "!=",
};

typedef int (*parser)(struct condition *, const char *, char *, unsigned int);

static void check_ranges(const struct condition *e, bool window)
{
	CHECK(e->op <= CONDITION_NE && e->stat <= STAT_SHORTFALL);
	CHECK((e->metric < 0) != (e->counter < 0));
	CHECK(e->metric < e->words->nmetrics + condition_is_function(e));
	CHECK(!condition_is_function(e) || e->metric == e->words->nmetrics);
	CHECK(e->counter < (int)e->words->counters->nfields);
	CHECK((e->stat == STAT_NONE) == (window || e->counter >= 0));
	CHECK((e->stat >= STAT_QUANTILE) == (e->ppm > 0));
	CHECK(e->ppm <= 1000000);
}

static void format(char *buf, size_t size, const struct condition *e)
{
	static const char * const stats[] = {
		[STAT_MIN] = "min", [STAT_AVG] = "avg", [STAT_MAX] = "max",
	};
	char function[sizeof(FUNCTION_PREFIX) + FUNCTION_SET_NAME];
	const char *unit = e->counter < 0 || condition_is_counter(e, adjusted_ns) ?
			   "ns" : "";
	const char *name = e->counter >= 0 ? e->words->counters->field[e->counter].key :
			   condition_is_function(e) ? function : e->words->metrics[e->metric];
	char subject[64];

	snprintf(function, sizeof(function), FUNCTION_PREFIX "%s", e->function);

	if (e->ppm)
		snprintf(subject, sizeof(subject), "%s%u.%04u(%s)",
			 e->stat == STAT_QUANTILE ? "p" : "es", e->ppm / 10000, e->ppm % 10000, name);
	else if (e->stat != STAT_NONE)
		snprintf(subject, sizeof(subject), "%s(%s)", stats[e->stat],
			 name);
	else
		snprintf(subject, sizeof(subject), "%s", name);
	CHECK((size_t)snprintf(buf, size, " %s  %s %llu%s ", subject,
			       ops[e->op], (unsigned long long)e->value,
			       unit) < size);
}

static bool same(const struct condition *a, const struct condition *b)
{
	return a->metric == b->metric && !strcmp(a->function, b->function) && a->counter == b->counter &&
	       a->stat == b->stat && a->ppm == b->ppm && a->op == b->op &&
	       a->value == b->value;
}

static void check_tail(parser parse, const char *text, const char *tail)
{
	char *longer = fuzz_append(text, tail), err[256];
	struct condition e;

	CHECK(parse(&e, longer, err, sizeof(err)));
	free(longer);
}

/* Filter and condition agree on a window just below, at and above the value. */
static void check_filter(const struct condition *e)
{
	struct tlob_window w = { .flags = 0 };
	char filter[128], wanted[128], *dot;
	const char *name;
	int i;

	/* the event has no field for it */
	if (condition_is_function(e)) {
		CHECK(condition_filter(e, filter, sizeof(filter)) == -EINVAL);
		return;
	}
	CHECK(!condition_filter(e, filter, sizeof(filter)));
	CHECK(condition_filter(e, filter, 5) == -ENOSPC);
	CHECK(!condition_filter(e, filter, sizeof(filter)));
	if (e->counter >= 0) {
		for (i = 0; i < 2; i++) {
			w.flags = i ? TLOB_WINDOW_VIOLATION : 0;
			CHECK(condition_window(e, &w) == (!!i != (filter[0] == '!')));
		}
		CHECK(condition_violation(e) == (filter[0] != '!'));
		return;
	}
	name = e->metric == TLOB_METRIC_IRQ ? "irq_latency" :
	       tlob_metric_names[e->metric];
	snprintf(wanted, sizeof(wanted), "%s %s %llu", name, ops[e->op],
		 (unsigned long long)e->value);
	dot = strchr(wanted, '.');
	if (dot)
		*dot = '_';
	CHECK(!strcmp(filter, wanted));
	for (i = -1; i <= 1; i++) {
		uint64_t v = e->value + (uint64_t)i;

		w.irq_latency_ns = w.wake_ns = w.response_ns = v;
		for (int p = 0; p < TLOB_NR_PARTS; p++)
			w.part_ns[p] = v;
		CHECK(condition_window(e, &w) == condition_compare(v, e->op, e->value));
	}
}

static void check(parser parse, bool window, const char *text)
{
	struct condition e, again;
	char err[512] = "", buf[160];

	if (parse(&e, text, err, sizeof(err))) {
		CHECK(*err && !strchr(err, '\n'));
		CHECK(parse(&e, text, err, 3) && strlen(err) < 3);
		return;
	}
	check_ranges(&e, window);
	CHECK(e.text == text);
	format(buf, sizeof(buf), &e);
	CHECK(!parse(&again, buf, err, sizeof(err)) && same(&e, &again));
	check_tail(parse, text, "x");
	check_tail(parse, text, ")");
	check_tail(parse, text, " 1");
	if (window)
		check_filter(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);

	check(condition_parse_result, false, text);
	check(condition_parse_window, true, text);
	free(text);
	return 0;
}
