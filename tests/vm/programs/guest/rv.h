/* SPDX-License-Identifier: GPL-2.0 */
/* Parts of the tests of RV that other files use. */
#ifndef RV_H
#define RV_H

/* Disables the monitor through RV, and puts RV's switches as they are after booting. */
void rv_off(void);
/* Exceeds a budget of its own; tests/vm/suites/rv calls it as a program. */
int  violate(void);

#endif /* RV_H */
