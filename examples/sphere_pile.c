/* SPDX-License-Identifier: BSD-3-Clause */
/* Spheres rain into a box of planes and come to rest: contacts are found by the grid of
 * <perp/collide.h> before each step, and warm starts follow them.
 *
 *     sphere_pile [FILE.csv] */
#include <math.h>
#include <perp/kernel.h>
#include <stdio.h>

enum { WIDE = 5, LAYERS = 5, SPHERES = WIDE * WIDE * LAYERS };
static const double R = 0.05, g = 9.81, side = 0.55;

static perp_status make_box(perp_collider *collider)
{
    const double normal[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    perp_status status = perp_collider_set_material(collider, 0, 0, 0.1, 0.4);
    for (int k = 0; k < 5 && status == PERP_SOLVED; k++) {
        const double point[3] = {k == 2 ? side : 0, k == 4 ? side : 0, 0};
        status = perp_collider_add_plane(collider, point, normal[k], NULL, NULL);
    }
    return status;
}

/* Layers on top of each other, shifted to and fro by a little. */
static perp_status add_sphere(perp_model *model, perp_collider *collider, int k, perp_system_id *id)
{
    int layer = k / (WIDE * WIDE), i = k / WIDE % WIDE, j = k % WIDE;
    double shift = R * (layer % 2 ? 1.05 : 1.35) + 1e-3 * ((i + 2 * j) % 3);
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    def.position[0] = shift + 2.08 * R * i;
    def.position[1] = shift + 2.08 * R * j;
    def.position[2] = R * (2 + 2.3 * layer);
    def.force[2] = -g;
    def.inertia[0] = def.inertia[4] = def.inertia[8] = 0.4 * R * R;
    perp_status status = perp_model_add_body(model, &def, id, NULL);
    return status == PERP_SOLVED ? perp_collider_add_sphere(collider, *id, R, NULL, NULL, NULL)
                                 : status;
}

static double energy(perp_model *model, const perp_system_id *spheres)
{
    double sum = 0, one;
    for (int k = 0; k < SPHERES; k++)
        if (perp_model_kinetic_energy(model, spheres[k], 0, &one) == PERP_SOLVED)
            sum += one;
    return sum;
}

static void write_centres(FILE *csv, perp_model *model, const perp_system_id *spheres, double t)
{
    double *q;
    for (int k = 0; k < SPHERES; k++)
        if (perp_model_state(model, spheres[k], &q, NULL, NULL, NULL) == PERP_SOLVED)
            fprintf(csv, "%.9g,%d,%.9g,%.9g,%.9g\n", t, k, q[0], q[1], q[2]);
}

int main(int argc, char **argv)
{
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    perp_model *model = NULL;
    perp_sim *sim = NULL;
    perp_collider *collider = NULL;
    perp_sim_options options;
    perp_settings settings;
    perp_system_id spheres[SPHERES];
    double at_most = 0;
    long iterations = 0, halvings = 0;

    perp_sim_options_init(&options, sizeof options);
    perp_settings_init(&settings, sizeof settings);
    options.settings = &settings;
    options.h = 2e-3;
    options.solver = "gs";
    settings.tol = 1e-3;
    settings.max_iter = 500;
    perp_status status = perp_model_create(&model, NULL);
    if (status == PERP_SOLVED)
        status = perp_collider_create(&collider, model, NULL);
    if (status == PERP_SOLVED)
        status = make_box(collider);
    for (int k = 0; k < SPHERES && status == PERP_SOLVED; k++)
        status = add_sphere(model, collider, k, &spheres[k]);
    if (status == PERP_SOLVED)
        status = perp_sim_create(&sim, model, &options, NULL, NULL);
    if (status == PERP_SOLVED)
        perp_sim_set_before_step(sim, perp_collider_step, collider);
    if (csv)
        fprintf(csv, "t,sphere,x,y,z\n");
    while (status == PERP_SOLVED && perp_sim_time(sim) < 1.2) {
        status = perp_sim_step(sim);
        const perp_step_info *info = perp_sim_info(sim);
        halvings += info->halvings;
        iterations += info->rows > 0 ? info->solver->iterations : 0;
        at_most = fmax(at_most, energy(model, spheres));
        if (csv && info->step % 100 == 1)
            write_centres(csv, model, spheres, info->t);
    }
    if (csv)
        fclose(csv);
    int wrong = status != PERP_SOLVED || energy(model, spheres) > 0.01 * at_most;
    if (status != PERP_SOLVED)
        fprintf(stderr, "sphere_pile: %s\n", perp_status_text(status));
    else
        printf("%d spheres, %d contacts at the end, deepest %.2f %% of R; kinetic energy %.2g J, "
               "at most %.2g J before; %ld sweeps, %ld steps halved\n",
               SPHERES, perp_sim_info(sim)->active, 100 * perp_sim_info(sim)->violation / R,
               energy(model, spheres), at_most, iterations, halvings);
    perp_sim_destroy(sim);
    perp_collider_destroy(collider);
    perp_model_destroy(model);
    return wrong;
}
