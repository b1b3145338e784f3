/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of triangles, from memory; the first byte chooses the ending of the name.  What was read
 * has finite corners, triangles of corners that are there, and no more of either than the bytes pay
 * for. */
#include <math.h>

#include "scene/mesh_file.h"
#include "tests/fuzz/fuzz.h"

/* "v 0 0 0\n" is a corner; a triangle takes a line "f 1 1 1\n", and each number of a longer line
 * one. */
enum { CORNER = 8, TRIANGLE = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a.stl", "a.obj", "a.ply"};
    perp_scene_mesh mesh;
    char text[128] = "";
    if (size < 1)
        return 0;
    int bad = perp_scene_mesh_parse(&mesh, names[data[0] % 3], (const char *)data + 1, size - 1,
                                    text, sizeof text);
    FUZZ_PROMISE(bad == 0 || bad == -1);
    if (bad) {
        FUZZ_PROMISE(text[0] != '\0' && mesh.vertex == NULL && mesh.triangle == NULL);
        return 0;
    }
    FUZZ_PROMISE((mesh.triangles > 0 || mesh.vertices > 3) && mesh.dropped >= 0);
    FUZZ_PROMISE((size_t)mesh.vertices <= size / CORNER &&
                 (size_t)mesh.triangles <= size / TRIANGLE);
    for (int k = 0; k < 3 * mesh.vertices; k++)
        FUZZ_PROMISE(isfinite(mesh.vertex[k]));
    for (int k = 0; k < 3 * mesh.triangles; k++)
        FUZZ_PROMISE(mesh.triangle[k] >= 0 && mesh.triangle[k] < mesh.vertices);
    perp_scene_mesh_free(&mesh);
    return 0;
}
