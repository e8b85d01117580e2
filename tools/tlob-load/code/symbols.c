// SPDX-License-Identifier: GPL-2.0
/* Looking up places, and messages that name the likely mistake. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"
#include "code/symbols.h"
#include "util/usage.h"

#define refuse(...) usage_error(why, size, __VA_ARGS__)

#define MAX_FOUND	4	/* places of one name in a message */
#define LIST_LEN	256

/* What a symbol table has under one name. */
struct found {
	const char *name;
	size_t	 length;		/* of the name */
	size_t	 n;			/* different places, also beyond MAX_FOUND */
	GElf_Sym at[MAX_FOUND];
	const char *source[MAX_FOUND];	/* the source file, or NULL */
	bool	 undefined;
};

int symbols_open(struct symbols *s, const char *path, const char *debug_root,
		 char *why, unsigned int size)
{
	GElf_Shdr sh;
	int err;

	memset(s, 0, sizeof(*s));
	err = elfobj_open(&s->file, path, why, size);
	if (err)
		return err;
	s->stripped = !elfobj_section(&s->file, SHT_SYMTAB, &sh) &&
		      elfobj_find_debug(&s->file, debug_root, &s->debug);
	return 0;
}

void symbols_close(struct symbols *s)
{
	elfobj_close(&s->debug);
	elfobj_close(&s->file);
}

/* In .symtab of a library a name may carry its version: memcpy@@GLIBC_2.14. */
static bool has_name(const struct found *f, const char *name)
{
	return !strncmp(name, f->name, f->length) &&
	       (!name[f->length] || !strncmp(name + f->length, "@@", 2));
}

static void add_place(struct found *f, const GElf_Sym *sym, const char *source)
{
	size_t i;

	for (i = 0; i < f->n && i < MAX_FOUND; i++)
		if (f->at[i].st_value == sym->st_value)
			return;		/* an alias */
	if (f->n < MAX_FOUND) {
		f->at[f->n] = *sym;
		f->source[f->n] = GELF_ST_BIND(sym->st_info) == STB_LOCAL ?
				  source : NULL;
	}
	f->n++;
}

/* A version of a name that new programs are not linked with. */
static bool is_old_version(Elf_Data *versions, int i)
{
	GElf_Versym v;

	return versions && gelf_getversym(versions, i, &v) && v & 0x8000;
}

static void find_name(const struct elfobj *o, Elf_Scn *scn, struct found *f)
{
	Elf_Data *data = elf_getdata(scn, NULL), *versions = NULL;
	const char *name, *source = NULL;
	GElf_Shdr sh, version_sh;
	Elf_Scn *version_scn;
	GElf_Sym sym;
	int i;

	if (!data || !gelf_getshdr(scn, &sh))
		return;
	version_scn = sh.sh_type == SHT_DYNSYM ?
		      elfobj_section(o, SHT_GNU_versym, &version_sh) : NULL;
	if (version_scn)
		versions = elf_getdata(version_scn, NULL);
	for (i = 0; gelf_getsym(data, i, &sym); i++) {
		unsigned int type = GELF_ST_TYPE(sym.st_info);

		if (type == STT_SECTION || type == STT_TLS)
			continue;
		name = elf_strptr(o->elf, sh.sh_link, sym.st_name);
		if (type == STT_FILE)
			source = name;
		else if (!name || !has_name(f, name))
			continue;
		else if (sym.st_shndx == SHN_UNDEF)
			f->undefined = true;
		else if (!is_old_version(versions, i))
			add_place(f, &sym, source);
	}
}

/* The table with the most names: see symbols.h. */
static Elf_Scn *best_table(const struct symbols *s, const struct elfobj **of)
{
	GElf_Shdr sh;
	Elf_Scn *scn;

	*of = &s->file;
	scn = elfobj_section(*of, SHT_SYMTAB, &sh);
	if (!scn && s->debug.path) {
		*of = &s->debug;
		scn = elfobj_section(*of, SHT_SYMTAB, &sh);
	}
	if (scn)
		return scn;
	*of = &s->file;
	return elfobj_section(*of, SHT_DYNSYM, &sh);
}

/* " (libm.so.6, libc.so.6)": the libraries of the file, or "". */
static const char *list_libraries(const struct elfobj *o, char text[LIST_LEN])
{
	GElf_Shdr sh;
	Elf_Scn *scn = elfobj_section(o, SHT_DYNAMIC, &sh);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	const char *name;
	GElf_Dyn dyn;
	int i, n = 0;

	text[0] = '\0';
	for (i = 0; data && gelf_getdyn(data, i, &dyn); i++) {
		name = dyn.d_tag == DT_NEEDED ?
		       elf_strptr(o->elf, sh.sh_link, dyn.d_un.d_val) : NULL;
		if (name && n < LIST_LEN / 2)
			n += snprintf(text + n, LIST_LEN - (size_t)n, "%s%.64s",
				      n ? ", " : " (", name);
	}
	if (n)
		snprintf(text + n, LIST_LEN - (size_t)n, ")");
	return text;
}

static int not_found(const struct symbols *s, const struct found *f,
		     char *why, unsigned int size)
{
	const struct elfobj *o;
	char list[3 * LIST_LEN];
	Elf_Scn *scn;

	if (f->undefined)
		return refuse("%s is not defined in %s, but in a library it is linked with%s: give --library PATH",
			    f->name, s->file.path,
			    list_libraries(&s->file, list));
	scn = best_table(s, &o);
	if (scn && symbols_suggest(o->elf, scn, f->name, list, sizeof(list)))
		return refuse("%s has no symbol %s: did you mean %s?", s->file.path,
			    f->name, list);
	if (s->stripped)
		return refuse("%s has no symbol %s: the file is stripped, and its debug symbols are not installed",
			    s->file.path, f->name);
	return refuse("%s has no symbol %s: was it inlined? nm lists the symbols that exist",
		    s->file.path, f->name);
}

/* Shows the offset of each place, since the names are equal. */
static int ambiguous(const struct symbols *s, const struct found *f,
		     char *why, unsigned int size)
{
	char list[LIST_LEN * MAX_FOUND];
	size_t i, n = 0;
	uint64_t offset;

	list[0] = '\0';
	for (i = 0; i < f->n && i < MAX_FOUND; i++) {
		if (elfobj_offset(&s->file, f->at[i].st_value, &offset))
			continue;
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s0x%" PRIx64,
				      n ? ", " : "", offset);
		if (f->source[i])
			n += (size_t)snprintf(list + n, sizeof(list) - n,
					      " (%.200s)", f->source[i]);
	}
	return refuse("%s has %zu symbols named %s: give the offset of one: %s%s",
		    s->file.path, f->n, f->name, list,
		    f->n > MAX_FOUND ? ", ..." : "");
}

static int check_symbol(const struct symbols *s, const struct found *f,
			char *why, unsigned int size)
{
	unsigned int type = GELF_ST_TYPE(f->at[0].st_info);
	char list[3 * LIST_LEN];
	const struct elfobj *o;
	Elf_Scn *scn;

	if (type == STT_GNU_IFUNC) {
		scn = best_table(s, &o);
		if (!symbols_suggest(o->elf, scn, f->name, list, sizeof(list)))
			list[0] = '\0';
		return refuse("%s is an IFUNC, which the program resolves when it starts: name the function that it resolves to%s%s",
			    f->name, *list ? ", perhaps " : "", list);
	}
	if (type == STT_OBJECT || type == STT_COMMON)
		return refuse("%s is data, not a function", f->name);
	if (f->at[0].st_shndx == SHN_ABS)
		return refuse("%s is a number, not a function", f->name);
	return 0;
}

/* The places that the file or its debug file has for @f->name. */
static void find_everywhere(const struct symbols *s, struct found *f)
{
	const struct elfobj *o;
	Elf_Scn *scn = best_table(s, &o);
	GElf_Shdr sh;

	if (!scn)
		return;
	find_name(o, scn, f);
	if (f->n)
		return;
	/* A debug file made by hand may lack names that .dynsym has. */
	scn = elfobj_section(&s->file, SHT_DYNSYM, &sh);
	if (scn)
		find_name(&s->file, scn, f);
}

static int find_symbol(const struct symbols *s, const char *name,
		       uint64_t plus, uint64_t *offset, char *why,
		       unsigned int size)
{
	struct found f = { .name = name, .length = strlen(name) };
	uint64_t bytes, address;
	int err;

	find_everywhere(s, &f);
	if (!f.n)
		return not_found(s, &f, why, size);
	if (f.n > 1)
		return ambiguous(s, &f, why, size);
	err = check_symbol(s, &f, why, size);
	if (err)
		return err;
	bytes = f.at[0].st_size;
	address = f.at[0].st_value;
	if (plus && bytes && plus >= bytes)
		return refuse("%s+0x%" PRIx64 " is past the end of the function, which has 0x%" PRIx64 " bytes",
			    name, plus, bytes);
	if (plus > UINT64_MAX - address)
		return refuse("%s+0x%" PRIx64 " is beyond the address space", name, plus);
	err = elfobj_offset(&s->file, address + plus, offset);
	if (err)
		return refuse(err == -EACCES ?
			    "%s is not in an executable segment of %s" :
			    "%s is not in a segment that is loaded from %s",
			    name, s->file.path);
	return 0;
}

int symbols_find(const struct symbols *s, const char *place, uint64_t *offset,
		 char *why, unsigned int size)
{
	const char *end = place + strlen(place), *sign = strrchr(place, '+');
	uint64_t plus = 0;
	__u64 number;
	char *name;
	int err;

	if (!strncmp(place, "0x", 2)) {
		if (tlob_binding_offset(place, end, &number))
			return refuse("invalid offset '%s': give a hexadecimal number, as in 0x1139",
				    place);
		if (!elfobj_is_code(&s->file, number))
			return refuse("offset %s is not in an executable segment of %s",
				    place, s->file.path);
		*offset = number;
		return 0;
	}
	if (sign) {
		if (tlob_binding_offset(sign + 1, end, &number))
			return refuse("invalid place '%s': give a number after the +, as in work+0x1c",
				    place);
		plus = number;
	}
	name = strndup(place, sign ? (size_t)(sign - place) : strlen(place));
	if (!name)
		return refuse("out of memory");
	if (*name)
		err = find_symbol(s, name, plus, offset, why, size);
	else
		err = refuse("invalid place '%s': give SYMBOL, SYMBOL+OFFSET or 0xOFFSET",
			   place);
	free(name);
	return err;
}
