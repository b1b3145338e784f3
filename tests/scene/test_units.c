/* SPDX-License-Identifier: BSD-3-Clause */
/* The units of a scene are its author's: grains of a micrometre in metres, machines in millimetres,
 * planets in kilometres make the motions of the same scene in metres, kilograms and seconds.
 * Factors are powers of two, so that each number of a scene is scaled without rounding: with other
 * units of time every step has the same bits, and so has it mostly with other lengths; else, and
 * with other masses, motions differ by what the tolerances leave. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/scene.h>

#include "tests/fixtures/scene_text.h"

enum { TEXT = 1 << 14, BODIES = 16, PLACE = 7 };

/* Powers of two of the units. */
typedef struct units {
    int length, time, mass;
} units;

/* What the mark behind a number says of its dimension: exponents of length, time, mass. */
static const struct dimension {
    char mark;
    int length, time, mass;
} dimensions[] = {{'L', 1, 0, 0},  {'T', 0, 1, 0},  {'M', 0, 0, 1},  {'v', 1, -1, 0},
                  {'g', 1, -2, 0}, {'r', 0, -1, 0}, {'J', 2, 0, 1},  {'d', -3, 0, 1},
                  {'m', 2, -2, 1}, {'k', 0, -2, 1}, {'f', 1, -2, 1}, {'n', 2, -1, 1}};

static double factor_of(char mark, units u)
{
    for (size_t k = 0; k < sizeof dimensions / sizeof *dimensions; k++)
        if (dimensions[k].mark == mark)
            return ldexp(1.0, dimensions[k].length * u.length + dimensions[k].time * u.time +
                                  dimensions[k].mass * u.mass);
    ck_abort_msg("no dimension has the mark %c", mark);
    return 0.0;
}

/* 0.1~L is a length: numbers with a mark are scaled, the rest is copied. */
static void scale(char *out, const char *text, units u)
{
    char *end;
    for (const char *last = out + TEXT - 64; *text && out < last;) {
        size_t digits = strspn(text, "+-.0123456789e");
        if (digits > 0 && text[digits] == '~') {
            double x = strtod(text, &end);
            ck_assert_ptr_eq(end, text + digits);
            out += snprintf(out, 32, "%.17g", x * factor_of(end[1], u));
            text = end + 2;
        } else {
            size_t plain = digits > 0 ? digits : 1;
            memcpy(out, text, plain);
            out += plain;
            text += plain;
        }
    }
    ck_assert_int_eq(*text, '\0');
    *out = '\0';
}

#define FLOOR "{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}},"
#define HEAD(until, step)                                                                          \
    "{\"version\": 1, \"time\": {\"until\": " until ", \"step\": " step "},"                       \
    " \"solver\": {\"tol\": 1e-6}, \"gravity\": [0, 0, -9.81~g],"

/* strict: with other lengths, too, every step has the same bits. */
static const struct motion {
    const char *name, *text;
    int strict;
} motions[] = {
    {"a box is dropped",
     HEAD("0.6~T",
          "0.002~T") "\"bodies\": [" FLOOR
                     " {\"name\": \"box\", \"density\": 1000~d, \"position\": [0, 0, 0.4~L],"
                     "  \"rotation\": [0.3, 0.4, 0.1], \"velocity\": [0.3~v, 0, 0], \"angular\": "
                     "[1~r, 2~r, 3~r],"
                     "  \"shape\": {\"type\": \"box\", \"sides\": [0.2~L, 0.2~L, 0.2~L]}}],"
                     " \"contacts\": {\"mu\": 0.5, \"e\": 0.2}}",
     1},
    {"a stack rests",
     HEAD("0.2~T",
          "0.005~T") "\"bodies\": [" FLOOR
                     " {\"name\": \"c\", \"density\": 1000~d, \"position\": [0, 0, 0.1~L],"
                     "  \"copies\": {\"count\": [1, 1, 4], \"spacing\": [0.02~L, 0.01~L, 0.2~L]},"
                     "  \"shape\": {\"type\": \"box\", \"sides\": [0.2~L, 0.2~L, 0.2~L]}}],"
                     " \"contacts\": {\"mu\": 0.5}}",
     1},
    {"balls fall on each other",
     HEAD("0.4~T",
          "0.002~T") "\"bodies\": [" FLOOR
                     " {\"name\": \"c\", \"density\": 2500~d, \"position\": [0, 0, 0.15~L],"
                     "  \"copies\": {\"count\": [2, 2, 2], \"spacing\": [0.25~L, 0.25~L, 0.25~L],"
                     "               \"jitter\": 0.02~L, \"seed\": 7},"
                     "  \"shape\": {\"type\": \"sphere\", \"radius\": 0.1~L}}],"
                     " \"contacts\": {\"mu\": 0.4, \"e\": 0.2}}",
     1},
    {"grains roll",
     HEAD("0.1~T",
          "0.002~T") "\"bodies\": [" FLOOR " {\"name\": \"c\", \"density\": 2500~d, \"position\": "
                     "[0, 0, 0.11~L], \"velocity\": [1~v, 0, 0],"
                     "  \"copies\": {\"count\": [2, 1, 2], \"spacing\": [0.3~L, 0.21~L, 0.21~L]},"
                     "  \"shape\": {\"type\": \"sphere\", \"radius\": 0.1~L}}],"
                     " \"contacts\": {\"mu\": 0.4, \"rolling\": 0.005~L}}",
     0},
    {"a motor drives an arm to its stop",
     HEAD("0.6~T", "0.002~T") "\"bodies\": [{\"name\": \"arm\", \"mass\": 3~M, \"inertia\": "
                              "[0.01~J, 0.07~J, 0.07~J],"
                              "  \"position\": [0.25~L, 0, 0]},"
                              " {\"name\": \"forearm\", \"mass\": 1~M, \"inertia\": [0.002~J, "
                              "0.014~J, 0.014~J],"
                              "  \"position\": [0.7~L, 0, 0]}],"
                              " \"interactions\": [{\"systems\": [\"arm\"],"
                              "  \"relation\": {\"type\": \"joint\", \"joint\": \"pivot\", "
                              "\"anchor\": [0, 0, 0],"
                              "   \"axis\": [0, 1, 0], \"limits\": [-0.5, 1.2], \"e\": 0.3,"
                              "   \"motor\": {\"speed\": -1.5~r, \"torque\": 24~m}}},"
                              "  {\"systems\": [\"forearm\", \"arm\"],"
                              "  \"relation\": {\"type\": \"joint\", \"joint\": \"pivot\", "
                              "\"anchor\": [0.5~L, 0, 0],"
                              "   \"axis\": [0, 1, 0], \"limits\": [-0.2, 2.4], \"e\": 0.5, "
                              "\"friction\": 0.3~m}}]}",
     1},
    {"a chain falls on the floor",
     HEAD(
         "0.3~T",
         "0.005~T") "\"bodies\": [" FLOOR
                    " {\"name\": \"a\", \"mass\": 1~M, \"inertia\": [0.01~J, 0.01~J, 0.001~J],"
                    "  \"position\": [0.15~L, 0, 0.2~L], \"rotation\": [0, 1.5707963267948966, 0],"
                    "  \"shape\": {\"type\": \"capsule\", \"radius\": 0.03~L, \"length\": 0.2~L}},"
                    " {\"name\": \"b\", \"mass\": 1~M, \"inertia\": [0.01~J, 0.01~J, 0.001~J],"
                    "  \"position\": [0.45~L, 0, 0.2~L], \"rotation\": [0, 1.5707963267948966, 0],"
                    "  \"shape\": {\"type\": \"capsule\", \"radius\": 0.03~L, \"length\": 0.2~L}}],"
                    " \"interactions\": [{\"systems\": [\"a\"], \"relation\": {\"type\": \"joint\","
                    "  \"joint\": \"pivot\", \"anchor\": [0, 0, 0.2~L], \"axis\": [0, 1, 0]}},"
                    "  {\"systems\": [\"b\", \"a\"], \"relation\": {\"type\": \"joint\", "
                    "\"joint\": \"pivot\","
                    "  \"anchor\": [0.3~L, 0, 0.2~L], \"axis\": [0, 1, 0]}}], \"contacts\": "
                    "{\"mu\": 0.3}}",
     1},
    {"a capsule lands on one end, with torsional friction",
     HEAD("0.2~T",
          "0.004~T") "\"bodies\": [" FLOOR
                     " {\"name\": \"a\", \"density\": 961~d, \"position\": [0, 0, 0.4~L],"
                     "  \"rotation\": [-0.04085, 0.7555, 0.2224], \"velocity\": [-0.0717~v, "
                     "-0.1895~v, -2.729~v],"
                     "  \"angular\": [3.309~r, -5.596~r, -5.841~r],"
                     "  \"shape\": {\"type\": \"capsule\", \"radius\": 0.05~L, \"length\": "
                     "0.03~L}}], \"contacts\": {\"mu\": 1, \"torsion\": 0.005~L}}",
     1},
    {"a rod on two joints stands on a column",
     HEAD("0.01~T",
          "0.001~T") "\"bodies\": [" FLOOR
                     " {\"name\": \"ball\", \"density\": 7800~d, \"position\": [0, 0, 0.2~L],"
                     "  \"shape\": {\"type\": \"sphere\", \"radius\": 0.2~L}},"
                     " {\"name\": \"a\", \"density\": 100~d, \"position\": [0, 0, 0.6~L],"
                     "  \"shape\": {\"type\": \"ellipsoid\", \"radii\": [0.2~L, 0.14~L, "
                     "0.1~L]}},"
                     " {\"name\": \"b\", \"mass\": 8.01~M, \"position\": [0, 0, 0.81~L],"
                     "  \"shape\": {\"type\": \"ellipsoid\", \"radii\": [0.2~L, 0.14~L, "
                     "0.1~L]}},"
                     " {\"name\": \"drum\", \"mass\": 731~M, \"position\": [0, 0, 1.01~L],"
                     "  \"shape\": {\"type\": \"cylinder\", \"radius\": 0.2~L, \"length\": "
                     "0.2~L}},"
                     " {\"name\": \"rod\", \"mass\": 1.8~M, \"position\": [0.304235~L, "
                     "-0.261236~L, 4~L],"
                     "  \"rotation\": [-0.1318, -1.06, 0.3599],"
                     "  \"shape\": {\"type\": \"cylinder\", \"radius\": 0.1~L, \"length\": "
                     "0.1~L}}],"
                     " \"interactions\": [{\"systems\": [\"ball\", \"rod\"], \"relation\": "
                     "{\"type\": \"joint\","
                     "  \"joint\": \"fixed\", \"anchor\": [0.152118~L, -0.130618~L, 2.1~L]}},"
                     "  {\"systems\": [\"rod\", \"drum\"], \"relation\": {\"type\": "
                     "\"joint\", \"joint\": \"point\","
                     "  \"anchor\": [0.152118~L, -0.130618~L, 2.505~L]}}], \"contacts\": "
                     "{\"mu\": 0.1, \"e\": 0.3}}",
     0},
    {"a pendulum on a ball joint with friction",
     HEAD("0.2~T",
          "0.002~T") "\"bodies\": ["
                     " {\"name\": \"a\", \"density\": 1000~d, \"position\": [0.6~L, 0, "
                     "0.8~L],"
                     "  \"shape\": {\"type\": \"capsule\", \"radius\": 0.03~L, \"length\": "
                     "0.12~L}},"
                     " {\"name\": \"b\", \"density\": 7800~d, \"position\": [1.2~L, 0, "
                     "0.75~L],"
                     "  \"shape\": {\"type\": \"box\", \"sides\": [0.06~L, 0.03~L, 0.03~L]}}],"
                     " \"interactions\": [{\"systems\": [\"a\"], \"relation\": {\"type\": "
                     "\"joint\","
                     "  \"joint\": \"point\", \"anchor\": [0.6~L, 0, 0.95~L], \"friction\": "
                     "0.1~m, \"damping\": 0.2~n}},"
                     "  {\"systems\": [\"b\", \"a\"], \"relation\": {\"type\": \"joint\", "
                     "\"joint\": \"distance\","
                     "  \"anchor\": [1.2~L, 0, 0.75~L], \"anchor_b\": [0.6~L, 0, 0.8~L]}}]}",
     1}};

/* Places of all bodies at the end, lengths in units of the first scene; how many. */
static int end_of(double places[BODIES][PLACE], const struct motion *motion, units u)
{
    static char text[TEXT];
    scale(text, motion->text, u);
    perp_scene *scene = scene_of(text, NULL);
    perp_sim *sim = perp_scene_sim(scene);
    int bodies = perp_scene_systems(scene);
    ck_assert_int_le(bodies, BODIES);
    ck_assert_msg(perp_sim_run(sim, perp_scene_until(scene)) == PERP_SOLVED,
                  "%s, 2^(%d, %d, %d): %s", motion->name, u.length, u.time, u.mass,
                  perp_sim_info(sim)->detail);
    perp_verdict verdict;
    ck_assert_int_eq(perp_sim_verdict(sim, &verdict, sizeof verdict), PERP_SOLVED);
    ck_assert_msg(verdict.kind == PERP_VERDICT_VERIFIED, "%s, 2^(%d, %d, %d): %s", motion->name,
                  u.length, u.time, u.mass, verdict.first ? verdict.first : "");
    int free = 0;
    for (int k = 0; k < bodies; k++) {
        perp_scene_system_info info = {.size = sizeof info};
        double *q;
        ck_assert_int_eq(perp_scene_system(scene, k, &info), PERP_SOLVED);
        if (perp_model_state(perp_scene_model(scene), info.id, &q, NULL, NULL, NULL) != PERP_SOLVED)
            continue; /* the floor */
        for (int i = 0; i < PLACE; i++)
            places[free][i] = i < 3 ? ldexp(q[i], -u.length) : q[i];
        free++;
    }
    perp_scene_destroy(scene);
    return free;
}

static void check_units(const struct motion *motion, units u, double tol)
{
    double first[BODIES][PLACE], other[BODIES][PLACE];
    int bodies = end_of(first, motion, (units){0, 0, 0});
    ck_assert_int_eq(end_of(other, motion, u), bodies);
    for (int k = 0; k < bodies; k++)
        for (int i = 0; i < PLACE; i++)
            ck_assert_msg(fabs(first[k][i] - other[k][i]) <= tol,
                          "%s, 2^(%d, %d, %d): coordinate %d of body %d is %.17g, not %.17g",
                          motion->name, u.length, u.time, u.mass, i, k, other[k][i], first[k][i]);
}

START_TEST(units_of_time_change_no_bit)
{
    check_units(&motions[_i], (units){0, -10, 0}, 0.0);
    check_units(&motions[_i], (units){0, 20, 0}, 0.0);
}
END_TEST

START_TEST(lengths_change_no_bit)
{
    if (!motions[_i].strict)
        return;
    check_units(&motions[_i], (units){10, 0, 0}, 0.0);
    check_units(&motions[_i], (units){-20, -10, 0}, 0.0);
    check_units(&motions[_i], (units){-40, -20, 0}, 0.0);
}
END_TEST

/* Millimetres and grams; micrometres with the masses that they have, in SI; nanometres; planets. */
START_TEST(scenes_have_any_units)
{
    check_units(&motions[_i], (units){10, 0, 10}, 1e-7);
    check_units(&motions[_i], (units){-20, -10, -60}, 1e-7);
    check_units(&motions[_i], (units){-30, -15, -90}, 1e-7);
    check_units(&motions[_i], (units){20, 10, 60}, 1e-7);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("units");
    TCase *tc = tcase_create("units");
    int count = sizeof motions / sizeof *motions;
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, units_of_time_change_no_bit, 0, count);
    tcase_add_loop_test(tc, lengths_change_no_bit, 0, count);
    tcase_add_loop_test(tc, scenes_have_any_units, 0, count);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
