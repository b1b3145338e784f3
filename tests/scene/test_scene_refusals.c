/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes that are refused: the place and the sentence. */
#include <check.h>
#include <string.h>

#include "tests/fixtures/scene_text.h"

#define TIME "{\"version\": 1, \"time\": {\"until\": 1, \"step\": 0.01}, "
#define BALL "{\"name\": \"b\", \"type\": \"lagrangian\", \"q0\": [1]}"
#define SOLID "{\"name\": \"s\", \"mass\": 1, \"inertia\": [1, 1, 1]}"
#define SHAPE(shape) TIME "\"bodies\": [{\"name\": \"s\", \"mass\": 1, \"shape\": {" shape "}}]}"
#define BODY(rest) TIME "\"bodies\": [{\"name\": \"s\"" rest "}]}"
#define LINK(interaction) TIME "\"systems\": [" BALL "], \"bodies\": [" SOLID                       \
    ", {\"name\": \"f\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}}], \"interactions\": [{" interaction "}]}"
#define BOX(bounds) LINK("\"name\": \"i\", \"systems\": [\"b\"], \"relation\": {\"type\": \"linear\", \"C\": [[1], [2]]}, " \
    "\"law\": {\"type\": \"box\", " bounds "}")
#define SOLVER(rest) TIME "\"systems\": [" BALL "], " rest "}"
#define RECORD(rest) TIME "\"systems\": [" BALL "], \"record\": {" rest "}}"

static const struct {
    const char *scene, *words;
} all[] = {
    {SHAPE("\"type\": \"plane\", \"normal\": [0, 0, 0]"), "the zero vector is no normal"},
    {SHAPE("\"type\": \"hull\", \"points\": [[0, 0, 0]], \"file\": \"a.stl\""),
     "points and file are both given"},
    {SHAPE("\"type\": \"surface\", \"vertices\": [[0, 0, 0]], \"file\": \"a.stl\""),
     "vertices and file are both given"},
    {SHAPE("\"type\": \"surface\", \"file\": 7"), "a string is expected"},
    {TIME "\"bodies\": [{\"name\": \"s\", \"mass\": 1, \"shape\": 7}]}", "an object is expected"},
    {TIME "\"bodies\": [{\"name\": \"s\", \"mass\": 1, \"shape\": {\"type\": \"sphere\", \"radius\": "
          "1}, \"shapes\": []}]}",
     "shape and shapes are both given"},
    {TIME "\"bodies\": [{\"name\": \"s\", \"mass\": 1, \"shapes\": [{\"type\": \"sphere\", \"radius\": "
          "1}, {\"type\": \"plane\", \"normal\": [0, 0, 1]}]}]}",
     "a plane is no part of a body"},
    {BODY(", \"mass\": 1, \"density\": 2, \"shape\": {\"type\": \"sphere\", \"radius\": 1}"),
     "mass and density are both given"},
    {BODY(", \"inertia\": [1, 1, 1]"), "missing, and so is density"},
    {BODY(", \"mass\": 1, \"inertia\": [1, -1, 1]"), "its least principal moment, -1, is not positive"},
    {BODY(", \"mass\": 1, \"inertia\": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]"),
     "its least principal moment, -1, is not positive"},
    {LINK("\"name\": \"i\", \"systems\": [\"b\"], \"relation\": 7"), "an object is expected"},
    {LINK("\"name\": \"i\", \"systems\": [], \"relation\": {\"type\": \"linear\", \"C\": [[1]]}"),
     "0 systems are given"},
    {LINK("\"name\": \"i\", \"systems\": [\"f\"], \"relation\": {\"type\": \"linear\", \"C\": [[1]]}"),
     "'f' stands still; leave it out"},
    {LINK("\"name\": \"i\", \"systems\": [\"b\"], \"relation\": {\"type\": \"linear\", \"C\": [[1]]}"),
     "interactions[0].law: missing"},
    {LINK("\"name\": \"i\", \"systems\": [\"s\"], \"relation\": {\"type\": \"joint\"}"),
     "missing; one of"},
    {LINK("\"name\": \"i\", \"systems\": [\"s\"], \"relation\": {\"type\": \"joint\", \"joint\": "
          "\"point\", \"anchor\": [0, 0, 0]}, \"law\": {\"type\": \"impact\", \"e\": 0}"),
     "a joint has the law equality"},
    {LINK("\"name\": \"i\", \"systems\": [\"b\"], \"relation\": {\"type\": \"joint\", \"joint\": "
          "\"point\", \"anchor\": [0, 0, 0]}"),
     "'b' is of the wrong kind for it"},
    {LINK("\"name\": \"i\", \"systems\": [\"s\"], \"relation\": {\"type\": \"joint\", \"joint\": "
          "\"pivot\", \"anchor\": [0, 0, 0], \"axis\": [0, 0, 0]}"),
     "relation.axis: the zero vector is no axis"},
    {LINK("\"name\": \"i\", \"systems\": [\"s\"], \"relation\": {\"type\": \"joint\", \"joint\": "
          "\"distance\", \"anchor\": [1, 0, 0], \"anchor_b\": [1, 0, 0]}"),
     "anchor_b: that is the place of anchor: a rod has a length above 0"},
    {LINK("\"name\": \"i\", \"systems\": [\"s\"], \"relation\": {\"type\": \"distance\", \"side\": "
          "\"equal\"}"),
     "a rod is the relation {\"type\": \"joint\", \"joint\": \"distance\"}"},
    {LINK("\"name\": \"i\", \"systems\": [\"s\"], \"relation\": {\"type\": \"joint\", \"joint\": "
          "\"hinge\"}"),
     "did you mean 'pivot'?"},
    {LINK("\"name\": \"i\", \"systems\": [\"s\", \"s\"], \"relation\": {\"type\": \"joint\"}"),
     "systems[1]: 's' is named twice"},
    {SOLVER("\"contacts\": {\"friction\": 1}"),
     "contacts.friction: unknown key: did you mean 'mu'?"},
    {BODY(", \"mass\": 0, \"shape\": {\"type\": \"sphere\", \"radius\": 1}"),
     "bodies[0].mass: 0 is not positive"},
    {SHAPE("\"type\": \"cube\""), "did you mean 'box'?"},
    {TIME "\"bodies\": [{\"name\": \"s\", \"mass\": 1, \"inertia\": [1, 1, 1], \"copies\": {\"count\": [2, 1, "
          "1], \"spacing\": [1, 1, 1]}}], \"interactions\": [{\"name\": \"i\", \"systems\": [\"s\"]}]}",
     "no system is called 's'; did you mean 's-0'?"},
    {SOLVER("\"solver\": 7"), "an object is expected"},
    {SOLVER("\"solver\": {\"tol\": []}"), "a number or a string is expected"},
    {SOLVER("\"solver\": {\"measure\": \"odd\"}"), "'odd' is none of"},
    {SOLVER("\"solver\": {\"zzzz\": 1}"), "unknown setting; see 'perp solvers'"},
    {SOLVER("\"solver\": {\"name\": \"zzzz\"}"), "there is no solver 'zzzz'"},
    {SOLVER("\"schemes\": [7]"), "an object is expected"},
    {SOLVER("\"failure\": {\"retry\": [\"gs\", \"nsn\", \"ipm\", \"apgd\", \"gs\"]}"),
     "at most 4 solvers"},
    {"{\"version\": 1, \"time\": {\"until\": 1e9, \"step\": 1e-9}, \"systems\": [" BALL "]}",
     "more than 1e15 steps"},
    {RECORD("\"quantities\": [7]"), "a string is expected"},
    {BOX("\"lo\": [0, 0, 0]"), "interactions[0].law.lo: 3 bounds for 2 rows"},
    {BOX("\"lo\": [0, 2], \"hi\": 1"), "interactions[0].law.hi: row 1: 1 is less than lo, 2"},
    {BOX("\"lo\": [null, \"none\"]"), "interactions[0].law.lo[1]: a number is expected"},
    {BOX("\"lo\": [null, null], \"hi\": 7, \"high\": 7"), "high"},
    {RECORD("\"certify\": true, \"every\": \"instant\""), "certify records every step"},
    {TIME "\"bodies\": [" SOLID "], \"contacts\": {\"materials\": [{\"between\": [\"a\"]}]}}",
     "two"},
};

START_TEST(refusals)
{
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        perp_scene_error error;
        (void)scene_refusal(&error, all[k].scene, all[k].words);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scene refusals");
    TCase *tcase = tcase_create("scene refusals");
    tcase_add_test(tcase, refusals);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
