# SPDX-License-Identifier: GPL-2.0
# For recipes-rt/tlob-load of a layer. TLOB_LOAD_SITE is where the release is, such as
# file:///srv/tlob-load-0.1.0; SRC_URI[sha256sum] is in its SHA256SUMS.
SUMMARY = "Latencies of a periodic real-time workload on each CPU"
LICENSE = "GPL-2.0-only"
LIC_FILES_CHKSUM = "file://COPYING;md5=b234ee4d69f5fce4486a80fdaf4a4263"
DEPENDS = "json-c"

TLOB_LOAD_SITE ?= "file://${TOPDIR}/../tlob-load"
SRC_URI = "${TLOB_LOAD_SITE}/tlob-load-${PV}.tar.gz"

inherit pkgconfig

# The backend posix needs nothing of the kernel.
EXTRA_OEMAKE = "-C tools/tlob-load BACKENDS=posix PREFIX=${prefix} 'HOSTCC=${BUILD_CC}' \
	'CC=${CC}' 'CFLAGS=${CFLAGS}' 'LDFLAGS=${LDFLAGS}'"

do_install() {
	oe_runmake install DESTDIR=${D}
}

FILES:${PN} += "${datadir}"
