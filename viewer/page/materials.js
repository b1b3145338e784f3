/* SPDX-License-Identifier: BSD-3-Clause */
/* What bodies are drawn with.  Of many bodies the corners of triangles are what a picture costs, and without
 * a graphics card each instance costs as much as a mesh: then a ball is a disc that faces the eye, with four
 * corners, a box the three of its faces that the eye can see, with twelve, and all of them are one mesh whose
 * matrices stand in a texture. */
"use strict";
(function (view) {
    const height = {value: 1}; /* of the picture, in pixels */

    const ACROSS = 256; /* matrices in a row of the texture */

    /* Adds to the programs of three.js: declarations, and text behind some of their parts. */
    function adapt(made, vertex, fragment, places) {
        const put = (text, parts) => {
            for (const [part, what] of parts)
                text = part === "" ? what + "\n" + text : text.replace(part, part + "\n" + what);
            return text;
        };
        made.onBeforeCompile = (shader) => {
            shader.uniforms.pictureHeight = height;
            if (places) {
                shader.uniforms.places = {value: places};
                shader.uniforms.rows = {value: places.image.height};
            }
            shader.vertexShader = put(shader.vertexShader, vertex);
            shader.fragmentShader = put(shader.fragmentShader, fragment).replace("#include <lights_fragment_begin>",
                THREE.ShaderChunk.lights_fragment_begin.replace("vDirectionalShadowCoord[ i ]", "SHADOW_PLACE(vDirectionalShadowCoord[ i ])"));
        };
        return made;
    }

    /* Round bodies have quarters of two shades, so that one sees them turn. */
    const SHADE = "diffuseColor.rgb *= vTint;\n#ifdef QUARTERS\n diffuseColor.rgb *= QUARTERS > 0.0 ? 1.0 : 0.72;\n#endif";
    const TINT_VERTEX = [["", "attribute vec3 tint; varying vec3 vTint; varying vec3 vLocal;"],
                         ["#include <begin_vertex>", "vTint = tint; vLocal = position;"]];
    const TINT_FRAGMENT = [["", "varying vec3 vTint; varying vec3 vLocal;\n#define SHADOW_PLACE(place) place"],
                           ["#include <color_fragment>", SHADE]];

    /* A define, not another text: programs are shared by materials that differ in nothing else. */
    function solid(round) {
        const made = new THREE.MeshLambertMaterial({color: 0xffffff});
        if (round)
            made.defines = {QUARTERS: "vLocal.x * vLocal.y"};
        return adapt(made, TINT_VERTEX, TINT_FRAGMENT);
    }

    /* The disc lies in the middle of the chords that the eye's rays have in common with the ball, so that it
     * hides, and is hidden by, what the ball would.  `transformed` comes out in the frame of the body. */
    const DISC = "mat4 whole = modelViewMatrix * instanceMatrix;\n" +
        "vec3 middle = whole[3].xyz;\n" +
        "float radius = length(whole[0].xyz), away = length(middle), wide = 1.0;\n" +
        "vToEye = vec3(0.0, 0.0, 1.0);\n" +
        "if (projectionMatrix[3][3] == 0.0) {\n" +
        "    vToEye = -middle / away;\n" +
        "    wide = away / sqrt(max(away * away - radius * radius, 1e-2 * away * away));\n" +
        "} else {\n" +
        "    away = 1.0;\n" +
        "}\n" +
        "vec3 side = normalize(vec3(vToEye.z, 0.0, -vToEye.x));\n" +
        "vPixels = max(0.5 * pictureHeight * projectionMatrix[1][1] * radius / away, 0.5);\n" +
        "vDisc = (side * position.x + cross(vToEye, side) * position.y) * (1.0 + 0.5 / vPixels);\n" +
        "transformed = ((radius * wide) * vDisc * mat3(whole)) / (radius * radius);";
    const PLACE = "float row = floor(which / 256.0), at = 4.0 * (which - 256.0 * row);\n" +
        "row = (row + 0.5) / rows;\n" +
        "instanceMatrix = mat4(texture2D(places, vec2((at + 0.5) / 1024.0, row)), texture2D(places, vec2((at + 1.5) / 1024.0, row)),\n" +
        "    texture2D(places, vec2((at + 2.5) / 1024.0, row)), texture2D(places, vec2((at + 3.5) / 1024.0, row)));\n";
    /* As three.js has it for instances. */
    const PLACE_PARTS = "#define USE_INSTANCING\nmat4 instanceMatrix; uniform highp sampler2D places; uniform float rows; attribute float which;\n";
    const DISC_PARTS = "varying vec3 vDisc; varying vec3 vToEye; varying float vPixels;\n";

    /* The surface above the disc: its normal, its shadow, its quarter, and how much of a pixel at the rim
     * it covers. */
    function disc(places) {
        const own = "varying vec3 vTint; varying vec4 vShadowStep; varying vec2 vLocalDisc; varying vec2 vLocalEye;\n";
        const vertex = "vTint = tint;\n" +
            "vLocalDisc = (vDisc * mat3(whole)).xy / radius;\n" +
            "vLocalEye = (vToEye * mat3(whole)).xy / radius;\n" +
            "vShadowStep = vec4(0.0);\n" +
            "#if defined(USE_SHADOWMAP) && NUM_DIR_LIGHT_SHADOWS > 0\n" +
            "vShadowStep = directionalShadowMatrix[0] * (modelMatrix * instanceMatrix * vec4((vToEye * mat3(whole)) / radius, 0.0));\n" +
            "#endif";
        const fragment = "float rim = dot(vDisc, vDisc), covered = clamp((1.0 - sqrt(rim)) * vPixels + 0.5, 0.0, 1.0);\n" +
            "if (covered == 0.0) discard;\n" +
            "float high = sqrt(max(1.0 - rim, 0.0));\n" +
            "vec2 local = vLocalDisc + high * vLocalEye;";
        const made = new THREE.MeshPhongMaterial({color: 0xffffff, specular: 0x000000});
        made.defines = {DISC: "", QUARTERS: "local.x * local.y"};
        made.alphaToCoverage = true;
        made.shadowSide = THREE.DoubleSide;
        return adapt(made,
            [["", "attribute vec3 tint; uniform float pictureHeight;\n" + PLACE_PARTS + DISC_PARTS + own], ["void main() {", PLACE],
             ["#include <begin_vertex>", DISC + "\n" + vertex]],
            [["", DISC_PARTS + own + "#define SHADOW_PLACE(place) (place + high * vShadowStep)"],
             ["void main() {", fragment], ["#include <color_fragment>", SHADE + "\n diffuseColor.a *= covered;"],
             ["#include <normal_fragment_begin>", "normal = normalize(vDisc + high * vToEye);"]], places);
    }

    /* What casts the shadow of a ball is the disc that faces the light. */
    function discDepth(places) {
        const made = new THREE.MeshDepthMaterial({depthPacking: THREE.RGBADepthPacking});
        made.defines = {DISC: ""};
        return adapt(made, [["", "uniform float pictureHeight;\n" + PLACE_PARTS + DISC_PARTS], ["void main() {", PLACE], ["#include <begin_vertex>", DISC]],
            [["", DISC_PARTS], ["void main() {", "if (dot(vDisc, vDisc) > 1.0) discard;"]], places);
    }

    /* A face at the far side of the middle is turned about an axis that lies in it. */
    const FACE = "mat3 axes = mat3(modelViewMatrix) * mat3(instanceMatrix);\n" +
        "vec3 outward = axes * normal;\n" +
        "float faces = projectionMatrix[3][3] == 0.0 ? -dot(outward, (modelViewMatrix * instanceMatrix[3]).xyz) : outward.z;\n" +
        "vec3 flip = faces * AWAY < 0.0 ? vec3(1.0) - 2.0 * (normal + normal.zxy) : vec3(1.0);\n";

    function faces(places) {
        const made = new THREE.MeshLambertMaterial({color: 0xffffff});
        made.defines = {FACES: "", AWAY: "1.0"};
        return adapt(made,
            [["", PLACE_PARTS + TINT_VERTEX[0][1]], ["void main() {", PLACE], ["#include <beginnormal_vertex>", FACE + "objectNormal *= flip;"],
             ["#include <begin_vertex>", "transformed *= flip; vTint = tint; vLocal = position;"]], TINT_FRAGMENT, places);
    }

    /* Shadows are cast by the faces that look away from the light, as those of other bodies. */
    function facesDepth(places) {
        const made = new THREE.MeshDepthMaterial({depthPacking: THREE.RGBADepthPacking});
        made.defines = {FACES: "", AWAY: "-1.0"};
        return adapt(made, [["", PLACE_PARTS], ["void main() {", PLACE], ["#include <begin_vertex>", FACE + "transformed *= flip;"]], [], places);
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

    /* The same n times, with its number at each corner. */
    function copies(one, n) {
        const geometry = new THREE.BufferGeometry(), corners = one.place.length / 3;
        const repeat = (list, size) => {
            const all = new Float32Array(n * list.length);
            for (let k = 0; k < n; k++)
                all.set(list, k * list.length);
            return new THREE.BufferAttribute(all, size);
        };
        geometry.setAttribute("position", repeat(one.place, 3));
        geometry.setAttribute("normal", repeat(one.normal, 3));
        geometry.setAttribute("which", new THREE.BufferAttribute(Float32Array.from({length: n * corners}, (x, k) => Math.floor(k / corners)), 1));
        geometry.setAttribute("tint", new THREE.BufferAttribute(new Float32Array(3 * n * corners), 3));
        const index = new Uint32Array(n * one.index.length);
        for (let k = 0; k < index.length; k++)
            index[k] = one.index[k % one.index.length] + corners * Math.floor(k / one.index.length);
        geometry.setIndex(new THREE.BufferAttribute(index, 1));
        return geometry;
    }

    /* Coverage by alpha in releases of three.js that do not know it yet. */
    function coverByAlpha(mesh) {
        if (!mesh.material.alphaToCoverage || "alphaToCoverage" in new THREE.Material())
            return;
        const cap = (renderer) => renderer.getContext().SAMPLE_ALPHA_TO_COVERAGE;
        mesh.onBeforeRender = (renderer) => renderer.getContext().enable(cap(renderer));
        mesh.onAfterRender = (renderer) => renderer.getContext().disable(cap(renderer));
    }

    /* A mesh of n balls or boxes with the matrices and the methods of an instanced one. */
    function crowd(kind, n) {
        const data = new Float32Array(16 * ACROSS * Math.ceil(n / ACROSS)), one = kind === "ball" ? square() : threeFaces();
        const places = new THREE.DataTexture(data, 4 * ACROSS, data.length / (16 * ACROSS), THREE.RGBAFormat, THREE.FloatType);
        const mesh = new THREE.Mesh(copies(one, n), kind === "ball" ? disc(places) : faces(places));
        mesh.customDepthMaterial = kind === "ball" ? discDepth(places) : facesDepth(places);
        mesh.instanceMatrix = {array: data, set needsUpdate(x) { places.needsUpdate = x; }};
        mesh.setMatrixAt = THREE.InstancedMesh.prototype.setMatrixAt;
        mesh.getMatrixAt = THREE.InstancedMesh.prototype.getMatrixAt;
        mesh.corners = one.place.length / 3;
        coverByAlpha(mesh);
        return mesh;
    }

    function instances(how, n) {
        const geometry = view.shapes.geometry(how.key, how.make).clone();
        geometry.setAttribute("tint", new THREE.InstancedBufferAttribute(new Float32Array(3 * n), 3));
        const mesh = new THREE.InstancedMesh(geometry, solid(how.round), n);
        mesh.corners = 1;
        return mesh;
    }

    /* The mesh of n shapes of a kind.  Its attribute "tint" has a colour for each, `corners` times. */
    view.meshOf = function (how, n, many) {
        return many && ["ball", "box"].includes(how.key) ? crowd(how.key, n) : instances(how, n);
    };

    view.pictureHeight = height;
})(window.perpView);
