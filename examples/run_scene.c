/* SPDX-License-Identifier: BSD-3-Clause */
/* A scene from its text: a ball falls, bounces and comes to rest.  Its rows stay in memory; a
 * callback follows the run; a name of the text finds the system. */
#include <math.h>
#include <stdio.h>

#include <perp/scene.h>

static const char text[] =
    "{ \"version\": 1, \"title\": \"a ball\", \"time\": {\"until\": 3, \"step\": 0.005},\n"
    "  \"systems\": [{\"name\": \"ball\", \"type\": \"lagrangian\", \"q0\": [1], \"F\": [-9.81]}],\n"
    "  \"interactions\": [{\"name\": \"ground\", \"systems\": [\"ball\"],\n"
    "    \"relation\": {\"type\": \"linear\", \"C\": [[1]]}, \"law\": {\"type\": \"impact\", \"e\": 0.5}}],\n"
    "  \"record\": {\"quantities\": [\"ball.q\", \"ground.lambda\"]} }\n";

static int count(void *ctx, perp_scene *scene, const perp_scene_run_info *info)
{
    (void)scene, (void)info;
    ++*(int *)ctx;
    return 0;
}

int main(void)
{
    perp_scene_error error = {.size = sizeof error};
    perp_scene_run_info info = {.size = sizeof info};
    perp_scene_system_info ball = {.size = sizeof ball};
    perp_scene_run_options options;
    perp_scene *scene;
    perp_status status = perp_scene_create_from_text(&scene, text, NULL, NULL, &error);
    double *q = NULL;
    int steps = 0, good;

    if (status != PERP_SOLVED) {
        printf("%s\n", error.text);
        return status == PERP_ERR_UNSUPPORTED ? 0 : 1;
    }
    perp_scene_run_options_init(&options, sizeof options);
    options.keep_rows = 1;
    options.progress = count;
    options.progress_ctx = &steps;
    status = perp_scene_run(scene, &options, &info);
    perp_scene_system(scene, perp_scene_find_system(scene, "ball"), &ball);
    perp_model_state(perp_scene_model(scene), ball.id, &q, NULL, NULL, NULL);
    printf("%s: %d steps, %d rows of %d columns, t = %g, height %.2e\n", perp_scene_title(scene),
           steps, perp_recorder_rows(perp_scene_recorder(scene)),
           perp_recorder_columns(perp_scene_recorder(scene)), info.t, q[0]);
    if (status != PERP_SOLVED)
        printf("%s\n", info.detail);
    good = status == PERP_SOLVED && steps == 600 && fabs(q[0]) < 1e-2 &&
           perp_recorder_rows(perp_scene_recorder(scene)) == 601;
    perp_scene_destroy(scene);
    return good ? 0 : 1;
}
