/* SPDX-License-Identifier: BSD-3-Clause */
/* The bodies in space: instanced by geometry, with shadows, seen by a camera that orbits. */
"use strict";
(function (view) {
    const MANY = 1500; /* bodies, from which on they are drawn with few corners and hard shadows */
    const CARRIER = 1e-4; /* part of the heaviest body */
    const FEW = 300; /* places of bodies of which none is left out */
    /* Light under which a white surface is white: from release 155 of three.js on it is measured otherwise. */
    const FULL = Number(THREE.REVISION) >= 155 ? Math.PI : 1;
    const GROUND = 0x666677; /* light from below */
    /* Yellow marks what is chosen. */
    const CHOSEN = new THREE.Color("#f0e442"), FIXED = new THREE.Color("#8a8f98");
    const colours = view.bodyColours.map((c) => new THREE.Color(c));

    function poseOf(system, q) {
        if (system.entries === 0 || q.length === 0)
            return [system.position || [0, 0, 0], system.quaternion || [1, 0, 0, 0]];
        if (system.type === "body")
            return [q.slice(0, 3), q.slice(3, 7)];
        if (system.type === "planar")
            return [[q[0], q[1], 0], [Math.cos(q[2] / 2), 0, 0, Math.sin(q[2] / 2)]];
        return null;
    }

    function matrixOf(matrix, place, turn, scale) {
        const quaternion = new THREE.Quaternion(turn[1], turn[2], turn[3], turn[0]).normalize();
        return matrix.compose(new THREE.Vector3(place[0], place[1], place[2]), quaternion,
                              new THREE.Vector3(scale[0], scale[1], scale[2]));
    }

    /* A place in the frame of a system, or of the world for -1, at an instant; null of one without a frame. */
    view.placeIn = function (motion, frame, system, local) {
        const place = new THREE.Vector3(local[0], local[1], local[2] || 0);
        if (system < 0)
            return place;
        const s = motion.head.systems[system], pose = poseOf(s, s.entries > 0 ? motion.state(frame, system) : []);
        if (!pose)
            return null;
        const q = pose[1];
        return place.applyQuaternion(new THREE.Quaternion(q[1], q[2], q[3], q[0]).normalize())
            .add(new THREE.Vector3(pose[0][0], pose[0][1], pose[0][2]));
    };

    function Picture(canvas, motion) {
        this.canvas = canvas;
        this.motion = motion;
        this.head = motion.head;
        this.items = [];
        this.groups = new Map();
        this.chosen = -1;
        this.drawn = 0;
        this.scene = new THREE.Scene();
        this.scene.fog = new THREE.Fog(0, 1e30, 2e30); /* before the first program is made for it */
        this.stage = new THREE.Group(); /* light and planes, which fit the measure */
        this.scene.add(this.stage);
        const isLine = (s) => s.shapes.length > 0 && s.shapes.every((x) => x.type === "plane" && x.size[0] > 0);
        this.flat = this.head.systems.every((s) => s.type !== "body" && s.type !== "fixed" || isLine(s));
        const g = this.head.gravity, y = Math.abs(g[1]) > Math.abs(g[2]) || this.flat;
        this.up = y ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(0, 0, 1);
        if (this.flat && Math.hypot(g[0], g[1]) > 0)
            this.up.set(-g[0], -g[1], 0).normalize();
    }

    /* All that there is to draw, and the renderer; with yields. */
    Picture.prototype.make = function* () {
        yield* this.collect();
        this.hasBodies = this.items.length > 0;
        this.ball = yield* this.measure();
        this.lights();
        yield view.PAUSE;
        /* Many bodies are drawn with more pixels instead, quality.js: those it can do without. */
        this.renderer = new THREE.WebGLRenderer({canvas: this.canvas, antialias: !this.many,
                                                 preserveDrawingBuffer: true});
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.autoUpdate = false; /* they stay when the camera moves */
        if (this.many)
            this.renderer.shadowMap.type = THREE.BasicShadowMap;
        this.quality = new view.Quality(this);
        yield view.PAUSE;
        yield* this.instance();
        yield view.PAUSE;
        this.paint();
        this.planes();
        this.camera = new view.Camera(this);
    };

    /* Draws one object of each kind by itself, small: what the driver does when it sees a kind for the first
     * time is long, and would otherwise all fall into the first picture. */
    Picture.prototype.warm = function* () {
        const kinds = new Map(), seen = [], camera = this.camera.get();
        this.scene.traverse((o) => {
            if (o.isLight || o.isScene)
                return;
            seen.push([o, o.visible, o.count]);
            if (!o.material) {
                o.visible = true;
                return;
            }
            const m = o.material, lit = [o.castShadow, o.receiveShadow];
            kinds.set([o.type, !!o.isInstancedMesh, m.type, m.side, m.transparent, Object.keys(m.defines || {}), lit].join(), o);
            o.visible = false;
        });
        this.renderer.setSize(16, 16, false);
        for (const o of kinds.values()) {
            yield view.PAUSE;
            if (o.isInstancedMesh)
                o.count = 1;
            else if (o.corners > 1)
                o.geometry.setDrawRange(0, 3);
            o.visible = true;
            this.renderer.render(this.scene, camera);
            o.visible = false;
        }
        for (const [o, visible, count] of seen) {
            o.visible = visible;
            if (o.isInstancedMesh)
                o.count = count;
            else if (o.corners > 1)
                o.geometry.setDrawRange(0, Infinity);
        }
        yield view.PAUSE;
    };

    /* What is drawn of which system. */
    Picture.prototype.collect = function* () {
        const n = this.head.systems.length;
        const heaviest = this.head.systems.reduce((m, s) => Math.max(m, s.mass || 0), 0);
        this.many = n > MANY;
        for (let k = 0; k < n; k++) {
            const system = this.head.systems[k];
            if (k % 256 === 255)
                yield;
            let shapes = system.shapes.filter((x) => x.type !== "plane");
            /* What carries a joint between two others has hardly any mass, and no size that means anything. */
            if (system.type === "body" && system.shapes.length === 0 && system.mass > CARRIER * heaviest)
                shapes = [wheel(this.head, k) || view.shapes.boxOfInertia(system)];
            for (const shape of shapes) {
                const how = view.shapes.drawn(shape, this.head, this.many && shapes.length === 1);
                if (how !== null)
                    this.items.push({system: k, how: how,
                        local: matrixOf(new THREE.Matrix4(), shape.place, shape.turn, how.scale)});
            }
        }
    };

    /* The cylinder of a body whose joints are one pivot, with an axis through its centre; or null. */
    function wheel(head, k) {
        const joints = head.joints.filter((j) => j.first === k || j.second === k), one = joints[0];
        if (joints.length !== 1 || one.type !== "pivot" || one.first !== k || Math.hypot(...one.anchor) > 1e-9)
            return null;
        return view.shapes.wheelOfInertia(head.systems[k], one.axis);
    }

    /* A ball around what moves: all of it at first, and at later instants but for the few that are far out;
     * what the camera shows at first. */
    Picture.prototype.measure = function* () {
        const motion = this.motion, n = motion.count(), later = this.many ? 4 : 12;
        const moving = this.items.filter((x) => this.head.systems[x.system].entries > 0);
        const all = yield* this.ballsAt(0, moving.length > 0 ? moving : this.items);
        const first = boxOf(all).getBoundingSphere(new THREE.Sphere()), rest = [];
        for (let k = 1; k <= later && all.length > 0; k++)
            for (const ball of yield* this.ballsAt(Math.floor((n - 1) * k / later), moving))
                if (ball.center.distanceTo(first.center) <= 5 * first.radius)
                    rest.push(ball);
                else
                    this.leaves = true;
        for (const ball of inner(rest))
            all.push(ball);
        this.single = new Set(moving.map((x) => x.system)).size === 1 ? moving[0].system : -1;
        for (let k = 0; k <= 32; k++)
            this.pointsAt(Math.floor((n - 1) * k / 32), all);
        return this.around(all);
    };

    /* Balls around what is there at one instant but for what is fixed and larger than all that moves; of what is no
     * ball the corners of its box. */
    Picture.prototype.partsAt = function (frame) {
        const moves = (item) => this.head.systems[item.system].entries > 0, now = new THREE.Matrix4(), all = [];
        const put = (item, most) => {
            if (!this.place(now, item, frame))
                return;
            const geometry = view.shapes.geometry(item.how.key, item.how.make);
            geometry.computeBoundingBox();
            geometry.computeBoundingSphere();
            const ball = geometry.boundingSphere.clone().applyMatrix4(now);
            if (ball.radius > most)
                return;
            if (item.how.key === "sphere" || item.how.key === "ball")
                all.push(ball);
            else
                all.push(...cornersOf(geometry.boundingBox).map((p) => new THREE.Sphere(p.applyMatrix4(now), 0)));
        };
        this.items.filter(moves).forEach((item) => put(item, Infinity));
        const most = all.length > 0 ? boxOf(all).getBoundingSphere(new THREE.Sphere()).radius : Infinity;
        this.items.filter((item) => !moves(item)).forEach((item) => put(item, most));
        this.pointsAt(frame, all);
        return all;
    };

    function cornersOf(box) {
        const list = [];
        for (let k = 0; k < 8; k++)
            list.push(new THREE.Vector3((k & 1 ? box.max : box.min).x, (k & 2 ? box.max : box.min).y, (k & 4 ? box.max : box.min).z));
        return list;
    }

    /* Appends what is drawn as marks: points of mechanisms, joints, and ends of springs and strings. */
    Picture.prototype.pointsAt = function (frame, all) {
        const put = (p) => all.push(new THREE.Sphere(p, 0)), at = (k, local) => view.placeIn(this.motion, frame, k, local);
        view.mechanisms.points(this.motion, frame).forEach((p) => put(new THREE.Vector3(...p)));
        if (this.many)
            return;
        for (const joint of this.head.joints)
            [at(joint.first, joint.anchor), at(joint.second, joint.anchor_b)].forEach((p) => p && put(p));
        for (const spring of this.head.springs)
            spring.ends.filter((end) => end.system < 0).forEach((end) => put(at(-1, end.place)));
    };

    /* A ball around those, and the size of what is in it. */
    Picture.prototype.around = function (all) {
        if (all.length === 0)
            return new THREE.Sphere(new THREE.Vector3(), 1);
        const box = boxOf(all), whole = box.getBoundingSphere(new THREE.Sphere());
        this.extent = box.getSize(new THREE.Vector3());
        whole.radius = all.reduce((r, b) => Math.max(r, b.center.distanceTo(whole.center) + b.radius), 1e-9);
        return whole;
    };

    /* Around each of the items at an instant; with yields. */
    Picture.prototype.ballsAt = function* (frame, items) {
        const balls = [], now = new THREE.Matrix4();
        for (let k = 0; k < items.length; k++) {
            if (k % 64 === 63)
                yield;
            if (!this.place(now, items[k], frame))
                continue;
            const geometry = view.shapes.geometry(items[k].how.key, items[k].how.make);
            if (geometry.boundingSphere === null)
                geometry.computeBoundingSphere();
            balls.push(geometry.boundingSphere.clone().applyMatrix4(now));
        }
        return balls;
    };

    function boxOf(balls) {
        const box = new THREE.Box3();
        for (const ball of balls) {
            box.expandByPoint(ball.center.clone().addScalar(ball.radius));
            box.expandByPoint(ball.center.clone().addScalar(-ball.radius));
        }
        return box;
    }

    /* Those that lie, in each direction, between the least and the largest thirtieth; a few are all. */
    function inner(balls) {
        let list = balls;
        for (const k of ["x", "y", "z"]) {
            const sorted = Float64Array.from(balls, (b) => b.center[k]).sort(), n = sorted.length;
            const out = n < FEW ? 0 : Math.floor(n / 30);
            list = list.filter((b) => b.center[k] >= sorted[out] && b.center[k] <= sorted[n - 1 - out]);
        }
        return list;
    }

    Picture.prototype.lights = function () {
        const r = this.ball.radius, up = this.up;
        const light = new THREE.DirectionalLight(0xffffff, 0.62 * FULL);
        const side = this.flat ? new THREE.Vector3(0.3, 0.6, 2)
                     : up.y > 0 ? new THREE.Vector3(-0.9, 1.6, 0.7) : new THREE.Vector3(-0.7, -0.9, 1.6);
        light.position.copy(this.ball.center).addScaledVector(side, 2 * r);
        light.target.position.copy(this.ball.center);
        light.castShadow = this.items.length > 0;
        light.shadow.mapSize.setScalar(this.many ? 1024 : 2048);
        light.shadow.bias = -0.0015;
        const c = light.shadow.camera;
        c.left = c.bottom = -2 * r;
        c.right = c.top = 2 * r;
        c.near = 0.05 * r;
        c.far = 9 * r;
        this.light = light;
        this.stage.add(light, light.target, new THREE.AmbientLight(0xffffff, 0.3 * FULL),
                       new THREE.HemisphereLight(0xffffff, GROUND, 0.3 * FULL));
    };

    Picture.prototype.instance = function* () {
        const crowds = this.many && view.canCrowd(this.renderer.getContext());
        for (const item of this.items) {
            if (!this.groups.has(item.how.key))
                this.groups.set(item.how.key, []);
            this.groups.get(item.how.key).push(item);
        }
        for (const list of this.groups.values()) {
            const mesh = view.meshOf(list[0].how, list.length, crowds);
            mesh.castShadow = mesh.receiveShadow = true;
            mesh.frustumCulled = false;
            list.forEach((item, k) => Object.assign(item, {mesh: mesh, index: k}));
            this.scene.add(mesh);
            if (mesh.coarse)
                this.scene.add(mesh.coarse);
            yield;
        }
    };

    Picture.prototype.paint = function () {
        for (const item of this.items) {
            const c = item.system === this.chosen ? CHOSEN
                      : this.head.systems[item.system].entries === 0 ? FIXED
                      : colours[item.system % colours.length];
            tintOf(item.mesh, item.index, c);
            if (item.mesh.coarse)
                tintOf(item.mesh.coarse, item.index, c);
        }
    };

    function tintOf(mesh, index, colour) {
        const tint = mesh.geometry.getAttribute("tint"), corners = mesh.corners;
        for (let k = corners * index; k < corners * (index + 1); k++)
            tint.setXYZ(k, colour.r, colour.g, colour.b);
        tint.needsUpdate = true;
    }

    /* Planes and lines of the scene; those that are no floor are glass. */
    Picture.prototype.planes = function () {
        const add = (normal, offset, to) =>
            this.addPlane(new THREE.Vector3(normal[0], normal[1], normal[2] || 0), offset, to || this.stage);
        this.movingPlanes = [];
        this.surfaces = []; /* floors and glass, not of flat pictures */
        this.floors = [];
        this.grids = [];
        this.head.systems.forEach((system, k) => {
            for (const shape of system.shapes)
                if (shape.type === "plane" && system.entries > 0) {
                    const group = new THREE.Group();
                    this.movingPlanes.push({system: k, group: group});
                    this.stage.add(group);
                    add(shape.normal, shape.offset, group);
                } else if (shape.type === "plane") {
                    const p = system.position || [0, 0, 0], n = shape.normal;
                    add(n, shape.offset + n[0] * p[0] + n[1] * p[1] + n[2] * p[2]);
                }
        });
        for (const line of this.head.lines || [])
            if (Array.isArray(line.normal) && line.normal.every((x) => typeof x === "number"))
                add(line.normal, typeof line.offset === "number" ? line.offset : 0);
    };

    Picture.prototype.addPlane = function (normal, offset, to) {
        const r = this.ball.radius, floor = normal.dot(this.up) > 0.5, size = (floor ? 24 : 6) * r;
        const length = normal.length() || 1;
        const Box = view.shapes.pick("BoxGeometry"), Plane = view.shapes.pick("PlaneGeometry");
        const slab = this.flat ? new Box(size, size, 0.04 * r) : new Plane(size, size);
        const made = new THREE[this.flat ? "MeshBasicMaterial" : "MeshLambertMaterial"]({side: THREE.DoubleSide,
            transparent: !floor && !this.flat, opacity: floor || this.flat ? 1 : 0.1,
            depthWrite: floor || this.flat, polygonOffset: floor, polygonOffsetFactor: 1, polygonOffsetUnits: 1});
        const mesh = new THREE.Mesh(slab, made);
        normal.divideScalar(length);
        const at = offset / length - normal.dot(this.ball.center);
        mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
        mesh.position.copy(this.ball.center).addScaledVector(normal, at - (this.flat ? 0.02 * r : 0));
        if (this.flat) /* behind the bodies */
            mesh.position.z -= size / 2 + 0.3 * r;
        mesh.receiveShadow = floor;
        this.floors.push(made);
        to.add(mesh);
        if (!this.flat)
            this.surfaces.push({mesh: mesh, plain: floor ? this.plainFloor(mesh, normal, to) : null});
        if (floor && !this.flat) {
            const grid = gridOf(0.25 * r, 48);
            grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
            grid.position.copy(mesh.position).addScaledVector(normal, 1e-3 * r);
            this.grids.push(grid.material);
            to.add(grid);
        }
    };

    /* The same floor with the light that all of it has: no shadows fall on it.  For pictures that come slowly. */
    Picture.prototype.plainFloor = function (mesh, normal, to) {
        const lamp = normal.dot(this.light.position.clone().sub(this.light.target.position).normalize());
        const sky = new THREE.Color(0xffffff), ground = new THREE.Color(GROUND);
        const plain = new THREE.Mesh(mesh.geometry, new THREE.MeshBasicMaterial({side: THREE.DoubleSide,
            polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1}));
        plain.light = ground.lerp(sky, 0.5 + 0.5 * normal.y).multiplyScalar(0.3);
        plain.light.addScalar(0.3 + 0.62 * Math.max(lamp, 0));
        plain.quaternion.copy(mesh.quaternion);
        plain.position.copy(mesh.position);
        plain.visible = false;
        to.add(plain);
        return plain;
    };

    /* Squares with a side, so many each way from the middle; of short pieces, since long lines that end
     * behind the eye are drawn badly. */
    function gridOf(side, count) {
        const list = [], geometry = new THREE.BufferGeometry(), end = count * side, piece = 4 * side;
        for (let k = -count; k <= count; k++)
            for (let a = -end; a < end; a += piece)
                list.push(k * side, a, 0, k * side, a + piece, 0, a, k * side, 0, a + piece, k * side, 0);
        geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(list), 3));
        return new THREE.LineSegments(geometry, new THREE.LineBasicMaterial());
    }

    /* Where a run that goes on has left the picture: measure, light, planes and camera anew. */
    Picture.prototype.fit = function* (always) {
        const old = this.ball, ball = yield* this.measure();
        if (always || ball.center.distanceTo(old.center) + ball.radius >= 1.2 * old.radius)
            this.setMeasure(ball);
    };

    /* What is there at one instant fills the picture, with the turn, the rise and the zoom that were chosen. */
    Picture.prototype.fitTo = function (frame) {
        const whole = this.ball, extent = this.extent, parts = this.partsAt(frame), ball = this.around(parts);
        if (!this.hasBodies) { /* points have no size */
            this.extent.max(extent.multiplyScalar(0.5));
            ball.radius = Math.max(ball.radius, 0.5 * whole.radius);
        }
        this.setMeasure(ball);
        if (!this.flat)
            this.camera.fill(parts);
        this.show(frame);
    };

    Picture.prototype.setMeasure = function (ball) {
        this.ball = ball;
        if (this.light.shadow.map)
            this.light.shadow.map.dispose();
        this.scene.remove(this.stage);
        this.stage = new THREE.Group();
        this.scene.add(this.stage);
        this.lights();
        this.planes();
        this.camera.fit();
        this.extras.size = this.ball.radius;
    };

    /* The matrix of an item at an instant; false where it has none. */
    Picture.prototype.place = function (matrix, item, frame) {
        const system = this.head.systems[item.system];
        const pose = poseOf(system, system.entries > 0 ? this.motion.state(frame, item.system) : []);
        if (pose === null)
            return false;
        matrixOf(matrix, pose[0], pose[1], [1, 1, 1]).multiply(item.local);
        return true;
    };

    /* The same of a body, straight into the matrices of its mesh: ten thousand of them every frame. */
    Picture.prototype.placeBody = function (item, frame) {
        const from = this.motion.frames[frame], s = this.motion.scale, o = this.motion.offsets[item.system];
        const L = item.local.elements, out = item.mesh.instanceMatrix.array, at = 16 * item.index;
        let w = from[o + 3] * s[o + 3], x = from[o + 4] * s[o + 4], y = from[o + 5] * s[o + 5], z = from[o + 6] * s[o + 6];
        const size = 1 / (Math.sqrt(w * w + x * x + y * y + z * z) || 1);
        w *= size;
        x *= size;
        y *= size;
        z *= size;
        const a = 1 - 2 * (y * y + z * z), b = 2 * (x * y - w * z), c = 2 * (x * z + w * y);
        const d = 2 * (x * y + w * z), e = 1 - 2 * (x * x + z * z), f = 2 * (y * z - w * x);
        const g = 2 * (x * z - w * y), h = 2 * (y * z + w * x), i = 1 - 2 * (x * x + y * y);
        for (let k = 0; k < 16; k += 4) {
            out[at + k] = a * L[k] + b * L[k + 1] + c * L[k + 2];
            out[at + k + 1] = d * L[k] + e * L[k + 1] + f * L[k + 2];
            out[at + k + 2] = g * L[k] + h * L[k + 1] + i * L[k + 2];
            out[at + k + 3] = L[k + 3];
        }
        for (let k = 0; k < 3; k++)
            out[at + 12 + k] += from[o + k] * s[o + k];
    };

    Picture.prototype.show = function (frame) {
        const now = new THREE.Matrix4(), touched = new Set();
        this.frame = frame;
        this.renderer.shadowMap.needsUpdate = this.quality.now.shadows;
        for (const item of this.items) {
            const system = this.head.systems[item.system];
            if (this.fixedDone && system.entries === 0)
                continue;
            if (system.type === "body" && system.entries === 7)
                this.placeBody(item, frame);
            else if (this.place(now, item, frame))
                item.mesh.setMatrixAt(item.index, now);
            touched.add(item.mesh);
        }
        this.fixedDone = true;
        for (const mesh of touched)
            mesh.moved();
        for (const plane of this.movingPlanes) {
            const pose = poseOf(this.head.systems[plane.system], this.motion.state(frame, plane.system));
            if (pose) {
                plane.group.position.set(pose[0][0], pose[0][1], pose[0][2]);
                plane.group.quaternion.set(pose[1][1], pose[1][2], pose[1][3], pose[1][0]).normalize();
            }
        }
        if (this.extras)
            this.extras.show(frame);
    };

    Picture.prototype.draw = function () {
        this.resize();
        if (this.follow && this.chosen >= 0)
            this.camera.follow(this.centre(this.chosen));
        this.renderer.setClearColor(view.style("--sky") || "#ffffff");
        for (const floor of this.floors)
            floor.color.set(view.style(this.flat ? "--edge" : "--floor") || "#c6ccd6");
        for (const {mesh, plain} of this.surfaces)
            if (plain)
                plain.material.color.copy(mesh.material.color).multiply(plain.light);
        for (const grid of this.grids)
            grid.color.set(view.style("--edge"));
        /* The floor has no end. */
        if (!this.flat) {
            const far = this.camera.distance + 9 * this.ball.radius;
            this.scene.fog.color.set(view.style("--sky") || "#ffffff");
            this.scene.fog.near = Math.min(this.camera.distance + 2 * this.ball.radius, 0.6 * far);
            this.scene.fog.far = far;
        }
        const camera = this.camera.get();
        this.quality.prepare(camera);
        this.renderer.render(this.scene, camera);
        this.drawn++;
    };

    Picture.prototype.centre = function (k) {
        const system = this.head.systems[k];
        const pose = poseOf(system, system.entries > 0 ? this.motion.state(this.frame, k) : []);
        return pose ? new THREE.Vector3(pose[0][0], pose[0][1], pose[0][2]) : this.ball.center.clone();
    };

    Picture.prototype.resize = function () {
        const w = this.canvas.clientWidth || 800, h = this.canvas.clientHeight || 500;
        if (this.width !== w || this.height !== h) {
            this.width = w;
            this.height = h;
            this.renderer.setSize(w, h, false);
            view.pictureHeight.value = this.renderer.getContext().drawingBufferHeight;
            this.camera.aspect(w / h);
        }
    };

    /* The system under a place of the canvas, -1 to 1 each way; -1: none. */
    Picture.prototype.pick = function (x, y) {
        const ray = new THREE.Raycaster(), probe = new THREE.Mesh(), hits = [];
        let best = -1, nearest = Infinity;
        ray.setFromCamera(new THREE.Vector2(x, y), this.camera.get());
        probe.material = new THREE.MeshBasicMaterial({side: THREE.DoubleSide});
        for (const item of this.items) {
            probe.geometry = view.shapes.geometry(item.how.key, item.how.make);
            item.mesh.getMatrixAt ? item.mesh.getMatrixAt(item.index, probe.matrixWorld)
                                  : probe.matrixWorld.fromArray(item.mesh.instanceMatrix.array, 16 * item.index);
            hits.length = 0;
            probe.raycast(ray, hits);
            for (const hit of hits)
                if (hit.distance < nearest) {
                    nearest = hit.distance;
                    best = item.system;
                }
        }
        return best;
    };

    view.poseOf = poseOf;
    view.Picture = Picture;
})(window.perpView);
