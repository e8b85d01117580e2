// SPDX-License-Identifier: GPL-2.0
/* Loads and attaches the BPF programs of bpf/activations.bpf.c, which are a part of the tool. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "attach/watch_bpf_local.h"
#include "backend/bpf.h"
#include "late_limit.h"
#include "machine/bpf_load.h"
#include "machine/rights.h"
#include "machine/timens.h"
#include "util/error.h"
#include "util/time.h"
#include "waits/of_windows.h"

/* Programs that are run, not attached. */
#define FIND_STEAL	"find_steal"
#define FIND_STACK_SIZE	"find_stack_size"

BPF_EMBED(activations_image, TLOB_ACTIVATIONS_OBJECT);
BPF_EMBED(older_image, TLOB_OLDER_ACTIVATIONS_OBJECT);

static void note_unavailable(struct watch_bpf_run *run)
{
	static const enum tlob_task_part parts[] = {
		[TLOB_NOISE_IRQ] = TLOB_TASK_PART_IRQ, [TLOB_NOISE_SOFTIRQ] = TLOB_TASK_PART_SOFTIRQ,
		[TLOB_NOISE_NMI] = TLOB_TASK_PART_NMI,
	};
	size_t kind;

	for (kind = 0; kind < sizeof(parts) / sizeof(*parts); kind++)
		if (run->irqs.lacking & 1U << kind)
			run->unavailable |= 1U << parts[kind];
}

/* All entries are free. */
static int find_queues(struct watch_bpf_run *run)
{
	uint32_t n;

	run->records = bpf_object__find_map_fd_by_name(run->object, "records");
	run->entries = bpf_object__find_map_fd_by_name(run->object, "entries");
	for (n = 1; n <= WATCH_LATE; n++)
		if (bpf_map_update_elem(run->entries, NULL, &n, BPF_ANY))
			return -errno;
	return 0;
}

_Static_assert(offsetof(struct watch_bpf, record) <= 4 << 20, "too large for Linux 5.10");

static size_t shared_size(const struct watch_bpf_run *run)
{
	return run->older ? offsetof(struct watch_bpf, record) : sizeof(*run->shared);
}

static int find_slots(struct watch_bpf_run *run)
{
	uint32_t slot;

	run->slots = bpf_object__find_map_fd_by_name(run->object, "slots");
	run->free_slots = bpf_object__find_map_fd_by_name(run->object, "free_slots");
	for (slot = 0; slot < WATCH_TASKS; slot++)
		if (bpf_map_update_elem(run->free_slots, NULL, &slot, BPF_ANY))
			return -errno;
	return 0;
}

static int map_shared(struct watch_bpf_run *run, const struct attach_config *o)
{
	int err = 0;

	run->shared = bpf_map_memory(run->object, BPF_VARIABLES, 1, shared_size(run), &err);
	if (err)
		return err;
	run->shared->budget_ns = o->budget_ns;
	run->shared->late_ns = o->budget_ns / 2 > TLOB_LATE_LEAST_NS ? o->budget_ns / 2 : TLOB_LATE_LEAST_NS;
	run->shared->restart = SYS_restart_syscall;
	run->shared->futex = SYS_futex;
	run->shared->clock_nanosleep = SYS_clock_nanosleep;
	run->shared->sched_yield = SYS_sched_yield;
	run->shared->nr_until = o->nuntil;
	memcpy(run->shared->until, o->until_nr, sizeof(run->shared->until));
	err = find_slots(run);
	return !err && run->older ? find_queues(run) : err;
}

/* Before loading: whether interrupts may be asked for, and room for one of each CPU. */
static int choose_looks(struct watch_bpf_run *run, bool again)
{
	int cpus = libbpf_num_possible_cpus();
	int err = bpf_set_value(run->object, ".rodata.looks_again", &again, sizeof(again));

	return err || !again || cpus < 1 ? err : bpf_set_room(run->object, "looks", (__u32)cpus);
}

/* Before loading: a helper reads the kernel where no cast does, unless lockdown forbids that. */
static int choose_holders(const struct watch_bpf_run *run)
{
	const struct watch_holders how = {
		.known = bpf_has_cast() || !rights_locked_down(), .cast = bpf_has_cast(),
	};

	return bpf_set_value(run->object, ".rodata.holders", &how, sizeof(how));
}

struct loading {
	struct watch_bpf_run *run;
	const struct attach_config *o;
};

static int open_and_load(void *of)
{
	const struct loading *loading = of;
	struct watch_bpf_run *run = loading->run;
	int err;

	run->older = bpf_is_older();
	err = bpf_load_open(&run->object, run->older ? &older_image : &activations_image, "tlob_attach");
	if (!err)
		err = bpf_irqs_choose(run->object, &run->irqs);
	if (!err) {
		note_unavailable(run);
		err = choose_looks(run, run->irqs.look_again);
	}
	if (!err)
		err = choose_holders(run);
	if (!err)
		err = watch_bpf_region_choose(run);
	if (!err)
		err = watch_bpf_key_choose(run, loading->o);
	if (!err)
		err = bpf_set_value(run->object, ".rodata.names_waits", &run->waits, sizeof(run->waits));
	if (!err)
		err = watch_bpf_born_choose(run, loading->o);
	if (!err)
		err = watch_bpf_chain_choose(run);
	return err ? err : bpf_load(run->object);
}

/* Before the programs are attached: they read the clock of another CPU also. */
static int find_steal(struct watch_bpf_run *run)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	bool found = false;
	int fd, err;

	fd = bpf_program__fd(bpf_object__find_program_by_name(run->object, FIND_STEAL));
	opts.flags = BPF_F_TEST_RUN_ON_CPU;
	for (opts.cpu = 0; opts.cpu < WATCH_CPUS; opts.cpu++) {
		err = bpf_prog_test_run_opts(fd, &opts);
		/* there is no such CPU, or it is offline */
		if (err && err != -ENXIO && err != -ERANGE)
			return err;
		found |= run->shared->cpu[opts.cpu].steal_at;
	}
	if (!found)
		run->unavailable |= 1U << TLOB_TASK_PART_STEAL;
	return 0;
}

/* The programs for kernels before 5.18 look for system calls there. */
static int find_stack_size(struct watch_bpf_run *run)
{
	__u64 args[] = { SYS_bpf };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));
	struct bpf_program *p = bpf_object__find_program_by_name(run->object, FIND_STACK_SIZE);
	int err = bpf_prog_test_run_opts(bpf_program__fd(p), &opts);

	return err ? err : opts.retval ? -EPROTO : 0;
}

static int load(struct watch_bpf_run *run, const struct attach_config *o)
{
	struct loading loading = { run, o };
	int err = bpf_load_tries(&run->object, open_and_load, &loading);

	if (!err)
		err = map_shared(run, o);
	if (!err)
		err = watch_bpf_chain_map(run);
	if (!err)
		err = find_steal(run);
	if (!err && run->older)
		err = find_stack_size(run);
	if (!err && run->key_at.start)
		err = watch_bpf_key_begin(run);
	if (!err && run->region)
		err = watch_bpf_region_begin(run);
	if (!err)
		err = watch_bpf_born_begin(run, o);
	if (!err)
		err = bpf_irqs_attach(run->object, run->irqs.vectors, run->link, &run->nlink);
	if (!err)
		run->shared->turns_valid = timens_kernel_ns(now_ns());
	return err;
}

int watch_bpf_load(struct watch_bpf_run *run, const struct attach_config *o)
{
	int err = bpf_need_first_pidns(run->region ? "regions" : "activations");

	run->has_chain = o->chain != ATTACH_CHAIN_OFF;
	run->chain_all = o->chain == ATTACH_CHAIN_ALL;
	if (err)
		return err;
	err = bpf_load_begin();
	if (err)
		return err;
	if (!bpf_reads_preempt())
		warning(BPF_WAKER_UNKNOWN);
	err = load(run, o);
	if (err)
		return bpf_load_failed(err);
	return run->region ? watch_bpf_region_attach(run) : 0;
}

int watch_bpf_begin_waits(struct watch_bpf_run *run, struct attach_profile *p)
{
	struct wait_scope scope = {
		.watched = true, .slots = run->slots,
		.longest_waits = bpf_object__find_map_fd_by_name(run->object, "longest_waits"),
	};

	return attach_profile_begin(p, &wait_backend_bpf, &scope);
}

void watch_bpf_unload(struct watch_bpf_run *run)
{
	while (run->nlink)
		bpf_link__destroy(run->link[--run->nlink]);
	if (run->shared)
		munmap(run->shared, shared_size(run));
	run->shared = NULL;
	chain_unmap(&run->chain);
	watch_bpf_key_end(run);
	bpf_object__close(run->object);
	run->object = NULL;
}
