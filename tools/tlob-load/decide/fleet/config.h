/* SPDX-License-Identifier: GPL-2.0 */
/* The request for fleet: fleet/fleet_options.c fills it in. */
#ifndef TLOB_FLEET_CONFIG_H
#define TLOB_FLEET_CONFIG_H

#include <stdbool.h>

enum { OUT_JSON, OUT_HTML, NR_OUTPUTS };

struct fleet_config {
	bool	 anonymize;
	const char *out[NR_OUTPUTS];	/* files, - for stdout, or NULL */
	const char *list;		/* --files-from, or NULL */
	char	**files;		/* ends with NULL */
};

#endif /* TLOB_FLEET_CONFIG_H */
