// SPDX-License-Identifier: GPL-2.0
/* The file of --samples: rows, its limit, a full disk, and what is read back. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "read/samples.h"
#include "unit.h"

#define MANY	30000U

static struct sample sample_of(uint64_t k)
{
	return (struct sample){
		.t0_ns = 5000000000 + k * 1000000, .irq_ns = 500 + k % 7, .wake_ns = 3000 + k % 101,
		.response_ns = 90000 + k % 997, .cpu = (uint32_t)(k % 2),
		.verdict = k % 10 ? SAMPLE_OK : SAMPLE_VIOLATION,
	};
}

static int memory(void)
{
	int fd = memfd_create("unit", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* @n samples in memory. */
static int made(uint64_t n)
{
	int fd = memory();
	struct sample s;
	uint64_t k;

	for (k = 0; k < n; k++) {
		s = sample_of(k);
		assert_int_equal(write(fd, &s, sizeof(s)), sizeof(s));
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static uint64_t size_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (uint64_t)st.st_size;
}

/* All of the file, as text. */
static char *text_of(int fd)
{
	static char text[4 << 20];
	gzFile f;
	int n;

	lseek(fd, 0, SEEK_SET);
	f = gzdopen(dup(fd), "rb");
	n = gzread(f, text, sizeof(text) - 1);
	assert_true(n >= 0);
	text[n] = 0;
	assert_int_equal(gzclose_r(f), Z_OK);
	return text;
}

static void row(void *data, const struct sample *s)
{
	uint64_t *k = data;
	struct sample wanted = sample_of((*k)++);

	assert_memory_equal(s, &wanted, sizeof(wanted));
}

static void convert(int from, int to, bool gz, uint64_t limit, struct sample_counts *c)
{
	*c = (struct sample_counts){ 0 };
	sample_convert(from, to, gz, limit, 1000000, c);
	close(from);
}

/* A file is read as it was written, and a limit cuts off whole rows at its end. */
TEST(test_again)
{
	static const uint64_t limits[] = { UINT64_MAX, 500000, 70000, 4096 };
	struct sample_counts c;
	char path[32];
	size_t i, k;
	uint64_t n;
	int to;

	(void)state;
	for (i = 0; i < 2; i++)
		for (k = 0; k < ARRAY_SIZE(limits); k++) {
			to = memory();
			convert(made(MANY), to, i, limits[k], &c);
			assert_int_equal(c.written + c.left_out, MANY);
			assert_int_equal(c.error, 0);
			assert_int_equal(c.left_out > 0, size_of(to) + 70000 > limits[k] || !c.written);
			assert_true(size_of(to) <= limits[k]);
			n = 0;
			snprintf(path, sizeof(path), "/proc/self/fd/%d", to);
			if (c.written)
				assert_int_equal(sample_each(path, row, &n), 0);
			assert_int_equal(n, c.written);
			close(to);
		}
}

/* Compression is worth it, and the file is whole for other readers. */
TEST(test_compressed)
{
	struct sample_counts c;
	int plain = memory(), gz = memory();
	char *text;

	(void)state;
	convert(made(MANY), plain, false, UINT64_MAX, &c);
	convert(made(MANY), gz, true, UINT64_MAX, &c);
	assert_true(size_of(gz) * 2 < size_of(plain));
	text = strdup(text_of(plain));
	assert_string_equal(text, text_of(gz));
	free(text);
	close(plain);
	close(gz);
}

/* Missed expiries stand before the window that came late, each at its time. */
TEST(test_missed)
{
	struct sample s = { .t0_ns = 9000000, .wake_ns = 5, .response_ns = 7, .missed = 2, .no_irq = 1 };
	int from = memory(), to = memory();
	struct sample_counts c;

	(void)state;
	assert_int_equal(write(from, &s, sizeof(s)), sizeof(s));
	lseek(from, 0, SEEK_SET);
	convert(from, to, false, UINT64_MAX, &c);
	assert_string_equal(text_of(to), "cpu,time_ns,irq_ns,wake_ns,response_ns,verdict\n"
			    "0,7000000,,,,missed\n0,8000000,,,,missed\n0,9000000,,5,7,ok\n");
	assert_int_equal(c.written, 3);
	close(to);
}

/* As a full disk: the kernel refuses to make the file longer. Only the end of a gzip is missing. */
TEST(test_no_room)
{
	const struct rlimit small = { 100000, RLIM_INFINITY }, none = { RLIM_INFINITY, RLIM_INFINITY };
	char path[] = "/tmp/tlob-unit-XXXXXX";
	struct sample_counts c;
	uint64_t n;
	size_t i;
	int to, from;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "/tmp/tlob-unit-XXXXXX");
		to = mkstemp(path);
		assert_true(to >= 0);
		from = made(MANY);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
		convert(from, to, i, UINT64_MAX, &c);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
		assert_int_equal(c.error, -EFBIG);
		assert_true(c.written && c.left_out);
		assert_int_equal(c.written + c.left_out, MANY);
		n = 0;
		assert_int_equal(sample_each(path, row, &n), i ? -EPROTO : 0);
		assert_int_equal(n, c.written);
		close(to);
		unlink(path);
	}
}

TEST(test_parse)
{
	static const char *const bad[] = {
		"", "1", "1,2,3,4,5", "1,2,3,4,5,", "1,2,3,4,5,OK", "1,2,3,4,5,ok ", ",2,3,4,5,ok", "1,,3,4,5,ok",
		"1,2,3,5,4,ok", "1,2,3,,5,ok", "1,2,,,,ok", "1,2,3,4,5,missed", "-1,2,3,4,5,ok", "1,2,3,4,5.0,ok",
		"4294967295,2,3,4,5,ok", "1,18446744073709551616,3,4,5,ok", " 1,2,3,4,5,ok", "1,2,3,4,5,ok,",
	};
	struct sample s;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (sample_parse(bad[i], &s))
			fail_msg("%s", bad[i]);
	assert_true(sample_parse("1,2,3,4,5,violation", &s));
	assert_int_equal(s.verdict, SAMPLE_VIOLATION);
	assert_true(sample_parse("1,18446744073709551615,,4,5,ok", &s));
	assert_true(s.no_irq);
	assert_true(sample_parse("1,2,,,,missed", &s));
}

TEST(test_forms)
{
	bool gz;

	(void)state;
	assert_int_equal(sample_is_gz("a.csv", &gz), 0);
	assert_false(gz);
	assert_int_equal(sample_is_gz("a.csv.gz", &gz), 0);
	assert_true(gz);
	assert_int_equal(sample_is_gz("gz", &gz), 0);
	assert_false(gz);
	assert_int_equal(sample_is_gz("a.csv.zst", &gz), -EOPNOTSUPP);
}

UNIT_MAIN(NULL, NULL)
