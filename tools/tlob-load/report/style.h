/* SPDX-License-Identifier: GPL-2.0 */
/* What is the same on every page: style sheet and script. */
#ifndef TLOB_REPORT_STYLE_H
#define TLOB_REPORT_STYLE_H

/* The page up to its title, with the style sheet. */
extern const char page_head[];

/*
 * The page is whole without it. It shows values under the pointer, hides curves by a
 * click on their legend, and copies the Markdown.
 */
extern const char page_script[];

#endif /* TLOB_REPORT_STYLE_H */
