/* SPDX-License-Identifier: BSD-3-Clause */
#include "zoo_build.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

void zoo_dense(stored_problem *p, const double *M, const double *q)
{
    stored_allocate(p);
    for (int i = 0; i < p->n; i++) {
        p->q[i] = q[i];
        for (int j = 0; j < p->n; j++)
            p->M[i + j * p->n] = M[i * p->n + j];
    }
}

void zoo_lcp(stored_problem *p, int n, const double *M, const double *q)
{
    stored_init(p, "");
    stored_segment(p, PERP_NONNEG, 1, n, 0.0, 0.0);
    zoo_dense(p, M, q);
}

void zoo_random_matrix(stored_problem *p, uint64_t seed, double skew)
{
    perp_rng rng = {seed};
    int n = p->n;
    stored_allocate(p);
    double *G = calloc((size_t)(n * n), sizeof(double));
    ck_assert_ptr_nonnull(G);
    for (int i = 0; i < n * n; i++)
        G[i] = perp_rng_signed(&rng);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0.0, s = skew * perp_rng_signed(&rng);
            for (int k = 0; k < n; k++)
                sum += G[k + i * n] * G[k + j * n];
            p->M[i + j * n] = sum / n + (i == j ? 1.0 : s);
            p->M[j + i * n] = sum / n + (i == j ? 1.0 : -s);
        }
    free(G);
}

void zoo_plant(stored_problem *p, uint64_t seed)
{
    perp_rng rng = {seed};
    stored_plant(p, &rng);
}

/* q = w - M z. */
static void finish(stored_problem *p, const double *w)
{
    for (int i = 0; i < p->n; i++) {
        long double sum = w[i];
        for (int j = 0; j < p->n; j++)
            sum -= (long double)p->M[i + j * p->n] * p->z[j];
        p->q[i] = (double)sum;
    }
}

static void plant_contact(double *z, double *w, int dim, zoo_regime regime, double mu,
                          perp_rng *rng)
{
    double t[2] = {perp_rng_signed(rng), dim == 3 ? perp_rng_signed(rng) : 0.0};
    double length = hypot(t[0], t[1]), size = 0.5 + perp_rng_uniform(rng);
    double slide = 0.2 + perp_rng_uniform(rng);
    for (int i = 0; i < dim; i++)
        z[i] = w[i] = 0.0;
    if (regime == ZOO_OPEN)
        w[0] = size;
    else
        z[0] = size;
    for (int i = 1; i < dim; i++) {
        double unit = t[i - 1] / length;
        if (regime != ZOO_STICK)
            w[i] = -slide * unit;
        if (regime != ZOO_OPEN)
            z[i] = mu * size * unit * (regime == ZOO_STICK ? 0.5 : 1.0);
    }
}

void zoo_plant_regimes(stored_problem *p, uint64_t seed)
{
    perp_rng rng = {seed};
    double *w = calloc((size_t)p->n, sizeof(double));
    ck_assert_ptr_nonnull(w);
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim;
        stored_block(p, k, &row, &dim);
        plant_contact(p->z + row, w + row, dim, (zoo_regime)(k % 3), p->par[0][k], &rng);
    }
    finish(p, w);
    free(w);
}

void zoo_contact(stored_problem *p, int dim, zoo_regime regime, double mu)
{
    static const double A[9] = {2.0, 0.3, -0.2, 0.4, 1.5, 0.1, -0.1, 0.2, 1.2};
    double w[3];
    perp_rng rng = {70 + (uint64_t)regime};
    stored_init(p, "");
    stored_segment(p, PERP_COULOMB, dim, 1, mu, 0.0);
    stored_allocate(p);
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
            p->M[i + j * dim] = A[i + 3 * j];
    plant_contact(p->z, w, dim, regime, mu, &rng);
    finish(p, w);
}

void zoo_random_factors(stored_problem *p, int dofs, uint64_t seed)
{
    perp_rng rng = {seed};
    stored_allocate(p);
    stored_factors(p, dofs);
    for (int i = 0; i < dofs * p->n; i++)
        p->H[i] = 0.3 * perp_rng_signed(&rng) + (i % dofs == i / dofs ? 1.0 : 0.0);
    for (int i = 0; i + 1 < dofs; i += 2)
        p->mass[i + (i + 1) * dofs] = p->mass[i + 1 + i * dofs] = 0.3;
    stored_multiply(p);
}

void zoo_bodies(stored_problem *p, int count)
{
    stored_allocate(p);
    stored_factors(p, 6 * count);
    for (int i = 0; i < 6 * count; i++)
        p->mass[i * (p->dofs + 1)] = i % 6 < 3 ? 1.0 : 0.4;
}

/* Adds sign * (e, arm x e) to the columns of three rows, e = z, x, y in turn. */
static void add_point(stored_problem *p, int row, int body, const double arm[3], double sign)
{
    for (int k = 0; k < 3; k++) {
        int a = (k + 2) % 3, b = (a + 1) % 3, c = (a + 2) % 3;
        double *h = p->H + (size_t)(row + k) * (size_t)p->dofs + 6 * body;
        h[a] += sign;
        /* arm x e_a */
        h[3 + b] += sign * arm[c];
        h[3 + c] -= sign * arm[b];
    }
}

void zoo_support(stored_problem *p, int row, int body, const double arm[3])
{
    add_point(p, row, body, arm, 1.0);
}

void zoo_touch(stored_problem *p, int row, int upper, int lower, const double arm_upper[3],
               const double arm_lower[3])
{
    add_point(p, row, upper, arm_upper, 1.0);
    add_point(p, row, lower, arm_lower, -1.0);
}

void zoo_fall(stored_problem *p, const double *v)
{
    stored_multiply(p);
    for (int i = 0; i < p->n; i++) {
        p->q[i] = 0.0;
        for (int k = 0; k < p->dofs; k++)
            p->q[i] += p->H[k + i * p->dofs] * v[k];
    }
}
