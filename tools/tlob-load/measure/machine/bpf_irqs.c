// SPDX-License-Identifier: GPL-2.0
/* Chooses and attaches the BPF programs on interrupts. */
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/tlob.h>

#include "machine/bpf_irqs.h"
#include "machine/bpf_kernel.h"
#include "machine/kconfig.h"
#include "machine/preemption.h"
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

#define LOCAL_TIMER	1U	/* the first of them, as a bit */

static bool is_one_of(const char *name, const char * const names[2])
{
	return !strcmp(name, names[0]) || !strcmp(name, names[1]);
}

/* The tracepoint that libbpf attaches @p to; "": none. */
static const char *tracepoint_of(const struct bpf_program *p)
{
	const char *section = bpf_program__section_name(p);

	return begins_with(section, "tp_btf/") ? strchr(section, '/') + 1 : "";
}

static bool has_vector(const char *vector)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_entry", vector);
	return bpf_has_tracepoint(name);
}

void bpf_irqs_reason(char why[BPF_IRQS_WHY], const char *reason)
{
	size_t n = strlen(why);

	if (!strstr(why, reason))
		snprintf(why + n, BPF_IRQS_WHY - n, "%s%s", n ? "; " : "", reason);
}

static void lacks(struct bpf_irqs *irqs, enum tlob_noise_kind kind, const char *reason)
{
	irqs->lacking |= 1U << kind;
	bpf_irqs_reason(irqs->why, reason);
}

static const char lacks_tracepoints[] = "this kernel lacks the tracepoints";

#if defined(__x86_64__) || defined(__i386__)
/* Interrupts come by vectors without a tracepoint: the timer and VMBus of Hyper-V. */
static bool are_hidden(void)
{
	char device[64];

	return !file_read_line("/sys/devices/system/clockevents/clockevent0/current_device", device,
			       sizeof(device)) && begins_with(device, "Hyper-V");
}

/* The local timer. */
static void find_lacking_irq(struct bpf_irqs *irqs)
{
	if (!(irqs->vectors & LOCAL_TIMER))
		lacks(irqs, TLOB_NOISE_IRQ, lacks_tracepoints);
	else if (are_hidden())
		lacks(irqs, TLOB_NOISE_IRQ, "Hyper-V interrupts have no tracepoints");
}
#else
/* The timer comes by irq_handler_entry, too. */
static void find_lacking_irq(struct bpf_irqs *irqs)
{
	(void)irqs;
}
#endif

static void find_lacking(struct bpf_irqs *irqs, bool rt)
{
	if (rt)
		lacks(irqs, TLOB_NOISE_SOFTIRQ, "softirqs run in threads on PREEMPT_RT: see thread");
	else if (!bpf_has_tracepoint("softirq_entry"))
		lacks(irqs, TLOB_NOISE_SOFTIRQ, lacks_tracepoints);
	find_lacking_irq(irqs);
	if (!bpf_has_tracepoint("nmi_handler"))
		lacks(irqs, TLOB_NOISE_NMI, lacks_tracepoints);
}

int bpf_irqs_choose(struct bpf_object *object, struct bpf_irqs *irqs)
{
	struct kconfig config = { 0 };
	struct bpf_program *p;
	struct preemption by;
	unsigned int i;
	bool rt;
	int err = preemption_read(&by, "", &config);

	kconfig_free(&config);
	*irqs = (struct bpf_irqs){ 0 };
	if (err)
		return err;
	rt = by.model && !strcmp(by.model, "rt");
	for (i = 0; i < BPF_IRQS_VECTORS; i++)
		if (has_vector(vectors[i]))
			irqs->vectors |= 1U << i;
	find_lacking(irqs, rt);
	irqs->look_again = by.model && !rt && strcmp(by.model, "full") != 0 && !bpf_is_older() &&
			   bpf_has_type("bpf_timer", BTF_KIND_STRUCT);
	bpf_object__for_each_program(p, object) {
		const char *tracepoint = tracepoint_of(p);

		if (*tracepoint ? !bpf_has_tracepoint(tracepoint) || (rt && begins_with(tracepoint, "softirq_")) :
				  !irqs->vectors && is_one_of(bpf_program__name(p), vector_programs))
			bpf_program__set_autoload(p, false);
	}
	return 0;
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

int bpf_irqs_attach_raw(struct bpf_object *object, uint32_t has, struct bpf_link **link, size_t *n)
{
	int err = attach_both(object, irq_programs, "irq_handler", link, n);
	unsigned int i;

	for (i = 0; i < BPF_IRQS_VECTORS && !err; i++)
		if (has & 1U << i)
			err = attach_both(object, vector_programs, vectors[i], link, n);
	return err;
}

int bpf_irqs_attach(struct bpf_object *object, uint32_t has, struct bpf_link **link, size_t *n)
{
	int err = bpf_irqs_attach_raw(object, has, link, n);
	struct bpf_program *p;

	bpf_object__for_each_program(p, object)
		if (!err && bpf_program__autoload(p) && *tracepoint_of(p))
			err = bpf_keep_link(bpf_program__attach(p), link, n);
	return err;
}
