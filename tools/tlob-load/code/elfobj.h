/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An ELF file, program or shared library, of which nothing is believed: it may be
 * garbage, cut off or hostile, and then there is an error.
 */
#ifndef TLOB_ELFOBJ_H
#define TLOB_ELFOBJ_H

#include <stdbool.h>
#include <stdint.h>

#include <gelf.h>

#define ELFOBJ_DEBUG_ROOT	"/usr/lib/debug"

struct elfobj {
	char	*path;			/* without links if it has a name; NULL: not open */
	int	 fd;
	uint64_t size;			/* bytes */
	Elf	*elf;
};

/*
 * Opens @path, a program or a shared library of 32 or 64 bits. 0, or -EINVAL with
 * one line in @why. elfobj_close() takes a zeroed one, too.
 */
int  elfobj_open(struct elfobj *o, const char *path, char *why,
		 unsigned int size);
void elfobj_close(struct elfobj *o);

/* The first section of @type with its header, or NULL. */
Elf_Scn *elfobj_section(const struct elfobj *o, uint32_t type, GElf_Shdr *sh);

/*
 * Opens the file that has the symbols which were stripped from @o: by the
 * build-id below @root, or by .gnu_debuglink beside the file, in .debug/ there and
 * below @root. One that does not belong to @o, by its build-id or CRC, is passed
 * over. 0, or -ENOENT.
 */
int  elfobj_find_debug(const struct elfobj *o, const char *root,
		       struct elfobj *debug);

/*
 * Where the byte that is loaded to @address lies in the file. 0; -ENOENT: it
 * does not come from the file, or this is cut off; -EACCES: it is not loaded to be executed.
 */
int  elfobj_offset(const struct elfobj *o, uint64_t address, uint64_t *offset);

/* Whether the byte at @offset of the file is loaded to be executed. */
bool elfobj_is_code(const struct elfobj *o, uint64_t offset);

#endif /* TLOB_ELFOBJ_H */
