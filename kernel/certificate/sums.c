/* SPDX-License-Identifier: BSD-3-Clause */
/* The sums of a run: what a step adds to them, and where a threshold was first passed. */
#include <math.h>
#include <string.h>

#include "kernel/certificate/certificate.h"

/* Steps whose impulses are less than this part of the largest ever are judged by this part. */
static const double SMALL_PART = 1e-3;

/* Measures that are sums over the run, over the energy scale. */
int perp_certificate_is_sum(int measure)
{
    return measure == PERP_MEASURE_energy || measure == PERP_MEASURE_rises ||
           measure == PERP_MEASURE_contact_work || measure == PERP_MEASURE_joint_work ||
           measure == PERP_MEASURE_position_stage || measure == PERP_MEASURE_velocity_stage;
}

static int is_count(int measure)
{
    return measure == PERP_MEASURE_unsolved || measure == PERP_MEASURE_infeasible ||
           measure == PERP_MEASURE_halved;
}

void perp_certificate_init(perp_certificate *c)
{
    memset(c, 0, sizeof *c);
    perp_thresholds_init(&c->thresholds, sizeof c->thresholds);
}

int perp_certificate_memory(perp_certificate *c, perp_pool *pool, int width)
{
    return perp_pool_grow(pool, (void **)&c->row, &c->capacity_row, 9 * width, sizeof *c->row);
}

void perp_certificate_begin(perp_certificate *c, double t_end, double h)
{
    memset(&c->step, 0, sizeof c->step);
    memcpy(c->step.at, c->held, sizeof c->held);
    c->t = t_end;
    c->h = h;
    c->checks = 0;
}

perp_place perp_certificate_place(const perp_noted *at)
{
    perp_place place = {PERP_PLACE_NONE, -1, {-1, -1}};
    if (at->elsewhere)
        return at->place;
    if (at->system) {
        place.what = PERP_PLACE_SYSTEM;
        place.slot = place.systems[0] = at->system->slot;
    } else if (at->link) {
        place.what = PERP_PLACE_INTERACTION;
        place.slot = at->link->slot;
        for (int k = 0; k < 2 && k < at->link->nsystems; k++)
            place.systems[k] = at->link->systems[k]->slot;
    }
    return place;
}

double perp_certificate_scale(const perp_certificate *c)
{
    const perp_certificate_sums *s = &c->sums;
    return s->kinetic + (s->highest - s->lowest) + s->contact + s->least;
}

/* Over the energy scale; what rounding may leave of it does not count. */
static double over_scale(double sum, double floor, double scale)
{
    double rest = fabs(sum) - floor;
    return rest > 0.0 ? rest / scale : isnan(rest) ? rest : 0.0;
}

static double sum_of(const perp_certificate *c, int measure, double scale)
{
    const perp_certificate_sums *s = &c->sums;
    switch (measure) {
    case PERP_MEASURE_energy:
        return over_scale(s->missing, s->floor, scale);
    case PERP_MEASURE_rises:
        return over_scale(s->rises, 0.0, scale);
    case PERP_MEASURE_contact_work:
        return over_scale(s->positive, s->floor, scale);
    case PERP_MEASURE_joint_work:
        return over_scale(s->joint_size, s->floor, scale);
    case PERP_MEASURE_position_stage:
        return over_scale(s->stage_size, s->floor, scale);
    default:
        return over_scale(s->projected, s->floor, scale);
    }
}

/* The first step above each threshold; a sum that is below it again has none. */
static void cross(perp_certificate *c, int measure, double value, double t)
{
    const double *threshold = &c->thresholds.unsolved + 2 * measure;
    const perp_noted *at = &c->step.at[measure];
    perp_mark *mark = &c->sums.marks[measure];
    for (int level = 0; level < 2; level++) {
        if (value <= threshold[level]) {
            if (perp_certificate_is_sum(measure))
                mark->step[level] = 0;
        } else if (mark->step[level] == 0) {
            mark->step[level] = c->index;
            mark->t[level] = t;
            mark->place[level] = perp_certificate_place(at);
        }
    }
}

static void add_energies(perp_certificate_sums *s, const perp_certificate_step *step)
{
    double external = step->forces - step->inertial + step->boxes + step->walls;
    double gain = step->kinetic + step->potential - external + step->projected;
    /* On relative velocities.  What presses in the smooth step does so in all of it, before an
     * impact as well: that work may be as much as both take away. */
    double struck = step->struck + step->struck_walls - step->crossed;
    double crossed = step->crossed - (step->contact - step->positive) + fmin(struck, 0.0);
    s->kinetic = perp_larger(s->kinetic, step->energy);
    s->potential += step->potential + step->stage;
    s->lowest = fmin(s->lowest, s->potential);
    s->highest = perp_larger(s->highest, s->potential);
    s->contact += step->contact + fabs(struck);
    s->positive += step->positive + perp_larger(0.0, struck) + perp_larger(0.0, crossed);
    s->joint += step->joint;
    s->joint_size += step->joint_size;
    s->external += external;
    s->balance += step->balance;
    s->missing = perp_larger(s->missing, fabs(s->balance));
    s->floor += step->floor;
    s->stage += step->stage;
    s->stage_size += fabs(step->stage);
    s->projected += step->projected;
    s->least = perp_larger(s->least, step->least);
    s->impulse = perp_larger(s->impulse, step->impulse);
    s->rate = perp_larger(s->rate, step->rate);
    s->drawn = perp_larger(s->drawn, step->drawn);
    s->rises += gain > step->floor ? gain - step->floor : isnan(gain) ? gain : 0.0;
}

/* A defect of a law over an impulse, with its place. */
static void note_defect(perp_certificate *c, const perp_noted *defect, double impulse)
{
    perp_noted *at = &c->step.at[PERP_MEASURE_law];
    double value = defect->value / impulse;
    if (!(defect->value > 0.0))
        return;
    if (!(value <= at->value)) {
        *at = *defect;
        at->value = value;
    }
    at->seen = 1;
}

void perp_certificate_commit(perp_certificate *c)
{
    perp_certificate_sums *s = &c->sums;
    const perp_certificate_step *step = &c->step;
    add_energies(s, step);
    s->silent_motion += step->silent_motion;
    s->silent_impulse += step->silent_impulse;
    s->silent_energy += step->silent_energy;
    s->t = c->t;
    c->commits++;
    double scale = perp_certificate_scale(c);
    note_defect(c, &step->defect, perp_larger(s->impulse, step->impulse));
    /* Over the largest impulse of the step, which is known now. */
    note_defect(c, &step->law, perp_larger(step->impulse, SMALL_PART * s->impulse));
    for (int m = 0; m < PERP_MEASURES; m++) {
        perp_mark *mark = &s->marks[m];
        if (is_count(m) || !step->at[m].seen)
            continue;
        double value = perp_certificate_is_sum(m) ? sum_of(c, m, scale) : step->at[m].value;
        mark->seen++;
        mark->last = value;
        if (perp_certificate_is_sum(m) || !(value <= mark->value))
            mark->value = value;
        cross(c, m, value, c->t);
    }
}

void perp_certificate_failed(perp_certificate *c, perp_status status, double t)
{
    c->sums.stopped = (long)status;
    c->sums.stopped_step = c->index;
    c->sums.stopped_t = t;
}

void perp_certificate_stepped(perp_certificate *c, perp_status status, int halved)
{
    int infeasible = status == PERP_INFEASIBLE_STEP;
    const double now[] = {status != PERP_SOLVED && !infeasible, infeasible, halved};
    perp_certificate_sums *s = &c->sums;
    s->stopped = (long)PERP_SOLVED; /* what failed before was done otherwise */
    s->steps++;
    for (int m = PERP_MEASURE_unsolved; m <= PERP_MEASURE_halved; m++) {
        perp_mark *mark = &s->marks[m];
        mark->seen++;
        mark->last = now[m];
        mark->value += now[m];
        cross(c, m, mark->value, c->t);
    }
}
