/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of the steps of scenes, without output:
 *
 *     bench/scene_time [--cpu N] [--rounds N] [--until T] SCENE.json...
 *
 * A line for each scene: microseconds a step (least of the rounds), what a step takes of Newton
 * iterates and solves, and a number that differs where the end states do. */
#include <perp/scene.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"

typedef struct counts {
    long steps, newton, solves, rows;
    int most_rows;
    double seconds, end; /* end: of the states */
} counts;

static double end_of(perp_scene *scene)
{
    perp_model *model = perp_scene_model(scene);
    double sum = 0.0;
    int number = 0;
    for (int k = 0; k < perp_scene_systems(scene); k++) {
        perp_scene_system_info info = {.size = sizeof info};
        if (perp_scene_system(scene, k, &info) != PERP_SOLVED || info.kind == PERP_SCENE_FIXED)
            continue;
        double *x = NULL;
        (void)perp_model_state(model, info.id, &x, NULL, NULL, NULL);
        for (int i = 0; x && i < info.nx; i++)
            sum += x[i] * (1.0 + (number++ % 7));
    }
    return sum;
}

static int run(const char *path, double until, counts *c)
{
    perp_scene *scene;
    perp_scene_error error = {.size = sizeof error};
    perp_scene_options options;
    perp_status status = PERP_SOLVED;
    perp_scene_options_init(&options, sizeof options);
    options.until = until;
    if (perp_scene_create_from_file(&scene, path, &options, NULL, &error) != PERP_SOLVED) {
        fprintf(stderr, "%s\n", error.text);
        return -1;
    }
    perp_sim *sim = perp_scene_sim(scene);
    double h = perp_scene_step(scene);
    long n = lround((perp_scene_until(scene) - perp_scene_t0(scene)) / h);
    *c = (counts){.steps = n};
    for (long k = 0; k < n && status >= 0; k++) {
        double start = perp_measure_now();
        status = perp_sim_step(sim);
        c->seconds += perp_measure_now() - start;
        const perp_step_info *info = perp_sim_info(sim);
        c->newton += info->newton;
        c->solves += info->solves;
        c->rows += info->rows;
        c->most_rows = info->rows > c->most_rows ? info->rows : c->most_rows;
    }
    if (status < 0)
        fprintf(stderr, "%s: %s\n", path, perp_sim_info(sim)->detail);
    c->end = end_of(scene);
    perp_scene_destroy(scene);
    return status < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
    int rounds = 3, cpu = -1;
    double until = NAN;
    printf("%-28s %8s %10s %8s %8s %8s %8s  %s\n", "scene", "steps", "us/step", "Newton", "solves",
           "rows", "most", "end");
    for (int k = 1; k < argc; k++) {
        counts c, best = {.seconds = HUGE_VAL};
        if (k + 1 < argc && strcmp(argv[k], "--cpu") == 0) {
            cpu = atoi(argv[++k]);
            continue;
        }
        if (k + 1 < argc && strcmp(argv[k], "--rounds") == 0) {
            rounds = atoi(argv[++k]);
            continue;
        }
        if (k + 1 < argc && strcmp(argv[k], "--until") == 0) {
            until = strtod(argv[++k], NULL);
            continue;
        }
        if (perp_measure_pin(cpu))
            return 2;
        for (int r = 0; r < rounds; r++) {
            if (run(argv[k], until, &c))
                return 1;
            if (c.seconds < best.seconds)
                best = c;
        }
        double n = (double)best.steps;
        const char *name = strrchr(argv[k], '/') ? strrchr(argv[k], '/') + 1 : argv[k];
        printf("%-28s %8ld %10.2f %8.2f %8.2f %8.1f %8d  %.12g\n", name, best.steps,
               1e6 * best.seconds / n, (double)best.newton / n, (double)best.solves / n,
               (double)best.rows / n, best.most_rows, best.end);
        fflush(stdout);
    }
    return 0;
}
