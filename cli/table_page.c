/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/table_page.h"

#include <errno.h>
#include <perp/io.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "viewer/page.h"

int perp_table_page_open(perp_table_page *page)
{
    page->text = NULL;
    page->size = 0;
    page->data = open_memstream(&page->text, &page->size);
    return page->data != NULL ? 0 : perp_complain("no memory for a page");
}

static void put(FILE *f, const perp_table_page *page, const char *kind, const char *title)
{
    char html[64], script[64];

    snprintf(html, sizeof html, "%s.html", kind);
    snprintf(script, sizeof script, "%s.js", kind);
    perp_page_begin(f, title);
    perp_page_script(f, "errors.js");
    perp_page_script(f, "colours.js");
    perp_page_script(f, "theme.js");
    perp_page_json(f, kind, page->text, page->size);
    perp_page_script(f, html);
    perp_page_script(f, "canvas.js");
    perp_page_script(f, "tables.js");
    perp_page_script(f, script);
    perp_page_end(f);
}

int perp_table_page_write(perp_table_page *page, const char *kind, const char *title,
                          const char *out)
{
    char part[4200];
    FILE *f;
    int bad = ferror(page->data) | fclose(page->data);

    snprintf(part, sizeof part, "%s.part", out);
    f = fopen(part, "wb");
    if (f == NULL) {
        free(page->text);
        return perp_complain("%s: %s", part, strerror(errno));
    }
    if (bad == 0)
        put(f, page, kind, title);
    free(page->text);
    if ((bad | ferror(f) | fclose(f)) != 0 || perp_file_publish(part, out, NULL) != PERP_SOLVED) {
        perp_complain("%s: %s", out, strerror(errno));
        remove(part);
        return PERP_EXIT_ERROR;
    }
    return PERP_EXIT_DONE;
}
