# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The static file in a root with nothing else but /proc and /sys, as of an image. Part of
# tests/cli/here, which has $top and $out.
# shellcheck disable=SC2154

# in_empty COMMAND...: in a mount namespace, the chroot as $root.
in_empty() {
	rm -rf "$out/empty"
	mkdir -p "$out/empty/proc" "$out/empty/sys"
	cp "$top/build/static/tlob-load-x86_64" "$out/empty/tlob-load" || return
	# shellcheck disable=SC2016 # for that shell
	env -u TLOB_STATE_FILE unshare -m sh -c 'mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && exec chroot "$0" "$@"' "$out/empty" "$@"
}

static_builds() {
	"$top/scripts/build-static" x86_64 || return
	! readelf -d "$top/build/static/tlob-load-x86_64" | grep NEEDED || return
	[ "$("$top/build/static/tlob-load-x86_64" version)" = "tlob-load $(cat "$top/VERSION")" ] || return
	! strings -a "$top/build/static/tlob-load-x86_64" | grep -F "$top/"
}

# Also without /run, where the list of changed settings is.
static_measures() {
	in_empty /tlob-load run --backend "$1" -n 200 -w none -q --json - > "$out/static.json" || return
	jq -e --arg backend "$1" '.backend == $backend and all(.cpu[]; .windows + .lost == 200 and .sum_failures == 0)' "$out/static.json" > /dev/null ||
		{ jq -c '[.backend, (.cpu[] | [.windows, .lost])]' "$out/static.json"; return 1; }
}

check_static() {
	if [ "$(uname -m)" != x86_64 ] || ! echo '#include <bzlib.h>' | gcc -E - > /dev/null 2>&1 || ! command -v clang > /dev/null; then
		skip static "this machine lacks the libraries for it: scripts/deps packages"
		return
	fi
	check static.builds static_builds
	if ! unshare -m true 2> /dev/null; then
		skip static.chroot "only root can make a chroot"
		return
	fi
	check static.posix static_measures posix
	if has_bpf; then
		check static.bpf static_measures bpf
	else
		skip static.bpf "$bpf_lacks"
	fi
}

check_static
