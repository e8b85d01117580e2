// SPDX-License-Identifier: GPL-2.0
/*
 * The names of interrupts. BPF programs store only numbers: reading names from
 * kernel memory is what lockdown=confidentiality forbids.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/tlob.h>

#include "backend/bpf.h"
#include "util/error.h"
#include "util/file.h"

#define IRQS	"/sys/kernel/irq"

struct irq_name {
	int32_t	 irq;
	char	 name[TLOB_NAME_LEN];
};

static struct irq_name *irqs;
static size_t nirqs;

static int add_irq(int32_t irq)
{
	struct irq_name *at = reallocarray(irqs, nirqs + 1, sizeof(*at));
	char path[PATH_MAX], line[256];

	if (!at)
		return -ENOMEM;
	irqs = at;
	snprintf(path, sizeof(path), IRQS "/%d/actions", irq);
	if (file_read_line(path, line, sizeof(line)) || !*line)
		return 0;
	at[nirqs].irq = irq;
	snprintf(at[nirqs].name, sizeof(at[nirqs].name), "%.15s", line);
	nirqs++;
	return 0;
}

int bpf_names_read(void)
{
	struct dirent *entry;
	int err = 0;
	DIR *dir;

	dir = opendir(IRQS);
	if (!dir)
		return 0;	/* without it irqs have numbers only */
	while (!err && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			err = add_irq(atoi(entry->d_name));
	closedir(dir);
	return err ? fail(err, "out of memory") : 0;
}

void bpf_names_free(void)
{
	free(irqs);
	irqs = NULL;
	nirqs = 0;
}

/* Between two windows: snprintf() takes ten times as long. */
static void put(char name[TLOB_NAME_LEN], const char *text)
{
	size_t n = strnlen(text, TLOB_NAME_LEN - 1);

	memcpy(name, text, n);
	name[n] = 0;
}

static void name_irq(char name[TLOB_NAME_LEN], int32_t irq)
{
	size_t i;

	*name = 0;
	for (i = 0; i < nirqs; i++)
		if (irqs[i].irq == irq) {
			put(name, irqs[i].name);
			return;
		}
}

/* The vectors of x86 that have tracepoints of their own, by asm/irq_vectors.h. */
static void name_vector(char name[TLOB_NAME_LEN], int32_t vector)
{
	static const struct {
		int32_t vector;
		const char *name;
	} vectors[] = {
		{ 0xff, "spurious_apic" }, { 0xfe, "error_apic" },
		{ 0xfd, "reschedule" }, { 0xfc, "call_function" },
		{ 0xfb, "call_function_single" }, { 0xfa, "thermal_apic" },
		{ 0xf9, "threshold_apic" }, { 0xf7, "x86_platform_ipi" },
		{ 0xf6, "irq_work" }, { 0xf4, "deferred_error_apic" },
		{ 0xec, "local_timer" },
	};
	size_t i;

	*name = 0;
	for (i = 0; i < sizeof(vectors) / sizeof(*vectors); i++)
		if (vectors[i].vector == vector)
			put(name, vectors[i].name);
}

static void name_softirq(char name[TLOB_NAME_LEN], int32_t nr)
{
	static const char * const names[] = {
		"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET",
		"SCHED", "HRTIMER", "RCU",
	};

	*name = 0;
	if (nr >= 0 && nr < (int32_t)(sizeof(names) / sizeof(*names)))
		put(name, names[nr]);
}

void bpf_name_noise(unsigned int kind, int32_t *id, char name[TLOB_NAME_LEN])
{
	switch (kind) {
	case TLOB_NOISE_THREAD:
		return;
	case TLOB_NOISE_SOFTIRQ:
		name_softirq(name, *id);
		return;
	case TLOB_NOISE_NMI:
		put(name, "nmi");
		return;
	}
	if (*id >= 0) {
		name_irq(name, *id);
		return;
	}
	*id = -*id;
	name_vector(name, *id);
}
