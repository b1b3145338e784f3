/* SPDX-License-Identifier: BSD-3-Clause */
/* perp bench scenes: scenes of the catalogue, run by Perp and by each other engine that is found,
 * every run in a process of its own, all measured by the same routines.
 *
 *     motion_out.c, motion_in.c   the stream by which an engine tells its motion
 *     own_motion.c                Perp's
 *     overlap.c, step_residual.c, motion_laws.c, motion_measures.c   what is measured
 *     engine_list.c               engines and their settings
 *     engine_process.c            one run
 *     scene_results.c             the CSV file
 *     scene_digest.c, scene_tables.c, scene_picture.c
 *     scene_bench.c               the loop
 *
 * bench/peers has the programs of the other engines. */
#ifndef PERP_ENGINES_SCENE_BENCH_H
#define PERP_ENGINES_SCENE_BENCH_H

#include "bench/campaign/campaign.h"
#include "bench/campaign/engines/motion_measures.h"

enum { SCENE_ENGINES = 64, SCENE_LIST = 128 };

/* An engine with one choice of settings. */
typedef struct scene_engine {
    const char *name;     /* "perp", "mujoco" */
    const char *variant;  /* "1e-6"; "default", "advised" */
    const char *settings; /* in words, for the tables */
    const char *program;  /* NULL: Perp itself */
    double tol;           /* Perp */
    char path[4096];      /* of the program, once it was found */
    char version[96];
} scene_engine;
/* Number k of all that are known, found or not; 0, or -1 past the end. */
int scene_engine_at(scene_engine *engine, int k);
/* Fills path and version.  1: it can be run. */
int scene_engine_find(scene_engine *engine);

typedef struct scene_row {
    char scene[64], engine[24], variant[24], version[96], status[16], note[128];
    double h, until, limit;
    int bodies;
    double expected;
    motion_figures figures;
    long peak_kb; /* -1: not known */
} scene_row;

typedef struct scene_options {
    const char *scenes, *engines; /* lists, separated by commas; NULL: all */
    const char *folder;           /* NULL: scenes */
    double limit;                 /* seconds of processor time of a run, its start included */
    double until, h;              /* NaN: of the scene */
    int cpu;                      /* -1: any */
    int peers;
    perp_bench_stop_fn stop;
} scene_options;
void scene_options_init(scene_options *options);
/* A perp_bench_ending. */
int scene_bench_run(const scene_options *options);
/* Scenes and engines, one a line, to standard output. */
int scene_bench_list(void);
/* Inside a process: FD NAME TOL H UNTIL.  An exit status. */
int scene_bench_child(int argc, char **argv);

/* One run in a process.  0; 1: interrupted; -1: none could be started, with a message.  json: the
 * scene as a file. */
int scene_engine_run(scene_row *row, const scene_engine *engine, const rigid_scene *scene,
                     const char *json, const scene_options *options, perp_bench_tick tick,
                     void *ctx, char *message, size_t size);

typedef struct scene_results {
    scene_row *row;
    int rows, capacity;
} scene_results;
/* Reads DIR/scenes.csv, where there is one.  0, or -1 with a message. */
int scene_results_read(scene_results *results, const char *folder, char *message, size_t size);
/* Writes it under another name and renames.  0, or -1 with errno. */
int scene_results_write(const scene_results *results, const char *folder);
void scene_results_free(scene_results *results);
/* The row of the same scene, engine, settings, version and step, or NULL. */
scene_row *scene_results_find(scene_results *results, const scene_row *like);
/* Takes the place of that row, or comes last.  0, or -1 without memory. */
int scene_results_put(scene_results *results, const scene_row *row);

/* One line a scene: its figure, or the ms of a step. */
void scene_digest_write(FILE *f, const scene_results *results, int times);
void scene_tables_write(FILE *f, const scene_results *results);
/* 0, 1 without gnuplot, -1 where it fails. */
int scene_picture_draw(const char *folder, const scene_results *results);

#endif
