// SPDX-License-Identifier: GPL-2.0
/*
 * A QEMU for test_plugin_api.sh: it has the plugin API of version API (a macro) as that version
 * publishes it, and "executes" one window. Built with -rdynamic: the plugin finds the functions
 * here. Each version is a program of its own, because one symbol has two prototypes.
 *
 * Usage: plugin_qemu_API PLUGIN MARKS OUT
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef API			/* for static checks: the newest that the plugin takes */
#define API	6
#endif
#define LEAST	(API >= 2 ? 2 : 0)	/* announced versions that it takes */

#include "plugin_published.h"

#if API < 2
typedef struct {
	struct qemu_plugin_scoreboard *score;
} qemu_plugin_u64;
#endif

struct qemu_plugin_scoreboard {
	uint64_t *data;
};

#define MOST_INSNS	2

struct qemu_plugin_insn {
	uint64_t address;
	const char *code;
	size_t size;
	uint64_t *inline_at, inline_add;
	qemu_plugin_u64 entry;
	bool has_entry;
};

struct qemu_plugin_tb {
	size_t n;
	struct qemu_plugin_insn insn[MOST_INSNS];
	qemu_plugin_vcpu_udata_cb_t cb;
	void *userdata;
};

static void (*translation)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
static qemu_plugin_udata_cb_t at_exit;
static qemu_plugin_simple_cb_t reset;

/* ---- as published: all versions ---- */

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
	void (*cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb))
{
	(void)id;
	translation = cb;
}

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
	qemu_plugin_vcpu_udata_cb_t cb, enum qemu_plugin_cb_flags flags, void *userdata)
{
	(void)flags;
	tb->cb = cb;
	tb->userdata = userdata;
}

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
	void (*cb)(unsigned int vcpu_index, qemu_plugin_meminfo_t info, uint64_t vaddr,
		   void *userdata),
	enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *userdata)
{
	(void)insn;
	(void)cb;
	(void)flags;
	(void)userdata;
	if (rw != QEMU_PLUGIN_MEM_RW)
		exit(1);
}

void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t cb, void *userdata)
{
	(void)id;
	(void)userdata;
	at_exit = cb;
}

/* QEMU does this before it executes the next block. */
void qemu_plugin_reset(qemu_plugin_id_t id, qemu_plugin_simple_cb_t cb)
{
	(void)id;
	reset = cb;
}

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb)
{
	return tb->n;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx)
{
	return (struct qemu_plugin_insn *)&tb->insn[idx];
}

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
	return insn->size;
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
	return insn->address;
}

unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info)
{
	return info & 7;
}

/* ---- what versions add, change and remove ---- */

#if API < 3
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn)
{
	return insn->code;
}
#else
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t len)
{
	size_t n = len < insn->size ? len : insn->size;

	memcpy(dest, insn->code, n);
	return n;
}
#endif

#if API < 2
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
	enum qemu_plugin_op op, void *ptr, uint64_t imm)
{
	if (op != QEMU_PLUGIN_INLINE_ADD_U64)
		exit(1);
	insn->inline_at = ptr;
	insn->inline_add = imm;
}
#else
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t element_size)
{
	struct qemu_plugin_scoreboard *s = malloc(sizeof(*s));

	if (!s)
		exit(1);
	s->data = calloc(1, element_size);
	return s;
}

/* Adding a CPU moves all scoreboards: what was found before is stale. */
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned int vcpu_index)
{
	return vcpu_index ? NULL : score->data;
}

void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
	enum qemu_plugin_op op, qemu_plugin_u64 entry, uint64_t imm)
{
	if (op != QEMU_PLUGIN_INLINE_ADD_U64 || entry.offset)
		exit(1);
	insn->entry = entry;
	insn->has_entry = true;
	insn->inline_add = imm;
}
#endif

#if API >= 4
bool qemu_plugin_read_memory_vaddr(uint64_t addr, struct _GByteArray *data, size_t len)
{
	return addr && data && len;
}
#endif
#if API >= 5
bool qemu_plugin_write_memory_vaddr(uint64_t addr, struct _GByteArray *data)
{
	return addr && data;
}
#endif
#if API >= 6
void qemu_plugin_set_pc(uint64_t vaddr)
{
	exit(vaddr != 0);
}
#endif

/* ---- a guest ---- */

static void run(struct qemu_plugin_tb *tb)
{
	size_t i;

	if (tb->cb)
		tb->cb(0, tb->userdata);
	for (i = 0; i < tb->n; i++) {
		struct qemu_plugin_insn *insn = &tb->insn[i];

		if (insn->has_entry)
			insn->entry.score->data[0] += insn->inline_add;
		else if (insn->inline_at)
			*insn->inline_at += insn->inline_add;
	}
}

#define BLOCKS	7

/*
 * nop and the last one: hlt, which is also executed while the guest boots, a nop at the mark of
 * arming, rdtsc at each other mark, a nop before which the window is complete, and the guest's end
 */
static const struct {
	uint64_t address;
	const char *last;
	size_t size;
} block[BLOCKS] = {
	{ 0x5000, "\xf4", 1 }, { 0x1000, "\x90", 1 }, { 0x2000, "\x0f\x31", 2 },
	{ 0x3000, "\x0f\x31", 2 }, { 0x4000, "\x0f\x31", 2 }, { 0x6000, "\x90", 1 },
	{ 0x7000, "\x90", 1 },
};

#define ORDER	9

static const unsigned int order[ORDER] = { 0, 0, 1, 0, 2, 3, 4, 5, 6 };

static struct qemu_plugin_tb tb[BLOCKS];

/* Requests are carried out between two blocks. */
static void do_reset(void)
{
	qemu_plugin_simple_cb_t cb = reset;

	if (!cb)
		return;
	reset = NULL;
	translation = NULL;
	at_exit = NULL;
	memset(tb, 0, sizeof(tb));
	cb(1);
}

/* A block is translated before it is executed for the first time, and once more after a reset. */
static struct qemu_plugin_tb *translated(unsigned int i)
{
	do_reset();
	while (!tb[i].n) {
		tb[i] = (struct qemu_plugin_tb){
			.n = 2, .insn = {
				{ .address = block[i].address, .code = "\x90", .size = 1 },
				{ .address = block[i].address + 1, .code = block[i].last,
				  .size = block[i].size },
			},
		};
		translation(1, &tb[i]);
		do_reset();
	}
	return &tb[i];
}

int main(int argc, char **argv)
{
	int (*install)(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv);
	qemu_info_t info = {
		.target_name = "x86_64", .version = { LEAST, API }, .system_emulation = true,
		.system = { 1, 1 },
	};
	char marks[4096], out[4096], *arguments[] = { marks, out };
	void *plugin = dlopen(argc == 4 ? argv[1] : "", RTLD_NOW);
	int *version = plugin ? dlsym(plugin, "qemu_plugin_version") : NULL;
	size_t i;

	if (!version) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	printf("announced %d\n", *version);
	if (*version < LEAST || *version > API)
		return 1;
	*(void **)&install = dlsym(plugin, "qemu_plugin_install");
	snprintf(marks, sizeof(marks), "marks=%s", argv[2]);
	snprintf(out, sizeof(out), "out=%s", argv[3]);
	if (!install || install(1, &info, 2, arguments))
		return 1;
	for (i = 0; i < ORDER; i++) {
		run(translated(order[i]));
		if ((i < 2 || i == ORDER - 1) && tb[order[i]].cb) {
			fprintf(stderr, "counted before the first or behind the last window\n");
			return 1;
		}
	}
	at_exit(1, NULL);
	return 0;
}
