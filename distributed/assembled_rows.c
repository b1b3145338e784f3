/* SPDX-License-Identifier: BSD-3-Clause */
/* perp_petsc_share_assembled(): a matrix whose rows lie in several processes becomes one with
 * bodies, by the formulas of assembled.c.  A rank makes the bodies of its blocks and those of their
 * pairs with later blocks; the rows of H of these may be another rank's.  Rows stay where they are.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "distributed/assembled.h"
#include "distributed/share_inside.h"
#include "distributed/system.h"
#include "linalg/small.h"

enum { MOST = PERP_ASSEMBLED_ROWS, PAIR = 2 * MOST };
/* Of each row: the first row of its block, its rows, and what the block adds to each s. */
enum { FIRST, DIM, BASE, FACTS };

/* Entries of a matrix that is made. */
typedef struct entries {
    PetscCount n;
    PetscInt *i, *j;
    PetscScalar *x;
} entries;

typedef struct factoring {
    perp_petsc_share *share;
    const perp_petsc_problem *given;
    Mat W, T; /* T: transposed, so that a rank has both sides of a pair */
    PetscInt from;
    perp_blocks blocks;
    PetscInt *start, *pair; /* of each block: first rows of the blocks that it is coupled to */
    PetscInt *each, count;  /* columns that occur */
    PetscInt most, unknowns, before;
    Vec facts, here;
    double *coupled; /* of one block: M_kj and M_jk of each of its pairs */
    entries H, M;
} factoring;

static PetscErrorCode take_entries(entries *e, PetscCount n)
{
    e->n = 0;
    return PetscMalloc3((size_t)n + 1, &e->i, (size_t)n + 1, &e->j, (size_t)n + 1, &e->x);
}

static void add_entry(entries *e, PetscInt i, PetscInt j, double x)
{
    e->i[e->n] = i;
    e->j[e->n] = j;
    e->x[e->n++] = x;
}

/* The columns of W and T once; *bad: a row with a NaN or an infinity, -1. */
static PetscErrorCode list_columns(factoring *f, int *bad)
{
    PetscInt n, used = 0;
    const PetscInt *col;
    const PetscScalar *x;
    *bad = -1;
    for (int store = 0; store < 2; store++) {
        if (store)
            PetscCall(PetscMalloc1((size_t)used + 1, &f->each));
        used = 0;
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < f->blocks.n; i++) {
                Mat A = side ? f->T : f->W;
                PetscCall(MatGetRow(A, f->from + i, &n, &col, &x));
                for (PetscInt k = 0; store && k < n; k++) {
                    f->each[used + k] = col[k];
                    *bad = *bad < 0 && !isfinite(x[k]) ? i : *bad;
                }
                used += n;
                PetscCall(MatRestoreRow(A, f->from + i, &n, &col, &x));
            }
    }
    f->count = used;
    PetscCall(PetscMalloc1((size_t)used + 1, &f->pair));
    return PetscSortRemoveDupsInt(&f->count, f->each);
}

/* Facts of the own rows; base = NULL: 0. */
static PetscErrorCode write_facts(factoring *f, const double *base)
{
    PetscScalar *fact;
    PetscCall(VecGetArray(f->facts, &fact));
    for (int k = 0; k < f->blocks.count; k++) {
        const perp_block *b = &f->blocks.at[k];
        for (int i = b->row; i < b->row + b->dim; i++) {
            fact[FACTS * i + FIRST] = f->from + b->row;
            fact[FACTS * i + DIM] = b->dim;
            fact[FACTS * i + BASE] = base ? base[k] : 0.0;
        }
    }
    return VecRestoreArray(f->facts, &fact);
}

/* Those of the columns that occur. */
static PetscErrorCode fetch_facts(factoring *f)
{
    IS from;
    VecScatter scatter;
    PetscCall(VecDestroy(&f->here));
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, FACTS * f->count, &f->here));
    PetscCall(ISCreateBlock(PETSC_COMM_SELF, FACTS, f->count, f->each, PETSC_COPY_VALUES, &from));
    PetscCall(VecScatterCreate(f->facts, from, f->here, NULL, &scatter));
    PetscCall(VecScatterBegin(scatter, f->facts, f->here, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(scatter, f->facts, f->here, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterDestroy(&scatter));
    return ISDestroy(&from);
}

/* The first rows of their blocks, too, as a pair is known by these. */
static PetscErrorCode complete_columns(factoring *f)
{
    const PetscScalar *fact = NULL;
    PetscInt *all, n = 2 * f->count;
    PetscCall(PetscMalloc1((size_t)n + 1, &all));
    PetscCall(VecGetArrayRead(f->here, &fact));
    for (PetscInt k = 0; k < f->count; k++) {
        all[2 * k] = f->each[k];
        all[2 * k + 1] = (PetscInt)fact[FACTS * k + FIRST];
    }
    PetscCall(VecRestoreArrayRead(f->here, &fact));
    PetscCall(PetscSortRemoveDupsInt(&n, all));
    PetscCall(PetscFree(f->each));
    f->each = all;
    f->count = n;
    return 0;
}

/* Facts of a column that occurs. */
static PetscErrorCode facts_of(const factoring *f, const PetscScalar *here, PetscInt col,
                               const PetscScalar **facts)
{
    PetscInt at;
    PetscCall(PetscFindInt(col, f->count, f->each, &at));
    if (at < 0)
        return PETSC_ERR_PLIB;
    *facts = here + FACTS * at;
    return 0;
}

/* Pairs of each block, ascending. */
static PetscErrorCode list_pairs(factoring *f, const PetscScalar *here)
{
    PetscInt n, used = 0;
    const PetscInt *col;
    const PetscScalar *x, *fact = NULL;
    for (int k = 0; k < f->blocks.count; k++) {
        const perp_block *b = &f->blocks.at[k];
        PetscInt own = f->from + b->row, pairs = 0;
        for (int e = 0; e < 2 * b->dim; e++) {
            Mat A = e < b->dim ? f->W : f->T;
            PetscInt row = own + e % b->dim;
            PetscCall(MatGetRow(A, row, &n, &col, &x));
            for (PetscInt c = 0; c < n; c++) {
                PetscCall(facts_of(f, here, col[c], &fact));
                if (x[c] != 0.0 && (PetscInt)fact[FIRST] != own)
                    f->pair[used + pairs++] = (PetscInt)fact[FIRST];
            }
            PetscCall(MatRestoreRow(A, row, &n, &col, &x));
        }
        PetscCall(PetscSortRemoveDupsInt(&pairs, f->pair + used));
        f->start[k] = used;
        used += pairs;
        f->most = PetscMax(f->most, pairs);
    }
    f->start[f->blocks.count] = used;
    return PetscMalloc1((size_t)(f->most * 2 + 1) * MOST * MOST, &f->coupled);
}

/* M_kk, and M_kj and M_jk of its pairs into `coupled`: MOST rows a column each. */
static PetscErrorCode read_block(factoring *f, const PetscScalar *here, int k, double *diagonal)
{
    const perp_block *b = &f->blocks.at[k];
    PetscInt own = f->from + b->row, pairs = f->start[k + 1] - f->start[k], n, at;
    const PetscInt *col;
    const PetscScalar *x, *fact = NULL;
    memset(diagonal, 0, MOST * MOST * sizeof *diagonal);
    memset(f->coupled, 0, (size_t)pairs * 2 * MOST * MOST * sizeof *f->coupled);
    for (int e = 0; e < 2 * b->dim; e++) {
        int transposed = e >= b->dim, i = e % b->dim;
        Mat A = transposed ? f->T : f->W;
        PetscCall(MatGetRow(A, own + i, &n, &col, &x));
        for (PetscInt c = 0; c < n; c++) {
            PetscCall(facts_of(f, here, col[c], &fact));
            PetscInt first = (PetscInt)fact[FIRST], j = col[c] - first;
            if (first == own && !transposed)
                diagonal[i + j * MOST] = x[c];
            if (first == own || x[c] == 0.0)
                continue;
            PetscCall(PetscFindInt(first, pairs, f->pair + f->start[k], &at));
            double *to = f->coupled + (2 * at + transposed) * MOST * MOST;
            to[transposed ? j + i * MOST : i + j * MOST] = x[c];
        }
        PetscCall(MatRestoreRow(A, own + i, &n, &col, &x));
    }
    return 0;
}

static double norm_of(const double *x, int count)
{
    double norm = 0.0;
    for (int i = 0; i < count; i++)
        norm = hypot(norm, x[i]);
    return norm;
}

/* What each pair of a block adds to s: 2 |M_kk| over their number. */
static PetscErrorCode find_bases(factoring *f, const PetscScalar *here, double *base)
{
    double diagonal[MOST * MOST];
    for (int k = 0; k < f->blocks.count; k++) {
        PetscInt pairs = f->start[k + 1] - f->start[k];
        PetscCall(read_block(f, here, k, diagonal));
        base[k] = pairs ? 2.0 * norm_of(diagonal, MOST * MOST) / (double)pairs : 0.0;
    }
    return 0;
}

/* Unknowns of this rank and entries of H and M. */
static PetscErrorCode count_bodies(factoring *f, const PetscScalar *here)
{
    long long unknowns = 0, entries_M = 0;
    const PetscScalar *fact = NULL;
    for (int k = 0; k < f->blocks.count; k++) {
        const perp_block *b = &f->blocks.at[k];
        unknowns += b->dim;
        entries_M += b->dim * b->dim;
        for (PetscInt p = f->start[k]; p < f->start[k + 1]; p++) {
            PetscCall(facts_of(f, here, f->pair[p], &fact));
            int rows = b->dim + (int)fact[DIM];
            if (f->pair[p] > f->from + b->row) {
                unknowns += rows;
                entries_M += rows * rows;
            }
        }
    }
    if (unknowns > INT_MAX / PAIR)
        return PETSC_ERR_ARG_OUTOFRANGE;
    f->unknowns = (PetscInt)unknowns;
    PetscCall(take_entries(&f->H, unknowns));
    return take_entries(&f->M, entries_M);
}

/* A body from N^-1, whose unknowns begin at `at`: N, and ones at rows k and, of a pair, rows j. */
static PetscErrorCode add_body(factoring *f, const double *x, PetscInt at, PetscInt k, int dim,
                               PetscInt j, int rows)
{
    double mass[PAIR * PAIR], none = norm_of(x, rows * rows), body[PAIR * PAIR];
    memcpy(body, x, (size_t)(rows * rows) * sizeof *body);
    for (int i = 0; i < rows && none == 0.0; i++)
        body[i + i * rows] = 1.0;
    if (!perp_small_invert(mass, body, rows))
        return PETSC_ERR_SUP;
    for (int i = 0; i < rows; i++) {
        add_entry(&f->H, i < dim ? k + i : j + i - dim, at + i, none == 0.0 ? 0.0 : 1.0);
        for (int c = 0; c < rows; c++)
            add_entry(&f->M, at + i, at + c, mass[i + c * rows]);
    }
    return 0;
}

/* Bodies of block k: its own, then its pairs with later ones. */
static PetscErrorCode add_bodies(factoring *f, const PetscScalar *here, const double *base, int k,
                                 PetscInt *at)
{
    const perp_block *b = &f->blocks.at[k];
    PetscInt own = f->from + b->row, next = *at + b->dim, pairs = f->start[k + 1] - f->start[k];
    double diagonal[MOST * MOST], body[PAIR * PAIR], shift = 0.0;
    const PetscScalar *fact = NULL;
    PetscCall(read_block(f, here, k, diagonal));
    for (PetscInt p = 0; p < pairs; p++) {
        PetscInt j = f->pair[f->start[k] + p];
        const double *kj = f->coupled + 2 * p * MOST * MOST, *jk = kj + MOST * MOST;
        double coupling = norm_of(kj, 2 * MOST * MOST);
        PetscCall(facts_of(f, here, j, &fact));
        int rows = b->dim + (int)fact[DIM];
        shift += 1.5 * coupling + base[k];
        if (j < own)
            continue;
        for (int c = 0; c < rows; c++)
            for (int i = 0; i < rows; i++) {
                int lower = i >= b->dim, right = c >= b->dim;
                body[i + c * rows] = lower == right ? 0.0
                                     : right        ? kj[i + (c - b->dim) * MOST]
                                                    : jk[i - b->dim + c * MOST];
            }
        for (int i = 0; i < rows; i++)
            body[i + i * rows] = 1.5 * coupling + (i < b->dim ? base[k] : fact[BASE]);
        PetscCall(add_body(f, body, next, own, b->dim, j, rows));
        next += rows;
    }
    for (int c = 0; c < b->dim; c++)
        for (int i = 0; i < b->dim; i++)
            body[i + c * b->dim] = diagonal[i + c * MOST] - (i == c ? shift : 0.0);
    PetscCall(add_body(f, body, *at, own, b->dim, -1, b->dim));
    *at = next;
    return 0;
}

/* From the entries of all ranks. */
static PetscErrorCode assemble(MPI_Comm comm, PetscInt rows, PetscInt cols, entries *e, Mat *A)
{
    PetscCall(MatCreate(comm, A));
    PetscCall(MatSetSizes(*A, rows, cols, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetType(*A, MATAIJ));
    PetscCall(MatSetPreallocationCOO(*A, e->n, e->i, e->j));
    return MatSetValuesCOO(*A, e->x, ADD_VALUES);
}

/* Local: the pairs and their bodies.  The entries are in the numbers of this rank's unknowns. */
static PetscErrorCode make_pairs(factoring *f, double *base)
{
    const PetscScalar *here;
    PetscCall(VecGetArrayRead(f->here, &here));
    PetscCall(PetscMalloc1((size_t)f->blocks.count + 1, &f->start));
    PetscCall(list_pairs(f, here));
    PetscCall(find_bases(f, here, base));
    PetscCall(count_bodies(f, here));
    PetscCall(VecRestoreArrayRead(f->here, &here));
    return write_facts(f, base);
}

static PetscErrorCode make_entries(factoring *f, const double *base)
{
    const PetscScalar *here;
    PetscInt at = f->before;
    PetscCall(VecGetArrayRead(f->here, &here));
    for (int k = 0; k < f->blocks.count; k++)
        PetscCall(add_bodies(f, here, base, k, &at));
    return VecRestoreArrayRead(f->here, &here);
}

static PetscErrorCode copy_vector(Vec from, Vec *to)
{
    PetscCall(VecDuplicate(from, to));
    return VecCopy(from, *to);
}

static PetscErrorCode make_objects(factoring *f)
{
    MPI_Comm comm = f->share->comm;
    perp_petsc_problem *to = &f->share->problem;
    PetscCall(assemble(comm, f->blocks.n, f->unknowns, &f->H, &to->H));
    PetscCall(assemble(comm, f->unknowns, f->unknowns, &f->M, &to->M));
    PetscCall(copy_vector(f->given->q, &to->q));
    return f->given->C ? copy_vector(f->given->C, &to->C) : 0;
}

static PetscErrorCode begin(factoring *f)
{
    PetscInt end;
    PetscCall(MatGetOwnershipRange(f->W, &f->from, &end));
    PetscCall(MatTranspose(f->W, MAT_INITIAL_MATRIX, &f->T));
    PetscCall(VecCreateMPI(f->share->comm, FACTS * f->blocks.n, PETSC_DETERMINE, &f->facts));
    return write_facts(f, NULL);
}

/* Collective: the status of a call that PETSc made on this rank. */
static perp_status agree(const factoring *f, PetscErrorCode code, const char *what,
                         perp_petsc_where *where)
{
    perp_status status =
        code == PETSC_ERR_ARG_OUTOFRANGE ? PERP_ERR_OVERFLOW : perp_petsc_status(code);
    if (status != PERP_SOLVED)
        perp_petsc_at(where, status, what, -1);
    return perp_petsc_agree(f->share->comm, status, where);
}

static perp_status factor(factoring *f, double *base, perp_petsc_where *where)
{
    MPI_Comm comm = f->share->comm;
    int bad;
    perp_status status = agree(f, begin(f), "M", where);
    if (status == PERP_SOLVED)
        status = agree(f, list_columns(f, &bad), "M", where);
    if (status == PERP_SOLVED)
        status = perp_petsc_agree(
            comm, bad < 0 ? PERP_SOLVED : perp_petsc_at(where, PERP_ERR_NONFINITE, "M", bad),
            where);
    if (status == PERP_SOLVED)
        status = agree(f, fetch_facts(f), "M", where);
    if (status == PERP_SOLVED)
        status = agree(f, complete_columns(f), "M", where);
    if (status == PERP_SOLVED)
        status = agree(f, fetch_facts(f), "M", where);
    if (status == PERP_SOLVED)
        status = agree(f, make_pairs(f, base), "M", where);
    if (status != PERP_SOLVED)
        return status;
    long long own = f->unknowns, to = 0, all = 0;
    MPI_Scan(&own, &to, 1, MPI_LONG_LONG, MPI_SUM, comm);
    MPI_Allreduce(&own, &all, 1, MPI_LONG_LONG, MPI_SUM, comm);
    if (all > INT_MAX)
        return perp_petsc_at(where, PERP_ERR_OVERFLOW, "M", -1);
    f->before = (PetscInt)(to - own);
    status = agree(f, fetch_facts(f), "M", where);
    if (status == PERP_SOLVED)
        status = agree(f, make_entries(f, base), "M", where);
    return status == PERP_SOLVED ? agree(f, make_objects(f), "M", where) : status;
}

static void drop(factoring *f)
{
    (void)MatDestroy(&f->T);
    (void)VecDestroy(&f->facts);
    (void)VecDestroy(&f->here);
    (void)PetscFree(f->start);
    (void)PetscFree(f->pair);
    (void)PetscFree(f->each);
    (void)PetscFree(f->coupled);
    (void)PetscFree3(f->H.i, f->H.j, f->H.x);
    (void)PetscFree3(f->M.i, f->M.j, f->M.x);
}

/* Segments with arrays of their own, and rank 0's for whole vectors. */
static perp_status keep(factoring *f)
{
    perp_petsc_share *share = f->share;
    perp_arena *arena = &share->arena;
    int n = f->blocks.count, *set = PERP_TAKE(arena, int, n), *dim = PERP_TAKE(arena, int, n);
    double *par = PERP_TAKE(arena, double, PERP_PARAMETERS *(size_t)n);
    if (share->rank == 0) {
        share->rows_of = PERP_TAKE(arena, int, share->size);
        share->rows_before = perp_arena_take_zero(arena, (size_t)share->size + 1, sizeof(int));
        share->row_order = PERP_TAKE(arena, int, share->all_rows);
        share->packed = PERP_TAKE(arena, double, share->all_rows);
    }
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int k = 0; k < n; k++) {
        set[k] = f->blocks.at[k].set;
        dim[k] = f->blocks.at[k].dim;
        memcpy(par + PERP_PARAMETERS * (size_t)k, f->blocks.at[k].par,
               PERP_PARAMETERS * sizeof *par);
    }
    return perp_petsc_share_segments(share, set, dim, par, n);
}

static void fill_cut(factoring *f)
{
    perp_petsc_share *share = f->share;
    int own = f->blocks.n, sums[3] = {f->blocks.count, 0, 0}, all[3], most;
    for (int k = 0; k < f->blocks.count; k++)
        for (PetscInt p = f->start[k]; p < f->start[k + 1]; p++) {
            sums[1] += f->pair[p] > f->from + f->blocks.at[k].row;
            sums[2] += f->pair[p] >= f->from + f->blocks.n;
        }
    MPI_Allreduce(sums, all, 3, MPI_INT, MPI_SUM, share->comm);
    MPI_Allreduce(&own, &most, 1, MPI_INT, MPI_MAX, share->comm);
    MPI_Gather(&own, 1, MPI_INT, share->rows_of, 1, MPI_INT, 0, share->comm);
    for (int r = 0; share->rank == 0 && r < share->size; r++)
        share->rows_before[r + 1] = share->rows_before[r] + share->rows_of[r];
    for (int i = 0; share->rank == 0 && i < share->all_rows; i++)
        share->row_order[i] = i;
    share->cut = (perp_petsc_cut){"as given", all[0], all[1], all[2], most, own, sums[0]};
}

/* Blocks of the own rows, and a check of the segments, q and C by a problem without a matrix. */
static perp_status check_rows(factoring *f, perp_petsc_where *where)
{
    const perp_petsc_problem *p = f->given;
    perp_arena *arena = &f->share->arena;
    perp_where at = {NULL, -1, -1};
    PetscInt n = 0, cols = 0, q = 0, C = 0, all = 0;
    const PetscScalar *x;
    if (MatGetLocalSize(p->M, &n, &cols) || MatGetSize(p->M, &all, NULL) ||
        VecGetLocalSize(p->q, &q) || (p->C && VecGetLocalSize(p->C, &C)))
        return perp_petsc_at(where, PERP_ERR_NUMERICAL, "M", -1);
    if (n != cols)
        return perp_petsc_at(where, PERP_ERR_STRUCTURE, "M", -1);
    if (perp_petsc_segment_rows(p) != n)
        return perp_petsc_at(where, PERP_ERR_STRUCTURE, "seg", -1);
    if (q != n || (p->C && C != n))
        return perp_petsc_at(where, PERP_ERR_STRUCTURE, q != n ? "q" : "C", -1);
    int *none = perp_arena_take_zero(arena, (size_t)n + 1, sizeof(int));
    if (!none)
        return PERP_ERR_MEMORY;
    f->share->all_rows = (int)all;
    perp_problem problem = {.seg = p->seg, .nseg = p->nseg};
    if (VecGetArrayRead(p->q, &x))
        return perp_petsc_at(where, PERP_ERR_NUMERICAL, "q", -1);
    double nothing = 0.0;
    problem.q = x;
    perp_status status = perp_mat_init_csc(&problem.M, (int)n, (int)n, none, none, &nothing);
    if (status == PERP_SOLVED)
        status = perp_problem_check(&problem, &arena->allocator, &at);
    if (status == PERP_SOLVED)
        status = perp_blocks_build(&f->blocks, &problem, arena);
    (void)VecRestoreArrayRead(p->q, &x);
    if (status == PERP_SOLVED && f->blocks.max_dim > MOST)
        return perp_petsc_at(where, PERP_ERR_UNSUPPORTED, "M", -1);
    if (status != PERP_SOLVED) {
        perp_petsc_at(where, status, at.what ? at.what : "problem", at.index);
        where->segment = at.segment;
    }
    return status;
}

static perp_status build(factoring *f, perp_petsc_where *where)
{
    perp_status status = perp_petsc_agree(f->share->comm, check_rows(f, where), where);
    double *base = NULL;
    if (status == PERP_SOLVED) {
        base = PERP_TAKE(&f->share->arena, double, f->blocks.count);
        status = perp_petsc_agree(f->share->comm, base ? keep(f) : PERP_ERR_MEMORY, where);
    }
    if (status == PERP_SOLVED)
        status = factor(f, base, where);
    if (status == PERP_SOLVED)
        fill_cut(f);
    return status;
}

static perp_status check_objects(MPI_Comm comm, const perp_petsc_problem *p,
                                 perp_petsc_where *where)
{
    PetscBool assembled = PETSC_FALSE;
    if (!p || p->H)
        return perp_petsc_at(where, PERP_ERR_ARGUMENT, p ? "H" : "problem", -1);
    perp_status status = perp_petsc_check_objects(comm, p, where);
    if (status != PERP_SOLVED)
        return status;
    if (MatAssembled(p->M, &assembled) || !assembled)
        return perp_petsc_at(where, PERP_ERR_STRUCTURE, "M", -1);
    return PERP_SOLVED;
}

static perp_status create(perp_petsc_share **made, MPI_Comm comm, const perp_petsc_problem *problem,
                          const perp_allocator *memory, perp_petsc_where *where)
{
    factoring f = {.given = problem};
    perp_status status = perp_petsc_agree(comm, check_objects(comm, problem, where), where);
    if (status == PERP_SOLVED)
        status = perp_petsc_share_begin(&f.share, comm, memory, where);
    if (status != PERP_SOLVED)
        return status;
    f.W = problem->M;
    status = build(&f, where);
    drop(&f);
    if (status == PERP_SOLVED)
        *made = f.share;
    else
        perp_petsc_share_destroy(f.share);
    return status;
}

perp_status perp_petsc_share_assembled(perp_petsc_share **made, MPI_Comm comm,
                                       const perp_petsc_problem *problem,
                                       const perp_allocator *memory, perp_petsc_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_petsc_where at;
    perp_status status = perp_petsc_share_enter(made, &at);
    if (status != PERP_SOLVED)
        return status;
    return perp_petsc_share_leave(create(made, comm, problem, memory, &at), &at, where);
}
