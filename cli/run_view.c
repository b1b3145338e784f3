/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run_view.h"

#include <stdio.h>

#include "cli/commands.h"
#include "cli/live_progress.h"
#include "cli/message.h"
#include "cli/open_browser.h"
#include "viewer/own_folder.h"

static void show(perp_run_view *view, long step)
{
    const void *bytes;
    size_t size;

    /* One that finds no memory is not shown; the run goes on. */
    if (perp_motion_stream_instant(view->stream, &bytes, &size) == PERP_SOLVED)
        perp_live_add(view->live, step, bytes, size);
}

int perp_run_view_open(perp_run_view *view, perp_scene *scene)
{
    perp_live_wish wish = {.port = view->port, .paused = view->paused, .three = PERP_THREE};
    perp_status status;
    char text[512];

    if (!view->wanted)
        return PERP_EXIT_DONE;
    status = perp_motion_stream_create(&view->stream, scene);
    if (status == PERP_SOLVED)
        status = perp_motion_stream_head(view->stream, &wish.head, &wish.head_size);
    if (status != PERP_SOLVED) {
        perp_motion_stream_destroy(view->stream);
        return perp_complain("--view: %s", perp_status_text(status));
    }
    if (perp_live_open(&view->live, &wish, text, sizeof text) != 0) {
        perp_motion_stream_destroy(view->stream);
        return perp_complain("--view: %s", text);
    }
    view->thread = pthread_self();
    fprintf(stderr, "%s\n", perp_live_url(view->live));
    fflush(stderr);
    if (!view->plain)
        (void)perp_open_browser(view->folder, sizeof view->folder, perp_live_url(view->live));
    return PERP_EXIT_DONE;
}

int perp_run_view_start(perp_run_view *view, long step)
{
    if (view->live == NULL)
        return 0;
    show(view, step);
    perp_live_hold(view->live, perp_interrupted);
    return perp_live_stopped(view->live);
}

int perp_run_view_step(perp_run_view *view, const perp_scene_run_info *info)
{
    if (view->live == NULL)
        return 0;
    perp_motion_stream_note(view->stream);
    perp_live_serve(view->live);
    if (perp_live_wants(view->live, info->steps) || info->steps == info->last)
        show(view, info->steps);
    if (info->steps < info->last)
        view->held += perp_live_hold(view->live, perp_interrupted);
    return perp_live_stopped(view->live);
}

int perp_run_view_within(perp_run_view *view)
{
    if (view->live == NULL)
        return 0;
    /* Islands are solved by several threads; the others only look. */
    if (pthread_equal(pthread_self(), view->thread))
        perp_live_serve(view->live);
    return perp_live_stopped(view->live);
}

void perp_run_view_end(perp_run_view *view, const perp_scene_run_info *info, perp_status status)
{
    const char *how = status == PERP_SOLVED ? "The run is done" : "The run was stopped";
    char text[512];

    if (view->live == NULL)
        return;
    if (status != PERP_SOLVED && status != PERP_INTERRUPTED)
        snprintf(text, sizeof text, "The run stopped: %.400s", info->detail);
    else
        snprintf(text, sizeof text, "%s: t = %g, %ld steps", how, info->t, info->steps);
    perp_live_end(view->live, text, status != PERP_SOLVED && status != PERP_INTERRUPTED,
                  perp_interrupted);
    perp_motion_stream_destroy(view->stream);
    perp_own_folder_drop(view->folder);
    view->live = NULL;
}
