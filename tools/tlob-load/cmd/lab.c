// SPDX-License-Identifier: GPL-2.0
/* `tlob-load lab`. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/command.h"
#include "cmd/lab_options.h"

static enum exit_code call(int argc, char **argv)
{
	struct lab_config *o = calloc(1, sizeof(*o));
	enum exit_code code;
	char why[1024];

	if (!o)
		return exit_code_of(fail(-ENOMEM, "out of memory"));
	if (lab_options_parse(o, argc, argv, why, sizeof(why)))
		code = command_usage(&cmd_lab, why);
	else if (o->help)
		code = command_help(&cmd_lab);
	else
		code = lab_carry_out(o);
	free(o);
	return code;
}

const struct command cmd_lab = {
	.name = "lab",
	.summary = "make the same runs on several kernels, in virtual machines",
	.help =
"Usage: tlob-load lab [OPTION]... KERNEL... [-- OPTION OF run]...\n"
"Boot each kernel in a virtual machine and measure in it, several times, in\n"
"random order. With --compare, decide whether a kernel is worse than the first.\n"
"\n"
"KERNEL is an argument of scripts/fetch-kernel: 6.1, 6.12, 6.12-rt, or a Debian\n"
"package linux-image-... . +FILE adds a module to load after tlob_load, as in\n"
"6.12-rt+./mine.ko. Your own kernel takes the place of a KERNEL:\n"
"\n"
"      --image FILE     a bzImage; +FILE as above\n"
"      --modules DIR    directory with the tlob_load.ko for that image, at any\n"
"                       depth; not needed if it is built in\n"
"\n"
"  -n, --pairs N        runs of each kernel, 1 to 400                        [10]\n"
"      --deterministic  count instructions instead of time, on one CPU: every\n"
"                       machine gives the same numbers. Each pair of runs has its\n"
"                       own seed, phase, memory size and stack\n"
"      --compare        compare the first kernel with each of the others\n"
"  -m, --metric STAT    for --compare: as in tlob-load compare (repeatable)\n"
"      --margin P%      for --compare: as in tlob-load compare\n"
"      --dir DIR        directory for the results, DIR/KERNEL/NNN.json [tlob-lab]\n"
"      --seed N         seed of all random choices, 0 to 4294967295      [random]\n"
"      --smp N          CPUs of a guest, 1 to 64                              [1]\n"
"  -j, --jobs N         guests at a time, 1 to 64                             [1]\n"
"      --timeout S      seconds for each guest, 10 to 3600                  [300]\n"
"  -q, --quiet          print no progress\n"
"  -h, --help           print this text\n"
"\n"
"Options of run: those of tlob-load run, without --json, --hist, --trace and\n"
"--seed. The default is --work none --period 1ms -d 3s. The noise source is hooks\n"
"unless the options name one: some kernels lack osnoise, and with osnoise a\n"
"wake-up takes longer.\n"
"\n"
"lab needs the source tree, QEMU and the packages of scripts/deps. TLOB_TREE\n"
"names the tree if tlob-load was not started from it.\n"
"\n"
"Exit codes\n"
"  0 all ran, with --compare OK   1 error   2 REGRESSION   3 INCONCLUSIVE\n"
"  77 unsupported here   129 usage\n"
"\n"
"Example: did the wake-up path get longer?\n"
"  tlob-load lab --deterministic --compare 6.12 6.12-rt\n",
	.run = call,
};
