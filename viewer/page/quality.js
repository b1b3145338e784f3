/* SPDX-License-Identifier: BSD-3-Clause */
/* How well the picture is drawn while it plays: less, step by step, where it is slow; a still one always in full. */
"use strict";
(function (view) {
    const SLOW = 40; /* ms; browsers that save energy ask for 30 pictures a second, which is not slow */
    const LONG = 69; /* ms; one pause of the browser among others of 34 ms is not enough */
    const VERY = 100; /* ms; where most take longer, one level less is not enough */
    const CRAWL = 250; /* ms; where two in turn take longer, six are not waited for */
    const QUICK = 20; /* ms */
    const COUNT = 6; /* of which the mean is taken: the browser draws behind, so that short and long ones alternate */
    const LARGEST = 64; /* pixels of a body that may be coarse */
    /* What is missed least comes first.  Of many bodies edges are smooth by more pixels, since each sample of a
     * pixel costs as much without a graphics card. */
    const FEW = [{pixels: 1, shadows: true}, {pixels: 0.5, shadows: true},
                 {pixels: 0.5, shadows: false, coarse: true}];
    const MANY = [{pixels: 2, shadows: true}, {pixels: 1, shadows: true}, {pixels: 1, shadows: false, coarse: true},
                  {pixels: 0.5, shadows: false, coarse: true}];

    function Quality(picture) {
        this.picture = picture;
        this.levels = picture.many ? MANY : FEW;
        this.screen = Math.min(window.devicePixelRatio || 1, 2);
        this.begin = 0; /* the level that a picture which plays begins with */
        this.times = [];
        this.level = 0;
        this.now = this.levels[0];
        picture.renderer.setPixelRatio(this.ratio());
    }

    /* Pixels along one unit of the page. */
    Quality.prototype.ratio = function () {
        return this.now.pixels > 1 ? Math.max(this.now.pixels, this.screen) : this.now.pixels * this.screen;
    };

    /* The browser asked for the next picture after so many ms, while playing. */
    Quality.prototype.took = function (ms) {
        this.times.push(ms);
        if (this.times.length > COUNT)
            this.times.shift();
        const crawls = this.times.length > 1 && this.times.slice(-2).every((x) => x > CRAWL);
        const slow = this.times.length === COUNT && this.times.reduce((sum, x) => sum + Math.min(x, LONG), 0) > COUNT * SLOW;
        if (!crawls && !slow)
            return;
        const step = crawls || this.times.filter((x) => x > VERY).length > COUNT / 2 ? 2 : 1;
        this.set(Math.min(this.level + step, this.levels.length - 1));
    };

    /* From now on pictures are still, or they play: with the quality that was found last time, or with the one
     * before it where that had time to spare. */
    Quality.prototype.full = function () {
        const quick = this.times.length === COUNT && this.times.every((x) => x < QUICK);
        if (this.level > 0)
            this.begin = quick ? this.level - 1 : this.level;
        this.set(0);
    };

    Quality.prototype.play = function () { this.set(this.begin); };

    /* Bodies that cast no shadow leave the programs as they are; a light without shadows would make all of them
     * be translated again. */
    Quality.prototype.set = function (level) {
        const picture = this.picture;
        if (level === this.level)
            return;
        this.times = []; /* those of short plays add up */
        this.level = level;
        this.now = this.levels[level];
        picture.renderer.setPixelRatio(this.ratio());
        picture.width = 0; /* its size is set by the next picture */
        for (const list of picture.groups.values())
            list[0].mesh.castShadow = this.now.shadows;
        picture.renderer.shadowMap.needsUpdate = true;
        if (picture.extras) /* contacts */
            picture.extras.show(picture.frame);
        view.redraw();
    };

    function sizeOf(item) {
        const geometry = view.shapes.geometry(item.how.key, item.how.make);
        if (geometry.boundingSphere === null)
            geometry.computeBoundingSphere();
        return (item.how.key === "ball" ? 1 : geometry.boundingSphere.radius) * Math.max(...item.how.scale);
    }

    /* Bodies are coarse where they are small and the eye is outside of all: a point whose middle lies beside the
     * picture is not drawn.  Glass, of which each pane is a picture of its own to fill, is left out. */
    Quality.prototype.prepare = function (camera) {
        const picture = this.picture, all = picture.ball;
        for (const {mesh, plain} of picture.surfaces) {
            mesh.visible = !this.now.coarse;
            if (plain)
                plain.visible = !mesh.visible;
        }
        const near = camera.isOrthographicCamera ? 1 : camera.position.distanceTo(all.center) - all.radius;
        const unit = view.pictureHeight.value * camera.projectionMatrix.elements[5] / near;
        for (const list of picture.groups.values()) {
            const mesh = list[0].mesh;
            if (!mesh.coarse)
                continue;
            if (mesh.largest === undefined)
                mesh.largest = list.reduce((size, item) => Math.max(size, sizeOf(item)), 0);
            mesh.coarse.visible = Boolean(this.now.coarse) && near > 0 && unit * mesh.largest <= LARGEST;
            mesh.visible = !mesh.coarse.visible;
        }
    };

    /* The picture as it is on the screen, in full, as a file. */
    Quality.prototype.file = function () {
        const canvas = this.picture.canvas, part = this.screen / this.ratio(), whole = document.createElement("canvas");
        if (part === 1)
            return canvas.toDataURL("image/png");
        whole.width = Math.round(part * canvas.width);
        whole.height = Math.round(part * canvas.height);
        whole.getContext("2d").drawImage(canvas, 0, 0, whole.width, whole.height);
        return whole.toDataURL("image/png");
    };

    view.Quality = Quality;
})(window.perpView);
