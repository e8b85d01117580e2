#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: for each case and each way to measure the line that a user reads first, as
# "CASE<tab>WAY<tab>LINE" in /out/lines. $*: the cases.
set -u
length=500ms
mount -t tracefs tracefs /sys/kernel/tracing 2> /dev/null
mount -t debugfs none /sys/kernel/debug 2> /dev/null
mkdir -p /groups && mount -t cgroup2 cgroup2 /groups && echo +cpu > /groups/cgroup.subtree_control
mkdir -p /groups/frozen /groups/outer/inner && echo +cpu > /groups/outer/cgroup.subtree_control
plan=/sys/kernel/debug/tlob_inject/plan

# says WAY COMMAND...: its first sentence, which goes on in lines with two blanks.
says() {
	way=$1
	shift
	"$@" > /out/said 2> /out/said.err
	status=$?
	line=$(sed -n '/^$/d;1p;2,${/^  /!q;p;}' /out/said | tr '\n' ' ' | sed 's/  */ /g;s/ $//')
	printf '%s\t%s\t%s\n' "$name" "$way" "${line:-exit $status: $(head -n 1 /out/said.err)}" >> /out/lines
	{ echo "== $name $way $status"; cat /out/said /out/said.err; } >> /out/all
}

# run BACKEND...
run() {
	for backend; do
		says "run $backend" tlob-load run --backend "$backend" --policy fifo:50 -p 10ms -w spin:1ms -b 2ms -d $length --progress off
	done
}

# rtla_says: what rtla has first in its analysis of the first window that is late, with its size: the
# longest of its times, and whom it names there. It measures the wake-up alone.
rtla_says() {
	rtla-newest timerlat top -k -P f:50 -p 10000 --aa-only 2000 -d 3s > /out/said.rtla 2>&1 || { echo "exit $?"; return; }
	awk '
		function us(line) { return match(line, /[0-9.]+ us/) ? substr(line, RSTART) + 0 : 0 }
		/hit stop tracing, analyzing/ { late = 1; next }
		!late || /^---/ { late = 0; next }
		/^  [A-Z][A-Za-z ]+(:|  )/ {
			of = substr($0, 3)
			sub(/(:|  ).*/, "", of)
			took[of] = us($0)
			next
		}
		/^ +[^ ]+:-?[0-9]+( |$)/ && (!(of in who) || us($0) > most[of]) {
			most[of] = us($0)
			who[of] = $1
			sub(/:[^:]*$/, "", who[of])
		}
		END {
			for (what in took)
				if (!longest || took[what] > took[longest])
					longest = what
			if (longest == "IRQ latency")
				who[longest] = who["Blocking thread"]
			print longest ? longest " " took[longest] " us: " who[longest] : "OK"
		}' /out/said.rtla
	cat /out/said.rtla >&2
}

# ended: what was started for a case.
ended() {
	# shellcheck disable=SC2086 # words
	kill -KILL $pids 2> /dev/null
	wait 2> /dev/null
	pids=
}
pids=

# beside COMMAND...: until ended.
beside() {
	"$@" &
	pids="$pids $!"
}

# target CASE [PRIORITY]: sets pid.
target() {
	rm -f /pid
	truth-target cycle "$@" > /pid &
	pid=$!
	pids="$pids $pid"
	until [ -s /pid ]; do usleep 10000; done
}

# attached: each way to attach to the target, then the case is over.
attached() {
	says region tlob-load attach --backend bpf --pid $pid --start region_start --stop region_end -b 2ms -d $length -q
	says threads tlob-load attach --backend bpf --tid $pid -b 2ms -d $length -q
	says until tlob-load attach --backend bpf --tid $pid --until clock_nanosleep -b 2ms -d $length -q
	ended
}

# begun CASE CALL: a thread waits in CALL for the timer that begins its cycle.
begun() {
	target "$1"
	says threads tlob-load attach --backend bpf --tid $pid -b 2ms -d $length -q
	says until tlob-load attach --backend bpf --tid $pid --until "$2" -b 2ms -d $length -q
	ended
}

# everywhere COMMAND...: beside a run, and beside an attached thread.
everywhere() {
	beside "$@"
	run tlob bpf
	! command -v rtla-newest > /dev/null || says rtla rtla_says
	target none
	attached
}

# steps: sets the clock forward by a minute, each 41 ms.
steps() {
	while :; do
		date -s "@$(($(date +%s) + 60))" > /dev/null
		usleep 41000
	done
}

# A limit is looked at in each tick, so work must be longer than that: 5 ms each 40 ms, and 3 of 1 ms.

# throttled GROUP: it may have 2 ms of these 40.
throttled() {
	echo 2000 40000 > "/groups/$1/cpu.max"
	target grow 0
	echo $pid > /groups/outer/inner/cgroup.procs
	attached
	echo max > "/groups/$1/cpu.max"
}

# limited: so may all real-time threads together.
limited() {
	echo 2000 > /proc/sys/kernel/sched_rt_runtime_us
	echo 40000 > /proc/sys/kernel/sched_rt_period_us
	# until the period before has ended
	sleep 2
	target grow
	attached
	echo 1000000 > /proc/sys/kernel/sched_rt_period_us
	echo 950000 > /proc/sys/kernel/sched_rt_runtime_us
}

for name; do
	case $name in
	quiet)		everywhere sleep 1000 ;;
	load)		everywhere truth-target load ;;
	clock_step)	everywhere steps ;;
	small_irq)	everywhere truth-target noise irq 300000 ;;
	irq|softirq|nmi|irqsoff|thread)
			everywhere truth-target noise "$name" 4000000 ;;
	irq_load)	beside truth-target load
			everywhere truth-target noise irq 4000000 ;;
	many)		everywhere truth-target noise nmi 1200000 irq 1200000 thread 1200000 ;;
	hog)		everywhere truth-target hog hog 60 ;;
	peer)		everywhere truth-target hog peer 50 ;;
	deadline_hog)	everywhere truth-target hog edf 0 ;;
	chain|exit)	everywhere truth-target "$name" ;;
	hog_and_irq)	beside truth-target noise irq 1000000
			everywhere truth-target hog hog 60 ;;
	coarse)		everywhere sleep 1000 ;;
	fair)		target none 0
			renice -n 19 -p $pid > /dev/null
			beside truth-target load
			attached ;;
	stopped)	target none
			beside truth-target stop $pid
			attached ;;
	frozen)		target none
			echo $pid > /groups/frozen/cgroup.procs
			beside truth-target freeze /groups/frozen/cgroup.freeze
			attached
			echo 0 > /groups/frozen/cgroup.freeze ;;
	throttled)	throttled outer ;;
	throttled_inside) throttled outer/inner ;;
	# the hypervisor of this guest is a module's, and only the module's clock is asked
	steal)		echo 'steal 1' > $plan
			beside truth-target noise steal 4000000
			run tlob
			target none
			says region tlob-load attach --backend tlob --pid $pid --start region_start --stop region_end -b 2ms -d $length -q
			ended
			echo 'steal 0' > $plan ;;
	deadline)	says 'run tlob' tlob-load run --workload kthread --policy deadline:300us/10ms/10ms -p 10ms -w spin:1ms -b 2ms -d $length --progress off
			target grow -1
			attached ;;
	timerfd|epoll|posix_timer)
			case $name in
			timerfd) call='read' ;;
			epoll) call=epoll_wait ;;
			*) call=rt_sigtimedwait ;;
			esac
			beside truth-target hog hog 40
			begun "$name" $call ;;
	tai)		beside truth-target noise irqsoff 4000000
			begun "$name" clock_nanosleep ;;
	yield)		begun yield sched_yield ;;
	yield_hog)	beside truth-target hog edf 0
			begun yield sched_yield ;;
	rt_limit)	limited ;;
	*)		target "$name"
			attached ;;
	esac
done
