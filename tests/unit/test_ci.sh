#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# .ci/run --list in a repository of a few commits: two commits in a row test every debug
# kernel, and what one leaves out it names, with the command that runs it.
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

# tested REPOSITORY: the debug kernels that it would test; each of the others is named.
tested() {
	"$1/.ci/run" --list > "$work/list"
	grep -qx 'make check' "$work/list" || fail "no make check: $(cat "$work/list")"
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
for commit in 1 2 3 4; do
	"${git[@]}" commit -q --allow-empty -m $commit
	tested "$repository" > "$work/tested.$commit"
	[ "$(wc -l < "$work/tested.$commit")" -le 2 ] || fail "more than two in a run: $(cat "$work/tested.$commit")"
done
for commit in 1 2 3; do
	sort -u "$work/tested.$commit" "$work/tested.$((commit + 1))" | diff - "$work/kernels" ||
		fail "commits $commit and $((commit + 1)) do not test all"
done

# a shallow clone counts one commit, always
for commit in 5 6 7 8 9 10 11 12; do
	"${git[@]}" commit -q --allow-empty -m $commit
	rm -rf "$work/shallow"
	git clone -q --depth 1 "file://$repository" "$work/shallow"
	cp -r "$repository/.ci" "$repository/scripts" "$repository/tests" "$work/shallow"
	tested "$work/shallow"
done > "$work/tested.shallow"
sort -u "$work/tested.shallow" | diff - "$work/kernels" || fail "shallow clones test only some"
echo "ci: ok"
