#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures a second of a page of perp view, in Chromium without a window, and what each of them costs.

    bench/view_rate.py [--seconds 10] [--size 1280x720] [--browser PROGRAM] [--log FILE] PAGE [FLAG ...]

FLAGs are for the browser, after "--": which graphics it takes; without them it draws in software (SwiftShader).
The page is spoken to by the protocol of the browser's developer tools, over pipes, and plays its instants again
and again at their own speed.  Printed are, of the page as it plays, as one who looks at it would have it:

    the graphics (of WebGL), and how large the picture is on the page
    pictures a second: at most as many as the browser asks for and as there are instants
    quality: pixels of the last picture, and whether it had shadows
    script of one picture, in ms: its bodies (states read and put into the arrays of the graphics), contacts, calls
        that draw, and all else (panel, time line); draw calls and triangles, those for shadows among them
    processor time of one picture, in ms: of the page's process, of the one that draws, of all others; this, unlike
        the pictures a second, is hardly longer on a busy machine

and pictures one after the other, each waited for (a pixel is read back), in full and in the least quality.
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

# Sums of the time in parts of the page's script; one part lies in no other but "all".
PARTS = """(() => {
    const view = perpView, picture = view.picture, info = picture.renderer.info;
    const parts = {all: 0, show: 0, contacts: 0, draw: 0};
    const timed = (name, what) => function () {
        const begun = performance.now(), answer = what.apply(this, arguments);
        parts[name] += performance.now() - begun;
        return answer;
    };
    const ask = window.requestAnimationFrame;
    window.requestAnimationFrame = (what) => ask.call(window, timed("all", what));
    picture.show = timed("show", picture.show);
    picture.extras.show = timed("contacts", picture.extras.show);
    picture.renderer.render = timed("draw", picture.renderer.render);
    info.autoReset = false;
    view.parts = parts;
})()"""

# A still picture at its end would be one in full: it goes back before, by more than a slow picture's time.
BEGIN = """(() => {
    const view = perpView, press = () => window.dispatchEvent(new KeyboardEvent("keydown", {key: " "}));
    const rate = view.rate = {asked: 0, on: true};
    const look = () => {
        rate.asked++;
        if (view.now.playing !== rate.on) press();
        if (rate.on && view.now.time > view.motion.t[view.motion.count() - 1] - 0.3) view.seek(0);
        if (rate.on) requestAnimationFrame(look);
    };
    view.seek(0);
    requestAnimationFrame(look);
})()"""

COUNT = """(() => {
    const view = perpView, r = view.picture.renderer, info = r.info.render, gl = r.getContext();
    const mesh = view.picture.items[0].mesh;
    const now = Object.assign({t: performance.now(), drawn: view.picture.drawn, asked: view.rate.asked, calls: info.calls,
        triangles: info.triangles, width: gl.drawingBufferWidth, height: gl.drawingBufferHeight,
        shadows: mesh.castShadow}, view.parts);
    r.info.reset();
    return now;
})()"""

AT_ONCE = """(() => {
    const view = perpView, picture = view.picture, gl = picture.renderer.getContext(), pixel = new Uint8Array(4);
    const n = view.motion.count();
    view.rate.on = false;
    if (view.now.playing) window.dispatchEvent(new KeyboardEvent("keydown", {key: " "}));
    picture.quality.set(LEVEL);
    const one = (k) => {
        view.seek(k % n);
        view.draw();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    };
    for (let k = 0; k < 3; k++) one(k);
    const begin = performance.now();
    let count = 0;
    while (performance.now() - begin < 1000 * SECONDS) one(count++);
    const s = (performance.now() - begin) / 1000;
    picture.quality.set(0);
    return (count / s).toFixed(1) + " a second, " + (1000 * s / count).toFixed(1) + " ms each";
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

    def times(self):
        """Processor time of its processes so far, in ms, by their kind."""
        kinds, parents = {}, {}
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                line = pathlib.Path("/proc", name, "stat").read_text()
                words = pathlib.Path("/proc", name, "cmdline").read_bytes().decode(errors="replace").replace("\0", " ").split()
            except OSError:
                continue
            fields = line.rsplit(")", 1)[1].split()
            kind = next((w[7:] for w in words if w.startswith("--type=")), "")
            parents[int(name)] = (int(fields[1]), kind, int(fields[11]) + int(fields[12]))
        for pid, (_, kind, ticks) in parents.items():
            up = pid
            while up in parents and up != self.child.pid:
                up = parents[up][0]
            if up == self.child.pid:
                kind = kind if kind in ("renderer", "gpu-process") else "other"
                kinds[kind] = kinds.get(kind, 0) + 1000 * ticks / os.sysconf("SC_CLK_TCK")
        return kinds

    def close(self):
        os.close(self.to)
        try:
            self.child.wait(5)
        except subprocess.TimeoutExpired:
            self.child.kill()
        shutil.rmtree(self.profile, ignore_errors=True)


def played(browser, seconds):
    browser.ask(PARTS)
    browser.ask(BEGIN)
    time.sleep(6)  # it finds its quality
    before, at = browser.ask(COUNT), browser.times()
    time.sleep(seconds)
    now, end = browser.ask(COUNT), browser.times()
    s, n = (now["t"] - before["t"]) / 1000, now["drawn"] - before["drawn"]
    print(f"played: {n / s:.1f} pictures a second, asked for {(now['asked'] - before['asked']) / s:.1f};",
          f"{now['width']} x {now['height']} pixels,", "with shadows" if now["shadows"] else "no shadows")
    if n == 0:
        return
    part = {k: (now[k] - before[k]) / n for k in ("all", "show", "contacts", "draw")}
    print(f"script of one, ms: {part['all']:.2f}; bodies {part['show'] - part['contacts']:.2f}, contacts",
          f"{part['contacts']:.2f}, drawing {part['draw']:.2f}, else {part['all'] - part['show'] - part['draw']:.2f}")
    print(f"draw calls {now['calls'] / n:.1f}, triangles {now['triangles'] / n:.0f}")
    cost = {k: (end[k] - at.get(k, 0)) / n for k in end}
    print(f"processor time of one, ms: {sum(cost.values()):.1f}; page {cost.get('renderer', 0):.1f}, graphics",
          f"{cost.get('gpu-process', 0):.1f}, other {cost.get('other', 0):.1f}", flush=True)


def measure(browser, page, seconds, width, height):
    begin = time.monotonic()
    browser.open(page, width, height)
    while browser.ask("window.perpView && perpView.state ? perpView.state() : 'reading'") != "ready":
        if time.monotonic() - begin > 120:
            sys.exit("the page is not ready after 120 s: " + str(browser.ask("document.body.innerText"))[:300])
        time.sleep(0.05)
    print(f"ready after {time.monotonic() - begin:.2f} s")
    print("graphics | width | height | instants | bodies:", browser.ask(GRAPHICS), flush=True)
    played(browser, seconds)
    for name, level in (("full", "0"), ("least", "perpView.picture.quality.levels.length - 1")):
        told = browser.ask(AT_ONCE.replace("SECONDS", str(seconds / 2)).replace("LEVEL", level))
        print(f"one after the other, {name} quality:", told, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--size", default="1280x720")
    parser.add_argument("--browser", default="chromium")
    parser.add_argument("--log", default="/dev/null", help="what the browser says")
    parser.add_argument("page")
    parser.add_argument("flags", nargs="*")
    a = parser.parse_args()
    width, height = map(int, a.size.split("x"))
    flags = a.flags or ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    with open(a.log, "wb") as log:
        browser = Browser(a.browser, flags, log)
        try:
            measure(browser, pathlib.Path(a.page).resolve().as_uri(), a.seconds, width, height)
        finally:
            browser.close()


main()
