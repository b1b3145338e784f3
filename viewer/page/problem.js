/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a problem and its solve. */
"use strict";
(function (view) {
    const byId = (id) => document.getElementById(id);
    const data = JSON.parse(byId("problem").textContent);
    const style = view.style;
    let chosen = null;

    const tangential = (x) => Math.hypot(...x.slice(1));

    /* Of a block with friction: how much of its cone is used, and what that means. */
    data.blocks.forEach((b, k) => {
        b.number = k;
        b.friction = typeof b.mu === "number" && b.z.length > 1;
        b.used = b.friction && b.z[0] > 0 && b.mu > 0 ? tangential(b.z) / (b.mu * b.z[0]) : null;
        b.state = !b.friction ? "" : b.used === null ? (b.z[0] > 0 ? "sliding" : "open")
                  : tangential(b.w) > 1e-6 * Math.hypot(...b.w, b.z[0] * 1e-3) && b.used > 0.999 ? "sliding" : "sticking";
    });

    function pairs(list) {
        const table = document.createElement("table");
        for (const [name, value] of list) {
            const row = table.insertRow(), head = document.createElement("th");
            head.scope = "row";
            head.textContent = name;
            row.append(head);
            row.insertCell().textContent = view.shortNumber(value);
        }
        return table;
    }

    function cone() {
        const canvas = byId("cone"), g = view.sharp(canvas, 360, 360), c = 180, r = 170;
        const list = data.blocks.filter((b) => b.used !== null);
        canvas.parentNode.hidden = list.length === 0;
        g.strokeStyle = style("--text");
        g.beginPath();
        g.arc(c, c, r, 0, 2 * Math.PI);
        g.stroke();
        for (const b of list) {
            const x = b.z[1] / (b.mu * b.z[0]), y = b.z.length > 2 ? b.z[2] / (b.mu * b.z[0]) : 0;
            g.fillStyle = b === chosen ? style("--bad") : view.ink(view.stateColours[b.state]);
            g.beginPath();
            g.arc(c + r * x, c - r * y, b === chosen ? 7 : 3, 0, 2 * Math.PI);
            g.fill();
        }
    }

    function matrices() {
        byId("matrices").replaceChildren();
        for (const m of data.matrices) {
            const figure = document.createElement("figure"), canvas = document.createElement("canvas");
            const text = document.createElement("figcaption"), g = view.sharp(canvas, 300, 300), n = m.size;
            const most = m.cells.reduce((a, b) => Math.max(a, b), 1);
            g.fillStyle = style("--sky");
            g.fillRect(0, 0, 300, 300);
            m.cells.forEach((count, k) => {
                if (count === 0)
                    return;
                g.globalAlpha = 0.35 + 0.65 * Math.log1p(count) / Math.log1p(most);
                g.fillStyle = view.ink("#0072b2", style("--sky"));
                const w = 300 / n;
                g.fillRect((k % n) * w, Math.floor(k / n) * w, Math.max(w, 1), Math.max(w, 1));
            });
            text.textContent = m.name + ": " + m.rows + " by " + m.cols + ", " + m.cells.reduce((a, b) => a + b, 0) + " entries that are not 0";
            canvas.setAttribute("role", "img");
            canvas.setAttribute("aria-label", "Pattern of " + m.name);
            figure.append(canvas, text);
            byId("matrices").append(figure);
        }
    }

    function blocks() {
        const only = byId("island").value, list = data.blocks.filter((b) => only === "" || b.island === Number(only));
        const columns = [{name: "block", of: (b) => b.number}, {name: "set", of: (b) => b.set},
            {name: "island", of: (b) => b.island}, {name: "residual", of: (b) => b.residual}];
        if (data.blocks.some((b) => b.friction))
            columns.push({name: "state", of: (b) => b.state}, {name: "mu", of: (b) => b.mu === undefined ? null : b.mu},
                {name: "z_N", of: (b) => b.z[0]}, {name: "|z_T|", of: (b) => tangential(b.z)},
                {name: "of the cone", of: (b) => b.used}, {name: "w_N", of: (b) => b.w[0]},
                {name: "|w_T|", of: (b) => tangential(b.w)});
        else
            columns.push({name: "z", of: (b) => b.z[0]}, {name: "w", of: (b) => b.w[0]});
        view.table(byId("blocks"), columns, list, (b) => { chosen = b; cone(); });
    }

    function islands() {
        const sizes = [];
        for (const b of data.blocks)
            if (b.island >= 0)
                sizes[b.island] = (sizes[b.island] || 0) + 1;
        sizes.slice(0, 2000).forEach((n, k) => byId("island").append(new Option(k + " (" + n + " blocks)", String(k))));
        byId("island").addEventListener("change", blocks);
        return sizes;
    }

    document.body.classList.add("long");
    byId("title").textContent = data.title ? data.title + " (" + data.file + ")" : data.file;
    byId("note").textContent = data.status + (data.detail ? ": " + data.detail : "");
    byId("note").className = data.solved ? "" : "bad";
    const sizes = islands();
    byId("solve").append(pairs([["rows", data.rows], ["blocks", data.blocks.length],
        ["islands", data.islands > 0 ? data.islands + ", the largest of " + Math.max(...sizes) + " blocks" : "not known"],
        ["solver", data.solver], ["status", data.status], ["error", data.error], ["tolerance", data.tol],
        ["iterations", data.iterations], ["seconds", data.seconds], ["natural residual", data.residual.natural],
        ["scaled residual", data.residual.scaled], ["primal", data.residual.primal], ["dual", data.residual.dual],
        ["gap", data.residual.gap]]));
    view.table(byId("stages"), ["solver", "iterations", "factorisations", "first", "best", "seconds", "why"].map(
        (name) => ({name: name === "first" ? "error at its start" : name === "best" ? "lowest error" : name, of: (s) => s[name]})), data.stages);
    view.themeButton(() => { cone(); matrices(); });
    cone();
    matrices();
    blocks();
    if (location.hash.includes("hook")) {
        const place = document.createElement("pre");
        place.id = "hook";
        place.hidden = true;
        const themes = view.themesSwap(byId("cone"));
        place.textContent = JSON.stringify({errors: view.errors, themes: themes, blocks: data.blocks.length, islands: data.islands,
            rows: document.querySelectorAll("#blocks tbody tr").length, matrices: document.querySelectorAll("figure").length,
            solved: data.solved, residual: Math.hypot(...data.blocks.map((b) => b.residual)), natural: data.residual.natural});
        document.body.append(place);
    }
})(window.perpView);
