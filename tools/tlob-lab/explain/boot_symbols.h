/* SPDX-License-Identifier: GPL-2.0 */
/* The symbols of a boot, from the guest and from a file of one's own. */
#ifndef TLOB_EXPLAIN_BOOT_SYMBOLS_H
#define TLOB_EXPLAIN_BOOT_SYMBOLS_H

/* The files that have symbols. */
struct symbol_files {
	const char *guest;		/* what the guest has saved of /proc/kallsyms */
	const char *kernel;		/* System.map or a copy of /proc/kallsyms, or NULL */
	const char *program;		/* the ELF file with the code of user space, or NULL */
	const char *mapped;		/* what the program has mapped, or NULL: see mapped.h */
	const char *packed;		/* with @mapped: where these files are on this machine */
};

/*
 * Reads symbols. With @kernel, the kernel's come from there and only the modules' from the guest.
 * Functions of the program and its libraries are added like functions of modules: see program.h.
 * *@text is for ksyms_parse() and free(). 0 or -errno, printed; -EINVAL if @kernel is not the file
 * of the guest's kernel.
 */
int symbols_read(const struct symbol_files *files, char **text);

#endif /* TLOB_EXPLAIN_BOOT_SYMBOLS_H */
