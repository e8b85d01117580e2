// SPDX-License-Identifier: GPL-2.0
/* Reading the notes of static probes. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "code/usdt.h"
#include "util/near.h"
#include "util/usage.h"

#define NOTE_TYPE	3		/* of owner "stapsdt" */
#define BASE_SECTION	".stapsdt.base"
#define MAX_LISTED	4		/* of too many */
#define LIST_LEN	512

#define refuse(...) usage_error(why, size, __VA_ARGS__)

/* One note. */
struct probe {
	uint64_t address, base, semaphore;
	const char *provider, *name;
};

/* The wanted probe, as far as the notes so far show it. */
struct search {
	const char *wanted;		/* PROVIDER:NAME */
	size_t	 n;			/* places, also those that at has no room for */
	struct probe at[TLOB_BINDING_OFFSETS];
	size_t	 nnear;
	char	 near[LIST_LEN];	/* similar names */
	bool	 any;			/* the file has probes */
};

/* The address of the section that all notes refer to; prelink may have moved it. 0: none. */
static uint64_t base_of(const struct elfobj *o)
{
	GElf_Shdr sh;

	return elfobj_named(o, BASE_SECTION, &sh) ? sh.sh_addr : 0;
}

static uint64_t get_address(const char *at, size_t bytes)
{
	uint32_t v32;
	uint64_t v64;

	if (bytes == sizeof(v32)) {
		memcpy(&v32, at, sizeof(v32));
		return v32;
	}
	memcpy(&v64, at, sizeof(v64));
	return v64;
}

/* Reads the @size bytes at @desc: three addresses, then strings. False if they are cut off. */
static bool read_probe(const struct elfobj *o, const char *desc, size_t size,
		       struct probe *p)
{
	size_t bytes = gelf_getclass(o->elf) == ELFCLASS32 ? 4 : 8, left;

	if (size < 3 * bytes)
		return false;
	p->address = get_address(desc, bytes);
	p->base = get_address(desc + bytes, bytes);
	p->semaphore = get_address(desc + 2 * bytes, bytes);
	p->provider = desc + 3 * bytes;
	left = size - 3 * bytes;
	p->name = memchr(p->provider, 0, left);
	if (!p->name)
		return false;
	p->name++;
	left -= (size_t)(p->name - p->provider);
	return memchr(p->name, 0, left);
}

static void look_at(struct search *s, const struct probe *p)
{
	char name[256];
	size_t i;

	s->any = true;
	if (snprintf(name, sizeof(name), "%s:%s", p->provider, p->name) >= (int)sizeof(name))
		return;
	if (strcmp(name, s->wanted)) {
		if (near_edits(name, s->wanted) == NEAR_NOT || strstr(s->near, name) ||
		    s->nnear + strlen(name) + 3 > LIST_LEN)
			return;
		s->nnear += (size_t)snprintf(s->near + s->nnear, LIST_LEN - s->nnear,
					     "%s%s", s->nnear ? ", " : "", name);
		return;
	}
	for (i = 0; i < s->n && i < TLOB_BINDING_OFFSETS; i++)
		if (s->at[i].address == p->address)
			return;
	if (s->n < TLOB_BINDING_OFFSETS)
		s->at[s->n] = *p;
	s->n++;
}

static void look_in(const struct elfobj *o, Elf_Scn *scn, struct search *s)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t at = 0, name, desc;
	const char *bytes;
	struct probe p;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &desc))) {
		bytes = data->d_buf;
		if (note.n_type == NOTE_TYPE && note.n_namesz == sizeof("stapsdt") &&
		    !memcmp(bytes + name, "stapsdt", sizeof("stapsdt")) &&
		    read_probe(o, bytes + desc, note.n_descsz, &p))
			look_at(s, &p);
	}
}

static int not_found(const struct elfobj *o, const struct search *s, char *why,
		     unsigned int size)
{
	if (*s->near)
		return refuse("%s has no probe %s: did you mean %s?", o->path, s->wanted,
			      s->near);
	if (s->any)
		return refuse("%s has no probe %s: readelf -n lists its probes (stapsdt)",
			      o->path, s->wanted);
	return refuse("%s has no probe %s: it was built without static probes (USDT)",
		      o->path, s->wanted);
}

/* The file offset of @p, or -EINVAL. */
static int place_of(const struct elfobj *o, const struct probe *p, uint64_t base,
		    uint64_t *offset)
{
	uint64_t moved = base && p->base ? base - p->base : 0;

	return elfobj_offset(o, p->address + moved, offset) ? -EINVAL : 0;
}

static int too_many(const struct elfobj *o, const struct search *s, uint64_t base,
		    char *why, unsigned int size)
{
	char list[MAX_LISTED * 24] = "";
	uint64_t offset;
	size_t i, n = 0;

	for (i = 0; i < MAX_LISTED; i++)
		if (!place_of(o, &s->at[i], base, &offset))
			n += (size_t)snprintf(list + n, sizeof(list) - n,
					      "%s0x%" PRIx64, n ? ", " : "", offset);
	return refuse("%s has the probe %s at %zu places, more than the %d that tlob-load can watch: give the offset of one: %s, ...",
		      o->path, s->wanted, s->n, TLOB_BINDING_OFFSETS, list);
}

/* Adds the place of @p to @places. */
static int add_place(const struct elfobj *o, const struct search *s, const struct probe *p,
		     uint64_t base, struct tlob_offsets *places, char *why,
		     unsigned int size)
{
	uint64_t offset;

	if (p->semaphore)
		return refuse("the probe %s is off until a semaphore in the program is counted up, which tlob-load cannot do: choose another place",
			      s->wanted);
	if (place_of(o, p, base, &offset))
		return refuse("the probe %s is not in an executable segment of %s",
			      s->wanted, o->path);
	/* segments that overlap can give two addresses the same offset */
	if (!tlob_offsets_have(places, offset))
		places->at[places->nr++] = offset;
	return 0;
}

int usdt_find(const struct elfobj *o, const char *place, struct tlob_offsets *places,
	      char *why, unsigned int size)
{
	struct search s = { .wanted = place };
	Elf_Scn *scn = NULL;
	uint64_t base;
	GElf_Shdr sh;
	int err = 0;
	size_t i;

	while ((scn = elf_nextscn(o->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE)
			look_in(o, scn, &s);
	base = base_of(o);
	if (!s.n)
		return not_found(o, &s, why, size);
	if (s.n > TLOB_BINDING_OFFSETS)
		return too_many(o, &s, base, why, size);
	places->nr = 0;
	for (i = 0; i < s.n && !err; i++)
		err = add_place(o, &s, &s.at[i], base, places, why, size);
	return err;
}
