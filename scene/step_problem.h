/* SPDX-License-Identifier: BSD-3-Clause */
/* One-step problems as files that perp solve reads: friction, with bilateral rows, as FCLib
 * (.hdf5) where there is HDF5; complementarity, mixed and boxed, as Siconos text (.dat). */
#ifndef PERP_SCENE_STEP_PROBLEM_H
#define PERP_SCENE_STEP_PROBLEM_H

#include <perp/io.h>

#include "scene/scene_inside.h"

/* Writes the last problem of step `number` to DIR/problems/step-NUMBER.ENDING; its path into text.
 * PERP_ERR_UNSUPPORTED, with a reason in error, where no class of file holds its sets or its
 * coupling of contacts and equalities. */
perp_status perp_scene_write_problem(const char *dir, const perp_scene *scene, long number,
                                     char *text, size_t size, perp_io_error *error);

#endif
