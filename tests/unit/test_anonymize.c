// SPDX-License-Identifier: GPL-2.0
/*
 * --anonymize, for each row of the tables that a result reaches: a text says whether it may leave
 * the machine, and none that may not does.
 */
#include "unit.h"
#include "read/anonymize.h"
#include "read/fields.h"
#include "result/attached.h"
#include "result/parts.h"
#include "reached.h"

#define HIDDEN	"0xsecret"		/* also looks like an address */
#define KEPT	"public"

/* A new row without a decision fails here. */
TEST(test_each_row_decides)
{
	struct reached all = reached_from_results();
	size_t i, k;

	(void)state;
	assert_true(all.n > 30);
	for (i = 0; i < all.n; i++) {
		for (k = 0; k < all.at[i].rows->nfields; k++) {
			const struct field *f = &all.at[i].rows->field[k];
			unsigned int said = !!(f->flags & FIELD_PUBLIC) + !!(f->flags & FIELD_PRIVATE) +
					    !!(f->flags & FIELD_FREE_TEXT);

			if (said != is_text(f))
				fail_msg("%s, row %s: give FIELD_PUBLIC, FIELD_PRIVATE or FIELD_FREE_TEXT to a text, and to nothing else",
					 all.at[i].name, f->key);
			if (f->type == FIELD_OWN && !(f->flags & FIELD_PUBLIC))
				assert_non_null(special_of(all.at[i].rows, f->key)->hide);
		}
	}
}

static const char *mark(const struct field *f)
{
	return f->flags & FIELD_PUBLIC ? KEPT : HIDDEN;
}

static void fill_own(const struct field *f, void *data)
{
	const struct tag_list tags = { .n = 1, .at = { HIDDEN "=" HIDDEN } };
	struct result *r = data;

	if (!strcmp(f->key, "tags")) {
		assert_int_equal(tags_set((void *)((char *)data + f->at), &tags), 0);
	} else if (!strcmp(f->key, "tuning")) {
		r->tuning = calloc(2, sizeof(*r->tuning));
		r->tuning[0] = (struct fact){ strdup("smt"), strdup(KEPT), strdup(HIDDEN) };
		r->tuning[1] = (struct fact){ strdup("new"), strdup(HIDDEN), strdup(HIDDEN) };
		r->ntuning = 2;
	}
}

static void fill(const struct fields *r, void *data);

static void fill_list(const struct field *f, void *data)
{
	char *at = (char *)data + f->at;

	if (f->type == FIELD_NEW_LIST) {
		*(void **)at = calloc(1, f->of->size);
		at = *(void **)at;
	}
	fill(f->of, at);
	if (f->nsize == 8)
		*(uint64_t *)((char *)data + f->n) = 1;
	else
		*(uint32_t *)((char *)data + f->n) = 1;
}

/* Each text, each pointer and one element of each list. What comes from a thread has a name. */
static void fill(const struct fields *r, void *data)
{
	const struct field *f;
	void *new;

	for (f = r->field; f < r->field + r->nfields; f++) {
		char *at = (char *)data + f->at;

		switch (f->type) {
		case FIELD_TEXT:
			*(char **)at = strdup(mark(f));
			break;
		case FIELD_CHARS:
			snprintf(at, f->size, "%s", mark(f));
			break;
		case FIELD_TEXTS:
			assert_int_equal(notes_add((char ***)at, "%s", mark(f)), 0);
			break;
		case FIELD_WORD:
			if (f->words == &noise_kinds)
				*at = TLOB_NOISE_THREAD;
			else if (f->words == &part_words)
				*at = TLOB_WORK_THREAD;
			break;
		case FIELD_RECORD:
			fill(f->of, at);
			break;
		case FIELD_SAME:
			fill(f->of, data);
			break;
		case FIELD_POINTER:
			new = *(void **)at = calloc(1, f->of->size);
			fill(f->of, new);
			break;
		case FIELD_LIST:
		case FIELD_NEW_LIST:
			fill_list(f, data);
			break;
		case FIELD_OWN:
			fill_own(f, data);
			break;
		default:
			break;
		}
	}
}

/* Counts the rows with a text, and those whose text has @what. */
struct counted {
	const char *what;
	size_t n, with;
};

static void count_text(struct counted *c, const char *text)
{
	c->n++;
	c->with += text && strstr(text, c->what);
}

static void count(const struct fields *r, const void *data, struct counted *c)
{
	const struct field *f;
	char **texts;

	for (f = r->field; f < r->field + r->nfields; f++) {
		const char *at = (const char *)data + f->at;

		switch (f->type) {
		case FIELD_TEXT:
			count_text(c, *(char *const *)at);
			break;
		case FIELD_CHARS:
			count_text(c, at);
			break;
		case FIELD_TEXTS:
			memcpy(&texts, at, sizeof(texts));
			count_text(c, texts ? *texts : NULL);
			break;
		case FIELD_RECORD:
		case FIELD_LIST:
			count(f->of, at, c);
			break;
		case FIELD_SAME:
			count(f->of, data, c);
			break;
		case FIELD_POINTER:
		case FIELD_NEW_LIST:
			count(f->of, *(void *const *)at, c);
			break;
		default:
			break;
		}
	}
}

static struct counted counted(const struct fields *r, const void *data, const char *what)
{
	struct counted c = { .what = what };

	count(r, data, &c);
	return c;
}

TEST(test_each_text)
{
	const struct fields *r = &result_record;
	const struct result *all;
	char *data = calloc(1, r->size);
	struct counted before, hidden, kept;
	struct aliases aliases;

	(void)state;
	aliases_begin(&aliases);
	fill(r, data);
	before = counted(r, data, HIDDEN);
	hidden = counted(r, data, KEPT);
	assert_true(before.with >= 30);
	assert_int_equal(before.with + hidden.with, before.n);
	record_hide(r, data, &aliases);
	assert_int_equal(aliases.err, 0);
	assert_int_equal(aliases.n, 1);
	kept = counted(r, data, KEPT);
	assert_int_equal(kept.with, hidden.with);
	assert_int_equal(counted(r, data, HIDDEN).with, 0);
	all = (const void *)data;
	assert_int_equal(all->tags.n, 0);
	assert_string_equal(all->tuning[0].value, KEPT);
	assert_null(strstr(all->tuning[1].value, HIDDEN));
	assert_null(all->tuning[0].source);
	result_free((void *)data);
	free(data);
	aliases_free(&aliases);
}

TEST(test_aliases)
{
	char *a = strdup("host"), *b = strdup("other"), *c = strdup("host"), *d = strdup("host");
	struct aliases first, second;

	(void)state;
	aliases_begin(&first);
	aliases_begin(&second);
	second.call = first.call + 1;
	hide_text(&first, &a);
	hide_text(&first, &b);
	hide_text(&first, &c);
	hide_text(&second, &d);
	assert_string_equal(a, c);
	assert_string_not_equal(a, b);
	assert_string_not_equal(a, d);
	free(a);
	free(b);
	free(c);
	free(d);
	aliases_free(&first);
	aliases_free(&second);
}

/* Names of the kernel's threads stay. Names that begin like them do not. */
TEST(test_names)
{
	static const struct {
		const char *name;
		bool stays;
	} cases[] = {
		{ "ktimers/12", true }, { "swapper/0", true }, { "rcu_preempt", true }, { "timer", true },
		{ "ktimers/x", false }, { "ktimersecret", false }, { "migration/1x", false },
		{ "kworker/u8:1", false }, { "", true }, { "ABCDEFGHIJKLMNOP", false },
	};
	const struct field name = ROW(activation_waker, name, CHARS);
	struct activation_waker task = { .count = 0 };
	struct aliases aliases;
	size_t i;

	(void)state;
	aliases_begin(&aliases);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(task.name, 0, sizeof(task.name));
		memcpy(task.name, cases[i].name, strlen(cases[i].name));
		hide_task(&aliases, &name, &task);
		assert_int_equal(!strncmp(task.name, cases[i].name, sizeof(task.name)), cases[i].stays);
	}
	aliases_free(&aliases);
}

/* "@cpu + ./x" has a command, "@cpu + @io" has none. */
TEST(test_load)
{
	static const char *const load[] = { "@cpu + @io", "@cpu + ./x", "./x + @cpu", "./x" };
	struct aliases aliases;
	size_t i;

	(void)state;
	aliases_begin(&aliases);
	for (i = 0; i < sizeof(load) / sizeof(load[0]); i++) {
		struct result r = { .load = strdup(load[i]) };

		assert_int_equal(result_anonymize(&r, &aliases), 0);
		assert_int_equal(!strcmp(r.load, load[i]), !i);
		assert_non_null(strstr(r.notes[0], "anonymized"));
		result_free(&r);
	}
	aliases_free(&aliases);
}

/* A kernel's function stays if it has a name; what a program calls its own does not. */
TEST(test_frames)
{
	static const struct {
		const char *name;
		bool kernel, stays;
	} cases[] = {
		{ "futex_wait", true, true }, { "0xffffffff81000000", true, false }, { "secret_main", false, false },
	};
	struct aliases aliases;
	size_t i;

	(void)state;
	aliases_begin(&aliases);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct attach_wait wait = { .nframe = 1, .frame = calloc(1, sizeof(*wait.frame)) };

		wait.frame->name = strdup(cases[i].name);
		wait.frame->kernel = cases[i].kernel;
		record_hide(&wait_record, &wait, &aliases);
		assert_int_equal(!strcmp(wait.frame->name, cases[i].name), cases[i].stays);
		record_free(&wait_record, &wait);
	}
	aliases_free(&aliases);
}

UNIT_MAIN(NULL, NULL)
