/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of robots that hold, together, every element that is read: of tests that change one
 * attribute, or let one allocation fail, at a time. */
#ifndef PERP_TESTS_ROBOT_ZOO_H
#define PERP_TESTS_ROBOT_ZOO_H

/* Files that the models name, in a folder of the search path. */
static const struct {
    const char *name, *text;
} zoo_files[] = {
    {"cube.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"},
    {"crate.dae",
     "<COLLADA><asset><unit meter='0.5'/><up_axis>Y_UP</up_axis></asset><library_geometries>"
     "<geometry id='g'><mesh><source id='p'><float_array id='a' count='12'>0 0 0 1 0 0 0 1 0 0 0 "
     "1</float_array><technique_common><accessor source='#a' count='4' stride='3'/>"
     "</technique_common></source><vertices id='v'><input semantic='NORMAL' source='#p'/><input "
     "semantic='POSITION' source='#p'/></vertices></mesh></geometry></library_geometries>"
     "<library_nodes><node id='n'><instance_geometry url='#g'/></node></library_nodes>"
     "<library_visual_scenes><visual_scene id='s'><node><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
     "</matrix><translate>1 0 0</translate><rotate>0 0 1 90</rotate><scale>2 2 2</scale>"
     "<instance_node url='#n'/></node></visual_scene></library_visual_scenes><scene>"
     "<instance_visual_scene url='#s'/></scene></COLLADA>"},
    {"arm.xml",
     "<mujoco model='arm'><compiler angle='radian'/><asset><mesh file='cube.obj'/></asset><default>"
     "<geom density='500'/><default class='light'><geom density='20'/></default></default>"
     "<worldbody><body name='a' childclass='light'><joint name='j' axis='0 1 0'/><geom name='g' "
     "type='mesh' mesh='cube'/><site name='s'/><body name='b' pos='1 0 0'><joint name='k'/><geom "
     "class='main' size='0.1' pos='0.3 0 0'/></body></body></worldbody><contact><exclude "
     "body1='a' body2='b'/></contact><equality><joint joint1='j' joint2='k'/></equality><tendon>"
     "<fixed name='t'><joint joint='j' coef='1'/></fixed></tendon><actuator><position name='p' "
     "joint='j' kp='3'/><motor tendon='t'/></actuator><sensor><jointpos joint='k'/></sensor>"
     "<keyframe><key name='up' qpos='.1 .2' ctrl='.5 0'/></keyframe></mujoco>"},
    {"more.xml", "<mujocoinclude><body name='more' pos='9 0 0'><joint/><geom size='.1' pos='1 0 "
                 "0'/></body></mujocoinclude>"},
};

static const char *const zoo[] = {
    /* Paths, muscles and activations. */
    "<mujoco><option gravity='0 0 -1' actuatorgroupdisable='7'><flag frictionloss='enable' "
    "equality='enable' actuation='enable' clampctrl='enable' spring='enable' damper='enable' "
    "passive='enable' constraint='enable' gravity='enable' filterparent='enable' "
    "contact='enable' limit='enable' override='disable'/></option><worldbody><site name='o' "
    "pos='-1 0 0'/><site name='o2' pos='0 0 2' euler='0 90 0'/><body name='a' pos='.25 0 0'>"
    "<joint name='x' type='slide' axis='1 0 0' range='-.25 .75'/><inertial pos='0 0 0' mass='4' "
    "diaginertia='1 1 1'/><site name='s'/><geom name='ball' size='.1' contype='0' "
    "conaffinity='0'/><site name='side' pos='0 0 .2'/></body><body name='b' pos='0 1 0'><joint "
    "name='h' axis='0 1 0' range='-60 60'/><geom type='capsule' size='.05' fromto='0 0 0 0 0 -1'/>"
    "<site name='pin' pos='0 0 -.5'/><geom name='rod' type='cylinder' size='.1 .2' contype='0' "
    "conaffinity='0'/><site name='w' pos='0 0 -1'/></body></worldbody><tendon><spatial name='t'>"
    "<site site='o'/><site site='s'/></spatial><spatial name='round' stiffness='2' damping='.1' "
    "frictionloss='.1' range='0 9' limited='true'><site site='o'/><geom geom='ball' "
    "sidesite='side'/><site site='pin'/><pulley divisor='2'/><site site='o'/><geom geom='rod' "
    "sidesite='o2'/><site site='w'/></spatial><fixed name='f' range='-1 1' "
    "actuatorfrcrange='-5 5' actuatorfrclimited='true'><joint joint='x' coef='1'/><joint joint='h' "
    "coef='.5'/></fixed><fixed name='w' springlength='.1 .3' stiffness='2'><joint joint='h' "
    "coef='2'/></fixed></tendon><actuator><muscle name='m' tendon='t' ctrlrange='0 1' "
    "timeconst='.01 .04' tausmooth='.2' range='.75 1.05' force='-1' scale='200' lmin='.5' "
    "lmax='1.6' vmax='1.5' fpmax='1.3' fvmax='1.2' lengthrange='0 0'/><general name='gm' "
    "joint='h' gear='2' dyntype='muscle' gaintype='muscle' biastype='muscle' dynprm='.01 .04 .1' "
    "gainprm='.75 1.05 50 200 .5 1.6 1.5 1.3 1.2' biasprm='.75 1.05 50 200 .5 1.6 1.5 1.3 1.2' "
    "lengthrange='-1 1'/><muscle joint='h'/><position joint='h' kp='10' timeconst='.1' "
    "dampratio='1' inheritrange='1'/><position tendon='f' kp='3' dampratio='.5' ctrlrange='-1 1'/>"
    "<motor tendon='f' ctrllimited='true' ctrlrange='-1 1'/><cylinder joint='x' timeconst='.5' "
    "area='.1' diameter='.2' bias='0 -1 -.1'/><intvelocity joint='h' kp='2' kv='.1' "
    "actrange='-1 1'/><general joint='x' dyntype='integrator' gainprm='2' actlimited='true' "
    "actrange='-2 2'/><general joint='x' dyntype='filter' dynprm='.2' gainprm='2'/><general "
    "joint='h' dyntype='filterexact' dynprm='.1' gainprm='3' "
    "forcerange='-2 2'/><damper joint='x' kv='1' ctrlrange='0 1'/><motor cranksite='pin' "
    "slidersite='o2' cranklength='5' gear='2'/><position site='pin' refsite='o' "
    "gear='1 0 0 0 0 0' kp='1'/><motor site='pin' gear='0 0 1 0 1 0' forcelimited='true' "
    "forcerange='-1 1'/><adhesion body='b' gain='1' ctrlrange='0 1'/><motor joint='x' group='3' "
    "delay='.1'/><motor tendon='f' damping='.1'/><position tendon='round' "
    "kp='1' forcerange='-1 1'/></actuator><keyframe><key qpos='0 .1' qvel='.1 0' act='0 0 0 0 0 0 "
    "0 .5 .2' ctrl='1 .5 .2 .3 1 .1 1 .5 .4 0 1 2 1 1 .1 0 0 0 1'/></keyframe></mujoco>",
    /* Shapes of meshes, fluids, mocap bodies, sensors. */
    "<mujoco><compiler inertiafromgeom='auto' boundmass='.01' boundinertia='1e-5' "
    "balanceinertia='true' inertiagrouprange='0 3' settotalmass='9' fitaabb='false' "
    "strippath='true'/><option density='1.2' viscosity='1e-5' wind='1 0 0'/><asset><mesh "
    "name='ball' builtin='sphere' params='1'/><mesh name='half' builtin='hemisphere' params='1'/>"
    "<mesh name='hat' builtin='cone' params='5 .2'/><mesh name='egg' builtin='supersphere' "
    "params='6 1 1'/><mesh name='ring' builtin='supertorus' params='5 .5 1 1'/><mesh name='cube' "
    "file='in/cube.obj' scale='.1 .1 .1' refpos='.1 0 0' refquat='1 0 0 .1' inertia='convex'/>"
    "<hfield name='hills' nrow='3' ncol='3' size='2 2 .5 .1'/></asset><worldbody><geom name='low' "
    "type='hfield' hfield='hills' pos='0 0 -9'/><geom type='plane' size='1 1 1' pos='0 0 -20' "
    "zaxis='0 0 1'/><body name='hand' mocap='true' pos='0 0 5'><geom size='.1'/></body><body "
    "name='a' gravcomp='.5'><freejoint name='fa'/><geom type='mesh' mesh='ball' "
    "fluidshape='ellipsoid' fluidcoef='.5 .25 1.5 1 1'/></body><body name='b' pos='3 0 0'><joint "
    "type='ball' name='jb' damping='.1' stiffness='1' frictionloss='.1'/><geom type='mesh' "
    "mesh='cube' pos='1 0 0'/></body><body name='c' pos='6 0 0'><joint name='jc' "
    "actuatorfrcrange='-3 3' actuatorgravcomp='true' solreflimit='.02 .5' range='-3 3'/><geom "
    "type='cylinder' "
    "size='.1 .4' fluidshape='ellipsoid' pos='.5 0 0'/><geom type='box' mesh='ball' "
    "fitscale='.5' group='4'/><site name='tip' pos='1 0 0'/></body><body name='d' pos='0 5 0'>"
    "<joint type='slide' name='jd'/><geom type='capsule' size='.1 .3' fluidshape='ellipsoid' "
    "shellinertia='true'/><geom type='mesh' mesh='hat' mass='1'/><body name='w' pos='0 2 0' "
    "gravcomp='1'><joint name='je' axis='0 1 0'/><geom type='mesh' mesh='egg' mass='1' "
    "pos='1 0 0' surfacevel='0 0 0 0 0 0'/></body></body><body name='f' pos='0 9 0'><freejoint/>"
    "<geom type='mesh' mesh='ring' solref='.02 1' margin='.01'/></body><body "
    "name='h' pos='0 15 0'><freejoint/><geom type='mesh' mesh='half' condim='6'/></body>"
    "</worldbody><actuator><general joint='je' dyntype='filter' dynprm='.1' gainprm='5' "
    "biastype='affine' biasprm='0 -5 -.1' forcerange='-2 2'/><position joint='jc' kp='3' kv='.1' "
    "forcerange='-1 2'/><velocity joint='jd' kv='2' forcerange='-3 1'/><motor joint='jb' "
    "gear='1 2 3'/><motor jointinparent='je'/></actuator><keyframe><key ctrl='1 1 1 0 .5' "
    "mpos='0 0 6' mquat='1 0 0 0'/></keyframe></mujoco>",
    /* Equalities and what refers to replicas. */
    "<mujoco><compiler coordinate='local'/><worldbody><body name='a'><joint name='j' axis='0 1 0' "
    "limited='false' springdamper='.1 1'/><geom size='.1' pos='.5 0 0'/><site name='sa' "
    "pos='1 0 0'/><body name='b' pos='1 0 0'><joint name='k' axis='0 1 0'/><joint name='l' "
    "axis='0 0 1'/><geom size='.1' pos='.5 0 0'/><site name='sb'/><site name='sc' pos='1 0 0'/>"
    "</body></body><body name='c' pos='2 0 0'><joint name='q' axis='0 1 0'/><geom size='.1' "
    "pos='0 0 -.5'/><site name='sd'/></body><body name='d' pos='0 3 0'><freejoint/><geom "
    "size='.1'/></body><body name='w' pos='0 3 1'><freejoint/><geom size='.1'/></body><body "
    "name='u' pos='0 6 0'><joint name='p' type='slide'/><geom size='.1'/></body><body name='v' "
    "pos='0 8 0'><joint name='r' type='slide'/><geom size='.1'/></body><replicate count='2' "
    "offset='0 0 3' euler='0 0 5' sep='_'><body name='z' pos='5 0 0'><joint name='y' axis='0 1 0'/>"
    "<geom name='gz' size='.1' pos='.3 0 0'/></body></replicate></worldbody><contact><exclude "
    "name='none' body1='world' body2='a'/></contact><equality><connect site1='sc' site2='sd'/>"
    "<weld body1='d' body2='w' relpose='0 0 1 1 0 0 0' torquescale='1'/><joint joint1='p' "
    "joint2='r' polycoef='0 .5 .1 0 0'/><joint joint1='l' polycoef='.1 0 0 0 0'/><tendon "
    "tendon1='t1' tendon2='t2' "
    "polycoef='0 1 0 0 0'/></equality><tendon><fixed name='t1'><joint joint='q' coef='1'/></fixed>"
    "<fixed name='t2'><joint joint='j' coef='1'/><joint joint='k' coef='1'/></fixed></tendon>"
    "<actuator><motor name='mz' joint='y'/></actuator><sensor><jointpos joint='j'/><jointvel "
    "joint='k'/><jointactuatorfrc joint='q'/><framepos objtype='body' objname='a'/><framelinvel "
    "objtype='xbody' objname='b'/><gyro site='sa'/><jointpos joint='y'/></sensor></mujoco>",
    /* Of other files. */
    "<mujoco><asset><model name='arm' file='arm.xml'/><mesh name='cube' file='cube.obj'/>"
    "</asset><worldbody><frame pos='1 0 0'><attach model='arm' body='a' prefix='l-'/></frame>"
    "<body name='top' pos='0 0 1'><freejoint/><geom type='mesh' mesh='cube'/><attach model='arm' "
    "prefix='r-'/></body><include file='more.xml'/></worldbody></mujoco>",
    /* URDF with all joints and shapes. */
    "<robot name='rig'><link name='base'><collision><geometry><plane normal='0 0 1'/></geometry>"
    "</collision></link><link name='a'><contact><lateral_friction value='.5'/><restitution "
    "value='.1'/><rolling_friction value='.01'/><spinning_friction value='.01'/><stiffness/>"
    "</contact><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' "
    "iyz='0' izz='1'/></inertial><collision><geometry><sphere radius='.1'/></geometry>"
    "</collision><collision><geometry><capsule radius='.1' length='1'/></geometry></collision>"
    "</link><link name='b'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' "
    "iyz='0' izz='1'/></inertial><collision><geometry><mesh filename='cube.obj' "
    "scale='.1 .1 .1'/></geometry></collision></link><link name='c'><inertial><mass value='1'/>"
    "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial><collision><geometry>"
    "<mesh filename='crate.dae'/></geometry></collision></link><link name='d'><inertial><mass "
    "value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link><link "
    "name='w'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
    "izz='1'/></inertial></link><joint name='j1' type='continuous'><parent link='base'/><child "
    "link='a'/><axis xyz='0 1 0'/><limit effort='5' velocity='2'/></joint><joint name='j2' "
    "type='fixed'><parent link='a'/><child link='b'/><origin xyz='1 0 0' rpy='0 0 1'/></joint>"
    "<joint name='j3' type='planar'><parent link='base'/><child link='c'/><axis xyz='0 0 1'/>"
    "</joint><joint name='j4' type='floating'><parent link='base'/><child link='d'/></joint><joint "
    "name='j5' type='revolute'><parent link='b'/><child link='w'/><axis xyz='0 1 0'/><limit "
    "lower='-1' upper='1' effort='5' velocity='2'/><mimic joint='j1' multiplier='2' "
    "offset='.1'/></joint></robot>",
};

#endif
