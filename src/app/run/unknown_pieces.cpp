#include "app/run/unknown_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/closest_name.h"
#include "core/error.h"
#include "core/log.h"

namespace attend::app {
namespace {

constexpr int64_t kExamples = 20'000;
constexpr double kMany = 0.01;

struct PieceCount {
  std::string side;
  int64_t pieces = 0, unknown = 0;

  void add(const std::vector<text::TokenId>& ids) {
    pieces += static_cast<int64_t>(ids.size());
    unknown += std::count(ids.begin(), ids.end(), text::kUnk);
  }
  [[nodiscard]] double share() const {
    return pieces == 0 ? 0.0 : static_cast<double>(unknown) / static_cast<double>(pieces);
  }
};

std::vector<PieceCount> count_pieces(const data::ParallelCorpus& corpus) {
  std::vector<PieceCount> counts;
  for (std::size_t i = 0; i < corpus.sources(); ++i)
    counts.push_back({corpus.sources() == 1 ? "source" : fmt::format("source {}", i + 1)});
  counts.push_back({"target"});
  const int64_t step = std::max<int64_t>(1, corpus.plain_size() / kExamples);
  for (int64_t example = 0; example < corpus.plain_size(); example += step) {
    for (std::size_t i = 0; i < corpus.sources(); ++i) counts[i].add(corpus.source(example, i));
    counts.back().add(corpus.target(example));
  }
  return counts;
}

constexpr std::string_view kWhatToDo =
    "the tokenizer does not know this text; take another tokenizer.model, a larger "
    "tokenizer.vocabulary, or tokenizer.character_coverage: 1";

}  // namespace

void check_unknown_pieces(const data::ParallelCorpus& corpus, double most) {
  const std::vector<PieceCount> counts = count_pieces(corpus);
  std::vector<std::string> shares;
  for (const PieceCount& count : counts)
    shares.push_back(fmt::format("{} {:.2f} %", count.side, 100.0 * count.share()));
  log::info("unknown pieces: {}", join(shares));
  for (const PieceCount& count : counts) {
    if (count.share() > most) {
      throw DataError(
          fmt::format("{:.1f} % of the {} pieces of the training text are unknown (<unk>), and "
                      "data.max_unknown={} allows {:g} %: {}",
                      100.0 * count.share(), count.side, most, 100.0 * most, kWhatToDo));
    }
    if (count.share() > kMany) {
      log::warning("{:.1f} % of the {} pieces of the training text are unknown (<unk>): {}",
                   100.0 * count.share(), count.side, kWhatToDo);
    }
  }
}

}  // namespace attend::app
