/* SPDX-License-Identifier: BSD-3-Clause */
/* The cam follower of [SDN] chapter 14 at 358, 660 and 700 rpm by the event-driven scheme and by
 * Moreau-Jean: motions, their periods, sections at the impacts and once a revolution, and what
 * becomes of the attractor over the speed.
 *
 *     cam_poincare [FILE.csv [REVOLUTIONS [SPEEDS]]]
 *
 * Rows of the file: part (1 motion, 2 impact, 3 stroboscope, 4 speeds), scheme (0 event-driven, 1
 * Moreau-Jean with h = 1e-4 s, 2 the same with 909 steps a revolution), rpm, t, angle of the cam
 * in degrees, gap, dy/dt (before the impact), q, v. */
#include <stdio.h>
#include <stdlib.h>

#include "cam.h"

enum { MOTION = 1, IMPACT, STROBOSCOPE, SPEEDS };
enum { EVENT_DRIVEN, STEPS, WHOLE_STEPS };
static const char *const names[] = {"event-driven", "moreau-jean", "moreau-jean, T/h whole"};

typedef struct run {
    perp_model *model;
    perp_sim *sim;
    perp_system_id follower;
    perp_interaction_id cam;
    double turns, skip;
    double *q, *v;
    const double *y, *u, *impulse;
    FILE *csv;
    int scheme, part;
    long impacts, evaluations;
    double lowest; /* y at all instants that were seen */
    double *gap;   /* at the end of each turn */
    long turned;
} run;

static void row(const run *r, int part, double t, double y, double u, double v)
{
    double rate;
    if (r->csv && t >= r->skip)
        fprintf(r->csv, "%d,%d,%g,%.6f,%.4f,%.6g,%.6g,%.6g,%.6g\n", part, r->scheme, 60 * r->turns,
                t, 360 * fmod(t * r->turns, 1), y, u, y + cam_height(&rate, t, r->turns), v);
}

static void look(run *r)
{
    perp_model_output(r->model, r->cam, &r->y, &r->u, &r->impulse, NULL, NULL);
    r->lowest = fmin(r->lowest, r->y[0]);
}

static int at_instant(void *ctx, perp_sim *sim, perp_model *model, const perp_instant *at)
{
    run *r = ctx;
    (void)sim, (void)model;
    look(r);
    if (at->kind == PERP_INSTANT_BEFORE) {
        r->impacts++;
        if (r->part != MOTION)
            row(r, r->part == SPEEDS ? SPEEDS : IMPACT, at->t, r->y[0], r->u[0], r->v[0]);
    }
    return 0;
}

static void finish(run *r)
{
    perp_sim_destroy(r->sim);
    perp_model_destroy(r->model);
    free(r->gap);
}

/* Chapter 14 begins 0.4 m above the cam, upwards. */
static perp_status start(run *r, int scheme, int part, double rpm, double h, FILE *csv)
{
    perp_sim_options options;
    perp_scheme choice;
    double rate;
    *r = (run){.scheme = scheme, .part = part, .turns = rpm / 60, .csv = csv};
    perp_sim_options_init(&options, sizeof options);
    options.h = h;
    perp_status status =
        perp_scheme_init(&choice, scheme ? "moreau-jean" : "event-driven", sizeof choice);
    choice.atol = choice.rtol = 1e-9;
    if (status == PERP_SOLVED)
        status = perp_model_create(&r->model, NULL);
    if (status == PERP_SOLVED)
        status = cam_make(r->model, r->turns, 0.4 + cam_height(&rate, 0, r->turns), 0.4,
                          &r->follower, &r->cam);
    if (status == PERP_SOLVED)
        status = perp_sim_create(&r->sim, r->model, &options, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_sim_set_scheme(r->sim, (perp_system_id){0, 0}, &choice);
    if (status == PERP_SOLVED)
        status = perp_model_state(r->model, r->follower, &r->q, &r->v, NULL, NULL);
    if (status == PERP_SOLVED && scheme == EVENT_DRIVEN)
        perp_sim_set_at_instants(r->sim, at_instant, r);
    return status;
}

/* One step; the impacts of Moreau-Jean are the steps with an impulse against a gap that closed
 * faster than the follower is thrown back by resting contact. */
static perp_status advance(run *r)
{
    double u = r->u ? r->u[0] : 0, v = r->v[0];
    perp_status status = perp_sim_step(r->sim);
    look(r);
    r->evaluations += perp_sim_info(r->sim)->evaluations;
    if (r->scheme != EVENT_DRIVEN && r->impulse[0] > 0 && u < -0.02) {
        r->impacts++;
        if (r->part != MOTION)
            row(r, IMPACT, perp_sim_time(r->sim), r->y[0], u, v);
    }
    return status;
}

/* One revolution, the number k of them made so far; the steps of a scheme need not fit into it.
 * The state at its end is interpolated. */
static perp_status turn(run *r, long k)
{
    double t = (double)(k + 1) / r->turns, rate, q = r->q[0], v = r->v[0], h = 0;
    perp_status status = PERP_SOLVED;
    while (perp_sim_time(r->sim) < t - 1e-9 && status == PERP_SOLVED) {
        q = r->q[0];
        v = r->v[0];
        h = perp_sim_time(r->sim);
        status = advance(r);
    }
    h = perp_sim_time(r->sim) - h;
    double part = h > 0 ? (perp_sim_time(r->sim) - t) / h : 0;
    q = r->q[0] - part * (r->q[0] - q);
    v = r->v[0] - part * (r->v[0] - v);
    double y = q - cam_height(&rate, t, r->turns);
    if (r->part == STROBOSCOPE)
        row(r, STROBOSCOPE, t, y, v - rate, v);
    if (r->gap)
        r->gap[r->turned++] = y;
    return status;
}

/* Turns after which the motion comes back within tol, 0 where it does not. */
static long period(const run *r, double tol)
{
    const double *last = r->gap + r->turned;
    for (long p = 1; 2 * p + 50 <= r->turned; p++) {
        long i = 1;
        while (i <= p + 50 && fabs(last[-i] - last[-i - p]) < tol)
            i++;
        if (i > p + 50)
            return p;
    }
    return 0;
}

/* The smallest distance between the gap at the end of `a` and those of the last turns of `b`. */
static double apart(const run *a, const run *b)
{
    double least = HUGE_VAL;
    for (long i = 1; i <= 30; i++)
        least = fmin(least, fabs(a->gap[a->turned - 1] - b->gap[b->turned - i]));
    return least;
}

/* Both schemes over 20 s from the same start; *worst: how far their coordinates are apart in the
 * first half second, steps: of Moreau-Jean in 0.5 ms. */
static perp_status motions(double *worst, double rpm, int steps, FILE *csv)
{
    run a = {0}, b = {0};
    perp_status status = start(&a, EVENT_DRIVEN, MOTION, rpm, 5e-4, csv);
    if (status == PERP_SOLVED)
        status = start(&b, STEPS, MOTION, rpm, 5e-4 / steps, csv);
    *worst = 0;
    for (int k = 1; k <= 40000 && status == PERP_SOLVED; k++) {
        status = advance(&a);
        for (int i = 0; i < steps && status == PERP_SOLVED; i++)
            status = advance(&b);
        if (k <= 1000)
            *worst = fmax(*worst, fabs(a.q[0] - b.q[0]));
        if (k > 4000 && k <= 38000)
            continue;
        row(&a, MOTION, 5e-4 * k, a.y[0], a.u[0], a.v[0]);
        row(&b, MOTION, 5e-4 * k, b.y[0], b.u[0], b.v[0]);
    }
    finish(&a);
    finish(&b);
    return status;
}

/* Sections of one scheme after `skip` revolutions; the run is left to the caller. */
static perp_status sections(run *r, int scheme, double rpm, long turns, long skip, FILE *csv)
{
    double length = 60 / rpm, h = scheme == EVENT_DRIVEN ? length / 4 : 1e-4;
    if (scheme == WHOLE_STEPS)
        h = length / rint(length / 1e-4);
    perp_status status = start(r, scheme, STROBOSCOPE, rpm, h, csv);
    r->skip = (double)skip / r->turns;
    r->gap = malloc(sizeof(double) * (size_t)turns);
    if (!r->gap)
        status = PERP_ERR_MEMORY;
    for (long k = 0; k < turns && status == PERP_SOLVED; k++)
        status = turn(r, k);
    long p = status == PERP_SOLVED ? period(r, scheme == STEPS ? 0.02 : 1e-6) : 0;
    printf("  %-22s %5.2f impacts and %5.0f evaluations a turn, lowest gap %8.1e, ", names[scheme],
           (double)r->impacts / (double)turns, (double)r->evaluations / (double)turns, r->lowest);
    printf(p ? "period %ld\n" : "no period\n", p);
    return status;
}

/* What is left after 300 turns at each of count speeds. */
static void speeds(int count, FILE *csv)
{
    for (int k = 0; k < count; k++) {
        run r;
        double rpm = 300 + 420.0 * k / count;
        perp_status status = start(&r, EVENT_DRIVEN, SPEEDS, rpm, 60 / rpm / 4, csv);
        r.skip = 300 / r.turns;
        for (long n = 0; n < 340 && status == PERP_SOLVED; n++)
            status = turn(&r, n);
        if (status != PERP_SOLVED)
            printf("%g rpm ends at %g s: %s\n", rpm, perp_sim_time(r.sim),
                   perp_sim_info(r.sim)->detail);
        finish(&r);
    }
}

/* Exits with 1 where a run failed or an attractor is another one than chapter 14 shows. */
int main(int argc, char **argv)
{
    const double rpm[3] = {358, 660, 700};
    const long expected[3] = {3, 0, 1};
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    long turns = argc > 2 ? atol(argv[2]) : 300;
    int bad = 0;
    double far, near;
    run r[3];
    if (csv)
        fprintf(csv, "part,scheme,rpm,t,angle,gap,u,q,v\n");
    for (int k = 0; k < 3; k++) {
        long count = rpm[k] == 660 ? turns : 300;
        bad |= motions(&far, rpm[k], 5, csv) != PERP_SOLVED;
        bad |= motions(&near, rpm[k], 50, NULL) != PERP_SOLVED;
        printf(
            "%g rpm: event-driven and moreau-jean differ by %.1e m with h = 1e-4 s and by %.1e m "
            "with 1e-5 s\n  in the first half second\n",
            rpm[k], far, near);
        for (int s = EVENT_DRIVEN; s <= WHOLE_STEPS; s++)
            bad |= sections(&r[s], s, rpm[k], count, 200, csv) != PERP_SOLVED;
        if (bad)
            return 1;
        bad |= period(&r[0], 1e-6) != expected[k];
        if (expected[k]) {
            printf("  gap once a turn: moreau-jean is off by %.1e m\n", apart(&r[2], &r[0]));
            bad |= apart(&r[2], &r[0]) > 0.02;
        }
        for (int s = EVENT_DRIVEN; s <= WHOLE_STEPS; s++)
            finish(&r[s]);
    }
    speeds(argc > 3 ? atoi(argv[3]) : 5, csv);
    bad |= csv && fclose(csv);
    return bad;
}
