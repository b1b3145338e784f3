/* SPDX-License-Identifier: BSD-3-Clause */
/* What an interaction carries from step to step goes to another process as bytes: joints with their
 * turns, contacts as the detection finds them there; reactions of joints whose bodies are
 * elsewhere. */
#include <check.h>
#include <math.h>
#include <string.h>

#include <perp/collide.h>
#include <perp/sim.h>

/* Two bodies on a pivot of the world and one between them, and a ball on a floor. */
typedef struct joined {
    perp_model *model;
    perp_collider *collider;
    perp_sim *sim;
    perp_system_id body[3];
    perp_interaction_id angle, pivot;
    const void *given; /* bytes of the contact of the process that had it */
    size_t bytes;
    int asked;
} joined;

static int none(void *ctx, double *x, int n)
{
    (void)ctx, (void)x, (void)n;
    return 0;
}

static void add_pivot(joined *w, perp_interaction_id *id, perp_joint kind)
{
    perp_interaction_def def;
    perp_interaction_def_init(&def, sizeof def);
    def.systems = w->body;
    def.nsystems = 2;
    def.relation.kind = PERP_RELATION_JOINT;
    def.relation.joint = kind;
    def.relation.rows = kind == PERP_JOINT_ANGLE ? 1 : 5;
    def.relation.side = kind == PERP_JOINT_ANGLE ? 1 : 0;
    def.relation.axis[1] = 1.0;
    def.relation.anchor[2] = 1.0;
    def.law = kind == PERP_JOINT_ANGLE ? perp_law_motor(40.0, 100.0) : perp_law_equality();
    ck_assert_int_eq(perp_model_add_interaction(w->model, &def, id, NULL), PERP_SOLVED);
}

static void open_joined(joined *w)
{
    const double point[3] = {0}, up[3] = {0.0, 0.0, 1.0};
    perp_sim_options options;
    memset(w, 0, sizeof *w);
    perp_sim_options_init(&options, sizeof options);
    options.h = 5e-3;
    ck_assert_int_eq(perp_model_create(&w->model, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_create(&w->collider, w->model, NULL), PERP_SOLVED);
    perp_collider_set_material(w->collider, 0, 0, 0.0, 0.4);
    perp_collider_add_plane(w->collider, point, up, NULL, NULL);
    for (int k = 0; k < 3; k++) {
        perp_body_def def;
        perp_body_def_init(&def, sizeof def);
        def.mass = 1.0 + k;
        for (int i = 0; i < 3; i++)
            def.inertia[4 * i] = 0.01 * (1 + k);
        def.position[0] = k < 2 ? 0.3 * k : 5.0;
        def.position[2] = k < 2 ? 1.0 : 0.1;
        def.force[2] = k < 2 ? 0.0 : -9.81 * def.mass;
        ck_assert_int_eq(perp_model_add_body(w->model, &def, &w->body[k], NULL), PERP_SOLVED);
    }
    perp_collider_add_sphere(w->collider, w->body[2], 0.1, NULL, NULL, NULL);
    add_pivot(w, &w->pivot, PERP_JOINT_PIVOT);
    add_pivot(w, &w->angle, PERP_JOINT_ANGLE);
    ck_assert_int_eq(perp_sim_create(&w->sim, w->model, &options, NULL, NULL), PERP_SOLVED);
    perp_sim_set_before_step(w->sim, perp_collider_step, w->collider);
}

static void close_joined(joined *w)
{
    perp_sim_destroy(w->sim);
    perp_collider_destroy(w->collider);
    perp_model_destroy(w->model);
}

static void steps(joined *w, int count)
{
    for (int k = 0; k < count; k++)
        ck_assert_msg(perp_sim_step(w->sim) == PERP_SOLVED, "%s", perp_sim_info(w->sim)->detail);
}

static void part(joined *w)
{
    perp_sim_parts parts = {.size = sizeof parts, .total = none};
    ck_assert_int_eq(perp_sim_set_parts(w->sim, &parts), PERP_SOLVED);
}

static void be(joined *w, int body, perp_presence presence)
{
    ck_assert_int_eq(perp_model_set_presence(w->model, w->body[body], presence), PERP_SOLVED);
}

static void copy_states(joined *to, const joined *from, int first, int last)
{
    for (int k = first; k <= last; k++) {
        double *q[2], *v[2];
        perp_model_state(from->model, from->body[k], &q[0], &v[0], NULL, NULL);
        perp_model_state(to->model, to->body[k], &q[1], &v[1], NULL, NULL);
        memcpy(q[1], q[0], 7 * sizeof(double));
        memcpy(v[1], v[0], 6 * sizeof(double));
    }
}

static double angle_of(const joined *w)
{
    const double *y = NULL;
    perp_model_output(w->model, w->angle, &y, NULL, NULL, NULL, NULL);
    return y[0];
}

static void copy_interaction(joined *to, const joined *from, perp_interaction_id id)
{
    unsigned char bytes[2048];
    size_t size = 0, wanted;
    ck_assert_int_eq(perp_sim_save_interaction(from->sim, id, NULL, &size), PERP_SOLVED);
    ck_assert_uint_gt(size, 0);
    ck_assert_uint_le(size, sizeof bytes);
    wanted = size - 1;
    ck_assert_int_eq(perp_sim_save_interaction(from->sim, id, bytes, &wanted), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_save_interaction(from->sim, id, bytes, &size), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_load_interaction(to->sim, id, bytes, size - 1), PERP_ERR_FORMAT);
    ck_assert_int_eq(perp_sim_load_interaction(to->sim, id, bytes, size), PERP_SOLVED);
}

/* The joint comes to a process that had not seen it turn: it goes on beyond the turns it made. */
START_TEST(joint_that_turned)
{
    joined first, second;
    perp_reaction here = {.size = sizeof here}, there = here;
    open_joined(&first);
    open_joined(&second);
    part(&second);
    be(&second, 0, PERP_PRESENCE_ABSENT);
    be(&second, 1, PERP_PRESENCE_ABSENT);
    steps(&first, 100);
    steps(&second, 100);
    ck_assert_double_gt(fabs(angle_of(&first)), 10.0);
    ck_assert_double_lt(fabs(angle_of(&second)), 1e-9);
    copy_states(&second, &first, 0, 1);
    copy_interaction(&second, &first, first.pivot);
    copy_interaction(&second, &first, first.angle);
    ck_assert_double_eq(angle_of(&second), angle_of(&first));
    /* Its bodies are not here, and its reaction is known all the same. */
    ck_assert_int_eq(perp_sim_reaction(first.sim, first.pivot, &here), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_reaction(second.sim, second.pivot, &there), PERP_SOLVED);
    ck_assert_double_gt(fabs(here.force[0]) + fabs(here.force[2]), 1.0);
    for (int k = 0; k < 3; k++)
        ck_assert_double_eq(here.force[k], there.force[k]);
    be(&second, 0, PERP_PRESENCE_OWN);
    be(&second, 1, PERP_PRESENCE_OWN);
    perp_model_changed(second.model);
    steps(&first, 20);
    steps(&second, 20);
    ck_assert_double_eq_tol(angle_of(&second), angle_of(&first), 1e-6);
    close_joined(&first);
    close_joined(&second);
}
END_TEST

static void arrives(void *ctx, perp_shape_id first, perp_shape_id second, int feature,
                    perp_interaction_id interaction)
{
    joined *w = ctx;
    w->asked++;
    ck_assert_int_eq(first.index, 1); /* the ball; the plane was added before it */
    ck_assert_int_eq(second.index, 0);
    ck_assert_int_eq(feature, 0);
    ck_assert_int_eq(perp_sim_load_interaction(w->sim, interaction, w->given, w->bytes),
                     PERP_SOLVED);
}

/* A contact that is detected in another process begins with the impulse that it had. */
START_TEST(contact_that_rested)
{
    joined first, second;
    unsigned char bytes[2048];
    const double *lambda[2];
    perp_contact_info info = {.size = sizeof info};
    open_joined(&first);
    open_joined(&second);
    part(&second);
    be(&second, 2, PERP_PRESENCE_ABSENT);
    steps(&first, 10);
    steps(&second, 10);
    ck_assert_int_eq(perp_collider_contacts(second.collider), 0);
    ck_assert_int_eq(perp_collider_contact(first.collider, 0, &info), PERP_SOLVED);
    second.bytes = sizeof bytes;
    ck_assert_int_eq(perp_sim_save_interaction(first.sim, info.interaction, bytes, &second.bytes),
                     PERP_SOLVED);
    second.given = bytes;
    perp_model_output(first.model, info.interaction, NULL, NULL, &lambda[0], NULL, NULL);
    copy_states(&second, &first, 2, 2);
    be(&second, 2, PERP_PRESENCE_OWN);
    perp_collider_set_on_new(second.collider, arrives, &second);
    ck_assert_int_eq(perp_collider_detect(second.collider, perp_sim_time(second.sim), 5e-3),
                     PERP_SOLVED);
    ck_assert_int_eq(second.asked, 1);
    ck_assert_int_eq(perp_collider_contact(second.collider, 0, &info), PERP_SOLVED);
    perp_model_output(second.model, info.interaction, NULL, NULL, &lambda[1], NULL, NULL);
    ck_assert_double_gt(lambda[0][0], 0.0);
    ck_assert_double_eq(lambda[0][0], lambda[1][0]);
    steps(&second, 1); /* it is no new one to the next detection */
    ck_assert_int_eq(second.asked, 1);
    close_joined(&first);
    close_joined(&second);
}
END_TEST

START_TEST(systems_of_interactions)
{
    joined w;
    perp_system_id systems[2] = {{9, 9}, {9, 9}};
    unsigned char bytes[8] = {0};
    size_t size = sizeof bytes;
    open_joined(&w);
    ck_assert_int_eq(perp_model_interaction_systems(w.model, w.pivot, systems, 2), 2);
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(systems[k].index, w.body[k].index);
        ck_assert_int_eq(systems[k].generation, w.body[k].generation);
    }
    ck_assert_int_eq(perp_model_interaction_systems(w.model, w.pivot, NULL, 0), 2);
    ck_assert_int_eq(
        perp_model_interaction_systems(w.model, (perp_interaction_id){99, 1}, systems, 2), 0);
    ck_assert_int_eq(perp_sim_save_interaction(w.sim, (perp_interaction_id){99, 1}, bytes, &size),
                     PERP_ERR_STATE);
    ck_assert_int_eq(perp_sim_load_interaction(w.sim, (perp_interaction_id){99, 1}, bytes, size),
                     PERP_ERR_STATE);
    ck_assert_int_eq(perp_sim_load_interaction(w.sim, w.pivot, bytes, sizeof bytes),
                     PERP_ERR_FORMAT);
    ck_assert_int_eq(perp_sim_save_interaction(w.sim, w.pivot, bytes, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_scheme_chooses_instants("event-driven"), 1);
    ck_assert_int_eq(perp_scheme_chooses_instants("discrete-gradient"), 0);
    ck_assert_int_eq(perp_scheme_chooses_instants("no such"), 0);
    close_joined(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("interaction state");
    TCase *tc = tcase_create("interaction state");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, joint_that_turned);
    tcase_add_test(tc, contact_that_rested);
    tcase_add_test(tc, systems_of_interactions);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
