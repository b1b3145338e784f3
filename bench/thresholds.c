/* SPDX-License-Identifier: BSD-3-Clause */
/* What the thresholds of the event-driven scheme do: one of them at a time, the others at their
 * defaults.
 *
 *     thresholds
 *
 * Two examples: the ball of [ACA10], whose impacts accumulate at t = 3, up to t = 4 in steps of
 * 0.1, with the L1 error in q at instants; and a block of half width 1/4 and half height 1 that
 * rocks to rest on two corners with friction, in steps of 0.02, with the largest penetration.
 * Columns: events, impacts, evaluations, error or penetration, status where a step was not made.
 */
#include <math.h>
#include <perp/kernel.h>
#include <stdio.h>
#include <string.h>

#include "generators/exact_motions.h"
#include "generators/rocking_block.h"

typedef struct count {
    long events, impacts, evaluations;
    double worst; /* error of the ball, penetration of the block */
    perp_status status;
} count;

static perp_status add_block(perp_model *model, perp_system_id *id)
{
    const double tilt = 0.1, F[] = {0.0, -9.81, 0.0};
    const double M[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, (1.0 + half * half) / 3.0};
    const double q0[] = {0.0, half * sin(tilt) + cos(tilt), tilt};
    perp_lagrangian_def block;
    perp_lagrangian_def_init(&block, sizeof block);
    block.n = 3;
    block.q0 = q0;
    block.F = F;
    perp_mat_init_dense(&block.M, 3, 3, M, 3);
    perp_status status = perp_model_add_lagrangian(model, &block, id, NULL);
    perp_interaction_def feet;
    perp_interaction_id feet_id;
    perp_interaction_def_init(&feet, sizeof feet);
    feet.systems = id;
    feet.nsystems = 1;
    feet.relation.kind = PERP_RELATION_SCLERONOMOUS;
    feet.relation.rows = 4;
    feet.relation.h = corners;
    feet.relation.h_x = corners_q;
    feet.law = perp_law_friction(2, 0.1, 0.3);
    return status == PERP_SOLVED ? perp_model_add_interaction(model, &feet, &feet_id, NULL)
                                 : status;
}

/* Error of q at the end of each step. */
static double ball_error(perp_model *model, perp_system_id id, double t)
{
    static perp_impacts_motion exact;
    double *q, q_exact, v_exact;
    if (!exact.example)
        perp_impacts_prepare(&exact, perp_impacts_find("ball"));
    perp_impacts_at(&q_exact, &v_exact, &exact, t);
    perp_model_state(model, id, &q, NULL, NULL, NULL);
    return fabs(*q - q_exact);
}

static count run(int block, const char *name, const char *value)
{
    count sum = {0, 0, 0, 0.0, PERP_SOLVED};
    perp_model *model = NULL;
    perp_sim *sim = NULL;
    perp_system_id id;
    perp_interaction_id contact;
    perp_scheme scheme;
    perp_sim_options options;
    perp_sim_options_init(&options, sizeof options);
    options.h = block ? 0.02 : 0.1;
    sum.status = perp_model_create(&model, NULL);
    if (sum.status == PERP_SOLVED)
        sum.status = block ? add_block(model, &id)
                           : perp_impacts_add(model, perp_impacts_find("ball"), &id, &contact);
    if (sum.status == PERP_SOLVED)
        sum.status = perp_sim_create(&sim, model, &options, NULL, NULL);
    if (sum.status == PERP_SOLVED)
        sum.status = perp_scheme_init(&scheme, "event-driven", sizeof scheme);
    if (sum.status == PERP_SOLVED && name)
        sum.status = perp_scheme_set(&scheme, name, value);
    if (sum.status == PERP_SOLVED)
        sum.status = perp_sim_set_scheme(sim, (perp_system_id){0, 0}, &scheme);
    int steps = block ? 600 : 40;
    for (int k = 0; k < steps && sum.status == PERP_SOLVED; k++) {
        sum.status = perp_sim_step(sim);
        const perp_step_info *info = perp_sim_info(sim);
        sum.events += info->events;
        sum.impacts += info->impacts;
        sum.evaluations += info->evaluations;
        if (sum.status == PERP_SOLVED)
            sum.worst = fmax(sum.worst,
                             block ? info->violation : ball_error(model, id, perp_sim_time(sim)));
    }
    perp_sim_destroy(sim);
    perp_model_destroy(model);
    return sum;
}

static const struct {
    const char *name, *value[5];
} rows[] = {{NULL, {"as they are"}},
            {"gap_tol", {"1e-12", "1e-10", "1e-8", "1e-6", "1e-4"}},
            {"rate_tol", {"1e-12", "1e-10", "1e-8", "1e-6", "1e-4"}},
            {"force_tol", {"1e-12", "1e-10", "1e-8", "1e-6", "1e-4"}},
            {"zeno_time", {"0", "1e-6", "1e-3", "1e-2", "1e-1"}},
            {"zeno", {"stop"}}};

int main(void)
{
    printf(
        "| threshold | value | ball: impacts | evaluations | worst error in q | block: impacts | "
        "evaluations | penetration |\n|---|---|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        for (int j = 0; j < 5 && rows[k].value[j]; j++) {
            count side[2];
            for (int block = 0; block < 2; block++)
                side[block] = run(block, rows[k].name, rows[k].value[j]);
            printf("| %s | %s", rows[k].name ? rows[k].name : "all", rows[k].value[j]);
            for (int block = 0; block < 2; block++) {
                const count *c = &side[block];
                printf(" | %ld | %ld | ", c->impacts, c->evaluations);
                if (c->status == PERP_SOLVED)
                    printf("%.1e", c->worst);
                else
                    printf("%s", perp_status_name(c->status));
            }
            printf(" |\n");
        }
    return 0;
}
