/* SPDX-License-Identifier: BSD-3-Clause */
/* Many marks of one colour: with a dark rim, so that they show before bodies of any colour, and faint where
 * a body hides them. */
"use strict";
(function (view) {
    const RIM = "#16181d", HIDDEN = 0.5;

    function meshOf(geometry, material, most, places) {
        const mesh = new THREE.InstancedMesh(geometry, material, most);
        mesh.frustumCulled = false;
        mesh.count = 0;
        if (places)
            mesh.instanceMatrix = places;
        return mesh;
    }

    /* shape: {make, rim, faint}, the mark, what shows around it and what shows through bodies; without rim the mark
     * alone. */
    function Marks(group, shape, colour, most) {
        const plain = meshOf(shape.make(), new THREE.MeshBasicMaterial({color: colour}), most);
        this.capacity = most;
        this.group = group;
        this.meshes = [plain];
        if (shape.rim) {
            const faint = new THREE.MeshBasicMaterial({color: colour, transparent: true, opacity: HIDDEN, depthWrite: false,
                                                       depthFunc: THREE.GreaterDepth});
            const rim = new THREE.MeshBasicMaterial({color: RIM, side: THREE.BackSide});
            this.meshes.push(meshOf(shape.faint(), faint, most, plain.instanceMatrix),
                             meshOf(shape.rim(), rim, most, plain.instanceMatrix));
            this.meshes[1].renderOrder = 1;
        }
        group.add(...this.meshes);
    }

    Marks.prototype.put = function (k, matrix) { this.meshes[0].setMatrixAt(k, matrix); };

    /* After the last one was put. */
    Marks.prototype.show = function (count) {
        for (const mesh of this.meshes) {
            mesh.count = count;
            mesh.visible = count > 0;
        }
        this.meshes[0].instanceMatrix.needsUpdate = true;
    };

    Marks.prototype.remove = function () { this.group.remove(...this.meshes); };

    view.Marks = Marks;
})(window.perpView);
