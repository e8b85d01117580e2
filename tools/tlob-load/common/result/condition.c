// SPDX-License-Identifier: GPL-2.0
/* Conditions from text; the grammar is in condition.h. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "workspec.h"
#include "result/condition_local.h"
#include "util/units.h"
#include "util/usage.h"

#define PPM	1000000U

/* Longer operators first: "<" would match the beginning of "<=". */
static const struct {
	const char *text;
	enum condition_op op;
} ops[] = {
	{ "<=", CONDITION_LE }, { ">=", CONDITION_GE }, { "==", CONDITION_EQ },
	{ "!=", CONDITION_NE }, { "<", CONDITION_LT }, { ">", CONDITION_GT },
};

struct parser {
	const char *s;			/* the next character */
	struct condition *e;
	char *err;
	unsigned int size;
};

#define refuse(p, ...) usage_error((p)->err, (p)->size, __VA_ARGS__)

static void skip_space(struct parser *p)
{
	while (isspace((unsigned char)*p->s))
		p->s++;
}

/* The characters of a name from the cursor on, which moves behind them. */
static int next_name(struct parser *p, const char **name)
{
	size_t n;

	skip_space(p);
	*name = p->s;
	n = strspn(p->s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
	p->s += n;
	skip_space(p);
	return (int)n;
}

static bool same(const char *name, int n, const char *word)
{
	return strlen(word) == (size_t)n && !strncmp(name, word, n);
}

static int find_metric(const struct condition_words *words, const char *name, int n)
{
	int i;

	for (i = 0; i < words->nmetrics; i++)
		if (!(words->never & 1U << i) && same(name, n, words->metrics[i]))
			return i;
	return -1;
}

/* func.NAME: whether there is such a set is not known here. */
static int find_function(struct condition *e, const char *name, int n)
{
	const int prefix = (int)strlen(FUNCTION_PREFIX);

	if (!e->words->functions || n <= prefix || n - prefix >= FUNCTION_SET_NAME ||
	    strncmp(name, FUNCTION_PREFIX, (size_t)prefix))
		return -1;
	memcpy(e->function, name + prefix, (size_t)(n - prefix));
	return e->words->nmetrics;
}

bool condition_bind(struct condition *e, const char *set, unsigned int index)
{
	if (!condition_is_function(e) || strcmp(e->function, set))
		return false;
	e->metric = e->words->nmetrics + (int)index;
	return true;
}

static bool has_counter(const struct condition_words *words, const struct field *c)
{
	return c->flags & FIELD_ASSERT && !(c->flags & words->without);
}

static int find_counter(const struct condition_words *words, const char *name,
			int n)
{
	int i;

	for (i = 0; i < (int)words->counters->nfields; i++)
		if (has_counter(words, &words->counters->field[i]) &&
		    same(name, n, words->counters->field[i].key))
			return i;
	return -1;
}

/* Appends to what is in @buf; what does not fit is cut. */
static void append(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void append(char *buf, size_t size, const char *fmt, ...)
{
	size_t n = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + n, size - n, fmt, ap);
	va_end(ap);
}

#define LIST_LEN	320		/* of all metrics, or all counters */

/* "irq, wake, wake.(irq_delay irq), work.(on_cpu irq)": the metrics to choose from. */
static const char *metric_list(char buf[LIST_LEN],
			       const struct condition_words *words)
{
	const char *name, *dot, *phase = "";
	size_t n = 0;
	int i;

	*buf = 0;
	for (i = 0; i < words->nmetrics; i++) {
		if (words->never & 1U << i)
			continue;
		name = words->metrics[i];
		dot = strchr(name, '.');
		if (dot && n == (size_t)(dot - name) &&
		    !strncmp(phase, name, n)) {
			append(buf, LIST_LEN, " %s", dot + 1);
			continue;
		}
		append(buf, LIST_LEN, "%s%s", n ? ")" : "", *buf ? ", " : "");
		n = dot ? (size_t)(dot - name) : 0;
		phase = name;
		if (dot)
			append(buf, LIST_LEN, "%.*s.(%s", (int)n, name, dot + 1);
		else
			append(buf, LIST_LEN, "%s", name);
	}
	append(buf, LIST_LEN, "%s", n ? ")" : "");
	return buf;
}

static const char *counter_list(char buf[LIST_LEN],
				const struct condition_words *words)
{
	const struct field *c = words->counters->field;

	*buf = 0;
	for (; c < words->counters->field + words->counters->nfields; c++)
		if (has_counter(words, c))
			append(buf, LIST_LEN, "%s%s", *buf ? ", " : "", c->key);
	return buf;
}

/* NN[.NNNN] with 0 < NN <= 100, exact in parts per million. 0: not such a number. */
static unsigned int parse_percent(const char *name, int n)
{
	uint64_t ppm = 0, scale = 10000;	/* ppm of one percent */
	int i = 0;

	if (n < 1 || !isdigit((unsigned char)name[0]))
		return 0;
	for (; i < n && i < 3 && isdigit((unsigned char)name[i]); i++)
		ppm = ppm * 10 + (name[i] - '0');
	ppm *= scale;
	if (i < n && name[i] == '.') {
		if (++i == n)
			return 0;
		for (; i < n && scale > 1 && isdigit((unsigned char)name[i]); i++) {
			scale /= 10;
			ppm += (name[i] - '0') * scale;
		}
	}
	return i < n || ppm > PPM ? 0 : (unsigned int)ppm;
}

/* Nothing lies beyond p100. */
static int parse_quantile(struct condition *e, const char *name, int n)
{
	if (n > 1 && name[0] == 'p') {
		e->stat = STAT_QUANTILE;
		e->ppm = parse_percent(name + 1, n - 1);
	} else if (n > 2 && name[0] == 'e' && name[1] == 's') {
		e->stat = STAT_SHORTFALL;
		e->ppm = parse_percent(name + 2, n - 2) % PPM;
	}
	return e->ppm ? 0 : -EINVAL;
}

static int parse_stat(struct condition *e, const char *name, int n)
{
	if (same(name, n, "min"))
		e->stat = STAT_MIN;
	else if (same(name, n, "avg"))
		e->stat = STAT_AVG;
	else if (same(name, n, "max"))
		e->stat = STAT_MAX;
	else
		return parse_quantile(e, name, n);
	return 0;
}

/* The metric of a whole window: the one before its parts. */
static const char *whole(const struct parser *p)
{
	const struct condition_words *words = p->e->words;

	return words->metrics[words->first_part - 1];
}

/* stat ( metric ): @name is the stat, the cursor on the parenthesis. */
static int parse_call(struct parser *p, const char *name, int n)
{
	char list[LIST_LEN];

	if (parse_stat(p->e, name, n))
		return refuse(p, "unknown statistic '%.*s': use min, avg, max, pNN[.NNNN] up to p100 or esNN[.NNNN] below es100, as in p99.9(%s)",
			    n, name, whole(p));
	p->s++;
	n = next_name(p, &name);
	p->e->metric = find_metric(p->e->words, name, n);
	if (p->e->metric < 0)
		p->e->metric = find_function(p->e, name, n);
	if (p->e->metric < 0)
		return refuse(p, "unknown metric '%.*s': use %s", n, name,
			    metric_list(list, p->e->words));
	if (*p->s != ')')
		return refuse(p, "missing ')' before '%s'", p->s);
	p->s++;
	skip_space(p);
	return 0;
}

static int quantity_of_result(struct parser *p)
{
	struct condition stat = { .metric = -1 };
	const char *name;
	char list[LIST_LEN];
	int n = next_name(p, &name);

	if (*p->s == '(')
		return parse_call(p, name, n);
	if (same(name, n, "episodes") && tlob_skip_word(&p->s, "/h")) {
		p->e->episodes = true;
		skip_space(p);
		return 0;
	}
	p->e->counter = find_counter(p->e->words, name, n);
	if (p->e->counter >= 0)
		return 0;
	if (find_metric(p->e->words, name, n) >= 0 || find_function(p->e, name, n) >= 0)
		return refuse(p, "'%.*s' needs a statistic, as in max(%.*s) or p99.9(%.*s)",
			    n, name, n, name, n, name);
	if (!parse_stat(&stat, name, n))
		return refuse(p, "'%.*s' needs a metric, as in %.*s(%s)", n, name, n, name, whole(p));
	return refuse(p, "unknown counter '%.*s': use min, avg, max or p99.9 of a metric, as in max(%s), episodes/h, %s",
		    n, name, whole(p), counter_list(list, p->e->words));
}

static int quantity_of_window(struct parser *p)
{
	const char *name;
	char list[LIST_LEN];
	int n = next_name(p, &name);

	if (*p->s == '(')
		return refuse(p, "'%.*s(': a single window has no statistics; write the metric alone, as in wake>50us",
			    n, name);
	p->e->metric = find_metric(p->e->words, name, n);
	if (p->e->metric < 0)
		p->e->metric = find_function(p->e, name, n);
	if (p->e->metric >= 0)
		return 0;
	p->e->counter = find_counter(p->e->words, name, n);
	if (condition_is_counter(p->e, violations))
		return 0;
	return refuse(p, "unknown metric '%.*s': use violations, %s", n,
		    name, metric_list(list, p->e->words));
}

static int parse_op(struct parser *p)
{
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (tlob_skip_word(&p->s, ops[i].text)) {
			p->e->op = ops[i].op;
			skip_space(p);
			return 0;
		}
	if (!*p->s)
		return refuse(p, "no comparison: add <, <=, >, >=, == or != and a value");
	return refuse(p, "unknown comparison '%s': use <, <=, >, >=, == or !=",
		    p->s);
}

/* The value is all that is left, but for white space at the end. */
static int parse_value(struct parser *p)
{
	struct condition *e = p->e;
	size_t n = strlen(p->s);
	char value[64];
	int err;

	while (n && isspace((unsigned char)p->s[n - 1]))
		n--;
	if (n >= sizeof(value))
		return refuse(p, "value '%.20s...' is too long: give at most 63 characters", p->s);
	memcpy(value, p->s, n);
	value[n] = 0;
	if (e->metric >= 0 || (e->counter >= 0 && e->words->counters->field[e->counter].flags & FIELD_NS))
		return duration_parse(value, &e->value, p->err, p->size);
	err = count_parse(value, &e->value);
	if (err == -ERANGE)
		return refuse(p, "%s is out of range: give at most 2^64-1", value);
	if (err)
		return refuse(p, "invalid count '%s': compare %s with a whole number",
			    value, e->episodes ? "episodes/h" : e->words->counters->field[e->counter].key);
	if (e->episodes && (e->op == CONDITION_EQ || e->op == CONDITION_NE))
		return refuse(p, "episodes/h has a bound: compare it with <, <=, > or >=");
	return 0;
}

static int parse(struct parser *p, const struct condition_words *words,
		 const char *text, int (*quantity)(struct parser *p))
{
	int err;

	*p->e = (struct condition){
		.words = words, .text = text, .metric = -1, .counter = -1,
	};
	err = quantity(p);
	if (!err)
		err = parse_op(p);
	return err ? err : parse_value(p);
}

int condition_parse_window(struct condition *e, const char *text, char *err,
		      unsigned int size)
{
	struct parser p = { text, e, err, size };
	int ret = parse(&p, &condition_run_words, text, quantity_of_window);

	if (ret || e->counter < 0)
		return ret;
	/* One window has 0 or 1 violations: refuse a condition that is the same for both. */
	if (condition_compare(0, e->op, e->value) == condition_compare(1, e->op, e->value))
		return refuse(&p, "a single window has 0 or 1 violations: write violations>0");
	return 0;
}

int condition_parse_words(struct condition *e, const struct condition_words *words,
		     const char *text, char *err, unsigned int size)
{
	struct parser p = { text, e, err, size };

	return parse(&p, words, text, quantity_of_result);
}

int condition_parse_result(struct condition *e, const char *text, char *err,
		      unsigned int size)
{
	return condition_parse_words(e, &condition_run_words, text, err, size);
}
