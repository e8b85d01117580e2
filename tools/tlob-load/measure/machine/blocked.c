// SPDX-License-Identifier: GPL-2.0
/* What /proc says of a thread that waits. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/blocked.h"
#include "util/file.h"

/* Where the thread of @dir waits: "[<0>] futex_wait_queue+0x60/0x90". wchan lacks some kernels' functions. */
static void find_function(const char *dir, struct blocked_thread *to)
{
	char path[64], line[256] = "", *name;

	snprintf(path, sizeof(path), "%s/stack", dir);
	file_read_line(path, line, sizeof(line));
	name = strstr(line, "] ");
	if (!name) {
		snprintf(path, sizeof(path), "%s/wchan", dir);
		file_read_line(path, line, sizeof(line));
	}
	name = name ? name + 2 : line;
	name[strcspn(name, "+\n")] = 0;
	/* it is not there, or may not be read */
	if (*name != '0' && *name != '[')
		snprintf(to->function, sizeof(to->function), "%.*s", (int)sizeof(to->function) - 1, name);
}

bool blocked_now(int tid, struct blocked_thread *to)
{
	char dir[32], path[64], line[512] = "", *name, *end;

	*to = (struct blocked_thread){ .tid = (uint32_t)tid };
	snprintf(dir, sizeof(dir), "/proc/%d", tid);
	snprintf(path, sizeof(path), "%s/stat", dir);
	file_read_line(path, line, sizeof(line));
	/* a name may have any character */
	name = strchr(line, '(');
	end = strrchr(line, ')');
	if (!name || !end || end < name || end[1] != ' ' || !end[2] || !strchr("SDTtI", end[2]))
		return false;
	*end = 0;
	snprintf(to->comm, sizeof(to->comm), "%.*s", (int)sizeof(to->comm) - 1, name + 1);
	find_function(dir, to);
	return true;
}

/* How often the thread @tid has left a CPU, and the process it belongs to. Returns false: it has gone. */
static bool read_status(int tid, uint64_t *switches, int *tgid)
{
	char path[64], line[256];
	FILE *f;

	*switches = 0;
	*tgid = 0;
	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		char *value = strchr(line, ':');

		if (!value)
			continue;
		*value++ = 0;
		if (!strcmp(line, "voluntary_ctxt_switches") || !strcmp(line, "nonvoluntary_ctxt_switches"))
			*switches += strtoull(value, NULL, 10);
		else if (!strcmp(line, "Tgid"))
			*tgid = (int)strtol(value, NULL, 10);
	}
	if (f)
		fclose(f);
	return *tgid;
}

static int note_thread(struct blocked_watch *w, int tid)
{
	struct blocked_start *at, start = { .tid = tid };
	int tgid;

	if (!read_status(tid, &start.switches, &tgid))
		return 0;
	at = reallocarray(w->at, w->n + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	w->at = at;
	at[w->n++] = start;
	return 0;
}

static int note_process(struct blocked_watch *w, int pid)
{
	struct dirent *e;
	char path[64];
	int err = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	while (d && !err && (e = readdir(d)))
		if (isdigit((unsigned char)*e->d_name))
			err = note_thread(w, (int)strtol(e->d_name, NULL, 10));
	if (d)
		closedir(d);
	return err;
}

int blocked_begin(struct blocked_watch *w, const char *pids)
{
	uint64_t switches;
	int tgid, err = 0;
	char *end;
	int pid;

	for (; pids && *pids && !err; pids = *end ? end + 1 : end) {
		pid = (int)strtol(pids, &end, 10);
		if (read_status(pid, &switches, &tgid))
			err = tgid == pid ? note_process(w, pid) : note_thread(w, pid);
	}
	return err;
}

int blocked_since(const struct blocked_watch *w, struct blocked_thread **list, size_t *n)
{
	struct blocked_thread t;
	uint64_t switches;
	int tgid, err = 0;
	size_t i;

	*list = NULL;
	*n = 0;
	for (i = 0; i < w->n && !err; i++)
		if (blocked_now(w->at[i].tid, &t) && read_status(w->at[i].tid, &switches, &tgid) &&
		    switches == w->at[i].switches)
			err = blocked_add(list, n, &t);
	return err;
}
