/* SPDX-License-Identifier: BSD-3-Clause */
/* Canvases of a size in the units of the page, as sharp as the screen. */
"use strict";
(function (view) {
    /* Its context, cleared, in which a unit is one of the page. */
    view.sharp = function (canvas, wide, high) {
        const ratio = Math.min(window.devicePixelRatio || 1, 4), g = canvas.getContext("2d");
        canvas.width = wide * ratio;
        canvas.height = high * ratio;
        canvas.style.width = wide + "px";
        g.setTransform(ratio, 0, 0, ratio, 0, 0);
        return g;
    };
})(window.perpView);
