/* SPDX-License-Identifier: BSD-3-Clause */
/* What derivatives cost beside the solve, or the step, that they belong to.
 *
 *     derivative_time [ROUNDS]
 *
 * First one problem: 8 contacts with friction on 36 velocities, W dense and as a product H' M^-1 H;
 * a solve on a handle that is used again, the factors of the derivative, and its products.  Then
 * steps of six spheres with 8 contacts, and of a walker, a chain of six bodies on pivots that
 * stands on two feet with 8 contacts, under both schemes that a tape records: the step, the step
 * recorded, and the products through it, factored in each and with the factors that a product
 * before has kept ("again").  Least of so many rounds, microseconds of the processor, and the share
 * of the solve or step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/derivative.h>
#include <perp/kernel.h>
#include <perp/sim_derivative.h>

#include "bench/campaign/solve_clock.h"
#include "core/rng.h"

enum { DOFS = 36, CONTACTS = 8, ROWS = 3 * CONTACTS, CALLS = 200, STEPS = 50 };

static int rounds = 20;

/* 8 contacts: six bodies on the ground, two pairs of them. */
typedef struct contacts {
    double H[DOFS * ROWS], x[DOFS * ROWS], W[ROWS * ROWS], mass[DOFS], M_x[DOFS * DOFS], q[ROWS];
    int column[ROWS + 1], row[DOFS * ROWS];
    perp_mass *M;
    perp_problem problem;
    perp_segment set;
    double mu;
} contacts;

static void fill(contacts *p, perp_rng *rng)
{
    memset(p->H, 0, sizeof p->H);
    for (int i = 0; i < DOFS; i++)
        p->M_x[i + i * DOFS] = p->mass[i] = 1.0 + perp_rng_uniform(rng);
    for (int j = 0; j < ROWS; j++) {
        int contact = j / 3, first = 6 * (contact < 6 ? contact : contact - 6);
        for (int i = 0; i < (contact < 6 ? 6 : 12); i++)
            p->H[first + i + j * DOFS] = perp_rng_signed(rng);
    }
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < ROWS; i++) {
            double sum = 0.0;
            for (int k = 0; k < DOFS; k++)
                sum += p->H[k + i * DOFS] * p->H[k + j * DOFS] / p->mass[k];
            p->W[i + j * ROWS] = sum;
        }
    for (int j = 0; j < ROWS; j++) /* most are pressed together, and slide by some */
        p->q[j] = j % 3 == 0 ? -perp_rng_uniform(rng) : 0.6 * perp_rng_signed(rng);
}

static perp_status pose(contacts *p, int product)
{
    perp_mat M;
    p->mu = 0.5;
    p->set = (perp_segment){PERP_COULOMB, 3, CONTACTS, {&p->mu, NULL}, {0, 0}};
    p->problem = (perp_problem){.q = p->q, .seg = &p->set, .nseg = 1};
    if (!product)
        return perp_mat_init_dense(&p->problem.M, ROWS, ROWS, p->W, ROWS);
    for (int k = 0, at = 0; k < DOFS * ROWS; k++) {
        if (k % DOFS == 0)
            p->column[k / DOFS] = at;
        if (p->H[k] != 0.0) {
            p->row[at] = k % DOFS;
            p->x[at++] = p->H[k];
        }
        p->column[k / DOFS + 1] = at;
    }
    perp_status status = perp_mat_init_dense(&M, DOFS, DOFS, p->M_x, DOFS);
    if (status == PERP_SOLVED)
        status = perp_mass_create(&p->M, &M, NULL, NULL);
    return status == PERP_SOLVED
               ? perp_mat_init_delassus(&p->problem.M, DOFS, ROWS, p->column, p->row, p->x, p->M)
               : status;
}

/* Least time of a round of `calls`, each us. */
static double least(double (*once)(void *), void *ctx)
{
    double best = INFINITY;
    for (int k = 0; k < rounds; k++)
        best = fmin(best, once(ctx));
    return best;
}

typedef struct handles {
    const perp_problem *problem;
    perp_solver *solver;
    perp_derivative *derivative;
    int count, status; /* status: the first that was an error */
    double z[ROWS], w[ROWS], of[2 * ROWS * ROWS], along[ROWS * ROWS];
} handles;

static double per_call(perp_bench_stopwatch start)
{
    return 1e6 * perp_bench_seconds_since(start) / CALLS;
}

static double solves(void *ctx)
{
    handles *h = ctx;
    perp_bench_stopwatch start = perp_bench_start();
    for (int k = 0; k < CALLS; k++) {
        perp_status status = perp_solver_update(h->solver, h->problem);
        if (status == PERP_SOLVED)
            status = perp_solver_solve(h->solver, h->z, h->w, NULL);
        h->status = h->status ? h->status : status != PERP_SOLVED;
    }
    return per_call(start);
}

static double factors(void *ctx)
{
    handles *h = ctx;
    perp_bench_stopwatch start = perp_bench_start();
    for (int k = 0; k < CALLS; k++) {
        perp_status status = perp_derivative_factor(h->derivative, h->problem, h->z, NULL);
        h->status = h->status ? h->status : status != PERP_SOLVED;
    }
    return per_call(start);
}

static double forwards(void *ctx)
{
    handles *h = ctx;
    perp_tangent along = {.size = sizeof along, .q = h->along};
    perp_bench_stopwatch start = perp_bench_start();
    for (int k = 0; k < CALLS; k++)
        (void)perp_derivative_jvp(h->derivative, h->count, &along, h->of, h->of + ROWS * ROWS,
                                  NULL);
    return per_call(start);
}

static double backwards(void *ctx)
{
    handles *h = ctx;
    perp_gradient of = {.size = sizeof of, .q = h->of};
    perp_bench_stopwatch start = perp_bench_start();
    for (int k = 0; k < CALLS; k++)
        (void)perp_derivative_vjp(h->derivative, h->count, h->along, h->along, &of);
    return per_call(start);
}

static void line(const char *name, double us, double whole)
{
    printf("  %-28s %8.1f us %8.2f\n", name, us, us / whole);
}

static int time_problem(int product)
{
    static contacts p;
    static handles h;
    perp_rng rng = {7};
    perp_derivative_info info = {.size = sizeof info};
    perp_settings settings;
    memset(&p, 0, sizeof p);
    memset(&h, 0, sizeof h);
    fill(&p, &rng);
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-12;
    h.problem = &p.problem;
    for (int i = 0; i < ROWS * ROWS; i++)
        h.along[i] = perp_rng_signed(&rng);
    int bad = pose(&p, product) != PERP_SOLVED ||
              perp_solver_create(&h.solver, perp_solver_find("auto"), &settings, NULL, NULL) !=
                  PERP_SOLVED ||
              perp_solver_setup(h.solver, &p.problem) != PERP_SOLVED ||
              perp_derivative_create(&h.derivative, NULL, NULL, NULL) != PERP_SOLVED;
    if (!bad) {
        double solve = least(solves, &h), factor = least(factors, &h);
        perp_derivative_info_get(h.derivative, &info);
        printf("8 contacts, 36 velocities, W %s: %d rows, %d of them active\n",
               product ? "a product" : "dense", info.rows, info.system);
        line("solve on a handle", solve, solve);
        line("factors of the derivative", factor, solve);
        for (h.count = 1; h.count <= ROWS; h.count += ROWS - 1) {
            line(h.count == 1 ? "a direction" : "24 directions", least(forwards, &h), solve);
            line(h.count == 1 ? "a gradient" : "24 gradients", least(backwards, &h), solve);
        }
        bad = h.status != 0;
    }
    perp_derivative_destroy(h.derivative);
    perp_solver_destroy(h.solver);
    perp_mass_destroy(p.M);
    return bad;
}

/* Six spheres on a plane, the first four in two pairs that touch, thrown along it; or a walker. */
typedef struct world {
    const char *scheme;
    int walker;
    perp_model *model;
    perp_collider *collider;
    perp_sim *sim;
    perp_tape *tape;
    int recorded, backward, count, status;
    int kept; /* products after the first ones, which keep factors */
    double *in, *out;
} world;

static perp_status add_sphere(world *w, int k)
{
    const double radius = 0.1, up[3] = {0.0, 0.0, 1.0}, origin[3] = {0.0, 0.0, 0.0};
    perp_body_def def;
    perp_system_id id;
    if (k == 0 && perp_collider_add_plane(w->collider, origin, up, NULL, NULL) != PERP_SOLVED)
        return PERP_ERR_MEMORY;
    perp_body_def_init(&def, sizeof def);
    def.position[0] = (k < 4 ? 0.2 - 1e-7 : 0.5) * (k % 2);
    def.position[1] = 0.5 * (k / 2);
    def.position[2] = radius - 1e-7;
    def.velocity[1] = 0.4;
    def.angular[0] = 1.0;
    def.force[2] = -9.81;
    def.inertia[0] = def.inertia[4] = def.inertia[8] = 0.4 * radius * radius;
    perp_status status = perp_model_add_body(w->model, &def, &id, NULL);
    return status == PERP_SOLVED
               ? perp_collider_add_sphere(w->collider, id, radius, NULL, NULL, NULL)
               : status;
}

/* Body k of the walker: two feet, that are boxes with four corners on the plane, and links between
 * them, each on the one before it by a pivot. */
static perp_status add_link(world *w, int k, perp_system_id *ids)
{
    static const double height[6] = {0.02 - 1e-7, 0.2, 0.45, 0.45, 0.2, 0.02 - 1e-7};
    const double foot[3] = {0.08, 0.05, 0.02}, up[3] = {0.0, 0.0, 1.0}, origin[3] = {0.0, 0.0, 0.0};
    perp_body_def def;
    perp_interaction_def pivot;
    if (k == 0 && perp_collider_add_plane(w->collider, origin, up, NULL, NULL) != PERP_SOLVED)
        return PERP_ERR_MEMORY;
    perp_body_def_init(&def, sizeof def);
    def.position[0] = 0.15 * k;
    def.position[2] = height[k];
    def.force[2] = -9.81;
    def.inertia[0] = def.inertia[4] = def.inertia[8] = 0.01;
    perp_status status = perp_model_add_body(w->model, &def, &ids[k], NULL);
    if (status == PERP_SOLVED && k % 5 == 0)
        status = perp_collider_add_box(w->collider, ids[k], foot, NULL, NULL);
    if (status != PERP_SOLVED || k == 0)
        return status;
    perp_interaction_def_init(&pivot, sizeof pivot);
    pivot.systems = &ids[k - 1];
    pivot.nsystems = 2;
    pivot.relation.kind = PERP_RELATION_JOINT;
    pivot.relation.joint = PERP_JOINT_PIVOT;
    pivot.relation.rows = 5;
    pivot.relation.anchor[0] = 0.15 * k - 0.075;
    pivot.relation.anchor[2] = 0.5 * (height[k] + height[k - 1]);
    pivot.relation.axis[1] = 1.0;
    pivot.law = perp_law_equality();
    return perp_model_add_interaction(w->model, &pivot, NULL, NULL);
}

static perp_status open_world(world *w)
{
    perp_system_id ids[6];
    perp_sim_options options;
    perp_settings settings;
    perp_scheme scheme;
    perp_status status = perp_model_create(&w->model, NULL);
    if (status == PERP_SOLVED)
        status = perp_collider_create(&w->collider, w->model, NULL);
    if (status == PERP_SOLVED)
        status = perp_collider_set_material(w->collider, 0, 0, 0.0, 0.5);
    for (int k = 0; k < 6 && status == PERP_SOLVED; k++)
        status = w->walker ? add_link(w, k, ids) : add_sphere(w, k);
    perp_sim_options_init(&options, sizeof options);
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-12;
    options.settings = &settings;
    options.h = 1e-3;
    if (status == PERP_SOLVED)
        status = perp_sim_create(&w->sim, w->model, &options, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_scheme_init(&scheme, w->scheme, sizeof scheme);
    if (status == PERP_SOLVED)
        status = perp_sim_set_scheme(w->sim, (perp_system_id){0, 0}, &scheme);
    if (status == PERP_SOLVED)
        perp_sim_set_before_step(w->sim, perp_collider_step, w->collider);
    perp_tape_settings tape;
    perp_tape_settings_init(&tape, sizeof tape);
    tape.factors = w->kept ? tape.factors : 0;
    if (status == PERP_SOLVED && w->recorded)
        status = perp_tape_create(&w->tape, w->sim, &tape, NULL, NULL);
    return status;
}

static void close_world(world *w)
{
    perp_tape_destroy(w->tape);
    perp_sim_destroy(w->sim);
    perp_collider_destroy(w->collider);
    perp_model_destroy(w->model);
    w->tape = NULL;
    w->sim = NULL;
    w->collider = NULL;
    w->model = NULL;
}

/* Steps from the start; the world stays open where it is recorded. */
static double steps(void *ctx)
{
    world *w = ctx;
    close_world(w);
    perp_status status = open_world(w);
    perp_bench_stopwatch start = perp_bench_start();
    for (int k = 0; k < STEPS && status == PERP_SOLVED; k++)
        status = perp_sim_step(w->sim);
    double us = 1e6 * perp_bench_seconds_since(start) / STEPS;
    w->status = w->status ? w->status : status != PERP_SOLVED;
    return us;
}

static double products(void *ctx)
{
    world *w = ctx;
    perp_tape_tangent along = {.size = sizeof along, .v = w->in};
    perp_tape_gradient of = {.size = sizeof of, .q = w->out, .v = w->out + DOFS * DOFS};
    perp_bench_stopwatch start = perp_bench_start();
    perp_status status = w->backward ? perp_tape_vjp(w->tape, w->count, 0, NULL, w->in, &of, NULL)
                                     : perp_tape_jvp(w->tape, w->count, &along, 0, w->out,
                                                     w->out + DOFS * DOFS, NULL, NULL);
    w->status = w->status ? w->status : status < 0;
    return 1e6 * perp_bench_seconds_since(start) / STEPS;
}

static void time_products(world *w, double step)
{
    static const char *const names[2][2][2] = {
        {{"a direction", "a gradient"}, {"36 directions", "36 gradients"}},
        {{"a direction, again", "a gradient, again"},
         {"36 directions, again", "36 gradients, again"}}};
    for (w->count = 1; w->count <= DOFS && !w->status; w->count += DOFS - 1)
        for (w->backward = 0; w->backward < 2; w->backward++)
            line(names[w->kept][w->count > 1][w->backward], least(products, w), step);
}

static int time_steps(const char *scheme, int walker)
{
    static double in[DOFS * DOFS], out[2 * DOFS * DOFS];
    world w = {.scheme = scheme, .walker = walker, .in = in, .out = out};
    perp_tape_info info = {.size = sizeof info};
    for (int i = 0; i < DOFS; i++)
        in[i + i * DOFS] = 1.0;
    double step = least(steps, &w);
    printf("%s, %s: %d rows\n", walker ? "a walker" : "six spheres", scheme,
           w.status ? 0 : perp_sim_info(w.sim)->rows);
    line("step", step, step);
    w.recorded = 1;
    line("step, recorded", least(steps, &w), step);
    perp_tape_info_get(w.tape, &info);
    w.status = w.status || info.status != PERP_SOLVED;
    for (w.kept = 0; w.kept < 2 && info.status == PERP_SOLVED; w.kept++) {
        if (w.kept)
            (void)steps(&w);
        time_products(&w, step);
    }
    if (info.status != PERP_SOLVED)
        printf("  the tape ended: %s\n", info.detail);
    close_world(&w);
    return w.status;
}

int main(int argc, char **argv)
{
    rounds = argc > 1 ? atoi(argv[1]) : rounds;
    if (argc > 2 || rounds < 1) {
        fprintf(stderr, "derivative_time [ROUNDS]\n");
        return 2;
    }
    int bad = time_problem(0);
    bad |= time_problem(1);
    for (int walker = 0; walker < 2; walker++) {
        bad |= time_steps("moreau-jean", walker);
        bad |= time_steps("discrete-gradient", walker);
    }
    if (bad)
        fprintf(stderr, "derivative_time: not all of it was solved\n");
    return bad;
}
