// SPDX-License-Identifier: GPL-2.0
/* Unwinding with libdw: a process is attached without stopping it; its memory is the copy. */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "code/demangle.h"
#include "code/program_files.h"
#include "machine/proc_counts.h"
#include "util/file.h"
#include "waits/unwind.h"

/* After execve() a process has another file, and another process of this pid starts later. */
struct program {
	uint64_t start;
	dev_t	dev;
	ino_t	ino;
};

/* What a JIT compiler makes is in no file, and memory grows: maps are read for one of so many copies. */
#define JIT_COPIES	8

/*
 * Symbols of a process take some MB and some file descriptors. They are kept for as many processes;
 * once a process is gone, until as many copies came of others: its own may come late.
 */
#define PROCESSES	64
#define LATE_COPIES	64
#define PLACES		65536	/* of files; then all are forgotten */

struct process {
	pid_t	pid;			/* 0: free */
	struct program program;		/* that the rest is known of */
	uint64_t used;			/* unwind.copies when its last copy came */
	Dwfl	*dwfl;			/* NULL: it was gone, or is no program */
	bool	ours;			/* its files have the names that the tool sees */
	const struct tlob_wait_copy *copy;	/* that is unwound now */
	uint64_t mapped, known;		/* its bytes at the last copy, and when the maps were read */
	uint64_t own;			/* instead of program_file_id(), for what is in no file */
	size_t	 dwarf;			/* bytes of its DWARF */
	unsigned int patience;		/* so many copies with such frames do not read the maps */
	bool	missed;			/* a word that the next frame needs is not in the copy */
};

/* The frames at an address of a file. To find them, libdw reads all symbols and DWARF of the file. */
struct code_frames {
	struct code_key {
		uint64_t file;		/* program_file_id(), or process.own */
		Dwarf_Addr at;
	} key;				/* first, for by_place() */
	size_t	 n;
	const struct wait_frame *frame[];
};

struct unwind {
	void	*frames;		/* tree of tsearch() */
	void	*places;		/* likewise */
	size_t	 nplaces;
	size_t	 dwarf_max;
	uint64_t copies;
	uint64_t last_own;
	struct process process[PROCESSES];
};

/* One unwinding, and the frames that it has found. */
struct walk {
	struct unwind *u;
	struct process *p;
	const struct wait_frame **frame;
	size_t	n;
	bool	unmapped;		/* one of them is in no file that is known */
};

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread)
{
	struct process *p = arg;

	(void)dwfl;
	if (*thread)
		return 0;
	*thread = p;
	return p->pid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
	(void)dwfl;
	(void)tid;
	*thread = arg;
	return true;
}

/*
 * @word without the signature that arm64 may have put on a return address. An address of a
 * stack stays the same, and no other word leads to a caller.
 */
static Dwarf_Word unsigned_word(Dwarf_Word word)
{
#ifdef __aarch64__
	register Dwarf_Word x30 asm("x30") = word;

	asm("hint #7" : "+r" (x30));	/* XPACLRI; does nothing where the CPU has no signatures */
	return x30;
#else
	return word;
#endif
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *result, void *arg)
{
	struct process *p = arg;
	uint64_t sp = p->copy->reg[TLOB_WAIT_REG_SP];

	(void)dwfl;
	if (addr < sp || addr - sp + sizeof(*result) > p->copy->length) {
		p->missed = true;
		return false;
	}
	memcpy(result, p->copy->data + (addr - sp), sizeof(*result));
	*result = unsigned_word(*result);
	return true;
}

/* The registers by which callers are found, with the numbers of the ABI for DWARF. */
static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	static const struct {
		int dwarf;
		enum tlob_wait_reg reg;
	} known[] = {
#ifdef __aarch64__
		{ 29, TLOB_WAIT_REG_FP }, { 30, TLOB_WAIT_REG_LR }, { 31, TLOB_WAIT_REG_SP },
#else
		{ 3, TLOB_WAIT_REG_BX }, { 6, TLOB_WAIT_REG_BP }, { 7, TLOB_WAIT_REG_SP },
		{ 12, TLOB_WAIT_REG_R12 }, { 13, TLOB_WAIT_REG_R13 },
		{ 14, TLOB_WAIT_REG_R14 }, { 15, TLOB_WAIT_REG_R15 },
#endif
	};
	const struct process *p = arg;
	Dwarf_Word value;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		value = unsigned_word(p->copy->reg[known[i].reg]);
		if (!dwfl_thread_state_registers(thread, known[i].dwarf, 1, &value))
			return false;
	}
	dwfl_thread_state_register_pc(thread, p->copy->reg[TLOB_WAIT_REG_IP]);
	return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static int by_texts(const void *pa, const void *pb)
{
	const struct wait_frame *a = pa, *b = pb;

	return strcmp(a->name, b->name) ?: strcmp(a->file, b->file) ?:
	       strcmp(a->build_id, b->build_id) ?: a->inlined - b->inlined;
}

static void free_frame(void *frame)
{
	struct wait_frame *f = frame;

	free((char *)f->name);
	free((char *)f->file);
	free((char *)f->build_id);
	free(f);
}

/* The frame with these texts. NULL: out of memory. */
static const struct wait_frame *intern(struct unwind *u, const char *name, const char *file,
				       const char *build_id, bool inlined)
{
	const struct wait_frame key = { name, file, build_id, inlined };
	struct wait_frame **found = tfind(&key, &u->frames, by_texts), *f;

	if (found)
		return *found;
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	*f = (struct wait_frame){ strdup(name), strdup(file), strdup(build_id), inlined };
	if (f->name && f->file && f->build_id && tsearch(f, &u->frames, by_texts))
		return f;
	free_frame(f);
	return NULL;
}

const struct wait_frame *unwind_raw(struct unwind *u, __u64 addr)
{
	char name[32];

	snprintf(name, sizeof(name), "0x%llx", (unsigned long long)addr);
	return intern(u, name, "", "", false);
}

const struct wait_frame *unwind_kernel(struct unwind *u, const char *name)
{
	return intern(u, name, "[kernel]", "", false);
}

static void add(struct walk *w, const struct wait_frame *f)
{
	if (f && w->n < UNWIND_FRAMES)
		w->frame[w->n++] = f;
}

static void add_named(struct walk *w, Dwfl_Module *module, const char *name, bool inlined)
{
	const char *file = NULL, *base;
	const unsigned char *id;
	char hex[128] = "", *source = demangle(name);
	GElf_Addr addr;
	size_t i, n;
	int length;

	dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, &file, NULL);
	base = file ? file : "";
	length = dwfl_module_build_id(module, &id, &addr);
	n = length > 0 ? (size_t)length : 0;
	for (i = 0; i < n && i < 60; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	add(w, intern(w->u, source ? source : name, base, hex, inlined));
	free(source);
}

static const char *die_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));

	return name ? name : dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attr));
}

/* The functions that were inlined at @pc, innermost first, where the file has DWARF. */
static void add_inlined(struct walk *w, Dwfl_Module *module, Dwarf_Addr pc)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = dwfl_module_addrdie(module, pc, &bias), *scope = NULL;
	int i, n = unit ? dwarf_getscopes(unit, pc - bias, &scope) : 0;

	for (i = 0; i < n && dwarf_tag(&scope[i]) != DW_TAG_subprogram; i++) {
		const char *name = NULL;

		if (dwarf_tag(&scope[i]) == DW_TAG_inlined_subroutine)
			name = die_name(&scope[i]);
		if (name)
			add_named(w, module, name, true);
	}
	free(scope);
}

static void add_function(struct walk *w, Dwfl_Module *module, Dwarf_Addr pc)
{
	const char *name = NULL, *file = NULL;
	char text[PATH_MAX + 32];
	Dwarf_Addr start;
	GElf_Off offset;
	GElf_Sym sym;

	name = dwfl_module_addrinfo(module, pc, &offset, &sym, NULL, NULL, NULL);
	if (!name || !*name) {
		name = dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, &file, NULL);
		/* the mapping also has a name where the file could not be opened */
		file = file ?: name;
		file = file && strrchr(file, '/') ? strrchr(file, '/') + 1 : "?";
		snprintf(text, sizeof(text), "%s+0x%llx", file,
			 (unsigned long long)(pc - start));
		name = text;
	}
	add_named(w, module, name, false);
}

static int by_place(const void *pa, const void *pb)
{
	const struct code_key *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

/* Without memory the next stack asks libdw again. */
static void remember(struct unwind *u, const struct code_key *key, const struct wait_frame **frame,
		     size_t n)
{
	struct code_frames *place = malloc(sizeof(*place) + n * sizeof(struct wait_frame *));
	size_t i;

	if (!place)
		return;
	if (u->nplaces == PLACES) {
		tdestroy(u->places, free);
		u->places = NULL;
		u->nplaces = 0;
	}
	place->key = *key;
	place->n = n;
	for (i = 0; i < n; i++)
		place->frame[i] = frame[i];
	if (tsearch(place, &u->places, by_place))
		u->nplaces++;
	else
		free(place);
}

/* Before the maps of @p are read again: something else may be at the same addresses. */
static void forget(struct unwind *u, struct process *p)
{
	p->own = ++u->last_own;
}

/* Fills in the file of @pc, and where in it. */
static struct code_key key_of(const struct process *p, Dwfl_Module *module, Dwarf_Addr pc)
{
	Dwarf_Addr bias;
	bool in_file = module && dwfl_module_getelf(module, &bias) && program_file_id(module);

	return (struct code_key){
		.file = in_file ? program_file_id(module) : p->own, .at = in_file ? pc - bias : pc,
	};
}

/* @pc: an address in the frame's code, before the return address. */
static void add_frame(struct walk *w, Dwarf_Addr pc)
{
	Dwfl_Module *module = dwfl_addrmodule(w->p->dwfl, pc);
	const struct code_key key = key_of(w->p, module, pc);
	const struct code_frames *const *found = tfind(&key, &w->u->places, by_place);
	size_t i, before = w->n;

	for (i = 0; found && i < (*found)->n; i++)
		add(w, (*found)->frame[i]);
	if (found)
		return;
	if (!module) {
		w->unmapped = true;
		add(w, unwind_raw(w->u, pc));
		return;
	}
	add_inlined(w, module, pc);
	add_function(w, module, pc);
	w->p->dwarf += program_file_dwarf(module);
	/* else it may be cut */
	if (w->n < UNWIND_FRAMES)
		remember(w->u, &key, w->frame + before, w->n - before);
}

static int take_frame(Dwfl_Frame *state, void *arg)
{
	struct walk *w = arg;
	bool activation;
	Dwarf_Addr pc;

	w->p->missed = false;	/* here, as dwfl_frame_pc() looks for the caller */
	if (!dwfl_frame_pc(state, &pc, &activation))
		return DWARF_CB_ABORT;
	add_frame(w, pc - !activation);
	return w->n < UNWIND_FRAMES ? DWARF_CB_OK : DWARF_CB_ABORT;
}

/*
 * Reports what the process has mapped. Where auxv may not be opened, which takes CAP_DAC_READ_SEARCH
 * besides CAP_SYS_PTRACE for another user's, it is all but the vDSO, in which nobody waits.
 */
static int report_maps(Dwfl *dwfl, pid_t pid)
{
	int err = dwfl_linux_proc_report(dwfl, pid);
	char path[64];
	FILE *f;

	if (err != EACCES)
		return err;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return errno;
	err = dwfl_linux_proc_maps_report(dwfl, f);
	fclose(f);
	return err;
}

/* Adds what the process has mapped since. Nothing is removed: it may be gone. */
static void map_again(struct unwind *u, struct process *p)
{
	forget(u, p);
	p->known = p->mapped;
	dwfl_report_begin_add(p->dwfl);
	report_maps(p->dwfl, p->pid);
	dwfl_report_end(p->dwfl, NULL, NULL);
}

static Dwfl *attach(struct process *p)
{
	Dwfl *dwfl = dwfl_begin(&program_files);

	if (!dwfl)
		return NULL;
	p->known = p->mapped;
	p->ours = program_files_are_ours(p->pid);
	program_files_of(p->pid, p->ours);
	if (!report_maps(dwfl, p->pid) &&
	    !dwfl_report_end(dwfl, NULL, NULL) &&
	    dwfl_attach_state(dwfl, NULL, p->pid, &thread_callbacks, p))
		return dwfl;
	dwfl_end(dwfl);
	return NULL;
}

/* Frames stay: others have them, too. */
static void free_process(struct process *p)
{
	if (p->dwfl)
		dwfl_end(p->dwfl);
	memset(p, 0, sizeof(*p));
}

static bool is_gone(pid_t pid)
{
	return kill(pid, 0) && errno == ESRCH;
}

/* Room for another process: of those that are gone, or of the one whose last copy is the oldest. */
static struct process *make_room(struct unwind *u)
{
	struct process *p, *oldest = u->process;

	for (p = u->process; p < u->process + PROCESSES; p++) {
		if (p->pid && p->used + LATE_COPIES < u->copies && is_gone(p->pid))
			free_process(p);
		if (p->used < oldest->used)
			oldest = p;
	}
	free_process(oldest);
	return oldest;
}

/* Frees what libdw knows of others, those first whose last copy is the oldest. */
static void bound_dwarf(struct unwind *u, const struct process *keep)
{
	struct process *p, *oldest;
	size_t bytes;

	do {
		bytes = 0;
		oldest = NULL;
		for (p = u->process; p < u->process + PROCESSES; p++) {
			bytes += p->dwarf;
			if (p != keep && p->dwarf && (!oldest || p->used < oldest->used))
				oldest = p;
		}
		if (bytes <= u->dwarf_max || !oldest)
			return;
		dwfl_end(oldest->dwfl);
		oldest->dwfl = NULL;
		oldest->dwarf = 0;
	} while (true);
}

/* False: the process is gone. */
static bool read_program(pid_t pid, struct program *now, uint64_t *mapped)
{
	char path[64], *text;
	struct stat exe;
	int err;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	if (stat(path, &exe))
		return false;
	/* /proc/PID/stat has the same two numbers, and adds up others of all threads */
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, pid);
	if (file_read(path, &text))
		return false;
	err = proc_start_time(text, &now->start) || proc_mapped(text, mapped);
	free(text);
	now->dev = exe.st_dev;
	now->ino = exe.st_ino;
	return !err;
}

static bool is_same(const struct program *a, const struct program *b)
{
	return a->start == b->start && a->dev == b->dev && a->ino == b->ino;
}

/* NULL: the process is gone, and nothing is known of it. */
static struct process *find_process(struct unwind *u, pid_t pid)
{
	struct process *p = u->process, *const end = p + PROCESSES;
	struct program now;
	uint64_t mapped;
	bool lives = read_program(pid, &now, &mapped);

	u->copies++;
	while (p < end && p->pid != pid)
		p++;
	if (p == end && !lives)
		return NULL;
	if (p == end)
		p = make_room(u);
	if (lives && !is_same(&p->program, &now)) {
		free_process(p);
		p->pid = pid;
		p->program = now;
		forget(u, p);
	}
	if (lives)
		p->mapped = mapped;
	p->used = u->copies;
	return p;
}

/* Makes sure that the maps have @ip, where something else may have been mapped before. */
static bool know(struct unwind *u, struct process *p, uint64_t ip)
{
	program_files_of(p->pid, p->ours);
	if (!p->dwfl)
		p->dwfl = attach(p);
	if (!p->dwfl || dwfl_addrmodule(p->dwfl, ip))
		return p->dwfl;
	map_again(u, p);
	if (dwfl_addrmodule(p->dwfl, ip))
		return true;
	dwfl_end(p->dwfl);
	p->dwarf = 0;
	p->dwfl = attach(p);
	return p->dwfl && dwfl_addrmodule(p->dwfl, ip);
}

/* To libdw a return address that it cannot read is the end of the stack. */
static bool walk(struct walk *w, const struct tlob_wait_copy *copy)
{
	bool whole;

	w->n = 0;
	w->unmapped = false;
	w->p->copy = copy;
	whole = !dwfl_getthread_frames(w->p->dwfl, w->p->pid, take_frame, w) && !w->p->missed;
	w->p->copy = NULL;
	return whole;
}

/* Whether a frame may be in a file that was mapped since the maps were read, as by dlopen(). */
static bool may_be_mapped(struct walk *w)
{
	if (!w->unmapped || w->p->mapped == w->p->known)
		return false;
	return !w->p->patience || !--w->p->patience;
}

size_t unwind_copy(struct unwind *u, const struct tlob_wait_copy *copy,
		   const struct wait_frame *frame[UNWIND_FRAMES], bool *whole)
{
	struct process *p = find_process(u, (pid_t)copy->tgid);
	struct walk w = { .u = u, .p = p, .frame = frame };

	*whole = false;
	if (!p || !copy->length || !know(u, p, copy->reg[TLOB_WAIT_REG_IP]))
		return 0;
	*whole = walk(&w, copy);
	if (may_be_mapped(&w)) {
		map_again(u, p);
		*whole = walk(&w, copy);
		p->patience = w.unmapped ? JIT_COPIES : 0;
	}
	bound_dwarf(u, p);
	return w.n;
}

size_t unwind_innermost(struct unwind *u, const struct tlob_wait_copy *copy,
			const struct wait_frame *frame[UNWIND_FRAMES])
{
	struct process *p = find_process(u, (pid_t)copy->tgid);
	struct walk w = { .u = u, .p = p, .frame = frame };

	if (!p || !know(u, p, copy->reg[TLOB_WAIT_REG_IP]))
		return 0;
	add_frame(&w, copy->reg[TLOB_WAIT_REG_IP]);
	bound_dwarf(u, p);
	return w.n;
}

struct unwind *unwind_new(size_t dwarf_max)
{
	struct unwind *u = calloc(1, sizeof(*u));

	/* libdw would ask servers for debug files, with the build-ids of all programs */
	unsetenv("DEBUGINFOD_URLS");
	if (u)
		u->dwarf_max = dwarf_max;
	return u;
}

void unwind_free(struct unwind *u)
{
	size_t i;

	if (!u)
		return;
	for (i = 0; i < PROCESSES; i++)
		free_process(&u->process[i]);
	tdestroy(u->places, free);
	tdestroy(u->frames, free_frame);
	free(u);
}
