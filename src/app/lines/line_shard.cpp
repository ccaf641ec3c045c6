#include "app/lines/line_shard.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/number.h"
#include "core/option_name.h"

namespace attend::app {
namespace {

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
    const auto index = number_in<int64_t>(rank_text);
    const auto count = number_in<int64_t>(size_text);
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
  const auto index = number_in<int64_t>(std::string_view(text).substr(0, slash));
  const auto count = slash == std::string::npos
                         ? std::nullopt
                         : number_in<int64_t>(std::string_view(text).substr(slash + 1));
  if (index && count && *index >= 1 && *index <= *count) return {*index - 1, *count};
  throw UsageError(
      fmt::format("{} {}: expected I/N with I from 1 to N (example: 1/4), or env to "
                  "take it from the environment",
                  option_name("shard"), text));
}

}  // namespace attend::app
