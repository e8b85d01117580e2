// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin for QEMU that writes which code each window of tlob-load executes: see window.h. It
 * needs one CPU of x86-64 or arm64 that counts instructions (-icount shift=0). It only looks on:
 * with and without it the guest is the same to the instruction.
 *
 *	-plugin tlob-plugin.so,marks=FILE,out=FILE
 *
 * The format of both files is in docs/reference/explain.md.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qemu_api.h"
#include "window.h"

/* Set before QEMU reads it: see qemu_api.h. */
QEMU_EXPORT int qemu_plugin_version = QEMU_API_OLDEST;

static void __attribute__((constructor)) announce(void)
{
	qemu_plugin_version = qemu_api_announced();
}

/*
 * Each instruction adds 1 as it begins. The number of instructions in a block is not enough: a
 * block is left early by an exception or an access to a device.
 */
static struct qemu_counter executed;
static int api_version;			/* of QEMU */
static const char *out_path;
static ending_function ending_of;
static enum { BOOTING, WAKING, WATCHING, DONE } state;
static unsigned long wanted;		/* windows; 0: all until the end */

#define MOST_BYTES	15		/* of an x86 instruction */

static void on_block(unsigned int cpu, void *data)
{
	(void)cpu;
	if (state == DONE)
		return;
	block_begins(data, qemu_counter_read(&executed));
	if (wanted && windows_seen() == wanted)
		state = DONE;
}

static void on_memory(unsigned int cpu, qemu_plugin_meminfo_t info,
		      uint64_t address, void *data)
{
	(void)cpu;
	(void)data;
	memory_accessed(address, 1U << qemu_plugin_mem_size_shift(info));
}

static void instrument(struct qemu_plugin_tb *tb, size_t n)
{
	struct qemu_plugin_insn *insn = NULL;
	uint8_t buf[MOST_BYTES];
	const uint8_t *code;
	struct block *b;
	size_t i, size;

	b = malloc(sizeof(*b) + (n + 1) * sizeof(b->offset[0]));
	if (!b) {
		fprintf(stderr, "tlob-plugin: out of memory\n");
		_exit(1);
	}
	b->n = n;
	b->address = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
	b->mark = mark_of(b->address);
	for (i = 0; i < n; i++) {
		insn = qemu_plugin_tb_get_insn(tb, i);
		b->offset[i] = qemu_plugin_insn_vaddr(insn) - b->address;
		qemu_counter_add(&executed, insn);
		qemu_plugin_register_vcpu_mem_cb(insn, on_memory,
			QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
	}
	b->offset[n] = b->offset[n - 1] + qemu_plugin_insn_size(insn);
	code = qemu_insn_bytes(api_version, insn, buf, sizeof(buf), &size);
	b->ending = ending_of(code, size);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block,
					     QEMU_PLUGIN_CB_NO_REGS, b);
}

static void watch(qemu_plugin_id_t id);

/*
 * Nothing is counted before the first mark is reached and behind the last window: most of what a
 * guest executes is its boot and its end. At the mark QEMU forgets its blocks, before it executes
 * that one, and translates all again. At the end it must not: QEMU 7.2 may have a list of callbacks
 * for memory in use, when a block was left early, and frees it. So only new blocks are left alone.
 */
static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	if (!n)
		return;
	if (state == WATCHING) {
		instrument(tb, n);
	} else if (state == BOOTING &&
		   mark_of(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)))) {
		state = WAKING;
		qemu_plugin_reset(id, watch);
	}
}

/* A file without its last line is not complete: the tool refuses it. */
static void on_exit_of_qemu(qemu_plugin_id_t id, void *data)
{
	int err = windows_finish();

	(void)id;
	(void)data;
	if (err) {
		fprintf(stderr, "tlob-plugin: out=%s: %s\n", out_path, strerror(-err));
		unlink(out_path);
	}
}

static void listen(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
}

static void watch(qemu_plugin_id_t id)
{
	state = WATCHING;
	listen(id);
}

struct marks {
	uint64_t address[NR_MARKS];
	uint64_t *wake;
	unsigned long n, room;
	unsigned long windows;		/* 0: not known */
};

static int add_wake(struct marks *m, const char *number)
{
	unsigned long room = m->room ? 2 * m->room : 4096;
	void *p;

	if (m->n == m->room) {
		p = realloc(m->wake, room * sizeof(*m->wake));
		if (!p)
			return -ENOMEM;
		m->wake = p;
		m->room = room;
	}
	m->wake[m->n++] = strtoull(number, NULL, 10);
	return 0;
}

static int read_mark(struct marks *m, const char *line)
{
	static const char * const name[NR_MARKS] = {
		[MARK_ARM] = "arm ", [MARK_FIRE] = "fire ",
		[MARK_BEGIN] = "begin ", [MARK_END] = "end ",
	};
	enum mark i;

	if (!strncmp(line, "wake ", 5))
		return add_wake(m, line + 5);
	if (!strncmp(line, "windows ", 8)) {
		m->windows = strtoul(line + 8, NULL, 10);
		return 0;
	}
	for (i = MARK_ARM; i < NR_MARKS; i++)
		if (!strncmp(line, name[i], strlen(name[i]))) {
			m->address[i] = strtoull(line + strlen(name[i]), NULL, 16);
			return 0;
		}
	return -EINVAL;
}

/*
 * "arm ADDRESS" ... of the marks, in hexadecimal, "windows N", then a line "wake NS" for each
 * window. A region has only "begin", "end" and "windows".
 */
static int read_marks(FILE *f, struct marks *m)
{
	char line[80];
	int err = 0;

	while (!err && fgets(line, sizeof(line), f))
		err = read_mark(m, line);
	if (!err && (!m->address[MARK_BEGIN] || !m->address[MARK_END] ||
		     !m->address[MARK_ARM] != !m->address[MARK_FIRE]))
		err = -EINVAL;
	return err ? err : ferror(f) ? -EIO : 0;
}

static int start(const char *marks_path)
{
	struct marks m = { .n = 0 };
	FILE *f = fopen(marks_path, "r"), *out;
	int err;

	if (!f) {
		err = -errno;
		fprintf(stderr, "tlob-plugin: marks=%s: %s\n", marks_path, strerror(errno));
		return err;
	}
	err = read_marks(f, &m);
	fclose(f);
	if (err) {
		fprintf(stderr, "tlob-plugin: marks=%s: %s\n", marks_path,
			err == -EINVAL ? "invalid; see docs/reference/explain.md" : strerror(-err));
		free(m.wake);
		return err;
	}
	out = fopen(out_path, "w");
	if (!out) {
		err = -errno;
		fprintf(stderr, "tlob-plugin: out=%s: %s\n", out_path, strerror(errno));
		free(m.wake);
		return err;
	}
	wanted = m.windows;
	/* the windows keep m.wake */
	return windows_init(out, m.address, m.wake, m.n);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	const char *marks = NULL;
	int i;

	if (!strcmp(info->target_name, "x86_64"))
		ending_of = ending_of_x86_64;
	else if (!strcmp(info->target_name, "aarch64"))
		ending_of = ending_of_arm64;
	if (!ending_of || !info->system_emulation || info->system.max_vcpus != 1) {
		fprintf(stderr, "tlob-plugin: needs qemu-system-x86_64 or qemu-system-aarch64 with one CPU\n");
		return -1;
	}
	api_version = info->version.cur;
	if (api_version < QEMU_API_OLDEST || api_version > QEMU_API_NEWEST) {
		fprintf(stderr, "tlob-plugin: this QEMU has version %d of the plugin API: use one with a version from %d to %d\n",
			api_version, QEMU_API_OLDEST, QEMU_API_NEWEST);
		return -1;
	}
	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "marks=", 6)) {
			marks = argv[i] + 6;
		} else if (!strncmp(argv[i], "out=", 4)) {
			out_path = argv[i] + 4;
		} else {
			fprintf(stderr, "tlob-plugin: unknown argument %s\n", argv[i]);
			return -1;
		}
	}
	if (!marks || !out_path) {
		fprintf(stderr, "tlob-plugin: give marks=FILE,out=FILE\n");
		return -1;
	}
	out_path = strdup(out_path);	/* QEMU keeps @argv, but does not promise it */
	if (!out_path || start(marks))
		return -1;
	qemu_counter_init(&executed);
	listen(id);
	return 0;
}
