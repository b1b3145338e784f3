/* SPDX-License-Identifier: BSD-3-Clause */
/* One-block solvers of contacts: planted solutions and a search over the angle. */
#include <check.h>
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/small.h"
#include "local/slip.h"
#include "generators/planted_block.h"

typedef perp_status contact_solver(double *, const double *, const perp_local_prep *,
                                   const double *, double);

static const double frictions[5] = {0.0, 1e-3, 0.3, 1.0, 10.0};

/* The scaled measure, written here again: |A|_2 from the Gram matrix by power
 * iteration, the projection through the generator nearest to x. */
static double norm_of(const double *A, int n)
{
    double x[3] = {1.0, 0.7, -0.4}, y[3], value = 0.0;
    for (int k = 0; k < 300; k++) {
        double size = 0.0, z[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < n; i++) {
            y[i] = 0.0;
            for (int j = 0; j < n; j++)
                y[i] += A[n * j + i] * x[j];
        }
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                z[j] += A[n * j + i] * y[i];
        for (int i = 0; i < n; i++)
            size += z[i] * z[i];
        value = sqrt(sqrt(size));
        for (int i = 0; i < n && size > 0.0; i++)
            x[i] = z[i] / sqrt(size);
    }
    return value;
}

static double scaled_error(const double *z, const double *A, const double *b, double mu, int n)
{
    const double r[3] = {z[0], z[1], n > 2 ? z[2] : 0.0};
    double norm = norm_of(A, n), u[3] = {0.0}, x[3] = {0.0}, sizes[3] = {0.0, 0.0, 0.0};
    norm = norm > 0.0 ? norm : 1.0;
    for (int i = 0; i < n; i++) {
        u[i] = b[i];
        for (int j = 0; j < n; j++)
            u[i] += A[n * j + i] * r[j];
        sizes[0] += b[i] * b[i];
        sizes[1] += norm * r[i] * norm * r[i];
        sizes[2] += u[i] * u[i];
    }
    for (int i = 0; i < n; i++)
        x[i] = r[i] - (u[i] + (i == 0 ? mu * hypot(u[1], u[2]) : 0.0)) / norm;
    const double t = hypot(x[1], x[2]), h = sqrt(1.0 + mu * mu), a = (x[0] + mu * t) / h;
    double p[3] = {x[0], x[1], x[2]};
    if (t > mu * x[0]) {
        p[0] = a > 0.0 ? a / h : 0.0;
        p[1] = a > 0.0 ? mu * a / h * (x[1] / t) : 0.0;
        p[2] = a > 0.0 ? mu * a / h * (x[2] / t) : 0.0;
    }
    const double d = norm * hypot(hypot(r[0] - p[0], r[1] - p[1]), r[2] - p[2]);
    const double scale = sqrt(fmax(fmax(sizes[0], sizes[1]), sizes[2]));
    return scale > 0.0 ? d / scale : 0.0;
}

/* What became of a solver over many blocks. */
typedef struct tally {
    int blocks, failed, lied; /* lied: said solved above 1e-12 */
    double worst;
} tally;

static void solve_planted(tally *t, contact_solver *solver, int family, int regime, int count,
                          int warm)
{
    for (int m = 0; m < 5; m++) {
        perp_rng rng = {.state = (uint64_t)(1000 * family + 100 * regime + 10 * m + warm + 7)};
        for (int k = 0; k < count; k++) {
            planted_block p;
            perp_local_prep prep;
            double r[3] = {0.0, 0.0, 0.0};
            planted_make(&p, (planted_family)family, (planted_regime)regime, frictions[m], &rng);
            perp_local_prepare(&prep, p.A, 3);
            for (int i = 0; i < 3 && warm; i++)
                r[i] = p.r[i] * planted_between(&rng, 0.9, 1.1);
            const perp_status status = solver(r, p.A, &prep, p.b, p.mu);
            const double error = scaled_error(r, p.A, p.b, p.mu, 3);
            t->blocks++;
            t->failed += !(error <= 1e-12) || status != PERP_SOLVED;
            t->lied += status == PERP_SOLVED && !(error <= 1e-12);
            ck_assert(status >= 0);
            if (!(error <= t->worst))
                t->worst = error;
        }
    }
}

START_TEST(hybrid_solves_every_planted_block)
{
    tally t = {0};
    for (int family = 0; family < PLANTED_FAMILIES; family++)
        for (int regime = 0; regime < 3; regime++)
            for (int warm = 0; warm < 2; warm++)
                solve_planted(&t, perp_local_hybrid, family, regime, 600, warm);
    ck_assert_int_ge(t.blocks, 100000);
    ck_assert_msg(t.failed == 0, "%d of %d failed, worst %g", t.failed, t.blocks, t.worst);
}
END_TEST

START_TEST(quartic_solves_every_planted_block)
{
    tally t = {0};
    for (int family = 0; family < PLANTED_FAMILIES; family++)
        for (int regime = 0; regime < 3; regime++)
            solve_planted(&t, perp_local_quartic, family, regime, 250, 0);
    ck_assert_msg(t.failed == 0, "%d of %d failed, worst %g", t.failed, t.blocks, t.worst);
}
END_TEST

/* Newton and projection may fail, but must say so; on blocks of packings
 * Newton solves all. */
START_TEST(newton_and_projection_are_honest)
{
    for (int family = 0; family < PLANTED_FAMILIES; family++)
        for (int regime = 0; regime < 3; regime++) {
            tally n = {0}, p = {0};
            solve_planted(&n, perp_local_newton, family, regime, 200, 0);
            solve_planted(&p, perp_local_projection, family, regime, 20, 1);
            ck_assert_int_eq(n.lied + p.lied, 0);
            ck_assert_msg(family != PLANTED_CONTACT || n.failed == 0, "newton: %d of %d", n.failed,
                          n.blocks);
            ck_assert_msg(n.failed <= n.blocks / 5, "newton %d %d: %d of %d", family, regime,
                          n.failed, n.blocks);
            ck_assert_msg(p.failed <= p.blocks * 3 / 4, "projection %d %d: %d of %d", family,
                          regime, p.failed, p.blocks);
        }
}
END_TEST

/* u_T x c of the sliding contact with u_N = 0, straight from the rows; *den,
 * *along: its denominator and u_T.c. */
static double slip_value(const double *A, const double *b, double mu, double angle, double *den,
                         double *along)
{
    const double c0 = cos(angle), c1 = sin(angle);
    *den = A[0] + mu * (A[3] * c0 + A[6] * c1);
    const double n = -b[0] / *den;
    const double u1 = b[1] + n * (A[1] + mu * (A[4] * c0 + A[7] * c1));
    const double u2 = b[2] + n * (A[2] + mu * (A[5] * c0 + A[8] * c1));
    *along = u1 * c0 + u2 * c1;
    return u1 * c1 - u2 * c0;
}

/* Number of clear solutions: open, stick by Cramer's rule, and sign changes of the slip
 * value over 2000 angles with both ends admissible by a margin. */
static int brute_force(const double *A, const double *b, double mu)
{
    enum { ANGLES = 2000 };
    int found = b[0] >= 0.0;
    const double det = A[0] * (A[4] * A[8] - A[7] * A[5]) - A[3] * (A[1] * A[8] - A[7] * A[2]) +
                       A[6] * (A[1] * A[5] - A[4] * A[2]);
    double x[3];
    for (int k = 0; k < 3; k++) {
        double M[9];
        memcpy(M, A, sizeof M);
        for (int i = 0; i < 3; i++)
            M[3 * k + i] = -b[i];
        x[k] = (M[0] * (M[4] * M[8] - M[7] * M[5]) - M[3] * (M[1] * M[8] - M[7] * M[2]) +
                M[6] * (M[1] * M[5] - M[4] * M[2])) /
               det;
    }
    found += x[0] > 0.0 && hypot(x[1], x[2]) < mu * x[0] * (1.0 - 1e-6);
    double last = 0.0;
    int usable = 0;
    for (int k = 0; k <= ANGLES; k++) {
        double den, along;
        const double angle = 2.0 * acos(-1.0) * k / ANGLES + 0.123;
        const double f = slip_value(A, b, mu, angle, &den, &along);
        const int now = den > 1e-3 * fabs(A[0]) && along < 0.0 && b[0] < 0.0;
        found += usable && now && (f < 0.0) != (last < 0.0);
        usable = now;
        last = f;
    }
    return found;
}

/* Blocks without a plant: whatever the search finds the hybrid must solve; where
 * the hybrid says infeasible the search finds nothing. */
START_TEST(hybrid_against_a_search_over_the_angle)
{
    int solvable = 0, infeasible = 0, missed = 0;
    for (int kind = 0; kind < 4; kind++)
        for (int m = 1; m < 5; m++) {
            perp_rng rng = {.state = (uint64_t)(77 + 10 * kind + m)};
            for (int k = 0; k < 1500; k++) {
                double A[9], b[3], r[3] = {0.0, 0.0, 0.0};
                perp_local_prep prep;
                planted_matrix(A, kind == 0 ? PLANTED_SPD : PLANTED_UNSYMMETRIC, &rng);
                const double size = norm_of(A, 3);
                for (int i = 0; i < 9 && kind >= 2; i++)
                    A[i] += size * planted_between(&rng, -0.3, 0.3) * (kind - 1);
                for (int i = 0; i < 3; i++)
                    b[i] = planted_between(&rng, -1.0, 1.0);
                b[0] = -fabs(b[0]);
                perp_local_prepare(&prep, A, 3);
                const int exists = brute_force(A, b, frictions[m]);
                const perp_status status = perp_local_hybrid(r, A, &prep, b, frictions[m]);
                const double error = scaled_error(r, A, b, frictions[m], 3);
                ck_assert(status == PERP_SOLVED ? error <= 1e-12 : error > 1e-14);
                missed += exists && status != PERP_SOLVED;
                solvable += exists > 0;
                infeasible += status == PERP_INFEASIBLE;
                ck_assert(kind > 0 || status == PERP_SOLVED);
            }
        }
    ck_assert_msg(missed == 0, "%d of %d missed", missed, solvable);
    ck_assert_int_gt(solvable, 15000);
    ck_assert_int_gt(infeasible, 100);
}
END_TEST

/* The quartic of [SDN] (15.7)-(15.18) of a symmetric block: coefficients P[k] of
 * t^k, and the rotation (v0, v1) of its tangent frame. */
static void sdn_quartic(double P[5], double *v0, double *v1, const double *M, const double *q,
                        double mu)
{
    const double turn = 0.5 * atan2(2.0 * M[5], M[4] - M[8]);
    const double c = cos(turn), s = sin(turn);
    const double d1 = c * c * M[4] + 2.0 * c * s * M[5] + s * s * M[8];
    const double d2 = s * s * M[4] - 2.0 * c * s * M[5] + c * c * M[8];
    const double q1 = c * q[1] + s * q[2], q2 = -s * q[1] + c * q[2];
    const double m1 = c * M[1] + s * M[2], m2 = -s * M[1] + c * M[2];
    const double a1 = -m1 / mu, a2 = -m2 / mu;
    const double p = -mu * q[0] / M[0], e1 = mu * m1 / M[0], e2 = mu * m2 / M[0];
    const double A = -e1 * q2, B = e2 * q1, C = (d1 - d2) * p + e1 * q1 - e2 * q2;
    const double D = q1 - p * a1, E = -q2 + p * a2;
    P[4] = A - E;
    P[3] = -2.0 * C + 2.0 * D;
    P[2] = 4.0 * B - 2.0 * A;
    P[1] = 2.0 * C + 2.0 * D;
    P[0] = A + E;
    *v0 = c;
    *v1 = s;
}

/* All four roots by the iteration of Durand and Kerner. */
static void all_roots(double complex z[4], const double P[5])
{
    for (int k = 0; k < 4; k++)
        z[k] = cpow(0.4 + 0.9 * I, k);
    for (int it = 0; it < 2000; it++)
        for (int k = 0; k < 4; k++) {
            double complex value = 1.0, others = 1.0;
            for (int j = 3; j >= 0; j--)
                value = value * z[k] + P[j] / P[4];
            for (int j = 0; j < 4; j++)
                others *= j == k ? 1.0 : z[k] - z[j];
            z[k] -= value / others;
        }
}

START_TEST(roots_agree_with_the_published_quartic)
{
    perp_rng rng = {.state = 5};
    int compared = 0;
    for (int k = 0; k < 3000; k++) {
        planted_block p;
        double P[5], v0, v1, c[24];
        double complex z[4];
        planted_make(&p, PLANTED_SPD, PLANTED_SLIP, frictions[1 + k % 4], &rng);
        sdn_quartic(P, &v0, &v1, p.A, p.b, p.mu);
        all_roots(z, P);
        const perp_circle circle = perp_slip_circle(p.A, p.b, p.mu);
        const int count = perp_circle_roots(c, &circle);
        for (int j = 0; j < 4; j++) {
            double apart = 2.0, near = 2.0;
            for (int i = 0; i < 4; i++)
                apart = i == j ? apart : fmin(apart, cabs(z[i] - z[j]) / (1.0 + cabs(z[j])));
            if (apart < 1e-3 || fabs(cimag(z[j])) > 1e-9 * (1.0 + cabs(z[j])))
                continue;
            const double angle = 2.0 * atan(creal(z[j]));
            const double c0 = v0 * cos(angle) - v1 * sin(angle);
            const double c1 = v1 * cos(angle) + v0 * sin(angle);
            for (int i = 0; i < count; i++)
                near = fmin(near, hypot(c[2 * i] - c0, c[2 * i + 1] - c1));
            ck_assert_msg(near < 1e-7, "a root of [SDN] (15.18) is missing: %g", near);
            compared++;
        }
    }
    ck_assert_int_gt(compared, 5000);
}
END_TEST

/* The special case of 15.0.1.c, slip along a tangent axis, and theta = pi. */
START_TEST(slip_along_an_axis)
{
    const double A[9] = {2.0, 0.3, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0, 3.0};
    for (int k = 0; k < 4; k++) {
        const double c[2] = {k == 0   ? 1.0
                             : k == 1 ? -1.0
                                      : 0.0,
                             k == 2   ? 1.0
                             : k == 3 ? -1.0
                                      : 0.0};
        const double r[3] = {1.0, 0.5 * c[0], 0.5 * c[1]};
        double b[3] = {0.0, -0.7 * c[0], -0.7 * c[1]}, x[3] = {0.0}, y[3] = {0.0};
        perp_local_prep prep;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                b[i] -= A[3 * j + i] * r[j];
        perp_local_prepare(&prep, A, 3);
        ck_assert_int_eq(perp_local_quartic(x, A, &prep, b, 0.5), PERP_SOLVED);
        ck_assert_int_eq(perp_local_hybrid(y, A, &prep, b, 0.5), PERP_SOLVED);
        for (int i = 0; i < 3; i++) {
            ck_assert_double_eq_tol(x[i], r[i], 1e-14);
            ck_assert_double_eq_tol(y[i], r[i], 1e-14);
        }
    }
}
END_TEST

START_TEST(blocks_without_a_solution)
{
    const double zero[9] = {0.0}, flat[9] = {0, 0, 0, 0, 2, 0, 0, 0, 2};
    const double against[9] = {-1.0, 0, 0, 0, 2, 0, 0, 0, 2};
    /* A_NN = 0: the normal row is lifted by sliding only to one side, which friction forbids. */
    const double lifted[9] = {0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 2.0};
    const double down[3] = {-1.0, 0.3, 0.2}, up[3] = {1.0, 0.3, 0.2}, pull[3] = {-1.0, 50.0, 0.0};
    const double *blocks[3] = {zero, flat, against};
    contact_solver *solvers[4] = {perp_local_hybrid, perp_local_quartic, perp_local_newton,
                                  perp_local_projection};
    for (int s = 0; s < 4; s++)
        for (int k = 0; k < 3; k++) {
            perp_local_prep prep;
            double r[3] = {0.1, 0.0, 0.0};
            perp_local_prepare(&prep, blocks[k], 3);
            ck_assert_int_eq(solvers[s](r, blocks[k], &prep, down, 0.5), PERP_INFEASIBLE);
            ck_assert(isfinite(r[0]) && isfinite(r[1]) && isfinite(r[2]));
            ck_assert_int_eq(solvers[s](r, blocks[k], &prep, up, 0.5), PERP_SOLVED);
            ck_assert(r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0);
        }
    perp_local_prep prep;
    double r[3] = {0.0, 0.0, 0.0};
    perp_local_prepare(&prep, lifted, 3);
    ck_assert_int_eq(brute_force(lifted, pull, 0.5), 0);
    ck_assert_int_eq(perp_local_hybrid(r, lifted, &prep, pull, 0.5), PERP_INFEASIBLE);
    ck_assert_int_eq(perp_local_quartic(r, lifted, &prep, pull, 0.5), PERP_INFEASIBLE);
    double none[3] = {NAN, 1.0, 1.0}, x[3] = {0.0, 0.0, 0.0};
    ck_assert_int_ne(perp_local_hybrid(x, against, &prep, none, 0.5), PERP_SOLVED);
}
END_TEST

/* 1: |A|_2 < norm, as s I - A'A is positive definite. */
static int norm_below(const double *A, double norm)
{
    double M[9], L[9];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            M[3 * j + i] = i == j ? 1.0 : 0.0;
            for (int k = 0; k < 3; k++)
                M[3 * j + i] -= A[3 * i + k] / norm * (A[3 * j + k] / norm);
        }
    return perp_small_cholesky(L, M, 3);
}

/* The prepared norm and inverse. */
START_TEST(preparation)
{
    perp_rng rng = {.state = 11};
    for (int k = 0; k < 3000; k++) {
        double A[9];
        perp_local_prep prep;
        planted_matrix(A, (planted_family)(k % PLANTED_FAMILIES), &rng);
        perp_local_prepare(&prep, A, 3);
        ck_assert(norm_below(A, prep.norm * (1.0 + 1e-13)));
        ck_assert(!norm_below(A, prep.norm * (1.0 - 1e-13)));
        double size = 0.0, most = 0.0;
        for (int i = 0; i < 9; i++)
            size = fmax(size, fabs(prep.inverse[i]));
        /* A X A = A for an inverse and for a pseudo-inverse. */
        for (int i = 0; i < 9; i++) {
            double sum = -A[i];
            for (int a = 0; a < 3; a++)
                for (int c = 0; c < 3; c++)
                    sum += A[3 * a + i % 3] * prep.inverse[3 * c + a] * A[i - i % 3 + c];
            most = fmax(most, fabs(sum));
        }
        ck_assert(most <= prep.norm * (1e-10 + 1e-14 * prep.norm * size));
        const int family = k % PLANTED_FAMILIES;
        ck_assert(family == PLANTED_NEARLY_SINGULAR ||
                  prep.invertible == (family != PLANTED_RANK_1 && family != PLANTED_RANK_2));
    }
}
END_TEST

static void random_contact2(double A[4], double b[2], double r[2], double mu, int family,
                            int regime, perp_rng *rng)
{
    double v[2], u[2] = {0.0, 0.0};
    const double scale = pow(10.0, planted_between(rng, -12.0, 12.0));
    const double sign = perp_rng_below(rng, 2) ? 1.0 : -1.0;
    memset(A, 0, 4 * sizeof(double));
    for (int k = 0; k < (family == 1 ? 1 : 2); k++) {
        planted_unit(v, 2, rng);
        const double s = family == 2 && k == 1 ? pow(10.0, planted_between(rng, -16.0, -2.0)) : 1.0;
        for (int i = 0; i < 4; i++)
            A[i] += scale * s * v[i % 2] * v[i / 2];
    }
    for (int i = 0; i < 4 && family == 3; i++)
        A[i] += scale * planted_between(rng, -0.2, 0.2);
    const double n = pow(10.0, planted_between(rng, -6.0, 6.0));
    const double speed = scale * n * pow(10.0, planted_between(rng, -2.0, 2.0));
    const double share = regime == 1 ? planted_between(rng, -1.0, 1.0) : sign;
    r[0] = regime == 0 ? 0.0 : n;
    r[1] = regime == 0 ? 0.0 : share * mu * n;
    u[0] = regime == 0 ? speed * perp_rng_uniform(rng) : 0.0;
    u[1] = regime == 1 ? 0.0 : -sign * speed;
    for (int i = 0; i < 2; i++)
        b[i] = u[i] - A[i] * r[0] - A[2 + i] * r[1];
}

START_TEST(contact_of_two_rows)
{
    int failed = 0, blocks = 0;
    for (int family = 0; family < 4; family++)
        for (int regime = 0; regime < 3; regime++)
            for (int m = 0; m < 5; m++) {
                perp_rng rng = {.state = (uint64_t)(100 * family + 10 * regime + m)};
                for (int k = 0; k < 1000; k++, blocks++) {
                    double A[4], b[2], r[2], x[2] = {0.0, 0.0};
                    random_contact2(A, b, r, frictions[m], family, regime, &rng);
                    const perp_status status = perp_local_contact2(x, A, b, frictions[m]);
                    failed +=
                        status != PERP_SOLVED || !(scaled_error(x, A, b, frictions[m], 2) <= 1e-12);
                }
            }
    ck_assert_msg(failed == 0, "%d of %d failed", failed, blocks);
    double r[2] = {0.0, 0.0};
    const double zero[4] = {0.0}, against[4] = {-1.0, 0.2, 0.2, 1.0}, down[2] = {-1.0, 1.0};
    ck_assert_int_eq(perp_local_contact2(r, zero, down, 0.5), PERP_INFEASIBLE);
    ck_assert_int_eq(perp_local_contact2(r, against, down, 0.5), PERP_INFEASIBLE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("local");
    TCase *tcase = tcase_create("contact");
    suite_add_tcase(suite, tcase);
    tcase_add_test(tcase, hybrid_solves_every_planted_block);
    tcase_add_test(tcase, quartic_solves_every_planted_block);
    tcase_add_test(tcase, newton_and_projection_are_honest);
    tcase_add_test(tcase, hybrid_against_a_search_over_the_angle);
    tcase_add_test(tcase, roots_agree_with_the_published_quartic);
    tcase_add_test(tcase, slip_along_an_axis);
    tcase_add_test(tcase, blocks_without_a_solution);
    tcase_add_test(tcase, preparation);
    tcase_add_test(tcase, contact_of_two_rows);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
