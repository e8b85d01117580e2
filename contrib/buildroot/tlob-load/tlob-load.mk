################################################################################
#
# tlob-load
#
################################################################################

# SPDX-License-Identifier: GPL-2.0
# For package/tlob-load of Buildroot, or of a BR2_EXTERNAL tree. TLOB_LOAD_SITE is where the release
# is, such as file:///srv/tlob-load-0.1.0. Buildroot checks its sum if a tlob-load.hash has it:
#     sha256  SUM  tlob-load-0.1.0.tar.gz
TLOB_LOAD_VERSION = 0.1.0
TLOB_LOAD_SITE ?= file://$(TOPDIR)/dl/tlob-load
TLOB_LOAD_LICENSE = GPL-2.0
TLOB_LOAD_LICENSE_FILES = COPYING
TLOB_LOAD_DEPENDENCIES = host-pkgconf json-c

define TLOB_LOAD_BUILD_CMDS
	$(TARGET_MAKE_ENV) $(MAKE) $(TARGET_CONFIGURE_OPTS) \
		-C $(@D)/tools/tlob-load BACKENDS=posix PREFIX=/usr
endef

define TLOB_LOAD_INSTALL_TARGET_CMDS
	$(TARGET_MAKE_ENV) $(MAKE) $(TARGET_CONFIGURE_OPTS) \
		-C $(@D)/tools/tlob-load BACKENDS=posix PREFIX=/usr DESTDIR="$(TARGET_DIR)" install
endef

$(eval $(generic-package))
