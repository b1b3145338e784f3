/* SPDX-License-Identifier: BSD-3-Clause */
/* The layouts of Siconos text, written out by hand, and what must be refused;
 * then the shared files, where they are. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "tests/fixtures/io_samples.h"
#include "tests/fixtures/real_problems.h"
#include "tests/fixtures/solver_choice.h"

#define BANNER "CSparse Version 3.1.9, May 4, 2016.  Copyright (c) Timothy A. Davis\n"

/* Reads, and compares M (column-major) and q. */
static perp_problem_file *read_as(const char *text, perp_problem_class wanted, const double *M,
                                  const double *q)
{
    perp_problem_file *d;
    perp_io_error error;
    perp_status status = io_parse(&d, "l.dat", text, PERP_CLASS_AUTO, &error);
    ck_assert_msg(status == PERP_SOLVED, "%s\n%s", text, error.text);
    ck_assert_int_eq(d->cls, wanted);
    double *x = io_dense(&d->M);
    for (int k = 0; M && k < d->M.rows * d->M.cols; k++)
        ck_assert_msg(x[k] == M[k], "%s\nentry %d: %g, not %g", text, k, x[k], M[k]);
    for (int i = 0; q && i < d->M.rows; i++)
        ck_assert_double_eq(d->q[i], q[i]);
    free(x);
    return d;
}

static void refused(const char *text, perp_problem_class cls, perp_status wanted, int line)
{
    perp_problem_file *d;
    perp_io_error error;
    perp_status status = io_parse(&d, "r.dat", text, cls, &error);
    ck_assert_msg(status == wanted, "%s\n%s: %s", text, perp_status_name(status), error.text);
    ck_assert_ptr_nonnull(strstr(error.text, "r.dat"));
    if (line > 0)
        ck_assert_msg(error.line == line, "%s\n%s", text, error.text);
}

START_TEST(dense_is_column_major)
{
    double M[] = {1, 3, 2, 4}, q[] = {-5, 6};
    perp_problem_file_destroy(read_as("2\n0\n2\n2\n2\t2\n1 3\n2 4\n-5 6\n", PERP_CLASS_LCP, M, q));
    perp_problem_file_destroy(read_as("2 0 2 2 2 2 1 3 2 4 -5 6", PERP_CLASS_LCP, M, q));
    perp_problem_file_destroy(
        read_as("2\r\n0\r\n2\r\n2\r\n2\t2\r\n1 3 2\r\n4\r\n-5e0\r\n+6.", PERP_CLASS_LCP, M, q));
}
END_TEST

START_TEST(blocks_of_unequal_size)
{
    /* 2 + 1 rows, blocks (0,0) 2x2, (0,1) 2x1, (1,1) 1x1, given out of order */
    const char *text = "3\n1\n3\n3\n3\n2\n2\n2\t3\t\n2\t3\t\n3\n3\n0\t2\t3\t\n0\t1\t1\t\n"
                       "2\n9\n0\n1\n2\n3\n4\n1\n5\n6\n-1 -2 -3";
    double M[] = {1, 2, 0, 3, 4, 0, 5, 6, 9}, q[] = {-1, -2, -3};
    perp_problem_file_destroy(read_as(text, PERP_CLASS_LCP, M, q));
    refused("3 1 3 3 3 2 2 2 3 2 3 3 3 0 2 3 0 1 1 2 9 0 1 2 3 4 2 5 6 -1 -2 -3", 0,
            PERP_ERR_FORMAT, 1); /* block 2 twice */
    refused("3 1 3 3 3 2 2 2 3 2 3 3 3 0 2 3 0 1 2 2 9 0 1 2 3 4 1 5 6 -1 -2 -3", 0,
            PERP_ERR_FORMAT, 1); /* a block column too far right */
    refused("3 1 3 3 3 2 2 2 4 2 3 3 3 0 2 3 0 1 1 2 9 0 1 2 3 4 1 5 6 -1 -2 -3", 0,
            PERP_ERR_FORMAT, 1); /* rows end at 4 */
    refused("3 1 3 3 3 2 2 2 3 2 3 3 3 0 2 1 0 1 1 2 9 0 1 2 3 4 1 5 6 -1 -2 -3", 0,
            PERP_ERR_FORMAT, 1); /* row starts fall */
}
END_TEST

START_TEST(sparse_origins)
{
    double M[] = {1, 0, 0, 4, 0, 6, 0, 0, 0}, q[] = {7, 8, 9}; /* columns (1 0 0)(4 0 6)() */
    perp_problem_file_destroy(read_as("3\n2\n3\n3\n1\n" BANNER "triplet: 3-by-3, nzmax: 9 nnz: 3\n"
                                      "    0 0 : 1\n    2 1 : 6\n    0 1 : 4\n 7 8 9\n",
                                      PERP_CLASS_LCP, M, q));
    perp_problem_file_destroy(read_as("3\n2\n3\n3\n2\n" BANNER
                                      "3-by-3, nzmax: 9 nnz: 3, 1-norm: 10\n"
                                      "    col 0 : locations 0 to 0\n      0 : 1\n"
                                      "    col 1 : locations 1 to 2\n      2 : 6\n      0 : 4\n"
                                      "    col 2 : locations 3 to 2\n 7 8 9\n",
                                      PERP_CLASS_LCP, M, q));
    /* rows, as the columns of the transposed */
    perp_problem_file_destroy(read_as("3\n2\n3\n3\n3\n" BANNER
                                      "3-by-3, nzmax: 9 nnz: 3, 1-norm: 10\n"
                                      "    col 0 : locations 0 to 1\n      0 : 1\n      1 : 4\n"
                                      "    col 1 : locations 2 to 1\n"
                                      "    row 2 : locations 2 to 2\n      1 : 6\n 7 8 9\n",
                                      PERP_CLASS_LCP, M, q));
    double S[] = {1, 4, 0, 4, 0, 6, 0, 6, 0};
    perp_problem_file_destroy(read_as("3\n2\n3\n3\n4\n" BANNER "triplet: 3-by-3, nzmax: 9 nnz: 3\n"
                                      "    0 0 : 1\n    2 1 : 6\n    1 0 : 4\n 7 8 9\n",
                                      PERP_CLASS_LCP, S, q));
    refused("3\n2\n3\n3\n1\n" BANNER "triplet: 3-by-3, nzmax: 9 nnz: 4\n"
            "    0 0 : 1\n    2 1 : 6\n    0 1 : 4\n 7 8 9\n",
            0, PERP_ERR_FORMAT, 0);
    refused("3\n2\n3\n3\n1\n" BANNER "triplet: 3-by-3, nzmax: 9 nnz: 1\n    0 3 : 1\n 7 8 9\n", 0,
            PERP_ERR_FORMAT, 8);
    refused("3\n2\n3\n3\n1\n" BANNER "triplet: 3-by-2, nzmax: 9 nnz: 1\n    0 0 : 1\n 7 8 9\n", 0,
            PERP_ERR_FORMAT, 0);
    refused("3\n2\n3\n3\n1\n" BANNER "no sizes\n    0 0 : 1\n 7 8 9\n", 0, PERP_ERR_FORMAT, 0);
}
END_TEST

START_TEST(entries_of_one_place_are_summed)
{
    double M[] = {3, 0, 0, 4};
    perp_problem_file_destroy(read_as("2\n2\n2\n2\n1\n" BANNER "triplet: 2-by-2, nzmax: 3 nnz: 3\n"
                                      "0 0 : 1\n1 1 : 4\n0 0 : 2\n 7 8\n",
                                      PERP_CLASS_LCP, M, NULL));
}
END_TEST

/* 0 = A u + C v + a, w = D u + B v + b; A = (1), C = (2 3), D = (4 5)', B = (6 7; 8 9). */
START_TEST(mixed_problems)
{
    double M[] = {1, 4, 5, 2, 6, 8, 3, 7, 9}, q[] = {-1, -2, -3};
    const char *const texts[] = {
        "1 0 1 2 0 1 3 0 1 0 3 3 3 3 1 4 5 2 6 8 3 7 9 -1 -2 -3",
        "1 1 1 2 0 1 3 0 1 0 3 3 3 3 1 4 5 2 6 8 3 7 9 -1 -2 -3 1 6 7 8 9 2 3 4 5 -1 -2 -3",
        "0 1 1 2 1 6 7 8 9 2 3 4 5 -1 -2 -3", "1 2 3 1 6 7 8 9 2 3 4 5 -1 -2 -3"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        perp_problem_file *d = read_as(texts[k], PERP_CLASS_MLCP, M, q);
        ck_assert(d->is_free[0] && !d->is_free[1] && !d->is_free[2]);
        perp_problem_file_destroy(d);
    }
    /* blocks in another order: complementarity first */
    perp_problem_file *d = read_as("1 0 1 1 0 1 2 1 0 0 2 2 2 2 1 2 3 4 5 6", PERP_CLASS_MLCP,
                                   (double[]){1, 2, 3, 4}, (double[]){5, 6});
    ck_assert(!d->is_free[0] && d->is_free[1]);
    perp_problem_file_destroy(d);
    refused("1 0 1 1 0 1 1 2 1 0 0 2 2 2 2 1 2 3 4 5 6", 0, PERP_ERR_FORMAT, 1);
    refused("1 0 1 1 0 1 2 1 2 0 2 2 2 2 1 2 3 4 5 6", 0, PERP_ERR_FORMAT, 1);
    refused("0 1 1 2 1 6 7 8 9 2 3 4 5 -1 -2", 0, PERP_ERR_FORMAT, 1);
}
END_TEST

START_TEST(rectangular_mixed_problems)
{
    /* two equations for one free unknown; q complete, and q cut to n + m with the
     * parts behind it (n = m = 1) */
    double M[] = {1, -1, 1, 0, 0, 0, -1, -1, 1}, q[] = {0, 1, -1};
    const char *const texts[] = {"1 0 1 1 0 1 2 0 1 0 3 2 3 2 1 -1 1 -1 -1 1 0 1 -1",
                                 "1 1 1 1 0 1 2 0 1 0 3 2 3 2 1 -1 1 -1 -1 1 0 1 1 1 -1 1 0 -1"};
    for (size_t k = 0; k < 2; k++) {
        perp_problem_file *d = read_as(texts[k], PERP_CLASS_MLCP, M, q);
        ck_assert(d->is_free[0] && d->is_free[1] && !d->is_free[2]);
        ck_assert_ptr_nonnull(strstr(d->note, "1 zero column"));
        perp_problem_file_destroy(d);
    }
    /* an older file: two free unknowns, one equation, one complementarity */
    perp_problem_file *d = read_as("2 1 2 1 2 3 4 5 6 7 8", PERP_CLASS_MLCP,
                                   (double[]){1, 0, 5, 2, 0, 6, 4, 0, 3}, (double[]){7, 0, 8});
    ck_assert_ptr_nonnull(strstr(d->note, "1 zero row"));
    perp_problem_file_destroy(d);
    refused("1 0 1 1 0 1 2 0 1 0 3 3 3 3 1 2 3 4 5 6 7 8 9 1 2 3", 0, PERP_ERR_FORMAT, 0);
}
END_TEST

/* Sizes that no number of the file stands for: refused, or held as what the file gives. */
START_TEST(sizes_are_paid_for)
{
    static const char *const unpaid[] = {"46000 0 0", "0 1 46000 0", "2000000000 0 0",
                                         "1 0 46000 0 0", "46000 0 1 1 2 3"};
    for (size_t k = 0; k < sizeof unpaid / sizeof *unpaid; k++)
        refused(unpaid[k], PERP_CLASS_MLCP, PERP_ERR_FORMAT, 0);
    /* One equation for many free unknowns: the dense square matrix would have their square. */
    enum { MANY = 20000 };
    io_memory memory = {.fail_at = -1};
    perp_allocator allocator = io_allocator(&memory);
    perp_problem_file *d;
    perp_io_error error;
    size_t size = 64 + 4 * MANY, used = 0;
    char *text = malloc(size);
    used += (size_t)snprintf(text, size, "%d 0 1", MANY);
    for (int j = 0; j < MANY + 1; j++)
        used += (size_t)snprintf(text + used, size - used, " %d", j % 7 + 1);
    io_write(io_path("wide.dat"), text, used);
    free(text);
    ck_assert_int_eq(
        perp_problem_file_read(&d, io_path("wide.dat"), PERP_CLASS_MLCP, &allocator, &error),
        PERP_SOLVED);
    ck_assert_msg(memory.bytes < 100 * used, "%zu bytes for %zu", memory.bytes, used);
    ck_assert_int_eq(d->M.rows, MANY);
    ck_assert_int_eq(d->M.kind, PERP_CSC);
    ck_assert_int_eq(d->M.as.csc.colptr[MANY], MANY);
    for (int j = 0; j < MANY; j++) {
        ck_assert_int_eq(d->M.as.csc.row[j], 0);
        ck_assert_double_eq(d->M.as.csc.x[j], j % 7 + 1);
    }
    perp_problem_file_destroy(d);
}
END_TEST

START_TEST(relays_and_lcps_are_told_apart)
{
    perp_problem_file *d =
        read_as("1 0 1 1 1 1 2 3 -1 1", PERP_CLASS_RELAY, (double[]){2}, (double[]){3});
    ck_assert_double_eq(d->lo[0], -1.0);
    ck_assert_double_eq(d->hi[0], 1.0);
    perp_problem_file_destroy(d);
    d = read_as("1 0 1 1 1 1 2 3 -inf +INF", PERP_CLASS_RELAY, NULL, NULL);
    ck_assert(isinf(d->lo[0]) && isinf(d->hi[0]));
    perp_problem_file_destroy(d);
    perp_problem_file_destroy(
        read_as("1 0 1 1 1 1 2 3\n\nfrom a book, page 7", PERP_CLASS_LCP, NULL, NULL));
    perp_problem_file_destroy(
        read_as("1 0 1 1 1 1 2 3 4.1.14 is the example", PERP_CLASS_LCP, NULL, NULL));
    d = read_as("1 0 1 1 1 1 2 3 5 4", PERP_CLASS_LCP, NULL, NULL);
    ck_assert_str_ne(d->note, "");
    perp_problem_file_destroy(d);
    refused("1 0 1 1 1 1 2 3 5", PERP_CLASS_AUTO, PERP_ERR_FORMAT, 0);
    refused("1 0 1 1 1 1 2 3 5", PERP_CLASS_RELAY, PERP_ERR_FORMAT, 0);
    perp_io_error error;
    ck_assert_int_eq(io_parse(&d, "n.dat", "1 0 1 1 1 1 2 3 5", PERP_CLASS_LCP, &error),
                     PERP_SOLVED);
    perp_problem_file_destroy(d);
    ck_assert_int_eq(io_parse(&d, "n.dat", "1 0 1 1 1 1 2 3 -1 1", PERP_CLASS_LCP, &error),
                     PERP_SOLVED);
    ck_assert_int_eq(d->cls, PERP_CLASS_LCP);
    perp_problem_file_destroy(d);
}
END_TEST

START_TEST(friction_that_begins_like_an_lcp)
{
    double W[] = {2, 0.5, 0.5, 1};
    perp_problem_file *d = read_as("2\n1\n2\n2\n2\n1\n" BANNER "triplet: 2-by-2, nzmax: 4 nnz: 4\n"
                                   "0 0 : 2\n1 0 : 0.5\n0 1 : 0.5\n1 1 : 1\n-1 0.25\n0.3\n",
                                   PERP_CLASS_FRICTION, W, (double[]){-1, 0.25});
    ck_assert_int_eq(d->M.kind, PERP_BSR);
    ck_assert_int_eq(d->M.as.bsr.block, 2);
    perp_problem_file_destroy(d);
    /* dense LCP with 2 unknowns: contacts 0, storage 2, size 2 for a friction problem */
    perp_problem_file_destroy(read_as("2 0 2 2 2 2 1.5 2 3 4 5 6", PERP_CLASS_LCP,
                                      (double[]){1.5, 2, 3, 4}, (double[]){5, 6}));
}
END_TEST

/* A condensed problem has as many unknowns as rows; only what follows M tells. */
START_TEST(global_with_as_many_dofs_as_rows)
{
    perp_problem_file *d = read_as("2 1 0 2 2 2 2 4 0 0 4 0 2 2 2 2 1 2 3 5 7 8 9 10 0.5",
                                   PERP_CLASS_GLOBAL, (double[]){4, 0, 0, 4}, (double[]){7, 8});
    double *H = io_dense(&d->H);
    ck_assert(H[0] == 1 && H[1] == 2 && H[2] == 3 && H[3] == 5);
    ck_assert(d->w[0] == 9 && d->w[1] == 10 && d->mu[0] == 0.5);
    free(H);
    perp_problem_file_destroy(d);
    perp_problem_file_destroy(
        read_as("2 1 0 2 2 2 2 4 0 0 4 2 2 2", PERP_CLASS_FRICTION, NULL, (double[]){2, 2}));
}
END_TEST

START_TEST(what_must_be_refused)
{
    refused("", 0, PERP_ERR_FORMAT, 1);
    refused("hello", 0, PERP_ERR_FORMAT, 0);
    refused("5 1 0 5 5 5 5 1", 0, PERP_ERR_FORMAT, 0);
    refused("2 0 2 2 2 2 1 nan 2 4 5 6", 0, PERP_ERR_NONFINITE, 1);
    refused("2 0 2 2 2 2 1 inf 2 4 5 6", 0, PERP_ERR_NONFINITE, 1);
    refused("2 0 2 2 2 2 1\n1e999\n 2 4 5 6", 0, PERP_ERR_NONFINITE, 2);
    refused("2 0 2 2 2 2 1\n\n1x\n 2 4 5 6", 0, PERP_ERR_FORMAT, 3);
    refused("2 0 2 2 2 2 1 2 3 4 5", 0, PERP_ERR_FORMAT, 1);
    refused("2 0 2 2 2 3 1 2 3 4 5 6", 0, PERP_ERR_FORMAT, 1);
    refused("2 0 3 2 2 2 1 2 3 4 5 6", PERP_CLASS_LCP, PERP_ERR_FORMAT, 1);
    refused("2000000000 0 2000000000 2000000000 2000000000 2000000000 1", 0, PERP_ERR_FORMAT, 1);
    refused("99999999999 0 2 2 2 2 1 2 3 4 5 6", PERP_CLASS_LCP, PERP_ERR_OVERFLOW, 1);
    refused("2.5 0 2 2 2 2 1 2 3 4 5 6", PERP_CLASS_LCP, PERP_ERR_FORMAT, 1);
    refused("-1 0 2 2 2 2 1 2 3 4 5 6", PERP_CLASS_LCP, PERP_ERR_FORMAT, 1);
    refused("3 1 0 3 3 3 3 1 2 3 4 5 6 7 8 9 1 2 3", 0, PERP_ERR_FORMAT, 1);
    refused("3 1 0 3 3 3 3 1 2 3 4 5 6 7 8 9 1 2 3 .5", PERP_CLASS_GLOBAL, PERP_ERR_FORMAT, 1);
}
END_TEST

/* Every shared file of a class that is supported: class, unknowns, contacts. */
typedef struct shared_file {
    const char *name;
    perp_problem_class cls;
    int rows, contacts; /* rows of M */
} shared_file;

static const shared_file shared_files[] = {
    {"friction2d/FC2D_SliderCrankLagrangian00000.dat", PERP_CLASS_FRICTION, 4, 2},
    {"friction2d/FrictionContactProblem00031.dat", PERP_CLASS_FRICTION, 22, 11},
    {"friction2d/FrictionContactProblem00071.dat", PERP_CLASS_FRICTION, 178, 89},
    {"friction2d/FrictionContactProblem00374.dat", PERP_CLASS_FRICTION, 56, 28},
    {"friction2d/fc2d_granularflowonwall_00667_00000.dat", PERP_CLASS_FRICTION, 1334, 667},
    {"friction2d/fc2d_granularflowonwall_02020_00213.dat", PERP_CLASS_FRICTION, 4040, 2020},
    {"friction3d/BoxesStack1-i100000-32.hdf5.dat", PERP_CLASS_FRICTION, 156, 52},
    {"friction3d/Capsules-i100-1090.dat", PERP_CLASS_FRICTION, 828, 276},
    {"friction3d/Capsules-i101-404.dat", PERP_CLASS_FRICTION, 675, 225},
    {"friction3d/Capsules-i122-1617.dat", PERP_CLASS_FRICTION, 888, 296},
    {"friction3d/Confeti-ex03-Fc3D-SBM.dat", PERP_CLASS_FRICTION, 162, 54},
    {"friction3d/Confeti-ex13-4contact-Fc3D-SBM.dat", PERP_CLASS_FRICTION, 12, 4},
    {"friction3d/FC3D_Example1.dat", PERP_CLASS_FRICTION, 9, 3},
    {"friction3d/FC3D_Example1_SBM.dat", PERP_CLASS_FRICTION, 9, 3},
    {"friction3d/FrictionContact3D_1c.dat", PERP_CLASS_FRICTION, 3, 1},
    {"friction3d/FrictionContact3D_RR_1c.dat", PERP_CLASS_FRICTION, 3, 1},
    {"friction3d/KaplasTower-i1061-4.hdf5.dat", PERP_CLASS_FRICTION, 1710, 570},
    {"friction3d/LMGC_100_PR_PerioBox-i00361-60-03000.hdf5", PERP_CLASS_FRICTION, 180, 60},
    {"friction3d/NESpheres_10_1.dat", PERP_CLASS_FRICTION, 27, 9},
    {"friction3d/OneObject-i100000-316.hdf5.dat", PERP_CLASS_FRICTION, 75, 25},
    {"friction3d/OneObject-i1028-138.hdf5.dat", PERP_CLASS_FRICTION, 69, 23},
    {"friction3d/Rover1039.dat", PERP_CLASS_FRICTION, 12, 4},
    {"friction3d/Rover1041.dat", PERP_CLASS_FRICTION, 15, 5},
    {"friction3d/Rover11035.dat", PERP_CLASS_FRICTION, 3, 1},
    {"friction3d/Rover3865.dat", PERP_CLASS_FRICTION, 15, 5},
    {"friction3d/Rover4396.dat", PERP_CLASS_FRICTION, 6, 2},
    {"friction3d/Rover4516.dat", PERP_CLASS_FRICTION, 12, 4},
    {"friction3d/Rover4613.dat", PERP_CLASS_FRICTION, 15, 5},
    {"friction3d/Rover9770.dat", PERP_CLASS_FRICTION, 15, 5},
    {"friction3d/spheres-216.hdf5", PERP_CLASS_FRICTION, 2586, 862},
    {"global/GFC3D_Example0.dat", PERP_CLASS_GLOBAL, 9, 1},
    {"global/GFC3D_Example0_SBM.dat", PERP_CLASS_GLOBAL, 9, 1},
    {"global/GFC3D_OneContact.dat", PERP_CLASS_GLOBAL, 39, 1},
    {"global/GFC3D_TwoRods1-condensed.dat", PERP_CLASS_FRICTION, 9, 3},
    {"global/GFC3D_TwoRods1.dat", PERP_CLASS_GLOBAL, 54, 3},
    {"global/Spheres-i099-356-679.hdf5", PERP_CLASS_GLOBAL, 12000, 356},
    {"global/gfc2d_granularflowonwall_00069_00350.dat", PERP_CLASS_GLOBAL, 900, 69},
    {"global/spheres-216.hdf5", PERP_CLASS_GLOBAL, 1296, 862},
    {"global/spheres-2744.hdf5", PERP_CLASS_GLOBAL, 16464, 11500},
    {"lcp/lcp_CPS_1.dat", PERP_CLASS_LCP, 2, 0},
    {"lcp/lcp_CPS_3.dat", PERP_CLASS_LCP, 4, 0},
    {"lcp/lcp_CPS_5.dat", PERP_CLASS_LCP, 2, 0},
    {"lcp/lcp_Pang_isolated_sol.dat", PERP_CLASS_LCP, 3, 0},
    {"lcp/lcp_deudeu.dat", PERP_CLASS_LCP, 2, 0},
    {"lcp/lcp_deudeu_block.dat", PERP_CLASS_LCP, 2, 0},
    {"lcp/lcp_enum_fails.dat", PERP_CLASS_LCP, 9, 0},
    {"lcp/lcp_exp_murty.dat", PERP_CLASS_LCP, 6, 0},
    {"lcp/lcp_inf_sol_perturbed.dat", PERP_CLASS_LCP, 3, 0},
    {"lcp/lcp_mmc.dat", PERP_CLASS_LCP, 26, 0},
    {"lcp/lcp_ortiz.dat", PERP_CLASS_LCP, 4, 0},
    {"lcp/lcp_trivial.dat", PERP_CLASS_LCP, 9, 0},
    {"mlcp/BuckConverter_mlcp.dat", PERP_CLASS_MLCP, 32, 0},
    {"mlcp/PD_mlcp.dat", PERP_CLASS_MLCP, 7, 0},
    {"mlcp/RCD_mlcp.dat", PERP_CLASS_MLCP, 3, 0},
    {"mlcp/RLCD_mlcp.dat", PERP_CLASS_MLCP, 8, 0},
    {"mlcp/deltasigma_mlcp.dat", PERP_CLASS_MLCP, 221, 0},
    {"mlcp/deudeu_mlcp.dat", PERP_CLASS_MLCP, 2, 0},
    {"mlcp/diodeBridge20_mlcp.dat", PERP_CLASS_MLCP, 31, 0},
    {"mlcp/diodeBridge_mlcp.dat", PERP_CLASS_MLCP, 7, 0},
    {"mlcp/m2n1_mlcp.dat", PERP_CLASS_MLCP, 3, 0},
    {"mlcp/relay2_mlcp.dat", PERP_CLASS_MLCP, 6, 0},
    {"relay/relay1.dat", PERP_CLASS_RELAY, 15, 0},
    {"relay/relay_2x2.dat", PERP_CLASS_RELAY, 2, 0},
    {"relay/relay_simple2.dat", PERP_CLASS_RELAY, 2, 0},
    {"relay/step_1x1.dat", PERP_CLASS_RELAY, 1, 0},
    {"relay/step_4x4.dat", PERP_CLASS_RELAY, 4, 0},
    {"mlcp/Rectangular_mlcp.dat", PERP_CLASS_MLCP, 3, 0},
};

START_TEST(shared_files_have_their_sizes)
{
    for (size_t k = 0; k < sizeof shared_files / sizeof *shared_files; k++) {
        const shared_file *f = &shared_files[k];
        char path[1024];
        perp_problem_file *d;
        perp_io_error error;
        perp_problem problem;
        if (!real_problem_path(path, sizeof path, f->name))
            continue;
        perp_status status = perp_problem_file_read(&d, path, PERP_CLASS_AUTO, NULL, &error);
#ifndef HAVE_HDF5
        if (status == PERP_ERR_UNSUPPORTED)
            continue;
#endif
        ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
        ck_assert_msg(d->cls == f->cls, "%s: class %d", f->name, (int)d->cls);
        ck_assert_msg(d->M.rows == f->rows, "%s: %d rows", f->name, d->M.rows);
        ck_assert_msg(d->contacts == f->contacts, "%s: %d contacts", f->name, d->contacts);
        status = perp_problem_file_get(d, &problem, &error);
        ck_assert_msg(status == PERP_SOLVED, "%s: %s", f->name, error.text);
        ck_assert_int_eq(perp_problem_check(&problem, NULL, NULL), PERP_SOLVED);
        perp_problem_file_destroy(d);
    }
}
END_TEST

/* By a sweep, a Newton and the chosen solver; the residual is recomputed. */
static void solve_to(const char *name, const perp_problem *problem, double tol)
{
    static const char *const solvers[] = {"gs", "nsn", "prox prox_newton=single", "auto"};
    double z[128], w[128];
    ck_assert_int_le(problem->M.rows, 128);
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
        perp_settings settings;
        perp_info info = {.size = sizeof info};
        perp_residuals r = {.size = sizeof r};
        perp_settings_init(&settings, sizeof settings);
        settings.tol = tol;
        perp_status status =
            perp_solve(choose_solver(solvers[k], &settings), problem, &settings, z, w, &info);
        ck_assert_msg(status == PERP_SOLVED, "%s, %s, %g: %g", name, solvers[k], tol, info.error);
        ck_assert_int_eq(perp_residual(problem, z, NULL, NULL, &r), PERP_SOLVED);
        ck_assert_double_le(r.natural, tol);
        ck_assert_double_le(r.scaled, tol);
    }
}

START_TEST(shared_rolling_files)
{
    static const struct {
        const char *name;
        perp_problem_class cls;
        int contacts;
        double mu, mu_r; /* of the last contact */
    } files[] = {{"rolling/RFC3D_cube_1.dat", PERP_CLASS_FRICTION, 2, 0.3, 0.1},
                 {"rolling/RFC3D_sphere_1.dat", PERP_CLASS_FRICTION, 1, 0.6, 0.5},
                 {"rolling/rockfall_14_25792.dat", PERP_CLASS_FRICTION, 14, 0.7, 0.1},
                 {"rolling/Chute-ndof-768-nc-4-3.hdf5", PERP_CLASS_GLOBAL, 4, 1.0, 0.1}};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char path[1024];
        perp_problem_file *d;
        perp_problem problem;
        if (!real_problem_path(path, sizeof path, files[k].name))
            continue;
        ck_assert_int_eq(perp_problem_file_read(&d, path, PERP_CLASS_AUTO, NULL, NULL),
                         PERP_SOLVED);
        ck_assert_int_eq(d->cls, files[k].cls);
        ck_assert_int_eq(d->spacedim, 5);
        ck_assert_int_eq(d->contacts, files[k].contacts);
        ck_assert_double_eq_tol(d->mu[d->contacts - 1], files[k].mu, 1e-15);
        ck_assert_double_eq_tol(d->mu_r[d->contacts - 1], files[k].mu_r, 1e-15);
        ck_assert_int_eq(perp_problem_file_get(d, &problem, NULL), PERP_SOLVED);
        ck_assert_int_eq(problem.seg[0].set, PERP_ROLLING);
        ck_assert_int_eq(problem.M.rows, 5 * files[k].contacts);
        ck_assert_int_eq(perp_problem_check(&problem, NULL, NULL), PERP_SOLVED);
        solve_to(files[k].name, &problem, 1e-4);
        solve_to(files[k].name, &problem, 1e-8);
        perp_problem_file_destroy(d);
    }
}
END_TEST

/* Three rows: five numbers more than a contact problem of five contacts needs, or
 * the class, say that it rolls. */
START_TEST(rolling_in_the_plane)
{
    static const char two[] = "3 2  0 6 6 6 6\n"
                              "1 0 0 0 0 0  0 1 0 0 0 0  0 0 1 0 0 0\n"
                              "0 0 0 1 0 0  0 0 0 0 1 0  0 0 0 0 0 1\n"
                              "-1 0 0 -1 0 0  0.5 0.6  0.1 0.2\n";
    static const char one[] = "3 1  0 3 3 3 3  1 0 0  0 1 0  0 0 1  -1 0 0  0.5  0.1\n";
    perp_problem_file *d;
    ck_assert_int_eq(io_parse(&d, "two.dat", two, PERP_CLASS_AUTO, NULL), PERP_SOLVED);
    ck_assert(d->mu_r && d->mu_r[0] == 0.1 && d->mu_r[1] == 0.2 && d->mu[1] == 0.6);
    perp_problem_file_destroy(d);
    ck_assert_int_eq(io_parse(&d, "two.dat", two, PERP_CLASS_FRICTION, NULL), PERP_SOLVED);
    ck_assert_ptr_null(d->mu_r);
    perp_problem_file_destroy(d);
    ck_assert_int_eq(io_parse(&d, "one.dat", one, PERP_CLASS_AUTO, NULL), PERP_SOLVED);
    ck_assert_ptr_null(d->mu_r);
    perp_problem_file_destroy(d);
    ck_assert_int_eq(io_parse(&d, "one.dat", one, PERP_CLASS_ROLLING, NULL), PERP_SOLVED);
    ck_assert(d->mu_r && d->mu_r[0] == 0.1);
    ck_assert_int_eq(d->cls, PERP_CLASS_FRICTION);
    const char *const paths[] = {io_path("again.dat"), io_path("again.hdf5")};
    for (int k = 0; k < 2; k++) {
        perp_status written = perp_problem_file_write(d, paths[k], PERP_FORMAT_AUTO, NULL);
        perp_problem_file *again;
        if (k == 1 && written == PERP_ERR_UNSUPPORTED)
            continue; /* a build without HDF5 */
        ck_assert_int_eq(written, PERP_SOLVED);
        ck_assert_int_eq(perp_problem_file_read(&again, paths[k], PERP_CLASS_ROLLING, NULL, NULL),
                         PERP_SOLVED);
        ck_assert(again->spacedim == 3 && again->mu_r && again->mu_r[0] == 0.1);
        perp_problem_file_destroy(again);
    }
    perp_problem_file_destroy(d);
    perp_io_error error;
    ck_assert_int_eq(io_parse(&d, "four.dat", "4 1 0 4 4", PERP_CLASS_ROLLING, &error),
                     PERP_ERR_FORMAT);
}
END_TEST

/* The numbers of a file without blocks or words, by the C library alone. */
static double *all_numbers(const char *path)
{
    size_t bytes;
    char *text = io_read(path, &bytes), *at = text, *stop;
    double *x = calloc(bytes / 2 + 2, sizeof *x);
    for (int k = 0;; k++, at = stop) {
        x[k] = strtod(at, &stop);
        if (stop == at)
            break;
    }
    free(text);
    return x;
}

/* w = M x + q of the problem against the file's numbers: M at `at`, then q, with
 * x_i = sin(i + 1). */
static void dense_product(const char *name, int at, int n)
{
    char path[1024];
    perp_problem_file *d;
    perp_problem problem;
    perp_residuals residuals = {.size = sizeof residuals};
    if (!real_problem_path(path, sizeof path, name))
        return;
    ck_assert_int_eq(perp_problem_file_read(&d, path, PERP_CLASS_AUTO, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_problem_file_get(d, &problem, NULL), PERP_SOLVED);
    ck_assert_int_eq(problem.M.rows, n);
    double *x = calloc((size_t)n, sizeof *x), *w = calloc((size_t)n, sizeof *w);
    for (int i = 0; i < n; i++)
        x[i] = sin(i + 1.0);
    ck_assert_int_eq(perp_residual(&problem, x, NULL, w, &residuals), PERP_SOLVED);
    double *file = all_numbers(path), *M = file + at, *q = M + n * n;
    for (int i = 0; i < n; i++) {
        double sum = q[i], size = fabs(q[i]);
        for (int j = 0; j < n; j++) {
            sum += M[i + n * j] * x[j];
            size += fabs(M[i + n * j] * x[j]);
        }
        ck_assert_msg(fabs(sum - w[i]) <= 1e-13 * size, "%s: row %d", name, i);
    }
    free(file);
    free(x);
    free(w);
    perp_problem_file_destroy(d);
}

START_TEST(shared_files_give_their_products)
{
    dense_product("lcp/lcp_mmc.dat", 6, 26);
    dense_product("relay/relay1.dat", 6, 15);
    dense_product("mlcp/diodeBridge20_mlcp.dat", 14, 31);
    dense_product("friction3d/NESpheres_10_1.dat", 7, 27);
    dense_product("friction2d/FrictionContactProblem00374.dat", 7, 56);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("io layouts");
    TCase *tests = tcase_create("siconos");
    tcase_add_test(tests, dense_is_column_major);
    tcase_add_test(tests, blocks_of_unequal_size);
    tcase_add_test(tests, sparse_origins);
    tcase_add_test(tests, sizes_are_paid_for);
    tcase_add_test(tests, entries_of_one_place_are_summed);
    tcase_add_test(tests, mixed_problems);
    tcase_add_test(tests, rectangular_mixed_problems);
    tcase_add_test(tests, relays_and_lcps_are_told_apart);
    tcase_add_test(tests, friction_that_begins_like_an_lcp);
    tcase_add_test(tests, global_with_as_many_dofs_as_rows);
    tcase_add_test(tests, what_must_be_refused);
    tcase_add_test(tests, shared_files_have_their_sizes);
    tcase_add_test(tests, shared_rolling_files);
    tcase_add_test(tests, rolling_in_the_plane);
    tcase_add_test(tests, shared_files_give_their_products);
    tcase_set_timeout(tests, 120);
    suite_add_tcase(s, tests);
    SRunner *runner = srunner_create(s);
    io_folder_make();
    srunner_run_all(runner, CK_ENV);
    io_folder_remove();
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
