// SPDX-License-Identifier: GPL-2.0
/* --on-violation and --at-most: what is accepted is within its range, and keeps its text. */
#include "fuzz.h"
#include "util/action.h"

static bool is_known(const struct action *a, const char *text)
{
	switch (a->kind) {
	case ACTION_STOP:
		return !strcmp(text, "stop");
	case ACTION_CONTINUE:
		return !strcmp(text, "continue");
	case ACTION_TRACE:
		return !strcmp(text, "trace");
	case ACTION_SIGNAL:
		return !strncmp(text, "signal:", 7) && a->signo >= 1 && a->signo <= 64 && a->pid >= 0;
	case ACTION_SHELL:
		return a->command == text + 6 && *a->command;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), err[200] = "";
	struct action_config c = { 0 };
	struct action a;
	int ret = action_parse(&a, text, err, sizeof(err));

	CHECK(!ret || (ret == -EINVAL && *err && !strchr(err, '\n')));
	if (!ret)
		CHECK(a.text == text && is_known(&a, text));
	*err = 0;
	ret = action_limit_parse(&c, text, err, sizeof(err));
	CHECK(!ret || (ret == -EINVAL && *err && !strchr(err, '\n') && !c.most));
	if (!ret)
		CHECK(c.most >= 1 && c.most <= ACTIONS_MOST && c.per_ns >= 1000000);
	free(text);
	return 0;
}
