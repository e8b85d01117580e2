/* SPDX-License-Identifier: GPL-2.0 */
/* Asks one rule of doctor about a tree. A rule may read twice, and the tree may change between. */
#ifndef TLOB_UNIT_DOCTOR_LOOK_H
#define TLOB_UNIT_DOCTOR_LOOK_H

#include "doctor_tree.h"
#include "doctor/doctor.h"
#include "doctor/look.h"

/* The files that change between two readings. */
static inline void change(void *data)
{
	const struct file *file = data;

	for (; file && file->path; file++)
		tree_put(file);
}

static inline void put_all(const struct file *file)
{
	change((void *)file);
}

/* The rule's findings on CPUs 2 and 3 of the tree. */
static inline struct finding look_at(const char *id, enum pattern pattern, const struct file *later)
{
	struct doctor d = {
		.root = tree_root, .pattern = pattern ? pattern : PATTERN_PERIODIC,
		.wait = change, .wait_data = (void *)later,
	};
	const struct check *c = check_find(id, d.pattern);
	struct finding f;

	if (!c)
		fail_msg("no rule %s", id);
	assert_int_equal(doctor_prepare(&d, "2-3"), 0);
	assert_int_equal(doctor_examine(&d, c), 0);
	assert_int_equal(d.report.n, 1);
	f = d.report.at[0];
	assert_non_null(f.path);
	assert_non_null(f.found);
	d.report.n = 0;
	doctor_free(&d);
	return f;
}

static inline void expect(const char *id, enum pattern pattern, const struct file *later, const char *what,
		   enum finding_status status, const char *part)
{
	struct finding f = look_at(id, pattern, later);

	if (f.status != status || !strstr(f.found, part))
		fail_msg("%s, %s: %s '%s', expected %s with '%s'", id, what, status_name(f.status), f.found,
			 status_name(status), part);
	finding_free(&f);
}

static inline enum finding_status status_of(const char *id, enum pattern pattern)
{
	struct finding f = look_at(id, pattern, NULL);
	enum finding_status status = f.status;

	finding_free(&f);
	return status;
}

#endif /* TLOB_UNIT_DOCTOR_LOOK_H */
