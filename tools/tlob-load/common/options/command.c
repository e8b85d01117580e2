// SPDX-License-Identifier: GPL-2.0
/* From the command line of a subcommand to its function. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "options/command.h"
#include "options/environment.h"
#include "options/option_value.h"
#include "options/manual_text.h"

void version_print(void)
{
	printf("%s " TLOB_VERSION "\n", tool_name);
#ifdef TLOB_LACKS
	puts("built without the backend tlob, attach and waits: lacked " TLOB_LACKS);
#endif
#ifdef TLOB_LACKS_BPF
	puts("built without the backend bpf: lacked " TLOB_LACKS_BPF);
#endif
}

static enum exit_code print(const struct manual *m, enum help_wanted what)
{
	if (what == HELP_VERSION)
		version_print();
	else if (what == HELP_ALL)
		manual_print_all(stdout, m);
	else
		manual_print_short(stdout, m);
	return EXIT_PASS;
}

/* Parses the line with what the environment adds to it, and runs the command. */
static enum exit_code call_with(const struct command *c, void *config, struct environment *e,
				int argc, char **argv)
{
	const struct manual *m = c->manual;
	char *nothing[] = { NULL }, why[1024];
	int bad = 0, ret;

	ret = environment_read(e, m, m->environment ? environ : nothing, argc, argv, why, sizeof(why));
	environment_forget();
	if (ret == -ENOMEM)
		return exit_code_of(fail(ret, "out of memory"));
	if (!ret) {
		ret = options_parse_at(m, config, e->argc, e->argv, why, sizeof(why), &bad);
		if (ret < 0)
			environment_explain(e, m, bad, why, sizeof(why));
	}
	if (ret < 0)
		return exit_code_of(fail(-EUSAGE, "%s (%s %s --help)", why, tool_name, m->name));
	return ret > 0 ? print(m, (enum help_wanted)ret) : c->run(config, e->argc, e->argv);
}

enum exit_code command_call(const struct command *c, int argc, char **argv)
{
	struct environment e = { 0 };
	enum exit_code code;
	void *config;

	if (c->lacks)
		return exit_code_of(fail(-EOPNOTSUPP, "%s", c->lacks));
	config = calloc(1, c->manual->size + 1);	/* restore has none */
	if (!config)
		return exit_code_of(fail(-ENOMEM, "out of memory"));
	code = call_with(c, config, &e, argc, argv);
	environment_free(&e);
	if (c->release)
		c->release(config);
	free(config);
	return code;
}
