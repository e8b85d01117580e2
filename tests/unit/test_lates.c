// SPDX-License-Identifier: GPL-2.0
/*
 * Late windows of a run: the backend is asked once for all records in hand, and names of functions
 * are read at the end, only if a window needs one.
 */
#include "util/ksyms.h"

static unsigned int names_read;
static bool hidden;

static int load_names(struct ksyms *k, const char *path)
{
	names_read++;
	k->n = !hidden;
	return 0;
}

#define ksyms_load load_names
#include "backend/late_names.c"
#include "run/collect.c"
#include "run/worker_local.h"
#include "sample.h"

bool culprit_has_stack(const struct cause *cause, const struct tlob_late *late)
{
	return late->at[0].pid;
}

/* The place has the pid of the stack as its name. */
void culprit_place(struct kernel_place *to, const struct cause *cause, const struct tlob_late *late,
		   const struct ksyms *k)
{
	if (k->n)
		snprintf(to->function, sizeof(to->function), "f%d", late->at[0].pid);
}

/* CPU 0 has the records [nr_read, nr). late_nr has the activations of its late windows. */
static struct tlob_window records[3000];
static unsigned int nr, nr_read;
static uint64_t late_nr[2000];
static unsigned int nr_late, nr_late_read, asked;

static int next_records(struct backend_run *b, size_t i, struct tlob_window *w, size_t n)
{
	size_t k;

	for (k = 0; k < n && nr_read < nr; k++)
		w[k] = records[nr_read++];
	return (int)k;
}

static bool next_of_late(struct backend_run *b, size_t i, struct late_window *to)
{
	if (nr_late_read == nr_late) {
		asked++;
		return false;
	}
	*to = (struct late_window){
		.w = records[late_nr[nr_late_read]], .stacks.at[0].pid = (int)late_nr[nr_late_read],
	};
	to->w.activation = late_nr[nr_late_read++];
	return true;
}

static const struct backend_kthread kthread = { .read = next_records };
static const struct backend table = { .kthread = &kthread, .late = next_of_late };
static const struct backend counting = { .between = true, .late = next_of_late };
static struct backend_run backend = { .backend = &table };
static struct run_config config;

static void begin(struct collector *c, struct result *r, const char *stop_on)
{
	char why[200];

	memset(&config, 0, sizeof(config));
	config.work.type = TLOB_KIND_SPIN;
	if (stop_on) {
		assert_int_equal(condition_parse_window(&config.stop_on[0], stop_on, why, sizeof(why)), 0);
		config.nstop_on = 1;
	}
	sample_empty(r, 1);
	backend.r = r;
	backend.config = &config;
	assert_int_equal(collect_init(c, &backend, NULL), 0);
	nr = nr_read = nr_late = nr_late_read = asked = names_read = 0;
}

/* A window that violates its budget; its number is its activation. */
static void add(uint64_t response)
{
	struct tlob_window *w = &records[nr];

	*w = sample_window(0, nr);
	w->t0_ns = 1000000ULL * (nr + 1);
	w->flags = TLOB_WINDOW_VIOLATION;
	w->part_ns[TLOB_WORK_ON_CPU] += response - w->response_ns;
	sample_close(w);
	nr++;
}

static void end(struct collector *c, struct result *r)
{
	assert_int_equal(collect_release(c), 0);
	collect_free(c);
}

static uint64_t places_of(const struct result *r)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < r->places.n; i++)
		n += r->places.at[i].windows;
	return n + r->places.others;
}

static const char *place_at(const struct result *r, uint64_t activation)
{
	size_t i;

	for (i = 0; i < r->nworst; i++)
		if (r->worst[i].w.activation == activation)
			return r->worst[i].kept.place.function;
	return NULL;
}

TEST(test_asked_once_for_each_batch)
{
	struct collector c;
	struct result r;
	unsigned int i;

	begin(&c, &r, NULL);
	for (i = 0; i < 10 * READ_RECORDS; i++)
		add(500000 + i);
	assert_int_equal(collect_drain(&c), 0);
	assert_int_equal(asked, 10);
	assert_int_equal(names_read, 0);
	end(&c, &r);
	assert_int_equal(names_read, 0);
	assert_int_equal(r.places.n, 0);
	result_free(&r);
}

/* The record of the one between them was lost. */
TEST(test_named_at_the_end)
{
	struct collector c;
	struct result r;
	unsigned int i;

	begin(&c, &r, NULL);
	while (nr < 100)
		add(500000 + nr);
	for (i = 91; i < nr; i++)
		records[i].activation++;
	late_nr[nr_late++] = 90;
	late_nr[nr_late++] = 91;
	late_nr[nr_late++] = 99;
	assert_int_equal(collect_drain(&c), 0);
	assert_int_equal(names_read, 0);
	assert_string_equal(place_at(&r, 90), "");
	end(&c, &r);
	assert_int_equal(names_read, 1);
	assert_string_equal(place_at(&r, 90), "f90");
	assert_string_equal(place_at(&r, 98), "");
	assert_string_equal(place_at(&r, 99), "f99");
	assert_int_equal(places_of(&r), 2);
	result_free(&r);
}

/* A late window of the next batch is kept for it. */
TEST(test_late_before_its_record)
{
	struct collector c;
	struct result r;

	begin(&c, &r, NULL);
	while (nr < 10)
		add(500000 + nr);
	late_nr[nr_late++] = 10;
	/* written, and not yet read */
	add(600000);
	nr--;
	assert_int_equal(collect_drain(&c), 0);
	nr++;
	assert_int_equal(collect_drain(&c), 0);
	end(&c, &r);
	assert_string_equal(place_at(&r, 10), "f10");
	result_free(&r);
}

/* Windows after the stop do not count, and the one that stopped the run has its place. */
TEST(test_stop)
{
	struct collector c;
	struct result r;

	begin(&c, &r, "response>1ms");
	while (nr < 20)
		add(nr < 10 ? 500000 + nr : 2000000);
	late_nr[nr_late++] = 4;
	late_nr[nr_late++] = 10;
	late_nr[nr_late++] = 15;
	assert_int_equal(collect_drain(&c), 0);
	assert_int_equal(names_read, 0);
	assert_int_equal(collect_release(&c), 0);
	assert_string_equal(c.stop.window.kept.place.function, "f10");
	assert_string_equal(place_at(&r, 4), "f4");
	assert_int_equal(places_of(&r), 2);
	collect_free(&c);
	result_free(&r);
}

/* A screen that asks for a place first does not suppress the note. */
TEST(test_hidden)
{
	struct collector c;
	struct result r;

	begin(&c, &r, NULL);
	add(500000);
	add(500001);
	late_nr[nr_late++] = 1;
	hidden = true;
	assert_int_equal(collect_drain(&c), 0);
	place_of(&c, &c.lates.at[0]);
	end(&c, &r);
	hidden = false;
	assert_int_equal(places_of(&r), 0);
	assert_string_equal(r.notes[0], LATE_NAMES_HIDDEN);
	assert_null(r.notes[1]);
	result_free(&r);
}

/* A thread that counts by itself leaves the stacks of a window before its count. */
TEST(test_own_count)
{
	static struct worker worker;
	struct workers threads = { .at = &worker, .n = 1 };
	struct collector c;
	struct result r;

	begin(&c, &r, NULL);
	backend.backend = &counting;
	c.workers = &threads;
	assert_int_equal(collect_own_count(&c), 0);
	/* as with an action, from the begin on */
	late_names_read(&c.lates.names);
	add(500000);
	add(500001);
	late_nr[nr_late++] = 1;
	assert_int_equal(collect_drain(&c), 0);
	count_window(&c, 0, &records[1], 0);
	assert_int_equal(collect_drain(&c), 0);
	assert_int_equal(collect_drain(&c), 0);
	assert_string_equal(place_at(&r, 1), "f1");
	end(&c, &r);
	backend.backend = &table;
	result_free(&r);
}

/* A signal had stopped the tool: that is the cause, and no function. */
TEST(test_stopped)
{
	struct collector c;
	struct result r;

	begin(&c, &r, NULL);
	while (nr < 20)
		add(500000 + nr);
	late_nr[nr_late++] = 18;
	late_nr[nr_late++] = 19;
	assert_int_equal(collect_drain(&c), 0);
	result_worst_of(&r, &records[18])->w.flags |= WINDOW_CONTINUED;
	end(&c, &r);
	assert_string_equal(place_at(&r, 18), "");
	assert_string_equal(place_at(&r, 19), "f19");
	assert_int_equal(places_of(&r), 1);
	result_free(&r);
}

/* So many are not kept: they are named during the run. */
TEST(test_many)
{
	struct collector c;
	struct result r;

	begin(&c, &r, NULL);
	while (nr <= LATES_MOST + 10) {
		if (nr)
			late_nr[nr_late++] = nr;
		add(500000 + nr);
	}
	assert_int_equal(collect_drain(&c), 0);
	assert_int_equal(names_read, 1);
	assert_int_equal(c.lates.n, 0);
	assert_int_equal(places_of(&r), LATES_MOST + 10);
	end(&c, &r);
	result_free(&r);
}

UNIT_MAIN(NULL, NULL)
