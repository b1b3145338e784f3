/* SPDX-License-Identifier: BSD-3-Clause */
/* A camera that orbits: perspective or orthographic, by pointer, touch, wheel and keys. */
"use strict";
(function (view) {
    function Camera(picture) {
        const r = picture.ball.radius;
        this.picture = picture;
        this.target = picture.ball.center.clone();
        this.turn = picture.flat ? 0 : 0.7;
        this.rise = picture.flat ? 0 : 0.35;
        this.distance = (picture.flat ? 3 : 2.9) * r;
        this.radius = r;
        this.flatView = picture.flat;
        this.orthographic = picture.flat;
        this.ratio = 1;
        this.perspective = new THREE.PerspectiveCamera();
        this.parallel = new THREE.OrthographicCamera(-1, 1, 1, -1, -1e3 * r, 1e3 * r);
        this.listen(picture.canvas);
    }

    /* The same view of a picture that has another measure. */
    Camera.prototype.fit = function () {
        const r = this.picture.ball.radius;
        this.target.copy(this.picture.ball.center);
        this.distance *= r / this.radius;
        this.radius = r;
        this.parallel.far = 1e3 * r;
        this.parallel.near = -1e3 * r;
    };

    /* So near, and so far to the side, that these balls just fit, but for the zoom that was chosen. */
    Camera.prototype.fill = function (balls) {
        const zoom = 2.9 * this.radius / this.distance, half = Math.tan(this.half());
        const camera = this.get(), axes = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
        camera.matrixWorld.extractBasis(...axes);
        const along = (axis, ball) => ball.center.clone().sub(this.target).dot(axis);
        for (let pass = 0; pass < 8; pass++) {
            /* What of the two sides of the picture is farther from its balls? */
            const shift = [0, 1].map((k) => {
                const slope = half * (k === 0 ? this.ratio : 1), wide = Math.sqrt(1 + slope * slope);
                let low = Infinity, high = -Infinity;
                for (const ball of balls) {
                    const x = along(axes[k], ball), z = slope * along(axes[2], ball), r = wide * ball.radius;
                    low = Math.min(low, x - r - z);
                    high = Math.max(high, x + r + z);
                }
                return {middle: (low + high) / 2, far: (high - low) / 2 / slope};
            });
            this.target.addScaledVector(axes[0], shift[0].middle).addScaledVector(axes[1], shift[1].middle);
            this.distance = Math.max(shift[0].far, shift[1].far, 1e-3 * this.radius) * 1.2 / zoom;
            if (this.orthographic) /* the same in whatever depth: once more would change nothing */
                break;
        }
    };

    /* Of the angle that is seen up and down: half, and more in a picture that is higher than wide; in the plane
     * what height and width need. */
    Camera.prototype.half = function () {
        const size = this.picture.extent, ratio = this.ratio;
        const flat = this.flatView && size ? Math.max(size.y, size.x / ratio, 0.1 * this.radius) / (2 * this.radius) : 0;
        return Math.atan(Math.tan(Math.PI / 9) * (flat || 1 / Math.min(1, ratio)));
    };

    Camera.prototype.aspect = function (ratio) { this.ratio = ratio; };

    Camera.prototype.follow = function (point) { this.target.copy(point); };

    /* Unit vector from the target to the camera. */
    Camera.prototype.direction = function () {
        const c = Math.cos(this.rise), s = Math.sin(this.rise);
        if (this.flatView)
            return new THREE.Vector3(0, 0, 1);
        if (this.picture.up.y > 0)
            return new THREE.Vector3(c * Math.sin(this.turn), s, c * Math.cos(this.turn));
        return new THREE.Vector3(c * Math.sin(this.turn), -c * Math.cos(this.turn), s);
    };

    Camera.prototype.get = function () {
        const camera = this.orthographic ? this.parallel : this.perspective;
        camera.up.copy(this.picture.up);
        camera.position.copy(this.target).addScaledVector(this.direction(), this.distance);
        camera.lookAt(this.target);
        if (this.orthographic) {
            const half = this.distance * Math.tan(this.half());
            camera.top = half;
            camera.bottom = -half;
            camera.left = -half * this.ratio;
            camera.right = half * this.ratio;
        } else {
            camera.aspect = this.ratio;
            camera.near = 0.01 * this.distance;
            camera.far = this.distance + 100 * this.radius;
            camera.fov = 360 / Math.PI * this.half();
        }
        camera.updateProjectionMatrix();
        camera.updateMatrixWorld();
        return camera;
    };

    Camera.prototype.orbit = function (dx, dy) {
        this.turn -= dx;
        this.rise = Math.max(-1.55, Math.min(1.55, this.rise + dy));
        view.moved();
    };

    Camera.prototype.zoom = function (factor) {
        this.distance = Math.max(1e-3 * this.radius, Math.min(100 * this.radius, this.distance * factor));
        view.moved();
    };

    Camera.prototype.pan = function (dx, dy) {
        const camera = this.get(), side = new THREE.Vector3(), above = new THREE.Vector3();
        camera.matrixWorld.extractBasis(side, above, new THREE.Vector3());
        const size = 2 * this.distance * Math.tan(this.half()) / (this.picture.height || 1);
        this.target.addScaledVector(side, -dx * size).addScaledVector(above, dy * size);
        view.moved();
    };

    Camera.prototype.listen = function (canvas) {
        const fingers = new Map();
        let apart = 0, travelled = 0;
        const spread = () => {
            const p = Array.from(fingers.values());
            return Math.hypot(p[0].x - p[1].x, p[0].y - p[1].y);
        };
        canvas.addEventListener("pointerdown", (e) => {
            canvas.setPointerCapture(e.pointerId);
            fingers.set(e.pointerId, {x: e.clientX, y: e.clientY});
            apart = fingers.size === 2 ? spread() : 0;
            travelled = 0;
        });
        canvas.addEventListener("pointermove", (e) => {
            const p = fingers.get(e.pointerId);
            if (!p)
                return;
            const dx = e.clientX - p.x, dy = e.clientY - p.y;
            travelled += Math.abs(dx) + Math.abs(dy);
            p.x = e.clientX;
            p.y = e.clientY;
            if (fingers.size === 2) {
                const now = spread();
                this.zoom(apart / (now || 1));
                apart = now;
            } else if (e.buttons === 2 || e.shiftKey || this.flatView) {
                this.pan(dx, dy);
            } else {
                this.orbit(0.006 * dx, 0.006 * dy);
            }
        });
        const up = (e) => {
            fingers.delete(e.pointerId);
            if (e.type === "pointerup" && travelled < 4) {
                const r = canvas.getBoundingClientRect();
                view.clicked(2 * (e.clientX - r.left) / r.width - 1, 1 - 2 * (e.clientY - r.top) / r.height);
            }
        };
        canvas.addEventListener("pointerup", up);
        canvas.addEventListener("pointercancel", up);
        canvas.addEventListener("contextmenu", (e) => e.preventDefault());
        canvas.addEventListener("wheel", (e) => {
            e.preventDefault();
            this.zoom(Math.exp(0.001 * e.deltaY));
        }, {passive: false});
        canvas.addEventListener("keydown", (e) => {
            const keys = {ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1]};
            if (keys[e.key])
                this.flatView ? this.pan(-200 * keys[e.key][0], 200 * keys[e.key][1])
                              : this.orbit(-keys[e.key][0], keys[e.key][1]);
            else if (e.key === "+" || e.key === "=")
                this.zoom(0.9);
            else if (e.key === "-")
                this.zoom(1 / 0.9);
            else
                return;
            e.preventDefault();
            e.stopPropagation();
        });
    };

    view.Camera = Camera;
})(window.perpView);
