// SPDX-License-Identifier: GPL-2.0
/* `attach` and `waits` of a tool that is built without the backend tlob. */
#ifdef TLOB_LACKS
#include <errno.h>

#include "cmd/command.h"

static enum exit_code call(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return exit_code_of(fail(-EOPNOTSUPP, "attach needs the module, and this tlob-load was built without " TLOB_LACKS));
}

const struct command cmd_attach = {
	.name = "attach",
	.manual = &manual_attach,
	.run = call,
};

static enum exit_code call_waits(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return exit_code_of(fail(-EOPNOTSUPP, "waits needs the module or BPF, and this tlob-load was built without " TLOB_LACKS));
}

const struct command cmd_waits = {
	.name = "waits",
	.manual = &manual_waits,
	.run = call_waits,
};
#endif
