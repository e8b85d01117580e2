// SPDX-License-Identifier: GPL-2.0
/* Finds loads by name. See load.h. */
#include <stdlib.h>
#include <string.h>

#include "options/load_presets.h"
#include "options/run_config.h"
#include "util/process.h"

#define PRESET_ROW(name, stresses, made_of)	{ name, "@" name, stresses, made_of },
const struct load_preset load_presets[] = { LOAD_PRESETS(PRESET_ROW) { 0 } };
_Static_assert(sizeof(load_presets) / sizeof(load_presets[0]) - 1 <= RUN_MAX_LOADS,
	       "validate takes each preset");

static const struct {
	const char *name, *program, *command;
} commands[] = {
#define COMMAND_ROW(name, program, command)	{ name, program, command },
	LOAD_COMMANDS(COMMAND_ROW)
};

static bool is_installed(const char *program)
{
	char *path = process_find(program);
	bool found = path;

	free(path);
	return found;
}

const struct load_preset *load_preset_find(const char *name)
{
	const struct load_preset *p;

	for (p = load_presets; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

const char *load_preset_command(const char *name, const char **program)
{
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, name) && is_installed(commands[i].program)) {
			*program = commands[i].program;
			return commands[i].command;
		}
	return NULL;
}
