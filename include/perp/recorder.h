/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of chosen quantities, one row each time it is sampled.
 *
 *     perp_recorder_create(&recorder, model, NULL);
 *     perp_recorder_add(recorder, PERP_RECORD_Q, ball.index, ball.generation, 0);
 *     perp_sim_set_after_step(sim, perp_recorder_step, recorder);
 */
#ifndef PERP_RECORDER_H
#define PERP_RECORDER_H

#include <perp/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct perp_recorder perp_recorder;

/* Column 0 is always the time.  Of a system: the others of its state, input or kinetic
 * energy; of an interaction: y, u, lambda or 1 where it was active.  Of the row: which
 * perp_instant_kind it is (smooth 0, before 1 or after 2 an impact); index, generation are 0. */
typedef enum perp_record {
    PERP_RECORD_Q, /* q or x */
    PERP_RECORD_V,
    PERP_RECORD_P,
    PERP_RECORD_KINETIC,
    PERP_RECORD_Y,
    PERP_RECORD_U,
    PERP_RECORD_LAMBDA,
    PERP_RECORD_ACTIVE,
    PERP_RECORD_INSTANT
} perp_record;

PERP_API perp_status perp_recorder_create(perp_recorder **recorder, perp_model *model,
                                          const perp_allocator *allocator);
PERP_API void perp_recorder_destroy(perp_recorder *recorder);

/* Adds a column before the first sample: component of a quantity of the system or
 * interaction {index, generation}.  PERP_ERR_STATE for a stale identifier or after the first
 * sample, PERP_ERR_ARGUMENT for a component that it has not. */
PERP_API perp_status perp_recorder_add(perp_recorder *recorder, perp_record what, uint32_t index,
                                       uint32_t generation, int component);
/* Adds a column, before the first sample, whose entry is what `value` returns; ctx is borrowed. */
typedef double (*perp_record_fn)(void *ctx, double t);
PERP_API perp_status perp_recorder_add_value(perp_recorder *recorder, perp_record_fn value,
                                             void *ctx);
/* A name for column k, for those who write the table; copied.  PERP_ERR_ARGUMENT: no such column.
 * perp_recorder_name() answers "t" for column 0 and NULL for a column without a name or none. */
PERP_API perp_status perp_recorder_set_name(perp_recorder *recorder, int k, const char *name);
PERP_API const char *perp_recorder_name(const perp_recorder *recorder, int k);
/* Every k-th call of perp_recorder_step() is a sample (1 at first). */
PERP_API void perp_recorder_set_every(perp_recorder *recorder, int k);
/* Memory for so many rows more, so that samples do not allocate. */
PERP_API perp_status perp_recorder_reserve(perp_recorder *recorder, int rows);
/* Appends a row; NaN for what was removed from the model since. */
PERP_API perp_status perp_recorder_sample(perp_recorder *recorder, double t);
/* For perp_sim_set_after_step(), ctx being the recorder; stops the run where memory is out. */
PERP_API int perp_recorder_step(void *ctx, perp_sim *sim, perp_model *model, double t, double h);

/* For perp_sim_set_at_instants(): the same at every instant, so also at the inner steps of schemes
 * that make several in a step, and before and after impacts.  Instants of a step that was not made
 * are dropped when it is tried again. */
PERP_API int perp_recorder_instant(void *ctx, perp_sim *sim, perp_model *model,
                                   const perp_instant *instant);

PERP_API int perp_recorder_rows(const perp_recorder *recorder);
PERP_API int perp_recorder_columns(const perp_recorder *recorder);
/* Row by row; until the next sample. */
PERP_API const double *perp_recorder_data(const perp_recorder *recorder);
PERP_API void perp_recorder_clear(perp_recorder *recorder);

#ifdef __cplusplus
}
#endif
#endif
