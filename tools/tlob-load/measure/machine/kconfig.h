/* SPDX-License-Identifier: GPL-2.0 */
/* How the kernel was configured. */
#ifndef TLOB_MACHINE_KCONFIG_H
#define TLOB_MACHINE_KCONFIG_H

#include <stdbool.h>

struct kconfig {
	char	*text;		/* NULL: could not be read */
	char	*path;		/* where it was read */
	char	*why;		/* why not, if text is NULL */
};

/*
 * Reads /proc/config.gz, or else /boot/config-RELEASE and /lib/modules/RELEASE/build/.config
 * below @root; nothing if @k, which was zeroed, has been read. 0, also without any; -ENOMEM.
 * A tool that is built without zlib cannot read the first.
 */
int  kconfig_read(struct kconfig *k, const char *root);
void kconfig_free(struct kconfig *k);

/* True if CONFIG_@name is y or m. The text must be there: what it does not name is off. */
bool kconfig_is_on(const struct kconfig *k, const char *name);

#endif /* TLOB_MACHINE_KCONFIG_H */
