// SPDX-License-Identifier: GPL-2.0
/* Looks up types, variables and fields in the BTF of the running kernel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "machine/bpf_kernel.h"
#include "machine/rights.h"

/* libbpf compares one name after the other, some 100 000, so they are hashed once. */
static struct {
	struct btf *btf;
	__u32	*id;			/* [mask + 1], by the hash of name and kind; 0: free */
	__u32	 mask;
} kernel;

static bool is_looked_for(unsigned int kind)
{
	return kind == BTF_KIND_STRUCT || kind == BTF_KIND_ENUM || kind == BTF_KIND_TYPEDEF ||
	       kind == BTF_KIND_FUNC || kind == BTF_KIND_VAR || kind == BTF_KIND_DATASEC;
}

/* FNV-1a. */
static __u32 hash(const char *name, unsigned int kind)
{
	__u32 h = 2166136261U ^ kind;

	while (*name)
		h = (h ^ (unsigned char)*name++) * 16777619U;
	return h;
}

static bool is_type(__u32 id, const char *name, unsigned int kind)
{
	const struct btf_type *t = btf__type_by_id(kernel.btf, id);

	return btf_kind(t) == kind && !strcmp(btf__name_by_offset(kernel.btf, t->name_off), name);
}

/* Where several types share a name, find() returns the first one, as libbpf does. */
static int index_types(void)
{
	__u32 n = btf__type_cnt(kernel.btf), size = 2, id, at;

	while (size < 2 * n)
		size *= 2;
	kernel.id = calloc(size, sizeof(*kernel.id));
	if (!kernel.id)
		return -ENOMEM;
	kernel.mask = size - 1;
	for (id = 1; id < n; id++) {
		const struct btf_type *t = btf__type_by_id(kernel.btf, id);

		if (!is_looked_for(btf_kind(t)) || !t->name_off)
			continue;
		at = hash(btf__name_by_offset(kernel.btf, t->name_off), btf_kind(t));
		while (kernel.id[at & kernel.mask])
			at++;
		kernel.id[at & kernel.mask] = id;
	}
	return 0;
}

int bpf_kernel_read(void)
{
	int err;

	if (kernel.btf)
		return 0;
	kernel.btf = btf__parse_raw(BTF_FILE);
	if (!kernel.btf)
		return -errno;
	err = index_types();
	if (err)
		bpf_kernel_forget();
	return err;
}

void bpf_kernel_forget(void)
{
	btf__free(kernel.btf);
	free(kernel.id);
	kernel.btf = NULL;
	kernel.id = NULL;
}

/* The id of a type, or -ENOENT. */
static int find(const char *name, unsigned int kind)
{
	__u32 at;

	if (bpf_kernel_read())
		return -ENOENT;
	for (at = hash(name, kind); kernel.id[at & kernel.mask]; at++)
		if (is_type(kernel.id[at & kernel.mask], name, kind))
			return (int)kernel.id[at & kernel.mask];
	return -ENOENT;
}

bool bpf_has_tracepoint(const char *name)
{
	char type[64];

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	return find(type, BTF_KIND_TYPEDEF) > 0;
}

bool bpf_find_percpu(const char *name, __s64 *offset)
{
	int id = find(".data..percpu", BTF_KIND_DATASEC);
	const struct btf_type *section = id > 0 ? btf__type_by_id(kernel.btf, (__u32)id) : NULL;
	int variable = find(name, BTF_KIND_VAR);
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

bool bpf_has_helper(const char *name)
{
	int id = find("bpf_func_id", BTF_KIND_ENUM);
	const struct btf_type *t = id > 0 ? btf__type_by_id(kernel.btf, (__u32)id) : NULL;
	char wanted[64];
	unsigned int i;

	snprintf(wanted, sizeof(wanted), "BPF_FUNC_%s", name);
	for (i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(kernel.btf, btf_enum(t)[i].name_off), wanted))
			return true;
	return false;
}

bool bpf_has_type(const char *name, unsigned int kind)
{
	return find(name, kind) > 0;
}

enum switch_reports { SWITCH_UNKNOWN, SWITCH_TASKS, SWITCH_TASKS_STATE };

/*
 * What the tracepoint sched_switch reports besides the two tasks: before 5.18 nothing; since 5.19 the
 * state of the task that leaves, after them. 5.18 has it before them and is unknown here: refused.
 */
static enum switch_reports switch_reports(void)
{
	const struct btf_type *t;
	int id = find("btf_trace_sched_switch", BTF_KIND_TYPEDEF);

	while (id > 0) {
		t = btf__type_by_id(kernel.btf, (__u32)id);
		if (btf_is_func_proto(t) && btf_vlen(t) >= 4 &&
		    btf_is_ptr(btf__type_by_id(kernel.btf, btf_params(t)[2].type)))
			return btf_vlen(t) == 4 ? SWITCH_TASKS : SWITCH_TASKS_STATE;
		id = btf_is_typedef(t) || btf_is_ptr(t) ? (int)t->type : 0;
	}
	return SWITCH_UNKNOWN;
}

bool bpf_knows_switches(void)
{
	return switch_reports() != SWITCH_UNKNOWN;
}

bool bpf_is_older(void)
{
	return switch_reports() == SWITCH_TASKS;
}

/* Returns the offset of field @name in type @id, also in its unions without a name, or -ENOENT. */
static int field_offset(__u32 id, const char *name)
{
	const struct btf_type *t = btf__type_by_id(kernel.btf, id);
	unsigned int i;

	for (i = 0; t && btf_is_composite(t) && i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *is = btf__name_by_offset(kernel.btf, m->name_off);
		int inside = strcmp(is, name) ? *is ? -ENOENT : field_offset(m->type, name) : 0;

		if (inside >= 0)
			return (int)btf_member_bit_offset(t, i) / 8 + inside;
	}
	return -ENOENT;
}

static int offset_in_struct(const char *of, const char *name)
{
	int id = find(of, BTF_KIND_STRUCT);

	return id > 0 ? field_offset((__u32)id, name) : -ENOENT;
}

__s32 bpf_find_cast(void)
{
	int id = find("bpf_rdonly_cast", BTF_KIND_FUNC);

	return id > 0 ? id : 0;
}

bool bpf_has_cast(void)
{
	return bpf_find_cast();
}

/*
 * Where x86 has the counter: in a variable, or in one of a struct (6.2 to 6.14). Without the cast a
 * helper reads it, which a locked kernel refuses. No program names the struct: for a type that the
 * kernel lacks libbpf looks in all modules.
 */
struct bpf_preempt_at bpf_find_preempt(void)
{
	struct bpf_preempt_at to = {
		.cast = bpf_has_cast(), .hardirq = 0x000f0000, .nmi = 0x00f00000,
	};
	int field = offset_in_struct("pcpu_hot", "preempt_count");
	__s64 queue, at;

	/* kernels that count nested disabling of interrupts do it below these */
	if (bpf_find_percpu("local_interrupt_disable_state", &at)) {
		to.hardirq = 0x0f000000;
		to.nmi = 0x70000000;
	}
	if ((!to.cast && rights_locked_down()) || !bpf_find_percpu("runqueues", &queue) ||
	    offset_in_struct("sched_entity", "cfs_rq") < 0)
		return to;
	if (bpf_find_percpu("__preempt_count", &at)) {
		to.known = true;
		to.offset = at - queue;
	} else if (field >= 0 && bpf_find_percpu("pcpu_hot", &at)) {
		to.known = true;
		to.offset = at + field - queue;
	}
	return to;
}

bool bpf_reads_preempt(void)
{
	return offset_in_struct("thread_info", "preempt_count") >= 0 || bpf_find_preempt().known;
}

struct bpf_irq_regs_at bpf_find_irq_regs(void)
{
	struct bpf_irq_regs_at to = { .known = false };
	__s64 queue, at;

	if (!bpf_has_cast() || !bpf_find_percpu("runqueues", &queue) ||
	    !bpf_find_percpu("__irq_regs", &at))
		return to;
	to.known = true;
	to.offset = at - queue;
	return to;
}
