/* SPDX-License-Identifier: BSD-3-Clause */
/* Newton's method on the coordinates of joints, in the metric of the mass matrix: masses that are
 * pulled together without other forces move that way. */
#include "scene/robots/closing.h"
#include "scene/robots/cholesky.h"
#include "scene/robots/kinematics.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

enum { MOST_STEPS = 100, MOST_ROWS = 600, MOST_UNKNOWNS = 600 };

static const double OPEN = 1e-5; /* digits of a model that a program wrote are less */
static const double CLOSED = 1e-11;
static const double LARGEST = 0.3; /* change of a coordinate in one step */
static const double SOFT = 1e-10;  /* of rows that depend on each other */
static const double LOCKED = 1e9;  /* times its mass: a coordinate at its limit */

/* A rate: a translation along an axis or a turn about it, in the world. */
typedef struct rate {
    int joint, turns, locked;
    double axis[3], anchor[3];
} rate;

typedef struct closing {
    perp_robot *robot;
    perp_pose *stand, *pose; /* of bodies: where the model has them, and now */
    double *below;           /* masses of bodies and of what they carry */
    int *first;              /* rate of each joint */
    perp_pose *before;       /* of each joint: the frame before it moves */
    rate *rates;
    int unknowns, rows, capacity;
    double *M, *J, *Y, *A, *r, *step;
    double worst; /* largest entry of r, or one that is no number */
    const perp_robot_equality *tie;
    const perp_robot_sum *sum; /* which has it */
} closing;

static int rates_of(perp_robot_motion motion)
{
    return motion == PERP_ROBOT_FREE   ? 6
           : motion == PERP_ROBOT_BALL ? 3
           : motion == PERP_ROBOT_FLAT ? 0
                                       : 1;
}

/* Turns a frame about a place by q, which is given in its axes. */
static void turn(perp_pose *pose, const double *anchor, const double *q)
{
    double within[3], turned[4], arm[3];

    for (int i = 0; i < 3; i++)
        arm[i] = anchor[i] - pose->p[i];
    perp_quaternion_rotate_back(pose->q, arm, within);
    perp_quaternion_product(pose->q, q, turned);
    (void)perp_quaternion_normalise(turned);
    memcpy(pose->q, turned, sizeof turned);
    perp_quaternion_rotate(pose->q, within, arm);
    for (int i = 0; i < 3; i++)
        pose->p[i] = anchor[i] - arm[i];
}

static void move(closing *c, int j, perp_pose *pose)
{
    const perp_robot_joint *joint = &c->robot->joints[j];
    double anchor[3], axis[3], q[4], way = joint->start - joint->reference;
    int count = rates_of(joint->motion);

    c->before[j] = *pose;
    perp_pose_apply(anchor, pose, joint->anchor);
    perp_quaternion_rotate(pose->q, joint->axis, axis);
    if (joint->motion == PERP_ROBOT_FREE && joint->has_pose) {
        memcpy(pose->p, joint->pose, sizeof pose->p);
        memcpy(pose->q, joint->pose + 3, sizeof pose->q);
    } else if (joint->motion == PERP_ROBOT_BALL && joint->has_pose) {
        turn(pose, anchor, joint->pose + 3);
    } else if (joint->motion == PERP_ROBOT_HINGE) {
        perp_turn_about(q, joint->axis, way);
        turn(pose, anchor, q);
    }
    for (int i = 0; i < 3 && joint->motion == PERP_ROBOT_SLIDE; i++)
        pose->p[i] += way * axis[i];
    for (int k = 0; k < count && c->first[j] >= 0; k++) {
        rate *one = &c->rates[c->first[j] + k];
        const double unit[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
        one->turns = joint->motion == PERP_ROBOT_FREE ? k >= 3 : joint->motion != PERP_ROBOT_SLIDE;
        memcpy(one->axis, count == 1 ? axis : unit, sizeof one->axis);
        memcpy(one->anchor, joint->motion == PERP_ROBOT_FREE ? pose->p : anchor,
               sizeof one->anchor);
    }
}

static void place(closing *c)
{
    for (int b = 0; b < c->robot->nbodies; b++) {
        const perp_robot_body *body = &c->robot->bodies[b];
        perp_pose pose = body->pose;
        if (body->parent >= 0)
            pose = perp_pose_product(&c->pose[body->parent], &body->pose);
        for (int j = body->first_joint; j < body->first_joint + body->joints; j++)
            if (c->below[b] > 0.0) /* else it is held */
                move(c, j, &pose);
        c->pose[b] = pose;
    }
}

/* The velocity that a rate gives to a place that it moves; its angular velocity. */
static void twist_of(const rate *one, const double *at, double *v, double *w)
{
    double arm[3];

    for (int i = 0; i < 3; i++) {
        arm[i] = at[i] - one->anchor[i];
        w[i] = one->turns ? one->axis[i] : 0.0;
        v[i] = one->axis[i];
    }
    if (one->turns)
        perp_cross3(v, one->axis, arm);
}

/* Numbers of the rates that move a body. */
static int chain_of(const closing *c, int body, int *list)
{
    int n = 0;

    for (; body >= 0; body = c->robot->bodies[body].parent) {
        const perp_robot_body *b = &c->robot->bodies[body];
        for (int j = b->first_joint; j < b->first_joint + b->joints; j++)
            for (int k = 0; k < rates_of(c->robot->joints[j].motion) && c->first[j] >= 0; k++)
                list[n++] = c->first[j] + k;
    }
    return n;
}

static void add_body(closing *c, int b, int *list, double *work)
{
    const perp_robot_body *body = &c->robot->bodies[b];
    int n = chain_of(c, b, list), all = c->unknowns;
    double centre[3], tensor[9];

    perp_pose_apply(centre, &c->pose[b], body->centre);
    perp_turn_tensor(tensor, c->pose[b].q, body->inertia);
    for (int i = 0; i < n; i++)
        twist_of(&c->rates[list[i]], centre, work + 6 * i, work + 6 * i + 3);
    for (int i = 0; i < n; i++) {
        double turned[3];
        for (int m = 0; m < 3; m++)
            turned[m] = perp_dot3(tensor + 3 * m, work + 6 * i + 3);
        for (int k = 0; k < n; k++)
            c->M[list[i] * all + list[k]] += body->mass * perp_dot3(work + 6 * i, work + 6 * k) +
                                             perp_dot3(turned, work + 6 * k + 3);
    }
}

static void weigh(closing *c, int *list, double *work)
{
    size_t n = (size_t)c->unknowns;
    double most = 0.0;

    memset(c->M, 0, n * n * sizeof *c->M);
    for (int b = 0; b < c->robot->nbodies; b++)
        if (c->robot->bodies[b].mass > 0.0)
            add_body(c, b, list, work);
    for (size_t k = 0; k < n; k++) {
        c->M[k * (n + 1)] += c->robot->joints[c->rates[k].joint].armature;
        most = fmax(most, c->M[k * (n + 1)]);
    }
    for (size_t k = 0; k < n; k++) {
        c->M[k * (n + 1)] += 1e-12 * most;
        if (c->rates[k].locked)
            c->M[k * (n + 1)] *= LOCKED;
    }
}

/* What is no number stays the worst. */
static int is_worst(closing *c, double value)
{
    if (isnan(c->worst) || fabs(value) <= c->worst)
        return 0;
    c->worst = fabs(value);
    return 1;
}

static double *add_row(closing *c, double value)
{
    if (c->rows >= c->capacity)
        return NULL;
    c->r[c->rows] = value;
    return c->J + (size_t)c->unknowns * (size_t)c->rows++;
}

/* Rows of the place of a body along the axes of a frame; turns: of its angular velocity. */
static void add_rates(closing *c, double *rows, int body, const double *at, const double *frame,
                      int turns, double sign, int *list)
{
    int n = chain_of(c, body, list);

    for (int k = 0; k < n; k++) {
        double v[3], w[3], out[3];
        twist_of(&c->rates[list[k]], at, v, w);
        perp_quaternion_rotate_back(frame, turns ? w : v, out);
        for (int i = 0; i < 3; i++)
            rows[(size_t)i * (size_t)c->unknowns + (size_t)list[k]] += sign * out[i];
    }
}

/* The two frames that a tie holds together, where the bodies are now. */
static void ends_of(const closing *c, const perp_robot_equality *tie, perp_pose *end)
{
    perp_pose in[2] = {perp_pose_identity(), perp_pose_identity()}, base[2], now[2];

    for (int k = 0; k < 2; k++) {
        base[k] = tie->body[k] >= 0 ? c->stand[tie->body[k]] : perp_pose_identity();
        now[k] = tie->body[k] >= 0 ? c->pose[tie->body[k]] : perp_pose_identity();
    }
    if (tie->by_sites) {
        memcpy(in, tie->site, sizeof in);
    } else if (tie->tie == PERP_ROBOT_CONNECT) {
        perp_pose at = perp_pose_identity();
        memcpy(in[0].p, tie->anchor, sizeof in[0].p);
        at = perp_pose_product(&base[0], &in[0]);
        in[1] = perp_pose_within(&base[1], &at);
    } else {
        in[0] = tie->has_pose ? tie->pose : perp_pose_within(&base[0], &base[1]);
    }
    for (int k = 0; k < 2; k++)
        end[k] = perp_pose_product(&now[k], &in[k]);
}

static void add_tie(closing *c, const perp_robot_equality *tie, int *list)
{
    perp_pose end[2], way;
    double value[6];
    int parts = tie->tie == PERP_ROBOT_WELD ? 2 : 1;
    size_t n = (size_t)c->unknowns;

    if ((tie->body[0] >= 0 ? c->below[tie->body[0]] : 0.0) +
            (tie->body[1] >= 0 ? c->below[tie->body[1]] : 0.0) ==
        0.0)
        return;
    ends_of(c, tie, end);
    way = perp_pose_within(&end[0], &end[1]);
    memcpy(value, way.p, sizeof way.p);
    perp_quaternion_log(way.q, value + 3);
    for (int p = 0; p < parts; p++) {
        double *rows = NULL;
        for (int i = 0; i < 3; i++) {
            double *row = add_row(c, value[3 * p + i]);
            if (row == NULL)
                return;
            memset(row, 0, n * sizeof *row);
            rows = i == 0 ? row : rows;
            if (is_worst(c, value[3 * p + i])) {
                c->tie = tie;
                c->sum = NULL;
            }
        }
        for (int k = 0; k < 2; k++) /* both at one place: the turn of the first frame drops out */
            add_rates(c, rows, tie->body[k], end[1].p, end[0].q, p, k == 0 ? -1.0 : 1.0, list);
    }
}

/* value + sum of factors times rates of joints = 0. */
static int add_joints(closing *c, double value, const int *joint, const double *factor, int count)
{
    double *row;

    for (int k = 0; k < count; k++)
        if (c->first[joint[k]] < 0 || rates_of(c->robot->joints[joint[k]].motion) != 1)
            return 0;
    row = add_row(c, value);
    if (row == NULL)
        return 0;
    memset(row, 0, (size_t)c->unknowns * sizeof *row);
    for (int k = 0; k < count; k++)
        row[c->first[joint[k]]] += factor[k];
    return is_worst(c, value);
}

static void add_couple(closing *c, const perp_robot_equality *tie)
{
    const perp_robot_joint *joints = c->robot->joints;
    double x = tie->joint[1] >= 0 ? joints[tie->joint[1]].start : 0.0;
    double wanted = tie->offset + tie->ratio * x, factor[2] = {1.0, -tie->ratio};

    if (tie->curved) {
        wanted = factor[1] = 0.0;
        for (int k = 4; k >= 0; k--)
            wanted = wanted * x + tie->poly[k];
        for (int k = 4; k > 0; k--)
            factor[1] = factor[1] * x - k * tie->poly[k];
    }
    if (add_joints(c, joints[tie->joint[0]].start - wanted, tie->joint, factor,
                   tie->joint[1] >= 0 ? 2 : 1)) {
        c->tie = tie;
        c->sum = NULL;
    }
}

static void add_sum(closing *c, const perp_robot_sum *sum)
{
    double value = -sum->low;

    for (int k = 0; k < sum->terms; k++)
        value += sum->factor[k] * c->robot->joints[sum->joint[k]].start;
    if (add_joints(c, value, sum->joint, sum->factor, sum->terms)) {
        c->tie = NULL;
        c->sum = sum;
    }
}

static void add_rows(closing *c, int *list)
{
    c->rows = 0;
    c->worst = 0.0;
    place(c);
    for (int k = 0; k < c->robot->nequalities; k++) {
        const perp_robot_equality *tie = &c->robot->equalities[k];
        if (tie->tie == PERP_ROBOT_COUPLE)
            add_couple(c, tie);
        else
            add_tie(c, tie, list);
    }
    for (int k = 0; k < c->robot->nsums; k++)
        if (c->robot->sums[k].equal && c->robot->sums[k].path == NULL)
            add_sum(c, &c->robot->sums[k]);
}

/* step = - M^-1 J^T (J M^-1 J^T)^-1 r, no entry of it large; -1: no such step. */
static int find_step(closing *c, int *list, double *work)
{
    size_t n = (size_t)c->unknowns, m = (size_t)c->rows;
    double trace = 0.0, most = 0.0;

    weigh(c, list, work);
    if (!perp_robot_cholesky(c->M, n))
        return -1;
    memcpy(c->Y, c->J, n * m * sizeof *c->Y);
    for (size_t k = 0; k < m; k++)
        perp_robot_solve_lower(c->M, n, c->Y + n * k);
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < m; k++) {
            double sum = 0.0;
            for (size_t l = 0; l < n; l++)
                sum += c->Y[n * i + l] * c->Y[n * k + l];
            c->A[m * i + k] = sum;
            trace += i == k ? sum : 0.0;
        }
    for (size_t i = 0; i < m; i++)
        c->A[m * i + i] += SOFT * trace + DBL_MIN;
    if (!perp_robot_cholesky(c->A, m))
        return -1;
    perp_robot_solve_lower(c->A, m, c->r);
    perp_robot_solve_upper(c->A, m, c->r);
    memset(c->step, 0, n * sizeof *c->step);
    for (size_t i = 0; i < m; i++)
        for (size_t l = 0; l < n; l++)
            c->step[l] -= c->Y[n * i + l] * c->r[i];
    perp_robot_solve_upper(c->M, n, c->step);
    for (size_t l = 0; l < n; l++)
        most = fmax(most, fabs(c->step[l]));
    for (size_t l = 0; l < n && most > LARGEST; l++)
        c->step[l] *= LARGEST / most;
    return isfinite(most) ? 0 : -1;
}

/* A ball joint turns in the frame before it, a free one in the world. */
static void turn_joint(const closing *c, int j, const double *w)
{
    static const double whole[4] = {1.0, 0.0, 0.0, 0.0};
    perp_robot_joint *joint = &c->robot->joints[j];
    int ball = joint->motion == PERP_ROBOT_BALL;
    double angle = sqrt(perp_dot3(w, w)), axis[3] = {1.0, 0.0, 0.0}, q[4], turned[4];

    if (!joint->has_pose) {
        memcpy(joint->pose, c->before[j].p, 3 * sizeof *joint->pose);
        memcpy(joint->pose + 3, ball ? whole : c->before[j].q, sizeof whole);
        joint->has_pose = 1;
    }
    for (int i = 0; i < 3 && angle > 0.0; i++)
        axis[i] = w[i] / angle;
    if (ball) {
        const double in_world[3] = {axis[0], axis[1], axis[2]};
        perp_quaternion_rotate_back(c->before[j].q, in_world, axis);
    }
    perp_turn_about(q, axis, angle);
    perp_quaternion_product(q, joint->pose + 3, turned);
    (void)perp_quaternion_normalise(turned);
    memcpy(joint->pose + 3, turned, sizeof turned);
}

static void take_step(closing *c)
{
    for (int j = 0; j < c->robot->njoints; j++) {
        perp_robot_joint *joint = &c->robot->joints[j];
        const double *step = c->step + (c->first[j] >= 0 ? c->first[j] : 0);
        int free = joint->motion == PERP_ROBOT_FREE;
        if (c->first[j] < 0)
            continue;
        if (free || joint->motion == PERP_ROBOT_BALL) {
            turn_joint(c, j, step + (free ? 3 : 0));
            for (int i = 0; i < 3 && free; i++)
                joint->pose[i] += step[i];
            continue;
        }
        double moved = joint->start + step[0];
        double within = joint->limited ? fmin(fmax(moved, joint->low), joint->high) : moved;
        if (within != moved)
            c->rates[c->first[j]].locked = 1;
        joint->start = within;
    }
}

/* What a keyframe has moved is tied from where the model has it. */
static void swap_moved(perp_robot *robot)
{
    for (int b = 0; b < robot->nbodies; b++) {
        perp_robot_body *body = &robot->bodies[b];
        perp_pose now = body->pose;
        if (!body->moved)
            continue;
        body->pose = body->modelled;
        body->modelled = now;
    }
}

static int prepare(closing *c)
{
    perp_robot *robot = c->robot;
    size_t nb = (size_t)robot->nbodies + 1, nj = (size_t)robot->njoints + 1;

    c->stand = perp_robot_take(robot->job, nb, sizeof *c->stand);
    c->pose = perp_robot_take(robot->job, nb, sizeof *c->pose);
    c->below = perp_robot_take(robot->job, nb, sizeof *c->below);
    c->first = perp_robot_take(robot->job, nj, sizeof *c->first);
    c->before = perp_robot_take(robot->job, nj, sizeof *c->before);
    c->rates = perp_robot_take(robot->job, 6 * nj, sizeof *c->rates);
    if (c->stand == NULL || c->pose == NULL || c->below == NULL || c->first == NULL ||
        c->before == NULL || c->rates == NULL)
        return -1;
    for (int b = robot->nbodies - 1; b >= 0; b--) {
        c->below[b] += robot->bodies[b].mass;
        if (robot->bodies[b].parent >= 0)
            c->below[robot->bodies[b].parent] += c->below[b];
    }
    swap_moved(robot);
    perp_robot_stand(c->stand, robot, NULL);
    swap_moved(robot);
    for (int j = 0; j < robot->njoints; j++) {
        int count = c->below[robot->joints[j].body] > 0.0 ? rates_of(robot->joints[j].motion) : 0;
        c->first[j] = count > 0 ? c->unknowns : -1;
        for (int k = 0; k < count; k++)
            c->rates[c->unknowns++].joint = j;
    }
    return 0;
}

static int take_matrices(closing *c)
{
    perp_robot_job *job = c->robot->job;
    size_t n = (size_t)c->unknowns, m = (size_t)c->capacity;

    c->M = perp_robot_take(job, n * n, sizeof *c->M);
    c->J = perp_robot_take(job, n * m, sizeof *c->J);
    c->Y = perp_robot_take(job, n * m, sizeof *c->Y);
    c->A = perp_robot_take(job, m * m, sizeof *c->A);
    c->r = perp_robot_take(job, m, sizeof *c->r);
    c->step = perp_robot_take(job, n, sizeof *c->step);
    return c->M == NULL || c->J == NULL || c->Y == NULL || c->A == NULL || c->r == NULL ||
                   c->step == NULL
               ? -1
               : 0;
}

/* Rows of all ties; 0: there are none. */
static int count_rows(const perp_robot *robot)
{
    int count = 0;

    for (int k = 0; k < robot->nequalities; k++)
        count += robot->equalities[k].tie == PERP_ROBOT_COUPLE ? 1 : 6;
    for (int k = 0; k < robot->nsums; k++)
        count += robot->sums[k].equal && robot->sums[k].path == NULL;
    return count;
}

static void say(const closing *c, const perp_xml *at, double open, int closed)
{
    perp_robot_note(c->robot->job, at,
                    closed ? "open by %.3g where the model starts: joints begin where it is closed"
                           : "open by %.3g where the model starts, and no joints close it: what is "
                             "joined by a place begins where it is",
                    open);
}

int perp_robot_close_ties(perp_robot *robot)
{
    closing c = {.robot = robot, .capacity = count_rows(robot)};
    size_t all = (size_t)robot->njoints;
    perp_robot_joint *kept;
    double *work, open;
    const perp_xml *at;
    int *list, done = 0;

    if (c.capacity == 0)
        return 0;
    if (prepare(&c) != 0)
        return -1;
    if (c.unknowns == 0 || c.unknowns > MOST_UNKNOWNS || c.capacity > MOST_ROWS)
        return 0;
    kept = perp_robot_take(robot->job, all, sizeof *kept);
    list = perp_robot_take(robot->job, (size_t)c.unknowns, sizeof *list);
    work = perp_robot_take(robot->job, 6 * (size_t)c.unknowns, sizeof *work);
    if (kept == NULL || list == NULL || work == NULL || take_matrices(&c) != 0)
        return -1;
    memcpy(kept, robot->joints, all * sizeof *kept);
    add_rows(&c, list);
    open = c.worst;
    if (!(open > OPEN) || (c.tie == NULL && c.sum == NULL))
        return 0;
    at = c.tie != NULL ? c.tie->at : c.sum->at;
    for (int step = 0; step < MOST_STEPS && c.worst > CLOSED; step++) {
        if (find_step(&c, list, work) != 0)
            break;
        take_step(&c);
        add_rows(&c, list);
    }
    done = c.worst <= 100.0 * CLOSED;
    if (!done)
        memcpy(robot->joints, kept, all * sizeof *kept);
    say(&c, at, open, done);
    return 0;
}
