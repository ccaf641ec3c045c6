#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace attend::kernels {

/// Generations of vector instructions of x86-64. A CPU that has one of them has all earlier ones
/// too, except that many CPUs with AVX-512 lack avx2_vnni (AVX-VNNI, which brings the VNNI of
/// AVX-512 to other CPUs). amx: matrix registers with products in bf16 and int8 (Intel since
/// Sapphire Rapids). Other processors have only the baseline, plain compiled code.
enum class Instructions { baseline, avx2, avx2_vnni, avx512, avx512_vnni, avx512_bf16, amx };

/// The newest generation that the CPU, the operating system and the compiler support.
[[nodiscard]] Instructions cpu_instructions();

/// The newest generation that the environment variable ATTEND_MAX_CPU allows. If it is unset, empty
/// or "native", all are allowed. std::nullopt if it is not one of max_cpu_names().
[[nodiscard]] std::optional<Instructions> allowed_instructions();

/// "baseline, avx2, ..., native"
[[nodiscard]] std::string max_cpu_names();

/// The generation that our kernels use: the newest that the CPU has and ATTEND_MAX_CPU allows,
/// fixed at the first call. Never avx2_vnni if the CPU lacks it. Through the limit, one machine can
/// test the code for older CPUs.
[[nodiscard]] Instructions instructions_in_use();

/// "avx512_vnni"
[[nodiscard]] std::string_view name_of(Instructions instructions);

}  // namespace attend::kernels
