/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes: a JSON text that describes systems, bodies, forces, interactions, contacts, integrators
 * and what to record becomes a model, its contact detection and a simulation.
 * docs/reference/scene.md is the manual of the format.  Link with libperp-scene.
 *
 *     perp_scene *scene;
 *     perp_scene_error error = {.size = sizeof error};
 *     perp_scene_run_options options;
 *     perp_scene_run_info info = {.size = sizeof info};
 *     if (perp_scene_create_from_file(&scene, "ball.json", NULL, NULL, &error) != PERP_SOLVED)
 *         complain(error.text);
 *     perp_scene_run_options_init(&options, sizeof options);
 *     options.folder = "ball";
 *     perp_scene_run(scene, &options, &info);
 *     perp_scene_destroy(scene);
 *
 * No call prints, ends the process or changes signals.  The JSON reader (jansson) and the writers
 * take their own buffers from malloc; all other memory comes from the allocator.
 * In a build without jansson the create calls answer PERP_ERR_UNSUPPORTED, so that there is no
 * scene to give to the other calls.  Those answer NULL with NULL, 0 or PERP_ERR_ARGUMENT. */
#ifndef PERP_SCENE_H
#define PERP_SCENE_H

#include <perp/collide.h>
#include <perp/recorder.h>
#include <perp/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct perp_scene perp_scene;

/* What was wrong, as one sentence that names file, key and line:
 * "ball.json: systems[0].q0[1]: a number is expected (line 7)"; or a warning. */
typedef struct perp_scene_error {
    size_t size;   /* sizeof(perp_scene_error) of the caller */
    int line;      /* of the text, from 1; 0 where it means nothing */
    char key[128]; /* the way to the value: "systems[0].q0[1]"; "" for the whole text */
    char text[768];
} perp_scene_error;

/* What takes the place of values in the text. */
typedef struct perp_scene_options {
    size_t size;        /* sizeof(perp_scene_options) of the caller; set by the init call */
    double until, step; /* end of the run and length of a step; NaN: as in the text */
    double tol;         /* of the solver of one-step problems; NaN: as in the text */
    const char *solver; /* of one-step problems; NULL: as in the text */
    const char *scheme; /* integrator of all systems that it takes, with its defaults; or NULL */
    const char *const *settings; /* of that solver, each "NAME=VALUE"; borrowed for the call */
    int nsettings;
    const char *name; /* of the text, for messages; NULL: the path, or "scene" */
    int absent;       /* 1: bodies begin ABSENT, for parts: perp_model_begin_absent() */
} perp_scene_options;
PERP_API void perp_scene_options_init(perp_scene_options *options, size_t size);

/* Reads a scene and makes its model, collider and simulation, which the scene owns.  options: NULL
 * for the text as it is; allocator: NULL for malloc; error may be NULL.  On an error *scene is
 * NULL:
 *   PERP_ERR_OPEN         the file cannot be read
 *   PERP_ERR_FORMAT       no JSON, or not what the format of scenes demands
 *   PERP_ERR_UNSUPPORTED  a build without jansson
 *   PERP_ERR_MEMORY, PERP_ERR_ARGUMENT (NULL, or a struct without a size) */
PERP_API perp_status perp_scene_create_from_file(perp_scene **scene, const char *path,
                                                 const perp_scene_options *options,
                                                 const perp_allocator *allocator,
                                                 perp_scene_error *error);
/* The same from a string that ends with 0; it is not needed after the call. */
PERP_API perp_status perp_scene_create_from_text(perp_scene **scene, const char *text,
                                                 const perp_scene_options *options,
                                                 const perp_allocator *allocator,
                                                 perp_scene_error *error);
PERP_API void perp_scene_destroy(perp_scene *scene); /* NULL is accepted */

/* What was made of the text; borrowed.  The hook before a step of the simulation belongs to the
 * scene (springs and contacts): use perp_scene_set_before_step() instead of
 * perp_sim_set_before_step(). The collider is NULL where the text has no section "contacts". */
PERP_API perp_model *perp_scene_model(const perp_scene *scene);
PERP_API perp_sim *perp_scene_sim(const perp_scene *scene);
PERP_API perp_collider *perp_scene_collider(const perp_scene *scene);
/* fn is called before springs and contacts; non-zero ends the step with PERP_INTERRUPTED. */
PERP_API void perp_scene_set_before_step(perp_scene *scene, perp_step_fn fn, void *ctx);

PERP_API const char *perp_scene_title(const perp_scene *scene); /* NULL: none */
/* Start, end and length of a step, in the units of the text. */
PERP_API double perp_scene_t0(const perp_scene *scene);
PERP_API double perp_scene_until(const perp_scene *scene);
PERP_API double perp_scene_step(const perp_scene *scene);
/* Solver of one-step problems, NULL where it is chosen for each; and its tolerance. */
PERP_API const char *perp_scene_solver(const perp_scene *scene);
PERP_API double perp_scene_tol(const perp_scene *scene);

/* Warnings: what was not refused but may not be what was meant, each with what was done.  Of the
 * text: parameters that no scheme or solver reads, schemes that take no system, an end that is no
 * multiple of the step, bodies at one place.  From perp_scene_check() or the first step of a run
 * on: interactions that begin open or violated, and shapes that overlap.  An error would have been
 * written in the same way; "(line N)" is left out where it means nothing.
 * PERP_ERR_ARGUMENT: there is no k, or *warning has no size. */
PERP_API int perp_scene_warnings(const perp_scene *scene);
PERP_API perp_status perp_scene_warning(const perp_scene *scene, int k, perp_scene_error *warning);

typedef enum perp_scene_kind {
    PERP_SCENE_FIRST_ORDER, /* M x' = A x + b + r */
    PERP_SCENE_LAGRANGIAN,  /* q and v of the same size */
    PERP_SCENE_BODY,        /* a rigid body in space: 7 and 6 */
    PERP_SCENE_FIXED        /* a shape of the world, at rest: there is no system in the model */
} perp_scene_kind;

/* Strings are borrowed from the scene. */
typedef struct perp_scene_system_info {
    size_t size; /* sizeof(perp_scene_system_info) of the caller */
    const char *name;
    perp_scene_kind kind;
    perp_system_id id; /* {0, 0} where fixed */
    int nx, nv;        /* entries of x or q, and of v */
} perp_scene_system_info;
typedef struct perp_scene_interaction_info {
    size_t size; /* sizeof(perp_scene_interaction_info) of the caller */
    const char *name;
    perp_interaction_id id;
    int rows;
} perp_scene_interaction_info;

/* Systems (bodies and fixed shapes too) in the order of the text, each copy by itself; interactions
 * that the text names (contacts that are detected belong to the collider). */
PERP_API int perp_scene_systems(const perp_scene *scene);
PERP_API int perp_scene_interactions(const perp_scene *scene);
/* PERP_ERR_ARGUMENT: there is no k, or *info has no size. */
PERP_API perp_status perp_scene_system(const perp_scene *scene, int k,
                                       perp_scene_system_info *info);
PERP_API perp_status perp_scene_interaction(const perp_scene *scene, int k,
                                            perp_scene_interaction_info *info);
/* The number of what has this name, for the calls above; -1: nothing has. */
PERP_API int perp_scene_find_system(const perp_scene *scene, const char *name);
PERP_API int perp_scene_find_interaction(const perp_scene *scene, const char *name);

/* The name of an interaction of the model, contacts that are detected too: those are "a, b", the
 * names of what touches.  It is cut to size bytes.  PERP_ERR_STATE: an identifier of nothing. */
PERP_API perp_status perp_scene_name_interaction(const perp_scene *scene, perp_interaction_id id,
                                                 char *text, size_t size);

/* The columns of the section "record", each with its name: "t", "ball.q[0]", "energy".  Rows are
 * taken by perp_scene_run(), which drops those that it wrote to files unless it is asked to keep
 * them, or by perp_recorder_sample(), or by hooks of the simulation. */
PERP_API perp_recorder *perp_scene_recorder(const perp_scene *scene);

/* Checks the whole scene as the first step would: sizes, Jacobians, mixed schemes.  error may be
 * NULL. */
PERP_API perp_status perp_scene_check(perp_scene *scene, perp_scene_error *error);

/* Whether processes can make it together, each with a part of the bodies (perp_sim_set_parts()):
 * bodies, shapes of the world, prescribed motions, contacts, and what acts on bodies or ties some of
 * them.  PERP_ERR_UNSUPPORTED: *error (may be NULL) names what else there is. */
PERP_API perp_status perp_scene_check_divisible(const perp_scene *scene, perp_scene_error *error);
/* Of such a scene what belongs into one process, systems without prescribed ones: of each
 * interaction that the text names (with its controller), and of each spring.  Non-zero of fn ends it
 * with PERP_INTERRUPTED. */
typedef int (*perp_tie_fn)(void *ctx, const perp_system_id *systems, int count);
PERP_API perp_status perp_scene_each_tie(const perp_scene *scene, perp_tie_fn fn, void *ctx);
/* perp_sim_save_interaction() and its load of the k-th interaction of the text, with what its
 * controller keeps. */
PERP_API perp_status perp_scene_save_interaction(const perp_scene *scene, int k, void *buf,
                                                 size_t *bytes);
PERP_API perp_status perp_scene_load_interaction(perp_scene *scene, int k, const void *buf,
                                                 size_t bytes);

/* The state as bytes, as by perp_sim_save() and perp_collider_save(), with a checksum: *bytes is
 * the size of buf and becomes the size needed (buf NULL: ask; too little: PERP_ERR_ARGUMENT).  load
 * wants a scene that was made of the same text, but for its end and title; PERP_ERR_FORMAT, with a
 * sentence in *error (may be NULL), for another scene and for bytes that are damaged. */
PERP_API perp_status perp_scene_save(perp_scene *scene, void *buf, size_t *bytes);
PERP_API perp_status perp_scene_load(perp_scene *scene, const void *buf, size_t bytes,
                                     perp_scene_error *error);

/* What a run did so far. */
typedef struct perp_scene_run_info {
    size_t size; /* sizeof(perp_scene_run_info) of the caller */
    perp_status status;
    double t;                /* time reached */
    long steps, first, last; /* made since t0; when this run began; when it ends */
    int rows;                /* of the last one-step problem */
    long unsolved;           /* steps accepted without a solution within the tolerance */
    double largest_error;    /* of the one-step problems of this run */
    double largest_violation;
    double seconds;     /* of the steps of this run */
    long frames;        /* pictures of the shapes that were written */
    long problems;      /* one-step problems that were written */
    long refused;       /* and those that no class of file can hold */
    int pictures;       /* 1: drawn; -1: gnuplot is not installed */
    char detail[1024];  /* an error: one sentence */
    char refusal[1024]; /* why the first of the refused problems was not written */
    long infeasible;    /* of the unsolved steps of this run: shown to have no solution */
    /* The start of the first step that was not solved, made or not (NaN: none), and why. */
    double first_unsolved;
    char why_unsolved[512];
} perp_scene_run_info;

/* Called after each step; non-zero ends the run with PERP_INTERRUPTED, its files complete. */
typedef int (*perp_scene_progress_fn)(void *ctx, perp_scene *scene,
                                      const perp_scene_run_info *info);

typedef struct perp_scene_run_options {
    size_t size;  /* sizeof(perp_scene_run_options) of the caller; set by the init call */
    double until; /* end of this run; NaN: of the scene */
    /* NULL: nothing is written.  A folder, made where it is absent, for
     *   series.csv, series.h5   the recorded columns (HDF5 in builds that have it)
     *   motion.bin              states and contacts at some instants, for perp view
     *   frames/, frames.pvd     see `vtk`
     *   checkpoint              the state, now and then and at the end; it and the series are
     *                           then synced to the disk, frames as far as there is time
     *   problems/               one-step problems, see `problems`
     *   series.png, series.svg  see `pictures` */
    const char *folder;
    int resume;    /* 1: goes on from the checkpoint in the folder, bit for bit */
    int pictures;  /* 1: draws the series with gnuplot, a process of its own */
    int keep_rows; /* 1: rows stay in perp_scene_recorder() */
    /* Which one-step problems to write as files that perp solve reads: residual, iterations, rows
     * or status, compared with a number by > < >= <= == !=: "residual>1e-8".  NULL: none. */
    const char *problems;
    double checkpoint_seconds; /* between two checkpoints; 60 */
    perp_scene_progress_fn progress;
    void *progress_ctx;
    /* NULL, or asked between the iterations of each solve, so that a step that takes long can be
     * given up: non-zero ends the run at the start of that step with PERP_INTERRUPTED.  Asked before
     * anything is written too, and then the folder stays as it is. */
    int (*stop)(void *ctx);
    void *stop_ctx;
    /* NULL, or called once before the first step with progress_ctx, when the state is that from which
     * the run goes on: with `resume` that of the checkpoint.  Non-zero ends the run as progress does;
     * its time is none of info->seconds. */
    perp_scene_progress_fn started;
    /* The shapes as VTK polydata for ParaView: -1: some 200 times in all; n > 0: every n steps; 0:
     * every N where the scene has "frames": {"every": N}, else never. */
    int vtk;
    /* NULL, or asked after each step, in the place of checkpoint_seconds: non-zero, and the state
     * is written.  Without a folder it is only saved to memory: several runs of one scene, of which
     * one writes, then go on with the same bits. */
    int (*checkpoint_due)(void *ctx);
    void *checkpoint_ctx;
} perp_scene_run_options;
PERP_API void perp_scene_run_options_init(perp_scene_run_options *options, size_t size);

/* PERP_SOLVED where the text of `problems` is such a comparison, else PERP_ERR_ARGUMENT. */
PERP_API perp_status perp_scene_check_problems(const char *text);

/* Runs from where the simulation is to the end, recording and writing on the way.  options: NULL
 * for the defaults; info may be NULL.
 *   PERP_SOLVED       the end was reached, all steps solved unless info->unsolved says otherwise
 *   PERP_INTERRUPTED  progress ended the run; a later one goes on from there
 *   other > 0         a step was not made, see perp_sim_step()
 *   < 0               an error: of a step, of the contact detection, of a file (PERP_ERR_OPEN)
 * info->detail says why in one sentence. */
PERP_API perp_status perp_scene_run(perp_scene *scene, const perp_scene_run_options *options,
                                    perp_scene_run_info *info);

/* The motion as bytes, for a viewer that looks on from the progress call of a run or between steps:
 * those of motion.bin (docs/reference/motion.md), whatever the scene says of its frames.  Nothing of
 * the scene is changed.  The bytes are borrowed until the next call with the same stream, which grows
 * to the largest of them; the stream ends before the scene.
 *   PERP_ERR_ARGUMENT  NULL, or a build without jansson
 *   PERP_ERR_MEMORY */
typedef struct perp_motion_stream perp_motion_stream;
PERP_API perp_status perp_motion_stream_create(perp_motion_stream **stream, perp_scene *scene);
PERP_API void perp_motion_stream_destroy(perp_motion_stream *stream); /* NULL is accepted */
/* The head and the layout, which come first. */
PERP_API perp_status perp_motion_stream_head(perp_motion_stream *stream, const void **bytes,
                                             size_t *size);
/* After each step that was made: takes note of its violation, error and certificate. */
PERP_API void perp_motion_stream_note(perp_motion_stream *stream);
/* The records of the state of now, with the worst of the steps that were noted since the instant
 * before. */
PERP_API perp_status perp_motion_stream_instant(perp_motion_stream *stream, const void **bytes,
                                                size_t *size);

#ifdef __cplusplus
}
#endif
#endif
