/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: what the page shows at some times, written into the page as <pre id="hook">. */
"use strict";
(function (view) {
    /* A number that differs where pictures do, and how many colours there are. */
    function look(canvas) {
        const small = document.createElement("canvas"), g = small.getContext("2d"), seen = new Set();
        small.width = 96;
        small.height = 60;
        g.drawImage(canvas, 0, 0, 96, 60);
        const data = g.getImageData(0, 0, 96, 60).data;
        let sum = 2166136261;
        for (let k = 0; k < data.length; k += 4) {
            const c = data[k] << 16 | data[k + 1] << 8 | data[k + 2];
            seen.add(c);
            sum = Math.imul(sum ^ c, 16777619) >>> 0;
        }
        return {colours: seen.size, sum: sum};
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

    view.answer = function (times) {
        const motion = view.motion, all = {frames: motion.count(), picture: view.picture !== null, states: []};
        for (const t of times) {
            const frame = motion.nearest(t), systems = Object.create(null);
            view.seek(frame);
            view.draw();
            motion.head.systems.forEach((s, k) => { if (s.entries > 0) systems[s.name] = motion.state(view.now.frame, k); });
            const shows = document.getElementById("states").hidden ? "picture" : "states";
            all.states.push({t: motion.t[view.now.frame], shows: shows, look: look(document.getElementById(shows)),
                             contacts: (motion.contactsAt(frame) || []).length,
                             bad: view.timeline.bad(frame), systems: systems});
        }
        const begun = performance.now();
        for (let k = 0; k < 20 && view.picture; k++)
            view.picture.show(k % motion.count());
        all.milliseconds = (performance.now() - begun) / 20;
        view.seek(view.now.frame);
        all.contrast = contrasts();
        all.note = document.getElementById("note").textContent;
        all.title = document.getElementById("title").textContent;
        all.errors = view.errors;
        const place = document.createElement("pre");
        place.id = "hook";
        place.hidden = true;
        place.textContent = JSON.stringify(all);
        document.body.append(place);
    };
})(window.perpView);
