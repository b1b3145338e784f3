/* SPDX-License-Identifier: BSD-3-Clause */
/* Contact detection: shapes on the systems of a model, and the contacts between them kept
 * as interactions of that model.
 *
 *     perp_collider *collider;
 *     perp_collider_create(&collider, model, NULL);
 *     perp_collider_set_material(collider, 0, 0, 0.2, 0.5);
 *     perp_collider_add_plane(collider, point, normal, NULL, NULL);
 *     perp_collider_add_sphere(collider, body, 0.1, NULL, NULL, NULL);
 *     perp_sim_set_before_step(sim, perp_collider_step, collider);
 *
 * Pairs are found by a uniform grid over boxes around the shapes, in a time that is linear in
 * their number while their sizes are comparable.  A contact is made when its gap is at most
 * d = margin + h (bound of the relative speed of the two shapes), and removed when it is
 * more than 2 d.  It is named by its two shapes and a feature (a vertex, say), so that it
 * keeps its interaction, and with it its multiplier, as long as it exists.
 *
 * Between two detections each contact is a ball, of the curvature of its shape there, or a corner,
 * against a plane or a ball: the gap is a smooth function of the states.  Exact for any motion:
 *   sphere - sphere, disc - disc; a sphere, the ends of a capsule, the vertices of a box, hull or
 *   mesh, and an ellipsoid - plane; disc - line.
 * Exact for a turn about the axis: cylinders, cones and capsules on planes and faces.
 * All pairs of convex shapes are found here: gap and normal to rounding, contacts of faces and
 * of lines with all their points (up to 8), found by clipping, whose names last as long as they stay
 * near their places.  A narrow phase of the caller may take the place of this for the kinds that it
 * knows.
 *
 * Spatial shapes sit on bodies, discs, polygons and lines on Lagrangian systems with
 * q = (x, y, angle), or any of them on the world.  Contacts are relations CONTACT between
 * bodies (1 row, or 3 with friction) and SCLERONOMOUS between Lagrangian systems (1 row, or
 * 2 with friction: normal, then the normal turned by +90 degrees). */
#ifndef PERP_COLLIDE_H
#define PERP_COLLIDE_H

#include <perp/model.h>
#include <perp/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct perp_collider perp_collider;

typedef struct perp_shape_id {
    uint32_t index, generation;
} perp_shape_id;

typedef enum perp_shape_kind {
    PERP_SHAPE_SPHERE,  /* radius */
    PERP_SHAPE_BOX,     /* half */
    PERP_SHAPE_CAPSULE, /* radius, half[2]: the points within radius of a segment along z */
    PERP_SHAPE_MESH,    /* closed surface of triangles, seen from outside anticlockwise */
    PERP_SHAPE_PLANE,   /* solid where (x - position) . normal <= 0 */
    PERP_SHAPE_DISC,    /* radius, in the plane */
    PERP_SHAPE_LINE,    /* the plane of two dimensions */
    PERP_SHAPE_CYLINDER,  /* radius, half[2]: along z */
    PERP_SHAPE_CONE,      /* radius, half[2]: base in z = 0, tip at z = 2 half[2] */
    PERP_SHAPE_ELLIPSOID, /* half: its semi-axes */
    PERP_SHAPE_HULL,       /* convex hull of the vertices, which are not in one plane */
    PERP_SHAPE_POLYGON   /* of the plane: 3 to 64 vertices in order, convex, their third number 0 */
} perp_shape_kind;

typedef struct perp_shape_def {
    size_t size; /* sizeof(perp_shape_def) of the caller; set by perp_shape_def_init() */
    perp_shape_kind kind;
    perp_system_id body;  /* {0, 0}: the world, at rest */
    double position[3];   /* centre of the shape or point of the plane, in the frame of the body */
    double quaternion[4]; /* its orientation there, scalar first; not of planes, discs, lines */
    double radius;        /* a length, >= 0; 0 makes a point */
    double half[3];       /* half lengths, > 0 */
    double normal[3];     /* of a plane or line, outwards, any length; in the frame of the body */
    const double *vertices; /* 3 each, in the frame of the shape; copied */
    int nvertices;
    const int *triangles; /* 3 indices each; copied */
    int ntriangles;
    int material; /* >= 0 */
    int group;    /* shapes of one group other than 0 never touch each other */
    /* Bits: two shapes touch where the category of one has a bit that the other one touches.  Both 0:
     * as 1 and 1. */
    uint32_t category, touches;
} perp_shape_def;

/* A sphere of radius 1 on the world, material 0. */
PERP_API void perp_shape_def_init(perp_shape_def *def, size_t size);

/* Volume, and what the shape makes of a mass that fills it evenly: its centre (3) and its inertia (3x3)
 * about that, both in the frame of the body.  Position and quaternion of the definition count, the body
 * does not.  Meshes by the divergence theorem.  PERP_ERR_UNSUPPORTED: a shape without a volume, or a
 * hull in a build without Qhull; PERP_ERR_STRUCTURE: a mesh that is open or inside out. */
PERP_API perp_status perp_shape_volume(const perp_shape_def *def, double *volume,
                                       perp_where *where);
PERP_API perp_status perp_shape_fill(const perp_shape_def *def, double mass, double *centre,
                                     double *inertia, perp_where *where);
/* Adds a part to a mass, its centre and its inertia about that; begin with zeros. */
PERP_API void perp_mass_add(double *mass, double *centre, double *inertia, double more,
                            const double *more_centre, const double *more_inertia);
/* Triangles of the convex hull of points (3 each), anticlockwise from outside, as indices: at most 2
 * npoints - 4 of them, 3 numbers each.  PERP_ERR_ARGUMENT: the points are in one plane;
 * PERP_ERR_UNSUPPORTED: a build without Qhull. */
PERP_API perp_status perp_hull_triangles(const double *points, int npoints, int *triangles,
                                         int *ntriangles, perp_where *where);

/* Points of contact that another narrow phase finds, on callbacks: spheres, boxes, capsules and meshes
 * with each other.  A collider that has none finds them itself, but for two meshes. */
typedef struct perp_narrow_phase {
    size_t size; /* sizeof(perp_narrow_phase) of the caller, who sets it */
    void *ctx;
    /* *own: what it keeps of a shape; the arrays of def live until drop. */
    perp_status (*make)(void **own, void *ctx, const perp_shape_def *def);
    void (*drop)(void *own, void *ctx);
    /* Writes at most `capacity` points whose gap is at most `reach`, in an order that depends on
     * its input alone; the number of points, < 0 an error.  pose: centre of the shape and
     * its orientation, 7 numbers.  a counts as the first body. */
    int (*collide)(perp_contact_point *points, int capacity, void *ctx, void *own_a,
                   const double *pose_a, void *own_b, const double *pose_b, double reach);
} perp_narrow_phase;

enum { PERP_NARROW_POINTS = 16 }; /* most points of contact of a pair in the narrow phase */

/* The model is borrowed; destroy leaves the interactions in it. */
PERP_API perp_status perp_collider_create(perp_collider **collider, perp_model *model,
                                          const perp_allocator *allocator);
PERP_API void perp_collider_destroy(perp_collider *collider);

/* Before the first shape; copied, ctx lives as long as the collider. */
PERP_API perp_status perp_collider_set_narrow_phase(perp_collider *collider,
                                                    const perp_narrow_phase *narrow);
/* 1 where some pair of the shapes, two meshes, could need one and there is none. */
PERP_API int perp_collider_lacks_narrow_phase(const perp_collider *collider);

/* A length > 0; 0, the start value: 2 % of the smallest radius or half length there is. */
PERP_API perp_status perp_collider_set_margin(perp_collider *collider, double margin);
/* Coefficients between two materials (in either order): e in [0, 1], mu >= 0; mu = 0 makes
 * contacts without tangential rows.  Pairs that were not set, of materials
 * without coefficients of their own, take those of (0, 0), which are 0 until they are set.  Holds from the next detection on, for present contacts too. */
PERP_API perp_status perp_collider_set_material(perp_collider *collider, int a, int b, double e,
                                                double mu);
/* The same with a whole law, for contacts that give way: IMPACT, or FRICTION of 3 rows (contacts of
 * shapes in a plane get 2), of 5 with rolling friction (3), of 4 with torsional friction (2,
 * without it), or of 6 with both (3, without torsion).  PERP_ERR_ARGUMENT: another law, or numbers
 * out of range. */
PERP_API perp_status perp_collider_set_law(perp_collider *collider, int a, int b,
                                           const perp_law *law);

/* What is left between the surfaces of two materials, a length: the gap of their contacts is the
 * distance less this, so that they touch where they are `skin` apart, or, below 0, where they
 * overlap by -skin.  Half of it is on either side: contact points are skin / 2 off the surfaces,
 * along the normal, and meet where the gap is 0.  Pairs that were not set have that of (0, 0),
 * which is 0 until it is set.  Normals of shapes that overlap are those of the least depth, so
 * -skin stays well below the half width of the smaller one.  Holds from the next detection on. */
PERP_API perp_status perp_collider_set_skin(perp_collider *collider, int a, int b, double skin);

/* Coefficients that a material has by itself, for its pairs that were not set: restitution e in
 * [0, 1], friction mu >= 0 and rolling friction mu_r >= 0, a length.  Pairs of two materials combine
 * their own; a material that has none counts with those of (0, 0). */
PERP_API perp_status perp_collider_set_coefficients(perp_collider *collider, int material, double e,
                                                    double mu, double mu_r);
typedef enum perp_combination {
    PERP_COMBINE_MINIMUM,
    PERP_COMBINE_MEAN,
    PERP_COMBINE_GEOMETRIC, /* sqrt(a b) */
    PERP_COMBINE_MAXIMUM,
    PERP_COMBINE_PRODUCT
} perp_combination;
/* How e, mu and mu_r combine.  At the start: MAXIMUM, GEOMETRIC, GEOMETRIC.  Rolling friction without
 * friction is none. */
PERP_API perp_status perp_collider_set_combination(perp_collider *collider, perp_combination e,
                                                   perp_combination mu, perp_combination mu_r);
/* Torsional friction mu_s >= 0, a length, of a material that has coefficients of its own (else
 * PERP_ERR_STATE; 0 until it is set), and how it combines (at the start GEOMETRIC).  Without
 * friction it is none, and contacts in the plane have none. */
PERP_API perp_status perp_collider_set_torsion(perp_collider *collider, int material, double mu_s);
PERP_API perp_status perp_collider_set_torsion_combination(perp_collider *collider,
                                                           perp_combination mu_s);
/* The law of contacts between two materials, of shapes in a plane where flat is 1. */
PERP_API perp_status perp_collider_pair_law(const perp_collider *collider, int a, int b, int flat,
                                            perp_law *law);

/* Errors: PERP_ERR_ARGUMENT (*where names the field), PERP_ERR_NONFINITE, PERP_ERR_STATE (no
 * such system), PERP_ERR_UNSUPPORTED (a kind of system that cannot carry it),
 * PERP_ERR_MEMORY.  id and where may be NULL. */
PERP_API perp_status perp_collider_add(perp_collider *collider, const perp_shape_def *def,
                                       perp_shape_id *id, perp_where *where);
/* Memory for so many shapes in all, which otherwise grows as they are added. */
PERP_API perp_status perp_collider_reserve(perp_collider *collider, int shapes);
/* The common ones, with material 0; offset (3, or 2 for a disc) may be NULL. */
PERP_API perp_status perp_collider_add_sphere(perp_collider *collider, perp_system_id body,
                                              double radius, const double *offset,
                                              perp_shape_id *id, perp_where *where);
PERP_API perp_status perp_collider_add_box(perp_collider *collider, perp_system_id body,
                                           const double *half, perp_shape_id *id,
                                           perp_where *where);
PERP_API perp_status perp_collider_add_capsule(perp_collider *collider, perp_system_id body,
                                               double radius, double half_length, perp_shape_id *id,
                                               perp_where *where);
PERP_API perp_status perp_collider_add_mesh(perp_collider *collider, perp_system_id body,
                                            const double *vertices, int nvertices,
                                            const int *triangles, int ntriangles, perp_shape_id *id,
                                            perp_where *where);
PERP_API perp_status perp_collider_add_plane(perp_collider *collider, const double *point,
                                             const double *normal, perp_shape_id *id,
                                             perp_where *where);
PERP_API perp_status perp_collider_add_disc(perp_collider *collider, perp_system_id body,
                                            double radius, const double *offset, perp_shape_id *id,
                                            perp_where *where);
PERP_API perp_status perp_collider_add_line(perp_collider *collider, const double *point,
                                            const double *normal, perp_shape_id *id,
                                            perp_where *where);
/* The surface of a shape runs over it, as a conveyor does: velocity + spin x place (3 each, in the
 * frame of its body; NULL: 0), of which contacts feel the part along the surface.  Friction acts on
 * the slip against the surface (torsional friction on the turn against its spin), and its work is
 * counted as work from outside.  Holds from the next
 * detection on.  PERP_ERR_STATE: no such shape; PERP_ERR_NONFINITE. */
PERP_API perp_status perp_collider_set_surface(perp_collider *collider, perp_shape_id shape,
                                               const double *velocity, const double *spin);
/* Removes a shape and its contacts.  Shapes whose system was removed from the model go by
 * themselves at the next detection. */
PERP_API perp_status perp_collider_remove(perp_collider *collider, perp_shape_id id);

/* Two shapes that never touch, from the next detection on; until one of them is removed.
 * PERP_ERR_STATE: no such shape. */
PERP_API perp_status perp_collider_exclude(perp_collider *collider, perp_shape_id a,
                                           perp_shape_id b);
/* Whether two bodies touch that a joint with the law EQUALITY holds together (any but DISTANCE, SLIDE
 * and ANGLE): 0 they do not, the start value; 1 they do.  Joints with the world change nothing. */
PERP_API perp_status perp_collider_set_joined(perp_collider *collider, int touch);

/* Brings the contacts of the model up to date with its states, for a step of length h from
 * t.  The order of contacts, and that of additions to the model, is by shapes and feature.
 * Takes no memory once it has seen its largest number of contacts (the narrow phase may).
 * Errors: PERP_ERR_NONFINITE (a state), PERP_ERR_UNSUPPORTED (two shapes that need a narrow
 * phase come near each other), PERP_ERR_NUMERICAL (the narrow phase failed), PERP_ERR_MEMORY;
 * the contacts that could be kept are kept. */
PERP_API perp_status perp_collider_detect(perp_collider *collider, double t, double h);
/* The same as a perp_step_fn: ctx is the collider; 1 on an error, which is then in the
 * perp_step_info of the simulation: reason, where ("shape" and its index), detail.
 * Under discrete-gradient the collider is also asked at the end of the step: what overlaps there by
 * more than a tenth of the margin and is in no contact of the step (a body at rest was thrown
 * against another one; bodies turned until other points of them met) becomes a contact, and the step
 * is made again, up to three times; where it is not solved with them the step without them stands.
 * Of several colliders of one simulation, the last is asked. */
PERP_API int perp_collider_step(void *collider, perp_sim *sim, perp_model *model, double t,
                                double h);
/* Of the last detection: status, and one sentence more, "" where there is none. */
PERP_API perp_status perp_collider_status(const perp_collider *collider);
PERP_API const char *perp_collider_detail(const perp_collider *collider);

/* Pairs of bodies that move by forces whose shapes a detection for a step of h could compare after
 * all shapes came nearer to each other by `reach` >= 0, wherever the bodies are present: who of them
 * another process has to know (perp_model_set_presence()).  fn: each pair of touching boxes once, in
 * the order of shapes; non-zero ends it with PERP_INTERRUPTED. */
typedef int (*perp_neighbour_fn)(void *ctx, perp_system_id a, perp_system_id b);
PERP_API perp_status perp_collider_neighbours(perp_collider *collider, double h, double reach,
                                              perp_neighbour_fn fn, void *ctx);
/* The farthest that a point of a shape that is here moves in a step of h with the present velocity;
 * NaN where a state is not finite. */
PERP_API double perp_collider_reach(perp_collider *collider, double h);
/* The margin of the last detection, as it was set or chosen. */
PERP_API double perp_collider_margin(const perp_collider *collider);

/* What a contact does in the last step. */
typedef enum perp_contact_state {
    PERP_CONTACT_OPEN,     /* no impulse */
    PERP_CONTACT_STICKING, /* friction below its largest */
    PERP_CONTACT_SLIDING,  /* friction at its largest, or no friction */
    PERP_CONTACT_ROLLING,  /* sticking, and the bodies turn about an axis along the surface */
    PERP_CONTACT_SPINNING  /* sticking, not rolling, and they turn about the normal against torsional
                              friction at its largest */
} perp_contact_state;
/* That of a contact whose rows have this law, the rates u and the impulses lambda (normal, tangents,
 * then moments); spin: angular velocity of the first body against the second, h: the step.  Friction
 * within 1e-6 of its largest slides; turns below 1e-9 in a step are none.  NULL: open. */
PERP_API perp_contact_state perp_contact_state_of(const perp_law *law, const double *u,
                                                  const double *lambda, const double normal[3],
                                                  const double spin[3], double h);

/* A contact, in the order of detection; gap and points for the present state.  In the
 * plane the third coordinates are 0. */
typedef struct perp_contact_info {
    size_t size; /* sizeof(perp_contact_info) of the caller, who sets it; it stays */
    perp_shape_id first, second; /* one of the world is always the second */
    int feature;
    perp_interaction_id interaction;
    perp_contact_point point;
    /* Of the last step, in the inertial frame; 0 before the first. */
    double velocity[3]; /* of the first against the second (and its surface), at the point */
    double impulse[3];  /* on the first body in the step, with its impacts */
    perp_contact_state state;
    double spin[3];   /* angular velocity of the first body against the second */
    double moment[3]; /* impulse of the moments of rolling and torsional friction on the first body */
    double e, mu, mu_r; /* of its law: restitution, friction, rolling friction (a length; 0: none) */
    double mu_s;        /* torsional friction, a length; 0: none */
    double skin;        /* what the gap is less than the distance of the surfaces */
} perp_contact_info;

/* What became of a contact in a step: it presses and did not before, presses again, or presses no
 * more (also: it was removed, and the interaction of info is none any more). */
typedef enum perp_contact_event {
    PERP_CONTACT_BEGINS,
    PERP_CONTACT_PERSISTS,
    PERP_CONTACT_ENDS
} perp_contact_event;
/* info is borrowed for the call.  Non-zero: the step is interrupted. */
typedef int (*perp_contact_event_fn)(void *ctx, perp_collider *collider, perp_contact_event event,
                                     const perp_contact_info *info);
/* fn NULL: none.  Called by perp_collider_after_step(), in the order of contacts. */
PERP_API void perp_collider_set_on_contact(perp_collider *collider, perp_contact_event_fn fn,
                                           void *ctx);
/* A perp_step_fn for perp_sim_set_after_step(), ctx the collider; or called from one. */
PERP_API int perp_collider_after_step(void *collider, perp_sim *sim, perp_model *model, double t,
                                      double h);
/* fn NULL: none.  Called for each contact that perp_collider_step() or detect() adds to the model,
 * in the order of contacts: another process may have had it (perp_sim_load_interaction()). */
typedef void (*perp_new_contact_fn)(void *ctx, perp_shape_id first, perp_shape_id second,
                                    int feature, perp_interaction_id interaction);
PERP_API void perp_collider_set_on_new(perp_collider *collider, perp_new_contact_fn fn, void *ctx);
PERP_API int perp_collider_contacts(const perp_collider *collider);
PERP_API perp_status perp_collider_contact(const perp_collider *collider, int k,
                                           perp_contact_info *info);
PERP_API int perp_collider_shapes(const perp_collider *collider);

/* The contacts as bytes, for a checkpoint: *bytes is the size of buf and becomes the size
 * needed (buf NULL: ask).  load wants a collider with the same shapes added in the same order
 * on a model made in the same way as the one of save; it replaces the contacts, in the
 * order of interactions that perp_sim_load() asks for, which is called after it. */
PERP_API perp_status perp_collider_save(const perp_collider *collider, void *buf, size_t *bytes);
PERP_API perp_status perp_collider_load(perp_collider *collider, const void *buf, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
