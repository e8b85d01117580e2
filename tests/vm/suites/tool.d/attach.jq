# SPDX-License-Identifier: GPL-2.0
# What holds in every result of tlob-load attach: prints what does not, one line each.
def sum_of(f): [f] | add // 0;
def differ(what; a; b): if a == b then empty else "\(what): \(a) is not \(b)" end;

def check_window:
	"window of \(.tid) at \(.start_ns)" as $w |
	differ("\($w) parts"; sum_of(.parts[]); .elapsed_ns),
	differ("\($w) violation"; .flags | index("violation") != null; .elapsed_ns > .budget_ns),
	differ("\($w) interruptions"; .largest == null or .largest.ns <= (if .largest.kind == "thread"
		then .parts.waiting else .parts.irq + .parts.softirq + .parts.nmi end); true);

(.windows as $n | .hist | to_entries[] | .key as $m | .value |
	differ("\($m) n"; .n; $n), differ("\($m) buckets"; sum_of(.buckets[][1]); .n)),
differ("parts"; sum_of(.hist | to_entries[] | select(.key != "elapsed").value.sum); .hist.elapsed.sum),
differ("number of parts"; (.hist | length) - 1; 9 - (.unavailable | length)),
(.worst[] | check_window),
# the largest first, and what is over the budget is a violation
differ("order of worst"; [.worst[].elapsed_ns] | sort | reverse; [.worst[].elapsed_ns]),
(if .violations > .windows + .cut + .open then "more violations than windows" else empty end),
(if ([.worst[] | select(.flags | index("violation"))] | length) > .violations then "too few violations" else empty end),
("sum_failures", "errors", "clock_steps") as $k | differ($k; .[$k]; 0)
