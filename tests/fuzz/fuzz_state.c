// SPDX-License-Identifier: GPL-2.0
/*
 * The state file, whose values root writes into other files. knobs.c reads the input in its
 * place. What was read, written and read again is the same. A file that was cut is refused,
 * since a number without its last digits is another number.
 */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "machine/osnoise.h"
#include "util/file.h"

static const char *state_text;

/* Nothing else uses osnoise. */
bool osnoise_user(char *who, size_t size)
{
	(void)who;
	(void)size;
	return false;
}

static int fuzz_file_read(const char *path, char **text)
{
	if (strcmp(path, "state"))
		return -ENOENT;
	*text = strdup(state_text);
	return *text ? 0 : -ENOMEM;
}

/* A file without a name in place of one with a name. */
static int fuzz_open(const char *path)
{
	CHECK(!strcmp(path, "state") || !strcmp(path, "state.new"));
	return memfd_create("state", MFD_CLOEXEC);
}

static int fuzz_unlink(const char *path)
{
	(void)path;
	return 0;
}

#define file_read fuzz_file_read
#define open(path, flags, mode) ((void)(flags), fuzz_open(path))
#define fsync(fd) 0
#define rename(from, to) 0
#define unlink(path) fuzz_unlink(path)
#include "machine/knobs.c"
#undef open

static bool same(const struct knobs *a, const struct knobs *b)
{
	size_t i;

	if (a->n != b->n)
		return false;
	for (i = 0; i < a->n; i++) {
		const struct knob *x = &a->at[i], *y = &b->at[i];

		if (x->kind != y->kind || strcmp(x->path, y->path) ||
		    !x->saved != !y->saved ||
		    (x->saved && strcmp(x->saved, y->saved)))
			return false;
	}
	return true;
}

static int parse(struct knobs *k, const char *text, int *pid)
{
	struct state s;
	int err;

	*k = (struct knobs){ .fd = -1, .state = "state" };
	state_text = text;
	err = state_read(k, &s);
	*pid = s.pid;
	return err;
}

/* The caller frees the text. */
static char *write_again(struct knobs *k)
{
	struct stat st;
	char *text;

	CHECK(!state_write(k));
	CHECK(!fstat(k->fd, &st));
	text = malloc((size_t)st.st_size + 1);
	CHECK(text && pread(k->fd, text, (size_t)st.st_size, 0) == st.st_size);
	text[st.st_size] = '\0';
	return text;
}

static void check_cut(const char *text)
{
	char *cut = strdup(text);
	size_t n = strlen(text);
	struct knobs k;
	int pid;

	CHECK(cut);
	while (--n) {
		cut[n] = '\0';
		if (cut[n - 1] != '\n')
			CHECK(parse(&k, cut, &pid) == -EINVAL);
		else
			parse(&k, cut, &pid);
		knobs_close(&k);
	}
	free(cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *again;
	struct knobs k, l;
	size_t i;
	int pid, pid2, err;

	err = parse(&k, text, &pid);
	CHECK(!err || err == -EINVAL || err == -EPROTO);
	if (!err && *text) {
		CHECK(pid > 0);
		for (i = 0; i < k.n; i++) {
			CHECK(k.at[i].path[0] == '/');
			CHECK(knob_is_directory(&k.at[i]) == !k.at[i].saved);
		}
		again = write_again(&k);
		CHECK(!parse(&l, again, &pid2));
		CHECK(pid2 == getpid() && same(&k, &l));
		knobs_close(&l);
		if (strlen(again) < 512)
			check_cut(again);
		free(again);
	}
	knobs_close(&k);
	free(text);
	return 0;
}
