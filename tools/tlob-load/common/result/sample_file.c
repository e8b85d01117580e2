// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef TLOB_ZLIB
#include <zlib.h>
#endif

#include "result/sample_file.h"
#include "util/error.h"
#include "util/file.h"

#ifdef TLOB_ZLIB
typedef gzFile stream;
#define stream_create(fd, gz)	gzdopen(fd, (gz) ? "wb1" : "wbT")	/* T: as it is */
#define stream_open(fd)		gzdopen(fd, "rb")
#define stream_line(f, b, n)	gzgets(f, b, n)
#define stream_write(f, b, n) \
	(gzwrite(f, b, (unsigned int)(n)) == (int)(n) && gzflush(f, Z_SYNC_FLUSH) == Z_OK)
#define stream_size(f)		gzoffset(f)
#define stream_close(f)		gzclose(f)	/* also says whether what was read ends too early */
#else
typedef FILE *stream;
#define stream_create(fd, gz)	((void)(gz), fdopen(fd, "w"))
#define stream_open(fd)		fdopen(fd, "r")
#define stream_line(f, b, n)	fgets(b, n, f)
#define stream_write(f, b, n)	(fwrite(b, 1, n, f) == (n) && !fflush(f))
#define stream_size(f)		ftello(f)
#define stream_close(f)		fclose(f)
#endif

#define HEAD		"cpu,time_ns,irq_ns,wake_ns,response_ns,verdict"
#define CHUNK		65536U
#define ROW_MAX		128U		/* five numbers of 20 digits, a verdict */
#define FRAME		64U		/* what gzip adds to a chunk that it cannot compress, and at the end */

static const char *const verdicts[] = { "ok", "violation", "missed" };

static bool ends_with(const char *path, const char *suffix)
{
	size_t n = strlen(path), k = strlen(suffix);

	return n > k && !strcmp(path + n - k, suffix);
}

int sample_is_gz(const char *path, bool *gz)
{
	if (ends_with(path, ".zst") || ends_with(path, ".xz") || ends_with(path, ".bz2"))
		return fail(-EOPNOTSUPP, "--samples %s: unknown suffix: give .csv or .csv.gz", path);
	*gz = ends_with(path, ".gz");
#ifndef TLOB_ZLIB
	if (*gz)
		return fail(-EOPNOTSUPP, "--samples %s: this tlob-load was built without zlib: give .csv", path);
#endif
	return 0;
}

struct sink {
	stream	 f;
	uint64_t limit, period_ns;
	uint64_t size;			/* of the file, up to the last chunk */
	size_t	 n;			/* of the chunk */
	unsigned int rows;		/* in it */
	bool	 full;
	struct sample_counts *counts;
	char	 chunk[CHUNK];
};

static int error_of_write(void)
{
	return errno ? -errno : -EIO;
}

/* Each chunk is flushed, so its rows can be read whatever happens to what follows. */
static int write_chunk(struct sink *s)
{
	off_t size;

	errno = 0;
	if (!stream_write(s->f, s->chunk, s->n))
		return error_of_write();
	size = stream_size(s->f);
	/* a pipe has no size */
	s->size = size < 0 ? s->size + s->n : (uint64_t)size;
	return 0;
}

/* Nothing follows a chunk that does not fit. */
static void put_chunk(struct sink *s)
{
	if (!s->full && s->size + s->n + FRAME > s->limit) {
		s->full = true;
	} else if (!s->full) {
		s->counts->error = write_chunk(s);
		s->full = s->counts->error;
	}
	*(s->full ? &s->counts->left_out : &s->counts->written) += s->rows;
	s->n = 0;
	s->rows = 0;
}

static void put_row(struct sink *s, const struct sample *m, uint64_t t0, enum sample_verdict verdict)
{
	char *to;

	if (s->n + ROW_MAX > sizeof(s->chunk))
		put_chunk(s);
	to = s->chunk + s->n;
	if (verdict == SAMPLE_MISSED) {
		s->n += (size_t)sprintf(to, "%" PRIu32 ",%" PRIu64 ",,,,%s\n", m->cpu, t0, verdicts[verdict]);
	} else {
		s->n += (size_t)sprintf(to, "%" PRIu32 ",%" PRIu64 ",", m->cpu, t0);
		if (!m->no_irq)
			s->n += (size_t)sprintf(s->chunk + s->n, "%" PRIu64, m->irq_ns);
		s->n += (size_t)sprintf(s->chunk + s->n, ",%" PRIu64 ",%" PRIu64 ",%s\n", m->wake_ns,
					m->response_ns, verdicts[verdict]);
	}
	s->rows++;
}

static void put_sample(struct sink *s, const struct sample *m)
{
	uint64_t k;

	for (k = m->missed; k; k--) {
		if (s->full && k > 1000) {	/* only to be counted */
			s->counts->left_out += k;
			break;
		}
		put_row(s, m, m->t0_ns - k * s->period_ns, SAMPLE_MISSED);
	}
	put_row(s, m, m->t0_ns, m->verdict);
}

static void put_all(struct sink *s, int from)
{
	struct sample in[64];
	size_t have = 0, i;
	ssize_t n;

	for (;;) {
		n = read(from, (char *)in + have, sizeof(in) - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		have += (size_t)n;
		for (i = 0; (i + 1) * sizeof(in[0]) <= have; i++)
			put_sample(s, &in[i]);
		have -= i * sizeof(in[0]);
		memmove(in, &in[i], have);
	}
}

void sample_convert(int from, int to, bool gz, uint64_t limit, uint64_t period_ns,
		    struct sample_counts *counts)
{
	int own = fcntl(to, F_DUPFD_CLOEXEC, 0);
	struct sink s = {
		.f = own < 0 ? NULL : stream_create(own, gz), .limit = limit, .period_ns = period_ns,
		.counts = counts,
	};

	if (!s.f) {
		s.full = true;
		counts->error = error_of_write();
	}
	s.n = (size_t)sprintf(s.chunk, HEAD "\n");
	put_all(&s, from);
	put_chunk(&s);
	errno = 0;
	if (s.f && stream_close(s.f))
		keep_error(&counts->error, error_of_write());
	else if (!s.f && own >= 0)
		close(own);
	/* a piece of a chunk was not counted */
	if (counts->error && ftruncate(to, (off_t)s.size) && errno != EINVAL)
		keep_error(&counts->error, -errno);
}

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
	for (i = 0; i < 3 && strcmp(line, verdicts[i]); i++)
		;
	s->verdict = (uint8_t)i;
	/* a missed expiry has no times, and each window has a wake-up and a response */
	if (i == SAMPLE_MISSED)
		return empty[2] && empty[3] && empty[4];
	return i < 3 && !empty[3] && !empty[4] && n[3] <= n[4];
}

static int read_rows(stream f, const char *path, void (*row)(void *data, const struct sample *s), void *data)
{
	char line[2 * ROW_MAX];
	unsigned long at = 0;
	struct sample s;

	while (stream_line(f, line, sizeof(line))) {
		size_t n = strcspn(line, "\n");
		bool whole = line[n];

		line[n] = 0;
		if (at && !whole && !sample_parse(line, &s))
			return fail(-EPROTO, "%s is cut short, or damaged", path);
		if (!at++ ? strcmp(line, HEAD) : !sample_parse(line, &s))
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
