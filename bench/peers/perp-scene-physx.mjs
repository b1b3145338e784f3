#!/usr/bin/env node
// SPDX-License-Identifier: BSD-3-Clause
// Scenes by PhysX.
//
// default: PGS with 4 position and 1 velocity iterations of each body, friction by patches.
// advised: TGS, 4 substeps, 32 position and 4 velocity iterations, spheres with continuous
// collision, gyroscopic forces, damping off.  Impulses are not asked for.
import fs from 'node:fs';
import { between, fileOf, inverse, main, pointIn, product } from './scene_peer.mjs';

// Of PxRigidBodyFlag: the package has no name for it.
const GYROSCOPIC_FORCES = 1 << 10;

class World {
  constructor(px, scene, advised) {
    Object.assign(this, { px, scene, advised, substeps: advised ? 4 : 1 });
    const top = px.PxTopLevelFunctions.prototype;
    const version = px.PHYSICS_VERSION ?? top.PHYSICS_VERSION;
    const foundation = top.CreateFoundation(version, new px.PxDefaultAllocator(),
      new px.PxDefaultErrorCallback());
    this.top = top;
    this.physics = top.CreatePhysics(version, foundation, new px.PxTolerancesScale());
    top.InitExtensions(this.physics);
    const desc = new px.PxSceneDesc(this.physics.getTolerancesScale());
    desc.set_gravity(this.vec(scene.gravity));
    desc.set_cpuDispatcher(top.DefaultCpuDispatcherCreate(0));
    desc.set_filterShader(top.DefaultFilterShader());
    const flags = desc.get_flags();
    if (advised) {
      desc.set_solverType(px.PxSolverTypeEnum?.eTGS ?? px.eTGS);
      flags.raise(px.PxSceneFlagEnum?.eENABLE_CCD ?? px.eENABLE_CCD);
    } else {
      desc.set_solverType(px.PxSolverTypeEnum?.ePGS ?? px.ePGS);
    }
    desc.set_bounceThresholdVelocity(1e-6);
    this.world = this.physics.createScene(desc);
    this.material = this.physics.createMaterial(scene.mu, scene.mu, scene.e);
    this.flags = new px.PxShapeFlags(px.PxShapeFlagEnum.eSIMULATION_SHAPE);
    this.filter = new px.PxFilterData(1, 1, 0, 0);
    for (const p of scene.planes) this.addPlane(p);
    this.bodies = scene.bodies.map((b) => this.addBody(b));
    for (const j of scene.joints) this.addJoint(j);
  }

  vec(v) {
    return new this.px.PxVec3(...v);
  }

  pose(at, q) {
    return new this.px.PxTransform(this.vec(at), new this.px.PxQuat(q[1], q[2], q[3], q[0]));
  }

  attach(actor, geometry) {
    const shape = this.physics.createShape(geometry, this.material, true, this.flags);
    shape.setSimulationFilterData(this.filter);
    actor.attachShape(shape);
  }

  addPlane(plane) {
    const n = plane.normal;
    const actor = this.physics.createRigidStatic(
      this.pose(n.map((x) => x * plane.offset), between([1, 0, 0], n)));
    this.attach(actor, new this.px.PxPlaneGeometry());
    this.world.addActor(actor);
  }

  addBody(b) {
    const { px } = this, actor = this.physics.createRigidDynamic(
      this.pose(b.position, b.quaternion));
    if (b.shape === 'sphere') this.attach(actor, new px.PxSphereGeometry(b.radius));
    if (b.shape === 'box') this.attach(actor, new px.PxBoxGeometry(...b.half));
    actor.setMass(b.mass);
    actor.setMassSpaceInertiaTensor(this.vec(b.inertia));
    actor.setLinearVelocity(this.vec(b.velocity), true);
    actor.setMaxAngularVelocity(1e4);
    actor.setAngularVelocity(this.vec(b.angular), true);
    actor.setSleepThreshold(0);
    if (this.advised) {
      actor.setSolverIterationCounts(32, 4);
      actor.setAngularDamping(0);
      actor.setLinearDamping(0);
      actor.setRigidBodyFlag(GYROSCOPIC_FORCES, true);
      if (b.shape === 'sphere') actor.setRigidBodyFlag(px.PxRigidBodyFlagEnum.eENABLE_CCD, true);
    }
    this.world.addActor(actor);
    return actor;
  }

  // The x axis of a joint's frame is the axis of a hinge.
  addJoint(j) {
    const { px } = this, one = this.scene.bodies[j.a];
    const other = j.b >= 0 ? this.scene.bodies[j.b] : null;
    const axis = j.axis ?? [1, 0, 0], frame = between([1, 0, 0], axis);
    const local = (body) => this.pose(pointIn(body, j.at),
      body === null ? frame : product(inverse(body.quaternion), frame));
    const a = this.bodies[j.a], b = j.b >= 0 ? this.bodies[j.b] : null;
    const nothing = px.NULL ?? null;
    const make = j.kind === 'ball' ? 'SphericalJointCreate' : 'RevoluteJointCreate';
    this.top[make](this.physics, a, local(one), b ?? nothing, local(other));
  }

  step() {
    for (let k = 0; k < this.substeps; k++) {
      this.world.simulate(this.scene.h / this.substeps);
      this.world.fetchResults(true);
    }
  }

  tell() {
    return {};
  }

  states(to) {
    this.bodies.forEach((actor, k) => {
      const pose = actor.getGlobalPose(), p = pose.get_p(), q = pose.get_q();
      const at = [p.get_x(), p.get_y(), p.get_z(), q.get_w(), q.get_x(), q.get_y(), q.get_z()];
      const v = actor.getLinearVelocity(), rate = [v.get_x(), v.get_y(), v.get_z()];
      const w = actor.getAngularVelocity();
      to.set([...at, ...rate, w.get_x(), w.get_y(), w.get_z()], 13 * k);
    });
  }
}

main({
  package: 'physx-js-webidl',
  title: 'PhysX (physx-js-webidl)',
  refuses: (scene) => (scene.joints.some((j) => j.kind === 'distance')
    ? 'distances are not made here' : undefined),
  make: async (module, scene, advised) => {
    // Built for the web alone: it looks for node and refuses.
    globalThis.process = undefined;
    globalThis.window = globalThis;
    const wasmBinary = fs.readFileSync(fileOf('physx-js-webidl', 'physx-js-webidl.wasm'));
    return new World(await module.default({ wasmBinary }), scene, advised);
  },
});
