/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by all loaders of BPF programs. */
#ifndef TLOB_MACHINE_BPF_LOAD_H
#define TLOB_MACHINE_BPF_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/types.h>

#include "machine/bpf_percpu.h"

struct bpf_object;
struct btf;

#define BTF_FILE	"/sys/kernel/btf/vmlinux"

/*
 * Puts @file into the tool, as the Makefile has built it: from NAME to NAME_end, which
 * the user declares as arrays.
 */
#define BPF_EMBED(name, file)						\
	__asm__(".pushsection .rodata, \"a\"\n"				\
		".balign 8\n"						\
		".global " #name ", " #name "_end\n"			\
		#name ": .incbin \"" file "\"\n"			\
		#name "_end:\n"						\
		".popsection\n")

/* 0, or -EOPNOTSUPP and in @why what BPF programs lack here at all. Prints nothing. */
int bpf_load_probe(char *why, unsigned int size);

/* From here on libbpf prints nothing, and the first line of its next failure is kept. */
void bpf_load_quietly(void);

/* Prints that the programs could not be loaded, with that line. Returns @err. */
int bpf_load_failed(int err);

/*
 * Returns whether an object whose load failed with @err must be opened and loaded once more. A
 * signal, a stop or a freeze of the task interrupts the verifier, and libbpf tries each program
 * only five times. *@tries counts, from 0.
 */
bool bpf_load_interrupted(int err, unsigned int *tries);

/* That line, "": libbpf has said nothing since. */
const char *bpf_load_said(void);

/*
 * Maps the first @size bytes of the variables of @object, which is loaded, for both sides. Returns
 * 0, -EPROTO if they are fewer, or -errno.
 */
int bpf_map_variables(const struct bpf_object *object, size_t size, void **at);

/* Returns whether the kernel has the tracepoint @name. */
bool bpf_has_tracepoint(const struct btf *btf, const char *name);

/*
 * Returns whether programs find on this kernel what they need in an object that is built with
 * TLOB_BPF_OLDER only: backend/bpf/older.h.
 */
bool bpf_is_older(const struct btf *btf);

/* Returns whether programs may call bpf_@name(). */
bool bpf_has_helper(const struct btf *btf, const char *name);

/* Returns whether each CPU has the variable @name, and in *@offset where. */
bool bpf_find_percpu(const struct btf *btf, const char *name, __s64 *offset);

/* Returns whether the kernel has bpf_rdonly_cast(): BPF_CAST_CALL is called only then. */
bool bpf_has_cast(const struct btf *btf);

/*
 * Returns whether programs can read the counter of preemption, which distinguishes wake-ups by irqs
 * and by tasks.
 */
bool bpf_reads_preempt(const struct btf *btf);

/* Where programs find what an irq has interrupted. */
struct bpf_irq_regs_at bpf_find_irq_regs(const struct btf *btf);

#define BPF_WAKER_UNKNOWN	"programs cannot read the preemption counter: it is unknown which task, irq or softirq wakes a thread"

/*
 * Opens the object from @start to @end for the kernel of @btf, and fills in what its programs need
 * of bpf_percpu.h. NULL and errno after an error.
 */
struct bpf_object *bpf_load_open(const char *start, const char *end, const char *name,
				 const struct btf *btf);

/* Pids of BPF programs are from there. 0 or -EOPNOTSUPP, printed with @what works there only. */
int bpf_need_first_pidns(const char *what);

/* Calls of the loaded programs of @object that the kernel has skipped. */
uint64_t bpf_misses(const struct bpf_object *object);

#endif /* TLOB_MACHINE_BPF_LOAD_H */
