// SPDX-License-Identifier: GPL-2.0
/* Reading the plugin's output. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/plugin_output.h"
#include "util/array.h"
#include "util/text.h"

#define ENDINGS	"-bjicrslth"
#define MOST_BYTES	15		/* of an instruction */

struct reader {
	struct profile *p;
	size_t	 segments_room, paths_room, windows_room;
	bool	 begun, ended;
	const char *wrong;		/* with the line: a constant */
};

static int refuse(struct reader *r, const char *wrong)
{
	r->wrong = wrong;
	return -EINVAL;
}

/* The next number of *@at, which moves behind it. */
static bool number(char **at, int base, uint64_t most, uint64_t *value)
{
	char *end, *from = *at + strspn(*at, " ");

	if (!strchr("0123456789abcdef", *from) || !*from)
		return false;
	errno = 0;
	*value = strtoull(from, &end, base);
	*at = end;
	return !errno && *value <= most && (!*end || *end == ' ' || *end == '*');
}

static int read_segment(struct reader *r, char *at)
{
	struct segment *s = array_add(r->p->segment, r->p->segments, r->segments_room);
	uint64_t start, bytes, n;

	if (!s)
		return -ENOMEM;
	if (!number(&at, 16, UINT64_MAX, &start) ||
	    !number(&at, 10, UINT32_MAX, &bytes) ||
	    !number(&at, 10, UINT32_MAX, &n) || !n || at[0] != ' ' ||
	    !at[1] || !strchr(ENDINGS, at[1]) || at[2])
		return refuse(r, "a segment is START BYTES INSTRUCTIONS ENDING");
	if (bytes < n || bytes > MOST_BYTES * n || start + bytes < start)
		return refuse(r, "a segment has 1 to 15 bytes an instruction, up to the end of memory");
	*s = (struct segment){ start, bytes, n, at[1] };
	r->p->segments++;
	return 0;
}

static int read_step(struct reader *r, struct path *p, size_t *room,
		     char **at, enum phase phase)
{
	struct step *s = array_add(p->step, p->steps, *room);
	uint64_t segment, times = 1;

	if (!s)
		return -ENOMEM;
	if (phase == NR_PHASES)
		return refuse(r, "the path continues after t3");
	if (!number(at, 10, UINT32_MAX, &segment) || segment >= r->p->segments)
		return refuse(r, "a path has the number of an earlier segment");
	if (**at == '*') {
		++*at;
		if (!number(at, 10, UINT32_MAX, &times) || !times)
			return refuse(r, "a path has a wrong number of times");
	}
	*s = (struct step){ segment, times };
	p->n[phase] += times * r->p->segment[segment].n;
	p->steps++;
	return 0;
}

static int read_path(struct reader *r, char *at)
{
	struct path *p = array_add(r->p->path, r->p->paths, r->paths_room);
	enum phase phase = PHASE_IRQ;
	size_t room = 0;
	int err;

	if (!p)
		return -ENOMEM;
	*p = (struct path){ 0 };
	r->p->paths++;
	while (*(at += strspn(at, " "))) {
		if (*at == 't') {
			if (phase == NR_PHASES || at[1] != (char)('1' + phase))
				return refuse(r, "a path has t1, t2 and t3 in this order");
			p->end[phase++] = p->steps;
			at += 2;
			continue;
		}
		err = read_step(r, p, &room, &at, phase);
		if (err)
			return err;
	}
	return phase == NR_PHASES ? 0 : refuse(r, "a path has t1, t2 and t3 in this order");
}

static int read_window(struct reader *r, char *at)
{
	struct window *w = array_add(r->p->window, r->p->windows, r->windows_room);
	uint64_t path, wake, work, lines_wake, lines_work;
	const struct path *p;

	if (!w)
		return -ENOMEM;
	if (!number(&at, 10, UINT32_MAX, &path) || path >= r->p->paths ||
	    !number(&at, 10, UINT64_MAX, &wake) ||
	    !number(&at, 10, UINT64_MAX, &work) ||
	    !number(&at, 10, UINT32_MAX, &lines_wake) ||
	    !number(&at, 10, UINT32_MAX, &lines_work) ||
	    (strcmp(at, " idle") && strcmp(at, " busy") && strcmp(at, " armed")))
		return refuse(r, "a window is PATH WAKE WORK LINES LINES STATE");
	p = &r->p->path[path];
	if (path_wake(p) != wake || p->n[PHASE_WORK] != work)
		return refuse(r, "a window has other instructions than its path");
	*w = (struct window){ path, lines_wake, lines_work, at[1] };
	r->p->windows++;
	return 0;
}

static int read_end(struct reader *r, char *at)
{
	uint64_t windows;

	if (!number(&at, 10, UINT64_MAX, &windows))
		return refuse(r, "the end has the number of windows");
	if (windows != r->p->windows)
		return refuse(r, "a window was too long for the plugin");
	r->ended = true;
	return 0;
}

static int read_line(struct reader *r, char *line)
{
	static const struct {
		const char *word;
		int (*read)(struct reader *r, char *at);
	} kind[] = {
		{ "segment ", read_segment }, { "path ", read_path },
		{ "window ", read_window }, { "end ", read_end },
	};
	size_t i;

	if (!r->begun) {
		r->begun = true;
		return strcmp(line, "tlob-plugin 1") ?
		       refuse(r, "not a file of the plugin of this version") : 0;
	}
	for (i = 0; i < sizeof(kind) / sizeof(kind[0]) && !r->ended; i++)
		if (!strncmp(line, kind[i].word, strlen(kind[i].word)))
			return kind[i].read(r, line + strlen(kind[i].word));
	return refuse(r, r->ended ? "more behind the end" : "unknown line");
}

int profile_read(struct profile *p, char *text, char *why, size_t size)
{
	struct reader r = { .p = p };
	unsigned long lines = 0;
	char *line, *rest = text;
	int err = 0;

	*p = (struct profile){ 0 };
	while (!err && (line = text_line(&rest))) {
		lines++;
		err = read_line(&r, line);
	}
	if (!err && !r.ended)
		err = refuse(&r, "the end is missing");
	if (err == -EINVAL)
		snprintf(why, size, "line %lu: %s", lines, r.wrong);
	if (err)
		profile_free(p);
	return err;
}

void profile_free(struct profile *p)
{
	size_t i;

	for (i = 0; i < p->paths; i++) {
		free(p->path[i].step);
		free(p->path[i].part);
	}
	free(p->segment);
	free(p->path);
	free(p->window);
	*p = (struct profile){ 0 };
}
