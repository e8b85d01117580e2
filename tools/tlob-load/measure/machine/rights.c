// SPDX-License-Identifier: GPL-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/rights.h"
#include "util/file.h"

bool rights_have(int cap)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	/* libc has no function for it */
	return !syscall(SYS_capget, &header, data) &&
	       data[CAP_TO_INDEX(cap)].effective & CAP_TO_MASK(cap);
}

bool rights_of_root(void)
{
	return !geteuid() && rights_have(CAP_SYS_ADMIN);
}

bool rights_locked_down(void)
{
	char line[128];

	return !file_read_line("/sys/kernel/security/lockdown", line, sizeof(line)) &&
	       strstr(line, "[confidentiality]");
}

bool rights_first_map(const char *uid_map)
{
	char *s;

	return !strtoul(uid_map, &s, 10) && !strtoul(s, &s, 10) &&
	       strtoul(s, NULL, 10) == UINT32_MAX;
}

bool rights_of_first_namespace(void)
{
	char line[64];

	/* else there are no user namespaces in this kernel */
	return file_read_line("/proc/self/uid_map", line, sizeof(line)) || rights_first_map(line);
}
