// SPDX-License-Identifier: GPL-2.0
/* Loads next to a measurement: their names, keepers and cgroup. See load.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/cgroup.h"
#include "machine/cpus.h"
#include "machine/knobs.h"
#include "options/load_presets.h"
#include "tuning/keeper.h"
#include "tuning/load.h"
#include "util/error.h"
#include "util/memstream.h"
#include "util/printable.h"

static int choose_command(struct load *load, const char *spec)
{
	const struct load_preset *p;

	load->fd = -1;
	load->spec = strdup(spec);
	if (!load->spec)
		return fail(-ENOMEM, "out of memory");
	load->command = load->spec;
	if (*spec != '@')
		return 0;
	p = load_preset_find(spec + 1);
	if (!p)
		return fail(-EUSAGE, "--load %s: unknown preset: see tlob-load run --help=all",
			    spec);
	load->command = load_preset_command(spec + 1, &load->program);
	return load->command ? 0 :
	       fail(-EOPNOTSUPP, "--load %s: install %s, or give a command", spec, p->made_of);
}

/* Without a cgroup the keepers must do. That is no error: @l says why. */
static int make_cgroup(struct loads *l, struct knobs *k)
{
	char own[4096];
	int err;

	l->knobs = NULL;
	if (!k || !k->state) {
		l->no_cgroup = "the run changes nothing in the system";
		return 0;
	}
	err = cgroup_own(own, sizeof(own));
	if (err) {
		l->no_cgroup = "there is no cgroup v2";
		return 0;
	}
	if (asprintf(&l->cgroup, "%s/tlob-load.%d.load", own, getpid()) < 0) {
		l->cgroup = NULL;
		return fail(-ENOMEM, "out of memory");
	}
	err = knobs_cgroup(k, l->cgroup);
	if (!err) {
		l->knobs = k;
		return 0;
	}
	free(l->cgroup);
	l->cgroup = NULL;
	if (err == -ENOMEM)
		return fail(err, "out of memory");
	l->no_cgroup = err == -EACCES || err == -EPERM || err == -EROFS ?
		       "it may not be made" : "it cannot be made";
	return 0;
}

/* Takes a message of the keeper. 0; -ECHILD: the command has ended, printed. */
static int take_message(struct load *load, int flags)
{
	char text[LOAD_MESSAGE], *shown;
	ssize_t n;

	if (load->ended)
		return -ECHILD;
	do
		n = recv(load->fd, text, sizeof(text) - 1, flags);
	while (n < 0 && errno == EINTR && !(flags & MSG_DONTWAIT));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	text[n > 0 ? n : 0] = 0;
	if (*text == LOAD_STARTED)
		return 0;
	/* The command may print anything. */
	shown = printable_dup(*text ? text + 1 : "its keeper was killed");
	load->ended = shown ? shown : strdup("");
	if (!load->ended)
		return fail(-ENOMEM, "out of memory");
	return fail(-ECHILD, *text == LOAD_FAILED ? "--load '%s' did not start: %s" :
		    "--load '%s' ended before the run did: %s", load->spec, load->ended);
}

static int start_keepers(struct loads *l, const struct load_task *task)
{
	struct load_task own = *task;
	size_t i;
	int err;

	for (i = 0; i < l->n; i++) {
		own.command = l->at[i].command;
		l->at[i].keeper = load_keeper_start(&own, &l->at[i].fd);
		if (l->at[i].keeper < 0) {
			err = (int)l->at[i].keeper;
			l->at[i].keeper = 0;
			return fail(err, "--load '%s': cannot start it: %s",
				    l->at[i].spec, strerror(-err));
		}
	}
	for (i = 0; i < l->n; i++) {
		err = take_message(&l->at[i], 0);
		if (err)
			return err;
	}
	return 0;
}

int loads_start(struct loads *l, const char *const spec[], size_t n,
		const char *list, const struct cpus *cpus, struct knobs *k)
{
	struct load_task task = { 0 };
	struct cpulist where;
	char *procs = NULL;
	size_t i;
	int err = 0;

	*l = (struct loads){ .n = n };
	for (i = 0; i < n; i++)
		l->at[i].fd = -1;
	for (i = 0; i < n && !err; i++)
		err = choose_command(&l->at[i], spec[i]);
	if (err || !n)
		return err;
	err = cpus_of_load(cpus, list, &where);
	if (err)
		return err;
	l->cpus = cpulist_format(&where);
	task.cpus = &where;
	task.ncpus = cpulist_count(&where);
	err = l->cpus ? make_cgroup(l, k) : fail(-ENOMEM, "out of memory");
	if (!err && l->cgroup && asprintf(&procs, "%s/cgroup.procs", l->cgroup) < 0)
		err = fail(-ENOMEM, "out of memory");
	task.procs = procs;
	if (!err)
		err = start_keepers(l, &task);
	free(procs);
	return err;
}

int loads_check(struct loads *l)
{
	size_t i;
	int err = 0;

	for (i = 0; i < l->n && !err; i++)
		err = take_message(&l->at[i], MSG_DONTWAIT);
	return err;
}

int loads_end(struct loads *l)
{
	size_t i;
	int err = 0;

	for (i = 0; i < l->n; i++)
		if (l->at[i].fd >= 0)
			close(l->at[i].fd);	/* the keepers do their work side by side */
	for (i = 0; i < l->n; i++) {
		while (l->at[i].keeper && waitpid(l->at[i].keeper, NULL, 0) < 0 &&
		       errno == EINTR)
			;
		free(l->at[i].spec);
		free(l->at[i].ended);
	}
	/* Also ends what a keeper left that was killed. */
	if (l->cgroup)
		err = knobs_undo(l->knobs, l->cgroup);
	free(l->cpus);
	free(l->cgroup);
	*l = (struct loads){ 0 };
	return err;
}

static void add_text(FILE *f, const struct load *load)
{
	fputs(load->spec, f);
	if (load->program && strcmp(load->program, "stress-ng"))
		fprintf(f, " (%s)", load->program);
}

char *loads_text(const struct loads *l)
{
	char *text = NULL;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (i = 0; i < l->n; i++) {
		if (i)
			fputs(" + ", f);
		add_text(f, &l->at[i]);
	}
	return memstream_text(f, &text);
}
