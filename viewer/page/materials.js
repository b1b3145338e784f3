/* SPDX-License-Identifier: BSD-3-Clause */
/* What bodies are drawn with.  Of many bodies the corners of triangles are what a picture costs, and without
 * a graphics card each instance costs as much as a mesh: then a ball is a disc that faces the eye, with four
 * corners, a box the three of its faces that the eye can see, with twelve, and all of them are one mesh whose
 * matrices stand in a texture. */
"use strict";
(function (view) {
    view.pictureHeight = {value: 1}; /* in pixels, for programs */

    const ACROSS = 256; /* matrices in a row of the texture */

    /* Adds to a program of three.js: declarations, and text behind some of its parts. */
    function adapt(made, vertex, fragment, uniforms) {
        const put = (text, parts) => {
            for (const [part, what] of parts)
                text = part === "" ? what + "\n" + text : text.replace(part, part + "\n" + what);
            return text;
        };
        made.onBeforeCompile = (shader) => {
            Object.assign(shader.uniforms, uniforms);
            shader.vertexShader = put(shader.vertexShader, vertex);
            shader.fragmentShader = put(shader.fragmentShader, fragment);
        };
        return made;
    }

    /* Round bodies have quarters of two shades, so that one sees them turn.  A define, not another text:
     * programs are shared by materials that differ in nothing else. */
    function solid(round) {
        const made = new THREE.MeshLambertMaterial({color: 0xffffff});
        if (round)
            made.defines = {QUARTERS: ""};
        return adapt(made, [["", "attribute vec3 tint; varying vec3 vTint; varying vec3 vLocal;"],
                            ["#include <begin_vertex>", "vTint = tint; vLocal = position;"]],
                     [["", "varying vec3 vTint; varying vec3 vLocal;"],
                      ["#include <color_fragment>", "diffuseColor.rgb *= vTint;\n#ifdef QUARTERS\n" +
                       "diffuseColor.rgb *= vLocal.x * vLocal.y > 0.0 ? 1.0 : 0.72;\n#endif"]]);
    }

    /* The matrix of a corner's body, under the name that it has with instances. */
    const PLACE_PARTS = `
        #define USE_INSTANCING
        mat4 instanceMatrix;
        uniform highp sampler2D places; uniform float rows;
        attribute float which;
        vec4 column(float k) {
            float row = floor(which / ${ACROSS}.0), at = 4.0 * (which - ${ACROSS}.0 * row) + k;
            return texture2D(places, vec2((at + 0.5) / (4.0 * ${ACROSS}.0), (row + 0.5) / rows));
        }`;
    const PLACE = "instanceMatrix = mat4(column(0.0), column(1.0), column(2.0), column(3.0));";

    /* Of each kind: what its programs declare, `transformed` in the frame of the body and `seen`, its normal,
     * for the corners, and for the pixels `normal`, `shade` and `high`, how far above the corners the surface is. */
    const kinds = {};

    /* The disc lies in the middle of the chords that the eye's rays have in common with the ball, so that it
     * hides, and is hidden by, what the ball would.  What casts the shadow is the disc that faces the light. */
    kinds.ball = {
        parts: "varying vec3 vDisc, vSeen; varying vec2 vLocalDisc, vLocalSeen;",
        corner: `
            mat4 whole = modelViewMatrix * instanceMatrix;
            vec3 middle = whole[3].xyz, seen = vec3(0.0, 0.0, 1.0);
            float radius = length(whole[0].xyz), away = length(middle), wide = 1.0;
            if (projectionMatrix[3][3] == 0.0) {
                seen = -middle / away;
                wide = away / sqrt(max(away * away - radius * radius, 1e-2 * away * away));
            }
            vec3 side = normalize(vec3(seen.z, 0.0, -seen.x));
            vDisc = side * position.x + cross(seen, side) * position.y;
            vSeen = seen;
            vec3 onto = (vDisc * mat3(whole)) / radius;
            seen = (seen * mat3(whole)) / radius;
            vLocalDisc = onto.xy;
            vLocalSeen = seen.xy;
            transformed = wide * onto;`,
        pixel: `
            float rim = dot(vDisc, vDisc);
            if (rim > 1.0) discard;
            float high = sqrt(1.0 - rim);
            vec3 normal = normalize(vDisc + high * vSeen);
            vec2 local = vLocalDisc + high * vLocalSeen;
            float shade = local.x * local.y > 0.0 ? 1.0 : 0.72;`,
        cast: "if (dot(vDisc, vDisc) > 1.0) discard;"
    };

    /* A face that looks away is turned about an axis that lies in it, to the other side.  Shadows are cast by
     * the faces that look away from the light, as those of other bodies. */
    kinds.box = {
        parts: "varying vec3 vSeen;",
        corner: `
            mat4 whole = modelViewMatrix * instanceMatrix;
            vec3 seen = normal, outward = (whole * vec4(normal, 0.0)).xyz;
            float faces = projectionMatrix[3][3] == 0.0 ? -dot(outward, whole[3].xyz) : outward.z;
            #ifdef AWAY
            faces = -faces;
            #endif
            vec3 flip = faces < 0.0 ? vec3(1.0) - 2.0 * (normal + normal.zxy) : vec3(1.0);
            vSeen = normalize(faces < 0.0 ? -outward : outward);
            transformed *= flip;`,
        pixel: "float high = 0.0, shade = 1.0; vec3 normal = vSeen;",
        cast: ""
    };

    const LIGHT_PARTS = "varying vec3 vTint; varying vec4 vShadow, vShadowStep;\n";
    const vertexOf = (kind) => `
        #include <common>
        #include <shadowmap_pars_vertex>
        attribute vec3 tint;
        ${PLACE_PARTS}
        ${LIGHT_PARTS} ${kind.parts}
        void main() {
            ${PLACE}
            vec3 transformed = position;
            ${kind.corner}
            vTint = tint;
            #if defined(USE_SHADOWMAP) && NUM_DIR_LIGHT_SHADOWS > 0
            mat4 toShadow = directionalShadowMatrix[0] * modelMatrix * instanceMatrix;
            vShadow = toShadow * vec4(transformed, 1.0);
            vShadowStep = toShadow * vec4(seen, 0.0);
            #endif
            gl_Position = projectionMatrix * whole * vec4(transformed, 1.0);
        }`;

    /* The light of MeshLambertMaterial on a surface, and how much of the lamp is on it */
    const LIGHT = `
        #include <common>
        #include <lights_pars_begin>
        uniform float whiteness;
        vec3 lightOn(vec3 normal, float lit) {
            vec3 light = lit * directionalLights[0].color + ambientLightColor + mix(hemisphereLights[0].groundColor,
                hemisphereLights[0].skyColor, 0.5 + 0.5 * dot(normal, hemisphereLights[0].direction));
            return whiteness * light;
        }
        float lamp(vec3 normal) { return max(dot(normal, directionalLights[0].direction), 0.0); }`;
    const END = `#include <${"colorspace_fragment" in THREE.ShaderChunk ? "colorspace_fragment" : "encodings_fragment"}>`;

    /* Shadows are looked up by three.js. */
    const pixelOf = (kind) => `
        ${LIGHT}
        #include <packing>
        #include <shadowmap_pars_fragment>
        vec4 shadowPlace;
        ${THREE.ShaderChunk.shadowmask_pars_fragment.replace("vDirectionalShadowCoord[ i ]", "shadowPlace")}
        ${LIGHT_PARTS} ${kind.parts}
        void main() {
            ${kind.pixel}
            float lit = lamp(normal);
            shadowPlace = vShadow + high * vShadowStep;
            if (lit > 0.0) lit *= getShadowMask();
            gl_FragColor = vec4(shade * vTint * lightOn(normal, lit), 1.0);
            ${END}
        }`;

    /* Older releases of three.js have the factor pi of lights in their programs, and not in the lights. */
    const WHITE = THREE.ShaderChunk.lights_pars_begin.includes("irradiance *= PI") ? 1 : 1 / Math.PI;

    function litMaterial(vertex, pixel, uniforms) {
        const all = Object.assign(THREE.UniformsUtils.clone(THREE.UniformsLib.lights), uniforms, {whiteness: {value: WHITE}});
        return new THREE.ShaderMaterial({lights: true, uniforms: all, vertexShader: vertex, fragmentShader: pixel});
    }

    function crowdMaterial(kind, uniforms) {
        const made = litMaterial(vertexOf(kind), pixelOf(kind), uniforms);
        if (kind === kinds.ball)
            made.shadowSide = THREE.DoubleSide;
        return made;
    }

    function crowdDepth(kind, uniforms) {
        const made = new THREE.MeshDepthMaterial({depthPacking: THREE.RGBADepthPacking});
        made.defines = {[kind === kinds.ball ? "BALL" : "AWAY"]: ""};
        return adapt(made, [["", PLACE_PARTS + kind.parts], ["void main() {", PLACE], ["#include <begin_vertex>", kind.corner]],
                     [["", kind.parts], ["void main() {", kind.cast]], uniforms);
    }

    /* Corners and indices of one of the crowd. */
    function square() {
        return {place: [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0], normal: [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1], index: [0, 1, 2, 0, 2, 3]};
    }

    function threeFaces() {
        const made = {place: [], normal: [], index: [0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7, 8, 9, 10, 8, 10, 11]};
        for (let k = 0; k < 3; k++)
            for (const [a, b] of [[-1, -1], [1, -1], [1, 1], [-1, 1]])
                for (let i = 0; i < 3; i++) {
                    made.place.push(i === k ? 1 : i === (k + 1) % 3 ? a : b);
                    made.normal.push(i === k ? 1 : 0);
                }
        return made;
    }

    /* A list n times, one behind the other, which doubles as it goes. */
    function repeated(list, n) {
        const all = new Float32Array(n * list.length);
        all.set(list);
        for (let k = list.length; k < all.length; k *= 2)
            all.copyWithin(k, 0, k);
        return all;
    }

    /* The same n times, with its number at each corner. */
    function copies(one, n) {
        const geometry = new THREE.BufferGeometry(), corners = one.place.length / 3;
        const index = new Uint32Array(n * one.index.length), which = new Float32Array(n * corners);
        for (let k = 0, at = 0; k < n; k++) {
            for (const corner of one.index)
                index[at++] = k * corners + corner;
            which.fill(k, k * corners, (k + 1) * corners);
        }
        const put = (name, list, size) => geometry.setAttribute(name, new THREE.BufferAttribute(list, size));
        put("position", repeated(one.place, n), 3);
        put("normal", repeated(one.normal, n), 3);
        put("which", which, 1);
        put("tint", new Float32Array(3 * n * corners), 3);
        geometry.setIndex(new THREE.BufferAttribute(index, 1));
        return geometry;
    }

    /* The matrices of n bodies, in a list and in a texture of it. */
    function placesOf(n) {
        const height = Math.ceil(n / ACROSS), data = new Float32Array(16 * ACROSS * height);
        const texture = new THREE.DataTexture(data, 4 * ACROSS, height, THREE.RGBAFormat, THREE.FloatType);
        return {data: data, texture: texture,
                uniforms: {places: {value: texture}, rows: {value: height}, pictureHeight: view.pictureHeight}};
    }

    /* A mesh of n balls or boxes with the matrices and the methods of an instanced one. */
    function crowd(name, n, places) {
        const one = name === "ball" ? square() : threeFaces();
        const mesh = new THREE.Mesh(copies(one, n), crowdMaterial(kinds[name], places.uniforms));
        mesh.customDepthMaterial = crowdDepth(kinds[name], places.uniforms);
        mesh.instanceMatrix = {array: places.data};
        mesh.setMatrixAt = THREE.InstancedMesh.prototype.setMatrixAt;
        mesh.getMatrixAt = THREE.InstancedMesh.prototype.getMatrixAt;
        mesh.corners = one.place.length / 3;
        return mesh;
    }

    function instances(how, n, places) {
        const geometry = view.shapes.geometry(how.key, how.make).clone();
        geometry.setAttribute("tint", new THREE.InstancedBufferAttribute(new Float32Array(3 * n), 3));
        const mesh = new THREE.InstancedMesh(geometry, solid(how.round), n);
        if (places)
            mesh.instanceMatrix = new THREE.InstancedBufferAttribute(places.data.subarray(0, 16 * n), 16);
        mesh.corners = 1;
        return mesh;
    }

    /* Whether programs for corners may read textures of numbers. */
    view.canCrowd = function (gl) {
        const second = typeof WebGL2RenderingContext !== "undefined" && gl instanceof WebGL2RenderingContext;
        return gl.getParameter(gl.MAX_VERTEX_TEXTURE_IMAGE_UNITS) > 0 && (second || gl.getExtension("OES_texture_float") !== null);
    };

    /* The mesh of n shapes of a kind.  Its attribute "tint" has a colour for each, `corners` times.  `moved` is to be
     * called after matrices were set, and `coarse`, where there is one, is a mesh of the same that costs less. */
    view.meshOf = function (how, n, crowds) {
        const places = crowds ? placesOf(n) : null;
        const mesh = crowds && ["ball", "box"].includes(how.key) ? crowd(how.key, n, places) : instances(how, n, places);
        mesh.coarse = crowds ? view.coarseOf(how, n, places.uniforms) : null;
        mesh.moved = () => {
            mesh.instanceMatrix.needsUpdate = true;
            if (places)
                places.texture.needsUpdate = true;
        };
        return mesh;
    };

    view.crowds = {PLACE_PARTS: PLACE_PARTS, LIGHT: LIGHT, END: END, litMaterial: litMaterial, copies: copies};
})(window.perpView);
