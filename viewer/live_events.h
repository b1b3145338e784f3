/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of a run that goes on, in the form of server-sent events (HTML Living Standard, 9.2):
 *     head    {"head": JSON of motion.bin, "entries": N}
 *     frames  {"stride": S, "steps": [...], "exponents": "BASE64", "bytes": "BASE64"}: a signed
 * byte for each entry, and a chunk of viewer/motion_pack.h that begins with the first of these
 * instants state   {"paused": 0|1, "over": "" or a sentence, "failed": 1 where a step was} */
#ifndef PERP_VIEWER_LIVE_EVENTS_H
#define PERP_VIEWER_LIVE_EVENTS_H

#include <stdio.h>

#include "viewer/live_store.h"

void perp_live_head_event(FILE *out, const perp_motion *motion);
/* Some instants from the first on, at least one; how many, or 0: no memory. */
size_t perp_live_frames_event(FILE *out, const perp_live_store *store, const char *layout,
                              size_t first);
void perp_live_state_event(FILE *out, int paused, const char *over, int failed);

#endif
