/* SPDX-License-Identifier: GPL-2.0 */
/* What others than the tests of RV need of them. */
#ifndef RV_H
#define RV_H

/* RV has the monitor off, and its switches are what they are after booting. */
void rv_off(void);
/* The program as one whose window outlives its budget, for tests/vm/suites/rv. */
int  violate(void);

#endif /* RV_H */
