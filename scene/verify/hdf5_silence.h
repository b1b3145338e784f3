/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 prints what goes wrong unless it is told not to. */
#ifndef PERP_SCENE_VERIFY_HDF5_SILENCE_H
#define PERP_SCENE_VERIFY_HDF5_SILENCE_H

#include <hdf5.h>

typedef struct perp_verify_silence {
    H5E_auto2_t report;
    void *data;
} perp_verify_silence;

static inline perp_verify_silence perp_verify_be_silent(void)
{
    perp_verify_silence s = {NULL, NULL};

    H5Eget_auto2(H5E_DEFAULT, &s.report, &s.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return s;
}

static inline void perp_verify_speak_again(const perp_verify_silence *s)
{
    H5Eset_auto2(H5E_DEFAULT, s->report, s->data);
}

#endif
