/* SPDX-License-Identifier: BSD-3-Clause */
/* How well the picture is drawn while it plays: less, step by step, where it is slow; a still one always in full. */
"use strict";
(function (view) {
    const SLOW = 40; /* ms; browsers that save energy ask for 30 pictures a second, which is not slow */
    const LONG = 69; /* ms; one pause of the browser among others of 34 ms is not enough */
    const COUNT = 6; /* of which the mean is taken: the browser draws behind, so that short and long ones alternate */
    /* What is missed least comes first: pixels along a side, and shadows. */
    const LEVELS = [{pixels: 1, shadows: true}, {pixels: 0.5, shadows: true}, {pixels: 0.5, shadows: false}];

    function Quality(picture) {
        this.picture = picture;
        this.ratio = picture.renderer.getPixelRatio();
        this.level = 0;
        this.times = [];
    }

    /* The browser asked for the next picture after so many ms, while playing. */
    Quality.prototype.took = function (ms) {
        this.times.push(Math.min(ms, LONG));
        if (this.times.length > COUNT)
            this.times.shift();
        const sum = this.times.reduce((a, b) => a + b, 0);
        if (this.times.length === COUNT && sum > COUNT * SLOW && this.level < LEVELS.length - 1)
            this.set(this.level + 1);
    };

    Quality.prototype.full = function () {
        this.times = [];
        if (this.level > 0)
            this.set(0);
    };

    /* Bodies that cast no shadow leave the programs as they are; a light without shadows would make all of them
     * be translated again. */
    Quality.prototype.set = function (level) {
        const picture = this.picture, how = LEVELS[level];
        this.level = level;
        this.times = [];
        picture.renderer.setPixelRatio(how.pixels * this.ratio);
        picture.width = 0; /* its size is set by the next picture */
        for (const list of picture.groups.values())
            list[0].mesh.castShadow = how.shadows;
        picture.renderer.shadowMap.needsUpdate = true;
        view.redraw();
    };

    view.Quality = Quality;
})(window.perpView);
