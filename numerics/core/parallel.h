/* SPDX-License-Identifier: BSD-3-Clause */
/* Work in numbered pieces, shared among threads.  The only place that knows of OpenMP;
 * without it, and for one thread, the pieces run in their order on the caller's thread.
 *
 * A piece must not depend on which thread runs it or on the other pieces of its phase,
 * and sums are kept for each piece and added in the order of the pieces: then the bits
 * are the same for any number of threads.
 */
#ifndef PERP_CORE_PARALLEL_H
#define PERP_CORE_PARALLEL_H

/* thread: 0 .. threads - 1, for scratch memory. */
typedef void perp_piece(void *ctx, int piece, int thread);

/* How many threads a setting stands for: 0 as many as OpenMP would take; always 1
 * without OpenMP. */
int perp_parallel_threads(int wanted);

/* All pieces 0 .. pieces - 1. */
void perp_parallel_for(int threads, int pieces, perp_piece *work, void *ctx);

/* Phase p has the pieces first[p] .. first[p + 1] - 1; a phase begins when all of the
 * one before it is done.  backward: the last phase comes first. */
void perp_parallel_phases(int threads, const int *first, int phases, int backward, perp_piece *work,
                          void *ctx);

#endif
