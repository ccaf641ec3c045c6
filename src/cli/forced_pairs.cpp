#include "cli/forced_pairs.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "cli/length_batches.h"
#include "core/error.h"
#include "core/log.h"
#include "core/signal.h"

namespace attend::cli {

namespace {

constexpr int64_t kNamedLongPairs = 5;

class ForcedPairs {
 public:
  ForcedPairs(data::PairReader& reader, const LoadedModel& model, const ForceOptions& options)
      : reader_(reader), model_(model), options_(options) {}

  void run(const std::function<void(const ForcedPair&)>& take) {
    for (auto window = read_window(); !window.empty(); window = read_window()) {
      decode(window);
      for (const ForcedPair& pair : window) take(pair);
    }
    reader_.warn_about_repairs();
    if (long_pairs_ > kNamedLongPairs) {
      log::warning("{} pairs were longer than data.max_length and were cut", long_pairs_);
    }
  }

 private:
  using Window = std::vector<ForcedPair>;

  Window read_window() {
    Window window;
    const auto most = static_cast<std::size_t>(options_.batch_size * kWindowBatches);
    while (window.size() < most) {
      const auto pair = reader_.next();
      if (!pair) break;
      window.push_back(prepare(*pair));
    }
    return window;
  }

  ForcedPair prepare(const data::LinePair& lines) {
    constexpr auto kAllPieces = std::numeric_limits<std::size_t>::max();
    ForcedPair pair{.id = reader_.line_number() - 1,
                    .source = tokenize_line(*model_.source, lines.source, kAllPieces),
                    .target = tokenize_line(*model_.target, lines.target, kAllPieces),
                    .forced = {}};
    const auto longer = std::max(pair.source.ids.size(), pair.target.ids.size());
    if (longer > limit()) {
      warn_about_length(longer);
      cut(pair.source);
      cut(pair.target);
    }
    return pair;
  }

  [[nodiscard]] std::size_t limit() const {
    return static_cast<std::size_t>(model_.experiment.data.max_length);
  }

  void warn_about_length(std::size_t pieces) {
    if (++long_pairs_ > kNamedLongPairs) return;
    log::warning(
        "line {} has {} pieces, more than the model's limit of {} (data.max_length); the rest is "
        "left out",
        reader_.line_number(), pieces, limit());
  }

  void cut(TokenizedLine& line) const {
    const std::size_t kept = std::min(line.ids.size(), limit());
    line.ids.resize(kept);
    line.pieces.resize(kept);
    line.spans.resize(kept);
  }

  void decode(Window& window) const {
    std::vector<std::size_t> lengths;
    for (const ForcedPair& pair : window) {
      lengths.push_back(pair.source.ids.size() + pair.target.ids.size());
    }
    for (const auto& batch : length_batches(lengths, options_.batch_size)) {
      if (const int signal = requested_stop(); signal != 0) throw Stopped(signal, "stopped");
      decode_batch(window, batch);
    }
  }

  void decode_batch(Window& window, const std::vector<std::size_t>& batch) const {
    std::vector<std::vector<text::TokenId>> sources;
    std::vector<std::vector<text::TokenId>> targets;
    for (const std::size_t i : batch) {
      sources.push_back(window[i].source.ids);
      sources.back().push_back(text::kEos);
      targets.push_back(window[i].target.ids);
    }
    auto forced =
        decode::force_decode(*model_.model, data::pad(sources), targets, options_.keep_attention);
    for (std::size_t i = 0; i < batch.size(); ++i) window[batch[i]].forced = std::move(forced[i]);
  }

  data::PairReader& reader_;
  const LoadedModel& model_;
  const ForceOptions& options_;
  int64_t long_pairs_ = 0;
};

}  // namespace

void force_pairs(data::PairReader& reader, const LoadedModel& model, const ForceOptions& options,
                 const std::function<void(const ForcedPair&)>& take) {
  ForcedPairs(reader, model, options).run(take);
}

}  // namespace attend::cli
