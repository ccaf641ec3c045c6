#include "train/update/batch_messages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace attend::train {
namespace {

constexpr std::size_t kMostLinesNamed = 10;

std::string name_lines(std::span<const data::Batch> batches) {
  std::vector<int64_t> lines;
  for (const data::Batch& batch : batches) {
    lines.insert(lines.end(), batch.lines.begin(), batch.lines.end());
  }
  std::sort(lines.begin(), lines.end());
  const std::size_t named = std::min(lines.size(), kMostLinesNamed);
  const std::string more =
      lines.size() > named ? fmt::format(" and {} more", lines.size() - named) : "";
  return fmt::format(
      "{}{}", fmt::join(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(named), ", "),
      more);
}

}  // namespace

std::string describe_batches(std::span<const data::Batch> batches) {
  int64_t source = 0;
  int64_t target = 0;
  for (const data::Batch& batch : batches) {
    for (const data::SentenceBatch& side : batch.sources)
      source = std::max(source, side.ids.size(1));
    target = std::max(target, batch.target_output.size(1));
  }
  return fmt::format("lines {} of the training text, of up to {} source and {} target pieces",
                     name_lines(batches), source, target);
}

std::string out_of_memory_message(std::span<const data::Batch> batches, bool shared) {
  const std::string split = shared
                                ? "training.on_out_of_memory: split works in one process only"
                                : "with training.on_out_of_memory: split it is computed in parts";
  return fmt::format(
      "out of memory. The batch was {}; {}. Reduce training.batch.size (training.accumulate keeps "
      "the updates as large), or use a smaller model",
      describe_batches(batches), split);
}

std::string no_memory_for_a_pair_message(std::span<const data::Batch> batches) {
  return fmt::format(
      "out of memory, even for one pair at a time. The batch was {}. Reduce data.max_length, or "
      "use a smaller model",
      describe_batches(batches));
}

}  // namespace attend::train
