// SPDX-License-Identifier: GPL-2.0
/* Shared by all loaders of BPF programs: what this kernel lacks, and what libbpf says. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/seccomp.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "machine/bpf_load.h"
#include "machine/bpf_steal.h"
#include "machine/bpf_percpu.h"
#include "machine/rights.h"
#include "util/error.h"
#include "util/signals.h"

#define SYSFS		"/sys/kernel"	/* in every sysfs */
/* The inode of the initial pid namespace: PROC_PID_INIT_INO. */
#define FIRST_PIDNS	0xeffffffcU
#define TRIES		10	/* to load an object */

/* The first line that libbpf says at a failure is its cause. */
static char first_line[256];

static int keep_first_line(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (level == LIBBPF_WARN && !*first_line) {
		vsnprintf(first_line, sizeof(first_line), fmt, ap);
		first_line[strcspn(first_line, "\n")] = 0;
	}
	return 0;
}

void bpf_load_quietly(void)
{
	*first_line = 0;
	libbpf_set_print(keep_first_line);
}

bool bpf_load_interrupted(int err, unsigned int *tries)
{
	if (err != -EAGAIN || signal_end() || ++*tries >= TRIES)
		return false;
	bpf_load_quietly();
	return true;
}

const char *bpf_load_said(void)
{
	return first_line;
}

int bpf_load_failed(int err)
{
	if (rights_locked_down())
		return fail(-EOPNOTSUPP, "lockdown=confidentiality forbids the BPF programs to read the kernel");
	return fail(err, "cannot load the BPF programs: %s%s%s", strerror(-err),
		    *first_line ? ": " : "", first_line);
}

int bpf_map_variables(const struct bpf_object *object, size_t size, void **at)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".bss");
	void *mapped;

	if (!map || bpf_map__value_size(map) < size)
		return -EPROTO;
	mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (mapped == MAP_FAILED)
		return -errno;
	*at = mapped;
	return 0;
}

bool bpf_has_tracepoint(const struct btf *btf, const char *name)
{
	char type[64];

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	return btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF) > 0;
}

bool bpf_find_percpu(const struct btf *btf, const char *name, __s64 *offset)
{
	int id = btf__find_by_name_kind(btf, ".data..percpu", BTF_KIND_DATASEC);
	const struct btf_type *section = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	int variable = btf__find_by_name_kind(btf, name, BTF_KIND_VAR);
	unsigned int i;

	for (i = 0; section && i < btf_vlen(section); i++) {
		const struct btf_var_secinfo *v = &btf_var_secinfos(section)[i];

		if ((int)v->type != variable)
			continue;
		*offset = v->offset;
		return true;
	}
	return false;
}

bool bpf_has_helper(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, "bpf_func_id", BTF_KIND_ENUM);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
	char wanted[64];
	unsigned int i;

	snprintf(wanted, sizeof(wanted), "BPF_FUNC_%s", name);
	for (i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_enum(t)[i].name_off), wanted))
			return true;
	return false;
}

enum switch_reports { SWITCH_UNKNOWN, SWITCH_TASKS, SWITCH_TASKS_STATE };

/*
 * What the tracepoint sched_switch reports besides the two tasks: before 5.18 nothing; since 5.19 the
 * state of the task that leaves, after them. 5.18 has it before them and is unknown here: refused.
 */
static enum switch_reports switch_reports(const struct btf *btf)
{
	const struct btf_type *t;
	int id = btf__find_by_name_kind(btf, "btf_trace_sched_switch", BTF_KIND_TYPEDEF);

	while (id > 0) {
		t = btf__type_by_id(btf, (__u32)id);
		if (btf_is_func_proto(t) && btf_vlen(t) >= 4 &&
		    btf_is_ptr(btf__type_by_id(btf, btf_params(t)[2].type)))
			return btf_vlen(t) == 4 ? SWITCH_TASKS : SWITCH_TASKS_STATE;
		id = btf_is_typedef(t) || btf_is_ptr(t) ? (int)t->type : 0;
	}
	return SWITCH_UNKNOWN;
}

bool bpf_is_older(const struct btf *btf)
{
	return switch_reports(btf) == SWITCH_TASKS;
}

/* Loads and runs a program that does nothing. 0 or -errno; *@loaded: it was loaded. */
static int try_to_load(bool *loaded)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .attempts = 10 * TRIES);
	LIBBPF_OPTS(bpf_test_run_opts, run);
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", insns, 2, &opts), err;

	*loaded = fd >= 0;
	if (fd < 0)
		return fd;
	err = bpf_prog_test_run_opts(fd, &run);
	close(fd);
	return err;
}

/* The rights that a loader of tracing programs lacks. CAP_SYS_ADMIN includes both. */
static const char *missing_rights(void)
{
	bool bpf = rights_have(CAP_BPF), perfmon = rights_have(CAP_PERFMON);

	if (bpf && !perfmon)
		return "lacks CAP_PERFMON";
	if (!bpf && perfmon)
		return "lacks CAP_BPF";
	if (!bpf)
		return "lacks CAP_BPF and CAP_PERFMON, which root has";
	/* Podman's default profile forbids bpf(2) without CAP_SYS_ADMIN. */
	if (prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER)
		return "CAP_BPF and CAP_PERFMON are present, but a seccomp filter refuses: --security-opt seccomp=unconfined";
	/* those of another user namespace do not count */
	return geteuid() ? "CAP_BPF and CAP_PERFMON are present, but a security module refuses" :
	       "lacks CAP_BPF and CAP_PERFMON";
}

int bpf_load_probe(char *why, unsigned int size)
{
	struct btf *btf;
	bool enough, loaded;
	int err;

	libbpf_set_print(keep_first_line);
	btf = btf__parse_raw(BTF_FILE);
	if (!btf) {
		err = errno;
		if (access(SYSFS, F_OK))
			snprintf(why, size, "/sys is not mounted: BPF programs need " BTF_FILE);
		else
			snprintf(why, size, "%s: %s: the kernel needs CONFIG_DEBUG_INFO_BTF",
				 BTF_FILE, strerror(err));
		return -EOPNOTSUPP;
	}
	enough = switch_reports(btf) != SWITCH_UNKNOWN && bpf_has_tracepoint(btf, "hrtimer_expire_entry") &&
		 bpf_has_tracepoint(btf, "sched_wakeup") &&
		 bpf_has_tracepoint(btf, "sched_migrate_task") &&
		 bpf_has_tracepoint(btf, "irq_handler_entry");
	btf__free(btf);
	if (!enough) {
		snprintf(why, size, "this kernel lacks the tracepoints: BPF programs need 5.10 or later, but not 5.18");
		return -EOPNOTSUPP;
	}
	err = try_to_load(&loaded);
	if (err && loaded)
		snprintf(why, size, "the kernel runs no BPF programs for us (%s): they need 5.10 or later",
			 strerror(-err));
	else if (err == -EPERM)
		snprintf(why, size, "no permission to load BPF programs: %s%s",
			 geteuid() ? "" : "root of this container or user namespace ",
			 missing_rights());
	else if (err)
		snprintf(why, size, "the kernel loads no BPF programs: %s", strerror(-err));
	return err ? -EOPNOTSUPP : 0;
}

/* Returns the offset of field @name in type @id, also in its unions without a name, or -ENOENT. */
static int field_offset(const struct btf *btf, __u32 id, const char *name)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	unsigned int i;

	for (i = 0; t && btf_is_composite(t) && i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *is = btf__name_by_offset(btf, m->name_off);
		int inside = strcmp(is, name) ? *is ? -ENOENT : field_offset(btf, m->type, name) : 0;

		if (inside >= 0)
			return (int)btf_member_bit_offset(t, i) / 8 + inside;
	}
	return -ENOENT;
}

static int offset_in_struct(const struct btf *btf, const char *of, const char *name)
{
	int id = btf__find_by_name_kind(btf, of, BTF_KIND_STRUCT);

	return id > 0 ? field_offset(btf, (__u32)id, name) : -ENOENT;
}

/* 0: the kernel does not have it. */
static __s32 find_cast(const struct btf *btf)
{
	int id = btf__find_by_name_kind(btf, "bpf_rdonly_cast", BTF_KIND_FUNC);

	return id > 0 ? id : 0;
}

bool bpf_has_cast(const struct btf *btf)
{
	return find_cast(btf);
}

/*
 * Where x86 has the counter: in a variable, or in one of a struct (6.2 to 6.14). Without the cast a
 * helper reads it, which a locked kernel refuses. No program names the struct: for a type that the
 * kernel lacks libbpf looks in all modules.
 */
static struct bpf_preempt_at find_preempt(const struct btf *btf)
{
	struct bpf_preempt_at to = {
		.cast = bpf_has_cast(btf), .hardirq = 0x000f0000, .nmi = 0x00f00000,
	};
	int field = offset_in_struct(btf, "pcpu_hot", "preempt_count");
	__s64 queue, at;

	/* kernels that count nested disabling of interrupts do it below these */
	if (bpf_find_percpu(btf, "local_interrupt_disable_state", &at)) {
		to.hardirq = 0x0f000000;
		to.nmi = 0x70000000;
	}
	if ((!to.cast && rights_locked_down()) || !bpf_find_percpu(btf, "runqueues", &queue) ||
	    offset_in_struct(btf, "sched_entity", "cfs_rq") < 0)
		return to;
	if (bpf_find_percpu(btf, "__preempt_count", &at)) {
		to.known = true;
		to.offset = at - queue;
	} else if (field >= 0 && bpf_find_percpu(btf, "pcpu_hot", &at)) {
		to.known = true;
		to.offset = at + field - queue;
	}
	return to;
}

bool bpf_reads_preempt(const struct btf *btf)
{
	return offset_in_struct(btf, "thread_info", "preempt_count") >= 0 || find_preempt(btf).known;
}

struct bpf_irq_regs_at bpf_find_irq_regs(const struct btf *btf)
{
	struct bpf_irq_regs_at to = { .known = false };
	__s64 queue, at;

	if (!bpf_has_cast(btf) || !bpf_find_percpu(btf, "runqueues", &queue) ||
	    !bpf_find_percpu(btf, "__irq_regs", &at))
		return to;
	to.known = true;
	to.offset = at - queue;
	return to;
}

/* In each call of BPF_CAST_CALL in @insn, which is a whole object: only code has such bytes. */
static void fill_in_cast(struct bpf_insn *insn, size_t n, __s32 cast)
{
	const struct bpf_insn call = { .code = BPF_JMP | BPF_CALL, .imm = BPF_CAST_CALL };
	size_t i;

	for (i = 0; i < n; i++) {
		if (memcmp(&insn[i], &call, sizeof(call)) != 0)
			continue;
		insn[i].src_reg = BPF_PSEUDO_KFUNC_CALL;
		insn[i].imm = cast;
	}
}

static int set_places(struct bpf_object *object, const struct btf *btf)
{
	struct bpf_map *preempt = bpf_object__find_map_by_name(object, ".rodata.preempt");
	struct bpf_map *irq_regs = bpf_object__find_map_by_name(object, ".rodata.irq_regs");
	struct bpf_preempt_at preempt_at = find_preempt(btf);
	struct bpf_map *steal = bpf_object__find_map_by_name(object, ".rodata.steal");
	struct bpf_irq_regs_at irq_regs_at = bpf_find_irq_regs(btf);
	struct bpf_steal_at steal_at = bpf_find_steal(btf);
	int err = preempt ? bpf_map__set_initial_value(preempt, &preempt_at, sizeof(preempt_at)) : 0;

	if (!err && irq_regs)
		err = bpf_map__set_initial_value(irq_regs, &irq_regs_at, sizeof(irq_regs_at));
	if (!err && steal)
		err = bpf_map__set_initial_value(steal, &steal_at, sizeof(steal_at));
	return err;
}

struct bpf_object *bpf_load_open(const char *start, const char *end, const char *name,
				 const struct btf *btf)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = name);
	size_t size = (size_t)(end - start);
	struct bpf_object *object;
	__s32 cast = find_cast(btf);
	void *copy = malloc(size);
	int err;

	if (!copy)
		return NULL;
	memcpy(copy, start, size);
	if (cast)
		fill_in_cast(copy, size / sizeof(struct bpf_insn), cast);
	object = bpf_object__open_mem(copy, size, &opts);
	err = object ? set_places(object, btf) : -errno;
	free(copy);
	if (!err)
		return object;
	bpf_object__close(object);
	errno = -err;
	return NULL;
}

int bpf_need_first_pidns(const char *what)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino == FIRST_PIDNS)
		return 0;
	return fail(-EOPNOTSUPP, "%s by BPF work in the initial pid namespace only: run it outside this container, or with --pid=host",
		    what);
}

uint64_t bpf_misses(const struct bpf_object *object)
{
	struct bpf_program *p;
	uint64_t n = 0;

	bpf_object__for_each_program(p, object) {
		struct bpf_prog_info info = { 0 };
		__u32 len = sizeof(info);

		if (bpf_program__autoload(p) &&
		    !bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &len))
			n += info.recursion_misses;
	}
	return n;
}
