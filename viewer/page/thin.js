/* SPDX-License-Identifier: BSD-3-Clause */
/* Thousands of contacts while pictures come slowly: dots and lines, straight from the record of an instant. */
"use strict";
(function (view) {
    const DOT = 3; /* units of the page */
    const colours = Object.values(view.stateColours).map((c) => new THREE.Color(c));

    function Thin(group) {
        const look = {vertexColors: THREE.VertexColors || true};
        this.dots = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial(Object.assign({size: DOT, sizeAttenuation: false}, look)));
        this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial(look));
        this.parts = [this.dots, this.lines];
        for (const part of this.parts)
            part.visible = part.frustumCulled = false;
        this.capacity = 0;
        group.add(...this.parts);
    }

    Thin.prototype.hide = function () {
        for (const part of this.parts)
            part.visible = false;
    };

    Thin.prototype.grow = function (need) {
        if (need <= this.capacity)
            return;
        this.capacity = 2 * need;
        this.parts.forEach((part, k) => {
            part.geometry.dispose();
            part.geometry = new THREE.BufferGeometry();
            for (const name of ["position", "color"])
                part.geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * (1 + k) * this.capacity), 3));
        });
    };

    /* The contacts of an instant, viewer/motion_pack.h; lengthOf(size of an impulse) is that of its arrow. */
    Thin.prototype.show = function (motion, record, lengthOf) {
        this.grow(record.count);
        const [dots, dotColours, ends, endColours] = this.parts.flatMap((part) =>
            [part.geometry.attributes.position.array, part.geometry.attributes.color.array]);
        const data = record.data;
        for (let k = 0, at = record.at; k < record.count; k++, at += view.CONTACT_BYTES) {
            const turn = motion.turned(data.getInt32(at, true), data.getInt32(at + 4, true)) ? -1 : 1;
            const colour = colours[data.getInt32(at + 8, true)] || colours[0];
            const x = data.getFloat32(at + 52, true), y = data.getFloat32(at + 56, true), z = data.getFloat32(at + 60, true);
            const size = Math.sqrt(x * x + y * y + z * z), part = size > 0 ? turn * lengthOf(size) / size : 0, d = 3 * k, e = 6 * k;
            for (let i = 0; i < 3; i++)
                dots[d + i] = ends[e + i] = data.getFloat32(at + 16 + 4 * i, true);
            ends[e + 3] = dots[d] + part * x;
            ends[e + 4] = dots[d + 1] + part * y;
            ends[e + 5] = dots[d + 2] + part * z;
            dotColours[d] = endColours[e] = endColours[e + 3] = colour.r;
            dotColours[d + 1] = endColours[e + 1] = endColours[e + 4] = colour.g;
            dotColours[d + 2] = endColours[e + 2] = endColours[e + 5] = colour.b;
        }
        this.parts.forEach((part, k) => {
            part.visible = record.count > 0;
            part.geometry.setDrawRange(0, (1 + k) * record.count);
            part.geometry.attributes.position.needsUpdate = part.geometry.attributes.color.needsUpdate = true;
        });
    };

    view.Thin = Thin;
})(window.perpView);
