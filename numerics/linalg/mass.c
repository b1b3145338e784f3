/* SPDX-License-Identifier: BSD-3-Clause */
#include "linalg/mass.h"

#include <math.h>

#include "linalg/components.h"
#include "linalg/factor/factor.h"
#include "linalg/small.h"

static const double symmetry_tolerance = 1e-12;

typedef struct builder {
    perp_mass *mass;
    perp_csc M; /* exact zeros off the diagonal removed */
    perp_arena local;
    int ncomponents;
    int *of;       /* component of an unknown */
    int *position; /* of an unknown in its component, then in the sparse part */
    int first_singular;
} builder;

static void drop_zeros(perp_csc *M)
{
    int end = 0;
    for (int j = 0, p = 0; j < M->cols; j++) {
        for (; p < M->colptr[j + 1]; p++) {
            if (M->x[p] != 0.0 || M->row[p] == j) {
                M->row[end] = M->row[p];
                M->x[end++] = M->x[p];
            }
        }
        M->colptr[j + 1] = end;
    }
}

/* Unknowns component by component, the small components first. */
static perp_status list_components(builder *b)
{
    perp_mass *mass = b->mass;
    size_t n = (size_t)mass->n;
    b->of = PERP_TAKE(&b->local, int, n);
    b->position = PERP_TAKE(&b->local, int, n);
    mass->dof = PERP_TAKE(&mass->arena, int, n);
    mass->block_of = PERP_TAKE(&mass->arena, int, n);
    if (b->local.failed || mass->arena.failed)
        return PERP_ERR_MEMORY;
    b->ncomponents = perp_components(b->of, &b->M, &b->local);
    if (b->ncomponents < 0)
        return PERP_ERR_MEMORY;

    size_t count = (size_t)b->ncomponents;
    int *size = perp_arena_take_zero(&b->local, count, sizeof(int));
    int *first = PERP_TAKE(&b->local, int, count), *block = PERP_TAKE(&b->local, int, count);
    if (b->local.failed)
        return PERP_ERR_MEMORY;
    for (int i = 0; i < mass->n; i++)
        b->position[i] = size[b->of[i]]++;
    int at = 0;
    for (int large = 0; large < 2; large++) {
        for (int c = 0; c < b->ncomponents; c++) {
            if ((size[c] > PERP_MASS_BLOCK_MAX) != large)
                continue;
            first[c] = at;
            block[c] = large ? -1 : mass->nblocks++;
            at += size[c];
            mass->nsparse += large ? size[c] : 0;
        }
    }
    for (int i = 0; i < mass->n; i++) {
        mass->dof[first[b->of[i]] + b->position[i]] = i;
        mass->block_of[i] = block[b->of[i]];
    }

    mass->blocks = PERP_TAKE(&mass->arena, perp_mass_block, mass->nblocks);
    if (!mass->blocks)
        return PERP_ERR_MEMORY;
    for (int c = 0; c < b->ncomponents; c++)
        if (block[c] >= 0)
            mass->blocks[block[c]] = (perp_mass_block){.first = first[c], .dim = size[c]};
    return PERP_SOLVED;
}

static void extract_block(double *A, const builder *b, const perp_mass_block *block)
{
    const int *dof = b->mass->dof + block->first;
    for (int k = 0; k < block->dim * block->dim; k++)
        A[k] = 0.0;
    for (int j = 0; j < block->dim; j++)
        for (int p = b->M.colptr[dof[j]]; p < b->M.colptr[dof[j] + 1]; p++)
            A[b->position[b->M.row[p]] + j * block->dim] = b->M.x[p];
}

static int is_symmetric(const double *A, int n)
{
    double largest = 0.0, difference = 0.0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            largest = fmax(largest, fabs(A[i + j * n]));
            difference = fmax(difference, fabs(A[i + j * n] - A[j + i * n]));
        }
    }
    return difference <= symmetry_tolerance * largest;
}

/* B = L^-1, lower triangular. */
static void invert_lower(double *B, const double *L, int n)
{
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            double t = i == j ? 1.0 : 0.0;
            for (int k = j; k < i; k++)
                t -= L[i + k * n] * B[k + j * n];
            B[i + j * n] = i < j ? 0.0 : t / L[i + i * n];
        }
    }
}

/* Inverse of A, scaled to a unit diagonal first; with `root` where A is
 * symmetric positive definite (*definite), B with A^-1 = B' B. */
static int invert_block(double *inverse, double *root, int *definite, double *A, int n)
{
    double scale[PERP_MASS_BLOCK_MAX], L[PERP_MASS_BLOCK_MAX * PERP_MASS_BLOCK_MAX];
    for (int i = 0; i < n; i++)
        scale[i] = A[i + i * n] != 0.0 ? 1.0 / sqrt(fabs(A[i + i * n])) : 1.0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            A[i + j * n] *= scale[i] * scale[j];

    *definite = is_symmetric(A, n) && perp_small_cholesky(L, A, n);
    if (*definite) {
        invert_lower(root, L, n);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                root[i + j * n] *= scale[j];
        for (int j = 0; j < n; j++)
            for (int i = 0; i <= j; i++)
                inverse[i + j * n] = inverse[j + i * n] = perp_dot(root + i * n, root + j * n, n);
    } else {
        if (!perp_small_invert(inverse, A, n))
            return 0;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                inverse[i + j * n] *= scale[i] * scale[j];
    }
    for (int k = 0; k < n * n; k++)
        if (!isfinite(inverse[k]))
            return 0;
    return 1;
}

static perp_status invert_blocks(builder *b)
{
    perp_mass *mass = b->mass;
    size_t total = 0;
    for (int k = 0; k < mass->nblocks; k++) {
        mass->blocks[k].inverse = mass->blocks[k].root = total;
        total += (size_t)(mass->blocks[k].dim * mass->blocks[k].dim);
    }
    mass->inverses = PERP_TAKE(&mass->arena, double, total);
    double *roots = PERP_TAKE(&mass->arena, double, total);
    if (mass->arena.failed)
        return PERP_ERR_MEMORY;
    int all_definite = 1;
    for (int k = 0; k < mass->nblocks; k++) {
        double A[PERP_MASS_BLOCK_MAX * PERP_MASS_BLOCK_MAX];
        const perp_mass_block *block = &mass->blocks[k];
        int definite;
        extract_block(A, b, block);
        if (!invert_block(mass->inverses + block->inverse, roots + block->root, &definite, A,
                          block->dim)) {
            b->first_singular = mass->dof[block->first];
            return PERP_ERR_SINGULAR;
        }
        all_definite &= definite;
    }
    mass->roots = all_definite ? roots : NULL;
    return PERP_SOLVED;
}

/* Rows and columns dof[first .. first + count - 1] of M; no entry leaves them. */
static perp_status submatrix(perp_csc *S, const builder *b, int first, int count, perp_arena *arena)
{
    const int *dof = b->mass->dof + first;
    size_t nz = 0;
    for (int j = 0; j < count; j++) {
        b->position[dof[j]] = j;
        nz += (size_t)(b->M.colptr[dof[j] + 1] - b->M.colptr[dof[j]]);
    }
    S->rows = S->cols = count;
    S->colptr = PERP_TAKE(arena, int, (size_t)count + 1);
    S->row = PERP_TAKE(arena, int, nz);
    S->x = PERP_TAKE(arena, double, nz);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    int end = 0;
    for (int j = 0; j < count; j++) {
        S->colptr[j] = end;
        for (int p = b->M.colptr[dof[j]]; p < b->M.colptr[dof[j] + 1]; p++) {
            S->row[end] = b->position[b->M.row[p]];
            S->x[end++] = b->M.x[p];
        }
    }
    S->colptr[count] = end;
    return PERP_SOLVED;
}

/* Factors S and hands them out; L D L' is kept only where every pivot is positive. */
static perp_status factor_once(perp_lu *lu, const perp_csc *S, perp_factor_kind kind,
                               perp_arena *arena)
{
    perp_factor *factor = NULL;
    perp_status status =
        perp_factor_create(&factor, kind, PERP_ORDER_AUTO, 1, S, &arena->allocator);
    if (status == PERP_SOLVED)
        status = perp_factor_numeric(factor, S);
    if (status == PERP_SOLVED && kind == PERP_FACTOR_LDL)
        status = perp_factor_ldl_extract(lu, factor, arena);
    else if (status == PERP_SOLVED)
        status = perp_factor_klu_extract(lu, factor, arena);
    perp_factor_destroy(factor);
    if (status == PERP_SOLVED && kind == PERP_FACTOR_LDL)
        for (int k = 0; k < lu->n; k++)
            if (!(lu->diagonal[k] > 0.0))
                return PERP_ERR_SINGULAR;
    return status;
}

static perp_status factor_part(perp_lu *lu, const perp_csc *S, int symmetric, perp_arena *arena)
{
    perp_status status = PERP_ERR_SINGULAR;
    if (symmetric)
        status = factor_once(lu, S, PERP_FACTOR_LDL, arena);
    if (status == PERP_ERR_SINGULAR)
        status = factor_once(lu, S, PERP_FACTOR_KLU, arena);
    return status;
}

/* Factors the large components one by one to name the first singular one. */
static void find_singular(builder *b)
{
    perp_mass *mass = b->mass;
    for (int first = mass->n - mass->nsparse; first < mass->n;) {
        int last = first;
        while (last < mass->n && b->of[mass->dof[last]] == b->of[mass->dof[first]])
            last++;
        perp_csc S;
        perp_lu lu;
        b->first_singular = mass->dof[first];
        if (submatrix(&S, b, first, last - first, &b->local) != PERP_SOLVED ||
            factor_part(&lu, &S, mass->symmetric, &b->local) != PERP_SOLVED)
            return;
        first = last;
    }
}

static perp_status factor_sparse(builder *b)
{
    perp_mass *mass = b->mass;
    perp_csc S;
    perp_status status = submatrix(&S, b, mass->n - mass->nsparse, mass->nsparse, &b->local);
    if (status == PERP_SOLVED)
        status = factor_part(&mass->lu, &S, mass->symmetric, &mass->arena);
    if (status == PERP_ERR_SINGULAR)
        find_singular(b);
    return status;
}

/* Asymmetry of M scaled to a unit diagonal: masses and inertias may have units
 * far apart. */
static perp_status scaled_asymmetry(double *asymmetry, builder *b)
{
    perp_csc S = b->M;
    double *scale = PERP_TAKE(&b->local, double, S.cols);
    S.x = PERP_TAKE(&b->local, double, S.colptr[S.cols]);
    if (b->local.failed)
        return PERP_ERR_MEMORY;
    for (int j = 0; j < S.cols; j++) {
        scale[j] = 1.0;
        for (int p = S.colptr[j]; p < S.colptr[j + 1]; p++)
            if (S.row[p] == j && b->M.x[p] != 0.0)
                scale[j] = 1.0 / sqrt(fabs(b->M.x[p]));
    }
    for (int j = 0; j < S.cols; j++)
        for (int p = S.colptr[j]; p < S.colptr[j + 1]; p++)
            S.x[p] = b->M.x[p] * (scale[S.row[p]] * scale[j]);
    return perp_csc_asymmetry(asymmetry, &S, &b->local);
}

static perp_status build(builder *b, const perp_mat *M)
{
    perp_mass *mass = b->mass;
    double asymmetry = 0.0;
    perp_status status = perp_csc_from_mat(&b->M, M, &b->local);
    if (status != PERP_SOLVED)
        return status;
    drop_zeros(&b->M);
    status = scaled_asymmetry(&asymmetry, b);
    mass->symmetric = asymmetry <= symmetry_tolerance;
    if (status == PERP_SOLVED)
        status = list_components(b);
    if (status == PERP_SOLVED)
        status = invert_blocks(b);
    if (status == PERP_SOLVED && mass->nsparse > 0)
        status = factor_sparse(b);
    return status;
}

static perp_status fail(perp_where *where, const char *what, int index, perp_status status)
{
    if (where)
        *where = (perp_where){what, -1, index};
    return status;
}

perp_status perp_mass_create(perp_mass **out, const perp_mat *M, const perp_allocator *allocator,
                             perp_where *where)
{
    if (!out || !M)
        return fail(where, out ? "M" : "mass", -1, PERP_ERR_ARGUMENT);
    perp_status status = perp_mat_check(M, allocator, where);
    if (status != PERP_SOLVED)
        return status;
    if (M->rows != M->cols)
        return fail(where, "rows", -1, PERP_ERR_ARGUMENT);
    if (M->kind == PERP_OPERATOR || M->kind == PERP_DELASSUS)
        return fail(where, "kind", -1, PERP_ERR_UNSUPPORTED);

    perp_allocator memory = perp_allocator_or_malloc(allocator);
    perp_mass *mass = memory.allocate(memory.ctx, sizeof *mass);
    if (!mass)
        return fail(where, "memory", -1, PERP_ERR_MEMORY);
    *mass = (perp_mass){.n = M->rows};
    perp_arena_init(&mass->arena, &memory);
    builder b = {.mass = mass, .first_singular = -1};
    perp_arena_init(&b.local, &memory);
    status = build(&b, M);
    perp_arena_free(&b.local);
    if (status != PERP_SOLVED) {
        perp_mass_destroy(mass);
        const char *what = status == PERP_ERR_MEMORY ? "memory" : "M";
        return fail(where, what, b.first_singular, status);
    }
    *out = mass;
    return PERP_SOLVED;
}

void perp_mass_destroy(perp_mass *mass)
{
    if (!mass)
        return;
    perp_allocator memory = mass->arena.allocator;
    perp_arena_free(&mass->arena);
    memory.release(memory.ctx, mass);
}
