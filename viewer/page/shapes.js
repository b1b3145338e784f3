/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes as geometries: which geometry, how it is scaled, where it sits in its body. */
"use strict";
(function (view) {
    const made = new Map();
    const pick = (name) => THREE[name.replace("Geometry", "BufferGeometry")] || THREE[name];

    /* Geometries are shared by all shapes with the same key. */
    function geometry(key, make) {
        if (!made.has(key))
            made.set(key, make());
        return made.get(key);
    }

    function ball(fine) {
        const Sphere = pick("SphereGeometry");
        const made = fine === 2 ? new Sphere(1, 32, 20) : fine === 1 ? new Sphere(1, 12, 8) : new Sphere(1, 6, 4);
        made.rotateX(Math.PI / 2);
        return made;
    }

    function turned(points, sides) {
        const Lathe = pick("LatheGeometry");
        const made = new Lathe(points.map((p) => new THREE.Vector2(p[0], p[1])), sides || 40);
        made.rotateX(Math.PI / 2);
        return made;
    }

    function capsule(radius, half) {
        const points = [];
        for (let k = 0; k <= 16; k++) {
            const a = -Math.PI / 2 + Math.PI * k / 16;
            points.push([Math.max(0, radius * Math.cos(a)), radius * Math.sin(a) + (k < 8 ? -half : half)]);
            if (k === 8)
                points.splice(points.length - 1, 0, [radius, -half]);
        }
        return turned(points);
    }

    function cylinder(top, bottom, sides) {
        const Cylinder = pick("CylinderGeometry");
        const made = new Cylinder(top, bottom, 1, sides || 40);
        made.rotateX(Math.PI / 2);
        return made;
    }

    /* Of length 1 along z, about 0; the head is as long as the arrow is. */
    function arrow(more, sides) {
        const w = 1 + more, h = 2.7 + 1.6 * more, z = 0.01 * more;
        return turned([[0, -0.5 - z], [w, -0.5 - z], [w, 0.24 - z], [h, 0.24 - z], [0, 0.5 + 4 * z]], sides);
    }

    /* The side of a cone that opens from 0 to the unit circle at z = 1. */
    function openCone() {
        const Cylinder = pick("CylinderGeometry");
        const made = new Cylinder(1, 0, 1, 48, 1, true);
        made.rotateX(Math.PI / 2);
        return made.translate(0, 0, 0.5);
    }

    function triangles(mesh) {
        const made = new THREE.BufferGeometry(), list = new Float32Array(3 * mesh.triangles.length);
        mesh.triangles.forEach((v, k) => {
            for (let i = 0; i < 3; i++)
                list[3 * k + i] = mesh.vertices[3 * v + i];
        });
        made.setAttribute("position", new THREE.BufferAttribute(list, 3));
        made.computeVertexNormals();
        return made;
    }

    function prism(mesh, thickness) {
        const outline = new THREE.Shape(), Extrude = pick("ExtrudeGeometry");
        for (let k = 0; k < mesh.vertices.length; k += 3)
            if (k === 0)
                outline.moveTo(mesh.vertices[0], mesh.vertices[1]);
            else
                outline.lineTo(mesh.vertices[k], mesh.vertices[k + 1]);
        const made = new Extrude(outline, {depth: thickness, bevelEnabled: false});
        made.translate(0, 0, -thickness / 2);
        return made;
    }

    /* {key, make, scale, round}; null for what is drawn otherwise.  A ball that is one of many, and the only
     * shape of its body, is no geometry when it is drawn. */
    function drawn(shape, head, many) {
        const s = shape.size, one = [1, 1, 1];
        switch (shape.type) {
        case "sphere":
            return {key: many ? "ball" : "sphere", make: () => ball(many ? 1 : 2), scale: [s[0], s[0], s[0]], round: true};
        case "ellipsoid":
            return {key: "ellipsoid" + s, make: () => ball(2).scale(s[0], s[1], s[2]), scale: one,
                    round: true};
        case "box":
            return {key: "box", make: () => new (pick("BoxGeometry"))(2, 2, 2), scale: s};
        case "capsule":
            return {key: "capsule" + s[0] + "," + s[1], make: () => capsule(s[0], s[1]), scale: one,
                    round: true};
        case "cylinder":
            return {key: "cylinder", make: () => cylinder(1, 1), scale: [s[0], s[0], 2 * s[1]],
                    round: true};
        case "cone":
            return {key: "cone" + s[0] + "," + s[1],
                    make: () => cylinder(0, s[0]).scale(1, 1, 2 * s[1]).translate(0, 0, s[1]),
                    scale: one, round: true};
        case "disc":
            return {key: "disc", make: () => cylinder(1, 1), scale: [s[0], s[0], 0.2 * s[0]],
                    round: true};
        case "polygon":
            return {key: "polygon" + shape.mesh, scale: one,
                    make: () => prism(head.meshes[shape.mesh], 0.3 * Math.min(s[0], s[1]))};
        case "hull":
        case "mesh":
            return {key: "mesh" + shape.mesh, make: () => triangles(head.meshes[shape.mesh]), scale: one};
        default:
            return null;
        }
    }

    /* A body without a shape is drawn as the box of its mass and inertia. */
    function boxOfInertia(system) {
        const I = system.inertia, m = system.mass, half = [0, 1, 2].map((k) => {
            const a = (k + 1) % 3, b = (k + 2) % 3;
            return Math.sqrt(Math.max(1.5 * (I[4 * a] + I[4 * b] - I[4 * k]) / m, 0));
        });
        const least = 0.02 * Math.max(half[0], half[1], half[2], 1e-9);
        return {type: "box", size: half.map((x) => Math.max(x, least)), place: [0, 0, 0],
                turn: [1, 0, 0, 0]};
    }

    view.shapes = {geometry: geometry, drawn: drawn, boxOfInertia: boxOfInertia, pick: pick,
                   cylinder: cylinder, openCone: openCone, ball: ball, arrow: arrow};
})(window.perpView);
