/* SPDX-License-Identifier: BSD-3-Clause */
/* What joints keep of a configuration: whatever was asked before, outputs, Jacobians and branches
 * are those of a joint that is asked for the first time, to the bit. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/mean_step.h"

enum { JOINTS = PERP_JOINT_SPIN + 1, TRIALS = 6, STATES = 3, QUESTIONS = 60 };
enum { ROWS = 6, COLUMNS = 12 };

typedef struct joint {
    scene s;
    perp_link *link;
} joint;

/* The same joint each time. */
static void make(joint *j, int kind, int trial)
{
    perp_rng rng = {(uint64_t)(100 * kind + trial + 1)};
    perp_law law = kind == PERP_JOINT_SPIN ? perp_law_motor(0.0, 1.0) : perp_law_equality();
    j->s = case_scene(trial % 2 ? CAST_BODY : CAST_TWO_BODIES, &rng);
    perp_relation r = mean_step_joint((perp_joint)kind, &rng);
    j->link = case_link(&j->s, &r, &law);
}

static void move(double *x, const joint *j, perp_rng *rng)
{
    double twist[6];
    for (int k = 0; k < j->s.count; x += j->s.systems[k]->nq, k++) {
        perp_system *s = j->s.systems[k];
        case_fill(rng, twist, 6);
        perp_system_move(x, s, s->q[PERP_NOW], twist, 0.4);
    }
}

static void assert_same(const double *a, const double *b, int count, int kind)
{
    ck_assert_msg(memcmp(a, b, sizeof *a * (size_t)count) == 0, "joint %d: %.17g, %.17g", kind,
                  a[0], b[0]);
}

/* A question to the joint that was asked others before, and to one that was not. */
static void ask(joint *old, const double *x, int what, int kind, int trial)
{
    joint new;
    double a[ROWS * COLUMNS], b[ROWS * COLUMNS];
    make(&new, kind, trial);
    new.link->branch = old->link->branch;
    new.link->relation.origin = old->link->relation.origin;
    new.link->relation.side = old->link->relation.side;
    if (what == 0) {
        ck_assert_int_eq(perp_link_output(a, old->link, 0.0, x, NULL), 0);
        ck_assert_int_eq(perp_link_output(b, new.link, 0.0, x, NULL), 0);
        assert_same(a, b, old->link->rows, kind);
    } else if (what == 1) {
        ck_assert_int_eq(perp_link_jacobian(a, old->link, 0.0, x, NULL), 0);
        ck_assert_int_eq(perp_link_jacobian(b, new.link, 0.0, x, NULL), 0);
        assert_same(a, b, old->link->rows * old->link->nv, kind);
    } else {
        perp_joint_settle(old->link, x);
        perp_joint_settle(new.link, x);
        assert_same(&old->link->branch, &new.link->branch, 1, kind);
    }
    case_free(&new.s);
}

START_TEST(asked_in_any_order)
{
    for (int kind = 0; kind < JOINTS; kind++)
        for (int trial = 0; trial < TRIALS; trial++) {
            perp_rng rng = {(uint64_t)(7 * kind + trial)};
            double x[STATES][CASE_MOST];
            joint old;
            make(&old, kind, trial);
            for (int k = 0; k < STATES; k++)
                move(x[k], &old, &rng);
            for (int k = 0, at = 0; k < QUESTIONS; k++) {
                at = perp_rng_below(&rng, 3) ? at : perp_rng_below(&rng, STATES);
                ask(&old, x[at], perp_rng_below(&rng, 3), kind, trial);
                if (k % 5 == 0) /* as after a turn, another limit, the other one of a pair */
                    old.link->branch += 6.3;
                if (k % 7 == 0)
                    old.link->relation.origin += 0.25;
                if (k % 11 == 0)
                    old.link->relation.side = old.link->relation.side < 0 ? 1 : -1;
            }
            case_free(&old.s);
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("joints asked again");
    TCase *tcase = tcase_create("joints asked again");
    tcase_add_test(tcase, asked_in_any_order);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
