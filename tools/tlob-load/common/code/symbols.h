/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds places in a program or a shared library by name.
 *
 *	place = SYMBOL [ "+" number ]
 *	      | "0x" hexadecimal		an offset in the file
 *	      | PROVIDER ":" NAME		a static probe: usdt.h
 *
 * A C++ or Rust function has its name as in the source, whole or its end:
 * "audio::Engine::process(int)", "Engine::process", "process". The mangled name is
 * also accepted. If several functions fit, the error lists them.
 *
 * A symbol is looked up in .symtab. A stripped file has none: then .symtab of its
 * separate debug file is used, or else .dynsym. Uprobes need an offset in the file:
 *
 *	st_value - p_vaddr + p_offset
 *
 * of the PT_LOAD that contains the symbol. The program headers always come from the file
 * itself, because a debug file lacks the contents that they describe.
 */
#ifndef TLOB_CODE_SYMBOLS_H
#define TLOB_CODE_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "binding.h"
#include "code/elfobj.h"

struct symbols {
	struct elfobj file;
	struct elfobj debug;		/* .path NULL: none */
	bool	stripped;		/* neither file has a .symtab */
};

/*
 * Opens @path and, if it is stripped, its debug file below @debug_root (normally
 * ELFOBJ_DEBUG_ROOT). 0, or -EINVAL with one line in @why.
 */
int  symbols_open(struct symbols *s, const char *path, const char *debug_root,
		  char *why, unsigned int size);
void symbols_close(struct symbols *s);

/* The table with the most names, and in *@of the file that has it; NULL: none. */
Elf_Scn *symbols_table(const struct symbols *s, const struct elfobj **of);

/*
 * The file offsets of @place: one, or all of a static probe. *@name is the place as the
 * source names it; malloc()ed. 0, or -EINVAL with one line in @why that suggests what to
 * do: similar names, the places to choose from, or the libraries to look in.
 */
int  symbols_find(const struct symbols *s, const char *place, struct tlob_offsets *places,
		  char **name, char *why, unsigned int size);

/*
 * Writes up to three functions of @elf's section @scn whose names resemble @wanted
 * to @text, as the source has them, the best first: "a, b or c". False: there are
 * none.
 */
bool symbols_suggest(Elf *elf, Elf_Scn *scn, const char *wanted, char *text,
		     unsigned int size);

#endif /* TLOB_CODE_SYMBOLS_H */
