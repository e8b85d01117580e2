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
	.summary = "the same runs on several kernels in virtual machines",
	.help =
"Usage: tlob-load lab [OPTION]... KERNEL... [-- OPTION OF run]...\n"
"Boot each kernel in a virtual machine and measure in it, again and again, in\n"
"random order. With --compare: is the second worse than the first?\n"
"\n"
"KERNEL is what scripts/fetch-kernel takes: 6.1, 6.12, 6.12-rt, or the name of a\n"
"Debian package linux-image-... . +FILE adds a module that is loaded after\n"
"tlob_load, as in 6.12-rt+./mine.ko. Kernels of your own come in their place:\n"
"\n"
"      --image FILE     a bzImage; +FILE as above\n"
"      --modules DIR    where the tlob_load.ko for that image is, in DIR or deeper;\n"
"                       not needed if it is built in\n"
"\n"
"  -n, --pairs N        runs of each kernel, 1 to 400                       [10]\n"
"      --deterministic  count instructions instead of time: the same on every\n"
"                       machine, on one CPU. Each pair of runs has another seed,\n"
"                       start phase, memory size and stack, the same for all\n"
"                       kernels\n"
"      --compare        compare the first kernel with each of the others\n"
"  -m, --metric STAT    for --compare, as in tlob-load compare (repeatable)\n"
"      --margin P%      for --compare\n"
"      --dir DIR        where results go, DIR/KERNEL/NNN.json         [tlob-lab]\n"
"      --seed N         of everything random, to have it again       [random]\n"
"      --smp N          CPUs of the guest, 1 to 64                          [1]\n"
"  -j, --jobs N         guests at a time, 1 to 64                           [1]\n"
"      --timeout S      seconds for each guest, 10 to 3600                [300]\n"
"  -q, --quiet          no progress\n"
"  -h, --help           this text\n"
"\n"
"Options of run: as in tlob-load run, without --json and --seed. Default:\n"
"--work none --period 1ms -d 3s. The noise source is hooks unless another is\n"
"named: not every kernel has osnoise, and with it a wake-up takes longer.\n"
"\n"
"It needs the source tree, QEMU and what else scripts/deps installs; TLOB_TREE\n"
"names the tree if tlob-load was not started from it.\n"
"\n"
"Exit codes\n"
"  0 all ran, and with --compare OK   1 error   2 REGRESSION   3 INCONCLUSIVE\n"
"  77 unsupported here   129 usage\n"
"\n"
"Example: did the wake-up path get longer?\n"
"  tlob-load lab --deterministic --compare 6.12 6.12-rt\n",
	.run = call,
};
