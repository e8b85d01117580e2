// SPDX-License-Identifier: GPL-2.0
/* Loads and attaches the BPF programs of bpf/waits.bpf.c, which are a part of the tool. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "machine/bpf_load.h"
#include "machine/rights.h"
#include "machine/timens.h"
#include "util/error.h"
#include "util/ksyms.h"
#include "util/time.h"
#include "waits/source_bpf.h"
#include "waitspec.h"

#define SCHEDULE	"__schedule"
#define FINISH		"finish_task_switch"
#define EXIT_TP		"sched_exit_tp"

_Static_assert(WAIT_BPF_PIDS == TLOB_WAIT_PIDS_MAX, "the tool passes all pids on");

BPF_EMBED(waits_image, TLOB_WAITS_OBJECT);

/* The compiler may have made a copy of a function with a suffix, as in .isra.0. */
static bool is_function(const char *name, const char *function)
{
	size_t n = strlen(function);

	if (strncmp(name, function, n) || (name[n] && name[n] != '.'))
		return false;
	return !strstr(name, ".cold") && !strstr(name, ".part");
}

static void take_symbol(struct wait_bpf_run *run, const struct ksyms *k, const struct ksym *s,
			bool finish)
{
	const char *name = s->name;
	const struct ksym *next;

	if (!strcmp(name, "__sched_text_start")) {
		run->sched_start = s->address;
	} else if (!strcmp(name, "__sched_text_end")) {
		run->sched_end = s->address;
	} else if (finish && is_function(name, FINISH)) {
		snprintf(run->finish, sizeof(run->finish), "%s", name);
	} else if (is_function(name, SCHEDULE)) {
		next = ksyms_at(k, s->address) + 1;
		run->schedule_start = s->address;
		run->schedule_end = next < k->sym + k->n ? next->address : UINT64_MAX;
	}
}

static int find_functions(struct wait_bpf_run *run, bool has_exit_tp)
{
	struct ksyms k;
	size_t i;
	int err = ksyms_load(&k, KALLSYMS);

	if (err)
		return err;
	for (i = 0; i < k.n; i++)
		take_symbol(run, &k, &k.sym[i], !has_exit_tp);
	for (i = 0; i < k.aliases; i++)
		take_symbol(run, &k, &k.alias[i], !has_exit_tp);
	if (!k.n)
		err = fail(-EOPNOTSUPP, "kernel addresses are hidden in " KALLSYMS " (CAP_SYSLOG needed)");
	else if (!run->schedule_start || (!has_exit_tp && !*run->finish))
		err = fail(-EOPNOTSUPP, "this kernel has no function " SCHEDULE " or " FINISH
			   " in " KALLSYMS);
	ksyms_free(&k);
	return err;
}

/* It is attached to many tracepoints. */
static bool is_raw(const struct bpf_program *p)
{
	return !strcmp(bpf_program__section_name(p), "raw_tp");
}

static void choose_programs(struct wait_bpf_run *run)
{
	const char *end = *run->finish ? FINISH : EXIT_TP;
	struct bpf_program *p;

	bpf_object__for_each_program(p, run->object) {
		const char *name = bpf_program__name(p);

		if ((!strcmp(name, FINISH) || !strcmp(name, EXIT_TP)) && strcmp(name, end))
			bpf_program__set_autoload(p, false);
	}
}

bool wait_bpf_is_of_chain(const struct bpf_program *p)
{
	static const char * const names[] = {
		"sched_migrate_task", "hrtimer_expire_entry", "hrtimer_expire_exit", "softirq_entry", "softirq_exit",
		"sched_wakeup_new", "netif_rx",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(bpf_program__name(p), names[i]))
			return true;
	return is_raw(p);
}

static int choose_chain(struct wait_bpf_run *run)
{
	bool on = run->scope->chain && chain_can();
	struct bpf_program *p;
	int err = on ? bpf_irqs_choose(run->object, &run->irqs) : 0;

	if (err)
		return err;
	bpf_object__for_each_program(p, run->object)
		if (!on && wait_bpf_is_of_chain(p))
			bpf_program__set_autoload(p, false);
	if (run->path) {
		if (!on)
			return -EOPNOTSUPP;
		err = bpf_set_value(run->object, ".rodata.critical", &run->path->pid, sizeof(run->path->pid));
		if (err)
			return err;
	}
	return chain_choose(run->object, on, false, WAIT_BPF_CPUS, &run->ring);
}

static int check_kernel(void)
{
#ifndef __x86_64__
	return fail(-EOPNOTSUPP, "waits by BPF work on x86-64 only");
#endif
	if (!bpf_has_helper("loop"))
		return fail(-EOPNOTSUPP, "waits by BPF need bpf_loop(): Linux 5.17 or later, but not 5.18");
	if (bpf_has_tracepoint("sched_waking") && bpf_has_tracepoint("sched_process_free"))
		return 0;
	return fail(-EOPNOTSUPP, "this kernel lacks the tracepoints sched_waking and sched_process_free");
}

static int share_maps(const struct wait_bpf_run *run)
{
	const struct wait_scope *scope = run->scope;
	int err;

	if (!scope->watched)
		return 0;
	err = bpf_map__reuse_fd(bpf_object__find_map_by_name(run->object, "slots"), scope->slots);
	return err ? err : bpf_map__reuse_fd(bpf_object__find_map_by_name(run->object, "longest_waits"),
					     scope->longest_waits);
}

static int open_and_load(void *of)
{
	struct wait_bpf_run *run = of;
	int err = bpf_load_open(&run->object, &waits_image, "tlob_waits");

	if (!err)
		err = share_maps(run);
	if (err)
		return err;
	err = choose_chain(run);
	if (err)
		return err;
	choose_programs(run);
	return bpf_load(run->object);
}

static int load(struct wait_bpf_run *run)
{
	int err = bpf_load_tries(&run->object, open_and_load, run);

	run->shared = bpf_map_memory(run->object, BPF_VARIABLES, 1, sizeof(*run->shared), &err);
	if (!err)
		err = chain_map(run->object, &run->ring);
	if (!err) {
		run->ring.seq = (const uint64_t *)&run->shared->cpu[0].chain_seq;
		run->ring.stride = sizeof(run->shared->cpu[0]) / sizeof(uint64_t);
	}
	return err ? bpf_load_failed(err) : 0;
}

static int set_cgroup(struct wait_bpf_run *run, const char *path)
{
	int map = bpf_object__find_map_fd_by_name(run->object, "cgroups"), fd, err = 0;
	__u32 zero = 0;

	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail(-errno, "--cgroup %s: %s", path, strerror(errno));
	if (bpf_map_update_elem(map, &zero, &fd, BPF_ANY))
		err = fail(-EINVAL, "--cgroup %s: not a cgroup v2 directory", path);
	close(fd);
	return err;
}

static int set_scope(struct wait_bpf_run *run, const struct wait_scope *scope)
{
	struct wait_bpf *shared = run->shared;
	struct tlob_wait_line line = { .nr_pids = 0 };
	const char *pids = scope->pids;

	shared->threshold_ns = scope->threshold_ns;
	if (scope->watched)
		shared->scope = WAIT_BPF_WATCHED;
	if (scope->cgroup) {
		shared->scope = WAIT_BPF_CGROUP;
		return set_cgroup(run, scope->cgroup_dir);
	}
	if (!pids)
		return 0;
	shared->scope = WAIT_BPF_LISTED;
	if (tlob_parse_wait_pids(&pids, &line))
		return fail(-EINVAL, "--pid %s: no numbers of processes", scope->pids);
	shared->nr_pids = line.nr_pids;
	memcpy(shared->pid, line.pid, sizeof(shared->pid));
	return 0;
}

int wait_bpf_load(struct wait_bpf_run *run, const struct wait_scope *scope)
{
	int err = bpf_need_first_pidns("waits");

	run->scope = scope;
	run->path = scope->critical;
	if (err)
		return err;
	err = bpf_load_begin();
	if (err)
		return err;
	err = check_kernel();
	if (!err)
		err = find_functions(run, bpf_has_tracepoint(EXIT_TP));
	/* attach has said it */
	if (!err && !scope->watched && !bpf_reads_preempt())
		warning(BPF_WAKER_UNKNOWN);
	if (!err && run->path && !chain_can())
		err = fail(-EOPNOTSUPP, "--critical: " BPF_WAKER_UNKNOWN);
	if (!err)
		err = load(run);
	bpf_kernel_forget();
	if (err)
		return err;
	if (!rights_have(CAP_SYS_PTRACE))
		warning("without CAP_SYS_PTRACE, programs of other users are not unwound");
	run->shared->schedule_start = run->schedule_start;
	run->shared->schedule_end = run->schedule_end;
	run->shared->sched_start = run->sched_start;
	run->shared->sched_end = run->sched_end;
	return set_scope(run, scope);
}

static int kprobe_failed(const struct wait_bpf_run *run, int err)
{
	if (rights_locked_down())
		return fail(-EOPNOTSUPP, "lockdown=confidentiality forbids kprobes, which waits by BPF need before Linux 6.17");
	if (access("/sys/bus/event_source/devices/kprobe", F_OK))
		return fail(-EOPNOTSUPP, "waits by BPF need CONFIG_KPROBES, or Linux 6.17");
	return fail(err, "cannot attach a kprobe to %s: %s", run->finish, strerror(-err));
}

static int attach_one(struct wait_bpf_run *run, struct bpf_program *p)
{
	bool kprobe = !strcmp(bpf_program__name(p), FINISH);
	struct bpf_link *link = kprobe ? bpf_program__attach_kprobe(p, false, run->finish) :
					 bpf_program__attach(p);
	int err = (int)libbpf_get_error(link);

	if (err)
		return kprobe ? kprobe_failed(run, err) :
		       fail(err, "cannot attach to %s: %s", bpf_program__name(p), strerror(-err));
	run->link[run->nlink++] = link;
	return 0;
}

static int attach_all_but(struct wait_bpf_run *run, const struct bpf_program *last)
{
	struct bpf_program *p;
	int err;

	bpf_object__for_each_program(p, run->object) {
		err = p != last && bpf_program__autoload(p) && !is_raw(p) ? attach_one(run, p) : 0;
		if (err)
			return err;
	}
	return 0;
}

/* The switch makes slots and begins waits: it relies on all others. So it comes last. */
int wait_bpf_attach(struct wait_bpf_run *run)
{
	struct bpf_program *last = bpf_object__find_program_by_name(run->object, "sched_switch");
	int err = run->ring.node ? bpf_irqs_attach_raw(run->object, run->irqs.vectors, run->link, &run->nlink) : 0;

	if (err)
		return fail(err, "cannot attach to interrupts: %s", strerror(-err));
	err = attach_all_but(run, last);
	if (!err)
		err = attach_one(run, last);
	if (err)
		return err;
	run->shared->turns_valid = timens_kernel_ns(now_ns());
	if (run->path)
		critical_begin(&run->critical, run->shared->turns_valid);
	__atomic_store_n(&run->shared->on, 1, __ATOMIC_SEQ_CST);
	return 0;
}

void wait_bpf_detach(struct wait_bpf_run *run)
{
	if (run->shared)
		__atomic_store_n(&run->shared->on, 0, __ATOMIC_SEQ_CST);
	while (run->nlink)
		bpf_link__destroy(run->link[--run->nlink]);
}

void wait_bpf_unload(struct wait_bpf_run *run)
{
	wait_bpf_detach(run);
	if (run->shared)
		munmap(run->shared, sizeof(*run->shared));
	run->shared = NULL;
	chain_unmap(&run->ring);
	bpf_object__close(run->object);
	run->object = NULL;
}
