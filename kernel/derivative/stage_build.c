/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages, their parts and the matrices that go into them. */
#include "kernel/derivative/stage_build.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/laws/law.h"

perp_tape_stage *perp_tape_add_stage(perp_tape *tape, perp_tape_stage_kind kind)
{
    perp_tape_stages *stages = tape->draft.stages;
    perp_tape_stage *made = PERP_TAPE_ARRAY(tape, perp_tape_stage, 1);
    if (!made)
        return NULL;
    made->kind = kind;
    made->before = stages->last;
    if (stages->last)
        stages->last->next = made;
    else
        stages->first = made;
    stages->last = made;
    return made;
}

perp_tape_part *perp_tape_add_part(perp_tape *tape, perp_tape_solve_stage *solve, const int *system,
                                   int nsystems, int nv)
{
    perp_tape_part *made = PERP_TAPE_ARRAY(tape, perp_tape_part, 1);
    if (!made)
        return NULL;
    made->system = system;
    made->nsystems = nsystems;
    made->nv = nv;
    if (solve->last)
        solve->last->next = made;
    else
        solve->parts = made;
    solve->last = made;
    return made;
}

static void number_rows(perp_tape_solve_stage *solve, perp_tape_part *part, int rows, int dim)
{
    part->rows = rows;
    part->dim = dim;
    part->blocks = rows / dim;
    part->first = solve->rows;
    part->block = solve->blocks;
    solve->rows += rows;
    solve->blocks += part->blocks;
    solve->parts_with_rows++;
}

int perp_tape_set_rows(perp_tape *tape, perp_tape_solve_stage *solve, perp_tape_part *part,
                       const perp_law *law, int rows, const double *z, const double *w,
                       double scale)
{
    number_rows(solve, part, rows, law->dim);
    part->set = perp_law_set(law);
    perp_law_parameters(part->par, law);
    if (law->kind == PERP_LAW_BOX) {
        part->par[0] *= scale;
        part->par[1] *= scale;
    }
    part->z = perp_tape_copy(tape, z, (size_t)rows);
    part->w = perp_tape_copy(tape, w, (size_t)rows);
    return part->z && part->w;
}

int perp_tape_set_equalities(perp_tape *tape, perp_tape_solve_stage *solve, perp_tape_part *part,
                             int rows, const double *z)
{
    number_rows(solve, part, rows, 1);
    part->set = PERP_FREE;
    part->z = perp_tape_copy(tape, z, (size_t)rows);
    part->w = perp_tape_zeros(tape, rows, 1);
    return part->z && part->w;
}

int perp_tape_add_from(perp_tape *tape, perp_tape_part *part, int reg, const double *rho,
                       const double *beta)
{
    if (!rho && !beta)
        return 1;
    perp_tape_from *made = PERP_TAPE_ARRAY(tape, perp_tape_from, 1);
    if (!made)
        return 0;
    *made = (perp_tape_from){reg, rho, beta, part->from};
    part->from = made;
    return 1;
}

int perp_tape_add_by(perp_tape *tape, perp_tape_part *part, int time, const double *rho,
                     const double *beta)
{
    if (time < 0 || (!rho && !beta))
        return 1;
    perp_tape_by *made = PERP_TAPE_ARRAY(tape, perp_tape_by, 1);
    if (!made)
        return 0;
    *made = (perp_tape_by){time, rho, beta, part->by};
    part->by = made;
    return 1;
}

int perp_tape_add_term(perp_tape *tape, perp_tape_solve_stage *solve, int parameter,
                       perp_tape_target target, int at, double value)
{
    if (value == 0.0)
        return 1;
    perp_tape_term *made = PERP_TAPE_ARRAY(tape, perp_tape_term, 1);
    if (!made)
        return 0;
    *made = (perp_tape_term){parameter, at, (int)target, value, solve->terms};
    solve->terms = made;
    return 1;
}

double *perp_tape_zeros(perp_tape *tape, int rows, int columns)
{
    return perp_tape_take(tape, (size_t)rows * (size_t)columns, sizeof(double));
}

double *perp_tape_new_copy(perp_tape *tape, const double *x, int rows, int columns)
{
    return perp_tape_copy(tape, x, (size_t)rows * (size_t)columns);
}

const int *perp_tape_places(perp_tape *tape, const perp_link *link)
{
    int *place = PERP_TAPE_ARRAY(tape, int, link->nsystems);
    for (int k = 0; place && k < link->nsystems; k++)
        place[k] = tape->place[link->systems[k]->slot];
    return place;
}

int perp_tape_take_turns(perp_tape *tape, perp_tape_turns *turns)
{
    turns->A = PERP_TAPE_ARRAY(tape, const double *, tape->nsystems);
    turns->B = PERP_TAPE_ARRAY(tape, const double *, tape->nsystems);
    return turns->A && turns->B;
}

int perp_tape_set_turn_of(perp_tape *tape, perp_tape_turns *turns, int k, const double *omega,
                          double h)
{
    return tape->systems[k].system->kind != PERP_SYSTEM_BODY ||
           perp_tape_record_turn(tape, &turns->A[k], &turns->B[k], omega, h);
}

void perp_tape_times_turns(double *out, const double *in, int rows, const perp_tape *tape,
                           const int *system, int nsystems, const double *const *T, double scale)
{
    size_t n = (size_t)rows;
    for (int k = 0; k < nsystems; k++) {
        const double *turn = T ? T[system[k]] : NULL;
        size_t nv = (size_t)tape->systems[system[k]].nv, plain = turn ? 3 : nv;
        for (size_t at = 0; at < n * plain; at++)
            out[at] = scale * in[at];
        for (size_t j = 3; turn && j < 6; j++)
            for (size_t i = 0; i < n; i++) {
                double sum = 0.0;
                for (size_t l = 0; l < 3; l++)
                    sum += in[i + (3 + l) * n] * turn[l + 3 * (j - 3)];
                out[i + j * n] = scale * sum;
            }
        in += n * nv;
        out += n * nv;
    }
}

const double *perp_tape_mass_at(perp_tape *tape, int k, perp_system *s, const double *q,
                                perp_status *status)
{
    size_t n = (size_t)s->nv;
    if (tape->systems[k].mass)
        return tape->systems[k].mass;
    double *M = perp_tape_take(tape, n * n, sizeof *M);
    if (!M)
        *status = PERP_ERR_MEMORY;
    else if (perp_lagrangian_mass(M, s, q))
        *status = PERP_INTERRUPTED;
    return M;
}

/* By central differences. */
static int turn_by_differences(double *turn, double *work, perp_system *s, double *q,
                               const double *a)
{
    size_t n = (size_t)s->nv;
    memset(turn, 0, sizeof(double) * n * n);
    for (size_t j = 0; j < n; j++) {
        double place = q[j], step = cbrt(DBL_EPSILON) * fmax(1.0, fabs(place));
        for (int side = -1; side <= 1; side += 2) {
            q[j] = place + side * step;
            if (perp_lagrangian_mass(work, s, q))
                return 1;
            for (size_t l = 0; l < n; l++)
                for (size_t i = 0; i < n; i++)
                    turn[i + j * n] += side * work[i + l * n] * a[l] / (2.0 * step);
        }
        q[j] = place;
    }
    return 0;
}

const double *perp_tape_mass_turn(perp_tape *tape, perp_system *s, const double *q, const double *a,
                                  perp_status *status)
{
    size_t n = (size_t)s->nv;
    if (s->kind != PERP_SYSTEM_LAGRANGIAN || !s->as.lagrangian.mass)
        return NULL;
    double *turn = perp_tape_take(tape, n * n, sizeof *turn);
    double *work = perp_tape_work(tape, n * n + n);
    if (!turn || !work) {
        *status = PERP_ERR_MEMORY;
        return NULL;
    }
    memcpy(work + n * n, q, n * sizeof(double));
    if (s->as.lagrangian.mass_q) {
        if (s->as.lagrangian.mass_q(turn, 0.0, q, a, s->z, s->user))
            *status = PERP_INTERRUPTED;
        return turn;
    }
    if (!tape->settings.differences) {
        *status = perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "system", s->slot,
                                "its mass has no derivative: give mass_q, or set differences");
        return NULL;
    }
    tape->info.differences = 1;
    if (turn_by_differences(turn, work, s, work + n * n, a))
        *status = PERP_INTERRUPTED;
    return turn;
}

size_t perp_tape_turn_numbers(const perp_tape *tape, const perp_link *link)
{
    return perp_tape_turn_source(tape, link) == PERP_TURN_NONE ? 0 : perp_link_turn_work(link);
}

perp_status perp_tape_turn_at(perp_tape *tape, perp_link *link, double t, const double *x,
                              double *G, double *drift, double *work)
{
    const perp_tape_turn *known = perp_tape_turn_given(tape, link);
    perp_turn_source source = perp_tape_turn_source(tape, link);
    size_t each = (size_t)link->rows * (size_t)link->nv;
    if (source == PERP_TURN_DIFFERENCES && !tape->settings.differences)
        return perp_tape_refuse_link(tape, link,
                                     "no derivative of its rows is known: give it by "
                                     "perp_tape_set_turn(), or set differences");
    tape->info.differences |= source == PERP_TURN_DIFFERENCES || link->differences;
    int refused = 0;
    memset(G, 0, sizeof(double) * each * (size_t)link->nv);
    memset(drift, 0, sizeof(double) * each);
    if (known)
        refused = known->fn(G, drift, t, x, known->user);
    else if (source != PERP_TURN_NONE)
        refused = perp_link_turn(G, drift, link, t, x, work);
    return refused ? perp_tape_end(tape, PERP_INTERRUPTED, "interaction", link->slot,
                                   "a callback refused")
                   : PERP_SOLVED;
}

void perp_tape_along_velocity(double *out, const double *G, const double *drift, double drift_part,
                              int rows, int nv, const double *v)
{
    size_t m = (size_t)rows, n = (size_t)nv;
    for (size_t k = 0; k < m * n; k++)
        out[k] = drift_part * drift[k];
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < m; i++)
                out[i + k * m] += G[i + (j + k * n) * m] * v[j];
}

void perp_tape_along_impulse(double *out, const double *G, int rows, int nv, const double *z)
{
    size_t m = (size_t)rows, n = (size_t)nv;
    memset(out, 0, sizeof(double) * n * n);
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < m; i++)
                out[j + k * n] += G[i + (j + k * n) * m] * z[i];
}

void perp_tape_gather_q(double *x, const perp_link *link, perp_moment moment)
{
    for (int k = 0; k < link->nsystems; x += link->systems[k++]->nq)
        memcpy(x, link->systems[k]->q[moment], sizeof(double) * (size_t)link->systems[k]->nq);
}

void perp_tape_gather_v(double *x, const perp_link *link, perp_moment moment)
{
    for (int k = 0; k < link->nsystems; x += link->systems[k++]->nv)
        memcpy(x, link->systems[k]->v[moment], sizeof(double) * (size_t)link->systems[k]->nv);
}

void perp_tape_gather_kept(double *x, const perp_link *link)
{
    for (int k = 0; k < link->nsystems; x += link->systems[k++]->nv)
        memcpy(x, link->systems[k]->v_kept, sizeof(double) * (size_t)link->systems[k]->nv);
}

perp_status perp_tape_refuse_link(perp_tape *tape, const perp_link *link, const char *why)
{
    return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "interaction", link->slot, "%s", why);
}
