/* SPDX-License-Identifier: BSD-3-Clause */
/* Joints and outputs, from the states. */
#include <math.h>
#include <string.h>

#include "scene/verify/space.h"
#include "scene/verify/verify_inside.h"

static const double at_rest[] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};

/* State of body k of an interaction, the world where there is none; NULL: not recorded. */
static const double *body(const perp_verify_interaction *i, int k, const double *row)
{
    const perp_verify_system *s = i->system[k];

    if (s == NULL)
        return at_rest;
    return s->kind == PERP_VERIFY_BODY ? perp_verify_q(s, row) : NULL;
}

static void place(double *out, const double *q, const double *arm)
{
    space_turn(out, q + 3, arm);
    for (int k = 0; k < 3; k++)
        out[k] += q[k];
}

static int is_joint(const perp_verify_interaction *i)
{
    return i->relation >= PERP_VERIFY_POINT && i->relation <= PERP_VERIFY_PLANAR;
}

/* Anchors and axes into the frames of the bodies, for the first row. */
static int assemble(perp_verify_interaction *i, const double *row)
{
    for (int k = 0; k < 2; k++) {
        const double *q = body(i, k, row);
        const double *anchor =
            k == 1 && i->relation == PERP_VERIFY_DISTANCE ? i->anchor_b : i->anchor;
        double from[3];
        if (q == NULL)
            return 0;
        for (int n = 0; n < 3; n++)
            from[n] = anchor[n] - q[n];
        space_turn_back(i->arm[k], q + 3, from);
        space_turn_back(i->own_axis[k], q + 3,
                        k == 1 && i->relation == PERP_VERIFY_UNIVERSAL ? i->axis_b : i->axis);
    }
    const double *a = body(i, 0, row), *b = body(i, 1, row);
    space_conjugate(i->turn, b + 3);
    space_times(i->turn, i->turn, a + 3);
    double apart[3];
    for (int n = 0; n < 3; n++)
        apart[n] = i->anchor[n] - i->anchor_b[n];
    i->length = space_length(apart);
    i->cosine = space_dot(i->axis, i->axis_b);
    return 1;
}

/* sin of the half angle between the present relative rotation and that of the first row. */
static double turned(const perp_verify_interaction *i, const double *a, const double *b)
{
    double now[4], back[4];

    space_conjugate(now, b + 3);
    space_times(now, now, a + 3);
    space_conjugate(back, i->turn);
    space_times(now, back, now);
    return space_length(now + 1);
}

static double gap_of(const perp_verify_interaction *i, const double *a, const double *b, double *d)
{
    double from[3], to[3], axis[2][3], off[3], along;

    place(from, a, i->arm[0]);
    place(to, b, i->arm[1]);
    for (int n = 0; n < 3; n++)
        d[n] = from[n] - to[n];
    space_turn(axis[0], a + 3, i->own_axis[0]);
    space_turn(axis[1], b + 3, i->own_axis[1]);
    double arm = fmax(space_length(i->arm[0]), space_length(i->arm[1]));
    switch (i->relation) {
    case PERP_VERIFY_DISTANCE:
        return fabs(space_length(d) - i->length);
    case PERP_VERIFY_PIVOT:
        space_cross(off, axis[0], axis[1]);
        return fmax(space_length(d), arm * space_length(off));
    case PERP_VERIFY_FIXED:
        return fmax(space_length(d), 2.0 * arm * turned(i, a, b));
    case PERP_VERIFY_UNIVERSAL:
        return fmax(space_length(d), arm * fabs(space_dot(axis[0], axis[1]) - i->cosine));
    case PERP_VERIFY_PLANAR:
        space_cross(off, axis[0], axis[1]);
        return fmax(fabs(space_dot(d, axis[1])), arm * space_length(off));
    case PERP_VERIFY_CYLINDRICAL:
    case PERP_VERIFY_PRISMATIC:
        along = space_dot(d, axis[1]);
        for (int n = 0; n < 3; n++)
            off[n] = d[n] - along * axis[1][n];
        along = space_length(off);
        if (i->relation == PERP_VERIFY_PRISMATIC)
            return fmax(along, 2.0 * arm * turned(i, a, b));
        space_cross(off, axis[0], axis[1]);
        return fmax(along, arm * space_length(off));
    default:
        return space_length(d);
    }
}

static void check_joint(perp_verification *v, perp_verify_interaction *i)
{
    const double *a = body(i, 0, v->now), *b = body(i, 1, v->now);
    double d[3];

    if (v->row == 0 && (v->t != v->t0 || !assemble(i, v->now)))
        i->relation = PERP_VERIFY_OTHER_RELATION; /* where it was made is not known */
    if (i->relation == PERP_VERIFY_OTHER_RELATION) {
        perp_verify_leave_out(v, PERP_VERIFY_JOINTS,
                              "the place of '%s' at t0, or q of its bodies, is not in the series",
                              i->name);
        return;
    }
    double gap = gap_of(i, a, b, d);
    double length = fmax(space_length(i->arm[0]), space_length(i->arm[1]));
    length = i->relation == PERP_VERIFY_DISTANCE ? i->length
             : i->system[1] == NULL              ? space_length(i->arm[0])
                                                 : length;
    perp_verify_note(v, PERP_VERIFY_JOINTS, gap / (length > 0.0 ? length : 1.0), "%s", i->name);
    if (i->y_at < 0)
        return;
    double worst = 0.0, scale = fmax(space_length(a), length);
    int places = i->relation != PERP_VERIFY_PRISMATIC && i->relation != PERP_VERIFY_CYLINDRICAL &&
                 i->relation != PERP_VERIFY_DISTANCE && i->relation != PERP_VERIFY_PLANAR;
    for (int n = 0; n < 3 && places; n++)
        worst = fmax(worst, fabs(v->now[i->y_at + n] - d[n]));
    if (i->relation == PERP_VERIFY_DISTANCE)
        worst = fabs(fabs(v->now[i->y_at]) - gap);
    perp_verify_note(v, PERP_VERIFY_OUTPUTS, worst / fmax(scale, 1e-300), "%s", i->name);
}

/* Of the first body against the second, since the start; but for whole turns. */
static double angle_of(const perp_verify_interaction *i, const double *a, const double *b)
{
    double turn[4], back[4];

    space_conjugate(turn, b + 3);
    space_times(turn, turn, a + 3);
    space_conjugate(back, i->turn);
    space_times(turn, turn, back);
    return 2.0 * atan2(space_dot(turn + 1, i->own_axis[1]), turn[0]);
}

static double slide_of(const perp_verify_interaction *i, const double *a, const double *b)
{
    double from[3], to[3], axis[3], slide = 0.0;

    place(from, a, i->arm[0]);
    place(to, b, i->arm[1]);
    space_turn(axis, b + 3, i->own_axis[1]);
    for (int n = 0; n < 3; n++)
        slide += axis[n] * (from[n] - to[n]);
    return slide;
}

/* An angle is known but for whole turns, and to the square of what the axes are apart. */
static double off_angle(const perp_verify_interaction *i, const double *a, const double *b,
                        double y)
{
    double axis[2][3], off[3], angle = angle_of(i, a, b);

    space_turn(axis[0], a + 3, i->own_axis[0]);
    space_turn(axis[1], b + 3, i->own_axis[1]);
    space_cross(off, axis[0], axis[1]);
    double apart = fabs(2.0 * sin(0.5 * (y - i->side * (angle - i->origin))));
    return fmax(0.0, apart - 4.0 * space_dot(off, off)) / fmax(1.0, fabs(y));
}

static void check_coordinate(perp_verification *v, perp_verify_interaction *i)
{
    const double *a = body(i, 0, v->now), *b = body(i, 1, v->now);

    if (v->row == 0 && (v->t != v->t0 || !assemble(i, v->now)))
        i->relation = PERP_VERIFY_OTHER_RELATION;
    if (i->relation == PERP_VERIFY_OTHER_RELATION || i->y_at < 0) {
        perp_verify_leave_out(v, PERP_VERIFY_OUTPUTS, "y of '%s' is not recomputed", i->name);
        return;
    }
    double y = v->now[i->y_at];
    if (i->relation == PERP_VERIFY_ANGLE) {
        perp_verify_note(v, PERP_VERIFY_OUTPUTS, off_angle(i, a, b, y), "%s", i->name);
        return;
    }
    double scale = fmax(space_length(a), space_length(i->arm[0])), slide = slide_of(i, a, b);
    perp_verify_note(v, PERP_VERIFY_OUTPUTS,
                     fabs(y - i->side * (slide - i->origin)) / fmax(scale, 1e-300), "%s", i->name);
}

/* The coordinate of a term; 0: it is not known.  Angles go on from the row before, in which they
 * were less than half a turn away. */
static int coordinate_of(double *value, const perp_verification *v, perp_verify_term *term)
{
    if (term->joint < 0) {
        if (term->system->q_at < 0)
            return 0;
        *value = v->now[term->system->q_at + term->entry];
        return 1;
    }
    const perp_verify_interaction *joint = &v->interactions[term->joint];
    const double *a = body(joint, 0, v->now), *b = body(joint, 1, v->now);
    if (!is_joint(joint) || a == NULL || b == NULL)
        return 0;
    if (!term->is_angle) {
        *value = term->start + slide_of(joint, a, b);
        return 1;
    }
    static const double turn = 6.28318530717958647693;
    *value = term->start + angle_of(joint, a, b);
    if (v->row > 0)
        *value += turn * nearbyint((term->last - *value) / turn);
    term->last = *value;
    return 1;
}

/* Couplings and gears, from the states. */
static void check_coupling(perp_verification *v, perp_verify_interaction *i)
{
    double sum = -i->offset, size = fabs(sum);
    int known = i->sum_at >= 0 && (v->row == 0 || v->every_step);

    for (int k = 0; k < i->nterms && known; k++) {
        double value = 0.0;
        known = coordinate_of(&value, v, &i->terms[k]);
        sum += i->terms[k].factor * value;
        size = fmax(size, fabs(i->terms[k].factor) * fmax(1.0, fabs(value)));
    }
    if (!known) {
        i->nterms = 0;
        perp_verify_leave_out(v, PERP_VERIFY_OUTPUTS, "y of '%s' is not recomputed", i->name);
        return;
    }
    perp_verify_note(v, PERP_VERIFY_OUTPUTS, fabs(v->now[i->sum_at] - sum) / size, "%s", i->name);
}

/* What the functions of time take from row r. */
static double motion_of(const perp_verification *v, const perp_verify_interaction *i, int r)
{
    double sum = 0.0;

    for (size_t k = 0; k < json_array_size(i->motion); k++) {
        const json_t *f = json_array_get(i->motion, k);
        if (perp_verify_whole(f, "row", 0) == r)
            sum += perp_verify_function(f, v->t);
    }
    return sum;
}

/* What row r would be with all of a system's state as large as the largest; at: its columns. */
static double reach_of(const perp_verification *v, const perp_verify_interaction *i,
                       const perp_verify_system *s, int r, int at)
{
    double row = 0.0, state = 0.0;

    for (int j = 0; j < s->nq; j++) {
        row += fabs(i->C[r + (at + j) * i->rows]);
        state = fmax(state, fabs(v->now[s->q_at + j]));
    }
    return row * state;
}

/* y = C x + D lambda + e - motion(t), and u = C v where nothing else is in it. */
static void check_matrix(perp_verification *v, perp_verify_interaction *i)
{
    double lambda_scale = 0.0;

    if (i->y_at < 0 || (i->D != NULL && i->lambda_at < 0))
        return;
    for (int r = 0; r < i->rows; r++) {
        double y = i->offset_e[r], size = fabs(y), u = 0.0, speed = 0.0, reach = 0.0;
        double moved = i->moving ? motion_of(v, i, r) : 0.0;
        int at = 0, rates = i->u_at >= 0 && !i->moving;
        y -= moved, size += fabs(moved);
        for (int k = 0; k < i->nsystems; k++) {
            const perp_verify_system *s = i->systems[k];
            if (s->q_at < 0)
                return;
            rates &= s->v_at >= 0 && i->D == NULL;
            reach += reach_of(v, i, s, r, at);
            for (int j = 0; j < s->nq; j++, at++) {
                double term = i->C[r + at * i->rows] * v->now[s->q_at + j];
                y += term, size += fabs(term);
                if (s->v_at < 0)
                    continue;
                term = i->C[r + at * i->rows] * v->now[s->v_at + j];
                u += term, speed += fabs(term);
            }
        }
        for (int j = 0; j < i->rows && i->D != NULL; j++) {
            double term = i->D[r + j * i->rows] * v->now[i->lambda_at + j];
            y += term, lambda_scale = fmax(lambda_scale, fabs(term));
        }
        size = fmax(size + lambda_scale, 1e-300);
        i->size_y = fmax(i->size_y, size);
        i->reach_y = fmax(i->reach_y, size + reach);
        i->size_u = fmax(i->size_u, speed);
        perp_verify_note(v, PERP_VERIFY_OUTPUTS, fabs(v->now[i->y_at + r] - y) / size, "%s",
                         i->name);
        if (rates)
            perp_verify_note(v, PERP_VERIFY_OUTPUTS,
                             fabs(v->now[i->u_at + r] - u) / fmax(speed, 1e-12), "%s", i->name);
    }
}

static void check_ball(perp_verification *v, const perp_verify_interaction *i)
{
    const double *a = body(i, 0, v->now), *b = i->system[1] != NULL ? body(i, 1, v->now) : NULL;
    double centre[3], other[3], gap;

    if (i->y_at < 0 || a == NULL || (i->relation == PERP_VERIFY_SPHERE_SPHERE && b == NULL))
        return;
    place(centre, a, i->point[0]);
    if (i->relation == PERP_VERIFY_SPHERE_PLANE) {
        gap = space_dot(i->normal, centre) - i->offset - i->radius[0];
    } else {
        place(other, b, i->point[1]);
        for (int n = 0; n < 3; n++)
            other[n] = centre[n] - other[n];
        gap = space_length(other) - i->radius[0] - i->radius[1];
    }
    perp_verify_note(v, PERP_VERIFY_OUTPUTS,
                     fabs(v->now[i->y_at] - gap) / fmax(fabs(gap), space_length(centre) + 1e-3),
                     "%s", i->name);
}

void perp_verify_joints(perp_verification *v)
{
    for (int k = 0; k < v->ninteractions; k++) {
        perp_verify_interaction *i = &v->interactions[k];
        int first_order = i->nsystems > 0 && i->systems[0]->kind == PERP_VERIFY_FIRST_ORDER;
        if (i->nterms > 0)
            check_coupling(v, i);
        else if (is_joint(i) || (i->relation == PERP_VERIFY_OTHER_RELATION && i->rows > 2))
            check_joint(v, i);
        else if (i->relation == PERP_VERIFY_SLIDE || i->relation == PERP_VERIFY_ANGLE)
            check_coordinate(v, i);
        else if (i->relation == PERP_VERIFY_MATRIX && (!first_order || v->plain_first_order))
            check_matrix(v, i);
        else if (i->relation == PERP_VERIFY_SPHERE_PLANE ||
                 i->relation == PERP_VERIFY_SPHERE_SPHERE)
            check_ball(v, i);
        else
            perp_verify_leave_out(v, PERP_VERIFY_OUTPUTS, "y of '%s' is not recomputed", i->name);
    }
}
