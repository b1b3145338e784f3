#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures a second of a page of perp view, in Chromium without a window.

    bench/view_rate.py [--seconds 10] [--size 1200x800] [--browser PROGRAM] [--log FILE] PAGE [FLAG ...]

FLAGs are for the browser, after "--": which graphics it takes.  The page is spoken to by the protocol of the
browser's developer tools, over pipes, and plays its instants again and again at their own speed.  Printed are:

    the graphics (of WebGL)
    played: pictures a second that the page drew by itself, as one who looks at it would have them, at most as
        many as the browser asks for and as there are instants
    at once: pictures a second one after the other, each waited for (a pixel is read back), with shadows and
        without them
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

GRAPHICS = """(() => {
    const gl = perpView.picture.renderer.getContext(), info = gl.getExtension("WEBGL_debug_renderer_info");
    return [gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER), gl.drawingBufferWidth,
            gl.drawingBufferHeight, perpView.motion.count(), perpView.picture.items.length].join(" | ");
})()"""

# The page stops at its last instant, so that it is started again there.
PLAYED = """new Promise((done) => {
    const view = perpView, picture = view.picture;
    const press = (key) => window.dispatchEvent(new KeyboardEvent("keydown", {key: key}));
    let asked = 0, before = 0, begin = 0;
    view.seek(0);
    view.draw();
    press(" ");
    const look = (stamp) => {
        if (begin === 0) { begin = stamp; before = picture.drawn; }
        asked++;
        if (!view.now.playing) press(" ");
        if (stamp - begin < 1000 * SECONDS) return requestAnimationFrame(look);
        if (view.now.playing) press(" ");
        const s = (stamp - begin) / 1000;
        done(((picture.drawn - before) / s).toFixed(1) + " a second, asked for " + (asked / s).toFixed(1));
    };
    requestAnimationFrame(look);
})"""

AT_ONCE = """(() => {
    const view = perpView, picture = view.picture, gl = picture.renderer.getContext(), pixel = new Uint8Array(4);
    const n = view.motion.count();
    picture.renderer.shadowMap.enabled = SHADOWS;
    picture.scene.traverse((o) => { if (o.material) o.material.needsUpdate = true; });
    const one = (k) => {
        const from = performance.now();
        view.seek(k % n);
        view.draw();
        const script = performance.now() - from;
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
        return script;
    };
    for (let k = 0; k < 3; k++) one(k);
    const begin = performance.now();
    let count = 0, script = 0;
    while (performance.now() - begin < 1000 * SECONDS) script += one(count++);
    const s = (performance.now() - begin) / 1000;
    return (count / s).toFixed(1) + " a second, " + (1000 * s / count).toFixed(2) + " ms each, of which script " +
        (script / count).toFixed(2) + " ms";
})()"""


class Browser:
    """Chromium, and messages to and from it with a zero behind each."""

    def __init__(self, program, flags, log):
        self.profile = tempfile.mkdtemp(prefix="perp-view-rate-")
        here, there = os.pipe(), os.pipe()
        line = [program, "--headless", "--no-first-run", "--disable-background-networking", "--hide-scrollbars",
                "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
                "--user-data-dir=" + self.profile] + flags
        if os.geteuid() == 0:
            line.append("--no-sandbox")
        # Descriptors 3 and 4 are what it reads and writes.
        shell = 'exec "$@" 3<&%d 4>&%d' % (here[0], there[1])
        self.child = subprocess.Popen(["bash", "-c", shell, "bash"] + line, pass_fds=(here[0], there[1]),
                                      stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        os.close(here[0])
        os.close(there[1])
        self.to, self.of, self.bytes, self.asked, self.session = here[1], there[0], b"", 0, None

    def call(self, method, **params):
        self.asked += 1
        message = {"id": self.asked, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.bytes:
                more = os.read(self.of, 1 << 20)
                if not more:
                    sys.exit("the browser ended by itself")
                self.bytes += more
            one, self.bytes = self.bytes.split(b"\0", 1)
            answer = json.loads(one)
            if answer.get("id") == self.asked:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, page, width, height):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Page.navigate", url=page)

    def ask(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            sys.exit(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def close(self):
        os.close(self.to)
        try:
            self.child.wait(5)
        except subprocess.TimeoutExpired:
            self.child.kill()
        shutil.rmtree(self.profile, ignore_errors=True)


def measure(browser, page, seconds, width, height):
    begin = time.monotonic()
    browser.open(page, width, height)
    while browser.ask("window.perpView && perpView.state ? perpView.state() : 'reading'") != "ready":
        if time.monotonic() - begin > 120:
            sys.exit("the page is not ready after 120 s: " + str(browser.ask("document.body.innerText"))[:300])
        time.sleep(0.05)
    print(f"ready after {time.monotonic() - begin:.2f} s")
    print("graphics | width | height | instants | bodies:", browser.ask(GRAPHICS), flush=True)
    print("played:", browser.ask(PLAYED.replace("SECONDS", str(seconds))), flush=True)
    for shadows in ("true", "false"):
        told = browser.ask(AT_ONCE.replace("SECONDS", str(seconds / 2)).replace("SHADOWS", shadows))
        print("at once,", "with shadows:" if shadows == "true" else "without:", told, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--size", default="1200x800")
    parser.add_argument("--browser", default="chromium")
    parser.add_argument("--log", default="/dev/null", help="what the browser says")
    parser.add_argument("page")
    parser.add_argument("flags", nargs="*")
    a = parser.parse_args()
    width, height = map(int, a.size.split("x"))
    with open(a.log, "wb") as log:
        browser = Browser(a.browser, a.flags, log)
        try:
            measure(browser, pathlib.Path(a.page).resolve().as_uri(), a.seconds, width, height)
        finally:
            browser.close()


main()
