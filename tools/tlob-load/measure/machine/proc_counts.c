// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/proc_counts.h"
#include "result/os_counts.h"
#include "util/file.h"

#define SCHEDSTAT	"/proc/thread-self/schedstat"

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

static const char *next_line(const char *s)
{
	s += strcspn(s, "\n");
	return *s ? s + 1 : s;
}

/* A number, and what follows it in @*s. */
static bool number(const char **s, uint64_t *v)
{
	const char *from = skip_blanks(*s);
	char *end;

	if (!isdigit((unsigned char)*from))
		return false;
	*v = strtoull(from, &end, 10);
	*s = end;
	return true;
}

/*
 * The header "CPU0 CPU2 ..." has only online CPUs. @column[i] becomes the column of
 * @cpus[i]. Returns the number of columns, or -EINVAL.
 */
static int read_header(const char *line, const int *cpus, size_t ncpus, int *column)
{
	const char *s = skip_blanks(line);
	uint64_t cpu;
	int columns = 0;
	size_t i;

	for (i = 0; i < ncpus; i++)
		column[i] = -1;
	while (!strncmp(s, "CPU", 3)) {
		s += 3;
		if (!number(&s, &cpu))
			return -EINVAL;
		for (i = 0; i < ncpus; i++)
			if ((uint64_t)cpus[i] == cpu)
				column[i] = columns;
		columns++;
		s = skip_blanks(s);
	}
	for (i = 0; i < ncpus; i++)
		if (column[i] < 0)
			return -EINVAL;
	return columns;
}

/*
 * The words after the counts end with who it is for; two blanks stand before it:
 * "PCI-MSI 524288-edge      eth0", "Local timer interrupts".
 */
static char *row_name(const char *label, int label_len, const char *words)
{
	const char *from = skip_blanks(words), *end = from + strcspn(from, "\n"), *s;
	char *name;

	while (end > from && isblank((unsigned char)end[-1]))
		end--;
	for (s = end; s > from + 1; s--)
		if (isblank((unsigned char)s[-1]) && isblank((unsigned char)s[-2]))
			break;
	if (s > from + 1)
		from = s;
	if (asprintf(&name, "%.*s%s%.*s", label_len, label, end > from ? " " : "",
		     (int)(end - from), from) < 0)
		return NULL;
	return name;
}

/* One row to the end of @t. 1, 0 if it is not one for each CPU, or -ENOMEM. */
static int add_row(struct proc_table *t, const char *line, const int *column,
		   int columns)
{
	const char *label = skip_blanks(line), *s = label + strcspn(label, ":\n");
	int label_len = (int)(s - label), c;
	uint64_t v, *count;
	char **name;
	size_t i;

	if (*s != ':')
		return 0;
	count = realloc(t->count, (t->n + 1) * t->ncpus * sizeof(*count));
	if (count)
		t->count = count;
	name = realloc(t->name, (t->n + 1) * sizeof(*name));
	if (name)
		t->name = name;
	if (!count || !name)
		return -ENOMEM;
	count += t->n * t->ncpus;
	for (s++, c = 0; c < columns; c++) {
		if (!number(&s, &v))
			return 0;
		for (i = 0; i < t->ncpus; i++)
			if (column[i] == c)
				count[i] = v;
	}
	name[t->n] = row_name(label, label_len, s);
	if (!name[t->n])
		return -ENOMEM;
	t->n++;
	return 1;
}

int proc_table_parse(struct proc_table *t, const char *text, const int *cpus,
		     size_t ncpus)
{
	int *column = calloc(ncpus ? ncpus : 1, sizeof(*column)), columns, err = 0;

	*t = (struct proc_table){ .ncpus = ncpus };
	if (!column)
		return -ENOMEM;
	columns = read_header(text, cpus, ncpus, column);
	if (columns <= 0)
		err = -EINVAL;
	for (text = next_line(text); err >= 0 && *text; text = next_line(text))
		err = add_row(t, text, column, columns);
	free(column);
	return err < 0 ? err : 0;
}

void proc_table_free(struct proc_table *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		free(t->name[i]);
	free(t->name);
	free(t->count);
	*t = (struct proc_table){ 0 };
}

/* Rows come and go with their drivers, so @hint is only where to look first. */
static uint64_t count_of(const struct proc_table *t, const char *name, size_t hint,
			 size_t i)
{
	size_t k;

	if (hint < t->n && !strcmp(t->name[hint], name))
		return t->count[hint * t->ncpus + i];
	for (k = 0; k < t->n; k++)
		if (!strcmp(t->name[k], name))
			return t->count[k * t->ncpus + i];
	return 0;
}

uint64_t proc_row_since(const struct proc_table *before, const struct proc_table *after,
			size_t k, size_t i)
{
	uint64_t was = count_of(before, after->name[k], k, i);
	uint64_t is = after->count[k * after->ncpus + i];

	/* the counters have 32 bits in the kernel */
	return is >= was ? is - was : (uint32_t)(is - was);
}

void proc_table_since(const struct proc_table *before, const struct proc_table *after,
		      size_t i, struct os_list *list)
{
	size_t k;

	for (k = 0; k < after->n; k++)
		os_list_add(list, after->name[k], proc_row_since(before, after, k, i));
}

int proc_steal(const char *text, int cpu, uint64_t *ticks)
{
	char label[16];
	size_t len = (size_t)snprintf(label, sizeof(label), "cpu%d ", cpu);
	uint64_t v;
	int field;

	for (; *text; text = next_line(text)) {
		if (strncmp(text, label, len))
			continue;
		text += len;
		/* user nice system idle iowait irq softirq steal */
		for (field = 0; field < 8; field++)
			if (!number(&text, &v))
				return -EINVAL;
		*ticks = v;
		return 0;
	}
	return -EINVAL;
}

/* Field @n of /proc/PID/stat. Field 2, the name, may contain anything: they count from its end. */
static int stat_field(const char *text, int n, uint64_t *v)
{
	const char *p = strrchr(text, ')');
	int field;

	for (field = 2; p && field < n; field++) {
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	return p && number(&p, v) ? 0 : -EINVAL;
}

int proc_start_time(const char *text, uint64_t *ticks)
{
	return stat_field(text, 22, ticks);
}

bool proc_is_dead(const char *text)
{
	const char *p = strrchr(text, ')');

	/* EXIT_ZOMBIE and EXIT_DEAD in the kernel's task_state_array[] */
	return p && (!strncmp(p, ") Z", 3) || !strncmp(p, ") X", 3));
}

int proc_mapped(const char *text, uint64_t *bytes)
{
	return stat_field(text, 23, bytes);
}

int proc_run_delay(const char *text, uint64_t *ns)
{
	uint64_t ran;

	return number(&text, &ran) && number(&text, ns) ? 0 : -EINVAL;
}

int proc_own_run_delay(uint64_t *ns)
{
	char line[96];
	int err = file_read_line(SCHEDSTAT, line, sizeof(line));

	return err ? err : proc_run_delay(line, ns);
}
