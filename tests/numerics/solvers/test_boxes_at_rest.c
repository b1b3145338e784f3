/* SPDX-License-Identifier: BSD-3-Clause */
/* What anyone knows of boxes: they rest below the friction angle, slide above it
 * without lifting off, in whatever direction; and stacks hold.  Steps of Moreau-Jean
 * with the solver that is chosen where none is named. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "core/rng.h"

enum { BODIES = 8, CONTACTS = 4 * BODIES, ROWS = 3 * CONTACTS, DOFS = 6 * BODIES };

static const double step = 1e-2, gravity = 9.81, half_width = 0.5, half_height = 0.25;

/* Boxes one on the other, the lowest on a plane through the origin, normal to z.  Gravity has
 * any direction; coordinates are those of the plane. */
typedef struct world {
    int bodies, contacts;
    double mass[BODIES], v[DOFS], pull[3];
    double mu[CONTACTS], turn[CONTACTS]; /* of the tangents, angle */
    int colptr[ROWS + 1], row[12 * ROWS], mass_colptr[DOFS + 1], mass_row[DOFS];
    double x[12 * ROWS], mass_x[DOFS], q[ROWS], z[ROWS], w[ROWS];
} world;

static void make_stack(world *s, int bodies, double first, double last, double mu)
{
    memset(s, 0, sizeof *s);
    s->bodies = bodies;
    s->contacts = 4 * bodies;
    for (int b = 0; b < bodies; b++)
        s->mass[b] = bodies > 1 ? first * pow(last / first, b / (bodies - 1.0)) : first;
    for (int c = 0; c < s->contacts; c++)
        s->mu[c] = mu;
}

/* Gravity of a plane inclined by `angle`, downhill towards `heading`. */
static void incline(world *s, double angle, double heading)
{
    s->pull[0] = gravity * sin(angle) * cos(heading);
    s->pull[1] = gravity * sin(angle) * sin(heading);
    s->pull[2] = -gravity * cos(angle);
}

static double inverse_mass(const world *s, int dof)
{
    double m = s->mass[dof / 6], a = 4.0 * half_width * half_width,
           b = 4.0 * half_height * half_height;
    int k = dof % 6;
    return k < 3 ? 1.0 / m : k < 5 ? 12.0 / (m * (a + b)) : 12.0 / (m * 2.0 * a);
}

/* Entries of one row of a contact: direction d at arm r, on the upper and the lower box. */
static void add_row(world *s, int *at, int body, double sign, const double d[3], const double r[3])
{
    const double torque[3] = {r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2],
                              r[0] * d[1] - r[1] * d[0]};
    for (int i = 0; i < 6; i++, (*at)++) {
        s->row[*at] = 6 * body + i;
        s->x[*at] = sign * (i < 3 ? d[i] : torque[i - 3]);
    }
}

static void make_directions(world *s)
{
    int at = 0;
    for (int c = 0; c < s->contacts; c++) {
        int upper = c / 4, corner = c % 4;
        double t = s->turn[c];
        const double d[3][3] = {{0.0, 0.0, 1.0}, {cos(t), sin(t), 0.0}, {-sin(t), cos(t), 0.0}};
        double r[3] = {corner & 1 ? half_width : -half_width, corner & 2 ? half_width : -half_width,
                       -half_height};
        for (int i = 0; i < 3; i++) {
            double below[3] = {r[0], r[1], half_height};
            s->colptr[3 * c + i] = at;
            add_row(s, &at, upper, 1.0, d[i], r);
            if (upper > 0)
                add_row(s, &at, upper - 1, -1.0, d[i], below);
        }
    }
    s->colptr[3 * s->contacts] = at;
}

static double along(const world *s, int j, const double *v)
{
    double sum = 0.0;
    for (int k = s->colptr[j]; k < s->colptr[j + 1]; k++)
        sum += s->x[k] * v[s->row[k]];
    return sum;
}

static void solve(world *s, const perp_mat *M, double tol)
{
    perp_settings settings;
    perp_info info = {.size = sizeof info};
    perp_segment seg = {PERP_COULOMB, 3, s->contacts, {s->mu, NULL}, {1, 0}};
    perp_problem problem = {*M, s->q, &seg, 1};
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tol;
    perp_status status = perp_solve(NULL, &problem, &settings, s->z, s->w, &info);
    ck_assert_msg(status == PERP_SOLVED, "%s: %s at %g", info.solver, perp_status_text(status),
                  info.error);
}

/* W, dense. */
static void form_local(perp_mat *M, const world *s)
{
    static double W[ROWS * ROWS];
    int n = 3 * s->contacts;
    for (int j = 0; j < n; j++) {
        double v[DOFS] = {0.0};
        for (int k = s->colptr[j]; k < s->colptr[j + 1]; k++)
            v[s->row[k]] += s->x[k] * inverse_mass(s, s->row[k]);
        for (int i = 0; i < n; i++)
            W[i + j * n] = along(s, i, v);
    }
    ck_assert_int_eq(perp_mat_init_dense(M, n, n, W, n), PERP_SOLVED);
}

static void solve_local(world *s, double tol)
{
    perp_mat M;
    form_local(&M, s);
    solve(s, &M, tol);
}

static void solve_global(world *s, double tol)
{
    perp_mat M, W;
    perp_mass *mass;
    int dofs = 6 * s->bodies;
    for (int i = 0; i < dofs; i++) {
        s->mass_colptr[i + 1] = i + 1;
        s->mass_row[i] = i;
        s->mass_x[i] = 1.0 / inverse_mass(s, i);
    }
    ck_assert_int_eq(perp_mat_init_csc(&M, dofs, dofs, s->mass_colptr, s->mass_row, s->mass_x),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_mass_create(&mass, &M, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(
        perp_mat_init_delassus(&W, dofs, 3 * s->contacts, s->colptr, s->row, s->x, mass),
        PERP_SOLVED);
    solve(s, &W, tol);
    perp_mass_destroy(mass);
}

/* One step: v becomes that of its end. */
static void advance(world *s, double tol, int global)
{
    double free_v[DOFS];
    make_directions(s);
    for (int i = 0; i < 6 * s->bodies; i++)
        free_v[i] = s->v[i] + (i % 6 < 3 ? step * s->pull[i % 6] : 0.0);
    for (int j = 0; j < 3 * s->contacts; j++)
        s->q[j] = along(s, j, free_v);
    if (global)
        solve_global(s, tol);
    else
        solve_local(s, tol);
    for (int j = 0; j < 3 * s->contacts; j++)
        for (int k = s->colptr[j]; k < s->colptr[j + 1]; k++)
            free_v[s->row[k]] += inverse_mass(s, s->row[k]) * s->x[k] * s->z[j];
    memcpy(s->v, free_v, sizeof(double) * 6 * (size_t)s->bodies);
}

static double fastest(const world *s)
{
    double most = 0.0;
    for (int i = 0; i < 6 * s->bodies; i++)
        most = fmax(most, fabs(s->v[i]));
    return most;
}

/* Below the friction angle a box stays where it is; 50 steps, by any heading. */
START_TEST(box_rests_below_the_friction_angle)
{
    static const double share[] = {0.0, 0.3, 0.7, 0.95};
    for (int a = 0; a < 4; a++) {
        for (int heading = 0; heading < 3; heading++) {
            world s;
            make_stack(&s, 1, 2.0, 2.0, 0.6);
            incline(&s, share[a] * atan(0.6), 0.7 * heading);
            for (int k = 0; k < 50; k++) {
                advance(&s, 1e-12, _i);
                ck_assert_msg(fastest(&s) < 1e-12, "step %d: creeps by %g m/s", k, fastest(&s));
            }
        }
    }
}
END_TEST

/* Above it, it slides downhill at g (sin a - mu cos a), and no corner lifts off; nor does a box
 * that was thrown along a level plane. */
START_TEST(sliding_box_stays_down)
{
    for (int heading = 0; heading < 4; heading++) {
        for (int thrown = 0; thrown < 2; thrown++) {
            world s;
            const double mu = 0.3, angle = thrown ? 0.0 : 0.5, h = 0.4 + 1.3 * heading;
            make_stack(&s, 1, 2.0, 2.0, mu);
            incline(&s, angle, h);
            if (thrown) {
                s.v[0] = 2.0 * cos(h);
                s.v[1] = 2.0 * sin(h);
            }
            for (int k = 1; k <= 20; k++) {
                advance(&s, 1e-12, _i);
                double speed = thrown ? 2.0 - k * step * mu * gravity
                                      : k * step * gravity * (sin(angle) - mu * cos(angle));
                ck_assert_double_lt(fabs(s.v[0] - speed * cos(h)), 1e-10);
                ck_assert_double_lt(fabs(s.v[1] - speed * sin(h)), 1e-10);
                for (int c = 0; c < 4; c++) {
                    ck_assert_double_lt(fabs(s.w[3 * c]), 1e-11);
                    ck_assert_double_gt(s.z[3 * c], 0.0);
                }
            }
        }
    }
}
END_TEST

/* How far z is from solving the problem of the last step. */
static double error_of(const world *s, const double *z)
{
    perp_mat M;
    perp_residuals residual = {.size = sizeof residual};
    perp_segment seg = {PERP_COULOMB, 3, s->contacts, {s->mu, NULL}, {1, 0}};
    form_local(&M, s);
    perp_problem problem = {M, s->q, &seg, 1};
    ck_assert_int_eq(perp_residual(&problem, z, NULL, NULL, &residual), PERP_SOLVED);
    return fmax(residual.natural, residual.scaled);
}

/* Impulses in tangents that are turned. */
static void turn_impulses(double *z, const world *from, const world *to)
{
    for (int c = 0; c < from->contacts; c++) {
        const double *r = from->z + 3 * c;
        double a = to->turn[c] - from->turn[c];
        z[3 * c] = r[0];
        z[3 * c + 1] = cos(a) * r[1] + sin(a) * r[2];
        z[3 * c + 2] = -sin(a) * r[1] + cos(a) * r[2];
    }
}

/* Boxes in a stack that slide and turn on each other: impulses that solve a step solve it
 * with turned tangents as well, and the motion is the same.  The latter for mu below 0.6:
 * above it a step may have several solutions (with mu = 1 two were found, 3e-8 m/s apart,
 * both with residuals below 1e-12). */
START_TEST(friction_is_isotropic)
{
    perp_rng rng = {11};
    for (int trial = 0; trial < 10; trial++) {
        world s, turned;
        make_stack(&s, 3, 1.0, 2.0, 0.2 + 0.1 * trial);
        double z[ROWS];
        incline(&s, 0.3, 0.2 * trial);
        for (int i = 0; i < 18; i++)
            s.v[i] = i % 6 == 2 || i % 6 == 3 || i % 6 == 4 ? 0.0 : perp_rng_uniform(&rng) - 0.5;
        turned = s;
        for (int c = 0; c < turned.contacts; c++)
            turned.turn[c] = 6.3 * perp_rng_uniform(&rng);
        advance(&s, 1e-12, _i);
        advance(&turned, 1e-12, _i);
        turn_impulses(z, &s, &turned);
        ck_assert_double_lt(error_of(&turned, z), 1e-11);
        if (s.mu[0] > 0.6)
            continue;
        for (int i = 0; i < 18; i++)
            ck_assert_msg(fabs(s.v[i] - turned.v[i]) < 1e-8, "trial %d, v[%d]: %g", trial, i,
                          fabs(s.v[i] - turned.v[i]));
        for (int c = 0; c < s.contacts; c++) {
            const double *u = s.w + 3 * c, *t = turned.w + 3 * c;
            double a = turned.turn[c];
            ck_assert_double_lt(fabs(u[1] - (cos(a) * t[1] - sin(a) * t[2])), 1e-8);
            ck_assert_double_lt(fabs(u[2] - (sin(a) * t[1] + cos(a) * t[2])), 1e-8);
        }
    }
}
END_TEST

/* The impulse on a point mass opposes its slip, whatever the angle. */
START_TEST(slip_opposes_friction_at_every_angle)
{
    for (int k = 0; k < 360; k++) {
        const double a = k * acos(-1.0) / 180.0,
                     W[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
        const double q[3] = {-1.0, 3.0 * cos(a), 3.0 * sin(a)}, mu = 0.5;
        double z[3] = {0.0}, w[3];
        perp_problem problem = {.q = q, .nseg = 1};
        perp_segment seg = {PERP_COULOMB, 3, 1, {&mu, NULL}, {0, 0}};
        problem.seg = &seg;
        ck_assert_int_eq(perp_mat_init_dense(&problem.M, 3, 3, W, 3), PERP_SOLVED);
        ck_assert_int_eq(perp_solve(NULL, &problem, NULL, z, w, NULL), PERP_SOLVED);
        ck_assert_double_lt(fabs(z[0] - 1.0), 1e-8);
        ck_assert_double_lt(fabs(z[1] + 0.5 * cos(a)), 1e-8);
        ck_assert_double_lt(fabs(z[2] + 0.5 * sin(a)), 1e-8);
    }
}
END_TEST

/* A stack with a mass ratio of 1000, heavy on light and light on heavy. */
START_TEST(stack_holds)
{
    for (int up = 0; up < 2; up++) {
        world s;
        double weight = 0.0, support = 0.0;
        make_stack(&s, BODIES, up ? 1.0 : 1000.0, up ? 1000.0 : 1.0, 0.5);
        incline(&s, 0.1, 0.3);
        for (int k = 0; k < 10; k++) {
            advance(&s, 1e-12, _i);
            double impulses = 0.0;
            for (int j = 0; j < 3 * s.contacts; j++)
                impulses += s.z[j] * s.z[j];
            /* A residual of tol |z| leaves velocities of up to (1 + |W|) tol |z|, and |W| < 9. */
            ck_assert_msg(fastest(&s) < 1e-11 * sqrt(impulses), "step %d: moves by %g m/s", k,
                          fastest(&s));
        }
        for (int b = 0; b < BODIES; b++)
            weight -= step * s.mass[b] * s.pull[2];
        for (int c = 0; c < 4; c++)
            support += s.z[3 * c];
        ck_assert_double_lt(fabs(support - weight), 1e-8 * weight);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("physics");
    TCase *tcase = tcase_create("physics");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, box_rests_below_the_friction_angle, 0, 2);
    tcase_add_loop_test(tcase, sliding_box_stays_down, 0, 2);
    tcase_add_loop_test(tcase, friction_is_isotropic, 0, 2);
    tcase_add_test(tcase, slip_opposes_friction_at_every_angle);
    tcase_add_loop_test(tcase, stack_holds, 0, 2);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
