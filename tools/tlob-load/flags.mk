# SPDX-License-Identifier: GPL-2.0
# How tlob-load is compiled, and what it is linked with: also for tools/tlob-lab, which is as deep in
# the tree.

VERSION := $(shell cat ../../VERSION)
PREFIX  ?= /usr/local
MANDIR  ?= $(PREFIX)/share/man
ifneq ($(CROSS_COMPILE),)
ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif
endif
PKG_CONFIG ?= pkg-config
# Writes manual pages and completion, here; $(CC) may compile for another machine.
HOSTCC  ?= cc

CFLAGS  ?= -O2 -g

# The backend tlob needs all of these; what is missing is in TLOB_LACKS.
TLOB_PKGS := libtracefs libelf libdw zlib
has_header = $(shell echo '\#include <$(1)>' | $(CC) $(CFLAGS) -E -x c - > /dev/null 2>&1 && echo yes)
# The compiler finds it; a name without a path: it does not.
has_library = $(filter /%,$(shell $(CC) $(CFLAGS) -print-file-name=lib$(1).a))
TLOB_LACKS := $(strip $(foreach pkg,$(TLOB_PKGS),$(if $(shell $(PKG_CONFIG) --exists $(pkg) && echo yes),,$(pkg))) \
	$(if $(call has_header,numa.h),,libnuma) $(if $(call has_header,cpuidle.h),,libcpupower) \
	$(if $(call has_library,iberty),,libiberty))
# clang compiles the programs of the backend bpf, libbpf loads them.
CLANG   ?= clang
BPF_LACKS := $(strip $(TLOB_LACKS) $(if $(shell command -v $(CLANG)),,$(CLANG)) \
	$(if $(shell $(PKG_CONFIG) --exists libbpf && echo yes),,libbpf))
BACKENDS ?= $(if $(TLOB_LACKS),,tlob )$(if $(BPF_LACKS),,bpf )posix

ifeq ($(filter tlob,$(BACKENDS)),)
LACKS	:= $(if $(TLOB_LACKS),$(TLOB_LACKS),the backend tlob)
PKGS	:= json-c
else
PKGS	:= $(TLOB_PKGS) json-c
# Debian has no static libcpupower.
MORE_LIBS := $(if $(filter -static,$(LDFLAGS)),,-lcpupower) -lnuma -liberty
endif

ifeq ($(filter bpf,$(BACKENDS)),)
NO_BPF	:= $(if $(BPF_LACKS),$(BPF_LACKS),the backend bpf)
else
PKGS	+= libbpf
endif

# x87 rounds twice, so numbers computed on i386 would differ in their last digits.
SSE := $(if $(filter i386-% i486-% i586-% i686-%,$(shell $(CC) -dumpmachine)),-msse2 -mfpmath=sse)
# $(CFLAGS) and $(LDFLAGS) are the user's (sanitizers), the rest is ours.
# The same bytes in any folder: a guest that counts instructions also counts those that its
# files' pages cost.
ALL_CFLAGS := -std=gnu11 -Wall -Wextra -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 $(SSE) -pthread "-ffile-prefix-map=$(abspath ../..)=." \
	-DTLOB_VERSION='"$(VERSION)"' $(if $(LACKS),-DTLOB_LACKS='"$(LACKS)"') \
	$(if $(filter zlib,$(PKGS)),-DTLOB_ZLIB) \
	$(if $(NO_BPF),-DTLOB_LACKS_BPF='"$(NO_BPF)"') \
	-I../../include/uapi -I../../kernel/trace/tlob/split \
	$(shell $(PKG_CONFIG) --cflags $(PKGS)) $(CFLAGS)
# On some 32-bit machines those of 64 bits are calls.
ATOMIC := $(shell echo 'void f(long long *x) { __atomic_fetch_add(x, 1, 0); }' | \
	$(CC) $(CFLAGS) -fno-lto -S -o - -x c - 2> /dev/null | grep -q __atomic && echo -latomic)
LIBS := $(shell $(PKG_CONFIG) $(if $(findstring -static,$(LDFLAGS)),--static) --libs $(PKGS)) $(MORE_LIBS) -lpthread -lm $(ATOMIC)
