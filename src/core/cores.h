#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace attend {

/// Counts the physical cores among the logical `cpus`, using the lists of sibling threads under
/// `topology` (/sys/devices/system/cpu). A CPU without a list counts as one core.
[[nodiscard]] int64_t count_physical_cores(const std::vector<int>& cpus,
                                           const std::filesystem::path& topology);

/// The number of cores that a control group may use, from the content of cpu.max of cgroup
/// version 2 ("200000 100000" is 2); nothing if unlimited.
[[nodiscard]] std::optional<int64_t> parse_cpu_max(std::string_view content);

/// The number of physical cores that this process may use, limited by its CPU affinity and its
/// control groups. At least 1.
[[nodiscard]] int64_t usable_cores();

}  // namespace attend
