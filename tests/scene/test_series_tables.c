/* SPDX-License-Identifier: BSD-3-Clause */
/* series.h5 as perp_verify_folder() reads it: tables that promise more than the file holds, and
 * tables of other shapes and types. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perp/verify.h>

static const char text[] =
    "{\"version\": 1, \"time\": {\"until\": 0.02, \"step\": 0.01}, \"systems\": [{\"name\": \"b\", "
    "\"type\": \"lagrangian\", \"q0\": [1], \"v0\": [0.5]}], \"record\": {\"certify\": true}}";
enum { ROWS = 3 };
/* Two balls on a floor: two contacts at each of three instants. */
static const char balls[] =
    "{\"version\": 1, \"time\": {\"until\": 0.03, \"step\": 0.01}, \"gravity\": [0, 0, -10], "
    "\"record\": {\"certify\": true}, \"contacts\": {\"mu\": 0.3}, \"bodies\": ["
    "{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1]}}, "
    "{\"name\": \"a\", \"mass\": 1, \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, "
    "\"position\": [0, 0, 0.1], \"velocity\": [0.5, 0, 0]}, "
    "{\"name\": \"b\", \"mass\": 1, \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, "
    "\"position\": [1, 0, 0.1]}]}";
enum { CONTACTS = 6 };

static char folder[64], series[96];

static void make_run_of(const char *scene_text)
{
    perp_scene *scene;
    perp_scene_run_options options;
    perp_scene_error error = {.size = sizeof error};
    strcpy(folder, "/tmp/perp-tables-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(series, sizeof series, "%s/series.h5", folder);
    ck_assert_msg(perp_scene_create_from_text(&scene, scene_text, NULL, NULL, &error) ==
                      PERP_SOLVED,
                  "%s", error.text);
    perp_scene_run_options_init(&options, sizeof options);
    options.folder = folder;
    ck_assert_int_eq(perp_scene_run(scene, &options, NULL), PERP_SOLVED);
    perp_scene_destroy(scene);
}

static void make_run(void)
{
    make_run_of(text);
}

static void remove_run(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static void leave_csv_out(void)
{
    char path[96];
    snprintf(path, sizeof path, "%s/series.csv", folder);
    ck_assert_int_eq(unlink(path), 0);
}

static size_t held, most;

static void *take(void *ctx, size_t bytes)
{
    size_t *block;
    (void)ctx;
    if (bytes > ((size_t)1 << 40) || (block = malloc(bytes + 16)) == NULL)
        return NULL;
    held += bytes;
    most = held > most ? held : most;
    block[0] = bytes;
    return (char *)block + 16;
}

static void give(void *ctx, void *block)
{
    (void)ctx;
    if (block == NULL)
        return;
    size_t *head = (size_t *)((char *)block - 16);
    held -= head[0];
    free(head);
}

/* The status of the verification, which must be silent and give back what it took. */
static perp_status verified(perp_check *tables, char *said)
{
    const perp_allocator counted = {take, give, NULL};
    perp_scene_error error = {.size = sizeof error};
    perp_verification *found = NULL;
    char words[16];
    FILE *spoken = tmpfile();
    int kept = dup(STDERR_FILENO);
    held = most = 0;
    ck_assert(spoken != NULL && dup2(fileno(spoken), STDERR_FILENO) >= 0);
    perp_status status = perp_verify_folder(&found, folder, &counted, &error);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(spoken);
    ck_assert_uint_eq(fread(words, 1, sizeof words, spoken), 0);
    fclose(spoken);
    ck_assert((status == PERP_SOLVED) == (found != NULL));
    for (int k = 0; found != NULL && k < perp_verification_checks(found); k++) {
        *tables = (perp_check){.size = sizeof *tables};
        ck_assert_int_eq(perp_verification_check(found, k, tables), PERP_SOLVED);
        if (strcmp(tables->name, "series.h5") == 0)
            break;
    }
    perp_verification_destroy(found);
    ck_assert_uint_eq(held, 0);
    if (said != NULL)
        snprintf(said, sizeof error.text, "%s", error.text);
    return status;
}

/* The file with one dataset more, or another one of that name. */
static void put(const char *name, hid_t type, int rank, hsize_t rows, hsize_t entries)
{
    const hsize_t extent[3] = {rows, entries, 1}, chunk[3] = {1, 1, 1};
    hid_t file = H5Fopen(series, H5F_ACC_RDWR, H5P_DEFAULT), list = H5Pcreate(H5P_DATASET_CREATE),
          space = H5Screate_simple(rank, extent, NULL);
    if (H5Lexists(file, name, H5P_DEFAULT) > 0)
        ck_assert(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    ck_assert(H5Pset_chunk(list, rank, chunk) >= 0);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    ck_assert(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(list);
    ck_assert(H5Fclose(file) >= 0);
}

/* A dataset without a byte of data may be called 10^6 columns wide, or 10^12 rows long. */
START_TEST(tables_are_paid_for)
{
    perp_check tables;
    char said[512];
    ck_assert_int_eq(verified(&tables, NULL), PERP_SOLVED);
    ck_assert(tables.known && !tables.contradicted);
    size_t usual = most;
    for (int k = 0; k < 2; k++) {
        put("wide", H5T_NATIVE_DOUBLE, 2, ROWS, 1000000);
        ck_assert_int_eq(verified(&tables, said), PERP_ERR_FORMAT);
        ck_assert_msg(strstr(said, "series.h5: its datasets are larger than the file") != NULL,
                      "%s", said);
        ck_assert_msg(most < usual + 1000000, "%zu bytes", most);
        if (k == 0)
            leave_csv_out();
    }
    hid_t file = H5Fopen(series, H5F_ACC_RDWR, H5P_DEFAULT);
    H5G_info_t group;
    char name[64];
    H5Gget_info(file, &group);
    for (hsize_t k = group.nlinks; k > 0; k--) {
        H5Lget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, k - 1, name, sizeof name,
                           H5P_DEFAULT);
        H5Ldelete(file, name, H5P_DEFAULT);
    }
    H5Fclose(file);
    put("t", H5T_NATIVE_DOUBLE, 1, (hsize_t)1000000000000, 1);
    ck_assert_int_eq(verified(&tables, said), PERP_ERR_FORMAT);
    ck_assert_msg(strstr(said, "larger than the file") != NULL, "%s", said);
    put("t", H5T_NATIVE_DOUBLE, 1, (hsize_t)1 << 62, 1);
    ck_assert_int_eq(verified(&tables, said), PERP_ERR_FORMAT);
    put("t", H5T_NATIVE_DOUBLE, 1, 0, 1);
    put("wide", H5T_NATIVE_DOUBLE, 2, 0, 100000000);
    ck_assert_int_eq(verified(&tables, said), PERP_ERR_FORMAT);
    ck_assert_msg(strstr(said, "larger than the file") != NULL, "%s", said);
}
END_TEST

/* What is no table of numbers of the same length is refused by name, and without the words of HDF5.
 */
START_TEST(tables_of_other_shapes)
{
    static const struct {
        const char *name;
        int rank;
        hsize_t rows, entries;
        int text;
        const char *says;
    } cases[] = {
        {"b.q", 2, ROWS + 1, 1, 0, "no columns of one length"},
        {"b.q", 2, ROWS, 0, 0, "no columns of one length"},
        {"b.q", 3, ROWS, 1, 0, "no columns of one length"},
        {"b.q", 2, ROWS, 1, 1, "its numbers cannot be read"},
        {"t", 2, ROWS, 2, 0, NULL},
    };
    for (int csv = 1; csv >= 0; csv--) {
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            perp_check tables;
            char said[512];
            hid_t type = H5T_NATIVE_DOUBLE;
            make_run();
            if (!csv)
                leave_csv_out();
            if (cases[k].text) {
                type = H5Tcopy(H5T_C_S1);
                H5Tset_size(type, H5T_VARIABLE);
            }
            put(cases[k].name, type, cases[k].rank, cases[k].rows, cases[k].entries);
            perp_status status = verified(&tables, said);
            if (cases[k].says != NULL) {
                ck_assert_int_eq(status, PERP_ERR_FORMAT);
                ck_assert_msg(strstr(said, cases[k].says) != NULL, "%zu: %s", k, said);
            } else if (csv) {
                ck_assert_int_eq(status, PERP_SOLVED);
                ck_assert(tables.known && tables.contradicted);
            }
            remove_run();
        }
    }
}
END_TEST

/* A column that series.csv does not have, one that is missing, and rows that are: contradicted. */
START_TEST(tables_beside_the_text)
{
    perp_check tables;
    put("more", H5T_NATIVE_DOUBLE, 2, ROWS, 1);
    ck_assert_int_eq(verified(&tables, NULL), PERP_SOLVED);
    ck_assert(tables.known && tables.contradicted);
    ck_assert_msg(strstr(tables.where, "series.h5") != NULL, "%s", tables.where);
    hid_t file = H5Fopen(series, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, "more", H5P_DEFAULT);
    H5Ldelete(file, "b.q", H5P_DEFAULT);
    H5Fclose(file);
    ck_assert_int_eq(verified(&tables, NULL), PERP_SOLVED);
    ck_assert(tables.known && tables.contradicted && tables.row == 0);
    ck_assert_msg(strstr(tables.where, "columns in series.h5") != NULL, "%s", tables.where);
}
END_TEST

/* The sentence names what is there: a file that is gone has no rows to miss. */
START_TEST(tables_without_rows)
{
    perp_check tables;
    char said[512], path[96];
    hid_t file = H5Fcreate(series, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    put("t", H5T_NATIVE_DOUBLE, 1, 0, 1);
    leave_csv_out();
    ck_assert_int_eq(verified(&tables, said), PERP_ERR_FORMAT);
    ck_assert_msg(strstr(said, "/series.h5 has no row, and there is no series.csv") != NULL, "%s",
                  said);
    snprintf(path, sizeof path, "%s/series.csv", folder);
    FILE *csv = fopen(path, "w");
    ck_assert(csv != NULL && fputs("t,b.q[0]\n", csv) >= 0 && fclose(csv) == 0);
    ck_assert_int_eq(verified(&tables, said), PERP_ERR_FORMAT);
    ck_assert_msg(strstr(said, "/series.csv has no row") != NULL, "%s", said);
    ck_assert_int_eq(unlink(series), 0);
    leave_csv_out();
    ck_assert_int_eq(verified(&tables, said), PERP_ERR_OPEN);
    ck_assert_msg(strstr(said, "/series.csv: no such file") != NULL, "%s", said);
}
END_TEST

/* The datasets of contacts, one of another type, shape or length at a time, or gone: the file is
 * refused with a sentence that says what of it, or the check of series.h5 is contradicted. */
enum { NUMBER = 0, FIXED, VARIABLE, GONE };

static void change_contacts(const char *name, int kind, int rank, hsize_t rows, hsize_t entries)
{
    if (kind == GONE) {
        hid_t file = H5Fopen(series, H5F_ACC_RDWR, H5P_DEFAULT);
        ck_assert(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
        ck_assert(H5Fclose(file) >= 0);
        return;
    }
    hid_t type = H5Tcopy(kind == NUMBER ? H5T_NATIVE_DOUBLE : H5T_C_S1);
    if (kind != NUMBER)
        ck_assert(H5Tset_size(type, kind == FIXED ? 8 : H5T_VARIABLE) >= 0);
    put(name, type, rank, rows, entries);
    H5Tclose(type);
}

static void look_at_contacts(const char *name, const char *says)
{
    perp_check tables;
    char said[512];
    perp_status status = verified(&tables, said);
    if (says != NULL) {
        ck_assert_msg(status == PERP_ERR_FORMAT, "%s: %s", name, perp_status_name(status));
        ck_assert_msg(strstr(said, says) != NULL && strstr(said, "series.h5") != NULL, "%s: %s",
                      name, said);
    } else {
        ck_assert_msg(status == PERP_SOLVED, "%s: %s", name, said);
        ck_assert_msg(tables.known && tables.contradicted, "%s", name);
    }
}

START_TEST(contacts_of_other_shapes)
{
    static const char lengths[] = "its contacts are no columns of one length",
                      texts[] = "names of its contacts are no texts",
                      none[] = "its contacts have no names";
    static const struct {
        const char *name;
        int kind, rank;
        hsize_t rows, entries;
        const char *says; /* NULL: contradicted */
    } cases[] = {
        {"contacts/bodies", GONE, 0, 0, 0, none},
        {"contacts/bodies", NUMBER, 1, 3, 1, texts},
        {"contacts/bodies", VARIABLE, 1, 3, 1, texts},
        {"contacts/bodies", FIXED, 1, 1000000000, 1, texts},
        {"contacts/bodies", FIXED, 1, 3, 1, NULL}, /* names of nothing */
        {"contacts/bodies", FIXED, 1, 0, 1, NULL}, /* fewer than there are */
        {"contacts/interactions", GONE, 0, 0, 0, none},
        {"contacts/interactions", NUMBER, 1, 1, 1, texts},
        {"contacts/state", GONE, 0, 0, 0, "states of its contacts have no names"},
        {"contacts/state", NUMBER, 1, CONTACTS, 1, "states of its contacts have no names"},
        {"contacts/gap", NUMBER, 1, CONTACTS - 1, 1, lengths},
        {"contacts/gap", NUMBER, 1, CONTACTS + 1, 1, lengths},
        {"contacts/gap", NUMBER, 3, CONTACTS, 1, lengths},
        {"contacts/gap", FIXED, 1, CONTACTS, 1, "its contacts cannot be read"},
        {"contacts/mu", NUMBER, 1, CONTACTS, 1, NULL}, /* zeros */
        {"contacts/t", NUMBER, 1, (hsize_t)1 << 40, 1, lengths},
        {"contacts/normal", NUMBER, 2, CONTACTS, 2, lengths},
        {"contacts/normal", NUMBER, 1, CONTACTS, 1, lengths},
        {"contacts/first", NUMBER, 1, CONTACTS, 1, NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        make_run_of(balls);
        change_contacts(cases[k].name, cases[k].kind, cases[k].rank, cases[k].rows,
                        cases[k].entries);
        look_at_contacts(cases[k].name, cases[k].says);
        remove_run();
    }
}
END_TEST

static void write_numbers(const char *name, const double *numbers)
{
    hid_t file = H5Fopen(series, H5F_ACC_RDWR, H5P_DEFAULT),
          set = H5Dopen2(file, name, H5P_DEFAULT);
    ck_assert(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    H5Dclose(set);
    ck_assert(H5Fclose(file) >= 0);
}

/* Numbers of words that there are not, and no numbers, are no word of contacts.csv; a gap that is
 * no number is not that of a contact, and one in the last digit is another. */
START_TEST(contacts_of_other_words)
{
    static const double words[][CONTACTS] = {
        {3, 3, 3, 3, 3, 3},        {1e18, 1, 2, 1, 2, 1},        {NAN, 2, 1, 2, 1, 2},
        {-2, 2, 1, 2, 1, 2},       {-1, 2, 1, 2, 1, 2},          {0.5, 2, 1, 2, 1, 2},
        {INFINITY, 2, 1, 2, 1, 2}, {-INFINITY, -1, -1, 1, 1, 1},
    };
    static const char *const names[] = {"contacts/first", "contacts/second", "contacts/interaction",
                                        "contacts/state", "contacts/gap"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            make_run_of(balls);
            change_contacts(names[n], NUMBER, 1, CONTACTS, 1);
            if (n == 3) { /* with its names as before */
                hid_t file = H5Fopen(series, H5F_ACC_RDWR, H5P_DEFAULT),
                      set = H5Dopen2(file, names[n], H5P_DEFAULT), type = H5Tcopy(H5T_C_S1),
                      space = H5Screate(H5S_SCALAR);
                H5Tset_size(type, 40);
                hid_t at = H5Acreate2(set, "states", type, space, H5P_DEFAULT, H5P_DEFAULT);
                ck_assert(H5Awrite(at, type, "open,sticking,sliding,rolling\0        ") >= 0);
                H5Aclose(at), H5Sclose(space), H5Tclose(type), H5Dclose(set);
                ck_assert(H5Fclose(file) >= 0);
            }
            write_numbers(names[n], words[k]);
            look_at_contacts(names[n], NULL);
            remove_run();
        }
}
END_TEST

/* States of which the attribute is no text, or many; and files without contacts, or without a
 * column that contacts.csv has, as of another release: nothing is said against the rest. */
START_TEST(contacts_that_are_less)
{
    for (int k = 0; k < 2; k++) {
        make_run_of(balls);
        hid_t file = H5Fopen(series, H5F_ACC_RDWR, H5P_DEFAULT),
              set = H5Dopen2(file, "contacts/state", H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
        const hsize_t two = 2;
        hid_t space = k ? H5Screate_simple(1, &two, NULL) : H5Screate(H5S_SCALAR);
        H5Tset_size(type, 40);
        ck_assert(H5Adelete(set, "states") >= 0);
        hid_t at =
            H5Acreate2(set, "states", k ? type : H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Aclose(at), H5Sclose(space), H5Tclose(type), H5Dclose(set);
        ck_assert(H5Fclose(file) >= 0);
        look_at_contacts("states", k ? "states of its contacts cannot be read"
                                     : "names of its contacts are no texts");
        remove_run();
    }
    static const char *const gone[] = {"contacts/torsion", "contacts"};
    for (int k = 0; k < 2; k++) {
        perp_check tables;
        char said[512];
        make_run_of(balls);
        ck_assert_int_eq(verified(&tables, said), PERP_SOLVED);
        ck_assert(tables.known && !tables.contradicted);
        change_contacts(gone[k], GONE, 0, 0, 0);
        ck_assert_msg(verified(&tables, said) == PERP_SOLVED, "%s", said);
        ck_assert(tables.known && !tables.contradicted);
        remove_run();
    }
}
END_TEST

/* Lines of contacts.csv that series.h5 has not, and the other way round. */
START_TEST(contacts_beside_the_text)
{
    char path[96], all[32768];
    snprintf(path, sizeof path, "%s/contacts.csv", folder);
    for (int k = 0; k < 3; k++) {
        make_run_of(balls);
        snprintf(path, sizeof path, "%s/contacts.csv", folder);
        FILE *file = fopen(path, "r");
        size_t length = fread(all, 1, sizeof all - 1, file);
        fclose(file);
        all[length] = '\0';
        char *last = all + length - 1;
        while (last[-1] != '\n')
            last--;
        file = fopen(path, k == 2 ? "a" : "w");
        if (k == 0) /* without the last line */
            ck_assert_uint_eq(fwrite(all, 1, (size_t)(last - all), file), (size_t)(last - all));
        else if (k == 1) /* of the head alone */
            ck_assert_uint_gt(fwrite(all, 1, strcspn(all, "\n") + 1, file), 0);
        else
            ck_assert_int_ge(fputs(last, file), 0);
        fclose(file);
        look_at_contacts("lines", NULL);
        remove_run();
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("series tables");
    TCase *tcase = tcase_create("with a run");
    tcase_add_checked_fixture(tcase, make_run, remove_run);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, tables_are_paid_for);
    tcase_add_test(tcase, tables_beside_the_text);
    tcase_add_test(tcase, tables_without_rows);
    suite_add_tcase(suite, tcase);
    TCase *shapes = tcase_create("shapes");
    tcase_set_timeout(shapes, 60);
    tcase_add_test(shapes, tables_of_other_shapes);
    tcase_add_test(shapes, contacts_of_other_shapes);
    tcase_add_test(shapes, contacts_of_other_words);
    tcase_add_test(shapes, contacts_that_are_less);
    tcase_add_test(shapes, contacts_beside_the_text);
    suite_add_tcase(suite, shapes);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
