/* SPDX-License-Identifier: GPL-2.0 */
/* A part of activations.bpf.c: the system call in which a task sleeps. */
#ifndef TLOB_ATTACH_BPF_CALL_H
#define TLOB_ATTACH_BPF_CALL_H

/* x86; arm64 */
struct pt_regs {
	unsigned long orig_ax, ax, di, si, dx, cx, r8, r9, r14, sp;
} CORE;

struct pt_regs___arm64 {
	__u64	orig_x0, regs[31], sp;
	__s32	syscallno;
} CORE;

#ifdef TLOB_BPF_OLDER
/* Of a task in the kernel, in bytes. A section of its own: the tool maps the other variables. */
__u64 stack_size SEC(".data.stack_size");

/* The registers are at the end of the kernel stack. */
static inline void read_registers(struct tlob_sleep_call *c, __u64 stack, __u64 size)
{
	const struct pt_regs *regs = (void *)(stack + size - bpf_core_type_size(struct pt_regs));
	const struct pt_regs___arm64 *arm64 = (void *)regs;

	if (bpf_core_field_exists(regs->orig_ax)) {
		c->nr = BPF_CORE_READ(regs, orig_ax);
		c->word = BPF_CORE_READ(regs, di);
		c->op = BPF_CORE_READ(regs, si);
		c->value = BPF_CORE_READ(regs, dx);
		c->stack = BPF_CORE_READ(regs, sp);
	} else {
		c->nr = BPF_CORE_READ(arm64, syscallno);
		c->word = BPF_CORE_READ(arm64, orig_x0);
		c->op = BPF_CORE_READ(arm64, regs[1]);
		c->value = BPF_CORE_READ(arm64, regs[2]);
		c->stack = BPF_CORE_READ(arm64, sp);
	}
}

static inline void read_call(struct tlob_sleep_call *c, struct task_struct *task)
{
	read_registers(c, (__u64)((struct task_struct___older *)task)->stack, stack_size);
}

/* The tool runs it by the system call ctx[0]. Where the registers have that one, the stack ends. */
SEC("raw_tp")
int find_stack_size(__u64 *ctx)
{
	struct task_struct___older *task = (void *)bpf_get_current_task();
	__u64 stack = (__u64)BPF_CORE_READ(task, stack), size;
	struct tlob_sleep_call c;

	for (size = 4096; size <= 65536; size *= 2) {
		read_registers(&c, stack, size);
		if (c.nr != ctx[0] || c.word != BPF_PROG_TEST_RUN)
			continue;
		stack_size = size;
		return 0;
	}
	return 1;
}
#else
static inline void read_call(struct tlob_sleep_call *c, struct task_struct *task)
{
	const struct pt_regs *regs = (void *)bpf_task_pt_regs(task);
	const struct pt_regs___arm64 *arm64 = (void *)regs;

	if (bpf_core_field_exists(regs->orig_ax)) {
		c->nr = regs->orig_ax;
		c->word = regs->di;
		c->op = regs->si;
		c->value = regs->dx;
		c->stack = regs->sp;
	} else {
		c->nr = arm64->syscallno;
		c->word = arm64->orig_x0;
		c->op = arm64->regs[1];
		c->value = arm64->regs[2];
		c->stack = arm64->sp;
	}
}
#endif

#endif /* TLOB_ATTACH_BPF_CALL_H */
