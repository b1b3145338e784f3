/* SPDX-License-Identifier: BSD-3-Clause */
/* perp verify: the files of a run, recomputed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <perp/verify.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/json_report.h"
#include "cli/message.h"
#include "cli/read_apart.h"
#include "cli/text_report.h"

static perp_check check_at(const perp_verification *found, int k)
{
    perp_check check = {.size = sizeof check};

    perp_verification_check(found, k, &check);
    return check;
}

static const char *word(const perp_check *check)
{
    return !check->known ? "not known" : check->contradicted ? "contradicted" : "holds";
}

static void print_check(const perp_check *check)
{
    char label[64], place[400] = "";

    snprintf(label, sizeof label, "%s", check->name);
    if (!check->known) {
        perp_row(label, "not known: %s", check->why);
        return;
    }
    if (check->row >= 0 && (check->contradicted || check->worst > 0.0))
        snprintf(place, sizeof place, "%s row %ld, t = %.10g%s%s",
                 check->contradicted ? "; first in" : ", most in", check->row, check->t,
                 check->where[0] != '\0' ? ", " : "", check->where);
    perp_row(label, "%s: %.3g of %.3g allowed%s", word(check), check->worst, check->allowed, place);
    if (check->why[0] != '\0')
        perp_row("", "left out: %s", check->why);
}

static void print_unknowable(void)
{
    perp_row("no file says", "what happened between two rows; whether the step was short enough;");
    perp_row("", "whether other motions are possible; whether masses, shapes and laws are right");
}

static void print_all(const perp_verification *found, const char *folder)
{
    int first = perp_verification_first(found);

    perp_row("folder", "%s, %ld rows", folder, perp_verification_rows(found));
    for (int k = 0; k < perp_verification_checks(found); k++) {
        perp_check check = check_at(found, k);
        print_check(&check);
    }
    print_unknowable();
    if (first < 0) {
        perp_row("verdict", "nothing contradicts the files");
        return;
    }
    perp_check check = check_at(found, first);
    perp_row("verdict", "contradicted, first in row %ld, t = %.10g: %s%s%s", check.row, check.t,
             check.name, check.where[0] != '\0' ? " of " : "", check.where);
}

static void write_json(const perp_verification *found, const char *folder)
{
    int first = perp_verification_first(found);
    perp_json json;

    perp_json_open(&json, stdout, "verify");
    perp_json_text(&json, "folder", folder);
    perp_json_integer(&json, "rows", perp_verification_rows(found));
    perp_json_boolean(&json, "holds", first < 0);
    perp_json_text(&json, "first", first < 0 ? NULL : check_at(found, first).name);
    perp_json_array(&json, "checks");
    for (int k = 0; k < perp_verification_checks(found); k++) {
        perp_check check = check_at(found, k);
        perp_json_object(&json, NULL);
        perp_json_text(&json, "name", check.name);
        perp_json_text(&json, "text", check.text);
        perp_json_text(&json, "result", word(&check));
        if (check.known) {
            perp_json_real(&json, "worst", check.worst);
            perp_json_real(&json, "allowed", check.allowed);
            perp_json_integer(&json, "row", check.row);
            perp_json_real(&json, "t", check.t);
            perp_json_text(&json, "where", check.where);
        }
        perp_json_text(&json, check.known ? "left_out" : "why", check.why);
        perp_json_end_object(&json);
    }
    perp_json_end_array(&json);
    perp_json_close(&json);
}

/* Address space: what a scene of a million bodies takes, and in proportion to the files. */
static double bytes_for(const char *folder)
{
    static const char *const names[] = {"scene.json", "series.csv", "series.h5", "contacts.csv",
                                        "impacts.csv"};
    double bytes = 17179869184.0;
    char path[4200];
    struct stat st;

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        snprintf(path, sizeof path, "%.4000s/%s", folder, names[k]);
        bytes += stat(path, &st) == 0 ? 1200.0 * (double)st.st_size : 0.0;
    }
    return bytes;
}

/* With -q nothing is printed, and a failure says why. */
static void complain_of(const perp_verification *found, const char *folder)
{
    perp_check check = check_at(found, perp_verification_first(found));

    perp_complain("%s: contradicted, first in row %ld, t = %.10g: %s%s%s", folder, check.row,
                  check.t, check.name, check.where[0] != '\0' ? " of " : "", check.where);
}

/* In a process of its own, for libhdf5 reads what nobody has checked. */
static int recompute(void *ctx)
{
    const perp_shared *shared = ctx;
    perp_verification *found = NULL;
    perp_scene_error error = {.size = sizeof error};
    int code = PERP_EXIT_ERROR;

    if (perp_verify_folder(&found, shared->word[0], NULL, &error) != PERP_SOLVED) {
        perp_complain("%s", error.text);
        if (shared->json)
            perp_json_failure("verify");
    } else {
        code = perp_verification_holds(found) ? PERP_EXIT_DONE : PERP_EXIT_STOPPED;
        if (shared->json)
            write_json(found, shared->word[0]);
        else if (!shared->quiet)
            print_all(found, shared->word[0]);
        else if (code == PERP_EXIT_STOPPED)
            complain_of(found, shared->word[0]);
    }
    code = perp_end_of_output(code);
    perp_verification_destroy(found);
    return code;
}

int perp_cmd_verify(int argc, char **argv)
{
    perp_command_line line = {
        .takes = PERP_TAKES_JSON | PERP_TAKES_QUIET,
        .words = "DIR",
        .about = "Recomputes from the files of perp run --out DIR what can be recomputed from "
                 "them: energies, positions, momenta, joints, laws, overlaps. It reads scene.json, "
                 "series.csv or series.h5, contacts.csv and impacts.csv, and shares no code with "
                 "the integrators. A scene with \"record\": {\"certify\": true} records what all "
                 "checks need. Exit status: "
                 "0 nothing contradicts, 1 contradicted, 2 error.",
        .missing = "no DIR given",
        .least = 1,
        .most = 1};
    perp_io_error error;
    perp_shared shared;
    int code;

    memset(&shared, 0, sizeof shared);
    perp_read_arguments(&shared, &line, NULL, argc, argv);
    code = perp_work_apart(shared.word[0], bytes_for(shared.word[0]), recompute, &shared, &error);
    if (code < 0) {
        code = perp_complain("%s", error.text);
        if (shared.json)
            perp_json_failure("verify");
    }
    free(shared.word);
    return code;
}
