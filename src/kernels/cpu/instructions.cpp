#include "kernels/cpu/instructions.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "kernels/cpu/compiler.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace attend::kernels {
namespace {

constexpr std::array<std::string_view, 7> kNames = {
    "baseline", "avx2", "avx2_vnni", "avx512", "avx512_vnni", "avx512_bf16", "amx"};
constexpr Instructions kEverything = Instructions::amx;
constexpr std::string_view kNative = "native";

#if defined(__x86_64__)
/// Tests for AVX-VNNI, which clang 14's __builtin_cpu_supports() does not know.
bool has_avx_vnni() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kFeatures = 7, kMoreOfThem = 1, kAvxVnni = 1U << 4;
  return __get_cpuid_count(kFeatures, kMoreOfThem, &eax, &ebx, &ecx, &edx) != 0 &&
         (eax & kAvxVnni) != 0;
}

/// Tests for AMX-TILE, AMX-BF16 and AMX-INT8. Linux saves these registers only for processes that
/// request it (Documentation/arch/x86/xstate.rst); the permission covers all threads.
bool has_amx() {
#if defined(ATTEND_HAS_AMX) && defined(__linux__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kFeatures = 7, kAmx = 1U << 22 | 1U << 24 | 1U << 25;
  constexpr long kAskForState = 0x1023, kTileData = 18;
  return __get_cpuid_count(kFeatures, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx & kAmx) == kAmx &&
         ::syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
#else
  return false;
#endif
}
#else
bool has_avx_vnni() {
  return false;
}
#endif

}  // namespace

Instructions cpu_instructions() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi2")) {
    return Instructions::baseline;
  }
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512cd")) {
    return has_avx_vnni() ? Instructions::avx2_vnni : Instructions::avx2;
  }
  if (!__builtin_cpu_supports("avx512vnni")) return Instructions::avx512;
  if (!__builtin_cpu_supports("avx512bf16")) return Instructions::avx512_vnni;
  return has_amx() ? Instructions::amx : Instructions::avx512_bf16;
#else
  return Instructions::baseline;
#endif
}

std::optional<Instructions> allowed_instructions() {
  const char* const value = std::getenv("ATTEND_MAX_CPU");
  const std::string_view name = value == nullptr ? "" : value;
  if (name.empty() || name == kNative) return kEverything;
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Instructions>(found - kNames.begin());
}

std::string max_cpu_names() {
  std::string names;
  for (const std::string_view name : kNames) names.append(name).append(", ");
  return names.append(kNative);
}

Instructions instructions_in_use() {
  static const Instructions in_use = [] {
    const Instructions limit =
        std::min(cpu_instructions(), allowed_instructions().value_or(kEverything));
    return limit == Instructions::avx2_vnni && !has_avx_vnni() ? Instructions::avx2 : limit;
  }();
  return in_use;
}

std::string_view name_of(Instructions instructions) {
  return kNames.at(static_cast<std::size_t>(instructions));
}

}  // namespace attend::kernels
