/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a run that goes on: instants come as events, and three buttons steer the run. */
"use strict";
(function (view) {
    const byId = (id) => document.getElementById(id);
    const FAILURES = 5;
    let motion = null, page, source, shown = false, due = false, fitAt = 4, stride = 1;
    let paused = false, over = "", failures = 0;
    let busy = false; /* the picture is being made in slices: what comes meanwhile waits */
    const waiting = [];

    function later(what) {
        if (busy)
            waiting.push(what);
        else
            what();
    }

    function free() {
        busy = false;
        while (!busy && waiting.length > 0)
            waiting.shift()();
    }

    function say() {
        byId("running").textContent = (over || (paused ? "The run is paused" : "The run goes on")) +
            (stride > 1 ? "; one instant of " + stride + " steps is kept" : "");
        byId("go").textContent = paused ? "Go" : "Pause";
        for (const id of ["go", "single", "stop"])
            byId(id).disabled = over !== "";
    }

    function end(text) {
        over = text;
        source.close();
        say();
        later(() => { if (shown) refresh(); });
    }

    function ask(word) {
        if (over === "")
            fetch(word, {method: "POST"}).catch(() => { byId("running").textContent = "The run does not answer"; });
    }

    /* What is shown after some instants came or went. */
    function refresh() {
        due = false;
        if (view.picture && (motion.count() >= fitAt || (over !== "" && fitAt < Infinity))) {
            fitAt = over !== "" ? Infinity : 2 * motion.count();
            busy = true;
            view.inSlices(view.picture.fit(), () => {
                page.followSingle();
                show();
                free();
            }, page.damaged);
        } else {
            show();
        }
    }

    function show() {
        view.timeline.refresh();
        if (!view.now.playing)
            view.now.time = motion.t[view.now.frame];
        view.show(view.now.frame);
    }

    function take(data) {
        const now = view.now, newest = !now.playing && now.frame >= motion.count() - 1;
        const t = motion.t[now.frame];
        if (data.stride > stride)
            motion.thin(stride = data.stride);
        motion.readBatch(new Int8Array(view.bytesOf(data.exponents).buffer), view.bytesOf(data.bytes), data.steps);
        now.frame = newest || t === undefined ? motion.count() - 1 : motion.nearest(t);
        if (!shown) {
            shown = busy = true;
            page.present(() => {
                view.seek(motion.count() - 1);
                free();
            });
        } else if (!due) {
            due = true;
            requestAnimationFrame(() => later(refresh));
        }
        say();
    }

    function listen() {
        source.addEventListener("head", (e) => {
            const data = JSON.parse(e.data);
            failures = 0;
            if (motion === null)
                motion = page.open(data.head, {entries: data.entries, note: "", contact_stride: 1,
                                               exponents: new Array(data.entries).fill(0)});
        });
        source.addEventListener("frames", (e) => later(() => take(JSON.parse(e.data))));
        source.addEventListener("state", (e) => {
            const data = JSON.parse(e.data);
            paused = data.paused !== 0;
            if (data.over !== "") {
                if (data.failed && motion !== null)
                    motion.shape.stopped = 1;
                end(data.over);
                later(() => { if (shown) page.hook(); });
            }
            say();
        });
        source.onerror = () => {
            failures++;
            if (source.readyState === EventSource.CLOSED || failures > FAILURES)
                end("The run cannot be reached any more; what came so far is shown");
        };
        byId("go").addEventListener("click", () => ask(paused ? "go" : "pause"));
        byId("single").addEventListener("click", () => ask("step"));
        byId("stop").addEventListener("click", () => ask("stop"));
        window.addEventListener("keydown", (e) => {
            if (e.ctrlKey || e.metaKey || e.altKey || !["p", "k"].includes(e.key))
                return;
            ask(e.key === "k" ? "step" : paused ? "go" : "pause");
            e.preventDefault();
        });
        const list = document.querySelector("#keys dl");
        for (const [key, what] of [["p", "pause the run, or go on"], ["k", "one step of the run"]]) {
            const name = document.createElement("dt"), meaning = document.createElement("dd");
            name.textContent = key;
            meaning.textContent = what;
            list.append(name, meaning);
        }
    }

    view.live = function (parts) {
        page = parts;
        source = new EventSource("events");
        listen();
        say();
    };
})(window.perpView);
