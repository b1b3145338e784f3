/* SPDX-License-Identifier: BSD-3-Clause */
/* Small models of robots that the corpus of fuzzers begins with: name and text. */
#ifndef PERP_TESTS_FUZZ_FUZZ_MODELS_H
#define PERP_TESTS_FUZZ_FUZZ_MODELS_H

static const char *const fuzz_models[][2] = {
    {"arm",
     "<robot name='arm'><link name='world'/><link name='rod'><inertial><origin xyz='0 0 -0.5' rpy='0 0 "
     "0.1'/><mass value='2'/><inertia ixx='0.2' ixy='0' ixz='0' iyy='0.2' iyz='0' izz='0.01'/></inertial>"
     "<collision><geometry><cylinder radius='0.1' length='1'/></geometry></collision></link><link "
     "name='hand'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
     "</inertial><collision><geometry><mesh filename='package://a/b.stl' scale='1 2 3'/></geometry>"
     "</collision></link><joint name='swing' type='revolute'><parent link='world'/><child link='rod'/>"
     "<origin xyz='0 0 1' rpy='0 0 0'/><axis xyz='0 1 0'/><limit lower='-3' upper='0.9' effort='10' "
     "velocity='5'/><dynamics damping='0.1' friction='0.05'/></joint><joint name='out' type='prismatic'>"
     "<parent link='rod'/><child link='hand'/><limit lower='0' upper='1' effort='1' velocity='1'/><mimic "
     "joint='swing' multiplier='2' offset='0.1'/></joint></robot>"},
    {"chain",
     "<mujoco model='chain'><compiler angle='radian' eulerseq='XYz' autolimits='true'/><option "
     "timestep='0.004'><flag contact='enable'/></option><default><geom density='500' friction='.7 .01' "
     "condim='3'/><joint damping='.1'/><default class='c'><geom type='capsule' size='.05' fromto='0 0 0 "
     "0 0 -1'/></default></default><worldbody><geom type='plane' size='1 1 1' name='f'/><body name='a' "
     "pos='0 0 1' childclass='c'><joint name='swing' range='-1 1' ref='0.1' springref='0.2' "
     "stiffness='2'/><joint name='k' axis='1 0 0' armature='.1' frictionloss='.2'/><geom name='ga'/><body "
     "name='b' pos='0 0 -1' euler='.1 .2 .3'><joint type='ball'/><geom type='ellipsoid' size='.1 .2 .3'/>"
     "<site name='s'/><inertial pos='0 0 0' mass='1' fullinertia='1 1 1 .1 .1 .1'/></body></body><replicate "
     "count='3' offset='1 0 0' sep='_'><body name='r'><freejoint/><geom name='gr' size='.1' "
     "contype='2'/></body></replicate></worldbody><contact><exclude body1='a' body2='b'/><pair geom1='ga' "
     "geom2='f' friction='.3'/></contact><equality><connect body1='b' anchor='0 0 0'/><joint "
     "joint1='swing' joint2='k' polycoef='0 2'/></equality><tendon><fixed name='t'><joint joint='swing' "
     "coef='.5'/></fixed></tendon><actuator><motor joint='swing' gear='3' ctrlrange='-1 1'/><position "
     "joint='k' kp='10' forcerange='-2 2'/><motor tendon='t'/></actuator><sensor><jointpos joint='k'/>"
     "</sensor><keyframe><key qpos='0.1 0.2 1 0 0 0 0 0 0 1 0 0 0 1 0 0 1 0 0 0 2 0 0 1 0 0 0' ctrl='1 0 "
     "0'/></keyframe></mujoco>"},
    {"include", "<mujoco><include file='a.xml'/><worldbody/></mujoco>"},
    {"type", "<!DOCTYPE a [<!ENTITY b 'c'>]><robot>&b;</robot>"},
};

#endif
