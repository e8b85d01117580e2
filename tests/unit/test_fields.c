// SPDX-License-Identifier: GPL-2.0
/*
 * docs/reference has what the tables of fields say: the schemas of result files, and the tables
 * of result.md. With --write this program writes them, else it says which of them are stale.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reached.h"

#define REFERENCE	"../../docs/reference/"
#define DEFS		64

/* Definitions that the tables refer to, each printed once. */
struct schema {
	FILE	*f;
	const struct fields *def[DEFS];
	unsigned int ndefs;
};

/* The output of functions of rows. */
static const char *const more_defs =
	"    \"facts\": {\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\"}},\n"
	"    \"pair\": {\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": {\"$ref\": \"#/$defs/u64\"}},\n"
	"    \"samples\": {\"type\": \"array\", \"maxItems\": 65536, \"items\": {\"$ref\": \"#/$defs/pair\"}},\n"
	"    \"over\": {\n"
	"      \"type\": \"object\", \"additionalProperties\": false, \"required\": [\"n\", \"of\", \"upper_95\"],\n"
	"      \"properties\": {\"n\": {\"$ref\": \"#/$defs/u64\"}, \"of\": {\"$ref\": \"#/$defs/u64\"}, \"upper_95\": {\"type\": [\"number\", \"null\"], \"minimum\": 0, \"maximum\": 1}}\n"
	"    },\n"
	"    \"quantile\": {\"anyOf\": [{\"$ref\": \"#/$defs/u64\"}, {\"const\": \"missed\"}, {\"type\": \"null\"}]},\n"
	"    \"quantiles\": {\n"
	"      \"type\": \"object\", \"additionalProperties\": false, \"required\": [\"p50\", \"p90\", \"p99\", \"p99.9\", \"p99.99\"],\n"
	"      \"properties\": {\n"
	"        \"p50\": {\"$ref\": \"#/$defs/quantile\"}, \"p90\": {\"$ref\": \"#/$defs/quantile\"}, \"p99\": {\"$ref\": \"#/$defs/quantile\"},\n"
	"        \"p99.9\": {\"$ref\": \"#/$defs/quantile\"}, \"p99.99\": {\"$ref\": \"#/$defs/quantile\"}\n"
	"      }\n"
	"    },\n"
	"    \"hist\": {\n"
	"      \"type\": \"object\", \"additionalProperties\": false, \"required\": [\"n\", \"sum\", \"min\", \"max\", \"buckets\"],\n"
	"      \"properties\": {\n"
	"        \"n\": {\"$ref\": \"#/$defs/u64\"}, \"sum\": {\"$ref\": \"#/$defs/u64\"},\n"
	"        \"min\": {\"anyOf\": [{\"$ref\": \"#/$defs/u64\"}, {\"type\": \"null\"}]},\n"
	"        \"max\": {\"anyOf\": [{\"$ref\": \"#/$defs/u64\"}, {\"type\": \"null\"}]},\n"
	"        \"buckets\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/pair\"}}\n"
	"      }\n"
	"    }\n";

static void define(struct schema *s, const struct fields *r)
{
	unsigned int i;

	for (i = 0; i < s->ndefs; i++)
		if (s->def[i] == r)
			return;
	s->def[s->ndefs++] = r;
}

static void print_words(FILE *f, const struct words *words)
{
	const char *sep = "";
	unsigned int i, k;

	for (i = 0; i < words->n; i++) {
		/* parts of both phases may have one name */
		for (k = 0; k < i; k++)
			if (word_of(words, i) && word_of(words, k) && !strcmp(word_of(words, i), word_of(words, k)))
				break;
		if (k < i || !word_of(words, i))
			continue;
		fprintf(f, "%s\"%s\"", sep, word_of(words, i));
		sep = ", ";
	}
}

static void print_items(struct schema *s, const struct field *f)
{
	fputs("{\"type\": \"array\", ", s->f);
	if (f->min)
		fprintf(s->f, "\"minItems\": %lld, ", (long long)f->min);
	if (f->max)
		fprintf(s->f, "\"maxItems\": %llu, ", (unsigned long long)f->max);
	fprintf(s->f, "\"items\": {\"$ref\": \"#/$defs/%s\"}}", f->of->name);
	define(s, f->of);
}

/* An object with a key for each word; those that may be unavailable are not required. */
static void print_each(struct schema *s, const struct field *f, const char *def)
{
	const char *sep = "";
	unsigned int i;

	fputs("{\"type\": \"object\", \"additionalProperties\": false, \"required\": [", s->f);
	for (i = 0; i < f->words->n && (!f->masked || i < f->first) && (!f->optional || i < f->optional); i++, sep = ", ")
		fprintf(s->f, "%s\"%s\"", sep, word_of(f->words, i));
	fputs("], \"properties\": {", s->f);
	for (i = 0; i < f->words->n; i++)
		fprintf(s->f, "%s\"%s\": {\"$ref\": \"#/$defs/%s\"}", i ? ", " : "",
			word_of(f->words, i), def);
	fputs("}}", s->f);
}

static void print_value(struct schema *s, const struct field *f)
{
	switch (f->type) {
	case FIELD_CONST:
		if (f->words)
			fprintf(s->f, "{\"const\": \"%s\"}", word_of(f->words, 0));
		else
			fprintf(s->f, "{\"const\": %llu}", (unsigned long long)f->max);
		break;
	case FIELD_COUNT:
		if (f->max || f->min)
			fprintf(s->f, "{\"type\": \"integer\", \"minimum\": %lld, \"maximum\": %llu}",
				(long long)f->min, f->max ? (unsigned long long)f->max : ULLONG_MAX);
		else
			fputs("{\"$ref\": \"#/$defs/u64\"}", s->f);
		break;
	case FIELD_NUMBER:
		fprintf(s->f, "{\"type\": \"integer\", \"minimum\": %lld, \"maximum\": %llu}",
			(long long)f->min, (unsigned long long)f->max);
		break;
	case FIELD_BOOL:
		fputs("{\"type\": \"boolean\"}", s->f);
		break;
	case FIELD_TIME:
		fputs("{\"type\": \"string\", \"pattern\": \"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$\"}", s->f);
		break;
	case FIELD_TEXT:
	case FIELD_CHARS:
	case FIELD_WORD:
		if (!f->words) {
			fputs("{\"type\": \"string\"}", s->f);
			break;
		}
		fputs("{\"enum\": [", s->f);
		print_words(s->f, f->words);
		fputs("]}", s->f);
		break;
	case FIELD_TEXTS:
		fputs("{\"type\": \"array\", \"items\": {\"type\": \"string\"}}", s->f);
		break;
	case FIELD_MASK:
		fputs("{\"type\": \"array\", \"uniqueItems\": true, \"items\": {\"enum\": [", s->f);
		print_words(s->f, f->words);
		fputs("]}}", s->f);
		break;
	case FIELD_ARRAY:
		print_each(s, f, "u64");
		break;
	case FIELD_HISTS:
		print_each(s, f, "hist");
		break;
	case FIELD_HIST:
		fputs("{\"$ref\": \"#/$defs/hist\"}", s->f);
		break;
	case FIELD_LIST:
	case FIELD_NEW_LIST:
		print_items(s, f);
		break;
	case FIELD_RECORD:
	case FIELD_POINTER:
	case FIELD_SAME:
	case FIELD_OWN:
		if (f->max && f->of) {
			print_items(s, f);
			break;
		}
		if (f->words) {
			print_each(s, f, f->def);
			break;
		}
		fprintf(s->f, "{\"$ref\": \"#/$defs/%s\"}", f->of ? f->of->name : f->def);
		if (f->of)
			define(s, f->of);
		break;
	}
}

static void print_type(struct schema *s, const struct field *f)
{
	bool null = f->flags & FIELD_NULL || (f->known_size && f->type != FIELD_SAME);

	if (null)
		fputs("{\"anyOf\": [", s->f);
	if (f->def && *f->def == '{')
		fprintf(s->f, f->def, f->of ? f->of->name : "");
	else
		print_value(s, f);
	if (f->def && *f->def == '{' && f->of)
		define(s, f->of);
	if (null)
		fputs(", {\"type\": \"null\"}]}", s->f);
}

/* The rows of @r, with those that are in the same object. */
static void each_row(struct schema *s, const struct fields *r, unsigned int without, bool optional,
		     void (*print)(struct schema *s, const struct field *f, bool first), bool *first)
{
	const struct field *f;

	for (f = r->field; f < r->field + r->nfields; f++) {
		if (f->flags & (r->without | without))
			continue;
		if (f->type == FIELD_SAME) {
			each_row(s, f->of, without, optional || f->flags & FIELD_LEFT_OUT, print, first);
			continue;
		}
		if (without && optional)
			continue;
		print(s, f, *first);
		*first = false;
	}
}

static void print_required(struct schema *s, const struct field *f, bool first)
{
	fprintf(s->f, "%s\"%s\"", first ? "" : ", ", f->key);
}

static void print_property(struct schema *s, const struct field *f, bool first)
{
	fprintf(s->f, "%s        \"%s\": ", first ? "" : ",\n", f->key);
	print_type(s, f);
}

static void print_object(struct schema *s, const struct fields *r)
{
	bool first = true;

	fputs("\"type\": \"object\", \"additionalProperties\": false, \"required\": [", s->f);
	each_row(s, r, FIELD_LEFT_OUT, false, print_required, &first);
	fputs("],\n      \"properties\": {\n", s->f);
	first = true;
	each_row(s, r, 0, false, print_property, &first);
	fputs("\n      }", s->f);
}

static void print_schema(FILE *f, const struct fields *r, const char *title)
{
	struct schema s = { .f = f };
	unsigned int i;

	fprintf(f, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"title\": \"%s\",\n      ",
		title);
	print_object(&s, r);
	fputs(",\n  \"$defs\": {\n    \"u64\": {\"type\": \"integer\", \"minimum\": 0, \"maximum\": 18446744073709551615},\n", f);
	for (i = 0; i < s.ndefs; i++) {
		fprintf(f, "    \"%s\": {", s.def[i]->name);
		print_object(&s, s.def[i]);
		fputs("\n    },\n", f);
	}
	fputs(more_defs, f);
	fputs("  }\n}\n", f);
}

/* A row of the reference has the keys up to the one with a text; NO_ROW: they have none. */
static bool has_row(const struct field *row, const struct field *end)
{
	while (row < end && !row->text)
		row++;
	return row == end || *row->text;
}

/* The first fields are those of @above, whose table comes before, or NULL. */
static void print_table(FILE *f, const struct fields *r, const struct fields *above)
{
	const struct field *row = r->field + (above ? above->nfields : 0);
	bool more = false;

	for (; row < r->field + r->nfields; row++) {
		if (row->type == FIELD_SAME && !row->text) {
			print_table(f, row->of, NULL);
			continue;
		}
		if (!has_row(row, r->field + r->nfields))
			continue;
		if (row->type == FIELD_SAME) {
			const struct field *in = row->of->field;

			for (; in < row->of->field + row->of->nfields; in++, more = true)
				fprintf(f, "%s`%s`", more ? ", " : "| ", in->key);
		} else {
			fprintf(f, "%s`%s`", more ? ", " : "| ", row->key);
		}
		more = !row->text;
		if (row->text)
			fprintf(f, " | %s |\n", row->text);
	}
}

/* The same rows came before in an object of that name: the largest noise of both. */
static bool came_before(const struct reached *all, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (all->at[k].rows->field == all->at[i].rows->field &&
		    !strcmp(all->at[k].name, all->at[i].name))
			return true;
	return false;
}

/* The texts with @flag, by the object that has them. */
static void print_texts(FILE *f, unsigned int flag, const char *what)
{
	struct reached all = reached_from_results();
	const char *sep = "| ";
	size_t i, k;

	for (i = 0; i < all.n; i++) {
		for (k = 0; k < all.at[i].rows->nfields; k++) {
			const struct field *row = &all.at[i].rows->field[k];

			if (!(row->flags & flag) || row->flags & all.at[i].rows->without ||
			    row->type == FIELD_OWN || came_before(&all, i))
				continue;
			fprintf(f, "%s`%s.%s`", sep, all.at[i].name, row->key);
			sep = ", ";
		}
	}
	fprintf(f, " | %s |\n", what);
}

static void print_anonymized(FILE *f)
{
	print_texts(f, FIELD_PRIVATE, "an alias takes its place");
	print_texts(f, FIELD_FREE_TEXT, "is left out: null or empty");
}

/* The table in result.md, below @heading: the first with @column, or the next ones. */
static const struct {
	const char *heading, *column;
	unsigned int number;
	const struct fields *rows;	/* NULL: print_anonymized() */
} tables[] = {
	{ "\n## The object\n", "key", 0, &result_record },
	{ "\n## A CPU\n", "key", 0, &cpu_record },
	{ "\n## `episodes`\n", "key", 0, &episodes_record },
	{ "\n## `actions`\n", "key", 0, &actions_record },
	{ "\n## `os`\n", "key", 0, &os_record },
	{ "\n## `findings`\n", "key", 0, &findings_record },
	{ "\n## `findings`\n", "key in `counters`", 0, &machine_counts_record },
	{ "\n## `slices`\n", "key", 0, &slices_record },
	{ "\n## `slices`\n", "key", 1, &slice_record },
	{ "\n## A window in `worst`\n", "key", 0, &window_record },
	{ "\n## A window in `worst`\n", "key", 1, &timeline_record },
	{ "\n## `noise` and `delay`\n", "key in `names`", 0, &offender_record },
	{ "\n## `causes`\n", "key", 0, &causes_record },
	{ "\n## `causes`\n", "key in `list`", 0, &cause_record },
	{ "\n## `places`\n", "key in `list`", 0, &cause_at_record },
	{ "\n## What `--anonymize` changes\n", "text", 0, NULL },
	{ "\n## `attached`\n", "key", 0, &attached_record },
	{ "\n## `attached`\n", "key in `threads`", 0, &activation_thread_record },
};

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!f || getdelim(&text, &size, 0, f) < 0) {
		perror(path);
		exit(1);
	}
	fclose(f);
	return text;
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f)) {
		perror(path);
		exit(1);
	}
}

/* The rows below the header. NULL: there is no such table. */
static char *find_table(char *doc, const char *heading, const char *column, unsigned int number)
{
	char header[64], *at = strstr(doc, heading);
	unsigned int i;

	snprintf(header, sizeof(header), "\n| %s | meaning |\n", column);
	for (i = 0; at && i <= number; i++) {
		at = strstr(at, header);
		if (at)
			at += strlen(header);
	}
	return at && (at = strchr(at, '\n')) ? at + 1 : NULL;
}

/* Returns @doc with the tables as they are to be: malloc(). */
static char *with_tables(char *doc)
{
	char *at, *end, *new, *text;
	size_t i, size;
	FILE *f;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		at = find_table(doc, tables[i].heading, tables[i].column, tables[i].number);
		if (!at) {
			fprintf(stderr, "FAILED: result.md has no table %u of '%s' below%s",
				tables[i].number, tables[i].column, tables[i].heading);
			exit(1);
		}
		for (end = at; *end == '|'; end = strchr(end, '\n') + 1)
			;
		f = open_memstream(&new, &size);
		fwrite(doc, 1, (size_t)(at - doc), f);
		if (tables[i].rows)
			print_table(f, tables[i].rows,
				    tables[i].rows == &cause_at_record ? &cause_record : NULL);
		else
			print_anonymized(f);
		fputs(end, f);
		fclose(f);
		text = doc;
		doc = new;
		free(text);
	}
	return doc;
}

static char *schema_text(const struct fields *r, const char *title)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	print_schema(f, r, title);
	fclose(f);
	return text;
}

int main(int argc, char **argv)
{
	static const char *const path[] = {
		REFERENCE "result.schema.json", REFERENCE "result.md",
	};
	bool write = argc == 2 && !strcmp(argv[1], "--write"), stale = false;
	char *wanted[2], *found;
	size_t i;

	wanted[0] = schema_text(&result_record, "tlob-load result, version 2");
	wanted[1] = with_tables(read_file(path[1]));
	for (i = 0; i < 2; i++) {
		found = read_file(path[i]);
		if (strcmp(found, wanted[i])) {
			if (write)
				write_file(path[i], wanted[i]);
			else
				fprintf(stderr, "FAILED: %s is not what the tables of fields say: run build/unit/test_fields --write in tests/unit\n",
					path[i]);
			stale = true;
		}
		free(found);
		free(wanted[i]);
	}
	return stale && !write;
}
