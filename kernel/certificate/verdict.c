/* SPDX-License-Identifier: BSD-3-Clause */
/* Thresholds, and what follows from the sums of a run. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/float_environment.h"
#include "kernel/certificate/certificate.h"
#include "numerics/core/option_table.h"
#include "numerics/core/sized.h"

static const perp_option options[] = {
#define PERP_MEASURE(name, verified, remarks, text)                                                \
    PERP_OPTION_REAL(perp_thresholds, name, verified, 0.0, 1e300, text)                            \
    PERP_OPTION_REAL(perp_thresholds, name##_remarks, remarks, 0.0, 1e300, text)
#include <perp/verdict.def>
#undef PERP_MEASURE
};

static const perp_option_table table = {options, sizeof options / sizeof options[0], NULL};

static const struct {
    const char *name, *text;
} measures[] = {
#define PERP_MEASURE(name, verified, remarks, text) {#name, text},
#include <perp/verdict.def>
#undef PERP_MEASURE
};

_Static_assert(sizeof(perp_thresholds) == sizeof(size_t) + 2 * PERP_MEASURES * sizeof(double),
               "thresholds are found by number");

void perp_thresholds_init(perp_thresholds *thresholds, size_t size)
{
    perp_thresholds own = {.size = sizeof own};
    perp_options_default(&table, &own);
    perp_sized_init(thresholds, size, &own, sizeof own);
}

perp_status perp_thresholds_set(perp_thresholds *thresholds, const char *name, const char *value)
{
    PERP_HOLD_ENVIRONMENT();
    if (!thresholds || !name || !value)
        return PERP_ERR_ARGUMENT;
    return perp_option_set(&table, thresholds, name, value);
}

const perp_setting_info *perp_threshold_at(int k)
{
    const perp_option *option = perp_option_at(&table, k);
    return option ? &option->info : NULL;
}

perp_status perp_certificate_set(perp_certificate *c, const perp_thresholds *callers)
{
    perp_thresholds own;
    perp_thresholds_init(&own, sizeof own);
    if (perp_sized_read(&own, sizeof own, callers) != PERP_SOLVED ||
        perp_options_check(&table, &own))
        return PERP_ERR_SETTING;
    c->thresholds = own;
    return PERP_SOLVED;
}

const char *perp_verdict_name(perp_verdict_kind kind)
{
    static const char *const names[] = {"verified", "done with remarks", "not verified"};
    return (int)kind >= 0 && kind <= PERP_VERDICT_NOT_VERIFIED ? names[kind] : NULL;
}

/* Those that need the equation of motion, or impulses, which some schemes do not state. */
int perp_certificate_is_silent(const perp_certificate *c, int m)
{
    int impulses = m == PERP_MEASURE_contact_work || m == PERP_MEASURE_joint_work ||
                   m == PERP_MEASURE_law || m == PERP_MEASURE_impacts || m == PERP_MEASURE_momentum;
    int both = m == PERP_MEASURE_dynamics || m == PERP_MEASURE_energy || m == PERP_MEASURE_rises;
    int energies = m == PERP_MEASURE_energy || m == PERP_MEASURE_rises ||
                   m == PERP_MEASURE_contact_work || m == PERP_MEASURE_joint_work;
    if (energies && c->sums.silent_energy > 0)
        return 1;
    return ((impulses || both) && c->sums.silent_impulse > 0) ||
           (both && c->sums.silent_motion > 0);
}

void perp_certificate_figure(const perp_certificate *c, int k, perp_figure *figure)
{
    const double *threshold = &c->thresholds.unsolved + 2 * k;
    const perp_mark *mark = &c->sums.marks[k];
    *figure = (perp_figure){.size = sizeof *figure,
                            .name = measures[k].name,
                            .text = measures[k].text,
                            .known = mark->seen > 0 && !perp_certificate_is_silent(c, k),
                            .value = mark->value,
                            .last = mark->last,
                            .verified = threshold[0],
                            .remarks = threshold[1],
                            .where = {NULL, -1, -1},
                            .systems = {-1, -1}};
    /* Sums over the steps that were told are nothing beside a scale of which parts are lacking. */
    if (perp_certificate_is_silent(c, k) && perp_certificate_is_sum(k))
        return;
    int level = mark->value <= threshold[1] ? mark->value <= threshold[0] ? -1 : 0 : 1;
    figure->kind = (perp_verdict_kind)(level + 1);
    if (level < 0)
        return;
    figure->step = mark->step[level];
    figure->t = mark->t[level];
    const perp_place *place = &mark->place[level];
    if (mark->step[level] == 0 || place->what == PERP_PLACE_NONE)
        return;
    figure->where.what = place->what == PERP_PLACE_SYSTEM ? "system" : "interaction";
    figure->where.index = place->slot;
    figure->systems[0] = place->systems[0];
    figure->systems[1] = place->systems[1];
}

/* Of measure k beside its second threshold; negative: nothing.  speaks: no measure is silent.
 * *failed: it failed in this step. */
static double over(const perp_certificate *c, int k, int speaks, int *failed)
{
    double remarks = (&c->thresholds.unsolved + 2 * k)[1];
    const perp_mark *mark = &c->sums.marks[k];
    int fails = mark->step[1] == c->index && !(mark->value <= remarks);

    if (mark->last == 0.0 && !fails) /* as most of them */
        return -1.0;
    int silent = !speaks && perp_certificate_is_silent(c, k);
    double value = mark->seen > 0 && !silent && remarks > 0.0 ? mark->last / remarks : 0.0;
    fails = fails && !(silent && perp_certificate_is_sum(k));

    *failed |= fails;
    if (fails && !(value > 1.0))
        value = remarks > 0.0 ? mark->value / remarks : 2.0;
    return isfinite(value) ? value : -1.0;
}

void perp_certificate_step_figure(const perp_certificate *c, perp_step_figure *figure)
{
    const perp_certificate_sums *s = &c->sums;
    int speaks = s->silent_motion == 0 && s->silent_impulse == 0 && s->silent_energy == 0;
    *figure = (perp_step_figure){.size = sizeof *figure, .measure = -1};
    for (int k = 0; k < PERP_MEASURES; k++) {
        double value = over(c, k, speaks, &figure->failed);
        if (value > figure->over) {
            figure->over = value;
            figure->measure = k;
        }
    }
}

/* The measure that the verdict is owed to, and was the first of them. */
static void judge(const perp_certificate *c, perp_verdict *verdict)
{
    for (int k = 0; k < PERP_MEASURES; k++) {
        perp_figure figure;
        perp_certificate_figure(c, k, &figure);
        verdict->unknown += perp_certificate_is_silent(c, k);
        if (figure.kind < verdict->kind || figure.kind == PERP_VERDICT_VERIFIED ||
            (figure.kind == verdict->kind && verdict->first && figure.step >= verdict->step))
            continue;
        verdict->kind = figure.kind;
        verdict->first = figure.name;
        verdict->step = figure.step;
        verdict->t = figure.t;
        verdict->where = figure.where;
        verdict->systems[0] = figure.systems[0];
        verdict->systems[1] = figure.systems[1];
    }
    if (c->sums.stopped) {
        if (verdict->kind != PERP_VERDICT_NOT_VERIFIED) {
            int infeasible = c->sums.stopped == PERP_INFEASIBLE_STEP;
            verdict->first =
                measures[infeasible ? PERP_MEASURE_infeasible : PERP_MEASURE_unsolved].name;
            verdict->step = c->sums.stopped_step;
            verdict->t = c->sums.stopped_t;
            verdict->where = (perp_where){NULL, -1, -1};
        }
        verdict->kind = PERP_VERDICT_NOT_VERIFIED;
    }
    if (verdict->unknown && verdict->kind == PERP_VERDICT_VERIFIED)
        verdict->kind = PERP_VERDICT_REMARKS;
}

void perp_certificate_verdict(const perp_certificate *c, perp_verdict *verdict)
{
    const perp_certificate_sums *s = &c->sums;
    *verdict = (perp_verdict){.size = sizeof *verdict,
                              .steps = s->steps,
                              .stopped = (perp_status)s->stopped,
                              .where = {NULL, -1, -1},
                              .systems = {-1, -1},
                              .scale = perp_certificate_scale(c),
                              .kinetic = s->kinetic,
                              .potential = s->highest - s->lowest,
                              .contact = s->contact,
                              .external = s->external,
                              .balance = s->balance,
                              .joint = s->joint,
                              .stage = s->stage,
                              .projected = s->projected};
    judge(c, verdict);
}
