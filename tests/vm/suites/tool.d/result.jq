# SPDX-License-Identifier: GPL-2.0
# What holds in every result of tlob-load: prints what does not, one line each.
def sum_of(f): [f] | add // 0;
def parts(prefix): .hist | to_entries | map(select(.key | startswith(prefix)).value);
def differ(what; a; b): if a == b then empty else "\(what): \(a) is not \(b)" end;

def check_cpu:
	"cpu \(.cpu // "all")" as $cpu | .hist.response.n as $n |
	# the histograms of a user thread lack the windows whose record was lost
	(if $n > .windows or .windows - $n > .lost then "\($cpu) \(.windows) windows, but \($n) responses" else empty end),
	# a phase without a single part has no sum; without parts of wake there is no irq
	(if any(.unavailable[]; startswith("wake.")) and (parts("wake.") | length) == 0 then true else false end) as $blind |
	(if $blind then empty else
		differ("\($cpu) wake parts"; sum_of(parts("wake.")[].sum); .hist.wake.sum),
		differ("\($cpu) work parts"; sum_of(parts("work.")[].sum); .hist.response.sum - .hist.wake.sum) end),
	(.hist | to_entries[] | .key as $m | .value |
		differ("\($cpu) \($m) n"; .n; if $blind and $m == "irq" then 0 else $n end),
		differ("\($cpu) \($m) buckets"; sum_of(.buckets[][1]); .n)),
	# wake is one that starts with w, and no part
	differ("\($cpu) parts"; (parts("w") | length) - 1; 15 - (.unavailable | length)),
	differ("\($cpu) sum_failures"; .sum_failures; 0),
	differ("\($cpu) expiries"; .startup + .warm_up + .warm_up_missed + .windows + .missed + .unaccounted; .due),
	(if .violations > .windows then "\($cpu) more violations than windows" else empty end),
	(if .aborted > .missed then "\($cpu) more aborted than missed" else empty end);

def check_window:
	"worst cpu \(.cpu) activation \(.activation)" as $w |
	(if (.unavailable | length) == 15 then differ("\($w) irq"; .irq_latency_ns; null) else
	differ("\($w) wake"; sum_of(.parts | to_entries[] | select(.key | startswith("wake.")).value); .wake_ns),
	differ("\($w) work"; sum_of(.parts | to_entries[] | select(.key | startswith("work.")).value); .response_ns - .wake_ns) end),
	differ("\($w) violation"; .flags | index("violation") != null; .response_ns > .budget_ns);

(.all | check_cpu), (.cpu[] | check_cpu), (.worst[] | check_window),
(.all as $all | .cpu as $cpus |
	("windows", "violations", "missed", "lost", "aborted", "warm_up", "warm_up_missed", "warm_up_violations",
	 "due", "startup", "unaccounted", "errors", "adjusted_ns") as $k |
	differ("sum of \($k)"; sum_of($cpus[][$k]); $all[$k])),
# each expiry over the budget or missed is in one episode, on its CPU and of all CPUs together
((.cpu[] | differ("cpu \(.cpu) episodes"; .episodes.over; .over.n)),
 differ("episodes"; .episodes.over; .all.over.n)),
(.episodes, .cpu[].episodes | .over as $over | .gaps[] |
	(if .n > $over or .longest > $over or .squares < $over or .longest * $over < .squares then
		"gap of \(.gap_ns): \(.n) episodes, the longest \(.longest), squares \(.squares), of \($over)" else empty end)),
# the largest first, and no measured response is larger; a run that a window stopped has no
# later windows
differ("order of worst"; [.worst[].response_ns] | sort | reverse; [.worst[].response_ns]),
(if .all.lost == 0 then differ("worst response"; .worst[0].response_ns; .all.hist.response.max) else empty end)
