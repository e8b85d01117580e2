// SPDX-License-Identifier: GPL-2.0
/* The frame of a page: style, text, data and script. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "result/parts.h"
#include "util/error.h"
#include "util/markup.h"
#include "util/memstream.h"

/* A text file of the source tree, in the program. */
#define EMBED(name, file)						\
	__asm__(".pushsection .rodata, \"a\"\n"				\
		".global " #name ", " #name "_end\n"			\
		#name ": .incbin \"" file "\"\n"			\
		#name "_end:\n"						\
		".popsection\n")

extern const char tlob_html_css[], tlob_html_css_end[];
EMBED(tlob_html_css, TLOB_PAGE_CSS);
extern const char tlob_html_js[], tlob_html_js_end[];
EMBED(tlob_html_js, TLOB_PAGE_JS);

static void put_file(FILE *f, const char *from, const char *end)
{
	fwrite(from, 1, (size_t)(end - from), f);
}

/*
 * What draws a page of that kind. In the script a line of two slashes begins what only the kind behind them needs, or,
 * without a kind, all.
 */
static void put_script(FILE *f, const char *kind, const char *line, const char *last)
{
	const char *end;
	bool wanted = true;

	for (; line < last; line = end) {
		end = (const char *)memchr(line, '\n', (size_t)(last - line)) + 1;
		if (line[0] == '/' && line[1] == '/')
			wanted = line + 3 == end || ((size_t)(end - line) == strlen(kind) + 3 && !memcmp(line + 2, kind, strlen(kind)));
		else if (wanted)
			put_file(f, line, end);
	}
}

/* In JSON '<' is only in texts. Written as a number it can end no element and begin no comment. */
static ssize_t write_json(void *to, const char *text, size_t n)
{
	const char *end = text + n, *at;
	FILE *f = to;

	for (at = text; at < end; at++)
		if (*at == '<' ? fputs("\\u003c", f) < 0 : putc(*at, f) < 0)
			return 0;
	return (ssize_t)n;
}

/* A phase is not one of the parts, and has none of their colours. */
static const struct {
	const char *name, *colour, *meaning;
} phases[] = {
	{ "wake", "#7fa7d1", "from the timer's expiry until the thread runs" },
	{ "work", "#8fc9a4", "from there to the end of the work" },
};

static void put_part(struct builder *b, struct json_object *list, const char *name, const char *brief,
		     const char *colour, const char *meaning)
{
	struct json_object *o = put_object(b, list, NULL);

	put_text(b, o, "name", name);
	put_text(b, o, "short", brief);
	put_text(b, o, "colour", colour);
	put_text(b, o, "meaning", meaning);
}

/* What a bar of a page may consist of: the parts in the order of a window, and the two phases. */
static void put_parts(struct builder *b, struct json_object *o)
{
	struct json_object *list = put_array(b, o, "parts");
	unsigned int i;

	for (i = 0; i < TLOB_NR_PARTS; i++)
		put_part(b, list, part_name(i), part_short_name(i), part_colour(i), part_meaning(i));
	for (i = 0; i < sizeof(phases) / sizeof(phases[0]); i++)
		put_part(b, list, phases[i].name, phases[i].name, phases[i].colour, phases[i].meaning);
}

static int put_noscript(FILE *f, int (*text)(FILE *f, const void *data), const void *data)
{
	char *shown = NULL;
	size_t size;
	FILE *mem = open_memstream(&shown, &size);
	int err = mem ? text(mem, data) : -ENOMEM;

	if (!memstream_text(mem, &shown))
		return -ENOMEM;
	fputs("<noscript><pre>", f);
	markup_lines(f, shown);
	fputs("</pre></noscript>\n", f);
	free(shown);
	return err;
}

int html_begin(struct html *p, FILE *f, const char *kind, const char *title,
	       int (*text)(FILE *f, const void *data), const void *data)
{
	struct json_object *o = json_object_new_object();
	struct builder b = { 0 };
	int err;

	*p = (struct html){ .f = f, .kind = kind };
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n",
	      f);
	markup(f, "<title>tlob-load: %s</title>\n<style>\n", title);
	put_file(f, tlob_html_css, tlob_html_css_end);
	fputs("</style>\n</head>\n<body>\n", f);
	err = put_noscript(f, text, data);
	fputs("<script type=\"application/json\" id=\"data\">\n{", f);
	fflush(f);
	p->json = fopencookie(f, "w", (cookie_io_functions_t){ .write = write_json });
	if (!p->json || !o)
		keep_error(&err, -ENOMEM);
	put_text(&b, o, "kind", kind);
	put_parts(&b, o);
	if (!err)
		err = b.err ? b.err : json_print_part(p->json, o, false);
	json_object_put(o);
	return err;
}

void html_key(struct html *p, const char *key)
{
	fprintf(p->json, ",\n\"%s\":", key);
}

int html_put(struct html *p, const char *key, struct builder *b, struct json_object *o)
{
	int err = b->err ? b->err : o ? 0 : -ENOMEM;

	if (!err) {
		html_key(p, key);
		err = json_print_part(p->json, o, true);
	}
	json_object_put(o);
	return err;
}

int html_markdown(struct html *p, int (*put)(FILE *f, const void *data), const void *data)
{
	struct json_object *o = NULL;
	struct builder b = { 0 };
	char *text = NULL;
	size_t size;
	FILE *mem = open_memstream(&text, &size);
	int err = mem ? put(mem, data) : -ENOMEM;

	/* printable already: put_text() would escape its lines */
	if (memstream_text(mem, &text))
		o = json_object_new_string(text);
	free(text);
	if (err) {
		json_object_put(o);
		return err;
	}
	return html_put(p, "markdown", &b, o);
}

int html_end(struct html *p, int err)
{
	if (p->json && fclose(p->json))
		keep_error(&err, -EIO);
	fputs("}\n</script>\n<script>\n", p->f);
	put_script(p->f, p->kind, tlob_html_js, tlob_html_js_end);
	fputs("</script>\n</body>\n</html>\n", p->f);
	return err ? err : ferror(p->f) ? -EIO : 0;
}
