// SPDX-License-Identifier: GPL-2.0
/*
 * Comparisons of foreign results: all that prints one can do so. The input is two results,
 * one behind the other, the runs of A and of B; with one result both sides have it.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "page_check.h"
#include "compare/campaign.h"
#include "compare/compare_render.h"
#include "compare/config.h"
#include "read/read.h"
#include "report/render.h"

#define MOST	6			/* pairs: enough for a verdict */
#define PATH	64

/* Removes what compare refuses: most inputs would end there. */
static void make_good(struct result *r)
{
	size_t i;

	r->partial = false;
	r->runs = 1;
	free(r->stopped_by);
	r->stopped_by = NULL;
	for (i = 0; i < r->ncpus; i++)
		r->cpu[i].lost = r->cpu[i].sum_failures = 0;
	if (r->ncpus > 1)
		return;
	free(r->cpus);
	CHECK(asprintf(&r->cpus, "%d", r->cpu[0].cpu) > 0);
}

/* A file in memory with the result. Another start makes another run. */
static int put_run(struct result *r, size_t number, char path[PATH])
{
	int fd = memfd_create("run", 0);
	FILE *f;

	CHECK(fd >= 0);
	f = fdopen(dup(fd), "w");
	CHECK(f);
	r->started += 60;
	r->seed = number;
	r->has_seed = r->deterministic;
	CHECK(!render_json(f, r) && !fclose(f));
	snprintf(path, PATH, "/proc/self/fd/%d", fd);
	return fd;
}

static char *printed(int (*print)(FILE *, const struct comparison *),
		     const struct comparison *all)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	CHECK(f);
	CHECK(!print(f, all));
	CHECK(!fclose(f) && size && strlen(text) == size);
	return text;
}

static void check_prints(const struct comparison *all)
{
	static int (*const print[])(FILE *, const struct comparison *) = {
		compare_text, compare_json, compare_junit, compare_ktap, compare_markdown,
	};
	char *text, *at;
	size_t i;

	for (i = 0; i < sizeof(print) / sizeof(print[0]); i++) {
		text = printed(print[i], all);
		for (at = text; *at; at++)
			CHECK((unsigned char)*at >= ' ' || *at == '\n' || *at == '\t');
		free(text);
	}
	text = printed(page_compare, all);
	check_page(text);
	free(text);
}

/* Compares the files. False: they were refused. */
static bool check_campaign(struct compare_config *o)
{
	struct decision d[STATISTICS_MAX] = { { .a = NULL } };
	struct campaign c = {
		.statistic = o->statistic, .nstatistics = o->nstatistics, .vary = &o->vary,
	};
	struct comparison all = { .o = o, .c = &c, .d = d, .rule = { .alpha = o->alpha } };
	size_t i;
	int err;

	err = campaign_load(&c, o->a, o->na, o->b, o->nb, o->force);
	if (!err)
		err = campaign_decide(&c, &all.rule, d, NULL);
	for (i = 0; !err && i < c.nruns; i++)
		c.run[i].path = "<z\"run.json";
	if (!err) {
		all.verdict = decide_together(d, c.nstatistics);
		check_prints(&all);
	}
	campaign_decided(d, c.nstatistics);
	campaign_free(&c);
	return !err;
}

/* One statistic, or with @all three: one of them is a share. */
static void configure(struct compare_config *o, bool all)
{
	static const char *const text[] = { "p50(response)", "miss-rate", "avg(wake)" };
	char why[200];
	size_t i;

	o->alpha = 0.05;
	o->force = true;
	o->verbose = all;
	o->vary.n = all;
	snprintf(o->vary.fact[0], VARY_LEN, "kernel");
	for (i = 0; i < (all ? 3 : 1); i++)
		CHECK(!statistic_parse(&o->statistic[o->nstatistics++], text[i], why, sizeof(why)));
}

static void compare(struct result *a, struct result *b)
{
	struct compare_config o = { .nstatistics = 0 };
	char path[2][MOST][PATH], *side[2][MOST];
	size_t n = a->nworst % 2 ? 1 : MOST, i;
	int fd[2][MOST];

	for (i = 0; i < n; i++) {
		fd[0][i] = put_run(a, i, path[0][i]);
		fd[1][i] = put_run(b, i, path[1][i]);
		side[0][i] = path[0][i];
		side[1][i] = path[1][i];
	}
	o.a = side[0];
	o.b = side[1];
	o.na = o.nb = n;
	configure(&o, b->nworst % 2 == 0);
	check_campaign(&o);
	for (i = 0; i < n; i++) {
		close(fd[0][i]);
		close(fd[1][i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *second = strstr(text, "\n{");
	struct result a, b;
	struct reader reader;

	if (second)
		*second++ = 0;
	else
		second = text;
	if (!result_parse(&a, text, &reader)) {
		if (!result_parse(&b, second, &reader)) {
			make_good(&a);
			make_good(&b);
			b.started += 30;
			compare(&a, &b);
		}
		result_free(&b);
	}
	result_free(&a);
	free(text);
	return 0;
}
