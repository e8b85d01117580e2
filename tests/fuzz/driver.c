// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a fuzz target without libFuzzer: gcc is enough.
 *
 *	fuzz_X [-n RUNS | -t SECONDS] [-s SEED] [-d DICTIONARY] [-a FILE] [FILE | DIRECTORY]...
 *
 * The files, and those in the directories, are run first. Without -n or -t the driver ends
 * there, which repeats a failure. Otherwise it changes inputs at random (bits, bytes, tokens of
 * the dictionary, splices) and runs the results. It keeps an input that reaches new code, as
 * gcc's -fsanitize-coverage=trace-pc reports, and changes it further. RUNS changed inputs are
 * the same ones each time, on any machine with the same program. -t is for long fuzzing.
 *
 * The target runs in a child. Its input lies in shared memory: when the child dies or hangs,
 * the parent still has the input and saves it as FILE of -a.
 *
 * Exit: 0 all passed; 1 a property failed, a crash, a hang or a leak; 129 usage.
 */
#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define INPUT_SIZE	4096
#define INPUTS	8192
#define TOKENS	256
#define MAP_SIZE	(1U << 16)
#define HANG_SECONDS	20		/* of its own CPU time, for one input */
#define ASLEEP_SECONDS	600		/* on the clock: an input that waits uses no CPU time */

struct input {
	uint8_t *data;
	size_t size;
};

static struct shared {
	_Atomic uint64_t runs;
	_Atomic uint64_t kept;
	_Atomic bool done;		/* every input has been run */
	_Atomic size_t size;
	uint8_t input[INPUT_SIZE];
} *shared;

static struct input inputs[INPUTS];
static size_t ninputs;
static struct input tokens[TOKENS];
static size_t ntokens;
static uint64_t seed = 1;

/* Edges that any run has passed, and edges of this run. */
static uint8_t seen[MAP_SIZE];
static uint8_t edge[MAP_SIZE];
static uint32_t touched[MAP_SIZE];
static size_t ntouched;
static uintptr_t last_pc;

extern const char __ehdr_start[];	/* of the program */

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
	/* edges have the same numbers in each run */
	uintptr_t pc = (uintptr_t)__builtin_return_address(0) - (uintptr_t)__ehdr_start;
	uint32_t i = (uint32_t)((pc * 0x9e3779b97f4a7c15ULL) >> 40) ^
		     (uint32_t)last_pc;

	i %= MAP_SIZE;
	last_pc = (pc * 0x9e3779b97f4a7c15ULL) >> 45;
	if (!edge[i])
		touched[ntouched++] = i;
	if (edge[i] < 255)
		edge[i]++;
}

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed * 0x2545f4914f6cdd1dULL;
}

static size_t below(size_t n)
{
	return (next_random() >> 32) % n;
}

static _Noreturn void die(const char *what, const char *name)
{
	fprintf(stderr, "fuzz: %s: %s\n", name, what);
	exit(1);
}

static void *copy(const void *data, size_t size)
{
	void *new = calloc(1, size ? size : 1);

	if (!new)
		die("out of memory", "input");
	if (size)
		memcpy(new, data, size);
	return new;
}

static void keep(const uint8_t *data, size_t size)
{
	if (ninputs == INPUTS)
		return;
	inputs[ninputs].data = copy(data, size);
	inputs[ninputs++].size = size;
}

/* A count in powers of two, so that one more turn of a loop is not new. */
static uint8_t count_bit(uint8_t n)
{
	unsigned int bit = 0;

	while (n >>= 1)
		bit++;
	return (uint8_t)(1U << bit);
}

/* Runs the input in @shared. True if it has reached something new. */
static bool run(void)
{
	bool new = false;
	/* in memory of exactly its size, so that ASan sees a read past the end */
	uint8_t *data = copy(shared->input, shared->size);
	size_t i;

	last_pc = 0;
	LLVMFuzzerTestOneInput(data, shared->size);
	free(data);
	shared->runs++;
	for (i = 0; i < ntouched; i++) {
		uint8_t bit = count_bit(edge[touched[i]]);

		if (!(seen[touched[i]] & bit)) {
			seen[touched[i]] |= bit;
			new = true;
		}
		edge[touched[i]] = 0;
	}
	ntouched = 0;
	return new;
}

static void insert(size_t at, const uint8_t *data, size_t size)
{
	uint8_t *in = shared->input;

	if (shared->size + size > INPUT_SIZE)
		return;
	memmove(in + at + size, in + at, shared->size - at);
	memcpy(in + at, data, size);
	shared->size += size;
}

static void erase(size_t at, size_t size)
{
	memmove(shared->input + at, shared->input + at + size,
		shared->size - at - size);
	shared->size -= size;
}

/* Numbers at limits. */
static void insert_number(size_t at)
{
	static const uint64_t edges[] = {
		0, 1, 9, 10, 63, 64, 99, 100, 127, 128, 1023, 1024, 4095, 4096,
		1000000, INT32_MAX, UINT32_MAX, 1ULL << 32, 1000000000000ULL,
		3600000000000ULL, INT64_MAX, 1ULL << 63, UINT64_MAX,
	};
	uint64_t v = edges[below(sizeof(edges) / sizeof(edges[0]))];
	char text[24];
	int n;

	v += below(3);
	v -= 1;
	n = snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
	insert(at, (uint8_t *)text, (size_t)n);
}

static void mutate_once(void)
{
	uint8_t *in = shared->input, byte;
	size_t size = shared->size, at = below(size + 1), n;
	const struct input *other;

	switch (below(10)) {
	case 0:
		if (at < size)
			in[at] ^= 1U << below(8);
		break;
	case 1:
		if (at < size)
			in[at] = (uint8_t)next_random();
		break;
	case 2:
		byte = (uint8_t)(' ' + below(95));
		insert(at, &byte, 1);
		break;
	case 3:
		if (at < size)
			erase(at, 1 + below(size - at));
		break;
	case 4:		/* a piece repeated elsewhere */
		if (at < size) {
			uint8_t piece[64];

			n = 1 + below(size - at);
			if (n > sizeof(piece))
				n = sizeof(piece);
			memcpy(piece, in + at, n);
			insert(below(size + 1), piece, n);
		}
		break;
	case 5:		/* the head of this and the tail of another */
		other = &inputs[below(ninputs)];
		n = below(other->size + 1);
		erase(at, size - at);
		insert(at, other->data + n, other->size - n);
		break;
	case 6:
	case 7:
		if (ntokens) {
			other = &tokens[below(ntokens)];
			insert(at, other->data, other->size);
		}
		break;
	case 8:
		insert_number(at);
		break;
	case 9:		/* many bytes of the inputs are digits */
		for (n = 0; n < size && !(in[at % size] >= '0' && in[at % size] <= '9'); n++)
			at++;
		if (size)
			in[at % size] = (uint8_t)('0' + below(10));
		break;
	}
}

static void mutate(void)
{
	/* the newest are the least explored */
	const struct input *from = below(2) ? &inputs[below(ninputs)] :
				   &inputs[ninputs - 1 - below((ninputs + 3) / 4)];
	size_t n = 1 + below(below(4) ? 4 : 16);

	memcpy(shared->input, from->data, from->size);
	shared->size = from->size;
	while (n--)
		mutate_once();
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* The CPU time that @pid has used. 0 if it has ended. */
static double cpu_time(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		return 0;
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void fuzz(uint64_t runs, double seconds)
{
	double end = now() + seconds;
	size_t i, given = ninputs;
	uint64_t n;

	for (i = 0; i < given; i++) {
		memcpy(shared->input, inputs[i].data, inputs[i].size);
		shared->size = inputs[i].size;
		run();
	}
	/* reading the clock takes longer than many inputs do */
	for (n = 0; n < runs || (seconds > 0 && (n % 64 || now() < end)); n++) {
		mutate();
		if (run())
			keep(shared->input, shared->size);
	}
	shared->kept = ninputs - given;
	shared->done = true;
}

static void read_input(const char *path)
{
	uint8_t data[INPUT_SIZE];
	FILE *f = fopen(path, "re");
	size_t size;

	if (!f)
		die(strerror(errno), path);
	size = fread(data, 1, sizeof(data), f);
	if (ferror(f))
		die("cannot be read", path);
	fclose(f);
	keep(data, size);
}

static int no_dot(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* In the order of their names, so that a run can be repeated. */
static void read_inputs(const char *path)
{
	struct dirent **names;
	char file[4096];
	int i, n = scandir(path, &names, no_dot, alphasort);

	if (n < 0 && errno == ENOTDIR) {
		read_input(path);
		return;
	}
	if (n < 0)
		die(strerror(errno), path);
	for (i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
		read_input(file);
		free(names[i]);
	}
	free(names);
}

/* Two hexadecimal digits, or -1. */
static int hex_byte(const char *s)
{
	const char digits[3] = { s[0], s[0] ? s[1] : '\0', '\0' };
	char *end;
	long v = strtol(digits, &end, 16);

	return end == digits + 2 ? (int)v : -1;
}

/* Decodes the token behind the quote at @p in place, and adds it. */
static void add_token(char *p)
{
	char *start = p, *to = p;

	for (; *p && *p != '"'; p++) {
		int byte = p[0] == '\\' && p[1] == 'x' ? hex_byte(p + 2) : -1;

		if (byte >= 0) {
			*to++ = (char)byte;
			p += 3;
			continue;
		}
		if (*p == '\\' && p[1])
			p++;
		*to++ = *p;
	}
	tokens[ntokens].size = (size_t)(to - start);
	tokens[ntokens++].data = copy(start, (size_t)(to - start));
}

/* libFuzzer's format: one "token" a line with \\ \" \xNN; # begins a comment. */
static void read_dictionary(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[256], *quote;

	if (!f)
		die(strerror(errno), path);
	while (fgets(line, sizeof(line), f) && ntokens < TOKENS) {
		quote = strchr(line, '"');
		if (line[0] != '#' && quote)
			add_token(quote + 1);
	}
	fclose(f);
}

static bool save(const char *path)
{
	FILE *f = fopen(path, "we");
	bool saved;

	if (!f)
		return false;
	saved = fwrite(shared->input, 1, shared->size, f) == shared->size;
	return !fclose(f) && saved;
}

/*
 * Waits for the child. It hangs when one input takes too much of its CPU time. A slow, busy or
 * stopped machine does not change that.
 */
static int wait_for(pid_t child, bool *hung)
{
	uint64_t runs = shared->runs;
	double since = now(), used = cpu_time(child);
	int status;

	for (;;) {
		const struct timespec nap = { .tv_nsec = 20000000L };

		if (waitpid(child, &status, WNOHANG) == child)
			return status;
		if (shared->runs != runs) {
			runs = shared->runs;
			since = now();
			used = cpu_time(child);
		} else if (!*hung && (cpu_time(child) - used > HANG_SECONDS ||
				      now() - since > ASLEEP_SECONDS)) {
			*hung = true;
			kill(child, SIGKILL);
		}
		nanosleep(&nap, NULL);
	}
}

int main(int argc, char **argv)
{
	const char *artifact = NULL, *name = argv[0];
	uint64_t first_seed, runs = 0;
	struct rusage usage;
	double seconds = 0;
	bool hung = false;
	int c, status;
	pid_t child;

	while ((c = getopt(argc, argv, "n:t:s:d:a:")) != -1) {
		switch (c) {
		case 'n':
			runs = strtoull(optarg, NULL, 10);
			break;
		case 't':
			seconds = strtod(optarg, NULL);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 10);
			break;
		case 'd':
			read_dictionary(optarg);
			break;
		case 'a':
			artifact = optarg;
			break;
		default:
			fprintf(stderr, "usage: %s [-n RUNS | -t SECONDS] [-s SEED] [-d DICTIONARY] [-a FILE] [FILE | DIRECTORY]...\n",
				name);
			return 129;
		}
	}
	first_seed = seed;
	if (!seed)
		seed = ~0ULL;		/* 0 would stay 0 */
	for (; optind < argc; optind++)
		read_inputs(argv[optind]);
	if (!ninputs)
		keep((const uint8_t *)"", 0);

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die(strerror(errno), "mmap");
	fflush(NULL);
	child = fork();
	if (child < 0)
		die(strerror(errno), "fork");
	if (!child) {
		fuzz(runs, seconds);
		exit(0);
	}
	status = wait_for(child, &hung);
	getrusage(RUSAGE_CHILDREN, &usage);
	printf("# %llu executions in %.1f CPU s, seed %llu, %zu inputs given, %llu found\n",
	       (unsigned long long)shared->runs,
	       (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6,
	       (unsigned long long)first_seed, ninputs,
	       (unsigned long long)shared->kept);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	if (hung)
		printf("# it hangs\n");
	if (shared->done) {
		printf("# memory leaks, see above; the input is not known\n");
	} else if (!artifact) {
		printf("# failed\n");
	} else if (save(artifact)) {
		printf("# the input is in %s; to repeat: %s %s\n", artifact,
		       name, artifact);
	} else {
		printf("# the input cannot be saved in %s\n", artifact);
	}
	return 1;
}
