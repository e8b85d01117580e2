# SPDX-License-Identifier: GPL-2.0
# What holds in every result of tlob-load attach: prints what does not, one line each.
def sum_of(f): [f] | add // 0;
def differ(what; a; b): if a == b then empty else "\(what): \(a) is not \(b)" end;

def check_window:
	"window of \(.tid) at \(.t0_ns)" as $w |
	differ("\($w) parts"; sum_of(.parts[]); .response_ns),
	differ("\($w) violation"; .flags | index("violation") != null; .response_ns > .budget_ns),
	differ("\($w) interruptions"; .largest == null or .largest.ns <= (if .largest.kind == "thread"
		then .parts["work.thread"] + .parts["wake.irq_delay"] else .parts["work.irq"] + .parts["work.softirq"] + .parts["work.nmi"] end); true);

.all as $all |
($all.hist | to_entries[] | select(.key | IN("irq", "wake", "interval") | not) | .key as $m | .value |
	differ("\($m) n"; .n; $all.windows), differ("\($m) buckets"; sum_of(.buckets[][1]); .n)),
differ("phases"; $all.hist | .irq.n + .wake.n; 0),
differ("parts"; sum_of($all.hist | to_entries[] | select(.key | contains(".")).value.sum); $all.hist.response.sum),
differ("number of parts"; ($all.hist | del(.interval) | length) - 3; 15 - ($all.unavailable | length)),
(.worst[] | check_window),
# the largest first, and what is over the budget is a violation or missed
differ("order of worst"; [.worst[].response_ns] | sort | reverse; [.worst[].response_ns]),
(if $all.violations > $all.windows then "more violations than windows" else empty end),
(if $all.missed > ($all.cut // 0) + ($all.open // 0) then "more missed than cut and open" else empty end),
(if ([.worst[] | select(.flags | index("violation"))] | length) > $all.violations + $all.missed then "too few violations" else empty end),
# some kernels hide switches from BPF: those windows are not measured
("sum_failures", "clock_steps", if .backend == "bpf" then empty else "errors" end) as $k | differ($k; $all[$k]; 0)
