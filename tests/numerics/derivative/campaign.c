/* SPDX-License-Identifier: BSD-3-Clause */
/* Many random problems of every set beside differences in long double.
 *     make derivative-campaign CASES=100000 SEED=1
 * A third of the problems has any q, a third a planted solution with margins from the kinks (both
 * are solved by `auto`), a third has blocks on a kink and keeps the planted solution.  Ends with 1
 * where an aim was missed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/planted.h"

enum { ALL_SETS = (1 << PERP_SET_COUNT) - 1, GROUPS = PERP_SET_COUNT + 1 };

typedef struct tally {
    long cases, kinks, compared, unsolved, other_status, missed, not_finite;
    double forward, one_sided, adjoint; /* largest errors */
} tally;

static double norm(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* |difference - (dz, dw)| beside 1 + |difference|; negative: no difference could be made. */
static double beside_difference(const planted *p, const planted_change *change, const double *z,
                                long double t, long double s, const double *dz, const double *dw)
{
    long double x[2][PLANTED_ROWS], v[2][PLANTED_ROWS], at[2] = {t, s};
    double wrong = 0.0, size = 0.0;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < p->n; i++)
            x[k][i] = z[i] + at[k] * dz[i];
        if (!(planted_solve(p, change, at[k], x[k], v[k]) < 1e-16L))
            return -1.0;
    }
    for (int i = 0; i < p->n; i++) {
        double a = (double)((x[0][i] - x[1][i]) / (t - s)),
               b = (double)((v[0][i] - v[1][i]) / (t - s));
        wrong += (a - dz[i]) * (a - dz[i]) + (b - dw[i]) * (b - dw[i]);
        size += a * a + b * b;
    }
    return sqrt(wrong) / (1.0 + sqrt(size));
}

static double adjoint_error(const planted *p, const planted_change *change, perp_derivative *d,
                            const double *dz, const double *dw, perp_rng *rng, int *finite)
{
    static planted_change by;
    double z_bar[PLANTED_ROWS], w_bar[PLANTED_ROWS];
    perp_gradient of = {sizeof of, by.q, by.M, {by.par[0], by.par[1], by.par[2]}, NULL, NULL, NULL};
    for (int i = 0; i < p->n; i++) {
        z_bar[i] = perp_rng_signed(rng);
        w_bar[i] = perp_rng_signed(rng);
    }
    perp_derivative_vjp(d, 1, z_bar, w_bar, &of);
    double sum = dot(by.q, change->q, p->n) + dot(by.M, change->M, p->n * p->n);
    double size = norm(by.q, p->n) * norm(change->q, p->n) +
                  norm(by.M, p->n * p->n) * norm(change->M, p->n * p->n);
    for (int k = 0; k < PERP_PARAMETERS; k++)
        sum += dot(by.par[k], change->par[k], p->blocks);
    *finite &= isfinite(sum) != 0;
    size += norm(z_bar, p->n) * norm(dz, p->n) + norm(w_bar, p->n) * norm(dw, p->n);
    return fabs(sum - dot(z_bar, dz, p->n) - dot(w_bar, dw, p->n)) / size;
}

/* Where flags differ from what was planted. */
static int is_missed(const planted *p, const perp_derivative *d)
{
    unsigned char rows[PLANTED_ROWS];
    perp_derivative_rows(d, rows);
    for (int b = 0; b < p->blocks; b++) {
        int found = 0;
        for (int i = 0; i < p->seg[b].dim; i++)
            found |= rows[p->row[b] + i] & PERP_ROW_KINK;
        if (found != (p->kink[b] ? PERP_ROW_KINK : 0))
            return 1;
    }
    return 0;
}

static void one(tally *t, perp_derivative *d, unsigned sets, int kind, perp_rng *rng)
{
    int with_kinks = kind == 2;
    static planted p;
    static planted_change change;
    double z[PLANTED_ROWS], w[PLANTED_ROWS], dz[PLANTED_ROWS], dw[PLANTED_ROWS];
    planted_make(&p, sets, 1 + perp_rng_below(rng, 6), with_kinks ? 0.4 : 0.0, 0, rng);
    planted_direction(&change, &p, rng);
    memcpy(z, p.z, sizeof z);
    for (int i = 0; i < p.n && kind == 0; i++)
        p.q[i] = 2.0 * perp_rng_signed(rng);
    t->cases++;
    if (!with_kinks) {
        perp_settings settings;
        perp_settings_init(&settings, sizeof settings);
        settings.tol = 1e-13;
        perp_info info = {.size = sizeof info};
        if (perp_solve("auto", &p.problem, &settings, z, w, &info) < 0 || info.error > 1e-12) {
            t->unsolved++;
            return;
        }
    }
    perp_status made = perp_derivative_factor(d, &p.problem, z, NULL);
    perp_tangent along = planted_tangent(&change);
    if (made < 0 || perp_derivative_jvp(d, 1, &along, dz, dw, NULL) !=
                        (p.kinks ? PERP_ONE_SIDED : PERP_SOLVED)) {
        t->other_status++;
        return;
    }
    int finite = isfinite(norm(dz, p.n)) && isfinite(norm(dw, p.n));
    t->kinks += p.kinks;
    t->missed += is_missed(&p, d);
    double error = p.kinks ? beside_difference(&p, &change, z, 2e-9L, 1e-9L, dz, dw)
                           : beside_difference(&p, &change, z, 1e-9L, -1e-9L, dz, dw);
    t->compared += error >= 0.0;
    if (p.kinks) {
        t->one_sided = fmax(t->one_sided, error);
    } else {
        t->forward = fmax(t->forward, error);
        t->adjoint = fmax(t->adjoint, adjoint_error(&p, &change, d, dz, dw, rng, &finite));
    }
    t->not_finite += !finite;
}

int main(int argc, char **argv)
{
    long cases = argc > 1 ? atol(argv[1]) : 1000;
    perp_rng rng = {argc > 2 ? (uint64_t)atol(argv[2]) : 1};
    perp_derivative *d;
    int bad = 0;
    if (perp_derivative_create(&d, NULL, NULL, NULL) != PERP_SOLVED)
        return 1;
    printf("%-9s %8s %8s %9s %9s %7s %7s %10s %10s %10s %5s\n", "set", "problems", "on kinks",
           "compared", "unsolved", "status", "missed", "smooth", "one-sided", "adjoint", "NaN");
    for (int g = 0; g < GROUPS; g++) {
        tally t = {0};
        for (long k = 0; k < cases / GROUPS; k++)
            one(&t, d, g < PERP_SET_COUNT ? 1u << g : ALL_SETS, (int)(k % 3), &rng);
        printf("%-9s %8ld %8ld %9ld %9ld %7ld %7ld %10.1e %10.1e %10.1e %5ld\n",
               g < PERP_SET_COUNT ? perp_set_name((perp_set)g) : "all", t.cases, t.kinks,
               t.compared, t.unsolved, t.other_status, t.missed, t.forward, t.one_sided, t.adjoint,
               t.not_finite);
        fflush(stdout);
        bad |= t.not_finite > 0 || t.forward > 1e-6 || t.adjoint > 1e-10 || t.missed > 0;
    }
    perp_derivative_destroy(d);
    return bad;
}
