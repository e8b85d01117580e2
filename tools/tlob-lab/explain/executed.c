// SPDX-License-Identifier: GPL-2.0
/* Reading the files of a boot, and the check that instructions and times agree. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/tlob.h>

#include "explain/executed.h"
#include "explain/ksyms_names.h"
#include "explain/step_parts.h"
#include "util/error.h"
#include "util/file.h"
#include "util/json_read.h"

/*
 * An idle CPU wakes at a step of its timer, 16 ns in QEMU, after a clock that the kernel has
 * calibrated. 49 to 70 ns were seen.
 */
#define MOST_ASLEEP_NS	1000


static int read_windows(struct executed *e, const char *path)
{
	char *text, why[200];
	int err = file_load_text(path, &text);

	if (err)
		return err;
	err = e->region ? records_read_region(&e->records, text, why, sizeof(why)) :
			  records_read(&e->records, text, why, sizeof(why));
	free(text);
	return err ? fail(err, "%s: %s", path, err == -ENOMEM ? "out of memory" : why) : 0;
}

/* Reads the step of the clock from the result @path: each time is a multiple of it. */
static int read_step(struct executed *e, const char *path)
{
	struct reader rd = { 0 };
	struct json_object *o;
	uint64_t ns = 0;
	char *text;
	size_t i;
	int err = file_load_text(path, &text);

	if (err)
		return err;
	o = reader_parse(&rd, text, strlen(text));
	if (o && reader_find(o, "clock_resolution_ns"))
		ns = reader_u64(&rd, o, "clock_resolution_ns");
	json_object_put(o);
	free(text);
	if (*rd.error)
		return fail(-EINVAL, "%s: %s", path, rd.error);
	if (ns > 1)
		e->step = ns < MOST_ASLEEP_NS ? ns : MOST_ASLEEP_NS;
	for (i = 0; i < e->records.n; i++)
		e->records.record[i].step = e->step;
	return 0;
}

int executed_read_guest(struct executed *e, const struct executed_files *files)
{
	const char *kernel = files->symbols.kernel;
	int err;

	*e = (struct executed){ .region = files->region, .step = 1 };
	err = symbols_read(&files->symbols, &e->symbols_text);
	if (err)
		return err;
	err = ksyms_parse(&e->symbols, e->symbols_text);
	if (err)
		return fail(err, "%s: %s", kernel ? kernel : files->symbols.guest,
			    err == -ENOMEM ? "out of memory" :
			    err == -EPERM ? "all addresses are 0" :
			    kernel ? "no function of a kernel" :
			    "no function of a kernel: give an --image its System.map with --symbols");
	err = read_windows(e, files->windows);
	return err || !files->result ? err : read_step(e, files->result);
}

int executed_write_marks(const struct executed *e, const char *path)
{
	/*
	 * The first reading of the clock after fire, begin and end must be the window's. A start
	 * after a pause reads it once before, for the log of switches, so a region begins at its
	 * first boundary. To the plugin those of the hooks, later, are nested starts.
	 */
	static const struct {
		const char *mark, *function[2];	/* of a run, of a region */
	} marks[] = {
		{ "arm", { "tlob_window_arm", NULL } },
		{ "fire", { "tlob_period_fire", NULL } },
		{ "begin", { "tlob_window_begin", "tlob_place_boundary" } },
		{ "end", { "tlob_window_end", "tlob_slot_close" } },
	};
	const char *function;
	const struct ksym *s;
	struct output o = { 0 };
	size_t i;
	int err;

	err = output_open(&o, path);
	if (err)
		return err;
	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		function = marks[i].function[e->region];
		if (!function)
			continue;
		s = ksyms_named(&e->symbols, function);
		if (!s) {
			output_discard(&o);
			return fail(-ENOENT, "the guest's symbols lack %s: the module must run in the guest, as it was built",
				    function);
		}
		fprintf(o.f, "%s %" PRIx64 "\n", marks[i].mark, s->address);
	}
	fprintf(o.f, "windows %zu\n", e->records.n);
	for (i = 0; i < e->records.n && !e->region; i++)
		fprintf(o.f, "wake %" PRIu64 "\n", e->records.record[i].wake);
	err = output_commit(&o);
	output_discard(&o);
	return err;
}

/*
 * The guest takes its clock for 7 in a million faster or slower than it is, and reads whole
 * @step ns.
 */
static bool is_time_of(uint64_t instructions, uint64_t ns, uint32_t step)
{
	uint64_t off = instructions > ns ? instructions - ns : ns - instructions;

	return off <= step + ns / 50000;
}

/* Only a CPU that halts, until something wakes its task, lets time pass without instructions. */
static bool halts(const struct executed *e, const struct path *p)
{
	size_t i;

	for (i = 0; i < p->steps; i++)
		if (e->profile.segment[p->step[i].segment].ending == 'h')
			return true;
	return false;
}

static int check_region(const struct executed *e, size_t i, const char *path)
{
	const struct record *r = &e->records.record[i];
	const struct path *p = executed_path(e, i);
	uint64_t n = p->n[PHASE_WORK];

	if (is_time_of(n, r->response, r->step) || (n < r->response && halts(e, p)))
		return 0;
	return fail(-EINVAL, "%s: window %zu: it took %" PRIu64 " ns, but executed %" PRIu64 " instructions: nothing is explained",
		    path, i + 1, r->response, n);
}

static int check_window(const struct executed *e, size_t i, const char *path)
{
	const struct record *r = &e->records.record[i];
	const struct window *w = &e->profile.window[i];
	const struct path *p = &e->profile.path[w->path];
	const char *what = NULL;
	uint64_t ns = 0, n = 0;

	if (!is_time_of(p->n[PHASE_WORK], r->response - r->wake, r->step)) {
		what = "t2 to t3";
		ns = r->response - r->wake;
		n = p->n[PHASE_WORK];
	} else if (!is_time_of(p->n[PHASE_WAKE], r->wake - r->irq, r->step)) {
		what = "t1 to t2";
		ns = r->wake - r->irq;
		n = p->n[PHASE_WAKE];
	} else if (path_wake(p) > r->wake ||
		   r->wake - path_wake(p) > (w->state == 'i' ? MOST_ASLEEP_NS : r->step)) {
		what = "the expiry to t2";
		ns = r->wake;
		n = path_wake(p);
	}
	return what ? fail(-EINVAL, "%s: window %zu (activation %" PRIu64 "): from %s it took %" PRIu64 " ns, but executed %" PRIu64 " instructions: nothing is explained",
			   path, i + 1, r->activation, what, ns, n) : 0;
}

/* A path is divided by its first window, and stays so if all others agree. */
static int divide_paths(struct executed *e)
{
	bool *seen = calloc(e->profile.paths + 1, sizeof(*seen));
	int err = seen ? 0 : -ENOMEM;
	struct path *p;
	size_t i;

	for (i = 0; i < e->records.n && !err; i++) {
		const struct record *r = &e->records.record[i];
		uint32_t number = e->profile.window[i].path;

		p = &e->profile.path[number];
		if (!seen[number]) {
			seen[number] = true;
			err = parts_divide(p, &e->profile, e->place, r, executed_asleep(e, i));
		} else if (p->part && !parts_agree(p, &e->profile, r, executed_asleep(e, i))) {
			free(p->part);
			p->part = NULL;
		}
	}
	free(seen);
	return err ? fail(err, "out of memory") : 0;
}

int executed_read_profile(struct executed *e, const char *path)
{
	char *text, why[200];
	size_t i;
	int err = file_load_text(path, &text);

	if (err)
		return err;
	err = profile_read(&e->profile, text, why, sizeof(why));
	free(text);
	if (err)
		return fail(err, "%s: %s", path, err == -ENOMEM ? "out of memory" : why);
	if (e->profile.windows != e->records.n)
		return fail(-EINVAL, "%s: the plugin saw %zu windows, the guest %zu: nothing is explained",
			    path, e->profile.windows, e->records.n);
	for (i = 0; i < e->records.n && !err; i++)
		err = e->region ? check_region(e, i, path) : check_window(e, i, path);
	if (err)
		return err;
	e->place = places_of(&e->profile, &e->symbols);
	e->tree = calloc(e->profile.paths, sizeof(*e->tree));
	e->tally = calloc(e->profile.paths, sizeof(*e->tally));
	if (!e->place || !e->tree || !e->tally)
		return fail(-ENOMEM, "out of memory");
	return e->region ? 0 : divide_paths(e);
}

void executed_free(struct executed *e)
{
	size_t i;

	for (i = 0; i < e->profile.paths; i++) {
		if (e->tree)
			tree_free(&e->tree[i]);
		if (e->tally)
			tally_free(&e->tally[i]);
	}
	free(e->tree);
	free(e->tally);
	free(e->place);
	profile_free(&e->profile);
	records_free(&e->records);
	ksyms_free(&e->symbols);
	free(e->symbols_text);
	*e = (struct executed){ 0 };
}

uint64_t executed_asleep(const struct executed *e, size_t window)
{
	uint64_t n = executed_length(e, executed_path(e, window));
	uint64_t ns = executed_time(e, window);

	/* the guest's clock is a little too slow or too fast: see is_time_of() */
	return ns > n && !(e->region && is_time_of(n, ns, e->step)) ? ns - n : 0;
}

/* A window, to be sorted by its time. */
struct timed {
	uint64_t ns;
	size_t	 window;
};

static int by_time(const void *pa, const void *pb)
{
	const struct timed *a = pa, *b = pb;

	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return a->window < b->window ? -1 : a->window > b->window;
}

int executed_window_at(const struct executed *e, double share, size_t *window)
{
	struct timed *sorted = calloc(e->records.n, sizeof(*sorted));
	size_t n = 0, i, rank;

	if (!sorted)
		return fail(-ENOMEM, "out of memory");
	for (i = 0; i < e->records.n; i++)
		if (!(e->records.record[i].flags & TLOB_WINDOW_WARM_UP))
			sorted[n++] = (struct timed){ executed_time(e, i), i };
	if (!n) {
		free(sorted);
		return fail(-ENODATA, "all windows are warm-up: nothing to explain");
	}
	qsort(sorted, n, sizeof(*sorted), by_time);
	rank = share * n;
	if (rank < share * n)
		rank++;
	rank = rank ? rank - 1 : 0;
	while (rank && sorted[rank - 1].ns == sorted[rank].ns)
		rank--;
	*window = sorted[rank].window;
	free(sorted);
	return 0;
}

size_t executed_measured(const struct executed *e, size_t *window)
{
	size_t i, n = 0;

	for (i = 0; i < e->records.n; i++) {
		if (e->records.record[i].flags & TLOB_WINDOW_WARM_UP)
			continue;
		if (window)
			window[n] = i;
		n++;
	}
	return n;
}

const struct tree *executed_tree(struct executed *e, size_t path)
{
	struct tree *t = &e->tree[path];

	if (!t->n && unwind(t, &e->profile, e->place, &e->profile.path[path])) {
		fail(-ENOMEM, "out of memory");
		return NULL;
	}
	return t;
}

const struct tally *executed_tally(struct executed *e, size_t path)
{
	const struct tree *tree = executed_tree(e, path);
	struct tally *t = &e->tally[path];

	if (tree && !t->n &&
	    tally_make(t, tree, &e->profile, &e->profile.path[path])) {
		fail(-ENOMEM, "out of memory");
		return NULL;
	}
	return tree ? t : NULL;
}
