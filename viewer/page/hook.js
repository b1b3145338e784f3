/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: what the page shows at some times, written into the page as <pre id="hook">. */
"use strict";
(function (view) {
    /* A number that differs where pictures do, and how many colours there are. */
    function look(canvas) {
        const small = document.createElement("canvas"), g = small.getContext("2d"), seen = new Set();
        small.width = 192;
        small.height = 120;
        g.drawImage(canvas, 0, 0, 192, 120);
        const data = g.getImageData(0, 0, 192, 120).data;
        let sum = 2166136261;
        for (let k = 0; k < data.length; k += 4) {
            const c = data[k] << 16 | data[k + 1] << 8 | data[k + 2];
            seen.add(c);
            sum = Math.imul(sum ^ c, 16777619) >>> 0;
        }
        return {colours: seen.size, sum: sum};
    }

    const panelText = () => document.getElementById("chosen").textContent;

    /* A click on a contact that has friction and a force: whether the panel tells of it, and where the end
     * of the arrow lies in the cone, whose side is at across = along and whose rim at along = 1. */
    function clickContact() {
        const extras = view.picture && view.picture.extras;
        const c = extras && extras.list.find((x) => x.mu > 0 && Math.hypot(...x.impulse) > 0);
        if (!c)
            return null;
        const p = extras.placeOf(c).project(view.picture.camera.get()), end = new THREE.Vector3(0, 0, 0.5);
        view.clicked(p.x, p.y);
        view.draw();
        extras.cone.updateMatrixWorld(true);
        end.applyMatrix4(extras.shaft.matrix);
        extras.cone.worldToLocal(end);
        const text = panelText(), answer = {along: end.z, across: Math.hypot(end.x, end.y), shown: extras.cone.visible,
            state: extras.chosen.state,
            told: ["gap", "velocity", "force", "friction", "of the cone"].every((word) => text.includes(word))};
        extras.choose(-1);
        return answer;
    }

    /* A click in the middle of each moving body in turn, until one is not hidden: whether it is told of. */
    function clickBody() {
        const picture = view.picture, camera = picture && picture.camera.get();
        const moving = picture ? picture.items.filter((x) => picture.head.systems[x.system].entries > 0).slice(0, 50) : [];
        for (const item of moving) {
            const p = picture.centre(item.system).project(camera);
            view.clicked(p.x, p.y);
            if (view.now.system === item.system)
                return panelText().includes(picture.head.systems[item.system].name) && panelText().includes("kind");
        }
        return moving.length > 0 ? false : null;
    }

    /* What some keys do. */
    function press() {
        const key = (name) => window.dispatchEvent(new KeyboardEvent("keydown", {key: name}));
        const last = view.motion.count() - 1, good = [];
        key("Home");
        good.push(view.now.frame === 0);
        key(".");
        good.push(view.now.frame === Math.min(1, last));
        key("End");
        good.push(view.now.frame === last);
        key(",");
        good.push(view.now.frame === Math.max(0, last - 1));
        key(" ");
        good.push(view.now.playing);
        key(" ");
        good.push(!view.now.playing);
        const now = view.now, checked = (id) => document.getElementById(id).checked, speed = document.getElementById("speed");
        for (const [name, what] of [["f", "follow"], ["o", "parallel"], ["c", "contacts"], ["j", "joints"], ["x", "curves"]]) {
            const before = checked(what);
            key(name);
            good.push(checked(what) !== before);
            key(name);
            good.push(checked(what) === before);
        }
        const before = [now.system, speed.selectedIndex, document.body.className];
        key("[");
        good.push(speed.selectedIndex === Math.max(0, before[1] - 1));
        key("]");
        good.push(speed.selectedIndex === before[1]);
        key("t");
        good.push(document.body.className !== before[2]);
        document.body.className = before[2];
        key("b");
        good.push(now.system === (before[0] + 1) % view.motion.head.systems.length);
        key("n");
        good.push(!view.picture || view.picture.extras.list.length === 0 || view.picture.extras.chosen !== null);
        key("Escape");
        good.push(now.system === -1 && (!view.picture || view.picture.extras.chosen === null));
        key("u");
        good.push(view.timeline.bad(now.frame) || !Array.from(view.motion.t).some((_, k) => view.timeline.bad(k)));
        return good.every((x) => x);
    }

    /* Slow pictures lower the quality while it plays, and others do not; a pause and a picture that is saved have
     * all of it, and what plays again, or is turned, begins with what it had, or with more where that was quick. */
    function qualities() {
        const picture = view.picture, quality = picture.quality, gl = picture.renderer.getContext();
        const key = () => window.dispatchEvent(new KeyboardEvent("keydown", {key: " "}));
        const feed = (ms, n) => { for (let k = 0; k < n; k++) quality.took(ms); };
        const list = [], note = () => {
            view.draw();
            list.push({level: quality.level, width: gl.drawingBufferWidth, look: look(picture.canvas).sum});
        };
        note();
        key();
        feed(34, 100);
        for (let k = 0; k < 20; k++) {
            feed(3000, 1);
            feed(16, 5);
        }
        note();
        feed(80, 6);
        note();
        feed(200, 100);
        note();
        key();
        note();
        key();
        note();
        feed(16, 6);
        key();
        key();
        note();
        feed(300, 2);
        note();
        view.still(view.motion.t[view.now.frame], false);
        note();
        key();
        picture.camera.orbit(0, 0);
        note();
        view.now.moved = 0;
        quality.full();
        return list;
    }

    /* The least ratio of text, and of lines, to what they stand on, in light and in dark. */
    function contrasts() {
        const body = document.body, before = body.className, list = {text: 21, line: 21};
        for (const theme of ["light", "dark"]) {
            body.className = theme;
            list.text = Math.min(list.text, view.contrast(view.style("--bad"), view.style("--panel")));
            for (const ground of [view.style("--panel"), view.style("--sky")]) {
                for (const name of ["--text", "--soft"])
                    list.text = Math.min(list.text, view.contrast(view.style(name), ground));
                for (const colour of view.palette)
                    list.line = Math.min(list.line, view.contrast(view.ink(colour, ground), ground));
            }
        }
        body.className = before;
        return list;
    }

    /* Whether the time line stands on the colour of the page; true where it is not shown. */
    function timelineThemed() {
        const canvas = document.getElementById("timeline");
        if (!(canvas.clientWidth > 0))
            return true;
        const data = canvas.getContext("2d").getImageData(2, 2, 1, 1).data;
        return view.contrast("#" + Array.from(data.slice(0, 3), (x) => x.toString(16).padStart(2, "0")).join(""), view.style("--panel")) < 1.02;
    }

    /* How far the mark on the time line is from the instant, in units of the page; 0 where it is not shown. */
    function markOff() {
        const mark = document.getElementById("now"), box = document.getElementById("timeline").getBoundingClientRect();
        if (!(box.width > 0))
            return 0;
        const r = mark.getBoundingClientRect();
        return Math.abs((r.left + r.right) / 2 - box.left - view.timeline.x(view.motion.t[view.now.frame]));
    }

    /* How much the inertia of a box of a mass, whose half sides are the columns of a matrix, differs from one. */
    function inertiaOff(local, system) {
        const L = local.elements, S = (i, j) => L[i] * L[j] + L[4 + i] * L[4 + j] + L[8 + i] * L[8 + j];
        const trace = S(0, 0) + S(1, 1) + S(2, 2), I = system.inertia;
        return Math.max(...I.map((x, k) => Math.abs(system.mass / 3 * ((k % 4 === 0 ? trace : 0) - S(k % 3, Math.floor(k / 3))) - x))) /
            Math.max(...I.map(Math.abs));
    }

    /* Of bodies without a shape: how many are cylinders, and how far the boxes are from their inertia. */
    function bare() {
        const picture = view.picture, list = picture ? picture.items.filter((x) => picture.head.systems[x.system].shapes.length === 0) : [];
        return {wheels: list.filter((x) => x.how.key === "cylinder").length,
                off: Math.max(0, ...list.filter((x) => x.how.key === "box").map((x) => inertiaOff(x.local, picture.head.systems[x.system])))};
    }

    /* How far what a picture of one instant shows reaches to its sides, 1: to them. */
    function filled(t) {
        view.still(t, true);
        const camera = view.picture.camera.get();
        return Math.max(...view.picture.partsAt(view.now.frame).map((b) => {
            const p = b.center.clone().project(camera);
            return Math.max(Math.abs(p.x), Math.abs(p.y));
        }));
    }

    /* The part of what moves that lies in the picture. */
    function inside() {
        const picture = view.picture, camera = picture.camera.get();
        const places = view.mechanisms.points(view.motion, view.now.frame).map((p) => new THREE.Vector3(...p));
        for (const k of new Set(picture.items.map((x) => x.system)))
            if (picture.head.systems[k].entries > 0)
                places.push(picture.centre(k));
        const seen = places.filter((p) => p.project(camera) && Math.abs(p.x) <= 1 && Math.abs(p.y) <= 1);
        return places.length > 0 ? seen.length / places.length : 1;
    }

    view.answer = function (times) {
        const motion = view.motion, all = {frames: motion.count(), picture: view.picture !== null, states: []};
        if (view.live && view.picture) /* which batches came when must not show */
            view.atOnce(view.picture.fit(true));
        for (const t of times) {
            const frame = motion.nearest(t), systems = Object.create(null);
            view.seek(frame);
            view.draw();
            motion.head.systems.forEach((s, k) => { if (s.entries > 0) systems[s.name] = motion.state(view.now.frame, k); });
            const shows = document.getElementById("states").hidden ? "picture" : "states";
            all.states.push({t: motion.t[view.now.frame], shows: shows, look: look(document.getElementById(shows)),
                             contacts: (motion.contactsAt(frame) || []).length,
                             pushed: (motion.contactsAt(frame) || []).every((c) => !motion.given(c.first) || motion.given(c.second)),
                             inside: shows === "picture" ? inside() : 1, bad: view.timeline.bad(frame), systems: systems});
        }
        all.themed = timelineThemed();
        all.mark = markOff();
        all.bare = bare();
        view.seek(view.now.frame);
        all.contact = clickContact();
        all.body = clickBody();
        all.keys = press();
        all.contrast = contrasts();
        all.qualities = view.picture && !view.live && all.states.every((s) => s.shows === "picture") ? qualities() : null;
        all.note = document.getElementById("note").textContent;
        all.title = document.getElementById("title").textContent;
        all.filled = view.picture && view.picture.hasBodies && !view.live ? filled(motion.t[motion.count() - 1]) : 1;
        all.errors = view.errors;
        const place = document.createElement("pre");
        place.id = "hook";
        place.hidden = true;
        place.textContent = JSON.stringify(all);
        document.body.append(place);
    };
})(window.perpView);
