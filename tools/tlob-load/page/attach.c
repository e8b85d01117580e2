// SPDX-License-Identifier: GPL-2.0
#include "page/page.h"
#include "show/attach_render.h"

int page_attach(FILE *f, const struct attach_result *const r[], size_t n)
{
	size_t i;
	int err = 0;

	html_begin(f, "tlob-load attach");
	for (i = 0; i < n && !err; i++)
		err = attach_tables_html(f, r[i]);
	html_end(f);
	return err;
}
