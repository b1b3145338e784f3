#!/usr/bin/env node
// SPDX-License-Identifier: BSD-3-Clause
// Scenes by Rapier.
//
// default: 4 solver iterations (small steps), 1 internal one.  advised: 4 substeps, 20 solver
// iterations with 4 internal ones, spheres with continuous collision.  Rapier does not say in
// which directions its tangential impulses act: impulses are not given.
import { between, directionIn, main, pointIn } from './scene_peer.mjs';

const SUBSTEPS = 4, MANY = 2000;
const xyz = (v) => ({ x: v[0], y: v[1], z: v[2] });

class World {
  constructor(rapier, scene, advised) {
    this.scene = scene;
    this.substeps = advised ? SUBSTEPS : 1;
    this.rapier = rapier;
    this.world = new rapier.World(xyz(scene.gravity));
    this.world.timestep = scene.h / this.substeps;
    if (advised) {
      this.world.integrationParameters.numSolverIterations = 20;
      this.world.integrationParameters.numInternalPgsIterations = 4;
    }
    this.ground = this.world.createRigidBody(rapier.RigidBodyDesc.fixed());
    for (const p of scene.planes) this.addPlane(p);
    this.bodies = scene.bodies.map((b) => this.addBody(b, advised));
    for (const j of scene.joints) this.addJoint(j);
  }

  material(desc) {
    return desc.setFriction(this.scene.mu).setRestitution(this.scene.e);
  }

  // A plate of 200 m: Rapier has no plane for users of JavaScript.
  addPlane(plane) {
    const n = plane.normal, q = between([0, 0, 1], n);
    const desc = this.rapier.ColliderDesc.cuboid(100, 100, 1)
      .setTranslation(...n.map((x) => x * (plane.offset - 1)))
      .setRotation({ w: q[0], x: q[1], y: q[2], z: q[3] });
    this.world.createCollider(this.material(desc), this.ground);
  }

  addBody(b, advised) {
    const { RigidBodyDesc, ColliderDesc } = this.rapier, q = b.quaternion;
    const body = this.world.createRigidBody(RigidBodyDesc.dynamic()
      .setTranslation(...b.position).setLinvel(...b.velocity).setAngvel(xyz(b.angular))
      .setRotation({ w: q[0], x: q[1], y: q[2], z: q[3] }).setCanSleep(false)
      .setAdditionalMassProperties(b.mass, xyz([0, 0, 0]), xyz(b.inertia),
        { w: 1, x: 0, y: 0, z: 0 })
      .setCcdEnabled(advised && b.shape === 'sphere'));
    const shape = b.shape === 'sphere' ? ColliderDesc.ball(b.radius)
      : b.shape === 'box' ? ColliderDesc.cuboid(...b.half)
        : b.shape === 'hull' ? ColliderDesc.convexHull(new Float32Array(b.vertices)) : null;
    if (shape !== null)
      this.world.createCollider(this.material(shape).setDensity(0).setTranslation(...b.shapeAt), body);
    return body;
  }

  addJoint(j) {
    const { JointData } = this.rapier, one = this.scene.bodies[j.a];
    const other = j.b >= 0 ? this.scene.bodies[j.b] : null;
    const at = [xyz(pointIn(one, j.at)), xyz(pointIn(other, j.at))];
    const data = j.kind === 'ball' ? JointData.spherical(...at)
      : JointData.revoluteWithAxes(...at, xyz(directionIn(one, j.axis)),
        xyz(directionIn(other, j.axis)));
    this.world.createImpulseJoint(data, this.bodies[j.a],
      j.b >= 0 ? this.bodies[j.b] : this.ground, true).setContactsEnabled(false);
  }

  step() {
    for (let k = 0; k < this.substeps; k++) this.world.step();
  }

  tell() {
    if (this.scene.bodies.length > MANY) return {};
    let twice = 0, once = 0;
    this.world.forEachCollider((c) => this.world.contactPairsWith(c, (other) =>
      this.world.contactPair(c, other, (manifold) => {
        if (c.parent().isFixed()) once += manifold.numContacts();
        else if (other.parent().isFixed()) once += 0;
        else twice += manifold.numContacts();
      })));
    return { count: once + 0.5 * twice };
  }

  states(to) {
    this.bodies.forEach((body, k) => {
      const p = body.translation(), q = body.rotation(), v = body.linvel(), w = body.angvel();
      to.set([p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z], 13 * k);
    });
  }
}

main({
  package: '@dimforge/rapier3d-compat',
  title: 'Rapier',
  can: ['hull', 'off-centre'],
  refuses: (scene) => (scene.joints.some((j) => j.kind === 'distance')
    ? 'no joint that keeps a distance' : undefined),
  make: async (module, scene, advised) => {
    const rapier = module.default ?? module;
    await rapier.init();
    return new World(rapier, scene, advised);
  },
});
