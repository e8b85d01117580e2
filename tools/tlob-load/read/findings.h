/* SPDX-License-Identifier: GPL-2.0 */
/* What doctor found on the machine of a run, and what became of --assert, from its file. */
#ifndef TLOB_READ_FINDINGS_H
#define TLOB_READ_FINDINGS_H

#include "facts/findings.h"
#include "result/assertion.h"
#include "util/json_read.h"

/* Reads the key findings of @o into *@to (malloc); an older file has none, and *@to stays. */
void read_findings(struct reader *rd, struct json_object *o, struct findings **to);

/* The key assertions, which only a run with --assert has. */
void read_assertions(struct reader *rd, struct json_object *o, struct said *said);

#endif /* TLOB_READ_FINDINGS_H */
