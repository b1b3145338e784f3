/* SPDX-License-Identifier: BSD-3-Clause */
/* Robots that hardly move: what rounding leaves in their lightest parts is no error of the motion. */
#include "config.h"

#include <perp/verdict.h>

#include "tests/scene/robot_text.h"

#if defined(HAVE_LIBXML2) && defined(HAVE_JANSSON)
/* Two links on slides, all of which have rotors of large armature, in a fluid. */
static const char swimmer[] =
    "<mujoco><option density='4000' viscosity='0.1' timestep='0.01'/><default><joint "
    "armature='0.1'/></default><worldbody><body><geom fromto='1.5 0 0 0.5 0 0' size='0.1' "
    "type='capsule'/><joint axis='1 0 0' type='slide'/><joint axis='0 1 0' type='slide'/><joint "
    "axis='0 0 1'/><body pos='0.5 0 0'><geom fromto='0 0 0 -1 0 0' size='0.1' type='capsule'/>"
    "<joint axis='0 0 1'/></body></body></worldbody></mujoco>";

/* Dry friction holds all joints of an arm, whose rotors have no armature. */
static const char arm[] =
    "<mujoco><default><joint damping='0.01' frictionloss='0.1'/></default><worldbody><body "
    "pos='0.2 0 0'><joint axis='0 1 0'/><geom type='capsule' size='0.02' fromto='0 0 0 0.1 0 0'/>"
    "<body pos='0.1 0 0'><joint type='slide' axis='1 0 0' stiffness='200'/><geom type='capsule' "
    "size='0.015' fromto='-0.1 0 0 0.1 0 0'/><body pos='0.1 0 0'><joint type='ball'/><geom "
    "type='box' size='0.02' fromto='0 0 0 0 0.1 0'/><body pos='0 0.1 0'><joint axis='1 0 0'/><geom "
    "type='capsule' size='0.02' fromto='0 0 0 0 0 0.1'/></body></body></body></body></worldbody>"
    "</mujoco>";

START_TEST(verified)
{
    perp_robot_options options = defaults();
    perp_verdict verdict;
    options.until = 0.1;
    char *text = convert(_i == 0 ? swimmer : arm, &options);
    perp_scene *scene = scene_of(text, NULL);
    (void)scene_last_row(scene);
    ck_assert_int_eq(perp_sim_verdict(perp_scene_sim(scene), &verdict, sizeof verdict),
                     PERP_SOLVED);
    ck_assert_msg(verdict.kind == PERP_VERDICT_VERIFIED, "%s", verdict.first);
    perp_scene_destroy(scene);
    perp_robot_release(text, NULL);
}
END_TEST
#endif

int main(void)
{
    Suite *suite = suite_create("robot verdicts");
    TCase *tcase = tcase_create("robot verdicts");
#if defined(HAVE_LIBXML2) && defined(HAVE_JANSSON)
    tcase_add_loop_test(tcase, verified, 0, 2);
#endif
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
