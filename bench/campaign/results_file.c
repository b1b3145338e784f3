/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/results_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/campaign/run_record.h"

enum { COLUMNS = 22 };

static char *read_whole(const char *path, long *bytes)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t used = 0, capacity = 0;
    struct stat st;
    *bytes = 0;
    if (!f)
        return errno == ENOENT ? calloc(1, 1) : NULL;
    if (fstat(fileno(f), &st) == 0 && !S_ISREG(st.st_mode)) {
        fclose(f);
        errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
        return NULL;
    }
    for (;;) {
        if (capacity - used < 65536) {
            capacity = 2 * capacity + 131072;
            char *more = realloc(text, capacity);
            if (!more) {
                free(text);
                fclose(f);
                return NULL;
            }
            text = more;
        }
        size_t got = fread(text + used, 1, capacity - used - 1, f);
        used += got;
        if (got == 0)
            break;
    }
    if (ferror(f)) {
        free(text);
        text = NULL;
    } else {
        text[used] = '\0';
        *bytes = (long)used;
    }
    fclose(f);
    return text;
}

/* Cuts one line in place; quotes as in RFC 4180, but no line ends inside. */
static int split(char *line, char **field, int capacity)
{
    int fields = 0;
    for (;;) {
        char *to = line;
        if (fields == capacity)
            return -1;
        field[fields++] = line;
        int quoted = *line == '"';
        if (quoted)
            line++;
        while (*line && (quoted || *line != ',')) {
            if (quoted && *line == '"') {
                if (line[1] != '"') {
                    quoted = 0;
                    line++;
                    continue;
                }
                line++;
            }
            *to++ = *line++;
        }
        int more = *line == ',';
        *to = '\0';
        if (!more)
            return fields;
        line++;
    }
}

static double number(const char *text, double otherwise)
{
    double x;
    return perp_number_read(text, &x) ? x : otherwise;
}

static long whole(const char *text)
{
    return *text ? strtol(text, NULL, 10) : -1;
}

static void row_from(perp_bench_row *row, char **f)
{
    perp_bench_record *run = &row->run;
    perp_bench_record_init(run);
    row->host = f[0];
    row->commit = f[1];
    row->problem = f[2];
    run->n = (int)whole(f[3]);
    run->contacts = (int)whole(f[4]);
    run->nnz = number(f[5], -1.0);
    row->solver = f[6];
    row->settings = f[7];
    row->tol = number(f[8], NAN);
    snprintf(run->status, sizeof run->status, "%s", f[9]);
    run->iterations = whole(f[10]);
    run->residual.natural = number(f[11], NAN);
    run->residual.scaled = number(f[12], NAN);
    run->residual.primal = number(f[13], NAN);
    run->residual.dual = number(f[14], NAN);
    run->residual.gap = number(f[15], NAN);
    run->error = number(f[16], NAN);
    run->setup = number(f[17], NAN);
    run->solve = number(f[18], NAN);
    run->peak_kb = whole(f[19]);
    run->repeats = (int)whole(f[20]);
    snprintf(run->note, sizeof run->note, "%s", f[21]);
}

static int add_row(perp_bench_table *table, char **field)
{
    if (table->rows == table->capacity) {
        int capacity = 2 * table->capacity + 64;
        perp_bench_row *more = realloc(table->row, (size_t)capacity * sizeof *more);
        if (!more)
            return -1;
        table->row = more;
        table->capacity = capacity;
    }
    row_from(&table->row[table->rows++], field);
    return 0;
}

/* A line that is not the first.  0, or -1 with a message. */
static int parse_row(perp_bench_table *table, char *line, const char *path, int number_of_line,
                     char *message, size_t size)
{
    char *field[COLUMNS + 1];
    if (split(line, field, COLUMNS + 1) != COLUMNS) {
        snprintf(message, size, "%s:%d: %d columns expected", path, number_of_line, COLUMNS);
        return -1;
    }
    if (add_row(table, field)) {
        snprintf(message, size, "out of memory");
        return -1;
    }
    return 0;
}

static int parse(perp_bench_table *table, const char *path, char *message, size_t size)
{
    const char *header = PERP_BENCH_COLUMNS;
    char *line = table->text, *stop = table->text + table->bytes, *end;
    size_t bytes = (size_t)table->bytes, whole_header = strlen(header);
    size_t begun = bytes < whole_header ? bytes : whole_header;
    for (int k = 1; (end = memchr(line, '\n', (size_t)(stop - line))); line = end + 1, k++) {
        int holds_nul = memchr(line, '\0', (size_t)(end - line)) != NULL;
        *end = '\0';
        if (end > line && end[-1] == '\r')
            end[-1] = '\0';
        if (k == 1 && (holds_nul || strcmp(line, header)))
            break;
        table->good_bytes = end + 1 - table->text;
        if (k > 1 && *line && !holds_nul && parse_row(table, line, path, k, message, size))
            return -1;
    }
    if (table->good_bytes == 0 &&
        (end || memcmp(table->text, header, begun) || bytes > whole_header + 1 ||
         (bytes > whole_header && table->text[whole_header] != '\r'))) {
        snprintf(message, size, "%s: the first line is not the header of a results file", path);
        return -1;
    }
    return 0;
}

int perp_bench_table_read(perp_bench_table *table, const char *path, char *message, size_t size)
{
    memset(table, 0, sizeof *table);
    table->text = read_whole(path, &table->bytes);
    if (!table->text) {
        snprintf(message, size, "%s: %s", path, strerror(errno ? errno : EIO));
        return -1;
    }
    if (parse(table, path, message, size)) {
        perp_bench_table_free(table);
        return -1;
    }
    return 0;
}

void perp_bench_table_free(perp_bench_table *table)
{
    free(table->row);
    free(table->text);
    memset(table, 0, sizeof *table);
}

double perp_bench_limit_of(const char *settings)
{
    const char *text = strstr(settings, "time_limit=");
    return text ? number(text + strlen("time_limit="), 0.0) : 60.0;
}

int perp_bench_same_but_limit(const char *a, const char *b)
{
    const char *x = strstr(a, "time_limit="), *y = strstr(b, "time_limit=");
    if (!x || !y || x - a != y - b || strncmp(a, b, (size_t)(x - a)))
        return 0;
    return !strcmp(x + strcspn(x, " "), y + strcspn(y, " "));
}

static int serves(const perp_bench_row *row, const perp_bench_row *key)
{
    if (!strcmp(row->settings, key->settings))
        return 1;
    if (!strchr(key->solver, ':') || !perp_bench_same_but_limit(row->settings, key->settings))
        return 0;
    return strcmp(row->run.status, "time-limit") != 0 ||
           perp_bench_limit_of(row->settings) >= perp_bench_limit_of(key->settings);
}

const perp_bench_row *perp_bench_table_find(const perp_bench_table *table,
                                            const perp_bench_row *key)
{
    for (int k = table->rows - 1; k >= 0; k--) {
        const perp_bench_row *row = &table->row[k];
        if (row->tol >= key->tol && row->tol <= key->tol && !strcmp(row->problem, key->problem) &&
            !strcmp(row->solver, key->solver) && !strcmp(row->commit, key->commit) &&
            !strcmp(row->host, key->host) && serves(row, key))
            return row;
    }
    return NULL;
}

/* The bytes of fd from `from` to the end of FILE.torn.  0, or -1 with errno. */
static int keep_torn(int fd, const char *path, long from, long bytes)
{
    size_t length = strlen(path) + sizeof ".torn", count = (size_t)(bytes - from);
    char *name = malloc(length), *tail = malloc(count + 1);
    int to = -1, bad = !name || !tail;
    if (!bad) {
        snprintf(name, length, "%s.torn", path);
        bad = pread(fd, tail, count, from) != (ssize_t)count;
        to = bad ? -1 : open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        tail[count] = '\n';
        bad = to < 0 || perp_bench_write_all(to, tail, count + 1) || fsync(to);
    }
    if (to >= 0 && close(to))
        bad = 1;
    free(name);
    free(tail);
    return bad ? -1 : 0;
}

int perp_bench_append_open(const char *path, const perp_bench_table *table, char *message,
                           size_t size)
{
    struct stat now;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
        snprintf(message, size, "%s: %s", path, strerror(errno));
        return -1;
    }
    if (flock(fd, LOCK_EX | LOCK_NB)) {
        snprintf(message, size, "%s: another campaign is writing to it", path);
        close(fd);
        return -1;
    }
    int bad = fstat(fd, &now) != 0;
    if (!bad && now.st_size != table->bytes) {
        snprintf(message, size, "%s: it has changed since it was read", path);
        close(fd);
        return -1;
    }
    if (!bad && table->bytes > table->good_bytes)
        bad = keep_torn(fd, path, table->good_bytes, table->bytes) ||
              ftruncate(fd, table->good_bytes);
    bad = bad || lseek(fd, 0, SEEK_END) < 0;
    if (!bad && table->good_bytes == 0)
        bad = perp_bench_write_all(fd, PERP_BENCH_COLUMNS "\n", strlen(PERP_BENCH_COLUMNS) + 1);
    if (bad) {
        snprintf(message, size, "%s: %s", path, strerror(errno));
        close(fd);
        return -1;
    }
    return fd;
}

typedef struct line_buffer {
    char *text;
    size_t used, capacity;
    int failed; /* no memory */
} line_buffer;

static void put(line_buffer *line, const char *text)
{
    size_t length = strlen(text);
    if (!line->failed && line->capacity - line->used < length + 1) {
        size_t capacity = 2 * line->capacity + length + 1024;
        char *more = realloc(line->text, capacity);
        line->failed = !more;
        line->text = more ? more : line->text;
        line->capacity = more ? capacity : line->capacity;
    }
    if (!line->failed) {
        memcpy(line->text + line->used, text, length + 1);
        line->used += length;
    }
}

static void put_text(line_buffer *line, const char *text)
{
    char one[2] = {0, 0};
    if (!strpbrk(text, ",\"\n\r")) {
        put(line, text);
    } else {
        put(line, "\"");
        for (; *text; text++) {
            one[0] = *text == '\n' || *text == '\r' ? ' ' : *text;
            put(line, *text == '"' ? "\"\"" : one);
        }
        put(line, "\"");
    }
    put(line, ",");
}

static void put_real(line_buffer *line, const char *format, double x)
{
    char text[64];
    if (!isnan(x)) {
        snprintf(text, sizeof text, format, x);
        put(line, text);
    }
    put(line, ",");
}

/* As few digits as give the same number back, since it is part of the key. */
static void put_tol(line_buffer *line, double tol)
{
    char text[64];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, tol);
        double back = number(text, NAN);
        if (back >= tol && back <= tol)
            break;
    }
    put(line, text);
    put(line, ",");
}

static void put_whole(line_buffer *line, long k)
{
    char text[32];
    if (k >= 0) {
        snprintf(text, sizeof text, "%ld", k);
        put(line, text);
    }
    put(line, ",");
}

static void put_row(line_buffer *line, const perp_bench_row *row)
{
    const perp_bench_record *run = &row->run;
    put_text(line, row->host);
    put_text(line, row->commit);
    put_text(line, row->problem);
    put_whole(line, run->n);
    put_whole(line, run->contacts);
    put_real(line, "%.0f", run->nnz >= 0.0 ? run->nnz : NAN);
    put_text(line, row->solver);
    put_text(line, row->settings);
    put_tol(line, row->tol);
    put_text(line, run->status);
    put_whole(line, run->repeats > 0 ? run->iterations : -1);
    put_real(line, "%.6e", run->residual.natural);
    put_real(line, "%.6e", run->residual.scaled);
    put_real(line, "%.6e", run->residual.primal);
    put_real(line, "%.6e", run->residual.dual);
    put_real(line, "%.6e", run->residual.gap);
    put_real(line, "%.16e", run->error);
    put_real(line, "%.9f", run->setup);
    put_real(line, "%.9f", run->solve);
    put_whole(line, run->peak_kb);
    put_whole(line, run->repeats);
    put_text(line, run->note);
    if (!line->failed)
        line->text[line->used - 1] = '\n';
}

int perp_bench_append(int fd, const perp_bench_row *row)
{
    line_buffer line = {.used = 0};
    off_t end = lseek(fd, 0, SEEK_END);
    put_row(&line, row);
    int bad = end < 0 || line.failed || perp_bench_write_all(fd, line.text, line.used) || fsync(fd);
    int kept = line.failed ? ENOMEM : errno;
    free(line.text);
    if (bad && end >= 0 && ftruncate(fd, end) == 0) /* no part of a row */
        lseek(fd, end, SEEK_SET);
    errno = kept;
    return bad ? -1 : 0;
}
