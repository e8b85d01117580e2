#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The floors of the tool by the symbols of its objects: measure and decide do not use one another,
# and common uses neither. plan and try make settings of this machine: what they call is listed.
# What measures parses no file of results: only decide has what does.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/unit/built.sh
. "$top/tests/unit/built.sh"
built tools/tlob-load/tlob-load
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# symbols OBJECTS SOURCES: "FLOOR/ROOM/FILE.o SYMBOL TYPE ...". An object whose source is gone is left
# over from an older build.
symbols() {
	(cd "$2" && find measure decide common -name '*.c' ! -name '*.bpf.c') | sed 's/c$/o/' |
		(cd "$1" && while read -r object; do [ ! -e "$object" ] || echo "$object"; done | xargs nm -A -P) |
		sed 's/: / /'
}

# used OBJECTS SOURCES: "FLOOR/ROOM/FILE.o SYMBOL FLOOR/ROOM/FILE.o" for each symbol of another floor
# that a file uses. The tables of options are for all: options/manual.h declares them.
used() {
	symbols "$1" "$2" |
		awk '{
			if ($3 == "U" && $2 !~ /^manual_/)
				wanted[$1 " " $2]
			else if ($3 ~ /^[A-TV-Z]$/)
				of[$2] = $1
		}
		END {
			for (use in wanted) {
				split(use, word, " "); from = word[1]; to = of[word[2]]
				split(from, a, "/"); split(to, b, "/")
				if (to && a[1] != b[1] && b[1] != "common")
					print from, word[2], to
			}
		}' | sort
}

cat > "$work/allowed" <<'END'
decide/compare/cmd_plan.o tune_facts measure/tuning/tune_facts.o
decide/try/cmd_try.o backend_choose_name measure/backend/choose.o
decide/try/cmd_try.o doctor_free measure/doctor/doctor.o
decide/try/cmd_try.o setting_parse measure/tuning/setting.o
decide/try/machine.o check_tables measure/doctor/doctor.o
decide/try/machine.o doctor_observe measure/doctor/doctor.o
decide/try/machine.o doctor_prepare measure/doctor/doctor.o
decide/try/machine.o setting_add measure/tuning/setting.o
decide/try/machine.o setting_parse measure/tuning/setting.o
decide/try/machine.o tune_begin measure/tuning/rows.o
decide/try/machine.o tune_free measure/tuning/rows.o
decide/try/machine.o tune_has measure/tuning/tune.o
decide/try/machine.o tune_names measure/tuning/rows.o
decide/try/machine.o tune_print measure/tuning/tune.o
decide/try/machine.o tune_problem measure/tuning/tune.o
END
used "$top/build/tool" "$top/tools/tlob-load" > "$work/used"
if ! diff "$work/allowed" "$work/used" > "$work/differ"; then
	echo "FAILED: FILE SYMBOL FILE of another floor, < allowed and used no longer, > not allowed:" >&2
	cat "$work/differ" >&2
	exit 1
fi
# --phases is what the user of run has written
parsers=$(symbols "$top/build/tool" "$top/tools/tlob-load" |
	awk '$3 == "U" && $2 ~ /^(json_tokener_parse|reader_parse|inflate)/ && !/^decide/ { print $1, $2 }' | sort)
[ "$parsers" = 'common/util/json_read.o json_tokener_parse_ex
measure/run/phases.o reader_parse' ] || {
	echo "FAILED: more or less than json_read.c and --phases parses files below decide/:" >&2
	echo "$parsers" >&2
	exit 1
}
# that it finds what it looks for
mkdir -p "$work"/{measure,decide,common}/room
echo 'int asked(void) { return 1; }' > "$work/measure/room/asked.c"
echo 'int asked(void); int asks(void) { return asked(); }' > "$work/common/room/asks.c"
for file in measure/room/asked common/room/asks; do
	cc -c -o "$work/$file.o" "$work/$file.c"
done
[ "$(used "$work" "$work")" = 'common/room/asks.o asked measure/room/asked.o' ] || { echo 'FAILED: a call is not found' >&2; exit 1; }
echo "$(wc -l < "$work/allowed") uses between the floors, all of them known"
