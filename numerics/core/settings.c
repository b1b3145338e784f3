/* SPDX-License-Identifier: BSD-3-Clause */
#include <perp/settings.h>

#include <math.h>
#include <string.h>

#include "core/setting_field.h"

static const perp_setting_field fields[] = {
#define PERP_REAL(name, def, lo, hi, text)                                                         \
    {{#name, NULL, text, 0, def, lo, hi}, offsetof(perp_settings, name)},
#define PERP_INT(name, def, lo, hi, text)                                                          \
    {{#name, NULL, text, 1, def, lo, hi}, offsetof(perp_settings, name)},
#define PERP_CHOICE(name, def, choices, text)                                                      \
    {{#name, choices, text, 1, def, 0, 1e9}, offsetof(perp_settings, name)},
#include <perp/settings.def>
#undef PERP_REAL
#undef PERP_INT
#undef PERP_CHOICE
};

enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };

const perp_setting_field *perp_setting_field_at(int k)
{
    return k >= 0 && k < FIELD_COUNT ? &fields[k] : NULL;
}

const perp_setting_info *perp_setting_at(int k)
{
    return k >= 0 && k < FIELD_COUNT ? &fields[k].info : NULL;
}

double perp_setting_value(const perp_settings *settings, const perp_setting_field *field)
{
    const char *at = (const char *)settings + field->offset;
    if (!field->info.is_integer) {
        double value;
        memcpy(&value, at, sizeof value);
        return value;
    }
    int value;
    memcpy(&value, at, sizeof value);
    return value;
}

static void store(perp_settings *settings, const perp_setting_field *field, double value)
{
    char *at = (char *)settings + field->offset;
    if (field->info.is_integer) {
        int whole = (int)value;
        memcpy(at, &whole, sizeof whole);
    } else {
        memcpy(at, &value, sizeof value);
    }
}

void perp_settings_init(perp_settings *settings, size_t size)
{
    if (!settings)
        return;
    perp_settings standard;
    memset(&standard, 0, sizeof standard);
    standard.size = size;
    for (int k = 0; k < FIELD_COUNT; k++)
        store(&standard, &fields[k], fields[k].info.standard);
    memset(settings, 0, size);
    memcpy(settings, &standard, size < sizeof standard ? size : sizeof standard);
}

/* Position of `text` among "a|b|c", or -1. */
static int choice_index(const char *choices, const char *text)
{
    size_t length = strlen(text);
    int index = 0;
    for (const char *at = choices;; index++) {
        size_t span = strcspn(at, "|");
        if (span == length && strncmp(at, text, length) == 0)
            return index;
        if (at[span] == '\0')
            return -1;
        at += span + 1;
    }
}

static int choice_count(const char *choices)
{
    int count = 1;
    for (; *choices; choices++)
        count += *choices == '|';
    return count;
}

/* Plain decimal number, read the same in every locale.  Digits beyond the
 * nineteenth and exponents beyond the range of double are not told apart from
 * their neighbours, which settings do not need.  0: not a number. */
static int read_number(double *value, const char *text)
{
    double sign = *text == '-' ? -1.0 : 1.0;
    text += *text == '-' || *text == '+';
    double mantissa = 0;
    int digits = 0, exponent = 0;
    for (; *text >= '0' && *text <= '9'; text++, digits++)
        mantissa = 10 * mantissa + (*text - '0');
    if (*text == '.')
        for (text++; *text >= '0' && *text <= '9'; text++, digits++, exponent--)
            mantissa = 10 * mantissa + (*text - '0');
    if (digits && (*text == 'e' || *text == 'E')) {
        int negative = text[1] == '-', power = 0, any = 0;
        text += 1 + (text[1] == '-' || text[1] == '+');
        for (; *text >= '0' && *text <= '9'; text++, any = 1)
            power = power < 10000 ? 10 * power + (*text - '0') : power;
        exponent += negative ? -power : power;
        digits = any ? digits : 0;
    }
    *value =
        exponent < 0 ? sign * mantissa / pow(10, -exponent) : sign * mantissa * pow(10, exponent);
    return digits > 0 && *text == '\0';
}

static int in_range(const perp_setting_field *field, double value)
{
    if (field->info.choices)
        return value >= 0 && value < choice_count(field->info.choices);
    return value >= field->info.lowest && value <= field->info.highest;
}

perp_status perp_settings_set(perp_settings *settings, const char *name, const char *value)
{
    if (!settings || !name || !value)
        return PERP_ERR_ARGUMENT;
    if (settings->size != sizeof *settings)
        return PERP_ERR_SETTING;
    for (int k = 0; k < FIELD_COUNT; k++) {
        const perp_setting_field *field = &fields[k];
        if (strcmp(field->info.name, name) != 0)
            continue;
        double number = 0;
        if (field->info.choices)
            number = choice_index(field->info.choices, value);
        else if (!read_number(&number, value))
            return PERP_ERR_SETTING;
        if (!in_range(field, number) || (field->info.is_integer && number != floor(number)))
            return PERP_ERR_SETTING;
        store(settings, field, number);
        return PERP_SOLVED;
    }
    return PERP_ERR_SETTING;
}

perp_status perp_settings_check(const perp_settings *settings, const char **name)
{
    if (name)
        *name = NULL;
    if (!settings || settings->size != sizeof *settings) {
        if (name)
            *name = "size";
        return PERP_ERR_SETTING;
    }
    for (int k = 0; k < FIELD_COUNT; k++) {
        if (!in_range(&fields[k], perp_setting_value(settings, &fields[k]))) {
            if (name)
                *name = fields[k].info.name;
            return PERP_ERR_SETTING;
        }
    }
    return PERP_SOLVED;
}
