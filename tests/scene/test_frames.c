/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames: their format by a reader of its own, their numbers beside the series and the table of
 * contacts, and what becomes of them where a run is interrupted or cannot write. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <config.h>

#include <check.h>
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fixtures/dense_reference.h"
#include "tests/fixtures/run_folder.h"
#include "tests/scene/vtk_reader.h"

/* A ball that falls without turning, a box that slides and a disc-like cylinder that tips over. */
static const char text[] =
    "{\"version\": 1, \"time\": {\"until\": 0.3, \"step\": 0.001}, \"gravity\": [0, 0, -9.81], "
    "\"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}}, "
    "{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"mass\": 2, "
    "\"position\": [0.3, -0.7, 5], \"velocity\": [1.1, -0.3, 0.2]}, "
    "{\"name\": \"box\", \"shape\": {\"type\": \"box\", \"sides\": [0.2, 0.3, 0.4]}, \"mass\": 1, "
    "\"position\": [0, 1, 0.2], \"velocity\": [0, 2, 0]}, "
    "{\"name\": \"can\", \"shape\": {\"type\": \"cylinder\", \"radius\": 0.1, \"length\": 0.2}, "
    "\"mass\": 1, \"position\": [2, 0, 0.4], \"angular\": [3, 1, 2]}], "
    "\"contacts\": {\"e\": 0, \"mu\": 0.3}, "
    "\"record\": {\"quantities\": [\"ball.q\", \"ball.v\", \"box.q\", \"box.v\"], "
    "\"contacts\": true}}";
enum { SERIES = 27, TABLE = 47, BALL_V = 8, BOX_Q = 14, BOX_V = 21 };

static perp_status run(const char *name, double until, int resume, perp_scene_run_info *info,
                       const perp_allocator *memory)
{
    perp_scene_run_options options;
    perp_scene *scene = NULL;
    perp_status status = perp_scene_create_from_text(&scene, text, NULL, memory, NULL);

    if (status != PERP_SOLVED)
        return status;
    perp_scene_run_options_init(&options, sizeof options);
    options.folder = run_folder_path(name);
    options.until = until;
    options.resume = resume;
    options.vtk = -1;
    *info = (perp_scene_run_info){.size = sizeof *info};
    status = perp_scene_run(scene, &options, info);
    perp_scene_destroy(scene);
    return status;
}

static void run_well(const char *name, double until, int resume)
{
    perp_scene_run_info info;
    ck_assert_msg(run(name, until, resume, &info, NULL) == PERP_SOLVED, "%s", info.detail);
}

/* The line of the series at that very time. */
static void series_at(double *row, const char *name, double t)
{
    char line[4000], *at;
    FILE *f = fopen(run_folder_path(name), "r");

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f) != NULL) {
        at = line;
        for (int k = 0; k < SERIES; k++)
            row[k] = strtod(at + (k > 0), &at);
        if (row[0] == t && line[0] != 't') {
            fclose(f);
            return;
        }
    }
    ck_abort_msg("no row at t = %.17g", t);
}

static double length(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Polygons: whole, closed by their ends, of points that there are. */
static void assert_polygons(const vtk_poly_data *file, int polygons)
{
    const vtk_array *offsets = vtk_find(file, "offsets", "Int32", polygons);
    const vtk_array *vertices = vtk_find(file, "connectivity", "Int32", -1);
    int before = 0;

    for (int k = 0; k < polygons; k++) {
        int end = vtk_int(offsets, k);
        ck_assert_int_gt(end, before);
        before = end;
    }
    ck_assert_uint_eq(vertices->bytes, 4 * (size_t)before);
    for (int k = 0; k < before; k++) {
        ck_assert_int_ge(vtk_int(vertices, k), 0);
        ck_assert_int_lt(vtk_int(vertices, k), file->points);
    }
}

/* First and last point of the polygons of a body, for bodies are drawn one after the other. */
static void points_of(int *first, int *last, const vtk_poly_data *file, int body)
{
    const vtk_array *bodies = vtk_find(file, "body", "Int32", file->polys);
    const vtk_array *offsets = vtk_find(file, "offsets", "Int32", file->polys);
    const vtk_array *vertices = vtk_find(file, "connectivity", "Int32", -1);

    *first = file->points;
    *last = -1;
    for (int k = 0, i = 0; k < file->polys; k++)
        for (; i < vtk_int(offsets, k); i++) {
            if (vtk_int(bodies, k) != body)
                continue;
            int point = vtk_int(vertices, i);
            *first = point < *first ? point : *first;
            *last = point > *last ? point : *last;
        }
}

static void assert_shapes(const vtk_poly_data *file, const double *row)
{
    const vtk_array *points = vtk_find(file, "Points", "Float64", file->points);
    const vtk_array *bodies = vtk_find(file, "body", "Int32", file->polys);
    const vtk_array *speeds = vtk_find(file, "speed", "Float64", file->polys);
    int first, last, on_axis = 0;

    for (int k = 0; k < file->polys; k++) {
        int body = vtk_int(bodies, k);
        if (body == 0)
            ck_assert(vtk_double(speeds, k) == 0.0);
        if (body == 1)
            ck_assert(vtk_double(speeds, k) == length(row + BALL_V));
        if (body == 2)
            ck_assert(vtk_double(speeds, k) == length(row + BOX_V));
    }
    points_of(&first, &last, file, 1);
    for (int k = first; k <= last; k++) {
        double x[3];
        for (int i = 0; i < 3; i++)
            x[i] = vtk_double(points, 3 * k + i) - row[1 + i];
        ck_assert_double_eq_tol(length(x), 0.1, 1e-14);
        on_axis += x[0] == 0.0 && x[1] == 0.0; /* the poles of one that does not turn */
    }
    ck_assert_int_eq(on_axis, 2);
    points_of(&first, &last, file, 2);
    ck_assert_int_eq(last - first, 7);
    double mean[3] = {0.0, 0.0, 0.0};
    for (int k = first; k <= last; k++)
        for (int i = 0; i < 3; i++)
            mean[i] += 0.125 * vtk_double(points, 3 * k + i);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(mean[i], row[BOX_Q + i], 1e-14);
    /* A corner: q + R (half sides). */
    double q[4], corner[3], half[3] = {0.1, 0.15, 0.2};
    memcpy(q, row + BOX_Q + 3, sizeof q);
    const double R[3][3] = {{1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]),
                             2 * (q[1] * q[3] + q[0] * q[2])},
                            {2 * (q[1] * q[2] + q[0] * q[3]), 1 - 2 * (q[1] * q[1] + q[3] * q[3]),
                             2 * (q[2] * q[3] - q[0] * q[1])},
                            {2 * (q[1] * q[3] - q[0] * q[2]), 2 * (q[2] * q[3] + q[0] * q[1]),
                             1 - 2 * (q[1] * q[1] + q[2] * q[2])}};
    int found = 0;
    for (int i = 0; i < 3; i++)
        corner[i] = row[BOX_Q + i] + R[i][0] * half[0] + R[i][1] * half[1] + R[i][2] * half[2];
    for (int k = first; k <= last; k++) {
        double x[3];
        for (int i = 0; i < 3; i++)
            x[i] = vtk_double(points, 3 * k + i) - corner[i];
        found += length(x) < 1e-14;
    }
    ck_assert_int_eq(found, 1);
}

/* The contacts of a frame beside the lines of the table at that time, in their order. */
static int assert_contacts(const vtk_poly_data *file, double t)
{
    static const struct {
        const char *name;
        int column;
    } vectors[] = {{"Points", 10},  {"normal", 7},  {"velocity", 30},
                   {"impulse", 23}, {"moment", 36}, {"spin", 33}},
      numbers[] = {{"gap", 6}, {"mu", 42}};
    const char *first = (const char *)vtk_find(file, "first_name", "String", -1)->data;
    const char *second = (const char *)vtk_find(file, "second_name", "String", -1)->data;
    char line[4000], *field[TABLE];
    FILE *f = fopen(run_folder_path("run/contacts.csv"), "r");
    int count = 0;

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f) != NULL) {
        if (strtod(line, NULL) != t || line[0] == 't')
            continue;
        int k = 0;
        for (char *at = strtok(line, ",\n"); at != NULL; at = strtok(NULL, ",\n"))
            field[k++] = at;
        ck_assert_int_eq(k, TABLE);
        ck_assert_int_lt(count, file->points);
        for (size_t a = 0; a < sizeof vectors / sizeof vectors[0]; a++)
            for (int i = 0; i < 3; i++)
                ck_assert(vtk_double(vtk_find(file, vectors[a].name, "Float64", file->points),
                                     3 * count + i) == strtod(field[vectors[a].column + i], NULL));
        for (size_t a = 0; a < sizeof numbers / sizeof numbers[0]; a++)
            ck_assert(vtk_double(vtk_find(file, numbers[a].name, "Float64", file->points), count) ==
                      strtod(field[numbers[a].column], NULL));
        ck_assert_str_eq(first, field[1]);
        ck_assert_str_eq(second, field[2]);
        first += strlen(first) + 1;
        second += strlen(second) + 1;
        count++;
    }
    fclose(f);
    return count;
}

START_TEST(numbers_are_those_of_the_run)
{
    int contacts = 0, frames = 0;

    run_well("run", 0.3, 0);
    for (;; frames++) {
        char name[64];
        double row[SERIES], t;
        vtk_poly_data file;
        snprintf(name, sizeof name, "run/frames/%06d.vtp", frames);
        if (access(run_folder_path(name), F_OK) != 0)
            break;
        vtk_read(&file, run_folder_path(name));
        t = vtk_double(vtk_find(&file, "TimeValue", "Float64", 1), 0);
        series_at(row, "run/series.csv", t);
        assert_polygons(&file, file.polys);
        assert_shapes(&file, row);
        vtk_close(&file);
        snprintf(name, sizeof name, "run/frames/contacts-%06d.vtp", frames);
        vtk_read(&file, run_folder_path(name));
        ck_assert(vtk_double(vtk_find(&file, "TimeValue", "Float64", 1), 0) == t);
        ck_assert_int_eq(file.verts, file.points);
        assert_polygons(&file, file.verts);
        int here = assert_contacts(&file, t);
        ck_assert_int_eq(here, t > 0.0 ? file.points : 0);
        contacts += here;
        vtk_close(&file);
    }
    ck_assert_int_ge(frames, 100);
    ck_assert_int_le(frames, 400);
    ck_assert_int_gt(contacts, 4 * frames);
}
END_TEST

static int same_bytes(const char *a, const char *b)
{
    char command[600];
    snprintf(command, sizeof command, "cmp -s '%s' '%s'", run_folder_path(a), run_folder_path(b));
    return system(command) == 0;
}

static int same_folders(const char *a, const char *b)
{
    char command[600];
    snprintf(command, sizeof command, "diff -r '%s' '%s' >/dev/null", run_folder_path(a),
             run_folder_path(b));
    return system(command) == 0;
}

static double last_time(const char *name)
{
    char line[400];
    double t = -1.0;
    FILE *f = fopen(run_folder_path(name), "r");

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f) != NULL) {
        const char *at = strstr(line, "timestep=\"");
        if (at != NULL)
            t = strtod(at + 10, NULL);
    }
    fclose(f);
    return t;
}

/* Parts that end between two frames leave what one run leaves. */
START_TEST(parts_leave_what_one_run_leaves)
{
    run_well("whole", 0.3, 0);
    run_well("parts", 0.3, 0);
    ck_assert(same_folders("whole/frames", "parts/frames"));
    run_folder_remove();
    run_folder_make();
    run_well("parts", 0.103, 0);
    ck_assert_double_eq_tol(last_time("parts/frames.pvd"), 0.103, 1e-15);
    run_well("parts", 0.241, 1);
    ck_assert_double_eq_tol(last_time("parts/frames.pvd"), 0.241, 1e-15);
    run_well("parts", 0.3, 1);
    ck_assert_double_eq_tol(last_time("parts/frames.pvd"), 0.3, 1e-15);
    /* every is that of the first part, which ends at 0.103: one step */
    DIR *files = opendir(run_folder_path("parts/frames"));
    int count = 0;
    for (struct dirent *entry; (entry = readdir(files)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(files);
    ck_assert_int_eq(count, 2 * 301);
}
END_TEST

/* A frame that a loss of power took is not named; the others are. */
START_TEST(lost_frames_are_not_named)
{
    char command[600];

    run_well("run", 0.15, 0);
    ck_assert_int_eq(truncate(run_folder_path("run/frames/000002.vtp"), 0), 0);
    ck_assert_int_eq(truncate(run_folder_path("run/frames/000004.vtp"), 3000), 0);
    ck_assert_int_eq(unlink(run_folder_path("run/frames/contacts-000005.vtp")), 0);
    run_well("run", 0.3, 1);
    for (int k = 1; k < 7; k++)
        for (int layer = 0; layer < 2; layer++) {
            int lost = layer == 0 ? k == 2 || k == 4 : k == 5;
            snprintf(command, sizeof command,
                     "grep -q 'file=\"frames/%s%06d.vtp\"' '%s/run/frames.pvd'",
                     layer ? "contacts-" : "", k, run_folder);
            ck_assert_int_eq(system(command) != 0, lost);
        }
}
END_TEST

/* A frame that does not fit: an error that names it, nothing under its name, and the same run goes
 * through when there is space. */
START_TEST(no_space_for_a_frame)
{
    struct rlimit limit = {6000, RLIM_INFINITY};
    perp_scene_run_info info;

    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_int_eq(run("run", 0.3, 0, &info, NULL), PERP_ERR_OPEN);
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    ck_assert_msg(strstr(info.detail, "frames: File too large") != NULL, "%s", info.detail);
    ck_assert_int_ne(access(run_folder_path("run/frames/000000.vtp"), F_OK), 0);
    ck_assert_int_ne(access(run_folder_path("run/frames/000000.vtp.part"), F_OK), 0);
    ck_assert_int_ne(access(run_folder_path("run/frames.pvd"), F_OK), 0);
    run_well("run", 0.3, 0);
    run_well("other", 0.3, 0);
    ck_assert(same_bytes("run/frames.pvd", "other/frames.pvd"));
    ck_assert(same_folders("run/frames", "other/frames"));
}
END_TEST

START_TEST(a_file_in_the_way)
{
    perp_scene_run_info info;
    FILE *f;

    ck_assert_int_eq(mkdir(run_folder_path("run"), 0777), 0);
    f = fopen(run_folder_path("run/frames"), "w");
    fclose(f);
    ck_assert_int_eq(run("run", 0.3, 0, &info, NULL), PERP_ERR_OPEN);
    ck_assert_msg(strstr(info.detail, "frames: ") != NULL, "%s", info.detail);
}
END_TEST

/* What a run that was killed in the middle of a frame left is replaced. */
START_TEST(an_unfinished_frame_is_replaced)
{
    FILE *f;

    ck_assert_int_eq(mkdir(run_folder_path("run"), 0777), 0);
    ck_assert_int_eq(mkdir(run_folder_path("run/frames"), 0777), 0);
    f = fopen(run_folder_path("run/frames/000001.vtp.part"), "w");
    fputs("half", f);
    fclose(f);
    run_well("run", 0.3, 0);
    ck_assert_int_ne(access(run_folder_path("run/frames/000001.vtp.part"), F_OK), 0);
    ck_assert_int_eq(access(run_folder_path("run/frames/000001.vtp"), F_OK), 0);
}
END_TEST

/* Allocations fail from the k-th on: an error, and no memory is lost. */
START_TEST(failing_memory)
{
    int solved = 0, step = 1;

    for (int k = 0; !solved; k += step) {
        ref_memory ledger = {.fail_at = k};
        perp_allocator memory = ref_allocator(&ledger);
        perp_scene_run_info info = {.size = sizeof info};
        perp_status status = run("run", 0.004, 0, &info, &memory);
        ck_assert_msg(status <= 0, "%d: %s", k, info.detail);
        solved = status == PERP_SOLVED;
        ck_assert_int_eq(ledger.live, 0);
    }
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("frames");
    TCase *tests = tcase_create("frames");

    tcase_set_timeout(tests, 120.0);
    tcase_add_checked_fixture(tests, run_folder_make, run_folder_remove);
    tcase_add_test(tests, numbers_are_those_of_the_run);
    tcase_add_test(tests, parts_leave_what_one_run_leaves);
    tcase_add_test(tests, lost_frames_are_not_named);
    tcase_add_test(tests, no_space_for_a_frame);
    tcase_add_test(tests, a_file_in_the_way);
    tcase_add_test(tests, an_unfinished_frame_is_replaced);
    tcase_add_test(tests, failing_memory);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
