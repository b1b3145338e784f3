/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* pread */
#include "scene/vtk.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scene/contact_points.h"
#include "scene/contacts_vtk.h"
#include "scene/files.h"
#include "scene/plain_number.h"
#include "scene/run_job.h"
#include "scene/shapes.h"

enum { FRAMES = 200 }; /* where nobody says how many */
enum { NAME = 32 };

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

/* The arrays of a frame. */
enum { TIME, PLACES, VERTICES, OFFSETS, NUMBERS, SPEEDS, ARRAYS };

static const perp_vtk_array arrays[ARRAYS] = {
    [TIME] = {PERP_VTK_FIELD, PERP_VTK_DOUBLE, "TimeValue", 1, 1, 0},
    [PLACES] = {PERP_VTK_POINTS, PERP_VTK_DOUBLE, "Points", 3, 0, 0},
    [VERTICES] = {PERP_VTK_POLYS, PERP_VTK_INT, "connectivity", 1, 0, 0},
    [OFFSETS] = {PERP_VTK_POLYS, PERP_VTK_INT, "offsets", 1, 0, 0},
    [NUMBERS] = {PERP_VTK_CELL_DATA, PERP_VTK_INT, "body", 1, 0, 0},
    [SPEEDS] = {PERP_VTK_CELL_DATA, PERP_VTK_DOUBLE, "speed", 1, 0, 0}};

/* One outline into what does not change from frame to frame. */
static void keep_outline(perp_scene_frames *frames, perp_scene_frame_shape *kept,
                         const perp_scene_outline *out, int number, size_t *entries)
{
    for (int i = 0; i < out->entries; i++) {
        int32_t vertex = (int32_t)kept->point + out->vertex[i];
        perp_vtk_put(&frames->file, &frames->array[VERTICES], *entries + (size_t)i, &vertex, 1);
    }
    for (int i = 0; i < out->polygons; i++) {
        int32_t body = number;
        *entries += (size_t)(out->size != NULL ? out->size[i] : 3);
        int32_t end = (int32_t)*entries;
        perp_vtk_put(&frames->file, &frames->array[OFFSETS], kept->polygon + (size_t)i, &end, 1);
        perp_vtk_put(&frames->file, &frames->array[NUMBERS], kept->polygon + (size_t)i, &body, 1);
    }
    memcpy(frames->point + 3 * kept->point, out->point,
           3 * (size_t)out->points * sizeof *frames->point);
}

/* Counts all outlines, or keeps them where the capacity lasts. */
static void go_through(perp_scene_frames *frames, perp_scene *scene, int keep)
{
    perp_scene_outline out;
    size_t points = 0, polygons = 0, entries = 0, shapes = 0;

    for (int k = 0; k < scene->nsystems; k++) {
        perp_scene_member *s = scene->systems[k];
        for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x;
             x = perp_scene_next_shape(s, x)) {
            perp_scene_outline_draw(&out, x, &frames->detail);
            if (keep) {
                perp_scene_frame_shape *kept = &frames->shape[shapes];
                *kept = (perp_scene_frame_shape){points, polygons, out.points, out.polygons};
                keep_outline(frames, kept, &out, k, &entries);
            } else {
                entries += (size_t)out.entries;
            }
            points += (size_t)out.points;
            polygons += (size_t)out.polygons;
            shapes++;
        }
    }
    frames->shapes = shapes;
    frames->array[PLACES].count = 3 * points;
    frames->array[VERTICES].count = entries;
    frames->array[OFFSETS].count = frames->array[NUMBERS].count = frames->array[SPEEDS].count =
        polygons;
}

static int lay_out(perp_scene_frames *frames, perp_scene *scene)
{
    const perp_allocator *memory = &scene->memory;
    size_t points;

    memcpy(frames->array, arrays, sizeof arrays);
    go_through(frames, scene, 0);
    points = frames->array[PLACES].count / 3;
    if (points > INT32_MAX || frames->array[VERTICES].count > INT32_MAX) {
        errno = EOVERFLOW;
        return -1;
    }
    frames->point = perp_scene_zeroed(memory, 3 * points, sizeof *frames->point);
    frames->shape = perp_scene_zeroed(memory, frames->shapes, sizeof *frames->shape);
    if (frames->point == NULL || frames->shape == NULL) {
        errno = ENOMEM;
        return -1;
    }
    if (perp_vtk_lay_out(&frames->file, (int)points, 0, (int)frames->array[OFFSETS].count,
                         frames->array, ARRAYS) != 0)
        return -1;
    go_through(frames, scene, 1);
    return 0;
}

/* Half sizes and places of what is there, without planes. */
static double extent_of(perp_scene *scene, int *shapes)
{
    double q[7], largest = 0.0;

    *shapes = 0;
    for (int k = 0; k < scene->nsystems; k++) {
        const perp_scene_member *s = scene->systems[k];
        *shapes += s->shape.form != PERP_SCENE_NO_SHAPE && !s->fixed;
        if (s->shape.form == PERP_SCENE_NO_SHAPE || s->shape.form == PERP_SCENE_PLANE)
            continue;
        pose_of_system(q, scene, s);
        for (int i = 0; i < 3; i++)
            largest = fmax(largest, fabs(q[i]) + s->shape.size[0]);
    }
    return largest > 0.0 ? 1.5 * largest : 1.0;
}

static int shows_contacts(const perp_scene *scene)
{
    return scene->record.contacts && perp_scene_has_contacts(scene);
}

int perp_scene_frames_start(perp_scene_frames *frames, const char *dir, perp_scene *scene, int wish,
                            double until)
{
    double steps = (until - scene->t0) / scene->step, extent;
    int shapes = 0;

    memset(frames, 0, sizeof *frames);
    frames->file.memory = frames->contacts.memory = frames->memory = &scene->memory;
    extent = extent_of(scene, &shapes);
    if (wish == 0 && scene->frames > 0)
        wish = scene->frames;
    if ((shapes == 0 && !shows_contacts(scene)) || wish == 0 || dir == NULL)
        return 0;
    frames->dir = dir;
    perp_scene_detail_choose(&frames->detail, shapes > 0 ? shapes : 1, extent);
    frames->every = wish > 0 ? wish : steps > FRAMES ? (int)fmin(steps / FRAMES, 1e9) : 1;
    return lay_out(frames, scene);
}

void perp_scene_frames_end(perp_scene_frames *frames)
{
    if (frames->memory == NULL)
        return;
    if (frames->point != NULL)
        perp_scene_release(frames->memory, frames->point);
    if (frames->shape != NULL)
        perp_scene_release(frames->memory, frames->shape);
    perp_vtk_free(&frames->file);
    perp_vtk_free(&frames->contacts);
}

/* A shape where it is now. */
static void place_shape(perp_scene_frames *frames, const perp_scene_frame_shape *kept,
                        const double *q, double speed)
{
    double turn[3][3], place[3];

    for (int k = 0; k < 3; k++)
        perp_quaternion_rotate(q + 3, (const double[]){k == 0, k == 1, k == 2}, turn[k]);
    for (int i = 0; i < kept->points; i++) {
        size_t at = kept->point + (size_t)i;
        const double *x = frames->point + 3 * at;
        for (int k = 0; k < 3; k++)
            place[k] = q[k] + (turn[0][k] * x[0] + turn[1][k] * x[1] + turn[2][k] * x[2]);
        perp_vtk_put(&frames->file, &frames->array[PLACES], 3 * at, place, 3);
    }
    for (int i = 0; i < kept->polygons; i++)
        perp_vtk_put(&frames->file, &frames->array[SPEEDS], kept->polygon + (size_t)i, &speed, 1);
}

static void place_all(perp_scene_frames *frames, perp_scene *scene)
{
    const perp_scene_frame_shape *kept = frames->shape;
    double t = perp_sim_time(scene->sim);

    perp_vtk_put(&frames->file, &frames->array[TIME], 0, &t, 1);
    for (int k = 0; k < scene->nsystems; k++) {
        perp_scene_member *s = scene->systems[k];
        for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x;
             x = perp_scene_next_shape(s, x), kept++) {
            double q[7], speed;
            if (s->fixed && frames->placed)
                continue;
            speed = pose(q, scene, s, x);
            place_shape(frames, kept, q, speed);
        }
    }
    frames->placed = 1;
}

static const char *name_of(char name[NAME], int layer, int number)
{
    snprintf(name, NAME, "%s%06d.vtp", layer ? "contacts-" : "", number);
    return name;
}

int perp_scene_frame(perp_scene_frames *frames, perp_scene *scene)
{
    perp_scene_path_text folder = perp_scene_join(frames->dir, "frames");
    char name[NAME];

    if (frames->count == 0 && perp_scene_make_folder(folder.text) != 0)
        return -1;
    place_all(frames, scene);
    if (perp_scene_put(folder.text, name_of(name, 0, frames->count), frames->file.bytes,
                       frames->file.length) != 0)
        return -1;
    if (shows_contacts(scene) &&
        (perp_scene_contact_frame(&frames->contacts, scene) != 0 ||
         perp_scene_put(folder.text, name_of(name, 1, frames->count), frames->contacts.bytes,
                        frames->contacts.length) != 0))
        return -1;
    frames->count++;
    return 0;
}

int perp_scene_frames_sync(perp_scene_frames *frames, const perp_scene *scene, double seconds)
{
    double begun = perp_scene_seconds();
    int before = frames->synced;

    if (frames->dir == NULL)
        return 0;
    perp_scene_path_text folder = perp_scene_join(frames->dir, "frames");
    while (frames->synced < frames->count && perp_scene_seconds() - begun < seconds) {
        for (int layer = 0; layer <= shows_contacts(scene); layer++) {
            char name[NAME];
            name_of(name, layer, frames->synced);
            if (perp_scene_sync_kept(perp_scene_join(folder.text, name).text) != 0)
                return -1;
        }
        frames->synced++;
    }
    return frames->synced > before ? perp_scene_sync_kept(folder.text) : 0;
}

/* A frame of a run that this one goes on from: begun and ended as it should be.  Those that were
 * not synced may be lost with the power. */
static int is_whole(const char *path)
{
    static const char head[] = "<?xml", tail[] = "</VTKFile>\n";
    char text[sizeof tail] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC), whole = 0;
    struct stat st;

    if (fd < 0)
        return 0;
    if (fstat(fd, &st) == 0 && st.st_size > (off_t)sizeof tail &&
        pread(fd, text, sizeof head - 1, 0) == (ssize_t)sizeof head - 1 &&
        memcmp(text, head, sizeof head - 1) == 0)
        whole = pread(fd, text, sizeof tail - 1, st.st_size - (off_t)sizeof tail + 1) ==
                    (ssize_t)sizeof tail - 1 &&
                memcmp(text, tail, sizeof tail - 1) == 0;
    close(fd);
    return whole;
}

int perp_scene_frames_list(const perp_scene_frames *frames, const perp_scene *scene)
{
    FILE *f = perp_scene_open(frames->dir, "frames.pvd");

    if (f == NULL)
        return -1;
    fprintf(f,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
            "byte_order=\"%s\">\n<Collection>\n",
            perp_vtk_byte_order());
    for (int k = 0; k < frames->count; k++) {
        double t = scene->t0 + (double)k * frames->every * scene->step;
        if (frames->between && k == frames->count - 1)
            t = frames->last;
        for (int layer = 0; layer <= shows_contacts(scene); layer++) {
            char path[NAME + 8] = "frames/";
            name_of(path + strlen(path), layer, k);
            if (k < frames->before && !is_whole(perp_scene_join(frames->dir, path).text))
                continue;
            fprintf(f, "<DataSet timestep=\"%s\" part=\"%d\" file=\"%s\"/>\n",
                    perp_scene_number_text(t, 17).text, layer, path);
        }
    }
    fputs("</Collection>\n</VTKFile>\n", f);
    return perp_scene_keep(f, frames->dir, "frames.pvd");
}
