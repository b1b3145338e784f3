/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts that a scene names, in all outputs: a ladder, a wheel and a rider in the plane, bodies
 * on a slope in space, beside weight and friction in closed form. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "tests/scene/named_contacts.h"

#include <math.h>

static const double H = 0.005, G = 9.81, SLOPE = 0.5, UNTIL = 0.5;

/* The ladder leans at (0.6, 0) and (0, 0.8) with 1 kg and 2 kg at its ends: its rod pulls and
 * pushes with 2 G 0.6 / 0.8 across. */
static const char in_the_plane[] =
    "{\"version\": 1, \"time\": {\"until\": 0.5, \"step\": 0.005}, \"gravity\": [0, -9.81, 0], "
    "\"solver\": {\"tol\": 1e-12}, \"systems\": ["
    "{\"name\": \"ladder\", \"type\": \"point-masses\", \"masses\": [1, 2], "
    "\"positions\": [[0.6, 0], [0, 0.8]]}, "
    "{\"name\": \"wheel\", \"type\": \"planar\", \"mass\": 2, \"radius\": 0.5, \"inertia\": 0.25, "
    "\"position\": [3, 0.5], \"velocity\": [2, 0]}, "
    "{\"name\": \"low\", \"type\": \"planar\", \"mass\": 2, \"radius\": 0.5, \"inertia\": 0.25, "
    "\"position\": [6, 0.5]}, "
    "{\"name\": \"rider\", \"type\": \"planar\", \"mass\": 1, \"radius\": 0.25, \"inertia\": 0.1, "
    "\"position\": [6, 1.25]}], \"interactions\": ["
    "{\"name\": \"rod\", \"systems\": [\"ladder\"], "
    "\"relation\": {\"type\": \"distance\", \"point\": 0, \"to\": 1, \"length\": 1, "
    "\"side\": \"equal\"}}, "
    "{\"name\": \"foot\", \"systems\": [\"ladder\"], "
    "\"relation\": {\"type\": \"point-line\", \"point\": 0, \"normal\": [0, 1]}, "
    "\"law\": {\"type\": \"friction\", \"dim\": 2, \"mu\": 0.8}}, "
    "{\"name\": \"wall\", \"systems\": [\"ladder\"], "
    "\"relation\": {\"type\": \"point-line\", \"point\": 1, \"normal\": [1, 0]}, "
    "\"law\": {\"type\": \"impact\"}}, "
    "{\"name\": \"road\", \"systems\": [\"wheel\"], "
    "\"relation\": {\"type\": \"disc-line\", \"normal\": [0, 1]}, "
    "\"law\": {\"type\": \"friction\", \"dim\": 2, \"mu\": 0.2}}, "
    "{\"name\": \"ground\", \"systems\": [\"low\"], "
    "\"relation\": {\"type\": \"disc-line\", \"normal\": [0, 1]}, "
    "\"law\": {\"type\": \"impact\"}}, "
    "{\"name\": \"back\", \"systems\": [\"rider\", \"low\"], "
    "\"relation\": {\"type\": \"disc-disc\"}, \"law\": {\"type\": \"impact\"}}], "
    "\"record\": {\"certify\": true, \"contacts\": true}}";

/* A point that sticks to the slope and one that slides down it; a ball that is detected elsewhere.
 */
static const char in_space[] =
    "{\"version\": 1, \"time\": {\"until\": 0.5, \"step\": 0.005}, \"gravity\": [0, 0, -9.81], "
    "\"solver\": {\"tol\": 1e-12}, \"bodies\": ["
    "{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1], \"offset\": "
    "-5}}, "
    "{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"mass\": 2, "
    "\"position\": [0, 0, -4.9]}, "
    "{\"name\": \"stuck\", \"mass\": 3, \"inertia\": [1, 1, 1]}, "
    "{\"name\": \"slider\", \"mass\": 4, \"inertia\": [1, 1, 1], \"position\": [0, 1, 0]}], "
    "\"contacts\": {\"mu\": 0.3}, \"interactions\": ["
    "{\"name\": \"holds\", \"systems\": [\"stuck\"], \"relation\": {\"type\": \"sphere-plane\", "
    "\"normal\": [0.479425538604203, 0, 0.8775825618903728]}, "
    "\"law\": {\"type\": \"friction\", \"mu\": 0.9}}, "
    "{\"name\": \"slides\", \"systems\": [\"slider\"], \"relation\": {\"type\": \"sphere-plane\", "
    "\"normal\": [0.479425538604203, 0, 0.8775825618903728]}, "
    "\"law\": {\"type\": \"friction\", \"mu\": 0.2}}], "
    "\"record\": {\"certify\": true, \"contacts\": true}}";

static const char *const texts[] = {in_the_plane, in_space};

static void run(const char *text)
{
    perp_scene *scene;
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};

    run_folder_make();
    ck_assert_int_eq(perp_scene_create_from_text(&scene, text, NULL, NULL, NULL), PERP_SOLVED);
    perp_scene_run_options_init(&options, sizeof options);
    options.folder = run_folder;
    options.vtk = 1;
    ck_assert_msg(perp_scene_run(scene, &options, &info) == PERP_SOLVED, "%s", info.detail);
    perp_scene_destroy(scene);
}

enum { OPEN, STICKING, SLIDING, ROLLING };

/* What a contact is at a time: impulse, normal, place and velocity in closed form. */
typedef struct expectation {
    const char *interaction, *first, *second;
    double mu, normal[3], point[3], force[3], velocity[3];
    int state;
} expectation;

static void assert_near(const double *x, const double *expected, double allowed, const char *what)
{
    for (int k = 0; k < 3; k++)
        ck_assert_msg(fabs(x[k] - expected[k]) <= allowed, "%s[%d]: %.17g, not %.17g", what, k,
                      x[k], expected[k]);
}

static void assert_contact(const named_contact *c, const expectation *e)
{
    double impulse[3];

    for (int k = 0; k < 3; k++)
        impulse[k] = H * e->force[k];
    ck_assert_str_eq(c->first, e->first);
    ck_assert_str_eq(c->second, e->second);
    ck_assert_double_eq(c->x[MU], e->mu);
    ck_assert_msg(fabs(c->x[GAP]) < 1e-8, "%s: gap %g", e->interaction, c->x[GAP]);
    assert_near(c->x + NORMAL, e->normal, 1e-12, e->interaction);
    assert_near(c->x + POINT, e->point, 1e-6, e->interaction);
    assert_near(c->x + IMPULSE, impulse, 1e-8, e->interaction);
    assert_near(c->x + VELOCITY, e->velocity, 1e-6, e->interaction);
    if (e->state >= 0)
        ck_assert_msg(c->state == e->state, "%s: state %d at t = %g", e->interaction, c->state,
                      c->t);
}

static const expectation *expect(const expectation *list, int count, const named_contact *c)
{
    for (int k = 0; k < count; k++)
        if (strcmp(c->interaction, list[k].interaction) == 0)
            return &list[k];
    ck_abort_msg("'%s'", c->interaction);
    return NULL;
}

/* Each once in each step, in this order. */
static void assert_order(const expectation *list, int count)
{
    ck_assert_int_eq(nnamed, count * (int)lround(UNTIL / H));
    for (int k = 0; k < nnamed; k++) {
        ck_assert_double_eq_tol(named[k].t, H * (k / count + 1), 1e-12);
        ck_assert_str_eq(named[k].interaction, list[k % count].interaction);
    }
}

/* The wheel slides until r w = v: both change by 2 G mu t and G mu t. */
START_TEST(a_mechanism)
{
    expectation list[] = {
        {"foot", "ladder", "", 0.8, {0, 1, 0}, {0.6, 0, 0}, {-1.5 * G, 3 * G, 0}, {0}, STICKING},
        {"wall", "ladder", "", 0.0, {1, 0, 0}, {0, 0.8, 0}, {1.5 * G, 0, 0}, {0}, SLIDING},
        {"road", "wheel", "", 0.2, {0, 1, 0}, {0}, {0, 2 * G, 0}, {0}, -1},
        {"ground", "low", "", 0.0, {0, 1, 0}, {6, 0, 0}, {0, 3 * G, 0}, {0}, SLIDING},
        {"back", "rider", "low", 0.0, {0, 1, 0}, {6, 1, 0}, {0, G, 0}, {0}, SLIDING}};
    const double stops = 2.0 / (3.0 * 0.2 * G);
    int slid = 0, rolled = 0;

    run(in_the_plane);
    named_readers[_i]();
    assert_order(list, 5);
    for (int k = 0; k < nnamed; k++) {
        const named_contact *c = &named[k];
        expectation now = *expect(list, 5, c);
        if (strcmp(c->interaction, "road") != 0) {
            assert_contact(c, &now);
            continue;
        }
        if (c->t > stops && c->t < stops + 2.0 * H) /* the step in which it begins to roll */
            continue;
        int slides = c->t < stops;
        double slip = 2.0 - 3.0 * 0.2 * G * c->t, rolls = 2.0 - 0.2 * G * stops;
        now.state = slides ? SLIDING : ROLLING;
        now.force[0] = slides ? -0.2 * 2.0 * G : 0.0;
        now.velocity[0] = slides ? slip : 0.0;
        now.point[0] = slides ? 3.0 + 2.0 * c->t - 0.1 * G * c->t * c->t
                              : 3.0 + (2.0 - 0.1 * G * stops) * stops + rolls * (c->t - stops);
        slid += slides, rolled += !slides;
        now.point[0] = fabs(c->x[POINT] - now.point[0]) < 2.0 * H * H * G ? c->x[POINT] : NAN;
        assert_contact(c, &now);
    }
    ck_assert_int_gt(slid, 60);
    ck_assert_int_gt(rolled, 20);
    run_folder_remove();
}
END_TEST

START_TEST(bodies_on_a_slope)
{
    const double s = sin(SLOPE), c = cos(SLOPE), down[3] = {c, 0, -s};
    const double press = 4.0 * G * c, drag = 0.2 * press, gains = G * (s - 0.2 * c);
    expectation list[] = {
        {"", "ball", "floor", 0.3, {0, 0, 1}, {0, 0, -5}, {0, 0, 2 * G}, {0}, STICKING},
        {"holds", "stuck", "", 0.9, {s, 0, c}, {0}, {0, 0, 3 * G}, {0}, STICKING},
        {"slides", "slider", "", 0.2, {s, 0, c}, {0}, {0}, {0}, SLIDING}};

    for (int k = 0; k < 3; k++)
        list[2].force[k] = press * list[2].normal[k] - drag * down[k];
    run(in_space);
    named_readers[_i]();
    assert_order(list, 3);
    for (int k = 0; k < nnamed; k++) {
        const named_contact *at = &named[k];
        expectation now = *expect(list, 3, at);
        for (int i = 0; i < 3 && strcmp(at->interaction, "slides") == 0; i++) {
            now.velocity[i] = gains * at->t * down[i];
            now.point[i] = (double)(i == 1) + 0.5 * gains * at->t * at->t * down[i];
        }
        assert_contact(at, &now);
    }
    run_folder_remove();
}
END_TEST

/* What the pages show, in single precision, beside the table: how many contacts. */
static int compare_motion(const named_contact *table, int count)
{
    struct {
        int32_t first, second, state, rows;
        float x[NUMBERS];
    } entry;
    uint32_t words[2];
    double t = 0.0;
    int at = 0;
    FILE *f = fopen(run_folder_path("motion.bin"), "rb");

    ck_assert_ptr_nonnull(f);
    fseek(f, 16, SEEK_SET);
    ck_assert_uint_eq(fread(words, sizeof *words, 2, f), 2);
    fseek(f, (long)words[1], SEEK_CUR);
    while (fread(words, sizeof *words, 2, f) == 2) {
        long end = ftell(f) + (long)words[1];
        if (words[0] == 1)
            ck_assert_uint_eq(fread(&t, sizeof t, 1, f), 1);
        for (uint32_t k = 0; words[0] == 2 && k < words[1] / sizeof entry; k++, at++) {
            ck_assert_int_lt(at, count);
            ck_assert_uint_eq(fread(&entry, sizeof entry, 1, f), 1);
            ck_assert_double_eq(table[at].t, t);
            ck_assert_int_eq(table[at].state, entry.state);
            for (int i = 0; i < NUMBERS; i++)
                ck_assert(entry.x[i] == (float)table[at].x[i]);
        }
        fseek(f, end, SEEK_SET);
    }
    fclose(f);
    return at;
}

START_TEST(all_outputs_agree)
{
    static named_contact table[NAMED_MOST];
    int count;

    run(texts[_i]);
    named_from_csv();
    count = nnamed;
    memcpy(table, named, sizeof table);
    for (int n = 1; n < NAMED_READERS; n++) {
        named_readers[n]();
        ck_assert_int_eq(nnamed, count);
        for (int k = 0; k < count; k++) {
            ck_assert_double_eq(named[k].t, table[k].t);
            for (int i = 0; i < NUMBERS; i++)
                ck_assert_double_eq(named[k].x[i], table[k].x[i]);
            ck_assert_str_eq(named[k].first, table[k].first);
            ck_assert_str_eq(named[k].second, table[k].second);
            ck_assert_str_eq(named[k].interaction, table[k].interaction);
            ck_assert_int_eq(named[k].state, table[k].state);
        }
    }
    ck_assert_int_eq(compare_motion(table, count), count);
    run_folder_remove();
}
END_TEST

/* Changes of a row of the table, or of what the scene says, are found. */
static const struct {
    int text;
    const char *file, *change, *check;
} changes[] = {
    {0, "contacts.csv", "42s/,foot$/,feet/", "contacts"},
    {0, "contacts.csv", "s/,foot$/,rod/", "contacts"},
    {0, "contacts.csv", "30,60s/,ladder,world,/,wheel,world,/", "contacts"},
    {0, "contacts.csv", "s/,world,-1,2,1,[^,]*,/,world,-1,2,1,0.01,/", "contacts"},
    {0, "contacts.csv", "30,60s/,\\(1,0,0\\|0,1,0\\),/,0.8,0.6,0,/", "contacts"},
    {0, "contacts.csv", "30,60s/,sticking,[^,]*,/,sticking,0.01,/", "contacts"},
    {0, "contacts.csv", "30,60s/,0\\.80000000000000004,0,0,0,0,foot/,0.5,0,0,0,0,foot/",
     "contacts"},
    {0, "scene.json", "s/\"mu\": 0.2/\"mu\": 0.1/", "contacts"},
    {1, "contacts.csv", "39s/,holds$/,slides/", "contacts"},
    {1, "contacts.csv", "40,60s/,holds$/,/", "contacts"},
    {1, "contacts.csv", "40,60s/,$/,holds/", "contacts"},
    {1, "contacts.csv", "s/,sliding,[^,]*,/,sliding,0.01,/", "contacts"},
    {1, "scene.json", "s/0.877582561890372[0-9]*/0.9/", "contacts"},
};

START_TEST(changes_are_found)
{
    run(texts[changes[_i].text]);
    run_folder_betrays(changes[_i].change, changes[_i].file, changes[_i].check);
    run_folder_remove();
}
END_TEST

/* The series has every second step, the table all. */
START_TEST(a_stride_holds)
{
    char text[4000];
    const char *certify = strstr(texts[_i], "\"certify\": true");

    snprintf(text, sizeof text, "%.*s\"stride\": 2%s", (int)(certify - texts[_i]), texts[_i],
             certify + strlen("\"certify\": true"));
    run(text);
    run_findings found = run_folder_verify();
    ck_assert_msg(found.holds, "%s", found.contradicted);
    named_from_csv();
    ck_assert_int_eq(nnamed % (int)lround(UNTIL / H), 0);
    run_folder_remove();
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("named contacts");
    TCase *all = tcase_create("outputs");
    tcase_add_loop_test(all, a_mechanism, 0, NAMED_READERS);
    tcase_add_loop_test(all, bodies_on_a_slope, 0, NAMED_READERS);
    tcase_add_loop_test(all, all_outputs_agree, 0, 2);
    tcase_add_loop_test(all, a_stride_holds, 0, 2);
    tcase_add_loop_test(all, changes_are_found, 0, sizeof changes / sizeof changes[0]);
    tcase_set_timeout(all, 60);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
