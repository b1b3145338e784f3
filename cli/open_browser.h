/* SPDX-License-Identifier: BSD-3-Clause */
/* A page in the browser of the desktop. */
#ifndef PERP_CLI_OPEN_BROWSER_H
#define PERP_CLI_OPEN_BROWSER_H

#include <stddef.h>

/* Where standard output is a terminal, a display is set and xdg-open is there: 1, else 0.  `folder`
 * becomes a folder that perp_own_folder_drop() removes, "" for none: other users of the machine see
 * what a command is called with, so that the address stands in a file there. */
int perp_open_browser(char *folder, size_t size, const char *url);

#endif
