// SPDX-License-Identifier: GPL-2.0
/* BPF programs on interrupts: what a kernel lacks for them, and all reasons for it. */
#if __has_include(<bpf/bpf.h>)
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "util/file.h"

static const char *clock_device;

static int read_clock_device(const char *path, char *line, size_t size)
{
	snprintf(line, size, "%s", clock_device);
	return 0;
}

#define file_read_line	read_clock_device
#include "machine/bpf_irqs.c"

/* The programs of an object, and those that will not be loaded. */
static const char * const programs[] = {
	"raw_tp/vector_entry", "tp_btf/softirq_entry", "tp_btf/softirq_exit", "tp_btf/nmi_handler",
	"raw_tp/introduce",
};
static bool left_out[ARRAY_SIZE(programs)];

static const char *lacking, *model;
static bool older;

struct bpf_program *bpf_object__next_program(const struct bpf_object *object, struct bpf_program *p)
{
	const char *const *next = p ? (const char *const *)p + 1 : programs;

	return next < programs + ARRAY_SIZE(programs) ? (struct bpf_program *)next : NULL;
}

const char *bpf_program__section_name(const struct bpf_program *p)
{
	return *(const char *const *)p;
}

const char *bpf_program__name(const struct bpf_program *p)
{
	return strchr(bpf_program__section_name(p), '/') + 1;
}

bool bpf_program__autoload(const struct bpf_program *p)
{
	return !left_out[(const char *const *)p - programs];
}

static unsigned int attached;

struct bpf_link *bpf_program__attach(const struct bpf_program *p)
{
	attached++;
	return NULL;
}

int bpf_program__set_autoload(struct bpf_program *p, bool on)
{
	left_out[(const char *const *)p - programs] = !on;
	return 0;
}

bool bpf_has_tracepoint(const char *name)
{
	return !has_word(lacking, name);
}

bool bpf_is_older(void)
{
	return older;
}

bool bpf_has_type(const char *name, unsigned int kind)
{
	return true;
}

int preemption_read(struct preemption *p, const char *root, struct kconfig *config)
{
	*p = (struct preemption){ .model = model };
	return 0;
}

long libbpf_get_error(const void *link)
{
	return 0;
}

struct bpf_program *bpf_object__find_program_by_name(const struct bpf_object *object, const char *name)
{
	return NULL;
}

struct bpf_link *bpf_program__attach_raw_tracepoint(const struct bpf_program *p, const char *name)
{
	return NULL;
}

static struct bpf_irqs chosen(const char *of_model, const char *without, const char *clock)
{
	struct bpf_irqs irqs;

	model = of_model;
	lacking = without;
	clock_device = clock;
	memset(left_out, 0, sizeof(left_out));
	assert_int_equal(bpf_irqs_choose(NULL, &irqs), 0);
	return irqs;
}

#define RT	"softirqs run in threads on PREEMPT_RT: see thread"
#define NONE	"this kernel lacks the tracepoints"
#define SOFTIRQ	(1U << TLOB_NOISE_SOFTIRQ)
#define NMI	(1U << TLOB_NOISE_NMI)

TEST(test_nothing_lacks)
{
	struct bpf_irqs irqs = chosen("voluntary", "", "lapic");

	assert_int_equal(irqs.lacking, 0);
	assert_string_equal(irqs.why, "");
	assert_true(irqs.look_again);
	assert_false(left_out[0] || left_out[1]);
	assert_false(chosen("full", "", "lapic").look_again);
	assert_false(chosen(NULL, "", "lapic").look_again);
	older = true;
	assert_false(chosen("voluntary", "", "lapic").look_again);
	older = false;
}

/* The programs are left out and the reason is given by one decision. */
TEST(test_softirqs)
{
	struct bpf_irqs irqs = chosen("rt", "", "lapic");

	assert_int_equal(irqs.lacking, SOFTIRQ);
	assert_string_equal(irqs.why, RT);
	assert_true(left_out[1] && left_out[2]);
	assert_false(left_out[3]);
	assert_false(irqs.look_again);
	irqs = chosen("full", "softirq_entry", "lapic");
	assert_int_equal(irqs.lacking, SOFTIRQ);
	assert_string_equal(irqs.why, NONE);
	assert_true(left_out[1]);
	assert_false(left_out[2]);
}

/* Those on tracepoints that the kernel has; a raw one that is run has none. */
TEST(test_attached)
{
	struct bpf_link *link[BPF_IRQS_LINKS + ARRAY_SIZE(programs)];
	size_t n = 0;

	chosen("full", "nmi_handler", "lapic");
	assert_true(left_out[3]);
	assert_false(left_out[4]);
	attached = 0;
	assert_int_equal(bpf_irqs_attach(NULL, 0, link, &n), 0);
	assert_int_equal(attached, 2);
	assert_int_equal(n, 2 + 2);
}

/* No reason replaces another, and none comes twice. */
TEST(test_all_reasons)
{
	struct bpf_irqs irqs = chosen("rt", "nmi_handler", "lapic");

	assert_int_equal(irqs.lacking, SOFTIRQ | NMI);
	assert_string_equal(irqs.why, RT "; " NONE);
	irqs = chosen("none", "softirq_entry nmi_handler", "lapic");
	assert_int_equal(irqs.lacking, SOFTIRQ | NMI);
	assert_string_equal(irqs.why, NONE);
}

#if defined(__x86_64__) || defined(__i386__)
/* Also the longest text is whole. */
TEST(test_timer)
{
	struct bpf_irqs irqs = chosen("rt", "nmi_handler", "Hyper-V clockevent");

	assert_int_equal(irqs.lacking, 1U << TLOB_NOISE_IRQ | SOFTIRQ | NMI);
	bpf_irqs_reason(irqs.why, "KVM steal time is not available");
	assert_string_equal(irqs.why, RT "; Hyper-V interrupts have no tracepoints; " NONE "; KVM steal time is not available");
	irqs = chosen("none", "local_timer_entry", "Hyper-V clockevent");
	assert_int_equal(irqs.lacking, 1U << TLOB_NOISE_IRQ);
	assert_string_equal(irqs.why, NONE);
}
#endif
#else
#include "unit.h"
#endif

UNIT_MAIN(NULL, NULL)
