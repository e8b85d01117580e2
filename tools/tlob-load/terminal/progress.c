// SPDX-License-Identifier: GPL-2.0
/* Showing progress: when, and in which form. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "result/result.h"
#include "terminal/page.h"
#include "terminal/progress_local.h"
#include "terminal/screen.h"
#include "terminal/top.h"
#include "util/units.h"

void progress_init(struct progress *p, bool quiet, bool given, uint64_t ns)
{
	*p = (struct progress){ .tty.fd = STDERR_FILENO };
	if (quiet || (given && !ns)) {
		p->how = PROGRESS_OFF;
	} else if (!given && isatty(STDERR_FILENO)) {
		p->how = PROGRESS_TABLE;
		p->interval_ns = PROGRESS_TABLE_NS;
	} else {
		p->how = PROGRESS_LINES;
		p->interval_ns = given ? ns : PROGRESS_LINES_NS;
		p->next_ns = p->interval_ns;
	}
}

void progress_init_top(struct progress *p)
{
	*p = (struct progress){
		.how = PROGRESS_TOP, .tty.fd = STDERR_FILENO, .interval_ns = PROGRESS_TABLE_NS,
	};
}

void progress_starting(const struct progress *p, const char *backend)
{
	if (p->how == PROGRESS_TABLE || (p->how == PROGRESS_TOP && isatty(STDERR_FILENO)))
		fprintf(stderr, "tlob-load: starting the backend %s ...\n", backend);
}

int progress_begin(struct progress *p)
{
	return p->how == PROGRESS_TOP ? top_begin(&p->top) : 0;
}

void progress_end(struct progress *p)
{
	progress_clear(p);
	top_end(p->top);
	p->top = NULL;
}

void progress_wait(const struct progress *p, int ms)
{
	struct pollfd keys = { .fd = STDIN_FILENO, .events = POLLIN };

	poll(&keys, p->top ? 1 : 0, ms);	/* a signal ends it early */
}

bool progress_ended(const struct progress *p)
{
	return p->ended;
}

int progress_alloc(struct progress *p, size_t ncpus)
{
	int err;

	if (p->how != PROGRESS_TABLE && p->how != PROGRESS_TOP)
		return 0;
	err = watch_init(&p->watch, ncpus);
	if (!err)
		err = snapshot_init(&p->snapshot, ncpus);
	p->snapshot.duration_ns = p->duration_ns;
	return err;
}

void progress_free(struct progress *p)
{
	progress_put_lines(p);
	watch_free(&p->watch);
	snapshot_free(&p->snapshot);
	free(p->tty.shown);
	p->tty.shown = NULL;
}

struct watch *progress_watch(struct progress *p)
{
	return p->watch.cpu ? &p->watch : NULL;
}

bool progress_is_due(struct progress *p, uint64_t elapsed_ns)
{
	if (p->how == PROGRESS_OFF || elapsed_ns < p->next_ns)
		return false;
	p->next_ns = elapsed_ns - elapsed_ns % p->interval_ns + p->interval_ns;
	return true;
}

void progress_put_time(const struct progress *p, uint64_t elapsed_ns)
{
	char buf[DURATION_LEN];
	uint64_t ns = elapsed_ns - elapsed_ns % p->interval_ns;

	fprintf(stderr, "tlob-load: %s", duration_exact(buf, ns));
	if (p->duration_ns)
		fprintf(stderr, " of %s", duration_exact(buf, p->duration_ns));
	fputs(": ", stderr);
}

static void put_run_line(const struct progress *p, const struct result *r,
			 uint64_t elapsed_ns)
{
	uint64_t windows = 0, violations = 0, missed = 0;
	char n[3][COUNT_LEN], budget[DURATION_LEN], worst[DURATION_LEN];
	size_t i;

	for (i = 0; i < r->ncpus; i++) {
		windows += r->cpu[i].windows;
		violations += r->cpu[i].violations;
		missed += r->cpu[i].missed;
	}
	progress_put_time(p, elapsed_ns);
	fprintf(stderr, "%s windows, %s over %s, %s missed", count_prose(n[0], windows),
		count_prose(n[1], violations), duration_prose_exact(budget, r->budget_ns),
		count_prose(n[2], missed));
	if (r->nworst)
		fprintf(stderr, ", worst %s", duration_prose(worst, r->worst[0].response_ns));
	fputc('\n', stderr);
}

void progress_view(const struct progress *p, struct view *v)
{
	*v = (struct view){
		.colour = page_wants_colour(stderr), .hint = "Ctrl-C ends", .cursor = -1,
	};
	tty_size(p->tty.fd, &v->cols, &v->rows);
}

FILE *progress_open(struct progress *p)
{
	p->text = NULL;
	return open_memstream(&p->text, &p->len);
}

void progress_draw(struct progress *p, FILE *screen)
{
	if (!fclose(screen))
		tty_draw(&p->tty, p->text);
	free(p->text);
	p->text = NULL;
}

void progress_run(struct progress *p, const struct result *r, uint64_t elapsed_ns)
{
	struct view v;
	FILE *f;

	if (p->top && top_keys(p->top, &p->snapshot))
		p->ended = true;
	if (!progress_is_due(p, elapsed_ns))
		return;
	if (p->how == PROGRESS_LINES) {
		put_run_line(p, r, elapsed_ns);
		return;
	}
	if (p->top && top_is_paused(p->top))
		return;
	snapshot_take(&p->snapshot, r, &p->watch, elapsed_ns);
	if (p->top) {
		top_draw(p->top, &p->snapshot);
		return;
	}
	progress_view(p, &v);
	f = progress_open(p);
	if (!f)
		return;
	screen_run(f, &p->snapshot, &v);
	progress_draw(p, f);
}

FILE *progress_lines(struct progress *p, FILE *f)
{
	if (p->how != PROGRESS_TABLE || !isatty(fileno(f)))
		return f;
	if (!p->lines) {
		p->lines = open_memstream(&p->lines_text, &p->lines_len);
		p->lines_to = f;
	}
	return p->lines ? p->lines : f;
}

void progress_put_lines(struct progress *p)
{
	if (!p->lines)
		return;
	tty_clear(&p->tty);
	if (!fclose(p->lines))
		fputs(p->lines_text, p->lines_to);
	/* the table does not go through its buffer */
	fflush(p->lines_to);
	free(p->lines_text);
	p->lines = NULL;
}

void progress_clear(struct progress *p)
{
	tty_clear(&p->tty);
	progress_put_lines(p);
}
