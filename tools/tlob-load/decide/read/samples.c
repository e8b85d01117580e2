// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TLOB_ZLIB
#include <zlib.h>
#endif

#include "read/samples.h"
#include "util/error.h"
#include "util/file.h"
#include "util/text.h"

#ifdef TLOB_ZLIB
typedef gzFile stream;
#define stream_open(fd)		gzdopen(fd, "rb")
#define stream_line(f, b, n)	gzgets(f, b, n)
#define stream_close(f)		gzclose(f)	/* also says whether it ends too early */
#else
typedef FILE *stream;
#define stream_open(fd)		fdopen(fd, "r")
#define stream_line(f, b, n)	fgets(b, n, f)
#define stream_close(f)		fclose(f)
#endif

/* A number, and what ends it. @empty: there is none. */
static bool number(const char **p, char end, uint64_t *n, bool *empty)
{
	const char *s = *p;

	*empty = *s == end;
	for (*n = 0; *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(*n, 10, n) || __builtin_add_overflow(*n, *s - '0', n))
			return false;
	if (*s != end)
		return false;
	*p = s + 1;
	return true;
}

bool sample_parse(const char *line, struct sample *s)
{
	uint64_t n[5];
	bool empty[5];
	unsigned int i;

	for (i = 0; i < 5; i++)
		if (!number(&line, ',', &n[i], &empty[i]))
			return false;
	if (empty[0] || empty[1] || n[0] > INT32_MAX)
		return false;
	*s = (struct sample){
		.cpu = (uint32_t)n[0], .t0_ns = n[1], .irq_ns = n[2], .wake_ns = n[3], .response_ns = n[4],
		.no_irq = empty[2],
	};
	for (i = 0; i < 3 && strcmp(line, sample_verdicts[i]); i++)
		;
	s->verdict = (uint8_t)i;
	/* a missed expiry has no times, and each window has a wake-up and a response */
	if (i == SAMPLE_MISSED)
		return empty[2] && empty[3] && empty[4];
	return i < 3 && !empty[3] && !empty[4] && n[3] <= n[4];
}

static int read_rows(stream f, const char *path, void (*row)(void *data, const struct sample *s), void *data)
{
	char line[2 * SAMPLE_ROW];
	unsigned long at = 0;
	struct sample s;

	while (stream_line(f, line, sizeof(line))) {
		size_t n = strcspn(line, "\n");
		bool whole = line[n];

		line[n] = 0;
		if (at && !whole && !sample_parse(line, &s))
			return fail(-EPROTO, "%s is cut short, or damaged", path);
		if (!at++ ? strcmp(line, SAMPLE_HEAD) : !sample_parse(line, &s))
			return fail(-EPROTO, "%s: line %lu is not a sample: give a file of run --samples", path, at);
		if (at > 1)
			row(data, &s);
	}
	return at ? 0 : fail(-EPROTO, "%s is empty: give a file of run --samples", path);
}

int sample_each(const char *path, void (*row)(void *data, const struct sample *s), void *data)
{
	int fd = file_open_regular(path), err;
	stream f = NULL;

	if (fd >= 0)
		f = stream_open(fd);
	if (fd < 0 || !f)
		return fail(fd < 0 ? fd : -ENOMEM, "%s: %s", path, fd == -EINVAL ? "not a regular file, or empty" :
			    strerror(fd < 0 ? -fd : ENOMEM));
	err = read_rows(f, path, row, data);
	if (stream_close(f) && !err)
		err = fail(-EPROTO, "%s is cut short, or damaged", path);
	return err;
}

static void find_range(void *data, const struct sample *s)
{
	struct samples_plot *p = data;

	if (!p->rows++ || s->t0_ns < p->begin_ns)
		p->begin_ns = s->t0_ns;
	if (s->t0_ns > p->end_ns)
		p->end_ns = s->t0_ns;
}

static struct samples_cpu *cpu_of(struct samples_plot *p, uint32_t cpu)
{
	struct samples_cpu **at, *new;
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->at[i]->cpu == cpu)
			return p->at[i];
	if (p->n == SAMPLES_CPUS) {
		p->err = -E2BIG;
		return NULL;
	}
	at = reallocarray(p->at, p->n + 1, sizeof(struct samples_cpu *));
	new = calloc(1, sizeof(*new));
	if (at)
		p->at = at;
	if (!at || !new) {
		free(new);
		p->err = -ENOMEM;
		return NULL;
	}
	new->cpu = cpu;
	p->at[p->n++] = new;
	return new;
}

static void add(void *data, const struct sample *s)
{
	struct samples_plot *p = data;
	/* the file may have grown since */
	uint64_t range = p->end_ns - p->begin_ns + 1, since = s->t0_ns - p->begin_ns;
	struct samples_cpu *c = p->err || since >= range ? NULL : cpu_of(p, s->cpu);
	const uint64_t ns[2] = { s->wake_ns, s->response_ns };
	struct samples_step *step;
	unsigned int i;

	if (!c)
		return;
	step = &c->step[(unsigned int)((double)since / (double)range * SAMPLES_STEPS) % SAMPLES_STEPS];
	step->missed += s->verdict == SAMPLE_MISSED;
	step->violations += s->verdict == SAMPLE_VIOLATION;
	if (s->verdict == SAMPLE_MISSED)
		return;
	for (i = 0; i < 2; i++) {
		if (!step->windows || ns[i] < step->min_ns[i])
			step->min_ns[i] = ns[i];
		if (ns[i] > step->max_ns[i])
			step->max_ns[i] = ns[i];
	}
	step->windows++;
}

static int by_number(const void *a, const void *b)
{
	const struct samples_cpu *x = *(struct samples_cpu *const *)a, *y = *(struct samples_cpu *const *)b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

int samples_plot_read(struct samples_plot *p, const char *path)
{
	int err;

	*p = (struct samples_plot){ .name = without_folders(path) };
	err = sample_each(path, find_range, p);
	if (!err && !p->rows)
		err = fail(-ENODATA, "%s has no sample", path);
	if (!err)
		err = sample_each(path, add, p);
	if (!err && p->err)
		err = fail(p->err, "%s: %s", path, p->err == -E2BIG ? "too many CPUs" : "out of memory");
	if (p->n)
		qsort(p->at, p->n, sizeof(struct samples_cpu *), by_number);
	return err;
}

void samples_plot_free(struct samples_plot *p)
{
	while (p->n)
		free(p->at[--p->n]);
	free(p->at);
	*p = (struct samples_plot){ 0 };
}
