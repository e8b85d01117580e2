#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# tlob-load-nightly - measure a build, and screen it with what the machine measured before
#
# Usage: tlob-load-nightly.sh BUILD
#
# From cron, as root; the second line continues what a reboot of TLOB_SWITCH has interrupted:
#
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

[ $# -eq 1 ] || { echo "usage: tlob-load-nightly.sh BUILD, or --continue" >&2; exit 129; }
if [ "$1" = --continue ]; then
	[ -s "$tonight/build" ] || exit 0
else
	mkdir -p "$history" "$tonight"
	rm -f "$tonight"/*
	echo "$1" > "$tonight/build"
fi
build=$(cat "$tonight/build")

for run in 1 2 3 4 5; do
	[ ! -s "$tonight/$run.json" ] || continue
	sh -c "$(echo "$switch" | sed "s/{build}/\"\$1\"/g")" switch "$build"
	# shellcheck disable=SC2086	# words
	tlob-load run -q ${TLOB_RUN:--c 2-3 -p 1ms -w loops:20000 -d 60s} --seed $run --json "$tonight/$run.json"
done
status=0
tlob-load gate --history "$history" --build "$build" --switch "$switch" --junit "$history.xml" \
	--markdown "$history.md" "$tonight"/[1-5].json || status=$?
rm -r "$tonight"
exit $status
