// SPDX-License-Identifier: GPL-2.0
/* The screens, byte for byte, and that none of them is larger than its terminal. */
#include <fcntl.h>
#include <math.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "attach_sample.h"
#include "sample.h"
#include "terminal.h"
#include "report/screen.h"
#include "report/snapshot.h"
#include "report/top.h"
#include "util/printable.h"

static const struct view plain = { .cols = 80, .rows = 24, .hint = "Ctrl-C ends", .cursor = -1 };

static const char golden_one[] =
	"12s of 60s, period 1ms, budget 200us, clock 16ns   Ctrl-C ends\n"
	"us                      wake              response          parts    last\n"
	"cpu windows  viol  miss   p50 p99.9   max   p50 p99.9   max          offender\n"
	"  0    1000     1     0  3.00  3.00  3.00   105   105   257 ======== kworker/0>\n"
	"d irq_delay i irq t thread w sched = on_cpu\n";

static const char golden_64[] =
	"12s of 60s, period 1ms, budget 200us, clock 16ns   Ctrl-C ends\n"
	"us                      wake              response          parts    last\n"
	"cpu windows  viol  miss   p50 p99.9   max   p50 p99.9   max          offender\n"
	" 17    1100     2     0  3.00  3.00  3.00   105  5105  5105 =======z sleep\n"
	"  0    1100     1     0  3.00  3.00  3.00   105   105   257 ======== kworker/0>\n"
	" 40    1100     0    50  3.00  miss  3.00   105  miss   105 ======== work\n"
	"  1    1100     0     0  3.00  3.00  3.00   105   105   105 ======== work\n";

static const char golden_attach[] =
	"3s of 60s, budget 5ms, clock 16ns   Ctrl-C ends\n"
	"from work to 0x1150\n"
	"us                       response           parts\n"
	"windows  viol  miss  open   p50 p99.9   max\n"
	"    100     2     1     0  2015     -  101m tttttttttttt===zzzzzzzzz\n";

/* A result that is watched, as in a run: windows go to both. */
struct sample {
	struct result r;
	struct snapshot s;
};

static const struct kernel_place unknown;

static void add_window(struct sample *a, size_t i, struct tlob_window w)
{
	snapshot_window(&a->s, i, &w, &unknown);
	result_window(&a->r, i, &w, true);
}

static void begin_sample(struct sample *a, size_t ncpus, unsigned int n)
{
	unsigned int k;
	size_t i;

	sample_empty(&a->r, ncpus);
	assert_int_equal(snapshot_init(&a->s, ncpus), 0);
	a->s.duration_ns = 60000000000ULL;
	for (i = 0; i < ncpus; i++)
		for (k = 0; k < n; k++)
			add_window(a, i, i || k + 1 < n ? sample_window((unsigned int)i, k) :
						   sample_violation(0, k));
}

static void end_sample(struct sample *a)
{
	snapshot_free(&a->s);
	result_free(&a->r);
}

/* The same of a sample with times in functions. */
static void end_functions(struct sample *a)
{
	size_t i;

	for (i = 0; i < a->r.ncpus; i++) {
		free(a->r.cpu[i].functions);
		a->r.cpu[i].functions = NULL;
	}
	end_sample(a);
}

/* Returns what @render prints of @s; fails if it does not fit into @v. */
static char *rendered(void (*render)(FILE *, const struct snapshot *, const struct view *),
		      const struct snapshot *s, const struct view *v)
{
	char *text = NULL, *line, *copy, *rest;
	unsigned int rows = 0;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	render(f, s, v);
	fclose(f);
	copy = strdup(text);
	assert_non_null(copy);
	for (line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		rows++;
		if (!v->colour && printable_width(line) >= v->cols)
			fail_msg("too wide for %u columns: %s", v->cols, line);
	}
	assert_true(rows <= v->rows);
	free(copy);
	return text;
}

static void assert_begins(const char *text, const char *wanted)
{
	char *head = strndup(text, strlen(wanted));

	assert_non_null(head);
	assert_string_equal(head, wanted);
	free(head);
}

TEST(one_cpu)
{
	struct sample a;
	char *text;

	begin_sample(&a, 1, 1000);
	snapshot_take(&a.s, &a.r, 12345678901);
	assert_prints(rendered(screen_run, &a.s, &plain), golden_one);
	/* nothing is said of a clock that is as fine as the numbers */
	result_set_clock(&a.r, 1);
	snapshot_take(&a.s, &a.r, 12345678901);
	text = rendered(screen_run, &a.s, &plain);
	assert_begins(text, "12s of 60s, period 1ms, budget 200us   Ctrl-C ends\n");
	free(text);
	end_sample(&a);
}

/* The worst of 64: most violations, then the longest response. CPU 40 is late, not slow. */
TEST(sixty_four)
{
	struct tlob_window w;
	struct sample a;
	char *text;

	begin_sample(&a, 64, 1100);
	w = sample_window(17, 2000);
	w.part_ns[TLOB_WORK_SLEEP] = 5000000;
	sample_close(&w);
	a.r.cpu[17].windows -= 2;
	add_window(&a, 17, w);
	add_window(&a, 17, w);
	/* equal to the others but for 1 ns */
	w = sample_window(40, 3000);
	w.missed = 50;
	w.part_ns[TLOB_WORK_ON_CPU]++;
	sample_close(&w);
	a.r.cpu[40].windows--;
	add_window(&a, 40, w);
	snapshot_take(&a.s, &a.r, 12345678901);
	text = rendered(screen_run, &a.s, &plain);
	assert_begins(text, golden_64);
	assert_contains(text, "    and 46 CPUs more; shown are the worst\n"
			      "all   70400     3    50  3.00  3.00  3.00   105   105  5105 ");
	free(text);
	end_sample(&a);
}

/* No terminal is too small, none too large. */
TEST(any_size)
{
	static const size_t ncpus[] = { 1, 2, 21, 64 };
	struct view v = { .hint = "a hint that is longer than it should be, really", .cursor = -1 };
	struct sample a;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ncpus); i++) {
		begin_sample(&a, ncpus[i], 20);
		a.s.watch[0].last.w.delayed_by_pid = 1;
		snapshot_take(&a.s, &a.r, 12345678901);
		for (v.cols = 2; v.cols < 200; v.cols += 7)
			for (v.rows = 1; v.rows < 80; v.rows += 3) {
				free(rendered(screen_run, &a.s, &v));
				free(rendered(screen_cpus, &a.s, &v));
			}
		end_sample(&a);
	}
}

/* Each number of @text is one of @whole: none is cut. */
static void assert_whole(char *text, const char *whole, unsigned int cols)
{
	char *word, *rest, *copy = strdup(whole), *at;
	bool found;

	for (word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
		if (!strpbrk(word, "0123456789"))
			continue;
		memcpy(copy, whole, strlen(whole) + 1);
		for (at = strtok(copy, " \n"), found = false; at && !found; at = strtok(NULL, " \n"))
			found = !strcmp(at, word) || (strlen(at) == strlen(word) + 1 && !strncmp(at, word, strlen(word)) &&
						      at[strlen(word)] == ',');
		if (!found)
			fail_msg("'%s' in %u columns is not in:\n%s", word, cols, whole);
	}
	free(copy);
	free(text);
}

static void put_attach(FILE *f, const struct snapshot *s, const struct view *v)
{
	struct result r;

	attach_sample(&r);
	screen_attach(f, &r, 3456000000, 60000000000, v);
	result_free(&r);
}

/* A table that is wider than the terminal loses columns. The offender's name may be cut. */
TEST(no_number_is_cut)
{
	static void (* const screens[])(FILE *f, const struct snapshot *s, const struct view *v) = {
		screen_run, screen_cpus, put_attach,
	};
	struct function_sets sets = { .n = FUNCTION_SETS };
	struct view v = { .rows = 24, .cursor = -1 };
	struct sample a;
	unsigned int i;
	char *whole;

	begin_sample(&a, 2, 2508);
	for (i = 0; i < 2; i++)
		a.r.cpu[i].functions = function_totals_new(FUNCTION_SETS);
	for (i = 0; i < FUNCTION_SETS; i++) {
		memcpy(sets.at[i].name, "set", 4);
		tlob_hist_add(&a.r.cpu[0].functions->at[i].hist, 12345678);
	}
	snapshot_take(&a.s, &a.r, 12345678901);
	a.s.all.watch.last.w.response_ns = 0;
	for (i = 0; i < 2; i++)
		a.s.cpu[i].watch.last.w.response_ns = 0;
	for (i = 0; i < 2 * ARRAY_SIZE(screens); i++) {
		a.s.sets = i < ARRAY_SIZE(screens) ? NULL : &sets;
		v.cols = 200;
		whole = rendered(screens[i % ARRAY_SIZE(screens)], &a.s, &v);
		for (v.cols = 40; v.cols < 200; v.cols++)
			assert_whole(rendered(screens[i % ARRAY_SIZE(screens)], &a.s, &v), whole, v.cols);
		free(whole);
	}
	end_functions(&a);
}

TEST(sixty_columns)
{
	struct view v = plain;
	struct sample a;

	v.cols = 60;
	begin_sample(&a, 1, 1000);
	snapshot_take(&a.s, &a.r, 12345678901);
	assert_prints(rendered(screen_run, &a.s, &v),
		      "12s of 60s, period 1ms, budget 200us, clock 16ns   Ctrl-C >\n"
		      "us                      wake        response    last\n"
		      "cpu windows  viol  miss p99.9   max p99.9   max offender\n"
		      "  0    1000     1     0  3.00  3.00   105   257 kworker/0:1\n");
	end_sample(&a);
}

/* The last line says that there are more; without more it stays. */
TEST(more_lines)
{
	struct view v = plain;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	v.cols = 12;
	v.rows = 2;
	screen_cut(f, "one\ntwo\nthree\n", &v);
	screen_cut(f, "one\ntwenty two\nthree\n", &v);
	screen_cut(f, "one\ntwo\n\n", &v);
	fclose(f);
	assert_string_equal(text, "one\ntwo ...\n" "one\ntwenty  ...\n" "one\ntwo\n");
	free(text);
}

/* Sends @keys to @top, whose terminal's other end is @fd, and returns what it has drawn. */
static char *pressed(struct top *top, const struct sample *a, int fd, const char *keys)
{
	if (write(fd, keys, strlen(keys)) < 0)
		return NULL;
	top_keys(top, &a->s);
	return strdup(terminal_read(fd));
}

/* Keys of one byte and of several. The row of the cursor is reversed, and has no colours. */
TEST(keys)
{
	static const struct {
		const char *keys, *drawn;
	} steps[] = {
		{ "", "\033[7m  0      20 " }, { "\033[B\033[B\033OA", "\033[7m  1      20 " },
		{ "\033[6~", "\033[7m  8      20 " }, { "\r", "worst windows, us" },
		{ "\033[D\033[5~", "\033[7m  1      20 " }, { "h", "any key leaves it" },
		{ "\033", "by cpu" }, { "p", "PAUSED by cpu" },
	};
	struct winsize size = { .ws_col = 80, .ws_row = 12 };
	int saved[2] = { dup(0), dup(1) }, terminal, fd;
	char *drawn[ARRAY_SIZE(steps)] = { NULL }, *resized = NULL;
	bool ended = false, paused = false;
	struct top *top;
	struct sample a;
	size_t i;

	begin_sample(&a, 21, 20);
	snapshot_take(&a.s, &a.r, 12345678901);
	assert_int_equal(openpty(&terminal, &fd, NULL, NULL, &size), 0);
	assert_int_equal(fcntl(terminal, F_SETFL, O_NONBLOCK), 0);
	setenv("TERM", "xterm", 1);
	fflush(stdout);
	/* standard input and output are the terminal until the end of top: nothing asserts there */
	dup2(fd, 0);
	dup2(fd, 1);
	if (!top_begin(&top)) {
		for (i = 0; i < ARRAY_SIZE(steps); i++)
			drawn[i] = pressed(top, &a, terminal, steps[i].keys);
		paused = top_is_paused(top);
		size.ws_col = 40;
		ioctl(terminal, TIOCSWINSZ, &size);
		resized = pressed(top, &a, terminal, "");
		ended = write(terminal, "q", 1) == 1 && top_keys(top, &a.s);
		top_end(top);
	}
	dup2(saved[0], 0);
	dup2(saved[1], 1);
	assert_non_null(top);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		assert_non_null(drawn[i]);
		assert_contains(drawn[i], steps[i].drawn);
		free(drawn[i]);
	}
	/* it is held, and follows the size of the terminal */
	assert_non_null(resized);
	assert_contains(resized, "\033[H12s of 60s");
	assert_true(paused && ended);
	free(resized);
	for (i = 0; i < 2; i++)
		close(saved[i]);
	close(terminal);
	close(fd);
	end_sample(&a);
}

static void put_cpu_0(FILE *f, const struct snapshot *s, const struct view *v)
{
	screen_cpu(f, s, &s->cpu[0], v);
}

TEST(one_of_them)
{
	struct sample a;
	char *text;

	begin_sample(&a, 2, 1000);
	snapshot_take(&a.s, &a.r, 12345678901);
	text = rendered(put_cpu_0, &a.s, &plain);
	assert_contains(text, "part              share   mean    max  us\n"
			      "wake.irq_delay     0.9%   0.90   0.90\n");
	assert_contains(text, "work.thread        0.1%   0.15    150\n");
	assert_contains(text, "activation  response   wake  cause\n"
			      "       999       257   3.00  58 % while kworker/0:1 (pid 117) ran\n");
	free(text);
	end_sample(&a);
}

/* The screen names the function of the last window, and that of the worst. */
TEST(places)
{
	const struct kernel_place place = { .function = "drain_all", .entry = "work flush" };
	const struct view wide = { .cols = 120, .rows = 40 };
	struct tlob_window w = sample_violation(0, 2000);
	struct sample a;
	char *text;

	begin_sample(&a, 2, 1000);
	w.response_ns++;
	snapshot_window(&a.s, 0, &w, &place);
	snapshot_take(&a.s, &a.r, 12345678901);
	text = rendered(screen_cpus, &a.s, &wide);
	assert_contains(text, " kworker/0:1 in drain_all, work flush\n");
	free(text);
	text = rendered(put_cpu_0, &a.s, &wide);
	assert_contains(text, "      2000       257   3.00  58 % while kworker/0:1 (pid 117) ran in drain_all, work flush\n");
	assert_contains(text, "       999       257   3.00  58 % while kworker/0:1 (pid 117) ran\n");
	free(text);
	end_sample(&a);
}

/* All eight sets have a column in 80; one CPU has a line for each. */
TEST(functions)
{
	static const char *const names[] = {
		"lock", "alloc", "abcdefghijklmno", "d", "e", "f", "g", "h",
	};
	struct function_sets sets = { .n = FUNCTION_SETS, .probe_ns = 748 };
	struct sample a;
	char *text;
	size_t i, k;

	begin_sample(&a, 2, 1000);
	for (i = 0; i < FUNCTION_SETS; i++)
		snprintf(sets.at[i].name, sizeof(sets.at[i].name), "%s", names[i]);
	for (k = 0; k < 2; k++) {
		a.r.cpu[k].functions = function_totals_new(FUNCTION_SETS);
		assert_non_null(a.r.cpu[k].functions);
		for (i = 0; i < 1000; i++)
			tlob_hist_add(&a.r.cpu[k].functions->at[0].hist, k ? 12345678 : 5000);
		a.r.cpu[k].functions->at[0].calls = 3000;
	}
	snapshot_take(&a.s, &a.r, 12345678901);
	a.s.sets = &sets;
	text = rendered(screen_cpus, &a.s, &plain);
	assert_contains(text, "\nus                   wake  resp  func.\n"
			"cpu  wind viol miss   max   max  lock alloc abcde     d     e     f     g     h\n"
			"  0  1000    1    0  3.00   257  5.00     -     -     -     -     -     -     -\n"
			"  1  1000    0    0  3.00   105 12346     -     -     -     -     -     -     -\n"
			"all  2000    1    0  3.00   257 12346     -     -     -     -     -     -     -\n"
			"func.: the longest time of a window in each set; a CPU shows more\n");
	free(text);
	text = rendered(put_cpu_0, &a.s, &plain);
	assert_contains(text, "\nfunc.            calls   mean    max  probes  us a window\n"
			"lock               3.0   5.00   5.00    2.24\n"
			"alloc              0.0      -      -    0.00\n");
	free(text);
	end_functions(&a);
}

/* No end of a cause is lost: it continues below itself, or the line has a mark. */
TEST(long_cause)
{
	struct tlob_window w = sample_window(0, 1000);
	struct view v = plain;
	struct sample a;
	char *text;

	begin_sample(&a, 1, 0);
	w.part_ns[TLOB_WAKE_IRQ_DELAY] = 90000000;
	w.delayed_by_pid = 25219;
	memcpy(w.delayed_by, "a-name-of-fifte", 16);
	sample_close(&w);
	add_window(&a, 0, w);
	snapshot_take(&a.s, &a.r, 12345678901);
	text = rendered(put_cpu_0, &a.s, &v);
	assert_contains(text, "      1000     90104  90002  >99 % waiting for the timer interrupt while\n"
			      "                             a-name-of-fifte (pid 25219) ran\n");
	assert_contains(text, " a-name-of>\n");	/* the table's last offender */
	free(text);
	v.cols = 50;
	assert_shows(rendered(put_cpu_0, &a.s, &v),
		     "      1000     90104  90002  >99 % waiting for t>\n",
		     "cpu windows  viol  miss p99.9   max p99.9   max\n");
	v.cols = 120;
	text = rendered(put_cpu_0, &a.s, &v);
	assert_contains(text, ">99 % waiting for the timer interrupt while a-name-of-fifte (pid 25219) ran\n");
	assert_lacks(text, ">\n");
	free(text);
	end_sample(&a);
}

static void first_cpus(const char *text, const char *wanted)
{
	const char *line = text;
	char found[16] = "";
	int i;

	for (i = 0; i < 3; i++)
		line = strchr(line, '\n') + 1;
	for (i = 0; i < 3; i++) {
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%ld ", strtol(line, NULL, 10));
		line = strchr(line, '\n') + 1;
	}
	assert_string_equal(found, wanted);
}

TEST(sorts)
{
	static const char * const wanted[SCREEN_NR_SORTS] = {
		[SORT_CPU] = "0 1 2 ", [SORT_VIOLATIONS] = "2 0 3 ",
		[SORT_MISSED] = "1 0 2 ", [SORT_WAKE] = "3 0 1 ",
		[SORT_RESPONSE] = "0 2 3 ",
	};
	struct view v = plain;
	struct tlob_window w;
	struct sample a;
	char *text;

	begin_sample(&a, 4, 1000);
	a.r.cpu[1].missed = 9;
	a.r.cpu[2].violations = 7;
	w = sample_window(3, 2000);
	w.part_ns[TLOB_WAKE_SCHED] += 500;
	sample_close(&w);
	add_window(&a, 3, w);
	a.r.cpu[2].hist[TLOB_METRIC_RESPONSE].max = 200000;
	snapshot_take(&a.s, &a.r, 1);
	for (v.sort = 0; v.sort < SCREEN_NR_SORTS; v.sort++) {
		assert_non_null(screen_sort_name(v.sort));
		text = rendered(screen_cpus, &a.s, &v);
		first_cpus(text, wanted[v.sort]);
		free(text);
	}
	v.sort = SORT_CPU;
	v.first = 1;
	text = rendered(screen_cpus, &a.s, &v);
	first_cpus(text, "1 2 3 ");
	free(text);
	end_sample(&a);
}

/* Colours are escape sequences around the same text. */
TEST(colours)
{
	struct view v = plain;
	char *text, *from, *to;
	struct sample a;

	begin_sample(&a, 1, 1000);
	snapshot_take(&a.s, &a.r, 12345678901);
	v.colour = true;
	text = rendered(screen_run, &a.s, &v);
	assert_contains(text, "\033[1;31m    1\033[0m");
	for (from = to = text; *from; from++) {
		if (*from == '\033')
			from += strcspn(from, "m");
		else
			*to++ = *from;
	}
	*to = 0;
	assert_string_equal(text, golden_one);
	free(text);
	/* cut in the middle of a colour: it ends there, before the mark */
	v.cols = 16;
	assert_shows(rendered(screen_run, &a.s, &v), "  0    1000 \033[1;31m  \033[0m\033[0m>\n");
	end_sample(&a);
}

/* A backend without parts, and a run without windows. */
TEST(little_to_show)
{
	struct sample a = { 0 };
	char *text;

	sample_posix(&a.r, 1000);
	assert_int_equal(snapshot_init(&a.s, 1), 0);
	snapshot_take(&a.s, &a.r, 1000000000);
	text = rendered(screen_run, &a.s, &plain);
	assert_contains(text, "1s, period 1ms, budget 200us, clock 16ns   Ctrl-C ends\n");
	assert_contains(text, "w wake = work\n");
	assert_lacks(text, "on_cpu");
	free(text);
	end_sample(&a);

	begin_sample(&a, 2, 0);
	snapshot_take(&a.s, &a.r, 0);
	assert_shows(rendered(screen_run, &a.s, &plain),
		     "  1       0     0     0     -     -     -     -     -     -         \n");
	free(rendered(put_cpu_0, &a.s, &plain));
	end_sample(&a);
}

TEST(hostile_name)
{
	struct tlob_window w = sample_violation(0, 0);
	struct sample a;
	char *text;

	begin_sample(&a, 1, 0);
	memcpy(w.largest.name, "\033[2J\nx", 7);
	add_window(&a, 0, w);
	snapshot_take(&a.s, &a.r, 0);
	text = rendered(screen_run, &a.s, &plain);
	assert_lacks(text, "\033");
	assert_contains(text, "\\x1b[2J");
	free(text);
	end_sample(&a);
}

TEST(numbers)
{
	static const struct { uint64_t ns; const char *text; } times[] = {
		{ 0, "0.00" }, { 4612, "4.61" }, { 9994, "9.99" }, { 9995, "10.0" },
		{ 99949, "99.9" }, { 99950, "100" }, { 46100499, "46100" },
		{ 99999500, "100m" }, { 1234567890, "1235m" }, { 12345678901, "12s" },
		{ SNAPSHOT_FEW, "-" }, { SNAPSHOT_MISSED, "miss" },
		{ 3600000000000ULL, "3600s" },
	};
	static const struct { uint64_t n; int width; const char *text; } counts[] = {
		{ 0, 5, "0" }, { 99999, 5, "99999" }, { 100000, 5, "100k" },
		{ 999499, 5, "999k" }, { 999500, 5, "1.00M" }, { 1234567, 7, "1234567" },
		{ 12345678, 7, "12M" }, { UINT64_MAX, 5, "18E" },
	};
	char us[SCREEN_US_LEN], count[SCREEN_COUNT_LEN];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(times); i++)
		assert_string_equal(screen_us(us, times[i].ns), times[i].text);
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		assert_string_equal(screen_count(count, counts[i].n, counts[i].width),
				    counts[i].text);
}

TEST(attach)
{
	struct result r;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	attach_sample(&r);
	screen_attach(f, &r, 3456000000, 60000000000, &plain);
	fclose(f);
	assert_begins(text, golden_attach);
	assert_contains(text, "worst    101m  worker/4243: 98 % waiting for the CPU: others ran, or it woke up\n");
	assert_contains(text, "t thread = on_cpu z sleep\n");
	free(text);
	result_free(&r);
}

/* The last violation stays, whatever is slower without being one. */
TEST(watches)
{
	struct tlob_window w = sample_window(0, 1);
	struct snapshot s;
	unsigned int i;

	assert_int_equal(snapshot_init(&s, 1), 0);
	w.flags |= TLOB_WINDOW_WARM_UP;
	snapshot_window(&s, 0, &w, &unknown);
	assert_int_equal(s.watch[0].nworst, 0);
	for (i = 0; i < 2 * WATCH_WORST; i++) {
		w = sample_window(0, i);
		w.response_ns = 1000 + i % 5;
		snapshot_window(&s, 0, &w, &unknown);
	}
	assert_int_equal(s.watch[0].nworst, WATCH_WORST);
	for (i = 1; i < WATCH_WORST; i++)
		assert_true(s.watch[0].worst[i].w.response_ns <= s.watch[0].worst[i - 1].w.response_ns);
	assert_int_equal(s.watch[0].last.w.activation, 4);
	w = sample_violation(0, 77);
	w.response_ns = 500;
	snapshot_window(&s, 0, &w, &unknown);
	assert_int_equal(s.watch[0].last.w.activation, 77);
	w = sample_window(0, 78);
	snapshot_window(&s, 0, &w, &unknown);
	assert_int_equal(s.watch[0].last.w.activation, 77);
	snapshot_free(&s);
}

struct rgb {
	double r, g, b;
};

static double linear(unsigned int of_255)
{
	double v = of_255 / 255.0;

	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static struct rgb of_page(const char *colour)
{
	unsigned int rgb = (unsigned int)strtoul(colour + 1, NULL, 16);

	return (struct rgb){ linear(rgb >> 16), linear(rgb >> 8 & 255), linear(rgb & 255) };
}

static struct rgb of_terminal(unsigned int n)
{
	static const unsigned int step[] = { 0, 95, 135, 175, 215, 255 };

	if (n >= 232)
		return (struct rgb){ linear(8 + 10 * (n - 232)), linear(8 + 10 * (n - 232)),
				     linear(8 + 10 * (n - 232)) };
	n -= 16;
	return (struct rgb){ linear(step[n / 36]), linear(step[n / 6 % 6]), linear(step[n % 6]) };
}

/* Machado, Oliveira and Fernandes (2009), severity 1: all, protan, deutan, tritan. */
static const double eyes[][9] = {
	{ 1, 0, 0, 0, 1, 0, 0, 0, 1 },
	{ 0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998 },
	{ 0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881 },
	{ 1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900 },
};

static double clip(double v)
{
	return fmin(1, fmax(0, v));
}

static double curve(double v)
{
	return v > 0.008856 ? cbrt(v) : 7.787 * v + 16.0 / 116;
}

/* CIE L*a*b* of what such an eye sees. */
static struct rgb seen(struct rgb c, const double *m)
{
	double r = clip(m[0] * c.r + m[1] * c.g + m[2] * c.b);
	double g = clip(m[3] * c.r + m[4] * c.g + m[5] * c.b);
	double b = clip(m[6] * c.r + m[7] * c.g + m[8] * c.b);
	double x = curve((0.4125 * r + 0.3576 * g + 0.1804 * b) / 0.9505);
	double y = curve(0.2127 * r + 0.7152 * g + 0.0722 * b);
	double z = curve((0.0193 * r + 0.1192 * g + 0.9503 * b) / 1.0888);

	return (struct rgb){ 116 * y - 16, 500 * (x - y), 200 * (y - z) };
}

static double apart(struct rgb a, struct rgb b, const double *eye)
{
	a = seen(a, eye);
	b = seen(b, eye);
	return sqrt((a.r - b.r) * (a.r - b.r) + (a.g - b.g) * (a.g - b.g) + (a.b - b.b) * (a.b - b.b));
}

/* No two parts look alike to any eye: 14 in L*a*b*, of which 2.3 is just noticeable. */
TEST(parts_look_different)
{
	unsigned int i, k, eye;

	for (i = 0; i < NR_PART_KINDS; i++)
		for (k = 0; k < i; k++) {
			const struct part_kind *a = &part_kinds[i], *b = &part_kinds[k];

			assert_true(a->letter != b->letter);
			for (eye = 0; eye < sizeof(eyes) / sizeof(eyes[0]); eye++)
				if (apart(of_page(a->colour), of_page(b->colour), eyes[eye]) < 14 ||
				    apart(of_terminal(a->terminal), of_terminal(b->terminal), eyes[eye]) < 14)
					fail_msg("%s and %s look alike to eye %u", a->name, b->name, eye);
		}
}

UNIT_MAIN(NULL, NULL)
