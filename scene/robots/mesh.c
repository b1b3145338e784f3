/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/mesh.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include <perp/rotation.h>

#include "scene/mesh_file.h"
#include "scene/robots/collada.h"

/* Points of the file in the frame of the model: moved, turned, then scaled. */
static int take_points(perp_robot_job *job, perp_robot_mesh *mesh, const perp_scene_mesh *read)
{
    double *points = perp_robot_take(job, (size_t)read->vertices, 3 * sizeof *points);
    int *triangles = perp_robot_take(job, (size_t)read->triangles + 1, 3 * sizeof *triangles);

    if (points == NULL || triangles == NULL)
        return -1;
    for (int k = 0; k < read->vertices; k++) {
        double way[3];
        for (int i = 0; i < 3; i++)
            way[i] = read->vertex[3 * k + i] - mesh->pose.p[i];
        perp_quaternion_rotate_back(mesh->pose.q, way, points + 3 * k);
        for (int i = 0; i < 3; i++)
            points[3 * k + i] *= mesh->scale[i];
    }
    if (read->triangles > 0)
        memcpy(triangles, read->triangle, (size_t)read->triangles * 3 * sizeof *triangles);
    mesh->points = points;
    mesh->npoints = read->vertices;
    mesh->triangles = triangles;
    mesh->ntriangles = read->triangles;
    return 0;
}

static int is_collada(const char *file)
{
    size_t length = strlen(file);

    return length >= 4 && strcasecmp(file + length - 4, ".dae") == 0;
}

/* Its points stand in the scene then, not its file. */
static int load_collada(perp_robot_job *job, perp_robot_mesh *mesh, const char *bytes, size_t size)
{
    const char *why = NULL;
    int bad = perp_robot_read_collada(job, mesh, bytes, size, &why);

    if (bad <= 0) {
        mesh->file = NULL;
        return bad;
    }
    mesh->lost = 1;
    perp_robot_missing(job, mesh->at, "'%.120s': %.200s", mesh->wanted != NULL ? mesh->wanted : "",
                       why);
    return 1;
}

int perp_robot_mesh_load(perp_robot_job *job, perp_robot_mesh *mesh)
{
    perp_scene_mesh read;
    char why[300] = "";
    char *bytes;
    size_t size;
    int bad;

    if (mesh->points != NULL || mesh->loaded)
        return mesh->lost ? 1 : 0;
    mesh->loaded = 1;
    if (mesh->file == NULL) {
        mesh->lost = 1;
        perp_robot_missing(job, mesh->at,
                           mesh->outside
                               ? "'%.200s' is outside of the search path (--search adds a folder)"
                               : "'%.200s' is not found in the search path; where it is left "
                                 "out its mass goes to the other shapes of the body",
                           mesh->wanted != NULL ? mesh->wanted : "");
        return 1;
    }
    bytes = perp_robot_bytes(job, &size, mesh->file, PERP_ROBOT_MOST_MESH_BYTES, mesh->at);
    if (bytes == NULL)
        return -1;
    if (is_collada(mesh->file))
        return load_collada(job, mesh, bytes, size);
    memset(&read, 0, sizeof read);
    if (perp_scene_mesh_parse(&read, mesh->file, bytes, size, why, sizeof why) != 0) {
        mesh->lost = 1;
        perp_robot_missing(job, mesh->at, "'%.120s': %.200s",
                           mesh->wanted != NULL ? mesh->wanted : "", why);
        return 1;
    }
    bad = take_points(job, mesh, &read);
    perp_scene_mesh_free(&read);
    return bad;
}

/* Triangles of the hull in place of those of the file. */
static int take_hull(perp_robot_job *job, perp_robot_mesh *mesh)
{
    size_t most = mesh->npoints > 2 ? 2 * (size_t)mesh->npoints : 4;
    int *triangles = perp_robot_take(job, most, 3 * sizeof *triangles), count = 0;
    perp_status status;

    if (triangles == NULL)
        return -1;
    status = perp_hull_triangles(mesh->points, mesh->npoints, triangles, &count, NULL);
    if (status == PERP_ERR_MEMORY)
        return perp_robot_fail_status(job, status, mesh->at, "not enough memory");
    if (status != PERP_SOLVED) {
        perp_robot_missing(job, mesh->at,
                           status == PERP_ERR_UNSUPPORTED
                               ? "the hull of a mesh, in a build without Qhull"
                               : "a mesh whose points are in one plane");
        mesh->lost = 1;
        return 1;
    }
    mesh->triangles = triangles;
    mesh->ntriangles = count;
    return 0;
}

/* Six times the volume of the tetrahedron of a triangle and a place. */
static double solid(const perp_robot_mesh *mesh, int k, const double *from, double corner[3][3])
{
    double across[3];

    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++)
            corner[c][i] = mesh->points[3 * mesh->triangles[3 * k + c] + i] - from[i];
    perp_cross3(across, corner[1], corner[2]);
    return perp_dot3(corner[0], across);
}

static double area_of(const perp_robot_mesh *mesh, int k)
{
    const double *p[3];
    double a[3], b[3], across[3];

    for (int c = 0; c < 3; c++)
        p[c] = mesh->points + 3 * mesh->triangles[3 * k + c];
    for (int i = 0; i < 3; i++) {
        a[i] = p[1][i] - p[0][i];
        b[i] = p[2][i] - p[0][i];
    }
    perp_cross3(across, a, b);
    return 0.5 * sqrt(perp_dot3(across, across));
}

/* The middle of the surface. */
static void middle(double *out, const perp_robot_mesh *mesh)
{
    double whole = 0.0;

    out[0] = out[1] = out[2] = 0.0;
    for (int k = 0; k < mesh->ntriangles; k++) {
        double area = area_of(mesh, k);
        whole += area;
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 3; i++)
                out[i] += area * mesh->points[3 * mesh->triangles[3 * k + c] + i] / 3.0;
    }
    for (int i = 0; i < 3 && whole > 0.0; i++)
        out[i] /= whole;
}

/* The centre of the tetrahedra that the triangles make with a place. */
static void set_centre(perp_robot_mesh *mesh, const double *from, int sizes)
{
    double corner[3][3];

    mesh->volume = 0.0;
    memset(mesh->centre, 0, sizeof mesh->centre);
    for (int k = 0; k < mesh->ntriangles; k++) {
        double part = solid(mesh, k, from, corner) / 6.0;
        part = sizes ? fabs(part) : part;
        mesh->volume += part;
        for (int i = 0; i < 3; i++)
            mesh->centre[i] += part * (corner[0][i] + corner[1][i] + corner[2][i]) / 4.0;
    }
    for (int i = 0; i < 3; i++)
        mesh->centre[i] = from[i] + (mesh->volume != 0.0 ? mesh->centre[i] / mesh->volume : 0.0);
}

/* Volume, centre and inertia by tetrahedra; sizes: all count as positive, which holds where the
 * surface is seen from its centre, whichever way its triangles turn.  Where it is not, the volume
 * and the inertia are those of one sum, from the centre, as in MuJoCo.  Of a shell by triangles,
 * with its area in place of the volume. */
static void integrate(perp_robot_mesh *mesh, int sizes, int shell)
{
    double from[3], corner[3][3], products[9] = {0.0}, trace;

    middle(from, mesh);
    if (shell)
        memcpy(mesh->centre, from, sizeof mesh->centre);
    else
        set_centre(mesh, from, sizes);
    mesh->volume = 0.0;
    for (int k = 0; k < mesh->ntriangles; k++) {
        double part = solid(mesh, k, mesh->centre, corner) / 6.0;
        part = shell ? area_of(mesh, k) : sizes ? fabs(part) : part;
        mesh->volume += part;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double sum = 0.0;
                for (int a = 0; a < 3; a++)
                    for (int b = 0; b < 3; b++)
                        sum += (a == b ? 2.0 : 1.0) * corner[a][i] * corner[b][j];
                products[3 * i + j] += part / (shell ? 12.0 : 20.0) * sum;
            }
    }
    trace = products[0] + products[4] + products[8];
    for (int i = 0; i < 9; i++)
        mesh->second[i] = (i % 4 == 0 ? trace : 0.0) - products[i];
}

int perp_robot_mesh_weigh(perp_robot_job *job, perp_robot_mesh *mesh)
{
    const char *how = mesh->weight;
    int convex = how != NULL && strcmp(how, "convex") == 0, bad;

    if (mesh->weighed)
        return mesh->lost ? 1 : 0;
    mesh->weighed = 1;
    bad = perp_robot_mesh_load(job, mesh);
    if (bad != 0)
        return bad;
    if (mesh->ntriangles == 0 || convex) {
        bad = take_hull(job, mesh);
        if (bad != 0)
            return bad;
    }
    integrate(mesh, how == NULL || strcmp(how, "exact") != 0,
              how != NULL && strcmp(how, "shell") == 0);
    if (!(mesh->volume > 0.0) || !isfinite(mesh->volume))
        return perp_robot_fail(job, mesh->at, "it has no volume, or is inside out");
    return 0;
}
