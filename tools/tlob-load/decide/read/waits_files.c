// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "read/waits.h"
#include "report/waits_render.h"
#include "util/error.h"
#include "util/file.h"

bool waits_files_any(char *const *file, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (waits_is_file(file[i]))
			return true;
	return false;
}

/* After an error neither is loaded. */
static int load_two(struct waits_result r[2], const char *a, const char *b)
{
	char why[160];
	int err = waits_load(&r[0], a);

	if (err)
		return err;
	err = waits_load(&r[1], b);
	if (!err && waits_comparable(&r[0], &r[1], why, sizeof(why)))
		err = fail(-EINVAL, "%s and %s cannot be compared: %s", a, b, why);
	if (err) {
		waits_result_free(&r[0]);
		waits_result_free(&r[1]);
	}
	return err;
}

static int write_page(struct output *out, const struct waits_result *r, const char *const *name)
{
	int err = page_waits(out->f, r, name, 2);

	return err ? output_failed(out->f, "the page", err) : output_commit(out);
}

int waits_files_compare(const char *const file[2], const char *html, bool quiet)
{
	bool taken = html && !strcmp(html, "-");
	struct waits_result r[2] = { 0 };
	struct output page = { 0 };
	int err = output_open(&page, html);

	if (!err)
		err = load_two(r, file[0], file[1]);
	if (!err && html)
		err = write_page(&page, r, file);
	if (!err && !quiet && !taken) {
		err = waits_compare_text(stdout, r, file);
		if (err)
			output_failed(stdout, "the comparison", err);
	}
	outputs_drop(&page, 1, err);
	waits_result_free(&r[0]);
	waits_result_free(&r[1]);
	return err;
}

int waits_files_report(FILE *f, char *const *file, const char *const *label, size_t n, bool page)
{
	const char *name[2] = { label[0] ? label[0] : file[0] };
	struct waits_result r[2] = { 0 };
	int err;

	if (n > 2)
		return fail(-EUSAGE, "a page shows one result of waits, or two: %zu are given", n);
	if (n > 1)
		name[1] = label[1] ? label[1] : file[1];
	err = n > 1 ? load_two(r, file[0], file[1]) : waits_load(&r[0], file[0]);
	if (err)
		return err;
	if (page)
		err = page_waits(f, r, name, n);
	else
		err = n > 1 ? waits_compare_text(f, r, name) : waits_result_text(f, &r[0]);
	if (err)
		output_failed(f, "the output", err);
	waits_result_free(&r[0]);
	waits_result_free(&r[1]);
	return err;
}
