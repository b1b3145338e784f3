/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/help.h"

#include <string.h>

enum { WIDTH = 77 }; /* argp breaks at 78 */

void perp_help_wrap(FILE *out, const char *text, int column, int indent)
{
    int fresh = 1;

    while (*text != '\0') {
        int length = (int)strcspn(text, " ");

        if (length > 0) {
            if (!fresh && column + 1 + length > WIDTH) {
                fprintf(out, "\n%*s", indent, "");
                column = indent;
                fresh = 1;
            }
            fprintf(out, "%s%.*s", fresh ? "" : " ", length, text);
            column += length + !fresh;
            fresh = 0;
        }
        text += length;
        text += *text == ' ';
    }
    fputc('\n', out);
}

/* 1 when `name` is one of the words of `list`. */
static int listed(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = strstr(list, name); at != NULL; at = strstr(at + 1, name))
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return 1;
    return 0;
}

void perp_help_solver_names(FILE *out, int all)
{
    const perp_solver_type *type;
    const char *blank = "";

    for (int k = 0; (type = perp_solver_at(k)) != NULL; k++) {
        if (all || perp_solver_is_everyday(type)) {
            fprintf(out, "%s%s", blank, perp_solver_name(type));
            blank = ", ";
        }
    }
}

/* Returns how many characters it has. */
static int print_default(FILE *out, const perp_setting_info *info)
{
    const char *choice = info->choices;

    if (info->initial_name != NULL)
        return fprintf(out, "%s", info->initial_name);
    if (choice == NULL)
        return fprintf(out, "%.10g", info->initial);
    for (int k = 0; k < (int)info->initial; k++)
        choice += strcspn(choice, "|") + 1;
    return fprintf(out, "%.*s", (int)strcspn(choice, "|"), choice);
}

static void print_range(FILE *out, const perp_setting_info *info)
{
    if (info->choices != NULL)
        fprintf(out, " (%s)", info->choices);
    else if (info->highest >= 1e9)
        fprintf(out, " (%.10g or more)", info->lowest);
    else if (info->initial_name == NULL)
        fprintf(out, " (%.10g to %.10g)", info->lowest, info->highest);
}

void perp_help_settings(FILE *out, const char *reads)
{
    const perp_setting_info *info;

    for (int k = 0; (info = perp_setting_at(k)) != NULL; k++) {
        if (reads != NULL && !listed(reads, info->name))
            continue;
        fprintf(out, "  %-14s ", info->name);
        print_default(out, info);
        print_range(out, info);
        fprintf(out, "\n%17s", "");
        perp_help_wrap(out, info->text, 17, 17);
    }
}

void perp_help_everyday_settings(FILE *out)
{
    const perp_setting_info *info;

    for (int k = 0; (info = perp_setting_at(k)) != NULL; k++) {
        int used;

        if (!perp_setting_is_everyday(info->name))
            continue;
        used = fprintf(out, "  %s=", info->name);
        used += print_default(out, info);
        used += fprintf(out, "%*s", used < 18 ? 18 - used : 1, "");
        perp_help_wrap(out, info->text, used, 18);
    }
}

void perp_help_takes_sets(FILE *out, const perp_solver_type *type)
{
    const char *blank = "";

    for (int k = 0; k < PERP_SET_COUNT; k++) {
        if (perp_solver_takes_set(type, (perp_set)k)) {
            fprintf(out, "%s%s", blank, perp_set_name((perp_set)k));
            blank = " ";
        }
    }
}

const char *perp_matrix_kind_word(perp_mat_kind kind)
{
    static const char *const words[] = {"DENSE", "CSC", "BSR", "OPERATOR", "DELASSUS"};
    return (int)kind >= 0 && (int)kind <= PERP_DELASSUS ? words[kind] : "unknown";
}

void perp_help_takes_matrices(FILE *out, const perp_solver_type *type)
{
    const char *blank = "";

    for (int k = PERP_DENSE; k <= PERP_DELASSUS; k++) {
        if (perp_solver_takes_matrix(type, (perp_mat_kind)k)) {
            fprintf(out, "%s%s", blank, perp_matrix_kind_word((perp_mat_kind)k));
            blank = " ";
        }
    }
}
