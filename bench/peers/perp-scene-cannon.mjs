#!/usr/bin/env node
// SPDX-License-Identifier: BSD-3-Clause
// Scenes by cannon-es.
//
// default: GSSolver with 10 iterations, contact stiffness 1e7 over 3 steps, damping 0.01.  advised:
// 4 substeps, 100 iterations, stiffness 1e8, no damping; impulses of a step are then not given.
import { add, between, directionIn, main, pointIn, scaled } from './scene_peer.mjs';

const SUBSTEPS = 4;

class World {
  constructor(cannon, scene, advised) {
    this.cannon = cannon;
    this.scene = scene;
    this.substeps = advised ? SUBSTEPS : 1;
    this.advised = advised;
    const vec = (v) => new cannon.Vec3(...v);
    this.vec = vec;
    this.world = new cannon.World({ gravity: vec(scene.gravity) });
    this.world.solver.iterations = advised ? 100 : 10;
    this.world.broadphase = new cannon.SAPBroadphase(this.world);
    Object.assign(this.world.defaultContactMaterial, { friction: scene.mu, restitution: scene.e });
    if (advised) this.world.defaultContactMaterial.contactEquationStiffness = 1e8;
    this.ground = new cannon.Body({ mass: 0 });
    this.world.addBody(this.ground);
    this.number = new Map();
    for (const p of scene.planes) this.addPlane(p);
    this.bodies = scene.bodies.map((b, k) => this.addBody(b, k));
    for (const j of scene.joints) this.addJoint(j);
  }

  addPlane(plane) {
    const { Body, Plane, Quaternion } = this.cannon, q = between([0, 0, 1], plane.normal);
    this.world.addBody(new Body({ mass: 0, shape: new Plane(),
      position: this.vec(scaled(plane.offset, plane.normal)),
      quaternion: new Quaternion(q[1], q[2], q[3], q[0]) }));
  }

  addBody(b, k) {
    const { Body, Box, Sphere, Quaternion } = this.cannon, q = b.quaternion;
    const body = new Body({ mass: b.mass, position: this.vec(b.position),
      quaternion: new Quaternion(q[1], q[2], q[3], q[0]), velocity: this.vec(b.velocity),
      angularVelocity: this.vec(b.angular), allowSleep: false });
    if (b.shape === 'sphere') body.addShape(new Sphere(b.radius));
    if (b.shape === 'box') body.addShape(new Box(this.vec(b.half)));
    body.inertia.set(...b.inertia);
    body.invInertia.set(...b.inertia.map((x) => 1 / x));
    body.updateInertiaWorld(true);
    if (this.advised) body.linearDamping = body.angularDamping = 0;
    this.world.addBody(body);
    this.number.set(body, k);
    return body;
  }

  addJoint(j) {
    const { PointToPointConstraint, HingeConstraint } = this.cannon;
    const one = this.scene.bodies[j.a], other = j.b >= 0 ? this.scene.bodies[j.b] : null;
    const a = this.bodies[j.a], b = j.b >= 0 ? this.bodies[j.b] : this.ground;
    const pivotA = this.vec(pointIn(one, j.at)), pivotB = this.vec(pointIn(other, j.at));
    this.world.addConstraint(j.kind === 'ball'
      ? new PointToPointConstraint(a, pivotA, b, pivotB)
      : new HingeConstraint(a, b, { pivotA, pivotB, collideConnected: false,
        axisA: this.vec(directionIn(one, j.axis)), axisB: this.vec(directionIn(other, j.axis)) }));
  }

  step() {
    for (let k = 0; k < this.substeps; k++) this.world.step(this.scene.h / this.substeps);
  }

  // Two friction equations follow each contact; its normal goes from bi to bj.
  tell() {
    const { contacts, frictionEquations } = this.world, h = this.scene.h;
    const slides = frictionEquations.length === 2 * contacts.length;
    if (this.substeps > 1 || (!slides && this.scene.mu > 0))
      return { count: contacts.length };
    return { count: contacts.length, contacts: contacts.map((c, k) => {
      const n = c.ni.toArray();
      let impulse = scaled(-h * c.multiplier, n);
      for (const f of slides ? [2 * k, 2 * k + 1] : [])
        impulse = add(impulse, scaled(-h * frictionEquations[f].multiplier,
          frictionEquations[f].t.toArray()));
      return { a: this.number.get(c.bi) ?? -1, b: this.number.get(c.bj) ?? -1,
        armA: c.ri.toArray(), armB: c.rj.toArray(), normal: scaled(-1, n), impulse, gap: 0 };
    }) };
  }

  states(to) {
    this.bodies.forEach((b, k) => {
      const q = b.quaternion;
      to.set([...b.position.toArray(), q.w, q.x, q.y, q.z, ...b.velocity.toArray(),
        ...b.angularVelocity.toArray()], 13 * k);
    });
  }
}

main({
  package: 'cannon-es',
  title: 'cannon-es',
  refuses: (scene) => (scene.joints.some((j) => j.kind === 'distance')
    ? 'no joint between two points at a distance' : undefined),
  make: async (module, scene, advised) => new World(module, scene, advised),
});
