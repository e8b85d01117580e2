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

#define HEAD		"cpu,time_ns,irq_ns,wake_ns,response_ns,verdict"
#define CHUNK		65536U
#define ROW_MAX		128U		/* five numbers of 20 digits, a verdict */

static const char *const verdicts[] = { "ok", "violation", "missed" };

/* What jitterplot reads: packed, in the order of this machine. */
struct raw {
	uint32_t cpu;
	uint64_t seconds, nanoseconds, us;
} __attribute__((packed));

static bool ends_with(const char *path, const char *suffix)
{
	size_t n = strlen(path), k = strlen(suffix);

	return n > k && !strcmp(path + n - k, suffix);
}

int sample_form_of(const char *path, enum sample_form *form)
{
	if (ends_with(path, ".zst") || ends_with(path, ".xz") || ends_with(path, ".bz2"))
		return fail(-EOPNOTSUPP, "--samples %s: unknown suffix: give .csv, .csv.gz, or .raw for jitterplot",
			    path);
	*form = ends_with(path, ".gz") ? SAMPLES_GZ : ends_with(path, ".raw") ? SAMPLES_RAW : SAMPLES_CSV;
#ifndef TLOB_ZLIB
	if (*form == SAMPLES_GZ)
		return fail(-EOPNOTSUPP, "--samples %s: this tlob-load was built without zlib: give .csv", path);
#endif
	return 0;
}

struct sink {
	int	 fd;
	enum sample_form form;
	uint64_t limit, period_ns;
	uint64_t size;			/* of the file, which is whole up to there but for its end */
	size_t	 n;			/* of the chunk */
	unsigned int rows;		/* in it */
	bool	 full;
	struct sample_counts *counts;
#ifdef TLOB_ZLIB
	z_stream z;
	uLong	 crc;
	uint32_t total;			/* bytes before compression, modulo 2^32 */
#endif
	char	 chunk[CHUNK];
	unsigned char out[CHUNK + CHUNK / 8];
};

/* The last block of a deflate stream without data, and the sums of gzip (RFC 1952). */
#define END_OF_GZ	10U

/* Room for the end is taken first, so a disk that is full leaves a whole file. */
static int append(struct sink *s, const void *data, size_t n, size_t reserve)
{
	const char *p = data;
	ssize_t done;
	int err = 0;

	if (s->size + n + reserve > s->limit)
		return -E2BIG;
	/* a pipe and some file systems cannot */
	if (fallocate(s->fd, 0, (off_t)s->size, (off_t)(n + reserve)) &&
	    (errno == ENOSPC || errno == EFBIG || errno == EDQUOT))
		return -errno;
	while (n && !err) {
		done = write(s->fd, p, n);
		if (done < 0 && errno != EINTR)
			err = -errno;
		if (done > 0) {
			p += done;
			n -= (size_t)done;
		}
	}
	if (err && lseek(s->fd, (off_t)s->size, SEEK_SET) < 0)
		return err;
	if (!err)
		s->size += (uint64_t)(p - (const char *)data);
	return err;
}

#ifdef TLOB_ZLIB
static int append_gz(struct sink *s)
{
	int err;

	s->z.next_in = (unsigned char *)s->chunk;
	s->z.avail_in = (unsigned int)s->n;
	s->z.next_out = s->out;
	s->z.avail_out = sizeof(s->out);
	/* to a whole byte, so that the end can follow each chunk */
	if (deflate(&s->z, Z_SYNC_FLUSH) != Z_OK || s->z.avail_in || !s->z.avail_out)
		return -EIO;
	err = append(s, s->out, sizeof(s->out) - s->z.avail_out, END_OF_GZ);
	if (!err) {
		s->crc = crc32(s->crc, (unsigned char *)s->chunk, (unsigned int)s->n);
		s->total += (uint32_t)s->n;
	}
	return err;
}

static int begin_gz(struct sink *s)
{
	static const unsigned char head[10] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3 };
	int err;

	if (deflateInit2(&s->z, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	s->crc = crc32(0, NULL, 0);
	err = append(s, head, sizeof(head), END_OF_GZ);
	if (err)
		deflateEnd(&s->z);
	return err;
}

static int end_gz(struct sink *s)
{
	unsigned char end[END_OF_GZ] = { 3, 0 };
	unsigned int i;

	deflateEnd(&s->z);
	for (i = 0; i < 4; i++) {
		end[2 + i] = (unsigned char)(s->crc >> 8 * i);
		end[6 + i] = (unsigned char)(s->total >> 8 * i);
	}
	return append(s, end, sizeof(end), 0);
}
#else
static int append_gz(struct sink *s)
{
	(void)s;
	return -EOPNOTSUPP;
}
#endif

/* Writes the chunk: whole, or not at all. Nothing follows one that does not fit. */
static void put_chunk(struct sink *s)
{
	int err = -E2BIG;

	if (!s->n)
		return;
	if (!s->full)
		err = s->form == SAMPLES_GZ ? append_gz(s) : append(s, s->chunk, s->n, 0);
	if (err && !s->full) {
		s->full = true;
		s->counts->error = err == -E2BIG ? 0 : err;
	}
	*(err ? &s->counts->left_out : &s->counts->written) += s->rows;
	s->n = 0;
	s->rows = 0;
}

static void put_row(struct sink *s, const struct sample *m, uint64_t t0, enum sample_verdict verdict)
{
	struct raw raw = {
		.cpu = m->cpu, .seconds = t0 / 1000000000, .nanoseconds = t0 % 1000000000,
		.us = m->wake_ns / 1000,
	};
	char *to;

	if (s->form == SAMPLES_RAW && verdict == SAMPLE_MISSED)
		return;
	if (s->n + ROW_MAX > sizeof(s->chunk))
		put_chunk(s);
	to = s->chunk + s->n;
	if (s->form == SAMPLES_RAW) {
		memcpy(to, &raw, sizeof(raw));
		s->n += sizeof(raw);
	} else if (verdict == SAMPLE_MISSED) {
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

void sample_convert(int from, int to, enum sample_form form, uint64_t limit, uint64_t period_ns,
		    struct sample_counts *counts)
{
	struct sink *s = calloc(1, sizeof(*s));
	int err = s ? 0 : -ENOMEM;

	if (s)
		*s = (struct sink){
			.fd = to, .form = form, .limit = limit, .period_ns = period_ns, .counts = counts,
		};
#ifdef TLOB_ZLIB
	if (!err && form == SAMPLES_GZ)
		err = begin_gz(s);
#endif
	if (!err && form != SAMPLES_RAW)
		s->n = (size_t)sprintf(s->chunk, HEAD "\n");
	if (s) {
		s->full = err;
		put_all(s, from);
		put_chunk(s);
	}
#ifdef TLOB_ZLIB
	if (!err && form == SAMPLES_GZ)
		keep_error(&counts->error, end_gz(s));
#endif
	/* what was taken for the end and not needed; a pipe has none */
	if (s && ftruncate(to, (off_t)s->size) && errno != EINVAL)
		keep_error(&counts->error, -errno);
	keep_error(&counts->error, err == -E2BIG ? 0 : err);
	free(s);
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

#ifdef TLOB_ZLIB
typedef gzFile stream;
#define stream_open(fd)		gzdopen(fd, "rb")
#define stream_line(f, b, n)	gzgets(f, b, n)
#define stream_close(f)		gzclose_r(f)	/* also says whether the file ends too early */
#else
typedef FILE *stream;
#define stream_open(fd)		fdopen(fd, "r")
#define stream_line(f, b, n)	fgets(b, n, f)
#define stream_close(f)		fclose(f)
#endif

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
			return fail(-EPROTO, "%s: line %lu is no sample: give a file of run --samples", path, at);
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
