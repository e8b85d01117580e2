/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Places in a program or a shared library by their names.
 *
 *	place = SYMBOL [ "+" number ]
 *	      | "0x" hexadecimal		an offset in the file, as it is
 *
 * A symbol is looked for in .symtab; of a stripped file in that of its separate debug
 * file, then in .dynsym. A place is an offset in the file, which is what a uprobe
 * wants:
 *
 *	st_value - p_vaddr + p_offset
 *
 * of the PT_LOAD that has the symbol. That is the file's own, always: the program
 * headers of a debug file name offsets where it has nothing.
 */
#ifndef TLOB_SYMBOLS_H
#define TLOB_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "code/elfobj.h"

struct symbols {
	struct elfobj file;
	struct elfobj debug;		/* .path NULL: there is none */
	bool	stripped;		/* neither has a .symtab */
};

/* 0, or -EINVAL with one line in @why. @debug_root: ELFOBJ_DEBUG_ROOT. */
int  symbols_open(struct symbols *s, const char *path, const char *debug_root,
		  char *why, unsigned int size);
void symbols_close(struct symbols *s);

/*
 * The offset in the file of @place. 0, or -EINVAL with one line in @why that says
 * what to do: names that are like it, the places it could be, the libraries it
 * could be in.
 */
int  symbols_find(const struct symbols *s, const char *place, uint64_t *offset,
		  char *why, unsigned int size);

/*
 * Names like @wanted among the symbols of @elf's section @scn, best first, as
 * "a, b or c" into @text. False: none is.
 */
bool symbols_suggest(Elf *elf, Elf_Scn *scn, const char *wanted, char *text,
		     unsigned int size);

#endif /* TLOB_SYMBOLS_H */
