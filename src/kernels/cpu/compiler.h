#pragma once
/// What kernels ask of the compiler beyond the standard, said as GCC and clang want to hear it.
#include <cstdint>

#define ATTEND_ALWAYS_INLINE inline __attribute__((always_inline))

#define ATTEND_PRAGMA(text) _Pragma(#text)

/// Whether the compiler knows AMX's instructions.
#if defined(__x86_64__) && __has_include(<amxbf16intrin.h>)
#define ATTEND_HAS_AMX
#endif

/// Before a loop of which no turn reads what another writes, so that it may become vector code
/// without a check that its arrays lie apart.
#ifdef __clang__
#define ATTEND_INDEPENDENT ATTEND_PRAGMA(clang loop vectorize(assume_safety))
#else
#define ATTEND_INDEPENDENT ATTEND_PRAGMA(GCC ivdep)
#endif

/// Before a loop whose turns, at most so many, are written out one after the other, so that arrays
/// they index become registers.
#ifdef __clang__
#define ATTEND_UNROLLED(turns) ATTEND_PRAGMA(clang loop unroll(full))
#else
#define ATTEND_UNROLLED(turns) ATTEND_PRAGMA(GCC unroll turns)
#endif

/// The numbers of two vectors of eight 32-bit numbers that eight places name: 0 to 7 those of the
/// first, 8 to 15 those of the second.
#ifdef __clang__
#define ATTEND_SHUFFLED(first, second, ...) __builtin_shufflevector(first, second, __VA_ARGS__)
#else
#define ATTEND_SHUFFLED(first, second, ...) \
  __builtin_shuffle(first, second, attend::kernels::EightPlaces{__VA_ARGS__})
#endif

namespace attend::kernels {
using EightPlaces __attribute__((vector_size(32))) = int32_t;
}
