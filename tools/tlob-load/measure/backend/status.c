// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "workspec.h"
#include "backend/status.h"

#define MAX_CPU		(1 << 20)

static const struct {
	const char *name;
	size_t offset;
} cpu_fields[] = {
#define STATUS_FIELD(name)	{ #name, offsetof(struct status_cpu, name) },
	STATUS_FIELDS(STATUS_FIELD)
#undef STATUS_FIELD
};

/* "key=number" of a CPU's line; other keys and their values are skipped. */
static int parse_field(struct status_cpu *c, char *word)
{
	char *value = strchr(word, '=');
	const char *p;
	uint64_t v;
	size_t i;
	int err;

	if (!value)
		return -EINVAL;
	*value++ = '\0';
	for (i = 0; i < sizeof(cpu_fields) / sizeof(*cpu_fields); i++) {
		if (strcmp(word, cpu_fields[i].name))
			continue;
		p = value;
		err = tlob_parse_u64(&p, (__u64 *)&v);
		if (err || *p)
			return -EINVAL;
		memcpy((char *)c + cpu_fields[i].offset, &v, sizeof(v));
		break;
	}
	return 0;
}

static int parse_cpu(struct status *s, int cpu, char *fields)
{
	struct status_cpu *at, *c;
	char *word, *rest = NULL;
	int err = 0;

	if (status_find(s, cpu))
		return -EINVAL;
	at = reallocarray(s->cpu, s->ncpus + 1, sizeof(*at));
	if (!at)
		return -ENOMEM;
	s->cpu = at;
	c = &at[s->ncpus++];
	*c = (struct status_cpu){ .cpu = cpu };
	for (word = strtok_r(fields, " ", &rest); word && !err;
	     word = strtok_r(NULL, " ", &rest))
		err = parse_field(c, word);
	return err;
}

/* The bits of the parts named in a list like "wake.softirq work.softirq". */
static int parse_parts(uint32_t *bits, const char *names)
{
	size_t i, n;

	*bits = 0;
	if (!strcmp(names, "none"))
		return 0;
	while (*names) {
		n = strcspn(names, " ");
		for (i = TLOB_METRIC_PARTS; i < TLOB_NR_METRICS; i++)
			if (strlen(tlob_metric_names[i]) == n &&
			    !strncmp(tlob_metric_names[i], names, n))
				break;
		if (i == TLOB_NR_METRICS)
			return -EINVAL;
		*bits |= 1U << (i - TLOB_METRIC_PARTS);
		names += n + strspn(names + n, " ");
	}
	return 0;
}

static const char *none_is_null(const char *value)
{
	return *value && strcmp(value, "none") ? value : NULL;
}

/* "cpu12" → 12, anything else → -1. */
static int cpu_key(const char *key)
{
	const char *p = key;
	__u64 cpu;

	if (!tlob_skip_word(&p, "cpu") || tlob_parse_u64(&p, &cpu) || *p ||
	    cpu > MAX_CPU)
		return -1;
	return (int)cpu;
}

/* "none" or "cpu0 activation 7". */
static int parse_stopped_by(struct status *s, const char *value)
{
	const char *p = value;
	__u64 cpu, activation;

	if (!strcmp(value, "none"))
		return 0;
	if (!tlob_skip_word(&p, "cpu") || tlob_parse_u64(&p, &cpu) ||
	    cpu > MAX_CPU || !tlob_skip_word(&p, " activation ") ||
	    tlob_parse_u64(&p, &activation) || *p)
		return -EINVAL;
	s->stopped_cpu = (int)cpu;
	s->stopped_activation = activation;
	return 0;
}

static int parse_resolution(struct status *s, const char *value)
{
	const char *p = value;
	__u64 ns;

	if (tlob_parse_u64(&p, &ns) || *p)
		return -EINVAL;
	s->clock_resolution_ns = ns;
	return 0;
}

static int parse_line(struct status *s, char *line)
{
	char *value = strchr(line, ':');
	int cpu;

	if (!value)
		return -EINVAL;
	*value++ = '\0';
	value += strspn(value, " ");
	cpu = cpu_key(line);
	if (cpu >= 0)
		return parse_cpu(s, cpu, value);
	if (!strcmp(line, "state"))
		s->state = value;
	else if (!strcmp(line, "stopped_by"))
		return parse_stopped_by(s, value);
	else if (!strcmp(line, "noise_source"))
		s->noise_source = value;
	else if (!strcmp(line, "unavailable_because"))
		s->unavailable_because = none_is_null(value);
	else if (!strcmp(line, "notes"))
		s->notes = none_is_null(value);
	else if (!strcmp(line, "max_difference_ns"))
		s->max_difference_ns = none_is_null(value);
	else if (!strcmp(line, "clock_resolution_ns"))
		return parse_resolution(s, value);
	else if (!strcmp(line, "unavailable"))
		return parse_parts(&s->unavailable, value);
	return 0;
}

int status_parse(struct status *s, char *text)
{
	char *line, *rest = NULL;
	int err = 0;

	*s = (struct status){
		.text = text, .noise_source = "none", .stopped_cpu = -1,
	};
	for (line = strtok_r(text, "\n", &rest); line && !err;
	     line = strtok_r(NULL, "\n", &rest))
		err = parse_line(s, line);
	if (!err && !s->state)
		err = -EINVAL;
	return err;
}

void status_free(struct status *s)
{
	free(s->text);
	free(s->cpu);
	*s = (struct status){ 0 };
}

const struct status_cpu *status_find(const struct status *s, int cpu)
{
	size_t i;

	for (i = 0; i < s->ncpus; i++)
		if (s->cpu[i].cpu == cpu)
			return &s->cpu[i];
	return NULL;
}

/* "name " at *@s: the metric, and *@s behind the blank; -1: none of ours. */
static int parse_metric(const char **s)
{
	size_t n = strcspn(*s, " \n");
	int i;

	for (i = 0; i < TLOB_NR_METRICS; i++)
		if (strlen(tlob_metric_names[i]) == n &&
		    !strncmp(tlob_metric_names[i], *s, n) && (*s)[n] == ' ') {
			*s += n + 1;
			return i;
		}
	return -1;
}

static bool parse_number(const char **s, const char *prefix, __u64 *v)
{
	return tlob_skip_word(s, prefix) && !tlob_parse_u64(s, v);
}

static bool parse_bucket(struct tlob_hist *h, const char **s)
{
	__u64 lower, upper, n;
	unsigned int i;

	if (!parse_number(s, "", &lower) || !parse_number(s, " ", &upper) ||
	    !parse_number(s, " ", &n))
		return false;
	i = tlob_hist_index(lower);
	if (tlob_hist_lower(i) != lower || tlob_hist_upper(i) != upper ||
	    h->bucket[i] || !n)
		return false;
	h->bucket[i] = n;
	return true;
}

/*
 * Returns whether the counters agree with the buckets. Those of a @running CPU may be a few
 * windows apart: then they follow the buckets.
 */
static bool agree(struct tlob_hist *h, bool running)
{
	unsigned int i, first = TLOB_HIST_BUCKETS, last = 0;
	__u64 n = 0;

	for (i = 0; i < TLOB_HIST_BUCKETS; i++) {
		if (!h->bucket[i])
			continue;
		if (!n)
			first = i;
		last = i;
		n += h->bucket[i];
	}
	if (n == h->n && (!n || (h->min <= h->max && tlob_hist_index(h->min) == first &&
				 tlob_hist_index(h->max) == last)))
		return true;
	h->n = n;
	if (!n)
		h->sum = h->min = h->max = 0;
	else if (tlob_hist_index(h->min) != first)
		h->min = tlob_hist_lower(first);
	if (n && tlob_hist_index(h->max) != last)
		h->max = tlob_hist_upper(last);
	return running;
}

int hist_parse(struct tlob_hist *hist, const char *text, bool running)
{
	const char *s = text;
	int metric;

	memset(hist, 0, TLOB_NR_METRICS * sizeof(*hist));
	while (*s) {
		struct tlob_hist *h;

		metric = parse_metric(&s);
		if (metric < 0)
			return -EINVAL;
		h = &hist[metric];
		if (*s == 'n') {
			if (h->n || !parse_number(&s, "n=", &h->n) ||
			    !parse_number(&s, " sum=", &h->sum) ||
			    !parse_number(&s, " min=", &h->min) ||
			    !parse_number(&s, " max=", &h->max) || !h->n)
				return -EINVAL;
		} else if (!parse_bucket(h, &s)) {
			return -EINVAL;
		}
		if (!tlob_skip_word(&s, "\n"))
			return -EINVAL;
	}
	for (metric = 0; metric < TLOB_NR_METRICS; metric++)
		if (!agree(&hist[metric], running))
			return -EINVAL;
	return 0;
}
