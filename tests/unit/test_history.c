// SPDX-License-Identifier: GPL-2.0
/*
 * A history's sessions: their file, the screen, gaps, steps and what settles them; a file system that
 * does not say what is a folder. tests/cli has the folder itself.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "merge_check.h"
#include "history/history.h"
#include "history/screening.h"
#include "history/series.h"
#include "history/session.h"
#include "options/option_value.h"
#include "result/comparable.h"
#include "util/process.h"

static struct session sample_session(void)
{
	static struct session_run run[2];
	struct session s = {
		.key = 1ULL << 63, .build = (char *)"6.12 \xff", .host = (char *)"a", .settings = (char *)"b",
		.state = SESSION_OPEN, .against = 7, .nruns = 2, .run = run, .duration_ns = 5,
	};
	unsigned int i;

	for (i = 0; i < SESSION_VALUES; i++) {
		run[0].value[i] = 1000 * i + 0.5;
		run[1].value[i] = i ? INFINITY : NAN;
	}
	run[0].fingerprint = UINT64_MAX;
	return s;
}

static char *text_of(const struct session *s)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(session_write(f, s), 0);
	fclose(f);
	return text;
}

TEST(test_file)
{
	struct session s = sample_session(), back;
	char *text = text_of(&s), why[400];
	unsigned int i;

	assert_int_equal(session_parse(&back, text, why, sizeof(why)), 0);
	assert_string_equal(back.build, s.build);
	assert_true(back.duration_ns == 5 && back.key == s.key && back.state == s.state && back.against == 7 && back.nruns == 2);
	assert_true(back.run[0].fingerprint == UINT64_MAX && !back.commit && !back.verdict);
	assert_true(isnan(back.run[1].value[0]) && isinf(back.run[1].value[1]));
	for (i = 0; i < SESSION_VALUES; i++)
		assert_true(back.run[0].value[i] == s.run[0].value[i]);
	session_free(&back);
	free(text);
}

struct dirent *__real_readdir(DIR *d);
struct dirent *__wrap_readdir(DIR *d);
struct dirent *__wrap_readdir(DIR *d)
{
	struct dirent *entry = __real_readdir(d);

	if (entry)
		entry->d_type = DT_UNKNOWN;
	return entry;
}

/* With a folder in its folder, as a confirmation leaves it. */
TEST(test_remove)
{
	char dir[] = "/tmp/tlob-history-XXXXXX", folder[HISTORY_PATH], sub[HISTORY_PATH + 16];
	static char * const files[] = { "/dev/null", "/dev/null" };
	struct session s = sample_session();

	assert_non_null(mkdtemp(dir));
	assert_int_equal(history_add(dir, &s, files), 0);
	snprintf(sub, sizeof(sub), "%s/confirm", history_path(folder, dir, &s, SIZE_MAX));
	assert_int_equal(mkdir(sub, 0777), 0);
	assert_int_equal(history_remove(dir, &s), 0);
	assert_int_equal(rmdir(dir), 0);
}

/* Each is refused with its reason, and leaves nothing behind. */
TEST(test_foreign)
{
	static const struct {
		const char *from, *to, *why;
	} changes[] = {
		{ "tlob-load session", "tlob-load result", "not a session of tlob-load" },
		{ "\"version\":1", "\"version\":2", "has version 2, but this tlob-load reads version 1" },
		{ "\"state\":\"open\"", "\"state\":\"shut\"", "state" },
		{ "\"p50(wake)\":1000.5", "\"p50(wake)\":-1", "negative" },
		{ "\"p50(wake)\":1000.5", "\"p50(wake)\":[]", "not a number" },
		{ "\"key\":", "\"kez\":", "key" },
		{ "}]}", "", "" },
	};
	struct session s = sample_session(), back;
	char *text = text_of(&s), why[400], changed[4096];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		const char *at = strstr(text, changes[i].from);

		assert_non_null(at);
		snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(at - text), text, changes[i].to,
			 at + strlen(changes[i].from));
		assert_int_equal(session_parse(&back, changed, why, sizeof(why)), -EINVAL);
		assert_contains(why, changes[i].why);
		assert_null(back.build);
	}
	free(text);
}

static bool beyond(double value, double a, double b, double c)
{
	double last[] = { a, b, c };
	struct screening s = { .n = 3, .value = value };

	screening_judge(&s, last);
	return s.beyond;
}

TEST(test_screen)
{
	double none[1];
	struct screening s = { .value = INFINITY };

	assert_false(beyond(120, 400, 100, 50));
	assert_true(beyond(120.1, 400, 100, 50));
	assert_true(beyond(INFINITY, 400, 100, 50));
	/* missed on both sides is nothing new */
	assert_false(beyond(INFINITY, INFINITY, 100, INFINITY));
	assert_true(beyond(INFINITY, INFINITY, 100, 100));
	screening_judge(&s, none);
	assert_false(s.beyond);
}

/* @episodes of ten expiries each, of 100 000 for each session. */
static struct events events_of(uint64_t episodes, uint64_t sessions)
{
	struct events e = { .expiries = 100000 * sessions, .late = 10 * episodes, .e = { .n = EPISODE_GAPS } };
	size_t i;

	for (i = 0; i < EPISODE_GAPS; i++)
		e.e.at[i] = (struct episode_row){ .gap_ns = 1000 << i, .n = episodes, .longest = 10 };
	return e;
}

static bool more_events(uint64_t before, uint64_t now, size_t sessions)
{
	struct screening s = { .n = sessions, .before = events_of(before, sessions), .events = events_of(now, 1) };

	screening_judge_events(&s);
	return s.beyond;
}

/* P(X >= 1), X ~ B(1, 1/11) is 9 %; P(X = 2) of 2 is 0.8 %; P(X >= 4) of 14 is 3.2 %. */
TEST(test_screen_events)
{
	assert_false(more_events(0, 0, 10));
	assert_false(more_events(0, 1, 10));
	assert_true(more_events(0, 2, 10));
	assert_true(more_events(10, 4, 10));
	assert_false(more_events(10, 3, 10));
	/* without a session before it nothing is beyond; after one of equal length it takes five */
	assert_false(more_events(0, 9, 0));
	assert_false(more_events(0, 4, 1));
	assert_true(more_events(0, 5, 1));
}

#define DAY	((time_t)86400)

/* Sessions of one run a day, with these medians. */
static void make_series(struct history *h, const double x[], size_t n)
{
	size_t i;

	*h = (struct history){ .n = n, .at = calloc(n, sizeof(*h->at)), .nseries = 1 };
	for (i = 0; i < n; i++) {
		h->at[i] = (struct session){ .number = (unsigned int)i + 1, .series = 1, .nruns = 1,
					     .run = calloc(1, sizeof(struct session_run)) };
		h->at[i].run->started = (time_t)i * DAY;
		h->at[i].run->value[VALUE_RESPONSE_P999] = x[i];
	}
}

TEST(test_gaps)
{
	double x[6] = { 0 };
	struct history h;
	struct series s;

	make_series(&h, x, 6);
	h.at[4].run->started += 9 * DAY;	/* a long gap before it, and the clock is set back after */
	assert_int_equal(series_take(&s, &h, 1), 0);
	assert_int_equal(s.n, 6);
	assert_true(series_gap(&s, 0) == 0 && series_gap(&s, 3) == 0);
	assert_true(series_gap(&s, 4) == 10 * DAY && series_gap(&s, 5) == -8 * DAY);
	series_free(&s);
	history_free(&h);
}

/* One step is found once, where it is; noise and drift have none. */
TEST(test_steps)
{
	uint64_t seed = 5;
	struct step step[4];
	struct history h;
	struct series s;
	double x[60];
	size_t i;

	for (i = 0; i < 60; i++)
		x[i] = (i < 25 ? 1000 : 1400) + (double)(unit_random(&seed) % 200);
	make_series(&h, x, 60);
	assert_int_equal(series_take(&s, &h, 1), 0);
	assert_int_equal(series_steps(&s, VALUE_RESPONSE_P999, SERIES_ALPHA, step, 4), 1);
	assert_int_equal(step[0].at, 25);
	assert_true(step[0].by > 0.3 && step[0].by < 0.45);
	for (i = 0; i < 60; i++)
		h.at[i].run->value[VALUE_RESPONSE_P999] = 1000 + (double)(unit_random(&seed) % 200);
	assert_int_equal(series_steps(&s, VALUE_RESPONSE_P999, SERIES_ALPHA, step, 4), 0);
	/* no room for all: the newest; from 0 no share */
	for (i = 0; i < 60; i++)
		h.at[i].run->value[VALUE_RESPONSE_P999] = i < 15 ? 1 : i < 30 ? 0 : i < 45 ? 2 : 4;
	assert_int_equal(series_steps(&s, VALUE_RESPONSE_P999, SERIES_ALPHA, step, 2), 2);
	assert_true(step[0].at == 30 && isinf(step[0].by));
	assert_true(step[1].at == 45 && step[1].by == 1);
	series_free(&s);
	history_free(&h);
}

/* Steps of 30 % among 25 sessions of builds of their own: from session 13 on, if @slow. */
struct looking {
	struct history h;
	struct series s;
	char build[25][8];
};

static void begin_looking(struct looking *l, bool slow)
{
	double x[25];
	uint64_t seed = 7;
	size_t i;

	for (i = 0; i < 25; i++)
		x[i] = (slow && i >= 12 ? 1300 : 1000) + (double)(unit_random(&seed) % 100);
	make_series(&l->h, x, 25);
	for (i = 0; i < 25; i++) {
		snprintf(l->build[i], sizeof(l->build[i]), "v%zu", i + 1);
		l->h.at[i].build = strdup(l->build[i]);
	}
	l->h.at[24].state = SESSION_OPEN;
	assert_int_equal(series_take(&l->s, &l->h, 1), 0);
}

static void end_looking(struct looking *l)
{
	series_free(&l->s);
	history_free(&l->h);
}

/* The session to compare with, or 0. */
static unsigned int look(const struct looking *l, unsigned int *from)
{
	struct screening_step step;

	assert_int_equal(screening_look_back(&step, &l->s, VALUE_RESPONSE_P999, SCREEN_MARGIN), 0);
	*from = step.from ? step.from->number : 0;
	assert_true(!step.from || (step.by > 0.2 && step.by < 0.4));
	return step.from ? step.against->number : 0;
}

TEST(test_look_back)
{
	struct looking l;
	unsigned int from;
	size_t i;

	begin_looking(&l, false);
	assert_int_equal(look(&l, &from), 0);
	end_looking(&l);

	/* the third last before the step, of another build */
	begin_looking(&l, true);
	assert_int_equal(look(&l, &from), 10);
	assert_int_equal(from, 13);
	memcpy(l.h.at[9].build, "v25", sizeof("v25"));
	assert_int_equal(look(&l, &from), 9);
	memcpy(l.h.at[9].build, "v10", sizeof("v10"));
	/* a session that is no slower than those before the step */
	l.h.at[24].run->value[VALUE_RESPONSE_P999] = 1100;
	assert_int_equal(look(&l, &from), 0);
	l.h.at[24].run->value[VALUE_RESPONSE_P999] = 1300;
	/* rejected ones are after it, and none before it */
	for (i = 12; i < 24; i++)
		l.h.at[i].state = SESSION_REJECTED;
	assert_int_equal(look(&l, &from), 10);
	for (i = 2; i < 12; i++)
		l.h.at[i].state = SESSION_REJECTED;
	assert_int_equal(look(&l, &from), 0);
	end_looking(&l);
	/* eight sessions on each side are enough */
	begin_looking(&l, true);
	for (i = 0; i < 17; i++)
		if (i < 4 || i >= 12)
			l.h.at[i].run->value[VALUE_RESPONSE_P999] = NAN;
	assert_int_equal(look(&l, &from), 10);
	l.h.at[17].run->value[VALUE_RESPONSE_P999] = NAN;
	assert_int_equal(look(&l, &from), 0);
	end_looking(&l);
}

/* Session @i was compared with session @against. */
static void compared(struct looking *l, size_t i, unsigned int against, const char *verdict)
{
	l->h.at[i - 1].against = against;
	free(l->h.at[i - 1].verdict);
	l->h.at[i - 1].verdict = strdup(verdict);
}

TEST(test_settled)
{
	struct looking l;
	unsigned int from;

	begin_looking(&l, true);
	compared(&l, 20, 10, "OK");
	assert_int_equal(look(&l, &from), 0);
	/* against an older one, it would do as well; not against one since the reference */
	compared(&l, 20, 9, "OK");
	assert_int_equal(look(&l, &from), 0);
	compared(&l, 20, 11, "OK");
	assert_int_equal(look(&l, &from), 10);
	/* a session before the step */
	compared(&l, 20, 0, "OK");
	compared(&l, 12, 9, "OK");
	assert_int_equal(look(&l, &from), 10);
	/* three that could not decide; a regression only if somebody accepted it */
	compared(&l, 20, 10, "INCONCLUSIVE");
	compared(&l, 21, 10, "INCONCLUSIVE");
	assert_int_equal(look(&l, &from), 10);
	compared(&l, 22, 10, "INCONCLUSIVE");
	assert_int_equal(look(&l, &from), 0);
	l.h.at[21].state = SESSION_OPEN;
	assert_int_equal(look(&l, &from), 10);
	compared(&l, 22, 10, "REGRESSION");
	l.h.at[21].state = SESSION_REJECTED;
	assert_int_equal(look(&l, &from), 10);
	l.h.at[21].state = SESSION_ACCEPTED;
	assert_int_equal(look(&l, &from), 0);
	end_looking(&l);
}

/* A tenth and a second do not count, and nothing where the length is not known. */
TEST(test_unequal)
{
	const struct session s[] = {
		{ .duration_ns = 10000000000 }, { .duration_ns = 12000000000 }, { .duration_ns = 12000000001 }, { 0 },
	};

	assert_false(session_is_unequal(&s[0], &s[1]) || session_is_unequal(&s[1], &s[0]));
	assert_true(session_is_unequal(&s[0], &s[2]));
	assert_false(session_is_unequal(&s[0], &s[3]) || session_is_unequal(&s[3], &s[2]));
}

/* Two results have one key if and only if nothing differs that makes them incomparable. */
TEST(test_key)
{
	struct result a, b;

	make_part(&a, 1, 10, 5);
	make_part(&b, 1, 10, 6);
	assert_true(facts_key(&a) && facts_key(&a) == facts_key(&b));
	set_text(&b.kernel, "another");
	assert_true(facts_key(&a) == facts_key(&b));
	set_text(&b.work, "none");
	assert_true(facts_key(&a) != facts_key(&b));
	set_text(&b.work, a.work);
	b.budget_ns++;
	assert_true(facts_key(&a) != facts_key(&b));
	result_free(&a);
	result_free(&b);
}

static int take(void *to, const struct manual_option *o, const char *arg)
{
	call_add(to, "%s=%s", o->name, arg ? arg : "");
	return 0;
}

/* What host_command() has written comes back, with clusters of letters as single options. */
TEST(test_command)
{
	static const char * const words[] = { "cpus=0,2", "quiet=", "duration=5s", "load=a 'b' $c", "tune=list" };
	struct call line = { 0 }, options = { 0 };
	size_t i;

	assert_int_equal(call_add_line(&line, "tlob-load run -c0,2 -qd 5s --load 'a '\\''b'\\'' $c' --tune=list"), 0);
	assert_int_equal(options_each(&manual_run, (int)line.n - 1, line.argv + 1, take, &options), 0);
	assert_int_equal(options.n, ARRAY_SIZE(words));
	for (i = 0; i < options.n; i++)
		assert_string_equal(options.argv[i], words[i]);
	call_free(&line);
	call_free(&options);
	assert_int_equal(call_add_line(&line, "a 'b"), -EINVAL);
	assert_int_equal(call_add_line(&line, "a;b"), -EINVAL);
	call_free(&line);
	assert_int_equal(call_add_line(&line, "tlob-load run --nosuch"), 0);
	assert_int_equal(options_each(&manual_run, (int)line.n - 1, line.argv + 1, take, &options), -EINVAL);
	call_free(&line);
	assert_int_equal(call_add_line(&line, "tlob-load run word"), 0);
	assert_int_equal(options_each(&manual_run, (int)line.n - 1, line.argv + 1, take, &options), -EINVAL);
	call_free(&line);
	call_free(&options);
}

UNIT_MAIN(NULL, NULL)
