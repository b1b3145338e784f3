/* SPDX-License-Identifier: BSD-3-Clause */
/* Many bodies that are small in the picture, drawn with as little work as can be, for pictures that come slowly:
 * balls and boxes as points, one corner each, of which each pixel finds the surface, and other shapes as one mesh
 * of solids with few corners, whose light is that of the corners.  They are in no shadow. */
"use strict";
(function (view) {
    const {PLACE_PARTS, LIGHT, END, litMaterial, copies} = view.crowds;
    const SIDES = 6;

    /* Of the body: its axes from the eye, as long as it is, and the point that is drawn for it. */
    const BODY = `
        ${LIGHT} ${PLACE_PARTS}
        attribute vec3 tint;
        uniform float pictureHeight;
        vec3 axisX, axisY, axisZ;
        void point(float radius) {
            gl_Position = projectionMatrix * (modelViewMatrix * column(3.0));
            gl_PointSize = pictureHeight * projectionMatrix[1][1] * radius / gl_Position.w;
        }
        void readAxes() {
            axisX = (modelViewMatrix * column(0.0)).xyz;
            axisY = (modelViewMatrix * column(1.0)).xyz;
            axisZ = (modelViewMatrix * column(2.0)).xyz;
        }`;
    /* Where a pixel lies in the square of the point, -1 to 1 each way. */
    const DISC = "vec2 disc = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);";

    const BALL_PARTS = "varying vec3 vTint, vAcross, vAlong;";
    const BALL = {
        vertex: `
            ${BODY} ${BALL_PARTS}
            void main() {
                readAxes();
                vTint = tint;
                vAcross = normalize(axisX);
                vAlong = normalize(axisY);
                point(length(axisX));
            }`,
        pixel: `
            ${LIGHT} ${BALL_PARTS}
            void main() {
                ${DISC}
                float rim = dot(disc, disc);
                if (rim > 1.0) discard;
                vec3 normal = vec3(disc, sqrt(1.0 - rim));
                float shade = dot(normal, vAcross) * dot(normal, vAlong) > 0.0 ? 1.0 : 0.72;
                gl_FragColor = vec4(shade * vTint * lightOn(normal, lamp(normal)), 1.0);
                ${END}
            }`
    };

    /* In the frame of the body, where it is the cube from -1 to 1: the ray of a pixel, and the light on the three
     * faces that can be seen.  On the face that the ray reaches last it enters. */
    const BOX_PARTS = "varying vec3 vTint, vAcross, vAlong, vPace, vFaces;";
    const BOX = {
        vertex: `
            ${BODY} ${BOX_PARTS}
            float face(vec3 axis, vec3 away) {
                vec3 normal = normalize(dot(axis, away) > 0.0 ? -axis : axis);
                return lightOn(normal, lamp(normal)).g;
            }
            void main() {
                readAxes();
                vec3 squares = vec3(dot(axisX, axisX), dot(axisY, axisY), dot(axisZ, axisZ));
                float radius = sqrt(squares.x + squares.y + squares.z);
                vec3 away = projectionMatrix[3][3] == 0.0 ? normalize((modelViewMatrix * column(3.0)).xyz) : vec3(0.0, 0.0, -1.0);
                vec3 pace = vec3(dot(axisX, away), dot(axisY, away), dot(axisZ, away)) / squares;
                vTint = tint;
                vPace = 1.0 / (abs(pace) + 1e-6 * length(pace)) * (2.0 * step(0.0, pace) - 1.0);
                vAcross = radius * vec3(axisX.x, axisY.x, axisZ.x) / squares;
                vAlong = radius * vec3(axisX.y, axisY.y, axisZ.y) / squares;
                vFaces = vec3(face(axisX, away), face(axisY, away), face(axisZ, away));
                point(radius);
            }`,
        pixel: `
            #include <common>
            ${BOX_PARTS}
            void main() {
                ${DISC}
                vec3 middle = -(disc.x * vAcross + disc.y * vAlong) * vPace, half3 = abs(vPace);
                vec3 enter = middle - half3, leave = middle + half3;
                float last = max(max(enter.x, enter.y), enter.z);
                if (last > min(min(leave.x, leave.y), leave.z)) discard;
                float light = last == enter.x ? vFaces.x : last == enter.y ? vFaces.y : vFaces.z;
                gl_FragColor = vec4(vTint * light, 1.0);
                ${END}
            }`
    };

    const SOLID = {
        vertex: `
            ${BODY}
            varying vec3 vColour;
            void main() {
                readAxes();
                vec3 normal3 = normalize(normal.x * axisX / dot(axisX, axisX) + normal.y * axisY / dot(axisY, axisY) +
                                         normal.z * axisZ / dot(axisZ, axisZ));
                vColour = tint * lightOn(normal3, lamp(normal3));
                vec3 place = (modelViewMatrix * column(3.0)).xyz + position.x * axisX + position.y * axisY + position.z * axisZ;
                gl_Position = projectionMatrix * vec4(place, 1.0);
            }`,
        pixel: `
            varying vec3 vColour;
            void main() {
                gl_FragColor = vec4(vColour, 1.0);
                ${END}
            }`
    };

    /* A solid of revolution about z, [radius, z] of its rings from below, between two poles. */
    function turned(low, rings, high) {
        const place = [0, 0, low], normal = [0, 0, -1], index = [], last = 1 + SIDES * rings.length;
        rings.forEach(([r, z], i) => {
            for (let k = 0; k < SIDES; k++) {
                const a = 2 * Math.PI * k / SIDES, from = 1 + SIDES * i, side = (k + 1) % SIDES;
                place.push(r * Math.cos(a), r * Math.sin(a), z);
                normal.push(Math.cos(a), Math.sin(a), rings.length === 1 ? 0 : 2 * i / (rings.length - 1) - 1);
                if (i === 0)
                    index.push(0, from + side, from + k);
                else
                    index.push(from - SIDES + k, from - SIDES + side, from + side, from - SIDES + k, from + side, from + k);
                if (i === rings.length - 1)
                    index.push(from + k, from + side, last);
            }
        });
        place.push(0, 0, high);
        normal.push(0, 0, 1);
        return {place: place, normal: normal, index: index};
    }

    /* The solid for a shape, as large as its geometry; null: none. */
    function solidOf(how) {
        const box = view.shapes.geometry(how.key, how.make);
        box.computeBoundingBox();
        const high = box.boundingBox.max.z, low = box.boundingBox.min.z, r = box.boundingBox.max.x;
        if (/^(cylinder|disc)/.test(how.key))
            return turned(low, [[r, low], [r, high]], high);
        if (/^capsule/.test(how.key))
            return turned(low, [[0.9 * r, low + 0.6 * r], [0.9 * r, high - 0.6 * r]], high);
        if (/^cone/.test(how.key))
            return turned(low, [[r, low]], high);
        return null;
    }

    function points(n, kind, uniforms) {
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * n), 3));
        geometry.setAttribute("which", new THREE.BufferAttribute(Float32Array.from({length: n}, (_, k) => k), 1));
        geometry.setAttribute("tint", new THREE.BufferAttribute(new Float32Array(3 * n), 3));
        return Object.assign(new THREE.Points(geometry, litMaterial(kind.vertex, kind.pixel, uniforms)), {corners: 1});
    }

    /* Of n shapes of a kind; null where there is none.  It is not shown until it is wanted. */
    view.coarseOf = function (how, n, uniforms) {
        const kind = {ball: BALL, box: BOX}[how.key], one = kind ? null : solidOf(how);
        if (!kind && !one)
            return null;
        const mesh = kind ? points(n, kind, uniforms)
            : Object.assign(new THREE.Mesh(copies(one, n), litMaterial(SOLID.vertex, SOLID.pixel, uniforms)), {corners: one.place.length / 3});
        mesh.visible = mesh.frustumCulled = false;
        return mesh;
    };
})(window.perpView);
