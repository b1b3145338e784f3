/* SPDX-License-Identifier: BSD-3-Clause */
/* The motion: its head, and instants decoded from the chunks of the page, some at a time. */
"use strict";
(function (view) {
    const CURVES = ["t", "h", "steps", "unsolved", "kinetic", "potential", "violation", "error",
                    "certificate", "measure", "first", "active"];
    const STATES = ["open", "sticking", "sliding", "rolling", "spinning"];
    const NO_CONTACTS = 0xffffffff, CONTACT = 68; /* bytes of one */

    function bytesOf(text) {
        const letters = atob(text), bytes = new Uint8Array(letters.length);
        for (let k = 0; k < letters.length; k++)
            bytes[k] = letters.charCodeAt(k);
        return bytes;
    }

    /* The same in slices. */
    function* bytesSlowly(text) {
        const PART = 65536, bytes = new Uint8Array(Math.ceil(text.length / 4) * 3);
        let size = 0;
        for (let k = 0; k < text.length; k += PART) {
            const part = bytesOf(text.slice(k, k + PART));
            bytes.set(part, size);
            size += part.length;
            yield;
        }
        return bytes.subarray(0, size);
    }

    function Motion(head, shape) {
        this.head = head;
        this.shape = shape;
        this.entries = shape.entries;
        this.scale = Float64Array.from(shape.exponents, (e) => Math.pow(2, e));
        this.frames = [];   /* Int32Array each */
        this.contacts = []; /* {data, at, count} or null each */
        this.curves = CURVES.map(() => []);
        this.before = new Int32Array(this.entries);
        this.before2 = new Int32Array(this.entries);
        this.offsets = [];
        let at = 0;
        for (const system of head.systems) {
            this.offsets.push(at);
            at += system.entries;
        }
        if (at !== this.entries)
            throw new Error("the head of the motion does not fit its instants");
        CURVES.forEach((name, k) => { this[name] = this.curves[k]; });
    }

    Motion.prototype.count = function () { return this.frames.length; };

    /* The numbers of a system at an instant. */
    Motion.prototype.state = function (frame, system) {
        const first = this.offsets[system], n = this.head.systems[system].entries, q = [];
        const from = this.frames[frame];
        for (let k = first; k < first + n; k++)
            q.push(from[k] * this.scale[k]);
        return q;
    };

    /* The instant that is nearest to t. */
    Motion.prototype.nearest = function (t) {
        const times = this.t;
        let low = 0, high = times.length - 1;
        while (high - low > 1) {
            const middle = (low + high) >> 1;
            if (times[middle] <= t)
                low = middle;
            else
                high = middle;
        }
        return high > 0 && Math.abs(times[high] - t) < Math.abs(times[low] - t) ? high : low;
    };

    /* No force moves it: fixed, or with a prescribed motion. */
    Motion.prototype.given = function (k) {
        const system = this.head.systems[k];
        return !system || system.entries === 0 || (system.type === "body" && !(system.mass > 0));
    };

    /* Whether the second body of a contact is told of as the first: forces move it, and the first not. */
    Motion.prototype.turned = function (a, b) { return this.given(a) && !this.given(b); };

    /* The last instant up to this one that has contacts; -1: none. */
    Motion.prototype.touching = function (frame) {
        while (frame >= 0 && this.contacts[frame] === null)
            frame--;
        return frame;
    };

    /* Contacts of that instant, the first of its bodies one that forces move where there is such a one; null: none
     * were recorded. */
    Motion.prototype.contactsAt = function (now) {
        const frame = this.touching(now), from = this.contacts[frame];
        if (!from)
            return null;
        const list = [], data = from.data;
        for (let k = 0; k < from.count; k++) {
            const at = from.at + CONTACT * k, x = (i) => data.getFloat32(at + 12 + 4 * i, true);
            const a = data.getInt32(at, true), b = data.getInt32(at + 4, true), other = this.turned(a, b);
            const three = (i, sign) => [sign * x(i), sign * x(i + 1), sign * x(i + 2)], turn = other ? -1 : 1;
            list.push({
                first: other ? b : a, second: other ? a : b,
                state: STATES[data.getInt32(at + 8, true)] || "open", gap: x(0), point: three(1, 1),
                normal: three(4, turn), velocity: three(7, turn), impulse: three(10, turn), mu: x(13), frame: frame
            });
        }
        return list;
    };

    /* Appends the forces of every stride-th contact that an instant has of its own. */
    Motion.prototype.forcesAt = function (frame, stride, to) {
        const from = this.contacts[frame], h = this.h[frame];
        for (let k = 0; from && h > 0 && k < from.count; k += stride) {
            const at = from.at + CONTACT * k + 52, x = (i) => from.data.getFloat32(at + 4 * i, true);
            to.push(Math.hypot(x(0), x(1), x(2)) / h);
        }
    };

    /* Codes of so few bits, in integers: three times as fast as the way that takes any. */
    const NARROW = 24;

    function readNarrow(bytes, at, width, count, motion, k, to) {
        const mask = (1 << width) - 1, begun = motion.frames.length;
        let held = 0, bits = 0, x1 = motion.before[k], x2 = motion.before2[k];
        for (let f = 0; f < count; f++) {
            while (held < width) {
                bits |= bytes[at++] << held;
                held += 8;
            }
            const code = bits & mask, d = code & 1 ? -((code + 1) >> 1) : code >> 1;
            bits >>>= width;
            held -= width;
            const x = begun + f === 0 ? d : begun + f === 1 ? x1 + d : 2 * x1 - x2 + d;
            x2 = x1;
            x1 = x;
            to[f * motion.entries + k] = x;
        }
        motion.before[k] = x1;
        motion.before2[k] = x2;
        return at;
    }

    /* One entry of a chunk: a width, then that many bits for each instant. */
    function readEntry(bytes, at, count, motion, k, to) {
        const width = bytes[at++], size = Math.pow(2, width);
        if (width <= NARROW)
            return readNarrow(bytes, at, width, count, motion, k, to);
        let held = 0, bits = 0, x1 = motion.before[k], x2 = motion.before2[k];
        const begun = motion.frames.length;
        for (let f = 0; f < count; f++) {
            while (held < width) {
                bits += bytes[at++] * Math.pow(2, held);
                held += 8;
            }
            const code = width > 0 ? bits % size : 0;
            bits = (bits - code) / size;
            held -= width;
            const d = code % 2 ? -(code + 1) / 2 : code / 2;
            const x = begun + f === 0 ? d : begun + f === 1 ? x1 + d : 2 * x1 - x2 + d;
            x2 = x1;
            x1 = x;
            to[f * motion.entries + k] = x;
        }
        motion.before[k] = x1;
        motion.before2[k] = x2;
        return at;
    }

    /* A chunk, with yields; where the next one begins. */
    Motion.prototype.chunk = function* (bytes, at) {
        const data = new DataView(bytes.buffer, bytes.byteOffset), end = at + data.getUint32(at, true);
        const count = data.getUint32(at + 4, true), entries = this.entries;
        if (end <= at || end > bytes.length)
            throw new Error("a chunk of instants is damaged");
        const all = new Int32Array(count * entries);
        at += 8;
        for (let f = 0; f < count; f++, at += 8)
            this.t.push(data.getFloat64(at, true));
        for (let f = 0; f < count; f++)
            for (let k = 1; k < CURVES.length; k++, at += 4)
                this.curves[k].push(data.getFloat32(at, true));
        for (let k = 0; k < entries; k++) {
            at = readEntry(bytes, at, count, this, k, all);
            if (k % 256 === 255)
                yield;
        }
        for (let f = 0; f < count; f++) {
            const many = data.getUint32(at, true);
            this.contacts.push(many === NO_CONTACTS ? null : {data: data, at: at + 4, count: many});
            at += 4 + (many === NO_CONTACTS ? 0 : CONTACT * many);
            this.frames.push(all.subarray(f * entries, (f + 1) * entries));
        }
        return end;
    };

    /* Instants of a run that goes on, after so many steps: with exponents of their own, the first
     * difference from zero.  They are kept as numbers. */
    Motion.prototype.readBatch = function (exponents, bytes, steps) {
        const batch = new Motion(this.head, {entries: this.entries, exponents: exponents});
        view.atOnce(batch.chunk(bytes, 0));
        this.after = this.after || [];
        this.after.push(...steps);
        this.curves.forEach((list, k) => list.push(...batch.curves[k]));
        for (const frame of batch.frames) {
            const numbers = new Float64Array(this.entries);
            for (let k = 0; k < this.entries; k++)
                numbers[k] = frame[k] * batch.scale[k];
            this.frames.push(numbers);
        }
        for (const c of batch.contacts)
            this.contacts.push(c && {data: new DataView(bytes.slice(c.at, c.at + CONTACT * c.count).buffer), at: 0, count: c.count});
    };

    /* What happened in the steps of an instant that goes is put to the next one. */
    Motion.prototype.join = function (k, next) {
        this.steps[next] += this.steps[k];
        this.unsolved[next] += this.unsolved[k];
        for (const list of [this.violation, this.error])
            list[next] = Math.max(list[next], list[k]);
        if (this.certificate[k] > this.certificate[next]) {
            this.certificate[next] = this.certificate[k];
            this.measure[next] = this.measure[k];
        }
        if (this.first[k] > 0)
            this.first[next] = this.first[k];
    };

    /* Keeps the instants whose steps are multiples of the stride, as the run does, viewer/live_store.h;
     * those behind the last of them the run has put to what comes next. */
    Motion.prototype.thin = function (stride) {
        const lists = [this.frames, this.contacts, this.after].concat(this.curves), n = this.count();
        let kept = 0;
        for (let k = 0; k < n; k++) {
            if (this.after[k] % stride !== 0) {
                if (k + 1 < n)
                    this.join(k, k + 1);
                continue;
            }
            for (const list of lists)
                list[kept] = list[k];
            kept++;
        }
        for (const list of lists)
            list.length = kept;
    };

    /* Decodes what the page holds, with yields, so that it can be drawn and used meanwhile. */
    Motion.prototype.readPage = function* (progress) {
        const elements = Array.from(document.querySelectorAll("script.chunks"));
        for (let k = 0; k < elements.length; k++) {
            const bytes = yield* bytesSlowly(elements[k].textContent);
            elements[k].remove();
            for (let at = 0; at < bytes.length;)
                at = yield* this.chunk(bytes, at);
            progress((k + 1) / elements.length);
            yield;
        }
        if (this.count() !== this.shape.frames)
            throw new Error(this.count() + " of " + this.shape.frames + " instants are whole");
    };

    view.CONTACT_BYTES = CONTACT;
    view.bytesOf = bytesOf;
    view.Motion = Motion;
    view.json = (id) => JSON.parse(document.getElementById(id).textContent);
})(window.perpView);
