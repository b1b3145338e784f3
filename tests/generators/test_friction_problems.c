/* SPDX-License-Identifier: BSD-3-Clause */
/* Generators: mechanics of the scenes, determinism, sizes, memory. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generators/cells.h"
#include "generators/friction_problems.h"
#include "linalg/small.h"

static perp_generate_options options_of(const perp_generator *g, int size)
{
    perp_generate_options options;
    perp_generate_options_init(&options, g);
    options.size = size;
    return options;
}

static perp_problem_file *make(const perp_generator *g, const perp_generate_options *options)
{
    perp_problem_file *file = NULL;
    ck_assert_int_eq(perp_generate(&file, g, options, NULL), PERP_SOLVED);
    return file;
}

/* The scene that perp_generate() makes, kept open. */
static void build(perp_packing *scene, const perp_generator *g,
                  const perp_generate_options *options)
{
    perp_packing_init(scene, g->spacedim, options->seed, NULL);
    g->build(scene, options);
    ck_assert_int_eq(scene->status, PERP_SOLVED);
}

static int same_matrix(const perp_mat *A, const perp_mat *B)
{
    if (A->rows != B->rows || A->cols != B->cols)
        return 0;
    size_t nnz = (size_t)A->as.csc.colptr[A->cols];
    return memcmp(A->as.csc.colptr, B->as.csc.colptr, sizeof(int) * ((size_t)A->cols + 1)) == 0 &&
           memcmp(A->as.csc.row, B->as.csc.row, sizeof(int) * nnz) == 0 &&
           memcmp(A->as.csc.x, B->as.csc.x, sizeof(double) * nnz) == 0;
}

START_TEST(same_seed_same_bits)
{
    const perp_generator *g = perp_generator_at(_i);
    perp_generate_options options = options_of(g, 150);
    perp_problem_file *a = make(g, &options), *b = make(g, &options);
    ck_assert(same_matrix(&a->M, &b->M) && same_matrix(&a->H, &b->H));
    ck_assert(!a->has_G || same_matrix(&a->G, &b->G));
    ck_assert(memcmp(a->q, b->q, sizeof(double) * (size_t)a->dofs) == 0);
    ck_assert_str_eq(a->title, b->title);
    options.seed = 2;
    perp_problem_file *c = make(g, &options);
    ck_assert(c->dofs != a->dofs || memcmp(a->q, c->q, sizeof(double) * (size_t)a->dofs) != 0);
    perp_problem_file_destroy(a);
    perp_problem_file_destroy(b);
    perp_problem_file_destroy(c);
}
END_TEST

START_TEST(problem_is_valid)
{
    const perp_generator *g = perp_generator_at(_i);
    static const int sizes[] = {1, 7, 60, 300};
    for (int s = 0; s < 4; s++) {
        perp_generate_options options = options_of(g, sizes[s]);
        perp_problem_file *file = make(g, &options);
        ck_assert_int_eq(file->cls, PERP_CLASS_GLOBAL);
        ck_assert_int_eq(perp_mat_check(&file->M, NULL, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_mat_check(&file->H, NULL, NULL), PERP_SOLVED);
        perp_problem problem;
        ck_assert_int_eq(perp_problem_file_get(file, &problem, NULL), PERP_SOLVED);
        ck_assert_int_eq(problem.M.rows, file->contacts * g->spacedim + file->bilateral);
        ck_assert_int_eq(perp_problem_check(&problem, NULL, NULL), PERP_SOLVED);
        perp_problem_file_destroy(file);
    }
}
END_TEST

static double column_times(const perp_mat *A, int column, const double *v)
{
    double sum = 0.0;
    for (int k = A->as.csc.colptr[column]; k < A->as.csc.colptr[column + 1]; k++)
        sum += A->as.csc.x[k] * v[A->as.csc.row[k]];
    return sum;
}

/* The row of torsion is the normal, on angular velocities. */
START_TEST(torsion_rows)
{
    const perp_generator *g = perp_generator_at(_i);
    perp_generate_options options = options_of(g, 60), plain = options;
    options.mu_s = 0.003;
    if (g->spacedim != 3) {
        perp_problem_file *none;
        ck_assert_int_eq(perp_generate(&none, g, &options, NULL), PERP_ERR_ARGUMENT);
        return;
    }
    perp_problem_file *file = make(g, &options), *without = make(g, &plain);
    ck_assert_int_eq(file->spacedim, 4);
    ck_assert_int_eq(file->contacts, without->contacts);
    double *v = calloc((size_t)file->dofs + 1, sizeof *v);
    for (int k = 0; k < file->dofs; k++)
        v[k] = k % 6 < 3 ? 0.3 * (k / 6) : 1.0 + k % 6;
    for (int k = 0; k < file->contacts; k++) {
        ck_assert_double_eq(file->mu_r[k], 0.003);
        for (int j = 0; j < 3; j++)
            ck_assert_double_eq(column_times(&file->H, 4 * k + j, v),
                                column_times(&without->H, 3 * k + j, v));
        /* The row N holds the normal of each body that the row S turns. */
        const int *colptr = file->H.as.csc.colptr, *row = file->H.as.csc.row;
        const double *x = file->H.as.csc.x;
        double square = 0.0;
        int at = colptr[4 * k + 3], moved = 0;
        for (int p = at; p < colptr[4 * k + 4]; p++) {
            double normal = 0.0;
            ck_assert_int_ge(row[p] % 6, 3);
            for (int n = colptr[4 * k]; n < colptr[4 * k + 1]; n++)
                normal = row[n] == row[p] - 3 ? x[n] : normal;
            ck_assert_double_eq(x[p], normal);
            moved |= row[p] / 6 != row[at] / 6;
            square += x[p] * x[p];
        }
        ck_assert_double_eq_tol(square, moved ? 2.0 : 1.0, 1e-14);
    }
    free(v);
    perp_problem_file_destroy(file);
    perp_problem_file_destroy(without);
}
END_TEST

/* With both: the four rows of torsion, then the two of rolling. */
START_TEST(six_rows)
{
    const perp_generator *g = perp_generator_at(_i);
    perp_generate_options both = options_of(g, 60), torsion = both, rolling = both;
    if (g->spacedim != 3)
        return;
    both.mu_s = torsion.mu_s = 0.003;
    both.mu_r = rolling.mu_r = 0.1;
    perp_problem_file *file = make(g, &both);
    perp_problem_file *spun = make(g, &torsion), *rolled = make(g, &rolling);
    double *v = calloc((size_t)file->dofs + 1, sizeof *v);
    for (int k = 0; k < file->dofs; k++)
        v[k] = 0.3 * (k % 7) - 0.1 * (k % 5);
    for (int k = 0; k < file->contacts; k++) {
        ck_assert(file->spacedim == 6 && file->mu_r[k] == 0.1 && file->mu_s[k] == 0.003);
        for (int j = 0; j < 6; j++)
            ck_assert_double_eq(column_times(&file->H, 6 * k + j, v),
                                j < 4 ? column_times(&spun->H, 4 * k + j, v)
                                      : column_times(&rolled->H, 5 * k + j - 1, v));
    }
    free(v);
    perp_problem_file_destroy(file);
    perp_problem_file_destroy(spun);
    perp_problem_file_destroy(rolled);
}
END_TEST

/* Bodies that turn together have no relative angular velocity; a body that turns alone
 * has its own about the tangents. */
START_TEST(rolling_rows)
{
    const perp_generator *g = perp_generator_at(_i);
    perp_generate_options options = options_of(g, 60), plain = options;
    options.mu_r = 0.005;
    perp_problem_file *file = make(g, &options), *without = make(g, &plain);
    int dim = g->spacedim, dofs = dim == 3 ? 6 : 3, rows = dim == 3 ? 5 : 3, spins = dofs - dim;
    ck_assert_int_eq(file->spacedim, rows);
    ck_assert_int_eq(file->contacts, without->contacts);
    ck_assert_ptr_null(without->mu_r);
    double *v = calloc((size_t)file->dofs + 1, sizeof *v);
    for (int k = 0; k < file->dofs; k++)
        v[k] = k % dofs < dim ? 0.0 : 1.0 + k % dofs;
    for (int k = 0; k < file->contacts; k++) {
        ck_assert_double_eq(file->mu_r[k], 0.005);
        for (int j = 0; j < dim; j++)
            ck_assert_double_eq(column_times(&file->H, rows * k + j, v),
                                column_times(&without->H, dim * k + j, v));
        for (int j = dim; j < rows; j++) {
            int column = rows * k + j, at = file->H.as.csc.colptr[column], moved = 0;
            double square = 0.0, sum = column_times(&file->H, column, v);
            for (int p = at; p < file->H.as.csc.colptr[column + 1]; p++) {
                int row = file->H.as.csc.row[p];
                ck_assert_int_ge(row % dofs, dim);
                moved |= row / dofs != file->H.as.csc.row[at] / dofs;
                square += file->H.as.csc.x[p] * file->H.as.csc.x[p];
            }
            ck_assert_double_eq_tol(square, moved ? 2.0 : 1.0, 1e-12);
            if (moved)
                ck_assert_double_eq_tol(sum, 0.0, 1e-12);
        }
    }
    ck_assert_int_gt(spins, 0);
    perp_problem problem;
    ck_assert_int_eq(perp_problem_file_get(file, &problem, NULL), PERP_SOLVED);
    ck_assert_int_eq(problem.seg[0].set, PERP_ROLLING);
    ck_assert_int_eq(perp_problem_check(&problem, NULL, NULL), PERP_SOLVED);
    free(v);
    perp_problem_file_destroy(file);
    perp_problem_file_destroy(without);
}
END_TEST

START_TEST(size_is_met)
{
    const perp_generator *g = perp_generator_at(_i);
    int last = 0;
    for (int size = 100; size <= 100000; size *= 10) {
        perp_generate_options options = options_of(g, size);
        perp_problem_file *file = make(g, &options);
        ck_assert_int_gt(file->contacts, last);
        ck_assert_double_le(fabs(file->contacts - (double)size), 0.35 * size);
        last = file->contacts;
        perp_problem_file_destroy(file);
    }
}
END_TEST

static void cross(double out[3], const double a[3], const double b[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Velocities of all bodies when the whole scene moves as one rigid body. */
static double *rigid_motion(const perp_packing *scene)
{
    int dim = scene->spacedim, dofs = dim == 3 ? 6 : 3;
    double *v = calloc((size_t)(dofs * scene->bodies) + 1, sizeof *v);
    double along[3] = {0.3, -0.7, dim == 3 ? 0.2 : 0.0}, turn[3] = {0.4, 0.9, -0.5};
    if (dim == 2)
        turn[0] = turn[1] = 0.0;
    for (int k = 0; k < scene->bodies; k++) {
        double spin[3];
        cross(spin, turn, scene->body[k].x);
        for (int j = 0; j < dim; j++)
            v[dofs * k + j] = along[j] + spin[j];
        for (int j = dim; j < dofs; j++)
            v[dofs * k + j] = turn[dim == 3 ? j - 3 : 2];
    }
    return v;
}

/* Force and moment of a column on all bodies together. */
static double resultant(const perp_mat *A, int column, int dofs, int direction)
{
    double sum = 0.0;
    for (int k = A->as.csc.colptr[column]; k < A->as.csc.colptr[column + 1]; k++)
        sum += A->as.csc.row[k] % dofs == direction ? A->as.csc.x[k] : 0.0;
    return sum;
}

/* Equal and opposite actions: between two bodies the forces add up to nothing, and
 * a rigid motion of the whole gives no relative velocity (so do the moments).  On
 * the ground the force is the axis itself. */
START_TEST(action_and_reaction)
{
    const perp_generator *g = perp_generator_at(_i);
    perp_generate_options options = options_of(g, 300);
    perp_packing scene;
    perp_problem_file *file;
    build(&scene, g, &options);
    ck_assert_int_eq(perp_packing_to_file(&file, &scene, 0.3, 0.0, "test"), PERP_SOLVED);
    int dim = g->spacedim, dofs = dim == 3 ? 6 : 3, pairs = 0;
    double *v = rigid_motion(&scene);
    for (int k = 0; k < scene.touches; k++) {
        const perp_touch *t = &scene.touch[k];
        for (int j = 0; j < dim; j++) {
            for (int d = 0; d < dim; d++) {
                double expected = t->b < 0 ? t->frame[j][d] : 0.0;
                ck_assert_double_eq_tol(resultant(&file->H, dim * k + j, dofs, d), expected, 1e-15);
            }
            if (t->b >= 0)
                ck_assert_double_eq_tol(column_times(&file->H, dim * k + j, v), 0.0, 1e-13);
        }
        pairs += t->b >= 0;
    }
    for (int k = 0; k < scene.joints; k++)
        for (int j = 0; j < dim && scene.joint[k].b >= 0; j++)
            ck_assert_double_eq_tol(column_times(&file->G, dim * k + j, v), 0.0, 1e-13);
    ck_assert_int_gt(pairs, 50);
    free(v);
    perp_problem_file_destroy(file);
    perp_packing_free(&scene);
}
END_TEST

START_TEST(frames_are_orthonormal)
{
    const perp_generator *g = perp_generator_at(_i);
    perp_generate_options options = options_of(g, 300);
    perp_packing scene;
    build(&scene, g, &options);
    for (int k = 0; k < scene.touches; k++) {
        for (int i = 0; i < g->spacedim; i++) {
            for (int j = 0; j < g->spacedim; j++) {
                const double *a = scene.touch[k].frame[i], *b = scene.touch[k].frame[j];
                double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
                ck_assert_double_eq_tol(dot, i == j, 1e-14);
            }
        }
    }
    perp_packing_free(&scene);
}
END_TEST

/* M is symmetric positive definite, block by block, and M^-1 f is the velocity at
 * the start plus gravity times the step. */
START_TEST(mass_and_free_velocity)
{
    const perp_generator *g = perp_generator_at(_i);
    perp_generate_options options = options_of(g, 200);
    perp_packing scene;
    perp_problem_file *file;
    build(&scene, g, &options);
    ck_assert_int_eq(perp_packing_to_file(&file, &scene, 0.3, 0.0, "test"), PERP_SOLVED);
    int dim = g->spacedim, dofs = dim == 3 ? 6 : 3;
    for (int k = 0; k < scene.bodies; k++) {
        double block[36] = {0}, L[36], v[6];
        for (int j = 0; j < dofs; j++) {
            int column = dofs * k + j;
            for (int p = file->M.as.csc.colptr[column]; p < file->M.as.csc.colptr[column + 1];
                 p++) {
                int i = file->M.as.csc.row[p] - dofs * k;
                ck_assert(i >= 0 && i < dofs);
                block[i + dofs * j] = file->M.as.csc.x[p];
            }
        }
        for (int j = 0; j < dofs; j++)
            for (int i = 0; i < dofs; i++)
                ck_assert(block[i + dofs * j] == block[j + dofs * i]);
        ck_assert_int_eq(perp_small_cholesky(L, block, dofs), 1);
        ck_assert_int_eq(perp_small_solve(v, block, file->q + dofs * k, dofs), 1);
        for (int j = 0; j < dofs; j++) {
            const perp_body *body = &scene.body[k];
            double expected = j < dim ? body->velocity[j] : body->spin[j - dim];
            expected -= j == dim - 1 ? PERP_GENERATE_STEP * PERP_GENERATE_GRAVITY : 0.0;
            ck_assert_double_eq_tol(v[j], expected, 1e-12);
        }
    }
    perp_problem_file_destroy(file);
    perp_packing_free(&scene);
}
END_TEST

/* w_N = e u_N of the velocity at the start, w_T = 0. */
START_TEST(restitution_term)
{
    const perp_generator *g = perp_generator_at(_i);
    perp_generate_options options = options_of(g, 100);
    perp_packing scene;
    perp_problem_file *file;
    build(&scene, g, &options);
    ck_assert_int_eq(perp_packing_to_file(&file, &scene, 0.3, 0.5, "test"), PERP_SOLVED);
    int dim = g->spacedim, dofs = dim == 3 ? 6 : 3;
    double *v = calloc((size_t)file->dofs, sizeof *v);
    for (int k = 0; k < scene.bodies; k++) {
        memcpy(v + dofs * k, scene.body[k].velocity, sizeof(double) * (size_t)dim);
        memcpy(v + dofs * k + dim, scene.body[k].spin, sizeof(double) * (size_t)(dofs - dim));
    }
    for (int k = 0; k < dim * file->contacts; k++) {
        double expected = k % dim == 0 ? 0.5 * column_times(&file->H, k, v) : 0.0;
        ck_assert_double_eq_tol(file->w[k], expected, 1e-14);
    }
    free(v);
    perp_problem_file_destroy(file);
    perp_packing_free(&scene);
}
END_TEST

/* Mass, centre and inertia of a voussoir, by summing small cells of the section. */
START_TEST(voussoir_by_quadrature)
{
    const perp_generator *g = perp_generator_find("arch");
    perp_generate_options options = options_of(g, 60);
    perp_packing scene;
    build(&scene, g, &options);
    enum { CELLS = 200, COUNT = 14, AT = 3 };
    ck_assert_int_eq(scene.bodies, COUNT);
    double from = acos(-1.0) * AT / COUNT, to = acos(-1.0) * (AT + 1) / COUNT;
    double mass = 0.0, first[2] = {0}, second[3] = {0};
    for (int i = 0; i < CELLS; i++) {
        for (int j = 0; j < CELLS; j++) {
            double s = (i + 0.5) / CELLS, r = 2.0 + 0.4 * (j + 0.5) / CELLS;
            double x = r * ((1.0 - s) * cos(from) + s * cos(to));
            double z = r * ((1.0 - s) * sin(from) + s * sin(to));
            double dm = 2400.0 * 0.4 * r * sin(to - from) * 0.4 / ((double)CELLS * CELLS);
            mass += dm;
            first[0] += dm * x;
            first[1] += dm * z;
            second[0] += dm * x * x;
            second[1] += dm * z * z;
            second[2] += dm * x * z;
        }
    }
    const perp_body *body = &scene.body[AT];
    double cx = first[0] / mass, cz = first[1] / mass, y2 = mass * 0.16 / 12.0;
    double x2 = second[0] - mass * cx * cx, z2 = second[1] - mass * cz * cz;
    double tolerance = 1e-4 * mass;
    ck_assert_double_eq_tol(body->mass, mass, tolerance);
    ck_assert_double_eq_tol(body->x[0], cx, 1e-5);
    ck_assert_double_eq_tol(body->x[2], cz, 1e-5);
    ck_assert_double_eq_tol(body->inertia[0], z2 + y2, tolerance);
    ck_assert_double_eq_tol(body->inertia[1], x2 + z2, tolerance);
    ck_assert_double_eq_tol(body->inertia[2], x2 + y2, tolerance);
    ck_assert_double_eq_tol(body->inertia[4], -(second[2] - mass * cx * cz), tolerance);
    perp_packing_free(&scene);
}
END_TEST

START_TEST(box_mass_ratio)
{
    const perp_generator *g = perp_generator_find("boxes");
    perp_generate_options options = options_of(g, 300);
    perp_packing scene;
    options.ratio = 50.0;
    build(&scene, g, &options);
    /* The bottom course holds whole boxes; find a whole one in the top course. */
    double bottom = scene.body[0].mass, top = 0.0;
    for (int k = scene.bodies - 1;
         k >= 0 && scene.body[k].x[2] == scene.body[scene.bodies - 1].x[2]; k--)
        top = fmax(top, scene.body[k].mass);
    ck_assert_double_eq_tol(top / bottom, 50.0, 1e-10);
    perp_packing_free(&scene);
}
END_TEST

typedef struct pair_list {
    int bodies;
    unsigned char *seen;
    int found;
} pair_list;

static void note_pair(void *ctx, int a, int b, double distance)
{
    pair_list *list = ctx;
    ck_assert(a > b && b >= 0 && a < list->bodies && distance >= 0.0);
    ck_assert(!list->seen[a * list->bodies + b]);
    list->seen[a * list->bodies + b] = 1;
    list->found++;
}

/* Every near pair once, in a cloud that is dense, flat or stretched. */
START_TEST(cells_find_all_pairs)
{
    static const double stretch[3][3] = {{1, 1, 1}, {1, 1, 0}, {1e4, 1, 1}};
    enum { BODIES = 300 };
    perp_packing scene;
    perp_body body;
    perp_packing_init(&scene, 3, 5, NULL);
    memset(&body, 0, sizeof body);
    for (int k = 0; k < BODIES; k++) {
        for (int d = 0; d < 3; d++)
            body.x[d] = stretch[_i][d] * perp_rng_uniform(&scene.rng);
        ck_assert_int_eq(perp_packing_add_body(&scene, &body), k);
    }
    double reach = _i == 2 ? 40.0 : 0.11;
    int expected = 0;
    for (int a = 0; a < BODIES; a++) {
        for (int b = 0; b < a; b++) {
            const double *x = scene.body[a].x, *y = scene.body[b].x;
            expected += hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]) < reach;
        }
    }
    pair_list list = {BODIES, calloc(BODIES * BODIES, 1), 0};
    perp_cells_pairs(&scene, reach, note_pair, &list);
    ck_assert_int_eq(list.found, expected);
    ck_assert_int_gt(expected, 20);
    free(list.seen);
    perp_packing_free(&scene);
}
END_TEST

START_TEST(options_are_checked)
{
    const perp_generator *g = perp_generator_at(_i);
    perp_generate_options options;
    perp_problem_file *file;
    for (int k = 0; k < 8; k++) {
        perp_generate_options_init(&options, g);
        switch (k) {
        case 0:
            options.size = 0;
            break;
        case 1:
            options.size = PERP_GENERATE_SIZE_MAX + 1;
            break;
        case 2:
            options.mu = -0.1;
            break;
        case 3:
            options.mu = NAN;
            break;
        case 4:
            options.ratio = 0.0;
            break;
        case 5:
            options.ratio = INFINITY;
            break;
        case 6:
            options.restitution = 1.5;
            break;
        default:
            options.restitution = NAN;
            break;
        }
        ck_assert_int_eq(perp_generate(&file, g, &options, NULL), PERP_ERR_ARGUMENT);
        ck_assert_ptr_null(file);
    }
}
END_TEST

typedef struct rationed {
    int left, held;
} rationed;

static void *ration_allocate(void *ctx, size_t bytes)
{
    rationed *r = ctx;
    void *block = r->left-- > 0 ? malloc(bytes) : NULL;
    r->held += block != NULL;
    return block;
}

static void ration_release(void *ctx, void *block)
{
    rationed *r = ctx;
    r->held -= block != NULL;
    free(block);
}

/* Whichever allocation fails, the call says so and gives everything back. */
START_TEST(every_allocation_may_fail)
{
    const perp_generator *g = perp_generator_at(_i);
    perp_generate_options options = options_of(g, 200);
    for (int k = 0;; k++) {
        rationed ration = {k, 0};
        perp_allocator allocator = {ration_allocate, ration_release, &ration};
        perp_problem_file *file;
        perp_status status = perp_generate(&file, g, &options, &allocator);
        if (status == PERP_SOLVED) {
            perp_problem_file_destroy(file);
            ck_assert_int_eq(ration.held, 0);
            ck_assert_int_gt(k, 3);
            break;
        }
        ck_assert_int_eq(status, PERP_ERR_MEMORY);
        ck_assert_ptr_null(file);
        ck_assert_int_eq(ration.held, 0);
    }
}
END_TEST

START_TEST(table_is_searchable)
{
    const perp_generator *g;
    int count = 0;
    for (; (g = perp_generator_at(count)) != NULL; count++) {
        ck_assert_ptr_eq(perp_generator_find(g->name), g);
        ck_assert(g->spacedim == 2 || g->spacedim == 3);
    }
    ck_assert_int_eq(count, 5);
    ck_assert_ptr_null(perp_generator_find("nothing"));
    ck_assert_ptr_null(perp_generator_at(-1));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("generate");
    TCase *tcase = tcase_create("generate");
    tcase_add_loop_test(tcase, same_seed_same_bits, 0, 5);
    tcase_add_loop_test(tcase, problem_is_valid, 0, 5);
    tcase_add_loop_test(tcase, rolling_rows, 0, 5);
    tcase_add_loop_test(tcase, torsion_rows, 0, 5);
    tcase_add_loop_test(tcase, six_rows, 0, 5);
    tcase_add_loop_test(tcase, size_is_met, 0, 5);
    tcase_add_loop_test(tcase, action_and_reaction, 0, 5);
    tcase_add_loop_test(tcase, frames_are_orthonormal, 0, 5);
    tcase_add_loop_test(tcase, mass_and_free_velocity, 0, 5);
    tcase_add_loop_test(tcase, restitution_term, 0, 5);
    tcase_add_test(tcase, voussoir_by_quadrature);
    tcase_add_test(tcase, box_mass_ratio);
    tcase_add_loop_test(tcase, cells_find_all_pairs, 0, 3);
    tcase_add_loop_test(tcase, options_are_checked, 0, 5);
    tcase_add_loop_test(tcase, every_allocation_may_fail, 0, 5);
    tcase_add_test(tcase, table_is_searchable);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
