/* SPDX-License-Identifier: BSD-3-Clause */
/* A reference trajectory of ../shared/data/trajectories beside ours, row by row. */
#ifndef PERP_TESTS_KERNEL_TRAJECTORIES_REFERENCE_H
#define PERP_TESTS_KERNEL_TRAJECTORIES_REFERENCE_H

#include <check.h>

enum { REFERENCE_COLUMNS = 48 };

typedef struct reference {
    char name[96];
    int rows, cols, every; /* rows of the file: 0, every, 2 every ... of the run */
    double *x;             /* by rows */
    int compared;          /* rows compared so far */
    double largest[REFERENCE_COLUMNS];
    int seen[REFERENCE_COLUMNS]; /* 1: compared at least once */
} reference;

/* Reads NAME.ref or NAME.everyK.ref; 0 where there is none: the test is then skipped. */
int reference_open(reference *r, const char *name);
/* Steps of the run that the file covers. */
int reference_steps(const reference *r);
/* Row k of the run, NULL where the file leaves it out. */
const double *reference_row(const reference *r, int k);
/* Notes the differences in row k; a NAN in ours is a column that is not compared. */
void reference_compare(reference *r, int k, const double *ours);
/* Asserts that each column stays within 10 times the difference that the statement had, at
 * least floor; that every row was met (rows = 0: all).  Appends a line for each column to
 * the file named by PERP_TRAJECTORY_TABLE. */
typedef struct reference_column {
    const char *name;
    double stated;
} reference_column;
void reference_close(reference *r, const reference_column *columns, double floor, int rows);

extern TCase *trajectories_circuits(void);
extern TCase *trajectories_relays(void);
extern TCase *trajectories_balls(void);
extern TCase *trajectories_variants(void);
extern TCase *trajectories_structures(void);
extern TCase *trajectories_bodies(void);
extern TCase *trajectories_events(void);

#endif
