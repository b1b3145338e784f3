/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of contacts.csv go by their names: NAME, or NAME[i] where the dataset has entries.  Words
 * are numbers there, of the names beside them or, of states, in an attribute. */
#include "scene/verify/contacts_h5.h"

#include <hdf5.h>
#include <math.h>
#include <string.h>

#include "scene/plain_number.h"
#include "scene/verify/hdf5_silence.h"

enum { BATCH = 512, NAME = 96, COLUMNS = 1024, LONGEST = 4096 };
enum { NUMBERS_OF_A_BYTE = 150 }; /* a file that is packed as well as deflate can holds fewer */

/* Names of length `width`, each with its 0; count 0: there are none. */
typedef struct words {
    char *text;
    size_t width, count;
} words;

typedef struct column {
    char name[NAME];
    hid_t set;
    int rank, entry;
    const words *words; /* NULL: a number */
    double *batch;
} column;

struct perp_verify_contacts_h5 {
    hid_t file;
    column *columns; /* as in contacts.csv; set < 0: it is not here */
    int ncolumns;
    words bodies, interactions, states;
    long rows, row, first; /* row: the next one; first: of those held, -1: none are */
};

static int bad_file(perp_verification *v, const char *what)
{
    return perp_verify_fail(v, PERP_ERR_FORMAT, "%.400s/series.h5: %s", v->folder, what);
}

/* The texts of a dataset or an attribute of type and space; *bytes: what the file has. */
static int take_words(perp_verification *v, words *to, hid_t type, hid_t space, hsize_t bytes)
{
    hssize_t count = H5Sget_simple_extent_npoints(space);
    size_t width = H5Tget_size(type);

    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0 || count < 0 ||
        width == 0 || (double)count * (double)width > NUMBERS_OF_A_BYTE * (double)bytes)
        return bad_file(v, "names of its contacts are no texts");
    *to = (words){perp_verify_take(v, (size_t)count * width + 1, 1), width, (size_t)count};
    return to->text != NULL ? 0 : -1;
}

static int read_names(perp_verification *v, words *to, const char *label, hsize_t bytes)
{
    hid_t file = v->contacts_h5->file, set = H5Dopen2(file, label, H5P_DEFAULT);
    hid_t type = set < 0 ? -1 : H5Dget_type(set), space = set < 0 ? -1 : H5Dget_space(set);
    int bad =
        set < 0 ? bad_file(v, "its contacts have no names") : take_words(v, to, type, space, bytes);

    if (!bad && to->count > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to->text) < 0)
        bad = bad_file(v, "names of its contacts cannot be read");
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (set >= 0)
        H5Dclose(set);
    return bad ? -1 : 0;
}

/* "open,sticking,..", as one name after the other. */
static int read_states(perp_verification *v, hsize_t bytes)
{
    words *to = &v->contacts_h5->states;
    hid_t at =
        H5Aopen_by_name(v->contacts_h5->file, "contacts/state", "states", H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = at < 0 ? -1 : H5Aget_type(at), space = at < 0 ? -1 : H5Aget_space(at);
    int bad = at < 0 ? bad_file(v, "states of its contacts have no names")
                     : take_words(v, to, type, space, bytes);

    if (!bad && (to->count != 1 || H5Aread(at, type, to->text) < 0))
        bad = bad_file(v, "states of its contacts cannot be read");
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (at >= 0)
        H5Aclose(at);
    return bad ? -1 : 0;
}

static const words *words_of(const perp_verify_contacts_h5 *h5, const char *name)
{
    if (strcmp(name, "first") == 0 || strcmp(name, "second") == 0)
        return &h5->bodies;
    if (strcmp(name, "interaction") == 0)
        return &h5->interactions;
    return strcmp(name, "state") == 0 ? &h5->states : NULL;
}

/* The dataset of a column, of whose name NAME[i] an entry is. */
static int open_column(perp_verification *v, column *c, hsize_t bytes)
{
    perp_verify_contacts_h5 *h5 = v->contacts_h5;
    hsize_t extent[2] = {0, 1};
    char label[NAME + 16];
    hid_t space;

    snprintf(label, sizeof label, "contacts/%.*s", (int)strcspn(c->name, "["), c->name);
    htri_t there = H5Lexists(h5->file, label, H5P_DEFAULT);
    if (there < 0)
        return bad_file(v, "its contacts cannot be read");
    if (there == 0)
        return 0; /* of a version that had less */
    if (strchr(c->name, '[') != NULL && sscanf(strchr(c->name, '['), "[%d]", &c->entry) != 1)
        return bad_file(v, "its contacts have other columns");
    c->words = words_of(h5, c->name);
    c->set = H5Dopen2(h5->file, label, H5P_DEFAULT);
    space = c->set < 0 ? -1 : H5Dget_space(c->set);
    c->rank = space < 0 ? 0 : H5Sget_simple_extent_ndims(space);
    if ((c->rank == 1 || c->rank == 2) && H5Sget_simple_extent_dims(space, extent, NULL) < 0)
        c->rank = 0;
    if (space >= 0)
        H5Sclose(space);
    if (c->rank < 1 || c->rank > 2 || c->entry < 0 || (hsize_t)c->entry >= extent[1] ||
        (h5->rows >= 0 && extent[0] != (hsize_t)h5->rows) ||
        (double)extent[0] > NUMBERS_OF_A_BYTE * (double)bytes)
        return bad_file(v, "its contacts are no columns of one length");
    h5->rows = (long)extent[0];
    c->batch = perp_verify_take(v, BATCH, sizeof *c->batch);
    return c->batch != NULL ? 0 : -1;
}

static int open_columns(perp_verification *v, const char *names, hsize_t bytes)
{
    perp_verify_contacts_h5 *h5 = v->contacts_h5;
    int count = 1;

    for (const char *at = names; *at != '\0'; at++)
        count += *at == ',';
    if (count > COLUMNS)
        return perp_verify_fail(v, PERP_ERR_FORMAT, "%.400s/contacts.csv: %d columns", v->folder,
                                count);
    h5->columns = perp_verify_take(v, (size_t)count, sizeof *h5->columns);
    for (int k = 0; h5->columns != NULL && k < count; k++) {
        column *c = &h5->columns[h5->ncolumns++];
        int length = (int)strcspn(names, ",\r\n");
        c->set = -1;
        snprintf(c->name, sizeof c->name, "%.*s", length < NAME - 1 ? length : NAME - 1, names);
        names += length + (names[length] == ',');
        if (open_column(v, c, bytes) != 0)
            return -1;
    }
    return h5->columns != NULL ? 0 : -1;
}

static int open_all(perp_verification *v, const char *names)
{
    perp_verify_contacts_h5 *h5 = v->contacts_h5;
    hsize_t bytes = 0;

    if (h5->file < 0 || H5Fget_filesize(h5->file, &bytes) < 0)
        return bad_file(v, "it is no HDF5 file");
    htri_t there = H5Lexists(h5->file, "contacts", H5P_DEFAULT);
    if (there < 0)
        return bad_file(v, "its contacts cannot be read");
    if (there == 0) {
        perp_verify_contacts_h5_close(v);
        return 0;
    }
    if (read_names(v, &h5->bodies, "contacts/bodies", bytes) != 0 ||
        read_names(v, &h5->interactions, "contacts/interactions", bytes) != 0 ||
        read_states(v, bytes) != 0)
        return -1;
    return open_columns(v, names, bytes);
}

int perp_verify_contacts_h5_open(perp_verification *v, const char *names)
{
    char path[4200];
    perp_verify_silence before;
    int bad;

    if (v->h5 == NULL)
        return 0;
    v->contacts_h5 = perp_verify_take(v, 1, sizeof *v->contacts_h5);
    if (v->contacts_h5 == NULL)
        return -1;
    v->contacts_h5->rows = v->contacts_h5->first = -1;
    snprintf(path, sizeof path, "%.4000s/series.h5", v->folder);
    before = perp_verify_be_silent();
    v->contacts_h5->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    bad = open_all(v, names);
    perp_verify_speak_again(&before);
    return bad;
}

void perp_verify_contacts_h5_close(perp_verification *v)
{
    perp_verify_contacts_h5 *h5 = v->contacts_h5;

    for (int k = 0; h5 != NULL && k < h5->ncolumns; k++)
        if (h5->columns[k].set >= 0)
            H5Dclose(h5->columns[k].set);
    if (h5 != NULL && h5->file >= 0)
        H5Fclose(h5->file);
    v->contacts_h5 = NULL;
}

static int fill_batch(perp_verify_contacts_h5 *h5)
{
    hsize_t left = (hsize_t)(h5->rows - h5->row), count = left < BATCH ? left : BATCH;
    hid_t to = H5Screate_simple(1, &count, NULL);
    int bad = 0;

    for (int k = 0; k < h5->ncolumns && !bad; k++) {
        const column *c = &h5->columns[k];
        hsize_t start[2] = {(hsize_t)h5->row, (hsize_t)c->entry}, extent[2] = {count, 1};
        if (c->set < 0)
            continue;
        hid_t from = H5Dget_space(c->set);
        bad = H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, extent, NULL) < 0 ||
              H5Dread(c->set, H5T_NATIVE_DOUBLE, to, from, H5P_DEFAULT, c->batch) < 0;
        H5Sclose(from);
    }
    H5Sclose(to);
    h5->first = h5->row;
    return bad;
}

/* Is this word number k of the list? -1: what has no number, the world or none. */
static int is_word(const words *list, double k, const char *word, size_t length, int states)
{
    const char *text = list->text;
    size_t width = list->width;

    if (k == -1.0)
        return length == 0 || (length == 1 && *word == '?') ||
               (length == 5 && strncmp(word, "world", 5) == 0);
    if (!(k >= 0.0))
        return 0;
    for (int n = 0; states && n < (int)fmin(k, LONGEST) && *text != '\0'; n++)
        text += strcspn(text, ",") + (text[strcspn(text, ",")] == ',');
    if (states)
        return strcspn(text, ",") == length && strncmp(text, word, length) == 0;
    return k < (double)list->count && length < width &&
           strncmp(text + (size_t)k * width, word, length) == 0 &&
           text[(size_t)k * width + length] == '\0';
}

static void compare(perp_verification *v, const column *c, double there, const char *at)
{
    const perp_verify_contacts_h5 *h5 = v->contacts_h5;
    double own = NAN, size;

    if (c->words != NULL) {
        if (!is_word(c->words, there, at, strcspn(at, ",\r\n"), c->words == &h5->states))
            perp_verify_note(v, PERP_VERIFY_TABLES, INFINITY, "%.60s of contact %ld", c->name,
                             h5->row);
        return;
    }
    perp_number_read(at, &own);
    size = fmax(fabs(own), fabs(there));
    if (own != there && !(isnan(own) && isnan(there)))
        perp_verify_note(v, PERP_VERIFY_TABLES,
                         isfinite(size) ? fabs(own - there) / size : INFINITY,
                         "%.60s of contact %ld", c->name, h5->row);
}

int perp_verify_contacts_h5_next(perp_verification *v, const char *line)
{
    perp_verify_contacts_h5 *h5 = v->contacts_h5;

    if (h5 == NULL || h5->rows < 0)
        return 0;
    if (h5->row >= h5->rows) {
        perp_verify_note(v, PERP_VERIFY_TABLES, INFINITY, "contacts of series.h5 end before");
        h5->row++;
        return 0;
    }
    if (h5->first < 0 || h5->row >= h5->first + BATCH) {
        perp_verify_silence before = perp_verify_be_silent();
        int bad = fill_batch(h5);
        perp_verify_speak_again(&before);
        if (bad)
            return bad_file(v, "its contacts cannot be read");
    }
    for (int k = 0; k < h5->ncolumns; k++) {
        const column *c = &h5->columns[k];
        if (c->set >= 0)
            compare(v, c, c->batch[h5->row - h5->first], line);
        line += strcspn(line, ",\r\n");
        line += *line == ',';
    }
    h5->row++;
    return 0;
}

void perp_verify_contacts_h5_end(perp_verification *v)
{
    const perp_verify_contacts_h5 *h5 = v->contacts_h5;

    if (h5 != NULL && h5->rows > h5->row)
        perp_verify_note(v, PERP_VERIFY_TABLES, INFINITY,
                         "series.h5 has %ld contacts, contacts.csv %ld", h5->rows, h5->row);
}
