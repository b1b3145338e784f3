/* SPDX-License-Identifier: BSD-3-Clause */
/* The default solver on bodies that walls squeeze, as DELASSUS and DENSE: a verdict in some hundred
 * iterations, where nothing cancels to 0, where the tangents of SOC alone have no motion, in long
 * rows of bodies, beside hundreds of contacts that rest, and for masses that are factored. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "core/rng.h"

enum { CONTACTS = 400, DOFS = 800, ENTRIES = 24 * CONTACTS, SOON = 400 };

/* Bodies that are points; a column of H by row of w. */
typedef struct scene {
    int dim, contacts, bodies, set[CONTACTS];
    int colptr[3 * CONTACTS + 1], row[ENTRIES];
    double H[ENTRIES], q[3 * CONTACTS], mu[CONTACTS], mass[DOFS];
    int linked; /* 1: the mass couples each unknown to the next */
} scene;

static scene *begin(int dim, int bodies)
{
    scene *s = calloc(1, sizeof *s);
    ck_assert_ptr_nonnull(s);
    s->dim = dim;
    s->bodies = bodies;
    ck_assert_int_le(bodies * dim, DOFS);
    for (int i = 0; i < bodies * dim; i++)
        s->mass[i] = 4.0;
    return s;
}

/* Of body a with normal n, or between a and b (b < 0: a wall). */
static void touch(scene *s, int a, int b, const double *n, double approach)
{
    int dim = s->dim, k = s->contacts++;
    double t[3][3] = {{n[0], n[1], n[2]}, {-n[1], n[0], 0.0}, {0.0, 0.0, 0.0}};
    ck_assert_int_lt(k, CONTACTS);
    if (dim == 3) {
        double h[3] = {0.0, 0.0, 0.0}, length = 0.0;
        h[fabs(n[0]) < 0.6 ? 0 : 1] = 1.0;
        for (int i = 0; i < 3; i++)
            t[1][i] = n[(i + 1) % 3] * h[(i + 2) % 3] - n[(i + 2) % 3] * h[(i + 1) % 3];
        for (int i = 0; i < 3; i++)
            length += t[1][i] * t[1][i];
        for (int i = 0; i < 3; i++)
            t[1][i] /= sqrt(length);
        for (int i = 0; i < 3; i++)
            t[2][i] = n[(i + 1) % 3] * t[1][(i + 2) % 3] - n[(i + 2) % 3] * t[1][(i + 1) % 3];
    }
    for (int r = 0; r < dim; r++) {
        int at = s->colptr[k * dim + r];
        for (int side = 0; side < (b < 0 ? 1 : 2); side++)
            for (int i = 0; i < dim; i++) {
                if (t[r][i] == 0.0)
                    continue;
                s->row[at] = (side == 0 ? a : b) * dim + i;
                s->H[at++] = side == 0 ? t[r][i] : -t[r][i];
            }
        s->colptr[k * dim + r + 1] = at;
    }
    s->q[k * dim] = approach;
    s->mu[k] = 0.5;
    s->set[k] = PERP_COULOMB;
}

static perp_mass *mass_of(const scene *s)
{
    int n = s->bodies * s->dim, ptr[DOFS + 1], row[3 * DOFS], count = 0;
    double x[3 * DOFS];
    perp_mat mat;
    perp_mass *mass;
    for (int j = 0; j < n; j++) {
        ptr[j] = count;
        for (int i = j - 1; i <= j + 1; i++)
            if (i >= 0 && i < n && (i == j || s->linked)) {
                row[count] = i;
                x[count++] = i == j ? s->mass[j] : 1.0;
            }
    }
    ptr[n] = count;
    ck_assert_int_eq(perp_mat_init_csc(&mat, n, n, ptr, row, x), 0);
    ck_assert_int_eq(perp_mass_create(&mass, &mat, NULL, NULL), 0);
    return mass;
}

/* The verdict of `auto`, and that of the check. */
static void refuted(const perp_problem *p, const char *what, int which)
{
    int n = p->M.rows;
    double *z = calloc((size_t)n, sizeof *z), *w = calloc((size_t)n, sizeof *w);
    double *y = calloc((size_t)n, sizeof *y);
    perp_info info = {.size = sizeof info};
    perp_certificate_figures seen = {.size = sizeof seen};
    perp_certificate_kind kind;
    perp_solver *solver;
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("auto"), NULL, NULL, NULL), 0);
    ck_assert_int_eq(perp_solver_setup(solver, p), 0);
    perp_status status = perp_solver_solve(solver, z, w, &info);
    ck_assert_msg(status == PERP_INFEASIBLE || status == PERP_INFEASIBLE_WITHIN, "%s %d: %s after %d",
                  what, which, perp_status_name(status), info.iterations);
    ck_assert_msg(info.iterations <= SOON, "%s %d: %d iterations", what, which, info.iterations);
    ck_assert_int_eq(perp_solver_certificate(solver, n, &kind, y), 0);
    ck_assert_int_eq(kind, PERP_CERTIFICATE_INFEASIBLE);
    ck_assert_int_eq(perp_certificate_check(p, kind, y, NULL, &seen), 0);
    ck_assert_int_eq(seen.holds, status == PERP_INFEASIBLE);
    ck_assert_msg(seen.reach >= 1e10, "%s %d: %g", what, which, seen.reach);
    perp_solver_destroy(solver);
    free(z);
    free(w);
    free(y);
}

static void refuted_in_both(scene *s, const char *what, int which)
{
    int n = s->contacts * s->dim, dofs = s->bodies * s->dim;
    perp_segment *seg = calloc((size_t)s->contacts, sizeof *seg);
    perp_problem p = {.q = s->q, .seg = seg, .nseg = s->contacts};
    perp_mass *mass = mass_of(s);
    for (int k = 0; k < s->contacts; k++)
        seg[k] = (perp_segment){(perp_set)s->set[k], s->dim, 1, {&s->mu[k], NULL}, {0, 0}};
    ck_assert_int_eq(perp_mat_init_delassus(&p.M, dofs, n, s->colptr, s->row, s->H, mass), 0);
    refuted(&p, what, which);
    double *W = calloc((size_t)n * (size_t)n, sizeof *W), *e = calloc((size_t)n, sizeof *e);
    double *scratch = calloc(perp_mat_scratch(&p.M) + 1, sizeof *scratch);
    for (int j = 0; j < n; j++) {
        e[j] = 1.0;
        ck_assert_int_eq(perp_mat_apply(&p.M, e, scratch, W + (size_t)j * (size_t)n), 0);
        e[j] = 0.0;
    }
    if (n <= 300) {
        ck_assert_int_eq(perp_mat_init_dense(&p.M, n, n, W, n), 0);
        refuted(&p, what, 1000 + which);
    }
    perp_mass_destroy(mass);
    free(scratch);
    free(W);
    free(e);
    free(seg);
    free(s);
}

static void direction(double *n, int dim, perp_rng *rng)
{
    double length = 0.0;
    do {
        length = 0.0;
        for (int i = 0; i < 3; i++) {
            n[i] = i < dim ? perp_rng_signed(rng) : 0.0;
            length += n[i] * n[i];
        }
    } while (length < 0.1 || length > 1.0);
    for (int i = 0; i < 3; i++)
        n[i] /= sqrt(length);
}

/* dim + 1 walls or more around a point, of which the normals cancel but for rounding. */
START_TEST(walls_around)
{
    static const int sets[3] = {PERP_COULOMB, PERP_SOC, PERP_TRESCA};
    perp_rng rng = {41};
    for (int k = 0; k < 24; k++) {
        int dim = 2 + k % 2, walls = dim + 1 + k % 3;
        scene *s = begin(dim, k % 4 == 3 ? 8 : 1);
        double sum[3] = {0.0}, length = 0.0, n[3];
        s->linked = s->bodies > 1;
        for (int i = 0; i < walls; i++) {
            direction(n, dim, &rng);
            for (int j = 0; j < 3; j++)
                sum[j] -= n[j];
            touch(s, 0, -1, n, -0.5 - 0.1 * i);
        }
        for (int j = 0; j < 3; j++)
            length += sum[j] * sum[j];
        for (int j = 0; j < 3; j++)
            n[j] = sum[j] / sqrt(length);
        touch(s, 0, -1, n, -1.0);
        for (int i = 0; i < s->contacts; i++)
            s->set[i] = sets[(k / 2) % 3];
        refuted_in_both(s, "around", k);
    }
}
END_TEST

/* Of columns of H. */
static double product(const scene *s, int i, int j)
{
    double sum = 0.0;
    for (int p = s->colptr[i]; p < s->colptr[i + 1]; p++)
        for (int q = s->colptr[j]; q < s->colptr[j + 1]; q++)
            sum += s->row[p] == s->row[q] ? s->H[p] * s->H[q] : 0.0;
    return sum;
}

/* Two walls that touch and slide: w_N >= mu |w_T| of both has no motion, though w_N >= 0 has. */
START_TEST(cones_that_slide)
{
    perp_rng rng = {42};
    for (int k = 0; k < 24; k++) {
        int dim = 2 + k % 2;
        double n[3], back[3];
        scene *s = begin(dim, 1 + k / 8 * 5);
        s->linked = k >= 16;
        direction(n, dim, &rng);
        for (int i = 0; i < 3; i++)
            back[i] = -n[i];
        touch(s, 0, -1, n, 0.1);
        touch(s, 0, -1, back, 0.1);
        s->set[0] = s->set[1] = PERP_SOC;
        for (int r = 1; r < dim; r++)
            s->q[r] = 1.0 + 0.5 * perp_rng_signed(&rng);
        /* The second slides the other way, in tangents of its own. */
        for (int r = 1; r < dim; r++)
            for (int t = 1; t < dim; t++)
                s->q[dim + r] -= product(s, dim + r, t) * s->q[t];
        /* Every other time by less than the eight first directions show. */
        double size = 0.0;
        for (int r = 1; r < dim; r++)
            size += s->q[r] * s->q[r];
        for (int r = 1; r < dim && k / 2 % 2; r++) {
            s->q[r] *= 0.204 / sqrt(size);
            s->q[dim + r] *= 0.204 / sqrt(size);
        }
        refuted_in_both(s, "slide", k);
    }
}
END_TEST

/* The same of cones of six rows. */
START_TEST(long_cones_that_slide)
{
    perp_rng rng = {44};
    for (int k = 0; k < 10; k++) {
        enum { DIM = 6 };
        double M[4 * DIM * DIM] = {0.0}, q[2 * DIM] = {0.1}, mu = 0.5, size = 0.0;
        perp_segment seg = {PERP_SOC, DIM, 2, {&mu, NULL}, {0, 0}};
        perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
        for (int i = 0; i < 2 * DIM; i++)
            for (int j = 0; j < 2 * DIM; j++)
                M[i + j * 2 * DIM] = i % DIM != j % DIM ? 0.0 : i % DIM == 0 && i != j ? -1.0 : 1.0;
        q[DIM] = 0.1;
        for (int i = 1; i < DIM; i++) {
            q[i] = perp_rng_signed(&rng);
            size += q[i] * q[i];
        }
        for (int i = 1; i < DIM; i++) {
            q[i] *= (k % 2 ? 0.25 : 1.0) / sqrt(size);
            q[DIM + i] = -q[i];
        }
        ck_assert_int_eq(perp_mat_init_dense(&p.M, 2 * DIM, 2 * DIM, M, 2 * DIM), 0);
        refuted(&p, "long", k);
    }
}
END_TEST

/* A row of bodies between two walls, on a floor. */
START_TEST(long_rows)
{
    static const double x[3] = {1, 0, 0}, back[3] = {-1, 0, 0}, up[3] = {0, 1, 0};
    for (int k = 0; k < 4; k++) {
        int bodies = k < 2 ? 40 : 80;
        scene *s = begin(2 + k % 2, bodies);
        touch(s, 0, -1, x, -1.0);
        for (int b = 1; b < bodies; b++)
            touch(s, b, b - 1, x, 0.0);
        touch(s, bodies - 1, -1, back, -1.0);
        for (int b = 0; b < bodies; b++)
            touch(s, b, -1, up, -0.1);
        refuted_in_both(s, "row", k);
    }
}
END_TEST

/* One body squeezed, beside many that rest and push each other. */
START_TEST(one_among_many)
{
    static const double x[3] = {1, 0, 0}, up[3] = {0, 1, 0}, down[3] = {0, -1, 0};
    perp_rng rng = {43};
    for (int k = 0; k < 6; k++) {
        int others = k < 2 ? 20 : k < 4 ? 80 : 190, dim = 2 + k % 2;
        scene *s = begin(dim, others + 1);
        for (int b = 0; b < others; b++)
            touch(s, b, -1, up, -0.6 + 0.5 * perp_rng_signed(&rng));
        for (int b = 1; b < others; b++)
            touch(s, b, b - 1, x, 0.05 * perp_rng_signed(&rng));
        touch(s, others, -1, up, -1.0);
        touch(s, others, -1, down, -1.0);
        touch(s, others, 0, x, 0.0);
        refuted_in_both(s, "among", k);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("squeezed-bodies");
    TCase *tcase = tcase_create("squeezed-bodies");
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, walls_around);
    tcase_add_test(tcase, cones_that_slide);
    tcase_add_test(tcase, long_cones_that_slide);
    tcase_add_test(tcase, long_rows);
    tcase_add_test(tcase, one_among_many);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
