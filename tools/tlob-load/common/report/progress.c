// SPDX-License-Identifier: GPL-2.0
/* Showing progress: when, and in which form. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "report/pager.h"
#include "report/progress.h"
#include "report/screen.h"
#include "report/top.h"
#include "result/attached.h"
#include "util/memstream.h"
#include "util/printable.h"
#include "util/units.h"
#include "util/wrap.h"

void progress_init(struct progress *p, bool quiet, bool given, uint64_t ns)
{
	*p = (struct progress){ .tty.fd = STDERR_FILENO };
	if (quiet || (given && !ns)) {
		p->how = PROGRESS_OFF;
	} else if (!given && tty_knows_sequences(STDERR_FILENO)) {
		p->how = PROGRESS_TABLE;
		p->interval_ns = PROGRESS_TABLE_NS;
	} else {
		p->how = PROGRESS_LINES;
		p->interval_ns = given ? ns : PROGRESS_LINES_NS;
		p->next_ns = p->interval_ns;
	}
}

void progress_init_steps(struct progress *p, bool quiet)
{
	progress_init(p, quiet, !tty_knows_sequences(STDERR_FILENO), PROGRESS_STEPS_NS);
}

void progress_init_top(struct progress *p)
{
	*p = (struct progress){
		.how = PROGRESS_TOP, .tty.fd = STDERR_FILENO, .interval_ns = PROGRESS_TABLE_NS,
	};
}

void progress_starting(const struct progress *p, const char *doing)
{
	if (p->how == PROGRESS_TABLE || (p->how == PROGRESS_TOP && isatty(STDERR_FILENO)))
		fprintf(stderr, "tlob-load: %s ...\n", doing);
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

void progress_wait(const struct progress *p, int fd, int ms)
{
	/* a descriptor below 0 is passed over */
	struct pollfd sources[] = {
		{ .fd = p->top ? STDIN_FILENO : -1, .events = POLLIN }, { .fd = fd, .events = POLLIN },
	};

	poll(sources, 2, ms);	/* a signal ends it early */
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
	err = snapshot_init(&p->snapshot, ncpus);
	p->snapshot.duration_ns = p->duration_ns;
	return err;
}

/* Prints the lines that wait: for the next table, in its place, or to be wrapped. */
static void put_lines(struct progress *p)
{
	if (!p->lines)
		return;
	tty_clear(&p->tty);
	if (!fclose(p->lines))
		wrap_put(p->lines_to, p->lines_text);
	/* the table does not go through its buffer */
	fflush(p->lines_to);
	free(p->lines_text);
	p->lines = NULL;
}

void progress_free(struct progress *p)
{
	put_lines(p);
	snapshot_free(&p->snapshot);
	free(p->tty.shown);
	p->tty.shown = NULL;
}

bool progress_shows_windows(const struct progress *p)
{
	return p->snapshot.watch;
}

void progress_window(struct progress *p, size_t i, const struct tlob_window *w,
		     const struct kernel_place *place)
{
	snapshot_window(&p->snapshot, i, w, place);
}

/* True when something is to be shown now; then sets when it is the next time. */
static bool is_due(struct progress *p, uint64_t elapsed_ns)
{
	if (p->how == PROGRESS_OFF || elapsed_ns < p->next_ns)
		return false;
	p->next_ns = elapsed_ns - elapsed_ns % p->interval_ns + p->interval_ns;
	return true;
}

/*
 * Prints "tlob-load: 20s of 60s: 12 windows, 1 over 200 us", the time as a multiple of the interval.
 * @missed: how many expiries were, or NULL; @worst_ns: the longest window; 0: none.
 */
static void put_line(const struct progress *p, uint64_t elapsed_ns, uint64_t windows,
		     uint64_t violations, const uint64_t *missed, uint64_t budget_ns,
		     uint64_t worst_ns)
{
	char n[COUNT_LEN], time[DURATION_LEN], *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return;
	fprintf(f, "tlob-load: %s", duration_exact(time, elapsed_ns - elapsed_ns % p->interval_ns));
	if (p->duration_ns)
		fprintf(f, " of %s", duration_exact(time, p->duration_ns));
	fprintf(f, ": %s windows, ", count_prose(n, windows));
	fprintf(f, "%s over %s", count_prose(n, violations), duration_prose_exact(time, budget_ns));
	if (missed)
		fprintf(f, ", %s missed", count_prose(n, *missed));
	if (worst_ns)
		fprintf(f, ", worst %s", duration_prose(time, worst_ns));
	fputc('\n', f);
	if (memstream_text(f, &text))
		wrap_put(stderr, text);
	free(text);
}

static void put_run_line(const struct progress *p, const struct result *r,
			 uint64_t elapsed_ns)
{
	uint64_t windows = 0, violations = 0, missed = 0;
	size_t i;

	for (i = 0; i < r->ncpus; i++) {
		windows += r->cpu[i].windows;
		violations += r->cpu[i].violations;
		missed += r->cpu[i].missed;
	}
	put_line(p, elapsed_ns, windows, violations, &missed, r->budget_ns,
		 r->nworst ? r->worst[0].w.response_ns : 0);
}

/* Draws the screen that @put prints, below the lines that wait for it. */
static void draw(struct progress *p, void (*put)(FILE *f, const void *data, const struct view *v),
		 const void *data)
{
	struct view v = {
		.colour = page_wants_colour(stderr), .hint = "Ctrl-C ends", .cursor = -1,
	};
	char *text = NULL;
	size_t len;
	FILE *f;

	put_lines(p);
	tty_size(p->tty.fd, &v.cols, &v.rows);
	f = open_memstream(&text, &len);
	if (f)
		put(f, data, &v);
	if (memstream_text(f, &text))
		tty_draw(&p->tty, text);
	free(text);
}

static void put_run(FILE *f, const void *data, const struct view *v)
{
	screen_run(f, data, v);
}

void progress_run(struct progress *p, const struct result *r, uint64_t elapsed_ns)
{
	if (p->top && top_keys(p->top, &p->snapshot))
		p->ended = true;
	if (!is_due(p, elapsed_ns))
		return;
	if (p->how == PROGRESS_LINES) {
		put_run_line(p, r, elapsed_ns);
		return;
	}
	if (p->top && top_is_paused(p->top))
		return;
	snapshot_take(&p->snapshot, r, elapsed_ns);
	if (p->top)
		top_draw(p->top, &p->snapshot);
	else
		draw(p, put_run, &p->snapshot);
}

static void put_step(FILE *f, const void *text, const struct view *v)
{
	screen_cut(f, text, v);
}

void progress_step(struct progress *p, const char *doing, uint64_t elapsed_ns, uint64_t of_ns)
{
	uint64_t whole = elapsed_ns - elapsed_ns % 1000000000;
	char time[DURATION_LEN], of[DURATION_LEN] = "", *text, *shown;

	if (!is_due(p, elapsed_ns))
		return;
	/* a load is a command of the user's */
	shown = printable_dup(doing);
	if (!shown)
		return;
	/* a run also takes time to begin and to end */
	if (of_ns && whole > of_ns)
		whole = of_ns;
	if (of_ns)
		duration_exact(of, of_ns);
	if (asprintf(&text, "%s%s%s: %s\n", duration_exact(time, whole), of_ns ? " of " : "", of, shown) < 0)
		text = NULL;
	free(shown);
	if (!text)
		return;
	if (p->how == PROGRESS_LINES)
		wrap_put(stderr, text);
	else
		draw(p, put_step, text);
	free(text);
}

struct region_shown {
	const struct result *r;
	uint64_t elapsed_ns, duration_ns;
};

static void put_region(FILE *f, const void *data, const struct view *v)
{
	const struct region_shown *s = data;

	screen_attach(f, s->r, s->elapsed_ns, s->duration_ns, v);
}

void progress_attach(struct progress *p, const struct result *r, uint64_t elapsed_ns)
{
	const struct region_shown s = { r, elapsed_ns, p->duration_ns };

	if (p->how != PROGRESS_TABLE)
		put_lines(p);
	if (!is_due(p, elapsed_ns))
		return;
	if (p->how == PROGRESS_LINES)
		put_line(p, elapsed_ns, r->cpu->windows, attach_late(r), NULL, r->budget_ns,
			 r->nworst ? r->worst[0].w.response_ns : 0);
	else
		draw(p, put_region, &s);
}

FILE *progress_lines(struct progress *p, FILE *f)
{
	if (!isatty(fileno(f)))
		return f;
	if (!p->lines) {
		p->lines = open_memstream(&p->lines_text, &p->lines_len);
		p->lines_to = f;
	}
	return p->lines ? p->lines : f;
}

void progress_clear(struct progress *p)
{
	tty_clear(&p->tty);
	put_lines(p);
}
