#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# .ci/run --list in a repository of a few commits: as many commits in a row as there are debug
# kernels test all of them, two what make check leaves out, and what one leaves out it names, with
# the command that runs it.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
repository=$work/repository
git=(git -C "$repository" -c user.name=test -c user.email=test@localhost -c commit.gpgsign=false)
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
# the same hashes each time
export GIT_AUTHOR_DATE="2026-01-01T00:00:00Z" GIT_COMMITTER_DATE="2026-01-01T00:00:00Z"

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# turn_of REPOSITORY: what .ci/run counts there.
turn_of() {
	if [ "$(git -C "$1" rev-parse --is-shallow-repository)" = false ]; then
		git -C "$1" rev-list --count HEAD
	else
		echo $((16#$(git -C "$1" rev-parse HEAD | cut -c 1-7)))
	fi
}

# rest_of REPOSITORY: the kernels whose rest its turn has.
rest_of() {
	[ $(($(turn_of "$1") % 2)) -eq 0 ] && echo 6.12-rt || echo "6.12 6.1"
}

# slow_of REPOSITORY: what its turn has of the two slow targets.
slow_of() {
	[ $(($(turn_of "$1") % 2)) -eq 0 ] && echo check-tables || echo check-mutants
}

# tested REPOSITORY: the debug kernels that it would test; each of the others is named.
tested() {
	"$1/.ci/run" --list > "$work/list"
	for part in 'make check' "make check-rest KERNELS=$(rest_of "$1")" 'tests/vm/run --proofs 6.12-rt-arm64' \
		"make $(slow_of "$1")" \
		"tests/vm/suites/functions --turn $(turn_of "$1") 6.12-rt"; do
		grep -qx -- "$part" "$work/list" || fail "no $part: $(cat "$work/list")"
	done
	sed -n 's/^make check-debug .*KERNELS=//p' "$work/list" | sort > "$work/tested"
	sed -n 's/^ci: left out \([^:]*\): .*; make check-debug KERNELS=\1 runs it$/\1/p' "$work/list" |
		sort - "$work/tested" | diff "$work/kernels" - > /dev/null || fail "not each kernel once: $(cat "$work/list")"
	cat "$work/tested"
}

mkdir -p "$repository/tests/vm"
cp -r "$top/.ci" "$top/scripts" "$repository"
cp -r "$top/tests/vm/kernels" "$repository/tests/vm"
"$top/scripts/build-kernel" --list | sort > "$work/kernels"
"${git[@]}" -c init.defaultBranch=main init -q
for commit in $(seq "$(wc -l < "$work/kernels")"); do
	"${git[@]}" commit -q --allow-empty -m "$commit"
	tested "$repository" > "$work/tested.$commit"
	[ "$(wc -l < "$work/tested.$commit")" -eq 1 ] || fail "not one in a run: $(cat "$work/tested.$commit")"
done
sort -u "$work/tested".[0-9]* | diff - "$work/kernels" || fail "commits in a row do not test all"

# a shallow clone counts one commit, always
for commit in $(seq 5 20); do
	"${git[@]}" commit -q --allow-empty -m "$commit"
	rm -rf "$work/shallow"
	git clone -q --depth 1 "file://$repository" "$work/shallow"
	cp -r "$repository/.ci" "$repository/scripts" "$repository/tests" "$work/shallow"
	tested "$work/shallow"
done > "$work/tested.shallow"
sort -u "$work/tested.shallow" | diff - "$work/kernels" || fail "shallow clones test only some"

# What arm64 needs may not be there: the part is left out, and all others run.
fake=$work/fake
mkdir -p "$fake/scripts" "$fake/tests/vm/suites"
cp -r "$top/.ci" "$fake"
cp "$top/scripts/lib.sh" "$fake/scripts"
printf 'check lint check-rest check-dkms check-tables check-mutants:\n' > "$fake/Makefile"
git -c init.defaultBranch=main init -q "$fake"
git -C "$fake" -c user.name=test -c user.email=test@localhost -c commit.gpgsign=false commit -q --allow-empty -m 1

# fake STATUS PROGRAM...: programs in the fake repository that only say their command
# line, so that .ci/run is tested without what it starts.
fake() {
	local program status=$1
	for program in "${@:2}"; do
		# shellcheck disable=SC2016 # for that shell
		printf '#!/bin/sh\necho "ran ${0##*/} $*" >&2\nexit %s\n' "$status" > "$fake/$program"
		chmod +x "$fake/$program"
	done
}

# ran STATUS TEXT...: .ci/run ends so, and said each.
ran() {
	local status=0 wanted=$1 text
	shift
	"$fake/.ci/run" > "$work/said" 2>&1 || status=$?
	[ $status -eq "$wanted" ] || fail "exit $status, not $wanted: $(cat "$work/said")"
	for text in "ran many 6.12-rt" "$@"; do
		grep -qF -- "$text" "$work/said" || fail "not said: $text: $(cat "$work/said")"
	done
}

needed=(scripts/deps scripts/cross scripts/fetch-kernel)
fake 0 scripts/build-kernel tests/vm/run tests/vm/suites/{many,functions} "${needed[@]}"
ran 0 "ran functions --turn 1 6.12-rt" "ran deps arm64" "ran cross arm64" "ran fetch-kernel 6.12-rt-arm64" "ran run --proofs 6.12-rt-arm64"
for program in "${needed[@]}"; do
	fake 1 "$program"
	ran 0 "ci: left out 6.12-rt-arm64: $program " "; make check-arm64 runs it"
	! grep -q "ran run" "$work/said" || fail "it ran all the same: $(cat "$work/said")"
	fake 0 "$program"
done
fake 1 tests/vm/run
ran 1 "ran run --proofs 6.12-rt-arm64"

# each group of tests of the guests is in a guest of make check-all or of make check-debug
sed -n 's/^#define GROUP\t"\(.*\)"$/\1/p' "$top"/tests/vm/programs/guest/*.c | sort -u > "$work/groups"
[ -s "$work/groups" ] || fail "no groups in tests/vm/programs/guest"
sed -e '/^#/d' "$top/tests/vm/debug" > "$work/guests"
sed -n '/^start_one()/,/^}/p; /^start_two()/,/^}/p' "$top/tests/vm/run" >> "$work/guests"
while read -r group; do
	grep -q "[ (]$group\([ .)]\|$\)" "$work/guests" || fail "no guest runs the group $group"
done < "$work/groups"
echo "ci: ok"
