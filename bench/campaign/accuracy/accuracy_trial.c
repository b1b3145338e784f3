/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/accuracy/accuracy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/campaign/run_record.h"
#include "bench/campaign/solve_clock.h"

/* A model with its simulation. */
typedef struct trial {
    perp_model *model;
    perp_sim *sim;
    perp_system_id mass;
    perp_accuracy_track track;
} trial;

/* "name=value name=value"; or names that take the tolerance or, after "sqrt:", its square root. */
static perp_status set_all(perp_scheme *scheme, const char *names, double tol)
{
    static const char root[] = "sqrt:";
    char copy[256], text[40], *next = NULL;
    snprintf(copy, sizeof copy, "%s", names ? names : "");
    for (char *word = strtok_r(copy, " ", &next); word; word = strtok_r(NULL, " ", &next)) {
        char *equal = strchr(word, '=');
        int is_root = !strncmp(word, root, sizeof root - 1);
        if (equal)
            *equal = '\0';
        snprintf(text, sizeof text, "%.17g", is_root ? sqrt(tol) : tol);
        perp_status status = perp_scheme_set(scheme, is_root ? word + sizeof root - 1 : word,
                                             equal ? equal + 1 : text);
        if (status != PERP_SOLVED)
            return status;
    }
    return PERP_SOLVED;
}

static perp_status scheme_of(perp_scheme *scheme, const perp_accuracy_series *series, double tol)
{
    perp_status status = perp_scheme_init(scheme, series->scheme, sizeof *scheme);
    if (status == PERP_SOLVED)
        status = set_all(scheme, series->set, NAN);
    return status == PERP_SOLVED ? set_all(scheme, series->tols, tol) : status;
}

static perp_status open_trial(trial *t, const perp_accuracy_series *series,
                              const perp_impacts_motion *motion, int steps, double tol)
{
    perp_scheme scheme;
    perp_sim_options options;
    perp_settings settings;
    perp_interaction_id contact;
    memset(t, 0, sizeof *t);
    perp_sim_options_init(&options, sizeof options);
    perp_settings_init(&settings, sizeof settings);
    options.settings = &settings;
    options.h = motion->example->end / steps;
    settings.tol = 1e-13;
    options.newton_tol = 1e-13;
    perp_status status = scheme_of(&scheme, series, tol);
    if (status == PERP_SOLVED)
        status = perp_model_create(&t->model, NULL);
    if (status == PERP_SOLVED)
        status = perp_impacts_add(t->model, motion->example, &t->mass, &contact);
    if (status == PERP_SOLVED)
        status = perp_sim_create(&t->sim, t->model, &options, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_sim_set_scheme(t->sim, t->mass, &scheme);
    return status == PERP_SOLVED ? perp_sim_check(t->sim) : status;
}

static void close_trial(trial *t)
{
    perp_sim_destroy(t->sim);
    perp_model_destroy(t->model);
    perp_accuracy_track_free(&t->track);
}

static void keep(trial *t, double time)
{
    double *q, *v;
    if (perp_model_state(t->model, t->mass, &q, &v, NULL, NULL) == PERP_SOLVED)
        perp_accuracy_track_add(&t->track, time, *q, *v);
}

static int at_instant(void *ctx, perp_sim *sim, perp_model *model, const perp_instant *instant)
{
    (void)sim, (void)model;
    keep(ctx, instant->t);
    return 0;
}

static void add_info(perp_accuracy_point *point, const perp_step_info *info)
{
    point->steps += info->inner > 0 ? info->inner : 1;
    point->rejected += info->rejected;
    point->evaluations += (double)info->evaluations;
    point->events += info->events;
}

/* All steps; the point, if any, receives their numbers. */
static perp_status run(trial *t, const perp_accuracy *a, int steps, perp_accuracy_point *point)
{
    perp_status status = PERP_SOLVED;
    for (int k = 0; k < steps; k++) {
        long before = perp_sim_info(t->sim)->step;
        status = perp_sim_step(t->sim);
        const perp_step_info *info = perp_sim_info(t->sim);
        if (status < 0 || info->step == before)
            return status;
        if (point)
            add_info(point, info);
        if (a->stop())
            return PERP_INTERRUPTED;
    }
    return PERP_SOLVED;
}

static int refused(perp_accuracy_point *point, const perp_accuracy *a, const trial *t,
                   perp_status status)
{
    const perp_step_info *info = t->sim ? perp_sim_info(t->sim) : NULL;
    perp_bench_status_word(point->status, sizeof point->status, status);
    if (info && info->detail[0])
        snprintf(point->note, sizeof point->note, "t = %.6g: %s", info->t, info->detail);
    else
        snprintf(point->note, sizeof point->note, "%s", perp_status_text(status));
    if (a->stop())
        return -1;
    return status == PERP_ERR_UNSUPPORTED ? 1 : 2;
}

/* The fastest of the repeats, fewer of them where they take long. */
static double seconds_of(const perp_accuracy *a, const perp_accuracy_series *series,
                         const perp_impacts_motion *motion, int steps, double tol)
{
    double best = INFINITY, spent = 0.0;
    for (int r = 0; r < a->repeats && (r == 0 || spent < 0.5) && !a->stop(); r++) {
        trial t;
        if (open_trial(&t, series, motion, steps, tol) == PERP_SOLVED) {
            perp_bench_stopwatch start = perp_bench_start();
            run(&t, a, steps, NULL);
            double one = perp_bench_seconds_since(start);
            best = fmin(best, one);
            spent += one;
        }
        close_trial(&t);
    }
    return best;
}

int perp_accuracy_trial(perp_accuracy_point *point, const perp_accuracy *a,
                        const perp_impacts_motion *motion, int steps, double tol)
{
    const perp_accuracy_series *series = &a->series[point->series];
    trial t;
    double error[PERP_ACCURACY_ERRORS];
    int how = 0;
    perp_status status = open_trial(&t, series, motion, steps, tol);
    if (status == PERP_SOLVED) {
        perp_sim_set_at_instants(t.sim, at_instant, &t);
        keep(&t, 0.0);
        status = run(&t, a, steps, point);
    }
    if (status == PERP_SOLVED)
        status = perp_accuracy_errors(error, &t.track, motion);
    if (status != PERP_SOLVED)
        how = refused(point, a, &t, status);
    for (int k = 0; how == 0 && k < PERP_ACCURACY_ERRORS; k++)
        point->error[k] += error[k];
    close_trial(&t);
    if (how == 0)
        point->seconds += seconds_of(a, series, motion, steps, tol);
    return a->stop() ? -1 : how;
}
