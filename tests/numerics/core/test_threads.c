/* SPDX-License-Identifier: BSD-3-Clause */
/* Coloured orders, and the same bits for any number of threads. */
#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "core/parallel.h"
#include "core/rng.h"
#include "tests/fixtures/generated.h"
#include "linalg/csc.h"
#include "problem/blocks.h"
#include "problem/residual.h"
#include "solvers/gs/colouring.h"

static void set(perp_settings *settings, const char *name, const char *value)
{
    ck_assert_int_eq(perp_settings_set(settings, name, value), PERP_SOLVED);
}

static void check_order(const perp_colouring *c, int count)
{
    char *seen = calloc((size_t)count + 1, 1);
    ck_assert_int_eq(c->start[0], 0);
    ck_assert_int_eq(c->start[c->pieces], count);
    ck_assert_int_eq(c->first[0], 0);
    ck_assert_int_eq(c->first[c->colours], c->pieces);
    for (int i = 0; i < count; i++) {
        ck_assert(!seen[c->order[i]]);
        seen[c->order[i]] = 1;
    }
    free(seen);
}

/* Blocks that name each other at random, some of them in one direction only. */
START_TEST(colours_of_blocks)
{
    enum { COUNT = 700, DEGREE = 9 };
    perp_rng rng = {(uint64_t)_i + 1};
    perp_arena arena;
    int first[COUNT + 1], link[COUNT * DEGREE];
    perp_arena_init(&arena, NULL);
    first[0] = 0;
    for (int k = 0; k < COUNT; k++) {
        first[k + 1] = first[k] + perp_rng_below(&rng, DEGREE);
        for (int p = first[k]; p < first[k + 1]; p++)
            link[p] = _i % 2 ? perp_rng_below(&rng, COUNT) : (k + perp_rng_below(&rng, 30)) % COUNT;
    }
    perp_coupling coupling = {.count = COUNT, .first = first, .link = link};
    perp_colouring found;
    ck_assert_int_eq(perp_colouring_find(&found, &coupling, &arena), PERP_SOLVED);
    check_order(&found, COUNT);
    ck_assert_int_eq(perp_colouring_holds(&found, &coupling, NULL), 1);
    /* By hand: the colour of each piece, and no two pieces of one that name each other. */
    int piece_of[COUNT], colour_of[COUNT];
    for (int colour = 0, i = 0; colour < found.colours; colour++)
        for (int piece = found.first[colour]; piece < found.first[colour + 1]; piece++)
            for (; i < found.start[piece + 1]; i++) {
                piece_of[found.order[i]] = piece;
                colour_of[found.order[i]] = colour;
            }
    for (int k = 0; k < COUNT; k++)
        for (int p = first[k]; p < first[k + 1]; p++)
            ck_assert(piece_of[k] == piece_of[link[p]] || colour_of[k] != colour_of[link[p]]);
    /* One more link across a colour is seen. */
    if (found.first[1] - found.first[0] > 1) {
        int a = found.order[found.start[0]], b = found.order[found.start[1]];
        if (first[a + 1] > first[a]) {
            link[first[a]] = b;
            ck_assert_int_eq(perp_colouring_holds(&found, &coupling, NULL), 0);
        }
    }
    perp_arena_free(&arena);
}
END_TEST

/* Pairs of bodies, and one large body under every third block: it cannot be shared, but all
 * else can. */
START_TEST(colours_of_groups)
{
    enum { COUNT = 900, GROUPS = 300 };
    int first[COUNT + 1], link[3 * COUNT], group[GROUPS + 2] = {0}, member[3 * COUNT];
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    first[0] = 0;
    for (int k = 0; k < COUNT; k++) {
        int at = first[k];
        link[at++] = 1 + k / 4;
        link[at++] = 1 + (k / 4 + 7) % (GROUPS - 1);
        if (_i && k % 3 == 0)
            link[at++] = 0;
        first[k + 1] = at;
    }
    for (int g = 0, at = 0; g < GROUPS; g++) {
        group[g] = at;
        for (int k = 0; k < COUNT; k++)
            for (int p = first[k]; p < first[k + 1]; p++)
                if (link[p] == g)
                    member[at++] = k;
        group[g + 1] = at;
    }
    perp_coupling coupling = {.count = COUNT,
                              .first = first,
                              .link = link,
                              .groups = GROUPS,
                              .group = group,
                              .member = member};
    perp_colouring found;
    ck_assert_int_eq(perp_colouring_find(&found, &coupling, &arena), PERP_SOLVED);
    check_order(&found, COUNT);
    ck_assert_int_eq(perp_colouring_holds(&found, &coupling, NULL), 1);
    if (!_i)
        ck_assert_int_le(found.colours, 12);
    coupling.runs = 1;
    ck_assert_int_eq(perp_colouring_find(&found, &coupling, &arena), PERP_SOLVED);
    check_order(&found, COUNT);
    ck_assert_int_eq(perp_colouring_holds(&found, &coupling, NULL), 1);
    for (int piece = 0; found.colours < 64 && piece < found.pieces; piece++)
        for (int i = found.start[piece] + 1; i < found.start[piece + 1]; i++)
            ck_assert_int_eq(found.order[i], found.order[i - 1] + 1);
    perp_arena_free(&arena);
}
END_TEST

typedef struct packing {
    perp_problem_file *file;
    perp_problem bodies, rows;
    perp_arena arena;
    int n;
} packing;

static void make(packing *p, const char *kind, int size)
{
    generated_make(&p->file, &p->bodies, kind, size);
    perp_arena_init(&p->arena, NULL);
    p->rows = p->bodies;
    p->n = p->bodies.M.rows;
    ck_assert_int_eq(
        perp_bsr_from_delassus(&p->rows.M, &p->bodies.M, p->bodies.seg[0].dim, &p->arena),
        PERP_SOLVED);
}

static void drop(packing *p)
{
    perp_arena_free(&p->arena);
    perp_problem_file_destroy(p->file);
}

typedef struct answer {
    double *z, *w;
    perp_info info;
} answer;

static answer solve(const perp_problem *problem, const perp_settings *settings, int threads)
{
    size_t n = (size_t)problem->M.rows;
    answer a = {calloc(n, sizeof(double)), calloc(n, sizeof(double)), {.size = sizeof a.info}};
    perp_settings used = *settings;
    used.threads = threads;
    ck_assert_int_ge(perp_solve("gs", problem, &used, a.z, a.w, &a.info), 0);
    return a;
}

static void answer_free(answer *a)
{
    free(a->z);
    free(a->w);
}

/* variant 0 on two to eight threads, each other one on one of these numbers. */
static void same_for_threads(const perp_problem *problem, const perp_settings *settings,
                             size_t variant, const char *what)
{
    enum { FEWEST = 2, COUNTS = 7 };
    int most = variant == 0 ? COUNTS : 1;
    size_t bytes = (size_t)problem->M.rows * sizeof(double);
    answer one = solve(problem, settings, 1);
    for (int i = 0; i < most; i++) {
        int threads = FEWEST + ((int)variant + i) % COUNTS;
        answer many = solve(problem, settings, threads);
        ck_assert_msg(
            one.info.iterations == many.info.iterations && one.info.status == many.info.status &&
                memcmp(&one.info.residual, &many.info.residual, sizeof one.info.residual) == 0 &&
                memcmp(one.z, many.z, bytes) == 0 && memcmp(one.w, many.w, bytes) == 0,
            "%s: %d threads differ: %d and %d iterations", what, threads, one.info.iterations,
            many.info.iterations);
        answer_free(&many);
    }
    answer_free(&one);
}

START_TEST(threads_keep_the_bits)
{
    static const char *const kinds[] = {"spheres", "boxes", "grains"};
    static const char *const variant[][2] = {
        {"acceleration", "auto"}, {"acceleration", "none"}, {"acceleration", "anderson"},
        {"acceleration", "nncg"}, {"sweep", "symmetric"},   {"freeze", "5"},
        {"shuffle", "1"},         {"order", "natural"},     {"relaxation", "1.2"},
        {"storage", "in-place"}};
    packing p;
    make(&p, kinds[_i], 2200);
    for (size_t k = 0; k < sizeof variant / sizeof variant[0]; k++) {
        perp_settings settings;
        perp_settings_init(&settings, sizeof settings);
        settings.max_iter = 9;
        settings.check_every = 4;
        settings.tol = 1e-10;
        set(&settings, variant[k][0], variant[k][1]);
        same_for_threads(&p.bodies, &settings, k, variant[k][1]);
        if (k < 2 || (_i == 0 && strcmp(variant[k][0], "storage")))
            same_for_threads(&p.rows, &settings, k, variant[k][1]);
    }
    drop(&p);
}
END_TEST

/* Threads of this process, -1 where the system does not say. */
static int running(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    if (!folder)
        return -1;
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* Those that would wait for each other are not woken: small problems, and more than there are
 * clusters of a colour. */
START_TEST(threads_have_work)
{
    static const struct {
        int size, most;
    } cases[] = {{1500, 1}, {1500, 1}, {3000, 16}};
    packing p;
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-3;
    if (running() != 1 || perp_parallel_threads(2) < 2)
        return;
    make(&p, "spheres", cases[_i].size);
    answer a = solve(_i % 2 ? &p.rows : &p.bodies, &settings, 40);
    ck_assert_int_eq(a.info.status, PERP_SOLVED);
    ck_assert_int_le(running(), cases[_i].most);
    ck_assert(cases[_i].most == 1 || running() > 1);
    answer_free(&a);
    drop(&p);
}
END_TEST

/* The coloured order is another Gauss-Seidel, not a worse one, and ends at a solution. */
START_TEST(coloured_solves)
{
    packing p;
    make(&p, "spheres", 1500);
    int sweeps[2];
    for (int k = 0; k < 4; k++) {
        perp_settings settings;
        perp_settings_init(&settings, sizeof settings);
        settings.tol = 1e-4;
        set(&settings, "acceleration", "none");
        set(&settings, "order", k % 2 ? "coloured" : "natural");
        answer a = solve(k < 2 ? &p.bodies : &p.rows, &settings, 1);
        ck_assert_int_eq(a.info.status, PERP_SOLVED);
        sweeps[k % 2] = a.info.iterations;
        answer_free(&a);
        if (k % 2)
            ck_assert_int_le(sweeps[1], sweeps[0] + sweeps[0] / 4);
    }
    drop(&p);
}
END_TEST

/* Another pattern with as many blocks: an update colours again. */
START_TEST(update_with_another_pattern)
{
    enum { COUNT = 40 };
    int rowptr[COUNT + 1], col[2][2 * COUNT];
    double x[2 * COUNT], q[COUNT], z[2][COUNT], w[COUNT];
    perp_segment seg = {PERP_NONNEG, 1, COUNT, {NULL, NULL}, {0, 0}};
    perp_problem problem[2];
    perp_settings settings;
    perp_solver *solver;
    perp_rng rng = {3};
    for (int i = 0; i < COUNT; i++) {
        rowptr[i + 1] = 2 * (i + 1);
        q[i] = perp_rng_uniform(&rng) - 0.7;
        for (int k = 0; k < 2; k++) {
            int other = k ? (i + COUNT / 2) % COUNT : i ^ 1, low = other < i ? other : i;
            col[k][2 * i] = low;
            col[k][2 * i + 1] = low == i ? other : i;
        }
        x[2 * i] = x[2 * i + 1] = 1.0;
    }
    rowptr[0] = 0;
    perp_settings_init(&settings, sizeof settings);
    set(&settings, "order", "coloured");
    settings.threads = 2;
    settings.max_iter = 7;
    settings.tol = 0.0;
    for (int k = 0; k < 2; k++) {
        problem[k] = (perp_problem){.q = q, .seg = &seg, .nseg = 1};
        ck_assert_int_eq(perp_mat_init_bsr(&problem[k].M, COUNT, 1, rowptr, col[k], x),
                         PERP_SOLVED);
    }
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("gs"), &settings, NULL, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_solver_setup(solver, &problem[0]), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_update(solver, &problem[1]), PERP_SOLVED);
    ck_assert_int_ge(perp_solver_solve(solver, z[0], w, NULL), 0);
    ck_assert_int_ge(perp_solve("gs", &problem[1], &settings, z[1], w, NULL), 0);
    ck_assert_mem_eq(z[0], z[1], sizeof z[0]);
    perp_solver_destroy(solver);
}
END_TEST

/* Settings at random, changed between solves of one handle too: what is called solved is. */
START_TEST(settings_at_random)
{
    static const char *const choices[][5] = {
        {"acceleration", "none", "anderson", "nncg", "auto"},
        {"order", "auto", "natural", "coloured", "coloured"},
        {"sweep", "forward", "symmetric", "forward", "forward"},
        {"freeze", "0", "1", "7", "0"},
        {"shuffle", "0", "0", "0", "1"},
        {"depth", "1", "3", "5", "12"},
        {"threads", "1", "2", "3", "1"},
        {"storage", "auto", "packed", "in-place", "in-place"},
        {"relaxation", "1", "0.7", "1.3", "1"},
        {"check_every", "1", "7", "10", "1000"},
        {"local", "hybrid", "quartic", "hybrid", "hybrid"}};
    perp_rng rng = {(uint64_t)_i + 71};
    packing p;
    perp_solver *solver = NULL;
    make(&p, _i % 2 ? "spheres" : "chains", 60);
    double *z = calloc((size_t)p.n, sizeof *z), *w = calloc((size_t)p.n, sizeof *w);
    for (int k = 0; k < 40; k++) {
        const perp_problem *problem = perp_rng_below(&rng, 2) && _i % 2 ? &p.rows : &p.bodies;
        perp_settings settings;
        perp_info info = {.size = sizeof info};
        perp_residuals judged = {.size = sizeof judged};
        perp_settings_init(&settings, sizeof settings);
        settings.tol = 1e-5;
        settings.max_iter = 60;
        for (size_t c = 0; c < sizeof choices / sizeof choices[0]; c++)
            set(&settings, choices[c][0], choices[c][1 + perp_rng_below(&rng, 4)]);
        if (!solver || perp_rng_below(&rng, 3) == 0) {
            perp_solver_destroy(solver);
            ck_assert_int_eq(
                perp_solver_create(&solver, perp_solver_find("gs"), &settings, NULL, NULL),
                PERP_SOLVED);
        }
        if (perp_solver_info(solver)->bytes < 20000 || perp_rng_below(&rng, 2))
            ck_assert_int_eq(perp_solver_setup(solver, problem), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_set_settings(solver, &settings), PERP_SOLVED);
        ck_assert_int_ge(perp_solver_solve(solver, z, w, &info), 0);
        ck_assert_int_eq(perp_residual(&p.bodies, z, NULL, NULL, &judged), PERP_SOLVED);
        if (info.status == PERP_SOLVED)
            ck_assert_double_le(fmax(judged.natural, judged.scaled), 1.001e-5);
    }
    perp_solver_destroy(solver);
    free(z);
    free(w);
    drop(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("threads");
    TCase *colours = tcase_create("colours"), *threads = tcase_create("threads");
    tcase_add_loop_test(colours, colours_of_blocks, 0, 6);
    tcase_add_loop_test(colours, colours_of_groups, 0, 2);
    suite_add_tcase(suite, colours);
    tcase_add_loop_test(threads, threads_keep_the_bits, 0, 3);
    tcase_add_loop_test(threads, threads_have_work, 0, 3);
    tcase_add_test(threads, coloured_solves);
    tcase_add_test(threads, update_with_another_pattern);
    tcase_add_loop_test(threads, settings_at_random, 0, 6);
    tcase_set_timeout(threads, 60);
    suite_add_tcase(suite, threads);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
