#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace attend::kernels {

/// Generations of vector instructions of x86-64: a CPU with one has those before it, too, but that
/// many with AVX-512 have no avx2_vnni (AVX-VNNI: what AVX-512 calls VNNI, for CPUs without it).
/// amx are matrix registers and their products in bf16 and int8 (Intel since Sapphire Rapids).
/// Other processors have the baseline, which is what the compiler makes of plain code.
enum class Instructions { baseline, avx2, avx2_vnni, avx512, avx512_vnni, avx512_bf16, amx };

/// What this CPU has, as far as the system lets programs use it and the compiler knew it.
[[nodiscard]] Instructions cpu_instructions();

/// What the environment variable ATTEND_MAX_CPU allows: everything where it is not set, empty or
/// "native"; nothing for what is none of max_cpu_names().
[[nodiscard]] std::optional<Instructions> allowed_instructions();

/// "baseline, avx2, ..., native"
[[nodiscard]] std::string max_cpu_names();

/// What our kernels use: what the CPU has and ATTEND_MAX_CPU allows, as it was when they first
/// asked. So that what other CPUs run can be tested on this one. Never avx2_vnni where the CPU has
/// none.
[[nodiscard]] Instructions instructions_in_use();

/// "avx512_vnni"
[[nodiscard]] std::string_view name_of(Instructions instructions);

}  // namespace attend::kernels
