/* SPDX-License-Identifier: BSD-3-Clause */
/* The page: puts its parts together, plays, and listens to keys and buttons. */
"use strict";
(function (view) {
    const byId = (id) => document.getElementById(id);
    const number = (x) => Number.isFinite(x) ? String(+x.toPrecision(7)) : String(x);
    const vector = (list) => list.map(number).join("\n");
    const READABLE = 200; /* ms; numbers that change sooner cannot be read, and to paint them costs */
    const REST = 300; /* ms after which a camera has come to rest */
    const LEAP = 250; /* ms; what comes slower plays slower, so that there is something to see */
    const now = {frame: 0, playing: false, time: 0, stamp: 0, told: 0, moved: 0, dirty: true};
    let motion, picture, timeline, states, shape, broken = "";

    function note(text, bad) {
        const p = byId("note");
        p.textContent = text;
        p.className = bad ? "bad" : "";
    }

    function rows(title, list) {
        const table = document.createElement("table"), caption = document.createElement("caption");
        caption.textContent = title;
        table.append(caption);
        for (const [name, value] of list) {
            const row = table.insertRow(), head = document.createElement("th");
            head.textContent = name;
            row.append(head);
            row.insertCell().textContent = value;
        }
        return table;
    }

    function bodyTable(k) {
        const system = motion.head.systems[k], q = system.entries > 0 ? motion.state(now.frame, k) : [];
        const list = [["kind", system.type]], f = now.frame;
        if (system.mass)
            list.push(["mass", number(system.mass)]);
        if (system.type === "body" && q.length === 7)
            list.push(["position", vector(q.slice(0, 3))], ["quaternion", vector(q.slice(3))]);
        else if (q.length > 0)
            list.push(["state", vector(q.slice(0, 24))]);
        if (f > 0 && q.length > 0) {
            const before = motion.state(f - 1, k), dt = motion.t[f] - motion.t[f - 1];
            if (dt > 0)
                list.push(["mean rate",
                           vector(q.slice(0, system.type === "body" ? 3 : 24).map((x, i) => (x - before[i]) / dt))]);
        }
        return rows(system.name, list);
    }

    function contactTable(c) {
        const name = (k) => k >= 0 ? motion.head.systems[k].name : "the world";
        const h = motion.h[c.frame] || 1, force = c.impulse.map((x) => x / h);
        const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        const split = (v) => {
            const n = dot(v, c.normal), t = Math.hypot(...v.map((x, i) => x - n * c.normal[i]));
            return view.short(n) + " along\n" + view.short(t) + " across";
        };
        const along = dot(force, c.normal), across = Math.hypot(...force.map((x, i) => x - along * c.normal[i]));
        const list = [["state", c.state], ["gap", view.short(c.gap)], ["velocity", split(c.velocity)], ["force", split(force)]];
        if (c.mu > 0)
            list.push(["friction", number(+c.mu.toPrecision(6))],
                      ["of the cone", along > 0 ? (100 * across / (c.mu * along)).toPrecision(4) + " %" : "no force"]);
        list.push(["point", vector(c.point)], ["normal", vector(c.normal)]);
        return rows(name(c.first) + " on " + name(c.second), list);
    }

    function stepTable() {
        const m = motion, f = now.frame, list = [];
        list.push(["energy", number(m.kinetic[f] + m.potential[f])], ["violation", view.short(m.violation[f])],
                  ["solver error", view.short(m.error[f])],
                  ["certificate", m.certificate[f] > 0 ? view.short(m.certificate[f]) + " \u00d7 allowed\n(" + (m.head.measures[m.measure[f]] || "?") + ")" : "0"]);
        if (m.steps[f] > 1)
            list.push(["steps since the instant before", number(m.steps[f]) + "; the worst is shown"]);
        if (timeline.bad(f))
            list.push(["not certified", m.unsolved[f] > 0 ? number(m.unsolved[f]) + " not solved"
                       : m.first[f] > 0 ? "step " + number(m.first[f])
                       : m.certificate[f] > 1 ? "above what is allowed" : "the step after this one"]);
        return rows("Step", list);
    }

    function panel() {
        const box = byId("chosen"), extras = picture && picture.extras;
        now.told = performance.now();
        box.replaceChildren(stepTable());
        if (now.system >= 0)
            box.append(bodyTable(now.system));
        if (extras && extras.chosen)
            box.append(contactTable(extras.chosen));
    }

    view.show = function (frame) {
        now.frame = Math.max(0, Math.min(motion.count() - 1, frame));
        now.dirty = true;
        if (picture)
            picture.show(now.frame);
        byId("time").textContent = "t = " + number(motion.t[now.frame]) + " (" + (now.frame + 1) + " of " + motion.count() + ")";
        if (!now.playing || performance.now() - now.told > READABLE)
            panel();
    };

    view.redraw = function () { now.dirty = true; };

    /* The camera moves: as well as can be while it does. */
    view.moved = function () {
        if (now.moved === 0 && !now.playing)
            picture.quality.play();
        now.moved = performance.now();
        now.dirty = true;
    };

    view.seek = function (frame) {
        now.time = motion.t[Math.max(0, Math.min(motion.count() - 1, frame))];
        view.show(frame);
    };

    function choose(k) {
        now.system = k;
        if (picture) {
            picture.chosen = k;
            picture.paint();
        }
        byId("body").value = String(k);
        view.show(now.frame);
    }

    view.clicked = function (x, y) {
        const k = picture.extras.pick(x, y);
        picture.extras.choose(k);
        if (k < 0)
            choose(picture.pick(x, y));
        else
            panel();
    };

    function fullQuality() {
        if (picture)
            picture.quality.full();
    }

    function play(on) {
        now.playing = on;
        if (!on) {
            fullQuality();
            panel();
        } else if (picture) {
            picture.quality.play();
        }
        byId("play").textContent = on ? "\u275a\u275a" : "\u25b6";
        byId("play").setAttribute("aria-label", on ? "Pause" : "Play");
        byId("side").setAttribute("aria-live", on ? "off" : "polite");
        if (on && now.frame >= motion.count() - 1)
            now.time = motion.t[0];
        now.stamp = performance.now();
    }

    function tick(stamp) {
        if (picture && !byId("curves").checked && (now.playing || (now.moved > 0 && now.dirty)))
            picture.quality.took(stamp - now.stamp);
        if (now.moved > 0 && performance.now() - now.moved > REST) {
            now.moved = 0;
            if (!now.playing)
                fullQuality();
        }
        if (now.playing) {
            now.time += Math.min(stamp - now.stamp, LEAP) / 1000 * Number(byId("speed").value);
            const last = motion.count() - 1;
            if (now.time >= motion.t[last]) {
                now.time = motion.t[last];
                play(false);
            }
            const frame = motion.nearest(now.time);
            if (frame !== now.frame)
                view.show(frame);
        }
        now.stamp = stamp;
        if (now.dirty) {
            now.dirty = false;
            draw();
        }
        requestAnimationFrame(tick);
    }

    function draw() {
        const curves = byId("curves").checked || !picture;
        byId("states").hidden = !curves;
        byId("picture").hidden = curves;
        if (curves)
            states.draw(now.frame);
        else
            picture.draw();
        timeline.draw(now.frame);
    }
    view.draw = draw;

    const file = () => byId("states").hidden ? picture.quality.file() : byId("states").toDataURL("image/png");

    /* For perp view --png, --gif and --mp4: whether pictures can be taken, and that of the instant nearest to t; a
     * picture that is alone shows what is there then. */
    view.state = () => broken || (view.ready ? "ready" : "reading");
    view.still = function (t, alone) {
        fullQuality();
        view.seek(motion.nearest(t));
        if (alone && !byId("curves").checked && (!picture.follow || picture.byItself)) {
            if (picture.byItself)
                Object.assign(picture, {follow: false, chosen: -1}).paint();
            picture.fitTo(now.frame);
        }
        draw();
        return file();
    };

    function save() {
        const link = document.createElement("a");
        fullQuality();
        draw();
        link.href = file();
        link.download = "perp.png";
        link.click();
    }

    function toggle(id) {
        byId(id).checked = !byId(id).checked;
        byId(id).dispatchEvent(new Event("change"));
    }

    function recolour() {
        timeline.refresh();
        now.dirty = true;
    }

    function theme() {
        view.swapTheme();
        recolour();
    }

    function nextBad() {
        for (let k = 1; k <= motion.count(); k++)
            if (timeline.bad((now.frame + k) % motion.count()))
                return view.seek((now.frame + k) % motion.count());
    }

    function speed(by) {
        const s = byId("speed");
        s.selectedIndex = Math.max(0, Math.min(s.options.length - 1, s.selectedIndex + by));
    }

    const keys = {
        " ": () => play(!now.playing), ",": () => view.seek(now.frame - 1), ".": () => view.seek(now.frame + 1),
        "<": () => view.seek(now.frame - 10), ">": () => view.seek(now.frame + 10),
        ArrowLeft: () => view.seek(now.frame - 1), ArrowRight: () => view.seek(now.frame + 1),
        Home: () => view.seek(0), End: () => view.seek(motion.count() - 1),
        "[": () => speed(-1), "]": () => speed(1), u: nextBad, t: theme, s: save,
        f: () => toggle("follow"), o: () => toggle("parallel"), c: () => toggle("contacts"),
        j: () => toggle("joints"), x: () => toggle("curves"), "?": () => byId("keys").showModal(),
        Escape: () => {
            if (picture)
                picture.extras.choose(-1);
            choose(-1);
        },
        b: () => choose((now.system + 1) % motion.head.systems.length),
        n: () => {
            if (!picture || picture.extras.list.length === 0)
                return;
            const extras = picture.extras;
            extras.choose((extras.list.indexOf(extras.chosen) + 1) % extras.list.length);
            panel();
        }
    };

    /* A key that means something to what has the focus. */
    function isOwn(target, key) {
        if (target.tagName === "INPUT" && target.type === "range")
            return ["ArrowLeft", "ArrowRight", "Home", "End"].includes(key);
        return target.tagName === "SELECT" || (key === " " && /^(INPUT|BUTTON)$/.test(target.tagName));
    }

    function listen() {
        const on = (id, event, what) => byId(id).addEventListener(event, what);
        on("play", "click", keys[" "]);
        on("back", "click", keys[","]);
        on("forward", "click", keys["."]);
        on("first", "click", keys.Home);
        on("last", "click", keys.End);
        on("theme", "click", theme);
        view.onSystemTheme(recolour);
        on("save", "click", save);
        on("help", "click", keys["?"]);
        on("body", "change", () => choose(Number(byId("body").value)));
        on("curves", "change", () => { now.dirty = true; });
        on("parallel", "change", () => { if (picture) picture.camera.orthographic = byId("parallel").checked; now.dirty = true; });
        on("follow", "change", () => { if (picture) picture.follow = byId("follow").checked; now.dirty = true; });
        on("contacts", "change", () => { if (picture) picture.extras.wants.contacts = byId("contacts").checked; view.show(now.frame); });
        on("joints", "change", () => { if (picture) picture.extras.wants.joints = byId("joints").checked; view.show(now.frame); });
        on("arrows", "input", () => { if (picture) picture.extras.arrow = Math.pow(10, Number(byId("arrows").value)); view.show(now.frame); });
        const resized = new ResizeObserver(draw);
        for (const id of ["picture", "states", "timeline"])
            resized.observe(byId(id));
        window.addEventListener("keydown", (e) => {
            if (e.ctrlKey || e.metaKey || e.altKey || byId("keys").open || !keys[e.key] || isOwn(e.target, e.key))
                return;
            e.preventDefault();
            keys[e.key]();
        });
    }

    function fill() {
        const title = motion.head.title || motion.head.scene || "perp", list = byId("body");
        byId("title").textContent = title;
        document.title = title;
        list.append(new Option("none", "-1"));
        motion.head.systems.slice(0, 3000).forEach((s, k) => list.append(new Option(s.name, String(k))));
        const legend = byId("legend");
        const entry = (colour, text) => {
            const row = document.createElement("div"), mark = document.createElement("span");
            mark.className = "key";
            mark.style.background = colour;
            row.append(mark, text);
            legend.append(row);
        };
        if (motion.head.joints.length > 0)
            entry(view.jointColour, "joint");
        if (motion.head.contacts)
            for (const state of Object.keys(view.stateColours))
                entry(view.stateColours[state], "contact " + state);
        else
            legend.append("No contacts were recorded.");
        byId("contacts").disabled = byId("arrows").disabled = !motion.head.contacts;
        if (shape.contact_stride > 1)
            legend.append("Contacts are shown of one instant in " + shape.contact_stride + ".");
    }

    /* A body that is alone and goes far away. */
    function followSingle() {
        if (!picture.leaves || picture.single < 0 || picture.follow)
            return;
        byId("follow").checked = picture.follow = picture.byItself = true;
        now.system = picture.chosen = picture.single;
        byId("body").value = String(now.system);
        picture.paint();
    }

    /* With yields. */
    function* build() {
        view.beginTheme();
        try {
            picture = new view.Picture(byId("picture"), motion);
            yield* picture.make();
            picture.extras = new view.Extras(picture);
            yield* picture.extras.measure();
            byId("parallel").checked = picture.camera.orthographic;
            followSingle();
            const points = view.mechanisms.points(motion, 0);
            if (!picture.hasBodies && points.length === 0)
                byId("curves").checked = true;
            else {
                picture.show(0);
                yield* picture.warm();
            }
        } catch (error) {
            picture = null;
            note("No picture, only curves: " + error.message, true);
        }
        timeline = new view.Timeline(byId("timeline"), motion, view.seek);
        states = new view.States(byId("states"), motion);
        view.picture = picture;
        view.timeline = timeline;
        yield view.PAUSE;
        yield* timeline.prepare();
        if (picture) {
            yield view.PAUSE;
            picture.resize();
        }
        yield view.PAUSE;
    }

    function follow(name) {
        const k = motion.head.systems.findIndex((s) => s.name === name);
        if (k < 0)
            broken = "no body is called " + name.replace(/["\\]/g, "");
        now.system = k;
        byId("body").value = String(k);
        byId("follow").checked = true;
        if (picture) {
            picture.follow = true;
            picture.byItself = false;
            picture.chosen = k;
        }
    }

    /* #t=1.5&body=ball&contact=2&play&bare&hook=0.1,0.2 */
    function wishes() {
        const all = new URLSearchParams(location.hash.slice(1));
        document.body.classList.toggle("bare", all.has("bare"));
        if (all.has("body"))
            choose(motion.head.systems.findIndex((s) => s.name === all.get("body")));
        if (all.has("follow"))
            follow(all.get("follow"));
        if (all.has("camera") && picture) {
            const c = all.get("camera").split(",").map(Number);
            if (Number.isFinite(c[0]))
                picture.camera.turn = c[0] * Math.PI / 180;
            if (Number.isFinite(c[1]))
                picture.camera.rise = c[1] * Math.PI / 180;
            if (c[2] > 0)
                picture.camera.distance /= c[2];
        }
        if (all.has("t"))
            view.seek(motion.nearest(Number(all.get("t"))));
        if (all.has("contact") && picture) {
            picture.extras.choose(Number(all.get("contact")));
            panel();
        }
        if (all.has("play") && !matchMedia("(prefers-reduced-motion: reduce)").matches)
            play(true);
        if (!view.live)
            hook();
    }

    function hook() {
        const all = new URLSearchParams(location.hash.slice(1));
        if (all.has("hook"))
            view.answer(all.get("hook").split(",").filter((x) => x !== "").map(Number));
    }

    /* With yields; the motion, without instants. */
    function* begin(head, about) {
        shape = about;
        motion = view.motion = new view.Motion(head, shape);
        now.system = -1;
        yield view.PAUSE;
        fill();
        yield view.PAUSE;
        return motion;
    }

    const open = (head, about) => view.atOnce(begin(head, about));

    function damaged(error) {
        broken = "the data of the page are damaged";
        note("The data of this page are damaged: " + error.message, true);
    }

    /* In slices; done() when all can be seen and used. */
    function present(done) {
        view.inSlices(build(), () => {
            note(shape.note, shape.note !== "");
            listen();
            view.seek(0);
            view.ready = true;
            wishes();
            requestAnimationFrame(tick);
            if (done)
                done();
        }, damaged);
    }

    function* read() {
        const head = view.json("head");
        yield view.PAUSE;
        const about = view.json("shape");
        yield view.PAUSE;
        yield* begin(head, about);
        note("reading", false);
        yield* motion.readPage((part) => note("reading, " + Math.round(100 * part) + " %", false));
    }

    view.now = now;
    if (view.live)
        view.live({open: open, present: present, followSingle: followSingle, damaged: damaged, hook: hook});
    else
        view.inSlices(read(), () => present(), damaged);
})(window.perpView);
