/* SPDX-License-Identifier: BSD-3-Clause */
#include "zoo_rolling.h"

#include <math.h>

#include "zoo_build.h"

typedef enum regime { OPEN, RESTS, SLIDES, ROLLS, BOTH, REGIMES } regime;

/* z and w of the rows of one part, radius mu z_N. */
static void plant_part(double *z, double *w, int rows, double radius, int moves, perp_rng *rng)
{
    double t[2] = {perp_rng_signed(rng), rows == 2 ? perp_rng_signed(rng) : 0.0};
    double length = hypot(t[0], t[1]), speed = 0.2 + perp_rng_uniform(rng);
    for (int i = 0; i < rows; i++) {
        z[i] = radius * (moves ? 1.0 : 0.5) * t[i] / length;
        w[i] = moves ? -speed * t[i] / length : 0.0;
    }
}

/* Regimes in turn in all ROLLING blocks, the first one `first`; q follows. */
static void plant(stored_problem *p, regime first, uint64_t seed)
{
    perp_rng rng = {seed};
    double w[64] = {0.0};
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim, how = ((int)first + k) % (int)REGIMES;
        stored_block(p, k, &row, &dim);
        int rows = dim / 2;
        double *z = p->z + row, force = how == OPEN ? 0.0 : 0.5 + perp_rng_uniform(&rng);
        z[0] = force;
        w[row] = how == OPEN ? 0.5 + perp_rng_uniform(&rng) : 0.0;
        plant_part(z + 1, w + row + 1, rows, force * p->par[0][k], how != RESTS && how != ROLLS,
                   &rng);
        plant_part(z + 1 + rows, w + row + 1 + rows, rows, force * p->par[1][k],
                   how != RESTS && how != SLIDES, &rng);
    }
    for (int i = 0; i < p->n; i++) {
        long double sum = w[i];
        for (int j = 0; j < p->n; j++)
            sum -= (long double)p->M[i + j * p->n] * p->z[j];
        p->q[i] = (double)sum;
    }
}

static void one(stored_problem *p, regime how)
{
    stored_init(p, "");
    stored_segment(p, PERP_ROLLING, 5, 1, 0.4, 0.2);
    zoo_random_matrix(p, 110, 0.1);
    plant(p, how, 111);
}

void zoo_rolling_open(stored_problem *p)
{
    one(p, OPEN);
}

void zoo_rolling_rests(stored_problem *p)
{
    one(p, RESTS);
}

void zoo_rolling_slides(stored_problem *p)
{
    one(p, SLIDES);
}

void zoo_rolling_rolls(stored_problem *p)
{
    one(p, ROLLS);
}

void zoo_rolling_both(stored_problem *p)
{
    one(p, BOTH);
}

static void several(stored_problem *p, int dim, double mu, double mu_r, double skew, uint64_t seed)
{
    stored_init(p, "");
    stored_segment(p, PERP_ROLLING, dim, 10, mu, mu_r);
    zoo_random_matrix(p, seed, skew);
    plant(p, OPEN, seed + 1);
}

void zoo_rolling2(stored_problem *p)
{
    several(p, 3, 0.3, 0.2, 0.0, 112);
}

void zoo_rolling3(stored_problem *p)
{
    several(p, 5, 0.3, 0.2, 0.0, 114);
}

void zoo_rolling_unsymmetric(stored_problem *p)
{
    several(p, 5, 0.3, 0.2, 0.1, 116);
}

void zoo_rolling_rough(stored_problem *p)
{
    several(p, 5, 0.9, 0.8, 0.0, 118);
}

void zoo_rolling_flat(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_ROLLING, 5, 2, 0.0, 0.2);
    stored_segment(p, PERP_ROLLING, 5, 2, 0.3, 0.0);
    stored_segment(p, PERP_ROLLING, 5, 1, 0.0, 0.0);
    stored_segment(p, PERP_ROLLING, 3, 2, 0.3, 0.0);
    zoo_random_matrix(p, 120, 0.0);
    plant(p, RESTS, 121);
}

void zoo_rolling_units(stored_problem *p)
{
    several(p, 5, 0.3, 0.2, 0.0, 114);
    double unit[64];
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim;
        stored_block(p, k, &row, &dim);
        for (int i = 0; i < dim; i++)
            unit[row + i] = i > dim / 2 ? pow(10.0, k % 7 - 3) : 1.0;
        p->par[1][k] /= unit[row + dim - 1];
    }
    for (int i = 0; i < p->n; i++) {
        p->q[i] *= unit[i];
        p->z[i] /= unit[i];
        for (int j = 0; j < p->n; j++)
            p->M[i + j * p->n] *= unit[i] * unit[j];
    }
}

void zoo_rolling_mixture(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_ROLLING, 5, 1, 0.3, 0.1);
    stored_segment(p, PERP_FREE, 1, 2, 0, 0);
    stored_segment(p, PERP_COULOMB, 3, 1, 0.3, 0);
    stored_segment(p, PERP_ROLLING, 3, 2, 0.3, 0.1);
    stored_segment(p, PERP_NONNEG, 1, 2, 0, 0);
    stored_segment(p, PERP_BOX, 1, 1, -0.4, 0.4);
    zoo_random_matrix(p, 122, 0.0);
    zoo_plant(p, 123);
}

/* Rows N, T1, T2 of zoo_support() and the angular velocity about T1 and T2. */
static void support(stored_problem *p, int row, int body, const double arm[3])
{
    zoo_support(p, row, body, arm);
    for (int k = 0; k < 2; k++)
        p->H[(size_t)(row + 3 + k) * (size_t)p->dofs + (size_t)(6 * body + 3 + k)] = 1.0;
}

void zoo_rolling_sphere(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_ROLLING, 5, 1, 0.2, 0.05);
    zoo_bodies(p, 1);
    support(p, 0, 0, (double[]){0, 0, -1});
    zoo_fall(p, (double[]){0.6, 0.1, -1, 0.2, 0.5, 0.3});
}

void zoo_rolling_box(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_ROLLING, 5, 4, 0.5, 0.1);
    zoo_bodies(p, 1);
    for (int k = 0; k < 4; k++)
        support(p, 5 * k, 0, (double[]){k % 2 ? 1 : -1, k / 2 ? 1 : -1, -0.5});
    zoo_fall(p, (double[]){0.1, 0.05, -1, 0.02, 0.03, 0.1});
}

/* w_N falls when z_N grows, and q_N < 0. */
void zoo_rolling_squeezed(stored_problem *p)
{
    stored_init(p, "");
    stored_segment(p, PERP_ROLLING, 5, 1, 0.5, 0.1);
    stored_allocate(p);
    for (int i = 0; i < 5; i++)
        p->M[6 * i] = i ? 1.0 : -1.0;
    p->q[0] = -1.0;
}
