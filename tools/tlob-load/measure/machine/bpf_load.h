/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by all loaders of BPF programs. */
#ifndef TLOB_MACHINE_BPF_LOAD_H
#define TLOB_MACHINE_BPF_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/types.h>

#include "machine/bpf_kernel.h"

struct bpf_object;

/* bpf_object__load(), without the kernel's BTF beside libbpf's own. */
int bpf_load(struct bpf_object *object);

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

#define BPF_WAKER_UNKNOWN	"programs cannot read the preemption counter: it is unknown which task, irq or softirq wakes a thread"

/*
 * Opens the object from @start to @end, and fills in what its programs need of bpf_percpu.h. NULL and
 * errno after an error.
 */
struct bpf_object *bpf_load_open(const char *start, const char *end, const char *name);

/* Pids of BPF programs are from there. 0 or -EOPNOTSUPP, printed with @what works there only. */
int bpf_need_first_pidns(const char *what);

/* Calls of the loaded programs of @object that the kernel has skipped. */
uint64_t bpf_misses(const struct bpf_object *object);

#endif /* TLOB_MACHINE_BPF_LOAD_H */
