/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of lp_solve during one call: malloc and its kin are replaced at link time
 * (--wrap), so that a failure ends the call instead of the program, nothing leaks, and what
 * lp_solve reads without having written is 0. */
#ifndef PERP_LP_MEMORY_H
#define PERP_LP_MEMORY_H

#include <setjmp.h>

/* Where a failing allocation goes; NULL: back to its caller, as NULL.  Under the
 * lock of the library. */
void perp_lp_memory_begin(jmp_buf *landing);
/* Gives back all that is left. */
void perp_lp_memory_end(void);

#endif
