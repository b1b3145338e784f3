/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle/costs.h"

#include <math.h>

#include "linalg/mass.h"

/* Nanoseconds on one core, measured on the sphere packings and walls of bench/problems at -O3
 * (docs/reference/solvers.md); only their ratios matter. */
static const double COST_ENTRY = 0.4;     /* of a stored entry in a Gauss-Seidel sweep */
static const double COST_BLOCK = 70.0;    /* of the solution of a block in a sweep */
static const double COST_FLOP = 0.5;      /* of a floating-point operation of a factorisation */
static const double COST_FILL = 20.0;     /* of an entry of a Newton matrix in one step */
static const double COST_ANALYSIS = 80.0; /* of an entry of a Newton matrix in its analysis */

/* A factorisation of a matrix of order n with e entries and a fill-reducing order takes about
 * GUESS e^2 / n flops at n = GUESS_ORDER and more in proportion to n above (sphere packings). */
static const double GUESS = 4.0, GUESS_ORDER = 2500.0;

/* Entries of M, or of what a Newton step fills in its place; those of the arrays that a sweep
 * reads; flops of a factorisation, 0: guessed from the entries. */
typedef struct sizes {
    double entries, swept, flops;
} sizes;

/* Newton steps by the velocities of the bodies (solvers/bodies/body_form.h) fill the levers of each
 * block and add their products for its bodies.  Contacts of flat bodies come in fours, which name
 * the same two. */
static sizes of_bodies(const perp_mat *M, int blocks)
{
    double stored = M->as.delassus.colptr[M->cols], n = fmax(M->as.delassus.dofs, 1.0);
    double width = M->cols > 0 ? stored / M->cols : 0.0;
    double pairs = 6.0 * n + width * width * blocks / 8.0;
    double elimination = fmin(GUESS * pairs * pairs / n, 2.0 / 3.0 * n * n * n);
    return (sizes){stored, 3.0 * stored, 2.0 * stored * (width + 3.0) + elimination};
}

/* M = H' M^-1 H couples all contacts of a body. */
static sizes of_delassus(const perp_mat *M)
{
    const perp_mass *mass = M->as.delassus.mass;
    double stored = M->as.delassus.colptr[M->cols];
    double each = mass->n > 0 ? stored / mass->n : 0.0; /* rows of z that name a coordinate */
    double width = M->cols > 0 ? stored / M->cols : 0.0;
    return (sizes){each * width * M->cols / 6.0 + 9.0 * M->cols, 3.0 * stored, 0.0};
}

/* From zero a problem may have no solution, and the searches for a proof that go with sweeps are
 * tuned to those. */
static int by_bodies(const perp_mat *M, const perp_work *work)
{
    return work->settings->warm_start && M->as.delassus.mass->nsparse == 0 &&
           M->rows >= M->as.delassus.dofs;
}

static sizes sizes_of(const perp_mat *M, const perp_work *work)
{
    double n = M->rows, entries;
    int blocks;
    switch (M->kind) {
    case PERP_DENSE:
        return (sizes){n * n, n * n, 0.0};
    case PERP_CSC:
        entries = M->as.csc.colptr[M->cols];
        return (sizes){entries, 2.0 * entries, 0.0};
    case PERP_BSR:
        blocks = M->rows / M->as.bsr.block;
        entries = (double)M->as.bsr.rowptr[blocks] * M->as.bsr.block * M->as.bsr.block;
        return (sizes){entries, entries, 0.0};
    case PERP_DELASSUS:
        return by_bodies(M, work) ? of_bodies(M, work->blocks.count) : of_delassus(M);
    default:
        return (sizes){n, n, 0.0};
    }
}

void perp_costs_estimate(perp_costs *costs, const perp_work *work, double flops)
{
    const perp_mat *M = &work->problem->M;
    double n = M->rows > 0 ? M->rows : 1;
    sizes s = sizes_of(M, work);
    if (flops <= 0.0) {
        double sparse = GUESS * s.entries * s.entries / n * fmax(1.0, n / GUESS_ORDER);
        flops = s.flops > 0.0 ? s.flops : fmin(sparse, 2.0 / 3.0 * n * n * n);
    }
    costs->sweep = COST_ENTRY * s.swept + COST_BLOCK * work->blocks.count;
    costs->newton = COST_FLOP * flops + COST_FILL * s.entries;
    costs->analysis = COST_ANALYSIS * s.entries;
}

double perp_costs_work(const perp_work *work, double flops, double iterations,
                       double factorisations)
{
    perp_costs costs;
    if (!(factorisations > 0.0))
        return iterations;
    perp_costs_estimate(&costs, work, flops);
    return iterations + factorisations * costs.newton / costs.sweep;
}

double perp_costs_spent(const perp_work *work, double iteration)
{
    const perp_info *info = work->info;
    if (info->work > 0.0) /* its own count */
        return work->monitor.spent + info->work;
    return work->monitor.spent +
           perp_costs_work(work, info->flops, iteration, info->factorisations);
}
