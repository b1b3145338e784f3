/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/interior/cones.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/small.h"
#include "sets/rolling.h"
#include "solvers/interior/jordan.h"

/* Bits of a shape; those of further disks follow the last. */
enum { HAS_LOW = 1, HAS_HIGH = 2, HAS_TANGENT = 4 };
/* Of one block: bounds of BOX, parts of TRESCA, disks of ROLLING. */
enum { MOST_CONES = 3 };

static unsigned char disks_of(const perp_block *block)
{
    int shape = 0;
    for (int k = 0; k < perp_rolling_disks(block->dim); k++)
        shape |= block->par[k] > 0.0 ? HAS_TANGENT << k : 0;
    return (unsigned char)shape;
}

static unsigned char shape_of(const perp_block *block)
{
    switch (block->set) {
    case PERP_BOX:
        if (block->par[0] == block->par[1])
            return HAS_LOW | HAS_HIGH | HAS_TANGENT;
        return (unsigned char)((isfinite(block->par[0]) ? HAS_LOW : 0) |
                               (isfinite(block->par[1]) ? HAS_HIGH : 0));
    case PERP_TRESCA:
    case PERP_COULOMB:
    case PERP_SOC:
        return block->par[0] > 0.0 ? HAS_TANGENT : 0;
    case PERP_ROLLING:
        return disks_of(block);
    default:
        return 0;
    }
}

static void add_cone(perp_interior *in, int block, int row, int dim, int kind)
{
    perp_interior_cone *cone = &in->cones[in->count++];
    int tangent = row + (kind != PERP_INTERIOR_DISK);
    *cone = (perp_interior_cone){block, row, in->slots, tangent, dim, (short)kind, 0};
    in->slots += dim;
}

static void add_shifted(perp_interior *in, int block, int row, int tangent, int dim)
{
    add_cone(in, block, row, dim, PERP_INTERIOR_ROWS);
    in->cones[in->count - 1].tangent = tangent;
    in->cones[in->count - 1].shifted = 1;
    in->shifted++;
}

static void add_rolling(perp_interior *in, int k)
{
    const perp_block *block = &in->blocks->at[k];
    unsigned char *role = in->role + block->row;
    if (!in->shape[k])
        add_cone(in, k, block->row, 1, PERP_INTERIOR_ROWS);
    for (int disk = 0; disk < perp_rolling_disks(block->dim); disk++) {
        int first = perp_rolling_first(block->dim, disk);
        int rows = perp_rolling_count(block->dim, disk);
        if (in->shape[k] & HAS_TANGENT << disk)
            add_shifted(in, k, block->row, block->row + first, 1 + rows);
        else
            memset(role + first, PERP_ROW_PINNED, (size_t)rows);
    }
}

static void add_block(perp_interior *in, int k)
{
    const perp_block *block = &in->blocks->at[k];
    unsigned char shape = in->shape[k], *role = in->role + block->row;
    int tangent = shape & HAS_TANGENT;
    memset(role, PERP_ROW_CONED, (size_t)block->dim);
    if (block->set == PERP_BOX && tangent) {
        role[0] = PERP_ROW_PINNED;
    } else if (block->set == PERP_FREE || (block->set == PERP_BOX && !shape)) {
        role[0] = PERP_ROW_FREE;
    } else if (block->set == PERP_BOX) {
        if (shape & HAS_LOW)
            add_cone(in, k, block->row, 1, PERP_INTERIOR_LOW);
        if (shape & HAS_HIGH)
            add_cone(in, k, block->row, 1, PERP_INTERIOR_HIGH);
    } else if (block->set == PERP_ROLLING) {
        add_rolling(in, k);
    } else if (block->set == PERP_COULOMB && tangent) {
        add_shifted(in, k, block->row, block->row + 1, block->dim);
    } else if (block->set == PERP_SOC && tangent) {
        add_cone(in, k, block->row, block->dim, PERP_INTERIOR_ROWS);
    } else {
        add_cone(in, k, block->row, 1, PERP_INTERIOR_ROWS);
        if (tangent)
            add_cone(in, k, block->row + 1, block->dim, PERP_INTERIOR_DISK);
        else
            memset(role + 1, PERP_ROW_PINNED, (size_t)block->dim - 1);
    }
}

/* The same for the disks of ROLLING, in the unit of the block. */
static void load_rolling_scale(perp_interior *in, int k, double d)
{
    const perp_block *block = &in->blocks->at[k];
    double widest = fmax(1.0, block->par[0]);
    for (int disk = 1; disk < perp_rolling_disks(block->dim); disk++)
        widest = fmax(widest, block->par[disk] / block->length);
    in->scale[block->row] = 1.0 / (d * widest);
    for (int disk = 0; disk < perp_rolling_disks(block->dim); disk++) {
        int first = block->row + perp_rolling_first(block->dim, disk);
        for (int i = first; i < first + perp_rolling_count(block->dim, disk); i++)
            in->scale[i] = block->par[disk] * in->scale[block->row];
    }
    for (int i = 0; i < block->dim; i++)
        in->offset[block->row + i] = 0.0;
}

/* S: the units of the cone, and of energy.  The longer of the two axes of a cone keeps its
 * length, so that neither small nor large mu spoils the numbers. */
static void load_scale(perp_interior *in, int k, double d)
{
    const perp_block *block = &in->blocks->at[k];
    double normal = 1.0 / d, other = normal;
    if (block->set == PERP_COULOMB || block->set == PERP_SOC) {
        double mu = block->par[0];
        if (mu < 1.0)
            other *= mu;
        else
            normal /= mu;
    }
    for (int i = 0; i < block->dim; i++) {
        int row = block->row + i, pinned = in->role[row] == PERP_ROW_PINNED;
        in->scale[row] = pinned ? 0.0 : i == 0 ? normal : other;
        in->offset[row] = pinned && block->set == PERP_BOX ? block->par[0] : 0.0;
    }
}

perp_status perp_interior_load(perp_interior *in, const double *d)
{
    for (int k = 0; k < in->blocks->count; k++)
        if (in->shape[k] != shape_of(&in->blocks->at[k]))
            return PERP_ERR_STATE;
    for (int k = 0; k < in->blocks->count; k++)
        if (in->blocks->at[k].set == PERP_ROLLING)
            load_rolling_scale(in, k, d[k]);
        else
            load_scale(in, k, d[k]);
    return PERP_SOLVED;
}

perp_status perp_interior_build(perp_interior *in, const perp_blocks *blocks, const double *d,
                                perp_arena *arena)
{
    size_t count = (size_t)blocks->count, n = (size_t)blocks->n;
    *in = (perp_interior){.blocks = blocks, .n = blocks->n};
    in->cones = PERP_TAKE(arena, perp_interior_cone, MOST_CONES * count);
    in->shape = PERP_TAKE(arena, unsigned char, count);
    in->role = PERP_TAKE(arena, unsigned char, n);
    in->scale = PERP_TAKE(arena, double, n);
    in->offset = PERP_TAKE(arena, double, n);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int k = 0; k < blocks->count; k++) {
        in->shape[k] = shape_of(&blocks->at[k]);
        add_block(in, k);
    }
    return perp_interior_load(in, d);
}

void perp_interior_to_slots(double *dx, const perp_interior *in, const double *dX)
{
    for (int c = 0; c < in->count; c++) {
        const perp_interior_cone *cone = &in->cones[c];
        int head = perp_interior_head(cone);
        double sign = perp_interior_sign(cone), *out = dx + cone->slot;
        if (head)
            out[0] = 0.0;
        for (int i = head; i < cone->dim; i++)
            out[i] = sign * dX[perp_interior_row(cone, i)];
    }
}

void perp_interior_add_rows(double *rows, const perp_interior *in, const double *y)
{
    for (int c = 0; c < in->count; c++) {
        const perp_interior_cone *cone = &in->cones[c];
        int head = perp_interior_head(cone);
        double sign = perp_interior_sign(cone);
        for (int i = head; i < cone->dim; i++)
            rows[perp_interior_row(cone, i)] += sign * y[cone->slot + i];
    }
}

/* A bound of the cone in the units of its row; the radius of a disk. */
static double bound_of(const perp_interior *in, const perp_interior_cone *cone, double unit)
{
    const double *par = in->blocks->at[cone->block].par;
    double value = par[cone->kind == PERP_INTERIOR_HIGH];
    return value / (unit * in->scale[cone->row]);
}

void perp_interior_place(double *x, const perp_interior *in, const double *X, double unit)
{
    perp_interior_to_slots(x, in, X);
    for (int c = 0; c < in->count; c++) {
        const perp_interior_cone *cone = &in->cones[c];
        if (cone->kind == PERP_INTERIOR_LOW)
            x[cone->slot] -= bound_of(in, cone, unit);
        else if (cone->kind != PERP_INTERIOR_ROWS)
            x[cone->slot] += bound_of(in, cone, unit);
    }
}

/* X of a row between bounds: 0, or 1 inside of the bound that is near, or the middle. */
static double between(double low, double high)
{
    if (high - low <= 2.0)
        return 0.5 * (low + high);
    return fmin(fmax(0.0, low + 1.0), high - 1.0);
}

void perp_interior_start(double *X, double *x, double *y, const perp_interior *in, double unit)
{
    memset(X, 0, (size_t)in->n * sizeof(double));
    for (int c = 0; c < in->count; c++) {
        const perp_interior_cone *cone = &in->cones[c];
        double low = -INFINITY, high = INFINITY;
        if (cone->kind == PERP_INTERIOR_ROWS) {
            X[cone->row] = 1.0;
        } else if (cone->kind != PERP_INTERIOR_DISK) {
            const perp_block *block = &in->blocks->at[cone->block];
            low = block->par[0] / (unit * in->scale[cone->row]);
            high = block->par[1] / (unit * in->scale[cone->row]);
            X[cone->row] = between(low, high);
        }
    }
    perp_interior_place(x, in, X, unit);
    for (int c = 0; c < in->count; c++)
        perp_jordan_inverse(y + in->cones[c].slot, x + in->cones[c].slot, in->cones[c].dim);
}

/* Raises x0 until the least eigenvalue x0 - |x_T| is `least`. */
static void lift(double *x0, const double *tangent, double least, int dim)
{
    double now = perp_jordan_least(*x0, tangent, dim);
    if (now < least)
        *x0 += least - now;
}

/* Cones of a block with the De Saxce term, which share its first row: a bit of its shape for each.
 */
static int sharing(unsigned shape)
{
    int count = 0;
    for (; shape; shape &= shape - 1u)
        count++;
    return count;
}

/* A row between bounds, a disk's rows inside of it, by `depth` or half of what there is. */
static void draw_in(double *X, const perp_interior *in, const perp_interior_cone *cone, double unit,
                    double depth)
{
    const double *par = in->blocks->at[cone->block].par;
    double *at = X + cone->row, factor = 1.0 / (unit * in->scale[cone->row]);
    if (cone->kind == PERP_INTERIOR_DISK) {
        double radius = par[0] * factor, length = perp_norm(at, cone->dim - 1);
        double limit = radius - fmin(depth, 0.5 * radius);
        for (int i = 0; length > limit && i < cone->dim - 1; i++)
            at[i] *= limit / length;
    } else if (cone->kind != PERP_INTERIOR_ROWS) {
        double low = par[0] * factor, high = par[1] * factor;
        depth = fmin(depth, 0.5 * (high - low));
        at[0] = fmin(fmax(at[0], low + depth), high - depth);
    }
}

void perp_interior_near(double *X, double *x, double *y, const perp_interior *in,
                        const double *rows, double unit, double depth)
{
    for (int c = 0; c < in->count; c++) {
        const perp_interior_cone *cone = &in->cones[c];
        int head = perp_interior_head(cone);
        double *out = y + cone->slot;
        for (int i = head; i < cone->dim; i++)
            out[i] = perp_interior_sign(cone) * rows[perp_interior_row(cone, i)];
        if (head || cone->shifted)
            out[0] = (head ? 0.0 : out[0] / sharing(in->shape[cone->block])) +
                     perp_norm(out + 1, cone->dim - 1);
        lift(out, out + 1, depth, cone->dim);
        if (cone->kind == PERP_INTERIOR_ROWS)
            lift(X + cone->row, X + cone->tangent, depth, cone->dim);
        else
            draw_in(X, in, cone, unit, depth);
    }
    perp_interior_place(x, in, X, unit);
}

/* Bounds of the row of a cone of dimension 1, in its units; the row has no cone of its own but
 * this one and the next. */
static void bounds_of(double *low, double *high, const perp_interior *in, int c, double unit)
{
    const perp_interior_cone *cone = &in->cones[c];
    *low = 0.0;
    *high = INFINITY;
    if (cone->kind == PERP_INTERIOR_ROWS)
        return;
    *low = in->blocks->at[cone->block].par[0] / (unit * in->scale[cone->row]);
    *high = in->blocks->at[cone->block].par[1] / (unit * in->scale[cone->row]);
}

/* Root mean square of the natural residuals times the largest. */
static double product_for(const perp_interior *in, const double *X, const double *rows, double unit)
{
    double sum = 0.0, most = 0.0, low, high;
    for (int i = 0; i < in->n; i++)
        if (in->role[i] == PERP_ROW_FREE) {
            sum += rows[i] * rows[i];
            most = fmax(most, fabs(rows[i]));
        }
    for (int c = 0; c < in->count; c++) {
        int row = in->cones[c].row;
        bounds_of(&low, &high, in, c, unit);
        double left = X[row] - fmin(fmax(X[row] - rows[row], low), high);
        sum += left * left;
        most = fmax(most, fabs(left));
    }
    return most * sqrt(sum / fmax(1.0, in->n));
}

void perp_interior_centre(double *X, double *x, double *y, const perp_interior *in,
                          const double *rows, double unit, double least)
{
    double product = fmax(product_for(in, X, rows, unit), least), low, high;
    for (int c = 0; c < in->count; c++) {
        const perp_interior_cone *cone = &in->cones[c];
        int second = c > 0 && in->cones[c - 1].row == cone->row;
        double w = rows[cone->row], *at = X + cone->row;
        bounds_of(&low, &high, in, c, unit);
        /* From the bound that w presses on, not beyond the middle. */
        if (!second) {
            int below = w >= 0.0 ? isfinite(low) : !isfinite(high);
            double d = below ? *at - low - w : high - *at + w;
            double root = sqrt(d * d + 4.0 * product);
            double from = d > 0.0 ? 0.5 * (d + root) : 2.0 * product / (root - d);
            from = fmin(from, 0.5 * (high - low));
            *at = below ? low + from : high - from;
        }
        double bound = cone->kind == PERP_INTERIOR_HIGH ? high : low;
        x[cone->slot] = fmax(fabs(*at - bound), 2.0 * DBL_EPSILON * fabs(bound));
        x[cone->slot] = fmax(x[cone->slot], 1e-3 * product);
        y[cone->slot] = product / x[cone->slot];
    }
}

void perp_interior_answer(double *z, const perp_interior *in, const double *X, double unit)
{
    for (int i = 0; i < in->n; i++)
        z[i] = in->offset[i] + unit * in->scale[i] * X[i];
    perp_blocks_project(z, in->blocks, z);
}
