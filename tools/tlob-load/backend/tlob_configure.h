/* SPDX-License-Identifier: GPL-2.0 */
/* Writes the settings of a run to the control files. */
#ifndef TLOB_BACKEND_TLOB_CONFIGURE_H
#define TLOB_BACKEND_TLOB_CONFIGURE_H

struct control;
struct run_config;

/*
 * Clears a run that has stopped by itself. 0; -EBUSY: another run is in progress;
 * -errno. Printed.
 */
int configure_check_idle(const struct control *c);

/*
 * Writes every setting except `enable`; stop_on_exceed becomes 0. @cpus is a CPU
 * list, @noise_source the choice of osnoise_begin(). 0 or -errno, printed.
 */
int configure(const struct control *c, const struct run_config *config,
	      const char *cpus, const char *noise_source);

#endif /* TLOB_BACKEND_TLOB_CONFIGURE_H */
