#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: what a window takes from others. Writes to /out:
#	taken	"NAME ns": how long a thread of FIFO 1 took for a loop, next to a
#		workload of 1 ms; "none": alone
#	cpu	"NAME WINDOWS CPU-us": CPU time of a process that measures windows of 50 us
#	start	"NAME wall-us CPU-us RSS-KiB": a process that measures one window; "second": for a second
# With SHORT set a tenth of it, and no peers.
set -u
t=/sys/kernel/tracing
turns=100000000 short=20000 long=60000
[ -z "${SHORT-}" ] || turns=50000000 short=5000 long=15000
set -- tlob-load run --cpus 0 --work none --quiet --json /dev/null

# next_to NAME COMMAND [ARG]...: the command measures windows of 1 ms for longer.
next_to() {
	name=$1
	shift
	"$@" > /tmp/next_to 2>&1 &
	sleep 3
	echo "$name $(taken $turns)" >> /out/taken
	stop=TERM
	# puts its tracer back
	[ "$1" != rtla ] || stop=INT
	kill -$stop $! 2> /dev/null ||
		{ echo "$name has ended"; cat /tmp/next_to; exit 1; }
	wait $!
	sleep .1
}

# has PROGRAM: it may be one of another architecture than the guest's, and not be here.
has() {
	[ -n "$(command -v "$1")" ]
}

taken $turns > /dev/null
echo "none $(taken $turns)" >> /out/taken
next_to floor-kthread windows kthread floor 30000
next_to floor-user windows user floor 30000
! has cyclictest || next_to cyclictest cyclictest -q -N -m -p 95 -i 1000 -D 30 -a 0 -t 1
! has rtla || next_to rtla-kthread rtla timerlat hist -c 0 -d 30 -P f:95
echo 0 > $t/tracing_on
echo 0 > $t/osnoise/cpus
echo 1000 > $t/osnoise/timerlat_period_us
echo 0 > $t/osnoise/stop_tracing_us
echo 4096 > $t/buffer_size_kb
kinds="timerlat-kthread timerlat-user"
[ -z "${SHORT-}" ] || kinds=
for kind in $kinds; do
	[ "$kind" = timerlat-kthread ] || echo NO_OSNOISE_WORKLOAD > $t/osnoise/options
	echo timerlat > $t/current_tracer
	echo 1 > $t/tracing_on
	if [ "$kind" = timerlat-kthread ]; then
		next_to "$kind" sleep 30
	else
		next_to "$kind" timerlat-user 30000
	fi
	echo 0 > $t/tracing_on
	echo nop > $t/current_tracer
done
echo 4 > $t/buffer_size_kb
for source in hooks osnoise; do
	for workload in kthread user; do
		next_to tlob-$workload-$source "$@" --workload $workload --noise-source $source -d 30s
	done
done
for backend in posix bpf; do
	next_to tlob-user-$backend "$@" --backend $backend -d 30s
done

# cpu NAME COMMAND [ARG]...: of two lengths, the last argument: the start does not count.
cpu() {
	name=$1
	shift
	for n in $short $long; do
		cpu-of "$@" "$n" > /dev/null 2> /tmp/err || { cat /tmp/err; exit 1; }
		echo "$name $n $(sed -n 's/^cpu-of: \([0-9]*\) .*/\1/p' /tmp/err)" >> /out/cpu
	done
}
! has cyclictest || cpu cyclictest cyclictest -q -N -m -p 95 -i 50 -a 0 -t 1 -l
for source in hooks osnoise; do
	cpu tlob-user-$source "$@" --period 50us --noise-source $source -n
done
for backend in posix bpf; do
	cpu tlob-user-$backend "$@" --period 50us --backend $backend -n
done

# of FILE NAME COMMAND [ARG]...: the whole of a program.
of() {
	file=$1 name=$2
	shift 2
	cpu-of "$@" > /dev/null 2> /tmp/err || { cat /tmp/err; exit 1; }
	echo "$name $(sed -n 's/^wall-of: //p' /tmp/err) $(sed -n 's/^cpu-of: //p' /tmp/err)" >> "/out/$file"
}
! has cyclictest || of second cyclictest cyclictest -q -N -m -p 95 -i 1000 -D 1 -a 0 -t 1
! has cyclictest || of start cyclictest cyclictest -q -N -m -p 95 -i 1000 -l 1 -a 0 -t 1
! has rtla || of second rtla-kthread rtla timerlat hist -c 0 -d 1
# what the kernel takes by itself for osnoise as the source
instance=$t/instances/bench
[ -n "${SHORT-}" ] || of second instance sh -c "mkdir $instance && echo 8 > $instance/buffer_size_kb &&
	echo NO_OSNOISE_WORKLOAD > $t/osnoise/options && echo osnoise > $instance/current_tracer &&
	sleep 1 && echo nop > $instance/current_tracer && rmdir $instance"
for source in hooks osnoise; do
	[ -n "${SHORT-}" ] || of second tlob-user-$source "$@" --noise-source $source -d 1s
	of start tlob-user-$source "$@" --noise-source $source -n 1
done
for backend in posix bpf; do
	[ -n "${SHORT-}" ] || of second tlob-user-$backend "$@" --backend $backend -d 1s
	of start tlob-user-$backend "$@" --backend $backend -n 1
done
