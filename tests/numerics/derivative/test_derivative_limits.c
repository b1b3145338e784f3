/* SPDX-License-Identifier: BSD-3-Clause */
/* What has no derivative in every direction: more contacts than degrees of freedom; parameters that
 * leave their range; and what is refused. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/generated.h"
#include "tests/fixtures/planted.h"

enum { CONTACTS = 4, BIG = 12 };

/* A plate with unit masses on contacts at the corners of a square: w_i = v + a_i x + b_i y. */
static const double corner[CONTACTS][3] = {{1, 1, 1}, {1, -1, 1}, {1, -1, -1}, {1, 1, -1}};

typedef struct plate {
    double M[25], q[5], z[5];
    perp_segment seg[2];
    perp_problem problem;
} plate;

/* Four contacts that press, and one more row that has nothing to do with them. */
static void plate_make(plate *p)
{
    memset(p, 0, sizeof *p);
    for (int i = 0; i < CONTACTS; i++)
        for (int j = 0; j < CONTACTS; j++)
            for (int k = 0; k < 3; k++)
                p->M[i + j * 5] += corner[i][k] * corner[j][k];
    p->M[24] = 2.0;
    for (int i = 0; i < CONTACTS; i++) {
        p->z[i] = 1.0;
        p->q[i] = -4.0;
    }
    p->z[4] = 0.5;
    p->q[4] = -1.0;
    p->seg[0] = (perp_segment){PERP_NONNEG, 1, 5, {NULL, NULL}, {0, 0}};
    p->problem = (perp_problem){.q = p->q, .seg = p->seg, .nseg = 1};
    perp_mat_init_dense(&p->problem.M, 5, 5, p->M, 5);
}

static perp_derivative *empty(void)
{
    perp_derivative *d;
    ck_assert_int_eq(perp_derivative_create(&d, NULL, NULL, NULL), PERP_SOLVED);
    return d;
}

START_TEST(forces_that_are_not_unique)
{
    plate p;
    unsigned char rows[5];
    double dz[5], dw[5], by[5], null[5] = {1, -1, 1, -1, 0}, sum = 0.0;
    perp_derivative_info info = {.size = sizeof info};
    plate_make(&p);
    perp_derivative *d = empty();
    ck_assert_int_eq(perp_derivative_factor(d, &p.problem, p.z, NULL), PERP_NOT_UNIQUE);
    perp_derivative_info_get(d, &info);
    ck_assert_int_eq(info.free_z, 1);
    ck_assert_int_eq(info.lost, 1);
    ck_assert_int_eq(perp_derivative_rows(d, rows), PERP_SOLVED);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(rows[i], i < 4 ? PERP_ROW_Z_NOT_UNIQUE : 0);
    /* The plate is pushed: every contact feels it alike. */
    double push[5] = {-1, -1, -1, -1, 0};
    perp_tangent along = {.size = sizeof along, .q = push};
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz, dw, NULL), PERP_NOT_UNIQUE);
    for (int i = 0; i < 4; i++) {
        ck_assert_double_eq_tol(dz[i], 0.25, 1e-14);
        ck_assert_double_eq_tol(dw[i], 0.0, 1e-14);
        sum += dz[i] * null[i];
    }
    ck_assert_double_eq_tol(sum, 0.0, 1e-14);
    /* The adjoint of least norm, and of a cotangent along the null space nothing is left. */
    perp_gradient of = {.size = sizeof of, .q = by};
    double z_bar[5] = {0.3, 0.1, -0.2, 0.7, 1.0};
    ck_assert_int_eq(perp_derivative_vjp(d, 1, z_bar, NULL, &of), PERP_NOT_UNIQUE);
    sum = 0.0;
    for (int i = 0; i < 5; i++)
        sum += by[i] * push[i] - z_bar[i] * dz[i];
    ck_assert_double_eq_tol(sum, 0.0, 1e-14);
    ck_assert_double_eq_tol(by[4], -0.5, 1e-14);
    ck_assert_int_eq(perp_derivative_vjp(d, 1, null, NULL, &of), PERP_NOT_UNIQUE);
    for (int i = 0; i < 5; i++)
        ck_assert_double_eq_tol(by[i], 0.0, 1e-14);
    perp_derivative_destroy(d);
}
END_TEST

/* Looked at as singular first, and trimmed. */
START_TEST(rows_over_few_velocities)
{
    plate p;
    double push[5] = {-1, -2, -2, -1, 3}, dz[2][5], dw[2][5];
    perp_tangent along = {.size = sizeof along, .q = push};
    perp_derivative_settings settings;
    perp_derivative *d;
    plate_make(&p);
    perp_derivative_settings_init(&settings, sizeof settings);
    ck_assert_int_eq(settings.velocities, 0);
    settings.velocities = -1;
    ck_assert_int_eq(perp_derivative_create(&d, &settings, NULL, NULL), PERP_ERR_SETTING);
    for (int k = 0; k < 2; k++) {
        settings.velocities = 4 * k;
        ck_assert_int_eq(perp_derivative_create(&d, &settings, NULL, NULL), PERP_SOLVED);
        for (int again = 0; again < 2; again++) {
            ck_assert_int_eq(perp_derivative_factor(d, &p.problem, p.z, NULL), PERP_NOT_UNIQUE);
            perp_derivative_trim(again ? d : NULL);
            ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz[k], dw[k], NULL),
                             PERP_NOT_UNIQUE);
        }
        perp_derivative_destroy(d);
    }
    for (int i = 0; i < 5; i++) {
        ck_assert_double_eq_tol(dz[0][i], dz[1][i], 1e-14);
        ck_assert_double_eq_tol(dw[0][i], dw[1][i], 1e-14);
    }
}
END_TEST

START_TEST(a_direction_without_derivative)
{
    plate p;
    double dz[5], dw[5], bend[10] = {1, -1, 1, -1, 0, 0, 0, 0, 0, -2};
    perp_status each[2];
    plate_make(&p);
    perp_derivative *d = empty();
    ck_assert_int_eq(perp_derivative_factor(d, &p.problem, p.z, NULL), PERP_NOT_UNIQUE);
    perp_tangent along = {.size = sizeof along, .q = bend};
    double out[10];
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz, dw, NULL), PERP_NOT_DIFFERENTIABLE);
    ck_assert_int_eq(perp_derivative_jvp(d, 2, &along, out, NULL, each), PERP_NOT_DIFFERENTIABLE);
    ck_assert_int_eq(each[0], PERP_NOT_DIFFERENTIABLE);
    ck_assert_int_eq(each[1], PERP_NOT_UNIQUE);
    for (int i = 0; i < 10; i++)
        ck_assert(isfinite(out[i]));
    ck_assert_double_eq_tol(out[9], 1.0, 1e-14);
    perp_derivative_destroy(d);
}
END_TEST

/* The same plate on three of its contacts: the fourth touches, and may take a share or none. */
START_TEST(a_contact_that_touches_and_need_not)
{
    plate p;
    unsigned char rows[5];
    double dz[5], dw[5], push[5] = {-1, -1, -1, -1, 0}, bend[5] = {0, 0, 0, -1, 0};
    perp_derivative_info info = {.size = sizeof info};
    plate_make(&p);
    const double z[5] = {2.0, 0.0, 2.0, 0.0, 0.5}, loaded[4] = {-4.0, -4.0, -4.0, -4.0};
    memcpy(p.q, loaded, sizeof loaded);
    perp_derivative *d = empty();
    ck_assert_int_eq(perp_derivative_factor(d, &p.problem, z, NULL), PERP_NOT_UNIQUE);
    perp_derivative_info_get(d, &info);
    ck_assert_int_eq(info.kinks, 2);
    ck_assert_int_eq(info.kink_row, 1);
    perp_derivative_rows(d, rows);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(rows[i], i == 4       ? 0
                                  : i % 2 == 0 ? PERP_ROW_Z_NOT_UNIQUE
                                               : PERP_ROW_Z_NOT_UNIQUE | PERP_ROW_KINK);
    perp_tangent along = {.size = sizeof along, .q = push};
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz, dw, NULL), PERP_NOT_UNIQUE);
    double sum = 0.0;
    for (int i = 0; i < 4; i++) {
        sum += dz[i];
        ck_assert_double_eq_tol(dw[i], 0.0, 1e-12);
        ck_assert(i % 2 == 0 || dz[i] >= 0.0);
    }
    ck_assert_double_eq_tol(sum, 1.0, 1e-12);
    along.q = bend; /* one contact is pressed down that three others hold up */
    perp_status status = perp_derivative_jvp(d, 1, &along, dz, dw, NULL);
    ck_assert(status == PERP_NOT_DIFFERENTIABLE || (status == PERP_NOT_UNIQUE && dw[3] > -1e-9));
    perp_derivative_destroy(d);
}
END_TEST

/* A contact at rest without force, whose matrix moves one direction alone: forces across it do
 * nothing. */
START_TEST(friction_at_rest_with_a_singular_matrix)
{
    const double g[3] = {1.0, 0.3, -0.2}, z[3] = {0.0, 0.0, 0.0};
    double M[9], q[3] = {0.0, 0.0, 0.0}, dq[3], dz[3], dw[3], mu = 0.5;
    unsigned char rows[3];
    for (int i = 0; i < 9; i++)
        M[i] = g[i % 3] * g[i / 3];
    for (int i = 0; i < 3; i++)
        dq[i] = -g[i];
    perp_segment seg = {PERP_COULOMB, 3, 1, {&mu, NULL}, {0, 0}};
    perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
    perp_mat_init_dense(&problem.M, 3, 3, M, 3);
    perp_derivative *d = empty();
    ck_assert_int_eq(perp_derivative_factor(d, &problem, z, NULL), PERP_NOT_UNIQUE);
    perp_derivative_rows(d, rows);
    perp_tangent along = {.size = sizeof along, .q = dq};
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz, dw, NULL), PERP_NOT_UNIQUE);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(rows[i], PERP_ROW_KINK | PERP_ROW_Z_NOT_UNIQUE | PERP_ROW_W_NOT_UNIQUE);
        ck_assert_double_eq_tol(dw[i], 0.0, 1e-9);
    }
    ck_assert(hypot(dz[1], dz[2]) <= mu * dz[0] + 1e-9);
    perp_derivative_destroy(d);
}
END_TEST

/* Directions of four contacts at the bottom corners of a box, 6 x 12: force and moment of a unit
 * impulse. */
static void box_directions(double *G)
{
    static const double axis[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    for (int c = 0; c < CONTACTS; c++) {
        const double r[3] = {corner[c][1], corner[c][2], -0.5};
        for (int k = 0; k < 3; k++) {
            double *g = G + 6 * (3 * c + k);
            for (int i = 0; i < 3; i++) {
                int a = (i + 1) % 3, b = (i + 2) % 3;
                g[i] = axis[k][i];
                g[3 + i] = r[a] * axis[k][b] - r[b] * axis[k][a];
            }
        }
    }
}

/* Four contacts with friction under a box: 12 rows, 6 degrees of freedom, all stick. */
START_TEST(friction_that_is_not_unique)
{
    double G[6 * BIG], M[BIG * BIG] = {0.0}, q[BIG] = {0.0}, z[BIG], mu = 0.5;
    box_directions(G);
    for (int i = 0; i < BIG; i++)
        for (int j = 0; j < BIG; j++)
            for (int k = 0; k < 6; k++)
                M[i + j * BIG] += G[k + 6 * i] * G[k + 6 * j];
    for (int i = 0; i < BIG; i++)
        z[i] = i % 3 ? 0.05 : 1.0;
    for (int i = 0; i < BIG; i++)
        for (int j = 0; j < BIG; j++)
            q[i] -= M[i + j * BIG] * z[j];
    perp_segment seg = {PERP_COULOMB, 3, CONTACTS, {&mu, NULL}, {0, 0}};
    perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
    perp_mat_init_dense(&problem.M, BIG, BIG, M, BIG);
    perp_derivative *d = empty();
    perp_derivative_info info = {.size = sizeof info};
    unsigned char rows[BIG];
    ck_assert_int_eq(perp_derivative_factor(d, &problem, z, NULL), PERP_NOT_UNIQUE);
    perp_derivative_info_get(d, &info);
    ck_assert_int_eq(info.free_z, 6);
    perp_derivative_rows(d, rows);
    double force[6] = {0.1, -0.3, 0.7, 0.2, -0.4, 0.5}, dq[BIG], dz[BIG], dw[BIG];
    for (int i = 0; i < BIG; i++) {
        ck_assert_int_eq(rows[i] & PERP_ROW_W_NOT_UNIQUE, 0);
        dq[i] = 0.0;
        for (int k = 0; k < 6; k++)
            dq[i] += G[k + 6 * i] * force[k];
    }
    perp_tangent along = {.size = sizeof along, .q = dq};
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz, dw, NULL), PERP_NOT_UNIQUE);
    /* dz balances the force, dw = 0, and dz = G'y for some y, as it is of least norm: M M^+ dz =
     * dz. */
    for (int k = 0; k < 6; k++) {
        double sum = force[k];
        for (int i = 0; i < BIG; i++)
            sum += G[k + 6 * i] * dz[i];
        ck_assert_double_eq_tol(sum, 0.0, 1e-13);
    }
    for (int i = 0; i < BIG; i++)
        ck_assert_double_eq_tol(dw[i], 0.0, 1e-13);
    double again[BIG], a = 0.0, b = 0.0;
    perp_gradient of = {.size = sizeof of, .q = again};
    ck_assert_int_eq(perp_derivative_vjp(d, 1, dz, NULL, &of), PERP_NOT_UNIQUE);
    for (int i = 0; i < BIG; i++) {
        a += again[i] * dq[i];
        b += dz[i] * dz[i];
    }
    ck_assert_double_eq_tol(a, b, 1e-13);
    perp_derivative_destroy(d);
}
END_TEST

/* Spheres at rest: far more forces than degrees of freedom, contacts that touch and bear nothing
 * among them. Bodies are pushed, and velocities follow as differences of solutions do. */
START_TEST(velocities_of_a_packing)
{
    perp_problem_file *file;
    perp_problem problem;
    perp_settings settings;
    perp_rng rng = {(uint64_t)_i};
    generated_make(&file, &problem, "spheres", _i ? 80 : 40);
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-12;
    settings.warm_start = 1;
    const perp_mat *M = &problem.M;
    size_t n = (size_t)M->rows, dofs = (size_t)M->as.delassus.dofs;
    double *x = calloc(7 * n + 3 * dofs, sizeof *x), *z = x + n, *w = z + n, *dq = w + n,
           *dw = dq + n;
    double *q = dw + n, *ends = q + n, *push = ends + n, *scratch = push + dofs;
    const double *own = problem.q, t = 1e-5;
    ck_assert_int_eq(perp_solve("auto", &problem, &settings, z, w, NULL), PERP_SOLVED);
    for (size_t i = 0; i < dofs; i++)
        push[i] = perp_rng_signed(&rng);
    perp_mass_solve(M->as.delassus.mass, push, scratch, push);
    for (size_t j = 0; j < n; j++)
        for (int p = M->as.delassus.colptr[j]; p < M->as.delassus.colptr[j + 1]; p++)
            dq[j] += M->as.delassus.x[p] * push[M->as.delassus.row[p]];
    perp_derivative *d = empty();
    ck_assert_int_eq(perp_derivative_factor(d, &problem, z, NULL), PERP_NOT_UNIQUE);
    perp_tangent along = {.size = sizeof along, .q = dq};
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, NULL, dw, NULL), PERP_NOT_UNIQUE);
    double off = 0.0, size = 0.0;
    problem.q = q;
    for (int side = -1; side < 2; side += 2) {
        memcpy(x, z, n * sizeof *x);
        for (size_t i = 0; i < n; i++)
            q[i] = own[i] + side * t * dq[i];
        ck_assert_int_ge(perp_solve("auto", &problem, &settings, x, w, NULL), 0);
        for (size_t i = 0; i < n; i++)
            ends[i] += side * w[i] / (2.0 * t);
    }
    for (size_t i = 0; i < n; i++) {
        off += (ends[i] - dw[i]) * (ends[i] - dw[i]);
        size += dw[i] * dw[i];
    }
    ck_assert_msg(sqrt(off) < 1e-4 * sqrt(size), "%g of %g", sqrt(off), sqrt(size));
    perp_derivative_destroy(d);
    perp_problem_file_destroy(file);
    free(x);
}
END_TEST

/* mu = 0 without slip, a bound that meets the other: q has a derivative, such a parameter has not.
 */
START_TEST(parameters_at_the_end_of_their_range)
{
    double M[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2}, q[4] = {-2, 0, 0, 0},
           z[4] = {1, 0, 0, 0.5};
    double mu = 0.0, lo = 0.5, hi = 0.5, dq[4] = {1, 1, 1, 1}, dz[4], dw[4];
    perp_segment seg[2] = {{PERP_COULOMB, 3, 1, {&mu, NULL}, {0, 0}},
                           {PERP_BOX, 1, 1, {&lo, &hi}, {0, 0}}};
    perp_problem problem = {.q = q, .seg = seg, .nseg = 2};
    q[3] = -1.0;
    perp_mat_init_dense(&problem.M, 4, 4, M, 4);
    perp_derivative *d = empty();
    ck_assert_int_eq(perp_derivative_factor(d, &problem, z, NULL), PERP_SOLVED);
    perp_tangent along = {.size = sizeof along, .q = dq};
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz, dw, NULL), PERP_SOLVED);
    const double wanted_z[4] = {-0.5, 0, 0, 0}, wanted_w[4] = {0, 1, 1, 1};
    for (int i = 0; i < 4; i++) {
        ck_assert_double_eq_tol(dz[i], wanted_z[i], 1e-15);
        ck_assert_double_eq_tol(dw[i], wanted_w[i], 1e-15);
    }
    double by_mu[2] = {1.0, 0.0}, low[2] = {0.0, 0.5}, high[2] = {0.0, 0.5};
    along.par[0] = by_mu;
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz, dw, NULL), PERP_NOT_DIFFERENTIABLE);
    along.par[0] = low;
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz, dw, NULL), PERP_NOT_DIFFERENTIABLE);
    along.par[1] = high; /* both bounds move */
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, dz, dw, NULL), PERP_SOLVED);
    ck_assert_double_eq_tol(dz[3], 0.5, 1e-15);
    perp_derivative_destroy(d);
}
END_TEST

START_TEST(bad_input)
{
    planted p;
    perp_rng rng = {3};
    double x[PLANTED_ROWS], y[PLANTED_ROWS];
    planted_make(&p, 1u << PERP_COULOMB, 3, 0.0, 1, &rng);
    perp_derivative *d = empty();
    perp_where where;
    perp_tangent along = {.size = sizeof along, .q = x};
    perp_gradient of = {.size = sizeof of, .q = y};
    perp_derivative_settings settings;
    for (int i = 0; i < PLANTED_ROWS; i++)
        x[i] = y[i] = 1.0;
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, x, x, NULL), PERP_ERR_STATE);
    ck_assert_int_eq(perp_derivative_vjp(d, 1, x, x, &of), PERP_ERR_STATE);
    ck_assert_int_eq(perp_derivative_factor(NULL, &p.problem, p.z, &where), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_derivative_factor(d, NULL, p.z, &where), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_derivative_factor(d, &p.problem, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "z");
    ck_assert_int_eq(perp_derivative_factor_solver(d, NULL, p.z, &where), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_derivative_factor(d, &p.problem, x, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "z");
    x[2] = NAN;
    ck_assert_int_eq(perp_derivative_factor(d, &p.problem, x, &where), PERP_ERR_NONFINITE);
    ck_assert_int_eq(where.index, 2);
    ck_assert_int_eq(perp_derivative_rows(d, (unsigned char *)y), PERP_ERR_STATE);
    ck_assert_int_eq(perp_derivative_factor(d, &p.problem, p.z, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, y, y, NULL), PERP_ERR_NONFINITE);
    ck_assert_int_eq(perp_derivative_vjp(d, 1, x, NULL, &of), PERP_ERR_NONFINITE);
    ck_assert_double_eq(y[0], 1.0);
    x[2] = 1.0;
    ck_assert_int_eq(perp_derivative_jvp(d, -1, &along, y, y, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_derivative_jvp(d, 0, &along, y, y, NULL), PERP_SOLVED);
    along.diagonal = x;
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, y, y, NULL), PERP_ERR_ARGUMENT);
    along = (perp_tangent){.size = 0};
    ck_assert_int_eq(perp_derivative_jvp(d, 1, &along, y, y, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_derivative_vjp(d, 1, x, x, NULL), PERP_ERR_ARGUMENT);
    of.mass_left = y;
    ck_assert_int_eq(perp_derivative_vjp(d, 1, x, x, &of), PERP_ERR_ARGUMENT);
    for (int i = 0; i < PLANTED_ROWS; i++)
        x[i] = 1.7e308 * (i % 2 ? 1 : -1);
    of = (perp_gradient){.size = sizeof of, .q = y};
    perp_status status = perp_derivative_vjp(d, 1, x, x, &of);
    for (int i = 0; i < p.n; i++)
        ck_assert(isfinite(y[i]));
    ck_assert(status == PERP_ERR_NUMERICAL || status == PERP_SOLVED);
    perp_derivative_destroy(d);
    perp_derivative_destroy(NULL);
    perp_derivative_settings_init(&settings, sizeof settings);
    settings.kink = -1.0;
    ck_assert_int_eq(perp_derivative_create(&d, &settings, NULL, &where), PERP_ERR_SETTING);
    ck_assert_str_eq(where.what, "kink");
    ck_assert_ptr_null(d);
    ck_assert_int_eq(perp_derivative_create(NULL, NULL, NULL, &where), PERP_ERR_ARGUMENT);
}
END_TEST

static int no_product(void *ctx, double *y, const double *x)
{
    (void)ctx;
    y[0] = x[0];
    return 0;
}

START_TEST(an_operator_and_a_large_singular_system_are_refused)
{
    double one = 1.0, q = -1.0, z = 1.0;
    perp_segment seg = {PERP_NONNEG, 1, 1, {NULL, NULL}, {0, 0}};
    perp_problem problem = {.q = &q, .seg = &seg, .nseg = 1};
    perp_mat_init_operator(&problem.M, 1, no_product, NULL, &one);
    perp_derivative_settings settings;
    perp_where where;
    perp_derivative *d;
    plate p;
    perp_derivative_settings_init(&settings, sizeof settings);
    settings.dense = 4;
    plate_make(&p);
    ck_assert_int_eq(perp_derivative_create(&d, &settings, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_derivative_factor(d, &problem, &z, &where), PERP_ERR_UNSUPPORTED);
    ck_assert_int_eq(perp_derivative_factor(d, &p.problem, p.z, NULL), PERP_ERR_SINGULAR);
    perp_derivative_destroy(d);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {forces_that_are_not_unique,
                            rows_over_few_velocities,
                            a_direction_without_derivative,
                            a_contact_that_touches_and_need_not,
                            friction_at_rest_with_a_singular_matrix,
                            friction_that_is_not_unique,
                            parameters_at_the_end_of_their_range,
                            bad_input,
                            an_operator_and_a_large_singular_system_are_refused};
    Suite *suite = suite_create("derivative_limits");
    TCase *tc = tcase_create("derivative_limits");
    for (size_t k = 0; k < sizeof tests / sizeof tests[0]; k++)
        tcase_add_test(tc, tests[k]);
    tcase_add_loop_test(tc, velocities_of_a_packing, 0, 2);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
