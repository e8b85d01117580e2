// SPDX-License-Identifier: GPL-2.0
/* Files of phases, and that each phase of a window is executed, in its order. */
#include <sys/resource.h>
#include <unistd.h>

#include "options/run_config.h"
#include "run/phases.h"
#include "run/work.h"
#include "unit.h"

#define HEAD	"{\"format\": \"tlob-load phases\", \"version\": 1, \"phases\": "

TEST(test_accepted)
{
	struct phases p;

	assert_int_equal(phases_parse(&p, HEAD "[{\"loops\": 20000}, {\"mem\": \"chase,ws=64K,n=5\"}, {\"sleep\": \"50us\"},"
				      "{\"syscall\": 10}, {\"fpu\": \"7\"}, {\"spin\": \"1.5us\"}]}", "x"), 0);
	assert_string_equal(p.text, "loops:20000, mem:chase,ws=64K,n=5, sleep:50us, syscall:10, fpu:7, spin:1.5us");
	assert_int_equal(p.n, 6);
	assert_int_equal(p.at[1].type, TLOB_KIND_CHASE);
	assert_int_equal(p.at[2].amount, 50000);
	assert_int_equal(p.at[5].amount, 1500);
	phases_free(&p);
}

TEST(test_refused)
{
	static const char * const bad[] = {
		"", "{", "[]", "{}", "{\"format\": \"tlob-load result\", \"version\": 1, \"phases\": [{\"loops\": 1}]}",
		"{\"format\": \"tlob-load phases\", \"version\": 2, \"phases\": [{\"loops\": 1}]}",
		HEAD "[]}", HEAD "{}}", HEAD "[1]}", HEAD "[\"loops:1\"]}", HEAD "[{}]}",
		HEAD "[{\"loops\": 1, \"fpu\": 1}]}", HEAD "[{\"loops\": 0}]}", HEAD "[{\"loops\": 1.5}]}",
		HEAD "[{\"loops\": null}]}", HEAD "[{\"dance\": 1}]}", HEAD "[{\"sleep\": 50}]}",
		HEAD "[{\"sleep\": \"50\"}]}", HEAD "[{\"@x\": 1}]}", HEAD "[{\"@\": \"x\"}]}", HEAD "[{\"mem\": \"chase\"}]}",
		HEAD "[{\"loops\": 1}], \"phases2\": []}",
	};
	struct phases p;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (phases_parse(&p, bad[i], "x") != -EUSAGE)
			fail_msg("accepted: %s", bad[i]);
		phases_free(&p);
	}
	assert_int_equal(phases_read(&p, "/nonesuch"), -ENOENT);
}

static uint64_t sleeps(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
	return (uint64_t)usage.ru_nvcsw;
}

/* Runs @json once; @abort as the end of a run sets it. Returns how often it slept. */
static uint64_t run(const char *json, bool abort, uint64_t *sum)
{
	static const uint64_t undisturbed;
	atomic_bool stop = abort;
	struct phases p;
	struct work w = { .interference = &undisturbed, .abort = &stop, .hw_threshold_ns = 5000 };
	uint64_t before;

	assert_int_equal(phases_parse(&p, json, "x"), 0);
	w.phases = &p;
	assert_int_equal(work_alloc(&w, 0), 0);
	work_init(&w);
	before = sleeps();
	work_run(&w);
	before = sleeps() - before;
	*sum = w.sum;
	work_free(&w);
	phases_free(&p);
	return before;
}

TEST(test_every_phase_runs)
{
	uint64_t parent = (uint64_t)getppid(), sum, loops, chase, slept, fewest;
	unsigned int i;

	/* the check sums of the phases add up, so each has run, and as often as it says */
	run(HEAD "[{\"syscall\": 10}]}", false, &sum);
	assert_int_equal(sum, 10 * parent);
	run(HEAD "[{\"loops\": 1000}]}", false, &loops);
	run(HEAD "[{\"mem\": \"chase,ws=64K,n=100\"}]}", false, &chase);
	assert_true(chase > 0);
	run(HEAD "[{\"loops\": 1000}, {\"syscall\": 3}, {\"mem\": \"chase,ws=64K,n=100\"}, {\"syscall\": 4}]}", false, &sum);
	assert_true(sum == loops + chase + 7 * parent);
	/* each round adds nearly one */
	run(HEAD "[{\"fpu\": 1}]}", false, &loops);
	run(HEAD "[{\"fpu\": 1001}]}", false, &sum);
	assert_true(sum >= loops + 999 && sum <= loops + 1000);
	/* each sleep gives up the CPU */
	assert_true(run(HEAD "[{\"sleep\": \"1ms\"}, {\"loops\": 10}, {\"sleep\": \"1ms\"}]}", false, &sum) >= 2);
	/* the end of a run cuts off what follows; a page fault or a stopped machine is a sleep now and then */
	for (i = 0, fewest = UINT64_MAX; i < 20 && fewest; i++) {
		slept = run(HEAD "[{\"sleep\": \"1h\"}, {\"syscall\": 5}]}", true, &sum);
		fewest = slept < fewest ? slept : fewest;
		assert_int_equal(sum, 0);
	}
	assert_int_equal(fewest, 0);
}

UNIT_MAIN(NULL, NULL)
