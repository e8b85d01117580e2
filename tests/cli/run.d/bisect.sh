# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# tlob-lab bisect, and kernels of the user, with git and scripts/build-revision; make, the module and
# the guests are others here. Part of tests/cli/run, which has $top, $tool, $out, check and exits,
# and is in $out.
# shellcheck disable=SC2154

rm -rf bisecting
mkdir -p bisecting/{bin,tree/scripts,tree/tests/vm/kernels,tree/build/tlob-plugin,tree/kernel,tree/include,tree/tools/tlob-load}
cp "$top"/scripts/{build-revision,lib.sh} bisecting/tree/scripts/
cp "$top"/tests/vm/kernels/small.config bisecting/tree/tests/vm/kernels/
cp "$top"/tests/unit/explain/* bisecting/
ln -s "$tool" bisecting/tree/tools/tlob-load/
touch bisecting/tree/build/tlob-plugin/tlob-plugin.so bisecting/tree/kernel/Makefile
echo CONFIG_PREEMPT_RT=y > bisecting/config
"$top/tests/cli/big" --cpus 1 --seconds 4 | jq '.clock_resolution_ns = 1 | .deterministic = true' > bisecting/result.json

# A kernel is the file `cost`: what a wake-up takes more, `broken` or `dies`, or what a make that
# fails says. With a file `wait` make, and the filter of a checkout, wait for a signal. A file
# `ends` is how a guest ends.
cat > bisecting/bin/make <<'EOF'
#!/bin/bash
echo "$*" >> "$BISECTING/made"
[ ! -e "$BISECTING/wait" ] || { touch "$BISECTING/waits"; exec sleep 100000; }
linux=$2 out=${3#O=}
case $* in
*bzImage*)
	! grep -q broken "$linux/cost" || { echo "cost:1: error: broken"; exit 2; }
	! grep 'make.*:' "$linux/cost" || { echo "make: Leaving directory"; exit 2; }
	mkdir -p "$out/arch/x86/boot"
	cp "$linux/cost" "$out/arch/x86/boot/bzImage" ;;
esac
EOF
cat > bisecting/bin/smudge <<'EOF'
#!/bin/sh
[ ! -e "$BISECTING/wait" ] || { touch "$BISECTING/waits"; exec sleep 100000; }
exec cat
EOF
cat > bisecting/tree/scripts/build-module <<'EOF'
#!/bin/bash
mkdir -p "$1/module/kernel"
touch "$1/module/kernel/tlob_load.ko"
EOF
cat > bisecting/tree/scripts/vm <<'EOF'
#!/bin/bash
cost=$(cat "$1")
echo "$cost" >> "$BISECTING/booted"
[ "$cost" != dies ] || { echo "vm: the guest died without a status: Kernel panic"; exit 125; }
for word; do
	case $word in
	--out=*)     out=${word#--out=} ;;
	--plugin=*)  executed=${word##*,out=} ;;
	--seed=*)    seed=${word#--seed=} ;;
	esac
done
mkdir -p "$out"
cp "$BISECTING"/{kallsyms,trace} "$out/"
[ -z "${executed-}" ] || cp "$BISECTING/executed" "$executed"
jq --argjson more "$cost" --argjson seed "$seed" '.seed = $seed | (.cpu[0].hist | .wake, .response) |= (.sum += $more * .n)' "$BISECTING/result.json" > "$out/result.json"
[ ! -e "$BISECTING/ends" ] || . "$BISECTING/ends"
EOF
chmod +x bisecting/bin/* bisecting/tree/scripts/*
ln -s /bin/true bisecting/bin/flex
ln -s /bin/true bisecting/bin/bison

commit() {
	git -C bisecting/linux add -A && GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z' git -C bisecting/linux -c user.name=x -c user.email=x@y commit -q -m "$1"
}

# history COST...: a Linux tree with a commit for each, and tags 0, 1, ...
history() {
	local cost n=0
	rm -rf bisecting/linux bisecting/{lab,made,booted,wait,waits,ends}
	git init -q bisecting/linux && mkdir -p bisecting/linux/scripts/kconfig || return
	printf '#!/bin/sh\n' > bisecting/linux/scripts/kconfig/merge_config.sh
	chmod +x bisecting/linux/scripts/kconfig/merge_config.sh
	for cost; do
		echo "$cost" > bisecting/linux/cost
		echo $n > bisecting/linux/number
		commit "change $n" && git -C bisecting/linux tag $n || return
		n=$((n + 1))
	done
}

# bisects CODE PART ARG...: tlob-lab bisect with such a tree
bisects() {
	exits "$1" "$2" env BISECTING="$PWD/bisecting" TLOB_TREE="$PWD/bisecting/tree" PATH="$PWD/bisecting/bin:$PATH" \
		"$lab" bisect --tree bisecting/linux --dir bisecting/lab "${@:3}"
}

# times FILE N: so many lines
times() {
	[ "$(wc -l < "bisecting/$1")" -eq "$2" ] || { echo "$(wc -l < "bisecting/$1") lines in $1, not $2"; return 1; }
}

# What does not build or boot is in the way. Afterwards the user's tree has what it had, and neither
# git nor the disk has a worktree.
bisect_finds() {
	local before
	history 0 0 0 1 0 1 0 broken 0 broken 0 1 21 dies 20 21 20 20 21 20 || return
	echo mine > bisecting/linux/number
	before=$(git -C bisecting/linux status --porcelain; git -C bisecting/linux show-ref)
	bisects 0 'change 12
avg(wake): +20.0 instructions against its parent; BAD has +20.0 against GOOD' 0 19 || return
	[ "$before" = "$(git -C bisecting/linux status --porcelain; git -C bisecting/linux show-ref)" ] || return
	[ "$(git -C bisecting/linux worktree list | wc -l)" -eq 1 ] && [ ! -e bisecting/lab/bisect ] && ! ls -d bisecting/lab/linux-* 2> /dev/null || return
	grep '^# skip: .* change 9' bisecting/lab/bisect.log && [ -s bisecting/lab/explain/explain.json ] || return
	# all is measured: nothing is built or booted again
	rm -f bisecting/made bisecting/booted
	bisects 0 'change 12' 0 19 -q && [ ! -e bisecting/made ] && times booted 4
}
check bisect_finds bisect_finds

# Another question has the results of the first one: the commits of another step. The first one prints
# it with all that it has itself.
bisect_of_two() {
	local question=(-n 2 --metric 'avg(response)' --config bisecting/config -- -d 8s --period 2ms)
	history 0 0 5 5 5 5 25 25 25 || return
	bisects 0 "before it: +5.0 instructions more, from another commit:
  tlob-lab bisect $(git -C bisecting/linux rev-parse 0)+nohz=off $(git -C bisecting/linux rev-parse 5)+nohz=off \
--instructions 2 --seed 1 -n 2 --metric 'avg(response)' --tree bisecting/linux --dir bisecting/lab --config bisecting/config -- -d 8s --period 2ms
" 0+nohz=off 8+nohz=off "${question[@]}" || return
	rm -f bisecting/booted
	bisects 0 'change 2
avg(response): +5.0 instructions against its parent' 0+nohz=off 5+nohz=off --instructions 3 "${question[@]}" && times booted 8
}
check bisect_of_two bisect_of_two

# The file of --config makes other kernels, which are measured anew.
bisect_config() {
	history 0 20 || return
	bisects 0 'change 1' 0 1 && bisects 0 'change 1' 0 1 --config bisecting/config && times booted 12
}
check bisect_config bisect_config

# Assertions that fail in the guests change nothing. Where the explanation fails, the commit is found
# all the same, and no worktree is left.
# shellcheck disable=SC2016 # scripts/vm expands it
bisect_ends() {
	history 0 20 && echo 'exit 2' > bisecting/ends || return
	bisects 0 'more: bisecting/lab/explain/explain.json' 0 1 || return
	echo '[ -z "${executed-}" ]' > bisecting/ends
	rm bisecting/lab/bisect.log
	bisects 1 'first bad commit' 0 1 && [ -s bisecting/lab/bisect.log ] && [ "$(git -C bisecting/linux worktree list | wc -l)" -eq 1 ]
}
check bisect_ends bisect_ends

# What is wrong with the ends of a bisection is said before or after GOOD and BAD.
bisect_refuses() {
	history 0 0 20 20 broken || return
	bisects 1 "bisecting/linux has no revision 'nothing'" nothing 3 || return
	bisects 1 'GOOD is not an ancestor of BAD: give them in the other order' 3 0 || return
	bisects 1 'GOOD and BAD are the same commit' 3 3 || return
	bisects 3 'BAD is as good as GOOD: avg(wake) +0.0 instructions; bad is +2.0
not seen: less than 2.0 instructions a window on average, as are 200 in 1 of 100 windows; anything that none of 4000 windows had' 0 1 || return
	bisects 3 'bad is +30.0' 0 3 --instructions 30 || return
	bisects 1 'BAD cannot be measured: does not build: cost:1: error: broken' 0 4 || return
	echo mine > bisecting/linux/number
	bisects 0 'has uncommitted changes: they are not built' 0 3 --margin 0.3% || return
	history 0 'make[2]: *** [vmlinux] Error 137' 'make.sh: line 9: 7 Killed  ld' 'make[2]: *** [fs/pipe.o] Error 1' || return
	bisects 1 'lacks memory or room on a disk' 0 1 && bisects 1 'lacks memory or room on a disk' 0 2 &&
	bisects 1 'BAD cannot be measured: does not build: make[2]: *** [fs/pipe.o] Error 1' 0 3 || return
	history 25 20 0 && bisects 3 'BAD is faster than GOOD: avg(wake) -25.0 instructions. Give a BAD that is slower' 0 2
}
check bisect_refuses bisect_refuses

# Nothing can say which of these was the first.
bisect_all_skipped() {
	history 0 broken dies broken 20 || return
	bisects 3 'the first bad commit is one of these' 0 4 || return
	bisects 3 "$(git -C bisecting/linux rev-parse 2)" 0 4
}
check bisect_all_skipped bisect_all_skipped

# A signal ends the build. The same command continues with what was measured.
bisect_continues() {
	local pid status=0
	history 0 0 0 0 20 20 20 || return
	bisects 0 'change 4' 0 6 --keep || return
	cp -a bisecting/lab/kernels bisecting/before
	rm -rf bisecting/lab/kernels/"$(git -C bisecting/linux rev-parse 4)" bisecting/made bisecting/booted
	touch bisecting/wait
	BISECTING="$PWD/bisecting" TLOB_TREE="$PWD/bisecting/tree" PATH="$PWD/bisecting/bin:$PATH" \
		"$lab" bisect --tree bisecting/linux --dir bisecting/lab 0 6 --keep > said 2>&1 &
	pid=$!
	until [ -e bisecting/waits ] || ! kill -0 $pid 2> /dev/null; do sleep 0.1; done
	kill -INT $pid
	wait $pid || status=$?
	rm -f bisecting/wait bisecting/made
	cat said
	[ $status -eq 1 ] && grep 'interrupted by SIGINT' said && grep 'the same command continues where this has ended' said || return
	bisects 0 'change 4' 0 6 && times booted 5
}
check bisect_continues bisect_continues

# in_checkout SIGNAL: sends it to all of a bisection, in its first checkout
in_checkout() {
	local pid
	rm -f bisecting/waits
	touch bisecting/wait
	BISECTING="$PWD/bisecting" TLOB_TREE="$PWD/bisecting/tree" PATH="$PWD/bisecting/bin:$PATH" setsid \
		"$lab" bisect --tree bisecting/linux --dir bisecting/lab 0 2 > said 2>&1 &
	pid=$!
	until [ -e bisecting/waits ] || ! kill -0 $pid 2> /dev/null; do sleep 0.1; done
	kill "-$1" -- -$pid
	wait $pid
	rm -f bisecting/wait
	[ -e bisecting/waits ] && [ ! -e bisecting/made ]
}
# A worktree that git has begun, locked or forgotten is not in the way. Both of the worktrees.
bisect_resumes_checkout() {
	local own=bisecting/linux/.git
	history 0 0 20 || return
	git -C bisecting/linux config filter.slow.smudge "$PWD/bisecting/bin/smudge"
	echo 'cost filter=slow' > $own/info/attributes
	in_checkout INT && grep 'the same command continues where this has ended' said || return
	in_checkout KILL && [ -s $own/worktrees/linux/locked ] && rm -rf bisecting/lab || return
	in_checkout KILL && rm -rf $own/worktrees || return
	mkdir bisecting/lab/bisect && echo "gitdir: $PWD/$own/worktrees/bisect" > bisecting/lab/bisect/.git
	bisects 0 'change 2' 0 2 && [ "$(git -C bisecting/linux worktree list | wc -l)" -eq 1 ]
}
check bisect_resumes_checkout bisect_resumes_checkout

# A full disk is an error, not a commit to skip.
bisect_full_disk() {
	history 0 0 20 20 || return
	printf '#!/bin/sh\necho Avail; echo 3M\n' > bisecting/bin/df
	chmod +x bisecting/bin/df
	bisects 1 'the disk is full (3M free): make room, then repeat the command' 0 3
	set -- $?
	rm bisecting/bin/df
	[ "$1" -eq 0 ] && bisects 0 'change 2' 0 3
}
check bisect_full_disk bisect_full_disk

# A tree of the user that is WORK/linux stays as it is.
build_spares_foreign_files() {
	local build=$top/scripts/build-revision linux=bisecting/area/linux part='area has files, but no build-revision.lock'
	history 0 0 || return
	rm -rf bisecting/area && mkdir bisecting/area && mv bisecting/linux $linux && echo mine > $linux/cost || return
	exits 1 "$part" "$build" $linux 0 bisecting/area bisecting/kernel && exits 1 "$part" "$build" --remove $linux bisecting/area || return
	touch bisecting/area/build-revision.lock
	exits 1 'area/linux is LINUX itself' "$build" $linux 0 bisecting/area bisecting/kernel || return
	git -C $linux symbolic-ref HEAD && grep mine $linux/cost
}
check build_spares_foreign_files build_spares_foreign_files

# compared PART KERNEL...: tlob-lab run --compare of kernels of the user
compared() {
	exits 2 "$1" env BISECTING="$PWD/bisecting" TLOB_TREE="$PWD/bisecting/tree" PATH="$PWD/bisecting/bin:$PATH" \
		"$lab" run --compare -q --deterministic -n 7 -m 'avg(wake)' --margin 0.2% --seed 1 --dir bisecting/lab "${@:2}" -- -d 4s
}
# package NAME FILE...: bisecting/debs/NAME_1_amd64.deb with the files, which are below bisecting/root
package() {
	mkdir -p bisecting/debs bisecting/root/DEBIAN
	printf 'Package: %s\nVersion: 1\nArchitecture: amd64\nMaintainer: x\nDescription: x\n' "$1" > bisecting/root/DEBIAN/control
	dpkg-deb -b bisecting/root "bisecting/debs/$1_1_amd64.deb" > /dev/null
	rm -rf bisecting/root
}
# Revisions, a built tree, an image and a package, next to a kernel's argument
compare_kernels_of_the_user() {
	history 0 20 || return
	cp "$top/scripts/take-kernel" bisecting/tree/scripts/
	compared 'tlob-lab explain --seed 1 bisecting/linux@0 bisecting/linux@1+nohz=off --config bisecting/config -- -d 4s' --config bisecting/config bisecting/linux@0 bisecting/linux@1+nohz=off || return
	[ "$(git -C bisecting/linux worktree list | wc -l)" -eq 1 ] && [ ! -e bisecting/linux/arch ] || return
	# the command that it prints has one run, in the same directory
	exits 0 'B bisecting/linux@1+nohz=off' env BISECTING="$PWD/bisecting" TLOB_TREE="$PWD/bisecting/tree" PATH="$PWD/bisecting/bin:$PATH" \
		"$lab" explain -q --dir bisecting/lab --seed 1 bisecting/linux@0 bisecting/linux@1+nohz=off --config bisecting/config -- -d 4s || return
	mkdir -p bisecting/built/arch/x86/boot bisecting/root/boot bisecting/root/usr/src/linux-headers-9
	echo 21 | tee bisecting/built/arch/x86/boot/bzImage bisecting/root/boot/vmlinuz-9 > bisecting/image
	touch bisecting/built/{Module.symvers,.config,tlob_load.ko} bisecting/root/boot/config-9
	package linux-image-9
	# the headers of another build
	touch bisecting/debs/linux-headers-9_{0,2}_amd64.deb
	exits 1 'the headers are missing: put linux-headers-9_1_amd64.deb next to' "$top/scripts/take-kernel" bisecting/debs/linux-image-9_1_amd64.deb bisecting/taken || return
	mkdir -p bisecting/root/usr/src/linux-headers-9
	touch bisecting/root/usr/src/linux-headers-9/Module.symvers
	package linux-headers-9
	compared 'bisecting/debs/linux-image-9_1_amd64.deb against bisecting/linux@0' bisecting/linux@0 ./bisecting/built ./bisecting/image --modules bisecting/built bisecting/debs/linux-image-9_1_amd64.deb
}
check compare_kernels_of_the_user compare_kernels_of_the_user
