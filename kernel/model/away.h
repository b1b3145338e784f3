/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies that are ABSENT and take part in nothing here: their definition and state without vectors
 * and matrices.  Slots, identifiers and all that a checkpoint says of them stay. */
#ifndef PERP_KERNEL_AWAY_H
#define PERP_KERNEL_AWAY_H

#include <perp/model.h>

#include "kernel/systems/dynamic_system.h"

typedef struct perp_away {
    perp_body_def def; /* its pose and twist: the state; its force: as it is now */
    double unbalanced, scale, turning, size; /* as in perp_system and its ledger */
    int scheme, started, quiet, stressed, resting;
} perp_away;

/* The body behind an identifier where it is held like this, else NULL. */
perp_away *perp_model_away(const perp_model *model, perp_system_id id);
/* Whether a system is ABSENT, in either form. */
int perp_model_is_absent(const perp_model *model, perp_system_id id);

/* Takes the memory of an ABSENT body back where nothing needs it: neither interactions nor matrices
 * nor parameters of its own.  *s is gone then. */
void perp_model_put_away(perp_model *model, perp_system *s);
/* Makes the system of a slot whole again, ABSENT still; PERP_ERR_MEMORY. */
perp_status perp_model_bring_back(perp_model *model, int slot);

/* As perp_model_state(). */
void perp_away_state(perp_away *away, double **x, double **v, int *nx, int *nv);
/* Of no simulation. */
void perp_away_restart(perp_away *away);
double perp_away_kinetic_energy(perp_away *away);
void perp_away_set_force(perp_away *away, const double *F);

/* The system as a checkpoint sees it, with vectors in memory; and what was read, back from it. */
enum { PERP_AWAY_MEMORY = 64 };
void perp_away_show(perp_system *s, double *memory, perp_away *away);
void perp_away_take(perp_away *away, const perp_system *s);

#endif
