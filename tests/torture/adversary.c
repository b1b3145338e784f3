/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/torture/adversary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/rolling_layout.h"

const char *const adversary_families[ADVERSARY_FAMILIES] = {"bodies", "low rank", "low rank, skew",
                                                            "any",    "whole numbers", "walls"};
enum { BODIES, LOW_RANK, SKEW, ANY, WHOLE, WALLS };

static double power(perp_rng *rng, double low, double high)
{
    return pow(10.0, low + (high - low) * perp_rng_uniform(rng));
}

static int one_in(perp_rng *rng, int n)
{
    return perp_rng_below(rng, n) == 0;
}

static double pick(perp_rng *rng, const double *from, int count)
{
    return from[perp_rng_below(rng, count)];
}

/* Of one block; whole: bounds are whole numbers, friction is a power of two or 0. */
static void add_block(stored_problem *p, perp_set set, int dim, int whole, perp_rng *rng)
{
    static const double some[] = {0.0, 1e-12, 1e-3, 0.3, 0.7, 1.0, 30.0, 1e3, 1e6};
    static const double dyadic[] = {0.0, 0x1p-10, 0.5, 1.0, 2.0, 0x1p10, 0x1p20};
    double mu = whole ? pick(rng, dyadic, 7) : one_in(rng, 4) ? power(rng, -8, 6) : pick(rng, some, 9);
    double a = mu, b = set == PERP_ROLLING ? (whole ? pick(rng, dyadic, 7) : pick(rng, some, 9)) : 0.0;
    if (set == PERP_BOX) {
        a = whole ? perp_rng_below(rng, 4) - 2 : perp_rng_signed(rng);
        b = a + (one_in(rng, 6) ? 0.0 : whole ? 1 + perp_rng_below(rng, 3) : power(rng, -6, 2));
        a = one_in(rng, 4) ? -INFINITY : a;
        b = one_in(rng, 4) ? INFINITY : b;
    }
    stored_segment(p, set, dim, 1, a, b);
    if (dim == 6 && set == PERP_ROLLING)
        stored_third(p, whole ? pick(rng, dyadic, 7) : pick(rng, some, 9));
}

static void add_sets(adversary *a, int whole, perp_rng *rng)
{
    stored_problem *p = &a->p;
    int mix = perp_rng_below(rng, 8), count = 1 + perp_rng_below(rng, 1 + perp_rng_below(rng, mix < 3 ? 8 : 6));
    a->rowwise = mix < 3;
    if (mix < 2) {
        stored_segment(p, PERP_NONNEG, 1, count, 0.0, 0.0);
        return;
    }
    for (int k = 0; k < count; k++) {
        int any = perp_rng_below(rng, 7);
        if (mix == 2)
            any = perp_rng_below(rng, 3);
        else if (mix < 6)
            any = mix == 5 ? 4 : 3;
        else if (mix == 6)
            any = 3 + perp_rng_below(rng, 4);
        static const perp_set sets[] = {PERP_FREE,    PERP_NONNEG, PERP_BOX,    PERP_COULOMB,
                                        PERP_COULOMB, PERP_TRESCA, PERP_ROLLING};
        static const int dims[] = {1, 1, 1, 3, 2, 3, 5};
        perp_set set = sets[any];
        int dim = dims[any];
        if (any == 5 && one_in(rng, 2))
            set = PERP_SOC;
        if ((any == 5 || any == 6) && one_in(rng, 3))
            dim = set == PERP_ROLLING ? 3 + perp_rng_below(rng, 4) : set == PERP_SOC ? 4 : 2;
        if (p->n + dim <= ADVERSARY_ROWS)
            add_block(p, set, dim, whole, rng);
    }
}

/* Three directions at right angles, by two reflections of the axes. */
static void frame(double R[3][3], perp_rng *rng)
{
    double v[3], norm2 = 0.0;
    for (int i = 0; i < 3; i++) {
        v[i] = perp_rng_signed(rng);
        norm2 += v[i] * v[i];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[i][j] = (i == j) - 2.0 * v[i] * v[j] / norm2;
}

/* M = H' m^-1 H of bodies of six freedoms; a contact is that of one body with the ground or of
 * two; often one that is there twice, exactly or nearly. */
static void draw_bodies(adversary *a, int walls, perp_rng *rng)
{
    stored_problem *p = &a->p;
    enum { SIX = 6, MOST = 4 };
    double H[ADVERSARY_ROWS][SIX * MOST] = {{0.0}}, back[SIX * MOST];
    int bodies = 1 + perp_rng_below(rng, MOST), last = -1, last_dim = 0;
    double spread = one_in(rng, 3) ? 12.0 : 3.0 * perp_rng_uniform(rng);
    for (int b = 0; b < SIX * bodies; b++)
        back[b] = b % SIX == 0 ? power(rng, -spread, 0.0) : back[b - 1];
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim;
        int rolling = stored_block(p, k, &row, &dim) == PERP_ROLLING;
        int again = last >= 0 && last_dim == dim && one_in(rng, walls ? 1 : 3);
        double sign = walls && one_in(rng, 2) ? -1.0 : 1.0;
        double away = one_in(rng, 2) ? 0.0 : power(rng, -17, -4), R[3][3], arm[3];
        int one = perp_rng_below(rng, bodies), other = perp_rng_below(rng, 2 * bodies);
        frame(R, rng);
        for (int i = 0; i < 3; i++)
            arm[i] = perp_rng_signed(rng);
        for (int i = 0; i < dim; i++) {
            double *h = H[row + i];
            const double *r = R[i % 3];
            for (int j = 0; again && j < SIX * bodies; j++)
                h[j] = (i == 0 ? sign : 1.0) * H[last + i][j] * (1.0 + away * perp_rng_signed(rng));
            for (int j = 0; !again && j < 3; j++) {
                double turn = arm[(j + 1) % 3] * r[(j + 2) % 3] - arm[(j + 2) % 3] * r[(j + 1) % 3];
                int moment = rolling && rolling_moment(dim, i);
                h[one * SIX + j] = moment ? 0.0 : r[j];
                h[one * SIX + 3 + j] = moment ? r[j] : turn;
                if (other < bodies && other != one)
                    h[other * SIX + j] = moment ? 0.0 : -r[j];
            }
        }
        last = row;
        last_dim = dim;
    }
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++)
            for (int b = 0; b < SIX * bodies; b++)
                p->M[i + j * p->n] += H[i][b] * back[b] * H[j][b];
}

static void draw_low_rank(adversary *a, int skew, perp_rng *rng)
{
    stored_problem *p = &a->p;
    int n = p->n, rank = 1 + perp_rng_below(rng, n);
    double B[ADVERSARY_ROWS * ADVERSARY_ROWS], d[ADVERSARY_ROWS];
    double spread = one_in(rng, 2) ? 0.0 : 6.0 * perp_rng_uniform(rng);
    double rest = one_in(rng, 2) ? 0.0 : power(rng, -17, -5);
    for (int k = 0; k < n * rank; k++)
        B[k] = perp_rng_signed(rng);
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim;
        stored_block(p, k, &row, &dim);
        double own = power(rng, -spread, spread);
        for (int i = 0; i < dim; i++)
            d[row + i] = own;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = i == j ? rest : 0.0;
            for (int k = 0; k < rank; k++)
                sum += B[i + k * n] * B[j + k * n];
            p->M[i + j * n] = sum * (d[i] * d[j]);
        }
    for (int i = 0; skew && i < n; i++)
        for (int j = 0; j < i; j++) {
            double s = perp_rng_signed(rng) * (d[i] * d[j]);
            p->M[i + j * n] += s;
            p->M[j + i * n] -= s;
        }
}

static void draw_any(adversary *a, perp_rng *rng)
{
    int n = a->p.n;
    double spread = one_in(rng, 2) ? 0.5 : 9.0, full = perp_rng_uniform(rng);
    for (int k = 0; k < n * n; k++)
        if (k % (n + 1) == 0 || perp_rng_uniform(rng) < full)
            a->p.M[k] = (one_in(rng, 2) ? 1.0 : -1.0) * power(rng, -spread, spread);
}

/* Small whole numbers: any, symmetric, or B B'. */
static void draw_whole(adversary *a, perp_rng *rng)
{
    int n = a->p.n, kind = perp_rng_below(rng, 3), rank = 1 + perp_rng_below(rng, n);
    double B[ADVERSARY_ROWS * ADVERSARY_ROWS];
    for (int k = 0; k < n * n; k++)
        B[k] = perp_rng_below(rng, 5) - 2;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; kind == 2 && k < rank; k++)
                sum += B[i + k * n] * B[j + k * n];
            a->p.M[i + j * n] = kind == 2 ? sum : kind == 1 && i < j ? B[j + i * n] : B[i + j * n];
        }
}

/* One block of a solution in whole numbers: z in K, w with -(w + s(w)) normal to K there. */
static void plant_block(double *z, double *w, perp_set set, int dim, double a, double b,
                        perp_rng *rng)
{
    int way = perp_rng_below(rng, 3), size = perp_rng_below(rng, 4), speed = perp_rng_below(rng, 3);
    if (set == PERP_FREE) {
        z[0] = size - 1;
    } else if (set == PERP_NONNEG) {
        *(way == 0 ? w : z) = size;
    } else if (set == PERP_BOX) {
        int low = isfinite(a) && way == 0, high = isfinite(b) && way == 1;
        z[0] = low || (isfinite(a) && !high) ? a : isfinite(b) ? b : size;
        w[0] = low ? size : high ? -size : 0.0;
    } else if (way == 0) { /* open */
        w[0] = size;
        if (set == PERP_COULOMB || set == PERP_ROLLING)
            for (int i = 1; i < dim; i++)
                w[i] = perp_rng_below(rng, 5) - 2;
    } else if (set != PERP_TRESCA || way == 1) { /* sticks, or slides */
        z[0] = size;
        if (way == 2 && set == PERP_COULOMB) {
            w[1] = speed;
            z[1] = -a * size;
        }
    }
    if (set == PERP_TRESCA && way != 1) {
        z[1] = -a;
        w[1] = speed;
    }
}

/* q = w - M z without rounding, as all are whole. */
static void plant_whole(adversary *a, perp_rng *rng)
{
    stored_problem *p = &a->p;
    double w[ADVERSARY_ROWS] = {0.0};
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim;
        perp_set set = stored_block(p, k, &row, &dim);
        plant_block(p->z + row, w + row, set, dim, p->par[0][k], p->par[1][k], rng);
    }
    for (int i = 0; i < p->n; i++) {
        p->q[i] = w[i];
        for (int j = 0; j < p->n; j++)
            p->q[i] -= p->M[i + j * p->n] * p->z[j];
    }
    a->planted = 1;
}

static void draw_q(adversary *a, perp_rng *rng)
{
    stored_problem *p = &a->p;
    int way = perp_rng_below(rng, a->family == WALLS ? 3 : 4);
    double spread = one_in(rng, 3) ? 6.0 : 0.0;
    if (a->family == WHOLE && perp_rng_below(rng, 3) > 0)
        plant_whole(a, rng);
    else if (a->family == WHOLE)
        for (int i = 0; i < p->n; i++)
            p->q[i] = perp_rng_below(rng, 5) - 2;
    else if (way == 3)
        stored_plant(p, rng);
    for (int i = 0; a->family != WHOLE && way < 3 && i < p->n; i++) {
        double x = a->family == WALLS && way == 2 ? -1.0 : perp_rng_signed(rng);
        p->q[i] = way == 0 ? 0.0 : x * power(rng, -spread, 0.0);
        for (int j = 0; way == 0 && j < p->n; j++)
            p->q[i] += p->M[i + j * p->n] * (perp_rng_uniform(rng) - 0.7);
    }
}

/* M times 2^m, z and bounds times 2^s, q and w by both. */
static void rescale(stored_problem *p, int m, int s)
{
    for (int k = 0; k < p->n * p->n; k++)
        p->M[k] = ldexp(p->M[k], m);
    for (int i = 0; i < p->n; i++) {
        p->q[i] = ldexp(p->q[i], m + s);
        p->z[i] = ldexp(p->z[i], s);
    }
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim;
        perp_set set = stored_block(p, k, &row, &dim);
        if (set == PERP_BOX || set == PERP_TRESCA) {
            p->par[0][k] = ldexp(p->par[0][k], s);
            p->par[1][k] = ldexp(p->par[1][k], s);
        }
    }
}

/* D M D with powers of two, one for each block. */
static void rescale_blocks(stored_problem *p, int most, perp_rng *rng)
{
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim, e = perp_rng_below(rng, 2 * most + 1) - most;
        perp_set set = stored_block(p, k, &row, &dim);
        for (int i = row; i < row + dim; i++) {
            for (int j = 0; j < p->n; j++)
                p->M[i + j * p->n] = ldexp(p->M[i + j * p->n], e);
            for (int j = 0; j < p->n; j++)
                p->M[j + i * p->n] = ldexp(p->M[j + i * p->n], e);
            p->q[i] = ldexp(p->q[i], e);
            p->z[i] = ldexp(p->z[i], -e);
        }
        if (set == PERP_BOX || set == PERP_TRESCA) {
            p->par[0][k] = ldexp(p->par[0][k], -e);
            p->par[1][k] = ldexp(p->par[1][k], -e);
        }
    }
}

void adversary_draw(adversary *a, perp_rng *rng)
{
    *a = (adversary){.family = perp_rng_below(rng, ADVERSARY_FAMILIES)};
    stored_init(&a->p, adversary_families[a->family]);
    add_sets(a, a->family == WHOLE, rng);
    stored_allocate(&a->p);
    if (a->family == BODIES || a->family == WALLS)
        draw_bodies(a, a->family == WALLS, rng);
    else if (a->family == ANY)
        draw_any(a, rng);
    else if (a->family == WHOLE)
        draw_whole(a, rng);
    else
        draw_low_rank(a, a->family == SKEW, rng);
    draw_q(a, rng);
    if (one_in(rng, 4))
        rescale_blocks(&a->p, one_in(rng, 2) ? 20 : 3, rng);
    if (one_in(rng, 4)) /* to 1e200 */
        rescale(&a->p, perp_rng_below(rng, 1329) - 664, 0);
    if (one_in(rng, 8))
        rescale(&a->p, 0, perp_rng_below(rng, 601) - 300);
    static const storage forms[] = {STORED_DENSE, STORED_DENSE, STORED_DENSE_LD, STORED_CSC,
                                    STORED_BSR};
    a->storage = forms[perp_rng_below(rng, 5)];
}
