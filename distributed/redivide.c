/* SPDX-License-Identifier: BSD-3-Clause */
/* A problem that lies in any layout divided once more by all ranks together: bodies by MatPartitioning,
 * each block of rows to the owner of its heaviest body.  No rank holds more than its part of
 * anything. */
#include <string.h>

#include "distributed/share_inside.h"

/* Bodies that the blocks of this rank touch. */
typedef struct touched {
    PetscInt *start,
        *body;      /* of each block: body[start[k] .. start[k + 1] - 1], by their numbers */
    PetscInt *at;   /* the same as places in `each` */
    PetscInt *each; /* all of them once, ascending */
    PetscInt count;
} touched;

/* What is known of a body, as entries of a vector. */
enum { HEAVY, OWNER, NUMBER, FACTS };

typedef struct redivision {
    perp_petsc_share *share;
    perp_layout *first;
    PetscInt bodies, all_bodies; /* own ones of the first layout */
    PetscInt rows;
    touched t;
    Mat graph;
    Vec facts, here; /* of the own bodies; of those that are touched */
    IS owner, number, row_owner, row_number, block_owner, block_number;
    PetscInt *new_rows, *new_bodies, *new_blocks; /* by rank */
    const char *method;
} redivision;

static PetscErrorCode list_touched(redivision *r)
{
    const perp_layout *first = r->first;
    touched *t = &r->t;
    PetscInt from, row, n, most = 0, used = 0;
    const PetscInt *col;
    PetscCall(MatGetOwnershipRange(first->H, &from, NULL));
    for (int pass = 0; pass < 2; pass++) {
        row = from;
        for (int k = 0; k < first->blocks; k++) {
            if (pass)
                t->start[k] = used;
            PetscInt begun = used;
            for (int i = 0; i < first->dim[k]; i++, row++) {
                PetscCall(MatGetRow(first->H, row, &n, &col, NULL));
                for (PetscInt e = 0; e < n && pass; e++) {
                    PetscInt body = col[e] / first->group, seen = begun;
                    while (seen < used && t->body[seen] != body)
                        seen++;
                    t->body[seen] = body;
                    used += seen == used;
                }
                most += pass ? 0 : n;
                PetscCall(MatRestoreRow(first->H, row, &n, &col, NULL));
            }
        }
        if (pass)
            break;
        PetscCall(PetscMalloc1((size_t)first->blocks + 1, &t->start));
        PetscCall(PetscMalloc1((size_t)most + 1, &t->body));
    }
    t->start[first->blocks] = used;
    for (int k = 0; k < first->blocks; k++)
        PetscCall(PetscSortInt(t->start[k + 1] - t->start[k], t->body + t->start[k]));
    PetscCall(PetscMalloc1((size_t)used + 1, &t->each));
    PetscCall(PetscMalloc1((size_t)used + 1, &t->at));
    PetscCall(PetscArraycpy(t->each, t->body, used));
    t->count = used;
    PetscCall(PetscSortRemoveDupsInt(&t->count, t->each));
    for (PetscInt e = 0; e < used; e++)
        PetscCall(PetscFindInt(t->body[e], t->count, t->each, &t->at[e]));
    return 0;
}

/* Ones where two bodies have rows in common, and on the diagonal. */
static PetscErrorCode make_graph(redivision *r)
{
    const touched *t = &r->t;
    PetscInt *i, *j, from;
    PetscScalar *x;
    PetscCount n = r->bodies;
    for (int k = 0; k < r->first->blocks; k++)
        n += (t->start[k + 1] - t->start[k]) * (t->start[k + 1] - t->start[k]);
    PetscCall(PetscMalloc3((size_t)n + 1, &i, (size_t)n + 1, &j, (size_t)n + 1, &x));
    PetscCall(VecGetOwnershipRange(r->facts, &from, NULL));
    n = 0;
    for (PetscInt b = 0; b < r->bodies; b++, n++)
        i[n] = j[n] = from / FACTS + b;
    for (int k = 0; k < r->first->blocks; k++)
        for (PetscInt a = t->start[k]; a < t->start[k + 1]; a++)
            for (PetscInt b = t->start[k]; b < t->start[k + 1]; b++, n++) {
                i[n] = t->body[a];
                j[n] = t->body[b];
            }
    for (PetscCount e = 0; e < n; e++)
        x[e] = 1.0;
    PetscCall(MatCreate(r->share->comm, &r->graph));
    PetscCall(MatSetSizes(r->graph, r->bodies, r->bodies, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetType(r->graph, MATAIJ));
    PetscCall(MatSetPreallocationCOO(r->graph, n, i, j));
    PetscCall(MatSetValuesCOO(r->graph, x, ADD_VALUES));
    PetscCall(PetscFree3(i, j, x));
    return 0;
}

#ifdef PERP_PARTITIONER
/* Weighted by the blocks of rows of each body, which are on the diagonal of the graph. */
static PetscErrorCode partition(redivision *r)
{
    Mat adjacency;
    MatPartitioning part;
    Vec weight;
    const PetscScalar *x;
    PetscInt *weights;
    PetscCall(VecCreateMPI(r->share->comm, r->bodies, PETSC_DETERMINE, &weight));
    PetscCall(MatGetDiagonal(r->graph, weight));
    PetscCall(PetscMalloc1((size_t)r->bodies + 1, &weights));
    PetscCall(VecGetArrayRead(weight, &x));
    for (PetscInt b = 0; b < r->bodies; b++)
        weights[b] = (PetscInt)PetscRealPart(x[b]);
    PetscCall(VecRestoreArrayRead(weight, &x));
    PetscCall(VecDestroy(&weight));
    PetscCall(MatConvert(r->graph, MATMPIADJ, MAT_INITIAL_MATRIX, &adjacency));
    PetscCall(MatPartitioningCreate(r->share->comm, &part));
    PetscCall(MatPartitioningSetAdjacency(part, adjacency));
    PetscCall(MatPartitioningSetType(part, PERP_PARTITIONER));
    PetscCall(MatPartitioningSetVertexWeights(part, weights));
    PetscCall(MatPartitioningApply(part, &r->owner));
    PetscCall(MatPartitioningDestroy(&part));
    PetscCall(MatDestroy(&adjacency));
    return 0;
}
#endif

/* As they lie. */
static PetscErrorCode keep_owners(redivision *r)
{
    return ISCreateStride(r->share->comm, r->bodies, r->share->rank, 0, &r->owner);
}

static PetscErrorCode choose_owners(redivision *r)
{
    r->method = "chunks";
#ifdef PERP_PARTITIONER
    if (r->share->size > 1 && r->all_bodies > 4 * r->share->size) {
        PetscCall(partition(r));
        r->method = PERP_PARTITIONER;
    }
#endif
    if (!r->owner)
        PetscCall(keep_owners(r));
    PetscCall(ISPartitioningToNumbering(r->owner, &r->number));
    return ISPartitioningCount(r->owner, r->share->size, r->new_bodies);
}

/* FACTS numbers of each own body. */
static PetscErrorCode write_facts(redivision *r)
{
    const PetscInt *owner, *number;
    const PetscScalar *mass;
    PetscScalar *fact;
    Vec diagonal;
    int group = r->first->group;
    PetscCall(MatCreateVecs(r->first->M, NULL, &diagonal));
    PetscCall(MatGetDiagonal(r->first->M, diagonal));
    PetscCall(VecGetArrayRead(diagonal, &mass));
    PetscCall(ISGetIndices(r->owner, &owner));
    PetscCall(ISGetIndices(r->number, &number));
    PetscCall(VecGetArray(r->facts, &fact));
    for (PetscInt b = 0; b < r->bodies; b++) {
        double most = 0.0;
        for (int k = 0; k < group; k++)
            most = PetscMax(most, PetscRealPart(mass[b * group + k]));
        fact[FACTS * b + HEAVY] = most;
        fact[FACTS * b + OWNER] = owner[b];
        fact[FACTS * b + NUMBER] = number[b];
    }
    PetscCall(VecRestoreArray(r->facts, &fact));
    PetscCall(ISRestoreIndices(r->number, &number));
    PetscCall(ISRestoreIndices(r->owner, &owner));
    PetscCall(VecRestoreArrayRead(diagonal, &mass));
    return VecDestroy(&diagonal);
}

/* `to`: the facts of these bodies. */
static PetscErrorCode fetch_facts(const redivision *r, const PetscInt *body, PetscInt n, Vec *to)
{
    IS from;
    VecScatter scatter;
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, FACTS * n, to));
    PetscCall(ISCreateBlock(PETSC_COMM_SELF, FACTS, n, body, PETSC_COPY_VALUES, &from));
    PetscCall(VecScatterCreate(r->facts, from, *to, NULL, &scatter));
    PetscCall(VecScatterBegin(scatter, r->facts, *to, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(scatter, r->facts, *to, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterDestroy(&scatter));
    return ISDestroy(&from);
}

/* Each block of rows to the owner of its heaviest body, of equals the first; without one to rank 0.
 */
static PetscErrorCode choose_rows(redivision *r)
{
    const perp_layout *first = r->first;
    const touched *t = &r->t;
    const PetscScalar *fact;
    PetscInt *of_block, *of_row, row = 0;
    MPI_Comm comm = r->share->comm;
    PetscCall(PetscMalloc1((size_t)first->blocks + 1, &of_block));
    PetscCall(PetscMalloc1((size_t)r->rows + 1, &of_row));
    PetscCall(VecGetArrayRead(r->here, &fact));
    for (int k = 0; k < first->blocks; k++) {
        double most = -1.0;
        of_block[k] = 0;
        for (PetscInt e = t->start[k]; e < t->start[k + 1]; e++) {
            const PetscScalar *f = fact + FACTS * t->at[e];
            if (PetscRealPart(f[HEAVY]) > most) {
                most = PetscRealPart(f[HEAVY]);
                of_block[k] = (PetscInt)PetscRealPart(f[OWNER]);
            }
        }
        for (int i = 0; i < first->dim[k]; i++)
            of_row[row++] = of_block[k];
    }
    PetscCall(VecRestoreArrayRead(r->here, &fact));
    PetscCall(ISCreateGeneral(comm, first->blocks, of_block, PETSC_OWN_POINTER, &r->block_owner));
    PetscCall(ISCreateGeneral(comm, r->rows, of_row, PETSC_OWN_POINTER, &r->row_owner));
    PetscCall(ISPartitioningToNumbering(r->block_owner, &r->block_number));
    PetscCall(ISPartitioningToNumbering(r->row_owner, &r->row_number));
    PetscCall(ISPartitioningCount(r->block_owner, r->share->size, r->new_blocks));
    return ISPartitioningCount(r->row_owner, r->share->size, r->new_rows);
}

/* Own entries of a matrix by new numbers; NULL arrays: counted alone. */
typedef struct entries {
    PetscCount n;
    PetscInt *i, *j;
    PetscScalar *x;
} entries;

/* A rectangular matrix with these sizes here from entries of all ranks. */
static PetscErrorCode assemble(const redivision *r, PetscInt rows, PetscInt cols, entries *e,
                               Mat *A)
{
    PetscCall(MatCreate(r->share->comm, A));
    PetscCall(MatSetSizes(*A, rows, cols, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetType(*A, MATAIJ));
    PetscCall(MatSetPreallocationCOO(*A, e->n, e->i, e->j));
    PetscCall(MatSetValuesCOO(*A, e->x, ADD_VALUES));
    return PetscFree3(e->i, e->j, e->x);
}

static PetscErrorCode count_entries(Mat A, entries *e)
{
    PetscInt from, to, n;
    e->n = 0;
    PetscCall(MatGetOwnershipRange(A, &from, &to));
    for (PetscInt row = from; row < to; row++) {
        PetscCall(MatGetRow(A, row, &n, NULL, NULL));
        e->n += n;
        PetscCall(MatRestoreRow(A, row, &n, NULL, NULL));
    }
    return PetscMalloc3((size_t)e->n + 1, &e->i, (size_t)e->n + 1, &e->j, (size_t)e->n + 1, &e->x);
}

static PetscErrorCode move_H(const redivision *r)
{
    entries e;
    const perp_layout *first = r->first;
    const PetscScalar *fact, *x;
    const PetscInt *number, *col;
    PetscInt from, n, body;
    int rank = r->share->rank, group = first->group;
    PetscCall(count_entries(first->H, &e));
    PetscCall(MatGetOwnershipRange(first->H, &from, NULL));
    PetscCall(VecGetArrayRead(r->here, &fact));
    PetscCall(ISGetIndices(r->row_number, &number));
    e.n = 0;
    for (PetscInt row = 0; row < r->rows; row++) {
        PetscCall(MatGetRow(first->H, from + row, &n, &col, &x));
        for (PetscInt k = 0; k < n; k++, e.n++) {
            PetscCall(PetscFindInt(col[k] / group, r->t.count, r->t.each, &body));
            e.i[e.n] = number[row];
            e.j[e.n] =
                (PetscInt)PetscRealPart(fact[FACTS * body + NUMBER]) * group + col[k] % group;
            e.x[e.n] = x[k];
        }
        PetscCall(MatRestoreRow(first->H, from + row, &n, &col, &x));
    }
    PetscCall(ISRestoreIndices(r->row_number, &number));
    PetscCall(VecRestoreArrayRead(r->here, &fact));
    PetscCall(MatDestroy(&r->first->H));
    return assemble(r, r->new_rows[rank], r->new_bodies[rank] * group, &e, &r->share->problem.H);
}

/* Rows and columns of a body have its number. */
static PetscErrorCode move_M(const redivision *r)
{
    entries e;
    const perp_layout *first = r->first;
    const PetscScalar *x;
    const PetscInt *number, *col;
    PetscInt from, n;
    int rank = r->share->rank, group = first->group;
    PetscCall(count_entries(first->M, &e));
    PetscCall(MatGetOwnershipRange(first->M, &from, NULL));
    PetscCall(ISGetIndices(r->number, &number));
    e.n = 0;
    for (PetscInt row = 0; row < r->bodies * group; row++) {
        PetscCall(MatGetRow(first->M, from + row, &n, &col, &x));
        for (PetscInt k = 0; k < n; k++, e.n++) {
            e.i[e.n] = number[row / group] * group + row % group;
            e.j[e.n] = number[row / group] * group + col[k] % group;
            e.x[e.n] = x[k];
        }
        PetscCall(MatRestoreRow(first->M, from + row, &n, &col, &x));
    }
    PetscCall(ISRestoreIndices(r->number, &number));
    PetscCall(MatDestroy(&r->first->M));
    PetscCall(assemble(r, r->new_bodies[rank] * group, r->new_bodies[rank] * group, &e,
                       &r->share->problem.M));
    return MatSetBlockSize(r->share->problem.M, group);
}

/* x, `each` entries for each number, in the new order. */
static PetscErrorCode move_vector(const redivision *r, Vec x, IS number, int each, PetscInt n,
                                  Vec *moved)
{
    const PetscInt *to;
    PetscInt here;
    IS blocks;
    VecScatter scatter;
    PetscCall(ISGetLocalSize(number, &here));
    PetscCall(ISGetIndices(number, &to));
    PetscCall(ISCreateBlock(r->share->comm, each, here, to, PETSC_COPY_VALUES, &blocks));
    PetscCall(ISRestoreIndices(number, &to));
    PetscCall(VecCreateMPI(r->share->comm, n * each, PETSC_DETERMINE, moved));
    PetscCall(VecScatterCreate(x, NULL, *moved, blocks, &scatter));
    PetscCall(VecScatterBegin(scatter, x, *moved, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(scatter, x, *moved, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterDestroy(&scatter));
    return ISDestroy(&blocks);
}

enum { SET, DIM, PAR, OF_BLOCK = PAR + PERP_PARAMETERS };

static PetscErrorCode move_blocks(const redivision *r, int **set, int **dim, double **par)
{
    perp_petsc_share *share = r->share;
    const perp_layout *first = r->first;
    PetscInt n = r->new_blocks[share->rank];
    const PetscScalar *from;
    PetscScalar *x;
    Vec all, moved;
    PetscCall(VecCreateMPI(share->comm, OF_BLOCK * first->blocks, PETSC_DETERMINE, &all));
    PetscCall(VecGetArray(all, &x));
    for (int k = 0; k < first->blocks; k++) {
        x[OF_BLOCK * k + SET] = first->set[k];
        x[OF_BLOCK * k + DIM] = first->dim[k];
        for (int p = 0; p < PERP_PARAMETERS; p++)
            x[OF_BLOCK * k + PAR + p] = first->par[PERP_PARAMETERS * k + p];
    }
    PetscCall(VecRestoreArray(all, &x));
    PetscCall(move_vector(r, all, r->block_number, OF_BLOCK, n, &moved));
    *set = PERP_TAKE(&share->arena, int, n);
    *dim = PERP_TAKE(&share->arena, int, n);
    *par = PERP_TAKE(&share->arena, double, PERP_PARAMETERS *(size_t)n);
    PetscCall(VecGetArrayRead(moved, &from));
    for (PetscInt k = 0; k < n && !share->arena.failed; k++) {
        (*set)[k] = (int)PetscRealPart(from[OF_BLOCK * k + SET]);
        (*dim)[k] = (int)PetscRealPart(from[OF_BLOCK * k + DIM]);
        for (int p = 0; p < PERP_PARAMETERS; p++)
            (*par)[PERP_PARAMETERS * k + p] = PetscRealPart(from[OF_BLOCK * k + PAR + p]);
    }
    PetscCall(VecRestoreArrayRead(moved, &from));
    PetscCall(VecDestroy(&all));
    return VecDestroy(&moved);
}

/* Edges of the graph, both ways, and those between two owners. */
static PetscErrorCode count_edges(const redivision *r, double x[2])
{
    PetscInt from, n, used = 0, *other, *row_of;
    const PetscInt *col, *owner;
    const PetscScalar *fact;
    Vec facts;
    entries e;
    x[0] = x[1] = 0.0;
    PetscCall(count_entries(r->graph, &e));
    other = e.i;
    row_of = e.j;
    PetscCall(MatGetOwnershipRange(r->graph, &from, NULL));
    for (PetscInt b = 0; b < r->bodies; b++) {
        PetscCall(MatGetRow(r->graph, from + b, &n, &col, NULL));
        for (PetscInt k = 0; k < n; k++)
            if (col[k] != from + b) {
                row_of[used] = b;
                other[used++] = col[k];
            }
        PetscCall(MatRestoreRow(r->graph, from + b, &n, &col, NULL));
    }
    PetscCall(fetch_facts(r, other, used, &facts));
    PetscCall(VecGetArrayRead(facts, &fact));
    PetscCall(ISGetIndices(r->owner, &owner));
    for (PetscInt k = 0; k < used; k++)
        x[1] += (PetscInt)PetscRealPart(fact[FACTS * k + OWNER]) != owner[row_of[k]];
    x[0] = (double)used;
    PetscCall(ISRestoreIndices(r->owner, &owner));
    PetscCall(VecRestoreArrayRead(facts, &fact));
    PetscCall(VecDestroy(&facts));
    return PetscFree3(e.i, e.j, e.x);
}

static PetscErrorCode describe(const redivision *r)
{
    perp_petsc_share *share = r->share;
    double own[2], all[2];
    PetscInt most = 0;
    PetscCall(count_edges(r, own));
    MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_SUM, share->comm);
    for (int k = 0; k < share->size; k++)
        most = PetscMax(most, r->new_rows[k]);
    share->cut = (perp_petsc_cut){r->method,
                                  (int)r->all_bodies,
                                  (int)(0.5 * all[0]),
                                  (int)(0.5 * all[1]),
                                  (int)most,
                                  (int)r->new_rows[share->rank],
                                  (int)r->new_bodies[share->rank]};
    return 0;
}

static PetscErrorCode prepare(redivision *r)
{
    PetscInt unknowns, size = r->share->size;
    PetscCall(MatGetLocalSize(r->first->H, &r->rows, &unknowns));
    r->bodies = unknowns / r->first->group;
    PetscCall(PetscMalloc3(size, &r->new_rows, size, &r->new_bodies, size, &r->new_blocks));
    PetscCall(VecCreateMPI(r->share->comm, FACTS * r->bodies, PETSC_DETERMINE, &r->facts));
    PetscCall(VecGetSize(r->facts, &r->all_bodies));
    r->all_bodies /= FACTS;
    return 0;
}

static PetscErrorCode redivide(redivision *r, int **set, int **dim, double **par)
{
    perp_petsc_share *share = r->share;
    PetscCall(prepare(r));
    PetscCall(list_touched(r));
    PetscCall(make_graph(r));
    PetscCall(choose_owners(r));
    PetscCall(write_facts(r));
    PetscCall(fetch_facts(r, r->t.each, r->t.count, &r->here));
    PetscCall(choose_rows(r));
    PetscCall(describe(r));
    PetscCall(MatDestroy(&r->graph));
    PetscCall(move_H(r));
    PetscCall(move_M(r));
    PetscInt n = r->new_rows[share->rank];
    PetscCall(move_vector(r, r->first->q, r->row_number, 1, n, &share->problem.q));
    return move_blocks(r, set, dim, par);
}

static PetscErrorCode move_order(const redivision *r)
{
    perp_petsc_share *share = r->share;
    int n = (int)r->new_rows[share->rank];
    const PetscScalar *order;
    double *all = NULL;
    Vec moved;
    PetscCall(move_vector(r, r->first->order, r->row_number, 1, n, &moved));
    for (int k = 0; k < share->size && share->rank == 0; k++) {
        share->rows_of[k] = (int)r->new_rows[k];
        share->rows_before[k + 1] = share->rows_before[k] + share->rows_of[k];
    }
    all = share->packed;
    PetscCall(VecGetArrayRead(moved, &order));
    MPI_Gatherv(order, n, MPI_DOUBLE, all, share->rows_of, share->rows_before, MPI_DOUBLE, 0,
                share->comm);
    PetscCall(VecRestoreArrayRead(moved, &order));
    for (int i = 0; i < share->all_rows && share->rank == 0; i++)
        share->row_order[i] = (int)all[i];
    return VecDestroy(&moved);
}

/* Memory of rank 0 for whole vectors. */
static perp_status take_order(perp_petsc_share *share)
{
    if (share->rank != 0)
        return PERP_SOLVED;
    share->rows_of = PERP_TAKE(&share->arena, int, share->size);
    share->rows_before = perp_arena_take_zero(&share->arena, (size_t)share->size + 1, sizeof(int));
    share->row_order = PERP_TAKE(&share->arena, int, share->all_rows);
    share->packed = PERP_TAKE(&share->arena, double, share->all_rows);
    return share->arena.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static void drop(redivision *r)
{
    IS *sets[] = {&r->owner,      &r->number,      &r->row_owner,
                  &r->row_number, &r->block_owner, &r->block_number};
    for (size_t k = 0; k < sizeof sets / sizeof sets[0]; k++)
        (void)ISDestroy(sets[k]);
    (void)MatDestroy(&r->graph);
    (void)VecDestroy(&r->facts);
    (void)VecDestroy(&r->here);
    (void)PetscFree(r->t.start);
    (void)PetscFree(r->t.body);
    (void)PetscFree(r->t.at);
    (void)PetscFree(r->t.each);
    (void)PetscFree3(r->new_rows, r->new_bodies, r->new_blocks);
}

perp_status perp_petsc_redivide(perp_petsc_share *share, perp_layout *first)
{
    redivision r = {.share = share, .first = first};
    perp_petsc_where where;
    int *set = NULL, *dim = NULL;
    double *par = NULL;
    perp_status status = perp_petsc_agree(share->comm, take_order(share), &where);
    if (status != PERP_SOLVED)
        return status;
    status = perp_petsc_status(redivide(&r, &set, &dim, &par));
    if (status == PERP_SOLVED)
        status = perp_petsc_status(move_order(&r));
    if (status == PERP_SOLVED && share->arena.failed)
        status = PERP_ERR_MEMORY;
    if (status == PERP_SOLVED)
        status = perp_petsc_share_segments(share, set, dim, par, (int)r.new_blocks[share->rank]);
    drop(&r);
    return perp_petsc_agree(share->comm, status, &where);
}
