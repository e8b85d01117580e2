// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "util/error.h"
#include "util/file.h"
#include "util/host.h"
#include "util/memstream.h"
#include "util/process.h"
#include "util/text.h"

#define HOST_LETTERS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

char *host_command(int argc, char **argv)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int i;

	if (!f)
		return NULL;
	fputs("tlob-load", f);
	for (i = 0; i < argc; i++) {
		fputc(' ', f);
		shell_word(f, argv[i]);
	}
	return memstream_text(f, &text);
}

char *host_kernel(void)
{
	struct utsname u;
	char *text;

	uname(&u);
	return asprintf(&text, "%s %s", u.release, u.version) < 0 ? NULL : text;
}

char *host_machine(void)
{
	struct utsname u;

	uname(&u);
	return strdup(u.machine);
}

char *host_name(void)
{
	struct utsname u;

	uname(&u);
	return strdup(u.nodename);
}

char *host_boot_id(void)
{
	char line[64];

	if (host_deterministic() ||
	    file_read_line("/proc/sys/kernel/random/boot_id", line, sizeof(line)))
		return NULL;
	return strdup(line);
}

/* machine-id(5) wants a hash, and 64 bits of one do not lead back to 128 random bits. */
char *host_machine_id(void)
{
	char line[64], *text;

	if (file_read_line("/etc/machine-id", line, sizeof(line)) || !*line)
		return NULL;
	return asprintf(&text, "%016" PRIx64, file_fingerprint(line)) < 0 ? NULL : text;
}

char *host_run_id(void)
{
	uint64_t id[2];
	char *text;

	if (host_deterministic() || getrandom(id, sizeof(id), GRND_NONBLOCK) != sizeof(id))
		return NULL;
	return asprintf(&text, "%016" PRIx64 "%016" PRIx64, id[0], id[1]) < 0 ? NULL : text;
}

/* The name in a file's name: sethostname() takes any bytes. */
static void as_file_name(char *host)
{
	for (; *host; host++)
		if (!strchr(HOST_LETTERS, *host))
			*host = '_';
}

int host_result_path(char **path, const char *dir, const char *run_id)
{
	char *host = host_name(), pid[16];
	int n = -1;

	*path = NULL;
	if (mkdir(dir, 0777) && errno != EEXIST) {
		free(host);
		return fail(-errno, "%s: cannot be made: %s", dir, strerror(errno));
	}
	snprintf(pid, sizeof(pid), "%d", getpid());
	if (host) {
		as_file_name(host);
		n = asprintf(path, "%s/%s-%s.json", dir, host, run_id ? run_id : pid);
	}
	free(host);
	return n < 0 ? fail(-ENOMEM, "out of memory") : 0;
}

/* scripts/vm --deterministic adds a word to the guest's kernel command line. */
bool host_deterministic(void)
{
	char line[4096];

	return !file_read_line("/proc/cmdline", line, sizeof(line)) &&
	       has_word(line, "tlob.deterministic");
}

const char *host_processor(void)
{
	static char *text;
	char *end;

	if (!text && file_read("/proc/cpuinfo", &text))
		return "";
	end = strstr(text, "\n\n");
	if (end)
		end[1] = '\0';
	return text;
}

/* x86 has a CPU flag for it. */
bool host_virtual(void)
{
	return strstr(host_processor(), " hypervisor");
}
