# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# CPU time and memory of what reads many or large results, next to what jq needs for them. Part of
# tests/cli/run, but not of make check: nothing in that depends on a clock.
# shellcheck disable=SC2154

fixture day day2 minute || return

# within TIMES MIB FILE... -- COMMAND...: it needs at most TIMES the CPU time that jq needs to parse
# the files. What runs alongside only adds to such times, by more than the half at worst, so the least of
# several rounds counts: two at least, twelve at most.
within() {
	/usr/bin/python3 - "$@" <<-'EOF'
	import os, subprocess, sys
	cut = sys.argv.index("--")
	times, mib, files, command = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3:cut], sys.argv[cut + 1:]
	def cost(argv):
	    child = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
	    _, status, used = os.wait4(child.pid, 0)
	    if status:
	        sys.exit(f"{argv[0]}: status {status}")
	    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
	yard = took = used = float("inf")
	for n in range(12):
	    yard = min(yard, cost(["jq", "empty", *files])[0])
	    took, used = map(min, (took, used), cost(command))
	    if n >= 1 and took <= times * yard and used <= mib:
	        sys.exit()
	sys.exit(f"{took / yard:.2f} times jq's {yard:.2f} s, {used:.0f} MiB")
	EOF
}

# Memory does not grow with the number of results of equal CPUs, and time no faster than they do. Noise only adds to
# both, so the least of several rounds counts, as in within.
grows() {
	hosts 20 && hosts 40 || return
	/usr/bin/python3 - "$tool" <<-'EOF'
	import os, sys
	def merge(n):
	    pid = os.fork()
	    if not pid:
	        os.execv(sys.argv[1], [sys.argv[1], "merge", "--across-hosts", "--files-from", f"hosts/{n}.list", "-o", f"hosts/sum{n}"])
	    _, status, used = os.wait4(pid, 0)
	    return status, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
	few, many = [], []
	for n in range(12):
	    few.append(merge(20))
	    many.append(merge(40))
	    # threads parse a file: what two of them have at once differs from run to run
	    status = sum(one[0] for one in few + many)
	    took, memory = ([min(one[i] for one in of) for of in (few, many)] for i in (1, 2))
	    if n >= 1 and status == 0 and memory[1] <= 1.25 * memory[0] and took[1] <= 4 * took[0]:
	        sys.exit()
	sys.exit(f"status {status}; 20: {took[0]:.2f} s, {memory[0]:.0f} MiB; 40: {took[1]:.2f} s, {memory[1]:.0f} MiB")
	EOF
}

# 10 000 sessions: at most four times as long as jq takes to read their files.
history_large() {
	"$tool" history add many day.json && mkdir large || return
	/usr/bin/python3 - many/000001 <<-'EOF' || return
	import os, sys
	text = open(sys.argv[1] + "/session.json").read()
	result = open(sys.argv[1] + "/001.json").read()
	for i in range(1, 10001):
	    os.mkdir(f"large/{i:06}")
	    open(f"large/{i:06}/session.json", "w").write(text.replace('"build":"', f'"build":"{i}-'))
	    if i % 5000 < 2:
	        open(f"large/{i:06}/001.json", "w").write(result)
	EOF
	[ "$("$tool" history list large | wc -l)" -eq 10002 ] || return
	within 4 64 large/*/session.json -- "$tool" history list large || return
	rm -rf large
}

# Sixteen hosts, one in memory at a time: less than the 29 MiB of the input, and less time than jq parses it in.
# merge takes 0.3 of that, and took 0.6 on one machine while glibc gave each host's memory back.
scale() {
	"$top/tests/cli/big" --cpus 16 --hosts 16 > hosts.jsonl
	# shellcheck disable=SC2016 # the inner shell expands it
	within 0.6 28 hosts.jsonl -- bash -c 'exec "$0" merge --across-hosts -o sixteen.json - < hosts.jsonl' "$tool" &&
		within 0.3 28 hosts.jsonl -- bash -c 'exec "$0" report --hosts -o sixteen.txt - < hosts.jsonl' "$tool" || return
	jq -e '.runs == 16 and (.cpu | length) == 16' sixteen.json && grep -x '16 hosts, 16 runs' sixteen.txt || return
	rm hosts.jsonl
}

check merge_grows grows
check history_large history_large
check hosts.scale scale
check report_is_quick within 3 100 day.json -- "$tool" report -o quick.html day.json
# one pair decides nothing
# shellcheck disable=SC2016
check compare_is_quick within 5 100 day.json day2.json -- bash -c '"$0" compare day.json -- day2.json; [ $? -eq 3 ]' "$tool"

# drawn_within TIMES PAGE: the browser needs at most TIMES the CPU time that it needs to show nothing. In
# one process, because the time of a renderer that is killed counts nowhere. The least of several rounds
# counts, as in within.
drawn_within() {
	/usr/bin/python3 - "$1" "$PWD" "$2" <<-'EOF'
	import os, pathlib, subprocess, sys
	times, here = float(sys.argv[1]), pathlib.Path(sys.argv[2])
	(here / "nothing.html").write_text("<!DOCTYPE html><p>nothing")
	def cost(page):
	    child = subprocess.Popen(["chromium", "--headless", "--single-process", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
	                              f"--user-data-dir={here}/browser", "--dump-dom", (here / page).as_uri()],
	                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
	    dom = child.stdout.read()
	    used = os.wait4(child.pid, 0)[2]
	    if page != "nothing.html" and b"<main>" not in dom:
	        sys.exit("nothing was drawn")
	    return used.ru_utime + used.ru_stime
	yard = took = float("inf")
	for n in range(8):
	    yard, took = min(yard, cost("nothing.html")), min(took, cost(sys.argv[3]))
	    if n >= 1 and took <= times * yard:
	        print(f"{took:.2f} s, nothing {yard:.2f} s")
	        sys.exit()
	sys.exit(f"{took:.2f} s is {took / yard:.2f} times nothing's {yard:.2f} s")
	EOF
}
# 1024 CPUs: two seconds above nothing, where nothing takes 1.3 s.
thousand_is_drawn() {
	"$top/tests/cli/big" --cpus 1024 --seconds 60 > thousand.json && "$tool" report -o thousand.html thousand.json &&
		drawn_within 3.5 thousand.html
}
check thousand_is_drawn thousand_is_drawn
