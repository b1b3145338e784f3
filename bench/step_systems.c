/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/step_systems.h"

#include "bench/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double gravity = 9.81;

static void *counted(void *ctx, size_t bytes)
{
    ((perp_bench_system *)ctx)->allocations++;
    return malloc(bytes);
}

static void released(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

static perp_status add_bead(perp_bench_system *s, double height, perp_system_id *id)
{
    perp_lagrangian_def def;
    const double q[3] = {height, 0.0, 0.0}, F[3] = {-gravity, 0.0, 0.0};
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0.4 * 0.01};
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 3;
    def.q0 = q;
    def.F = F;
    perp_mat_init_dense(&def.M, 3, 3, M, 3);
    return perp_model_add_lagrangian(s->model, &def, id, NULL);
}

static perp_status add_gap(perp_bench_system *s, const perp_system_id *systems, int count,
                           double offset)
{
    perp_interaction_def def;
    const double one[3] = {1, 0, 0}, two[6] = {-1, 0, 0, 1, 0, 0};
    perp_interaction_id id;
    perp_interaction_def_init(&def, sizeof def);
    def.systems = systems;
    def.nsystems = count;
    def.relation.kind = PERP_RELATION_LINEAR;
    def.relation.rows = 1;
    def.relation.C = count == 2 ? two : one;
    def.relation.e = &offset;
    def.law = perp_law_impact(0.9);
    return perp_model_add_interaction(s->model, &def, &id, NULL);
}

static perp_status build_ball(perp_bench_system *s, int size)
{
    perp_system_id ball;
    (void)size;
    perp_status status = add_bead(s, 1.0, &ball);
    return status == PERP_SOLVED ? add_gap(s, &ball, 1, 0.0) : status;
}

static perp_status build_beads(perp_bench_system *s, int size, double bottom, double pitch)
{
    const double R = 0.1;
    perp_system_id pair[2] = {{0, 0}, {0, 0}};
    perp_status status = PERP_SOLVED;
    for (int k = 0; k < size && status == PERP_SOLVED; k++) {
        pair[0] = pair[1];
        status = add_bead(s, bottom + pitch * k, &pair[1]);
        if (status == PERP_SOLVED)
            status = k ? add_gap(s, pair, 2, -2.0 * R) : add_gap(s, &pair[1], 1, -R);
    }
    return status;
}

static perp_status build_column(perp_bench_system *s, int size)
{
    return build_beads(s, size, 1.0, 0.25);
}

static perp_status build_stack(perp_bench_system *s, int size)
{
    return build_beads(s, size, 0.1 - 1e-9, 0.2 - 1e-9);
}

static perp_status add_bridge(perp_bench_system *s, double L)
{
    const double C = 1e-6, R = 1e3;
    const double x[2] = {10, 0}, A[4] = {0, 1 / L, -1 / C, 0};
    const double B[8] = {0, 0, 0, 0, -1 / C, 0, 1 / C, 0};
    const double H[8] = {0, 0, -1, 1, 0, 0, 0, 0};
    const double D[16] = {1 / R, 1 / R, 1, 0, 1 / R, 1 / R, 0, 1, -1, 0, 0, 0, 0, -1, 0, 0};
    perp_first_order_def def;
    perp_interaction_def diodes;
    perp_system_id circuit;
    perp_interaction_id id;
    perp_first_order_def_init(&def, sizeof def);
    def.n = 2;
    def.x0 = x;
    perp_mat_init_dense(&def.A, 2, 2, A, 2);
    perp_status status = perp_model_add_first_order(s->model, &def, &circuit, NULL);
    perp_interaction_def_init(&diodes, sizeof diodes);
    diodes.systems = &circuit;
    diodes.nsystems = 1;
    diodes.relation.kind = PERP_RELATION_LINEAR;
    diodes.relation.rows = 4;
    diodes.relation.C = H;
    diodes.relation.D = D;
    diodes.relation.B = B;
    diodes.law = perp_law_complementarity();
    if (status == PERP_SOLVED)
        status = perp_model_add_interaction(s->model, &diodes, &id, NULL);
    return status;
}

/* `size` bridges apart, each with its own period. */
static perp_status build_bridge(perp_bench_system *s, int size)
{
    perp_status status = PERP_SOLVED;
    for (int k = 0; k < size && status == PERP_SOLVED; k++)
        status = add_bridge(s, 1e-2 * (1.0 + 0.1 * k));
    return status;
}

static perp_status add_sphere(perp_bench_system *s, double x, double y, double z,
                              perp_system_id *id)
{
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    def.force[2] = -gravity;
    def.inertia[0] = def.inertia[4] = def.inertia[8] = 0.4 * s->radius * s->radius;
    return perp_model_add_body(s->model, &def, id, NULL);
}

/* A sphere with the plane z = 0 or with another sphere. */
static int touch(perp_contact_point *point, double t, const double *a, const double *b,
                 const double *z, void *user)
{
    double R = ((const perp_bench_system *)user)->radius, n[3] = {0.0, 0.0, 1.0}, d = a[2] + R;
    (void)t;
    (void)z;
    if (b) {
        for (int k = 0; k < 3; k++)
            n[k] = a[k] - b[k];
        d = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; k++)
            n[k] /= d;
    }
    point->gap = d - 2.0 * R;
    for (int k = 0; k < 3; k++) {
        point->normal[k] = n[k];
        point->point_a[k] = a[k] - R * n[k];
        point->point_b[k] = a[k] - (d - R) * n[k];
    }
    return 0;
}

static perp_status add_touch(perp_bench_system *s, const perp_system_id *pair, int count)
{
    perp_interaction_def def;
    perp_interaction_id id;
    perp_interaction_def_init(&def, sizeof def);
    def.systems = pair;
    def.nsystems = count;
    def.relation.kind = PERP_RELATION_CONTACT;
    def.relation.rows = 3;
    def.relation.contact = touch;
    def.relation.user = s;
    def.law = perp_law_friction(3, 0.0, 0.5);
    return perp_model_add_interaction(s->model, &def, &id, NULL);
}

/* Every pair that overlaps a little at the start: by a gap of 0 rounding would say which are
 * closed.  Spheres rest on four, in a layer they are apart. */
static perp_status link_pyramid(perp_bench_system *s, const perp_system_id *ids,
                                const double *centres, int n)
{
    const double reach = 4.0001 * s->radius * s->radius;
    perp_status status = PERP_SOLVED;
    for (int a = 0; a < n && status == PERP_SOLVED; a++) {
        const double *x = centres + 3 * a;
        if (x[2] < 1.5 * s->radius)
            status = add_touch(s, &ids[a], 1);
        for (int b = a + 1; b < n && status == PERP_SOLVED; b++) {
            const double *y = centres + 3 * b;
            double d = (x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                       (x[2] - y[2]) * (x[2] - y[2]);
            const perp_system_id pair[2] = {ids[a], ids[b]};
            if (d <= reach)
                status = add_touch(s, pair, 2);
        }
    }
    return status;
}

static perp_status build_pyramid(perp_bench_system *s, int size)
{
    const double R = 0.1, half = 1.01 * R, overlap = 1e-6;
    const double rise = sqrt((2.0 * R - overlap) * (2.0 * R - overlap) - 2.0 * half * half);
    size_t most = (size_t)size * (size_t)size * (size_t)size + 1;
    perp_system_id *ids = calloc(most, sizeof *ids);
    double *centres = calloc(3 * most, sizeof *centres);
    perp_status status = ids && centres ? PERP_SOLVED : PERP_ERR_MEMORY;
    int n = 0;
    s->radius = R;
    for (int layer = 0; layer < size; layer++) {
        for (int k = 0; k < (size - layer) * (size - layer) && status == PERP_SOLVED; k++, n++) {
            double *c = centres + 3 * n;
            int row = k / (size - layer);
            c[0] = half * (2 * row + layer);
            c[1] = half * (2 * (k % (size - layer)) + layer);
            c[2] = R - overlap + rise * layer;
            status = add_sphere(s, c[0], c[1], c[2], &ids[n]);
        }
    }
    if (status == PERP_SOLVED)
        status = link_pyramid(s, ids, centres, n);
    free(ids);
    free(centres);
    return status;
}

/* Spheres in a box of planes, on a lattice whose every second layer is shifted by half a pitch. */
static perp_status build_spheres(perp_bench_system *s, int size, double pitch, double lowest,
                                 double rise, double shift)
{
    const double R = 0.1;
    int wide = (int)ceil(cbrt(size));
    double side = pitch * (wide + 0.5);
    s->radius = R;
    perp_status status = perp_collider_create(&s->collider, s->model, &s->memory);
    if (status == PERP_SOLVED)
        status = perp_collider_set_material(s->collider, 0, 0, 0.0, 0.5);
    for (int k = 0; k < 5 && status == PERP_SOLVED; k++) {
        const double normal[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
        const double point[3] = {k == 2 ? side : 0.0, k == 4 ? side : 0.0, 0.0};
        status = perp_collider_add_plane(s->collider, point, normal[k], NULL, NULL);
    }
    for (int k = 0; k < size && status == PERP_SOLVED; k++) {
        int layer = k / (wide * wide), i = k / wide % wide, j = k % wide;
        double at = layer % 2 ? 0.5 + shift : 0.5;
        perp_system_id id;
        status = add_sphere(s, pitch * (i + at), pitch * (j + at), lowest + rise * layer, &id);
        if (status == PERP_SOLVED)
            status = perp_collider_add_sphere(s->collider, id, R, NULL, NULL, NULL);
    }
    return status;
}

/* A little apart, so that they settle. */
static perp_status build_pile(perp_bench_system *s, int size)
{
    return build_spheres(s, size, 0.21, 0.105, 0.21, 0.25);
}

/* Each a little above the pocket of four: all contacts close in the second step. */
static perp_status build_heap(perp_bench_system *s, int size)
{
    const double pitch = 0.202, rise = sqrt(0.04 - 0.5 * pitch * pitch);
    return build_spheres(s, size, pitch, 0.1 + 1e-6, rise + 1e-6, 0.5);
}

const perp_bench_kind perp_bench_kinds[] = {
    {"ball", "bouncing ball", 5e-3, build_ball, 1},
    {"column", "falling column of beads", 5e-4, build_column, 1},
    {"stack", "column of beads at rest", 5e-4, build_stack, 1},
    {"bridge", "diode bridge", 1e-6, build_bridge, 1},
    {"pyramid", "pyramid of spheres, layers", 1e-3, build_pyramid, 1},
    {"pile", "pile of spheres, contacts found", 1e-3, build_pile, 0},
    {"heap", "spheres that lie close from the start", 1e-3, build_heap, 0},
    {NULL, NULL, 0.0, NULL, 0}};

const perp_bench_kind *perp_bench_find(const char *text, int *size)
{
    size_t length = strcspn(text, ":");
    *size = text[length] ? atoi(text + length + 1) : 1;
    for (const perp_bench_kind *kind = perp_bench_kinds; *size > 0 && kind->name; kind++)
        if (strlen(kind->name) == length && !strncmp(kind->name, text, length))
            return kind;
    return NULL;
}

/* No second attempt: the peer has none. */
static perp_failure_action accept_it(void *ctx, const perp_sim *sim, const perp_info *info,
                                     int attempt, const char **solver)
{
    (void)ctx;
    (void)sim;
    (void)info;
    (void)attempt;
    (void)solver;
    return PERP_FAILURE_ACCEPT;
}

perp_status perp_bench_make(perp_bench_system *s, const perp_bench_kind *kind, int size, int timing,
                            const perp_bench_how *how)
{
    perp_scheme scheme;
    perp_sim_options options;
    perp_settings settings;
    memset(s, 0, sizeof *s);
    s->memory = (perp_allocator){counted, released, s};
    s->h = kind->h;
    perp_status status = perp_model_create(&s->model, &s->memory);
    if (status == PERP_SOLVED)
        status = kind->build(s, size);
    perp_sim_options_init(&options, sizeof options);
    perp_settings_init(&settings, sizeof settings);
    options.settings = &settings;
    options.h = kind->h;
    options.timing = timing;
    options.form = how->form;
    options.on_unsolved = PERP_UNSOLVED_ACCEPT; /* as the peer does */
    /* The peer pivots; beads are sensitive to what an iteration leaves. */
    settings.tol = 1e-12;
    if (s->radius > 0.0) {
        /* Friction to 1e-3, as the peer's are. */
        options.solver = "gs";
        settings.tol = 1e-3;
        settings.max_iter = 1000;
        settings.measure = PERP_MEASURE_NATURAL;
    }
    settings.threads = how->threads ? how->threads : settings.threads;
    options.solver = how->solver ? how->solver : options.solver;
    if (how->set && perp_measure_setting(&settings, how->set))
        return PERP_ERR_SETTING;
    if (status == PERP_SOLVED)
        status = perp_sim_create(&s->sim, s->model, &options, &s->memory, NULL);
    if (status == PERP_SOLVED && how->scheme)
        status = perp_scheme_init(&scheme, how->scheme, sizeof scheme);
    if (status == PERP_SOLVED && how->scheme)
        status = perp_sim_set_scheme(s->sim, (perp_system_id){0, 0}, &scheme);
    if (status == PERP_SOLVED)
        perp_sim_set_on_failure(s->sim, accept_it, NULL);
    if (status == PERP_SOLVED && s->collider)
        perp_sim_set_before_step(s->sim, perp_collider_step, s->collider);
    return status;
}

void perp_bench_destroy(perp_bench_system *s)
{
    perp_sim_destroy(s->sim);
    perp_collider_destroy(s->collider);
    perp_model_destroy(s->model);
    s->sim = NULL;
    s->collider = NULL;
    s->model = NULL;
}

double perp_bench_checksum(perp_bench_system *s)
{
    double sum = 0.0;
    perp_system_id id = {0, 0};
    for (int k = perp_model_systems(s->model); k > 0; k--) {
        double *x, *v;
        int nx, nv;
        id = perp_model_next_system(s->model, id);
        if (perp_model_state(s->model, id, &x, &v, &nx, &nv) != PERP_SOLVED)
            return NAN;
        for (int i = 0; i < nx; i++)
            sum += v ? x[i] : fabs(x[i]);
        for (int i = 0; v && i < nv; i++)
            sum += fabs(v[i]);
    }
    return sum;
}
