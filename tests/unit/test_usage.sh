#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/lib.sh: -h prints a script's header comment, all of it and nothing else, and
# what a script prints when it is misused or a program is missing.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts=0

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# exits STATUS COMMAND...
exits() {
	local status=0 wanted=$1
	shift
	"$@" > "$work/out" 2> "$work/err" < /dev/null || status=$?
	[ $status -eq "$wanted" ] || fail "$*: exit $status, not $wanted: $(cat "$work/err")"
}

# A user may have no HOME: a service, cron, env -i.
while read -r file; do
	file=$top/$file
	# Scripts of guests have no tree around them.
	case $file in
	*.sh|*.c)  continue ;;
	esac
	exits 0 env -u HOME -u XDG_CACHE_HOME "$file" -h
	[ ! -s "$work/err" ] || fail "$file -h speaks on stderr: $(cat "$work/err")"
	head -n 1 "$work/out" | grep -qE "^${file##*/} - " || fail "$file -h begins with: $(head -n 1 "$work/out")"
	# what the header has, with its marks taken away by other means
	awk 'NR > 2 && /^#/ { print substr($0, 3); next } NR > 2 { exit }' "$file" | sed '1{/^$/d}' |
		diff - "$work/out" || fail "$file -h is not its header"
	exits 129 env -u HOME -u XDG_CACHE_HOME "$file" --no-such-option
	grep -q '^Usage: \|-h prints the usage$' "$work/err" || fail "$file --no-such-option: $(cat "$work/err")"
	scripts=$((scripts + 1))
done < <(cd "$top" && grep -rlE '^# Usage: ' scripts tests --exclude-dir=unit)
[ $scripts -ge 20 ] || fail "only $scripts scripts have a header"

for shell in sh bash; do
	printf '#!/bin/%s\n# a licence\n#\n# one - does nothing\n#\n# Usage: one\nset -eu\n# not this\n. "%s"\n"$@"\n' \
		$shell "$top/scripts/lib.sh" > "$work/one"
	chmod +x "$work/one"
	exits 0 "$work/one" usage
	[ "$(cat "$work/out")" = $'one - does nothing\n\nUsage: one' ] || fail "$shell: usage: $(cat "$work/out")"
	exits 129 "$work/one" misused "wrong"
	[ "$(cat "$work/err")" = "one: wrong; $work/one -h prints the usage" ] || fail "$shell: misused: $(cat "$work/err")"
	exits 1 "$work/one" die "broken"
	[ "$(cat "$work/err")" = "one: broken" ] || fail "$shell: die: $(cat "$work/err")"
	exits 125 env failure=125 "$work/one" die "broken"
	exits 0 "$work/one" need sh ls
	exits 1 env deps=lint "$work/one" need sh no-such-program ls
	[ "$(cat "$work/err")" = "one: no-such-program is missing: run scripts/deps lint" ] || fail "$shell: need: $(cat "$work/err")"
done

# what is in the OUT of dist stays
touch "$work/mine"
exits 1 timeout 600 "$top/scripts/dist" "$work"
[ "$(cat "$work/err")" = "dist: $(realpath "$work") is not empty: name a new directory" ] || fail "dist: $(cat "$work/err")"
[ -e "$work/mine" ] || fail "dist removed a file of OUT"
echo "usage: ok, $scripts scripts"
