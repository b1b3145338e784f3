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

    function capsule(radius, half, many) {
        const points = [], n = many ? 8 : 16;
        for (let k = 0; k <= n; k++) {
            const a = -Math.PI / 2 + Math.PI * k / n;
            points.push([Math.max(0, radius * Math.cos(a)), radius * Math.sin(a) + (k < n / 2 ? -half : half)]);
            if (k === n / 2)
                points.splice(points.length - 1, 0, [radius, -half]);
        }
        return turned(points, many ? 16 : 40);
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
            return {key: "capsule" + s[0] + "," + s[1], make: () => capsule(s[0], s[1], many), scale: one,
                    round: true};
        case "cylinder":
            return {key: "cylinder", make: () => cylinder(1, 1, many ? 16 : 40), scale: [s[0], s[0], 2 * s[1]],
                    round: true};
        case "cone":
            return {key: "cone" + s[0] + "," + s[1],
                    make: () => cylinder(0, s[0], many ? 16 : 40).scale(1, 1, 2 * s[1]).translate(0, 0, s[1]),
                    scale: one, round: true};
        case "disc":
            return {key: "disc", make: () => cylinder(1, 1, many ? 16 : 40), scale: [s[0], s[0], 0.2 * s[0]],
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

    /* Moments of inertia and, as the columns of a rotation, their axes, by Jacobi's method. */
    function principal(inertia) {
        const A = [0, 1, 2].map((i) => [0, 1, 2].map((j) => inertia[3 * i + j]));
        const V = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
        for (let k = 0; k < 24; k++) {
            const i = k % 3, j = (k + 1) % 3;
            if (A[i][j] === 0)
                continue;
            const angle = 0.5 * Math.atan(2 * A[i][j] / (A[j][j] - A[i][i])), c = Math.cos(angle), s = Math.sin(angle);
            for (const M of [A, V])
                for (const row of M)
                    [row[i], row[j]] = [c * row[i] - s * row[j], s * row[i] + c * row[j]];
            [A[i], A[j]] = [A[i].map((x, n) => c * x - s * A[j][n]), A[i].map((x, n) => s * x + c * A[j][n])];
        }
        return {moments: [A[0][0], A[1][1], A[2][2]], axes: V};
    }

    /* A body without a shape is drawn as the box of its mass and inertia. */
    function boxOfInertia(system) {
        const own = principal(system.inertia), m = own.moments, V = own.axes, half = [0, 1, 2].map((k) =>
            Math.sqrt(Math.max(1.5 * (m[(k + 1) % 3] + m[(k + 2) % 3] - m[k]) / system.mass, 0)));
        const least = 0.02 * Math.max(half[0], half[1], half[2], 1e-9), turn = new THREE.Matrix4();
        turn.set(V[0][0], V[0][1], V[0][2], 0, V[1][0], V[1][1], V[1][2], 0, V[2][0], V[2][1], V[2][2], 0, 0, 0, 0, 1);
        const q = new THREE.Quaternion().setFromRotationMatrix(turn);
        return {type: "box", size: half.map((x) => Math.max(x, least)), place: [0, 0, 0], turn: [q.w, q.x, q.y, q.z]};
    }

    /* One that turns about an axis through its centre as the cylinder of the same mass and inertia around that axis;
     * null where there is none. */
    function wheelOfInertia(system, axis) {
        const I = system.inertia, m = system.mass, a = new THREE.Vector3(...axis).normalize();
        const Ia = [0, 1, 2].map((i) => I[3 * i] * a.x + I[3 * i + 1] * a.y + I[3 * i + 2] * a.z);
        const about = Ia[0] * a.x + Ia[1] * a.y + Ia[2] * a.z, across = (I[0] + I[4] + I[8] - about) / 2;
        const off = Math.hypot(Ia[0] - about * a.x, Ia[1] - about * a.y, Ia[2] - about * a.z);
        const radius = Math.sqrt(2 * about / m), half = Math.sqrt(Math.max(3 * across - 1.5 * about, 0) / m);
        if (!(radius > 0) || off > 1e-6 * about)
            return null;
        const q = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), a);
        return {type: "cylinder", size: [radius, Math.max(half, 0.02 * radius)], place: [0, 0, 0], turn: [q.w, q.x, q.y, q.z]};
    }

    view.shapes = {geometry: geometry, drawn: drawn, boxOfInertia: boxOfInertia, wheelOfInertia: wheelOfInertia, pick: pick,
                   cylinder: cylinder, openCone: openCone, ball: ball, arrow: arrow};
})(window.perpView);
