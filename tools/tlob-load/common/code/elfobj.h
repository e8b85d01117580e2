/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads ELF programs and shared libraries. The file may be garbage, cut off or
 * hostile: then the functions return an error.
 */
#ifndef TLOB_CODE_ELFOBJ_H
#define TLOB_CODE_ELFOBJ_H

#include <stdbool.h>
#include <stdint.h>

#include <gelf.h>

#define ELFOBJ_DEBUG_ROOT	"/usr/lib/debug"

struct elfobj {
	char	*path;			/* without links where possible; NULL: not open */
	int	 fd;
	uint64_t size;			/* bytes */
	Elf	*elf;
};

/*
 * Opens @path, a program or a shared library of 32 or 64 bits. 0, or -EINVAL with
 * one line in @why. elfobj_close() also accepts a zeroed struct.
 */
int  elfobj_open(struct elfobj *o, const char *path, char *why,
		 unsigned int size);
void elfobj_close(struct elfobj *o);

/* The first section of @type, with its header in @sh, or NULL. */
Elf_Scn *elfobj_section(const struct elfobj *o, uint32_t type, GElf_Shdr *sh);
/* The same for the section @name. */
Elf_Scn *elfobj_named(const struct elfobj *o, const char *name, GElf_Shdr *sh);

/*
 * Opens the separate file with the debug symbols of @o. It is found by build-id
 * below @root, or by .gnu_debuglink next to @o, in .debug/ and below @root. Files
 * whose build-id or CRC does not match @o are skipped. 0 or -ENOENT.
 */
int  elfobj_find_debug(const struct elfobj *o, const char *root,
		       struct elfobj *debug);

/* Returns whether @elf (NULL: no file) has the build-id of @n bytes at @wanted. */
bool elfobj_has_build_id(Elf *elf, const void *wanted, ssize_t n);

/*
 * The file offset of the byte at @address of the loaded program. 0; -ENOENT: the
 * byte does not come from the file; -EACCES: it lies outside executable segments.
 */
int  elfobj_offset(const struct elfobj *o, uint64_t address, uint64_t *offset);

/* True if the byte at @offset of the file lies in an executable segment. */
bool elfobj_is_code(const struct elfobj *o, uint64_t offset);

#endif /* TLOB_CODE_ELFOBJ_H */
