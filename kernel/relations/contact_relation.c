/* SPDX-License-Identifier: BSD-3-Clause */
/* CONTACT ([SDN] ch. 12, with G_2 P for the second body): y = (gap, 0, 0), and the relative
 * velocity of the two points in a local frame (n, t_1, t_2). */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "kernel/relations/link.h"
#include "kernel/relations/twist.h"

/* t_1 from the x axis, or from y where n is near x: continuous in n but on the circles
 * |n_x| = 0.8, away from the directions that scenes like; in the x-y plane for n there. */
static void tangents(double frame[9])
{
    const double *n = frame;
    double *first = frame + 3;
    int axis = fabs(n[0]) < 0.8 ? 0 : 1;
    double along = n[axis], scale = 1.0 / sqrt(1.0 - along * along);
    for (int k = 0; k < 3; k++)
        first[k] = -along * n[k] * scale;
    first[axis] += scale;
    perp_cross3(frame + 6, n, first);
}

void perp_contact_frame(const double *normal, double *frame)
{
    memcpy(frame, normal, 3 * sizeof(double));
    tangents(frame);
}

/* Inlined with a known number of rows. */
static inline void body_rows(double *H, int rows, double sign, const double *frame, const double *q,
                             const double *point)
{
    double R[9], moment[3];
    double arm[3] = {point[0] - q[0], point[1] - q[1], point[2] - q[2]};
    perp_quaternion_matrix(q + 3, R);
    for (int i = 0; i < rows; i++) {
        perp_cross3(moment, arm, frame + 3 * i);
        perp_twist_row(H + i, rows, sign, frame + 3 * i, moment, R);
    }
}

/* Three rows of slip, and the relative turn: about the tangents (of five rows), the normal (of
 * four), or all three (of six). */
static void rows_with_turns(double *H, int rows, double sign, const double *frame, const double *q,
                            const double *point)
{
    static const double zero[3] = {0.0, 0.0, 0.0};
    const double *axis = rows == 5 ? frame + 3 : frame;
    double R[9], moment[3];
    double arm[3] = {point[0] - q[0], point[1] - q[1], point[2] - q[2]};
    perp_quaternion_matrix(q + 3, R);
    for (int i = 0; i < 3; i++) {
        perp_cross3(moment, arm, frame + 3 * i);
        perp_twist_row(H + i, rows, sign, frame + 3 * i, moment, R);
    }
    for (int i = 3; i < rows; i++)
        perp_twist_row(H + i, rows, sign, zero, axis + 3 * (i - 3), R);
}

int perp_contact_evaluate(double *y, double *H, perp_link *link, double t, const double *x)
{
    if (!link->guide)
        return perp_contact_rows(y, H, link, t, x);
    const double *both = perp_link_both(link, t, x);
    if (!both || perp_contact_rows(y, H ? link->both_H : NULL, link, t, both))
        return 1;
    if (H)
        perp_link_take_own(H, link);
    return 0;
}

double perp_contact_normal_error(perp_link *link, double t, const double *x)
{
    const perp_relation *r = &link->relation;
    const double *both = link->guide ? perp_link_both(link, t, x) : x;
    perp_contact_point point;
    if (!both || r->contact(&point, t, both, perp_link_bodies(link) == 2 ? both + 7 : NULL, link->z,
                            r->user))
        return -1.0;
    const double *n = point.normal;
    return fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1.0);
}

int perp_contact_rows(double *y, double *H, perp_link *link, double t, const double *x)
{
    const perp_relation *r = &link->relation;
    const double *q_b = perp_link_bodies(link) == 2 ? x + 7 : NULL;
    perp_contact_point point;
    int refused = r->contact(&point, t, x, q_b, link->z, r->user);
    if (refused)
        return refused;
    int rows = link->rows;
    if (y) {
        y[0] = point.gap;
        for (int i = 1; i < rows; i++)
            y[i] = 0.0;
    }
    if (H) {
        double frame[9];
        memcpy(frame, point.normal, sizeof point.normal);
        if (rows > 1)
            tangents(frame);
        if (rows > 3) {
            rows_with_turns(H, rows, 1.0, frame, x, point.point_a);
            if (q_b)
                rows_with_turns(H + 6 * rows, rows, -1.0, frame, q_b, point.point_b);
            return 0;
        }
        if (rows == 1)
            body_rows(H, 1, 1.0, frame, x, point.point_a);
        else
            body_rows(H, 3, 1.0, frame, x, point.point_a);
        if (q_b && rows == 1)
            body_rows(H + 6, 1, -1.0, frame, q_b, point.point_b);
        else if (q_b)
            body_rows(H + 18, 3, -1.0, frame, q_b, point.point_b);
    }
    return 0;
}
