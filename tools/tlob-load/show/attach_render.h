/* SPDX-License-Identifier: GPL-2.0 */
/* What attach has found, for people and for programs. 0 or -errno, as in render.h. */
#ifndef TLOB_ATTACH_RENDER_H
#define TLOB_ATTACH_RENDER_H

#include <stdio.h>

#include "result/attach_result.h"

/* One line: the window @w has ended, over its budget. */
void attach_show(FILE *f, const struct attach_result *r,
		 const struct tlob_task_window *w);

/* One line: a window is over its budget, and goes on at @now_ns. */
void attach_show_open(FILE *f, const struct attach_result *r,
		      const struct attach_open *open, uint64_t now_ns);

/* The summary. */
int  attach_text(FILE *f, const struct attach_result *r);

/* One JSON object on one line: docs/reference/result.md. */
int  attach_json(FILE *f, const struct attach_result *r);

#endif /* TLOB_ATTACH_RENDER_H */
