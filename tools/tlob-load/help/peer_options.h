/* SPDX-License-Identifier: GPL-2.0 */
/* What options of cyclictest, rtla and earlier versions are called here. */
#ifndef TLOB_HELP_PEER_OPTIONS_H
#define TLOB_HELP_PEER_OPTIONS_H

#include <getopt.h>

/*
 * @word: "-i" or "--interval", which is no option of a command with @options.
 * Returns what to use instead, or NULL. Peers disagree about some letters; then
 * the text names both.
 */
const char *peer_option(const struct option *options, const char *word);

#endif /* TLOB_HELP_PEER_OPTIONS_H */
