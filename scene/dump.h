/* SPDX-License-Identifier: BSD-3-Clause */
/* One-step problems as files that perp solve reads: friction, with bilateral rows, as FCLib
 * (.hdf5) where there is HDF5; complementarity, mixed and boxed, as Siconos text (.dat). */
#ifndef PERP_SCENE_DUMP_H
#define PERP_SCENE_DUMP_H

#include <perp/io.h>

#include "scene/scene.h"

/* Makes a dump of a problem.  PERP_ERR_UNSUPPORTED, with a reason in error, where no class
 * of file holds its sets or its coupling of contacts and equalities. */
perp_status perp_run_make_dump(perp_dump **dump, const perp_problem *problem, perp_io_error *error);
/* Writes the problem of the last step to DIR/dumps/step-NUMBER.ENDING; its path into text. */
perp_status perp_run_dump_step(const char *dir, const perp_run_scene *scene, char *text,
                               size_t room, perp_io_error *error);

#endif
