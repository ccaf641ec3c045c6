#pragma once
#include <cstdint>

#include "kernels/cpu/instructions.h"
#include "kernels/cpu/parallel.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define ATTEND_CLONED
// Lists the features, since GCC knows "arch=x86-64-v3" only from version 12 on.
#define ATTEND_FOR_AVX2 __attribute__((target("avx2,fma,bmi,bmi2")))
#define ATTEND_FOR_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma,bmi,bmi2")))
#endif

namespace attend::kernels {

/// A function compiled for several generations of vector instructions. A call runs the version for
/// instructions_in_use(): `Clones<body<float>>::call(arguments...)`. The body and the functions it
/// calls must be ATTEND_ALWAYS_INLINE. (GCC's target_clones chooses before main(), where
/// ATTEND_MAX_CPU cannot limit it, and clang 14 has no target_clones.)
template <auto kBody>
class Clones;

template <class... Arguments, void (*kBody)(Arguments...)>
class Clones<kBody> {
 public:
  static void call(Arguments... arguments) {
#ifdef ATTEND_CLONED
    const Instructions in_use = instructions_in_use();
    if (in_use >= Instructions::avx512) return call_avx512(arguments...);
    if (in_use >= Instructions::avx2) return call_avx2(arguments...);
#endif
    kBody(arguments...);
  }

 private:
#ifdef ATTEND_CLONED
  ATTEND_FOR_AVX512 static void call_avx512(Arguments... arguments) {
    kBody(arguments...);
  }
  ATTEND_FOR_AVX2 static void call_avx2(Arguments... arguments) {
    kBody(arguments...);
  }
#endif
};

/// Calls kBody(work, begin, end) for parts of [0, count) as parallel_ranges() does, with the body
/// compiled as in Clones.
template <auto kBody, class Work>
void parallel_clones(const Work& work, int64_t count, int64_t grain) {
  parallel_ranges(count, grain,
                  [&](int64_t begin, int64_t end) { Clones<kBody>::call(work, begin, end); });
}

}  // namespace attend::kernels
