/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/step_problem.h"

#include <stdio.h>
#include <string.h>

#include "scene/files.h"

#include "config.h"

#ifdef HAVE_HDF5
static const int has_hdf5 = 1;
#else
static const int has_hdf5 = 0;
#endif

perp_status perp_scene_write_problem(const char *dir, const perp_scene *scene, long number,
                                     char *text, size_t size, perp_io_error *error)
{
    perp_scene_path_text folder = perp_scene_join(dir, "problems");
    perp_problem problem;
    perp_problem_file *file = NULL;
    perp_status status = perp_sim_last_problem(scene->sim, &problem, NULL, NULL);

    memset(error, 0, sizeof *error);
    if (status != PERP_SOLVED || problem.M.rows == 0)
        return status != PERP_SOLVED ? status : PERP_ERR_STATE;
    snprintf(text, size, "%s", folder.text);
    if (perp_scene_make_folder(folder.text) != 0)
        return PERP_ERR_OPEN;
    status = perp_problem_file_from_problem(&file, &problem, &scene->memory, error);
    if (status != PERP_SOLVED)
        return status;
    snprintf(file->title, sizeof file->title, "step %ld of %s", number,
             scene->title != NULL ? scene->title : "a scene");
    snprintf(text, size, "%s/step-%07ld.%s", folder.text, number,
             file->cls == PERP_CLASS_FRICTION && has_hdf5 ? "hdf5" : "dat");
    status = perp_problem_file_write(file, text, PERP_FORMAT_AUTO, error);
    perp_problem_file_destroy(file);
    return status;
}
