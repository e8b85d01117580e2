// SPDX-License-Identifier: GPL-2.0
/* Symbols of a program as those of a kernel. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <gelf.h>

#include "code/elfobj.h"
#include "explain/program.h"
#include "util/error.h"

/*
 * Where Linux loads a position-independent program if /proc/sys/kernel/randomize_va_space is 0: at
 * two thirds of the address space, rounded down to what the program's segments are aligned to.
 */
static uint64_t load_address(Elf *elf, const GElf_Ehdr *header)
{
	/* of 48 bits; that of x86-64 has 47, without the last page */
	uint64_t space = header->e_machine == EM_AARCH64 ? 1ULL << 48 : (1ULL << 47) - 4096;
	uint64_t align = 4096;
	GElf_Phdr ph;
	size_t n, i;

	if (header->e_type != ET_DYN || elf_getphdrnum(elf, &n))
		return 0;
	for (i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD &&
		    ph.p_align > align && !(ph.p_align & (ph.p_align - 1)))
			align = ph.p_align;
	return space / 3 * 2 / align * align;
}

/* The end of the last executable segment. */
static uint64_t end_of_code(Elf *elf)
{
	uint64_t end = 0;
	GElf_Phdr ph;
	size_t n, i;

	if (elf_getphdrnum(elf, &n))
		return 0;
	for (i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD &&
		    (ph.p_flags & PF_X) && ph.p_vaddr + ph.p_memsz > end)
			end = ph.p_vaddr + ph.p_memsz;
	return end;
}

static void print_functions(FILE *f, Elf *elf, Elf_Scn *section, const GElf_Shdr *sh,
			    uint64_t base, const char *name)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const char *symbol;
	GElf_Sym s;
	int i;

	for (i = 0; data && gelf_getsym(data, i, &s); i++) {
		if (GELF_ST_TYPE(s.st_info) != STT_FUNC || s.st_shndx == SHN_UNDEF)
			continue;
		symbol = elf_strptr(elf, sh->sh_link, s.st_name);
		/* a blank would end the name */
		if (symbol && *symbol && !strpbrk(symbol, " \t\n"))
			fprintf(f, "\n%" PRIx64 " %c %s\t[%s]", base + s.st_value,
				GELF_ST_BIND(s.st_info) == STB_GLOBAL ? 'T' : 't', symbol, name);
	}
}

int program_symbols(FILE *f, const char *path, const char *name)
{
	struct elfobj o = { 0 };
	Elf_Scn *section;
	GElf_Ehdr header;
	GElf_Shdr sh;
	uint64_t base, end;
	char why[200];
	int err = elfobj_open(&o, path, why, sizeof(why));

	if (err)
		return fail(err, "%s: %s", path, why);
	section = elfobj_section(&o, SHT_SYMTAB, &sh);
	end = end_of_code(o.elf);
	if (section && end && gelf_getehdr(o.elf, &header)) {
		base = load_address(o.elf, &header);
		print_functions(f, o.elf, section, &sh, base, name);
		fprintf(f, "\n%" PRIx64 " t [user]\n", base + end);
	}
	elfobj_close(&o);
	return 0;
}
