// SPDX-License-Identifier: GPL-2.0
/* The file `status`: what was read, written and read again is the same. */
#include "fuzz.h"
#include "backend/status.h"

static const char *or_none(const char *text)
{
	return text ? text : "none";
}

static void format(FILE *f, const struct status *s)
{
	const char *blank = "";
	size_t i;

	fprintf(f, "state: %s\nnoise_source: %s\n", s->state, s->noise_source);
	if (s->stopped_cpu >= 0)
		fprintf(f, "stopped_by: cpu%d activation %llu\n", s->stopped_cpu,
			(unsigned long long)s->stopped_activation);
	fprintf(f, "unavailable_because: %s\nnotes: %s\nmax_difference_ns: %s\n",
		or_none(s->unavailable_because), or_none(s->notes),
		or_none(s->max_difference_ns));
	fputs("unavailable: ", f);
	for (i = 0; i < TLOB_NR_PARTS; i++)
		if (s->unavailable & 1U << i) {
			fprintf(f, "%s%s", blank,
				tlob_metric_names[TLOB_METRIC_PARTS + i]);
			blank = " ";
		}
	fprintf(f, "%s\n", *blank ? "" : "none");
	for (i = 0; i < s->ncpus; i++) {
		const struct status_cpu *c = &s->cpu[i];
		const uint64_t *v = &c->windows;
		static const char * const names[] = {
			"windows", "violations", "missed", "aborted", "lost",
			"sum_failures", "errors", "adjusted_ns", "clock_steps",
			"demand_ns", "demand_spread_ns", "migrated",
			"overhead_ns", "start_ns", "first_activation",
			"offline", "pid",
		};
		size_t k;

		fprintf(f, "cpu%d: state=closed", c->cpu);
		for (k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			fprintf(f, " %s=%llu", names[k],
				(unsigned long long)v[k]);
		fputs(" expiries=1 new=x\n", f);
	}
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : !a && !b;
}

static void check_again(const struct status *s)
{
	struct status t;
	struct fuzz_output o;
	char *text;

	format(fuzz_output_open(&o), s);
	text = fuzz_output_close(&o);
	CHECK(!status_parse(&t, text));
	CHECK(same_text(s->state, t.state));
	CHECK(s->stopped_cpu == t.stopped_cpu &&
	      s->stopped_activation == t.stopped_activation);
	CHECK(same_text(s->noise_source, t.noise_source));
	CHECK(same_text(s->unavailable_because, t.unavailable_because));
	CHECK(same_text(s->notes, t.notes));
	CHECK(same_text(s->max_difference_ns, t.max_difference_ns));
	CHECK(s->unavailable == t.unavailable && s->ncpus == t.ncpus);
	CHECK(!s->ncpus ||
	      !memcmp(s->cpu, t.cpu, s->ncpus * sizeof(*s->cpu)));
	status_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct status s;
	size_t i;
	int err = status_parse(&s, text);

	CHECK(!err || err == -EINVAL);
	if (!err) {
		CHECK(s.state && s.noise_source);
		CHECK(!(s.unavailable >> TLOB_NR_PARTS));
		for (i = 0; i < s.ncpus; i++) {
			CHECK(s.cpu[i].cpu >= 0);
			/* one line for each CPU, or it would be unclear which counts */
			CHECK(status_find(&s, s.cpu[i].cpu) == &s.cpu[i]);
		}
		check_again(&s);
	}
	status_free(&s);
	return 0;
}
