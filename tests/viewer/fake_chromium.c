/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands for Chromium where pictures are made: reads messages that end in a zero byte from
 * descriptor 3 and answers on descriptor 4.  FAKE_CHROMIUM says how, "HOW:K", K the number of a
 * message from 1:
 *     end:K       it ends with status 3 when message K has come
 *     leaves:K    and with status 0
 *     dies:K      and by a signal
 *     odd:K       its answer to message K has no field
 *     hangs:K     it never answers message K
 *     broken:1    the page says that it cannot be drawn
 *     blank:1     what it gives is no picture
 *     noise:1     answers come in pieces, after others that were not asked for, one of 400 kB
 *     stays:1     it does not end when nobody listens any more
 * The picture is two bytes, 0xfb 0xff, and the text " perp, t=" with the time that was asked. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char how[32] = "well";
static int place, messages;

static int is(const char *word)
{
    return strcmp(how, word) == 0 && (place == messages || place == 0);
}

static void put(const char *text, size_t size)
{
    for (size_t piece; size > 0; text += piece, size -= piece) {
        piece = strcmp(how, "noise") == 0 && size < 1000 && size > 7 ? 7 : size;
        ssize_t done = write(4, text, piece);
        if (done <= 0)
            exit(1);
        piece = (size_t)done;
    }
}

static void reply(const char *id, const char *result)
{
    char text[4096];
    int length = snprintf(text, sizeof text, "{\"id\":%s,\"result\":{%s}}", id, result);
    put(text, (size_t)length + 1);
}

static void make_noise(void)
{
    static char large[400000];
    memset(large, 'x', sizeof large - 1);
    put("{\"method\":\"Page.loaded\",\"params\":{}}", 39);
    put(large, sizeof large);
    reply("99999", "");
}

/* In base64, whose last two digits are in it. */
static void picture(char *out, const char *time)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[100] = "";
    size_t n = (size_t)snprintf(text, sizeof text - 3, "\373\377 perp, t=%.20s", time), used = 0;
    for (size_t k = 0; k < n; k += 3) {
        unsigned long held = (unsigned long)(unsigned char)text[k] << 16 |
                             (unsigned long)(unsigned char)text[k + 1] << 8 |
                             (unsigned char)text[k + 2];
        for (int i = 0; i < 4; i++)
            out[used++] = k + (size_t)i > n ? '=' : digits[held >> (18 - 6 * i) & 63];
    }
    out[used] = '\0';
}

static void evaluate(const char *id, const char *message)
{
    static int reading = 3;
    char text[1000] = "\"value\":\"reading\"", code[200], time[32] = "";
    const char *at = strstr(message, "perpView.still(");
    if (at != NULL && sscanf(at + strlen("perpView.still("), "%31[^,]", time) == 1) {
        picture(code, time);
        snprintf(text, sizeof text, "\"value\":\"%s%s\"",
                 strcmp(how, "blank") == 0 ? "data:," : "data:image/png;base64,", code);
    } else if (reading-- <= 0) {
        strcpy(text, strcmp(how, "broken") == 0 ? "\"value\":\"no motion is in it\""
                                                : "\"value\":\"ready\"");
    }
    reply(id, text);
}

static void answer(const char *message)
{
    char id[16] = "0";
    messages++;
    sscanf(message, "{\"id\":%15[0-9]", id);
    if (is("end"))
        exit(3);
    if (is("dies"))
        raise(SIGKILL);
    if (is("leaves"))
        exit(0);
    if (is("hangs"))
        return;
    if (strcmp(how, "noise") == 0)
        make_noise();
    if (is("odd"))
        reply(id, "");
    else if (strstr(message, "Target.createTarget") != NULL)
        reply(id, "\"targetId\":\"T1\"");
    else if (strstr(message, "Target.attachToTarget") != NULL)
        reply(id, strstr(message, "\"T1\"") != NULL ? "\"sessionId\":\"S1\"" : "");
    else if (strstr(message, "\"sessionId\":\"S1\"") == NULL)
        exit(4);
    else if (strstr(message, "Runtime.evaluate") != NULL)
        evaluate(id, message);
    else
        reply(id, "");
}

int main(void)
{
    static char message[1 << 16];
    size_t used = 0;
    const char *wish = getenv("FAKE_CHROMIUM");
    if (wish != NULL)
        sscanf(wish, "%31[^:]:%d", how, &place);
    while (used + 1 < sizeof message && read(3, message + used, 1) == 1)
        if (message[used++] == '\0') {
            answer(message);
            used = 0;
        }
    while (strcmp(how, "stays") == 0)
        sleep(1);
    return 0;
}
