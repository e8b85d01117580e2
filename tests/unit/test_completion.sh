#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What bash, zsh and fish offer for lines that begin with tlob-load or tlob-lab.
set -euo pipefail

# shellcheck source=tests/unit/built.sh
. "$(dirname "$0")/built.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 lines=0

built build/tool/doc/done build/lab/doc/done
for shell in zsh fish nm; do
	command -v $shell > /dev/null || { echo "$shell is missing: scripts/deps check" >&2; exit 1; }
done
mkdir -p "$work/cpu" "$work/zsh" "$work/tree/build/kernels/7.3-mine"
echo 0-2,5 > "$work/cpu/online"
cp "$top/build/tool/doc/complete.zsh" "$work/zsh/_tlob-load"
cp "$top/build/lab/doc/complete.zsh" "$work/zsh/_tlob-lab"
export TLOB_SYS_CPU=$work/cpu TLOB_TREE=$work/tree
cd "$work"
touch before-1.json before-2.json
cc -x c -o program - <<< 'int region_begin(void) { return 0; } int region_end(void) { return 0; } int main(void) { return 0; }'

# doc LINE: the folder of the program that begins it.
# shellcheck disable=SC2317	# "in_$shell" calls it
doc() {
	case $1 in
	tlob-lab*) echo "$top/build/lab/doc" ;;
	*)         echo "$top/build/tool/doc" ;;
	esac
}

# shellcheck disable=SC2317
in_bash() {
	# shellcheck disable=SC2016	# the inner shell expands it
	bash -c '. "$1" || exit; shift; read -ra COMP_WORDS <<< "$1"; case $1 in *" ") COMP_WORDS+=("") ;; esac
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "_${COMP_WORDS[0]//-/_}"; [ $? -lt 2 ] || exit
		printf "%s\n" "${COMPREPLY[@]}"' - "$(doc "$1")/complete.bash" "$1"
}

# shellcheck disable=SC2317
in_fish() {
	# shellcheck disable=SC2016	# fish expands it
	XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data fish -c 'source $argv[1]; complete -C $argv[2]' \
		"$(doc "$1")/complete.fish" "$1" | cut -f 1
}

# Types the line and two tabs in a terminal, and prints what appears.
# shellcheck disable=SC2317
in_zsh() {
	/usr/bin/python3 "$top/tests/unit/zsh_complete.py" "$work/zsh" "$1"
}

# ask SHELL LINE: what it offers is in $found. A shell that fails or complains offers nothing.
ask() {
	local status=0
	found=$("in_$1" "$2" 2> "$work/complaint") || status=$?
	[ $status -ne 0 ] || [ -s "$work/complaint" ] || return 0
	echo "$1: '$2': exit $status: $(cat "$work/complaint")" >&2
	bad=1
	return 1
}

# expect LINE WORD...: each shell offers the words; ! WORD: it does not.
expect() {
	local line=$1 shell found word wanted
	shift
	lines=$((lines + 1))
	for shell in $shells; do
		ask "$shell" "$line" || continue
		wanted=yes
		for word; do
			[ "$word" != ! ] || { wanted=no; continue; }
			if grep -qE -- "(^|[[:space:]=])$word([[:space:]:=]|\$)" <<< "$found"; then
				[ $wanted = yes ] || { echo "$shell: '$line' offers $word" >&2; bad=1; }
			elif [ $wanted = yes ]; then
				echo "$shell: '$line' does not offer $word, but: $found" >&2
				bad=1
			fi
			wanted=yes
		done
	done
}

# expect_nothing LINE: no shell offers a word, nor a file.
expect_nothing() {
	local shell found
	lines=$((lines + 1))
	for shell in $shells; do
		ask "$shell" "$1" || continue
		[ -z "${found//[[:space:]]/}" ] || { echo "$shell: '$1' offers: $found" >&2; bad=1; }
	done
}

shells='bash fish zsh'
expect 'tlob-load re' report restore ! merge
expect 'tlob-load run --c' --cpus --cgroup ! --period
expect 'tlob-load run --cpus ' 0-2,5 all
expect 'tlob-load run --workload ' user kthread
expect 'tlob-load run -w ' none spin loops
expect 'tlob-load report --format ' html md csv text
expect 'tlob-load doctor --pattern ' periodic polling
expect 'tlob-load doctor --why n' nohz_full numa_balancing
expect 'tlob-lab ' run explain bisect ! report
expect 'tlob-lab run ' 6.1 6.12-rt 7.3-mine
expect 'tlob-lab explain --win' --window ! --workload
expect 'tlob-load gate before' before-1.json before-2.json
expect "tlob-load attach ./program --start region_" region_begin region_end
shells='bash zsh'
expect 'tlob-load run --cpus ' 0 1 2 5 ! 3
shells='bash fish'		# zsh shows only the words behind the comma
expect 'tlob-load run --cpus 0-' 0-1 0-5
expect 'tlob-load run --cpus 1,' 1,2 1,5
shells='bash zsh'		# fish offers no options behind --
expect 'tlob-load plan a b -- --noi' --noise-source
expect 'tlob-lab run 6.12 -- --noi' --noise-source
expect 'tlob-lab run 6.12 -- --workload ' user kthread
shells='bash fish'		# zsh shows the line that was typed
expect_nothing 'tlob-load run -d '
shells=bash
expect 'tlob-load run --work = l' loops:
expect 'tlob-load run --help = ' all

# Names that others chose are not executed, now or on Enter. Those of Rust have $LT$.
# shellcheck disable=SC2016
{
	mkdir 'tree/build/kernels/7.3-$(>kernel-ran)'
	objcopy --redefine-sym 'region_begin=_ZN$LT$(>symbol-ran)' program foreign
	expect 'tlob-lab run 7.3-\$' '7.3-\\\$\\\(\\>kernel-ran\\\)'
	expect "tlob-load attach ./foreign --start _" '_ZN\\\$LT\\\$\\\(\\>symbol-ran\\\)'
}
[ "$(echo ./*-ran)" = './*-ran' ] || { echo "bash: executed:" ./*-ran >&2; bad=1; }
[ $bad -eq 0 ] && echo "completion: $lines lines in bash, zsh and fish: ok"
exit $bad
