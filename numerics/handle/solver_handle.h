/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of a handle. */
#ifndef PERP_SOLVER_HANDLE_H
#define PERP_SOLVER_HANDLE_H

#include "handle/solver_type.h"

struct perp_solver {
    const perp_solver_type *named; /* that the caller asked for */
    const perp_solver_type *type;  /* the method, chosen by the settings; of the last setup */
    perp_settings settings;
    perp_arena arena;
    perp_problem problem; /* the view; its arrays are the caller's */
    perp_work work;
    perp_info info;
    int entries;        /* stored in M */
    const char *unread; /* a setting that was changed and is not read, or NULL */
    int ready;
    int few;      /* rows that are tried at once before the method */
    int deferred; /* 1: the method has not been set up yet */
};

/* An error in info with a sentence about it; what: the place, or NULL where info has it. */
perp_status perp_solver_fail(perp_solver *solver, perp_status status, const char *what);

#endif
