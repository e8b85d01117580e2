// SPDX-License-Identifier: GPL-2.0
/* Writes the result file of attach: docs/reference/result.md, docs/reference/attach.schema.json. */
#include "attach/attach_render.h"
#include "result/tables.h"

int attach_json(FILE *f, const struct attach_result *r)
{
	struct json_object *o = json_object_new_object();
	struct builder b = { .about = r->functions };
	int err;

	record_put(&b, o, &attach_result_record, r);
	err = b.err ? b.err : json_print(f, o);
	json_object_put(o);
	return err;
}
