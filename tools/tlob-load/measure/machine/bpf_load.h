/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by all loaders of BPF programs. */
#ifndef TLOB_MACHINE_BPF_LOAD_H
#define TLOB_MACHINE_BPF_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/types.h>

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

/* That line, "": libbpf has said nothing since. */
const char *bpf_load_said(void);

/*
 * Maps the first @size bytes of the variables of @object, which is loaded, for both sides. Returns
 * 0, -EPROTO if they are fewer, or -errno.
 */
int bpf_map_variables(const struct bpf_object *object, size_t size, void **at);

/* Returns whether the kernel has the tracepoint @name. */
bool bpf_has_tracepoint(const struct btf *btf, const char *name);

/* Returns whether each CPU has the variable @name, and in *@offset where. */
bool bpf_find_percpu(const struct btf *btf, const char *name, __s64 *offset);

/*
 * Chooses the program of waits/bpf/waker.h that can distinguish wake-ups by irqs and by tasks in
 * this kernel. 0 or -errno, printed.
 */
int bpf_choose_waking(const struct btf *btf, const char **chosen);

/* Pids of BPF programs are from there. 0 or -EOPNOTSUPP, printed with @what works there only. */
int bpf_need_first_pidns(const char *what);

/* Calls of the loaded programs of @object that the kernel has skipped. */
uint64_t bpf_misses(const struct bpf_object *object);

#endif /* TLOB_MACHINE_BPF_LOAD_H */
