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

static int *group_of(const perp_one_step *one, const perp_system *s)
{
    return &one->body_group[s->coupled];
}

/* Do more rows touch each of its bodies than it has velocities?  Counts are in place of groups. */
static int is_crowded(const perp_one_step *one, const perp_link *link)
{
    for (int k = 0; k < link->nsystems; k++)
        if (link->systems[k]->coupled >= 0 &&
            (link->systems[k]->nv != BODY || *group_of(one, link->systems[k]) <= BODY))
            return 0;
    return 1;
}

/* Which links are made from their bodies, and how many rows of those touch each. */
static void count_rows(perp_one_step *one)
{
    for (int a = 0; a < one->nactive; a++)
        for (int k = 0; k < one->active[a]->nsystems; k++)
            if (one->active[a]->systems[k]->coupled >= 0)
                *group_of(one, one->active[a]->systems[k]) = 0;
    for (int a = 0; a < one->nactive; a++) {
        const perp_link *link = one->active[a];
        for (int k = 0; one->link_group[a] < 0 && k < link->nsystems; k++)
            if (link->systems[k]->coupled >= 0)
                *group_of(one, link->systems[k]) += link->rows;
    }
}

static int choose_bodies(perp_one_step *one)
{
    int narrow = 1;
    if (!perp_pool_grow(one->pool, (void **)&one->body_group, &one->capacity_body_group,
                        perp_saddle_dofs(one->saddle), sizeof *one->body_group) ||
        !perp_pool_grow(one->pool, (void **)&one->link_group, &one->capacity_link_group,
                        one->nactive, sizeof *one->link_group))
        return 0;
    for (int a = 0; a < one->nactive; a++)
        narrow &= one->active[a]->rows <= BODY;
    for (int a = 0; a < one->nactive; a++)
        one->link_group[a] = narrow ? -1 : 0;
    for (int again = 1; again;) {
        again = 0;
        count_rows(one);
        for (int a = 0; a < one->nactive; a++)
            if (one->link_group[a] < 0 && !is_crowded(one, one->active[a])) {
                one->link_group[a] = 0;
                again = 1;
            }
    }
    return 1;
}

/* Half solves for all twists of the bodies of a link; 0 when memory is out. */
static int halve_bodies(perp_one_step *one, const perp_link *link)
{
    double unit[BODY * BODY] = {0.0};
    for (int i = 0; i < BODY; i++)
        unit[i * (BODY + 1)] = 1.0;
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        if (s->coupled < 0 || *group_of(one, s) >= 0)
            continue;
        *group_of(one, s) = one->half.groups;
        if (!perp_saddle_half_add(&one->half, one->saddle, &s, 1, unit, BODY, 0, BODY))
            return 0;
    }
    return 1;
}

static int halve_links(perp_one_step *one)
{
    for (int a = 0; a < one->nactive; a++)
        for (int k = 0; k < one->active[a]->nsystems; k++)
            if (one->active[a]->systems[k]->coupled >= 0)
                *group_of(one, one->active[a]->systems[k]) = -1;
    for (int a = 0; a < one->nactive; a++) {
        const perp_link *link = one->active[a];
        int alone = one->link_group[a] >= 0;
        if (alone)
            one->link_group[a] = one->half.groups;
        if (!(alone ? perp_saddle_half_add(&one->half, one->saddle, link->systems, link->nsystems,
                                           link->left, link->rows, 0, link->rows)
                    : halve_bodies(one, link)))
            return 0;
    }
    return 1;
}

/* Whole solves of the links, where these are less than the products of all groups. */
static int choose_spread(perp_one_step *one)
{
    double products, spreads;
    int widest = 1;
    for (int a = 0; a < one->nactive; a++)
        widest = one->active[a]->rows > widest ? one->active[a]->rows : widest;
    if (!perp_saddle_spread_begin(&one->spread, one->pool, &one->half, one->saddle, &products,
                                  &spreads))
        return 0;
    one->spreads = spreads * one->rows < products;
    if (!one->spreads)
        return 1;
    if (!perp_saddle_spread_reserve(&one->spread, one->saddle, widest > 3 ? widest : 4))
        return 0;
    for (int a = 0; a < one->nactive; a++)
        one->link_group[a] = 0;
    perp_saddle_half_begin(&one->half, one->pool);
    return halve_links(one);
}

/* right = left', as of drives with a compliance D, which is added apart. */
static int acts_as_it_sees(const perp_link *link)
{
    if (link->symmetric)
        return 1;
    for (int j = 0; j < link->nv; j++)
        for (int i = 0; i < link->rows; i++)
            if (link->right[j + i * link->nv] != link->left[i + j * link->rows])
                return 0;
    return 1;
}

int perp_one_step_halve_tied(perp_one_step *one)
{
    one->halved = 1;
    one->spreads = 0;
    for (int a = 0; one->halved && a < one->nactive; a++) {
        const perp_link *link = one->active[a];
        one->halved = !link->inner && acts_as_it_sees(link) && is_exact(one, link);
    }
    perp_saddle_half_begin(&one->half, one->pool);
    if (!one->halved)
        return 1;
    if (!choose_bodies(one) || !halve_links(one) || !choose_spread(one))
        return 0;
    int groups = one->half.groups;
    if (groups > INT_MAX / (BODY * BODY) ||
        !perp_pool_grow(one->pool, (void **)&one->mobility, &one->capacity_mobility,
                        BODY * BODY * groups, sizeof *one->mobility) ||
        !perp_pool_grow(one->pool, (void **)&one->mobility_of, &one->capacity_mobility_of, groups,
                        sizeof *one->mobility_of))
        return 0;
    for (int k = 0; k < groups; k++)
        one->mobility_of[k] = -1;
    return 1;
}

/* What impulses of one group move another one by; stride 6. */
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

/* block += left M right' of two bodies; left or right NULL: the link itself in its place. */
static inline __attribute__((always_inline)) void
add_block(double *restrict block, int ld, const double *restrict left, const double *restrict M,
          const double *restrict right, int rows, int columns)
{
    int inner = left ? BODY : rows;
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < inner; i++) {
            double moved = right ? 0.0 : M[i + c * BODY];
            for (int k = 0; right && k < BODY; k++)
                moved += M[i + k * BODY] * right[c + k * columns];
            if (!left)
                block[i + c * ld] += moved;
            for (int r = 0; left && r < rows; r++)
                block[r + c * ld] += left[r + i * rows] * moved;
        }
}

/* The part of one group of each link. */
static void add_groups(const perp_one_step *one, double *block, int ld, int a, int b,
                       const double *left, const double *right, int here, int there)
{
    int rows = one->active[a]->rows, columns = one->active[b]->rows;
    const double *M = mobility(one, here, there);
    if (left && right && rows == 3 && columns == 3)
        add_block(block, ld, left, M, right, 3, 3);
    else if (left && right)
        add_block(block, ld, left, M, right, rows, columns);
    else if (left)
        add_block(block, ld, left, M, NULL, rows, columns);
    else
        add_block(block, ld, NULL, M, right, rows, columns);
}

/* The part of one group of the first link, with all of the second one. */
static void add_group(const perp_one_step *one, double *block, int ld, int a, int b,
                      const double *left, int here)
{
    const perp_link *link = one->active[b];
    const double *right = link->left;
    if (one->link_group[b] >= 0) {
        add_groups(one, block, ld, a, b, left, NULL, here, one->link_group[b]);
        return;
    }
    for (int k = 0; k < link->nsystems; right += link->rows * link->systems[k++]->nv)
        if (link->systems[k]->coupled >= 0)
            add_groups(one, block, ld, a, b, left, right, here, *group_of(one, link->systems[k]));
}

/* left x of the whole solve of the second link. */
static void add_spread(const perp_one_step *one, double *block, int ld, int a, int b)
{
    const perp_link *link = one->active[a];
    const double *left = link->left;
    int columns = one->active[b]->rows;
    for (int k = 0; k < link->nsystems; left += link->rows * link->systems[k++]->nv)
        for (int i = 0; link->systems[k]->coupled >= 0 && i < link->systems[k]->nv; i++) {
            const double *x =
                perp_saddle_spread_row(&one->spread, one->saddle, link->systems[k], i);
            for (int c = 0; x && c < columns; c++)
                for (int r = 0; r < link->rows; r++)
                    block[r + c * ld] += left[r + i * link->rows] * x[c];
        }
}

static void add_halves(const perp_one_step *one, double *block, int ld, int a, int b)
{
    const perp_link *link = one->active[a];
    const double *left = link->left;
    if (one->link_group[a] >= 0 && one->link_group[b] >= 0) {
        perp_saddle_half_product(block, ld, &one->half, one->saddle, one->link_group[a],
                                 one->link_group[b]);
        return;
    }
    if (one->link_group[a] >= 0) {
        add_group(one, block, ld, a, b, NULL, one->link_group[a]);
        return;
    }
    for (int k = 0; k < link->nsystems; left += link->rows * link->systems[k++]->nv)
        if (link->systems[k]->coupled >= 0)
            add_group(one, block, ld, a, b, left, *group_of(one, link->systems[k]));
}

void perp_one_step_solve_tied(perp_one_step *one, int b)
{
    const perp_link *link = one->active[b];
    int columns = width(link), n = length(one);
    if (one->halved && one->spreads)
        perp_saddle_spread_make(&one->spread, &one->half, one->saddle, one->link_group[b]);
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
    if (one->halved && one->spreads)
        add_spread(one, block, ld, a, b);
    else if (one->halved)
        add_halves(one, block, ld, a, b);
    if (one->halved)
        return;
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
