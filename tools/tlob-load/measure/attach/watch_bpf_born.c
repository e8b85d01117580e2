// SPDX-License-Identifier: GPL-2.0
/* Which threads take slots themselves as they come: what bpf/born.h has to know. */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "attach/watch_bpf_local.h"
#include "machine/bpf_load.h"
#include "machine/cgroup.h"
#include "util/error.h"

/* Returns the length of what stands for one character at @glob, which is no *. */
static size_t token(const char *glob)
{
	const char *end = glob + 1;

	if (*glob == '\\' && glob[1])
		return 2;
	if (*glob != '[')
		return 1;
	end += *end == '!' || *end == '^';
	end += *end == ']';
	for (; *end && *end != ']'; end++)
		if (*end == '[' && end[1] == ':' && strstr(end, ":]"))
			end = strstr(end, ":]") + 1;
	return *end ? (size_t)(end - glob) + 1 : 1;
}

/* fnmatch() says of each place of @glob which characters it passes. Returns false: no name is that long. */
static bool read_name(struct watch_chosen *to, const char *glob)
{
	char one[2] = "", part[64];
	unsigned int c;
	size_t n;

	for (; *glob; glob += n) {
		n = 1;
		if (*glob == '*') {
			to->stars |= 1U << to->end;
			continue;
		}
		n = token(glob);
		if (to->end == TLOB_NAME_LEN || n >= sizeof(part))
			return false;
		memcpy(part, glob, n);
		part[n] = 0;
		for (c = 1; c < 256; c++) {
			*one = (char)c;
			if (!fnmatch(part, one, 0))
				to->next[c] |= 1U << to->end;
		}
		to->end++;
	}
	return true;
}

static void load_if(const struct watch_bpf_run *run, const char *program, bool wanted)
{
	bpf_program__set_autoload(bpf_object__find_program_by_name(run->object, program), wanted);
}

int watch_bpf_born_choose(const struct watch_bpf_run *run, const struct attach_config *o)
{
	struct watch_chosen chosen = {
		.on = !run->region && !o->tid, .rt = o->rt, .by_name = o->comm, .by_cgroup = o->cgroup,
		.own = (uint32_t)getpid(), .tgid = (uint32_t)o->pid,
	};
	int err;

	if (chosen.on && o->comm && !read_name(&chosen, o->comm))
		chosen.on = false;
	load_if(run, "task_newtask", chosen.on);
	load_if(run, "task_rename", chosen.on && chosen.by_name);
	load_if(run, "cgroup_attach_task", chosen.on && chosen.by_cgroup);
	err = bpf_set_value(run->object, ".rodata.chosen", &chosen, sizeof(chosen));
	/* a kernel without groups has no such map */
	if (!err && !(chosen.on && chosen.by_cgroup))
		err = bpf_map__set_autocreate(bpf_object__find_map_by_name(run->object, "group"), false);
	return err;
}

int watch_bpf_born_begin(const struct watch_bpf_run *run, const struct attach_config *o)
{
	int map = bpf_object__find_map_fd_by_name(run->object, "group"), fd, err;
	uint32_t key = 0;
	char *dir;

	if (run->region || !o->cgroup)
		return 0;
	err = cgroup_find(o->cgroup, &dir, NULL);
	if (err)
		return err;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	err = fd < 0 || bpf_map_update_elem(map, &key, &fd, BPF_ANY) ? -errno : 0;
	if (fd >= 0)
		close(fd);
	free(dir);
	return err;
}
