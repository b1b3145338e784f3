/* SPDX-License-Identifier: BSD-3-Clause */
/* perp_certificate_check(): proofs planted for every set, confirmed by sampling
 * K and the admissible w; the same ones spoilt; those of lemke. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "core/rng.h"
#include "linalg/mat.h"

enum { N = 24 };

typedef struct instance {
    perp_problem problem;
    perp_segment seg[9];
    double par[9][2];
    double M[N * N], q[N], y[N];
    int n;
} instance;

static void segment(instance *p, perp_set set, int dim, int count, double a, double b)
{
    int k = p->problem.nseg++;
    p->par[k][0] = a;
    p->par[k][1] = b;
    p->seg[k] = (perp_segment){set, dim, count, {&p->par[k][0], &p->par[k][1]}, {0, 0}};
    p->n += dim * count;
    ck_assert_int_le(p->n, N);
}

static void all_sets(instance *p)
{
    memset(p, 0, sizeof *p);
    segment(p, PERP_NONNEG, 1, 3, 0, 0);
    segment(p, PERP_FREE, 1, 2, 0, 0);
    segment(p, PERP_BOX, 1, 2, -0.5, 2.0);
    segment(p, PERP_BOX, 1, 2, 0.5, INFINITY);
    segment(p, PERP_BOX, 1, 2, -INFINITY, -0.25);
    segment(p, PERP_TRESCA, 3, 1, 0.7, 0);
    segment(p, PERP_COULOMB, 2, 1, 0.4, 0);
    segment(p, PERP_SOC, 3, 1, 0.8, 0);
    segment(p, PERP_ROLLING, 5, 1, 0.3, 0.2);
}

static double norm(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* Random tangents with |x| <= r. */
static void disk(double *x, int n, double r, perp_rng *rng)
{
    for (int i = 0; i < n; i++)
        x[i] = perp_rng_signed(rng);
    double l = norm(x, n);
    for (int i = 0; i < n; i++)
        x[i] *= r * perp_rng_uniform(rng) / (l > 0.0 ? l : 1.0);
}

/* what: 0 a point of K, 1 a w that is admissible, 2 a y with the signs of a proof, 3 a c = M'y
 * that has a finite supremum over K. */
static void sample(double *x, const instance *p, int what, perp_rng *rng)
{
    for (int s = 0; s < p->problem.nseg; s++) {
        const perp_segment *seg = &p->seg[s];
        double a = p->par[s][0], b = p->par[s][1], size = exp(4.0 * perp_rng_signed(rng));
        for (int k = 0; k < seg->count; k++, x += seg->dim) {
            double u = size * perp_rng_uniform(rng), v = size * perp_rng_signed(rng);
            int n = seg->dim - 1, half = n / 2;
            switch (seg->set) {
            case PERP_NONNEG:
                x[0] = what == 3 ? -u : u;
                break;
            case PERP_FREE:
                x[0] = what == 1 || what == 3 ? 0.0 : v;
                break;
            case PERP_BOX:
                if (isfinite(a) && isfinite(b))
                    x[0] = what == 0 ? a + (b - a) * perp_rng_uniform(rng) : what == 2 ? 0.0 : v;
                else if (isfinite(a))
                    x[0] = what == 0 ? a + u : what == 3 ? -u : u;
                else
                    x[0] = what == 0 ? b - u : what == 3 ? u : -u;
                break;
            case PERP_TRESCA:
                disk(x + 1, n, what == 0 ? a : what == 2 ? 0.0 : size, rng);
                x[0] = what == 3 ? -u : u;
                break;
            case PERP_COULOMB:
                disk(x + 1, n, what == 0 ? a * u : what == 2 ? 0.0 : size, rng);
                x[0] = what == 3 ? -u - a * norm(x + 1, n) : u;
                break;
            case PERP_SOC:
                disk(x + 1, n, what == 0 || what == 2 ? a * u : size, rng);
                x[0] = what == 0 || what == 2 ? u
                                              : (what == 3 ? -1.0 : 1.0) * (u + a * norm(x + 1, n));
                break;
            default:
                disk(x + 1, half, what == 0 ? a * u : what == 2 ? 0.0 : size, rng);
                disk(x + 1 + half, half, what == 0 ? b * u : what == 2 ? 0.0 : size, rng);
                x[0] = what == 3 ? -u - a * norm(x + 1, half) - b * norm(x + 1 + half, half) : u;
            }
        }
    }
}

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* sup of c.z over the bounded parts of K, in instance's order of rows. */
static double bounded_part(const instance *p, const double *c)
{
    double sum = 0.0;
    for (int s = 0; s < p->problem.nseg; s++) {
        const perp_segment *seg = &p->seg[s];
        double a = p->par[s][0], b = p->par[s][1];
        for (int k = 0; k < seg->count; k++, c += seg->dim)
            if (seg->set == PERP_BOX)
                sum += isfinite(a) && isfinite(b) ? fmax(a * *c, b * *c)
                       : isfinite(a)              ? a * *c
                                                  : b * *c;
            else if (seg->set == PERP_TRESCA)
                sum += a * norm(c + 1, seg->dim - 1);
    }
    return sum;
}

/* M and q such that y is a proof with supremum -gap. */
static void plant(instance *p, double gap, perp_rng *rng)
{
    double c[N];
    int n = p->n;
    sample(p->y, p, 2, rng);
    sample(c, p, 3, rng);
    double yy = dot(p->y, p->y, n), qy = 0.0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            p->M[i + j * n] = perp_rng_signed(rng);
        double off = (dot(p->M + j * n, p->y, n) - c[j]) / yy;
        for (int i = 0; i < n; i++)
            p->M[i + j * n] -= off * p->y[i];
    }
    for (int i = 0; i < n; i++)
        p->q[i] = perp_rng_signed(rng);
    qy = dot(p->q, p->y, n);
    for (int i = 0; i < n; i++)
        p->q[i] -= (qy + bounded_part(p, c) + gap) / yy * p->y[i];
    p->problem.q = p->q;
    p->problem.seg = p->seg;
    ck_assert_int_eq(perp_mat_init_dense(&p->problem.M, n, n, p->M, n), PERP_SOLVED);
}

static perp_certificate_figures check(const instance *p, const double *y)
{
    perp_certificate_figures f = {.size = sizeof f};
    ck_assert_int_eq(perp_problem_check(&p->problem, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_certificate_check(&p->problem, PERP_CERTIFICATE_INFEASIBLE, y, NULL, &f),
                     PERP_SOLVED);
    return f;
}

/* y.(M z + q) < 0 for points of K, y.w >= 0 for admissible w. */
static void confirm(const instance *p, perp_rng *rng)
{
    for (int k = 0; k < 200; k++) {
        double z[N], w[N], value = dot(p->q, p->y, p->n), size = 0.0;
        sample(z, p, 0, rng);
        sample(w, p, 1, rng);
        for (int j = 0; j < p->n; j++) {
            double c = dot(p->M + j * p->n, p->y, p->n);
            value += c * z[j];
            size += fabs(c * z[j]);
        }
        ck_assert_double_lt(value, 1e-9 * size);
        ck_assert_double_ge(dot(p->y, w, p->n), -1e-12);
    }
}

START_TEST(planted_proofs_hold)
{
    perp_rng rng = {5};
    for (int k = 0; k < 200; k++) {
        instance p;
        all_sets(&p);
        plant(&p, 1.0 + perp_rng_uniform(&rng), &rng);
        perp_certificate_figures f = check(&p, p.y);
        /* c of a FREE row is planted to rounding, not to 0. */
        ck_assert_msg(f.column < 1e-12 && f.value < 0.0 && f.reach > 1e6,
                      "%d: sign %g column %g value %g row %d", k, f.sign, f.column, f.value,
                      f.row);
        confirm(&p, &rng);
    }
}
END_TEST

/* The supremum is at least 0, or a row breaks its condition: no proof. */
START_TEST(spoilt_proofs_do_not_hold)
{
    perp_rng rng = {6};
    for (int k = 0; k < 200; k++) {
        instance p;
        double y[N];
        all_sets(&p);
        plant(&p, -0.1 * k, &rng);
        ck_assert_int_eq(check(&p, p.y).holds, 0);
        plant(&p, 1.0, &rng);
        int i = k % p.n;
        memcpy(y, p.y, sizeof y);
        y[i] = i == 3 || i == 4 ? y[i] + 1.0 : i >= 9 && i < 11 ? 0.1 : i == 14 ? -1.0 : -0.1;
        if (i != 5 && i != 6)
            ck_assert_int_eq(check(&p, y).holds, 0);
        /* A column moves off its side by a millionth of its terms. */
        for (int j = 0; j < 3; j++) {
            plant(&p, 1.0, &rng);
            double c = dot(p.M + j * p.n, p.y, p.n), yy = dot(p.y, p.y, p.n), size = 0.0;
            for (int r = 0; r < p.n; r++)
                size += fabs(p.M[r + j * p.n] * p.y[r]);
            for (int r = 0; r < p.n; r++)
                p.M[r + j * p.n] -= (c - 1e-6 * size) / yy * p.y[r];
            perp_certificate_figures f = check(&p, p.y);
            ck_assert_int_eq(f.holds, 0);
            ck_assert_int_eq(f.row, j);
            ck_assert_double_gt(f.column, 1e-7);
            ck_assert_double_gt(f.reach, 0.0);
            ck_assert_double_lt(f.reach, INFINITY);
        }
    }
}
END_TEST

/* z <= -1 and z >= 0; then z <= 1 from a box. */
START_TEST(closed_forms)
{
    instance p;
    double y = 2.0;
    memset(&p, 0, sizeof p);
    segment(&p, PERP_NONNEG, 1, 1, 0, 0);
    p.M[0] = -1.0;
    p.q[0] = -1.0;
    p.problem.q = p.q;
    p.problem.seg = p.seg;
    perp_mat_init_dense(&p.problem.M, 1, 1, p.M, 1);
    perp_certificate_figures f = check(&p, &y);
    ck_assert(f.holds && f.sign == 0.0 && f.column == 0.0 && f.value == -1.0);
    ck_assert(isinf(f.reach) && f.row == -1);
    y = -1.0;
    ck_assert_int_eq(check(&p, &y).holds, 0);
    y = 0.0;
    ck_assert_int_eq(check(&p, &y).holds, 0);
    /* FREE row 0 z = 1: y of either sign that fits q. */
    p.seg[0].set = PERP_FREE;
    p.M[0] = 0.0;
    y = 3.0;
    ck_assert_int_eq(check(&p, &y).holds, 1);
    y = -3.0;
    ck_assert_int_eq(check(&p, &y).holds, 0);
    /* w = z - 3 >= 0 with 0.5 <= z: solvable; with w = -z + 0.4 it is not. */
    p.seg[0].set = PERP_BOX;
    p.par[0][0] = 0.5;
    p.par[0][1] = INFINITY;
    p.M[0] = -1.0;
    p.q[0] = 0.4;
    y = 1.0;
    ck_assert_int_eq(check(&p, &y).holds, 1);
    p.q[0] = 0.6;
    ck_assert_int_eq(check(&p, &y).holds, 0);
    /* Any w will do for a bounded row. */
    p.par[0][1] = 1.0;
    p.q[0] = 0.4;
    ck_assert_int_eq(check(&p, &y).holds, 0);
}
END_TEST

static void nonneg(instance *p, int n, const double *M, const double *q)
{
    memset(p, 0, sizeof *p);
    segment(p, PERP_NONNEG, 1, n, 0, 0);
    memcpy(p->M, M, (size_t)(n * n) * sizeof(double));
    memcpy(p->q, q, (size_t)n * sizeof(double));
    p->problem.q = p->q;
    p->problem.seg = p->seg;
    perp_mat_init_dense(&p->problem.M, n, n, p->M, n);
}

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* No solver that takes these rows says more than is so: z solves the problem. */
static void nobody_refutes(const instance *p, const double *solution)
{
    static const char *const names[] = {"auto", "lemke", "ppm", "dantzig", "enumerative", "lp"};
    double z[N], w[N];
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        perp_info info = {.size = sizeof info};
        if (!perp_solver_find(names[k]))
            continue;
        perp_status status = perp_solve(names[k], &p->problem, NULL, z, w, &info);
        ck_assert_msg(status != PERP_INFEASIBLE, "%s", names[k]);
        ck_assert(status != PERP_INFEASIBLE_WITHIN || info.reach > 0.0);
        ck_assert_msg(info.reach <= largest(solution, p->n), "%s: %g", names[k], info.reach);
    }
}

/* c = (0, 2^-52) is next to nothing beside its terms, and the solution is next to infinity. */
START_TEST(solutions_beyond_the_reach)
{
    instance p;
    const double e = 0x1p-52, y[2] = {1, 1}, z[2] = {0x1p52 + 1, 0x1p52};
    nonneg(&p, 2, (double[]){1, -1, -1, 1 + e}, (double[]){-1, 0});
    ck_assert(z[0] - z[1] - 1.0 == 0.0);
    perp_certificate_figures f = check(&p, y);
    ck_assert(!f.holds && f.column > 0.0 && f.column < 1e-15);
    ck_assert(f.reach <= z[0] && f.reach > 0.99 * z[0]);
    nobody_refutes(&p, z);
    /* Without the last bit there is none. */
    p.M[3] = 1.0;
    f = check(&p, y);
    ck_assert(f.holds && isinf(f.reach));
    /* And so with y of whatever unit. */
    f = check(&p, (double[]){0.3, 0.3});
    ck_assert(f.holds && isinf(f.reach));
}
END_TEST

/* 2^53 + 1 - 2^53 is 0 in doubles, so that c = (1, 0, -1) seems to be (0, 0, -1). */
START_TEST(sums_that_cancel)
{
    instance p;
    const double b = 0x1p53, y[3] = {1, 1, 1}, z[3] = {1, 1, 0};
    nonneg(&p, 3, (double[]){b, 1, -b, -b, 0, b, -1, 0, 0}, (double[]){0, -1, 0});
    perp_certificate_figures f = check(&p, y);
    ck_assert(!f.holds && f.reach <= 1.0);
    nobody_refutes(&p, z);
    /* Entries so small that products vanish: 2^-700 2^-700 z_1 - 2^-600 >= 0. */
    nonneg(&p, 2, (double[]){0x1p-700, 0, -1, 0}, (double[]){-0x1p-600, 1});
    f = check(&p, (double[]){1, 0x1p-700});
    ck_assert_int_eq(f.holds, 0);
}
END_TEST

/* A nearly singular Gram matrix with mass ratios of 1e6, which was called one without solution.  In
 * rational arithmetic w = 0 in rows 0, 2 and 3 gives z > 0 there, and w_1 = 0.109... */
START_TEST(a_solution_that_was_denied)
{
    instance p;
    const double z[4] = {0x1.52355bd49c5dbp+2, 0, 0x1.5deff6c6e82d9p-45, 0x1.3cbf4a08c8625p+6};
    const double M[16] = {23564468652.84621,  -15814104000.362789, -11705087789.290405,
                          -1572567455.9445341, -15814104000.362789, 31611264230356.629,
                          46444933325484.836, 1055349291.4199812,  -11705087789.290405,
                          46444933325484.836, 68244984066880.227,  781135377.87777054,
                          -1572567455.9445341, 1055349291.4199812, 781135377.87777054,
                          104944798.03435329};
    const double q[4] = {-0.76478342017543177, 0.24025303642068357, 0.35639403213639798,
                         -0.16379665828090725};
    nonneg(&p, 4, M, q);
    nobody_refutes(&p, z);
}
END_TEST

/* Gram matrices of 20 bits, nearly singular, with mass ratios: M z is exact, q = -M z. */
START_TEST(planted_solutions_are_not_refuted)
{
    perp_rng rng = {91};
    for (int k = 0; k < 400; k++) {
        instance p;
        double B[N], M[N * N], q[N] = {0.0}, z[N], unit[N];
        int n = 2 + perp_rng_below(&rng, 4), bits = 4 + perp_rng_below(&rng, 16);
        for (int i = 0; i < n; i++) {
            B[i] = perp_rng_signed(&rng);
            z[i] = floor(ldexp(0.5 + 0.5 * perp_rng_uniform(&rng), 6 + k % 14));
            unit[i] = ldexp(1.0, perp_rng_below(&rng, 24) - 12);
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                M[i + j * n] = ldexp(nearbyint(ldexp(B[i] * B[j], bits)), -bits);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                q[i] -= M[i + j * n] * z[j];
                M[i + j * n] *= unit[i] * unit[j];
            }
        for (int i = 0; i < n; i++) {
            q[i] *= unit[i];
            z[i] /= unit[i];
        }
        nonneg(&p, n, M, q);
        nobody_refutes(&p, z);
    }
}
END_TEST

static void two_rows(instance *p, double a, double b, double c, double d, double q0, double q1)
{
    memset(p, 0, sizeof *p);
    segment(p, PERP_NONNEG, 1, 2, 0, 0);
    memcpy(p->M, (double[]){a, b, c, d}, 4 * sizeof(double));
    p->q[0] = q0;
    p->q[1] = q1;
    p->problem.q = p->q;
    p->problem.seg = p->seg;
    perp_mat_init_dense(&p->problem.M, 2, 2, p->M, 2);
}

START_TEST(rays)
{
    instance p;
    perp_certificate_figures f = {.size = sizeof f};
    two_rows(&p, 0, -1, 1, 0, -1, 1);
    double forward[2] = {1, 0}, wrong[2] = {1, 1}, negative[2] = {-1, 0};
    perp_certificate_kind ray = PERP_CERTIFICATE_RAY;
    ck_assert_int_eq(perp_certificate_check(&p.problem, ray, forward, NULL, &f), PERP_SOLVED);
    ck_assert(f.holds);
    ck_assert_int_eq(perp_certificate_check(&p.problem, ray, wrong, NULL, &f), PERP_SOLVED);
    ck_assert(!f.holds && f.row == 0 && f.column == 1.0);
    ck_assert_int_eq(perp_certificate_check(&p.problem, ray, negative, NULL, &f), PERP_SOLVED);
    ck_assert(!f.holds && f.sign == 1.0);
}
END_TEST

static int no_product(void *ctx, double *y, const double *x)
{
    (void)ctx;
    (void)y;
    (void)x;
    return 1;
}

static void *nothing(void *ctx, size_t bytes)
{
    (void)ctx;
    (void)bytes;
    return NULL;
}

static void drop(void *ctx, void *block)
{
    (void)ctx;
    (void)block;
}

START_TEST(arguments)
{
    instance p;
    perp_certificate_figures f = {.size = sizeof f};
    double y[2] = {1, NAN};
    const perp_allocator none = {nothing, drop, NULL};
    two_rows(&p, 0, -1, 1, 0, -1, 1);
    perp_certificate_kind proof = PERP_CERTIFICATE_INFEASIBLE;
    ck_assert_int_eq(perp_certificate_check(NULL, proof, y, NULL, &f), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_certificate_check(&p.problem, proof, NULL, NULL, &f), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_certificate_check(&p.problem, proof, y, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_certificate_check(&p.problem, proof, y, NULL, &f), PERP_ERR_NONFINITE);
    ck_assert_int_eq(f.holds, 0);
    ck_assert_int_eq(perp_certificate_check(&p.problem, proof, y, &none, &f), PERP_ERR_MEMORY);
    ck_assert_int_eq(perp_certificate_check(&p.problem, (perp_certificate_kind)77, y, NULL, &f),
                     PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_certificate_check(&p.problem, PERP_CERTIFICATE_EXHAUSTED, NULL, NULL, &f),
                     PERP_SOLVED);
    ck_assert_int_eq(f.holds, 1);
    ck_assert_int_eq(perp_certificate_check(&p.problem, PERP_CERTIFICATE_NONE, NULL, NULL, &f),
                     PERP_SOLVED);
    ck_assert_int_eq(f.holds, 0);
    perp_mat_init_operator(&p.problem.M, 2, no_product, NULL, NULL);
    y[1] = 0.0;
    ck_assert_int_eq(perp_certificate_check(&p.problem, proof, y, NULL, &f), PERP_ERR_UNSUPPORTED);
}
END_TEST

/* What lemke hands out on random problems passes; with FREE rows the covering vector of a ray
 * may have any sign. */
START_TEST(those_of_lemke_hold)
{
    perp_rng rng = {7};
    int proofs = 0, found = 0;
    for (int k = 0; k < 2000; k++) {
        instance p;
        double z[N], w[N], y[N];
        perp_solver *solver;
        memset(&p, 0, sizeof p);
        segment(&p, PERP_FREE, 1, k % 3, 0, 0);
        segment(&p, PERP_NONNEG, 1, 2 + k % 5, 0, 0);
        for (int i = 0; i < p.n * p.n; i++)
            p.M[i] = (double)(perp_rng_below(&rng, 7) - 3);
        for (int i = 0; i < p.n; i++)
            p.q[i] = (double)(perp_rng_below(&rng, 7) - 3);
        p.problem.q = p.q;
        p.problem.seg = p.seg;
        perp_mat_init_dense(&p.problem.M, p.n, p.n, p.M, p.n);
        perp_solver_create(&solver, perp_solver_find("lemke"), NULL, NULL, NULL);
        ck_assert_int_eq(perp_solver_setup(solver, &p.problem), PERP_SOLVED);
        perp_status status = perp_solver_solve(solver, z, w, NULL);
        perp_certificate_kind kind;
        perp_certificate_figures f = {.size = sizeof f};
        ck_assert_int_eq(perp_solver_certificate(solver, p.n, &kind, y), PERP_SOLVED);
        ck_assert_int_eq(perp_certificate_check(&p.problem, kind, y, NULL, &f), PERP_SOLVED);
        int covered = kind == PERP_CERTIFICATE_RAY && k % 3 > 0;
        ck_assert_msg(kind == PERP_CERTIFICATE_NONE || covered || f.holds, "%d: kind %d, %g %g %g",
                      k, kind, f.sign, f.column, f.value);
        proofs += status == PERP_INFEASIBLE;
        found += status == PERP_RAY;
        perp_solver_destroy(solver);
    }
    ck_assert_int_gt(proofs, 50);
    ck_assert_int_gt(found, 10);
}
END_TEST

static perp_certificate_figures figures_of(const perp_problem *p, const double *y)
{
    perp_certificate_figures f = {.size = sizeof f};
    ck_assert_int_eq(perp_certificate_check(p, PERP_CERTIFICATE_INFEASIBLE, y, NULL, &f), 0);
    return f;
}

/* w = z / 4 - 1 >= .. : a proof with y = 1 reaches to z = 4, in any unit of y. */
START_TEST(reach_of_one_breach)
{
    static const double M[4] = {0.25, 0.0, 0.0, 0.0}, q[2] = {-1.0, 0.0}, no[2] = {1.0, 0.0}, r = 0.0;
    const perp_segment sets[] = {{PERP_FREE, 1, 1, {NULL, NULL}, {0, 0}},
                                 {PERP_NONNEG, 1, 1, {NULL, NULL}, {0, 0}},
                                 {PERP_TRESCA, 2, 1, {&r, NULL}, {0, 0}}};
    for (int k = 0; k < 3; k++) {
        perp_problem p = {.q = q, .seg = &sets[k], .nseg = 1};
        int n = sets[k].dim;
        double y[2] = {1.0, 0.0};
        ck_assert_int_eq(perp_mat_init_dense(&p.M, n, n, M, 2), 0);
        perp_certificate_figures f = figures_of(&p, y);
        ck_assert_int_eq(f.holds, 0);
        ck_assert_double_le(f.reach, 4.0);
        ck_assert_double_ge(f.reach, 4.0 * (1.0 - 1e-14));
        ck_assert_double_eq_tol(f.column, 1.0, 1e-14);
        ck_assert_double_eq(f.value, -1.0);
        y[0] = ldexp(1.0, -900);
        ck_assert_double_eq(figures_of(&p, y).reach, f.reach);
        p.q = no;
        f = figures_of(&p, y);
        ck_assert_double_eq(f.reach, 0.0);
        ck_assert_int_eq(f.holds, 0);
    }
}
END_TEST

/* No column takes part; and a y whose wrong sign is more than rounding proves nothing. */
START_TEST(columns_of_zeros)
{
    static const double M[4] = {0.0}, q[2] = {-1.0, 0.0}, right[2] = {1.0, 0.0}, wrong[2] = {1.0, -0.1};
    perp_segment seg = {PERP_NONNEG, 1, 2, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    ck_assert_int_eq(perp_mat_init_dense(&p.M, 2, 2, M, 2), 0);
    perp_certificate_figures f = figures_of(&p, right);
    ck_assert_int_eq(f.holds, 1);
    ck_assert_double_eq(f.column, 0.0);
    ck_assert_int_eq(f.row, -1);
    f = figures_of(&p, wrong);
    ck_assert_int_eq(f.holds, 0);
    ck_assert_double_eq(f.reach, 0.0);
    ck_assert_double_eq_tol(f.sign, 0.1, 1e-15);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("certificate");
    TCase *tcase = tcase_create("certificate");
    tcase_add_test(tcase, reach_of_one_breach);
    tcase_add_test(tcase, columns_of_zeros);
    tcase_add_test(tcase, planted_proofs_hold);
    tcase_add_test(tcase, spoilt_proofs_do_not_hold);
    tcase_add_test(tcase, closed_forms);
    tcase_add_test(tcase, solutions_beyond_the_reach);
    tcase_add_test(tcase, sums_that_cancel);
    tcase_add_test(tcase, a_solution_that_was_denied);
    tcase_add_test(tcase, planted_solutions_are_not_refuted);
    tcase_add_test(tcase, rays);
    tcase_add_test(tcase, arguments);
    tcase_add_test(tcase, those_of_lemke_hold);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
