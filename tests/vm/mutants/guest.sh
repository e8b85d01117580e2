#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: each mutant in /mutants with the test that must fail. Every line
# of /mutants/list is NAME TEST... . Lines "@@ NAME" part the output.
while read -r name tests; do
	echo "@@ $name"
	# for a test that loads it again
	ln -sf "/mutants/$name.ko" /tlob_load.ko
	# shellcheck disable=SC2086 # a list of names
	insmod "/mutants/$name.ko" && insmod /tlob_inject.ko && tlob-test $tests
	! grep -q '^tlob_inject ' /proc/modules || rmmod tlob_inject || exit 125
	! grep -q '^tlob_load ' /proc/modules || rmmod tlob_load || exit 125
done < /mutants/list
exit 0
