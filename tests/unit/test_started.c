// SPDX-License-Identifier: GPL-2.0
/* Which options a command may give to a run that it starts. */
#include <errno.h>

#include "unit.h"
#include "lab/lab.h"
#include "options/attach_config.h"
#include "options/run_config.h"
#include "options/started.h"
#include "util/process.h"
#include "util/text.h"

#define FILES	", which keeps the results of its runs in --dir: leave it out"
#define OWN	" itself: put it before --"
#define OUT	": leave it out"

static char message[1000];

/* The last words of @line stand behind --, the first @own of them before it. */
static int started(const struct manual *by, const char *line, int own, const char *only)
{
	_Alignas(max_align_t) static char config[sizeof(struct run_config) + sizeof(struct attach_config)];
	struct call call = { 0 };
	struct value v = { .command = by, .err = message, .size = sizeof(message) };
	int err;

	assert_int_equal(call_add_line(&call, line), 0);
	v.rest = call.argv + 1 + own;
	v.nrest = (int)call.n - 1 - own;
	message[0] = 0;
	err = options_started(&v, config, (int)call.n, call.argv, only);
	assert_int_equal(!err, !*message);
	call_free(&call);
	return err;
}

TEST(test_refused)
{
	static const struct {
		const struct manual *by;
		const char *line, *message;
	} t[] = {
		{ &manual_try, "--json x", "after --: --json is not for try" FILES },
		{ &manual_try, "--output-dir=x", "after --: --output-dir is not for try" FILES },
		{ &manual_validate, "--samples x", "after --: --samples is not for validate" FILES },
		{ &manual_validate, "--html x", "after --: --html is not for validate" FILES },
		{ &manual_plan, "-d 30s --trace x", "after --: --trace is not for plan" FILES },
		{ &manual_plan, "--hist -", "after --: --hist is not for plan" FILES },
		{ &manual_lab, "--junit x", "after --: --junit is not for run" FILES },
		{ &manual_lab, "--timeline-json x", "after --: --timeline-json is not for run" FILES },
		{ &manual_try, "-d 3s --cpus 1", "after --: --cpus is an option of try" OWN },
		{ &manual_try, "--setting nosuch", "after --: --setting is an option of try" OWN },
		{ &manual_validate, "--load-cpus 1", "after --: --load-cpus is an option of validate" OWN },
		{ &manual_validate, "--load @cpu", "after --: --load is an option of validate" OWN },
		{ &manual_plan, "--seed 1", "after --: --seed is an option of plan" OWN },
		{ &manual_lab, "-h", "after --: --help is an option of run" OWN },
		{ &manual_try, "--tune", "after --: --tune is not for try" OUT },
		{ &manual_try, "--see 1", "after --: --seed is not for try" OUT },
		{ &manual_try, "--on-violation stop", "after --: --on-violation is not for try" OUT },
		{ &manual_validate, "-n 5", "after --: --windows is not for validate" OUT },
		{ &manual_validate, "--stop-on 'wake>5us'", "after --: --stop-on is not for validate" OUT },
		{ &manual_validate, "--assert missed==0", "after --: --assert is not for validate" OUT },
		{ &manual_plan, "-qd5s -v", "after --: --verbose is not for plan" OUT },
		{ &manual_lab, "--version", "after --: --version is not for run" OUT },
		{ &manual_lab, "--tune=list", "after --: --tune=list prints a list and is not for run" OUT },
		{ &manual_plan, "--functions list", "after --: --functions=list prints a list and is not for plan" OUT },
		{ &manual_plan, "--bogus -v", "after --: unknown option --bogus" },
		{ &manual_try, "-d 3", "after --: --duration: duration 3 has no unit: give 3s or 3m" },
		{ &manual_try, "word", "extra argument 'word'" },
	};
	char line[80];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(t); i++) {
		snprintf(line, sizeof(line), "run %s", t[i].line);
		assert_int_equal(started(t[i].by, line, 0, NULL), -EINVAL);
		assert_string_equal(message, t[i].message);
	}
	/* of the command's own line, behind the default duration */
	assert_int_equal(started(&manual_try, "run --duration=5s --period=3 -b 5us", 2, NULL), -EINVAL);
	assert_string_equal(message, "--period: duration 3 has no unit: give 3ms");
}

TEST(test_accepted)
{
	assert_int_equal(started(&manual_validate, "run --seed 1 --tune -d 3s --on-violation stop", 0, NULL), 0);
	assert_int_equal(started(&manual_try, "run --assert missed==0 --on-end shell:true -q --label list", 0, NULL), 0);
	assert_int_equal(started(&manual_plan, "run -c 0 --tune --load list -n 5 --stop-on 'wake>5us'", 0, NULL), 0);
	assert_int_equal(started(&manual_lab, "run -v -c 0 --setting governor=performance", 0, NULL), 0);
	assert_int_equal(started(&manual_lab, "run", 0, NULL), 0);
}

TEST(test_only)
{
	static const char only[] = "start stop budget";

	assert_int_equal(started(&manual_lab, "attach ./p --start a --stop b -b 1s -- --json x", 0, only), 0);
	assert_int_equal(started(&manual_lab, "attach ./p --start a --stop b -b 1s --tag a=b", 0, only), -EINVAL);
	assert_string_equal(message, "after --: --tag is not for run" OUT);
	assert_int_equal(started(&manual_lab, "attach --mappings m ./p --start a --stop b -b 1s", 0, only), -EINVAL);
	assert_string_equal(message, "after --: --mappings is not for run" FILES);
}

static bool is_command(const char *word)
{
	const struct manual * const *m;

	for (m = manual_tool.commands; *m; m++)
		if (!strcmp((*m)->name, word))
			return true;
	return has_word("explain bisect", word);	/* of tlob-lab, as run */
}

/* The rows name commands that there are, and what only one line of run has is not for any of them. */
TEST(test_rows)
{
	static const char * const never[] = { "json", "html", "samples", "trace", "output-dir", "help", "version" };
	const struct manual * const *m;
	const struct manual_option *o;
	char words[80], *word, *rest;
	size_t i;

	for (m = manual_tool.commands; *m; m++)
		manual_each_option(o, *m) {
			snprintf(words, sizeof(words), "%s", o->not_for ? o->not_for : "try");
			for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
				assert_true(is_command(word) && has_word(STARTERS, word));
		}
	for (i = 0; i < ARRAY_SIZE(never); i++)
		assert_string_equal(manual_option_find(&manual_run, never[i])->not_for, STARTERS);
}

UNIT_MAIN(NULL, NULL)
