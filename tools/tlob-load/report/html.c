// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "report/pieces.h"
#include "report/style.h"
#include "util/markup.h"

void html_begin(FILE *f, const char *title)
{
	fputs(page_head, f);
	markup(f, "<title>tlob-load: %s</title>\n</head>\n<body>\n", title);
}

int html_end(FILE *f, int err)
{
	fprintf(f, "%s</body>\n</html>\n", page_script);
	return err ? err : ferror(f) ? -EIO : 0;
}
