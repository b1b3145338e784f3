/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers of a series.csv, and what a run of perp said. */
#ifndef PERP_TRUST_SERIES_H
#define PERP_TRUST_SERIES_H

#include <stddef.h>

typedef struct perp_trust_series {
    int rows, columns;
    char **name;  /* of the columns; the first is t */
    double *data; /* rows x columns, by rows */
} perp_trust_series;

/* 0, or -1: no such file, no memory, or no numbers in it. */
int perp_trust_series_read(perp_trust_series *series, const char *path);
void perp_trust_series_free(perp_trust_series *series);
/* A column by its whole name, -1 where it is absent. */
int perp_trust_column(const perp_trust_series *series, const char *name);
double perp_trust_at(const perp_trust_series *series, int row, int column); /* NaN outside */

/* A whole text file, ended by 0; NULL. */
char *perp_trust_text(const char *path);

#endif
