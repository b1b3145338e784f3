/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/vtk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/contacts_vtk.h"
#include "scene/files.h"
#include "scene/plain_number.h"
#include "scene/run_job.h"
#include "scene/shapes.h"

enum { AROUND = 12, RINGS = 5, CIRCLE = PERP_SCENE_CIRCLE, POINTS = 2 + AROUND * RINGS };
enum { FEW = 200, MANY = 2000 }; /* balls are drawn more coarsely above each */

static const double pi = 3.14159265358979323846;

/* The outline of a shape in its own frame: points, and polygons as counts and numbers.  Those of a
 * hull are borrowed: triangles. */
typedef struct outline {
    int points, polygons, entries;
    const double *point;
    const int *size, *vertex; /* size: NULL, all triangles */
    double own_point[3 * POINTS];
    int own_size[2 * POINTS], own_vertex[4 * 2 * POINTS];
} outline;

static void add_point(outline *out, double x, double y, double z)
{
    double *p = out->own_point + 3 * out->points++;
    p[0] = x, p[1] = y, p[2] = z;
}

static void add_polygon(outline *out, int count, const int *vertex)
{
    out->own_size[out->polygons++] = count;
    for (int k = 0; k < count; k++)
        out->own_vertex[out->entries++] = vertex[k];
}

/* A ball whose halves are moved apart along z: a sphere or a capsule. */
static void draw_ball(outline *out, double radius, double apart, const perp_scene_frames *frames)
{
    int around = frames->around, rings = frames->rings;

    add_point(out, 0.0, 0.0, radius + apart);
    for (int i = 1; i <= rings; i++) {
        double z = radius * frames->latitude[i][0], r = radius * frames->latitude[i][1];
        double shift = 2 * i < rings + 1 ? apart : 2 * i > rings + 1 ? -apart : 0.0;
        for (int j = 0; j < around; j++)
            add_point(out, r * frames->longitude[j][0], r * frames->longitude[j][1], z + shift);
    }
    add_point(out, 0.0, 0.0, -radius - apart);
    for (int j = 0; j < around; j++) {
        int next = (j + 1) % around, last = 1 + rings * around, below = 1 + (rings - 1) * around;
        add_polygon(out, 3, (int[]){0, 1 + j, 1 + next});
        for (int i = 0; i + 1 < rings; i++) {
            int a = 1 + i * around, b = a + around;
            add_polygon(out, 4, (int[]){a + j, b + j, b + next, a + next});
        }
        add_polygon(out, 3, (int[]){last, below + next, below + j});
    }
}

static void draw_box(outline *out, const double *half)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

    for (int k = 0; k < 8; k++)
        add_point(out, k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1],
                  k & 4 ? half[2] : -half[2]);
    for (int k = 0; k < 6; k++)
        add_polygon(out, 4, faces[k]);
}

static void draw_disc(outline *out, double radius, const perp_scene_frames *frames)
{
    int all[CIRCLE];

    for (int k = 0; k < CIRCLE; k++) {
        add_point(out, radius * frames->circle[k][0], radius * frames->circle[k][1], 0.0);
        all[k] = k;
    }
    add_polygon(out, CIRCLE, all);
}

/* A square of the plane; a line of the plane of two dimensions becomes a strip. */
static void draw_plane(outline *out, const perp_scene_shape *shape, double extent)
{
    const double *n = shape->normal;
    double a[3], b[3];
    int axis = fabs(n[0]) < 0.7 ? 0 : 1;

    if (shape->size[0] > 0.0) {
        a[0] = -n[1], a[1] = n[0], a[2] = 0.0;
        b[0] = b[1] = 0.0, b[2] = 0.05;
    } else {
        double e[3] = {axis == 0, axis == 1, 0.0};
        double length;
        a[0] = n[1] * e[2] - n[2] * e[1];
        a[1] = n[2] * e[0] - n[0] * e[2];
        a[2] = n[0] * e[1] - n[1] * e[0];
        length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (int k = 0; k < 3; k++)
            a[k] /= length;
        b[0] = n[1] * a[2] - n[2] * a[1];
        b[1] = n[2] * a[0] - n[0] * a[2];
        b[2] = n[0] * a[1] - n[1] * a[0];
    }
    for (int k = 0; k < 4; k++) {
        double s = k == 0 || k == 3 ? -extent : extent, t = k < 2 ? -extent : extent;
        add_point(out, n[0] * shape->offset + s * a[0] + t * b[0],
                  n[1] * shape->offset + s * a[1] + t * b[1],
                  n[2] * shape->offset + s * a[2] + t * b[2]);
    }
    add_polygon(out, 4, (int[]){0, 1, 2, 3});
}

/* Two rings, or a ring and a tip; the second of a cone has the radius 0. */
static void draw_round(outline *out, double radius, double low, double high, int is_cone,
                       const perp_scene_frames *frames)
{
    int n = frames->around, bottom[CIRCLE] = {0}, top[CIRCLE] = {0};

    for (int j = 0; j < n; j++)
        add_point(out, radius * frames->longitude[j][0], radius * frames->longitude[j][1], low);
    for (int j = 0; j < n && !is_cone; j++)
        add_point(out, radius * frames->longitude[j][0], radius * frames->longitude[j][1], high);
    if (is_cone)
        add_point(out, 0.0, 0.0, high);
    for (int j = 0; j < n; j++) {
        int next = (j + 1) % n;
        bottom[j] = n - 1 - j;
        top[j] = n + j;
        if (is_cone)
            add_polygon(out, 3, (int[]){j, next, n});
        else
            add_polygon(out, 4, (int[]){j, next, n + next, n + j});
    }
    add_polygon(out, n, bottom);
    if (!is_cone)
        add_polygon(out, n, top);
}

static void draw_ellipsoid(outline *out, const double *semi, const perp_scene_frames *frames)
{
    draw_ball(out, 1.0, 0.0, frames);
    for (int i = 0; i < 3 * out->points; i++)
        out->own_point[i] *= semi[i % 3];
}

static void draw(outline *out, const perp_scene_shape *shape, const perp_scene_frames *frames)
{
    out->points = out->polygons = out->entries = 0;
    out->point = out->own_point;
    out->size = out->own_size;
    out->vertex = out->own_vertex;
    switch (shape->form) {
    case PERP_SCENE_SPHERE:
        draw_ball(out, shape->size[0], 0.0, frames);
        break;
    case PERP_SCENE_CAPSULE:
        draw_ball(out, shape->size[0], shape->size[1], frames);
        break;
    case PERP_SCENE_BOX:
        draw_box(out, shape->size);
        break;
    case PERP_SCENE_DISC:
        draw_disc(out, shape->size[0], frames);
        break;
    case PERP_SCENE_PLANE:
        draw_plane(out, shape, frames->extent);
        break;
    case PERP_SCENE_CYLINDER:
        draw_round(out, shape->size[0], -shape->size[1], shape->size[1], 0, frames);
        break;
    case PERP_SCENE_CONE:
        draw_round(out, shape->size[0], 0.0, 2.0 * shape->size[1], 1, frames);
        break;
    case PERP_SCENE_ELLIPSOID:
        draw_ellipsoid(out, shape->size, frames);
        break;
    case PERP_SCENE_HULL:
    case PERP_SCENE_SURFACE:
    case PERP_SCENE_POLYGON:
        out->point = shape->vertex;
        out->points = shape->vertices;
        out->size = NULL;
        out->vertex = shape->triangle;
        out->polygons = shape->triangles;
        out->entries = 3 * shape->triangles;
        break;
    default:
        break;
    }
}

/* Position and orientation of a system, 7 numbers, and its speed. */
static double pose_of_system(double *q, perp_scene *scene, const perp_scene_member *s)
{
    double *x = NULL, *v = NULL, speed = 0.0;

    memset(q, 0, 7 * sizeof *q);
    q[3] = 1.0;
    if (s->fixed) {
        memcpy(q, s->position, sizeof s->position);
        if (s->shape.form != PERP_SCENE_PLANE)
            memcpy(q + 3, s->quaternion, sizeof s->quaternion);
        return 0.0;
    }
    perp_model_state(scene->model, s->id, &x, &v, NULL, NULL);
    if (s->kind == PERP_SCENE_BODY) {
        memcpy(q, x, 7 * sizeof *q);
    } else {
        q[0] = x[0], q[1] = x[1];
        q[3] = cos(0.5 * x[2]), q[6] = sin(0.5 * x[2]);
    }
    for (int k = 0; k < (s->kind == PERP_SCENE_BODY ? 3 : 2); k++)
        speed += v[k] * v[k];
    return sqrt(speed);
}

/* The same of one of its shapes. */
static double pose(double *q, perp_scene *scene, const perp_scene_member *s,
                   const perp_scene_shape *shape)
{
    double speed = pose_of_system(q, scene, s), place[3];

    if (shape->form == PERP_SCENE_PLANE)
        return speed;
    perp_quaternion_rotate(q + 3, shape->place, place);
    for (int k = 0; k < 3; k++)
        q[k] += place[k];
    perp_quaternion_product(q + 3, shape->turn, q + 3);
    return speed;
}

typedef enum part { PLACES, VERTICES, OFFSETS, NUMBERS, SPEEDS } part;

static void put_number(FILE *f, double x, char end)
{
    char text[PERP_SCENE_SHORT + 1];
    size_t length = perp_scene_short_number(text, x);
    text[length] = end;
    fwrite(text, 1, length + 1, f);
}

static void put_integer(FILE *f, int x, char end)
{
    char text[PERP_SCENE_SHORT + 1];
    size_t length = perp_scene_short_integer(text, x);
    text[length] = end;
    fwrite(text, 1, length + 1, f);
}

/* Places of the arrays in the file. */
typedef struct counts {
    int points, entries;
} counts;

static void write_shape(FILE *f, part which, const outline *out, const double *q, double speed,
                        int number, counts *c)
{
    double place[3];

    for (int i = 0; which == PLACES && i < out->points; i++) {
        perp_quaternion_rotate(q + 3, out->point + 3 * i, place);
        for (int k = 0; k < 3; k++)
            put_number(f, q[k] + place[k], k == 2 ? '\n' : ' ');
    }
    for (int i = 0; which == VERTICES && i < out->entries; i++)
        put_integer(f, c->points + out->vertex[i], i % 16 == 15 ? '\n' : ' ');
    for (int i = 0; i < out->polygons; i++) {
        c->entries += out->size != NULL ? out->size[i] : 3;
        if (which == OFFSETS)
            put_integer(f, c->entries, '\n');
        else if (which == NUMBERS)
            put_integer(f, number, '\n');
        else if (which == SPEEDS)
            put_number(f, speed, '\n');
    }
    c->points += out->points;
}

/* One pass over all shapes writes one array of the file. */
static void write_part(FILE *f, part which, const perp_scene_frames *frames, perp_scene *scene)
{
    outline out;
    counts c = {0, 0};

    for (int k = 0; k < scene->nsystems; k++) {
        perp_scene_member *s = scene->systems[k];
        for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x;
             x = perp_scene_next_shape(s, x)) {
            double q[7], speed = pose(q, scene, s, x);
            draw(&out, x, frames);
            write_shape(f, which, &out, q, speed, k, &c);
        }
    }
}

static void write_polydata(FILE *f, const perp_scene_frames *frames, perp_scene *scene)
{
    static const char *const head[] = {
        [PLACES] = "<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" "
                   "format=\"ascii\">\n",
        [VERTICES] = "<Polys>\n<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">\n",
        [OFFSETS] = "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">\n",
        [NUMBERS] = "<CellData Scalars=\"body\">\n<DataArray type=\"Int32\" Name=\"body\" "
                    "format=\"ascii\">\n",
        [SPEEDS] = "<DataArray type=\"Float64\" Name=\"speed\" format=\"ascii\">\n"};
    static const char *const tail[] = {[PLACES] = "</DataArray>\n</Points>\n",
                                       [VERTICES] = "\n</DataArray>\n",
                                       [OFFSETS] = "</DataArray>\n</Polys>\n",
                                       [NUMBERS] = "</DataArray>\n",
                                       [SPEEDS] = "</DataArray>\n</CellData>\n"};
    outline out;
    int points = 0, polygons = 0;

    for (int k = 0; k < scene->nsystems; k++) {
        perp_scene_member *s = scene->systems[k];
        for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x;
             x = perp_scene_next_shape(s, x)) {
            draw(&out, x, frames);
            points += out.points;
            polygons += out.polygons;
        }
    }
    fprintf(f,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\" "
            "byte_order=\"LittleEndian\">\n<PolyData>\n<Piece NumberOfPoints=\"%d\" "
            "NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n",
            points, polygons);
    for (part which = PLACES; which <= SPEEDS; which++) {
        fputs(head[which], f);
        write_part(f, which, frames, scene);
        fputs(tail[which], f);
    }
    fputs("</Piece>\n</PolyData>\n</VTKFile>\n", f);
}

static void fill_angles(double (*table)[2], int count, double step, int parts)
{
    for (int k = 0; k < count; k++) {
        table[k][0] = cos(step * k / parts);
        table[k][1] = sin(step * k / parts);
    }
}

void perp_scene_frames_start(perp_scene_frames *frames, const char *dir, perp_scene *scene,
                             double until)
{
    double steps = (until - scene->t0) / scene->step, q[7], largest = 0.0;
    int shapes = 0;

    memset(frames, 0, sizeof *frames);
    for (int k = 0; k < scene->nsystems; k++) {
        const perp_scene_member *s = scene->systems[k];
        shapes += s->shape.form != PERP_SCENE_NO_SHAPE && !s->fixed;
        if (s->shape.form == PERP_SCENE_NO_SHAPE || s->shape.form == PERP_SCENE_PLANE)
            continue;
        pose_of_system(q, scene, s);
        for (int i = 0; i < 3; i++)
            largest = fmax(largest, fabs(q[i]) + s->shape.size[0]);
    }
    if (shapes == 0 || scene->frames == 0 || dir == NULL)
        return;
    frames->dir = dir;
    frames->around = shapes <= FEW ? AROUND : shapes <= MANY ? 8 : 4;
    frames->rings = shapes <= FEW ? RINGS : shapes <= MANY ? 3 : 1;
    fill_angles(frames->longitude, frames->around, 2.0 * pi, frames->around);
    fill_angles(frames->latitude, frames->rings + 1, pi, frames->rings + 1);
    fill_angles(frames->circle, CIRCLE, 2.0 * pi, CIRCLE);
    frames->extent = largest > 0.0 ? 1.5 * largest : 1.0;
    frames->every = scene->frames > 0 ? scene->frames
                    : steps > 200.0   ? (int)fmin(steps / 200.0, 1e9)
                                      : 1;
}

static int shows_contacts(const perp_scene *scene)
{
    return scene->record.contacts && scene->contacts != NULL;
}

int perp_scene_frame(perp_scene_frames *frames, perp_scene *scene)
{
    perp_scene_path_text folder = perp_scene_join(frames->dir, "frames");
    char name[32];
    FILE *f;

    if (frames->count == 0 && perp_scene_make_folder(folder.text) != 0)
        return -1;
    snprintf(name, sizeof name, "%06d.vtp", frames->count);
    f = perp_scene_open(folder.text, name);
    if (f == NULL)
        return -1;
    write_polydata(f, frames, scene);
    if (perp_scene_keep(f, folder.text, name) != 0 ||
        (shows_contacts(scene) && perp_scene_contact_frame(folder.text, frames->count, scene) != 0))
        return -1;
    frames->count++;
    return 0;
}

int perp_scene_frames_sync(perp_scene_frames *frames, double seconds)
{
    double begun = perp_scene_seconds();
    int before = frames->synced;

    if (frames->dir == NULL)
        return 0;
    perp_scene_path_text folder = perp_scene_join(frames->dir, "frames");
    while (frames->synced < frames->count && perp_scene_seconds() - begun < seconds) {
        char name[32];
        snprintf(name, sizeof name, "%06d.vtp", frames->synced++);
        if (perp_scene_sync_kept(perp_scene_join(folder.text, name).text) != 0)
            return -1;
    }
    return frames->synced > before ? perp_scene_sync_kept(folder.text) : 0;
}

int perp_scene_frames_list(const perp_scene_frames *frames, const perp_scene *scene)
{
    FILE *f = perp_scene_open(frames->dir, "frames.pvd");

    if (f == NULL)
        return -1;
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
          "byte_order=\"LittleEndian\">\n<Collection>\n",
          f);
    for (int k = 0; k < frames->count; k++) {
        double t = scene->t0 + (double)k * frames->every * scene->step;
        if (frames->between && k == frames->count - 1)
            t = frames->last;
        for (int layer = 0; layer <= shows_contacts(scene); layer++)
            fprintf(f, "<DataSet timestep=\"%s\" part=\"%d\" file=\"frames/%s%06d.vtp\"/>\n",
                    perp_scene_number_text(t, 17).text, layer, layer ? "contacts-" : "", k);
    }
    fputs("</Collection>\n</VTKFile>\n", f);
    return perp_scene_keep(f, frames->dir, "frames.pvd");
}
