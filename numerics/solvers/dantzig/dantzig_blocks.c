/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps find nearly the right active set; the primal-dual active set method
 * ([HintermullerEtAl2002]) corrects it, a factor of M_FF each time. */
#include <math.h>
#include <string.h>

#include "core/clones.h"
#include "solvers/dantzig/dantzig_boxed.h"

/* Sweeps at most; sets at most, and in succession without fewer wrong signs than ever. */
enum { SWEEPS = 3, SETS = 20, PATIENCE = 4 };
/* Below so many rows a product with 0 costs less than a branch that nobody foresees, and a set less
 * than a sweep. */
enum { FEW = 32 };
/* A pivot below this share of the diagonal is dependence, or too near to it for this phase. */
static const double regular = 1e-10;

typedef double lanes __attribute__((vector_size(32), aligned(8), may_alias));

/* w += a by. */
static inline void add(double *w, const double *a, double by, int n)
{
    int k = 0;
    for (; k + 4 <= n; k += 4)
        *(lanes *)(w + k) += by * *(const lanes *)(a + k);
    for (; k < n; k++)
        w[k] += a[k] * by;
}

/* One projected sweep; how many rows ended on another side than before. */
PERP_CLONES
static int sweep(perp_boxed *b)
{
    int n = b->n, changed = 0;
    double *w = b->w;
    for (int i = 0; i < n; i++) {
        double old = b->z[i], z = old - w[i] * b->inverse[i], lo = b->lo[i], hi = b->hi[i];
        z = z > lo ? z : lo;
        z = z < hi ? z : hi;
        unsigned char side = z <= lo ? PERP_SIDE_LOWER : z >= hi ? PERP_SIDE_UPPER : PERP_SIDE_IN;
        changed += side != b->side[i];
        b->side[i] = side;
        b->z[i] = z;
        if (z != old || n < FEW)
            add(w, b->a + (size_t)i * b->ld, z - old, n);
    }
    return changed;
}

/* Rows outside F to their bounds, F listed; w follows. */
static void take_sides(perp_boxed *b)
{
    int moved = 0;
    b->count = 0;
    for (int i = 0; i < b->n; i++) {
        if (b->side[i] == PERP_SIDE_IN) {
            b->row[b->count++] = i;
            continue;
        }
        double bound = b->side[i] == PERP_SIDE_LOWER ? b->lo[i] : b->hi[i];
        if (bound == b->z[i])
            continue;
        b->x[moved] = bound - b->z[i];
        b->pivots[moved++] = i;
        b->z[i] = bound;
    }
    perp_boxed_move(b, b->pivots, b->x, moved);
}

static void gather(perp_boxed *b)
{
    for (int j = 0; j < b->count; j++) {
        const double *a = b->a + (size_t)b->row[j] * b->ld;
        double *to = b->ldl.l + (size_t)j * b->ldl.ld;
        for (int i = j - j % PERP_LDL_PANEL; i < b->count; i++)
            to[i] = a[b->row[i]];
        for (int i = b->count; i % PERP_LDL_PANEL != 0; i++)
            to[i] = 0.0;
    }
}

/* The step of F to w_F = 0 into b->x.  0: M_FF is singular or nearly so, or not definite. */
static int solve(perp_boxed *b, perp_work *work)
{
    gather(b);
    work->info->factorisations += b->count > 0;
    if (perp_dense_ldl_factor(&b->ldl, b->count, regular) < b->count)
        return 0;
    for (int k = 0; k < b->count; k++)
        b->x[k] = -b->w[b->row[k]];
    perp_dense_ldl_solve(&b->ldl, b->x);
    return 1;
}

/* Rows of F beyond a bound leave it; how many. */
static int leave(perp_boxed *b)
{
    int wrong = 0;
    for (int k = 0; k < b->count; k++) {
        int i = b->row[k];
        double z = b->z[i] += b->x[k];
        if (z >= b->lo[i] && z <= b->hi[i])
            continue;
        b->side[i] = z < b->lo[i] ? PERP_SIDE_LOWER : PERP_SIDE_UPPER;
        wrong++;
    }
    return wrong;
}

/* Rows at a bound with the wrong sign of w enter F, how many; those that left it do not. */
static int enter(perp_boxed *b, const double *w)
{
    int wrong = 0, k = 0;
    for (int i = 0; i < b->n; i++) {
        if (k < b->count && b->row[k] == i) {
            k++;
            continue;
        }
        if ((b->side[i] == PERP_SIDE_LOWER ? w[i] < 0.0 : w[i] > 0.0) && b->lo[i] < b->hi[i]) {
            b->side[i] = PERP_SIDE_IN;
            wrong++;
        }
    }
    return wrong;
}

int perp_boxed_blocks(perp_boxed *b, perp_work *work, double *error)
{
    int least = b->n + 1, patience = PATIENCE;
    memset(b->side, PERP_SIDE_IN, (size_t)b->n);
    for (int k = b->n < FEW ? 1 : 0; k < SWEEPS && sweep(b) > 0;)
        k++;
    memcpy(b->start, b->z, (size_t)b->n * sizeof(double));
    for (int set = 0; set < SETS && patience > 0; set++) {
        take_sides(b);
        if (!solve(b, work) || (set > 0 && perp_stop_light(work, b->iteration, *error)))
            return 0;
        int wrong = leave(b), measured = wrong == 0;
        if (measured) {
            *error = perp_measure(work, b->z);
            memcpy(b->w, work->w, (size_t)b->n * sizeof(double));
        } else {
            perp_boxed_move(b, b->row, b->x, b->count);
        }
        wrong += enter(b, b->w);
        if (wrong == 0)
            return isfinite(*error);
        patience = wrong < least ? PATIENCE : patience - 1;
        least = wrong < least ? wrong : least;
    }
    return 0;
}
