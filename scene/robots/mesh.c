/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/mesh.h"

int perp_robot_mesh_weigh(perp_robot_job *job, perp_robot_mesh *mesh)
{
    if (mesh->loaded)
        return 0;
    mesh->loaded = 1;
    perp_robot_missing(job, mesh->at, "the mass of a mesh");
    return 0;
}
