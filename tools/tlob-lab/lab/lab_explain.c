// SPDX-License-Identifier: GPL-2.0
/* Explaining the boots of the laboratory. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explain/explain.h"
#include "lab/lab_explain.h"
#include "lab/tree.h"
#include "util/file.h"
#include "util/process.h"

/*
 * Functions only, and those that ksyms_parse() takes: the rest is most of the file, and the guest
 * sends it by a serial line. The functions of the program itself are at fixed addresses: see program.h.
 */
static const char guest_script[] =
	"grep ' [tTwW] ' /proc/kallsyms | grep -vE ' __(pfx|cfi)_' > /out/kallsyms; "
	"echo 0 > /proc/sys/kernel/randomize_va_space; exec \"$@\"";
const char * const lab_explain_prefix[] = { "sh", "-c", guest_script, "sh", NULL };

int lab_explain_plugin(char path[PATH_MAX])
{
	int err = tree_path(path, "build/tlob-plugin/tlob-plugin.so");

	return err || !access(path, R_OK) ? err : fail(-EOPNOTSUPP, "%s is missing: run make lab", path);
}

/* ---- a region of a program ---- */

/* The file of the program. Unlike attach, this does not look into $PATH: the guest has another. */
static int find_program(char path[PATH_MAX], const struct attach_config *attach)
{
	if (!realpath(attach->program, path) || access(path, X_OK))
		return fail(-errno, "%s: %s: give the path of a program of this machine", attach->program,
			    strerror(errno));
	return 0;
}

static void guest_program(char path[PATH_MAX], const struct attach_config *attach)
{
	const char *slash = strrchr(attach->program, '/');

	snprintf(path, PATH_MAX, "/bin/%s", slash ? slash + 1 : attach->program);
}

int lab_region_program(struct call *c, const struct attach_config *attach, const char *out)
{
	char path[PATH_MAX], guest[PATH_MAX];
	int err = find_program(path, attach);

	guest_program(guest, attach);
	call_add(c, "--file=%s:%s", path, guest);
	call_add(c, "--packed=%s/packed", out);
	return err;
}

void lab_region_command(struct call *c, const struct lab_config *o)
{
	char guest[PATH_MAX];
	int i;

	guest_program(guest, &o->attach);
	call_add(c, "attach");
	call_add(c, "-q");
	call_add(c, "--progress=off");
	call_add(c, "--json=/out/result.json");
	call_add(c, "--windows=/out/windows");
	call_add(c, "--mappings=/out/mappings");
	for (i = 0; i < o->noptions; i++)
		call_add(c, "%s", o->options[i] == o->attach.program ? guest : o->options[i]);
}

/* DIR/NNN or DIR/NNN.explain, and /FILE. */
static void boot_path(char path[PATH_MAX], const char *dir, uint64_t pair,
		      bool plugin, const char *file)
{
	snprintf(path, PATH_MAX, "%.3900s/%03" PRIu64 "%s/%s", dir, pair + 1,
		 plugin ? EXPLAIN_SUFFIX : "", file);
}

/* DIR/NNN.json */
static void result_path(char path[PATH_MAX], const char *dir, uint64_t pair)
{
	snprintf(path, PATH_MAX, "%.3900s/%03" PRIu64 ".json", dir, pair + 1);
}

/* The file of a boot that has its windows. */
static const char *file_of_windows(const struct lab_config *o)
{
	return o->region ? "windows" : "trace";
}

static int read_guest(struct executed *e, const struct lab_config *o, unsigned int k,
		      const char *dir, uint64_t pair)
{
	char symbols[PATH_MAX], windows[PATH_MAX], result[PATH_MAX], program[PATH_MAX];
	char mapped[PATH_MAX], packed[PATH_MAX];
	const struct executed_files files = {
		.symbols = {
			.guest = symbols, .kernel = o->kernel[k].symbols, .program = program,
			.mapped = o->region ? mapped : NULL, .packed = packed,
		},
		.windows = windows, .result = result, .region = o->region,
	};
	/* scripts/vm copies this file to the guest */
	int err = tree_path(program, lab_is_arm64(&o->kernel[k]) ? "build/arm64/tlob-load" :
							  "tools/tlob-load/tlob-load");

	if (err)
		return err;
	boot_path(symbols, dir, pair, false, "kallsyms");
	boot_path(mapped, dir, pair, false, "mappings");
	boot_path(packed, dir, pair, false, "packed");
	boot_path(windows, dir, pair, false, file_of_windows(o));
	result_path(result, dir, pair);
	return executed_read_guest(e, &files);
}

int lab_explain_marks(const struct lab_config *o, unsigned int k, const char *dir, uint64_t pair)
{
	char path[PATH_MAX], *end;
	struct executed e = { 0 };
	int err = read_guest(&e, o, k, dir, pair);

	boot_path(path, dir, pair, true, "marks");
	end = strrchr(path, '/');
	*end = 0;
	if (!err && mkdir(path, 0777) && errno != EEXIST)
		err = fail(-errno, "%s: %s", path, strerror(errno));
	*end = '/';
	if (!err)
		err = executed_write_marks(&e, path);
	executed_free(&e);
	return err;
}

/* ---- is the boot with the plugin the one that was measured? ---- */

static int same_files(const char *without, const char *with)
{
	char *a = NULL, *b = NULL;
	size_t i, line = 1;
	int err = file_read(without, &a);

	if (err) {
		err = fail(err, "%s: %s", without, strerror(-err));
		goto out;
	}
	err = file_read(with, &b);
	if (err) {
		err = fail(err, "%s: %s", with, strerror(-err));
		goto out;
	}
	for (i = 0; a[i] && a[i] == b[i]; i++)
		line += a[i] == '\n';
	if (a[i] != b[i])
		err = fail(-EINVAL, "%s and %s differ in line %zu: the plugin did not see the run that was measured, so nothing is explained",
			   without, with, line);
out:
	free(a);
	free(b);
	return err;
}

static int same_boots(const struct lab_config *o, const char *dir, uint64_t pair)
{
	const char * const file[] = { file_of_windows(o), "kallsyms", "mappings" };
	char without[PATH_MAX], with[PATH_MAX];
	size_t i;
	int err;

	result_path(without, dir, pair);
	boot_path(with, dir, pair, true, "result.json");
	err = same_files(without, with);
	for (i = 0; i < (o->region ? 3 : 2) && !err; i++) {
		boot_path(without, dir, pair, false, file[i]);
		boot_path(with, dir, pair, true, file[i]);
		err = same_files(without, with);
	}
	return err;
}

/* ---- explanations ---- */

static void free_side(struct side *s, uint64_t pairs)
{
	uint64_t i;

	for (i = 0; s->boot && i < pairs; i++)
		executed_free(&s->boot[i]);
	free(s->boot);
}

static int read_side(struct side *s, const struct lab_config *o,
		     unsigned int kernel, const char *dir)
{
	char path[PATH_MAX];
	uint64_t i;
	int err = 0;

	s->name = o->kernel[kernel].text;
	s->boot = calloc(o->pairs, sizeof(*s->boot));
	s->boots = o->pairs;
	if (!s->boot)
		return fail(-ENOMEM, "out of memory");
	for (i = 0; i < o->pairs && !err; i++) {
		err = same_boots(o, dir, i);
		if (!err)
			err = read_guest(&s->boot[i], o, kernel, dir, i);
		boot_path(path, dir, i, true, "executed");
		if (!err)
			err = executed_read_profile(&s->boot[i], path);
	}
	return err;
}

typedef int (*writer)(FILE *f, const struct explanation *x);

static int write_file(const struct lab_config *o, const struct explanation *x,
		      const char *name, writer write)
{
	char path[PATH_MAX];
	struct output out = { 0 };
	int err;

	snprintf(path, sizeof(path), "%.4000s/%s", o->dir, name);
	err = output_open(&out, path);
	if (err)
		return err;
	err = write(out.f, x);
	if (!err)
		err = output_commit(&out);
	output_discard(&out);
	return err;
}

static int write_a(FILE *f, const struct explanation *x)
{
	return explain_folded(f, x, 0);
}

static int write_b(FILE *f, const struct explanation *x)
{
	return explain_folded(f, x, 1);
}

/*
 * "explain.json" of the first two kernels, "explain-3.json" of the first and the third,
 * "explain-2-3.json" of the second and the third.
 */
static int write_files(const struct lab_config *o, const struct explanation *x,
		       unsigned int first, unsigned int other)
{
	static const struct {
		const char *ending;
		writer	 write;
		unsigned int sides;	/* at least */
	} file[] = {
		{ ".json", explain_json, 1 }, { ".svg", explain_flame, 1 },
		{ "-a.folded", write_a, 1 }, { "-b.folded", write_b, 2 },
	};
	char begin[32] = "explain", name[64];
	size_t i;
	int err = 0;

	if (first)
		snprintf(begin, sizeof(begin), "explain-%u-%u", first + 1, other + 1);
	else if (other > 1)
		snprintf(begin, sizeof(begin), "explain-%u", other + 1);
	for (i = 0; i < sizeof(file) / sizeof(file[0]) && !err; i++) {
		snprintf(name, sizeof(name), "%s%s", begin, file[i].ending);
		if (x->sides >= file[i].sides)
			err = write_file(o, x, name, file[i].write);
	}
	if (!err && !o->quiet)
		printf("\nmore: %s/%s.json, %s.svg, %s-a.folded%s%s%s\n", o->dir, begin, begin, begin,
		       x->sides > 1 ? ", " : "", x->sides > 1 ? begin : "",
		       x->sides > 1 ? "-b.folded" : "");
	return err;
}

static int explain(const struct lab_config *o, struct explanation *x,
		   unsigned int first, unsigned int other)
{
	int err = explain_prepare(x);

	if (err)
		return err;
	err = explain_text(stdout, x);
	if (!err)
		err = write_files(o, x, first, other);
	fflush(stdout);
	explain_free(x);
	return err;
}

/* Each kernel with each one before it: the second with the first, the third with both. */
static int explain_pairs(const struct lab_config *o, struct explanation *x,
			 const struct side *side)
{
	unsigned int first, other;
	int err = 0;

	for (other = 1; other < o->nkernels; other++)
		for (first = 0; first < other && !err; first++) {
			if (other > 1)
				putchar('\n');
			x->side[0] = side[first];
			x->side[1] = side[other];
			err = explain(o, x, first, other);
		}
	return err;
}

int lab_explain(const struct lab_config *o, char (*dirs)[PATH_MAX])
{
	struct explanation x = {
		.sides = o->nkernels > 1 ? 2 : 1, .which = o->explain,
	};
	const struct explained_region region = {
		.program = o->attach.program, .start = o->attach.start, .stop = o->attach.stop,
	};
	struct side side[LAB_MAX_KERNELS] = { 0 };
	unsigned int i;
	int err = 0;

	x.region = o->region ? &region : NULL;
	for (i = 0; i < o->nkernels && !err; i++)
		err = read_side(&side[i], o, i, dirs[i]);
	x.side[0] = side[0];
	if (!err)
		err = o->nkernels > 1 ? explain_pairs(o, &x, side) : explain(o, &x, 0, 0);
	for (i = 0; i < o->nkernels; i++)
		free_side(&side[i], o->pairs);
	return err;
}
