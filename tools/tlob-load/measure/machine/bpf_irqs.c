// SPDX-License-Identifier: GPL-2.0
/* Chooses and attaches the BPF programs on interrupts. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <bpf/libbpf.h>

#include "machine/bpf_irqs.h"
#include "machine/bpf_load.h"
#include "util/file.h"
#include "util/text.h"

/* Tracepoints NAME_entry and NAME_exit, which the kernel may lack: interrupts of x86. */
static const char * const vectors[BPF_IRQS_VECTORS] = {
	"local_timer", "reschedule", "call_function", "call_function_single", "irq_work",
	"x86_platform_ipi", "spurious_apic", "error_apic", "thermal_apic", "threshold_apic",
	"deferred_error_apic",
};

static const char * const irq_programs[] = { "irq_entry", "irq_exit" };
static const char * const vector_programs[] = { "vector_entry", "vector_exit" };

static bool preempt_rt(void)
{
	struct utsname u;

	return !uname(&u) && strstr(u.version, "PREEMPT_RT");
}

static bool is_one_of(const char *name, const char * const names[2])
{
	return !strcmp(name, names[0]) || !strcmp(name, names[1]);
}

bool bpf_irqs_has(const char *name)
{
	return is_one_of(name, irq_programs) || is_one_of(name, vector_programs);
}

static bool has_vector(const struct btf *btf, const char *vector)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_entry", vector);
	return bpf_has_tracepoint(btf, name);
}

bool bpf_irqs_are_hidden(void)
{
	char device[64];

	return !file_read_line("/sys/devices/system/clockevents/clockevent0/current_device", device,
			       sizeof(device)) && begins_with(device, "Hyper-V");
}

uint32_t bpf_irqs_choose(struct bpf_object *object, const struct btf *btf)
{
	struct bpf_program *p;
	bool rt = preempt_rt();
	uint32_t has = 0;
	unsigned int i;

	for (i = 0; i < BPF_IRQS_VECTORS; i++)
		if (has_vector(btf, vectors[i]))
			has |= 1U << i;
	bpf_object__for_each_program(p, object) {
		const char *name = bpf_program__name(p);

		if ((!has && is_one_of(name, vector_programs)) ||
		    (rt && !strncmp(name, "softirq_", 8)))
			bpf_program__set_autoload(p, false);
	}
	return has;
}

int bpf_keep_link(struct bpf_link *link, struct bpf_link **to, size_t *n)
{
	long err = libbpf_get_error(link);

	if (!err)
		to[(*n)++] = link;
	return (int)err;
}

/* @programs: of the tracepoints @name_entry and @name_exit. */
static int attach_both(struct bpf_object *object, const char * const programs[2],
		       const char *name, struct bpf_link **link, size_t *n)
{
	static const char * const ends[2] = { "entry", "exit" };
	struct bpf_program *p;
	char tracepoint[64];
	size_t i;
	int err = 0;

	for (i = 0; i < 2 && !err; i++) {
		p = bpf_object__find_program_by_name(object, programs[i]);
		snprintf(tracepoint, sizeof(tracepoint), "%s_%s", name, ends[i]);
		err = bpf_keep_link(bpf_program__attach_raw_tracepoint(p, tracepoint), link, n);
	}
	return err;
}

int bpf_irqs_attach(struct bpf_object *object, uint32_t has, struct bpf_link **link, size_t *n)
{
	int err = attach_both(object, irq_programs, "irq_handler", link, n);
	unsigned int i;

	for (i = 0; i < BPF_IRQS_VECTORS && !err; i++)
		if (has & 1U << i)
			err = attach_both(object, vector_programs, vectors[i], link, n);
	return err;
}
