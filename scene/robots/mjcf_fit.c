/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes that are fitted to a mesh, as in MuJoCo: by the box with the inertia of the mesh, or
 * (fitaabb) by that around its points with the same axes. */
#include <math.h>
#include <string.h>

#include "scene/robots/mesh.h"
#include "scene/robots/mjcf.h"

/* Half sides, rising, of the box with the inertia of the mesh, and its frame in that of the mesh.
 */
static void inertia_box(double side[3], perp_pose *frame, const perp_robot_mesh *mesh)
{
    double value[3], axes[9], whole[3];
    int order[3] = {0, 1, 2};

    *frame = perp_pose_identity();
    memcpy(frame->p, mesh->centre, sizeof frame->p);
    perp_tensor_axes(value, axes, mesh->second);
    perp_tensor_box(whole, value, mesh->volume);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i + 1 < 3 - k; i++)
            if (whole[order[i]] > whole[order[i + 1]]) {
                int kept = order[i];
                order[i] = order[i + 1];
                order[i + 1] = kept;
            }
    (void)perp_turn_from_xy(frame->q, axes + 3 * order[0], axes + 3 * order[1]);
    for (int k = 0; k < 3; k++)
        side[k] = 0.5 * whole[order[k]];
}

/* Half sides of the box around the points along the axes of the frame, whose place becomes its
 * middle. */
static void bounding_box(double side[3], perp_pose *frame, const perp_robot_mesh *mesh)
{
    double low[3], high[3], middle[3];

    for (int k = 0; k < mesh->npoints; k++) {
        perp_pose at = perp_pose_identity();
        memcpy(at.p, mesh->points + 3 * k, sizeof at.p);
        at = perp_pose_within(frame, &at);
        for (int i = 0; i < 3; i++) {
            low[i] = k == 0 ? at.p[i] : fmin(low[i], at.p[i]);
            high[i] = k == 0 ? at.p[i] : fmax(high[i], at.p[i]);
        }
    }
    for (int i = 0; i < 3; i++) {
        side[i] = 0.5 * (high[i] - low[i]);
        middle[i] = 0.5 * (high[i] + low[i]);
    }
    perp_pose_apply(frame->p,
                    &(perp_pose){{frame->p[0], frame->p[1], frame->p[2]},
                                 {frame->q[0], frame->q[1], frame->q[2], frame->q[3]}},
                    middle);
}

int perp_mjcf_fit(const perp_mjcf_reader *r, perp_robot_geom *geom)
{
    const char *name = perp_mjcf_get(r->at, r->from, NULL, "mesh");
    int k = name != NULL ? perp_name_index_find(&r->m->mesh_index, name) : -1, bad;
    double side[3], scale = 1.0, *size = geom->size;
    int bounds = perp_mjcf_settings_of(r->m, r->at)->fit_bounds;
    perp_pose frame;

    if (k < 0)
        return perp_robot_fail(r->m->job, r->at, "there is no mesh '%.80s'",
                               name != NULL ? name : "");
    if (perp_mjcf_exactly(r, "fitscale", &scale, 1) < 0)
        return -1;
    if (!(scale > 0.0))
        return perp_robot_fail(r->m->job, r->at, "fitscale: not positive");
    bad = perp_robot_mesh_weigh(r->m->job, &r->m->meshes[k]);
    if (bad != 0)
        return bad;
    inertia_box(side, &frame, &r->m->meshes[k]);
    if (bounds)
        bounding_box(side, &frame, &r->m->meshes[k]);
    memcpy(size, side, sizeof side);
    if (geom->form == PERP_ROBOT_SPHERE)
        size[0] =
            bounds ? fmax(side[0], fmax(side[1], side[2])) : (side[0] + side[1] + side[2]) / 3.0;
    if (geom->form == PERP_ROBOT_CAPSULE || geom->form == PERP_ROBOT_CYLINDER) {
        size[0] = bounds ? fmax(side[0], side[1]) : 0.5 * (side[0] + side[1]);
        size[1] = geom->form == PERP_ROBOT_CYLINDER
                      ? side[2]
                      : fmax(0.0, side[2] - (bounds ? 1.0 : 0.5) * size[0]);
    }
    for (int i = 0; i < 3; i++)
        size[i] *= scale;
    geom->pose = perp_pose_product(&geom->pose, &frame);
    return 0;
}
