/* SPDX-License-Identifier: GPL-2.0 */
/* The options of a run on their way into the control files. */
#ifndef TLOB_CONFIGURE_H
#define TLOB_CONFIGURE_H

struct control;
struct run_config;

/*
 * A run that has ended by itself is cleared; one that goes on is somebody
 * else's: -EBUSY. 0 or -errno, printed.
 */
int configure_check_idle(const struct control *c);

/*
 * Writes everything but `enable`; stop_on_exceed is 0. @cpus is a CPU list,
 * @source what osnoise_begin() has chosen. 0 or -errno, printed.
 */
int configure(const struct control *c, const struct run_config *o,
	      const char *cpus, const char *source);

#endif /* TLOB_CONFIGURE_H */
