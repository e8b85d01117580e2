#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# try-guest - experiments with settings that switch known noise off
#
# Usage: try-guest NOISE, as root in a deterministic guest with tlob_switches: instructions
#
# Prints "pass NAME" or "fail NAME" for each test; leaves /out/idle.* and /out/loaded.* for the host.
set -u
noise=$1
switches=/sys/module/tlob_switches/parameters
mount -t debugfs none /sys/kernel/debug 2> /dev/null
mkdir -p /run
echo "$noise" > $switches/noise

told() {
	name=$1
	shift
	if "$@"; then echo "pass $name"; else echo "fail $name"; fi
}

# experiment NAME OPTION...: it exits with 0 if all settings have a verdict.
experiment() {
	name=$1 status=0
	shift
	tlob-load try -c 0 -p 100us -w loops:1500 --backend tlob --dir "/out/$name" --json "/out/$name.json" "$@" \
		-- --noise-source hooks > "/out/$name.txt" 2> "/out/$name.err" || status=$?
	cat "/out/$name.err" "/out/$name.txt" | sed 's/^/# /'
	told "$name.ends" [ $status -eq 0 ]
	told "$name.puts_back" [ "$(switched)" = NNNNN ]
}

# switched: all switches, Y or N each
switched() {
	cat $switches/calm $switches/left $switches/right $switches/harm $switches/nothing | tr -d '\n'
}

# Each window has the noise, so it moves each quantile. The tick is beyond p90, and in some runs beyond p99.
experiment idle -d 80ms -m 'p90(response)' --setting $switches/nothing=Y --setting $switches/calm=Y \
	--setting $switches/left=Y --setting "pair: echo Y > $switches/left; echo Y > $switches/right / echo N > $switches/left; echo N > $switches/right"
experiment loaded -d 80ms -m 'p90(response)' --setting $switches/harm=Y --load 'exec sleep 100000 < /sys/kernel/debug/tlob_switches'

sh /out/idle/settings.sh
told idle.kept_settings [ "$(switched)" = YYYNN ]
