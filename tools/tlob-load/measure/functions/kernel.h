/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of the running kernel, and which of them can be traced. All files are
 * below a root directory, so that tests have kernels of their own.
 */
#ifndef TLOB_FUNCTIONS_KERNEL_H
#define TLOB_FUNCTIONS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's word on whether a symbol can be traced. */
enum traceable {
	TRACEABLE_NOT,			/* inlined everywhere, or marked notrace */
	TRACEABLE_UNSURE,		/* several have this name, and only some can be traced */
	TRACEABLE_YES,
};

struct kernel_function {
	uint64_t address;
	const char *name;		/* several may have one address, or one name */
	const char *module;		/* "": the kernel itself */
	enum traceable traceable;
	bool no_kprobe;			/* the kernel part has kprobes, which refuse it */
	bool taken;			/* by a set; valid in the first of an address */
};

struct kernel_functions {
	struct kernel_function *at;	/* by address */
	size_t	 n;
	char	*symbols, *list;	/* the texts */
};

/*
 * Reads @root/proc/kallsyms, and available_filter_functions_addrs or, before Linux 6.5,
 * available_filter_functions. Where the kernel part has kretprobes, also the list of
 * what kprobes refuse, if debugfs is mounted. 0 or -errno, printed.
 */
int  kernel_functions_read(struct kernel_functions *k, const char *root);
void kernel_functions_free(struct kernel_functions *k);

#endif /* TLOB_FUNCTIONS_KERNEL_H */
