/* SPDX-License-Identifier: BSD-3-Clause */
/* Coordinates of joints tied together: Jacobians, identities and stiffness against differences; a
 * gear, a rack, a screw, a limit on a sum of angles against closed forms over many turns. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/kernel.h>
#include <perp/rotation.h>
#include <perp/verdict.h>

#include "kernel/model/model_inside.h"
#include "kernel/relations/discrete_gradient.h"

static const double g = 9.81;

typedef struct world {
    perp_model *model;
    perp_sim *sim;
} world;

static perp_system_id body(world *w, double mass, double J, const double *place,
                           const double *force)
{
    perp_body_def def;
    perp_system_id id;
    perp_body_def_init(&def, sizeof def);
    def.mass = mass;
    for (int k = 0; k < 3; k++) {
        def.inertia[4 * k] = J * (1.0 + 0.1 * k);
        def.position[k] = place[k];
        def.force[k] = force ? force[k] : 0.0;
    }
    ck_assert_int_eq(perp_model_add_body(w->model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

static perp_interaction_id joint(world *w, perp_joint kind, perp_system_id a, const double *anchor,
                                 const double *axis, perp_law law)
{
    perp_interaction_def def;
    perp_interaction_id id;
    perp_interaction_def_init(&def, sizeof def);
    def.systems = &a;
    def.nsystems = 1;
    def.relation.kind = PERP_RELATION_JOINT;
    def.relation.joint = kind;
    def.relation.rows = perp_joint_rows(kind);
    memcpy(def.relation.anchor, anchor, sizeof def.relation.anchor);
    memcpy(def.relation.axis, axis, sizeof def.relation.axis);
    def.law = law;
    ck_assert_int_eq(perp_model_add_interaction(w->model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

static perp_joint_term term(perp_joint kind, int first, int second, const double *anchor,
                            const double *axis, double factor)
{
    perp_joint_term t = {.coordinate = kind, .first = first, .second = second, .factor = factor};
    memcpy(t.anchor, anchor, sizeof t.anchor);
    memcpy(t.axis, axis, sizeof t.axis);
    return t;
}

static perp_interaction_id couple(world *w, const perp_system_id *systems, int nsystems,
                                  const perp_joint_term *terms, int nterms, perp_law law)
{
    perp_interaction_def def;
    perp_interaction_id id;
    perp_interaction_def_init(&def, sizeof def);
    def.systems = systems;
    def.nsystems = nsystems;
    def.relation.kind = PERP_RELATION_COUPLING;
    def.relation.rows = 1;
    def.relation.terms = terms;
    def.relation.nterms = nterms;
    def.law = law;
    ck_assert_int_eq(perp_model_add_interaction(w->model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

static void start(world *w, const char *name, double h)
{
    perp_sim_options options;
    perp_scheme scheme;
    perp_sim_options_init(&options, sizeof options);
    options.h = h;
    ck_assert_int_eq(perp_sim_create(&w->sim, w->model, &options, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_scheme_init(&scheme, name, sizeof scheme), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(w->sim, (perp_system_id){0, 0}, &scheme), PERP_SOLVED);
}

static void close_world(world *w)
{
    perp_sim_destroy(w->sim);
    perp_model_destroy(w->model);
}

static const double *velocity(world *w, perp_system_id id)
{
    double *v;
    ck_assert_int_eq(perp_model_state(w->model, id, NULL, &v, NULL, NULL), PERP_SOLVED);
    return v;
}

static const double *place(world *w, perp_system_id id)
{
    double *x;
    ck_assert_int_eq(perp_model_state(w->model, id, &x, NULL, NULL, NULL), PERP_SOLVED);
    return x;
}

static double figure(world *w, const char *name)
{
    perp_figure f;
    for (int k = 0; perp_sim_figure(w->sim, k, &f, sizeof f) == PERP_SOLVED; k++)
        if (strcmp(f.name, name) == 0)
            return f.known ? f.value : -1.0;
    ck_abort_msg("no figure %s", name);
}

/* y with the systems moved along v for a time h. */
static double output_at(perp_link *link, const double *x, const double *v, double h)
{
    double moved[23], y, *to = moved;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        perp_system_move(to, s, x, v, h);
        to += s->nq;
        x += s->nq;
        v += s->nv;
    }
    ck_assert_int_eq(perp_link_output(&y, link, 0.0, moved, NULL), 0);
    return y;
}

/* Two coordinates without a mass matrix that matters. */
static perp_system_id rotor(world *w)
{
    static const double mass[4] = {2.0, 0.3, 0.3, 1.0}, q0[2] = {0.4, -0.7}, v0[2] = {0.0, 0.0};
    perp_lagrangian_def def;
    perp_system_id id;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    ck_assert_int_eq(perp_mat_init_dense(&def.M, 2, 2, mass, 2), PERP_SOLVED);
    def.q0 = q0;
    def.v0 = v0;
    ck_assert_int_eq(perp_model_add_lagrangian(w->model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

/* Three bodies, the middle one carrying both joints, and one coordinate of a system between them.
 */
START_TEST(sums_of_coordinates_have_their_derivatives)
{
    static const double places[3][3] = {{0.1, 0.2, 0.3}, {0.5, -0.2, 0.4}, {-0.3, 0.6, 0.1}};
    static const double anchor[3] = {0.2, 0.1, 0.4}, axis[3] = {0.3, 1.0, -0.2};
    static const double other[3] = {1.0, 0.4, 0.2};
    world w = {0};
    ck_assert_int_eq(perp_model_create(&w.model, NULL), PERP_SOLVED);
    perp_system_id ids[4] = {body(&w, 1.0, 0.2, places[0], NULL), rotor(&w),
                             body(&w, 2.0, 0.2, places[1], NULL),
                             body(&w, 3.0, 0.2, places[2], NULL)};
    perp_joint_term terms[4] = {
        term(_i & 1 ? PERP_JOINT_ANGLE : PERP_JOINT_SLIDE, 0, 2, anchor, axis, 1.0),
        {.lagrangian = 1, .entry = 1, .first = 1, .second = -1, .factor = 0.7},
        term(_i & 2 ? PERP_JOINT_ANGLE : PERP_JOINT_SLIDE, 3, 2, anchor, other, -2.5),
        term(PERP_JOINT_SLIDE, 3, -1, anchor, axis, 0.5)};
    perp_interaction_id id = couple(&w, ids, 4, terms, 4, perp_law_equality());
    perp_link *link = perp_model_link(w.model, id);
    double v[20], H[20], y0, y1, G[20], drift, K[400], h = 0.4, lambda = 1.3, x[23];
    for (int k = 0; k < 20; k++)
        v[k] = sin(1.0 + 2.7 * k);
    for (int k = 0, at = 0; k < 4; k++) {
        perp_system *s = perp_model_system(w.model, ids[k]);
        memcpy(s->v[PERP_GUESS], v + at, (size_t)s->nv * sizeof *v);
        perp_system_move(s->q[PERP_START], s, s->q[PERP_NOW], v + at, 0.1);
        perp_system_move(s->q[PERP_GUESS], s, s->q[PERP_START], v + at, 0.5 * h);
        perp_system_move(s->q[PERP_NOW], s, s->q[PERP_START], v + at, h);
        at += s->nv;
    }
    memcpy(x, perp_link_gather_x(link, PERP_START), sizeof x);
    perp_joint_settle(link, x);
    ck_assert_int_eq(perp_link_output(&y0, link, 0.0, x, NULL), 0);
    ck_assert_int_eq(perp_link_discrete_gradient(G, &drift, &y1, link, 0.0, h, &y0, NULL), 0);
    double sum = h * drift;
    for (int k = 0; k < 20; k++)
        sum += h * G[k] * v[k];
    ck_assert_double_eq_tol(y1 - y0, sum, 2e-15);
    ck_assert_int_eq(perp_link_jacobian(H, link, 0.0, x, NULL), 0);
    double rate = 0.0;
    for (int k = 0; k < 20; k++)
        rate += H[k] * v[k];
    ck_assert_double_eq_tol(
        rate, (output_at(link, x, v, 1e-5) - output_at(link, x, v, -1e-5)) / 2e-5, 1e-8);
    ck_assert_int_eq(perp_link_stiffness(K, link, &lambda), 1);
    memcpy(x, perp_link_gather_x(link, PERP_GUESS), sizeof x);
    double form = 0.0, e = 2e-3;
    for (int j = 0; j < 20; j++)
        for (int i = 0; i < 20; i++)
            form += v[i] * K[i + 20 * j] * v[j];
    double one =
        output_at(link, x, v, e) + output_at(link, x, v, -e) - 2 * output_at(link, x, v, 0);
    double two =
        output_at(link, x, v, 2 * e) + output_at(link, x, v, -2 * e) - 2 * output_at(link, x, v, 0);
    ck_assert_double_eq_tol(form, -0.5 * lambda * (16 * one - two) / (12 * e * e), 2e-8);
    close_world(&w);
}
END_TEST

static const double up[3] = {0.0, 0.0, 1.0}, zero[3] = {0.0};
static const char *const schemes[] = {"discrete-gradient", "moreau-jean"};

/* angle 1 = - 3 angle 2, a torque of 0.5 N m on the first: (9 J1 + J2) angle 2'' = -3 torque. */
START_TEST(a_gear_over_many_turns)
{
    static const double first[3] = {0.0, 0.0, 0.0}, second[3] = {0.4, 0.0, 0.0};
    world w = {0};
    ck_assert_int_eq(perp_model_create(&w.model, NULL), PERP_SOLVED);
    perp_system_id ids[2] = {body(&w, 1.0, 0.02, first, NULL), body(&w, 5.0, 0.3, second, NULL)};
    double J1 = 0.02 * 1.2, J2 = 0.3 * 1.2, torque = 0.5, t_end = 4.0;
    perp_law motor = perp_law_motor(1e3, torque);
    joint(&w, PERP_JOINT_PIVOT, ids[0], first, up, perp_law_equality());
    joint(&w, PERP_JOINT_PIVOT, ids[1], second, up, perp_law_equality());
    perp_interaction_id drive = joint(&w, PERP_JOINT_ANGLE, ids[0], first, up, motor);
    perp_joint_term terms[2] = {term(PERP_JOINT_ANGLE, 0, -1, first, up, 1.0),
                                term(PERP_JOINT_ANGLE, 1, -1, second, up, 3.0)};
    perp_interaction_id gear = couple(&w, ids, 2, terms, 2, perp_law_equality());
    start(&w, schemes[_i], 1e-3);
    ck_assert_int_eq(perp_sim_run(w.sim, t_end), PERP_SOLVED);
    double slow = -3.0 * torque / (9.0 * J1 + J2) * t_end;
    const double *y;
    ck_assert_int_eq(perp_model_output(w.model, gear, &y, NULL, NULL, NULL, NULL), PERP_SOLVED);
    ck_assert_double_eq_tol(velocity(&w, ids[1])[5], slow, 1e-9 * fabs(slow) + (_i ? 1e-6 : 0.0));
    ck_assert_double_eq_tol(velocity(&w, ids[0])[5], -3.0 * slow, 1e-8 * fabs(slow));
    ck_assert_double_eq_tol(y[0], 0.0, _i ? 1e-8 : 1e-10);
    ck_assert_int_eq(perp_model_output(w.model, drive, &y, NULL, NULL, NULL, NULL), PERP_SOLVED);
    ck_assert_double_gt(fabs(y[0]), 40.0); /* radians */
    if (_i == 0) {
        ck_assert_double_le(figure(&w, "joint_work"), 1e-9);
        ck_assert_double_le(figure(&w, "energy"), 1e-9);
    }
    close_world(&w);
}
END_TEST

/* A weight on a slide turns a pinion: m a = m g - J a / r^2. */
START_TEST(a_rack)
{
    static const double hub[3] = {0.3, 0.0, 0.0}, axis[3] = {0.0, 1.0, 0.0};
    double m = 2.0, r = 0.1, weight[3] = {0.0, 0.0, -m * g}, J = 0.01 * 1.1;
    world w = {0};
    ck_assert_int_eq(perp_model_create(&w.model, NULL), PERP_SOLVED);
    perp_system_id ids[2] = {body(&w, m, 0.1, zero, weight), body(&w, 1.0, 0.01, hub, NULL)};
    joint(&w, PERP_JOINT_PRISMATIC, ids[0], zero, up, perp_law_equality());
    joint(&w, PERP_JOINT_PIVOT, ids[1], hub, axis, perp_law_equality());
    perp_joint_term terms[2] = {term(PERP_JOINT_SLIDE, 0, -1, zero, up, 1.0),
                                term(PERP_JOINT_ANGLE, 1, -1, hub, axis, -r)};
    couple(&w, ids, 2, terms, 2, perp_law_equality());
    start(&w, schemes[_i], 2e-3);
    ck_assert_int_eq(perp_sim_run(w.sim, 1.0), PERP_SOLVED);
    double a = -m * g / (m + J / (r * r));
    ck_assert_double_eq_tol(velocity(&w, ids[0])[2], a, 1e-8);
    ck_assert_double_eq_tol(velocity(&w, ids[1])[4], a / r, 1e-7);
    ck_assert_double_eq_tol(place(&w, ids[0])[2], 0.5 * a, 1e-8);
    if (_i == 0)
        ck_assert_double_le(figure(&w, "energy"), 1e-9);
    close_world(&w);
}
END_TEST

/* A nut on a screw: cylindrical joint, slide = p angle, falls with g / (1 + J / (m p^2)). */
START_TEST(a_screw)
{
    double m = 1.5, p = 0.05, weight[3] = {0.0, 0.0, -m * g}, J = 0.02 * 1.2;
    world w = {0};
    ck_assert_int_eq(perp_model_create(&w.model, NULL), PERP_SOLVED);
    perp_system_id nut = body(&w, m, 0.02, zero, weight);
    joint(&w, PERP_JOINT_CYLINDRICAL, nut, zero, up, perp_law_equality());
    perp_joint_term terms[2] = {term(PERP_JOINT_SLIDE, 0, -1, zero, up, 1.0),
                                term(PERP_JOINT_ANGLE, 0, -1, zero, up, -p)};
    couple(&w, &nut, 1, terms, 2, perp_law_equality());
    start(&w, schemes[_i], 2e-3);
    ck_assert_int_eq(perp_sim_run(w.sim, 3.0), PERP_SOLVED);
    double a = -g / (1.0 + J / (m * p * p));
    ck_assert_double_eq_tol(velocity(&w, nut)[2], 3.0 * a, 1e-7);
    ck_assert_double_eq_tol(place(&w, nut)[2], 4.5 * a, 1e-7);
    if (_i == 0) {
        ck_assert_double_le(figure(&w, "energy"), 1e-9);
        ck_assert_double_le(figure(&w, "joints"), 1e-9);
    }
    close_world(&w);
}
END_TEST

/* Two arms whose angles may not add up to more than 1: the second stops the first. */
START_TEST(a_limit_on_a_sum)
{
    static const double second[3] = {1.0, 0.0, 0.0};
    world w = {0};
    ck_assert_int_eq(perp_model_create(&w.model, NULL), PERP_SOLVED);
    perp_system_id ids[2] = {body(&w, 1.0, 0.1, zero, NULL), body(&w, 1.0, 0.1, second, NULL)};
    joint(&w, PERP_JOINT_PIVOT, ids[0], zero, up, perp_law_equality());
    joint(&w, PERP_JOINT_PIVOT, ids[1], second, up, perp_law_equality());
    joint(&w, PERP_JOINT_ANGLE, ids[0], zero, up, perp_law_motor(1.0, 3.0));
    joint(&w, PERP_JOINT_ANGLE, ids[1], second, up, perp_law_dry_friction(10.0));
    perp_joint_term terms[2] = {term(PERP_JOINT_ANGLE, 0, -1, zero, up, -1.0),
                                term(PERP_JOINT_ANGLE, 1, -1, second, up, -1.0)};
    perp_interaction_def def;
    perp_interaction_def_init(&def, sizeof def);
    def.systems = ids;
    def.nsystems = 2;
    def.relation.kind = PERP_RELATION_COUPLING;
    def.relation.rows = 1;
    def.relation.terms = terms;
    def.relation.nterms = 2;
    def.relation.origin = -1.0; /* 1 - angle 1 - angle 2 >= 0 */
    def.law = perp_law_impact(0.0);
    perp_interaction_id limit;
    ck_assert_int_eq(perp_model_add_interaction(w.model, &def, &limit, NULL), PERP_SOLVED);
    start(&w, "discrete-gradient", 5e-3);
    ck_assert_int_eq(perp_sim_run(w.sim, 2.0), PERP_SOLVED);
    const double *y, *lambda;
    ck_assert_int_eq(perp_model_output(w.model, limit, &y, NULL, &lambda, NULL, NULL), PERP_SOLVED);
    ck_assert_double_eq_tol(y[0], 0.0, 1e-9);
    ck_assert_double_eq_tol(lambda[0], 3.0 * 5e-3, 1e-9);
    close_world(&w);
}
END_TEST

START_TEST(what_is_refused)
{
    world w = {0};
    perp_where where;
    ck_assert_int_eq(perp_model_create(&w.model, NULL), PERP_SOLVED);
    perp_system_id ids[2] = {body(&w, 1.0, 0.1, zero, NULL), body(&w, 1.0, 0.1, up, NULL)};
    perp_joint_term terms[2] = {term(PERP_JOINT_ANGLE, 0, -1, zero, up, 1.0),
                                term(PERP_JOINT_ANGLE, 0, 0, zero, up, 1.0)};
    perp_interaction_def def;
    perp_interaction_def_init(&def, sizeof def);
    def.systems = ids;
    def.nsystems = 2;
    def.relation.kind = PERP_RELATION_COUPLING;
    def.relation.rows = 1;
    def.law = perp_law_equality();
    ck_assert_int_eq(perp_model_add_interaction(w.model, &def, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "relation.terms");
    def.relation.terms = terms;
    def.relation.nterms = 2;
    ck_assert_int_eq(perp_model_add_interaction(w.model, &def, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "relation.terms.first");
    def.relation.nterms = 1; /* the second body is in no term */
    ck_assert_int_eq(perp_model_add_interaction(w.model, &def, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "systems");
    terms[0].factor = 0.0;
    ck_assert_int_eq(perp_model_add_interaction(w.model, &def, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "relation.terms.factor");
    terms[0] = (perp_joint_term){.lagrangian = 1, .first = 0, .second = -1, .factor = 1.0};
    def.nsystems = 1; /* a body */
    ck_assert_int_eq(perp_model_add_interaction(w.model, &def, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "relation.terms.first");
    perp_system_id other = rotor(&w);
    def.systems = &other;
    terms[0].entry = 2;
    ck_assert_int_eq(perp_model_add_interaction(w.model, &def, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "relation.terms.entry");
    terms[0].entry = 1;
    terms[0].second = 0;
    ck_assert_int_eq(perp_model_add_interaction(w.model, &def, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "relation.terms.first");
    close_world(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("couplings");
    TCase *tcase = tcase_create("couplings");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, sums_of_coordinates_have_their_derivatives, 0, 4);
    tcase_add_loop_test(tcase, a_gear_over_many_turns, 0, 2);
    tcase_add_loop_test(tcase, a_rack, 0, 2);
    tcase_add_loop_test(tcase, a_screw, 0, 2);
    tcase_add_test(tcase, a_limit_on_a_sum);
    tcase_add_test(tcase, what_is_refused);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
