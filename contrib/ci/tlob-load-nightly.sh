#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# tlob-load-nightly - measure a build, and screen it with what the machine measured before
#
# Usage: tlob-load-nightly.sh BUILD
#
# From cron, as root; the last line continues what a reboot of TLOB_SWITCH has interrupted:
#
#   PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
#   30 2 * * *  root  tlob-load-nightly.sh "$(git -C /src/linux rev-parse --short HEAD)"
#   @reboot     root  tlob-load-nightly.sh --continue
#
#   TLOB_HISTORY   folder of the history (default: /var/lib/tlob-load/history)
#   TLOB_SWITCH    command that boots or starts the build {build}; it returns at once if
#                  that one runs already (default: boot-build {build})
#   TLOB_RUN       options of a run; words are separated by blanks
#
# Exit: 0 OK; 2 REGRESSION; 3 INCONCLUSIVE: the first night, or not confirmed; 1 error.
set -eu

history=${TLOB_HISTORY:-/var/lib/tlob-load/history}
switch=${TLOB_SWITCH:-boot-build {build\}}
tonight=$history.tonight

die() {
	echo "tlob-load-nightly: $*" >&2
	exit 1
}

case $#,${1-} in
1,--continue|1,[!-]*) ;;
*) echo "usage: tlob-load-nightly.sh BUILD, or --continue" >&2; exit 129 ;;
esac
mkdir -p "$history"
exec 9> "$history.lock"
flock -n 9 || die "another night of $history is running: let it end"
if [ "$1" = --continue ]; then
	[ -s "$tonight/build" ] || exit 0
else
	mkdir -p "$tonight"
	rm -f "$tonight"/*
	echo "$1" > "$tonight/build"
fi
# the verdict of the night before
rm -f "$history.xml" "$history.md"
build=$(cat "$tonight/build")

for run in 1 2 3 4 5; do
	json=$tonight/$run.json
	[ ! -s "$json" ] || continue
	# 9>&-: what a build starts may stay, without the lock
	sh -c "$(printf '%s\n' "$switch" | sed "s/{build}/\"\$1\"/g")" switch "$build" 9>&- || die "TLOB_SWITCH ended with $? for $build"
	# shellcheck disable=SC2086	# words
	tlob-load run -q ${TLOB_RUN:--c 2-3 -p 1ms -w loops:20000 -d 60s} --seed $run --json "$json.new" 9>&- ||
		die "run $run ended with $?: see above; 2 is a failed --assert, which does not belong in TLOB_RUN"
	# a shutdown ends a run with 0
	grep -q '"stopped_by":null' "$json.new" ||
		die "run $run was cut short, $(grep -o '"stopped_by":[^,}]*' "$json.new"): --continue measures it again"
	mv "$json.new" "$json"
done
status=0
tlob-load gate --history "$history" --build "$build" --switch "$switch" --junit "$history.xml" \
	--markdown "$history.md" "$tonight"/[1-5].json 9>&- || status=$?
case $status in
0|2|3) rm -r "$tonight"; exit $status ;;
esac
die "gate ended with $status: the runs stay in $tonight, and --continue asks it again"
