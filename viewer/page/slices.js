/* SPDX-License-Identifier: BSD-3-Clause */
/* Long work in slices: a generator that yields every millisecond or so. */
"use strict";
(function (view) {
    const SLICE = 12; /* milliseconds, between which the page draws and answers */

    /* Yielded before what is long by itself: it gets a slice of its own. */
    view.PAUSE = "pause";

    /* Calls done() when the work is, in a task of its own; failed(error) where it throws. */
    view.inSlices = function (work, done, failed) {
        const slice = () => {
            const begun = performance.now();
            try {
                let step;
                do {
                    step = work.next();
                    if (step.done) {
                        setTimeout(done, 0);
                        return;
                    }
                } while (step.value !== view.PAUSE && performance.now() - begun < SLICE);
            } catch (error) {
                failed(error);
                return;
            }
            setTimeout(slice, 0);
        };
        slice();
    };

    /* All of it now; what it returns. */
    view.atOnce = function (work) {
        let step;
        do
            step = work.next();
        while (!step.done);
        return step.value;
    };
})(window.perpView);
