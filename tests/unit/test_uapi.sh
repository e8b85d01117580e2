#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The UAPI header has the same layout for programs of 32 and of 64 bits, and no
# implicit padding. Only compiled: no C library of 32 bits is needed.
set -eu

cd "$(dirname "$0")"
headers=/usr/include/$(gcc -print-multiarch)
for bits in -m64 -m32; do
	gcc $bits -std=gnu11 -Wall -Wextra -Werror -Wpadded -fsyntax-only -ffreestanding -I ../../include/uapi \
		-isystem "$headers" uapi_layout.c || { echo "FAILED: $bits" >&2; exit 1; }
done
echo "uapi: ok"
