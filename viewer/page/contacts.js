/* SPDX-License-Identifier: BSD-3-Clause */
/* Contact points with the force on the first body, joints, springs and mechanisms. */
"use strict";
(function (view) {
    const STATE_COLOURS = view.stateColours;
    const MANY = 1000; /* contacts, from which on they have few corners */
    const THIN = 100; /* the same in coarse pictures, where they have none */

    /* Points of systems that are no bodies, in the plane z = 0 (or in space for masses). */
    const mechanisms = {
        chain: function (system, q) {
            const p = system.parameters, list = [[0, 0, 0]];
            const link = (l, a) => {
                const from = list[list.length - 1];
                list.push([from[0] + l * Math.sin(a), from[1] - l * Math.cos(a), 0]);
            };
            if (system.type === "pendulum")
                link(p[1], q[0]);
            else if (system.type === "double-pendulum") {
                link(p[1], q[0]);
                link(p[4], q[1]);
            } else if (system.type === "slider-crank") {
                list.push([p[0] * Math.cos(q[0]), p[0] * Math.sin(q[0]), 0]);
                list.push([list[1][0] + p[1] * Math.cos(q[1]), list[1][1] + p[1] * Math.sin(q[1]), 0]);
            } else {
                return [];
            }
            return list;
        },
        /* A planar system without a shape. */
        isPoint: (system) => system.type === "planar" && system.shapes.length === 0,
        /* Those of its points that lines hold up, beside its centre. */
        arms: function (head, k, q) {
            const list = [], c = Math.cos(q[2]), s = Math.sin(q[2]);
            for (const line of head.lines || [])
                if (line.system === k && Array.isArray(line.point) && Math.hypot(...line.point) > 0)
                    list.push([q[0] + c * line.point[0] - s * line.point[1], q[1] + s * line.point[0] + c * line.point[1], 0]);
            return list;
        },
        masses: function (system, q) {
            const list = [];
            for (let k = 0; system.type === "point-masses" && k < q.length; k += system.dim)
                list.push([q[k], q[k + 1], system.dim > 2 ? q[k + 2] : 0]);
            if (mechanisms.isPoint(system))
                list.push([q[0], q[1], 0]);
            return list;
        },
        points: function (motion, frame) {
            const list = [];
            motion.head.systems.forEach((system, k) => {
                if (system.entries === 0 || !system.parameters)
                    return;
                const q = motion.state(frame, k);
                list.push(...mechanisms.chain(system, q), ...mechanisms.masses(system, q));
                if (mechanisms.isPoint(system))
                    list.push(...mechanisms.arms(motion.head, k, q));
            });
            return list;
        },
        slider: function (system, q) {
            const p = system.parameters, end = mechanisms.chain(system, q)[2], c = Math.cos(q[2]), s = Math.sin(q[2]);
            return [[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]].map((k) => {
                const x = k[0] * p[8], y = k[1] * p[9];
                return [end[0] + c * x - s * y, end[1] + s * x + c * y, 0];
            });
        }
    };

    function Extras(picture) {
        this.picture = picture;
        this.motion = picture.motion;
        this.size = picture.ball.radius;
        this.wants = {contacts: true, joints: true};
        this.arrow = 1;
        this.read = []; /* contacts that are shown; null: not read yet */
        this.chosen = null; /* a contact */
        this.marks = {};
        this.largest = 0;
        this.group = new THREE.Group();
        this.thin = new view.Thin(this.group);
        this.bare = !this.motion.head.joints.length && !this.motion.head.springs.length &&
            !this.motion.head.systems.some((s) => s.parameters); /* nothing but contacts */
        picture.scene.add(this.group);
        this.lines = new THREE.LineSegments(new THREE.BufferGeometry(),
                                            new THREE.LineBasicMaterial({color: 0x777f8c}));
        this.lines.frustumCulled = false;
        this.group.add(this.lines);
        this.makeCone();
    }

    /* The friction cone of the contact that is chosen: its side, its rim and its axis. */
    Extras.prototype.makeCone = function () {
        const rim = [];
        for (let k = 0; k < 64; k++)
            rim.push(Math.cos(2 * Math.PI * k / 64), Math.sin(2 * Math.PI * k / 64), 1);
        const line = (list, Type) => {
            const geometry = new THREE.BufferGeometry();
            geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(list), 3));
            return new Type(geometry, new THREE.LineBasicMaterial({depthTest: false}));
        };
        this.cone = new THREE.Group();
        this.side = new THREE.Mesh(view.shapes.openCone(), new THREE.MeshBasicMaterial({
            side: THREE.DoubleSide, transparent: true, opacity: 0.3, depthWrite: false, depthTest: false}));
        this.rim = line(rim, THREE.LineLoop);
        this.axis = line([0, 0, 0, 0, 0, 1], THREE.Line);
        this.cone.add(this.side, this.rim, this.axis);
        this.shaft = new THREE.Mesh(view.shapes.arrow(0, 16), new THREE.MeshBasicMaterial({depthTest: false}));
        this.cone.visible = this.shaft.visible = false;
        this.side.renderOrder = 1;
        this.rim.renderOrder = this.axis.renderOrder = this.shaft.renderOrder = 2;
        this.picture.scene.add(this.cone, this.shaft);
    };

    /* As long as the arrow and a little more, so that the force ends inside or on the side. */
    Extras.prototype.showCone = function () {
        const c = this.chosen;
        this.cone.visible = this.shaft.visible = c !== null;
        if (c === null)
            return;
        const dot = c.impulse.reduce((sum, x, k) => sum + x * c.normal[k], 0), size = Math.hypot(...c.impulse);
        const along = size > 0 ? this.lengthOf(c) * Math.max(dot, 0) / size : 0, long = Math.max(1.25 * along, 0.12 * this.size);
        const wide = Math.max(c.mu, 1e-6) * long, colour = new THREE.Color(STATE_COLOURS[c.state]);
        this.cone.position.copy(this.placeOf(c));
        this.cone.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), new THREE.Vector3(...c.normal).normalize());
        this.cone.scale.set(wide, wide, long);
        this.side.visible = this.rim.visible = c.mu > 0;
        for (const part of [this.side, this.rim, this.axis])
            part.material.color.copy(colour);
        this.axis.material.color.set(view.style("--soft"));
        this.shaft.material.color.set(view.style("--text"));
        this.shaft.visible = size > 0;
        if (size > 0)
            this.arrowTo(this.shaft.matrix, c, 1.3);
        this.shaft.matrixAutoUpdate = false;
        this.shaft.matrixWorldNeedsUpdate = true;
    };

    /* The contact of the same two bodies nearest to the one that is chosen; null: there is none any more. */
    Extras.prototype.keep = function () {
        const old = this.chosen;
        if (old === null || this.list.includes(old))
            return;
        const far = (c) => c.point.reduce((sum, x, k) => sum + (x - old.point[k]) * (x - old.point[k]), 0);
        this.chosen = this.list.filter((c) => c.first === old.first && c.second === old.second)
            .reduce((best, c) => best === null || far(c) < far(best) ? c : best, null);
    };

    Extras.prototype.choose = function (k) {
        this.chosen = this.list[k] || null;
        this.showCone();
        view.redraw();
    };

    Extras.prototype.placeOf = function (c) {
        return new THREE.Vector3(c.point[0], c.point[1], c.point[2] + (this.picture.flat ? this.size * 0.06 : 0));
    };

    /* Of the arrow of an impulse. */
    Extras.prototype.lengthOfImpulse = function (size, frame) {
        const force = size / (this.motion.h[frame] || 1), reference = this.reference();
        return reference > 0 ? this.arrow * 0.35 * this.size * Math.min(force / reference, 2) : 0;
    };

    Extras.prototype.lengthOf = function (c) { return this.lengthOfImpulse(Math.hypot(...c.impulse), c.frame); };

    /* The force that an arrow of the length of a sixth of the picture stands for: the largest seen, of up to
     * a hundred thousand. */
    Extras.prototype.measure = function* () {
        const MOST = 100000, n = this.motion.count(), stride = Math.max(1, Math.floor(n / 200));
        const frames = [], sizes = [];
        let many = 0;
        for (let f = 0, k = 0; k < n; k += stride) {
            for (f = k; f < Math.min(n, k + stride) && !this.motion.contacts[f];)
                f++;
            if (f < n && this.motion.contacts[f] && frames[frames.length - 1] !== f) {
                frames.push(f);
                many += this.motion.contacts[f].count;
            }
        }
        for (const f of frames) {
            this.motion.forcesAt(f, 1 + Math.floor(many / MOST), sizes);
            yield;
        }
        const sorted = Float64Array.from(sizes).sort();
        this.seen = n;
        this.largest = sorted.length > 0 ? sorted[Math.floor(0.98 * (sorted.length - 1))] : 0;
    };

    Extras.prototype.reference = function () {
        const n = this.motion.count();
        if (!(this.seen <= n && n <= 1.05 * this.seen)) /* of a run that goes on: not with each instant */
            view.atOnce(this.measure());
        return this.largest;
    };

    Extras.prototype.marksOf = function (name, shape, colour, need) {
        const old = this.marks[name];
        if (old && old.capacity >= need)
            return old;
        if (old)
            old.remove();
        return this.marks[name] = new view.Marks(this.group, shape, colour, Math.max(64, 2 * need));
    };

    /* The matrix of an arrow along its force; short ones are thin. */
    Extras.prototype.arrowTo = function (matrix, c, thick) {
        const along = new THREE.Vector3(...c.impulse).normalize(), length = this.lengthOf(c);
        const r = thick * Math.min(0.006 * this.size, 0.07 * length);
        if (!(length > 0))
            return matrix.makeScale(0, 0, 0);
        return matrix.compose(this.placeOf(c).addScaledVector(along, 0.5 * length),
            new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), along), new THREE.Vector3(r, r, length));
    };

    const ball = (fine, size) => () => view.shapes.ball(fine).scale(size, size, size);
    const arrow = (more, sides) => () => view.shapes.arrow(more, sides);
    const FEW = {point: {make: ball(1, 1), rim: ball(1, 1.35), faint: ball(0, 1)},
                 arrow: {make: arrow(0, 8), rim: arrow(0.5, 8), faint: arrow(0, 5)},
                 mark: {make: ball(2, 1), rim: ball(2, 1.18), faint: ball(1, 1)}};
    const MUCH = {point: {make: ball(0, 1)}, arrow: {make: arrow(0, 5)}};

    Object.defineProperty(Extras.prototype, "list", {get: function () {
        if (this.read === null)
            this.read = this.motion.contactsAt(this.frame) || [];
        return this.read;
    }});

    /* Many of them, while pictures are coarse; false where others are. */
    Extras.prototype.showThin = function (frame) {
        const at = this.motion.touching(frame), record = this.motion.contacts[at];
        if (!this.picture.quality.now.coarse || !this.wants.contacts || !record || record.count <= THIN) {
            this.thin.hide();
            return false;
        }
        this.read = null;
        this.frame = frame;
        for (const name of Object.keys(STATE_COLOURS))
            for (const kind of ["", "-force", "-many", "-many-force"])
                if (this.marks[name + kind])
                    this.marks[name + kind].show(0);
        this.thin.show(this.motion, record, (size) => this.lengthOfImpulse(size, at));
        return true;
    };

    Extras.prototype.showContacts = function (frame) {
        if (this.showThin(frame))
            return;
        const list = (this.wants.contacts && this.motion.contactsAt(frame)) || [], many = list.length > MANY;
        const matrix = new THREE.Matrix4(), one = new THREE.Quaternion(), r = 0.012 * this.size;
        this.read = list;
        for (const state of Object.keys(STATE_COLOURS)) {
            const these = list.filter((c) => c.state === state), shapes = many ? MUCH : FEW;
            const kind = state + (many ? "-many" : ""), colour = STATE_COLOURS[state];
            const points = this.marksOf(kind, shapes.point, colour, these.length);
            const arrows = this.marksOf(kind + "-force", shapes.arrow, colour, these.length);
            these.forEach((c, k) => {
                points.put(k, matrix.compose(this.placeOf(c), one, new THREE.Vector3(r, r, r)));
                arrows.put(k, this.arrowTo(matrix, c, 1));
            });
            points.show(these.length);
            arrows.show(these.length);
            for (const other of many ? [state, state + "-force"] : [state + "-many", state + "-many-force"])
                if (this.marks[other])
                    this.marks[other].show(0);
        }
    };

    Extras.prototype.world = function (frame, system, local) { return view.placeIn(this.motion, frame, system, local); };

    Extras.prototype.springEnd = function (frame, end) {
        const s = end.system >= 0 ? this.motion.head.systems[end.system] : null;
        if (s && s.type !== "body" && s.type !== "planar" && s.entries > 0) {
            const q = this.motion.state(frame, end.system), masses = mechanisms.masses(s, q);
            const p = masses.length > 0 ? masses[end.index] : mechanisms.chain(s, q)[end.index + 1];
            return p ? new THREE.Vector3(p[0], p[1], p[2]) : null;
        }
        return this.world(frame, end.system, end.place);
    };

    Extras.prototype.showLines = function (frame) {
        const head = this.motion.head, ends = [], marks = [], masses = [], rods = [], blocks = [], springs = [];
        const segment = (a, b) => { if (a && b) ends.push(a.x, a.y, a.z, b.x, b.y, b.z); };
        const chain = (to, list) => {
            for (let k = 1; k < list.length; k++)
                to.push([new THREE.Vector3(...list[k - 1]), new THREE.Vector3(...list[k])]);
        };
        for (const joint of this.wants.joints ? head.joints : []) {
            const a = this.world(frame, joint.first, joint.anchor);
            const b = this.world(frame, joint.second, joint.anchor_b);
            if (a)
                marks.push(a);
            segment(a, b);
            if (a && ["pivot", "prismatic", "cylindrical", "universal", "screw"].includes(joint.type)) {
                const axis = new THREE.Vector3(...joint.axis).normalize();
                const s = head.systems[joint.first], pose = view.poseOf(s, s.entries > 0 ? this.motion.state(frame, joint.first) : []);
                if (pose)
                    axis.applyQuaternion(new THREE.Quaternion(pose[1][1], pose[1][2], pose[1][3], pose[1][0]).normalize());
                segment(a.clone().addScaledVector(axis, -0.12 * this.size), a.clone().addScaledVector(axis, 0.12 * this.size));
            }
        }
        for (const spring of this.wants.joints ? head.springs : [])
            if (spring.ends.length === 2) {
                const both = spring.ends.map((end) => this.springEnd(frame, end));
                if (both[0] && both[1])
                    springs.push(both);
            }
        head.systems.forEach((system, k) => {
            if (!system.parameters || system.entries === 0)
                return;
            const q = this.motion.state(frame, k), list = mechanisms.chain(system, q);
            chain(rods, list);
            if (mechanisms.isPoint(system))
                for (const end of mechanisms.arms(head, k, q))
                    chain(rods, [[q[0], q[1], 0], end]);
            if (system.type === "slider-crank")
                chain(blocks, mechanisms.slider(system, q));
            for (const p of list.concat(mechanisms.masses(system, q)))
                masses.push(new THREE.Vector3(...p));
        });
        this.lines.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(ends), 3));
        this.lines.visible = ends.length > 0;
        this.balls("joint", view.jointColour, marks, 0.016);
        this.balls("mass", "#6fa3cc", masses, 0.045);
        this.rods("rod", "#e3bf76", rods, 0.018);
        this.rods("block", "#6fa3cc", blocks, 0.01);
        this.rods("spring", "#777f8c", springs, 0.004);
    };

    Extras.prototype.balls = function (name, colour, places, size) {
        if (places.length === 0 && !this.marks[name])
            return;
        const balls = this.marksOf(name, FEW.mark, colour, places.length);
        const matrix = new THREE.Matrix4(), one = new THREE.Quaternion(), r = size * this.size;
        places.forEach((p, k) => balls.put(k, matrix.compose(p, one, new THREE.Vector3(r, r, r))));
        balls.show(places.length);
    };

    /* Rods of a thickness, each between two places. */
    Extras.prototype.rods = function (name, colour, list, thick) {
        if (list.length === 0 && !this.marks[name])
            return;
        const rods = this.marksOf(name, {make: () => view.shapes.cylinder(1, 1)}, colour, list.length);
        const matrix = new THREE.Matrix4(), up = new THREE.Vector3(0, 0, 1), r = thick * this.size;
        list.forEach((ends, k) => {
            const along = ends[1].clone().sub(ends[0]), length = along.length() || 1e-300;
            rods.put(k, matrix.compose(ends[0].clone().addScaledVector(along, 0.5),
                new THREE.Quaternion().setFromUnitVectors(up, along.divideScalar(length)), new THREE.Vector3(r, r, length)));
        });
        rods.show(list.length);
    };

    Extras.prototype.show = function (frame) {
        this.showContacts(frame);
        if (!this.bare)
            this.showLines(frame);
        this.keep();
        this.showCone();
    };

    /* The contact nearest to a place of the canvas, within some pixels; -1: none. */
    Extras.prototype.pick = function (x, y) {
        const camera = this.picture.camera.get(), p = new THREE.Vector3();
        let best = -1, nearest = 9;
        this.list.forEach((c, k) => {
            p.set(c.point[0], c.point[1], c.point[2]).project(camera);
            const d = Math.hypot((p.x - x) * this.picture.width / 2, (p.y - y) * this.picture.height / 2);
            if (d < nearest) {
                nearest = d;
                best = k;
            }
        });
        return best;
    };

    view.mechanisms = mechanisms;
    view.Extras = Extras;
})(window.perpView);
