/* SPDX-License-Identifier: GPL-2.0 */
/* Runs: what the files of this folder share. The folder is above all others. */
#ifndef _TLOB_RUN_H
#define _TLOB_RUN_H

#include <linux/fs.h>

#include "../base/room.h"
#include "../window/window.h"

struct seq_file;

/* run.c */
int  tlob_run_start(void);
void tlob_run_stop(void);
/* Frees everything of the last run, which has ended. */
void tlob_run_forget(void);
/* Called in the hotplug thread of a CPU that goes down. */
int  tlob_run_offline(unsigned int cpu);

/* fd.c */
extern const struct file_operations tlob_fd_fops;
void tlob_fd_disown(struct tlob_cpu *c);

/* work.c */
void *tlob_work_alloc(const struct tlob_work *w, int node);
void tlob_work_free(const struct tlob_work *w, void *mem);
u64  tlob_work_run(struct tlob_cpu *c);
void tlob_work_calibrate(struct tlob_cpu *c);

/* kthread.c */
int  tlob_kthread_create(struct tlob_cpu *c);
void tlob_kthread_stop(struct tlob_cpu *c);
void tlob_show_policy(struct seq_file *m, const struct tlob_policy *policy);

/* control.c: the files */
int  tlob_files_create(void);
void tlob_files_remove(void);

/* trace_tlob_load.c: the rooms that are not left out, ended by NULL. */
extern const struct tlob_room * const tlob_rooms[];

#endif /* _TLOB_RUN_H */
