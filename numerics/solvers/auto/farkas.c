/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/auto/farkas.h"

#include <math.h>
#include <string.h>

#include "handle/refute.h"
#include "linalg/mass.h"
#include "solvers/auto/farkas_rows.h"

/* Rounds of new directions; rows of which the product is made, and all bounds of z are looked at. */
enum { ROUNDS = 6, LARGEST = 5000 };
static const double asymmetry_of_rounding = 1e-12;
/* The first iteration at which the size of z is looked at, and the ratio to the next. */
enum { FIRST_LOOK = 8 };
static const double NEXT_LOOK = 1.8;

/* The multipliers of the rows of w, as the certificate. */
static perp_status settle(const perp_farkas_rows *p, const double *y)
{
    perp_work *work = p->work;
    memset(work->certificate, 0, (size_t)work->blocks.n * sizeof(double));
    for (int k = 0; k < p->lines; k++)
        for (int i = 0; p->line[k].of_w && i < p->line[k].dim; i++)
            work->certificate[p->line[k].row + i] += p->line[k].c[i] * y[k];
    return perp_refute(work);
}

/* PERP_SOLVED: the rows have a point, x. */
static perp_status solve_rows(const perp_farkas_rows *p, double most, double *x, double *y)
{
    perp_linear_rows rows;
    perp_arena arena;
    int *kept;
    perp_arena_init(&arena, &p->arena->allocator);
    perp_status status = PERP_ERR_MEMORY;
    if (perp_farkas_write(&rows, &kept, p, &arena)) {
        double *v = PERP_TAKE(&arena, double, rows.cols);
        status = v ? perp_rows_refute(&rows, most, &arena, v, y) : PERP_ERR_MEMORY;
        memset(x, 0, (size_t)p->A.cols * sizeof *x);
        for (int j = 0; status == PERP_SOLVED && j < rows.cols; j++)
            x[kept[j]] = v[j];
    }
    perp_arena_free(&arena);
    return status;
}

/* PERP_SOLVED: the rows of this scope have a point, so that none of them is a proof. */
static perp_status search(perp_farkas_rows *p, perp_farkas_scope scope, double most)
{
    perp_status status = PERP_STALLED;
    if (!perp_farkas_lines(p, scope))
        return PERP_ERR_MEMORY;
    double *x = PERP_TAKE(p->arena, double, p->A.cols), *y = PERP_TAKE(p->arena, double, p->most);
    if (p->arena->failed)
        return PERP_ERR_MEMORY;
    for (int round = 0; round < ROUNDS; round++) {
        status = solve_rows(p, most, x, y);
        if (status == PERP_INFEASIBLE)
            return settle(p, y);
        if (status != PERP_SOLVED || !perp_farkas_cut(p, x, scope))
            return status;
    }
    return PERP_STALLED;
}

/* 1: a proof y has M y = 0, so that the signs of w alone tell whether there is one. */
static int is_gram(const perp_mat *M)
{
    const perp_mass *mass = M->kind == PERP_DELASSUS ? M->as.delassus.mass : NULL;
    const double *diagonal = mass ? M->as.delassus.diagonal : NULL;
    if (!mass || !mass->symmetric || (mass->nblocks > 0 && !mass->roots))
        return 0;
    for (int i = 0; diagonal && i < M->cols; i++)
        if (!(diagonal[i] >= 0.0))
            return 0;
    /* The sparse part has L D L' where D > 0. */
    return mass->nsparse == 0 || !mass->lu.up;
}

static int proves(perp_status status)
{
    return status == PERP_INFEASIBLE || status == PERP_INFEASIBLE_WITHIN;
}

static perp_status search_scopes(perp_work *work, perp_arena *arena, double most, int *hopeless)
{
    perp_farkas_rows p;
    double asymmetry = 0.0;
    int gram = is_gram(&work->problem->M);
    /* Of the operations; where z is large is looked at in detail. */
    const double share[] = {0.25, gram ? 0.75 : 0.25, 0.5};
    if (!gram && work->blocks.n > LARGEST)
        return PERP_STALLED;
    perp_status status = perp_farkas_unknowns(&p, work, gram, arena);
    if (status == PERP_SOLVED && !gram)
        status = perp_csc_asymmetry(&asymmetry, &p.A, arena);
    if (status != PERP_SOLVED)
        return status;
    for (int scope = PERP_FARKAS_LARGE; scope <= PERP_FARKAS_ALL; scope++) {
        if (scope == PERP_FARKAS_ALL ? gram : asymmetry > asymmetry_of_rounding)
            continue;
        status = search(&p, (perp_farkas_scope)scope, share[scope] * most);
        if (proves(status) || status == PERP_ERR_MEMORY)
            return status;
    }
    *hopeless = status == PERP_SOLVED;
    return PERP_STALLED;
}

perp_status perp_farkas_search(perp_work *work, double *certificate, double most, int *hopeless)
{
    double *before = work->certificate;
    perp_certificate_kind kind = work->certificate_kind;
    perp_arena arena;
    if (work->problem->M.kind == PERP_OPERATOR || !certificate)
        return PERP_STALLED;
    perp_arena_init(&arena, &work->arena->allocator);
    work->certificate = certificate;
    perp_status status = search_scopes(work, &arena, most, hopeless);
    perp_arena_free(&arena);
    if (proves(status))
        return status;
    work->certificate = before;
    work->certificate_kind = kind;
    return PERP_STALLED;
}

int perp_growth_is_endless(perp_growth *growth, const perp_work *work, int iteration)
{
    double size = 0.0;
    if (iteration < FIRST_LOOK || iteration < NEXT_LOOK * growth->seen)
        return 0;
    for (int k = 0; k < work->blocks.count; k++) {
        const perp_block *block = &work->blocks.at[k];
        double d = work->scaling.d ? work->scaling.d[k] : 1.0;
        for (int i = block->row; i < block->row + block->dim; i++)
            size += d * d * work->z[i] * work->z[i];
    }
    size = sqrt(size);
    double ratio = growth->seen > 0 ? (double)iteration / growth->seen : 1.0;
    int endless = growth->seen > 0 && size > growth->size * (1.0 + 0.7 * (ratio - 1.0));
    growth->seen = iteration;
    growth->size = size;
    return endless;
}
