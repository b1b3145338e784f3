/* SPDX-License-Identifier: BSD-3-Clause */
/* A problem of which each rank has a part, by ranges of a file or of a generator, made into PETSc
 * objects and then divided once more. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/float_environment.h"
#include "distributed/share_inside.h"

typedef struct building {
    perp_petsc_share *share;
    const perp_problem_part *part;
    perp_layout layout;
    int *ranges; /* of each rank: first contact, first bilateral row, first row */
    int rows;
} building;

enum { CONTACT, BILATERAL, ROW, RANGES };

/* Ranks agree on the whole and their ranges follow each other. */
static perp_status check_ranges(const building *b, const int *all, perp_petsc_where *where)
{
    enum { SIZES = 5, OWN = 11 };
    const perp_problem_part *part = b->part;
    int next[3] = {0, 0, 0}, rank = 0;
    const int total[3] = {part->contacts, part->dofs, part->bilateral};
    for (; rank < b->share->size; rank++) {
        const int *one = all + OWN * rank;
        if (memcmp(one, all, SIZES * sizeof *one) != 0)
            break;
        for (int k = 0; k < 3; k++) {
            if (one[SIZES + k] != next[k] || one[SIZES + 3 + k] < 0)
                return perp_petsc_at(where, PERP_ERR_STRUCTURE, "ranges", rank);
            next[k] += one[SIZES + 3 + k];
        }
    }
    if (rank == b->share->size && memcmp(next, total, sizeof next) == 0)
        return PERP_SOLVED;
    snprintf(where->text, sizeof where->text, "the parts are not those of one problem");
    return perp_petsc_at(where, PERP_ERR_STRUCTURE, "part", -1);
}

static perp_status find_ranges(building *b, perp_petsc_where *where)
{
    enum { SIZES = 5, OWN = 11 };
    const perp_problem_part *p = b->part;
    perp_petsc_share *share = b->share;
    int size = share->size;
    int *all = PERP_TAKE(&share->arena, int, OWN *(size_t)size);
    b->ranges = PERP_TAKE(&share->arena, int, RANGES *((size_t)size + 1));
    perp_status status =
        perp_petsc_agree(share->comm, all && b->ranges ? PERP_SOLVED : PERP_ERR_MEMORY, where);
    if (status != PERP_SOLVED)
        return status;
    const int own[OWN] = {p->spacedim,     p->contacts,      p->dofs,         p->bilateral,
                          p->rolling != 0, p->first_contact, p->first_dof,    p->first_bilateral,
                          p->own_contacts, p->own_dofs,      p->own_bilateral};
    MPI_Allgather(own, OWN, MPI_INT, all, OWN, MPI_INT, share->comm);
    int row = 0;
    for (int rank = 0; rank < size; rank++) {
        int *range = b->ranges + RANGES * rank;
        range[CONTACT] = all[OWN * rank + SIZES];
        range[BILATERAL] = all[OWN * rank + SIZES + 2];
        range[ROW] = row;
        row += own[0] * all[OWN * rank + SIZES + 3] + all[OWN * rank + SIZES + 5];
    }
    share->all_rows = row;
    b->rows = own[0] * p->own_contacts + p->own_bilateral;
    return perp_petsc_agree(share->comm, check_ranges(b, all, where), where);
}

static perp_status check_arrays(const perp_problem_part *p, perp_petsc_where *where)
{
    const perp_part_entries *all[] = {&p->M, &p->H, &p->G};
    int least = p->rolling ? 3 : 2, most = p->rolling ? 6 : 3;
    if (p->spacedim < least || p->spacedim > most || p->contacts < 0 || p->dofs < 0 ||
        p->bilateral < 0 || p->contacts > (INT_MAX - p->bilateral) / p->spacedim)
        return perp_petsc_at(where, PERP_ERR_ARGUMENT, "part", -1);
    for (int k = 0; k < 3; k++)
        if (all[k]->count < 0 ||
            (all[k]->count > 0 && (!all[k]->row || !all[k]->col || !all[k]->x)))
            return perp_petsc_at(where, PERP_ERR_ARGUMENT, k == 0 ? "M" : k == 1 ? "H" : "G", -1);
    if ((p->own_dofs > 0 && !p->f) || (p->own_contacts > 0 && (!p->w || !p->mu)) ||
        (p->own_contacts > 0 && p->rolling && (!p->mu_r || (p->spacedim == 6 && !p->mu_s))) ||
        (p->own_bilateral > 0 && !p->b))
        return perp_petsc_at(where, PERP_ERR_ARGUMENT, "vectors", -1);
    return PERP_SOLVED;
}

/* The rank whose range has the number. */
static const int *range_of(const building *b, int which, int number)
{
    int low = 0, high = b->share->size - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (b->ranges[RANGES * middle + which] <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return b->ranges + RANGES * low;
}

/* In the first layout: the contacts of a rank, then its bilateral rows. */
static PetscInt row_of_contact(const building *b, int column)
{
    int s = b->part->spacedim;
    const int *range = range_of(b, CONTACT, column / s);
    return range[ROW] + column - s * range[CONTACT];
}

static PetscInt row_of_bilateral(const building *b, int column)
{
    int s = b->part->spacedim;
    const int *range = range_of(b, BILATERAL, column), *next = range + RANGES;
    int last = range == b->ranges + RANGES * (b->share->size - 1);
    int contacts = (last ? b->part->contacts : next[CONTACT]) - range[CONTACT];
    return range[ROW] + s * contacts + column - range[BILATERAL];
}

/* Unknowns of every body, as far as the parts tell: ranges hold whole ones, and M couples no two.
 * 0: it does. */
static int group_of(const building *b)
{
    const perp_problem_part *p = b->part;
    int body = p->spacedim == (p->rolling ? 3 : 2) ? 3 : 6, group[2], both[2];
    group[0] = p->first_dof % body == 0 && p->own_dofs % body == 0;
    group[1] = 1;
    for (int k = 0; k < p->M.count; k++) {
        group[0] &= p->M.row[k] / body == p->M.col[k] / body || p->M.x[k] == 0.0;
        group[1] &= p->M.row[k] == p->M.col[k] || p->M.x[k] == 0.0;
    }
    MPI_Allreduce(group, both, 2, MPI_INT, MPI_MIN, b->share->comm);
    return both[0] ? body : both[1] ? 1 : 0;
}

/* 1: there are entries on one side of the diagonal alone; the file has one triangle. */
static int is_one_triangle(const building *b)
{
    const perp_part_entries *M = &b->part->M;
    int side[2] = {0, 0}, any[2];
    for (int k = 0; k < M->count; k++)
        if (M->x[k] != 0.0 && M->row[k] != M->col[k])
            side[M->row[k] < M->col[k]] = 1;
    MPI_Allreduce(side, any, 2, MPI_INT, MPI_MAX, b->share->comm);
    return any[0] != any[1];
}

static PetscErrorCode assemble(const building *b, PetscInt rows, PetscInt cols, PetscCount n,
                               PetscInt *i, PetscInt *j, const PetscScalar *x, Mat *A)
{
    PetscCall(MatCreate(b->share->comm, A));
    PetscCall(MatSetSizes(*A, rows, cols, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetType(*A, MATAIJ));
    PetscCall(MatSetPreallocationCOO(*A, n, i, j));
    return MatSetValuesCOO(*A, x, ADD_VALUES);
}

static PetscErrorCode make_M(building *b)
{
    const perp_part_entries *M = &b->part->M;
    PetscInt *i, *j, dofs = b->part->own_dofs;
    PetscScalar *x;
    PetscCount n = 0;
    int mirror = is_one_triangle(b);
    size_t most = 2 * (size_t)M->count + (size_t)dofs + 1;
    PetscCall(PetscMalloc3(most, &i, most, &j, most, &x));
    for (int k = 0; k < M->count; k++)
        for (int side = 0; side <= (mirror && M->row[k] != M->col[k]); side++, n++) {
            i[n] = side ? M->col[k] : M->row[k];
            j[n] = side ? M->row[k] : M->col[k];
            x[n] = M->x[k];
        }
    for (PetscInt k = 0; k < dofs; k++, n++) { /* what has no mass is found later */
        i[n] = j[n] = b->part->first_dof + k;
        x[n] = 0.0;
    }
    PetscCall(assemble(b, dofs, dofs, n, i, j, x, &b->layout.M));
    PetscCall(MatSetBlockSize(b->layout.M, b->layout.group));
    return PetscFree3(i, j, x);
}

static PetscErrorCode make_H(building *b)
{
    const perp_part_entries *H = &b->part->H, *G = &b->part->G;
    PetscInt *i, *j;
    PetscScalar *x;
    PetscCount n = 0;
    size_t most = (size_t)H->count + (size_t)G->count + 1;
    PetscCall(PetscMalloc3(most, &i, most, &j, most, &x));
    for (int k = 0; k < H->count; k++, n++) {
        i[n] = row_of_contact(b, H->col[k]);
        j[n] = H->row[k];
        x[n] = H->x[k];
    }
    for (int k = 0; k < G->count; k++, n++) {
        i[n] = row_of_bilateral(b, G->col[k]);
        j[n] = G->row[k];
        x[n] = G->x[k];
    }
    PetscCall(assemble(b, b->rows, b->part->own_dofs, n, i, j, x, &b->layout.H));
    return PetscFree3(i, j, x);
}

/* velocity = M^-1 f.  MatInvertBlockDiagonal() gives inverses by columns. */
static PetscErrorCode free_velocity(const building *b, Vec *velocity)
{
    const PetscScalar *inverse;
    PetscScalar *v;
    int group = b->layout.group;
    PetscCall(MatCreateVecs(b->layout.M, velocity, NULL));
    PetscCall(MatInvertBlockDiagonal(b->layout.M, &inverse));
    PetscCall(VecGetArray(*velocity, &v));
    for (int k = 0; k < b->part->own_dofs; k++) {
        const PetscScalar *block = inverse + (size_t)(k / group) * (size_t)(group * group);
        const double *f = b->part->f + k - k % group;
        v[k] = 0.0;
        for (int j = 0; j < group; j++)
            v[k] += block[k % group + j * group] * f[j];
    }
    return VecRestoreArray(*velocity, &v);
}

/* q = H' M^-1 f + w, and of each row its number in the whole. */
static PetscErrorCode make_vectors(building *b)
{
    const perp_problem_part *p = b->part;
    int s = p->spacedim, contact_rows = s * p->own_contacts;
    PetscScalar *q, *order;
    Vec velocity;
    PetscCall(free_velocity(b, &velocity));
    PetscCall(MatCreateVecs(b->layout.H, NULL, &b->layout.q));
    PetscCall(VecDuplicate(b->layout.q, &b->layout.order));
    PetscCall(MatMult(b->layout.H, velocity, b->layout.q));
    PetscCall(VecDestroy(&velocity));
    PetscCall(VecGetArray(b->layout.q, &q));
    PetscCall(VecGetArray(b->layout.order, &order));
    for (int i = 0; i < b->rows; i++) {
        int k = i - contact_rows;
        q[i] += k < 0 ? p->w[i] : p->b[k];
        order[i] = k < 0 ? (double)s * p->first_contact + i
                         : (double)s * p->contacts + p->first_bilateral + k;
    }
    PetscCall(VecRestoreArray(b->layout.order, &order));
    return VecRestoreArray(b->layout.q, &q);
}

static perp_status make_blocks(building *b)
{
    const perp_problem_part *p = b->part;
    perp_layout *to = &b->layout;
    perp_arena *arena = &b->share->arena;
    to->blocks = p->own_contacts + p->own_bilateral;
    to->set = PERP_TAKE(arena, int, to->blocks);
    to->dim = PERP_TAKE(arena, int, to->blocks);
    to->par =
        perp_arena_take_zero(arena, PERP_PARAMETERS * (size_t)to->blocks + 1, sizeof *to->par);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int k = 0; k < to->blocks; k++) {
        int contact = k < p->own_contacts;
        double *par = to->par + PERP_PARAMETERS * k;
        to->set[k] = !contact ? PERP_FREE : p->rolling ? PERP_ROLLING : PERP_COULOMB;
        to->dim[k] = contact ? p->spacedim : 1;
        par[0] = contact ? p->mu[k] : 0.0;
        par[1] = contact && p->rolling ? p->mu_r[k] : 0.0;
        par[2] = contact && p->rolling && p->mu_s ? p->mu_s[k] : 0.0;
    }
    return PERP_SOLVED;
}

static PetscErrorCode make_layout(building *b)
{
    PetscCall(make_M(b));
    PetscCall(make_H(b));
    return make_vectors(b);
}

static perp_status build(building *b, perp_petsc_where *where)
{
    MPI_Comm comm = b->share->comm;
    perp_status status = perp_petsc_agree(comm, check_arrays(b->part, where), where);
    if (status == PERP_SOLVED)
        status = find_ranges(b, where);
    if (status == PERP_SOLVED)
        status = perp_petsc_agree(comm, make_blocks(b), where);
    if (status != PERP_SOLVED)
        return status;
    b->layout.group = group_of(b);
    if (b->layout.group == 0) {
        snprintf(where->text, sizeof where->text,
                 "its blocks are not those of bodies with 6 unknowns (3 in the plane)");
        return perp_petsc_at(where, PERP_ERR_UNSUPPORTED, "M", -1);
    }
    PetscErrorCode code = make_layout(b);
    if (code)
        perp_petsc_at(where, PERP_ERR_SINGULAR, "M", -1);
    status = perp_petsc_agree(comm,
                              code == PETSC_ERR_MEM ? PERP_ERR_MEMORY
                              : code                ? PERP_ERR_SINGULAR
                                                    : PERP_SOLVED,
                              where);
    return status == PERP_SOLVED ? perp_petsc_redivide(b->share, &b->layout) : status;
}

static perp_status create(perp_petsc_share **made, MPI_Comm comm, const perp_problem_part *part,
                          const perp_allocator *memory, perp_petsc_where *where)
{
    building b = {.part = part};
    perp_status status = PERP_SOLVED;
    if (!part)
        status = perp_petsc_at(where, PERP_ERR_ARGUMENT, "part", -1);
    status = perp_petsc_agree(comm, status, where);
    if (status == PERP_SOLVED)
        status = perp_petsc_share_begin(&b.share, comm, memory, where);
    if (status != PERP_SOLVED)
        return status;
    status = build(&b, where);
    (void)MatDestroy(&b.layout.H);
    (void)MatDestroy(&b.layout.M);
    (void)VecDestroy(&b.layout.q);
    (void)VecDestroy(&b.layout.order);
    if (status == PERP_SOLVED)
        *made = b.share;
    else
        perp_petsc_share_destroy(b.share);
    return status;
}

perp_status perp_petsc_share_parts(perp_petsc_share **made, MPI_Comm comm,
                                   const perp_problem_part *part, const perp_allocator *memory,
                                   perp_petsc_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_petsc_where at;
    perp_status status = perp_petsc_share_enter(made, &at);
    if (status != PERP_SOLVED)
        return status;
    return perp_petsc_share_leave(create(made, comm, part, memory, &at), &at, where);
}
