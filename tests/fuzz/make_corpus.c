/* SPDX-License-Identifier: BSD-3-Clause */
/* make_corpus FOLDER: inputs to begin with, one folder per fuzzer; every class and format that
 * there is, small. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perp/scene.h>

#include "bench/campaign/results_file.h"
#include "config.h"
#include "tests/fixtures/io_samples.h"
#include "tests/fixtures/scene_text.h"
#include "tests/fuzz/fuzz_models.h"
#include "tests/fuzz/fuzz_scenes.h"
#include "viewer/motion_read.h"

static const char *root;

static void put(const char *target, const char *name, int head, const void *bytes, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", root, target);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", root, target, name);
    FILE *f = fopen(path, "wb");
    if (f == NULL) {
        perror(path);
        exit(99);
    }
    if (head >= 0)
        fputc(head, f);
    fwrite(bytes, 1, size, f);
    fclose(f);
}

static void put_text(const char *target, const char *name, const char *text)
{
    put(target, name, -1, text, strlen(text));
}

static void put_file(const char *target, const char *name, int head, const char *path)
{
    size_t bytes = 0;
    char *text = io_read(path, &bytes);
    put(target, name, head, text, bytes);
    free(text);
}

static void problems(void)
{
    perp_rng rng = {7};
    for (int k = 0; k < IO_SAMPLES; k++) {
        for (int size = 0; size < 4; size += size + 1) {
            perp_problem_file *file = io_sample_make((io_sample)k, size, &rng);
            char name[32];
            snprintf(name, sizeof name, "sample-%d-%d", k, size);
            const char *path = io_path("corpus.dat");
            if (io_sample_fits((io_sample)k, PERP_FORMAT_SICONOS) &&
                perp_problem_file_write(file, path, PERP_FORMAT_SICONOS, NULL) == PERP_SOLVED)
                put_file("problem", name, k % 2 ? 0 : (int)file->cls, path);
            path = io_path("corpus.hdf5");
            if (io_sample_fits((io_sample)k, PERP_FORMAT_FCLIB) &&
                perp_problem_file_write(file, path, PERP_FORMAT_FCLIB, NULL) == PERP_SOLVED)
                put_file("hdf5", name, -1, path);
            path = io_path("corpus.mtx");
            if (file->M.rows > 0 && perp_mtx_write(&file->M, path, NULL) == PERP_SOLVED)
                put_file("matrix", name, -1, path);
            perp_problem_file_destroy(file);
        }
    }
}

static void texts(void)
{
    put_text("solution", "text", "z w\n0.5 0\n0 1\n0.5 0\n");
    put_text("solution", "comment", "# z w\n1e-3 2\n 0x1p-3 0\n-0 0\n");
    put_text("proof", "holds",
             "perp-proof 1\nproblem a.dat\nkind infeasible\nrows 2\nholds 1\nsign 0\ncolumn 0\n"
             "value -1\nreach inf\ny 2\n0\n1\n");
    put_text("proof", "exhausted",
             "perp-proof 1\nproblem a\nkind exhausted\nrows 2\nreach inf\ny 0\n");
    for (int k = 0; k < 24; k++) {
        const unsigned char bytes[9] = {(unsigned char)k,
                                        (unsigned char)(5 * k),
                                        (unsigned char)k,
                                        1,
                                        7,
                                        (unsigned char)(3 * k),
                                        (unsigned char)(k / 6),
                                        2,
                                        11};
        char name[16];
        snprintf(name, sizeof name, "change-%d", k);
        put("hdf5_structure", name, -1, bytes, k < 6 ? 1 : sizeof bytes);
        put("series", name, -1, bytes, k < 4 ? 1 : sizeof bytes);
    }
    put_text("matrix", "symmetric",
             "%%MatrixMarket matrix coordinate real symmetric\n% c\n2 2 2\n1 1 2\n2 1 -1\n");
    put_text("matrix", "array", "%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n4\n");
    put_text("results", "rows",
             PERP_BENCH_COLUMNS
             "\nh,c,one/a.dat,3,1,9,gs,\"a=\"\"b\"\"\",1e-4,solved,5,1e-9,1e-9,1e-9,"
             "1e-9,1e-9,1e-9,0.1,0.2,1000,3,\nh,c,b.dat,,,,x:y,time_limit=3,1e-8,"
             "time-limit,,,,,,,,,,,,note\n");
    put_text("results", "begun", "host,comm");
    put_text("scene", "ball", fuzz_ball);
    put_text("scene", "heap", fuzz_heap);
    put_text("scene", "bouncing", scene_bouncing);
    put_text("scene", "boxes", scene_heap);
    for (size_t k = 0; k < sizeof fuzz_models / sizeof fuzz_models[0]; k++)
        put_text("robot", fuzz_models[k][0], fuzz_models[k][1]);
}

static void meshes(void)
{
    static const char corner[] =
        "solid c\nfacet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\n"
        "vertex 1 0 0\nendloop\nendfacet\nfacet normal 1 1 1\nouter loop\n"
        "vertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid\n";
    static const char faces[] =
        "# a pyramid\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 1e0\n"
        "vn 0 0 1\nf 4 3 2 1\nf 1/1 2/2 5/3\nf 2//1 3//1 5//1\nf -3 -2 -1\nf 4 1 5\n";
    unsigned char binary[84 + 2 * 50] = "binary";
    const float up[3] = {0.0f, 0.5f, 1.0f};
    binary[80] = 2;
    for (size_t k = 0; k < 6; k++)
        memcpy(binary + 84 + 50 * (k / 3) + 12 + 12 * (k % 3) + 4 * (k % 3), &up[k % 2 + 1],
               sizeof up[0]);
    put("mesh", "text", 0, corner, strlen(corner));
    put("mesh", "binary", 0, binary, sizeof binary);
    put("mesh", "faces", 1, faces, strlen(faces));
}

static size_t put_record(unsigned char *at, uint32_t tag, const void *data, size_t bytes)
{
    const uint32_t head[2] = {tag, (uint32_t)bytes};
    memcpy(at, head, sizeof head);
    memcpy(at + sizeof head, data, bytes);
    return sizeof head + bytes;
}

/* A motion of one body in three instants, with contacts; whole, and of a run that failed. */
static void motions(void)
{
    static const char head[] = "perp motion 1\n\0\0\4\3\2\1\2\0\0\0{}", layout[] = "p  u   q",
                      why[] = "it failed";
    unsigned char bytes[2048];
    size_t size = sizeof head - 1;
    memcpy(bytes, head, size);
    size += put_record(bytes + size, 3, layout, sizeof layout - 1);
    for (int k = 0; k < 3; k++) {
        double instant[PERP_CURVES + sizeof layout - 1] = {0.1 * k, k};
        perp_motion_contact contact[2] = {{.second = -1, .rows = 3, .gap = 0.5f}, {.mu = 0.3f}};
        instant[PERP_CURVES] = 300.0 * k;
        instant[PERP_CURVES + 3] = 1.0;
        size += put_record(bytes + size, 1, instant, sizeof instant);
        size += put_record(bytes + size, 2, contact, sizeof contact[0] * (size_t)k);
    }
    put("motion", "whole", -1, bytes, size);
    size += put_record(bytes + size, 4, why, sizeof why - 1);
    put("motion", "failed", -1, bytes, size);
}

#ifdef HAVE_JANSSON
static void checkpoint(const char *name, int which, const char *text)
{
    perp_scene *scene = scene_of(text, NULL);
    size_t bytes = 0;
    perp_scene_run(scene, NULL, NULL);
    if (perp_scene_save(scene, NULL, &bytes) == PERP_SOLVED) {
        void *block = malloc(bytes);
        if (block != NULL && perp_scene_save(scene, block, &bytes) == PERP_SOLVED)
            put("checkpoint", name, which, block, bytes);
        free(block);
    }
    perp_scene_destroy(scene);
}
#endif

static void scenes(const char *source)
{
    static const char *const names[] = {
        "arm",          "ball_joint",    "bead_column", "box_stack",
        "cam_follower", "diode_bridge",  "disc_heap",   "free_body",
        "incline",      "impacting_bar", "knee",        "rolling_disc",
        "springs",      "slider_crank",  "string",      "double_pendulum"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/examples/scenes/%s.json", source, names[k]);
        if (access(path, R_OK) == 0)
            put_file("scene", names[k], -1, path);
    }
#ifdef HAVE_JANSSON
    checkpoint("ball", 0, fuzz_ball);
    checkpoint("heap", 1, fuzz_heap);
    static const char *const files[] = {"scene.json", "series.csv", "contacts.csv", "impacts.csv"};
    char folder[] = "/tmp/perp-corpus-XXXXXX", path[256];
    if (mkdtemp(folder) == NULL || fuzz_run(fuzz_certified, folder) != 0)
        return;
    for (int k = 0; k < 4; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[k]);
        if (access(path, R_OK) == 0)
            put_file("verify", files[k], k, path);
    }
    snprintf(path, sizeof path, "rm -r %s", folder);
    if (system(path) != 0)
        perror(folder);
#endif
}

static void solvers(void)
{
    static const double M[] = {2.0, 1.0, 1.0, 2.0}, q[] = {-1.0, -1.0};
    static const char *const names[] = {"gs", "nsn", "direct", "lemke", "auto"};
    perp_segment segment = {.set = PERP_NONNEG, .dim = 1, .count = 2};
    perp_problem problem = {.q = q, .seg = &segment, .nseg = 1};
    perp_mat_init_dense(&problem.M, 2, 2, M, 2);
    for (int k = 0; k < 5; k++) {
        perp_solver *solver = NULL;
        double z[2] = {0.0, 0.0}, w[2];
        unsigned char block[4096] = {2, (unsigned char)k};
        size_t bytes = sizeof block - 2;
        if (perp_solver_create(&solver, perp_solver_find(names[k]), NULL, NULL, NULL) !=
            PERP_SOLVED)
            continue;
        if (perp_solver_setup(solver, &problem) == PERP_SOLVED &&
            perp_solver_solve(solver, z, w, NULL) == PERP_SOLVED &&
            perp_solver_save(solver, block + 2, &bytes) == PERP_SOLVED)
            put("checkpoint", names[k], -1, block, bytes + 2);
        perp_solver_destroy(solver);
    }
}

static const char *source;

START_TEST(corpus)
{
    io_folder_make();
    problems();
    texts();
    meshes();
    motions();
    scenes(source);
    solvers();
    io_folder_remove();
}
END_TEST

/* As a test, since the samples are made with assertions. */
int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    source = getenv("PERP_SOURCE") != NULL ? getenv("PERP_SOURCE") : ".";
    root = argv[1];
    mkdir(root, 0777);
    Suite *suite = suite_create("corpus");
    TCase *tcase = tcase_create("corpus");
    tcase_add_test(tcase, corpus);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
