/* SPDX-License-Identifier: GPL-2.0 */
/* The symbols of a boot, from the guest and from a file of one's own. */
#ifndef TLOB_EXPLAIN_SYMBOLS_H
#define TLOB_EXPLAIN_SYMBOLS_H

/*
 * Reads the symbols that the guest has saved in @guest. With @kernel, a System.map or a copy of
 * /proc/kallsyms, the kernel's symbols come from there and only the modules' from the guest. With
 * @program, an ELF file, its functions are added as those of a module: see program.h. *@text
 * is for ksyms_parse() and free(). 0 or -errno, printed; -EINVAL if @kernel is of another kernel
 * than the guest's, or of none.
 */
int symbols_read(const char *guest, const char *kernel, const char *program, char **text);

#endif /* TLOB_EXPLAIN_SYMBOLS_H */
