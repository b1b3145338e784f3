/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/step/one_step_tied.h"

#include <limits.h>
#include <string.h>

static int width(const perp_link *link)
{
    return link->rows + link->inner;
}

static int length(const perp_one_step *one)
{
    return perp_saddle_dofs(one->saddle) + perp_saddle_rows(one->saddle);
}

int perp_one_step_reserve_tied(perp_one_step *one)
{
    int most = 1;
    for (int a = 0; a < one->nactive; a++)
        most = width(one->active[a]) > most ? width(one->active[a]) : most;
    if (length(one) > INT_MAX / most)
        return 0;
    if (!perp_pool_grow(one->pool, (void **)&one->tied_x, &one->capacity_tied_x, most * length(one),
                        sizeof *one->tied_x) ||
        !perp_pool_grow(one->pool, (void **)&one->island_mark, &one->capacity_island_mark,
                        one->saddle->islands, sizeof *one->island_mark))
        return 0;
    for (int k = 0; k < one->saddle->islands; k++)
        one->island_mark[k] = -1;
    return 1;
}

static void zero_columns(const perp_one_step *one, const perp_link *link)
{
    for (int k = 0; k < link->nsystems; k++)
        for (int c = 0; link->systems[k]->coupled >= 0 && c < width(link); c++)
            perp_saddle_zero_island(one->saddle, link->systems[k]->island,
                                    one->tied_x + (size_t)c * (size_t)length(one));
}

/* Columns of right of a link at its systems in the saddle system. */
static void put_right(double *x, int n, const perp_link *link)
{
    int at = 0;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        for (int i = 0; s->coupled >= 0 && i < s->nv; i++) {
            double *to = x + s->coupled + i;
            for (int j = 0; j < link->rows; j++)
                to[(size_t)j * (size_t)n] += link->symmetric ? link->left[j + (at + i) * link->rows]
                                                             : link->right[at + i + j * link->nv];
            if (link->inner)
                to[(size_t)(link->rows + at + i) * (size_t)n] += *link->inner_right;
        }
        at += s->nv;
    }
}

/* The factors of its islands are good enough as they are; one solve says so where none did. */
static int is_exact(perp_one_step *one, const perp_link *link)
{
    for (int k = 0; k < link->nsystems; k++) {
        int island = link->systems[k]->island;
        if (link->systems[k]->coupled < 0)
            continue;
        if (one->saddle->loss[island] < 0.0) {
            zero_columns(one, link);
            put_right(one->tied_x, length(one), link);
            perp_saddle_solve_island(one->saddle, island, one->tied_x);
        }
        if (!perp_saddle_is_exact(one->saddle, island))
            return 0;
    }
    return 1;
}

enum { BODY = 6 };

/* Numbers the bodies that active links touch; how many, or -1 where one is no body, or links have
 * fewer rows together, or memory is out. */
static int number_bodies(perp_one_step *one)
{
    int count = 0, columns = 0;
    if (!perp_pool_grow(one->pool, (void **)&one->body_group, &one->capacity_body_group,
                        perp_saddle_dofs(one->saddle), sizeof *one->body_group))
        return -1;
    for (int a = 0; a < one->nactive; a++)
        for (int k = 0; k < one->active[a]->nsystems; k++)
            if (one->active[a]->systems[k]->coupled >= 0)
                one->body_group[one->active[a]->systems[k]->coupled] = -1;
    for (int a = 0; a < one->nactive; a++) {
        const perp_link *link = one->active[a];
        for (int k = 0; k < link->nsystems; k++) {
            const perp_system *s = link->systems[k];
            if (s->coupled < 0)
                continue;
            if (s->nv != BODY)
                return -1;
            if (one->body_group[s->coupled] < 0)
                one->body_group[s->coupled] = count++;
        }
        columns += link->rows;
    }
    return BODY * count < columns ? count : -1;
}

/* Half solves for all twists of each body; 0 when memory is out. */
static int halve_bodies(perp_one_step *one, int count)
{
    double unit[BODY * BODY] = {0.0};
    for (int i = 0; i < BODY; i++)
        unit[i * (BODY + 1)] = 1.0;
    if (!perp_pool_grow(one->pool, (void **)&one->mobility, &one->capacity_mobility,
                        BODY * BODY * count, sizeof *one->mobility) ||
        !perp_pool_grow(one->pool, (void **)&one->mobility_of, &one->capacity_mobility_of, count,
                        sizeof *one->mobility_of))
        return 0;
    for (int a = 0; a < one->nactive; a++)
        for (int k = 0; k < one->active[a]->nsystems; k++) {
            perp_system *s = one->active[a]->systems[k];
            if (s->coupled < 0 || one->body_group[s->coupled] != one->half.groups)
                continue;
            one->mobility_of[one->half.groups] = -1;
            if (!perp_saddle_half_add(&one->half, one->saddle, &s, 1, unit, BODY, 0, BODY))
                return 0;
        }
    return 1;
}

int perp_one_step_halve_tied(perp_one_step *one)
{
    one->halved = 1;
    for (int a = 0; one->halved && a < one->nactive; a++) {
        const perp_link *link = one->active[a];
        one->halved = link->symmetric && !link->inner && is_exact(one, link);
    }
    perp_saddle_half_begin(&one->half, one->pool);
    int bodies = one->halved ? number_bodies(one) : -1;
    one->by_bodies = bodies > 0;
    if (one->by_bodies)
        return halve_bodies(one, bodies);
    for (int a = 0; one->halved && a < one->nactive; a++) {
        const perp_link *link = one->active[a];
        if (!perp_saddle_half_add(&one->half, one->saddle, link->systems, link->nsystems,
                                  link->left, link->rows, 0, link->rows))
            return 0;
    }
    return 1;
}

/* What an impulse on one body moves another one by. */
static const double *mobility(const perp_one_step *one, int here, int there)
{
    double *block = one->mobility + (size_t)(BODY * BODY) * (size_t)here;
    if (one->mobility_of[here] != there) {
        memset(block, 0, sizeof *block * (BODY * BODY));
        perp_saddle_half_product(block, BODY, &one->half, one->saddle, here, there);
        one->mobility_of[here] = there;
    }
    return block;
}

/* block += left (rows x 6) M right' of two bodies. */
static inline __attribute__((always_inline)) void
add_body_block(double *restrict block, int ld, const double *restrict left,
               const double *restrict M, const double *restrict right, int rows, int columns)
{
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < BODY; i++) {
            double moved = 0.0;
            for (int k = 0; k < BODY; k++)
                moved += M[i + k * BODY] * right[c + k * columns];
            for (int r = 0; r < rows; r++)
                block[r + c * ld] += left[r + i * rows] * moved;
        }
}

static void add_bodies(const perp_one_step *one, double *block, int ld, const perp_link *a,
                       const perp_link *b)
{
    const double *left = a->left;
    for (int k = 0; k < a->nsystems; k++) {
        const perp_system *s = a->systems[k];
        const double *right = b->left;
        for (int m = 0; m < b->nsystems; m++) {
            const perp_system *t = b->systems[m];
            if (s->coupled >= 0 && t->coupled >= 0 && s->island == t->island) {
                const double *M =
                    mobility(one, one->body_group[s->coupled], one->body_group[t->coupled]);
                if (a->rows == 3 && b->rows == 3)
                    add_body_block(block, ld, left, M, right, 3, 3);
                else
                    add_body_block(block, ld, left, M, right, a->rows, b->rows);
            }
            right += b->rows * t->nv;
        }
        left += a->rows * s->nv;
    }
}

void perp_one_step_solve_tied(perp_one_step *one, int b)
{
    const perp_link *link = one->active[b];
    int columns = width(link), n = length(one);
    if (one->halved)
        return;
    zero_columns(one, link);
    put_right(one->tied_x, n, link);
    for (int k = 0; k < link->nsystems; k++) {
        int island = link->systems[k]->island;
        if (link->systems[k]->coupled < 0 || one->island_mark[island] == b)
            continue;
        one->island_mark[island] = b;
        for (int c = 0; c < columns; c++)
            perp_saddle_solve_island(one->saddle, island, one->tied_x + (size_t)c * (size_t)n);
    }
}

void perp_one_step_add_tied(const perp_one_step *one, double *block, int ld, int a, int b)
{
    const perp_link *link = one->active[a];
    int columns = width(one->active[b]), n = length(one), at = 0;
    if (one->halved && one->by_bodies) {
        add_bodies(one, block, ld, link, one->active[b]);
        return;
    }
    if (one->halved) {
        perp_saddle_half_product(block, ld, &one->half, one->saddle, a, b);
        return;
    }
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        int here = s->coupled >= 0 && one->island_mark[s->island] == b;
        for (int c = 0; here && c < columns; c++) {
            const double *x = one->tied_x + (size_t)c * (size_t)n + s->coupled;
            for (int v = 0; v < s->nv; v++) {
                const double *left = link->left + (at + v) * link->rows;
                for (int r = 0; r < link->rows; r++)
                    block[r + c * ld] += left[r] * x[v];
                for (int r = 0; r < link->inner; r++)
                    block[link->rows + r + c * ld] +=
                        link->inner_left[r + (at + v) * link->inner] * x[v];
            }
        }
        at += s->nv;
    }
}

int perp_one_step_bias_tied(perp_one_step *one, perp_system *const *systems, int nsystems)
{
    int biased = 0;
    for (int k = 0; k < nsystems; k++)
        biased |= systems[k]->biased && systems[k]->coupled >= 0;
    if (!biased)
        return 1;
    if (!perp_one_step_reserve_tied(one))
        return 0;
    /* Mark 0: an active link touches the island. */
    for (int k = 0; k < one->ntouched; k++)
        if (one->touched[k]->coupled >= 0)
            one->island_mark[one->touched[k]->island] = 0;
    memset(one->tied_x, 0, sizeof *one->tied_x * (size_t)length(one));
    for (int k = 0; k < nsystems; k++)
        if (systems[k]->biased && systems[k]->coupled >= 0)
            memcpy(one->tied_x + systems[k]->coupled, systems[k]->bias,
                   sizeof(double) * (size_t)systems[k]->nv);
    for (int island = 0; island < one->saddle->islands; island++)
        if (one->island_mark[island] == 0)
            perp_saddle_solve_island(one->saddle, island, one->tied_x);
    for (int k = 0; k < nsystems; k++) {
        perp_system *s = systems[k];
        if (s->coupled >= 0 && one->island_mark[s->island] == 0)
            for (int i = 0; i < s->nv; i++)
                s->free[i] += one->tied_x[s->coupled + i];
    }
    return 1;
}
