# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The fixtures and the functions that several parts of tests/cli/run use. A part is in $out, and has
# $top, $tool, check, exits and fixture of tests/cli/lib.sh.
# shellcheck disable=SC2034,SC2154

# shellcheck source=tests/cli/pages.sh
. "$top/tests/cli/pages.sh"

# shellcheck disable=SC2034 # the parts use it
before=(pairs/a-{1..8}.json)

# derive FILE SEED SCALE: a small result of another run of the same. No two begin in one hour.
derive() {
	"$top/tests/cli/big" --cpus 2 --seconds 20 --scale "$3" |
		jq -c --argjson seed "$2" '.seed = $seed | .started = ("2026-01-0" + ($seed % 9 + 1 | tostring) + "T" + ("0" + ($seed / 9 % 24 | floor | tostring))[-2:] + ":00:00Z")' > "$1"
}

# compared STATUS ARG...: compare ends with it.
compared() {
	local status=0
	"$tool" compare "${@:2}" || status=$?
	[ $status -eq "$1" ] || { echo "exit $status, not $1" >&2; return 1; }
}

make_day() { "$top/tests/cli/big" > day.json; }
make_day2() { "$top/tests/cli/big" --scale 1.1 > day2.json; }
make_small() { "$top/tests/cli/big" --cpus 1 --seconds 60 > small.json; }
make_minute() { "$top/tests/cli/big" --seconds 60 > minute.json; }

# Runs scatter by 3 %; B is the same, C is half as slow again.
make_pairs() {
	local i=0 scale
	mkdir -p pairs
	for scale in 0.98 1.01 1.00 1.03 0.97 1.02 0.99 1.00; do
		i=$((i + 1))
		derive pairs/a-$i.json $((10 * i)) $scale &&
		derive pairs/b-$i.json $((10 * i + 2)) "$(bc <<< "scale=4; $scale * (1 + 0.02 * ($i % 2) - 0.01)")" &&
		derive pairs/c-$i.json $((10 * i + 3)) "$(bc <<< "scale=4; $scale * 1.5")" || return
	done
}

# with FIXTURE[,FIXTURE] COMMAND...
with() {
	local all
	IFS=, read -ra all <<< "$1"
	shift
	fixture "${all[@]}" && "$@"
}

# hosts N: results of 64 CPUs each, of N hosts; their names in hosts/N.list
hosts() {
	local i
	mkdir -p hosts
	for ((i = 1; i <= $1; i++)); do
		[ -e hosts/$i.json ] || sed "s/\"host\":\"simulated\"/\"host\":\"host$i\"/" minute.json > hosts/$i.json
		echo hosts/$i.json
	done > "hosts/$1.list"
}

page() {
	local file=$1
	shift
	"$tool" report -o "$file" "$@" && alone_on_page "$file"
}

# no_escape FILE...: nothing in it moves a terminal's cursor, by a byte or by a character of two.
no_escape() {
	LC_ALL=C lacks -nP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$@" > control.found ||
		{ cat -v control.found; return 1; }
}

# shot PAGE FILE WIDTH OPTION...: a picture by a browser, in which there is something.
shot() {
	local page=$1 file=$2 width=$3
	shift 3
	rm -f "$file"
	browse "$@" --screenshot="$out/$file" --window-size="$width,1400" "$page" > browser.log 2>&1 || { cat browser.log; return 1; }
	# a picture of one colour packs to next to nothing
	[ "$(stat -c %s "$file")" -gt 20000 ] || { echo "$file has $(stat -c %s "$file") bytes"; return 1; }
}

# said PAGE SCRIPT WIDTH: what the script, which is appended to the page, writes. The page is in a
# frame, because no window of the browser is narrower than 500.
said() {
	cat "$1" "$top/tests/cli/$2" | /usr/bin/python3 -c 'import html, sys
print("<!DOCTYPE html><iframe style=\"border:0;height:1400px;width:%spx\" srcdoc=\"%s\"></iframe>" % (sys.argv[1], html.escape(sys.stdin.read())))' "$3" > said.html
	browse --window-size=1400,1500 --dump-dom said.html > said.dom 2> browser.log &&
		grep -Pzo '<pre id="said">\K[^<]*' said.dom | tr -d '\0'
}

# fits PAGE WIDTH: nothing is wider than the screen, and no two words of a plot overlap.
fits() {
	local said
	said=$(said "$1" layout.html "$2")
	[ "$said" = fits ] || { echo "${said:-$(tail -n 3 browser.log)}"; return 1; }
}

# acts PAGE: each of its drawings does what a pointer and keys ask for.
acts() {
	local said
	said=$(said "$1" act.html 1280)
	[ "$said" = acts ] || { echo "${said:-$(tail -n 3 browser.log)}"; return 1; }
}

# copied PAGE RESULT: its button copies the Markdown of the result, to the byte.
copied() {
	"$tool" report -f md "$2" > wanted.md || return
	diff wanted.md <(said "$1" copy.html 1280 | /usr/bin/python3 -c 'import html, sys
sys.stdout.write(html.unescape(sys.stdin.read()))') || { tail -n 3 browser.log; return 1; }
}

differ() {
	! cmp -s "$1" "$2"
}

# fits_paper PAGE: the same with the rules for print, on the width of A4 without its margins.
fits_paper() {
	sed 's/@media print{/@media all{/' "$1" > paper.html
	! cmp -s paper.html "$1" && fits paper.html 718
}

# printed PAGE WORD...: it becomes a PDF, which has the words.
printed() {
	local page=$1 word
	shift
	rm -f page.pdf
	browse --print-to-pdf="$out/page.pdf" "$page" > browser.log 2>&1 || { cat browser.log; return 1; }
	pdftotext page.pdf page.txt || return
	for word; do grep -qF "$word" page.txt || { echo "no $word"; return 1; }; done
	lacks -F 'Copy as Markdown' page.txt
}

# as_attach SCALE N: the run on stdin as a result of attach: its responses on the first CPU
# are the times of the region, SCALE times as long, and N ns more in all, so that it is no copy.
# A power of two keeps buckets whole.
as_attach() {
	jq -c --argjson by "$1" --argjson more "$2" '.cpu[0] as $c | ($c.hist.response | .sum = .sum * $by + $more | .min *= $by | .max *= $by |
			.buckets |= map([.[0] * $by, .[1]])) as $h |
		{n: 0, sum: 0, min: null, max: null, buckets: []} as $none |
		del(.tuning_sources, .conditions, .lowered, .episodes, .causes, .places) +
		{command: "tlob-load attach prog", host: null, boot_id: null, machine_id: null, run_id: null, backend: "tlob",
		workload: "attach", noise_source: "hooks", work: "work to done in prog", policy: "of the program", cpus: "any",
		period_ns: 0, budget_ns: 1000000000, align_ns: 0, hw_threshold_ns: 0, seed: null, phase_ns: null,
		tuning: {}, findings: null, clock_resolution_ns: 1, notes: ["<b>a note"], worst: [], exact: {},
		noise: {evicted: 0, names: []}, delay: {evicted: 0, names: []},
		attached: {file: "/opt/prog", debug_file: null, start: {place: "work", offset: 4096}, stop: {place: "done", offset: 4200},
			process: {pid: 42, program: "/opt/prog", started: true, ended: true, exit_status: 0, signal: null},
			all: false, began_ns: 1, unmeasured_most: 10000, other_processes: 0}} |
		.cpu = [$c | del(.episodes, .functions) | .cpu = null | .slices = null | .os = null | .windows = $h.n | .due = 0 |
			.starts = $h.n | .violations = 0 | .missed = 0 |
			.unavailable = (["irq", "softirq", "nmi", "thread", "sched", "steal"] | map("wake." + .)) + ["work.hw"] |
			.hist = ([.hist | keys[] | {(.): $none}] | add | .response = $h | .["work.on_cpu"] = $h | with_entries(select(.key | IN("wake.irq", "wake.softirq", "wake.nmi", "wake.thread", "wake.sched", "wake.steal", "work.hw") | not)))] |
		.all = (.cpu[0] | del(.cpu, .host, .slices))'
}

make_attach() {
	local i
	mkdir -p attach
	for i in 1 2 3 4 5 6 7 8; do
		as_attach 1 $i < pairs/a-$i.json > attach/a-$i.json && as_attach 1 $i < pairs/b-$i.json > attach/b-$i.json &&
			as_attach 2 $i < pairs/c-$i.json > attach/c-$i.json || return
	done
	valid attach/[abc]-1.json
}

# with_sets FILE SETS: FILE with times in functions. SETS is a list of name, patterns, how many
# functions match, and the metric that the set has its times from.
with_sets() {
	jq -c --argjson sets "$2" '
		def times: .functions = {lost: 0, missed: 0, sets: (. as $c | $sets | map({(.[0]):
			{calls: (3 * $c.windows), probes_ns: (3 * 741 * $c.windows), unreturned: 0, max_ns: $c.hist[.[3]].max, longest: "rt_spin_lock", hist: $c.hist[.[3]]}}) | add)};
		.functions = {mechanism: "fprobe", probe_ns: 741, sets: ($sets | map(
			{name: .[0], patterns: .[1], functions: .[2], open: 0, unreturned: 0, missed: 0}))} |
		(.cpu[], .all) |= times' "$1"
}

# screen NAME CODE COMMAND...: it prints tests/cli/golden/NAME, which fits 80 columns and 24 lines.
screen() {
	local name=$1 code=$2 status=0
	shift 2
	"$@" > screen.txt || status=$?
	[ $status -eq "$code" ] || { echo "exit $status, not $code"; return 1; }
	if [ "$(wc -l < screen.txt)" -gt 24 ] || [ "$(wc -L < screen.txt)" -gt 80 ]; then
		cat screen.txt
		return 1
	fi
	diff "$top/tests/cli/golden/$name" screen.txt
}

# A filter of jq: late(N; LENGTH) gives each CPU N bursts of LENGTH missed expiries, all at other times.
# shellcheck disable=SC2016
late='def episodes($n; $length): {time_ns: 20000000000, over: ($n * $length), gaps: [range(6) |
		{gap_ns: (2000000 * pow(4; .)), n: $n, longest: $length, squares: ($n * $length * $length), covered_ns: ($n * 1000000 * $length)}],
		gap_ns: 2000000, n: $n, longest: $length, squares: ($n * $length * $length), per_hour: null};
	def late($bursts; $long): (.cpu | length) as $cpus |
		.cpu[] |= (.missed = $bursts * $long | .due += .missed | .episodes = episodes($bursts; $long)) |
		.all |= (.missed = $bursts * $long * $cpus | .due += .missed) | .episodes = episodes($bursts * $cpus; $long);'

# variant FILTER: pairs whose B's are changed by jq; the verdict would be OK.
variant() {
	local i
	mkdir -p variant
	for i in 1 2 3 4 5 6 7 8; do jq -c "$1" pairs/b-$i.json > variant/b-$i.json; done
}

# names_of FILE: the results of a page of rows, in its order
names_of() {
	data "$1" | jq -r '.many.rows[].name'
}

make_day_page() { page day.html day.json; }
make_two_page() { page two.html day.json day2.json; }
