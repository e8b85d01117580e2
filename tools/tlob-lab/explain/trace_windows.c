// SPDX-License-Identifier: GPL-2.0
/* Reading the trace of a run. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/trace_windows.h"
#include "result/parts.h"
#include "util/array.h"
#include "util/usage.h"

#define EVENT	" tlob_window: "
#define ENTRIES	"# entries-in-buffer/entries-written: "

/* The number behind " NAME=" in the first line of @text. */
static bool field(const char *text, const char *name, uint64_t *value)
{
	size_t length = strlen(name), line = strcspn(text, "\n");
	const char *at = text;

	while ((at = strstr(at, name)) && at < text + line) {
		if (at > text && at[-1] == ' ' && at[length] == '=') {
			*value = strtoull(at + length + 1, NULL, 0);
			return true;
		}
		at += length;
	}
	return false;
}

/* "KEPT/WRITTEN" */
static int both(const char *at, uint64_t *kept, uint64_t *written)
{
	char *end;

	*kept = strtoull(at, &end, 10);
	if (*end != '/')
		return -EINVAL;
	*written = strtoull(end + 1, NULL, 10);
	return 0;
}

/* "wake_irq" for the part wake.irq */
static bool read_part(struct record *r, const char *event, unsigned int part)
{
	char name[64], *dot;

	snprintf(name, sizeof(name), "%s", part_name(part));
	dot = strchr(name, '.');
	if (dot)
		*dot = '_';
	return field(event, name, &r->part[part]);
}

static bool read_event(struct record *r, const char *event)
{
	unsigned int i;
	uint64_t flags;
	bool ok = field(event, "activation", &r->activation) &&
		  field(event, "t0", &r->t0) &&
		  field(event, "irq_latency", &r->irq) &&
		  field(event, "wake", &r->wake) &&
		  field(event, "response", &r->response) &&
		  field(event, "flags", &flags);

	r->flags = ok ? flags : 0;
	r->step = 1;
	for (i = 0; i < TLOB_NR_PARTS && ok; i++)
		ok = read_part(r, event, i);
	return ok && r->irq <= r->wake && r->wake <= r->response;
}

int records_read(struct records *r, const char *trace, char *why, size_t size)
{
	const char *at = strstr(trace, ENTRIES);
	uint64_t kept, written;
	struct record *to;
	size_t room = 0;
	int err = 0;

	*r = (struct records){ 0 };
	if (at && !both(at + strlen(ENTRIES), &kept, &written) && kept != written)
		return usage_error(why, size, "the trace has the last %" PRIu64 " of %" PRIu64 " windows: make the run shorter",
				   kept, written);
	for (at = trace; !err && (at = strstr(at, EVENT));) {
		at += strlen(EVENT) - 1;
		to = array_add(r->record, r->n, room);
		if (!to)
			err = -ENOMEM;
		else if (read_event(to, at))
			r->n++;
		else
			err = usage_error(why, size, "window %zu of the trace is not complete",
					  r->n + 1);
	}
	if (!err && !r->n)
		err = usage_error(why, size, "the trace has no window");
	if (err)
		records_free(r);
	return err;
}

/* The number in column @name of @line, by the names in @head. */
static bool column(const char *head, const char *line, const char *name, uint64_t *value)
{
	size_t length = strlen(name);
	char *end;

	for (; *head && *head != '\n'; head++, line++) {
		if (!strncmp(head, name, length) && strchr(",\n", head[length])) {
			*value = strtoull(line, &end, 10);
			return end > line && strchr(",\n", *end);
		}
		head += strcspn(head, ",\n");
		line += strcspn(line, ",\n");
		if (*head != ',' || *line != ',')
			break;
	}
	return false;
}

static const char *read_region(struct record *to, const char *head, const char *line,
			       uint64_t *until)
{
	uint64_t ended;

	*to = (struct record){ .step = 1 };
	if (!column(head, line, "t0_ns", &to->t0) ||
	    !column(head, line, "response_ns", &to->response) ||
	    !column(head, line, "ended", &ended))
		return "is not complete";
	if (!ended)
		return "was cut: its thread ended before --stop";
	if (to->t0 < *until)
		return "began before the one before it had ended: only one thread can be in the region at a time";
	*until = to->t0 + to->response;
	return NULL;
}

int records_read_region(struct records *r, const char *windows, char *why, size_t size)
{
	const char *line, *wrong = NULL;
	struct record *to;
	uint64_t until = 0;
	size_t room = 0;

	*r = (struct records){ 0 };
	for (line = strchr(windows, '\n'); line && line[1] && !wrong; line = strchr(line, '\n')) {
		line++;
		to = array_add(r->record, r->n, room);
		if (!to) {
			records_free(r);
			return -ENOMEM;
		}
		wrong = read_region(to, windows, line, &until);
		to->activation = r->n++;
	}
	if (!wrong && r->n)
		return 0;
	snprintf(why, size, wrong ? "window %zu %s" : "no window", r->n, wrong);
	records_free(r);
	return -EINVAL;
}

void records_free(struct records *r)
{
	free(r->record);
	*r = (struct records){ 0 };
}
