/* SPDX-License-Identifier: GPL-2.0 */
/* Prints what attach found, for people and for programs. */
#ifndef TLOB_SHOW_ATTACH_RENDER_H
#define TLOB_SHOW_ATTACH_RENDER_H

#include <stdio.h>

#include "result/attach_result.h"

/* Prints one line: window @w ended over its budget. */
void attach_show(FILE *f, const struct attach_result *r,
		 const struct tlob_task_window *w);

/* Prints one line: window @open is over its budget and still open at @now_ns. */
void attach_show_open(FILE *f, const struct attach_result *r,
		      const struct attach_open *open, uint64_t now_ns);

/* Prints the summary. 0, -ENOMEM or -EIO. */
int  attach_text(FILE *f, const struct attach_result *r);

/* Prints one JSON object on one line: docs/reference/result.md. 0, -ENOMEM or -EIO. */
int  attach_json(FILE *f, const struct attach_result *r);

#endif /* TLOB_SHOW_ATTACH_RENDER_H */
