// SPDX-License-Identifier: GPL-2.0
/* What only the text of a region or of activations has: a line for each violation, and tables. */
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
static unsigned int sort_parts(const struct tlob_window *w, unsigned int order[TLOB_NR_PARTS])
{
	unsigned int n = 0, i, k;

	for (i = 0; i < TLOB_NR_PARTS; i++) {
		if (!w->part_ns[i])
			continue;
		for (k = n++; k && w->part_ns[order[k - 1]] < w->part_ns[i]; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	return n;
}

static void show_largest(FILE *f, const struct tlob_noise *largest)
{
	char time[DURATION_LEN], who[128];

	duration_format(time, largest->ns);
	if (noise_is_kept(largest->kind, largest->id, largest->name))
		fprintf(f, "; %s for %s", printable(who, largest->name, TLOB_NAME_LEN), time);
	else if (noise_is_idle(largest->kind, largest->id))
		fprintf(f, "; its CPU was idle for %s", time);
	else
		fprintf(f, "; %s took %s", noise_text(who, sizeof(who), largest), time);
}

/* " sleep 7.1ms, on_cpu 210us", and the largest interruption unless it is small. */
static void show_parts(FILE *f, const struct tlob_window *w)
{
	uint64_t small = w->response_ns / SMALL;
	unsigned int order[TLOB_NR_PARTS], n, i;
	char time[DURATION_LEN], who[PRINTABLE_NAME];

	n = sort_parts(w, order);
	for (i = 0; i < n && w->part_ns[order[i]] >= small; i++)
		fprintf(f, "%s%s %s", i ? ", " : " ", part_short_name(order[i]),
			duration_format(time, w->part_ns[order[i]]));
	if (w->largest.ns && w->largest.ns >= small)
		show_largest(f, &w->largest);
	if (w->delayed_by_pid >= 0 && w->part_ns[TLOB_WAKE_IRQ_DELAY] >= small)
		fprintf(f, w->flags & WINDOW_SOFT_TIMER ? "; %s ran while its timer's softirq waited" :
			"; %s ran when the timer's interrupt came",
			printable(who, w->delayed_by, TLOB_NAME_LEN));
}

/* The seconds since the start, and the task. */
static void show_head(FILE *f, const struct result *r, const struct kept_window *k, uint64_t at_ns)
{
	const struct kept_task *task = &k->kept.task;
	char text[TASK_TEXT], at[SINCE_LEN];

	fprintf(f, "%9ss  %s  ", since_text(at, r->attached->began_ns, at_ns),
		task_text(text, task->comm, task->tid));
}

/* Sets below 1/SMALL of the window are left out as well. */
static void show_functions(FILE *f, const struct result *r, const struct kept_window *k)
{
	const struct window_functions *t = k->kept.functions;
	char time[DURATION_LEN];
	const char *sep = "; ";
	uint64_t ns;
	size_t i;

	for (i = 0; r->functions && t && i < t->n; i++) {
		ns = function_net_ns(&t->at[i]);
		if (!ns || ns < k->w.response_ns / SMALL)
			continue;
		fprintf(f, "%s" FUNCTION_PREFIX "%s %s", sep, r->functions->at[i].name,
			duration_format(time, ns));
		sep = ", ";
	}
}

static void show_holder(FILE *f, const struct kept_window *k)
{
	char who[WAKER_LEN];

	if (k->w.flags & WINDOW_LOCK && k->kept.holder.kind)
		fprintf(f, "; %s held the lock", waker_text(who, &k->kept.holder));
}

void region_line(FILE *f, const struct result *r, const struct kept_window *k)
{
	const struct attach_wait *wait = &k->kept.wait;
	char response[DURATION_LEN], budget[DURATION_LEN];
	const struct tlob_window *w = &k->w;
	struct cause c;

	duration_format(response, w->response_ns);
	duration_exact(budget, w->budget_ns);
	/* "1ms > 1ms" */
	if (!strcmp(response, budget))
		duration_exact(response, w->response_ns);
	show_head(f, r, k, w->t0_ns + w->response_ns);
	fprintf(f, "%s > %s:", response, budget);
	show_parts(f, w);
	if (place_is_known(&k->kept.place) && attach_cause_of(r, k, &c))
		place_text(f, c.part, &k->kept.place);
	if (wait->ns && wait->ns >= w->response_ns / SMALL) {
		fputs("; longest wait ", f);
		attach_wait_text(f, wait, k->kept.task.tid);
	}
	show_holder(f, k);
	show_functions(f, r, k);
	fputs(w->flags & WINDOW_CUT ? "; cut off\n" : "\n", f);
}

void region_put_cause(FILE *f, const void *window)
{
	const struct region_window *one = window;

	cause_of_region_text(f, one->r, one->k);
}

void region_put_wait(FILE *f, const void *window)
{
	const struct kept_window *k = window;

	attach_wait_text(f, &k->kept.wait, k->kept.task.tid);
}

/* The part that its time counts in. */
static const char *state_name(uint32_t state)
{
	switch (state) {
	case TLOB_TASK_RUNNING: return part_short_name(TLOB_WORK_ON_CPU);
	case TLOB_TASK_SLEEPING: return part_short_name(TLOB_WORK_SLEEP);
	case TLOB_TASK_WAITING: return part_short_name(TLOB_WORK_THREAD);
	default: return "unknown";
	}
}

void region_open_line(FILE *f, const struct result *r, const struct attach_open *open,
		      uint64_t now_ns)
{
	char elapsed[DURATION_LEN], budget[DURATION_LEN];

	show_head(f, r, &open->k, now_ns);
	fprintf(f, "over %s for %s, still open; %s when the budget ran out; until then:",
		duration_exact(budget, open->k.w.budget_ns),
		duration_format(elapsed, now_ns - open->seen_ns), state_name(open->state));
	show_parts(f, &open->k.w);
	show_holder(f, &open->k);
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

static void put_process(struct line *l, const struct attached *r)
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

void region_header(FILE *f, const struct result *of, unsigned int width)
{
	const struct attached *r = of->attached;
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
	if (r->key)
		line_put(&l, ", ", "key %s", r->key);
	line_put(&l, ", ", "budget %s%s", duration_exact(buf, of->budget_ns),
		 r->by_deadline ? ", the deadline" : "");
	line_end(&l);
	/* threads of a name or group belong to no process of their own */
	if (r->pid)
		put_process(&l, r);
	line_put(&l, r->pid ? ", " : "", "watched %s", duration_format(buf, of->duration_ns));
	line_end(&l);
}

void region_machine(FILE *f, const struct result *r)
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

int region_counters(FILE *f, enum table_form form, const struct result *r)
{
	const struct result_cpu *c = &r->all;
	const struct {
		const char *name, *meaning;
		uint64_t n;
		bool is_bad;
	} of[] = {
		{ "windows", "that ended", c->windows, false },
		{ "violations", "windows that ended over the budget", c->violations, true },
		{ "missed", "windows over the budget that did not end: cut, or open", c->missed, true },
		{ "cut", "windows that something else than their stop ended, as a thread that exited", c->cut, false },
		{ "open", "windows over the budget that were still running at the end", c->open, true },
		{ "lost", "records dropped because the ring buffer was full", c->lost, true },
	};
	struct table t = { .align = "rrrrrr", .gap = 2, .form = form };
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

int region_quantiles(FILE *f, enum table_form form, const struct result *r, unsigned int width)
{
	struct table t = {
		.align = form ? "lrrrrrrr" : "lrrrrrr", .gap = 2, .form = form, .width = width, .labels = 1,
	};
	const struct tlob_hist *h = r->all.hist;
	double whole = (double)h[TLOB_METRIC_RESPONSE].sum;
	unsigned int i;

	table_cell(&t, form == TABLE_PAGE ? "time" : "us");
	cell_latency_titles(&t);
	if (form)
		table_cell(&t, "share");
	for (i = TLOB_METRIC_RESPONSE; i < RESULT_METRICS; i++) {
		if (i != TLOB_METRIC_RESPONSE && (!h[i].n || !h[i].max))
			continue;
		table_cell(&t, "%s", i < TLOB_METRIC_PARTS || i == RESULT_INTERVAL ? result_metric_names[i] :
			   part_short_name(i - TLOB_METRIC_PARTS));
		cell_latencies(&t, &h[i], result_missed(&r->all, i));
		if (form && i == RESULT_INTERVAL)
			table_cell(&t, "-");
		else if (form)
			table_cell(&t, "%.1f %%", whole > 0 ? 100 * (double)h[i].sum / whole : 0);
	}
	if (latencies_are_few(&h[TLOB_METRIC_RESPONSE]))
		table_note(&t, FEW_LATENCIES);
	if (latencies_are_missed(&h[TLOB_METRIC_RESPONSE], result_missed(&r->all, TLOB_METRIC_RESPONSE)))
		table_note(&t, "missed: " AMONG_MISSED);
	return table_print(&t, f);
}

static void cell_window(struct table *t, const struct result *r, const struct kept_window *k)
{
	static const unsigned int shown[] = { TLOB_WORK_ON_CPU, TLOB_WORK_THREAD, TLOB_WORK_SLEEP };
	const struct kept_task *task = &k->kept.task;
	uint64_t others = k->w.response_ns;
	char text[TASK_TEXT], at[SINCE_LEN];
	size_t i;

	table_cell(t, "%s", since_text(at, r->attached->began_ns, k->w.t0_ns));
	cell_us(t, true, k->w.response_ns);
	for (i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		cell_us(t, true, k->w.part_ns[shown[i]]);
		others -= k->w.part_ns[shown[i]];
	}
	cell_us(t, true, others);
	table_cell(t, "%s%s", task_text(text, task->comm, task->tid), region_unfinished(&k->w));
}

static void cell_printed_by(struct table *t, void (*put)(FILE *f, const void *data), const void *data)
{
	char *text = data ? memstream_of(put, data) : strdup("-");

	table_made(t, text ? printable_dup(text) : NULL);
	free(text);
}

int region_worst(FILE *f, enum table_form form, const struct result *r)
{
	struct table t = {
		.title = "worst windows, us",
		.align = !form ? "rrrrrrl" : r->waits ? "rrrrrrlll" : "rrrrrrll",
		.indent = 2, .gap = 2, .form = form,
	};
	size_t i;

	table_cell(&t, "at s\tresponse\ton_cpu\tthread\tsleep\tothers\ttask%s%s",
		   form ? "\tcause" : "", form && r->waits ? "\tlongest wait" : "");
	for (i = 0; i < r->nworst && i < TOP_WINDOWS; i++) {
		const struct region_window one = { r, &r->worst[i] };
		cell_window(&t, r, one.k);
		if (form)
			cell_printed_by(&t, region_put_cause, &one);
		if (form && r->waits)
			cell_printed_by(&t, region_put_wait, one.k->kept.wait.ns ? one.k : NULL);
	}
	return table_print(&t, f);
}

static void put_others(FILE *f, const struct result *r)
{
	size_t n = r->attached->nother;

	if (n)
		fprintf(f, "note  excluded: windows of %s%zu other process%s that execute%s the file: %" PRIu64 " (use --all to include them)\n",
			n == ATTACH_OTHERS ? "at least " : "", n, n == 1 ? "" : "es",
			n == 1 ? "s" : "", r->all.others);
}

/* Starts and stops that made no window. */
static void put_strays(FILE *f, const struct result *r)
{
	const struct result_cpu *c = &r->all;
	bool bpf = !strcmp(r->backend, "bpf");

	if (!c->windows && (c->cut || c->open))
		fputs(r->attached->of_threads ? "note  no activation ended: does a thread ever reach the sleep that ends one?\n" :
		      "note  no window ended: does the program ever reach --stop?\n", f);
	if (c->unfinished)
		fprintf(f, "note  windows within their budget that had not ended: %" PRIu64 "\n", c->unfinished);
	if (c->nested)
		fprintf(f, "note  starts %s an open window: %" PRIu64 "\n", bpf ? "deeper in the stack, a part of" :
			"ignored inside", c->nested);
	if (c->unmatched && !bpf)
		fprintf(f, "note  stops without an open window: %" PRIu64 "\n", c->unmatched);
}

void region_left_out(FILE *f, const struct result *r)
{
	put_others(f, r);
	put_strays(f, r);
}

void region_warnings(FILE *f, const struct result *r)
{
	const struct attached *a = r->attached;
	uint64_t no_slot = r->all.no_slot;

	if (r->all.lost)
		fprintf(f, "warning: %" PRIu64 " records were dropped because the ring buffer was full; all counts are too low\n",
			r->all.lost);
	if (a->activations.further)
		fprintf(f, "warning: windows of further threads than the %d that are kept apart: %" PRIu64 "\n",
			ACTIVATION_THREADS, a->activations.further);
	if (no_slot && !a->of_threads && !strcmp(r->backend, "bpf"))
		fprintf(f, "warning: starts of %s that are not watched, because BPF has room for %s: %" PRIu64 "\n",
			a->key ? "threads or keys" : "threads", a->key ? "1024 threads and 4096 keys" : "1024", no_slot);
	else if (no_slot && !strcmp(r->backend, "bpf"))
		fprintf(f, "warning: threads not watched, because BPF has room for 1024: %" PRIu64 "; choose fewer\n",
			no_slot);
	else if (no_slot && a->of_threads)
		fprintf(f, "warning: threads not watched, because the kernel has no free slot: %" PRIu64 "; raise the module parameter slots\n",
			no_slot);
	else if (no_slot)
		fprintf(f, "warning: windows without a free slot in the kernel: %" PRIu64 "; raise the module parameter slots\n",
			no_slot);
}

static bool is_measured(unsigned int part)
{
	return !(ATTACH_LACKS & 1U << part);
}

void region_windows_head(FILE *f, bool of_key)
{
	unsigned int i;

	fputs("tid,t0_ns,response_ns", f);
	for (i = 0; i < TLOB_NR_PARTS; i++)
		if (is_measured(i))
			fprintf(f, ",%s_ns", part_short_name(i));
	fprintf(f, ",switches,ended,violation,errors%s\n", of_key ? ",begun_by,elsewhere" : "");
}

void region_windows_line(FILE *f, const struct kept_window *k, bool of_key)
{
	const struct tlob_window *w = &k->w;
	unsigned int i;

	if (w->flags & WINDOW_OPEN)
		return;
	fprintf(f, "%" PRIu32 ",%" PRIu64 ",%" PRIu64, k->kept.task.tid, (uint64_t)w->t0_ns,
		(uint64_t)w->response_ns);
	for (i = 0; i < TLOB_NR_PARTS; i++)
		if (is_measured(i))
			fprintf(f, ",%" PRIu64, (uint64_t)w->part_ns[i]);
	fprintf(f, ",%" PRIu32 ",%d,%d,%" PRIu32, k->kept.task.switches, !(w->flags & WINDOW_CUT),
		!!(w->flags & TLOB_WINDOW_VIOLATION), w->errors);
	if (of_key)
		fprintf(f, ",%" PRIu32 ",%" PRIu64, k->kept.task.begun_by, k->kept.task.elsewhere_ns);
	fputc('\n', f);
}
