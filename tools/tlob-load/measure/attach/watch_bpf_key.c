// SPDX-License-Identifier: GPL-2.0
/* With --key: the windows that are open, by key. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "attach/watch_bpf_local.h"
#include "machine/bpf_load.h"

#define KEYS		"keys"
#define OPEN_KEYS	"open_keys"
#define FREE_KEYS	"free_keys"

int watch_bpf_key_choose(struct watch_bpf_run *run, const struct attach_config *o)
{
	unsigned int room = o->key ? WATCH_KEYS : 1;
	int err;

	run->key_at = (struct watch_key_at){ o->key_start, o->key_stop };
	err = bpf_set_value(run->object, ".rodata.key_at", &run->key_at, sizeof(run->key_at));
	if (!err)
		err = bpf_set_room(run->object, KEYS, room);
	if (!err)
		err = bpf_set_room(run->object, OPEN_KEYS, room);
	return err ? err : bpf_set_room(run->object, FREE_KEYS, room);
}

int watch_bpf_key_begin(struct watch_bpf_run *run)
{
	int err = 0, fd = bpf_object__find_map_fd_by_name(run->object, FREE_KEYS);
	uint32_t i;

	run->reported_key = calloc(WATCH_KEYS, sizeof(*run->reported_key));
	if (!run->reported_key)
		return -ENOMEM;
	for (i = 0; i < WATCH_KEYS; i++)
		if (bpf_map_update_elem(fd, NULL, &i, BPF_ANY))
			return -errno;
	run->key = bpf_map_memory(run->object, KEYS, WATCH_KEYS, sizeof(*run->key), &err);
	return err;
}

void watch_bpf_key_end(struct watch_bpf_run *run)
{
	if (run->key)
		munmap(run->key, WATCH_KEYS * sizeof(*run->key));
	run->key = NULL;
	free(run->reported_key);
	run->reported_key = NULL;
}

uint64_t watch_bpf_keys_inside(const struct watch_bpf_run *run)
{
	uint64_t n = 0, start;
	size_t i;

	for (i = 0; i < WATCH_KEYS; i++) {
		start = __atomic_load_n(&run->key[i].start_ns, __ATOMIC_RELAXED);
		n += start && start != run->reported_key[i];
	}
	return n;
}

bool watch_bpf_key_is_open(const struct watch_bpf_run *run, uint64_t start_ns)
{
	size_t i = 0;

	while (i < WATCH_KEYS && __atomic_load_n(&run->key[i].start_ns, __ATOMIC_RELAXED) != start_ns)
		i++;
	return i < WATCH_KEYS;
}
