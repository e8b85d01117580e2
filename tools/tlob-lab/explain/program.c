// SPDX-License-Identifier: GPL-2.0
/* Prints symbols of programs and libraries like symbols of a kernel. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "code/symbols.h"
#include "explain/program.h"
#include "util/array.h"
#include "util/error.h"
#include "util/printable.h"
#include "util/text.h"

#define FILE_LEN	200		/* of a file's name in the list of symbols */

/* The addresses of a file in the guest. */
struct file_at {
	uint64_t base;			/* is added to addresses of the file */
	uint64_t start, end;		/* in the guest */
	char	 name[FILE_LEN];
};

struct function {
	uint64_t start, size;		/* addresses of the file */
	const char *name;
	bool	 global;
};

/*
 * Where Linux loads a position-independent program if /proc/sys/kernel/randomize_va_space is 0: at
 * two thirds of the address space, rounded down to what the program's segments are aligned to.
 */
static uint64_t load_address(Elf *elf, const GElf_Ehdr *header)
{
	/* arm64 has 48 bits, x86-64 has 47, without the last page */
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

/* A blank would end the name, and ";" separates the names of a stack. */
static void print_word(FILE *f, const char *name, size_t n)
{
	size_t i, length;

	for (i = 0; i < n; i += length) {
		length = printable_char(name + i, n - i);
		if (!length || strchr(" ;[]", name[i])) {
			length = 1;
			fputc('?', f);
		} else {
			fwrite(name + i, 1, length, f);
		}
	}
}

static void set_name(struct file_at *p, const char *path)
{
	snprintf(p->name, sizeof(p->name), "%s", without_folders(path));
}

/* @address: of the file. */
static void print_symbol(FILE *f, const struct file_at *p, uint64_t address, char type,
			 const char *name)
{
	address += p->base;
	if (address < p->start || address >= p->end)
		return;
	fprintf(f, "\n%" PRIx64 " %c ", address, type);
	/* without the version: memcpy for memcpy@@GLIBC_2.14 */
	print_word(f, name, strcspn(name, "@"));
	fputs("\t[", f);
	print_word(f, p->name, strlen(p->name));
	fputc(']', f);
}

static int by_start(const void *pa, const void *pb)
{
	const struct function *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->size < b->size ? -1 : a->size > b->size;
}

/* The functions of a table, by address. */
static int get_functions(const struct symbols *s, struct function **list, size_t *n)
{
	const struct elfobj *o;
	Elf_Scn *table = symbols_table(s, &o);
	Elf_Data *data = table ? elf_getdata(table, NULL) : NULL;
	struct function *to;
	const char *name;
	size_t room = 0;
	GElf_Shdr sh;
	GElf_Sym sym;
	int i;

	*list = NULL;
	*n = 0;
	if (!data || !gelf_getshdr(table, &sh))
		return 0;
	for (i = 0; gelf_getsym(data, i, &sym); i++) {
		if ((GELF_ST_TYPE(sym.st_info) != STT_FUNC &&
		     GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC) || sym.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(o->elf, sh.sh_link, sym.st_name);
		if (!name || !*name || *name == '@')
			continue;
		to = array_add(*list, *n, room);
		if (!to)
			return fail(-ENOMEM, "out of memory");
		*to = (struct function){
			sym.st_value, sym.st_size, name, GELF_ST_BIND(sym.st_info) == STB_GLOBAL,
		};
		++*n;
	}
	if (*n)
		qsort(*list, *n, sizeof(**list), by_start);
	return 0;
}

/* Prints the functions of @list in one section, and its name for code between them. */
static void print_section(FILE *f, const struct file_at *p, const GElf_Shdr *sh, const char *name,
			  const struct function *list, size_t n)
{
	uint64_t end = sh->sh_addr + sh->sh_size, covered = sh->sh_addr, until;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct function *s = &list[i];

		if (s->start < sh->sh_addr || s->start >= end)
			continue;
		if (s->start > covered)
			print_symbol(f, p, covered, 't', name);
		print_symbol(f, p, s->start, s->global ? 'T' : 't', s->name);
		/* one of assembler code may have no size: up to the next one */
		until = s->size && s->size < end - s->start ? s->start + s->size :
			s->size ? end : i + 1 < n && list[i + 1].start < end ? list[i + 1].start : end;
		covered = until > covered ? until : covered;
	}
	if (covered < end)
		print_symbol(f, p, covered, 't', name);
}

static int print_functions(FILE *f, const struct symbols *s, const struct file_at *p)
{
	struct function *list;
	Elf_Scn *section = NULL;
	const char *name;
	size_t n, strings;
	GElf_Shdr sh;
	int err = get_functions(s, &list, &n);

	if (!err && !elf_getshdrstrndx(s->file.elf, &strings))
		while ((section = elf_nextscn(s->file.elf, section))) {
			if (!gelf_getshdr(section, &sh) || !(sh.sh_flags & SHF_EXECINSTR))
				continue;
			name = elf_strptr(s->file.elf, strings, sh.sh_name);
			print_section(f, p, &sh, name ? name : "code", list, n);
		}
	free(list);
	return err;
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

int program_symbols(FILE *f, const char *path)
{
	struct file_at p = { 0 };
	struct symbols s;
	GElf_Ehdr header;
	char why[200];
	uint64_t end;
	int err = symbols_open(&s, path, ELFOBJ_DEBUG_ROOT, why, sizeof(why));

	if (err)
		return fail(err, "%s", why);
	end = end_of_code(s.file.elf);
	if (end && gelf_getehdr(s.file.elf, &header)) {
		p.base = load_address(s.file.elf, &header);
		p.end = p.base + end;
		set_name(&p, path);
		err = print_functions(f, &s, &p);
		fprintf(f, "\n%" PRIx64 " t [user]\n", p.end);
	}
	symbols_close(&s);
	return err;
}

/* ---- what a guest has mapped ---- */

/* Finds what is added to the addresses of a file whose byte at @offset is at @address. */
static bool base_of(Elf *elf, uint64_t offset, uint64_t address, uint64_t *base)
{
	GElf_Phdr ph;
	size_t n, i;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		/* the kernel maps from the beginning of a page on, which may be before the segment */
		if (offset < ph.p_offset + ph.p_filesz && offset + 65536 > ph.p_offset) {
			*base = address - offset - (ph.p_vaddr - ph.p_offset);
			return true;
		}
	}
	return false;
}

/* 0, 1 if nothing of @m is known, or -ENOMEM. */
static int print_mapping(FILE *f, const struct mapping *m, const char *host)
{
	struct file_at p = { .start = m->start, .end = m->end };
	struct symbols s;
	char why[200];
	int err = 1;

	if (symbols_open(&s, host, ELFOBJ_DEBUG_ROOT, why, sizeof(why)))
		return 1;
	set_name(&p, m->path);
	if (base_of(s.file.elf, m->offset, m->start, &p.base))
		err = print_functions(f, &s, &p);
	symbols_close(&s);
	return err;
}

/* A mapping without a file that could be read. Its name stands for all its code: "[vdso]" */
static void print_whole(FILE *f, const struct mapping *m)
{
	struct file_at p = { 0 };

	set_name(&p, m->path);
	fprintf(f, "\n%" PRIx64 " t [", m->start);
	if (*p.name == '[')
		print_word(f, p.name + 1, strcspn(p.name + 1, "]"));
	else
		print_word(f, p.name, strlen(p.name));
	fputc(']', f);
}

int program_mapped(FILE *f, const struct mapped *m, const char *packed)
{
	const struct mapping *at;
	int err = 0, known;
	char *host;
	size_t i;

	for (i = 0; i < m->n && err >= 0; i++) {
		at = &m->mapping[i];
		host = mapped_host(packed, at->path);
		known = host ? print_mapping(f, at, host) : 1;
		free(host);
		err = known < 0 ? known : 0;
		if (known > 0)
			print_whole(f, at);
		if (i + 1 == m->n || m->mapping[i + 1].start != at->end)
			fprintf(f, "\n%" PRIx64 " t [user]\n", at->end);
	}
	return err;
}
