// SPDX-License-Identifier: GPL-2.0
/* Loads and attaches the BPF programs of bpf/split.bpf.c, which are a part of the tool. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "backend/bpf.h"
#include "backend/bpf/shared.h"
#include "machine/bpf_irqs.h"
#include "machine/bpf_load.h"
#include "machine/bpf_steal.h"
#include "machine/rights.h"
#include "util/error.h"
#include "util/signals.h"

#define INTRODUCE	"introduce"
#define ASK_STEAL	"ask_steal"

extern const char tlob_bpf_object[], tlob_bpf_object_end[];
BPF_EMBED(tlob_bpf_object, TLOB_BPF_OBJECT);
extern const char tlob_bpf_older[], tlob_bpf_older_end[];
BPF_EMBED(tlob_bpf_older, TLOB_BPF_OLDER_OBJECT);

/* Attached by hand, or not at all: its name is not that of its tracepoint. */
static bool has_no_place(const char *name)
{
	return !strcmp(name, INTRODUCE) || !strcmp(name, ASK_STEAL) || bpf_irqs_has(name);
}

/* Leaves out what this kernel has no tracepoint for. */
static int choose_programs(struct bpf *bpf)
{
	struct bpf_program *p;
	int err = bpf_irqs_choose(bpf->object, &bpf->irqs);

	bpf_object__for_each_program(p, bpf->object) {
		const char *name = bpf_program__name(p);

		if (!has_no_place(name) && !bpf_has_tracepoint(name))
			bpf_program__set_autoload(p, false);
	}
	return err;
}

static uint32_t both_phases(enum tlob_noise_kind kind)
{
	return 1U << (TLOB_WAKE_IRQ + kind) | 1U << (TLOB_WORK_IRQ + kind);
}

static void note_unavailable(struct bpf *bpf)
{
	unsigned int kind;

	bpf->unavailable = 0;
	for (kind = 0; kind < TLOB_NR_NOISE; kind++)
		if (bpf->irqs.lacking & 1U << kind)
			bpf->unavailable |= both_phases(kind);
}

static void find_variables(struct bpf *bpf)
{
	bpf->with = (struct tlob_cell_with){
		.tracks = bpf->ntracks, .calls = bpf->ncalls,
		.steal = bpf_find_steal(), .irq_regs = bpf_find_irq_regs(),
		.look_again = bpf->irqs.look_again,
	};
}

static int map_cells(struct bpf *bpf)
{
	struct bpf_map *map = bpf_object__find_map_by_name(bpf->object, ".bss");
	size_t size = sizeof(*bpf->cells) * TLOB_CELL_CPUS;

	if (!map || bpf_map__value_size(map) < size)
		return -EPROTO;
	bpf->cells = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
			  bpf_map__fd(map), 0);
	return bpf->cells == MAP_FAILED ? -errno : 0;
}

/*
 * Maps @n elements of the array @name, each of @size bytes, a multiple of 8. *@to is
 * MAP_FAILED after an error.
 */
static int map_array(struct bpf *bpf, const char *name, void **to, size_t n, size_t size)
{
	struct bpf_map *map = bpf_object__find_map_by_name(bpf->object, name);

	if (!n)
		return 0;
	if (!map || bpf_map__value_size(map) != size)
		return -EPROTO;
	*to = mmap(NULL, size * n, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	return *to == MAP_FAILED ? -errno : 0;
}

static int map_arrays(struct bpf *bpf)
{
	void *at = NULL;
	int err = map_array(bpf, "tracks", &at, bpf->ntracks, sizeof(*bpf->tracks));

	bpf->tracks = at;
	if (err)
		return err;
	at = NULL;
	err = map_array(bpf, "calls", &at, bpf->ncalls, sizeof(*bpf->calls));
	bpf->calls = at;
	if (err)
		return err;
	at = NULL;
	err = map_array(bpf, "late", &at, bpf->nstacks, sizeof(*bpf->stacks));
	bpf->stacks = at;
	return err;
}

/* Before loading: room for @n elements. */
static int size_array(struct bpf *bpf, const char *name, unsigned int n)
{
	struct bpf_map *map = bpf_object__find_map_by_name(bpf->object, name);

	return !map ? -EPROTO : n ? bpf_map__set_max_entries(map, n) : 0;
}

static int attach(struct bpf *bpf)
{
	struct bpf_program *p;
	size_t n = BPF_IRQS_LINKS;
	int err;

	bpf_object__for_each_program(p, bpf->object)
		n++;
	bpf->link = calloc(n, sizeof(*bpf->link));
	if (!bpf->link)
		return -ENOMEM;
	err = bpf_irqs_attach(bpf->object, bpf->irqs.vectors, bpf->link, &bpf->nlink);
	bpf_object__for_each_program(p, bpf->object)
		if (!err && bpf_program__autoload(p) && !has_no_place(bpf_program__name(p)))
			err = bpf_keep_link(bpf_program__attach(p), bpf->link, &bpf->nlink);
	return err;
}

/* Before loading: what this run has. */
static int say_with(struct bpf *bpf)
{
	struct bpf_map *map = bpf_object__find_map_by_name(bpf->object, ".rodata");

	return map ? bpf_map__set_initial_value(map, &bpf->with, sizeof(bpf->with)) : -EPROTO;
}

static int open_and_load(struct bpf *bpf)
{
	int err;

	bpf->object = bpf_is_older() ?
		      bpf_load_open(tlob_bpf_older, tlob_bpf_older_end, "tlob_load") :
		      bpf_load_open(tlob_bpf_object, tlob_bpf_object_end, "tlob_load");
	err = bpf->object ? 0 : -errno;
	if (!err)
		err = choose_programs(bpf);
	if (!err) {
		note_unavailable(bpf);
		find_variables(bpf);
	}
	if (!err)
		err = say_with(bpf);
	if (!err)
		err = size_array(bpf, "tracks", bpf->ntracks);
	if (!err)
		err = size_array(bpf, "calls", bpf->ncalls);
	if (!err)
		err = size_array(bpf, "late", bpf->nstacks);
	if (!err && bpf->with.look_again)
		err = size_array(bpf, "looks", bpf->nstacks);
	return err ? err : bpf_load(bpf->object);
}

int bpf_object_open(struct bpf *bpf)
{
	unsigned int tries = 0;
	int err;

	bpf_load_quietly();
	err = bpf_kernel_read();
	if (err)
		return fail(err, "%s: %s", BTF_FILE, strerror(-err));
	do {
		bpf_object__close(bpf->object);
		err = open_and_load(bpf);
	} while (bpf_load_interrupted(err, &tries));
	bpf_kernel_forget();
	if ((!err || err == -EAGAIN) && signal_check(BPF_OPENING))
		return -EINTR;
	if (!err)
		err = map_cells(bpf);
	if (!err)
		err = map_arrays(bpf);
	if (!err)
		err = attach(bpf);
	if (!err)
		bpf->ask_fd = bpf_program__fd(bpf_object__find_program_by_name(bpf->object,
									       ASK_STEAL));
	return err ? bpf_load_failed(err) : 0;
}

void bpf_object_close(struct bpf *bpf)
{
	while (bpf->nlink)
		bpf_link__destroy(bpf->link[--bpf->nlink]);
	free(bpf->link);
	bpf->link = NULL;
	if (bpf->cells && bpf->cells != MAP_FAILED)
		munmap(bpf->cells, sizeof(*bpf->cells) * TLOB_CELL_CPUS);
	bpf->cells = NULL;
	if (bpf->tracks && bpf->tracks != MAP_FAILED)
		munmap(bpf->tracks, sizeof(*bpf->tracks) * bpf->ntracks);
	bpf->tracks = NULL;
	if (bpf->calls && bpf->calls != MAP_FAILED)
		munmap(bpf->calls, sizeof(*bpf->calls) * bpf->ncalls);
	bpf->calls = NULL;
	if (bpf->stacks && bpf->stacks != MAP_FAILED)
		munmap(bpf->stacks, sizeof(*bpf->stacks) * bpf->nstacks);
	bpf->stacks = NULL;
	bpf_object__close(bpf->object);
	bpf->object = NULL;
}

void bpf_object_ask_steal(const struct bpf *bpf)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	bpf_prog_test_run_opts(bpf->ask_fd, &opts);
}

int bpf_object_introduce(struct bpf *bpf, int cpu, bool watcher)
{
	__u64 args[2] = { watcher, (__u64)cpu };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));
	struct bpf_program *p = bpf_object__find_program_by_name(bpf->object, INTRODUCE);
	int err = bpf_prog_test_run_opts(bpf_program__fd(p), &opts);

	return err ? err : opts.retval ? -ERANGE : 0;
}

uint64_t bpf_object_misses(const struct bpf *bpf)
{
	return bpf_misses(bpf->object);
}
