/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of robots, URDF and MJCF, as scenes: the text that perp_scene_create_from_text() reads.
 * docs/reference/robots.md says what of a model is read, and what becomes of it.
 *
 *     char *text;
 *     perp_robot_options options;
 *     perp_scene_error error = {.size = sizeof error};
 *     perp_robot_options_init(&options, sizeof options);
 *     if (perp_robot_read(&text, "humanoid.xml", &options, NULL, &error) != PERP_SOLVED)
 *         complain(error.text);
 *     perp_scene_create_from_text(&scene, text, NULL, NULL, &error);
 *     perp_robot_release(text, NULL);
 *
 * Models are untrusted: sizes are bounded, document types and entities refused, and no file is opened
 * but the model and those below its folder and the folders of `search`. */
#ifndef PERP_ROBOT_H
#define PERP_ROBOT_H

#include <perp/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum perp_robot_word {
    PERP_ROBOT_NOTE,     /* done in another way than the model says, or doubtful */
    PERP_ROBOT_LEFT_OUT, /* not done, and `ignore` accepts that */
    PERP_ROBOT_MISSING   /* not done: the model is refused */
} perp_robot_word;
/* remark: a sentence with file, element and line; it lives as long as the call. */
typedef void (*perp_robot_tell_fn)(void *ctx, perp_robot_word word, const perp_scene_error *remark);

/* What moves the root of a URDF against the world. */
typedef enum perp_robot_base {
    PERP_ROBOT_BASE_BY_MODEL, /* fixed where it is called world or has no mass, else free */
    PERP_ROBOT_BASE_FIXED,
    PERP_ROBOT_BASE_FREE
} perp_robot_base;

typedef struct perp_robot_options {
    size_t size;                /* sizeof(perp_robot_options) of the caller; set by the init call */
    const char *name;           /* of the model, for messages; NULL: the path */
    double until, step;         /* of the scene; NaN: 10 s, and the step of the model or 1 ms */
    const char *const *search;  /* folders for package:// and for files outside the model's folder */
    int nsearch;
    const char *ignore;         /* elements that may be left out where they are not done, separated by
                                   commas; "all"; NULL: none */
    const char *keyframe;       /* MJCF: name or number of the keyframe to start from; NULL: none.
                                   SRDF: name of a group_state */
    const char *const *pose;    /* "JOINT=VALUE" at the start, over the keyframe: radians, metres */
    int nposes;
    const char *const *control; /* MJCF: "ACTUATOR=VALUE", constant; the others have 0 */
    int ncontrols;
    const char *semantic;       /* URDF: path of its SRDF file; NULL: none */
    perp_robot_base base;       /* URDF */
    int hold;                   /* URDF: 1: a motor in each joint holds it where it starts, within its
                                   effort */
    int no_self_contact;        /* 1: shapes of the model that move never touch each other */
    int floor;                  /* 1: a plane z = floor_height that does not move is added */
    double floor_height;        /* NaN: below the lowest point at the start */
    double mu;                  /* of all contacts; NaN: of the model, or 1 */
    perp_robot_tell_fn tell;    /* may be NULL */
    void *tell_ctx;
} perp_robot_options;
PERP_API void perp_robot_options_init(perp_robot_options *options, size_t size);

/* 1 where the file begins as XML does, or is named *.urdf, *.mjcf or *.xml and does not begin as JSON
 * does; 0 also where it cannot be read. */
PERP_API int perp_robot_is_model(const char *path);

/* *text: a scene, a string that perp_robot_release() gives back with the same allocator (NULL: malloc);
 * NULL on an error:
 *   PERP_ERR_OPEN         a file cannot be read
 *   PERP_ERR_FORMAT       no XML, neither URDF nor MJCF, or against their rules
 *   PERP_ERR_UNSUPPORTED  the model asks for what is not done; or a build without libxml2
 *   PERP_ERR_MEMORY, PERP_ERR_ARGUMENT
 * options may be NULL.  Files of meshes are named by paths that begin with "/". */
PERP_API perp_status perp_robot_read(char **text, const char *path,
                                     const perp_robot_options *options,
                                     const perp_allocator *allocator, perp_scene_error *error);
/* The same from memory: a model without a folder, whose files lie in those of `search`. */
PERP_API perp_status perp_robot_read_text(char **text, const char *model, size_t bytes,
                                          const perp_robot_options *options,
                                          const perp_allocator *allocator, perp_scene_error *error);
PERP_API void perp_robot_release(char *text, const perp_allocator *allocator);

#ifdef __cplusplus
}
#endif
#endif
