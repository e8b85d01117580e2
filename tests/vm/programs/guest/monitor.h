/* SPDX-License-Identifier: GPL-2.0 */
/* Helpers for windows of the monitor. */
#ifndef MONITOR_H
#define MONITOR_H

#include <stdint.h>
#include <linux/tlob.h>

/* Switches the monitor on and opens /dev/tlob. */
int  monitor_open(void);
/* The same with records of struct tlob_task_window, and O_NONBLOCK. */
int  monitor_open_windows(void);
/* Switches the monitor off; every counter of defects must be 0. */
void monitor_off(void);
/* A field of the monitor's line in `status`. */
uint64_t monitor_stat(const char *field);

/* TLOB_IOC_START_NS with the tag 42. */
int  start_ns(int fd, uint64_t ns, int notify, unsigned int flags);
/* TLOB_IOC_TRACE_START and TLOB_IOC_TRACE_STOP. */
int  start_us(int fd, uint64_t us, int notify, uint64_t tag);
int  stop_window(int fd);
void check_task_window(const struct tlob_task_window *w);

#endif /* MONITOR_H */
