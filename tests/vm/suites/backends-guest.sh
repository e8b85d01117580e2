#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs in the guest: who can have which backend, in each state of the machine. The rows
# come in an order that one guest can have: lockdown is only ever raised, and refuses
# insmod. /tlob_load.ko is there if there is a module for this kernel.
# Prints "pass NAME" or "fail NAME" for each row, and the matrix in lines "#".
set -u
module=/tlob_load.ko
lockdown=/sys/kernel/security/lockdown
json=/tmp/json
mount -t securityfs securityfs /sys/kernel/security 2> /dev/null

# STATE WHO, what auto takes, and why not tlob and bpf: "-" is no reason, since it can be
# had. posix can always be had.
matrix='
no_module        root    bpf    missing  -
no_module        caps    bpf    missing  -
no_module        bpf     posix  missing  perfmon
no_module        perfmon posix  missing  bpf
no_module        user    posix  missing  caps
no_module        userns  posix  missing  lacks
no_module        contain bpf    missing  -
no_module        bare    posix  missing  lacks
module           root    tlob   -        -
module           caps    bpf    root     -
module           user    posix  root     caps
module           userns  posix  root     lacks
module_integrity root    bpf    locked   -
module_integrity caps    bpf    root     -
module_integrity user    posix  root     caps
module_integrity userns  posix  root     lacks
integrity        root    bpf    locked   -
integrity        caps    bpf    locked   -
integrity        user    posix  locked   caps
integrity        userns  posix  locked   lacks
confidentiality  root    bpf    locked   -
confidentiality  caps    bpf    locked   -
confidentiality  user    posix  locked   caps
confidentiality  userns  posix  locked   lacks
'

# words REASON: what the message must have.
words() {
	case $1 in
	missing)  echo "the module is not installed for Linux $(uname -r): make && make install" ;;
	root)     echo "the module is loaded, but its files are for root: run as root" ;;
	locked)   echo "the kernel is locked down (Secure Boot) and debugfs is closed to the module" ;;
	caps)     echo "no permission to load BPF programs: lacks CAP_BPF and CAP_PERFMON, which root has" ;;
	perfmon)  echo "no permission to load BPF programs: lacks CAP_PERFMON" ;;
	bpf)      echo "no permission to load BPF programs: lacks CAP_BPF" ;;
	lacks)    echo "no permission to load BPF programs: root of this container or user namespace lacks CAP_BPF" ;;
	esac
}

# state NAME: the machine is in it, which it is never again afterwards.
state() {
	case $1 in
	no_module)         ! grep -q '^tlob_load ' /proc/modules ;;
	module)            vm-insmod $module ;;
	module_integrity)  echo integrity > $lockdown ;;
	integrity)         [ ! -e $module ] || rmmod tlob_load
	                   echo integrity > $lockdown 2> /dev/null
	                   grep -q '\[integrity\]' $lockdown ;;
	confidentiality)   echo confidentiality > $lockdown && grep -q '\[confidentiality\]' $lockdown ;;
	esac
}

nobody() {
	/setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# run WHO BACKEND: its exit status; the result is in $json, what it said in /tmp/err.
run() {
	who=$1
	shift
	set -- tlob-load run --backend "$1" --cpus 0 --windows 20 --work none --quiet --json -
	case $who in
	root)    "$@" ;;
	caps)    nobody --inh-caps=+bpf,+perfmon --ambient-caps=+bpf,+perfmon "$@" ;;
	bpf)     nobody --inh-caps=+bpf --ambient-caps=+bpf "$@" ;;
	perfmon) nobody --inh-caps=+perfmon --ambient-caps=+perfmon "$@" ;;
	user)    nobody "$@" ;;
	contain) /setpriv --bounding-set=-all,+bpf,+perfmon --inh-caps=-all "$@" ;;
	bare)    /setpriv --bounding-set=-all --inh-caps=-all "$@" ;;
	userns)  nobody unshare -U -r "$@" ;;
	esac > $json 2> /tmp/err
}

backend() {
	sed -n 's/.*"backend":"\([a-z]*\)".*/\1/p' $json
}

wrong() {
	echo "# $name: $*: $(head -c 300 /tmp/err)"
	bad=1
}

# had BACKEND: it measures.
had() {
	run "$who" "$1"
	is=$?
	[ "$is $(backend)" = "0 $1" ] || wrong "$1 ends with $is, backend '$(backend)'"
	! grep -q '"sum_failures":[1-9]' $json || wrong "$1: parts do not add up"
}

# refused BACKEND REASON: one line says why, and nothing is measured.
refused() {
	run "$who" "$1"
	is=$?
	[ $is -eq 77 ] || wrong "$1 ends with $is, not 77"
	[ ! -s $json ] || wrong "$1 was refused, and there is a result"
	[ "$(wc -l < /tmp/err)" -eq 1 ] || wrong "$1: not one line"
	grep -qF -- "--backend $1: $(words "$2")" /tmp/err || wrong "$1: no '$(words "$2")'"
}

# automatic BACKEND TLOB BPF: auto takes it, and says why not the better ones.
automatic() {
	run "$who" auto
	is=$?
	[ $is -eq 0 ] || wrong "auto ends with $is"
	[ "$(backend)" = "$1" ] || wrong "auto takes '$(backend)', not $1"
	because=$(sed -n 's/.*"backend_because":"\([^"]*\)".*/\1/p' $json)
	[ "$2" != - ] || [ -z "$because" ] || wrong "auto: a reason: $because"
	for reason in "tlob $2" "bpf $3"; do
		# shellcheck disable=SC2086 # two words
		set -- $reason
		[ "$2" != - ] || continue
		case $because in
		*"not $1: $(words "$2")"*) ;;
		*) wrong "auto: no 'not $1: $(words "$2")' in '$because'" ;;
		esac
	done
}

# row STATE WHO AUTO TLOB BPF
row() {
	name=$1.$2 who=$2 bad=0
	automatic "$3" "$4" "$5"
	if [ "$4" = - ]; then had tlob; else refused tlob "$4"; fi
	if [ "$5" = - ]; then had bpf; else refused bpf "$5"; fi
	had posix
	printf '# %-17s %-8s %-6s %-8s %-5s\n' "$@"
	if [ $bad -eq 0 ]; then echo "pass $name"; else echo "fail $name"; fi
}

printf '# %-17s %-8s %-6s %-8s %-5s %s\n' state who auto tlob bpf "(-: available)"
now=
echo "$matrix" | while read -r state who auto tlob bpf; do
	[ -n "$state" ] || continue
	[ -e $module ] || case $state in module*) continue ;; esac
	if [ "$state" != "$now" ]; then
		state "$state" || { echo "fail state_$state"; break; }
		now=$state
	fi
	row "$state" "$who" "$auto" "$tlob" "$bpf"
done

# locked NAME COMMAND...: after the last state, in which the kernel's own errors do not say why.
locked() {
	name=confidentiality.$1 bad=0
	shift
	"$@" > /tmp/out 2> /tmp/err
	is=$?
	[ $is -eq 77 ] || wrong "ends with $is, not 77"
	grep -q 'lockdown=confidentiality forbids' /tmp/err || wrong "does not name lockdown"
	if [ $bad -eq 0 ]; then echo "pass $name"; else echo "fail $name"; fi
}
locked waits tlob-load waits --backend bpf -d 100ms
locked trace tlob-load run --backend bpf --trace /tmp/trace -e sched -n 10 -q -w none
