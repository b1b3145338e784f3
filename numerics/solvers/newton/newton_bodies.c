/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/newton/newton_bodies.h"

#include <math.h>
#include <string.h>

#include "core/clones.h"
#include "linalg/mass.h"
#include "linalg/small.h"

/* What a step leaves of F: refined to the first, good enough below the second, as the next step
 * sees it.  The system of the bodies is solved as its factors do it: the refinement sees the whole.
 */
static const double GOAL = 1e-8, LIMIT = 1e-4;
enum { REFINEMENTS = 3 };

int perp_nsn_bodies_take(const perp_mat *M, const perp_blocks *blocks)
{
    return perp_body_form_takes(M) && blocks->max_dim <= PERP_MASS_BLOCK_MAX;
}

perp_status perp_nsn_bodies_build(perp_nsn_bodies *b, const perp_nsn *nsn,
                                  const perp_problem *problem, perp_ordering_kind ordering,
                                  perp_arena *arena)
{
    size_t entries = nsn->start[nsn->blocks->count];
    *b = (perp_nsn_bodies){0};
    perp_status status = perp_body_form_build(&b->form, &problem->M, nsn->blocks, arena);
    if (status != PERP_SOLVED)
        return status;
    int *group = PERP_TAKE(arena, int, b->form.order);
    b->diagonal = PERP_TAKE(arena, double, nsn->n);
    b->S = PERP_TAKE(arena, double, entries);
    b->C = PERP_TAKE(arena, double, entries);
    b->u = PERP_TAKE(arena, double, b->form.order);
    b->residual = PERP_TAKE(arena, double, nsn->n);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int body = 0; body < b->form.bodies; body++)
        for (int i = b->form.first[body]; i < b->form.first[body + 1]; i++)
            group[i] = body;
    status = perp_front_analyse(&b->front, &b->form.A, group, b->form.bodies, ordering, arena);
    b->flops = b->form.flops + b->front.flops;
    b->ready = status == PERP_SOLVED;
    return status;
}

int perp_nsn_bodies_load(perp_nsn_bodies *b, const perp_nsn *nsn, const perp_problem *problem)
{
    const double *diagonal = problem->M.as.delassus.diagonal;
    if (!perp_nsn_bodies_take(&problem->M, nsn->blocks) ||
        perp_body_form_load(&b->form, &problem->M, nsn->blocks, NULL) != PERP_SOLVED)
        return 0;
    for (int i = 0; i < nsn->n; i++)
        b->diagonal[i] = diagonal ? diagonal[i] : 0.0;
    return 1;
}

/* S_k and C_k of a block.  0: an inverse is missing. */
PERP_BODY_INLINE int invert_block(perp_nsn_bodies *b, const perp_nsn *nsn, int k, int dim)
{
    const double *Fw = nsn->Fw + nsn->start[k], *Fz = nsn->Fz + nsn->start[k];
    const double *diagonal = b->diagonal + nsn->blocks->at[k].row;
    double *S = b->S + nsn->start[k], *C = b->C + nsn->start[k];
    double A[PERP_MASS_BLOCK_MAX * PERP_MASS_BLOCK_MAX];
    for (int j = 0; j < dim; j++) {
        double add = perp_nsn_weight(nsn, k, j) + diagonal[j];
        for (int i = 0; i < dim; i++)
            A[i + j * dim] = Fz[i + j * dim] + add * Fw[i + j * dim];
    }
    if (!perp_small_invert(S, A, dim))
        return 0;
    for (int j = 0; j < dim; j++)
        for (int i = 0; i < dim; i++) {
            double sum = 0.0;
            for (int l = 0; l < dim; l++)
                sum += S[i + l * dim] * Fw[l + j * dim];
            C[i + j * dim] = sum;
        }
    return 1;
}

static int invert_blocks(perp_nsn_bodies *b, const perp_nsn *nsn)
{
    for (int k = 0; k < nsn->blocks->count; k++) {
        int dim = nsn->blocks->at[k].dim;
        if (!(dim == 3 ? invert_block(b, nsn, k, 3) : invert_block(b, nsn, k, dim)))
            return 0;
    }
    return 1;
}

/* dz -= J^-1 residual by the factors: what the blocks make by themselves, and */
PERP_CLONES static void correct_alone(double *dz, perp_nsn_bodies *b, const perp_nsn *nsn)
{
    double step[PERP_MASS_BLOCK_MAX];
    memset(b->u, 0, (size_t)b->form.order * sizeof *b->u);
    for (int k = 0; k < nsn->blocks->count; k++) {
        int dim = nsn->blocks->at[k].dim, row = nsn->blocks->at[k].row;
        memset(step, 0, (size_t)dim * sizeof *step);
        if (dim == 3)
            perp_body_add_product(step, b->S + nsn->start[k], b->residual + row, 3, 3);
        else
            perp_body_add_product(step, b->S + nsn->start[k], b->residual + row, dim, dim);
        for (int i = 0; i < dim; i++) {
            step[i] = -step[i];
            dz[row + i] += step[i];
        }
        perp_body_form_push(b->u, &b->form, k, dim, step);
    }
}

/* what the bodies make of that. */
PERP_CLONES static void correct_coupled(double *dz, perp_nsn_bodies *b, const perp_nsn *nsn)
{
    double y[PERP_MASS_BLOCK_MAX];
    for (int k = 0; k < nsn->blocks->count; k++) {
        int dim = nsn->blocks->at[k].dim, row = nsn->blocks->at[k].row;
        if (!b->form.couples[k])
            continue;
        memset(y, 0, (size_t)dim * sizeof *y);
        perp_body_form_add_rates(y, &b->form, k, dim, b->u);
        for (int j = 0; j < dim; j++)
            y[j] = -y[j];
        if (dim == 3)
            perp_body_add_product(dz + row, b->C + nsn->start[k], y, 3, 3);
        else
            perp_body_add_product(dz + row, b->C + nsn->start[k], y, dim, dim);
    }
}

/* Squares count by 1 / rho, as in the merit. */
static double square_of(const perp_nsn *nsn)
{
    double square = 0.0;
    for (int k = 0; k < nsn->blocks->count; k++) {
        const perp_block *block = &nsn->blocks->at[k];
        for (int i = block->row; i < block->row + block->dim; i++)
            square += nsn->F[i] * nsn->F[i] / nsn->rho[2 * k];
    }
    return square;
}

/* Residual of the rows of a block, from y = (M + A) dz; its square. */
PERP_BODY_INLINE double block_residual(perp_nsn_bodies *b, const perp_nsn *nsn, int k, int dim,
                                       const double *dz, const double *y)
{
    double square = 0.0;
    int row = nsn->blocks->at[k].row;
    const double *Fw = nsn->Fw + nsn->start[k], *Fz = nsn->Fz + nsn->start[k];
    for (int i = 0; i < dim; i++) {
        double sum = nsn->F[row + i];
        for (int j = 0; j < dim; j++)
            sum += Fw[i + j * dim] * y[j] + Fz[i + j * dim] * dz[row + j];
        b->residual[row + i] = sum;
        square += sum * sum;
    }
    return square / nsn->rho[2 * k];
}

/* residual = F + Fw (M + A) dz + Fz dz; its square. */
PERP_CLONES static double square_left(perp_nsn_bodies *b, const perp_nsn *nsn, const double *dz)
{
    double square = 0.0, y[PERP_MASS_BLOCK_MAX];
    memset(b->u, 0, (size_t)b->form.order * sizeof *b->u);
    for (int k = 0; k < nsn->blocks->count; k++)
        perp_body_form_push(b->u, &b->form, k, nsn->blocks->at[k].dim, dz + nsn->blocks->at[k].row);
    for (int k = 0; k < nsn->blocks->count; k++) {
        int dim = nsn->blocks->at[k].dim, row = nsn->blocks->at[k].row;
        memset(y, 0, (size_t)dim * sizeof *y);
        if (b->form.couples[k])
            perp_body_form_add_rates(y, &b->form, k, dim, b->u);
        for (int j = 0; j < dim; j++)
            y[j] += (perp_nsn_weight(nsn, k, j) + b->diagonal[row + j]) * dz[row + j];
        square +=
            dim == 3 ? block_residual(b, nsn, k, 3, dz, y) : block_residual(b, nsn, k, dim, dz, y);
    }
    return square;
}

perp_status perp_nsn_bodies_direction(double *dz, perp_nsn_bodies *b, const perp_nsn *nsn)
{
    if (!invert_blocks(b, nsn))
        return PERP_ERR_SINGULAR;
    perp_body_form_add(&b->form, nsn->blocks, b->C, 0.0);
    perp_status status = perp_front_factorise(&b->front, b->form.A.x, NULL);
    if (status != PERP_SOLVED)
        return status;
    memset(dz, 0, (size_t)nsn->n * sizeof *dz);
    memcpy(b->residual, nsn->F, (size_t)nsn->n * sizeof *dz);
    double whole = square_of(nsn), left = INFINITY;
    for (int step = 0; step <= REFINEMENTS; step++) {
        double before = left;
        correct_alone(dz, b, nsn);
        perp_front_solve_once(&b->front, b->u);
        correct_coupled(dz, b, nsn);
        left = square_left(b, nsn, dz);
        if (!(left > GOAL * GOAL * whole) || !(left <= 0.25 * before))
            break;
    }
    return left <= LIMIT * LIMIT * whole ? PERP_SOLVED : PERP_ERR_NUMERICAL;
}
