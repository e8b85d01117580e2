# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What is on a page, for tests/cli/run and tests/cli/here: its data, and what a browser has drawn of it.
# A part is in $out, and has lacks of tests/cli/lib.sh.
# shellcheck disable=SC2154

# alone_on_page FILE: nothing is fetched, and nothing runs but the page's own script; what is in its data
# is text, which cannot end its element.
alone_on_page() {
	grep -q "Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'" "$1" || return
	[ "$(grep -o '<script[^>]*>' "$1" | tr -d '\n')" = '<script type="application/json" id="data"><script>' ] || { echo scripts; return 1; }
	sed '/id="data">$/,/^<.script>$/d' "$1" > bare.html
	lacks -nEio '<[^>]*[ "/](src|href|on[a-z]+)=|@import|import\(|url\([^#]|javascript:|fetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|(inner|outer)HTML|insertAdjacent|document\.write|eval\(' bare.html || return
	data "$1" > bare.json && jq -e .kind bare.json > jq.log && lacks -n '<' bare.json || return
	LC_ALL=C lacks -nP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|<img|<b>&' "$1"
}

# data PAGE: the JSON that it draws
data() {
	sed -n '/id="data">$/,/^<\/script>$/p' "$1" | sed '1d;$d'
}

# of_data PAGE OPTION... FILTER: the filter of jq is true of its data
of_data() {
	data "$1" | jq -e "${@:2}" > /dev/null || { echo "not in $1: ${*:2}"; return 1; }
}

# dom PAGE: what a browser has drawn, in dom.html; it draws a page once
dom() {
	local sum
	sum=$(md5sum < "$1")
	[ "$sum" = "$(cat dom.of 2>/dev/null)" ] && return
	browse --window-size=1280,1400 --dump-dom "$1" 2> browser.log | tr '\n' ' ' | sed 's/.*<main>/<main>/; s/<.main>.*//' > dom.html
	[ -s dom.html ] || { tail -n 3 browser.log; return 1; }
	echo "$sum" > dom.of
}

# drawn PAGE COUNT PATTERN: so often
drawn() {
	local n
	dom "$1" || return
	n=$(grep -oE -- "$3" dom.html | wc -l)
	[ "$n" -eq "$2" ] || { echo "$1: $n, not $2: $3"; return 1; }
}

# shows PAGE TEXT...: these are in what is drawn
shows() {
	local text
	dom "$1" || return
	for text in "${@:2}"; do grep -qF -- "$text" dom.html || { echo "not in $1: $text"; return 1; }; done
}

# only_text PAGE: no element was made of a foreign text
only_text() {
	dom "$1" && lacks -noE '<(img|script|iframe|b>&)' dom.html && LC_ALL=C lacks -nP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' dom.html
}

# browse OPTION... FILE: a browser with a page of this folder. The limit ends a hang.
browse() {
	timeout 600 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
		--user-data-dir="$out/browser" "${@:1:$#-1}" \
		"$(/usr/bin/python3 -c 'import pathlib, sys; print(pathlib.Path(sys.argv[1]).resolve().as_uri())' "${!#}")"
}
