/* SPDX-License-Identifier: GPL-2.0 */
/* The first keys of the JSON of compare and of validate. */
#ifndef TLOB_REPORT_VERDICT_FORMAT_H
#define TLOB_REPORT_VERDICT_FORMAT_H

#define COMPARISON_FORMAT	"tlob-load comparison"
#define COMPARISON_VERSION	3
#define VALIDATION_FORMAT	"tlob-load validation"
#define VALIDATION_VERSION	1

#endif /* TLOB_REPORT_VERDICT_FORMAT_H */
