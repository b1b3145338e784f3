/* SPDX-License-Identifier: BSD-3-Clause */
/* How discrete gradients of joints turn, in closed form, beside differences of sixth order: any two
 * bodies, any turn in the step, both sides of a coordinate. */
#include "kernel/derivative/joint_gradient_turn.h"
#include "kernel/relations/discrete_gradient.h"
#include "tests/fixtures/collide_scene.h"

enum { MOST = 12 };

static const double h = 0.1;

static perp_system_id drawn(scene *s, perp_rng *rng, double height)
{
    double x[3] = {between(rng, -0.3, 0.3), between(rng, -0.3, 0.3), height};
    double turn[3] = {between(rng, -2, 2), between(rng, -2, 2), between(rng, -2, 2)};
    return add_body(s->model, x, turn);
}

static perp_link *add_joint(scene *s, perp_joint joint, int bodies, int side, perp_rng *rng)
{
    perp_interaction_def def;
    perp_interaction_id id;
    perp_system_id ids[2] = {drawn(s, rng, 0.0), drawn(s, rng, 0.8)};
    perp_interaction_def_init(&def, sizeof def);
    def.systems = ids;
    def.nsystems = bodies;
    def.relation.kind = PERP_RELATION_JOINT;
    def.relation.joint = joint;
    def.relation.rows = perp_joint_rows(joint);
    for (int k = 0; k < 3; k++) {
        def.relation.anchor[k] = between(rng, -0.5, 0.5);
        def.relation.anchor_b[k] = between(rng, 0.5, 1.5);
        def.relation.axis[k] = between(rng, 0.2, 1.0);
        def.relation.axis_b[k] = between(rng, -1.0, -0.2) * (k == 1 ? -1.0 : 1.0);
    }
    int coordinate = joint >= PERP_JOINT_SLIDE && joint != PERP_JOINT_PLANAR;
    def.relation.side = coordinate ? side : 0;
    def.law = coordinate ? perp_law_motor(1.0, 2.0) : perp_law_equality();
    ck_assert_int_eq(perp_model_add_interaction(s->model, &def, &id, NULL), PERP_SOLVED);
    return perp_model_link(s->model, id);
}

/* Off the place where the joint was made, with a velocity that turns the body by so much. */
static void throw(perp_link * link, double turn, perp_rng *rng)
{
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *body = link->systems[k];
        double twist[6];
        for (int i = 0; i < 6; i++) {
            twist[i] = between(rng, -0.3, 0.3);
            body->v[PERP_GUESS][i] = (i < 3 ? 1.0 : turn) * between(rng, -1.0, 1.0) / h;
        }
        perp_system_move(body->q[PERP_START], body, body->q[PERP_NOW], twist, 1.0);
    }
}

static void complete(perp_link *link)
{
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        perp_system_move(s->q[PERP_GUESS], s, s->q[PERP_START], s->v[PERP_GUESS], 0.5 * h);
        perp_system_move(s->q[PERP_NOW], s, s->q[PERP_START], s->v[PERP_GUESS], h);
    }
}

/* G' lambda with coordinate `column` moved, of the start or of D. */
static void force(double *out, perp_link *link, const double *lambda, int column, int by_D,
                  double by)
{
    double G[6 * MOST], y1[6], kept[7], unit[6] = {0.0};
    perp_system *s = link->systems[column / 6];
    double *v = &s->v[PERP_GUESS][column % 6], was = *v;
    memcpy(kept, s->q[PERP_START], sizeof kept);
    unit[column % 6] = 1.0;
    if (by_D)
        *v += by / h;
    else
        perp_system_move(s->q[PERP_START], s, kept, unit, by);
    complete(link);
    perp_joint_discrete_gradient(G, y1, link, h);
    memcpy(s->q[PERP_START], kept, sizeof kept);
    *v = was;
    for (int j = 0; j < link->nv; j++) {
        out[j] = 0.0;
        for (int i = 0; i < link->rows; i++)
            out[j] += G[i + j * link->rows] * lambda[i];
    }
}

static void check(perp_link *link, const double *lambda, double tolerance)
{
    static const double weights[3] = {0.75, -0.15, 1.0 / 60.0};
    double B[2][MOST * MOST], plus[MOST], minus[MOST], step = 2e-3, largest = 0.0;
    complete(link);
    perp_joint_gradient_turn(B[0], B[1], link, h, lambda);
    for (int column = 0; column < link->nv; column++)
        for (int by_D = 0; by_D < 2; by_D++) {
            double difference[MOST] = {0.0};
            for (int point = 0; point < 3; point++) {
                force(plus, link, lambda, column, by_D, (point + 1) * step);
                force(minus, link, lambda, column, by_D, -(point + 1) * step);
                for (int j = 0; j < link->nv; j++)
                    difference[j] += weights[point] * (plus[j] - minus[j]) / step;
            }
            for (int j = 0; j < link->nv; j++) {
                double own = B[by_D][j + column * link->nv];
                largest = fmax(largest, fabs(own));
                ck_assert_msg(fabs(own - difference[j]) <= tolerance * (1.0 + fabs(own)),
                              "%s, column %d, entry %d: %.12g beside %.12g",
                              by_D ? "move" : "start", column, j, own, difference[j]);
            }
        }
    ck_assert(link->relation.joint == PERP_JOINT_SPIN || largest > 1e-3);
}

/* _i: the kind, one body or two, and the side of a coordinate. */
START_TEST(beside_differences)
{
    static const double turns[] = {1e-9, 1e-3, 0.3, 1.2};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        perp_rng rng = {9000 + 1000 * (uint64_t)_i + seed};
        double lambda[6];
        scene s;
        open_scene(&s, 0);
        perp_link *link =
            add_joint(&s, (perp_joint)(_i / 4), 1 + _i % 2, _i % 4 < 2 ? 1 : -1, &rng);
        for (int k = 0; k < 6; k++)
            lambda[k] = between(&rng, -1.0, 1.0);
        throw(link, turns[seed % 4], &rng);
        check(link, lambda, link->relation.joint == PERP_JOINT_ANGLE ? 1e-7 : 2e-11);
        close_scene(&s);
    }
}
END_TEST

/* Turns of pi and more, where coefficients of a rotation vector change their form at 1. */
START_TEST(large_turns)
{
    static const double turns[] = {0.57, 0.58, 1.8, 3.2};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        perp_rng rng = {777000 + 1000 * (uint64_t)_i + seed};
        double lambda[6];
        scene s;
        open_scene(&s, 0);
        perp_link *link = add_joint(&s, PERP_JOINT_PIVOT, 2, 0, &rng);
        for (int k = 0; k < 6; k++)
            lambda[k] = between(&rng, -1.0, 1.0);
        throw(link, turns[_i], &rng);
        check(link, lambda, 2e-11);
        close_scene(&s);
    }
}
END_TEST

/* What has no derivative stands still, and nothing is NaN. */
START_TEST(places_without_a_derivative)
{
    static const perp_joint kinds[] = {PERP_JOINT_TURN, PERP_JOINT_ANGLE, PERP_JOINT_SPIN};
    perp_rng rng = {3};
    double B[2][MOST * MOST], one = 1.0;
    scene s;
    open_scene(&s, 0);
    perp_link *link = add_joint(&s, kinds[_i], 2, 1, &rng);
    for (int k = 0; k < 2; k++) {
        perp_system *body = link->systems[k];
        memcpy(body->q[PERP_START], body->q[PERP_NOW], 7 * sizeof(double));
        memset(body->v[PERP_GUESS], 0, 6 * sizeof(double));
    }
    complete(link);
    perp_joint_gradient_turn(B[0], B[1], link, h, &one);
    for (int k = 0; k < MOST * MOST; k++)
        ck_assert(isfinite(B[0][k]) && isfinite(B[1][k]));
    close_scene(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("how discrete gradients of joints turn");
    TCase *test = tcase_create("closed forms");
    tcase_add_loop_test(test, beside_differences, 0, 4 * (PERP_JOINT_SPIN + 1));
    tcase_add_loop_test(test, large_turns, 0, 4);
    tcase_add_loop_test(test, places_without_a_derivative, 0, 3);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
