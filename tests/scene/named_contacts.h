/* SPDX-License-Identifier: BSD-3-Clause */
/* The contacts of a run as each of its outputs has them: the table, series.h5, the frames. */
#ifndef PERP_TESTS_SCENE_NAMED_CONTACTS_H
#define PERP_TESTS_SCENE_NAMED_CONTACTS_H

#include <config.h>

#include <check.h>
#ifdef HAVE_HDF5
#include <hdf5.h>
#endif
#include <unistd.h>

#include "tests/fixtures/run_folder.h"
#include "tests/scene/vtk_reader.h"

enum { NAMED_MOST = 4000, NAMED_TEXT = 32 };
enum { GAP, POINT, NORMAL = 4, VELOCITY = 7, IMPULSE = 10, MU = 13, NUMBERS };

typedef struct named_contact {
    double t, x[NUMBERS];
    char first[NAMED_TEXT], second[NAMED_TEXT], interaction[NAMED_TEXT]; /* "": the world, none */
    int state;
} named_contact;

static named_contact named[NAMED_MOST];
static int nnamed;

static const char *const named_columns[] = {"gap",      "point_a", "normal",
                                            "velocity", "impulse", "mu"};
static const int named_places[] = {GAP, POINT, NORMAL, VELOCITY, IMPULSE, MU};

static inline int named_width(int k)
{
    return k == 0 || k == 5 ? 1 : 3;
}

/* Fields of a line, in which some may be empty. */
static inline int named_split(char *line, char **field, int most)
{
    int count = 0;

    line[strcspn(line, "\n")] = '\0';
    for (char *at = line; at != NULL && count < most; count++) {
        char *comma = strchr(at, ',');
        if (comma != NULL)
            *comma++ = '\0';
        field[count] = at;
        at = comma;
    }
    return count;
}

static inline int named_column(char **head, int count, const char *name, int entries)
{
    char wanted[NAMED_TEXT];

    snprintf(wanted, sizeof wanted, entries > 1 ? "%s[0]" : "%s", name);
    for (int k = 0; k < count; k++)
        if (strcmp(head[k], wanted) == 0)
            return k;
    ck_abort_msg("no column %s", wanted);
    return 0;
}

static inline void named_word(char *out, const char *word)
{
    snprintf(out, NAMED_TEXT, "%s", strcmp(word, "world") == 0 ? "" : word);
}

static inline void named_from_csv(void)
{
    static const char *const states[] = {"open", "sticking", "sliding", "rolling", "spinning"};
    char names[2000], line[2000], *head[64], *field[64];
    FILE *f = fopen(run_folder_path("contacts.csv"), "r");

    ck_assert_msg(f != NULL, "no contacts.csv");
    ck_assert_ptr_nonnull(fgets(names, sizeof names, f));
    int count = named_split(names, head, 64);
    for (nnamed = 0; fgets(line, sizeof line, f) != NULL; nnamed++) {
        ck_assert_int_lt(nnamed, NAMED_MOST);
        ck_assert_int_eq(named_split(line, field, 64), count);
        named_contact *c = &named[nnamed];
        c->t = strtod(field[0], NULL);
        named_word(c->first, field[named_column(head, count, "first", 1)]);
        named_word(c->second, field[named_column(head, count, "second", 1)]);
        named_word(c->interaction, field[named_column(head, count, "interaction", 1)]);
        for (c->state = 4; c->state >= 0; c->state--)
            if (strcmp(states[c->state], field[named_column(head, count, "state", 1)]) == 0)
                break;
        for (int k = 0; k < 6; k++)
            for (int i = 0; i < named_width(k); i++)
                c->x[named_places[k] + i] = strtod(
                    field[named_column(head, count, named_columns[k], named_width(k)) + i], NULL);
    }
    fclose(f);
}

/* Frames of every step. */
static inline void named_from_vtk(void)
{
    char path[64];

    nnamed = 0;
    for (int frame = 0;; frame++) {
        vtk_poly_data file;
        snprintf(path, sizeof path, "frames/contacts-%06d.vtp", frame);
        if (access(run_folder_path(path), F_OK) != 0)
            break;
        vtk_read(&file, run_folder_path(path));
        const char *text[3] = {(const char *)vtk_find(&file, "first_name", "String", -1)->data,
                               (const char *)vtk_find(&file, "second_name", "String", -1)->data,
                               (const char *)vtk_find(&file, "interaction", "String", -1)->data};
        for (int k = 0; k < file.points; k++, nnamed++) {
            ck_assert_int_lt(nnamed, NAMED_MOST);
            named_contact *c = &named[nnamed];
            char *to[3] = {c->first, c->second, c->interaction};
            c->t = vtk_double(vtk_find(&file, "TimeValue", "Float64", 1), 0);
            c->state = vtk_int(vtk_find(&file, "state", "Int32", file.points), k);
            for (int i = 0; i < 3; i++) {
                named_word(to[i], text[i]);
                text[i] += strlen(text[i]) + 1;
            }
            for (int n = 0; n < 6; n++) {
                const char *name = n == 1 ? "Points" : named_columns[n];
                for (int i = 0; i < named_width(n); i++)
                    c->x[named_places[n] + i] = vtk_double(
                        vtk_find(&file, name, "Float64", file.points), named_width(n) * k + i);
            }
        }
        vtk_close(&file);
    }
    ck_assert_int_gt(nnamed, 0);
}

#ifdef HAVE_HDF5
static inline int named_set(double *out, hid_t file, const char *name, int entries)
{
    char path[64];
    hsize_t extent[2] = {0, 1};

    snprintf(path, sizeof path, "contacts/%s", name);
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    ck_assert_msg(set >= 0, "no %s", path);
    hid_t space = H5Dget_space(set);
    H5Sget_simple_extent_dims(space, extent, NULL);
    ck_assert_int_le((int)extent[0], NAMED_MOST);
    ck_assert_int_eq((int)extent[1], entries);
    ck_assert_int_ge(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out), 0);
    H5Sclose(space);
    H5Dclose(set);
    return (int)extent[0];
}

/* Words by their numbers: -1 is none. */
static inline void named_words(hid_t file, const char *numbers, const char *list, int which)
{
    static double number[NAMED_MOST];
    static char text[64 * 128];
    int count = named_set(number, file, numbers, 1);
    char path[64];

    snprintf(path, sizeof path, "contacts/%s", list);
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT), type = H5Dget_type(set);
    size_t width = H5Tget_size(type);
    ck_assert_uint_le(H5Dget_storage_size(set), sizeof text);
    ck_assert_int_ge(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text), 0);
    H5Tclose(type);
    H5Dclose(set);
    for (int k = 0; k < count; k++) {
        char *to = which == 0   ? named[k].first
                   : which == 1 ? named[k].second
                                : named[k].interaction;
        named_word(to, number[k] < 0.0 ? "" : text + (size_t)number[k] * width);
    }
}

static inline void named_from_hdf5(void)
{
    static double read[3 * NAMED_MOST];
    hid_t file = H5Fopen(run_folder_path("series.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);

    ck_assert_int_ge(file, 0);
    nnamed = named_set(read, file, "t", 1);
    for (int k = 0; k < nnamed; k++)
        named[k].t = read[k];
    named_set(read, file, "state", 1);
    for (int k = 0; k < nnamed; k++)
        named[k].state = (int)read[k];
    for (int n = 0; n < 6; n++) {
        int width = named_width(n);
        named_set(read, file, named_columns[n], width);
        for (int k = 0; k < width * nnamed; k++)
            named[k / width].x[named_places[n] + k % width] = read[k];
    }
    named_words(file, "first", "bodies", 0);
    named_words(file, "second", "bodies", 1);
    named_words(file, "interaction", "interactions", 2);
    H5Fclose(file);
}
#endif

typedef void (*named_reader)(void);
static const named_reader named_readers[] = {named_from_csv, named_from_vtk,
#ifdef HAVE_HDF5
                                             named_from_hdf5
#endif
};
enum { NAMED_READERS = sizeof named_readers / sizeof named_readers[0] };

#endif
