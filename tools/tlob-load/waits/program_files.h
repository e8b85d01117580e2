/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of a program that is profiled, for libdwfl. Their names and what they have in them are
 * their user's choice, and the tool has more rights: only regular files are opened, and none of
 * which a read may wait.
 */
#ifndef TLOB_WAITS_PROGRAM_FILES_H
#define TLOB_WAITS_PROGRAM_FILES_H

#include <elfutils/libdwfl.h>
#include <sys/types.h>

/* libdwfl gives its callbacks no argument: the process whose files they look for from now on. */
void program_files_of(pid_t pid);

extern const Dwfl_Callbacks program_files;

#endif /* TLOB_WAITS_PROGRAM_FILES_H */
