/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/siconos.h"

#include <limits.h>

#include "io/problem_file.h"

/* The first numbers of a file, as far as they are integers. */
typedef struct header {
    int count; /* integers that were found */
    int v[7];
    int word; /* what ended the list is a word, not a number */
} header;

static header look_ahead(const perp_text *text)
{
    header h = {0};
    perp_text look = *text;
    look.error = NULL;
    while (h.count < 7) {
        h.v[h.count] = perp_text_int(&look, INT_MIN, INT_MAX, "");
        if (look.status)
            break;
        h.count++;
    }
    char c = look.at < look.end ? *look.at : '0';
    h.word = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return h;
}

static int is_storage(int v)
{
    return v >= 0 && v <= 2;
}

/* n, storage, n, n */
static int like_lcp(const header *h)
{
    return h->count >= 4 && h->v[0] >= 0 && is_storage(h->v[1]) && h->v[2] == h->v[0] &&
           h->v[3] == h->v[0];
}

/* dimension, contacts, storage, rows = columns; 5 is a rolling problem. */
static int like_friction(const header *h)
{
    int dim = h->count >= 5 ? h->v[0] : 0;
    return (dim == 2 || dim == 3 || dim == 5) && h->v[1] >= 0 && is_storage(h->v[2]) &&
           h->v[3] == h->v[4];
}

/* two flags, n, m, and for type 1 the first block row, which is 0 */
static int like_mlcp(const header *h)
{
    if (h->count < 4 || h->v[2] < 0 || h->v[3] < 0)
        return 0;
    if (h->v[0] == 1 && (h->v[1] == 0 || h->v[1] == 1))
        return h->count >= 5 && h->v[4] == 0;
    return h->v[0] == 0 && h->v[1] == 1;
}

/* n, m, number of rows of the older MLCP files */
static int like_old_mlcp(const header *h)
{
    return h->count >= 3 && h->v[0] >= 0 && h->v[1] >= 0 && h->v[2] >= h->v[1] && h->v[2] > 0;
}

perp_problem_class perp_siconos_recognise(const perp_text *text)
{
    header h = look_ahead(text);
    if (like_mlcp(&h))
        return PERP_CLASS_MLCP;
    if (like_lcp(&h)) {
        /* "2 1 2 2 2 1 CSparse" and "2 0 2 2 2 1 CSparse" are friction problems
         * that begin like an LCP; the banner follows the sixth number. */
        int sparse_friction = like_friction(&h) && h.v[2] == 2 && h.count == 6 && h.word;
        return sparse_friction ? PERP_CLASS_FRICTION : PERP_CLASS_LCP;
    }
    if (like_friction(&h))
        return PERP_CLASS_FRICTION;
    return like_old_mlcp(&h) ? PERP_CLASS_MLCP : PERP_CLASS_AUTO;
}

typedef void (*read_list)(perp_text *text, double *values, size_t count, const char *what);

static double *read_some(perp_problem_file *file, perp_text *text, int count, const char *name,
                         read_list read)
{
    if (!perp_text_fits(text, (size_t)count, name))
        return NULL;
    double *x = PERP_HEAP_TAKE(perp_problem_file_heap(file), double, count);
    if (!x)
        perp_text_fail(text, PERP_ERR_MEMORY, "%s: no memory", name);
    else
        read(text, x, (size_t)count, name);
    return x;
}

static double *read_vector(perp_problem_file *file, perp_text *text, int count, const char *name)
{
    return read_some(file, text, count, name, perp_text_doubles);
}

static double *read_bounds(perp_problem_file *file, perp_text *text, int count, const char *name)
{
    return read_some(file, text, count, name, perp_text_bounds);
}

/* Turns the status of a conversion into the text's. */
static perp_status converted(perp_text *text, perp_status status, const char *name)
{
    if (status)
        perp_text_fail(text, status, "%s: %s", name, perp_status_text(status));
    return text->status;
}

static perp_status to_csc(perp_mat *C, const perp_read_matrix *A, perp_problem_file *file,
                          perp_text *text, perp_heap *work, const char *name)
{
    perp_triplets T;
    perp_status status = perp_read_matrix_triplets(&T, A, work);
    if (!status)
        status = perp_triplets_to_csc(C, &T, perp_problem_file_heap(file), work);
    return converted(text, status, name);
}

/* mu, and mu_r where the class or five rows say so, or as many numbers follow. */
static void finish_coefficients(perp_problem_file *file, perp_problem_class cls, perp_text *text)
{
    int only, contacts = file->contacts;
    file->mu = read_vector(file, text, contacts, "mu");
    if (text->status)
        return;
    int rolling = cls == PERP_CLASS_ROLLING || file->spacedim == 5;
    if (!rolling && cls == PERP_CLASS_AUTO && file->spacedim == 3 && contacts > 1) {
        size_t found = perp_text_count_numbers(text, (size_t)contacts + 1, &only);
        rolling = only && found == (size_t)contacts;
    }
    if (rolling)
        file->mu_r = read_vector(file, text, contacts, "mu_r");
}

/* H, q, b, mu, after M */
static perp_status finish_global(perp_problem_file *file, perp_problem_class cls,
                                 const perp_read_matrix *M, perp_text *text, perp_heap *work)
{
    perp_read_matrix H;
    int rows = file->spacedim * file->contacts;
    file->cls = PERP_CLASS_GLOBAL;
    file->dofs = M->rows;
    if (perp_siconos_matrix(&H, text, "H", work, work))
        return text->status;
    if (H.rows != M->rows || H.cols != rows)
        return perp_text_fail(text, PERP_ERR_FORMAT, "H is %d x %d, not %d x %d", H.rows, H.cols,
                              M->rows, rows);
    file->q = read_vector(file, text, M->rows, "q");
    file->w = read_vector(file, text, rows, "b");
    finish_coefficients(file, cls, text);
    if (text->status || to_csc(&file->M, M, file, text, work, "M"))
        return text->status;
    return to_csc(&file->H, &H, file, text, work, "H");
}

/* q, mu, after M */
static perp_status finish_friction(perp_problem_file *file, perp_problem_class cls,
                                   const perp_read_matrix *M, perp_text *text, perp_heap *work)
{
    int rows = file->spacedim * file->contacts;
    file->cls = PERP_CLASS_FRICTION;
    if (M->rows != rows)
        return perp_text_fail(text, PERP_ERR_FORMAT, "M is %d x %d, not %d x %d", M->rows, M->cols,
                              rows, rows);
    file->q = read_vector(file, text, rows, "q");
    finish_coefficients(file, cls, text);
    perp_triplets T;
    if (text->status || converted(text, perp_read_matrix_triplets(&T, M, work), "M"))
        return text->status;
    return converted(
        text,
        perp_triplets_to_bsr(&file->M, &T, file->spacedim, perp_problem_file_heap(file), work),
        "M");
}

/* Does an H follow?  A q may begin like its header; but then only mu, perhaps mu_r, and
 * at most one number more (a flag of the program that wrote the file) are left. */
static int h_follows(const perp_text *text, int rows, int cols, int contacts)
{
    header h = look_ahead(text);
    if (h.count < 3 || !is_storage(h.v[0]) || h.v[1] != rows || h.v[2] != cols)
        return 0;
    if (h.v[0] == 2 && h.count == 4 && h.word)
        return 1;
    size_t friction = (size_t)rows + (size_t)contacts;
    int only;
    size_t rolling = friction + (size_t)contacts;
    size_t found = perp_text_count_numbers(text, rolling + 2, &only);
    return found != friction && found != friction + 1 && found != rolling && found != rolling + 1;
}

static perp_status read_friction(perp_problem_file *file, perp_problem_class cls, perp_text *text,
                                 perp_heap *work)
{
    file->spacedim = perp_text_int(text, 2, 5, "dimension");
    file->contacts = perp_text_int(text, 0, INT_MAX / 5, "number of contacts");
    if (text->status)
        return text->status;
    if (file->spacedim == 4 || (cls == PERP_CLASS_ROLLING && file->spacedim == 2))
        return perp_text_fail(text, PERP_ERR_FORMAT,
                              file->spacedim == 4
                                  ? "dimension %d: this format has no torsional friction"
                                  : "dimension %d: a contact has no such number of rows",
                              file->spacedim);
    perp_read_matrix M;
    if (perp_siconos_matrix(&M, text, "M", work, work))
        return text->status;
    if (M.rows != M.cols)
        return perp_text_fail(text, PERP_ERR_FORMAT, "M is %d x %d, not square", M.rows, M.cols);
    int rows = file->spacedim * file->contacts;
    int global = cls == PERP_CLASS_GLOBAL;
    if (cls == PERP_CLASS_AUTO || cls == PERP_CLASS_ROLLING)
        global = M.rows != rows || h_follows(text, M.rows, rows, file->contacts);
    return global ? finish_global(file, cls, &M, text, work)
                  : finish_friction(file, cls, &M, text, work);
}

/* What follows q says whether it is a relay: its 2 n bounds.  Remarks in words
 * are allowed after an LCP; a few loose numbers are a cut relay or a remark. */
static perp_problem_class lcp_or_relay(perp_problem_file *file, perp_text *text, int n)
{
    int only;
    size_t bounds = 2 * (size_t)n, found = perp_text_count_numbers(text, bounds, &only);
    if (n == 0 || found == 0 || (!only && found < bounds))
        return PERP_CLASS_LCP;
    if (found < bounds) {
        perp_text_fail(text, PERP_ERR_FORMAT,
                       "%d numbers after q are no bounds of a relay; name the class to read them "
                       "as a remark",
                       (int)found);
        return PERP_CLASS_LCP;
    }
    perp_text look = *text;
    look.error = NULL;
    double *lo = read_bounds(file, &look, n, "lb"), *hi = read_bounds(file, &look, n, "ub");
    if (look.status) {
        perp_text_fail(text, look.status, "lb, ub: %s", perp_status_text(look.status));
        return PERP_CLASS_LCP;
    }
    for (int i = 0; i < n; i++)
        if (lo[i] > hi[i]) {
            perp_io_note(file, "numbers after q are no bounds: read as an LCP");
            return PERP_CLASS_LCP;
        }
    return PERP_CLASS_RELAY;
}

static perp_status read_lcp(perp_problem_file *file, perp_problem_class cls, perp_text *text,
                            perp_heap *work)
{
    int n = perp_text_int(text, 0, INT_MAX - 1, "size");
    perp_read_matrix M;
    if (perp_siconos_matrix(&M, text, "M", perp_problem_file_heap(file), work))
        return text->status;
    if (M.rows != n || M.cols != n)
        return perp_text_fail(text, PERP_ERR_FORMAT, "M is %d x %d, not %d x %d", M.rows, M.cols, n,
                              n);
    file->q = read_vector(file, text, n, "q");
    if (text->status)
        return text->status;
    file->cls = cls == PERP_CLASS_AUTO ? lcp_or_relay(file, text, n) : cls;
    if (file->cls == PERP_CLASS_RELAY) {
        file->lo = read_bounds(file, text, n, "lb");
        file->hi = read_bounds(file, text, n, "ub");
    }
    if (text->status)
        return text->status;
    return converted(text, perp_read_matrix_plain(&file->M, &M, perp_problem_file_heap(file), work),
                     "M");
}

perp_status perp_siconos_read(perp_problem_file *file, perp_problem_class cls, perp_text *text,
                              perp_heap *work)
{
    perp_problem_class kind = cls == PERP_CLASS_AUTO ? perp_siconos_recognise(text) : cls;
    switch (kind) {
    case PERP_CLASS_FRICTION:
    case PERP_CLASS_GLOBAL:
    case PERP_CLASS_ROLLING:
        return read_friction(file, cls, text, work);
    case PERP_CLASS_LCP:
    case PERP_CLASS_RELAY:
        return read_lcp(file, cls, text, work);
    case PERP_CLASS_MLCP:
        return perp_siconos_mlcp(file, text, work);
    default:
        return perp_text_fail(text, PERP_ERR_FORMAT,
                              "the first numbers belong to no known class of problem");
    }
}
