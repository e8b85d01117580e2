#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# clean_log of tests/vm/lib.sh: a splat of each kind is found, and of data races
# only those of this module.
set -eu

# shellcheck source=tests/vm/lib.sh
. "$(dirname "$0")/../vm/lib.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
line='=================================================================='

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# clean LINE..., bad LINE...: a log of these lines.
clean() {
	printf '[    1.0] %s\n' "$@" > "$work/log"
	clean_log "$work/log" > "$work/said" || fail "not clean: $*"
}

bad() {
	printf '[    1.0] %s\n' "$@" > "$work/log"
	if clean_log "$work/log" > "$work/said"; then cat "$work/log"; fail "clean: $*"; fi
	[ -s "$work/said" ] || fail "nothing said about: $*"
}

clean "Linux version" "tlob_load: loading out-of-tree module taints kernel."
while read -r said; do
	bad "Linux version" "$said" "more"
done <<'END'
WARNING: possible circular locking dependency detected
WARNING: suspicious RCU usage
[ BUG: Invalid wait context ]
BUG: sleeping function called from invalid context at mm/slab.h:1
BUG: scheduling while atomic: tlob-test/12/0x00000002
BUG: using smp_processor_id() in preemptible [00000000] code: tlob-test/12
ODEBUG: free active (active state 0) object type: hrtimer WARNING: CPU: 0
UBSAN: shift-out-of-bounds in kernel/trace/tlob/ring.c:1:2
INFO: trying to register non-static key.
BUG: lockdep has switched itself off
BUG: memory leaks
BUG: MAX_LOCKDEP_ENTRIES too low!
INFO: task tlob-load:12 blocked for more than 120 seconds.
Kernel panic - not syncing: hung_task: blocked tasks
END
bad "$line" "BUG: KASAN: slab-use-after-free in f+0x1/0x2" "$line"
bad "$line" "BUG: KCSAN: data-race in tlob_wakeup / tlob_window_kill" "write to 0x1" "$line"
bad "$line" "BUG: KCSAN: data-race in f / g" "write to 0x1" " tlob_boundary+0x1/0x2 [tlob_load]" "$line"
clean "before" "$line" "BUG: KCSAN: data-race in f / g" "write to 0x1" "$line" "after"
bad "$line" "BUG: KCSAN: data-race in f / g" "$line" "Oops: int3" "$line" "BUG: KCSAN: data-race in f / g" "$line"
clean "$line" "BUG: KCSAN: data-race in f / g" "write to 0x1" "CPU: 1 UID: 0 PID: 7 Comm: tlob_load/0 Tainted" "$line"
clean "$line" "BUG: KCSAN: data-race in ktime_get_mono_fast_ns / timekeeping_update" "tlob_window_end+0x1/0x2 [tlob_load]" "$line"
bad "$line" "BUG: KCSAN: data-race in ktime_get_mono_fast_ns / timekeeping_update" "$line" \
	"$line" "BUG: KCSAN: data-race in f / tlob_clock" "$line"
# a caller does not take part, but one whose data a helper accesses does
clean "$line" "BUG: KCSAN: data-race in f / g" "write (marked) to 0x1 of 8 bytes by task 1 on cpu 0:" " folio_unlock+0x1/0x2" \
	" tlob_word_try+0x1/0x2 [tlob_load]" "$line"
bad "$line" "BUG: KCSAN: data-race in f / g" "read to 0x1 of 8 bytes by task 1 on cpu 0:" " memcpy+0x1/0x2" \
	" tlob_ring_write+0x1/0x2 [tlob_load]" "$line"
bad "$line" "BUG: KCSAN: data-race in f" "race at unknown origin, with read to 0x1 of 8 bytes by task 1 on cpu 0:" \
	" tlob_ring_wake+0x1/0x2 [tlob_load]" "$line"
clean "$line" "BUG: KCSAN: data-race in f" "race at unknown origin, with read to 0x1 of 8 bytes by task 1 on cpu 0:" \
	" process_one_work+0x1/0x2" "Workqueue: events tlob_ring_wake [tlob_load]" "$line"
# a report that the end cuts off
bad "$line" "BUG: KCSAN: data-race in tlob_wakeup / g"
# an open while the module goes, on one CPU and on two
cut='------------[ cut here ]------------' trace='---[ end trace 0000000000000000 ]---'
race='WARNING: CPU: 0 PID: 78 at fs/debugfs/file.c:418 full_proxy_open+0xb7/0x2e0'
going='Modules linked in: tlob_load(O-) tlob_inject(O)'
clean "before" "$cut" "$race" "$going" "Call Trace:" "$trace" "after"
clean "$cut" "$cut" "$race" "Modules linked in:" "${race/full/open}" "$going" " tlob_load(O-)" "Call Trace:" "$trace" "Call Trace:" "$trace"
bad "$cut" "$race" "Modules linked in: tlob_load(O)" "Call Trace:" "$trace"
bad "$cut" "$race" "Modules linked in: tlob_inject(O) [last unloaded: tlob_load(O)]" "Call Trace:" "$trace"
bad "$cut" "$cut" "$race" "$race" "$going" "Call Trace:" "$trace" "Call Trace:" "$trace"
bad "$cut" "${race/full_proxy_open/debugfs_remove}" "$going" "Call Trace:" "$trace"
bad "$cut" "$cut" "$race" "$going" "$going" "WARNING: CPU: 1 at kernel/trace/x.c:1 f+0x1/0x2" "$trace" "Call Trace:" "$trace"
bad "$cut" "$race" "$going" "Call Trace:" "$trace" "BUG: scheduling while atomic"
bad "$cut" "$race" "$going" "Oops: int3" "$trace"
# cut off, too
bad "$cut" "$race" "$going" "Call Trace:"
# the bandwidth of a fair server
server='WARNING: CPU: 0 PID: 2597 at kernel/sched/deadline.c:265 inactive_task_timer+0xf79/0x13a0'
clean "before" "$cut" "dl_rq->running_bw > old" "$server" "Modules linked in: tlob_load(O+)" "Call Trace:" "$trace" "after"
bad "$cut" "$server" "Call Trace:" " tlob_kthread_create+0x1/0x2 [tlob_load]" "$trace"
bad "$cut" "${server/inactive_task_timer/enqueue_task_dl}" "Call Trace:" "$trace"
bad "$cut" "$server" "Call Trace:" "$trace" "Call Trace:"
bad "$cut" "$server" "Call Trace:"
# an instance of the tracing directory, by a process that is killed
ring='WARNING: CPU: 0 PID: 451 at kernel/trace/ring_buffer.c:7462 trace_rb_cpu_prepare+0xb1/0xc0'
clean "before" "$cut" "failed to allocate ring buffer on CPU 1" "$ring" "Modules linked in: tlob_load(OE)" "Call Trace:" \
	" instance_mkdir+0x60/0xb0" "$trace" "after"
bad "$cut" "$ring" "Call Trace:" " cpuhp_thread_fun+0x1/0x2" "$trace"
bad "$cut" "${ring/trace_rb_cpu_prepare/rb_check_pages}" "Call Trace:" " instance_mkdir+0x60/0xb0" "$trace"
bad "$cut" "$ring" "Call Trace:" " tlob_noise_attach+0x1/0x2 [tlob_load]" " instance_mkdir+0x60/0xb0" "$trace"
# the last reference to a lock's owner
put='WARNING: CPU: 1 PID: 17766 at kernel/locking/spinlock_rt.c:40 rt_spin_lock+0x65/0x160'
frames=("Call Trace:" " put_cpu_partial+0x44/0x100" " rtlock_slowlock_locked+0xdc8/0x1b10")
clean "before" "$cut" "$put" "Modules linked in: tlob_load(O)" "${frames[@]}" "$trace" "$cut" "$put" "${frames[@]}" "$trace" "after"
bad "$cut" "$put" "Call Trace:" " put_cpu_partial+0x44/0x100" "$trace"
bad "$cut" "$put" "${frames[@]}" " tlob_wait_returns+0x1/0x2 [tlob_load]" "$trace"
bad "$cut" "${put/rt_spin_lock/rt_spin_unlock}" "${frames[@]}" "$trace"
bad "$cut" "$put" "${frames[@]}" "$trace" "Oops: int3"
: > "$work/log"
! clean_log "$work/log" > "$work/said" || fail "an empty log is clean"
echo "clean_log: ok"
