/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a campaign: scores, performance profiles, runs. */
"use strict";
(function (view) {
    const byId = (id) => document.getElementById(id);
    const data = JSON.parse(byId("campaign").textContent);
    const PALETTE = view.palette;
    const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
    const style = view.style;

    /* Factors over the fastest on each problem that some solver solved, by solver; and how many. */
    function factors(t) {
        const best = new Map(), of = data.series.map(() => []), here = data.runs.filter((r) => r.t === t);
        for (const r of here)
            if (r.verdict === "solved")
                best.set(r.p, Math.min(best.has(r.p) ? best.get(r.p) : Infinity, r.seconds));
        for (const r of here)
            if (r.verdict === "solved")
                of[r.s].push(r.seconds / best.get(r.p));
        of.forEach((list) => list.sort((a, b) => a - b));
        return {of: of, problems: new Set(here.map((r) => r.p)).size};
    }

    function profile(t) {
        const w = 640, h = 376, left = 44, bottom = 44, right = 16, f = factors(t), g = view.sharp(byId("profile"), w, h);
        const most = Math.max(10, ...f.of.map((list) => list.length > 0 ? list[list.length - 1] : 1));
        const x = (v) => left + (w - left - right) * Math.log(v) / Math.log(most), y = (v) => 8 + (h - bottom - 8) * (1 - v);
        g.fillStyle = style("--panel");
        g.fillRect(0, 0, w, h);
        g.font = "12px system-ui, sans-serif";
        for (let v = 1; v <= most; v *= 10) {
            g.fillStyle = style("--line");
            g.fillRect(x(v), 8, 1, h - bottom - 8);
            g.fillStyle = style("--soft");
            g.textAlign = "center";
            g.fillText(String(v), x(v), h - 26);
        }
        g.fillText("times the fastest", left + (w - left - right) / 2, h - 8);
        g.textAlign = "left";
        for (let v = 0; v <= 1; v += 0.25) {
            g.fillStyle = style("--line");
            g.fillRect(left, y(v), w - left - right, 1);
            g.fillStyle = style("--soft");
            g.fillText(100 * v + " %", 2, y(v) + 4);
        }
        byId("legend").replaceChildren();
        f.of.forEach((list, s) => {
            g.strokeStyle = view.ink(PALETTE[s % PALETTE.length]);
            g.setLineDash(DASHES[Math.floor(s / PALETTE.length) % DASHES.length]);
            g.lineWidth = 2;
            g.beginPath();
            g.moveTo(x(1), y(0));
            list.forEach((v, k) => {
                g.lineTo(x(v), y(k / f.problems));
                g.lineTo(x(v), y((k + 1) / f.problems));
            });
            if (list.length > 0)
                g.lineTo(x(most), y(list.length / f.problems));
            g.stroke();
            const row = document.createElement("div"), mark = document.createElement("span");
            mark.className = "key";
            mark.style.background = g.strokeStyle;
            row.append(mark, data.series[s] + ": " + list.length + " of " + f.problems);
            byId("legend").append(row);
        });
    }

    const link = (run) => data.links[run.p] ? encodeURIComponent(data.links[run.p]) : null;

    function open(run) {
        if (link(run))
            location.href = link(run);
        else
            byId("how").textContent = "perp view " + data.file + " --problems DIR makes its page: DIR is the folder of " + data.problems[run.p];
    }

    function show() {
        const t = Number(byId("tol").value);
        profile(t);
        view.table(byId("scores"), ["solver", "runs", "solved", "false", "mean"].map((name) =>
            ({name: name === "false" ? "false \"solved\"" : name === "mean" ? "mean seconds" : name, of: (s) => s[name]})),
            data.scores.filter((s) => s.tol === data.tols[t]));
        view.table(byId("runs"), [{name: "problem", of: (r) => data.problems[r.p], link: link}, {name: "solver", of: (r) => data.series[r.s]},
            {name: "verdict", of: (r) => r.verdict}, {name: "status", of: (r) => r.status}, {name: "seconds", of: (r) => r.seconds},
            {name: "error", of: (r) => r.error}, {name: "iterations", of: (r) => r.iterations}],
            data.runs.filter((r) => r.t === t), open);
    }

    document.body.classList.add("long");
    byId("title").textContent = data.file;
    data.tols.forEach((tol, k) => byId("tol").append(new Option(String(tol), String(k))));
    byId("tol").addEventListener("change", show);
    view.themeButton(() => profile(Number(byId("tol").value)));
    show();
    if (location.hash.includes("hook")) {
        const place = document.createElement("pre");
        place.id = "hook";
        place.hidden = true;
        const cells = () => Array.from(document.querySelectorAll("#runs tbody tr"), (row) => row.cells[4].textContent);
        const up = (list) => list.every((x, k) => k === 0 || Number(list[k - 1]) <= Number(x));
        const heading = document.querySelectorAll("#runs thead button")[4];
        heading.click();
        const down = up(cells().reverse());
        heading.click();
        const themes = view.themesSwap(byId("profile"));
        place.textContent = JSON.stringify({errors: view.errors, themes: themes, sorted: down && up(cells()),
            links: document.querySelectorAll("#runs tbody a[href]").length, solvers: data.series.length, problems: data.problems.length,
            rows: document.querySelectorAll("#runs tbody tr").length, solved: data.runs.filter((r) => r.verdict === "solved").length});
        document.body.append(place);
    }
})(window.perpView);
