# SPDX-License-Identifier: GPL-2.0
# tlob-load. `make help` lists the targets.

# KDIR alone says which kernel it is
ifdef KDIR
KERNELRELEASE ?= $(or $(shell cat "$(KDIR)/include/config/kernel.release" 2> /dev/null),$(shell uname -r))
endif
KERNELRELEASE ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KERNELRELEASE)/build
PREFIX ?= /usr/local
export DESTDIR PREFIX

# Without headers there is no module; the tool and the library need none.
HEADERS := $(wildcard $(KDIR)/Makefile)
NO_HEADERS := no kernel headers in $(KDIR): install linux-headers-$(KERNELRELEASE), or set KDIR=...

all: tool $(if $(HEADERS),module,no-module)

help:
	@echo "make              the module for $(KERNELRELEASE), the tool and libtlob (KDIR=... another kernel)"
	@echo "                  without kernel headers only the tool and libtlob, with a note"
	@echo "make lab          tlob-lab: several kernels in guests; install-lab installs it, and it needs this source tree"
	@echo "make static       build/static/tlob-load-x86_64: one file, no library (ARCHS=\"arm64 riscv64 armhf i386\")"
	@echo "make dist         a release in build/dist: sources, static files, packages, image, checksums (root)"
	@echo "make install      installs all of that, manual pages and completion (root); then: modprobe tlob_load"
	@echo "make uninstall    removes all of them, including the module for every kernel"
	@echo "make dkms-install the module by DKMS, which rebuilds it for new kernels (KERNELRELEASE=\"A B\")"
	@echo "make dkms-remove  removes it from all kernels"
	@echo "make deps         installs what make needs (Debian 12, root); STEPS=\"check ...\": scripts/deps -h"
	@echo "make demo-here    builds the tool and measures this machine for ten seconds; no root, no module"
	@echo "make demo         boots a PREEMPT_RT kernel in QEMU and shows a run"
	@echo "make lint         checkpatch, sparse, cppcheck, clang-tidy, shellcheck and more, on every file"
	@echo "make check        builds, unit tests, fuzzing, commands, deterministic guests; results do not depend on timing"
	@echo "make check-near   tests what the changed files can break, in two minutes (FILES=\"...\"); lists what it skips"
	@echo "make check-all    check, lint, measurements here, guests in real time, other kernels, the lab, arm64's proofs"
	@echo "make nightly      check-all, debug kernels, soak, odd surroundings, packages, bench: about six hours"
	@echo "make check-mutants  puts known defects back; the tests must find each"
	@echo "make check-random-mutants  draws defects; a test should find each (N=20 SEED=... UNTIL=unit|cli|here)"
	@echo "make check-tables  reruns all simulations of docs/explanation/error-rates.txt, in eleven minutes"
	@echo "make check-unit   only the unit tests"
	@echo "make check-fuzz   every parser, with mutated inputs (FUZZ_SECONDS=60: 60 s per target)"
	@echo "make check-cli    commands on results: report, compare, gate, plan; measurements without the module"
	@echo "make check-options  guests with each option of the module left out"
	@echo "make check-vm     only the guests, all of them (KERNELS=\"6.12-rt 6.12 6.1\")"
	@echo "make check-arm64  unit tests by qemu-user, guests with an arm64 PREEMPT_RT kernel (root, the first time)"
	@echo "make check-unit-arm64  only the unit tests for arm64"
	@echo "make check-debug  guests with debug kernels, which it builds first (SECONDS=60: length of soak and fuzz)"
	@echo "make check-explain-built  tlob-lab explain on a small kernel that it builds, without and with ten instructions more"
	@echo "make check-bisect  tlob-lab bisect among 30 commits of Linux 6.12, which it builds: half an hour to an hour"
	@echo "make soak         soak and fuzz for ten minutes each on the debug kernels (DELAYS=1: with random delays from seed 1)"
	@echo "make check-formats  a real Prometheus reads what report --format openmetrics writes"
	@echo "make check-recipes  contrib/ci: the nightly ones for four weeks of a simulated machine; CHROOT=DIR: the others in that Debian 12 (root)"
	@echo "make check-dkms   dkms-install and dkms-remove in a Debian 12 chroot (root)"
	@echo "make check-packages  installs and uses all of a release in chroots (root)"
	@echo "make check-try    200 kills of experiments (tlob-load try), on this machine"
	@echo "make check-slurm  contrib/slurm with a real Slurm: eight nodes on this machine (root)"
	@echo "make check-kube   contrib/kubernetes by the API's schema, and run by podman (root)"
	@echo "make check-tune   200 kills of runs with --tune and --load, in a guest (KERNELS=6.12-rt)"
	@echo "make bench        measures what a wake-up, a hook and reading cost, next to peers; writes performance.md"
	@echo "make clean        removes everything that was built, except fetched kernels"

REMOVE_MODULE := find kernel \( -name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' -o -name '.*.cmd' \
	-o -name Module.symvers -o -name modules.order \) -delete

# Kbuild compares commands and times, and would keep the objects of another kernel.
# BTF of the module would need pahole, and nothing here uses it.
module:
	@[ -n "$(HEADERS)" ] || { echo "$(NO_HEADERS)" >&2; exit 1; }
	@of="$(realpath $(KDIR)) $$(cat "$(KDIR)/include/generated/autoconf.h" 2> /dev/null | cksum)"; \
	[ "$$of" = "$$(cat build/module-of 2> /dev/null)" ] || \
		{ $(REMOVE_MODULE) && mkdir -p build && echo "$$of" > build/module-of; }
	$(MAKE) -C "$(realpath $(KDIR))" M="$(CURDIR)/kernel" CONFIG_DEBUG_INFO_BTF_MODULES= modules

tool:
	$(MAKE) -C tools/tlob-load
	$(MAKE) -C tools/libtlob

# What boots and builds kernels, with scripts of this tree.
lab: tool
	$(MAKE) -C tools/tlob-lab

static:
	scripts/build-static $(ARCHS)

# The tool for tests/cli with SANITIZED=1.
SANITIZED := $(CURDIR)/build/sanitized
sanitized:
	$(MAKE) -C tools/tlob-load OBJDIR=$(SANITIZED)/tool OUT=$(SANITIZED)/tlob-load $(SANITIZED)/tlob-load \
		CFLAGS="-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"

# Last, where it is read.
no-module: tool
	@echo "left out the module tlob_load: $(NO_HEADERS)"

install: tool $(if $(HEADERS),install-module)
	$(MAKE) -C tools/tlob-load install
	$(MAKE) -C tools/libtlob install
	@[ -n "$(HEADERS)" ] || echo "left out the module tlob_load: $(NO_HEADERS)"

install-lab: lab
	$(MAKE) -C tools/tlob-lab install

# DKMS has its module in updates/, too, maybe compressed, and depmod might take either.
install-module: module
	@set -- "$(DESTDIR)/lib/modules/$(KERNELRELEASE)/updates/dkms/tlob_load.ko"*; [ ! -e "$$1" ] || \
		{ echo "DKMS has installed $$1: make dkms-remove first" >&2; exit 1; }
	install -D -m 644 kernel/tlob_load.ko "$(DESTDIR)/lib/modules/$(KERNELRELEASE)/updates/tlob_load.ko"
	[ -n "$(DESTDIR)" ] || depmod "$(KERNELRELEASE)"

uninstall:
	$(MAKE) -C tools/tlob-load uninstall
	$(MAKE) -C tools/tlob-lab uninstall
	$(MAKE) -C tools/libtlob uninstall
	@for ko in "$(DESTDIR)"/lib/modules/*/updates/tlob_load.ko; do \
		[ -e "$$ko" ] || continue; \
		rm "$$ko" || exit; \
		release=$${ko%/updates/*}; \
		[ -n "$(DESTDIR)" ] || depmod "$${release##*/}" || exit; \
	done

dkms-install:
	scripts/dkms install $(KERNELRELEASE)

dkms-remove:
	scripts/dkms remove

deps:
	scripts/deps $(STEPS)

deps-%:
	scripts/deps $*

demo: deps-demo
	scripts/demo

demo-here:
	@scripts/demo-here

lint: deps-lint
	tests/lint/run

# What these run is in tests/check. Their packages come first, which may need root.
check: deps-check
	tests/check check

check-all: deps-check deps-lint
	tests/check all

nightly: deps-check deps-lint deps-debug
	tests/check nightly

check-mutants: deps-check
	tests/vm/mutants/run 6.12-rt

check-random-mutants: deps-check
	tests/random-mutants $(if $(N),-n $(N)) $(if $(SEED),--seed $(SEED)) $(if $(UNTIL),--until $(UNTIL))

check-tables:
	$(MAKE) -C tests/unit check-tables

check-near:
	scripts/check-near $(FILES)

# A job for each CPU, unless make was told how many.
JOBS = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

check-unit:
	$(MAKE) $(JOBS) -C tests/unit check

check-fuzz:
	$(MAKE) $(JOBS) -C tests/fuzz check

check-cli:
	@failed=0; tests/cli/run || failed=1; tests/cli/here || failed=1; exit $$failed

check-try: tool
	tests/cli/try-kills

check-vm:
	tests/vm/run $(KERNELS)

check-arm64: deps-arm64
	@failed=0; \
	$(MAKE) check-unit-arm64 || failed=1; \
	$(MAKE) check-guests-arm64 || failed=1; \
	exit $$failed

check-guests-arm64:
	tests/vm/run $(or $(KERNELS),6.12-rt-arm64)

check-unit-arm64: deps-arm64
	$(MAKE) $(JOBS) -C tests/unit check-arm64

# bash counts in a variable of that name
check-debug: deps-debug
	env -u SECONDS tests/vm/debug --seconds $(or $(SECONDS),60) $(KERNELS)

# the module with each combination of its options
check-options:
	$(MAKE) -C tests/vm
	tests/vm/suites/options --all $(or $(KERNELS),6.12-rt)

# the first time it builds the kernel, for some minutes
check-explain-built: deps-debug
	tests/vm/suites/explain-built

check-bisect: deps-debug
	tests/vm/suites/bisect

soak: deps-debug
	env -u SECONDS tests/vm/debug --soak $(if $(DELAYS),--delays $(DELAYS)) --seconds $(or $(SECONDS),600) $(KERNELS)

# make check-all has some of them
check-tune: deps-check
	tests/vm/suites/tune $(or $(KERNELS),6.12-rt) 200

check-formats: deps-formats
	$(MAKE) tool
	tests/formats/run

check-recipes: deps-check
	$(MAKE) tool
	tests/cli/recipes $(CHROOT)

check-dkms: deps-dkms
	tests/dkms/run

check-packages: deps-packages
	tests/packages/run

check-slurm: deps-sites
	tests/slurm/run

check-kube: deps-sites
	tests/kube/run

dist: deps-packages
	scripts/dist

# the page has the default kernel; what this commit has measured is not measured again
bench: deps-bench
	set -e; for kernel in $(or $(KERNELS),6.12-rt); do bench/run --resume $$kernel; done
	$(if $(KERNELS),,bench/page)

clean:
	$(MAKE) -C tools/tlob-load clean
	$(MAKE) -C tools/libtlob clean
	$(MAKE) -C tools/tlob-lab clean
	$(MAKE) -C tests/vm clean
	rm -rf build/unit build/modules build/vm build/mutants build/bench build/lint build/dkms build/fuzz build/result build/here build/json-c build/static build/sanitized build/module-of \
		build/arm64/tlob-load build/arm64/tool build/arm64/libtlob build/arm64/vm-tests build/arm64/unit
	$(REMOVE_MODULE)

.PHONY: all help module no-module tool lab install-lab static sanitized install install-module uninstall dkms-install \
	dkms-remove deps demo demo-here lint check check-all nightly check-guests-arm64 check-near check-unit check-unit-arm64 check-fuzz check-cli check-try check-vm check-arm64 check-debug check-options \
	soak check-explain-built check-bisect check-tune check-mutants check-random-mutants check-tables check-formats check-recipes check-dkms check-packages check-slurm check-kube dist bench clean
