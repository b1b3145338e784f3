/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of space for the ranks by recursive bisection: halves of the weight along the longest axis.
 */
#ifndef PERP_CLI_MPI_PART_CELLS_H
#define PERP_CLI_MPI_PART_CELLS_H

typedef struct perp_part_key perp_part_key;

perp_part_key *perp_part_keys(int n); /* NULL: no memory; free() */
void perp_part_key_set(perp_part_key *keys, int body, const double place[3], double weight);
/* Puts n keys in another order; each has then its cell, from 0.  The answer depends on the keys
 * alone. */
void perp_part_cells(perp_part_key *keys, int n, int cells);
int perp_part_key_get(const perp_part_key *keys, int k, int *body); /* the cell */

#endif
