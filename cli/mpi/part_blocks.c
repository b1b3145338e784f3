/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi/part_blocks.h"

#include <stdlib.h>
#include <string.h>

static void *taken(size_t count, size_t size)
{
    return calloc(count > 0 ? count : 1, size);
}

perp_part_block *perp_part_blocks(const perp_problem *problem, int *count)
{
    const int *colptr = problem->M.as.delassus.colptr, *dof = problem->M.as.delassus.row;
    perp_part_block *blocks;
    int all = 0, at = 0, row = 0;

    for (int s = 0; s < problem->nseg && problem->M.rows > 0; s++)
        all += problem->seg[s].count;
    *count = all;
    blocks = taken((size_t)all, sizeof *blocks);
    for (int s = 0; at < all && blocks != NULL; s++) {
        const perp_segment *seg = &problem->seg[s];
        for (int k = 0; k < seg->count; k++, at++) {
            perp_part_block *b = &blocks[at];
            *b = (perp_part_block){.set = seg->set, .dim = seg->dim, .row = row, .body = {-1, -1}};
            for (int p = 0; p < perp_set_parameters(seg->set, seg->dim); p++)
                b->par[p] = seg->par[p][k * seg->stride[p]];
            for (int e = colptr[row]; e < colptr[row + 1]; e++) {
                int body = dof[e] / PERP_PART_DOFS;
                if (b->body[0] < 0)
                    b->body[0] = body;
                else if (body != b->body[0])
                    b->body[1] = body;
            }
            row += seg->dim;
        }
    }
    return blocks;
}

static int root_of(int *parent, int k)
{
    while (parent[k] != k)
        k = parent[k] = parent[parent[k]];
    return k;
}

int perp_part_mark_apart(perp_part_block *blocks, int count, const perp_part_layout *layout)
{
    int *parent = taken(2 * (size_t)layout->present, sizeof *parent), *crosses;

    if (parent == NULL)
        return 0;
    crosses = parent + layout->present;
    for (int k = 0; k < layout->present; k++)
        parent[k] = k;
    for (int k = 0; k < count; k++)
        if (blocks[k].body[1] >= 0) {
            int a = root_of(parent, blocks[k].body[0]), b = root_of(parent, blocks[k].body[1]);
            parent[a > b ? a : b] = a > b ? b : a;
        }
    for (int k = 0; k < layout->present; k++)
        crosses[root_of(parent, k)] |= layout->presence[layout->here[k]] != PERP_PRESENCE_OWN;
    for (int k = 0; k < count; k++)
        blocks[k].apart = blocks[k].body[0] >= 0 && !crosses[root_of(parent, blocks[k].body[0])];
    free(parent);
    return 1;
}

static int take_memory(perp_part_subset *s, int blocks)
{
    s->origin = taken((size_t)s->rows, sizeof(int));
    s->colptr = taken((size_t)s->rows + 1, sizeof(int));
    s->row = taken((size_t)s->entries, sizeof(int));
    s->x = taken((size_t)s->entries, sizeof(double));
    s->q = taken(4 * (size_t)s->rows, sizeof(double));
    s->par[0] = taken(PERP_PARAMETERS * (size_t)blocks, sizeof(double));
    s->seg = taken((size_t)blocks, sizeof *s->seg);
    if (s->origin == NULL || s->colptr == NULL || s->row == NULL || s->x == NULL || s->q == NULL ||
        s->par[0] == NULL || s->seg == NULL)
        return 0;
    s->z = s->q + s->rows;
    s->w = s->z + s->rows;
    s->give = s->w + s->rows;
    for (int p = 1; p < PERP_PARAMETERS; p++)
        s->par[p] = s->par[p - 1] + blocks;
    return 1;
}

static void copy_rows(perp_part_subset *s, const perp_problem *problem, const perp_part_block *b,
                      int *at, const double *z)
{
    const perp_mat *M = &problem->M;
    const int *colptr = M->as.delassus.colptr;

    for (int i = b->row; i < b->row + b->dim; i++, ++*at) {
        int first = colptr[i], n = colptr[i + 1] - first, to = s->colptr[*at];
        s->origin[*at] = i;
        s->q[*at] = problem->q[i];
        s->z[*at] = z[i];
        s->give[*at] = M->as.delassus.diagonal != NULL ? M->as.delassus.diagonal[i] : 0.0;
        memcpy(s->row + to, M->as.delassus.row + first, (size_t)n * sizeof(int));
        memcpy(s->x + to, M->as.delassus.x + first, (size_t)n * sizeof(double));
        s->colptr[*at + 1] = to + n;
    }
}

int perp_part_subset_take(perp_part_subset *subset, const perp_problem *problem,
                          const perp_part_block *blocks, int count, int apart, const double *z)
{
    perp_part_subset *s = subset;
    perp_segment *last = NULL;
    int chosen = 0, at = 0, k = 0;

    memset(s, 0, sizeof *s);
    for (int b = 0; b < count; b++) {
        const int *colptr = problem->M.as.delassus.colptr + blocks[b].row;
        if (apart >= 0 && blocks[b].apart != apart)
            continue;
        chosen++;
        s->rows += blocks[b].dim;
        s->entries += colptr[blocks[b].dim] - colptr[0];
    }
    if (!take_memory(s, chosen))
        return 0;
    for (int b = 0; b < count; b++) {
        if (apart >= 0 && blocks[b].apart != apart)
            continue;
        for (int p = 0; p < PERP_PARAMETERS; p++)
            s->par[p][k] = blocks[b].par[p];
        if (last != NULL && last->set == blocks[b].set && last->dim == blocks[b].dim) {
            last->count++;
        } else {
            last = &s->seg[s->nseg++];
            *last = (perp_segment){.set = blocks[b].set, .dim = blocks[b].dim, .count = 1};
            for (int p = 0; p < PERP_PARAMETERS; p++) {
                last->par[p] = s->par[p] + k;
                last->stride[p] = 1;
            }
        }
        copy_rows(s, problem, &blocks[b], &at, z);
        k++;
    }
    s->problem.q = s->q;
    s->problem.seg = s->seg;
    s->problem.nseg = s->nseg;
    return 1;
}

void perp_part_subset_give(perp_part_subset *subset)
{
    free(subset->origin);
    free(subset->colptr);
    free(subset->row);
    free(subset->x);
    free(subset->q);
    free(subset->par[0]);
    free(subset->seg);
    memset(subset, 0, sizeof *subset);
}

static perp_status solve(perp_part_subset *s, const perp_problem *from,
                         const perp_settings *settings)
{
    perp_problem *p = &s->problem;
    perp_solver *solver = NULL;
    perp_info info = {.size = sizeof info};
    const perp_solver_type *type;
    perp_status status = perp_mat_init_delassus(&p->M, from->M.as.delassus.dofs, s->rows, s->colptr,
                                                s->row, s->x, from->M.as.delassus.mass);

    if (status == PERP_SOLVED && from->M.as.delassus.diagonal != NULL)
        status = perp_mat_set_compliance(&p->M, s->give);
    type = perp_solver_choose(p);
    if (status == PERP_SOLVED && type == NULL)
        return PERP_ERR_UNSUPPORTED;
    if (status == PERP_SOLVED)
        status = perp_solver_create(&solver, type, settings, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_solver_setup(solver, p);
    if (status == PERP_SOLVED)
        status = perp_solver_solve(solver, s->z, s->w, &info);
    perp_solver_destroy(solver);
    return status;
}

perp_status perp_part_solve_apart(const perp_problem *problem, const perp_part_block *blocks,
                                  int count, const perp_settings *settings, double *z)
{
    perp_part_subset s;
    perp_status status = PERP_ERR_MEMORY;

    if (perp_part_subset_take(&s, problem, blocks, count, 1, z))
        status = s.rows > 0 ? solve(&s, problem, settings) : PERP_SOLVED;
    for (int i = 0; status >= 0 && i < s.rows; i++)
        z[s.origin[i]] = s.z[i];
    perp_part_subset_give(&s);
    return status;
}
