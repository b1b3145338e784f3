/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts as a run writes them: each file against the others, and their impulses against what became of
 * the momentum. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <config.h>

#include <check.h>
#include <math.h>
#ifdef HAVE_HDF5
#include <hdf5.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/scene.h>
#include <perp/verify.h>

static const double H = 0.005, G = 9.81;
enum { COLUMNS = 48, MOST = 4000 };

/* A ball that rolls with rolling friction, a box that slides, a bar of two balls on the floor. */
static const char text[] =
    "{\"version\": 1, \"title\": \"contacts\", \"time\": {\"until\": 0.2, \"step\": 0.005}, "
    "\"gravity\": [0, 0, -9.81], \"bodies\": ["
    "{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}, "
    "\"material\": \"grass\"}, "
    "{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"mass\": 2, "
    "\"position\": [0, 0, 0.1], \"velocity\": [1, 0, 0], \"angular\": [0, 10, 0], "
    "\"material\": \"skin\"}, "
    "{\"name\": \"box\", \"shape\": {\"type\": \"box\", \"sides\": [0.2, 0.2, 0.2]}, \"mass\": 1, "
    "\"position\": [0, 1, 0.1], \"velocity\": [0, 2, 0]}, "
    "{\"name\": \"bar\", \"mass\": 3, \"position\": [0, 3, 0.1], \"shapes\": ["
    "{\"type\": \"sphere\", \"radius\": 0.1, \"position\": [-0.4, 0, 0]}, "
    "{\"type\": \"sphere\", \"radius\": 0.1, \"position\": [0.4, 0, 0]}]}], "
    "\"contacts\": {\"e\": 0, \"mu\": 0.3, \"materials\": [{\"between\": [\"grass\", \"skin\"], "
    "\"e\": 0.25, \"mu\": 0.5, \"rolling\": 0.01}]}, "
    "\"frames\": {\"every\": 10}, "
    "\"record\": {\"quantities\": [\"ball.q\", \"ball.v\", \"box.v\", \"bar.v\", \"energy\"], "
    "\"contacts\": true}}";

static char folder[40];
static char names[COLUMNS][16];
static double rows[MOST][COLUMNS]; /* words: their numbers in `words` */
static int count;
static const char *const words[] = {"floor",    "ball",    "box",    "bar", "open",
                                    "sticking", "sliding", "rolling"};

/* The fields of a line, of which the last may be empty. */
static char *next_field(char **line)
{
    char *field = *line;

    if (field != NULL) {
        *line += strcspn(field, ",\n");
        *line = **line == ',' ? *line + 1 : NULL;
        field[strcspn(field, ",\n")] = '\0';
    }
    return field;
}

static int column(const char *name)
{
    for (int k = 0; k < COLUMNS; k++)
        if (strcmp(names[k], name) == 0)
            return k;
    ck_abort_msg("no column %s", name);
    return 0;
}

static double number(const char *field)
{
    double x;
    char *end;

    for (int k = 0; k < 8; k++)
        if (strcmp(field, words[k]) == 0)
            return k;
    if (field[0] == '\0') /* no interaction of the scene */
        return -1.0;
    x = strtod(field, &end);
    ck_assert_msg(end != field && *end == '\0', "%s is no number", field);
    return x;
}

static void read_csv(void)
{
    char path[200], line[2000];
    FILE *f;

    snprintf(path, sizeof path, "%s/contacts.csv", folder);
    f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    int k = 0;
    char *rest = line;
    for (char *field; (field = next_field(&rest)) != NULL;)
        snprintf(names[k++], sizeof names[0], "%.15s", field);
    ck_assert_int_eq(k, COLUMNS);
    for (count = 0; fgets(line, sizeof line, f) != NULL; count++) {
        ck_assert_int_lt(count, MOST);
        k = 0, rest = line;
        for (char *field; (field = next_field(&rest)) != NULL;)
            rows[count][k++] = number(field);
        ck_assert_int_eq(k, COLUMNS);
    }
    fclose(f);
    ck_assert_int_gt(count, 100);
}

static double speeds[100][3][6]; /* of ball, box, bar after each step */
static int steps;

static int note_speeds(void *ctx, perp_scene *scene, const perp_scene_run_info *info)
{
    static const char *const who[] = {"ball", "box", "bar"};

    (void)ctx;
    steps = (int)info->steps;
    for (int k = 0; k < 3; k++) {
        perp_scene_system_info s = {.size = sizeof s};
        double *q = NULL, *v = NULL;
        ck_assert_int_eq(perp_scene_system(scene, perp_scene_find_system(scene, who[k]), &s),
                         PERP_SOLVED);
        ck_assert_int_eq(perp_model_state(perp_scene_model(scene), s.id, &q, &v, NULL, NULL),
                         PERP_SOLVED);
        memcpy(speeds[steps][k], v, 6 * sizeof *v);
    }
    return 0;
}

static void run(void)
{
    perp_scene *scene;
    perp_scene_run_options options;
    perp_scene_run_info info = {.size = sizeof info};

    strcpy(folder, "/tmp/perp-contacts-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(perp_scene_create_from_text(&scene, text, NULL, NULL, NULL), PERP_SOLVED);
    perp_scene_run_options_init(&options, sizeof options);
    options.folder = folder;
    options.progress = note_speeds;
    ck_assert_msg(perp_scene_run(scene, &options, &info) == PERP_SOLVED, "%s", info.detail);
    perp_scene_destroy(scene);
    read_csv();
}

static void clean(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

/* The impulses of a step on a body are what its momentum gained, less gravity. */
START_TEST(impulses_are_those_of_the_motion)
{
    static const double masses[] = {2.0, 1.0, 3.0};
    static const double start[3][3] = {{1.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, 0.0}};
    double sum[100][3][3] = {{{0.0}}};
    int p = column("impulse[0]");

    for (int k = 0; k < count; k++) {
        int step = (int)lround(rows[k][0] / H), body = (int)rows[k][column("first")] - 1;
        ck_assert_int_eq((int)rows[k][column("second")], 0);
        for (int i = 0; i < 3; i++)
            sum[step][body][i] += rows[k][p + i];
    }
    for (int step = 1; step <= steps; step++)
        for (int body = 0; body < 3; body++)
            for (int i = 0; i < 3; i++) {
                double before = step > 1 ? speeds[step - 1][body][i] : start[body][i];
                double gained = masses[body] *
                                (speeds[step][body][i] - before + (i == 2 ? H * G : 0.0));
                ck_assert_double_eq_tol(sum[step][body][i], gained, 1e-9);
            }
}
END_TEST

/* What a contact is: of which shapes, with which law, in which state; moments of rolling friction. */
START_TEST(contacts_say_what_they_are)
{
    static const double mus[] = {0.5, 0.3, 0.3};
    int seen[3] = {0, 0, 0}, shapes[2] = {0, 0}, last = 0;

    for (int k = 0; k < count; k++) {
        const double *row = rows[k];
        int body = (int)row[column("first")] - 1;
        const double *moment = row + column("moment[0]"), *spin = row + column("spin[0]");
        seen[body]++;
        last = row[0] > rows[last][0] ? k : last;
        ck_assert_double_eq(row[column("mu")], mus[body]);
        ck_assert_double_eq(row[column("e")], body == 0 ? 0.25 : 0.0);
        ck_assert_double_eq(row[column("rolling")], body == 0 ? 0.01 : 0.0);
        ck_assert_int_eq((int)row[column("rows")], body == 0 ? 5 : 3);
        shapes[(int)row[column("first_shape")]] += body == 2;
        ck_assert_double_eq(row[column("second_shape")], 0.0);
        if (row[0] < 0.1)
            continue;
        ck_assert_str_eq(words[(int)row[column("state")]], body == 0   ? "rolling"
                                                           : body == 1 ? "sliding"
                                                                       : "sticking");
        if (body != 0)
            continue;
        ck_assert_double_eq_tol(moment[1], -0.01 * 2.0 * G * H, 1e-9);
        ck_assert_double_eq_tol(hypot(row[column("lambda[3]")], row[column("lambda[4]")]),
                                fabs(moment[1]), 1e-12);
        ck_assert_double_gt(spin[1], 8.0);
        ck_assert_double_eq_tol(hypot(row[column("u[3]")], row[column("u[4]")]), spin[1], 1e-9);
    }
    ck_assert_int_eq(seen[0], steps);
    ck_assert_int_eq(seen[1], 4 * steps);
    ck_assert_int_eq(shapes[0], steps);
    ck_assert_int_eq(shapes[1], steps);
    /* The box: 2 m/s less mu g t, at its four points. */
    for (int k = 0; k < count; k++)
        if (rows[k][0] == rows[last][0] && (int)rows[k][column("first")] == 2)
            ck_assert_double_eq_tol(rows[k][column("velocity[1]")], 2.0 - 0.3 * G * rows[k][0],
                                    1e-9);
}
END_TEST

#ifdef HAVE_HDF5
enum { U = 16 }; /* place of u in the list below */
static hid_t file;

static int read_set(double *out, const char *name, int entries)
{
    char path[64];
    hsize_t extent[2] = {0, 1};

    snprintf(path, sizeof path, "contacts/%s", name);
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    ck_assert_msg(set >= 0, "no %s", path);
    hid_t space = H5Dget_space(set);
    H5Sget_simple_extent_dims(space, extent, NULL);
    ck_assert_int_eq((int)extent[0], count);
    ck_assert_int_eq((int)extent[1], entries);
    ck_assert_int_ge(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out), 0);
    H5Sclose(space);
    H5Dclose(set);
    return entries;
}

static void text_of(char *out, size_t size, const char *object, const char *name)
{
    hid_t at = H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_msg(at >= 0, "%s has no %s", object, name);
    hid_t type = H5Aget_type(at);
    ck_assert_uint_le(H5Tget_size(type), size);
    ck_assert_int_ge(H5Aread(at, type, out), 0);
    H5Tclose(type);
    H5Aclose(at);
}

START_TEST(the_same_in_hdf5)
{
    static const struct {
        const char *set, *first, *more;
        int entries;
        double shift; /* of words */
    } pairs[] = {{"t", "t", NULL, 1, 0},
                 {"first", "first", NULL, 1, 0},
                 {"second", "second", NULL, 1, 0},
                 {"first_shape", "first_shape", NULL, 1, 0},
                 {"feature", "feature", NULL, 1, 0},
                 {"rows", "rows", NULL, 1, 0},
                 {"active", "active", NULL, 1, 0},
                 {"state", "state", NULL, 1, 4},
                 {"gap", "gap", NULL, 1, 0},
                 {"normal", "normal[0]", NULL, 3, 0},
                 {"point_a", "point_a[0]", NULL, 3, 0},
                 {"point_b", "point_b[0]", NULL, 3, 0},
                 {"velocity", "velocity[0]", NULL, 3, 0},
                 {"spin", "spin[0]", NULL, 3, 0},
                 {"impulse", "impulse[0]", NULL, 3, 0},
                 {"moment", "moment[0]", NULL, 3, 0},
                 {"u", "u[0]", "u[3]", 6, 0},
                 {"lambda", "lambda[0]", "lambda[3]", 6, 0},
                 {"mu", "mu", NULL, 1, 0},
                 {"e", "e", NULL, 1, 0},
                 {"rolling", "rolling", NULL, 1, 0},
                 {"torsion", "torsion", NULL, 1, 0},
                 {"interaction", "interaction", NULL, 1, 0}};
    static double read[6 * MOST];

    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        int n = read_set(read, pairs[k].set, pairs[k].entries), at = column(pairs[k].first);
        for (int row = 0; row < count; row++)
            for (int i = 0; i < n; i++)
                ck_assert_double_eq(read[row * n + i] + pairs[k].shift,
                                    rows[row][i < 3    ? at + i
                                              : i == 5 ? column(k == U ? "u[5]" : "lambda[5]")
                                                       : column(pairs[k].more) + i - 3]);
    }
}
END_TEST

START_TEST(hdf5_says_what_it_holds)
{
    static const struct {
        const char *object, *name, *text;
    } said[] = {{".", "title", "contacts"},
                {"t", "units", "s"},
                {"ball.q", "units", "m,m,m,1,1,1,1"},
                {"bar.v", "units", "m/s,m/s,m/s,rad/s,rad/s,rad/s"},
                {"energy", "units", "J"},
                {"contacts/impulse", "units", "N s"},
                {"contacts/u", "units", "m/s,m/s,m/s,rad/s,rad/s,rad/s"},
                {"contacts/lambda", "units", "N s,N s,N s,N m s,N m s,N m s"},
                {".", "scene", "run/scene"},
                {"contacts/state", "states", "open,sticking,sliding,rolling,spinning"}};
    char read[200], bodies[4][6], path[200];
    static char scene[20000], copy[20000];

    for (size_t k = 0; k < sizeof said / sizeof said[0]; k++) {
        text_of(read, sizeof read, said[k].object, said[k].name);
        ck_assert_str_eq(read, said[k].text);
    }
    text_of(read, sizeof read, ".", "software");
    ck_assert_int_eq(strncmp(read, "perp ", 5), 0);
    ck_assert_str_eq(read + 5, perp_version());
    text_of(read, sizeof read, ".", "version");
    ck_assert_str_eq(read, perp_version());
    hid_t set = H5Dopen2(file, "contacts/bodies", H5P_DEFAULT), type = H5Dget_type(set);
    ck_assert_uint_eq(H5Tget_size(type), sizeof bodies[0]);
    ck_assert_int_ge(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bodies), 0);
    H5Tclose(type);
    H5Dclose(set);
    for (int k = 0; k < 4; k++)
        ck_assert_str_eq(bodies[k], words[k]);
    set = H5Dopen2(file, "run/scene", H5P_DEFAULT), type = H5Dget_type(set);
    ck_assert_uint_lt(H5Tget_size(type), sizeof scene);
    ck_assert_int_ge(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, scene), 0);
    H5Tclose(type);
    H5Dclose(set);
    snprintf(path, sizeof path, "%s/scene.json", folder);
    FILE *f = fopen(path, "r");
    copy[fread(copy, 1, sizeof copy - 1, f)] = '\0';
    fclose(f);
    ck_assert_str_eq(scene, copy);
}
END_TEST

/* Without series.csv the columns come from the datasets, and groups are none of them. */
START_TEST(verified_from_hdf5)
{
    char path[200];
    perp_verification *found = NULL;
    perp_scene_error error = {.size = sizeof error};

    snprintf(path, sizeof path, "%s/series.csv", folder);
    ck_assert_int_eq(remove(path), 0);
    ck_assert_msg(perp_verify_folder(&found, folder, NULL, &error) == PERP_SOLVED, "%s",
                  error.text);
    ck_assert_int_eq(perp_verification_holds(found), 1);
    ck_assert_int_eq((int)perp_verification_rows(found), steps + 1);
    perp_verification_destroy(found);
}
END_TEST

static void open_file(void)
{
    char path[200];

    run();
    snprintf(path, sizeof path, "%s/series.h5", folder);
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    ck_assert_int_ge(file, 0);
}

static void close_file(void)
{
    H5Fclose(file);
    clean();
}
#endif

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("contact files");
    TCase *tables = tcase_create("tables");

    tcase_add_checked_fixture(tables, run, clean);
    tcase_add_test(tables, impulses_are_those_of_the_motion);
    tcase_add_test(tables, contacts_say_what_they_are);
    suite_add_tcase(suite, tables);
#ifdef HAVE_HDF5
    TCase *hdf5 = tcase_create("hdf5");
    tcase_add_checked_fixture(hdf5, open_file, close_file);
    tcase_add_test(hdf5, the_same_in_hdf5);
    tcase_add_test(hdf5, hdf5_says_what_it_holds);
    tcase_add_test(hdf5, verified_from_hdf5);
    suite_add_tcase(suite, hdf5);
#endif
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
