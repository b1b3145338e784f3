/* SPDX-License-Identifier: BSD-3-Clause */
/* The time line: energy, the largest violation and the certificate of the steps, red where a step was
 * not certified; a place on it is a time. */
"use strict";
(function (view) {
    const style = view.style, KINETIC = view.palette[1], POTENTIAL = view.palette[4];

    function Timeline(canvas, motion, seek) {
        this.canvas = canvas;
        this.motion = motion;
        this.seek = seek;
        this.frame = 0;
        this.mark = document.getElementById("now");
        const at = (e) => {
            const r = canvas.getBoundingClientRect();
            seek(this.frameAt((e.clientX - r.left) / r.width * this.width));
        };
        canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); at(e); });
        canvas.addEventListener("pointermove", (e) => { if (e.buttons) at(e); });
    }

    const LEFT = 96, RIGHT = 10, TOP = 16, BOTTOM = 18; /* the names of the energies, and the times */

    Timeline.prototype.span = function () {
        const t = this.motion.t;
        return [t[0], t[t.length - 1]];
    };

    Timeline.prototype.x = function (t) {
        const s = this.span();
        return LEFT + (this.width - LEFT - RIGHT) * (t - s[0]) / (s[1] - s[0] || 1);
    };

    Timeline.prototype.frameAt = function (x) {
        const s = this.span();
        return this.motion.nearest(s[0] + (x - LEFT) / (this.width - LEFT - RIGHT) * (s[1] - s[0]));
    };

    /* A curve as the least and the largest value of each column of pixels. */
    Timeline.prototype.curve = function (g, values, top, height, low, high, colour) {
        const n = values.length;
        let column = -1, least = 0, most = 0;
        g.strokeStyle = colour;
        g.lineWidth = 1.5;
        g.beginPath();
        const y = (v) => top + height - 2 - (height - 4) * (v - low) / (high - low || 1);
        const put = () => {
            g.lineTo(column, y(least));
            if (most !== least)
                g.lineTo(column, y(most));
        };
        for (let k = 0; k < n; k++) {
            const v = values[k];
            if (!isFinite(v))
                continue;
            const x = Math.round(this.x(this.motion.t[k]));
            if (x !== column) {
                if (column >= 0)
                    put();
                column = x;
                least = most = v;
            }
            least = Math.min(least, v);
            most = Math.max(most, v);
        }
        if (column >= 0)
            put();
        g.stroke();
    };

    function range(lists) {
        let low = Infinity, high = -Infinity;
        for (const list of lists)
            for (const v of list)
                if (isFinite(v)) {
                    low = Math.min(low, v);
                    high = Math.max(high, v);
                }
        return low <= high ? [low, high] : [0, 1];
    }

    /* Some round numbers from one to the other. */
    function roundTimes(from, to) {
        const rough = (to - from) / 6, ten = Math.pow(10, Math.floor(Math.log10(rough)));
        const step = [1, 2, 5, 10].map((k) => k * ten).find((x) => x >= rough), list = [];
        for (let k = Math.ceil(from / step - 1e-9); step > 0 && k * step <= to + 1e-9 * step && list.length < 12; k++)
            list.push(k * step);
        return list;
    }

    const short = (x) => x === 0 ? "0" : Math.abs(x) >= 1e-3 && Math.abs(x) < 1e5 ? String(+x.toPrecision(4)) : x.toExponential(1);

    /* What the certificate holds against the run begins there, or a step was not solved; the last instant of a
     * run that failed, too: the step after it. */
    Timeline.prototype.breaks = function (k) {
        const m = this.motion;
        return m.unsolved[k] > 0 || m.first[k] > 0 || (m.shape.stopped > 0 && k === m.count() - 1);
    };

    /* Not certified. */
    Timeline.prototype.bad = function (k) {
        const m = this.motion;
        return this.breaks(k) || m.certificate[k] > 1;
    };

    /* Which energy has which colour, at the upper right. */
    Timeline.prototype.names = function (g, list) {
        let x = this.width - RIGHT;
        for (const [name, colour] of list.slice().reverse()) {
            const wide = g.measureText(name).width;
            x -= wide;
            g.fillStyle = style("--soft");
            g.fillText(name, x, 11);
            g.fillStyle = colour;
            g.fillRect(x - 14, 6, 10, 3);
            x -= 24;
        }
    };

    /* The steps for which `is`, in red over the whole height. */
    Timeline.prototype.redden = function (g, is, alpha) {
        const t = this.motion.t;
        g.beginPath();
        for (let k = 0; k < t.length; k++)
            if (is(k)) {
                const x = this.x(t[Math.max(0, k - 1)]);
                g.rect(x, TOP, Math.max(2, this.x(t[k]) - x), this.height - TOP - BOTTOM);
            }
        g.globalAlpha = alpha;
        g.fillStyle = style("--bad");
        g.fill();
        g.globalAlpha = 1;
    };

    /* All but the mark of the present instant; with yields. */
    Timeline.prototype.paint = function* () {
        const m = this.motion, g = this.canvas.getContext("2d"), h = (this.height - TOP - BOTTOM) / 3;
        const total = m.kinetic.map((x, k) => x + m.potential[k]);
        const log = (list) => list.map((x) => Math.log10(Math.max(x, 1e-16)));
        g.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
        g.fillStyle = style("--panel");
        g.fillRect(0, 0, this.width, this.height);
        g.font = "11px system-ui, sans-serif";
        this.redden(g, (k) => this.bad(k), 0.22);
        this.redden(g, (k) => this.breaks(k), 1);
        const label = (text, row, low, high) => {
            g.fillStyle = style("--text");
            g.fillText(text, 4, TOP + row * h + 12);
            g.fillStyle = style("--soft");
            g.fillText(high, 4, TOP + row * h + 25);
            g.fillText(low, 4, TOP + row * h + h - 5);
            g.fillRect(LEFT, TOP + (row + 1) * h, this.width - LEFT - RIGHT, 0.5);
        };
        yield;
        const energy = range([total, m.kinetic, m.potential]);
        label("energy", 0, short(energy[0]), short(energy[1]));
        this.curve(g, m.kinetic, TOP, h, energy[0], energy[1], view.ink(KINETIC));
        yield;
        this.curve(g, m.potential, TOP, h, energy[0], energy[1], view.ink(POTENTIAL));
        yield;
        this.curve(g, total, TOP, h, energy[0], energy[1], style("--text"));
        this.names(g, [["total", style("--text")], ["kinetic", view.ink(KINETIC)], ["potential", view.ink(POTENTIAL)]]);
        yield;
        const violation = log(m.violation), v = range([violation]);
        label("violation", 1, "1e" + Math.floor(v[0]), short(Math.pow(10, v[1])));
        this.curve(g, violation, TOP + h, h, Math.floor(v[0]), Math.max(v[1], v[0] + 1), view.ink(view.palette[2]));
        yield;
        const certificate = log(m.certificate);
        label("certificate", 2, "1e-8", "10 \u00d7 allowed");
        g.fillStyle = style("--bad");
        g.fillRect(LEFT, TOP + 2 * h + h - 2 - (h - 4) * 8 / 9, this.width - LEFT - RIGHT, 1);
        this.curve(g, certificate.map((x) => Math.min(1, Math.max(-8, x))), TOP + 2 * h, h, -8, 1, view.ink(view.palette[3]));
        g.fillStyle = style("--soft");
        const s = this.span();
        for (const t of roundTimes(s[0], s[1])) {
            const x = this.x(t), text = short(t), half = g.measureText(text).width / 2;
            g.fillText(text, Math.max(LEFT, Math.min(this.width - RIGHT - 2 * half, x - half)), this.height - 4);
            g.fillRect(x, this.height - BOTTOM, 1, 3);
        }
        this.painted = m.count();
    };

    /* The size of the canvas on the page; false: it is not shown. */
    Timeline.prototype.fit = function () {
        const c = this.canvas, ratio = window.devicePixelRatio || 1, w = c.clientWidth, h = c.clientHeight;
        if (w !== this.width || h !== this.height || ratio !== this.ratio) {
            Object.assign(this, {width: w, height: h, ratio: ratio, painted: -1});
            c.width = w * ratio;
            c.height = h * ratio;
        }
        return w > 0 && h > 0;
    };

    /* What the first picture would paint, before it; with yields. */
    Timeline.prototype.prepare = function* () {
        if (this.fit())
            yield* this.paint();
    };

    /* The mark of the instant is an element of its own: nothing is painted when it moves. */
    Timeline.prototype.draw = function (frame) {
        const c = this.canvas, t = this.motion.t[frame];
        this.frame = frame;
        if (!this.fit()) /* of a page that is bare */
            return;
        if (this.painted !== this.motion.count())
            view.atOnce(this.paint());
        this.mark.style.transform = "translateX(" + this.x(t) + "px)";
        c.setAttribute("aria-valuenow", String(t));
        c.setAttribute("aria-valuemin", String(this.span()[0]));
        c.setAttribute("aria-valuemax", String(this.span()[1]));
        c.setAttribute("aria-valuetext", "t = " + short(t) + (this.bad(frame) ? ", not certified" : ""));
    };

    Timeline.prototype.refresh = function () { this.painted = -1; };

    view.Timeline = Timeline;
    view.short = short;
    view.range = range;
})(window.perpView);
