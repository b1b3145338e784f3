/* SPDX-License-Identifier: BSD-3-Clause */
/* d_k = sqrt |W_kk|_2 with W_kk = H_k M^-1 H_k' + C_k, as the scaled measure of a Delassus problem
 * has it: 1 where that is 0.  Rows and columns R of a ROLLING block are in its length l first,
 * l^2 = |W_TT| / |W_RR|, with the masses as they are. */
#include <math.h>
#include <string.h>

#include "distributed/system.h"
#include "linalg/small.h"
#include "sets/rolling.h"

/* velocity += M^-1 times row i of H: entry (i, j) of W_kk is row i of H times the velocity of row
 * j. split: with the masses of the split problem. */
static void velocity_of_row(const perp_petsc *system, int split, int row, double *velocity)
{
    for (int k = system->colptr[row]; k < system->colptr[row + 1]; k++) {
        int unknown = system->row[k], col = 0;
        const perp_body *body = &system->bodies[system->body_of[unknown]];
        const int *dof = system->dof + body->first;
        const double *inverse = system->inverses + body->inverse;
        double x = split ? body->ranks * system->x[k] : system->x[k];
        while (dof[col] != unknown)
            col++;
        for (int i = 0; i < body->dim; i++)
            velocity[dof[i]] += inverse[i + col * body->dim] * x;
    }
}

/* Puts zeros back. */
static void clear_velocity(const perp_petsc *system, int row, double *velocity)
{
    for (int k = system->colptr[row]; k < system->colptr[row + 1]; k++) {
        const perp_body *body = &system->bodies[system->body_of[system->row[k]]];
        for (int i = 0; i < body->dim; i++)
            velocity[system->dof[body->first + i]] = 0.0;
    }
}

static void diagonal_block(const perp_petsc *system, int split, const perp_block *block,
                           double *velocity, double *A)
{
    int dim = block->dim;
    for (int j = 0; j < dim; j++) {
        velocity_of_row(system, split, block->row + j, velocity);
        for (int i = 0; i < dim; i++) {
            int row = block->row + i;
            double sum = 0.0;
            for (int k = system->colptr[row]; k < system->colptr[row + 1]; k++)
                sum += system->x[k] * velocity[system->row[k]];
            A[i + j * dim] = sum;
        }
        if (system->C)
            A[j + j * dim] += system->C[block->row + j];
        clear_velocity(system, block->row + j, velocity);
    }
}

/* |A|_2 of n <= 3 rows and columns from `first` on. */
static double part_norm(const double *A, int dim, int first, int n)
{
    double part[9];
    for (int i = 0; i < n * n; i++)
        part[i] = A[first + i % n + (first + i / n) * dim];
    return perp_small_norm2(part, n);
}

static void use_length(perp_block *block, int split, double *A)
{
    int dim = block->dim, n = perp_rolling_rows(dim);
    if (!split) {
        double sliding = part_norm(A, dim, 1, n);
        double l = sqrt(sliding) / sqrt(part_norm(A, dim, 1 + n, perp_rolling_turns(dim)));
        block->length = l > 0.0 && isfinite(l) ? l : 1.0;
    }
    for (int i = 0; i < dim * dim; i++) {
        A[i] *= i % dim > n ? block->length : 1.0;
        A[i] *= i / dim > n ? block->length : 1.0;
    }
}

perp_status perp_petsc_scales(perp_petsc *system, int split, double *d)
{
    perp_arena temporary;
    size_t dim = (size_t)system->blocks.max_dim;
    perp_arena_init(&temporary, &system->arena.allocator);
    double *velocity = perp_arena_take_zero(&temporary, (size_t)system->dofs, sizeof(double));
    double *A = PERP_TAKE(&temporary, double, dim *dim);
    for (int k = 0; !temporary.failed && k < system->blocks.count; k++) {
        perp_block *block = &system->blocks.at[k];
        diagonal_block(system, split, block, velocity, A);
        if (block->set == PERP_ROLLING)
            use_length(block, split, A);
        d[k] = sqrt(perp_small_norm2(A, block->dim));
        d[k] = d[k] > 0.0 ? d[k] : 1.0;
    }
    perp_status status = temporary.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
    perp_arena_free(&temporary);
    return status;
}
