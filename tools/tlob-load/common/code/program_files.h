/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files of a program that is profiled, for libdwfl. Its user chooses their names and contents,
 * and the tool has more rights. So only regular files are opened, because their reads do not wait.
 */
#ifndef TLOB_CODE_PROGRAM_FILES_H
#define TLOB_CODE_PROGRAM_FILES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* True if a name of the process means the same file to it and to the tool. False if it is gone. */
bool program_files_are_ours(pid_t pid);

/*
 * libdwfl gives its callbacks no argument: the process whose files they look for from now on, and
 * what program_files_are_ours() said of it.
 */
void program_files_of(pid_t pid, bool ours);

extern const Dwfl_Callbacks program_files;

/*
 * Of a module whose ELF was read: the same number for each process that has mapped this version of
 * the file. 0: it is in no file that could be opened.
 */
uint64_t program_file_id(Dwfl_Module *module);

/* The first time: the bytes of the DWARF of @module, which is read; then 0. */
size_t program_file_dwarf(Dwfl_Module *module);

#endif /* TLOB_CODE_PROGRAM_FILES_H */
