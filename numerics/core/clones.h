/* SPDX-License-Identifier: BSD-3-Clause */
/* A function marked so is compiled for wider vectors too, and the machine's own is taken when the
 * program starts.  Without contraction, and where no sum runs over lanes, the bits are the same. */
#ifndef PERP_CORE_CLONES_H
#define PERP_CORE_CLONES_H

#if defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PERP_ONE_CLONE 1
#endif
#endif
/* Older ones of clang give the chosen clone another name than its callers know. */
#if defined __clang__ && __clang_major__ < 18
#undef PERP_ONE_CLONE
#define PERP_ONE_CLONE 1
#endif
#if defined __x86_64__ && defined __ELF__ && defined __GNUC__ && !defined __SANITIZE_ADDRESS__ &&  \
    !defined __SANITIZE_THREAD__ && !defined PERP_ONE_CLONE
#define PERP_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PERP_CLONES
#endif

#endif
