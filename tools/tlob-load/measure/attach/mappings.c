// SPDX-License-Identifier: GPL-2.0
/* Reading the kernel's events of mappings. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "attach/mappings.h"
#include "util/error.h"
#include "util/printable.h"

#define RING_BYTES	(256U << 10)	/* some 2000 events */

struct mapping_ring {
	int	 fd;
	struct perf_event_mmap_page *page; /* and RING_BYTES behind it */
};

/* PERF_RECORD_MMAP2 of linux/perf_event.h, which has it as a comment */
struct mapped {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, length, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char	 path[];
};

struct lost {
	struct perf_event_header header;
	uint64_t id, n;
};

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Events of a CPU, not of a task: these cost nothing when tasks are switched. */
static int open_cpu(struct mapping_ring *r, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY,
		.mmap = 1, .mmap2 = 1, .watermark = 1, .wakeup_watermark = RING_BYTES,
	};
	void *p;
	int err;

	r->fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (r->fd < 0)
		return -errno;
	p = mmap(NULL, page_size() + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (p == MAP_FAILED) {
		err = -errno;
		close(r->fd);
		return err;
	}
	r->page = p;
	return 0;
}

int mappings_open(struct mappings *m)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF), cpu;
	int err = 0;

	*m = (struct mappings){ .ring = calloc((size_t)cpus, sizeof(*m->ring)) };
	if (!m->ring)
		return fail(-ENOMEM, "out of memory");
	for (cpu = 0; cpu < cpus && !err; cpu++) {
		err = open_cpu(&m->ring[m->n], (int)cpu);
		if (!err)
			m->n++;
		else if (err == -ENODEV)
			err = 0;		/* it is offline */
	}
	return err ? fail(err, "--mappings: perf_event_open on CPU %ld: %s", cpu - 1,
			  strerror(-err)) : 0;
}

void mappings_close(struct mappings *m)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		munmap(m->ring[i].page, page_size() + RING_BYTES);
		close(m->ring[i].fd);
	}
	free(m->ring);
	*m = (struct mappings){ 0 };
}

/* Other users choose the path at its end, and the kernel escapes only line feeds there. */
static void print_line(FILE *f, const char *line)
{
	size_t n = strcspn(line, "\n");
	char *text = malloc(PRINTABLE_LEN(n));

	if (text)
		fprintf(f, "%s\n", printable(text, line, n));
	free(text);
}

void mappings_before(FILE *f, pid_t pid)
{
	char path[64], *line = NULL;
	size_t size = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	/* START-END rwxp ... */
	while (maps && getline(&line, &size, maps) > 0)
		if (strcspn(line, " ") + 3 < strlen(line) && line[strcspn(line, " ") + 3] == 'x')
			print_line(f, line);
	free(line);
	if (maps)
		fclose(maps);
}

/* An event may continue at the beginning of the ring. */
static void copy(void *to, const char *ring, uint64_t at, size_t n)
{
	size_t first = RING_BYTES - at % RING_BYTES;

	first = first < n ? first : n;
	memcpy(to, ring + at % RING_BYTES, first);
	memcpy((char *)to + first, ring, n - first);
}

static void print(FILE *f, const struct mapped *e)
{
	size_t room = e->header.size - sizeof(*e);
	char *path = malloc(PRINTABLE_LEN(room));

	if (!path)
		return;
	fprintf(f, "%" PRIx64 "-%" PRIx64 " %c%c%c%c %08" PRIx64 " %02x:%02x %" PRIu64 " %s\n",
		e->start, e->start + e->length, e->protection & PROT_READ ? 'r' : '-',
		e->protection & PROT_WRITE ? 'w' : '-', e->protection & PROT_EXEC ? 'x' : '-',
		e->flags & MAP_SHARED ? 's' : 'p', e->offset, e->major, e->minor, e->inode,
		printable(path, e->path, room));
	free(path);
}

static void take_ring(struct mappings *m, const struct mapping_ring *r, FILE *f, pid_t pid)
{
	uint64_t at = r->page->data_tail, head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	const char *ring = (const char *)r->page + page_size();
	_Alignas(8) static char event[UINT16_MAX + 1];	/* a size has 16 bits */
	const struct mapped *mapped = (const void *)event;
	struct perf_event_header header;

	while (at < head) {
		copy(&header, ring, at, sizeof(header));
		copy(event, ring, at, header.size);
		at += header.size;
		if (header.type == PERF_RECORD_LOST)
			m->lost += ((const struct lost *)(const void *)event)->n;
		else if (header.type == PERF_RECORD_MMAP2 && (pid_t)mapped->pid == pid)
			print(f, mapped);
	}
	__atomic_store_n(&r->page->data_tail, at, __ATOMIC_RELEASE);
}

void mappings_take(struct mappings *m, FILE *f, pid_t pid)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		take_ring(m, &m->ring[i], f, pid);
}
