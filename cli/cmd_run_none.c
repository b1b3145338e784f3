/* SPDX-License-Identifier: BSD-3-Clause */
/* Where configure found no jansson. */
#include "cli/commands.h"
#include "cli/message.h"

int perp_cmd_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    return perp_complain("perp run reads JSON, and this build has no jansson (Debian: "
                         "apt-get install libjansson-dev, then configure again)");
}
