#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# validate-guest - a validation that finds gaps without interrupts, an irq and a limit on real-time
#
# Usage: validate-guest, as root in a deterministic guest with one CPU, chrt and tlob_inject
#
# Each load makes one of them. Prints "pass NAME" or "fail NAME" for each test, and "# TEXT";
# leaves /out/page.html and /out/validation.json.
set -u
mount -t debugfs none /sys/kernel/debug 2> /dev/null

told() {
	name=$1
	shift
	if "$@"; then echo "pass $name"; else echo "fail $name"; fi
}

# gaps: CPU time of a thread with interrupts off, 25 ms at a time.
# At its end the gap that is planned is over: it must not be in the next phase.
cat > /gaps <<'EOT'
#!/bin/sh
trap 'usleep 400000; exit' TERM
while :; do
	sed "s/\.//; s/ .*//; s/^0*//; s/\$/0000000/" /proc/uptime > /now
	echo "irqsoff $(($(cat /now) + 300000000)) 25000000" > /sys/kernel/debug/tlob_inject/plan
	usleep 400000
done
EOT
# limit: real-time work fills the CPU for more than a second, so the kernel gives some of it to
# an ordinary task. Then it sleeps: timers of this kernel have a thread of priority 1.
cat > /hog <<'EOT'
while :; do
	now() { read -r up _ < /proc/uptime; up=${up%.*}${up#*.}; }
	now
	end=$((up + 150))
	while [ "$up" -lt $end ]; do now; done
	usleep 200000
done
EOT
cat > /limit <<'EOT'
#!/bin/sh
while :; do :; done &
exec chrt -f 30 sh /hog
EOT
# serial: some of the line's buffer, a few times a second.
cat > /serial <<'EOT'
#!/bin/sh
while :; do
	printf '%600s\n' x > /dev/ttyS0
	usleep 100000
done
EOT
chmod +x /gaps /limit /serial

# The thread of the serial line's interrupt has priority 50 with PREEMPT_RT.
tlob-load validate -c 0 -p 20ms -b 16200us -w spin:16ms -d 3s --policy fifo:40 --dir /out/phases \
	--load /gaps --load /serial --load /limit --json /out/validation.json --html /out/page.html \
	-- --noise-source hooks > /out/text 2> /err
status=$?
sed 's/^/# /' /err
sed 's/^/# /' /out/text
told validate.not_fit [ $status -eq 2 ]
# of a machine that keeps its budget
rm -f /out/fit.json
tlob-load validate -c 0 -p 20ms -b 19ms -w spin:10ms -d 500ms --dir /out/fit --load 'while :; do usleep 1000; done' \
	--json /out/fit.json -q -- --noise-source hooks > /log 2>&1
status=$?
sed 's/^/# /' /log
told validate.fit [ $status -eq 0 ]
