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
#define stream_write(f, b, n) \
	(gzwrite(f, b, (unsigned int)(n)) == (int)(n) && gzflush(f, Z_SYNC_FLUSH) == Z_OK)
#define stream_size(f)		gzoffset(f)
#define stream_close(f)		gzclose(f)
#else
typedef FILE *stream;
#define stream_create(fd, gz)	((void)(gz), fdopen(fd, "w"))
#define stream_write(f, b, n)	(fwrite(b, 1, n, f) == (n) && !fflush(f))
#define stream_size(f)		ftello(f)
#define stream_close(f)		fclose(f)
#endif

#define CHUNK		65536U
#define FRAME		64U		/* what gzip adds to a chunk that it cannot compress, and at the end */

const char *const sample_verdicts[] = { "ok", "violation", "missed" };

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

	if (s->n + SAMPLE_ROW > sizeof(s->chunk))
		put_chunk(s);
	to = s->chunk + s->n;
	if (verdict == SAMPLE_MISSED) {
		s->n += (size_t)sprintf(to, "%" PRIu32 ",%" PRIu64 ",,,,%s\n", m->cpu, t0, sample_verdicts[verdict]);
	} else {
		s->n += (size_t)sprintf(to, "%" PRIu32 ",%" PRIu64 ",", m->cpu, t0);
		if (!m->no_irq)
			s->n += (size_t)sprintf(s->chunk + s->n, "%" PRIu64, m->irq_ns);
		s->n += (size_t)sprintf(s->chunk + s->n, ",%" PRIu64 ",%" PRIu64 ",%s\n", m->wake_ns,
					m->response_ns, sample_verdicts[verdict]);
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
	s.n = (size_t)sprintf(s.chunk, SAMPLE_HEAD "\n");
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
