// SPDX-License-Identifier: GPL-2.0
/* Boxes of a flame graph. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explain/flame.h"
#include "util/array.h"
#include "util/printable.h"

#define WIDTH		1200.0
#define MARGIN		10.0
#define ROW		17.0
#define HEAD		46.0
#define LETTER		6.6		/* width of one, at 11 px */
#define LEAST		0.3		/* narrower boxes are left out, and what is above them */

/* Sorted stacks have each box in one piece: the children of a box follow it. */
struct box {
	const char *name;		/* up to ';' or the end */
	size_t	 length, parent;
	size_t	 last;			/* of its children; 0: none */
	unsigned int depth;
	uint64_t n[2];			/* with all above it */
	double	 width, x;
};

struct boxes {
	struct box *box;
	size_t	 n, room;
	unsigned int deepest;
};

#define NO_BOX	SIZE_MAX

static size_t box_add(struct boxes *b, size_t parent, const char *name,
		      size_t length, unsigned int depth)
{
	struct box *box = array_add(b->box, b->n, b->room);

	if (!box)
		return NO_BOX;
	*box = (struct box){
		.name = name, .length = length, .parent = parent, .depth = depth,
	};
	if (depth > b->deepest)
		b->deepest = depth;
	b->box[parent].last = b->n;
	return b->n++;
}

/* The last child of @parent, if it has that name. */
static size_t box_find(const struct boxes *b, size_t parent, const char *name,
		       size_t length)
{
	const struct box *box = &b->box[b->box[parent].last];

	return b->box[parent].last && box->length == length && !memcmp(box->name, name, length) ?
	       b->box[parent].last : NO_BOX;
}

static int add_stack(struct boxes *b, const struct stack *s)
{
	const char *at = s->text;
	unsigned int depth = 0;
	size_t box = 0, child, length;
	int side;

	for (;;) {
		for (side = 0; side < 2; side++)
			b->box[box].n[side] += s->n[side];
		if (!*at)
			return 0;
		length = strcspn(at, ";");
		child = box_find(b, box, at, length);
		if (child == NO_BOX)
			child = box_add(b, box, at, length, depth + 1);
		if (child == NO_BOX)
			return -ENOMEM;
		box = child;
		depth++;
		at += length + (at[length] == ';');
	}
}

/*
 * What a box needs: the larger side, or all its children in a row, which may be more where
 * one has grown and another has shrunk.
 */
static void make_widths(struct boxes *b)
{
	size_t i;
	double own;

	for (i = b->n; i-- > 0;) {
		struct box *box = &b->box[i];

		own = box->n[0] > box->n[1] ? (double)box->n[0] : (double)box->n[1];
		if (box->width < own)
			box->width = own;
		if (i)
			b->box[box->parent].width += box->width;
	}
}

/* Parents come before their children, and children in order. */
static int place(struct boxes *b)
{
	double *next = calloc(b->n, sizeof(*next));
	double scale = (WIDTH - 2 * MARGIN) / (b->box[0].width > 0 ? b->box[0].width : 1);
	size_t i;

	if (!next)
		return -ENOMEM;
	for (i = 0; i < b->n; i++) {
		struct box *box = &b->box[i];

		box->width *= scale;
		box->x = i ? next[box->parent] : MARGIN;
		next[i] = box->x;
		if (i)
			next[box->parent] += box->width;
	}
	free(next);
	return 0;
}

/* At most @most characters of the @n bytes at @text. Others than XML allows are "?". */
static void put_characters(FILE *to, const char *text, size_t n, size_t most)
{
	size_t length;

	for (; n && *text && most; n -= length, text += length, most--) {
		length = printable_char(text, n);
		switch (length ? *text : 0) {
		case 0:
			length = 1;
			fputc('?', to);
			break;
		case '&':
			fputs("&amp;", to);
			break;
		case '<':
			fputs("&lt;", to);
			break;
		case '>':
			fputs("&gt;", to);
			break;
		case '"':
			fputs("&quot;", to);
			break;
		default:
			fwrite(text, 1, length, to);
		}
	}
}

static void put_escaped(FILE *to, const char *text, size_t n)
{
	put_characters(to, text, n, SIZE_MAX);
}

/* One side: a warm colour that the name decides, so it is the same in all graphs. */
static void put_colour(FILE *to, const struct box *b, bool two)
{
	unsigned int hash = 5381;
	double share;
	uint64_t most;
	size_t i;

	if (!two) {
		for (i = 0; i < b->length; i++)
			hash = hash * 33 + (unsigned char)b->name[i];
		fprintf(to, "rgb(%u,%u,%u)", 225 + hash % 30, 120 + hash / 7 % 90, 50 + hash / 31 % 40);
		return;
	}
	most = b->n[0] > b->n[1] ? b->n[0] : b->n[1];
	share = most ? ((double)b->n[1] - (double)b->n[0]) / (double)most : 0;
	i = 235 - (size_t)((share < 0 ? -share : share) * 155);
	if (share > 0)
		fprintf(to, "rgb(240,%zu,%zu)", i, i);
	else
		fprintf(to, "rgb(%zu,%zu,240)", i, i);
}

static void put_numbers(FILE *to, const struct box *b, const struct flame *how,
			const uint64_t all[2])
{
	if (how->side[1])
		fprintf(to, ": %" PRIu64 " -&gt; %" PRIu64 " (%+" PRId64 ") instructions", b->n[0],
			b->n[1], (int64_t)(b->n[1] - b->n[0]));
	else
		fprintf(to, ": %" PRIu64 " instructions, %.1f%%", b->n[0],
			all[0] ? 100.0 * (double)b->n[0] / (double)all[0] : 0);
}

static void put_box(FILE *to, const struct boxes *all, const struct box *b,
		    const struct flame *how)
{
	double y = HEAD + (all->deepest - b->depth) * ROW;
	size_t letters = b->width > 8 ? (size_t)((b->width - 6) / LETTER) : 0;

	fputs("<g><title>", to);
	put_escaped(to, b->name, b->length);
	put_numbers(to, b, how, all->box[0].n);
	fprintf(to, "</title><rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" rx=\"1\" fill=\"",
		b->x, y, b->width, ROW - 1);
	put_colour(to, b, how->side[1]);
	fputs("\"/>", to);
	if (letters >= 3) {
		fprintf(to, "<text x=\"%.2f\" y=\"%.1f\">", b->x + 3, y + 12);
		put_characters(to, b->name, b->length, letters < b->length ? letters - 2 : letters);
		fputs(letters < b->length ? ".." : "", to);
		fputs("</text>", to);
	}
	fputs("</g>\n", to);
}

static void put_graph(FILE *to, const struct boxes *b, const struct flame *how)
{
	double height = HEAD + (b->deepest + 1) * ROW + MARGIN;
	size_t i;

	fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" font-family=\"monospace\" font-size=\"11\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%.0f\" y=\"20\" font-size=\"15\">",
		WIDTH, height, MARGIN);
	put_escaped(to, how->title, strlen(how->title));
	fprintf(to, "</text>\n<text x=\"%.0f\" y=\"37\">", MARGIN);
	if (how->side[1]) {
		fputs("red: more in ", to);
		put_escaped(to, how->side[1], strlen(how->side[1]));
		fputs("; blue: less", to);
	} else {
		put_escaped(to, how->side[0], strlen(how->side[0]));
	}
	fputs("</text>\n", to);
	for (i = 0; i < b->n; i++)
		if (b->box[i].width >= LEAST)
			put_box(to, b, &b->box[i], how);
	fputs("</svg>\n", to);
}

int flame_write(FILE *to, const struct folded *f, const struct flame *how)
{
	struct boxes b = { 0 };
	size_t i;
	int err = box_add(&b, 0, "all", 3, 0) == NO_BOX ? -ENOMEM : 0;

	for (i = 0; i < f->n && !err; i++)
		err = add_stack(&b, &f->stack[i]);
	if (!err) {
		make_widths(&b);
		err = place(&b);
	}
	if (!err)
		put_graph(to, &b, how);
	free(b.box);
	return err ? err : ferror(to) ? -EIO : 0;
}
