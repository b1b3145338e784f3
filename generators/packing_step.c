/* SPDX-License-Identifier: BSD-3-Clause */
/* From a scene to M, H, G and the vectors of one step. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "generators/friction_problems.h"

enum { DOFS_MAX = 6 };

/* A compressed-column matrix under construction; without arrays it only counts. */
typedef struct columns {
    int *colptr, *row;
    double *x;
    int col;
    size_t nnz;
} columns;

static void put(columns *m, int row, double value)
{
    if (m->row != NULL) {
        m->row[m->nnz] = row;
        m->x[m->nnz] = value;
    }
    m->nnz++;
}

static void next_column(columns *m)
{
    m->col++;
    if (m->colptr != NULL)
        m->colptr[m->col] = (int)m->nnz;
}

/* Velocity of the point at `arm` along `axis`, as a row over the body's unknowns. */
static void point_row(double row[DOFS_MAX], int dim, const double axis[3], const double arm[3])
{
    for (int k = 0; k < dim; k++)
        row[k] = axis[k];
    if (dim == 2) {
        row[2] = arm[0] * axis[1] - arm[1] * axis[0];
    } else {
        row[3] = arm[1] * axis[2] - arm[2] * axis[1];
        row[4] = arm[2] * axis[0] - arm[0] * axis[2];
        row[5] = arm[0] * axis[1] - arm[1] * axis[0];
    }
}

static void put_body(columns *m, int dim, int body, const double axis[3], const double arm[3],
                     double sign)
{
    int dofs = dim == 3 ? 6 : 3;
    double row[DOFS_MAX];

    point_row(row, dim, axis, arm);
    for (int k = 0; k < dofs; k++)
        if (row[k] != 0.0)
            put(m, dofs * body + k, sign * row[k]);
}

/* One column: velocity of a less that of b along the axis; rows ascend. */
static void put_pair(columns *m, int dim, int a, int b, const double axis[3], const double arm_a[3],
                     const double arm_b[3])
{
    if (b >= 0 && b < a)
        put_body(m, dim, b, axis, arm_b, -1.0);
    put_body(m, dim, a, axis, arm_a, 1.0);
    if (b > a)
        put_body(m, dim, b, axis, arm_b, -1.0);
    next_column(m);
}

int perp_packing_rows(const perp_packing *scene)
{
    if (scene->mu_s >= 0.0)
        return scene->mu_r >= 0.0 ? 6 : 4;
    return scene->mu_r < 0.0 ? scene->spacedim : scene->spacedim == 3 ? 5 : 3;
}

static void put_spin(columns *m, int dim, int body, const double axis[3], double sign)
{
    for (int k = 0; k < (dim == 3 ? 3 : 1); k++)
        if (axis[k] != 0.0)
            put(m, (dim == 3 ? 6 : 3) * body + dim + k, sign * axis[k]);
}

/* One column: angular velocity of a less that of b about the axis; in 2D axis[0] is 1. */
static void put_spins(columns *m, int dim, int a, int b, const double axis[3])
{
    if (b >= 0 && b < a)
        put_spin(m, dim, b, axis, -1.0);
    put_spin(m, dim, a, axis, 1.0);
    if (b > a)
        put_spin(m, dim, b, axis, -1.0);
    next_column(m);
}

static void put_touches(columns *m, const perp_packing *scene)
{
    static const double one[3] = {1.0, 0.0, 0.0};
    int dim = scene->spacedim, turns = perp_packing_rows(scene) - dim;

    for (int k = 0; k < scene->touches; k++) {
        const perp_touch *t = &scene->touch[k];

        for (int j = 0; j < dim; j++)
            put_pair(m, dim, t->a, t->b, t->frame[j], t->arm_a, t->arm_b);
        for (int j = 0; j < turns; j++)
            put_spins(m, dim, t->a, t->b, dim < 3 ? one : t->frame[scene->mu_s >= 0.0 ? j : j + 1]);
    }
}

static void put_joints(columns *m, const perp_packing *scene)
{
    int dim = scene->spacedim;

    for (int k = 0; k < scene->joints; k++) {
        const perp_joint *joint = &scene->joint[k];

        for (int j = 0; j < dim; j++) {
            double axis[3] = {0.0, 0.0, 0.0};

            axis[j] = 1.0;
            put_pair(m, dim, joint->a, joint->b, axis, joint->arm_a, joint->arm_b);
        }
    }
}

/* The inertia tensor as rows of indices into perp_body.inertia. */
static const int tensor[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

static void put_masses(columns *m, const perp_packing *scene)
{
    int dim = scene->spacedim, dofs = dim == 3 ? 6 : 3;

    for (int k = 0; k < scene->bodies; k++) {
        const perp_body *body = &scene->body[k];

        for (int j = 0; j < dim; j++) {
            put(m, dofs * k + j, body->mass);
            next_column(m);
        }
        for (int j = 0; j < dofs - dim; j++) {
            for (int i = 0; i < dofs - dim; i++)
                if (i == j || body->inertia[tensor[i][j]] != 0.0)
                    put(m, dofs * k + dim + i, body->inertia[tensor[i][j]]);
            next_column(m);
        }
    }
}

/* f = M v_k + h F */
static void put_forces(double *f, const perp_packing *scene)
{
    int dim = scene->spacedim, dofs = dim == 3 ? 6 : 3, spins = dofs - dim;

    for (int k = 0; k < scene->bodies; k++, f += dofs) {
        const perp_body *body = &scene->body[k];

        for (int j = 0; j < dim; j++)
            f[j] = body->mass * body->velocity[j];
        f[dim - 1] -= PERP_GENERATE_STEP * PERP_GENERATE_GRAVITY * body->mass;
        for (int j = 0; j < spins; j++) {
            f[dim + j] = 0.0;
            for (int i = 0; i < spins; i++)
                f[dim + j] += body->inertia[tensor[j][i]] * body->spin[i];
        }
    }
}

static double point_velocity(const perp_packing *scene, int body, const double axis[3],
                             const double arm[3])
{
    int dim = scene->spacedim, dofs = dim == 3 ? 6 : 3;
    double row[DOFS_MAX], sum = 0.0;

    if (body < 0)
        return 0.0;
    point_row(row, dim, axis, arm);
    for (int k = 0; k < dim; k++)
        sum += row[k] * scene->body[body].velocity[k];
    for (int k = dim; k < dofs; k++)
        sum += row[k] * scene->body[body].spin[k - dim];
    return sum;
}

/* w_N = e u_N(v_k), 0 in the other rows */
static void put_restitution(double *w, const perp_packing *scene, double e)
{
    int rows = perp_packing_rows(scene);

    for (int k = 0; k < scene->touches; k++, w += rows) {
        const perp_touch *t = &scene->touch[k];

        for (int j = 0; j < rows; j++)
            w[j] = 0.0;
        if (e > 0.0) {
            w[0] = e * (point_velocity(scene, t->a, t->frame[0], t->arm_a) -
                        point_velocity(scene, t->b, t->frame[0], t->arm_b));
        }
    }
}

typedef void (*put_all)(columns *m, const perp_packing *scene);

/* Counts, takes the arrays from the problem file, fills them. */
static perp_status make_matrix(perp_mat *A, perp_problem_file *file, const perp_packing *scene,
                               int rows, int cols, put_all put_columns)
{
    columns m = {NULL, NULL, NULL, 0, 0};
    size_t nnz;

    put_columns(&m, scene);
    nnz = m.nnz;
    if (nnz > INT_MAX)
        return PERP_ERR_OVERFLOW;
    m.colptr = perp_problem_file_take(file, (size_t)cols + 1, sizeof *m.colptr);
    m.row = perp_problem_file_take(file, nnz, sizeof *m.row);
    m.x = perp_problem_file_take(file, nnz, sizeof *m.x);
    if (m.colptr == NULL || m.row == NULL || m.x == NULL)
        return PERP_ERR_MEMORY;
    m.nnz = 0;
    m.col = 0;
    m.colptr[0] = 0;
    put_columns(&m, scene);
    return perp_mat_init_csc(A, rows, cols, m.colptr, m.row, m.x);
}

static perp_status fill(perp_problem_file *file, const perp_packing *scene, double mu,
                        double restitution)
{
    int rows = perp_packing_rows(scene);
    double moment = scene->mu_r >= 0.0 ? scene->mu_r : scene->mu_s;
    perp_status status;

    status = make_matrix(&file->M, file, scene, file->dofs, file->dofs, put_masses);
    if (status == PERP_SOLVED)
        status = make_matrix(&file->H, file, scene, file->dofs, rows * file->contacts, put_touches);
    if (status == PERP_SOLVED && file->has_G)
        status = make_matrix(&file->G, file, scene, file->dofs, file->bilateral, put_joints);
    if (status != PERP_SOLVED)
        return status;

    file->q = perp_problem_file_take(file, (size_t)file->dofs, sizeof(double));
    file->w = perp_problem_file_take(file, (size_t)rows * (size_t)file->contacts, sizeof(double));
    file->mu = perp_problem_file_take(file, (size_t)file->contacts, sizeof(double));
    if (moment >= 0.0)
        file->mu_r = perp_problem_file_take(file, (size_t)file->contacts, sizeof(double));
    if (rows == 6)
        file->mu_s = perp_problem_file_take(file, (size_t)file->contacts, sizeof(double));
    if (file->has_G)
        file->b = perp_problem_file_take(file, (size_t)file->bilateral, sizeof(double));
    if (file->q == NULL || file->w == NULL || file->mu == NULL ||
        (moment >= 0.0 && file->mu_r == NULL) || (rows == 6 && file->mu_s == NULL) ||
        (file->has_G && file->b == NULL))
        return PERP_ERR_MEMORY;
    put_forces(file->q, scene);
    put_restitution(file->w, scene, restitution);
    for (int k = 0; k < file->contacts; k++)
        file->mu[k] = mu;
    for (int k = 0; file->mu_r != NULL && k < file->contacts; k++)
        file->mu_r[k] = moment;
    for (int k = 0; file->mu_s != NULL && k < file->contacts; k++)
        file->mu_s[k] = scene->mu_s;
    for (int k = 0; k < file->bilateral; k++)
        file->b[k] = 0.0;
    return PERP_SOLVED;
}

perp_status perp_packing_to_file(perp_problem_file **file, const perp_packing *scene, double mu,
                                 double restitution, const char *title)
{
    int dim = scene->spacedim, dofs = dim == 3 ? 6 : 3, rows = perp_packing_rows(scene);
    perp_problem_file *made;
    perp_status status;

    *file = NULL;
    if (scene->status != PERP_SOLVED)
        return scene->status;
    if (scene->bodies > INT_MAX / dofs || scene->touches > INT_MAX / rows ||
        scene->joints > INT_MAX / dim)
        return PERP_ERR_OVERFLOW;
    status = perp_problem_file_create(&made, &scene->allocator);
    if (status != PERP_SOLVED)
        return status;
    made->cls = PERP_CLASS_GLOBAL;
    made->spacedim = rows;
    made->contacts = scene->touches;
    made->dofs = dofs * scene->bodies;
    made->bilateral = dim * scene->joints;
    made->has_G = scene->joints > 0;
    snprintf(made->title, sizeof made->title, "%s", title);
    status = fill(made, scene, mu, restitution);
    if (status != PERP_SOLVED)
        perp_problem_file_destroy(made);
    else
        *file = made;
    return status;
}
