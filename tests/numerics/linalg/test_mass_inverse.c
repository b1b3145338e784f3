/* SPDX-License-Identifier: BSD-3-Clause */
/* Inverses of mass matrices and Delassus products against dense algebra. */
#include <check.h>

#include "tests/fixtures/dense_reference.h"
#include "linalg/csc.h"
#include "linalg/mass.h"
#include "linalg/mat.h"
#include "tests/fixtures/random_mass.h"

static void check_structure(const perp_mass *mass, const double *M, int n, const int *component)
{
    int size[64] = {0}, small = 0;
    for (int i = 0; i < n; i++)
        size[component[i]]++;
    for (int i = 0; i < n; i++) {
        ck_assert_int_eq(mass->block_of[i]<0, size[component[i]]> PERP_MASS_BLOCK_MAX);
        small += size[component[i]] <= PERP_MASS_BLOCK_MAX;
        for (int j = 0; j < n; j++)
            if (mass->block_of[i] >= 0)
                ck_assert_int_eq(mass->block_of[i] == mass->block_of[j],
                                 component[i] == component[j]);
    }
    ck_assert_int_eq(mass->nsparse, n - small);
    for (int b = 0; b < mass->nblocks; b++) {
        const perp_mass_block *block = &mass->blocks[b];
        const int *dof = mass->dof + block->first;
        double *A = ref_zero(block->dim, block->dim), *one = ref_zero(block->dim, block->dim);
        for (int j = 0; j < block->dim; j++) {
            ck_assert_int_eq(mass->block_of[dof[j]], b);
            one[j + j * block->dim] = 1.0;
            for (int i = 0; i < block->dim; i++)
                A[i + j * block->dim] = M[dof[i] + dof[j] * n];
        }
        size_t count = (size_t)(block->dim * block->dim);
        double *inverse = ref_solve(A, one, block->dim, block->dim);
        ck_assert_double_lt(ref_distance(mass->inverses + block->inverse, inverse, count), 1e-12);
        if (mass->roots) {
            const double *B = mass->roots + block->root;
            double *T = ref_transpose(B, block->dim, block->dim);
            double *square = ref_multiply(T, B, block->dim, block->dim, block->dim);
            ck_assert_double_lt(ref_distance(square, inverse, count), 1e-12);
            free(T);
            free(square);
        }
        free(A);
        free(one);
        free(inverse);
    }
}

START_TEST(masses_are_inverted)
{
    perp_rng rng = {1};
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    for (int trial = 0; trial < 240; trial++) {
        mass_shape shape = (mass_shape)(trial % SHAPES);
        int symmetric = trial / 4 % 2, n = 2 * (1 + perp_rng_below(&rng, 30)), component[64];
        double *M = random_mass(&rng, n, shape, symmetric, component);
        double *b = ref_random(&rng, n, 1), *x = ref_solve(M, b, n, 1), got[64], scratch[64];
        perp_mat A = view_as(M, n, (perp_mat_kind)(trial / 8 % 3), &arena);
        perp_mass *mass = NULL;
        ck_assert_int_eq(perp_mass_create(&mass, &A, NULL, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_mass_size(mass), n);
        /* 1 x 1 components are symmetric whatever was asked for. */
        if (symmetric || shape == DIAGONAL) {
            ck_assert_int_eq(mass->symmetric, 1);
            ck_assert_ptr_nonnull(mass->roots);
        } else if (shape == COUPLED && n > 2) {
            ck_assert_int_eq(mass->symmetric, 0);
        }
        check_structure(mass, M, n, component);
        perp_mass_solve(mass, b, scratch, got);
        ck_assert_double_lt(ref_distance(got, x, (size_t)n), 1e-12);
        double *T = ref_transpose(M, n, n), *y = ref_solve(T, b, n, 1), across[64];
        perp_mass_solve_transposed(mass, b, scratch, across);
        ck_assert_double_lt(ref_distance(across, y, (size_t)n), 1e-12);
        memcpy(y, b, (size_t)n * sizeof(double));
        perp_mass_solve_transposed(mass, y, scratch, y);
        ck_assert_mem_eq(across, y, (size_t)n * sizeof(double));
        free(T);
        free(y);
        perp_mass_solve(mass, b, scratch, b);
        ck_assert_mem_eq(got, b, (size_t)n * sizeof(double));
        perp_mass_destroy(mass);
        free(M);
        free(b);
        free(x);
        perp_arena_reset(&arena);
    }
    perp_arena_free(&arena);
}
END_TEST

START_TEST(unsymmetric_large_components_have_no_roots_to_share)
{
    /* An indefinite symmetric block and an indefinite large component. */
    perp_rng rng = {2};
    int n = 40, component[64];
    for (int trial = 0; trial < 20; trial++) {
        double *M = random_mass(&rng, n, trial % 2 ? COUPLED : BODIES, 1, component);
        for (int i = 0; i < n; i++)
            if (i % 2)
                M[i + i * n] = -M[i + i * n];
        double *b = ref_random(&rng, n, 1), *x = ref_solve(M, b, n, 1), scratch[64];
        perp_mat A;
        perp_mass *mass = NULL;
        perp_mat_init_dense(&A, n, n, M, n);
        ck_assert_int_eq(perp_mass_create(&mass, &A, NULL, NULL), PERP_SOLVED);
        ck_assert_int_eq(mass->symmetric, 1);
        ck_assert(trial % 2 ? mass->lu.up != NULL : mass->roots == NULL);
        perp_mass_solve(mass, b, scratch, b);
        ck_assert_double_lt(ref_distance(b, x, (size_t)n), 1e-12);
        perp_mass_destroy(mass);
        free(M);
        free(b);
        free(x);
    }
}
END_TEST

/* Units that differ by many orders inside one body are no singularity. */
START_TEST(badly_scaled_bodies)
{
    double M[] = {1e6, 1e-8, 0.0, 1e-8, 1e-16, 1e-17, 0.0, 1e-17, 1e-12};
    double b[3] = {1.0, 1.0, 1.0}, scratch[3];
    double *x = ref_solve(M, b, 3, 1);
    perp_mat A;
    perp_mass *mass = NULL;
    perp_mat_init_dense(&A, 3, 3, M, 3);
    ck_assert_int_eq(perp_mass_create(&mass, &A, NULL, NULL), PERP_SOLVED);
    ck_assert_ptr_nonnull(mass->roots);
    perp_mass_solve(mass, b, scratch, b);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(b[i] / x[i], 1.0, 1e-13);
    perp_mass_destroy(mass);
    free(x);
}
END_TEST

/* Too small to be seen beside a large entry, and not symmetric: alone, and at the
 * end of a chain that is too long for a dense block. */
START_TEST(asymmetry_in_other_units)
{
    enum { N = 20 };
    for (int n = 3; n <= N; n += N - 3) {
        double M[N * N] = {0.0}, b[N], x[N], scratch[N];
        perp_mat view;
        perp_mass *mass;
        for (int i = 0; i < n; i++) {
            M[i + i * n] = i == 0 ? 1e6 : 1.0;
            b[i] = 1.0 - i;
            if (i > 0)
                M[i + (i - 1) * n] = M[i - 1 + i * n] = 0.1;
        }
        M[n - 1 + (n - 2) * n] += 5e-7;
        perp_mat_init_dense(&view, n, n, M, n);
        ck_assert_int_eq(perp_mass_create(&mass, &view, NULL, NULL), PERP_SOLVED);
        perp_mass_solve(mass, b, scratch, x);
        for (int i = 0; i < n; i++) {
            double r = b[i];
            for (int j = 0; j < n; j++)
                r -= M[i + j * n] * x[j];
            ck_assert_double_le(fabs(r), 1e-13 * (1.0 + fabs(b[i])));
        }
        perp_mass_destroy(mass);
    }
}
END_TEST

START_TEST(singular_masses_name_their_component)
{
    perp_rng rng = {3};
    for (int trial = 0; trial < 80; trial++) {
        mass_shape shape = (mass_shape)(trial % SHAPES);
        int n = 60, component[64], victim = perp_rng_below(&rng, n), first = -1, twin = -1;
        double *M = random_mass(&rng, n, shape, trial / 4 % 2, component);
        for (int i = 0; i < n; i++) {
            if (component[i] != component[victim])
                continue;
            first = first < 0 ? i : first;
            twin = i == victim ? twin : i;
        }
        /* Row and column become copies of another row and column, or zero. */
        for (int i = 0; i < n; i++)
            M[i + victim * n] = twin < 0 || trial < 40 ? 0.0 : M[i + twin * n];
        for (int i = 0; i < n; i++)
            M[victim + i * n] = twin < 0 || trial < 40 ? 0.0 : M[twin + i * n];
        if (trial < 40)
            first = victim;
        perp_mat A;
        perp_mass *mass = NULL;
        perp_where where = {NULL, 0, 0};
        perp_mat_init_dense(&A, n, n, M, n);
        ck_assert_int_eq(perp_mass_create(&mass, &A, NULL, &where), PERP_ERR_SINGULAR);
        ck_assert_ptr_null(mass);
        ck_assert_str_eq(where.what, "M");
        ck_assert_int_eq(where.index, first);
        free(M);
    }
}
END_TEST

START_TEST(bad_masses_are_refused)
{
    double x[] = {1.0, 0.0, NAN, 1.0};
    perp_mat A;
    perp_mass *mass = NULL;
    perp_where where;
    perp_mat_init_dense(&A, 2, 2, x, 2);
    ck_assert_int_eq(perp_mass_create(&mass, &A, NULL, &where), PERP_ERR_NONFINITE);
    ck_assert_int_eq(where.index, 2);
    perp_mat_init_dense(&A, 2, 1, x, 2);
    ck_assert_int_eq(perp_mass_create(&mass, &A, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mass_create(&mass, NULL, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mass_create(NULL, &A, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_ptr_null(mass);
    perp_mass_destroy(NULL);
    ck_assert_int_eq(perp_mass_size(NULL), 0);
    perp_mat_init_dense(&A, 0, 0, x, 0);
    ck_assert_int_eq(perp_mass_create(&mass, &A, NULL, &where), PERP_SOLVED);
    perp_mass_destroy(mass);
}
END_TEST

/* A random Delassus matrix with the dense W beside it. */
typedef struct delassus_sample {
    perp_mat A;
    perp_mass *mass;
    ref_pattern pattern;
    double *x, *W, *M;
    int dofs, n;
} delassus_sample;

static delassus_sample random_delassus(perp_rng *rng, mass_shape shape, int symmetric)
{
    int component[64];
    delassus_sample s = {.dofs = 60, .n = 6 * (1 + perp_rng_below(rng, 8))};
    s.M = random_mass(rng, s.dofs, shape, symmetric, component);
    s.pattern = ref_random_pattern(rng, s.n, s.dofs, 0.07, 0);
    s.x = ref_random(rng, s.pattern.ptr[s.n], 1);
    perp_mat M, H;
    perp_mat_init_dense(&M, s.dofs, s.dofs, s.M, s.dofs);
    ck_assert_int_eq(perp_mass_create(&s.mass, &M, NULL, NULL), PERP_SOLVED);
    perp_mat_init_csc(&H, s.dofs, s.n, s.pattern.ptr, s.pattern.index, s.x);
    ck_assert_int_eq(
        perp_mat_init_delassus(&s.A, s.dofs, s.n, s.pattern.ptr, s.pattern.index, s.x, s.mass),
        PERP_SOLVED);
    double *D = ref_dense_of(&H), *T = ref_transpose(D, s.dofs, s.n);
    double *V = ref_solve(s.M, D, s.dofs, s.n);
    s.W = ref_multiply(T, V, s.n, s.dofs, s.n);
    free(D);
    free(T);
    free(V);
    return s;
}

static void delassus_free(delassus_sample *s)
{
    perp_mass_destroy(s->mass);
    ref_pattern_free(&s->pattern);
    free(s->x);
    free(s->W);
    free(s->M);
}

START_TEST(delassus_products)
{
    perp_rng rng = {4};
    for (int trial = 0; trial < 80; trial++) {
        int symmetric = trial / 4 % 2;
        delassus_sample s = random_delassus(&rng, (mass_shape)(trial % SHAPES), symmetric);
        double *x = ref_random(&rng, s.n, 1), *y = ref_multiply(s.W, x, s.n, s.n, 1);
        double *got = ref_zero(s.n, 1), *scratch = ref_zero((int)perp_mat_scratch(&s.A), 1);
        ck_assert_int_eq(perp_mat_check(&s.A, NULL, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_mat_apply(&s.A, x, scratch, got), PERP_SOLVED);
        ck_assert_double_lt(ref_distance(got, y, (size_t)s.n), 1e-12);
        perp_status status = perp_mat_apply_transposed(got, &s.A, x, scratch);
        ck_assert_int_eq(status, s.mass->symmetric ? PERP_SOLVED : PERP_ERR_UNSUPPORTED);
        if (status == PERP_SOLVED)
            ck_assert_double_lt(ref_distance(got, y, (size_t)s.n), 1e-12);
        free(x);
        free(y);
        free(got);
        free(scratch);
        delassus_free(&s);
    }
}
END_TEST

START_TEST(delassus_diagonal_blocks)
{
    perp_rng rng = {5};
    for (int trial = 0; trial < 80; trial++) {
        delassus_sample s = random_delassus(&rng, (mass_shape)(trial % SHAPES), trial / 4 % 2);
        int dim = 1 + perp_rng_below(&rng, 6), offset[64] = {0}, count = 0;
        size_t start[64] = {0};
        for (; offset[count] < s.n; count++) {
            int last = offset[count] + dim;
            offset[count + 1] = last < s.n ? last : s.n;
            start[count + 1] = start[count] + (size_t)(dim * dim);
        }
        double *out = ref_random(&rng, (int)start[count], 1);
        ck_assert_int_eq(perp_mat_diagonal_blocks(out, &s.A, offset, start, count, NULL),
                         PERP_SOLVED);
        for (int k = 0; k < count; k++) {
            int lo = offset[k], size = offset[k + 1] - lo;
            for (int e = 0; e < size * size; e++) {
                int i = lo + e % size, j = lo + e / size;
                double bound = sqrt(fabs(s.W[i + i * s.n] * s.W[j + j * s.n]));
                ck_assert_double_le(fabs(out[start[k] + (size_t)e] - s.W[i + j * s.n]),
                                    1e-12 * bound);
            }
        }
        free(out);
        delassus_free(&s);
    }
}
END_TEST

/* Blocks of contacts, whose columns have the same rows, and one whose columns have others; a
 * diagonal mass. */
START_TEST(delassus_blocks_of_contacts)
{
    enum { DOFS = 12, COUNT = 4, DIM = 3, ENTRIES = 6 * DIM * COUNT };
    static const int offset[] = {0, 3, 6, 9, 12};
    static const size_t start[] = {0, 9, 18, 27};
    perp_rng rng = {9};
    int colptr[DIM * COUNT + 1] = {0}, row[ENTRIES];
    double x[ENTRIES], weight[DOFS], H[DOFS * DIM * COUNT] = {0.0}, out[9 * COUNT];
    double diagonal[DIM * COUNT];
    for (int j = 0; j < DIM * COUNT; j++) {
        diagonal[j] = perp_rng_uniform(&rng);
        colptr[j + 1] = 6 * (j + 1);
        for (int p = 0; p < 6; p++) {
            row[6 * j + p] = j / DIM < 3 ? 2 * p + j / DIM % 2 : (p + j % DIM) % 2 + 2 * p;
            x[6 * j + p] = perp_rng_uniform(&rng) - 0.5;
            H[row[6 * j + p] + DOFS * j] = x[6 * j + p];
        }
    }
    for (int i = 0; i < DOFS; i++)
        weight[i] = 0.1 + perp_rng_uniform(&rng);
    double M[DOFS * DOFS] = {0.0};
    for (int i = 0; i < DOFS; i++)
        M[i + i * DOFS] = weight[i];
    perp_mat dense, A;
    perp_mass *mass = NULL;
    perp_mat_init_dense(&dense, DOFS, DOFS, M, DOFS);
    ck_assert_int_eq(perp_mass_create(&mass, &dense, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_mat_init_delassus(&A, DOFS, DIM * COUNT, colptr, row, x, mass),
                     PERP_SOLVED);
    for (int added = 0; added < 2; added++) {
        A.as.delassus.diagonal = added ? diagonal : NULL;
        ck_assert_int_eq(perp_mat_diagonal_blocks(out, &A, offset, start, COUNT, NULL),
                         PERP_SOLVED);
        for (int e = 0; e < 9 * COUNT; e++) {
            int i = e / 9 * DIM + e % DIM, j = e / 9 * DIM + e % 9 / DIM;
            double sum = added && i == j ? diagonal[i] : 0.0;
            for (int k = 0; k < DOFS; k++)
                sum += H[k + DOFS * i] * H[k + DOFS * j] / weight[k];
            ck_assert_double_le(fabs(out[e] - sum), 1e-13);
        }
    }
    perp_mass_destroy(mass);
}
END_TEST

static void check_blocks(const delassus_sample *s, int block, perp_arena *arena)
{
    perp_mat B;
    ck_assert_int_eq(perp_bsr_from_delassus(&B, &s->A, block, arena), PERP_SOLVED);
    ck_assert_int_eq(perp_mat_check(&B, NULL, NULL), PERP_SOLVED);
    double *W = ref_dense_of(&B), *T = ref_transpose(W, s->n, s->n);
    ck_assert_double_lt(ref_distance(W, s->W, (size_t)(s->n * s->n)), 1e-12);
    if (s->mass->roots && s->mass->nsparse == 0)
        ck_assert_mem_eq(W, T, (size_t)(s->n * s->n) * sizeof(double));
    for (int i = 0; i < s->n / block; i++) {
        int diagonal = 0;
        for (int p = B.as.bsr.rowptr[i]; p < B.as.bsr.rowptr[i + 1]; p++) {
            diagonal |= B.as.bsr.col[p] == i;
            if (p > B.as.bsr.rowptr[i])
                ck_assert_int_lt(B.as.bsr.col[p - 1], B.as.bsr.col[p]);
        }
        ck_assert_int_eq(diagonal, 1);
    }
    free(W);
    free(T);
}

START_TEST(delassus_in_blocks)
{
    perp_rng rng = {6};
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    for (int trial = 0; trial < 80; trial++) {
        delassus_sample s = random_delassus(&rng, (mass_shape)(trial % SHAPES), trial / 4 % 2);
        perp_mat B;
        perp_csc C;
        const int orders[] = {1, 2, 3, 6};
        for (int k = 0; k < 4; k++)
            check_blocks(&s, orders[k], &arena);
        ck_assert_int_eq(perp_bsr_from_delassus(&B, &s.A, 0, &arena), PERP_ERR_ARGUMENT);
        if (s.n % 5)
            ck_assert_int_eq(perp_bsr_from_delassus(&B, &s.A, 5, &arena), PERP_ERR_ARGUMENT);
        ck_assert_int_eq(perp_csc_from_mat(&C, &s.A, &arena), PERP_SOLVED);
        perp_mat view = perp_csc_view(&C);
        double *W = ref_dense_of(&view);
        ck_assert_double_lt(ref_distance(W, s.W, (size_t)(s.n * s.n)), 1e-12);
        free(W);
        delassus_free(&s);
        perp_arena_reset(&arena);
    }
    perp_arena_free(&arena);
}
END_TEST

static void expect(const perp_mat *A, perp_status status, const char *what, int index)
{
    perp_where where = {"", 0, 0};
    ck_assert_int_eq(perp_mat_check(A, NULL, &where), status);
    ck_assert_str_eq(where.what, what);
    ck_assert_int_eq(where.index, index);
}

START_TEST(malformed_delassus_is_named)
{
    perp_rng rng = {7};
    delassus_sample s = random_delassus(&rng, BODIES, 1);
    perp_mat A = s.A;
    perp_mat_init_delassus(&A, s.dofs - 1, s.n, s.pattern.ptr, s.pattern.index, s.x, s.mass);
    ck_assert_mem_eq(&A, &s.A, sizeof A);
    A.as.delassus.dofs--;
    expect(&A, PERP_ERR_STRUCTURE, "dofs", -1);
    A = s.A;
    A.as.delassus.mass = NULL;
    expect(&A, PERP_ERR_ARGUMENT, "mass", -1);
    s.pattern.index[3] = s.dofs;
    expect(&s.A, PERP_ERR_STRUCTURE, "row", 3);
    s.pattern.index[3] = -1;
    expect(&s.A, PERP_ERR_STRUCTURE, "row", 3);
    s.pattern.ptr[0] = -1;
    expect(&s.A, PERP_ERR_STRUCTURE, "colptr", 0);
    delassus_free(&s);
}
END_TEST

static perp_status everything(const perp_mat *M, const delassus_sample *s,
                              const perp_allocator *allocator, perp_arena *arena)
{
    perp_mass *mass = NULL;
    perp_mat A, B;
    perp_csc C;
    const int offset[] = {0, 3, 6};
    const size_t start[] = {0, 9};
    double out[18];
    perp_status status = perp_mass_create(&mass, M, allocator, NULL);
    if (status != PERP_SOLVED)
        return status;
    status =
        perp_mat_init_delassus(&A, s->dofs, s->n, s->pattern.ptr, s->pattern.index, s->x, mass);
    if (status == PERP_SOLVED)
        status = perp_mat_diagonal_blocks(out, &A, offset, start, 2, allocator);
    if (status == PERP_SOLVED)
        status = perp_bsr_from_delassus(&B, &A, 3, arena);
    if (status == PERP_SOLVED)
        status = perp_csc_from_mat(&C, &A, arena);
    perp_mass_destroy(mass);
    return status;
}

START_TEST(memory_failures)
{
    perp_rng rng = {8};
    for (int trial = 0; trial < 8; trial++) {
        delassus_sample s = random_delassus(&rng, (mass_shape)(trial % SHAPES), trial / 4);
        perp_mat M;
        perp_mat_init_dense(&M, s.dofs, s.dofs, s.M, s.dofs);
        int finished = 0;
        for (int k = 0; !finished; k++) {
            ref_memory memory = {.fail_at = k};
            perp_allocator allocator = ref_allocator(&memory);
            perp_arena arena;
            perp_arena_init(&arena, &allocator);
            perp_status status = everything(&M, &s, &allocator, &arena);
            ck_assert(status == PERP_SOLVED || status == PERP_ERR_MEMORY);
            finished = status == PERP_SOLVED;
            ck_assert(finished || memory.count > k);
            perp_arena_free(&arena);
            ck_assert_int_eq(memory.live, 0);
        }
        delassus_free(&s);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("mass");
    TCase *tests = tcase_create("mass and Delassus");
    tcase_add_test(tests, masses_are_inverted);
    tcase_add_test(tests, unsymmetric_large_components_have_no_roots_to_share);
    tcase_add_test(tests, badly_scaled_bodies);
    tcase_add_test(tests, asymmetry_in_other_units);
    tcase_add_test(tests, singular_masses_name_their_component);
    tcase_add_test(tests, bad_masses_are_refused);
    tcase_add_test(tests, delassus_products);
    tcase_add_test(tests, delassus_diagonal_blocks);
    tcase_add_test(tests, delassus_blocks_of_contacts);
    tcase_add_test(tests, delassus_in_blocks);
    tcase_add_test(tests, malformed_delassus_is_named);
    tcase_add_test(tests, memory_failures);
    suite_add_tcase(s, tests);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
