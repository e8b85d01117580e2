/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A page draws itself: it is the data in JSON, one style and page.js. It has no other parts, so it
 * needs no network. Without a script it shows the text of the terminal.
 */
#ifndef TLOB_REPORT_HTML_H
#define TLOB_REPORT_HTML_H

#include <stdio.h>

#include "util/json_write.h"

struct html {
	FILE *f;
	const char *kind;
	/* The members of the data go here, behind html_key(). No text in it can end its element. */
	FILE *json;
};

/*
 * Begins a page of a @kind that page.js knows. @text prints @data as the terminal shows it. 0 or
 * -ENOMEM. Then html_end() ends it, also after an error.
 */
int html_begin(struct html *p, FILE *f, const char *kind, const char *title,
	       int (*text)(FILE *f, const void *data), const void *data);

/* Begins the member @key; its value is what is printed to @p->json next. */
void html_key(struct html *p, const char *key);

/* The member @key is @o, which is taken over. 0, -ENOMEM (also if @b failed) or -EIO. */
int html_put(struct html *p, const char *key, struct builder *b, struct json_object *o);

/* The member "markdown": what @put prints, for the button that copies it. 0, -ENOMEM or of @put. */
int html_markdown(struct html *p, int (*put)(FILE *f, const void *data), const void *data);

/* Returns @err, or -EIO if the file has an error. */
int html_end(struct html *p, int err);

#endif /* TLOB_REPORT_HTML_H */
