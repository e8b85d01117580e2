// SPDX-License-Identifier: GPL-2.0
/* Wake-up latency and the frequency governor. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "machine/power.h"
#include "result/result.h"
#include "util/error.h"
#include "util/file.h"

#define DMA_LATENCY	"/dev/cpu_dma_latency"

int power_hold_latency(struct result *r, int64_t us, bool asked, int *fd)
{
	int32_t value = us > INT32_MAX ? INT32_MAX : (int32_t)us;
	int err;

	*fd = open(DMA_LATENCY, O_WRONLY | O_CLOEXEC);
	if (*fd < 0 && errno == ENOENT && asked)
		return fail(-EOPNOTSUPP, "--dma-latency: this kernel has no " DMA_LATENCY ": give off");
	if (*fd < 0 && errno == ENOENT)
		return result_note(r, "this kernel has no " DMA_LATENCY ": it cannot limit idle states");
	if (*fd < 0)
		return fail(-errno, "--dma-latency: %s: %s", DMA_LATENCY,
			    strerror(errno));
	if (write(*fd, &value, sizeof(value)) == sizeof(value))
		return asprintf(&r->dma_latency, "%" PRId32 "us", value) < 0 ?
		       fail(-ENOMEM, "out of memory") : 0;
	err = -errno;
	close(*fd);
	*fd = -1;
	return fail(err, "%s: cannot write %d: %s", DMA_LATENCY, value,
		    strerror(-err));
}

int power_note_governor(struct result *r, const struct cpus *cpus)
{
	char path[96], governor[32], name[32] = "";
	size_t i, n = 0;
	int first = -1;

	for (i = 0; i < cpus->n; i++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor",
			 cpus->list[i]);
		if (file_read_line(path, governor, sizeof(governor)))
			continue;	/* no driver: the frequency is fixed */
		if (!strcmp(governor, "performance") || n++)
			continue;
		first = cpus->list[i];
		memcpy(name, governor, sizeof(name));
	}
	if (!n)
		return 0;
	return result_note(r, "times depend on the frequency governor: it is %s on CPU %d, and %zu of %zu measured CPUs do not use performance",
			   name, first, n, cpus->n);
}
