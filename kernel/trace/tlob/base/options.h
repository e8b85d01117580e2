/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of this build: TLOB_HAS_* for each option in Kconfig. kernel/Kbuild defines them
 * for a module out of tree, because the kernel may have a tlob-load of its own with
 * other options.
 */
#ifndef _TLOB_OPTIONS_H
#define _TLOB_OPTIONS_H

#ifndef TLOB_OUT_OF_TREE
#ifdef CONFIG_TLOB_LOAD_MONITOR
#define TLOB_HAS_MONITOR
#endif
#ifdef CONFIG_TLOB_LOAD_BITS
#define TLOB_HAS_BITS
#endif
#ifdef CONFIG_TLOB_LOAD_WAITS
#define TLOB_HAS_WAITS
#endif
#ifdef CONFIG_TLOB_LOAD_FUNCTIONS
#define TLOB_HAS_FUNCTIONS
#endif
#ifdef CONFIG_TLOB_LOAD_INLINE_CLOCK
#define TLOB_HAS_INLINE_CLOCK
#endif
#endif

#endif /* _TLOB_OPTIONS_H */
