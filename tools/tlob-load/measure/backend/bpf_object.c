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
#define CELLS_SIZE	(sizeof(struct tlob_cell) * TLOB_CELL_CPUS)

BPF_EMBED(split_image, TLOB_BPF_OBJECT);
BPF_EMBED(older_image, TLOB_BPF_OLDER_OBJECT);

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

static int map_all(struct bpf *bpf)
{
	int err = 0;

	bpf->cells = bpf_map_memory(bpf->object, BPF_VARIABLES, 1, CELLS_SIZE, &err);
	bpf->tracks = bpf_map_memory(bpf->object, "tracks", bpf->ntracks, sizeof(*bpf->tracks), &err);
	bpf->calls = bpf_map_memory(bpf->object, "calls", bpf->ncalls, sizeof(*bpf->calls), &err);
	bpf->stacks = bpf_map_memory(bpf->object, "late", bpf->nstacks, sizeof(*bpf->stacks), &err);
	return err;
}

/* Before loading: room for @n elements. */
static int size_array(struct bpf *bpf, const char *name, unsigned int n)
{
	return n ? bpf_set_room(bpf->object, name, n) : 0;
}

static int attach(struct bpf *bpf)
{
	struct bpf_program *p;
	size_t n = BPF_IRQS_LINKS;

	bpf_object__for_each_program(p, bpf->object)
		n++;
	bpf->link = calloc(n, sizeof(*bpf->link));
	if (!bpf->link)
		return -ENOMEM;
	return bpf_irqs_attach(bpf->object, bpf->irqs.vectors, bpf->link, &bpf->nlink);
}

static int open_and_load(void *of)
{
	struct bpf *bpf = of;
	int err = bpf_load_open(&bpf->object, bpf_is_older() ? &older_image : &split_image, "tlob_load");

	if (!err)
		err = bpf_irqs_choose(bpf->object, &bpf->irqs);
	if (!err) {
		note_unavailable(bpf);
		find_variables(bpf);
		err = bpf_set_value(bpf->object, ".rodata", &bpf->with, sizeof(bpf->with));
	}
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
	int err = bpf_load_begin();

	if (err)
		return err;
	err = bpf_load_tries(&bpf->object, open_and_load, bpf);
	if ((!err || err == -EAGAIN) && signal_check(BPF_OPENING))
		return -EINTR;
	if (!err)
		err = map_all(bpf);
	if (!err)
		err = attach(bpf);
	if (!err)
		bpf->ask_fd = bpf_program__fd(bpf_object__find_program_by_name(bpf->object,
									       ASK_STEAL));
	return err ? bpf_load_failed(err) : 0;
}

static void unmap(void *at, size_t size)
{
	if (at)
		munmap(at, size);
}

void bpf_object_close(struct bpf *bpf)
{
	while (bpf->nlink)
		bpf_link__destroy(bpf->link[--bpf->nlink]);
	free(bpf->link);
	unmap(bpf->cells, CELLS_SIZE);
	unmap(bpf->tracks, sizeof(*bpf->tracks) * bpf->ntracks);
	unmap(bpf->calls, sizeof(*bpf->calls) * bpf->ncalls);
	unmap(bpf->stacks, sizeof(*bpf->stacks) * bpf->nstacks);
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
	return bpf_misses(bpf->object, NULL);
}
