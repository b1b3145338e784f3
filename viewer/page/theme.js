/* SPDX-License-Identifier: BSD-3-Clause */
/* Dark or light: as the system has it, until it is chosen. */
"use strict";
(function (view) {
    view.swapTheme = function () {
        const dark = view.style("--panel") === "#12151b";
        document.body.classList.toggle("dark", !dark);
        document.body.classList.toggle("light", dark);
    };

    /* #dark begins so. */
    view.beginTheme = function () {
        if (new URLSearchParams(location.hash.slice(1)).has("dark"))
            document.body.classList.add("dark");
    };

    /* The system goes over to the other, as many do in the evening. */
    view.onSystemTheme = function (redraw) {
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    };

    /* The button and its key on a page that has no others. */
    view.themeButton = function (redraw) {
        const swap = () => { view.swapTheme(); redraw(); };
        document.getElementById("theme").addEventListener("click", swap);
        window.addEventListener("keydown", (e) => {
            if (e.key === "t" && !e.ctrlKey && !e.metaKey && !e.altKey && e.target.nodeName !== "SELECT")
                swap();
        });
        view.onSystemTheme(redraw);
        view.beginTheme();
    };

    /* For tests: whether button and key change page and picture, and back.  A canvas that is read is drawn
     * in another way from then on: the first look is none. */
    view.themesSwap = function (canvas) {
        const key = () => window.dispatchEvent(new KeyboardEvent("keydown", {key: "t"})), looks = [];
        for (let k = 0; k < 5; k++) {
            looks.push({page: view.style("--panel") + view.style("--text"), picture: canvas.toDataURL()});
            if (k % 2 === 0)
                document.getElementById("theme").click();
            else
                key();
        }
        key();
        return ["page", "picture"].every((part) => looks[1][part] !== looks[2][part] && looks[1][part] === looks[3][part] &&
                                                   looks[2][part] === looks[4][part]);
    };
})(window.perpView);
