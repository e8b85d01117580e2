// SPDX-License-Identifier: GPL-2.0
/* The command lines of `run` and `attach`: each line of the input is an argument. */
#include "fuzz.h"
#include "attach/threads.h"
#include "options/attach_config.h"
#include "options/environment.h"
#include "options/option_value.h"
#include "options/run_config.h"
#include "util/policy.h"

#define MAX_ARGS 40

static void check_ranges(const struct run_config *o)
{
	CHECK(o->period_ns >= 50000 && o->period_ns <= 1000000000);
	CHECK(o->budget_ns >= 1000 && o->budget_ns <= 3600000000000ULL);
	CHECK(!o->duration_ns || o->duration_ns >= o->period_ns);
	CHECK(o->windows <= INT64_MAX && o->warm_up <= 1000000);
	CHECK(o->align_ns <= 1000000000);
	CHECK(o->hw_threshold_ns >= 100 && o->hw_threshold_ns <= 1000000000);
	CHECK(o->idle_state >= 0 && o->idle_state <= 9);
	CHECK(o->dma_latency_us >= -1 && o->dma_latency_us <= INT32_MAX);
	CHECK(o->nstop_on <= CONDITIONS_MAX);
	CHECK(o->nassertion <= CONDITIONS_MAX);
	CHECK(o->nevents <= CONDITIONS_MAX);
	CHECK(o->noise_source && o->policy && o->work_text);
	CHECK(!o->nevents || o->trace);
}

/* Each becomes a path below events/, and must stay there. */
static void check_events(const struct run_config *o)
{
	unsigned int i;

	for (i = 0; i < o->nevents; i++) {
		const char *e = o->events[i], *colon = strchr(e, ':');

		CHECK(*e && *e != ':' && !strchr(e, '/'));
		CHECK(!colon || (colon[1] && !strchr(colon + 1, ':')));
		CHECK(strcmp(e, ".") && strcmp(e, ".."));
		CHECK(strncmp(e, "..:", 3) && strncmp(e, ".:", 2));
		CHECK(!colon || (strcmp(colon, ":..") && strcmp(colon, ":.")));
	}
}

static void check_attach(int argc, char **argv)
{
	struct attach_config o;
	char err[512] = "";
	int ret = options_parse(&manual_attach, &o, argc, argv, err, sizeof(err));

	if (ret < 0)
		CHECK(*err && !strchr(err, '\n'));
	if (ret)
		return;
	CHECK(o.pid >= 0 && o.tid >= 0);
	CHECK(o.args >= argv && o.args <= argv + argc);
	CHECK(o.nassertion <= CONDITIONS_MAX);
	CHECK(o.nuntil <= TLOB_WATCH_UNTIL);
	if (o.functions.list)
		return;
	CHECK(o.budget_ns >= 1000 && o.budget_ns <= 3600000000000ULL);
	if (threads_are_chosen(&o)) {
		CHECK(!!o.tid + !!o.pid + !!o.cgroup <= 1);
		CHECK(!o.program && !*o.args && !o.start && !o.stop && !o.library);
	} else {
		CHECK(o.pid || (o.program && *o.program));
		CHECK(!o.pid || !*o.args);
		CHECK(*o.start && *o.stop && strcmp(o.start, o.stop));
	}
}

/* The same lines as an environment: what it adds is an option with a value. */
static void check_environment(char **lines)
{
	char *argv[] = { (char *)"run", (char *)"-q", NULL }, err[512] = "";
	struct environment e;
	struct run_config o;
	int ret = environment_read(&e, &manual_run, lines, 2, argv, err, sizeof(err)), bad = 0, i;

	CHECK(!ret || (*err && !strchr(err, '\n')));
	CHECK(e.n <= ENVIRONMENT_MAX && e.argc == 2 + e.n && !strcmp(e.argv[1 + e.n], "-q") && !e.argv[e.argc]);
	for (i = 1; i <= e.n; i++)
		CHECK(!strncmp(e.argv[i], "--", 2) && strchr(e.argv[i], '='));
	if (!ret) {
		ret = options_parse_at(&manual_run, &o, e.argc, e.argv, err, sizeof(err), &bad);
		if (ret < 0)
			environment_explain(&e, &manual_run, bad, err, sizeof(err));
		CHECK(ret <= 0 && bad <= e.n && (!ret || strstr(err, "TLOB_OPT_") || strlen(err) > 400));
	}
	environment_free(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *argv[MAX_ARGS + 2], *at, err[512] = "";
	struct run_config o;
	struct tlob_work w;
	struct tlob_policy p;
	int argc = 0, ret;

	argv[argc++] = (char *)"run";
	for (at = text; argc <= MAX_ARGS && *at; ) {
		argv[argc++] = at;
		at += strcspn(at, "\n");
		if (*at)
			*at++ = '\0';
	}
	argv[argc] = NULL;
	check_attach(argc, argv);
	check_environment(argv + 1);
	ret = options_parse(&manual_run, &o, argc, argv, err, sizeof(err));
	if (ret < 0) {
		CHECK(*err && !strchr(err, '\n'));
	} else if (!ret) {
		check_ranges(&o);
		check_events(&o);
		/* the kernel gets these texts and must read the same values */
		CHECK(!tlob_parse_work(o.work_text, &w) &&
		      !memcmp(&w, &o.work, sizeof(w)));
		CHECK(!policy_parse(&p, o.policy, err, sizeof(err)) &&
		      !memcmp(&p, &o.sched, sizeof(p)));
	}
	free(text);
	return 0;
}
