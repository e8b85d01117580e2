// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/tree.h"
#include "util/error.h"

/* Built in the tree this program is TREE/tools/tlob-lab/tlob-lab; installed it needs TLOB_TREE. */
static int tree_of_self(char tree[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", tree, PATH_MAX - 1);
	int up = 3;

	if (n < 0)
		return fail(-errno, "/proc/self/exe: %s", strerror(errno));
	tree[n] = 0;
	while (up-- && strrchr(tree, '/'))
		*strrchr(tree, '/') = 0;
	return 0;
}

int tree_path(char path[PATH_MAX], const char *file)
{
	const char *named = getenv("TLOB_TREE");
	char tree[PATH_MAX];
	int err = named ? 0 : tree_of_self(tree);

	if (err)
		return err;
	return snprintf(path, PATH_MAX, "%s/%s", named ? named : tree, file) < PATH_MAX ? 0 :
	       fail(-ENAMETOOLONG, "%s: the path is too long", named ? named : tree);
}

int tree_script(char path[PATH_MAX], const char *script)
{
	const char *named = getenv("TLOB_TREE");
	char file[64];
	int err;

	snprintf(file, sizeof(file), "scripts/%s", script);
	err = tree_path(path, file);
	if (err || !access(path, X_OK))
		return err;
	if (named)
		return fail(-EOPNOTSUPP, "TLOB_TREE is %s, which has no %s: name the source tree", named, file);
	return fail(-EOPNOTSUPP, "the source tree is missing: unpack tlob-load-" TLOB_VERSION ".tar.gz of the same release, and name it with TLOB_TREE=DIR");
}
