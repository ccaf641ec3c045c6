#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace attend {

/// Physical cores among the logical `cpus`, by the lists of sibling threads under `topology`
/// (/sys/devices/system/cpu). A cpu without a list counts as a core of its own.
[[nodiscard]] int64_t count_physical_cores(const std::vector<int>& cpus,
                                           const std::filesystem::path& topology);

/// Cores that a control group may use at once, from cpu.max of version 2 ("200000 100000" is 2);
/// nothing if unlimited.
[[nodiscard]] std::optional<int64_t> parse_cpu_max(std::string_view content);

/// The physical cores that this process may use: its affinity and the limits of its control groups.
/// At least 1.
[[nodiscard]] int64_t usable_cores();

}  // namespace attend
