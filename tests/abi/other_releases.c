/* SPDX-License-Identifier: BSD-3-Clause */
/* Structs of older releases, which end earlier, and of newer ones, which go on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#define CHECK(truth)                                                                               \
    do {                                                                                           \
        if (!(truth)) {                                                                            \
            printf("line %d: %s\n", __LINE__, #truth);                                             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* The first fields of an info and of settings, as if nothing else had been there yet. */
typedef struct old_info {
    size_t size;
    perp_status status;
    const char *solver;
    int iterations;
} old_info;
typedef struct old_settings {
    size_t size;
    perp_progress_fn progress;
    void *progress_ctx;
    double tol;
    int max_iter;
} old_settings;
typedef struct new_info {
    perp_info info;
    double later[200];
} new_info;
typedef struct new_settings {
    perp_settings settings;
    double later[8];
} new_settings;

int main(void)
{
    const double M[1] = {2.0}, q[1] = {-2.0};
    const perp_segment row = {PERP_NONNEG, 1, 1, {NULL, NULL}, {0, 0}};
    perp_problem problem = {.q = q, .seg = &row, .nseg = 1};
    double z[1], w[1];
    perp_mat_init_dense(&problem.M, 1, 1, M, 1);

    struct {
        old_info info;
        char behind[600];
    } old = {.info = {.size = sizeof(old_info)}};
    struct {
        old_settings settings;
        char behind[600];
    } few;
    memset(old.behind, 'x', sizeof old.behind);
    memset(&few, 'x', sizeof few);
    perp_settings_init((perp_settings *)&few.settings, sizeof few.settings);
    CHECK(few.settings.tol == 1e-8 && few.behind[0] == 'x' && few.behind[599] == 'x');
    CHECK(perp_settings_set((perp_settings *)&few.settings, "tol", "1e-9") == PERP_SOLVED);
    CHECK(perp_settings_set((perp_settings *)&few.settings, "sweep", "symmetric") ==
          PERP_ERR_SETTING);
    CHECK(perp_solve("gs", &problem, (perp_settings *)&few.settings, z, w,
                     (perp_info *)&old.info) == PERP_SOLVED);
    CHECK(old.info.size == sizeof(old_info) && old.info.status == PERP_SOLVED && old.info.solver);
    for (size_t k = 0; k < sizeof old.behind; k++)
        CHECK(old.behind[k] == 'x' && few.behind[k] == 'x');

    new_info info;
    new_settings settings;
    memset(&info, 'x', sizeof info);
    memset(&settings, 'x', sizeof settings);
    info.info.size = sizeof info;
    perp_settings_init(&settings.settings, sizeof settings);
    CHECK(perp_solve("gs", &problem, &settings.settings, z, w, &info.info) == PERP_SOLVED);
    for (int k = 0; k < 200; k++)
        CHECK(info.later[k] == 0.0);
    settings.later[7] = 1.0; /* a setting that this library does not know */
    CHECK(perp_solve("gs", &problem, &settings.settings, z, w, &info.info) == PERP_ERR_SETTING);
    CHECK(strcmp(info.info.where.what, "size") == 0);

    perp_info garbage;
    memset(&garbage, 0x5a, sizeof garbage);
    CHECK(perp_solve("gs", &problem, NULL, z, w, &garbage) == PERP_ERR_ARGUMENT);
    return 0;
}
