// SPDX-License-Identifier: GPL-2.0
/* The sets of --functions: the control file, and the records of each window. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/tlob.h"
#include "backend/tlob_rings.h"
#include "functions/control_text.h"
#include "functions/expand.h"
#include "options/run_config.h"
#include "result/result.h"
#include "util/error.h"

/* Opens the control file, which removes sets that no file owns. Returns it or -errno. */
static int open_empty(const struct control *c)
{
	char *path = control_path(c, -1, "functions");
	int fd;

	if (!path)
		return -ENOMEM;
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	free(path);
	return fd;
}

static int write_text(int fd, const char *text)
{
	ssize_t n;

	do {
		n = write(fd, text, strlen(text));
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static int read_text(const struct control *c, struct functions_text *text)
{
	char *s;
	int err = control_read(c, "functions", &s);

	if (err)
		return err;
	err = functions_text_parse(text, s);
	free(s);
	return err ? fail(err, "%s/functions: unknown format: the kernel part does not match this tool",
			  c->dir) : 0;
}

/* The kernel part says why it refused the last set. */
static int refused(const struct control *c, const char *set, int err)
{
	struct functions_text text = { .sets = 0 };
	const char *why = NULL;

	if (!read_text(c, &text) && *text.refused)
		why = text.refused;
	return fail(err == -EINVAL || err == -EPERM ? -EINVAL : err,
		    "--functions: the kernel part refuses the set %s: %s", set,
		    why ? why : strerror(-err));
}

/* One set is one write(). */
static int write_set(const struct control *c, int fd, const struct traced_set *set)
{
	char *text = NULL;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);
	int err;

	if (f) {
		fputs(set->of->name, f);
		for (i = 0; i < set->n; i++)
			fprintf(f, " %" PRIx64, set->at[i].address);
		fputc('\n', f);
	}
	err = f && !fclose(f) ? write_text(fd, text) : -ENOMEM;
	free(text);
	return err ? refused(c, set->of->name, err) : 0;
}

static int check_mechanism(const struct control *c, const struct traced_sets *traced)
{
	struct functions_text text = { .sets = 0 };
	int err = read_text(c, &text);

	if (err)
		return err;
	if (!strcmp(text.mechanism, "none"))
		return fail(-EOPNOTSUPP, "--functions: this kernel has neither fprobe nor kretprobes: use one with CONFIG_FPROBE or CONFIG_KRETPROBES, or --backend bpf");
	if (traced->total > text.limit)
		return fail(-E2BIG, "--functions: %zu functions, but at most %" PRIu64 " with this kernel's %s: name fewer, or see --functions=list",
			    traced->total, text.limit, text.mechanism);
	return 0;
}

int functions_own(const struct control *c, const struct traced_sets *traced)
{
	int fd = open_empty(c), err;
	size_t i;

	if (fd == -ENOENT)
		return control_missing(c, "functions");
	if (fd == -EBUSY)
		return fail(fd, "--functions: the kernel part measures functions for another run or attach: wait until it ends");
	if (fd < 0)
		return fail(fd, "%s/functions: %s", c->dir, strerror(-fd));
	err = check_mechanism(c, traced);
	/* a kernel part of before takes it for the name of a set */
	if (!err && write_text(fd, "until_close\n"))
		err = fail(-EOPNOTSUPP, "--functions: the loaded module is older than this tool: rebuild and reload it");
	for (i = 0; i < traced->n && !err; i++)
		err = write_set(c, fd, &traced->at[i]);
	if (!err)
		return fd;
	close(fd);
	return err;
}

int tlob_functions_configure(struct backend_run *b)
{
	const struct traced_sets *traced = b->config->traced;
	struct tlob *tlob = tlob_of(b);
	int fd;

	/* somebody's of a shell; a kernel part without the file has no sets either */
	if (!traced) {
		fd = open_empty(&tlob->control);
		if (fd >= 0)
			close(fd);
		return 0;
	}
	fd = functions_own(&tlob->control, traced);
	tlob->functions_owner = fd < 0 ? -1 : fd;
	return fd < 0 ? fd : 0;
}

int tlob_functions_open(struct backend_run *b)
{
	struct tlob *tlob = tlob_of(b);
	int err;

	err = tlob_rings_open(&tlob->functions, b, "functions", sizeof(struct tlob_functions));
	/* the kernel part has measured the cost of a probe when the run began */
	return err || !b->r->functions ? err : functions_read(&tlob->control, b->r->functions);
}

const struct tlob_functions *tlob_functions_find(struct backend_run *b, size_t i,
						 const struct tlob_window *w)
{
	return tlob_rings_find(tlob_of(b)->functions, i, w);
}

int functions_read(const struct control *c, struct function_sets *sets)
{
	struct functions_text text = { .sets = 0 };
	int err = read_text(c, &text);
	size_t i, k;

	if (err)
		return err;
	free(sets->mechanism);
	sets->mechanism = strdup(text.mechanism);
	sets->probe_ns = text.probe_ns;
	for (i = 0; i < text.sets; i++)
		for (k = 0; k < sets->n; k++)
			if (!strcmp(sets->at[k].name, text.set[i].name)) {
				sets->at[k].open = text.set[i].open;
				sets->at[k].unreturned = text.set[i].unreturned;
				sets->at[k].missed = text.set[i].missed;
			}
	return sets->mechanism ? 0 : fail(-ENOMEM, "out of memory");
}

int tlob_functions_read(struct backend_run *b, struct function_sets *sets)
{
	return functions_read(&tlob_of(b)->control, sets);
}

void tlob_functions_close(struct backend_run *b)
{
	struct tlob *tlob = tlob_of(b);

	tlob_rings_close(tlob->functions);
	tlob->functions = NULL;
	if (tlob->functions_owner >= 0)
		close(tlob->functions_owner);
	tlob->functions_owner = -1;
}
