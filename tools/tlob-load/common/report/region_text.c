// SPDX-License-Identifier: GPL-2.0
/* The text of a region: a line for each violation, and the tables. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "report/cause_text.h"
#include "report/functions_render.h"
#include "report/layout.h"
#include "report/parts_text.h"
#include "report/places.h"
#include "report/region.h"
#include "report/render.h"
#include "report/window_waits.h"
#include "result/wait_names.h"
#include "util/memstream.h"
#include "util/printable.h"
#include "util/units.h"

#define TOP_WINDOWS	5

/* A line leaves out parts below 1/SMALL of the window. */
#define SMALL		100

/* Sorts the parts of @w that are not 0, the largest first. Returns their number. */
static unsigned int sort_parts(const struct tlob_task_window *w,
			       unsigned int order[TLOB_NR_TASK_PARTS])
{
	unsigned int n = 0, i, k;

	for (i = 0; i < TLOB_NR_TASK_PARTS; i++) {
		if (!w->part_ns[i])
			continue;
		for (k = n++; k && w->part_ns[order[k - 1]] < w->part_ns[i]; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	return n;
}

/* " sleeping 7.1ms, running 210us", and the largest interruption unless it is small. */
static void show_parts(FILE *f, const struct tlob_task_window *w)
{
	unsigned int order[TLOB_NR_TASK_PARTS], n, i;
	char time[DURATION_LEN], who[128];

	n = sort_parts(w, order);
	for (i = 0; i < n && w->part_ns[order[i]] >= w->elapsed_ns / SMALL; i++)
		fprintf(f, "%s%s %s", i ? ", " : " ",
			attach_part_names[order[i]],
			duration_format(time, w->part_ns[order[i]]));
	if (w->largest.ns < w->elapsed_ns / SMALL || !w->largest.ns)
		return;
	if (noise_is_kept(w->largest.kind, w->largest.id, w->largest.name))
		fprintf(f, "; %s for %s", printable(who, w->largest.name, TLOB_NAME_LEN),
			duration_format(time, w->largest.ns));
	else if (noise_is_idle(w->largest.kind, w->largest.id))
		fprintf(f, "; its CPU was idle for %s", duration_format(time, w->largest.ns));
	else
		fprintf(f, "; %s took %s", noise_text(who, sizeof(who), &w->largest),
			duration_format(time, w->largest.ns));
}

/* The seconds since the start, and the task. */
static void show_head(FILE *f, const struct attach_result *r,
		      const struct tlob_task_window *w, uint64_t at_ns)
{
	char task[TASK_TEXT], at[SINCE_LEN];

	fprintf(f, "%9ss  %s  ", since_text(at, r->began_ns, at_ns), task_text(task, w->comm, w->tid));
}

/* Sets below 1/SMALL of the window are left out as well. */
static void show_functions(FILE *f, const struct attach_result *r,
			   const struct tlob_task_window *w, const struct window_functions *t)
{
	char time[DURATION_LEN];
	const char *sep = "; ";
	uint64_t ns;
	size_t i;

	for (i = 0; r->functions && t && i < t->n; i++) {
		ns = function_net_ns(&t->at[i]);
		if (!ns || ns < w->elapsed_ns / SMALL)
			continue;
		fprintf(f, "%s" FUNCTION_PREFIX "%s %s", sep, r->functions->at[i].name,
			duration_format(time, ns));
		sep = ", ";
	}
}

static void show_holder(FILE *f, const struct tlob_task_window *w, const struct tlob_wait_waker *holder)
{
	char who[WAKER_LEN];

	if (w->flags & TLOB_TASK_LOCK && holder->kind)
		fprintf(f, "; %s held the lock", waker_text(who, holder));
}

void region_line(FILE *f, const struct attach_result *r, const struct tlob_task_window *w,
		 const struct kept *kept)
{
	const struct attach_wait *wait = &kept->wait;
	char elapsed[DURATION_LEN], budget[DURATION_LEN];
	struct cause c;

	duration_format(elapsed, w->elapsed_ns);
	duration_exact(budget, w->threshold_ns);
	/* "1ms > 1ms" */
	if (!strcmp(elapsed, budget))
		duration_exact(elapsed, w->elapsed_ns);
	show_head(f, r, w, w->start_ns + w->elapsed_ns);
	fprintf(f, "%s > %s:", elapsed, budget);
	show_parts(f, w);
	if (place_is_known(&kept->place) && attach_cause_of(r, w, &c))
		place_text(f, c.part, &kept->place);
	if (wait->ns && wait->ns >= w->elapsed_ns / SMALL) {
		fputs("; longest wait ", f);
		attach_wait_text(f, wait);
	}
	show_holder(f, w, &kept->holder);
	show_functions(f, r, w, kept->functions);
	fputs(w->flags & TLOB_TASK_CUT ? "; cut off\n" : "\n", f);
}

void region_put_cause(FILE *f, const void *window)
{
	const struct region_window *one = window;

	cause_of_region_text(f, one->a, one->k);
}

void region_put_wait(FILE *f, const void *wait)
{
	attach_wait_text(f, wait);
}

static const char *state_name(uint32_t state)
{
	switch (state) {
	case TLOB_TASK_RUNNING: return "running";
	case TLOB_TASK_SLEEPING: return "sleeping";
	case TLOB_TASK_WAITING: return "waiting";
	default: return "unknown";
	}
}

void region_open_line(FILE *f, const struct attach_result *r,
		      const struct attach_open *open, uint64_t now_ns)
{
	char elapsed[DURATION_LEN], budget[DURATION_LEN];
	const struct tlob_task_window *w = &open->w;

	show_head(f, r, w, now_ns);
	fprintf(f, "over %s for %s, still open; %s when the budget ran out; until then:",
		duration_exact(budget, w->threshold_ns),
		duration_format(elapsed, now_ns - open->seen_ns),
		state_name(w->state));
	show_parts(f, w);
	show_holder(f, w, &open->holder);
	fputc('\n', f);
}

static void put_place(struct line *l, const char *word,
		      const struct attach_place *p)
{
	char *s = printable_dup(p->text), more[24] = "";

	if (p->at.nr > 1)
		snprintf(more, sizeof(more), " and %u more", p->at.nr - 1);
	/* a place given as an offset is not repeated */
	if (s && strncmp(s, "0x", 2))
		line_put(l, " ", "%s %s (0x%llx%s)", word, s, p->at.at[0], more);
	else
		line_put(l, " ", "%s 0x%llx", word, p->at.at[0]);
	free(s);
}

static void put_signal(struct line *l, int signal)
{
#ifdef __GLIBC__
	const char *name = sigabbrev_np(signal);

	if (name) {
		line_put(l, ", ", "killed by SIG%s", name);
		return;
	}
#endif
	line_put(l, ", ", "killed by signal %d", signal);
}

static void put_process(struct line *l, const struct attach_result *r)
{
	/* shown if the places are in another file: a library, or one with the symbols */
	char *s = strcmp(r->program, r->file) ? printable_dup(r->program) : NULL;

	bool all = r->all && !r->of_threads;

	if (all)
		line_put(l, "", "all processes that execute it, such as");
	line_put(l, all ? " " : "", "process %d", r->pid);
	if (s)
		line_put(l, " ", "(%s)", s);
	free(s);
	if (!r->ended)
		line_put(l, ", ", "still running");
	else if (!r->started_it)
		line_put(l, ", ", "has ended");
	else if (WIFSIGNALED(r->status))
		put_signal(l, WTERMSIG(r->status));
	else
		line_put(l, ", ", "exit status %d", WEXITSTATUS(r->status));
}

void region_header(FILE *f, const struct attach_result *r, unsigned int width)
{
	struct line l = { .f = f, .indent = 11, .width = width };
	char buf[DURATION_LEN];

	l.col = (unsigned int)fprintf(f, "tlob-load  ");
	line_foreign(&l, "", "", r->file);
	if (r->of_threads) {
		line_foreign(&l, " from ", "", r->start.text);
		line_foreign(&l, " to ", "", r->stop.text);
	} else {
		put_place(&l, "from", &r->start);
		put_place(&l, "to", &r->stop);
	}
	line_put(&l, ", ", "budget %s", duration_exact(buf, r->budget_ns));
	line_end(&l);
	/* threads of a name or group belong to no process of their own */
	if (r->pid)
		put_process(&l, r);
	line_put(&l, r->pid ? ", " : "", "watched %s", duration_format(buf, r->duration_ns));
	line_end(&l);
}

static void render_machine(FILE *f, const struct attach_result *r)
{
	struct line l = { .f = f, .indent = 11 };
	char *kernel = printable_dup(r->kernel ? r->kernel : "unknown");

	line_put(&l, "", "Linux");
	line_words(&l, " ", kernel ? kernel : "unknown");
	free(kernel);
	line_foreign(&l, ", ", "", r->machine ? r->machine : "unknown");
	line_foreign(&l, ", ", "backend ", r->backend);
	line_end(&l);
	if (r->deterministic)
		fprintf(f, "%*s" EXECUTED_INSTRUCTIONS "\n", (int)l.indent, "");
}

int region_counters(FILE *f, enum table_form form, const struct attach_result *r)
{
	const struct {
		const char *name, *meaning;
		uint64_t n;
		bool is_bad;
	} of[] = {
		{ "windows", "that ended", r->windows, false },
		{ "violations", "windows over the budget, also open and cut ones", r->violations, true },
		{ "cut", "windows that something else than their stop ended", r->cut, false },
		{ "open", "windows over the budget that had not ended", r->open, true },
		{ "lost", "records dropped because the ring buffer was full", r->lost, true },
	};
	struct table t = { .align = "rrrrr", .gap = 2, .form = form };
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		table_cell(&t, "%s", of[i].name);
		table_hint(&t, of[i].meaning);
	}
	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		table_cell(&t, "%" PRIu64, of[i].n);
		table_bad(&t, of[i].is_bad && of[i].n);
	}
	return table_print(&t, f);
}

int region_quantiles(FILE *f, enum table_form form, const struct attach_result *r, unsigned int width)
{
	struct table t = {
		.align = form ? "lrrrrrrr" : "lrrrrrr", .gap = 2, .form = form, .width = width, .labels = 1,
	};
	double whole = (double)r->hist[ATTACH_ELAPSED].sum;
	unsigned int i;

	table_cell(&t, form == TABLE_PAGE ? "time" : "us");
	cell_latency_titles(&t);
	if (form)
		table_cell(&t, "share");
	for (i = 0; i < ATTACH_NR_METRICS; i++) {
		if (i != ATTACH_ELAPSED && (!r->hist[i].n || !r->hist[i].max))
			continue;
		table_cell(&t, "%s", attach_metric_names[i]);
		cell_latencies(&t, &r->hist[i], 0);
		if (form)
			table_cell(&t, "%.1f %%", whole > 0 ? 100 * (double)r->hist[i].sum / whole : 0);
	}
	if (latencies_are_few(&r->hist[ATTACH_ELAPSED]))
		table_note(&t, FEW_LATENCIES);
	return table_print(&t, f);
}

static void cell_window(struct table *t, const struct attach_result *r,
			const struct tlob_task_window *w)
{
	const __u64 *part = w->part_ns;
	char task[TASK_TEXT], at[SINCE_LEN];

	table_cell(t, "%s", since_text(at, r->began_ns, w->start_ns));
	cell_us(t, true, w->elapsed_ns);
	cell_us(t, true, part[TLOB_TASK_PART_RUNNING]);
	cell_us(t, true, part[TLOB_TASK_PART_WAITING]);
	cell_us(t, true, part[TLOB_TASK_PART_SLEEPING]);
	cell_us(t, true, w->elapsed_ns - part[TLOB_TASK_PART_RUNNING] -
			 part[TLOB_TASK_PART_WAITING] - part[TLOB_TASK_PART_SLEEPING]);
	table_cell(t, "%s%s", task_text(task, w->comm, w->tid), region_unfinished(w));
}

static void cell_printed_by(struct table *t, void (*put)(FILE *f, const void *data), const void *data)
{
	char *text = data ? memstream_of(put, data) : strdup("-");

	table_made(t, text ? printable_dup(text) : NULL);
	free(text);
}

int region_worst(FILE *f, enum table_form form, const struct attach_result *r)
{
	struct table t = {
		.title = "worst windows, us",
		.align = !form ? "rrrrrrl" : r->waits ? "rrrrrrlll" : "rrrrrrll",
		.indent = 2, .gap = 2, .form = form,
	};
	size_t i;

	table_cell(&t, "at s\telapsed\trunning\twaiting\tsleeping\tothers\ttask%s%s",
		   form ? "\tcause" : "", form && r->waits ? "\tlongest wait" : "");
	for (i = 0; i < r->nworst && i < TOP_WINDOWS; i++) {
		const struct region_window one = { r, &r->worst[i] };
		const struct attach_wait *wait = &r->worst[i].kept.wait;

		cell_window(&t, r, &one.k->w);
		if (form)
			cell_printed_by(&t, region_put_cause, &one);
		if (form && r->waits)
			cell_printed_by(&t, region_put_wait, wait->ns ? wait : NULL);
	}
	return table_print(&t, f);
}

static void render_others(FILE *f, const struct attach_result *r)
{
	bool many = r->nother == ATTACH_OTHERS;

	if (r->nother)
		fprintf(f, "note  excluded: windows of %s%zu other process%s that execute%s the file: %" PRIu64 " (use --all to include them)\n",
			many ? "at least " : "", r->nother,
			r->nother == 1 ? "" : "es", r->nother == 1 ? "s" : "",
			r->others);
}

/* Starts and stops that made no window. */
static void render_strays(FILE *f, const struct attach_result *r)
{
	if (!r->windows && (r->cut || r->open))
		fputs(r->of_threads ? "note  no activation ended: does a thread ever reach the sleep that ends one?\n" :
		      "note  no window ended: does the program ever reach --stop?\n", f);
	if (r->unfinished)
		fprintf(f, "note  windows within their budget that had not ended: %" PRIu64 "\n",
			r->unfinished);
	if (r->nested)
		fprintf(f, "note  starts ignored inside an open window: %" PRIu64 "\n",
			r->nested);
	if (r->unmatched)
		fprintf(f, "note  stops without an open window: %" PRIu64 "\n",
			r->unmatched);
}

void region_left_out(FILE *f, const struct attach_result *r)
{
	render_others(f, r);
	render_strays(f, r);
}

static void render_unavailable(FILE *f, const struct attach_result *r)
{
	const char *sep = "not measured  ";
	unsigned int i;

	for (i = 0; i < TLOB_NR_TASK_PARTS; i++) {
		/* hw is never measured here, on any kernel */
		if (i == TLOB_TASK_PART_HW || !(r->unavailable & 1U << i))
			continue;
		fprintf(f, "%s%s, included in %s", sep, attach_part_names[i],
			i == TLOB_TASK_PART_STEAL ? "all others" :
			attach_part_names[i == TLOB_TASK_PART_TIMER ? TLOB_TASK_PART_SLEEPING :
					  TLOB_TASK_PART_RUNNING]);
		sep = "; ";
	}
	if (*sep == ';')
		fputc('\n', f);
}

void region_warnings(FILE *f, const struct attach_result *r)
{
	if (r->lost)
		fprintf(f, "warning: %" PRIu64 " records were dropped because the ring buffer was full; all counts are too low\n",
			r->lost);
	threads_warnings(f, r);
	if (r->no_slot && !strcmp(r->backend, "bpf"))
		fprintf(f, "warning: threads not watched, because BPF has room for 1024: %" PRIu64 "; choose fewer\n",
			r->no_slot);
	else if (r->no_slot && r->of_threads)
		fprintf(f, "warning: threads not watched, because the kernel has no free slot: %" PRIu64 "; raise the module parameter slots\n",
			r->no_slot);
	else if (r->no_slot)
		fprintf(f, "warning: windows without a free slot in the kernel: %" PRIu64 "; raise the module parameter slots\n",
			r->no_slot);
	render_doubts(f, r->sum_failures, r->errors, r->adjusted_ns, r->clock_steps);
	render_functions_warnings(f, r->functions, r->function_totals);
}

void region_windows_head(FILE *f)
{
	unsigned int i;

	fputs("tid,start_ns,elapsed_ns", f);
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		if (i != TLOB_TASK_PART_HW)	/* always 0 */
			fprintf(f, ",%s_ns", attach_part_names[i]);
	fputs(",switches,ended,violation\n", f);
}

void region_windows_line(FILE *f, const struct tlob_task_window *w)
{
	unsigned int i;

	if (!(w->flags & (TLOB_TASK_ENDED | TLOB_TASK_CUT)))
		return;
	fprintf(f, "%" PRIu32 ",%" PRIu64 ",%" PRIu64, w->tid, (uint64_t)w->start_ns,
		(uint64_t)w->elapsed_ns);
	for (i = 0; i < TLOB_NR_TASK_PARTS; i++)
		if (i != TLOB_TASK_PART_HW)
			fprintf(f, ",%" PRIu64, (uint64_t)w->part_ns[i]);
	fprintf(f, ",%" PRIu32 ",%d,%d\n", w->switches, !!(w->flags & TLOB_TASK_ENDED),
		!!(w->flags & TLOB_TASK_VIOLATION));
}

/* The table, and the sets in the worst window. */
static int render_times_in_functions(FILE *f, const struct result *r)
{
	int err;

	if (!r->functions)
		return 0;
	fputc('\n', f);
	err = render_functions(f, r, LAYOUT_WIDTH, false);
	if (err || !r->worst[0].kept.functions)
		return err;
	fputs("in the worst window\n", f);
	return render_window_functions(f, r->functions, r->worst[0].kept.functions);
}

int region_text(FILE *f, const struct result *shown)
{
	const struct attach_result *r = shown->region;
	int err;
	size_t i;

	region_header(f, r, LAYOUT_WIDTH);
	render_machine(f, r);
	fputc('\n', f);
	err = region_counters(f, TABLE_TEXT, r);
	if (!err && r->windows) {
		fputc('\n', f);
		err = region_quantiles(f, TABLE_TEXT, r, 0);
	}
	if (!err)
		err = threads_table(f, TABLE_TEXT, r);
	if (!err && r->nworst) {
		fputc('\n', f);
		render_mean_and_worst(f, shown, LAYOUT_WIDTH);
		place_stack_text(f, &r->worst[0].kept.place);
		err = render_offenders(f, TABLE_TEXT, &r->noise, TOP_OFFENDERS, NOISE_TITLE);
	}
	if (!err)
		err = render_places(f, TABLE_TEXT, shown, TOP_PLACES);
	if (!err)
		err = region_worst(f, TABLE_TEXT, r);
	if (!err)
		err = render_times_in_functions(f, shown);
	if (err)
		return err;
	attach_waits_table(f, r, TOP_WINDOWS);
	fputc('\n', f);
	err = render_notes_of(f, shown, outcome_bounds);
	if (err)
		return err;
	render_unavailable(f, r);
	if (r->stopped_by)
		render_note(f, "stopped by", r->stopped_by);
	region_left_out(f, r);
	for (i = 0; r->notes && r->notes[i]; i++)
		render_note(f, "note", r->notes[i]);
	region_warnings(f, r);
	return ferror(f) ? -EIO : 0;
}
