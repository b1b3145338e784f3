/* SPDX-License-Identifier: BSD-3-Clause */
/* Event-driven: every grid event, and each impact twice. */
#include <math.h>

#include "tests/kernel/trajectories/ball.h"
#include "tests/kernel/trajectories/reference.h"

typedef struct follower {
    reference ref;
    rig r;
    perp_system_id ball;
    perp_interaction_id ground;
    int row;
    double before; /* velocity before the current impact */
} follower;

static int at_instant(void *ctx, perp_sim *sim, perp_model *model, const perp_instant *instant)
{
    follower *f = ctx;
    const double q = rig_q(&f->r, f->ball)[0], v = rig_v(&f->r, f->ball)[0];
    (void)sim, (void)model;
    if (instant->kind == PERP_INSTANT_BEFORE) {
        /* The file has the impulse in this row already. */
        f->before = v;
        const double row[] = {instant->t, q, v, 1.9 * -v, 0.0, 0.0, 0.0};
        reference_compare(&f->ref, f->row++, row);
    } else if (instant->kind == PERP_INSTANT_AFTER) {
        double impulse = *rig_lambda(&f->r, f->ground);
        const double row[] = {instant->t, q, v, v - f->before, 0.0, impulse, 0.0};
        reference_compare(&f->ref, f->row++, row);
    }
    return 0;
}

/* Between impacts nothing acts but the weight. */
static const reference_column seven[] = {{"t", 4.7e-12}, {"q", 2.2e-13}, {"v", 4.8e-11},
                                         {"p", 4.8e-12}, {"f", 0.0},     {"l1", 4.8e-12},
                                         {"l2", 0.0}};

START_TEST(bouncing_ball)
{
    follower f = {.row = 0};
    if (!reference_open(&f.ref, "BouncingBallED"))
        return;
    rig_init(&f.r, 0.005);
    f.ball = ball_add(&f.r, 9.81);
    f.ground = ball_on_ground(&f.r, f.ball, 0.9);
    perp_scheme scheme = rig_scheme("event-driven", "atol=1e-12 rtol=1e-12");
    rig_start(&f.r, &scheme);
    perp_sim_set_at_instants(f.r.sim, at_instant, &f);
    for (int k = 1; k <= 1700; k++) {
        rig_step(&f.r);
        const double row[] = {perp_sim_time(f.r.sim),
                              rig_q(&f.r, f.ball)[0],
                              rig_v(&f.r, f.ball)[0],
                              0.0,
                              0.0,
                              0.0,
                              0.0};
        reference_compare(&f.ref, f.row++, row);
    }
    ck_assert_int_eq(f.row, 1788);
    reference_close(&f.ref, seven, 1e-10, 0);
    rig_free(&f.r);
}
END_TEST

TCase *trajectories_events(void)
{
    TCase *tcase = tcase_create("events");
    tcase_add_test(tcase, bouncing_ball);
    return tcase;
}
