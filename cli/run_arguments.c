/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run_arguments.h"

#include "cli/arguments.h"

error_t perp_run_argument(perp_scene_options *changes, perp_scene_run_options *run, int key,
                          char *word, struct argp_state *state)
{
    switch (key) {
    case PERP_KEY_UNTIL:
        changes->until = perp_option_real(state, "until", word, -1e300, 1e300);
        return 0;
    case PERP_KEY_STEP:
        changes->step = perp_option_real(state, "step", word, 1e-300, 1e300);
        return 0;
    case PERP_KEY_OUT:
        run->folder = word;
        return 0;
    case PERP_KEY_VTK:
        run->vtk = word != NULL ? (int)perp_option_integer(state, "vtk", word, 1, 1000000000) : -1;
        return 0;
    case PERP_KEY_RESUME:
        run->resume = 1;
        return 0;
    case PERP_KEY_CHECKPOINT:
        run->checkpoint_seconds = perp_option_real(state, "checkpoint", word, 0.0, 1e300);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}
