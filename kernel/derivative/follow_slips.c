/* SPDX-License-Identifier: BSD-3-Clause */
/* Slips that are stopped at the end of a step. */
#include "kernel/derivative/stage_build.h"

perp_status perp_tape_follow_slips(perp_tape *tape, perp_step *step, const perp_dg *dg)
{
    (void)step;
    (void)dg;
    return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "step", -1,
                         "slips that friction turned around are not recorded");
}
