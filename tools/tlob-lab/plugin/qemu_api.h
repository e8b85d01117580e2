/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of QEMU's plugin API that this plugin uses, versions 1 to 6, as QEMU 6.0 and later
 * publish it. A distribution has QEMU, but not always the header, so it is written down here.
 *
 * One file serves all versions. What a version lacks is a weak reference, so the dynamic linker
 * leaves it NULL; that also shows which version to announce before QEMU has said its own.
 *
 *	version 2 (QEMU 9.0)	inline operations count in a scoreboard
 *	version 3 (QEMU 9.1)	insn_data() copies to the caller's buffer
 *	versions 4 to 6		what is used here is as in version 3
 *	version 7		gives all callbacks other arguments: refused
 *
 * With QEMU's own qemu-plugin.h before this file, its types are taken and the compiler compares
 * all that both declare: tests/lint/plugin-headers.
 */
#ifndef TLOB_PLUGIN_QEMU_API_H
#define TLOB_PLUGIN_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_EXPORT	__attribute__((visibility("default")))
#define QEMU_WEAK	__attribute__((weak))

#define QEMU_API_OLDEST	1
#define QEMU_API_NEWEST	6

#ifndef QEMU_PLUGIN_VERSION
typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;

typedef struct {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	union {
		struct {
			int smp_vcpus, max_vcpus;
		} system;
	};
} qemu_info_t;

enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS,
};

enum qemu_plugin_mem_rw {
	QEMU_PLUGIN_MEM_RW = 3,
};

enum qemu_plugin_op {
	QEMU_PLUGIN_INLINE_ADD_U64,
};
#endif

#if !defined(QEMU_PLUGIN_VERSION) || QEMU_PLUGIN_VERSION < 2
struct qemu_plugin_scoreboard;

typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;
#endif

/* the types that QEMU and the plugin exchange, however each declares them */
_Static_assert(offsetof(qemu_info_t, version.cur) == 12 &&
	       offsetof(qemu_info_t, system_emulation) == 16 &&
	       offsetof(qemu_info_t, system.max_vcpus) == 24, "qemu_info_t");
_Static_assert(sizeof(qemu_plugin_u64) == 16 && offsetof(qemu_plugin_u64, offset) == 8,
	       "qemu_plugin_u64");
_Static_assert(sizeof(qemu_plugin_id_t) == 8 && sizeof(qemu_plugin_meminfo_t) == 4, "integers");
_Static_assert(QEMU_PLUGIN_CB_NO_REGS == 0 && QEMU_PLUGIN_MEM_RW == 3 &&
	       QEMU_PLUGIN_INLINE_ADD_U64 == 0, "enumerators");

/* what QEMU looks for in the plugin */
extern QEMU_EXPORT int qemu_plugin_version;
QEMU_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
				    int argc, char **argv);

/* ---- what every version has ---- */

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
	void (*cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
	void (*cb)(unsigned int cpu, void *data),
	enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
	void (*cb)(unsigned int cpu, qemu_plugin_meminfo_t info,
		   uint64_t address, void *data),
	enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
	void (*cb)(qemu_plugin_id_t id, void *data), void *data);
/* Unregisters all of @id, and forgets all blocks; then calls @cb. */
void qemu_plugin_reset(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t id));

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t i);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);

/* ---- what differs ---- */

/* version 1 */
QEMU_WEAK void qemu_plugin_register_vcpu_insn_exec_inline(
	struct qemu_plugin_insn *insn, enum qemu_plugin_op op, void *ptr,
	uint64_t imm);

/* from version 2 on */
QEMU_WEAK void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
	struct qemu_plugin_insn *insn, enum qemu_plugin_op op,
	qemu_plugin_u64 entry, uint64_t imm);
QEMU_WEAK struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
QEMU_WEAK void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score,
					    unsigned int cpu);

/* never called: they show versions 4, 5 and 6 */
QEMU_WEAK void qemu_has_read_memory(void) __asm__("qemu_plugin_read_memory_vaddr");
QEMU_WEAK void qemu_has_write_memory(void) __asm__("qemu_plugin_write_memory_vaddr");
QEMU_WEAK void qemu_has_set_pc(void) __asm__("qemu_plugin_set_pc");

/* one symbol, two prototypes: up to version 2, and from version 3 on */
const void *qemu_insn_data_pointer(const struct qemu_plugin_insn *insn)
	__asm__("qemu_plugin_insn_data");
size_t qemu_insn_data_copy(const struct qemu_plugin_insn *insn, void *to,
			   size_t size) __asm__("qemu_plugin_insn_data");

/* ---- one face for all of them ---- */

/*
 * The version to announce: QEMU compares it with those it speaks before it calls
 * qemu_plugin_install(), so it may be older than QEMU's, but not newer.
 */
static inline int qemu_api_announced(void)
{
	if (!qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu)
		return 1;
	return qemu_has_set_pc ? 6 : qemu_has_write_memory ? 5 : qemu_has_read_memory ? 4 : 2;
}

/* A number that instructions add to. One CPU only. */
struct qemu_counter {
	uint64_t own;			/* version 1 */
	qemu_plugin_u64 entry;		/* later ones; score NULL: version 1 */
	const uint64_t *at;
};

/* After QEMU has begun to install the plugin. */
static inline void qemu_counter_init(struct qemu_counter *c)
{
	if (qemu_plugin_scoreboard_new)
		c->entry.score = qemu_plugin_scoreboard_new(sizeof(c->own));
	else
		c->at = &c->own;
}

/* Scoreboards move when a CPU is added. So the first reading must be by a CPU that runs. */
static inline uint64_t qemu_counter_read(struct qemu_counter *c)
{
	if (!c->at)
		c->at = qemu_plugin_scoreboard_find(c->entry.score, 0);
	return *c->at;
}

/* @insn adds 1 to @c whenever it begins. */
static inline void qemu_counter_add(struct qemu_counter *c,
				    struct qemu_plugin_insn *insn)
{
	if (c->entry.score)
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn,
			QEMU_PLUGIN_INLINE_ADD_U64, c->entry, 1);
	else
		qemu_plugin_register_vcpu_insn_exec_inline(insn,
			QEMU_PLUGIN_INLINE_ADD_U64, &c->own, 1);
}

/*
 * The bytes of @insn, at most @size of them, by a QEMU of API version @version. @buf is used if
 * QEMU copies. Sets *@n to how many there are.
 */
static inline const void *qemu_insn_bytes(int version,
	const struct qemu_plugin_insn *insn, void *buf, size_t size, size_t *n)
{
	if (version >= 3) {
		*n = qemu_insn_data_copy(insn, buf, size);
		return buf;
	}
	*n = qemu_plugin_insn_size(insn);
	*n = *n < size ? *n : size;
	return qemu_insn_data_pointer(insn);
}

#endif /* TLOB_PLUGIN_QEMU_API_H */
