/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TLOB_INJECT_H
#define TLOB_INJECT_H

struct dentry;

int  inject_aim_init(struct dentry *dir);
void inject_aim_exit(void);
void inject_clock_init(struct dentry *dir);
void inject_sleep_init(struct dentry *dir);

#endif /* TLOB_INJECT_H */
