#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# clean_log of tests/vm/lib.sh: a splat of each kind is found, and what the kernel does to itself
# is not one, unless this module takes part.
set -eu

# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
line='==================================================================' kcsan='BUG: KCSAN: data-race in'
cut='------------[ cut here ]------------' trace='---[ end trace 0000000000000000 ]---'

# log WANTED LINE...: clean or bad.
log() {
	local is=clean
	printf '[    1.0] %s\n' "${@:2}" > "$work/log"
	clean_log "$work/log" > "$work/said" || is=bad
	[ $is = "$1" ] || { echo "FAILED: not $1:" >&2; cat "$work/log" "$work/said" >&2; exit 1; }
}

# race WANTED LINE...: a report of KCSAN. warning WANTED LINE...: one of the kernel with a stack.
race() { log "$1" before "$line" "${@:2}" "$line" after; }
warning() { log "$1" before "$cut" "${@:2}" "$trace" after; }

log clean "Linux version" "tlob_load: loading out-of-tree module taints kernel."
while read -r said; do
	log bad "Linux version" "$said" more
done <<'END'
WARNING: possible circular locking dependency detected
[ BUG: Invalid wait context ]
BUG: sleeping function called from invalid context at mm/slab.h:1
ODEBUG: free active (active state 0) object type: hrtimer WARNING: CPU: 0
UBSAN: shift-out-of-bounds in kernel/trace/tlob/ring/ring.c:1:2
INFO: trying to register non-static key.
BUG: memory leaks
INFO: task tlob-load:12 blocked for more than 120 seconds.
END
race bad "BUG: KASAN: slab-use-after-free in f+0x1/0x2"
race bad "$kcsan tlob_wakeup / tlob_window_kill" "write to 0x1"
race bad "$kcsan f / g" "write to 0x1" " tlob_boundary+0x1/0x2 [tlob_load]"
race clean "$kcsan f / g" "write to 0x1" "CPU: 1 UID: 0 PID: 7 Comm: tlob_load/0 Tainted"
race clean "$kcsan ktime_get_mono_fast_ns / timekeeping_update" "tlob_window_end+0x1/0x2 [tlob_load]"
race bad "$kcsan ktime_get_mono_fast_ns / timekeeping_update" "$line" "$line" "$kcsan f / tlob_clock"
# a caller does not take part, but one whose data a helper accesses does
race clean "$kcsan f / g" "write (marked) to 0x1 of 8 bytes by task 1 on cpu 0:" " folio_unlock+0x1/0x2" " tlob_word_try+0x1/0x2 [tlob_load]"
# the lock of a page is taken by an inline function, next to a plain read of other bits
lock="$kcsan gup_put_folio / tlob_word_try"
marked="read-write (marked) to 0x1 of 8 bytes by task 1 on cpu 0:"
race clean "$lock" "$marked" " tlob_word_try+0x1/0x2 [tlob_load]" "read to 0x1 of 8 bytes by task 2 on cpu 1:" " gup_put_folio+0x1/0x2"
race bad "$lock" "${marked/ (marked)/}" " tlob_word_try+0x1/0x2 [tlob_load]"
race bad "$lock" "$marked" " tlob_word_settle+0x1/0x2 [tlob_load]" "read to 0x1 of 8 bytes by task 2 on cpu 1:" " tlob_word_try+0x1/0x2 [tlob_load]"
race bad "${lock}_more" "$marked" " tlob_word_try_more+0x1/0x2 [tlob_load]"
race bad "$kcsan f / tlob_word_try" "$marked" " tlob_word_try+0x1/0x2 [tlob_load]"
race bad "$kcsan f / g" "read to 0x1 of 8 bytes by task 1 on cpu 0:" " memcpy+0x1/0x2" " tlob_ring_write+0x1/0x2 [tlob_load]"
# a report that the end cuts off
log bad "$line" "$kcsan tlob_wakeup / g"

# what the kernel warns of by itself: the warning, and what must be on its stack or list of modules
while IFS='|' read -r text place with; do
	warning clean "$text" "WARNING: CPU: 0 PID: 7 at $place" "Modules linked in: tlob_inject(O)" "Call Trace:" "$with"
	# in 7.x
	warning clean "$text" "WARNING: ${place/ / at }, CPU#0: f/7" "Modules linked in: tlob_inject(O)" "Call Trace:" "$with"
	warning bad "$text" "WARNING: CPU: 0 PID: 7 at kernel/other.c:1 f+0x1/0x2" "Call Trace:" "$with"
	warning bad "$text" "WARNING: kernel/other.c:1 at ${place#* }, CPU#0: f/7" "Call Trace:" "$with"
	warning bad "$text" "WARNING: CPU: 0 PID: 7 at $place" "$with" "Oops: int3"
	log bad "$cut" "WARNING: CPU: 0 PID: 7 at $place" "Call Trace:" "$with"
	# a process that opens a file while the module goes has its functions on the stack
	[[ $place == fs/* ]] || warning bad "$text" "WARNING: CPU: 0 PID: 7 at $place" "$with" " tlob_ring_wake+0x1/0x2 [tlob_load]"
done <<'END'
debugfs file owner did not clean up|fs/debugfs/file.c:418 full_proxy_open+0xb7/0x2e0| tlob_load(O-)
dl_rq->running_bw > old|kernel/sched/deadline.c:265 inactive_task_timer+0xf79/0x13a0| inactive_task_timer+0x1/0x2
failed to allocate ring buffer|kernel/trace/ring_buffer.c:7462 trace_rb_cpu_prepare+0xb1/0xc0| instance_mkdir+0x60/0xb0
|kernel/locking/spinlock_rt.c:40 rt_spin_lock+0x65/0x160| rtlock_slowlock_locked+0xdc8/0x1b10
|kernel/trace/fprobe.c:683 fprobe_return+0x18e/0x1c0| ftrace_return_to_handler+0x215/0x350
|kernel/sched/core.c:2968 affine_move_task+0x31f/0x5d0| migrate_enable+0x86/0xf0
END
# two CPUs at a time: each must be one of a module that goes
open='WARNING: CPU: 0 PID: 78 at fs/debugfs/file.c:418 open_proxy_open+0xb7/0x2e0'
log clean "$cut" "$cut" "$open" "$open" " tlob_load(O-)" " tlob_load(O-)" "$trace" "$trace"
log bad "$cut" "$cut" "$open" "$open" " tlob_load(O-)" "$trace" "$trace"
warning bad "$open" "Modules linked in: tlob_load(O)"
: > "$work/log"
! clean_log "$work/log" > "$work/said" || { echo "FAILED: an empty log is clean" >&2; exit 1; }
echo "clean_log: ok"
