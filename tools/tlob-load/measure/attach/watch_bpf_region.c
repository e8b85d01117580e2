// SPDX-License-Identifier: GPL-2.0
/* The BPF programs of a region: which there are, where they are attached, and what they have counted. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "attach/watch_bpf_local.h"
#include "machine/bpf_load.h"
#include "machine/timens.h"
#include "result/attached.h"
#include "util/error.h"
#include "util/time.h"

#define REGION_START	"region_start"
#define REGION_STOP	"region_stop"

/* A region begins at no timer. A chain may. */
static const char * const of_activations[] = { "hrtimer_expire_entry", "hrtimer_expire_exit" };
static const char * const of_regions[] = { REGION_START, REGION_STOP, "sched_process_exec" };

static void leave_out(const struct watch_bpf_run *run, const char * const *name, size_t n)
{
	while (n--)
		bpf_program__set_autoload(bpf_object__find_program_by_name(run->object, name[n]), false);
}

int watch_bpf_region_choose(const struct watch_bpf_run *run)
{
	bool of_region = run->region;

	if (of_region && !run->has_chain)
		leave_out(run, of_activations, sizeof(of_activations) / sizeof(*of_activations));
	if (!of_region)
		leave_out(run, of_regions, sizeof(of_regions) / sizeof(*of_regions));
	return bpf_set_value(run->object, ".rodata.of_region", &of_region, sizeof(of_region));
}

int watch_bpf_region_begin(struct watch_bpf_run *run)
{
	const struct attached *r = run->region;

	run->others = bpf_object__find_map_fd_by_name(run->object, "others");
	run->shared->tgid = r->all ? 0 : (uint32_t)r->pid;
	/* no thread of a program that starts now has begun before */
	run->shared->began_ns = r->started_it && !r->all ? 0 : timens_kernel_ns(now_ns());
	return 0;
}

#ifdef __x86_64__
/* Whether the kernel does the instruction @at itself: nop, push, call and jumps. */
static bool is_emulated(const uint8_t at[2])
{
	switch (at[0]) {
	case 0x0f:			/* a jump with a condition, far */
		return (at[1] & 0xf0) == 0x80;
	case 0x41:			/* push of r8 to r15 */
		return (at[1] & 0xf8) == 0x50;
	case 0x90:
	case 0xe8: case 0xe9: case 0xeb:
		return true;
	default:
		return (at[0] & 0xf8) == 0x50 || (at[0] & 0xf0) == 0x70;
	}
}

static bool is_stepped(int fd, const struct attach_place *place)
{
	uint8_t at[2];
	unsigned int i;

	for (i = 0; i < place->at.nr; i++)
		if (pread(fd, at, sizeof(at), (off_t)place->at.at[i]) == sizeof(at) && !is_emulated(at))
			return true;
	return false;
}
#else
static bool is_stepped(int fd, const struct attach_place *place)
{
	(void)fd;
	(void)place;
	return false;
}
#endif

/* Any other instruction is executed in the program, and the kernel waits for its end. */
static void warn_of_steps(const struct attached *r)
{
	int fd = open(r->file, O_RDONLY | O_CLOEXEC);
	bool start = is_stepped(fd, &r->start), stop = is_stepped(fd, &r->stop);

	if (fd >= 0)
		close(fd);
	if (start || stop)
		warning("the kernel single-steps the instruction at %s%s%s: each hit costs more, in a virtual machine about 30us instead of 2us; put a static probe (USDT) there",
			start ? r->start.text : r->stop.text, start && stop ? " and " : "",
			start && stop ? r->stop.text : "");
}

/* @at: where the key is, which decides whether it is known before or after the function. */
static int attach_breakpoints(struct watch_bpf_run *run, const char *name, const struct attach_place *place,
			      enum tlob_key at)
{
	struct bpf_program *p = bpf_object__find_program_by_name(run->object, name);
	bool returns = at == TLOB_KEY_RET && !strchr(place->text, '+') && strncmp(place->text, "0x", 2);
	const char *file = run->region->file;
	unsigned int i;
	int err = 0;

	for (i = 0; i < place->at.nr && !err; i++)
		err = bpf_keep_link(bpf_program__attach_uprobe(p, returns, -1, file, place->at.at[i]), run->link,
				    &run->nlink);
	return err ? fail(err, "%s: the kernel places no breakpoint at %s (offset 0x%llx): %s", file, place->text,
			  place->at.at[i - 1], err == -EACCES || err == -EPERM ?
			  "permission denied: run as root, or with CAP_SYS_ADMIN" : strerror(-err)) : 0;
}

/* The stop first: no window begins that nothing ends. */
int watch_bpf_region_attach(struct watch_bpf_run *run)
{
	int err;

	warn_of_steps(run->region);
	err = attach_breakpoints(run, REGION_STOP, &run->region->stop, run->key_at.stop);
	return err ? err : attach_breakpoints(run, REGION_START, &run->region->start, run->key_at.start);
}

void watch_bpf_region_count(const struct watch_bpf_run *run, struct watch_bpf_counts *to)
{
	const struct watch_region *r = &run->shared->region;
	const struct watch_task *t = run->shared->task;
	uint32_t tgid, *before = NULL, slot;

	to->nested = __atomic_load_n(&r->nested, __ATOMIC_RELAXED);
	to->left = __atomic_load_n(&r->left, __ATOMIC_RELAXED);
	to->unmatched = __atomic_load_n(&r->unmatched, __ATOMIC_RELAXED);
	to->before = __atomic_load_n(&r->before, __ATOMIC_RELAXED);
	to->others = __atomic_load_n(&r->others, __ATOMIC_RELAXED);
	if (run->key)
		to->inside = watch_bpf_keys_inside(run);
	for (slot = 0; slot < WATCH_TASKS && !run->key; slot++)
		to->inside += t[slot].state == WATCH_ON && t[slot].open && run->reported[slot] != t[slot].nr;
	for (to->nother = 0; to->others && !bpf_map_get_next_key(run->others, before, &tgid); to->nother++)
		before = &tgid;
}
