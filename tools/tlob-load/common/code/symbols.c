// SPDX-License-Identifier: GPL-2.0
/* Looking up places, and messages that name the likely mistake. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"
#include "code/demangle.h"
#include "code/symbols.h"
#include "code/usdt.h"
#include "util/text.h"
#include "util/usage.h"

#define refuse(...) usage_error(why, size, __VA_ARGS__)

#define MAX_FOUND	4	/* places of one name in a message */
#define LIST_LEN	256

/* The symbols of one name. */
struct found {
	const char *name;
	size_t	 length;		/* of the name */
	enum name_fit fit;		/* NAME_DIFFERS: the symbol's own name */
	size_t	 n;			/* different places, also beyond MAX_FOUND */
	GElf_Sym at[MAX_FOUND];
	const char *symbol[MAX_FOUND];
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
	if (f->fit != NAME_DIFFERS)
		return demangle_fit(name, f->name) == f->fit;
	return !strncmp(name, f->name, f->length) &&
	       (!name[f->length] || !strncmp(name + f->length, "@@", 2));
}

static void add_place(struct found *f, const GElf_Sym *sym, const char *symbol,
		      const char *source)
{
	size_t i;

	for (i = 0; i < f->n && i < MAX_FOUND; i++)
		if (f->at[i].st_value == sym->st_value)
			return;		/* an alias */
	if (f->n < MAX_FOUND) {
		f->at[f->n] = *sym;
		f->symbol[f->n] = symbol;
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
			add_place(f, &sym, name, source);
	}
}

/* The table with the most names: see symbols.h. */
Elf_Scn *symbols_table(const struct symbols *s, const struct elfobj **of)
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
	scn = symbols_table(s, &o);
	if (scn && symbols_suggest(o->elf, scn, f->name, list, sizeof(list)))
		return refuse("%s has no symbol %s: did you mean %s?", s->file.path,
			    f->name, list);
	if (s->stripped)
		return refuse("%s has no symbol %s: the file is stripped, and its debug symbols are not installed",
			    s->file.path, f->name);
	return refuse("%s has no symbol %s: was it inlined? nm lists the symbols that exist",
		    s->file.path, f->name);
}

/* Shows each place by its offset, which is unique, and what else is known. */
static int ambiguous(const struct symbols *s, const struct found *f,
		     char *why, unsigned int size)
{
	char list[LIST_LEN * MAX_FOUND], *text;
	const char *more;
	size_t i, n = 0;
	uint64_t offset;

	list[0] = '\0';
	for (i = 0; i < f->n && i < MAX_FOUND; i++) {
		if (elfobj_offset(&s->file, f->at[i].st_value, &offset))
			continue;
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s0x%" PRIx64,
				      n ? ", " : "", offset);
		text = f->fit == NAME_DIFFERS ? NULL : demangle(f->symbol[i]);
		more = text ? text : f->source[i];
		if (more)
			n += (size_t)snprintf(list + n, sizeof(list) - n,
					      " (%.200s)", more);
		free(text);
	}
	return refuse("%s has %zu %s named %s: give the %soffset of one: %s%s",
		    s->file.path, f->n, f->fit == NAME_DIFFERS ? "symbols" : "functions",
		    f->name, f->fit == NAME_DIFFERS ? "" : "whole name or the ", list,
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
		scn = symbols_table(s, &o);
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

/* The places that the file or its debug file has for @f->name, if it fits so. */
static void find_everywhere(const struct symbols *s, struct found *f)
{
	const struct elfobj *o;
	Elf_Scn *scn = symbols_table(s, &o);
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

/* The symbol of this name; else the function of the source; else those that end so. */
static void find_best(const struct symbols *s, struct found *f)
{
	static const enum name_fit fits[] = {
		NAME_DIFFERS, NAME_IS, NAME_IS_PLAIN, NAME_ENDS_SO,
	};
	size_t i;

	for (i = 0; i < sizeof(fits) / sizeof(fits[0]) && !f->n; i++) {
		f->fit = fits[i];
		find_everywhere(s, f);
	}
}

/* "work+0x4", with the name that the source has for @symbol. malloc()ed, or NULL. */
static char *source_name(const char *symbol, uint64_t plus)
{
	char *text = demangle(symbol), *name = NULL;
	int n;

	n = plus ? asprintf(&name, "%s+0x%" PRIx64, text ? text : symbol, plus) :
		   asprintf(&name, "%s", text ? text : symbol);
	free(text);
	return n < 0 ? NULL : name;
}

static int find_symbol(const struct symbols *s, const char *wanted, uint64_t plus,
		       uint64_t *offset, char **name, char *why, unsigned int size)
{
	struct found f = { .name = wanted, .length = strlen(wanted) };
	uint64_t bytes, address;
	int err;

	find_best(s, &f);
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
			    wanted, plus, bytes);
	if (plus > UINT64_MAX - address)
		return refuse("%s+0x%" PRIx64 " is beyond the address space", wanted, plus);
	err = elfobj_offset(&s->file, address + plus, offset);
	if (err)
		return refuse(err == -EACCES ?
			    "%s is not in an executable segment of %s" :
			    "%s is not in a segment that is loaded from %s",
			    wanted, s->file.path);
	*name = source_name(f.symbol[0], plus);
	return *name ? 0 : refuse("out of memory");
}

/* The + of SYMBOL+OFFSET in @place, or NULL. It may belong to a C++ operator. */
static const char *find_sign(const char *place)
{
	const char *sign = strrchr(place, '+');
	__u64 number;

	if (sign && tlob_binding_offset(sign + 1, place + strlen(place), &number) &&
	    strstr(place, "operator"))
		return NULL;
	return sign;
}

static int copy_name(const char *place, char **name, char *why, unsigned int size)
{
	*name = strdup(place);
	return *name ? 0 : refuse("out of memory");
}

static int find_offset(const struct symbols *s, const char *place,
		       struct tlob_offsets *places, char *why, unsigned int size)
{
	__u64 number;

	if (tlob_binding_offset(place, place + strlen(place), &number))
		return refuse("invalid offset '%s': give a hexadecimal number, as in 0x1139",
			    place);
	if (!elfobj_is_code(&s->file, number))
		return refuse("offset %s is not in an executable segment of %s",
			    place, s->file.path);
	*places = (struct tlob_offsets){ 1, { number } };
	return 0;
}

int symbols_find(const struct symbols *s, const char *place, struct tlob_offsets *places,
		 char **name, char *why, unsigned int size)
{
	const char *end = place + strlen(place), *sign = find_sign(place);
	uint64_t offset = 0;
	__u64 plus = 0;
	char *symbol;
	int err;

	if (!strncmp(place, "0x", 2))
		return find_offset(s, place, places, why, size) ?:
		       copy_name(place, name, why, size);
	if (is_probe_name(place))
		return usdt_find(&s->file, place, places, why, size) ?:
		       copy_name(place, name, why, size);
	if (sign && tlob_binding_offset(sign + 1, end, &plus))
		return refuse("invalid place '%s': give a number after the +, as in work+0x1c",
			    place);
	symbol = strndup(place, sign ? (size_t)(sign - place) : strlen(place));
	if (!symbol)
		return refuse("out of memory");
	if (*symbol)
		err = find_symbol(s, symbol, plus, &offset, name, why, size);
	else
		err = refuse("invalid place '%s': give SYMBOL, SYMBOL+OFFSET, 0xOFFSET or PROVIDER:NAME",
			   place);
	free(symbol);
	if (!err)
		*places = (struct tlob_offsets){ 1, { offset } };
	return err;
}
