/* SPDX-License-Identifier: BSD-3-Clause */
/* A host that test_fast_math.sh compiles with and without -ffast-math: every solver on problems of
 * every kind, and a scene.  It prints bits, and computes nothing itself: what it gives to the
 * libraries are whole numbers, powers of two, infinite bounds, a denormal number and a NaN. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <perp/numerics.h>
#include <perp/scene.h>

enum { MOST = 12 };

static void show(const char *name, const double *x, int count)
{
    printf(" %s", name);
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        printf(" %016llx", (unsigned long long)bits);
    }
}

static void solve(const char *name, const perp_problem *p, const perp_settings *settings)
{
    int n = p->M.rows;
    for (int k = 0; perp_solver_at(k) != NULL; k++) {
        const char *solver = perp_solver_name(perp_solver_at(k));
        double z[MOST] = {0.0}, w[MOST] = {0.0};
        perp_info info = {.size = sizeof info};
        if (!perp_solver_fits(perp_solver_at(k), p))
            continue;
        perp_status status = perp_solve(solver, p, settings, z, w, &info);
        printf("%s by %s: %s, %d iterations,", name, solver, perp_status_name(status),
               info.iterations);
        show("z", z, n);
        show("w", w, n);
        show("error", &info.error, 1);
        show("reach", &info.reach, 1);
        printf("\n");
    }
}

/* The matrix of a chain of rows, a pair of contacts in space, bounds of which some are infinite,
 * two walls that press, a q that is almost nothing, and one that is no number. */
static void problems(void)
{
    static double M[MOST * MOST], q[MOST], low[MOST], high[MOST];
    static const double mu = 0.5;
    volatile double none = NAN;
    perp_segment seg = {.set = PERP_NONNEG, .dim = 1, .count = 6};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.max_iter = 2000;
    for (int i = 0; i < 6; i++) {
        M[i + 6 * i] = 4.0;
        if (i > 0)
            M[i + 6 * (i - 1)] = M[i - 1 + 6 * i] = -1.0;
        q[i] = i % 2 ? 0.25 : -1.0;
        low[i] = i % 3 ? -0.125 : -INFINITY;
        high[i] = i % 2 ? 0.25 : INFINITY;
    }
    perp_mat_init_dense(&p.M, 6, 6, M, 6);
    solve("chain", &p, &settings);
    seg =
        (perp_segment){.set = PERP_BOX, .dim = 1, .count = 6, .par = {low, high}, .stride = {1, 1}};
    solve("bounds", &p, &settings);
    seg = (perp_segment){
        .set = PERP_COULOMB, .dim = 3, .count = 2, .par = {&mu, NULL}, .stride = {0, 0}};
    solve("contacts", &p, &settings);
    static const double little[6] = {-0x1p-1050, 0x1p-1052, -0x1p-1051,
                                     -0x1p-1050, 0x1p-1050, 0x1p-1053};
    p.q = little;
    solve("almost nothing", &p, &settings);
    p.q = q;
    q[1] = none;
    solve("no number", &p, &settings);
    static const double walls[4] = {1.0, -1.0, -1.0, 1.0}, press[2] = {-1.0, -1.0};
    seg = (perp_segment){.set = PERP_NONNEG, .dim = 1, .count = 2};
    p.q = press;
    perp_mat_init_dense(&p.M, 2, 2, walls, 2);
    solve("walls", &p, &settings);
}

static int scene(void)
{
    static const char text[] =
        "{\"version\": 1, \"time\": {\"until\": 0.5, \"step\": 0.01}, \"gravity\": [0, 0, -9.81], "
        "\"bodies\": [\n"
        "{\"name\": \"f\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}},\n"
        "{\"name\": \"b\", \"mass\": 1, \"position\": [0, 0, 0.3], \"velocity\": [1, 0, 0],\n"
        "\"shape\": {\"type\": \"box\", \"sides\": [0.2, 0.2, 0.2]}}], \"contacts\": {\"mu\": "
        "0.3}}";
    perp_scene_error error = {.size = sizeof error};
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};
    perp_scene *made = NULL;
    perp_status status = perp_scene_create_from_text(&made, text, NULL, NULL, &error);
    if (status == PERP_ERR_UNSUPPORTED)
        return 0;
    if (status != PERP_SOLVED)
        return 1;
    perp_scene_run_options_init(&options, sizeof options);
    options.keep_rows = 1;
    status = perp_scene_run(made, &options, &info);
    perp_recorder *rows = perp_scene_recorder(made);
    printf("scene: %s, %ld steps, %ld not solved,", perp_status_name(status), info.steps,
           info.unsolved);
    show("rows", perp_recorder_data(rows), perp_recorder_rows(rows) * perp_recorder_columns(rows));
    printf("\n");
    perp_scene_destroy(made);
    return 0;
}

int main(void)
{
    problems();
    return scene();
}
