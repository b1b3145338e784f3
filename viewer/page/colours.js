/* SPDX-License-Identifier: BSD-3-Clause */
/* Colours that the colour-blind tell apart, the set of Okabe and Ito, and how much they differ from what
 * they stand on, by the contrast ratio of WCAG 2. */
"use strict";
(function (view) {
    view.palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"];
    /* Of bodies: the same, paler, so that contacts show before them. */
    view.bodyColours = ["#6fa3cc", "#e3bf76", "#70b8a2", "#cfa2bb", "#a5cfe6", "#dc9a70"];
    view.stateColours = {open: "#9aa1ad", sticking: "#0072b2", sliding: "#e69f00", rolling: "#009e73", spinning: "#d55e00"};
    view.jointColour = "#cc79a7";
    view.style = (name) => getComputedStyle(document.body).getPropertyValue(name).trim();

    const parts = (colour) => [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));
    const whole = (list) => "#" + list.map((x) => Math.round(x).toString(16).padStart(2, "0")).join("");

    function luminance(colour) {
        const [r, g, b] = parts(colour).map((x) => x / 255 <= 0.03928 ? x / 255 / 12.92 : Math.pow((x / 255 + 0.055) / 1.055, 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    }

    view.contrast = function (a, b) {
        const x = luminance(a), y = luminance(b);
        return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    };

    /* A colour for lines on a panel: darker, or lighter where it is dark, until the ratio is 3. */
    view.ink = function (colour, ground) {
        const panel = ground || view.style("--panel"), end = luminance(panel) > 0.18 ? 0 : 255;
        let now = colour;
        for (let k = 1; k <= 20 && view.contrast(now, panel) < 3; k++)
            now = whole(parts(colour).map((x) => x + (end - x) * k / 20));
        return now;
    };
})(window.perpView);
