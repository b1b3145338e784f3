/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* getline */
#include "scene/contacts_hdf5.h"

#include <stdlib.h>
#include <string.h>

#include "scene/contacts_csv.h"
#include "scene/files.h"

enum { COLUMNS = 48, FIRST = 1, SECOND = 2, STATE = 22, INTERACTION = 47, BATCH = 1024 };

/* Columns `at`, ... of the CSV file; further ones from `more` on and one at `last`, 0: none. */
static const struct {
    const char *name;
    int whole, count, at, more; /* whole: int32 */
    const char *units;          /* in the plane those of u and lambda go by the row */
    int last;
} sets[] = {{"t", 0, 1, 0, 0, "s", 0},
            {"first", 1, 1, FIRST, 0, "1", 0},
            {"second", 1, 1, SECOND, 0, "1", 0},
            {"first_shape", 1, 1, 39, 0, "1", 0},
            {"second_shape", 1, 1, 40, 0, "1", 0},
            {"feature", 1, 1, 3, 0, "1", 0},
            {"rows", 1, 1, 4, 0, "1", 0},
            {"active", 1, 1, 5, 0, "1", 0},
            {"state", 1, 1, STATE, 0, "1", 0},
            {"gap", 0, 1, 6, 0, "m", 0},
            {"normal", 0, 3, 7, 0, "1", 0},
            {"point_a", 0, 3, 10, 0, "m", 0},
            {"point_b", 0, 3, 13, 0, "m", 0},
            {"velocity", 0, 3, 30, 0, "m/s", 0},
            {"spin", 0, 3, 33, 0, "rad/s", 0},
            {"impulse", 0, 3, 23, 0, "N s", 0},
            {"moment", 0, 3, 36, 0, "N m s", 0},
            {"u", 0, 6, 16, 26, "m/s,m/s,m/s,rad/s,rad/s,rad/s", 45},
            {"lambda", 0, 6, 19, 28, "N s,N s,N s,N m s,N m s,N m s", 46},
            {"e", 0, 1, 41, 0, "1", 0},
            {"mu", 0, 1, 42, 0, "1", 0},
            {"rolling", 0, 1, 43, 0, "m", 0},
            {"torsion", 0, 1, 44, 0, "m", 0},
            {"interaction", 1, 1, INTERACTION, 0, "1", 0}};
enum { SETS = sizeof sets / sizeof sets[0] };

typedef struct table {
    hid_t group, set[SETS];
    hsize_t rows, done;
    double *batch, *packed; /* BATCH rows of the file; columns of one set */
} table;

int perp_scene_hdf5_text(hid_t at, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), made = -1;
    int bad = H5Tset_size(type, strlen(text) + 1) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0;

    if (!bad)
        made = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bad = made < 0 || H5Awrite(made, type, text) < 0;
    if (made >= 0)
        H5Aclose(made);
    H5Sclose(space);
    H5Tclose(type);
    return bad ? -1 : 0;
}

hsize_t perp_scene_hdf5_lines(FILE *f)
{
    char block[8192];
    hsize_t lines = 0;

    for (size_t size; (size = fread(block, 1, sizeof block, f)) > 0;)
        for (size_t k = 0; k < size; k++)
            lines += block[k] == '\n';
    rewind(f);
    return lines;
}

double perp_scene_contacts_hdf5_bytes(FILE *csv)
{
    return csv == NULL ? 0.0 : (double)perp_scene_hdf5_lines(csv) * COLUMNS * sizeof(double);
}

/* A dataset of texts of one length, each with its 0, or one text alone. */
static int write_texts(hid_t group, const char *name, const char *texts, size_t width,
                       hsize_t count, int alone)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE), type = H5Tcopy(H5T_C_S1), set = -1;
    hid_t space = alone ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
    int bad = H5Pset_obj_track_times(list, 0) < 0 || H5Tset_size(type, width) < 0 ||
              H5Tset_cset(type, H5T_CSET_UTF8) < 0;

    if (!bad)
        set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    bad = set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) < 0;
    if (set >= 0)
        H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    H5Pclose(list);
    return bad ? -1 : 0;
}

/* Without times, so that the same data gives the same bytes. */
static hid_t make_group(hid_t file, const char *name)
{
    hid_t list = H5Pcreate(H5P_GROUP_CREATE);
    hid_t group = H5Pset_obj_track_times(list, 0) < 0
                      ? -1
                      : H5Gcreate2(file, name, H5P_DEFAULT, list, H5P_DEFAULT);

    H5Pclose(list);
    return group;
}

int perp_scene_copy_hdf5(hid_t file, const perp_scene *scene, const char *dir)
{
    FILE *f = fopen(perp_scene_join(dir, "scene.json").text, "rb");
    char *text = NULL;
    long bytes = -1;
    hid_t group;
    int bad;

    if (f == NULL)
        return -1;
    if (fseek(f, 0, SEEK_END) == 0 && (bytes = ftell(f)) >= 0)
        text = perp_scene_zeroed(&scene->memory, (size_t)bytes + 1, 1);
    rewind(f);
    bad = text == NULL || fread(text, 1, (size_t)bytes, f) != (size_t)bytes;
    fclose(f);
    group = bad ? -1 : make_group(file, "run");
    bad = group < 0 || write_texts(group, "scene", text, (size_t)bytes + 1, 1, 1) != 0;
    if (group >= 0)
        H5Gclose(group);
    perp_scene_release(&scene->memory, text);
    return bad ? -1 : 0;
}

typedef const char *(*name_fn)(const perp_scene *scene, int k);

static const char *name_of_body(const perp_scene *scene, int k)
{
    return scene->systems[k]->name;
}

static const char *name_of_interaction(const perp_scene *scene, int k)
{
    return scene->interactions[k].name;
}

/* Names in the order of the scene. */
static int write_names(hid_t group, const char *set, const perp_scene *scene, name_fn name,
                       int count)
{
    size_t width = 1;
    char *texts;
    int bad;

    for (int k = 0; k < count; k++)
        if (strlen(name(scene, k)) >= width)
            width = strlen(name(scene, k)) + 1;
    texts = perp_scene_zeroed(&scene->memory, (size_t)count * width + 1, 1);
    if (texts == NULL)
        return -1;
    for (int k = 0; k < count; k++)
        strcpy(texts + (size_t)k * width, name(scene, k));
    bad = write_texts(group, set, texts, width, (hsize_t)count, 0);
    perp_scene_release(&scene->memory, texts);
    return bad;
}

/* A third row is one of friction in space, and of rolling in the plane. */
static int is_in_space(const perp_scene *scene)
{
    for (int k = 0; k < scene->nsystems; k++)
        if (!scene->systems[k]->fixed && scene->systems[k]->shape.form != PERP_SCENE_NO_SHAPE &&
            scene->systems[k]->kind != PERP_SCENE_BODY)
            return 0;
    return 1;
}

static int create_sets(table *out, const perp_scene *scene)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    int bad = H5Pset_obj_track_times(list, 0) < 0, in_space = is_in_space(scene);

    for (int k = 0; k < SETS && !bad; k++) {
        hsize_t extent[2] = {out->rows, (hsize_t)sets[k].count};
        hid_t space = H5Screate_simple(sets[k].count == 1 ? 1 : 2, extent, NULL);
        out->set[k] =
            H5Dcreate2(out->group, sets[k].name, sets[k].whole ? H5T_STD_I32LE : H5T_IEEE_F64LE,
                       space, H5P_DEFAULT, list, H5P_DEFAULT);
        H5Sclose(space);
        bad = out->set[k] < 0 || ((in_space || sets[k].more == 0) &&
                                  perp_scene_hdf5_text(out->set[k], "units", sets[k].units) != 0);
    }
    H5Pclose(list);
    return bad ? -1 : 0;
}

static int write_set(table *out, int k, hsize_t count)
{
    int entries = sets[k].count, near = sets[k].more > 0 ? 3 : entries;
    int far = sets[k].last > 0 ? entries - 1 : entries;
    hsize_t start[2] = {out->done, 0}, extent[2] = {count, (hsize_t)entries};
    hid_t from = H5Screate_simple(entries == 1 ? 1 : 2, extent, NULL),
          to = H5Dget_space(out->set[k]);
    int bad;

    for (hsize_t row = 0; row < count; row++)
        for (int i = 0; i < entries; i++)
            out->packed[row * (hsize_t)entries + (hsize_t)i] =
                out->batch[row * COLUMNS + (hsize_t)(i < near  ? sets[k].at + i
                                                     : i < far ? sets[k].more + i - near
                                                               : sets[k].last)];
    bad = H5Sselect_hyperslab(to, H5S_SELECT_SET, start, NULL, extent, NULL) < 0 ||
          H5Dwrite(out->set[k], H5T_NATIVE_DOUBLE, from, to, H5P_DEFAULT, out->packed) < 0;
    H5Sclose(from);
    H5Sclose(to);
    return bad ? -1 : 0;
}

/* The number of a word: of a state, or of a body or an interaction in the order of the scene. */
static double number_of(perp_scene *scene, int column, const char *word)
{
    if (column == INTERACTION)
        return word[0] != '\0' ? perp_scene_find_interaction(scene, word) : -1;
    if (column != STATE)
        return perp_scene_find_system(scene, word);
    for (int k = 0; k < PERP_SCENE_CONTACT_STATES; k++)
        if (strcmp(word, perp_scene_contact_states[k]) == 0)
            return k;
    return -1.0;
}

static int read_row(double *row, perp_scene *scene, char *line)
{
    const char *at = line;

    for (int k = 0; k < COLUMNS; k++) {
        if (k == FIRST || k == SECOND || k == STATE || k == INTERACTION) {
            char word[128];
            size_t length = strcspn(at, ",\n");
            snprintf(word, sizeof word, "%.*s", (int)(length < 127 ? length : 127), at);
            row[k] = number_of(scene, k, word);
            at += length;
        } else if ((at = perp_number_read(at, &row[k])) == NULL) {
            return -1;
        }
        if (*at != (k + 1 < COLUMNS ? ',' : '\n'))
            return -1;
        at++;
    }
    return 0;
}

static int copy_rows(table *out, perp_scene *scene, FILE *csv)
{
    hsize_t held = 0, total = 0;
    size_t capacity = 0;
    char *line = NULL;
    int bad = getline(&line, &capacity, csv) <= 0 || strcmp(line, perp_scene_contacts_head) != 0;

    while (!bad && total < out->rows) {
        bad = getline(&line, &capacity, csv) <= 0 ||
              read_row(out->batch + held * COLUMNS, scene, line) != 0;
        total++;
        if (++held < BATCH && total < out->rows)
            continue;
        for (int k = 0; k < SETS && !bad; k++)
            bad = write_set(out, k, held) != 0;
        out->done += held;
        held = 0;
    }
    free(line);
    return bad ? -1 : 0;
}

int perp_scene_contacts_hdf5(hid_t file, perp_scene *scene, FILE *csv)
{
    static const char states[] = "open,sticking,sliding,rolling,spinning";
    const perp_allocator *memory = &scene->memory;
    table out = {.group = make_group(file, "contacts"), .rows = perp_scene_hdf5_lines(csv) - 1};
    int bad;

    for (int k = 0; k < SETS; k++)
        out.set[k] = -1;
    out.batch = perp_scene_zeroed(memory, BATCH * COLUMNS, sizeof *out.batch);
    out.packed = perp_scene_zeroed(memory, BATCH * 6, sizeof *out.packed);
    bad = out.group < 0 || out.batch == NULL || out.packed == NULL ||
          create_sets(&out, scene) != 0 ||
          perp_scene_hdf5_text(out.set[8], "states", states) != 0 ||
          write_names(out.group, "bodies", scene, name_of_body, scene->nsystems) != 0 ||
          write_names(out.group, "interactions", scene, name_of_interaction,
                      scene->ninteractions) != 0 ||
          copy_rows(&out, scene, csv) != 0;
    for (int k = 0; k < SETS; k++)
        if (out.set[k] >= 0)
            bad |= H5Dclose(out.set[k]) < 0;
    if (out.group >= 0)
        H5Gclose(out.group);
    perp_scene_release(memory, out.batch);
    perp_scene_release(memory, out.packed);
    return bad ? -1 : 0;
}
