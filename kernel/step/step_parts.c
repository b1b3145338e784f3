/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/step/step_parts.h"

#include <stdio.h>
#include <string.h>

typedef double *vector_of(perp_system *s);

static double *impulse_of(perp_system *s)
{
    return s->p;
}

static double *input_of(perp_system *s)
{
    return s->ledger.input;
}

static double *magnitude_of(perp_system *s)
{
    return s->ledger.magnitude;
}

static int is_shared(const perp_system *s)
{
    return s->presence == PERP_PRESENCE_SHARED || s->presence == PERP_PRESENCE_GUEST;
}

/* Between the systems and x, from `at` on; the number of entries. */
static int copy_shared(double *x, perp_step *step, vector_of *of, int back)
{
    int at = 0;
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        size_t bytes = sizeof(double) * (size_t)s->nv;
        if (!is_shared(s))
            continue;
        if (x && back)
            memcpy(of(s), x + at, bytes);
        else if (x)
            memcpy(x + at, of(s), bytes);
        at += s->nv;
    }
    return at;
}

static perp_status failed(perp_step *step)
{
    return perp_stepper_interrupted(step->stepper, "parts", -1);
}

static perp_status add(perp_step *step, vector_of *of)
{
    perp_stepper *stepper = step->stepper;
    int n = copy_shared(NULL, step, of, 0);
    if (!perp_pool_grow(&stepper->pool, (void **)&stepper->shared, &stepper->capacity_shared,
                        n > 0 ? n : 1, sizeof *stepper->shared))
        return perp_stepper_fail(stepper, PERP_ERR_MEMORY, NULL, -1, NULL);
    copy_shared(stepper->shared, step, of, 0);
    stepper->reason.status = PERP_SOLVED;
    if (stepper->parts.add(stepper->parts.ctx, stepper->shared, n))
        return failed(step);
    copy_shared(stepper->shared, step, of, 1);
    return PERP_SOLVED;
}

perp_status perp_step_add_impulses(perp_step *step)
{
    return add(step, impulse_of);
}

perp_status perp_step_add_inputs(perp_step *step)
{
    perp_status status = add(step, input_of);
    return status == PERP_SOLVED ? add(step, magnitude_of) : status;
}

/* Momentum from nothing, sum of momenta, and whether the world acts. */
enum { SUMS = 5 };

static int concerns(const perp_system *s, int scheme)
{
    return s->scheme == scheme && is_shared(s);
}

/* Islands of shared systems, numbered; what is not known of one counts as touched by the world. */
static int number_islands(perp_step *step, int scheme, int *systems)
{
    int count = 0, *of = step->stepper->islands;
    *systems = 0;
    for (int k = 0; k < step->nsystems; k++)
        step->systems[k]->ledger.number = -1;
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k], *root = s;
        if (concerns(s, scheme) && s->ledger.stated)
            root = perp_certificate_root(s);
        if (!concerns(s, scheme)) {
            if (is_shared(s))
                of[(*systems)++] = count++;
            continue;
        }
        root->ledger.world |= !s->ledger.stated;
        if (root->ledger.number < 0)
            root->ledger.number = count++;
        of[(*systems)++] = root->ledger.number;
    }
    return count;
}

/* Between the roots of islands and their sums. */
static void copy_islands(double *sums, perp_step *step, int back)
{
    for (int k = 0; k < step->nsystems; k++) {
        perp_ledger *l = &step->systems[k]->ledger;
        double *x = l->number >= 0 ? sums + SUMS * (size_t)l->number : NULL;
        if (!x)
            continue;
        if (back) {
            memcpy(l->defect, x, sizeof l->defect);
            l->bulk = x[3];
            l->world = x[4] != 0.0;
            continue;
        }
        memcpy(x, l->defect, sizeof l->defect);
        x[3] = l->bulk;
        x[4] = l->world;
    }
}

perp_status perp_step_add_islands(perp_step *step, int scheme)
{
    perp_stepper *stepper = step->stepper;
    perp_sim_parts *parts = &stepper->parts;
    int systems, count;
    if (!perp_pool_grow(&stepper->pool, (void **)&stepper->islands, &stepper->capacity_islands,
                        step->nsystems + 1, sizeof *stepper->islands) ||
        !perp_pool_grow(&stepper->pool, (void **)&stepper->shared, &stepper->capacity_shared,
                        SUMS * step->nsystems + 1, sizeof *stepper->shared))
        return perp_stepper_fail(stepper, PERP_ERR_MEMORY, NULL, -1, NULL);
    count = number_islands(step, scheme, &systems);
    if (!parts->join) {
        for (int k = 0; k < step->nsystems; k++)
            step->systems[k]->ledger.world |= step->systems[k]->ledger.number >= 0;
        return PERP_SOLVED;
    }
    memset(stepper->shared, 0, sizeof(double) * (size_t)(SUMS * count));
    copy_islands(stepper->shared, step, 0);
    stepper->reason.status = PERP_SOLVED;
    if (parts->join(parts->ctx, stepper->islands, systems, stepper->shared, count))
        return failed(step);
    copy_islands(stepper->shared, step, 1);
    return PERP_SOLVED;
}

static perp_status total(perp_step *step, double *x, int n)
{
    perp_sim_parts *parts = &step->stepper->parts;
    step->stepper->reason.status = PERP_SOLVED;
    return parts->total(parts->ctx, x, n) ? failed(step) : PERP_SOLVED;
}

perp_status perp_step_holds_everywhere(perp_step *step, int *holds)
{
    double fails = !*holds;
    perp_status status = total(step, &fails, 1);
    *holds = fails == 0.0;
    return status;
}

perp_status perp_step_count_failures(perp_step *step, double *halves, double *failures)
{
    double x[2] = {*halves, *failures};
    perp_status status = total(step, x, 2);
    *halves = x[0];
    *failures = x[1];
    return status;
}

/* What the sums of the run take from the systems and interactions of a step. */
perp_status perp_step_add_energies(perp_step *step)
{
    perp_certificate_step *s = &step->stepper->certificate.step;
    double *of[] = {&s->kinetic,   &s->potential,  &s->forces,       &s->inertial, &s->boxes,
                    &s->walls,     &s->struck,     &s->struck_walls, &s->contact,  &s->positive,
                    &s->joint,     &s->joint_size, &s->balance,      &s->floor,    &s->stage,
                    &s->projected, &s->energy,     &s->least,        &s->crossed};
    enum { COUNT = sizeof of / sizeof of[0] };
    double x[COUNT];
    for (int k = 0; k < COUNT; k++)
        x[k] = *of[k];
    perp_status status = total(step, x, COUNT);
    for (int k = 0; k < COUNT && status == PERP_SOLVED; k++)
        *of[k] = x[k];
    return status;
}

/* A measure, what it is of and its place: numbers of a group. */
enum { MEASURE, WHAT, SLOT, FIRST, SECOND, WIDTH };

/* Nothing there to measure is less than all there is. */
static void put_measure(double *x, const perp_noted *at)
{
    perp_place place = perp_certificate_place(at);
    const double own[WIDTH] = {at->seen ? at->value : -1.0, place.what, place.slot,
                               place.systems[0], place.systems[1]};
    memcpy(x, own, sizeof own);
}

static void take_measure(perp_noted *at, const double *x)
{
    perp_noted own = {.value = x[MEASURE],
                      .seen = 1,
                      .elsewhere = 1,
                      .place = {(int)x[WHAT], (int)x[SLOT], {(int)x[FIRST], (int)x[SECOND]}}};
    if (!(x[MEASURE] < 0.0))
        *at = own;
}

perp_status perp_step_share_measures(perp_step *step)
{
    perp_stepper *stepper = step->stepper;
    perp_certificate_step *s = &stepper->certificate.step;
    double *single[] = {&s->impulse, &s->rate, &s->drawn};
    int *flags[] = {&s->silent_motion, &s->silent_impulse, &s->silent_energy};
    enum { LAW = PERP_MEASURES, DEFECT, SINGLE, FLAGS = SINGLE + 3, STATUS = FLAGS + 3, GROUPS };
    double x[GROUPS * WIDTH] = {0.0};
    if (!stepper->parts.largest)
        return PERP_SOLVED;
    s->law.seen = s->law.value > 0.0;
    s->defect.seen = s->defect.value > 0.0;
    for (int k = 0; k < PERP_MEASURES; k++)
        put_measure(x + k * WIDTH, &s->at[k]);
    put_measure(x + LAW * WIDTH, &s->law);
    put_measure(x + DEFECT * WIDTH, &s->defect);
    for (int k = 0; k < 3; k++) {
        x[(SINGLE + k) * WIDTH] = *single[k];
        x[(FLAGS + k) * WIDTH] = *flags[k];
    }
    x[STATUS * WIDTH] = (double)stepper->info.status;
    stepper->reason.status = PERP_SOLVED;
    if (stepper->parts.largest(stepper->parts.ctx, x, GROUPS, WIDTH))
        return failed(step);
    stepper->info.status = (perp_status)(int)x[STATUS * WIDTH];
    for (int k = 0; k < PERP_MEASURES; k++)
        take_measure(&s->at[k], x + k * WIDTH);
    take_measure(&s->law, x + LAW * WIDTH);
    take_measure(&s->defect, x + DEFECT * WIDTH);
    for (int k = 0; k < 3; k++) {
        *single[k] = x[(SINGLE + k) * WIDTH];
        *flags[k] = (int)x[(FLAGS + k) * WIDTH];
    }
    return PERP_SOLVED;
}

/* Counts are those of all, and the rest that of the process in which it is largest; a problem that
 * all solve is one. */
perp_status perp_stepper_share_info(perp_stepper *stepper)
{
    perp_step_info *info = &stepper->info;
    perp_info *solver = &stepper->solver_info;
    int *count[] = {&info->rows, &info->active, &info->impacts, &info->resting};
    int *most[] = {&info->newton, &info->inner, &info->rejected, &info->differences};
    enum { COUNTS = 6, MOST = 8 };
    double sum[COUNTS], x[MOST];
    if (!stepper->parts.largest)
        return PERP_SOLVED;
    for (int k = 0; k < 4; k++) {
        sum[k] = *count[k];
        x[k] = *most[k];
    }
    sum[4] = (double)info->evaluations;
    sum[5] = info->solves;
    x[4] = info->violation;
    x[5] = info->rows > 0 ? solver->error : 0.0;
    x[6] = info->rows > 0 ? solver->iterations : 0.0;
    x[7] = info->solves;
    stepper->reason.status = PERP_SOLVED;
    if (stepper->parts.total(stepper->parts.ctx, sum, COUNTS) ||
        stepper->parts.largest(stepper->parts.ctx, x, MOST, 1))
        return perp_stepper_interrupted(stepper, "parts", -1);
    for (int k = 0; k < 4; k++) {
        *count[k] = (int)sum[k];
        *most[k] = (int)x[k];
    }
    info->evaluations = (long)sum[4];
    info->solves = (int)(stepper->parts.solve ? x[7] : sum[5]);
    info->violation = x[4];
    solver->error = x[5];
    solver->iterations = (int)x[6];
    return PERP_SOLVED;
}

perp_status perp_step_solve_part(perp_step *step)
{
    perp_stepper *stepper = step->stepper;
    perp_info *info = &stepper->solver_info;
    char text[sizeof stepper->info.detail];
    stepper->reason.status = PERP_SOLVED;
    perp_status status = perp_one_step_solve_part(step->one, &stepper->parts, &stepper->settings,
                                                  stepper->options.warm_start, info);
    stepper->info.solves++;
    if (status == PERP_SOLVED)
        return status;
    if (status == PERP_INTERRUPTED)
        return perp_stepper_interrupted(stepper, "solver", -1);
    if (status < 0) {
        snprintf(text, sizeof text, "the one-step problem was refused: %.110s", info->detail);
        return perp_stepper_fail(stepper, status, "solver", -1, text);
    }
    return perp_step_not_solved(step, status, NULL);
}
