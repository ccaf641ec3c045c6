#pragma once
/// Compiler extensions that kernels use, in the syntax of GCC and of clang.
#include <cstdint>

#define ATTEND_ALWAYS_INLINE inline __attribute__((always_inline))

#define ATTEND_PRAGMA(text) _Pragma(#text)

/// Defined if the compiler supports AMX.
#if defined(__x86_64__) && __has_include(<amxbf16intrin.h>)
#define ATTEND_HAS_AMX
#endif

/// Put before a loop whose iterations are independent: the compiler may vectorize it without
/// checking that its arrays do not overlap.
#ifdef __clang__
#define ATTEND_INDEPENDENT ATTEND_PRAGMA(clang loop vectorize(assume_safety))
#else
#define ATTEND_INDEPENDENT ATTEND_PRAGMA(GCC ivdep)
#endif

/// Put before a loop of at most `turns` iterations to unroll it, so that arrays it indexes become
/// registers.
#ifdef __clang__
#define ATTEND_UNROLLED(turns) ATTEND_PRAGMA(clang loop unroll(full))
#else
#define ATTEND_UNROLLED(turns) ATTEND_PRAGMA(GCC unroll turns)
#endif

/// Selects eight 32-bit numbers from two vectors of eight by index: 0 to 7 from the first, 8 to 15
/// from the second.
#ifdef __clang__
#define ATTEND_SHUFFLED(first, second, ...) __builtin_shufflevector(first, second, __VA_ARGS__)
#else
#define ATTEND_SHUFFLED(first, second, ...) \
  __builtin_shuffle(first, second, attend::kernels::EightPlaces{__VA_ARGS__})
#endif

namespace attend::kernels {
using EightPlaces __attribute__((vector_size(32))) = int32_t;
}
