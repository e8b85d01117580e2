// SPDX-License-Identifier: GPL-2.0
/* Putting two lists of symbols together. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/program.h"
#include "explain/boot_symbols.h"
#include "util/error.h"
#include "util/file.h"


/* A line is "ADDRESS TYPE NAME", and "[MODULE]" behind it if it is a module's. */
static bool of_module(const char *line, size_t n)
{
	return memchr(line, '[', n) != NULL;
}

/* The kernel's own function @name; 0: it has none. */
static uint64_t address_of(const char *text, const char *name)
{
	size_t n, length = strlen(name);
	const char *line, *at;

	for (line = text; *line; line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		at = memchr(line, ' ', n);
		if (at && n == (size_t)(at - line) + 3 + length &&
		    !memcmp(at + 3, name, length))
			return strtoull(line, NULL, 16);
	}
	return 0;
}

/* Functions that each kernel has, and that other code moves if it grows. */
static int check_same(const char *kernel, const char *text, const char *guest)
{
	static const char * const name[] = { "schedule", "hrtimer_interrupt", "try_to_wake_up" };
	size_t i;

	/* distributions leave a file in /boot that only says where the real one is */
	if (!address_of(text, name[0]))
		return fail(-EINVAL, "--symbols %s: %s is missing, which each kernel has: give a whole System.map, or a copy of the guest's /proc/kallsyms",
			    kernel, name[0]);
	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		uint64_t a = address_of(text, name[i]), b = address_of(guest, name[i]);

		if (a && b && a != b)
			return fail(-EINVAL, "--symbols %s: %s is at %" PRIx64 ", in the guest at %" PRIx64 ": give the System.map of this image",
				    kernel, name[i], a, b);
	}
	return 0;
}

/* The functions of all that the program has mapped. */
static int print_mapped(FILE *f, const struct symbol_files *files)
{
	char *text = NULL, *packed = NULL, why[200];
	struct mapped m = { 0 };
	int err = file_load_text(files->mapped, &text);

	if (!err)
		err = file_load_text(files->packed, &packed);
	if (!err) {
		err = mapped_read(&m, text, why, sizeof(why));
		if (err)
			fail(err, "%s: %s", files->mapped, err == -ENOMEM ? "out of memory" : why);
	}
	if (!err)
		err = program_mapped(f, &m, packed);
	mapped_free(&m);
	free(packed);
	free(text);
	return err;
}

/* @kernel NULL: all symbols of @guest. */
static int join(const char *kernel, const char *guest, const struct symbol_files *files,
		char **text)
{
	size_t size, n;
	FILE *f = open_memstream(text, &size);
	const char *line;
	int err = 0;

	if (!f)
		return fail(-ENOMEM, "out of memory");
	fputs(kernel ? kernel : guest, f);
	for (line = guest; kernel && *line; line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		if (of_module(line, n))
			fprintf(f, "\n%.*s", (int)n, line);
	}
	if (files->mapped)
		err = print_mapped(f, files);
	else if (files->program)
		err = program_symbols(f, files->program);
	if (fclose(f) && !err)
		err = fail(-ENOMEM, "out of memory");
	if (err) {
		free(*text);
		*text = NULL;
	}
	return err;
}

int symbols_read(const struct symbol_files *files, char **text)
{
	char *of_guest = NULL, *of_kernel = NULL;
	int err = file_load_text(files->guest, &of_guest);

	if (!err && files->kernel)
		err = file_load_text(files->kernel, &of_kernel);
	if (!err && files->kernel)
		err = check_same(files->kernel, of_kernel, of_guest);
	if (!err)
		err = join(of_kernel, of_guest, files, text);
	free(of_guest);
	free(of_kernel);
	return err;
}
