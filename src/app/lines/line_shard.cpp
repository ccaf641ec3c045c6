#include "app/lines/line_shard.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/option_name.h"

namespace attend::app {
namespace {

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct RankVariables {
  const char* rank;
  const char* size;
};

constexpr RankVariables kLaunchers[] = {{"RANK", "WORLD_SIZE"},
                                        {"SLURM_PROCID", "SLURM_NTASKS"},
                                        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}};

[[noreturn]] void report_environment(const std::string& found) {
  throw UsageError(fmt::format(
      "{} env: {}; give I/N (example: 1/4), or start the processes with torchrun (RANK, "
      "WORLD_SIZE), Slurm (SLURM_PROCID, SLURM_NTASKS) or Open MPI",
      option_name("shard"), found));
}

LineShard shard_of_environment(const Environment& environment) {
  for (const auto& [rank, size] : kLaunchers) {
    const char* rank_text = environment(rank);
    const char* size_text = environment(size);
    if (rank_text == nullptr || size_text == nullptr) continue;
    const auto index = whole_number(rank_text);
    const auto count = whole_number(size_text);
    if (index && count && *index >= 0 && *index < *count) return {*index, *count};
    report_environment(
        fmt::format("{} is \"{}\" and {} is \"{}\", expected a rank and a number of processes",
                    rank, rank_text, size, size_text));
  }
  report_environment("no launcher has set the rank of this process");
}

}  // namespace

std::string LineShard::name() const {
  return fmt::format("{}/{}", index + 1, count);
}

LineShard parse_shard(const std::string& text, const Environment& environment) {
  if (text == "env") return shard_of_environment(environment);
  const std::size_t slash = text.find('/');
  const auto index = whole_number(std::string_view(text).substr(0, slash));
  const auto count = slash == std::string::npos
                         ? std::nullopt
                         : whole_number(std::string_view(text).substr(slash + 1));
  if (index && count && *index >= 1 && *index <= *count) return {*index - 1, *count};
  throw UsageError(
      fmt::format("{} {}: expected I/N with I from 1 to N (example: 1/4), or env to "
                  "take it from the environment",
                  option_name("shard"), text));
}

}  // namespace attend::app
