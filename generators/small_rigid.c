/* SPDX-License-Identifier: BSD-3-Clause */
/* Random rigid bodies that touch at random points: W = H' M^-1 H, q = H' v. */
#include "generators/small_problem.h"

#include <math.h>
#include <string.h>

enum { BODIES = 12 };

static void unit(double x[3], perp_rng *rng)
{
    double square;
    do {
        square = 0.0;
        for (int i = 0; i < 3; i++) {
            x[i] = small_between(rng, -1.0, 1.0);
            square += x[i] * x[i];
        }
    } while (square > 1.0 || square < 1e-2);
    for (int i = 0; i < 3; i++)
        x[i] /= sqrt(square);
}

static void cross(double c[3], const double a[3], const double b[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void frame(double f[3][3], perp_rng *rng)
{
    double other[3], length = 0.0;
    unit(f[0], rng);
    do {
        unit(other, rng);
        cross(f[1], f[0], other);
        length = sqrt(f[1][0] * f[1][0] + f[1][1] * f[1][1] + f[1][2] * f[1][2]);
    } while (length < 0.1);
    for (int i = 0; i < 3; i++)
        f[1][i] /= length;
    cross(f[2], f[0], f[1]);
}

/* Columns of the three rows of a contact: +1 on body a, -1 on body b (-1: none). */
static void touch(double *H, int dofs, int a, int b, double f[3][3], perp_rng *rng)
{
    double arm[2][3], torque[3];
    unit(arm[0], rng);
    unit(arm[1], rng);
    for (int row = 0; row < 3; row++) {
        double *column = H + (size_t)row * (size_t)dofs;
        for (int side = 0; side < 2; side++) {
            int body = side ? b : a;
            if (body < 0)
                continue;
            cross(torque, arm[side], f[row]);
            for (int i = 0; i < 3; i++) {
                column[6 * body + i] += side ? -f[row][i] : f[row][i];
                column[6 * body + 3 + i] += side ? -torque[i] : torque[i];
            }
        }
    }
}

static void random_contacts(double *H, int dofs, int contacts, int twins, perp_rng *rng)
{
    size_t step = 3 * (size_t)dofs;
    double f[3][3];
    for (int k = 0; k < contacts; k++) {
        if (twins && k > 0 && perp_rng_below(rng, 3) > 0) {
            int old = perp_rng_below(rng, k);
            memcpy(H + (size_t)k * step, H + (size_t)old * step, step * sizeof *H);
            continue;
        }
        int bodies = dofs / 6, a = perp_rng_below(rng, bodies), b = perp_rng_below(rng, bodies + 1);
        frame(f, rng);
        touch(H + (size_t)k * step, dofs, a, b == a ? -1 : b - 1 == a ? -1 : b - 1, f, rng);
    }
}

/* W_ij = sum over the dofs, q = H' v. */
static void form(double *W, double *q, const double *H, const double *inverse, const double *v,
                 int dofs, int n)
{
    for (int j = 0; j < n; j++) {
        const double *h = H + (size_t)j * (size_t)dofs;
        for (int i = 0; i <= j; i++) {
            const double *g = H + (size_t)i * (size_t)dofs;
            double sum = 0.0;
            for (int k = 0; k < dofs; k++)
                sum += g[k] * inverse[k] * h[k];
            W[(size_t)i + (size_t)j * (size_t)n] = W[(size_t)j + (size_t)i * (size_t)n] = sum;
        }
        q[j] = 0.0;
        for (int k = 0; k < dofs; k++)
            q[j] += h[k] * v[k];
    }
}

/* Of a body per six dofs. */
static void random_masses(double *inverse, int dofs, double decades, perp_rng *rng)
{
    for (int k = 0; k < dofs; k += 6) {
        double mass = pow(10.0, small_between(rng, -0.5 * decades, 0.5 * decades));
        for (int i = 0; i < 6; i++)
            inverse[k + i] = i < 3 ? 1.0 / mass : 2.5 / mass;
    }
}

/* Everything but mu and the kind of matrix; mu has space for the contacts. */
static int build(small_problem *p, double **H, double **mu, int contacts, int bodies,
                 double decades, perp_rng *rng)
{
    int n = 3 * contacts, dofs = 6 * bodies;
    double *inverse = small_take(p, (size_t)dofs), *v = small_take(p, (size_t)dofs);
    double *q = small_take(p, (size_t)n);
    *H = small_take(p, (size_t)dofs * (size_t)n);
    *mu = small_take(p, (size_t)contacts);
    p->dense = small_take(p, (size_t)n * (size_t)n);
    if (!inverse || !v || !q || !*H || !*mu || !p->dense)
        return -1;
    random_masses(inverse, dofs, decades, rng);
    for (int k = 0; k < dofs; k++)
        v[k] = small_between(rng, -1.0, 1.0);
    random_contacts(*H, dofs, contacts, p->family == SMALL_RIGID_TWINS, rng);
    form(p->dense, q, *H, inverse, v, dofs, n);
    p->contacts = contacts;
    p->problem.q = q;
    p->seg[0] = (perp_segment){PERP_COULOMB, 3, contacts, {*mu, NULL}, {1, 0}};
    p->problem.seg = p->seg;
    p->problem.nseg = 1;
    return 0;
}

int small_build_rigid(small_problem *p, perp_rng *rng)
{
    int contacts = 1 + perp_rng_below(rng, SMALL_CONTACTS),
        bodies = 1 + perp_rng_below(rng, BODIES);
    double *H, *mu, common = small_mu(rng);
    int same = perp_rng_below(rng, 2);
    if (build(p, &H, &mu, contacts, bodies, p->family == SMALL_RIGID_RATIO ? 6.0 : 0.5, rng))
        return -1;
    for (int k = 0; k < contacts; k++)
        mu[k] = same ? common : small_mu(rng);
    return small_store(p, rng, 3 * contacts, 3);
}

int small_make_rigid(small_problem *p, double **H, uint64_t seed, int contacts, int bodies,
                     double mu, double decades)
{
    perp_rng rng = {seed};
    double *each;
    memset(p, 0, sizeof *p);
    p->family = SMALL_RIGID;
    if (build(p, H, &each, contacts, bodies, decades, &rng))
        return -1;
    for (int k = 0; k < contacts; k++)
        each[k] = mu;
    return small_store_blocks(p, 3 * contacts, 3);
}
