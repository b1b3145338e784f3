#!/usr/bin/env node
// SPDX-License-Identifier: BSD-3-Clause
// Scenes by Jolt.
//
// default: 10 velocity and 2 position steps, one collision step; advised: 4 collision steps in the
// step, 20 velocity and 10 position steps, spheres as linear casts.  Boxes have the convex radius
// 0 in both, since a rounded box is another box; gyroscopic forces are on and damping is off in
// the advised settings.  Jolt does not hand out its impulses.
import { between, main } from './scene_peer.mjs';

const MOVING = 1, STILL = 0;

class World {
  constructor(jolt, scene, advised) {
    Object.assign(this, { jolt, scene, advised, substeps: advised ? 4 : 1 });
    this.owner = this.makeInterface();
    this.system = this.owner.GetPhysicsSystem();
    this.bodyInterface = this.system.GetBodyInterface();
    this.system.SetGravity(this.vec(scene.gravity));
    const physics = this.system.GetPhysicsSettings();
    physics.mAllowSleeping = false;
    if (advised) {
      physics.mNumVelocitySteps = 20;
      physics.mNumPositionSteps = 10;
    }
    this.system.SetPhysicsSettings(physics);
    for (const p of scene.planes) this.addPlane(p);
    this.bodies = scene.bodies.map((b) => this.addBody(b));
    for (const j of scene.joints) this.addJoint(j);
    this.system.OptimizeBroadPhase();
  }

  makeInterface() {
    const { jolt } = this, count = this.scene.bodies.length + this.scene.planes.length;
    const settings = new jolt.JoltSettings();
    settings.mMaxBodies = Math.max(1024, count + 16);
    settings.mMaxBodyPairs = Math.max(65536, 16 * count);
    settings.mMaxContactConstraints = Math.max(10240, 12 * count);
    const pairs = new jolt.ObjectLayerPairFilterTable(3);
    pairs.EnableCollision(STILL, MOVING);
    pairs.EnableCollision(MOVING, MOVING);
    const layers = new jolt.BroadPhaseLayerInterfaceTable(3, 2);
    layers.MapObjectToBroadPhaseLayer(STILL, new jolt.BroadPhaseLayer(0));
    layers.MapObjectToBroadPhaseLayer(MOVING, new jolt.BroadPhaseLayer(1));
    layers.MapObjectToBroadPhaseLayer(2, new jolt.BroadPhaseLayer(1));
    settings.mObjectLayerPairFilter = pairs;
    settings.mBroadPhaseLayerInterface = layers;
    settings.mObjectVsBroadPhaseLayerFilter =
      new jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 2, pairs, 3);
    const made = new jolt.JoltInterface(settings);
    jolt.destroy(settings);
    return made;
  }

  vec(v) {
    return new this.jolt.Vec3(...v);
  }

  place(v) {
    return new this.jolt.RVec3(...v);
  }

  turn(q) {
    return new this.jolt.Quat(q[1], q[2], q[3], q[0]);
  }

  create(settings) {
    settings.mFriction = this.scene.mu;
    settings.mRestitution = this.scene.e;
    const body = this.bodyInterface.CreateBody(settings);
    this.jolt.destroy(settings);
    return body;
  }

  addPlane(plane) {
    const { jolt } = this, q = between([0, 1, 0], plane.normal);
    const shape = new jolt.BoxShape(new jolt.Vec3(100, 1, 100), 0);
    const body = this.create(new jolt.BodyCreationSettings(shape,
      this.place(plane.normal.map((n) => n * (plane.offset - 1))), this.turn(q),
      jolt.EMotionType_Static, STILL));
    this.bodyInterface.AddBody(body.GetID(), jolt.EActivation_DontActivate);
  }

  addBody(b) {
    const { jolt } = this;
    const shape = b.shape === 'box' ? new jolt.BoxShape(this.vec(b.half), 0)
      : new jolt.SphereShape(b.shape === 'sphere' ? b.radius : 0.01);
    const s = new jolt.BodyCreationSettings(shape, this.place(b.position), this.turn(b.quaternion),
      jolt.EMotionType_Dynamic, b.shape === 'bare' ? 2 : MOVING);
    s.mOverrideMassProperties = jolt.EOverrideMassProperties_MassAndInertiaProvided;
    s.mMassPropertiesOverride.mMass = b.mass;
    s.mMassPropertiesOverride.mInertia = jolt.Mat44.prototype.sScaleVec3(this.vec(b.inertia));
    s.mLinearVelocity = this.vec(b.velocity);
    s.mAngularVelocity = this.vec(b.angular);
    s.mAllowSleeping = false;
    s.mMaxAngularVelocity = 1e4;
    s.mMaxLinearVelocity = 1e4;
    if (this.advised) {
      s.mLinearDamping = s.mAngularDamping = 0;
      s.mApplyGyroscopicForce = true;
      if (b.shape === 'sphere') s.mMotionQuality = jolt.EMotionQuality_LinearCast;
    }
    const body = this.create(s);
    this.bodyInterface.AddBody(body.GetID(), jolt.EActivation_Activate);
    return body;
  }

  addJoint(j) {
    const { jolt } = this, at = this.place(j.at);
    const second = j.b >= 0 ? this.bodies[j.b] : jolt.Body.prototype.sFixedToWorld;
    let s;
    if (j.kind === 'ball') {
      s = new jolt.PointConstraintSettings();
      s.mPoint1 = s.mPoint2 = at;
    } else if (j.kind === 'hinge') {
      const n = j.axis, side = Math.abs(n[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
      const y = [n[1] * side[2] - n[2] * side[1], n[2] * side[0] - n[0] * side[2],
        n[0] * side[1] - n[1] * side[0]], size = Math.hypot(...y);
      s = new jolt.HingeConstraintSettings();
      s.mPoint1 = s.mPoint2 = at;
      s.mHingeAxis1 = s.mHingeAxis2 = this.vec(n);
      s.mNormalAxis1 = s.mNormalAxis2 = this.vec(y.map((x) => x / size));
    } else {
      s = new jolt.DistanceConstraintSettings();
      s.mPoint1 = at;
      s.mPoint2 = this.place(j.at_b);
    }
    this.system.AddConstraint(s.Create(this.bodies[j.a], second ?? this.fixed()));
  }

  // Where the library has no body for the world.
  fixed() {
    const { jolt } = this;
    this.anchor ??= this.create(new jolt.BodyCreationSettings(new jolt.SphereShape(0.01),
      this.place([0, 0, 0]), this.turn([1, 0, 0, 0]), jolt.EMotionType_Static, 2));
    return this.anchor;
  }

  step() {
    this.owner.Step(this.scene.h, this.substeps);
  }

  tell() {
    return {};
  }

  states(to) {
    this.bodies.forEach((body, k) => {
      const p = body.GetCenterOfMassPosition(), q = body.GetRotation();
      const at = [p.GetX(), p.GetY(), p.GetZ(), q.GetW(), q.GetX(), q.GetY(), q.GetZ()];
      const v = body.GetLinearVelocity(), rate = [v.GetX(), v.GetY(), v.GetZ()];
      const w = body.GetAngularVelocity();
      to.set([...at, ...rate, w.GetX(), w.GetY(), w.GetZ()], 13 * k);
    });
  }
}

main({
  package: 'jolt-physics',
  title: 'Jolt',
  make: async (module, scene, advised) => new World(await module.default(), scene, advised),
});
