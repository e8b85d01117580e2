// SPDX-License-Identifier: LGPL-2.1
/*
 * User events at the begin and end of windows. The ABI is described in
 * Documentation/trace/user_events.rst, since Linux 6.4. Not every distribution
 * packages linux/user_events.h, so its structures are repeated here.
 */
#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "markers.h"

#define DATA	"/sys/kernel/tracing/user_events_data"

struct user_reg {
	uint32_t size;
	uint8_t	enable_bit;
	uint8_t	enable_size;
	uint16_t flags;
	uint64_t enable_addr;
	uint64_t name_args;
	uint32_t write_index;
} __attribute__((packed));

struct user_unreg {
	uint32_t size;
	uint8_t	disable_bit;
	uint8_t	reserved;
	uint16_t reserved2;
	uint64_t disable_addr;
} __attribute__((packed));

#define USER_REG	_IOWR('*', 0, struct user_reg *)
#define USER_UNREG	_IOW('*', 2, struct user_unreg *)

/* The written records: the index, then the fields without gaps. */
struct start {
	uint32_t index;
	uint64_t budget_ns;
	uint64_t tag;
} __attribute__((packed));

struct stop {
	uint32_t index;
	int32_t	result;
} __attribute__((packed));

static const struct {
	uint8_t	bit;
	const char *event;
} markers[] = {
	{ TLOB_BIT_START, "tlob_start u64 budget_ns; u64 tag" },
	{ TLOB_BIT_STOP, "tlob_stop s32 result" },
};

#define MARKERS	(sizeof(markers) / sizeof(*markers))

static int data = -1;
static uint32_t index_of[MARKERS];	/* the same for every word of the process */

void tlob_markers_open(uint32_t *word)
{
	size_t i;

	if (data < 0)
		data = open(DATA, O_WRONLY | O_CLOEXEC);
	for (i = 0; data >= 0 && i < MARKERS; i++) {
		struct user_reg reg = {
			.size = sizeof(reg),
			.enable_bit = markers[i].bit,
			.enable_size = sizeof(*word),
			.enable_addr = (uintptr_t)word,
			.name_args = (uintptr_t)markers[i].event,
		};

		if (!ioctl(data, USER_REG, &reg))
			index_of[i] = reg.write_index;
	}
}

void tlob_markers_close(uint32_t *word)
{
	size_t i;

	for (i = 0; data >= 0 && i < MARKERS; i++) {
		struct user_unreg unreg = {
			.size = sizeof(unreg),
			.disable_bit = markers[i].bit,
			.disable_addr = (uintptr_t)word,
		};

		ioctl(data, USER_UNREG, &unreg);
	}
}

void tlob_markers_release(void)
{
	if (data >= 0)
		close(data);
	data = -1;
}

/* Errors are ignored: the kernel counts lost markers. */
static void put(const void *record, size_t size)
{
	ssize_t ignored = write(data, record, size);

	(void)ignored;
}

void tlob_marker_start(uint64_t budget_ns, uint64_t tag)
{
	struct start start = { index_of[0], budget_ns, tag };

	put(&start, sizeof(start));
}

void tlob_marker_stop(int32_t result)
{
	struct stop stop = { index_of[1], result };

	put(&stop, sizeof(stop));
}
