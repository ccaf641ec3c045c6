#include "app/run/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/checksum.h"
#include "core/closest_name.h"

namespace attend::app {
namespace {

constexpr int64_t kPairsOfFingerprint = 10'000;

}  // namespace

std::string fingerprint(const data::ParallelCorpus& corpus) {
  const int64_t step = std::max<int64_t>(1, corpus.size() / kPairsOfFingerprint);
  uint64_t checksum = 0;
  const auto add = [&](const std::vector<text::TokenId>& ids) {
    const std::size_t length = ids.size();
    checksum = add_to_checksum(checksum, &length, sizeof(length));
    checksum = add_to_checksum(checksum, ids.data(), length * sizeof(text::TokenId));
  };
  for (int64_t pair = 0; pair < corpus.size(); pair += step) {
    for (std::size_t side = 0; side < corpus.sources(); ++side) add(corpus.source(pair, side));
    add(corpus.target(pair));
  }
  for (const data::WeightedPart& part : corpus.parts()) {
    checksum = add_to_checksum(checksum, &part.end, sizeof(part.end));
    checksum = add_to_checksum(checksum, &part.weight, sizeof(part.weight));
  }
  return fmt::format("{} pairs of {} pieces with checksum {:08x}", corpus.size(), corpus.tokens(),
                     checksum);
}

std::string fingerprint(const data::DevSet& dev) {
  uint64_t checksum = 0;
  const auto add = [&](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      checksum = add_to_checksum(checksum, line.data(), line.size());
      checksum = add_to_checksum(checksum, "\n", 1);
    }
  };
  for (const auto& source : dev.sources) add(source);
  add(dev.reference);
  return fmt::format("{} pairs with checksum {:08x}", dev.reference.size(), checksum);
}

std::string fingerprint(const std::string& text) {
  return fmt::format("checksum {:08x}", add_to_checksum(0, text.data(), text.size()));
}

std::string fingerprint(const std::vector<std::string>& tokenizer_models) {
  std::vector<std::string> all;
  for (const std::string& model : tokenizer_models) all.push_back(fingerprint(model));
  return join(all);
}

}  // namespace attend::app
