/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of a collider: shapes by slot, where they are in this detection, the grid,
 * and the contacts in the order of their keys. */
#ifndef PERP_KERNEL_COLLIDER_H
#define PERP_KERNEL_COLLIDER_H

#include <perp/collide.h>

#include "kernel/collide/convex.h"
#include "kernel/systems/pool.h"

typedef struct perp_shape {
    perp_shape_def def; /* arrays copied, normal of norm 1 */
    uint32_t generation;
    int alive;
    int next_free;
    int flat;           /* disc, line or polygon */
    int endless;        /* plane or line */
    int moving;         /* sits on a system */
    double middle[3];   /* of a box around all but `ball`, in the frame of the system */
    double box_half[3]; /* its half lengths along the axes of the shape */
    double arm;         /* distance from the origin of the system that turning can move */
    double *points;     /* 3 npoints: balls that a plane can meet, in the frame of the system; NULL
                       where     that is absent */
    int npoints;
    double ball;     /* the radius where it is all around: of spheres, capsules, discs */
    perp_hull *hull; /* of a hull */
    struct perp_mesh *mesh;
    void *own;                    /* of the narrow phase */
    double belt[3], belt_spin[3]; /* of its surface, in the frame of the system */
    int has_belt;
    int prescribed; /* sits on a body with a prescribed motion */
    int seen;       /* a detection had it as it is, and all of its pairs */

    /* In this detection. */
    double *q;        /* of its system; NULL on the world */
    int absent;       /* its system is ABSENT, and nobody asked for those */
    int rests;        /* as it was in the last detection: on the world, or its system is at rest */
    double shift[3];  /* h v of its system */
    double turn;      /* h |omega| arm */
    double push;      /* way that what it meets may give it, of none at rest, 0: not looked for */
    double centre[3]; /* of the box */
    double half[3];   /* of the box along the inertial axes, with the radius */
    double normal[3]; /* of a plane or line, in the inertial frame */
    double at[7];     /* q of its system */
    double stray;     /* in the step that followed: its way beside that of shift and turn, */
    double turned;    /* and what turning moved of it */
} perp_shape;

/* The box of a shape enlarged by all that a contact may need, and the cells it covers. */
typedef struct perp_spot {
    double lo[3], hi[3];
    int cell_lo[3], cell_hi[3];
    int listed; /* in the grid; otherwise large, endless or absent */
} perp_spot;

typedef struct perp_cell_entry {
    int cell[3];
    int shape;
    int first; /* bits of the axes along which it is the first cell of the shape */
} perp_cell_entry;

typedef struct perp_grid {
    double cell;
    perp_cell_entry *entries; /* by bucket, then by shape */
    int *start;               /* buckets + 1 */
    unsigned mask;            /* buckets - 1 */
    int capacity_entries, capacity_start;
    int *loose; /* shapes that are compared with all: large or endless, ascending */
    int nloose, capacity_loose;
    int *found; /* partners of one shape, ascending */
    int nfound, capacity_found;
} perp_grid;

/* A ball, or an ellipsoid where the other side is a plane, on one side; a ball or a plane on the
 * other.  A point is a ball of radius 0. */
typedef struct perp_contact {
    uint32_t low, high; /* key: slots of the shapes, then the feature */
    int feature;
    int flat;
    int plane;    /* the other side is a plane */
    int reversed; /* the ball is on the second body or the world, the plane on the first */
    uint32_t first, second;  /* slots: shape of the first body, other shape */
    double ball[3], radius;  /* in the frame of its system */
    double semi[3], turn[4]; /* semi-axes of an ellipsoid in place of the ball, 0: none; its axes */
    double other[3];         /* centre of the other ball, or a point of the plane */
    double other_radius;
    double normal[3]; /* of the plane, in the frame of its system */
    perp_system_id systems[2];
    int nsystems;
    perp_law law;
    perp_interaction_id id; /* generation 0: not in the model yet */
    int has_belt;           /* one of the surfaces runs: belt, spin of the first, of the second */
    double belts[2][6];
    int pressed; /* in the last step */
    int frozen;  /* points that a narrow phase found, again in each detection */
    double skin; /* the gap is the distance less this */
} perp_contact;

/* A contact that the last detection did not foresee. */
typedef struct perp_unforeseen {
    perp_contact contact;
    double moved; /* 0; or all points of its pair are wanted that are this near at the start */
} perp_unforeseen;

/* Two systems that a joint holds together, by address. */
typedef struct perp_joined {
    const struct perp_system *low, *high;
} perp_joined;

struct perp_collider {
    perp_pool pool;
    perp_model *model;
    perp_narrow_phase narrow;
    int has_narrow;
    double wanted_margin, margin;
    perp_status status; /* of the last detection, the shape at fault (-1: none), a sentence */
    int fault;
    char detail[160];

    perp_law *laws; /* law of materials (a, b), a >= b, at a (a + 1) / 2 + b; dim 0: not set */
    int nlaws, capacity_laws;
    double *own; /* of each material e, mu, mu_r, mu_s; e NaN: it has none */
    int nown, capacity_own;
    double *skins; /* of materials (a, b), as laws; NaN: not set */
    int nskins, capacity_skins;
    double most_skin; /* the largest there is, at least 0: what boxes are enlarged by */
    perp_combination combine[4];

    perp_shape *shapes;
    perp_spot *spots;
    int nshapes, capacity_shapes, capacity_spots, free_shape, alive;
    perp_grid grid;

    perp_contact **now, **next, **drop; /* kept; of this detection; to be removed */
    int nnow, nnext, ndrop, capacity_now, capacity_next, capacity_drop;
    uint64_t *excluded; /* pairs of slots, ascending */
    int nexcluded, capacity_excluded;
    perp_joined *joined; /* in this detection */
    int njoined, capacity_joined, joined_touch;
    double slack; /* of normals that are kept, as in perp_kept_normal */
    int refrozen; /* some gap changed without a motion */
    int changed; /* something that contacts depend on beside the states, since the last detection */
    int cursor;  /* in now: first contact whose key was not reached yet */
    double h;
    int all;       /* place absent shapes, too */
    double nearer; /* that shapes may come, beside what they move in the step */
    perp_contact_event_fn on_contact;
    void *on_contact_ctx;
    perp_new_contact_fn on_new;
    void *on_new_ctx;
    int interrupted; /* it asked to stop when a contact was removed */

    double t;              /* of the last detection */
    perp_unforeseen *late; /* what it missed */
    perp_contact **put;    /* what was put into the table since */
    int nlate, nput, capacity_late, capacity_put;
};

/* Notes the shape at fault and one sentence; returns status. */
perp_status perp_collider_fail(perp_collider *c, perp_status status, int shape, const char *format,
                               ...) __attribute__((format(printf, 4, 5)));

/* The contacts are those of the shapes and rules as they are now. */
void perp_collider_note_seen(perp_collider *c);

static inline int perp_shape_is_here(const perp_shape *shape)
{
    return shape->alive && !shape->absent;
}

/* `points` of a shape, or (wanted = 0) their memory back. */
perp_status perp_shape_list_points(perp_collider *c, perp_shape *shape, int wanted);

/* Where shapes are (place.c).  Shapes of stale systems go.  foresees: with the ways that the
 * contacts of the last detection may give them (`push`). */
perp_status perp_collider_place(perp_collider *c, double h, int foresees);
/* The box of one where its system is now, in the grid as it is. */
void perp_shape_place_box(perp_shape *shape);

/* Contacts that appear in the step itself, see perp_step_lookout in kernel/step/stepper.h; ctx is
 * the collider (unforeseen.c). */
int perp_collider_look(void *ctx, double t, double h);
perp_status perp_collider_add_unforeseen(void *ctx, perp_sim *sim);
perp_status perp_collider_leave_unforeseen(void *ctx, perp_sim *sim);
void perp_shape_drop(perp_collider *c, int slot);
/* Margin from the sizes of the shapes where none was given. */
void perp_collider_renew_margin(perp_collider *c);

/* The grid over spots (grid.c): build it, then the partners j > i of each shape whose boxes
 * meet, into grid.found. */
perp_status perp_grid_build(perp_collider *c);
perp_status perp_grid_partners(perp_collider *c, int i);
/* Builds it and calls for each pair i < j of boxes that meet, in the order of their slots. */
perp_status perp_grid_pairs(perp_collider *c, perp_status (*pair)(perp_collider *c, int i, int j));

/* Gap, normal and points at (q_a, q_b); NULL stands for the world (contact_point.c).  Half of the
 * skin is on either side, so that the points meet where the gap is 0. */
void perp_contact_at(perp_contact_point *point, const perp_contact *contact, const double *q_a,
                     const double *q_b);
int perp_contact_callback(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                          const double *z, void *user);
/* Of flat contacts: y = (gap, 0) and dy/dq. */
int perp_contact_flat_output(double *y, double t, const double *x, const double *lambda,
                             const double *z, void *user);
int perp_contact_flat_jacobian(double *H, double t, const double *x, const double *lambda,
                               const double *z, void *user);
/* A point in the frame of a system, from and to the inertial frame. */
void perp_contact_outside(double *out, const double *q, int flat, const double *local);
void perp_contact_inside(double *local, const double *q, int flat, const double *out);
void perp_contact_turn(double *out, const double *q, int flat, const double *local);

/* Contacts of one pair of shapes whose boxes meet, i < j (pair.c, narrow.c). */
perp_status perp_collider_pair(perp_collider *c, int i, int j);
perp_status perp_collider_narrow_pair(perp_collider *c, const perp_contact *key, double d);
/* What the contacts of a pair have in common: between balls all of it, with a plane but for the
 * point, by perp_collider_plane_point() (0: there is no such point), else points are looked for. */
typedef enum perp_pair_kind {
    PERP_PAIR_NONE,
    PERP_PAIR_BALLS,
    PERP_PAIR_PLANE,
    PERP_PAIR_NARROW
} perp_pair_kind;
perp_pair_kind perp_collider_key(perp_contact *key, const perp_collider *c, int i, int j);
int perp_collider_plane_point(perp_contact *key, const perp_collider *c, int k);
/* Points of a pair where its shapes are now, PERP_NARROW_POINTS at most, whose gap is at most
 * `reach`: they have distances, from which the skin of the key is to be taken; and a contact of
 * such a point in the frames of the bodies. */
perp_status perp_collider_points(int *count, perp_touch *points, perp_collider *c,
                                 const perp_contact *key, double reach,
                                 const perp_kept_normal *before);
void perp_contact_freeze(perp_contact *contact, const perp_collider *c, const perp_touch *touch);
/* Whether the own narrow phase knows the kind, and the shape as it stands, relative to `origin`
 * (convex_pair.c). */
int perp_shape_is_convex(const perp_shape *shape);
void perp_shape_place_convex(perp_convex *out, const perp_shape *shape, const double *origin);
/* Points of the pair; -1: none of it is known.  The same, mirrored, where the two are exchanged.
 * before: NULL, or the normal that the pair had, for perp_convex_separation(). */
int perp_shape_touch(perp_touch *points, int capacity, const perp_shape *a, const perp_shape *b,
                     double reach, const perp_kept_normal *before);
enum { PERP_POLYGON_VERTICES = 64 };
/* The same of polygons and discs in the plane, at most 3: an edge stays (polygon.c). */
int perp_polygon_touch(perp_touch *points, const perp_shape *first, const perp_shape *second,
                       double reach, const perp_kept_normal *before);
double perp_collider_distance(const perp_collider *c, int i, int j); /* d of a pair */

/* Pairs that never touch (filter.c): who is joined is looked up at each detection. */
perp_status perp_collider_list_joined(perp_collider *c);
int perp_collider_is_filtered(const perp_collider *c, int i, int j);
void perp_collider_forget_excluded(perp_collider *c, int slot); /* the shape goes */

/* Surfaces that run (surface.c): whether a pair has one; their velocities, as of now. */
int perp_collider_has_belt(const perp_collider *c, const perp_contact *contact);
void perp_contact_set_belts(const perp_collider *c, perp_contact *contact);
int perp_contact_surface_rate(double *h_t, double t, const double *x, const double *lambda,
                              const double *z, void *user);
/* Tells the callback that a contact which pressed is removed (contact_data.c). */
void perp_collider_tell_end(perp_collider *c, const perp_contact *contact);

/* The table (contact_pairs.c). */
perp_law perp_collider_law(const perp_collider *c, int material_a, int material_b, int flat);
double perp_collider_skin(const perp_collider *c, int material_a, int material_b);
/* The old contact of this key, after all with lower keys were put on the drop list. */
perp_status perp_collider_take_old(perp_contact **old, perp_collider *c, uint32_t low,
                                   uint32_t high, int feature);
/* Keeps the contacts of a pair as they are. */
perp_status perp_collider_keep_pair(perp_collider *c, uint32_t low, uint32_t high,
                                    const perp_contact *wanted);
/* Whether an old contact can go on as one with the law and the skin of `wanted`; it gets them. */
int perp_collider_usable(perp_collider *c, perp_contact *old, const perp_contact *wanted);
perp_status perp_collider_keep(perp_collider *c, perp_contact *contact);
perp_status perp_collider_discard(perp_collider *c, perp_contact *contact);
perp_status perp_collider_make(perp_collider *c, const perp_contact *contact);
/* The interaction of a contact; *contact stays where it is while that lives. */
perp_status perp_contact_insert(perp_collider *c, perp_contact *contact);
/* Puts a copy into the table and the model between two detections; takes all of those out. */
perp_status perp_collider_put(perp_collider *c, const perp_contact *contact);
void perp_collider_take_out(perp_collider *c);
/* The first place in the table whose key is not below this one. */
int perp_collider_find(const perp_collider *c, uint32_t low, uint32_t high, int feature);
/* Swaps next for now, in the model too; or, roll_back, forgets next. */
perp_status perp_collider_commit(perp_collider *c);
void perp_collider_roll_back(perp_collider *c);
/* Removes the contacts of one shape, or of all (slot < 0), from table and model. */
void perp_collider_clear(perp_collider *c, int slot);

#endif
