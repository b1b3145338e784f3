/* SPDX-License-Identifier: BSD-3-Clause */
/* States over time: what there is to see of systems without bodies. */
"use strict";
(function (view) {
    const MOST = 12;

    function States(canvas, motion) {
        this.canvas = canvas;
        this.motion = motion;
        this.rows = [];
        motion.head.systems.forEach((system, k) => {
            const names = system.type === "body" ? ["x", "y", "z"] : null;
            for (let i = 0; i < (names ? 3 : system.entries) && this.rows.length < MOST && system.entries > 0; i++)
                this.rows.push({system: k, entry: motion.offsets[k] + i,
                                name: system.name + (names ? "." + names[i] : system.type === "first-order" ? ".x[" + i + "]" : ".q[" + i + "]")});
        });
    }

    States.prototype.draw = function (frame) {
        const c = this.canvas, ratio = window.devicePixelRatio || 1, w = c.clientWidth, h = c.clientHeight;
        const m = this.motion, n = m.count(), g = c.getContext("2d"), rows = this.rows.length || 1;
        c.width = w * ratio;
        c.height = h * ratio;
        g.setTransform(ratio, 0, 0, ratio, 0, 0);
        g.fillStyle = view.style("--sky");
        g.fillRect(0, 0, w, h);
        g.font = "13px system-ui, sans-serif";
        const left = 90, right = 20, each = (h - 16) / rows, stride = Math.max(1, Math.floor(n / 4000));
        const span = m.t[n - 1] - m.t[0] || 1, x = (t) => left + (w - left - right) * (t - m.t[0]) / span;
        this.rows.forEach((row, k) => {
            const values = [], scale = m.scale[row.entry], top = 8 + k * each;
            for (let f = 0; f < n; f += stride)
                values.push(m.frames[f][row.entry] * scale);
            const r = view.range([values]), y = (v) => top + each - 6 - (each - 14) * (v - r[0]) / (r[1] - r[0] || 1);
            g.strokeStyle = view.ink(view.palette[k % view.palette.length], view.style("--sky"));
            g.lineWidth = 1.8;
            g.beginPath();
            values.forEach((v, f) => g.lineTo(x(m.t[f * stride]), y(v)));
            g.stroke();
            g.fillStyle = view.style("--text");
            g.fillText(row.name.slice(0, 24), 6, top + 14);
            g.fillStyle = view.style("--soft");
            if (each >= 56) {
                g.fillText(view.short(r[1]), 6, top + 30);
                g.fillText(view.short(r[0]), 6, top + each - 8);
            } else {
                g.font = "11px system-ui, sans-serif";
                g.fillText(view.short(r[0]) + " to " + view.short(r[1]), 6, top + 29, left - 12);
                g.font = "13px system-ui, sans-serif";
            }
            const now = m.frames[frame][row.entry] * scale;
            g.fillStyle = g.strokeStyle;
            g.beginPath();
            g.arc(x(m.t[frame]), y(now), 5, 0, 2 * Math.PI);
            g.fill();
        });
        g.fillStyle = view.style("--text");
        g.fillRect(x(m.t[frame]) - 0.5, 0, 1, h);
    };

    view.States = States;
})(window.perpView);
