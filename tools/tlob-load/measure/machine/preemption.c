// SPDX-License-Identifier: GPL-2.0
/* Finds the preemption model. A file that cannot be read leaves the answer to the next one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/kconfig.h"
#include "machine/preemption.h"
#include "util/tree.h"

#define DEBUGFS	"/sys/kernel/debug/sched/preempt"

/* Takes the word @word, @len bytes, if it names a model. */
static void take(struct preemption *p, const char *word, size_t len, const char *source)
{
	static const char * const models[] = { "rt", "full", "lazy", "voluntary", "none" };
	size_t i;

	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (strlen(models[i]) == len && !strncmp(models[i], word, len)) {
			p->model = models[i];
			snprintf(p->source, sizeof(p->source), "%s", source);
		}
}

/* The word behind the last @key, up to a blank. */
static void take_last(struct preemption *p, const char *text, const char *key, const char *source)
{
	const char *at;

	for (at = text; (at = strstr(at, key)); ) {
		at += strlen(key);
		take(p, at, strcspn(at, " \t\n"), source);
	}
}

static void take_chosen(struct preemption *p, const char *text)
{
	const char *from = strchr(text, '('), *to = from ? strchr(from, ')') : NULL;

	if (to)
		take(p, from + 1, (size_t)(to - from - 1), DEBUGFS);
}

static void take_argument(struct preemption *p, const char *cmdline)
{
	char model[64];

	while (cmdline_next(&cmdline, "preempt", model, sizeof(model)))
		take(p, model, strlen(model), "/proc/cmdline");
}

static void take_config(struct preemption *p, const struct kconfig *k)
{
	static const struct {
		const char *option, *model;
	} of[] = {
		{ "PREEMPT_RT", "rt" }, { "PREEMPT", "full" }, { "PREEMPT_LAZY", "lazy" },
		{ "PREEMPT_VOLUNTARY", "voluntary" }, { "PREEMPT_NONE", "none" },
	};
	size_t i;

	for (i = 0; !p->model && i < sizeof(of) / sizeof(of[0]); i++)
		if (kconfig_is_on(k, of[i].option))
			take(p, of[i].model, strlen(of[i].model), k->path);
}

static int read_config(struct preemption *p, const char *root, struct kconfig *config)
{
	int err = kconfig_read(config, root);

	if (!err && config->text)
		take_config(p, config);
	return err;
}

/* A kernel whose model is chosen at boot, and may be changed later. */
static int read_dynamic(struct preemption *p, const char *root, struct kconfig *config)
{
	char *text;
	bool readable;

	readable = !tree_read(root, "/proc/cmdline", &text);
	if (readable) {
		take_argument(p, text);
		free(text);
	}
	if (!p->model && !tree_log(root, &text)) {
		take_last(p, text, "Dynamic Preempt: ", "/dev/kmsg");
		free(text);
	}
	/* The configuration has the default, which an argument may have changed. */
	return p->model || !readable ? 0 : read_config(p, root, config);
}

int preemption_read(struct preemption *p, const char *root, struct kconfig *config)
{
	char *version = NULL, *text;
	bool known;
	int err = 0;

	*p = (struct preemption){ 0 };
	/* PREEMPT_RT comes first: debugfs names the model of its ordinary threads. */
	if (!tree_read(root, "/sys/kernel/realtime", &text)) {
		if (!strcmp(text, "1"))
			take(p, "rt", 2, "/sys/kernel/realtime");
		free(text);
	}
	known = !tree_read(root, "/proc/version", &version);
	if (!p->model && known && strstr(version, " PREEMPT_RT"))
		take(p, "rt", 2, "/proc/version");
	if (!p->model && !tree_read(root, DEBUGFS, &text)) {
		take_chosen(p, text);
		free(text);
	}
	/* Without its version it is not known whether arguments count. */
	if (!p->model && known)
		err = strstr(version, " PREEMPT_DYNAMIC") ? read_dynamic(p, root, config) :
							   read_config(p, root, config);
	if (known)
		free(version);
	return err;
}
