// SPDX-License-Identifier: GPL-2.0
/* attach --key: whose time a window has that begins on one thread and ends on another. */
#include "attach/bpf/key_meet.h"
#include "unit.h"

/* A window from 100 to 1000. The first thread worked until 300, 150 of that on its CPU. */
static const struct key_times usual = {
	.start = 100, .end = 1000, .until = 300, .on_cpu = 150, .anchor = 400, .stretch = 400,
};

static struct key_meet meet(const struct key_times *t)
{
	struct key_meet m;
	uint64_t first, begins;

	key_meet(&m, t);
	/* the parts add up to the window */
	first = m.first ? t->until - t->start - m.both : 0;
	begins = !m.second ? t->end : m.before ? t->anchor : t->stretch;
	assert_int_equal(first + m.elsewhere + (t->end - begins), t->end - t->start);
	return m;
}

TEST(test_one_after_the_other)
{
	struct key_times t = usual;
	struct key_meet m = meet(&t);

	assert_true(m.first && m.second);
	assert_int_equal(m.elsewhere, 100);
	assert_int_equal(m.both, 0);
	/* it has slept since it began to work: that is its own */
	t.stretch = 800;
	m = meet(&t);
	assert_true(m.before);
	assert_int_equal(m.elsewhere, 100);
	/* it had begun to work for somebody else, and rested since */
	t.anchor = 200;
	m = meet(&t);
	assert_true(m.first && m.second && !m.before);
	assert_int_equal(m.elsewhere, 500);
	t.anchor = 50;
	assert_int_equal(meet(&t).elsewhere, 500);
}

/* What both had counts for the second one, if the first one was on its CPU then. */
TEST(test_both)
{
	struct key_times t = usual;
	struct key_meet m;

	t.anchor = t.stretch = 250;
	m = meet(&t);
	assert_true(m.first && m.second);
	assert_int_equal(m.both, 50);
	assert_int_equal(m.elsewhere, 0);
	t.on_cpu = 49;
	m = meet(&t);
	assert_false(m.first);
	assert_int_equal(m.elsewhere, 150);
}

/* The first thread has not left it, or the second one worked for others since before. */
TEST(test_not_known)
{
	struct key_times t = usual;
	struct key_meet m;

	t.until = t.start;
	m = meet(&t);
	assert_true(!m.first && m.second);
	assert_int_equal(m.elsewhere, 300);
	t = usual;
	t.anchor = t.stretch = 50;
	m = meet(&t);
	assert_true(m.first && !m.second && !m.before);
	assert_int_equal(m.elsewhere, 700);
	t.until = t.start;
	assert_int_equal(meet(&t).elsewhere, 900);
}

UNIT_MAIN(NULL, NULL)
