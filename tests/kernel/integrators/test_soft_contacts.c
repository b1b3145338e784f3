/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts that give way: springs with dampers against closed forms and an integration of their own,
 * relative compliance against the matrix that it should make, both in every form of the problem. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/kernel.h>

static const char *const both[] = {"discrete-gradient", "moreau-jean"};
static const double gravity = 9.81;

enum { CORNERS = 4, BOXES = 6 };

/* A corner of the upper box over the top of the lower one, or over the plane z = 0. */
typedef struct corner {
    double at[3], half;
} corner;

static int corner_over_top(perp_contact_point *point, double t, const double *q_a,
                           const double *q_b, const double *z, void *user)
{
    static const double up[] = {0.0, 0.0, 1.0}, still[] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    const corner *c = user;
    double arm[3], top = q_b ? c->half : 0.0;
    (void)t, (void)z;
    q_b = q_b ? q_b : still;
    perp_quaternion_rotate(q_a + 3, c->at, arm);
    perp_quaternion_rotate(q_b + 3, up, point->normal);
    point->gap = -top;
    for (int i = 0; i < 3; i++) {
        point->point_a[i] = q_a[i] + arm[i];
        point->gap += (point->point_a[i] - q_b[i]) * point->normal[i];
    }
    for (int i = 0; i < 3; i++)
        point->point_b[i] = point->point_a[i] - point->gap * point->normal[i];
    return 0;
}

typedef struct rig {
    perp_model *model;
    perp_sim *sim;
    perp_system_id box[BOXES];
    perp_interaction_id contact[BOXES * CORNERS];
    corner corner[CORNERS];
    int boxes;
} rig;

/* Boxes of mass 1 and half width 1/2 one on the other, the lowest `above` the plane.  pull: their
 * weight, of which the normal part is along z. */
static void build(rig *r, int boxes, double above, double v, const double *pull, perp_law law)
{
    static const double half = 0.5;
    memset(r, 0, sizeof *r);
    r->boxes = boxes;
    ck_assert_int_eq(perp_model_create(&r->model, NULL), PERP_SOLVED);
    for (int c = 0; c < CORNERS; c++)
        r->corner[c] = (corner){{c & 1 ? half : -half, c & 2 ? half : -half, -half}, half};
    for (int b = 0; b < boxes; b++) {
        perp_body_def def;
        perp_body_def_init(&def, sizeof def);
        def.mass = 1.0;
        for (int i = 0; i < 3; i++) {
            def.inertia[4 * i] = 1.0 / 6.0;
            def.force[i] = pull[i];
        }
        def.position[2] = half + 2.0 * half * b + above;
        def.position[0] = 0.01 * (b % 2);
        def.velocity[2] = v;
        ck_assert_int_eq(perp_model_add_body(r->model, &def, &r->box[b], NULL), PERP_SOLVED);
        for (int c = 0; c < CORNERS; c++) {
            perp_interaction_def link;
            perp_system_id pair[2] = {r->box[b], b ? r->box[b - 1] : r->box[b]};
            perp_interaction_def_init(&link, sizeof link);
            link.relation.kind = PERP_RELATION_CONTACT;
            link.relation.rows = law.dim;
            link.relation.contact = corner_over_top;
            link.relation.user = &r->corner[c];
            link.systems = pair;
            link.nsystems = b ? 2 : 1;
            link.law = law;
            ck_assert_int_eq(perp_model_add_interaction(r->model, &link,
                                                        &r->contact[b * CORNERS + c], NULL),
                             PERP_SOLVED);
        }
    }
}

static void start(rig *r, const char *scheme, double h, perp_form form, double tol)
{
    perp_sim_options options;
    perp_scheme s;
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tol;
    perp_sim_options_init(&options, sizeof options);
    options.h = h;
    options.form = form;
    options.settings = &settings;
    ck_assert_int_eq(perp_sim_create(&r->sim, r->model, &options, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_scheme_init(&s, scheme, sizeof s), PERP_SOLVED);
    for (int b = 0; b < r->boxes; b++)
        ck_assert_int_eq(perp_sim_set_scheme(r->sim, r->box[b], &s), PERP_SOLVED);
}

static void stop(rig *r)
{
    perp_sim_destroy(r->sim);
    perp_model_destroy(r->model);
}

static double *state(rig *r, int b, double **v)
{
    double *q = NULL;
    ck_assert_int_eq(perp_model_state(r->model, r->box[b], &q, v, NULL, NULL), PERP_SOLVED);
    return q;
}

static void output(rig *r, int k, const double **y, const double **lambda)
{
    ck_assert_int_eq(perp_model_output(r->model, r->contact[k], y, NULL, lambda, NULL, NULL),
                     PERP_SOLVED);
}

static double figure(rig *r, const char *name)
{
    perp_figure f = {.size = sizeof f};
    for (int k = 0; perp_sim_figure(r->sim, k, &f, sizeof f) == PERP_SOLVED; k++)
        if (strcmp(f.name, name) == 0)
            return f.known ? f.value : -1.0;
    ck_abort_msg("no figure %s", name);
    return 0.0;
}

static const double down[3] = {0.0, 0.0, -9.81};

/* Overlap F/k, force m g, and nothing moves; the lowest of a stack carries all. */
START_TEST(overlap_at_rest)
{
    rig r;
    double h = 0.01, k = 4e4, d = 800.0;
    build(&r, 3, 0.0, 0.0, down, perp_law_soft_contact(3, k, d, 0.5));
    start(&r, both[_i], h, PERP_FORM_AUTO, 1e-10);
    for (int n = 0; n < 400; n++)
        ck_assert_int_eq(perp_sim_step(r.sim), PERP_SOLVED);
    for (int b = 0; b < 3; b++) {
        double sum = 0.0, deep = 0.0, F = gravity * (3 - b);
        for (int c = 0; c < CORNERS; c++) {
            const double *y, *lambda;
            output(&r, b * CORNERS + c, &y, &lambda);
            ck_assert_double_eq_tol(lambda[0], -h * k * y[0], 1e-6 * h * F);
            sum += lambda[0];
            deep -= y[0];
        }
        ck_assert_double_eq_tol(sum, h * F, 1e-6 * h * F);
        ck_assert_double_eq_tol(deep, F / k, 1e-6 * F / k);
    }
    ck_assert_double_ge(figure(&r, "compliance"), 0.75 * gravity / k / 0.5);
    ck_assert_double_le(figure(&r, "law"), 1e-6);
    ck_assert_double_le(figure(&r, "contact_work"), 1e-6);
    ck_assert_double_le(figure(&r, "energy"), 1e-6);
    ck_assert_double_le(figure(&r, "rises"), 1e-6);
    stop(&r);
}
END_TEST

/* Boxes that touch each other and fall: what springs make of the rounding of their gaps is no breach of
 * a law; it holds when they land, too. */
START_TEST(falling_together)
{
    rig r;
    build(&r, 3, 0.002, 0.0, down, perp_law_soft_contact(3, 1e5, 100.0, 0.5));
    start(&r, both[_i], 2e-3, PERP_FORM_AUTO, 1e-10);
    for (int n = 0; n < 100; n++)
        ck_assert_int_eq(perp_sim_step(r.sim), PERP_SOLVED);
    ck_assert_double_le(figure(&r, "law"), 1e-6);
    ck_assert_double_le(figure(&r, "contact_work"), 1e-6);
    stop(&r);
}
END_TEST

/* Speed with which a mass leaves a spring with damper that only press, by small steps of the
 * classical Runge-Kutta method. */
static double rebound(double k, double d, double v)
{
    double y = 0.0, t = 1e-7 / sqrt(k);
    for (long n = 0; n < 200000000L; n++) {
        double a[4], s[4], dy = 0.0, dv = 0.0;
        static const double at[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
        double step = 1e4 * t;
        for (int i = 0; i < 4; i++) {
            double yi = y + (i ? at[i] * step * s[i - 1] : 0.0);
            s[i] = v + (i ? at[i] * step * a[i - 1] : 0.0);
            a[i] = fmax(0.0, -k * yi - d * s[i]);
            dy += weight[i] * s[i] * step / 6.0;
            dv += weight[i] * a[i] * step / 6.0;
        }
        y += dy;
        v += dv;
        if (v > 0.0 && -k * y - d * v <= 0.0)
            return v;
    }
    ck_abort_msg("no rebound");
    return 0.0;
}

/* Without weight: the speed after one impact, to the order of the step; never more than without
 * steps where the spring is taken at the end of a step. */
START_TEST(speed_of_rebound)
{
    static const double still[3] = {0.0, 0.0, 0.0};
    double k = 1e4, zeta = _i / 2 * 0.25, d = 2.0 * zeta * sqrt(k), before = 1.0;
    double exact = rebound(k, d, -1.0), error[2];
    for (int n = 0; n < 2; n++) {
        rig r;
        double h = (n ? 5e-5 : 2e-4), *v = NULL;
        build(&r, 1, 0.00333, -before, still,
              perp_law_soft_contact(3, k / 4.0, d / 4.0, 0.0));
        start(&r, both[_i % 2], h, PERP_FORM_AUTO, 1e-10);
        for (int m = 0; m * h < 0.06; m++)
            ck_assert_int_eq(perp_sim_step(r.sim), PERP_SOLVED);
        state(&r, 0, &v);
        error[n] = fabs(v[2] - exact);
        ck_assert_double_le(v[2], exact + 0.5 * h * sqrt(k));
        ck_assert_double_le(figure(&r, "contact_work"), 1e-9);
        stop(&r);
    }
    ck_assert_msg(error[0] <= 3e-2 && error[1] <= 0.35 * error[0] + 1e-4, "%g, then %g", error[0],
                  error[1]);
}
END_TEST

/* Pressed all the time and taken half way, the spring keeps the energy exactly; taken at the end it
 * only loses. */
START_TEST(energy_of_the_spring)
{
    rig r;
    double k = 1e4, h = 2e-3, first = 0.0, before = 0.0;
    perp_law law = perp_law_soft_contact(1, k / 4.0, 0.0, 0.0);
    law.place = _i ? 0.0 : 0.5;
    build(&r, 1, -1.9 * gravity / k, 0.0, down, law);
    start(&r, "discrete-gradient", h, PERP_FORM_AUTO, 1e-12);
    for (int n = 0; n < 300; n++) {
        double *v = NULL, *q = state(&r, 0, &v), y = q[2] - 0.5;
        double E = 0.5 * v[2] * v[2] + gravity * y + 0.5 * k * y * y;
        ck_assert_double_lt(y, 0.0);
        if (n == 0)
            first = before = E;
        if (_i == 0)
            ck_assert_double_eq_tol(E, first, 1e-12);
        ck_assert_double_le(E, before + 1e-12);
        before = E;
        ck_assert_int_eq(perp_sim_step(r.sim), PERP_SOLVED);
    }
    if (_i)
        ck_assert_double_lt(before, first - 1e-4 * fabs(first));
    stop(&r);
}
END_TEST

/* Coulomb's law with the force of the spring: rests below the friction angle, slides above it. */
START_TEST(slope)
{
    double angle = _i / 2 ? 0.5 : 0.3, mu = 0.4, h = 2e-3;
    const double pull[3] = {gravity * sin(angle), 0.0, -gravity * cos(angle)};
    rig r;
    build(&r, 1, -gravity * cos(angle) / 4e4, 0.0, pull, perp_law_soft_contact(3, 1e4, 400.0, mu));
    start(&r, both[_i % 2], h, PERP_FORM_AUTO, 1e-10);
    for (int n = 0; n < 500; n++)
        ck_assert_int_eq(perp_sim_step(r.sim), PERP_SOLVED);
    double *v = NULL, *q = state(&r, 0, &v), slides = fmax(0.0, sin(angle) - mu * cos(angle));
    ck_assert_double_eq_tol(v[0], gravity * slides * 1.0, 2e-3);
    ck_assert_double_eq_tol(q[0], 0.5 * gravity * slides, 4e-3);
    ck_assert_double_le(figure(&r, "law"), 1e-5);
    stop(&r);
}
END_TEST

/* Largest eigenvalue of a block by powers. */
static double norm_of(const double *A, int ld)
{
    double x[3] = {1.0, 0.7, 0.4}, size = 0.0;
    for (int n = 0; n < 20000; n++) {
        double y[3];
        for (int i = 0; i < 3; i++)
            y[i] = A[i] * x[0] + A[i + ld] * x[1] + A[i + 2 * ld] * x[2];
        size = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
        for (int i = 0; i < 3; i++)
            x[i] = y[i] / size;
    }
    return size;
}

/* The matrix of a problem, column by column. */
static void dense(double *M, const perp_problem *problem)
{
    int n = problem->M.rows;
    double *unit = calloc((size_t)n, sizeof *unit),
           *scratch = calloc(perp_mat_scratch(&problem->M) + 1, sizeof *scratch);
    for (int j = 0; j < n; j++) {
        unit[j] = 1.0;
        ck_assert_int_eq(perp_mat_apply(&problem->M, unit, scratch, M + j * n), PERP_SOLVED);
        unit[j] = 0.0;
    }
    free(unit);
    free(scratch);
}

static perp_law relative(double eps)
{
    perp_law law = perp_law_friction(3, 0.0, 0.5);
    law.relative_compliance = eps;
    return law;
}

/* M is that of rigid contacts with eps |W_ii| on the diagonal, q has - eps |W_ii| z_prev more; in
 * every form of the problem.  The falling stack is turned a little, so that blocks are full. */
START_TEST(matrix_of_a_relative_compliance)
{
    static const perp_form forms[] = {PERP_FORM_DENSE, PERP_FORM_CSC, PERP_FORM_BSR,
                                      PERP_FORM_DELASSUS};
    enum { N = 12 * BOXES };
    static double M[2][N * N], q[2][N], z[N];
    const double eps = 1e-3;
    for (int soft = 0; soft < 2; soft++) {
        rig r;
        perp_problem problem;
        const double *found, *w;
        build(&r, BOXES, 0.0, 0.0, down, relative(soft ? eps : 0.0));
        start(&r, both[_i % 2], 1e-3, forms[_i / 2], 1e-12);
        ck_assert_int_eq(perp_sim_step(r.sim), PERP_SOLVED);
        ck_assert_int_eq(perp_sim_last_problem(r.sim, &problem, &found, &w), PERP_SOLVED);
        ck_assert_int_eq(problem.M.rows, N);
        dense(M[soft], &problem);
        memcpy(q[soft], problem.q, sizeof q[soft]);
        if (soft) { /* the same step once more, from z */
            double *v, *x, was[7], speed[6];
            memcpy(z, found, sizeof z);
            for (int b = 0; b < BOXES; b++) {
                x = state(&r, b, &v);
                memcpy(was, x, sizeof was);
                memset(speed, 0, sizeof speed);
                was[0] = 0.01 * (b % 2);
                was[1] = 0.0;
                was[2] = 0.5 + b;
                was[3] = 1.0;
                was[4] = was[5] = was[6] = 0.0;
                memcpy(x, was, sizeof was);
                memcpy(v, speed, sizeof speed);
            }
            perp_model_changed(r.model);
            ck_assert_int_eq(perp_sim_step(r.sim), PERP_SOLVED);
            ck_assert_int_eq(perp_sim_last_problem(r.sim, &problem, &found, &w), PERP_SOLVED);
            for (int i = 0; i < N; i++) {
                double size = eps * norm_of(M[0] + i / 3 * 3 * (N + 1), N);
                ck_assert_double_eq_tol(problem.q[i] - q[1][i], -size * z[i], 1e-9 * size);
            }
        }
        stop(&r);
    }
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double size = i == j ? eps * norm_of(M[0] + i / 3 * 3 * (N + 1), N) : 0.0;
            ck_assert_double_eq_tol(M[1][i + j * N] - M[0][i + j * N], size, 1e-8);
        }
}
END_TEST

/* What rests is where rigid contacts leave it; the impulses are the same from step to step and add
 * up to the weights. */
START_TEST(no_bias_at_rest)
{
    rig r;
    double h = 5e-3, before[12 * BOXES];
    build(&r, BOXES, 0.0, 0.0, down, relative(1e-3));
    start(&r, both[_i], h, PERP_FORM_AUTO, 1e-10);
    for (int n = 0; n < 300; n++)
        ck_assert_int_eq(perp_sim_step(r.sim), PERP_SOLVED);
    for (int k = 0; k < 4 * BOXES; k++) {
        const double *y, *lambda;
        output(&r, k, &y, &lambda);
        memcpy(before + 3 * k, lambda, 3 * sizeof *lambda);
        /* One step gave way by eps |W| z, which is not given back. */
        ck_assert_double_le(fabs(y[0]), 5e-3 * 1e-3 * gravity * h * 20.0);
    }
    ck_assert_int_eq(perp_sim_step(r.sim), PERP_SOLVED);
    for (int b = 0; b < BOXES; b++) {
        double sum = 0.0;
        for (int c = 0; c < CORNERS; c++) {
            const double *y, *lambda;
            output(&r, 4 * b + c, &y, &lambda);
            sum += lambda[0];
            ck_assert_double_eq_tol(lambda[0], before[3 * (4 * b + c)], 1e-6 * h * gravity);
        }
        ck_assert_double_eq_tol(sum, (BOXES - b) * gravity * h, 1e-6 * h);
        double *v = NULL;
        state(&r, b, &v);
        ck_assert_double_le(fabs(v[2]), 1e-8);
    }
    ck_assert_double_gt(figure(&r, "compliance"), 0.0);
    ck_assert_double_le(figure(&r, "law"), 1e-6);
    stop(&r);
}
END_TEST

/* A run that goes on and one that is loaded have the same bits. */
START_TEST(checkpoint)
{
    rig r, s;
    size_t bytes = 0;
    perp_law law = perp_law_soft_contact(3, 1e4, 50.0, 0.3);
    law.relative_compliance = 1e-4;
    const double pull[3] = {1.0, 0.5, -9.81};
    build(&r, 3, 0.002, -0.2, pull, law);
    build(&s, 3, 0.002, -0.2, pull, law);
    start(&r, both[_i], 2e-3, PERP_FORM_AUTO, 1e-9);
    start(&s, both[_i], 2e-3, PERP_FORM_AUTO, 1e-9);
    for (int n = 0; n < 40; n++)
        ck_assert_int_eq(perp_sim_step(r.sim), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_save(r.sim, NULL, &bytes), PERP_SOLVED);
    void *buffer = malloc(bytes);
    ck_assert_int_eq(perp_sim_save(r.sim, buffer, &bytes), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_check(s.sim), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_load(s.sim, buffer, bytes), PERP_SOLVED);
    for (int n = 0; n < 40; n++) {
        ck_assert_int_eq(perp_sim_step(r.sim), PERP_SOLVED);
        ck_assert_int_eq(perp_sim_step(s.sim), PERP_SOLVED);
    }
    for (int b = 0; b < 3; b++) {
        double *v[2], *q[2] = {state(&r, b, &v[0]), state(&s, b, &v[1])};
        ck_assert_mem_eq(q[0], q[1], 7 * sizeof **q);
        ck_assert_mem_eq(v[0], v[1], 6 * sizeof **v);
    }
    free(buffer);
    stop(&r);
    stop(&s);
}
END_TEST

static perp_status check(perp_law law, const char **what)
{
    perp_model *model;
    perp_body_def def;
    perp_interaction_def link;
    perp_system_id box;
    corner c = {{0.0}, 0.5};
    perp_where where = {NULL, -1, -1};
    ck_assert_int_eq(perp_model_create(&model, NULL), PERP_SOLVED);
    perp_body_def_init(&def, sizeof def);
    def.mass = 1.0;
    def.inertia[0] = def.inertia[4] = def.inertia[8] = 1.0;
    ck_assert_int_eq(perp_model_add_body(model, &def, &box, NULL), PERP_SOLVED);
    perp_interaction_def_init(&link, sizeof link);
    link.relation.kind = PERP_RELATION_CONTACT;
    link.relation.rows = 3;
    link.relation.contact = corner_over_top;
    link.relation.user = &c;
    link.systems = &box;
    link.nsystems = 1;
    link.law = law;
    perp_status status = perp_model_add_interaction(model, &link, NULL, &where);
    *what = where.what ? where.what : "";
    perp_model_destroy(model);
    return status;
}

START_TEST(laws_that_are_refused)
{
    const char *what;
    perp_law law = perp_law_soft_contact(3, 1e4, 1.0, 0.3);
    ck_assert_int_eq(check(law, &what), PERP_SOLVED);
    law.e = 0.5;
    ck_assert_int_eq(check(law, &what), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(what, "law.e");
    law.e = 0.0;
    law.stiffness = 0.0;
    ck_assert_int_eq(check(law, &what), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(what, "law.damping");
    law.stiffness = -1.0;
    ck_assert_int_eq(check(law, &what), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(what, "law.stiffness");
    law = relative(-1e-9);
    ck_assert_int_eq(check(law, &what), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(what, "law.relative_compliance");
    law = relative((double)NAN);
    ck_assert_int_eq(check(law, &what), PERP_ERR_NONFINITE);
    law = relative(1e-4);
    law.place = 0.5;
    ck_assert_int_eq(check(law, &what), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(what, "law.place");
    law = perp_law_soft_contact(3, 1e4, 1.0, 0.3);
    law.place = 0.4;
    ck_assert_int_eq(check(law, &what), PERP_ERR_ARGUMENT);
}
END_TEST

/* Schemes whose contacts are rigid say so. */
START_TEST(schemes_that_refuse)
{
    static const char *const names[] = {"generalized-alpha", "splitting",
                                        "moreau-jean-direct-projection"};
    for (int k = 0; k < 3; k++) {
        rig r;
        perp_law law = perp_law_soft_contact(3, 1e4, 1.0, 0.3);
        build(&r, 1, 0.0, 0.0, down, law);
        start(&r, names[k], 1e-3, PERP_FORM_AUTO, 1e-8);
        perp_status status = perp_sim_check(r.sim);
        ck_assert_msg(status == (k < 2 ? PERP_ERR_UNSUPPORTED : PERP_SOLVED), "%s: %s", names[k],
                      perp_status_name(status));
        stop(&r);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("soft contacts");
    TCase *cases = tcase_create("core");
    tcase_set_timeout(cases, 120.0);
    tcase_add_loop_test(cases, overlap_at_rest, 0, 2);
    tcase_add_loop_test(cases, falling_together, 0, 2);
    tcase_add_loop_test(cases, speed_of_rebound, 0, 6);
    tcase_add_loop_test(cases, energy_of_the_spring, 0, 2);
    tcase_add_loop_test(cases, slope, 0, 4);
    tcase_add_loop_test(cases, matrix_of_a_relative_compliance, 0, 8);
    tcase_add_loop_test(cases, no_bias_at_rest, 0, 2);
    tcase_add_loop_test(cases, checkpoint, 0, 2);
    tcase_add_test(cases, laws_that_are_refused);
    tcase_add_test(cases, schemes_that_refuse);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
