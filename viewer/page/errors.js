/* SPDX-License-Identifier: BSD-3-Clause */
/* First of all scripts: keeps what went wrong, for the message on the page and for tests. */
"use strict";
window.perpView = {errors: []};
/* Some releases of three.js set it, and try eval where it is not declared. */
var regeneratorRuntime;
(function (view) {
    const say = console.error.bind(console), warn = console.warn.bind(console);
    console.error = function () {
        view.errors.push(Array.from(arguments).join(" "));
        say.apply(null, arguments);
    };
    console.warn = function () {
        view.errors.push("warning: " + Array.from(arguments).join(" "));
        warn.apply(null, arguments);
    };
    window.addEventListener("error", (event) => view.errors.push(String(event.message)));
    window.addEventListener("unhandledrejection", (event) => view.errors.push(String(event.reason)));
})(window.perpView);
