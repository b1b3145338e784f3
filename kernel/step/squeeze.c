/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/step/squeeze.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel/laws/law.h"
#include "kernel/model/model_inside.h"
#include "kernel/step/stepper.h"

#define GROW(pool, s, array, count)                                                                \
    perp_pool_grow((pool), (void **)&(s)->array, &(s)->capacity_##array, (count),                  \
                   sizeof *(s)->array)

/* What rounding may have put into an offset: of the offset and the rate at the start, of the terms
 * it was computed from, and of coordinates over h (equalities hold to the tolerance of a step). */
static const double noise_of_rate = 1e-10, noise_of_terms = 1e-13, noise_of_gap = 1e-12,
                    noise_of_joint = 1e-9;
static const double likely = 1e6, relief = 1e-9;

/* Which rows of a link count: 0 none, 1 an inequality, 2 an equality. */
static int kind_of_row(const perp_link *link, int bilateral, int i)
{
    int dim = link->law.dim, off = link->on && !link->on[i / dim];
    perp_set set = perp_law_set(&link->law);
    if (off && perp_law_is_impact(&link->law))
        return 0;
    if (perp_law_gives_way(&link->law))
        return 0;
    for (int j = 0; !link->symmetric && j < link->rows; j++)
        if (link->D[i + j * link->rows] != 0.0)
            return 0;
    perp_law law = perp_link_law(link, i / dim);
    if (bilateral || set == PERP_FREE || (set == PERP_BOX && isinf(law.lo) && isinf(law.hi)))
        return 2; /* a motor of any force, too */
    return set == PERP_NONNEG || (set == PERP_COULOMB && i % dim == 0);
}

/* Gives the systems of a link their columns. */
static int touch(perp_squeeze *s, const perp_link *link, perp_pool *pool)
{
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *system = link->systems[k];
        if (s->first[system->slot] >= 0)
            continue;
        if (!GROW(pool, s, systems, s->nsystems + 1))
            return 0;
        s->first[system->slot] = s->cols;
        s->systems[s->nsystems++] = system;
        s->cols += system->nv;
    }
    return 1;
}

/* Lists the rows that count of one link; held: one of step->held, where all are equalities. */
static int list_rows(perp_squeeze *s, perp_link *link, int bilateral, int held, perp_pool *pool)
{
    int count = s->rows + link->rows;
    if (!touch(s, link, pool) || !GROW(pool, s, link, count) || !GROW(pool, s, component, count) ||
        !GROW(pool, s, equality, count))
        return 0;
    for (int i = 0; i < link->rows; i++) {
        int kind = held ? 2 : kind_of_row(link, bilateral, i);
        if (kind == 0)
            continue;
        s->link[s->rows] = link;
        s->component[s->rows] = i;
        s->equality[s->rows++] = kind == 2;
        s->entries += link->nv;
    }
    return 1;
}

static int list_all(perp_squeeze *s, const perp_step *step, const perp_one_step *one,
                    perp_pool *pool, int *own_rows)
{
    int slots = 0;
    for (int k = 0; k < step->nsystems; k++)
        slots = step->systems[k]->slot >= slots ? step->systems[k]->slot + 1 : slots;
    if (!GROW(pool, s, first, slots))
        return 0;
    for (int k = 0; k < slots; k++)
        s->first[k] = -1;
    s->rows = s->cols = s->entries = s->nsystems = 0;
    for (int k = 0; k < one->nactive; k++)
        if (!list_rows(s, one->active[k], one->bilateral, 0, pool))
            return 0;
    *own_rows = s->rows;
    for (int k = 0; k < step->nheld; k++)
        if (!list_rows(s, step->held[k], 0, 1, pool))
            return 0;
    return GROW(pool, s, colptr, s->cols + 1) && GROW(pool, s, group, s->cols) &&
           GROW(pool, s, weight, s->cols) && GROW(pool, s, row, s->entries) &&
           GROW(pool, s, x, s->entries) && GROW(pool, s, b, s->rows) &&
           GROW(pool, s, noise, s->rows) && GROW(pool, s, y, s->rows);
}

/* Offset of a row without its rate at the free motion, and its noise. */
static void fill_offset(perp_squeeze *s, const perp_step *step, const perp_one_step *one, int r,
                        int own)
{
    const perp_link *link = s->link[r];
    int i = s->component[r], at = 0;
    double b = own ? one->q[link->first_row + i] : link->offset[i], speed = 0.0, terms = 0.0,
           far = 0.0;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *system = link->systems[k];
        const double *v = system->v[PERP_START] ? system->v[PERP_START] : system->q[PERP_START];
        for (int j = 0; j < system->nv; j++, at++) {
            double left = link->left[i + at * link->rows];
            b -= own ? left * system->free[j] : 0.0;
            terms += own ? fabs(left * system->free[j]) : 0.0;
            speed += fabs(left * v[j]);
        }
        for (int j = 0; system->v[PERP_START] && j < system->nq; j++)
            far = fmax(far, fabs(system->q[PERP_START][j]));
    }
    s->b[r] = b;
    s->noise[r] = noise_of_rate * (fabs(b) + speed) + noise_of_terms * terms +
                  (s->equality[r] ? noise_of_joint : noise_of_gap) * far / step->h;
}

/* A by compressed columns. */
static void fill_columns(perp_squeeze *s)
{
    memset(s->colptr, 0, sizeof(int) * ((size_t)s->cols + 1));
    for (int pass = 0; pass < 2; pass++) {
        for (int r = 0; r < s->rows; r++) {
            const perp_link *link = s->link[r];
            for (int k = 0, at = 0; k < link->nsystems; k++) {
                int first = s->first[link->systems[k]->slot];
                for (int j = 0; j < link->systems[k]->nv; j++, at++) {
                    double left = link->left[s->component[r] + at * link->rows];
                    if (left == 0.0)
                        continue;
                    if (pass == 0) {
                        s->colptr[first + j + 1]++;
                        continue;
                    }
                    s->row[s->colptr[first + j]] = r;
                    s->x[s->colptr[first + j]++] = left;
                }
            }
        }
        for (int j = 0; pass == 0 && j < s->cols; j++)
            s->colptr[j + 1] += s->colptr[j];
    }
    for (int j = s->cols; j > 0; j--)
        s->colptr[j] = s->colptr[j - 1];
    s->colptr[0] = 0;
}

static void fill_weights(perp_squeeze *s)
{
    for (int k = 0, j = 0; k < s->nsystems; k++) {
        const perp_system *system = s->systems[k];
        for (int i = 0; i < system->nv; i++, j++) {
            double weight = fabs(perp_iteration_diagonal(&system->W, i));
            s->weight[j] = weight > 0.0 && weight < INFINITY ? weight : 1.0;
            s->group[j] = k;
        }
    }
}

/* Rows of the proof, and the systems in their columns. */
static int note_proof(perp_squeeze *s, const perp_model *model, perp_pool *pool)
{
    if (!GROW(pool, s, interaction, s->rows) || !GROW(pool, s, of, s->rows) ||
        !GROW(pool, s, share, s->rows) || !GROW(pool, s, body, s->nsystems))
        return 0;
    s->proved = s->squeezed = 0;
    for (int r = 0; r < s->rows; r++) {
        uint32_t slot = (uint32_t)s->link[r]->slot;
        if (s->y[r] == 0.0)
            continue;
        s->interaction[s->proved] = (perp_interaction_id){slot, model->links[slot].generation};
        s->of[s->proved] = s->component[r];
        s->share[s->proved++] = s->y[r];
    }
    for (int k = 0; k < s->nsystems; k++) {
        uint32_t slot = (uint32_t)s->systems[k]->slot;
        int met = 0, first = s->first[slot];
        for (int p = s->colptr[first]; p < s->colptr[first + s->systems[k]->nv]; p++)
            met |= s->y[s->row[p]] != 0.0;
        if (met)
            s->body[s->squeezed++] = (perp_system_id){slot, model->systems[slot].generation};
    }
    return 1;
}

perp_status perp_squeeze_look(perp_step *step, perp_one_step *one)
{
    perp_stepper *stepper = step->stepper;
    perp_squeeze *s = &stepper->squeeze;
    int own = 0;
    s->proved = s->squeezed = 0;
    if (!list_all(s, step, one, &stepper->pool, &own))
        return PERP_ERR_MEMORY;
    for (int r = 0; r < s->rows; r++)
        fill_offset(s, step, one, r, r < own);
    fill_columns(s);
    fill_weights(s);
    const perp_linear_rows rows = {.size = sizeof rows,
                                   .rows = s->rows,
                                   .cols = s->cols,
                                   .colptr = s->colptr,
                                   .row = s->row,
                                   .x = s->x,
                                   .b = s->b,
                                   .equality = s->equality,
                                   .noise = s->noise,
                                   .weight = s->weight,
                                   .group = s->group};
    s->figures.size = sizeof s->figures;
    perp_status status = perp_rows_feasible(&rows, &one->allocator, NULL, s->y, &s->figures);
    if (status == PERP_ERR_MEMORY)
        return status;
    if (status != PERP_INFEASIBLE) /* offsets that are not finite are no proof either */
        return PERP_SOLVED;
    return note_proof(s, stepper->model, &stepper->pool) ? PERP_INFEASIBLE_STEP : PERP_ERR_MEMORY;
}

int perp_squeeze_slot(const perp_squeeze *s)
{
    int worst = 0;
    for (int k = 1; k < s->proved; k++)
        if (fabs(s->share[k]) > fabs(s->share[worst]))
            worst = k;
    return s->proved > 0 ? (int)s->interaction[worst].index : -1;
}

enum { NAMED = 4 };

/* "0, 3 and 4", or with what was left out counted; slots in the order in which they come. */
static void list_slots(char *text, size_t size, const int *slots, int count)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < count && k < NAMED && used < size; k++) {
        int last = k == count - 1;
        used += (size_t)snprintf(text + used, size - used, "%s%d",
                                 k == 0 ? ""
                                 : last ? " and "
                                        : ", ",
                                 slots[k]);
    }
    if (count > NAMED && used < size)
        snprintf(text + used, size - used, " and %d more", count - NAMED);
}

void perp_squeeze_text(char *text, size_t size, const perp_squeeze *s)
{
    char bodies[64], between[64];
    int slots[NAMED], links = 0;
    for (int k = 0; k < s->proved; k++) {
        if (k > 0 && s->interaction[k].index == s->interaction[k - 1].index)
            continue;
        if (links < NAMED)
            slots[links] = (int)s->interaction[k].index;
        links++;
    }
    list_slots(between, sizeof between, slots, links);
    for (int k = 0; k < s->squeezed && k < NAMED; k++)
        slots[k] = (int)s->body[k].index;
    list_slots(bodies, sizeof bodies, slots, s->squeezed);
    const char *body = s->squeezed == 1 ? "system" : "systems";
    if (isinf(s->figures.speed))
        snprintf(text, size,
                 "interactions %s of %s %s contradict each other: no motion satisfies %s", between,
                 body, bodies, links == 2 ? "both" : "them");
    else
        snprintf(text, size,
                 "%s %s: squeezed between interactions %s, no motion satisfies %s "
                 "(missed by %.3g at least)",
                 body, bodies, between, links == 2 ? "both" : "them", s->figures.speed);
}

int perp_squeeze_is_beyond(const perp_one_step *one, double h, double times)
{
    double impulse = 0.0, momentum = 0.0;
    for (int k = 0; k < one->nactive; k++) {
        const perp_link *link = one->active[k];
        for (int i = 0; link->second_order && i < link->rows; i++)
            impulse = fmax(impulse, fabs(one->z[link->first_row + i]));
    }
    for (int k = 0; impulse > 0.0 && k < one->ntouched; k++) {
        const perp_system *s = one->touched[k];
        for (int i = 0; s->v[PERP_START] && i < s->nv; i++) {
            double fastest = fmax(fabs(s->free[i]), fabs(s->v[PERP_START][i]));
            momentum = fmax(momentum, fabs(perp_iteration_diagonal(&s->W, i)) * fastest);
            momentum = fmax(momentum, h * fabs(s->force[i])); /* of what begins at rest */
        }
        if (impulse <= times * momentum) /* so it is with the others, too */
            return 0;
    }
    return impulse > times * momentum;
}

int perp_squeeze_is_likely(const perp_one_step *one, double h)
{
    return perp_squeeze_is_beyond(one, h, likely);
}

double perp_squeeze_relieve(const perp_squeeze *s, perp_one_step *one)
{
    double by = s->figures.speed * (1.0 + relief);
    for (int r = 0; r < s->rows; r++)
        if (!s->equality[r])
            one->q[s->link[r]->first_row + s->component[r]] += by;
    return by;
}
