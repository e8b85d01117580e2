#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# kselftest-tlob-load - a run of tlob-load as a test of the kernel's selftests
#
# Copy it to a directory of tools/testing/selftests and name it in TEST_PROGS there. It
# prints KTAP, and exits as kselftest expects: 0 pass, 1 fail, 4 skip. TLOB_LOAD_OPTIONS
# replaces the options of the run; words are separated by blanks. kselftest ends a test after
# 45 s, unless the file settings of its directory says another timeout=.
set -u

skip() {
	echo "KTAP version 1"
	echo "1..0 # SKIP $1"
	exit 4
}

command -v tlob-load > /dev/null || skip "tlob-load is not installed"
said=$(mktemp)
trap 'rm -f "$said"' EXIT
# kselftest ends this shell alone
trap 'kill $!; wait $!' INT TERM
status=0
# shellcheck disable=SC2086	# words
tlob-load run -q --ktap - ${TLOB_LOAD_OPTIONS:--p 1ms -w spin:50us -d 10s --assert missed==0} 2> "$said" &
wait $! || status=$?
sed 's/^/# /' "$said"
case $status in
0)  exit 0 ;;
77) skip "$(head -n 1 "$said")" ;;
*)  exit 1 ;;
esac
