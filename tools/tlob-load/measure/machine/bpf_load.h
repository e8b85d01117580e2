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
struct bpf_program;

/* bpf_object__load(), without the kernel's BTF beside libbpf's own. */
int bpf_load(struct bpf_object *object);

/* An object that is a part of the tool. */
struct bpf_image { const char *start, *end; };

/* Puts @file into the tool, as the Makefile has built it, and defines the image @name. */
#define BPF_EMBED(name, file)						\
	__asm__(".pushsection .rodata, \"a\"\n"				\
		".balign 8\n"						\
		#name "_start: .incbin \"" file "\"\n"			\
		#name "_end:\n"						\
		".popsection\n");					\
	extern const char name##_start[], name##_end[];			\
	static const struct bpf_image name = { name##_start, name##_end }

/* 0, or -EOPNOTSUPP and in @why what BPF programs lack here at all. Prints nothing. */
int bpf_load_probe(char *why, unsigned int size);

/* From here on libbpf prints nothing, and the first line of its next failure is kept. */
void bpf_load_quietly(void);

/* Does that and reads the kernel's BTF. 0 or -errno, printed. */
int bpf_load_begin(void);

/* Prints that the programs could not be loaded, with that line. Returns @err. */
int bpf_load_failed(int err);

/*
 * Calls @load, which opens *@object and loads it, until the verifier is not interrupted: a signal,
 * a stop or a freeze of the task does that, and libbpf tries each program only five times. 0 or
 * -errno, not printed. Forgets the kernel's BTF.
 */
int bpf_load_tries(struct bpf_object **object, int (*load)(void *of), void *of);

/* That line, "": libbpf has said nothing since. */
const char *bpf_load_said(void);

/* Before loading: the value of the variables in the section @name, or room in the map @name. */
int bpf_set_value(const struct bpf_object *object, const char *name, const void *value, size_t size);
int bpf_set_room(const struct bpf_object *object, const char *name, unsigned int n);

#define BPF_VARIABLES	".bss"

/*
 * Maps the map @name of the loaded @object for both sides: @n elements, each of @size bytes, a
 * multiple of 8; of variables the first @size. Returns NULL if @n is 0, after an error that *@err
 * has already, and after one that it gets: -EPROTO if the sizes differ, or -errno.
 */
void *bpf_map_memory(const struct bpf_object *object, const char *name, size_t n, size_t size,
		     int *err);

#define BPF_WAKER_UNKNOWN	"programs cannot read the preemption counter: it is unknown which task, irq or softirq wakes a thread"

/*
 * Opens @image into *@object, and fills in what its programs need of bpf_percpu.h. 0 or -errno: *@object
 * is NULL.
 */
int bpf_load_open(struct bpf_object **object, const struct bpf_image *image, const char *name);

/* Pids of BPF programs are from there. 0 or -EOPNOTSUPP, printed with @what works there only. */
int bpf_need_first_pidns(const char *what);

/* Calls of the loaded programs of @object that the kernel has skipped, except @is_left_out (or NULL). */
uint64_t bpf_misses(const struct bpf_object *object, bool (*is_left_out)(const struct bpf_program *p));

#endif /* TLOB_MACHINE_BPF_LOAD_H */
