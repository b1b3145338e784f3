/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables that sort by a click on a heading; the first rows of long ones. */
"use strict";
(function (view) {
    const MOST = 1000;
    const short = (x) => typeof x !== "number" ? (x === null ? "" : String(x))
        : Number.isInteger(x) ? String(x) : Math.abs(x) >= 1e-3 && Math.abs(x) < 1e5 ? String(+x.toPrecision(5)) : x.toExponential(2);

    /* columns: {name, of: row -> number or text, link: row -> address or null}; chosen: called with a row. */
    view.table = function (place, columns, rows, chosen) {
        const state = {by: -1, down: true};
        const table = document.createElement("table"), head = table.createTHead().insertRow();
        const body = table.createTBody(), more = document.createElement("p");
        const order = (a, b) => {
            const x = columns[state.by].of(a), y = columns[state.by].of(b);
            const less = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
            return state.down ? -less : less;
        };
        const fill = () => {
            const list = state.by < 0 ? rows : rows.slice().sort(order);
            body.replaceChildren();
            for (const row of list.slice(0, MOST)) {
                const line = body.insertRow();
                for (const column of columns) {
                    const cell = line.insertCell(), value = column.of(row);
                    const link = column.link ? column.link(row) : null, place = link ? document.createElement("a") : cell;
                    place.textContent = short(value);
                    if (link) {
                        place.href = link;
                        cell.append(place);
                    }
                    cell.className = typeof value === "number" ? "number" : "";
                }
                if (chosen) {
                    if (line.querySelector("a") === null) /* which stops there already */
                        line.tabIndex = 0;
                    line.addEventListener("click", () => chosen(row));
                    line.addEventListener("keydown", (e) => { if (e.key === "Enter") chosen(row); });
                }
            }
            more.textContent = rows.length > MOST ? "The first " + MOST + " of " + rows.length + " in this order." : "";
        };
        columns.forEach((column, k) => {
            const cell = document.createElement("th"), button = document.createElement("button");
            cell.scope = "col";
            cell.className = rows.some((row) => typeof column.of(row) === "number") ? "number" : "";
            button.type = "button";
            button.textContent = column.name;
            button.addEventListener("click", () => {
                state.down = state.by === k ? !state.down : true;
                state.by = k;
                for (const other of head.cells)
                    other.removeAttribute("aria-sort");
                cell.setAttribute("aria-sort", state.down ? "descending" : "ascending");
                fill();
            });
            cell.append(button);
            head.append(cell);
        });
        fill();
        place.replaceChildren(table, more);
    };
    view.shortNumber = short;
})(window.perpView);
