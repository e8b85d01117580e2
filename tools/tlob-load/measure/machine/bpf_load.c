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
#include <bpf/libbpf.h>

#include "machine/bpf_load.h"
#include "machine/bpf_steal.h"
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

int bpf_load_begin(void)
{
	int err = bpf_kernel_read();

	bpf_load_quietly();
	return err ? fail(err, "%s: %s", BTF_FILE, strerror(-err)) : 0;
}

int bpf_load_tries(struct bpf_object **object, int (*load)(void *of), void *of)
{
	unsigned int tries = 0;
	int err;

	do {
		bpf_load_quietly();
		bpf_object__close(*object);
		err = load(of);
	} while (err == -EAGAIN && !signal_end() && ++tries < TRIES);
	bpf_kernel_forget();
	return err;
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

int bpf_set_value(const struct bpf_object *object, const char *name, const void *value, size_t size)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);

	return map ? bpf_map__set_initial_value(map, value, size) : -EPROTO;
}

int bpf_set_room(const struct bpf_object *object, const char *name, unsigned int n)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);

	return map ? bpf_map__set_max_entries(map, n) : -EPROTO;
}

void *bpf_map_memory(const struct bpf_object *object, const char *name, size_t n, size_t size,
		     int *err)
{
	const struct bpf_map *map;
	size_t has;
	void *at;

	if (*err || !n)
		return NULL;
	map = bpf_object__find_map_by_name(object, name);
	has = map ? bpf_map__value_size(map) : 0;
	if (has < size || (has != size && strcmp(name, BPF_VARIABLES))) {
		*err = -EPROTO;
		return NULL;
	}
	at = mmap(NULL, size * n, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (at != MAP_FAILED)
		return at;
	*err = -errno;
	return NULL;
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

static int probe(char *why, unsigned int size)
{
	bool enough, loaded;
	int err;

	libbpf_set_print(keep_first_line);
	err = -bpf_kernel_read();
	if (err) {
		if (access(SYSFS, F_OK))
			snprintf(why, size, "/sys is not mounted: BPF programs need " BTF_FILE);
		else
			snprintf(why, size, "%s: %s%s", BTF_FILE, strerror(err),
				 err == ENOENT ? ": the kernel needs CONFIG_DEBUG_INFO_BTF" : "");
		return -EOPNOTSUPP;
	}
	enough = bpf_knows_switches() && bpf_has_tracepoint("hrtimer_expire_entry") &&
		 bpf_has_tracepoint("sched_wakeup") && bpf_has_tracepoint("sched_migrate_task") &&
		 bpf_has_tracepoint("irq_handler_entry");
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

int bpf_load_probe(char *why, unsigned int size)
{
	int err = probe(why, size);

	if (err)
		bpf_kernel_forget();
	return err;
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

static int set_places(struct bpf_object *object)
{
	const struct bpf_preempt_at preempt = bpf_find_preempt();
	const struct bpf_irq_regs_at irq_regs = bpf_find_irq_regs();
	const struct bpf_steal_at steal = bpf_find_steal();
	int err;

	/* not every object has all of them */
	err = bpf_set_value(object, ".rodata.preempt", &preempt, sizeof(preempt));
	if (!err || err == -EPROTO)
		err = bpf_set_value(object, ".rodata.irq_regs", &irq_regs, sizeof(irq_regs));
	if (!err || err == -EPROTO)
		err = bpf_set_value(object, ".rodata.steal", &steal, sizeof(steal));
	return err == -EPROTO ? 0 : err;
}

int bpf_load_open(struct bpf_object **object, const struct bpf_image *image, const char *name)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = name);
	size_t size = (size_t)(image->end - image->start);
	__s32 cast = bpf_find_cast();
	void *copy = malloc(size);
	int err;

	*object = NULL;
	if (!copy)
		return -ENOMEM;
	memcpy(copy, image->start, size);
	if (cast)
		fill_in_cast(copy, size / sizeof(struct bpf_insn), cast);
	*object = bpf_object__open_mem(copy, size, &opts);
	err = *object ? set_places(*object) : -errno;
	free(copy);
	if (!err)
		return 0;
	bpf_object__close(*object);
	*object = NULL;
	return err;
}

int bpf_load(struct bpf_object *object)
{
	bpf_kernel_forget();
	return bpf_object__load(object);
}

int bpf_need_first_pidns(const char *what)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino == FIRST_PIDNS)
		return 0;
	return fail(-EOPNOTSUPP, "%s by BPF work in the initial pid namespace only: run it outside this container, or with --pid=host",
		    what);
}

uint64_t bpf_misses(const struct bpf_object *object, bool (*is_left_out)(const struct bpf_program *p))
{
	struct bpf_program *p;
	uint64_t n = 0;

	bpf_object__for_each_program(p, object) {
		struct bpf_prog_info info = { 0 };
		__u32 len = sizeof(info);

		if (bpf_program__autoload(p) && !(is_left_out && is_left_out(p)) &&
		    !bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &len))
			n += info.recursion_misses;
	}
	return n;
}
