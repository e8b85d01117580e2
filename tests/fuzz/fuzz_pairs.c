// SPDX-License-Identifier: GPL-2.0
/*
 * Attacks on a comparison: six good pairs, and each two bytes of the input change a run as someone
 * would who wants another verdict. What is accepted must not contradict itself, count a run twice, or
 * rest on an order that drift explains.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "compare/campaign.h"
#include "compare/config.h"
#include "report/render.h"
#include "result/result.h"

#define PAIRS	(RUNS / 2)
#define RUNS	12			/* A and B in turns */
#define WINDOWS	320
#define PATH	64

struct attack {
	struct result run[RUNS];
};

/* Enough windows for a mean; another run has others. */
static void make_run(struct result *r, unsigned int i)
{
	static const int cpu0;
	unsigned int k;

	CHECK(!result_init(r, &cpu0, 1));
	r->command = strdup("tlob-load run");
	r->kernel = strdup("6.12");
	r->machine = strdup("x86_64");
	r->backend = strdup("posix");
	r->workload = strdup("user");
	r->noise_source = strdup("none");
	r->work = strdup("none");
	r->policy = strdup("other");
	r->cpus = strdup("0");
	r->period_ns = 1000000;
	r->budget_ns = 1000000;
	r->duration_ns = 1000000000;
	r->started = 1700000000 + 60 * (time_t)i;
	CHECK(asprintf(&r->run_id, "%032u", i) > 0 && asprintf(&r->boot_id, "boot %u", i / 4) > 0);
	for (k = 0; k < WINDOWS; k++) {
		const struct tlob_window w = {
			.t0_ns = 1000000 * (k + 1ULL), .activation = k, .wake_ns = 1000 + i + k % 7,
			.response_ns = 2000 + 3 * i + k % 5, .budget_ns = 1000000,
			.unavailable = (1U << TLOB_NR_PARTS) - 1,
		};

		result_window(r, 0, &w, true);
	}
	r->cpu[0].due = WINDOWS;
	result_sum(r);
}

static void set_text(char **text, const char *format, unsigned int n)
{
	free(*text);
	CHECK(asprintf(text, format, n) > 0);
}

/* Another run's windows, under this run's name, start and boot. */
static void copy_windows(struct attack *at, unsigned int to, unsigned int from)
{
	struct result_cpu *a = &at->run[to].cpu[0], *b = &at->run[from].cpu[0];
	struct slices *slices = a->slices;
	struct tlob_hist *hist = a->hist;

	if (to == from)
		return;
	memcpy(hist, b->hist, RESULT_METRICS * sizeof(*hist));
	if (slices && b->slices)
		*slices = *b->slices;
	*a = *b;
	a->hist = hist;
	a->slices = slices;
}

/* One window more, in the counts and in the histograms. */
static void add_window(struct attack *at, unsigned int i)
{
	const struct tlob_window w = {
		.t0_ns = 1000000000, .activation = WINDOWS, .wake_ns = 1000, .response_ns = 2000,
		.budget_ns = 1000000, .unavailable = (1U << TLOB_NR_PARTS) - 1,
	};

	result_window(&at->run[i], 0, &w, true);
	at->run[i].cpu[0].due++;
}

static void change(struct attack *at, unsigned int what, unsigned int i, unsigned int n)
{
	struct result *r = &at->run[i];

	switch (what % 8) {
	case 0:
		copy_windows(at, i, n % RUNS);
		break;
	case 1:
		r->started += (time_t)n * 60 - 1800;
		break;
	case 2:
		set_text(&r->boot_id, "boot %u", n % 4);
		break;
	case 3:
		set_text(&r->run_id, "%032u", n % RUNS);
		break;
	case 4:
		r->cpu[0].due += n % 3;
		break;
	case 5:
		r->cpu[0].missed += n % 3;
		break;
	case 6:
		add_window(at, i);
		break;
	case 7:
		r->started = 1700000000 + 60 * (time_t)(i % 2 ? PAIRS + i / 2 : i / 2);
		break;
	}
}

static int put_run(struct result *r, char path[PATH])
{
	int fd = memfd_create("run", 0);
	FILE *f;

	CHECK(fd >= 0);
	f = fdopen(dup(fd), "w");
	CHECK(f);
	result_sum(r);
	CHECK(!render_json(f, r) && !fclose(f));
	snprintf(path, PATH, "/proc/self/fd/%d", fd);
	return fd;
}

static bool adds_up(const struct result_cpu *c)
{
	return !c->due || c->due == c->startup + c->warm_up + c->warm_up_missed + c->windows + c->missed +
				    c->unaccounted;
}

/* Each of one side began before each of the other. */
static bool is_apart(const struct campaign *c)
{
	bool before = true, after = true;
	size_t i, k;

	for (i = 0; i < c->n; i++)
		for (k = 0; k < c->n; k++) {
			before = before && campaign_a(c, i)->r.started < campaign_b(c, k)->r.started;
			after = after && campaign_a(c, i)->r.started > campaign_b(c, k)->r.started;
		}
	return before || after;
}

static void check_accepted(const struct attack *at, const struct campaign *c, const struct decision *d)
{
	size_t i, k;

	for (i = 0; i < RUNS; i++) {
		CHECK(adds_up(&at->run[i].cpu[0]));
		for (k = 0; k < i; k++)
			CHECK(strcmp(at->run[i].run_id, at->run[k].run_id));
	}
	CHECK(!is_apart(c) || d->verdict == VERDICT_INCONCLUSIVE);
	/* a boot of one side is one replicate */
	CHECK(c->nreplicates <= c->n);
}

static void compare(const struct attack *at, char path[RUNS][PATH])
{
	struct decision d[STATISTICS_MAX] = { { .a = NULL } };
	struct compare_config o = { .alpha = 0.05 };
	struct campaign c = { .statistic = o.statistic, .nstatistics = 1, .vary = &o.vary };
	struct rule rule = { .alpha = o.alpha };
	char *side[2][PAIRS], why[200];
	unsigned int i;

	CHECK(!statistic_parse(&o.statistic[0], "avg(response)", why, sizeof(why)));
	for (i = 0; i < RUNS; i++)
		side[i % 2][i / 2] = path[i];
	if (!campaign_load(&c, side[0], PAIRS, side[1], PAIRS, false) && !campaign_decide(&c, &rule, d, NULL))
		check_accepted(at, &c, &d[0]);
	campaign_decided(d, c.nstatistics);
	campaign_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[RUNS][PATH];
	static struct attack at;
	int fd[RUNS];
	unsigned int i;

	for (i = 0; i < RUNS; i++)
		make_run(&at.run[i], i);
	for (i = 0; i + 1 < size && i < 2 * RUNS; i += 2)
		change(&at, data[i] >> 4, data[i] % RUNS, data[i + 1]);
	for (i = 0; i < RUNS; i++)
		fd[i] = put_run(&at.run[i], path[i]);
	compare(&at, path);
	for (i = 0; i < RUNS; i++) {
		close(fd[i]);
		result_free(&at.run[i]);
	}
	return 0;
}
